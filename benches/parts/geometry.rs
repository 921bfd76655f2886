//! Geometry of shapes.

use super::material::{self, Material};
use divan::{Bencher, counter::ItemsCount};
use glam::{DVec2, DVec3};
use hullmark_analysis::assets::Triangles;
use hullmark_format::mesh::{self, Mesh};
use hullmark_geometry::{
    enclosing_sphere,
    hull::{FloatHull, Hull},
    level_of_detail::Detail,
    prim::{self, PathKind, Profile, VolumeParams},
    quantized::Domain,
    surface::Surface,
};
use hullmark_ledger::facts::{Base, ConvexFacts, SourceHull};
use hullmark_settings::limits::Limits;
use hullmark_util::work::Work;
use std::f64::consts::TAU;

/// Returns points that are evenly spread on a sphere: all of them are extreme.
fn round(count: usize) -> Vec<DVec3> {
    let golden = 0.5 * TAU * (3.0 - 5_f64.sqrt());
    let point = |number: usize| {
        let z = 1.0 - (2 * number + 1) as f64 / count as f64;
        let (sine, cosine) = (golden * number as f64).sin_cos();
        DVec3::new(cosine, sine, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z
    };
    (0..count).map(point).collect()
}

fn decode(asset: &Material) -> Mesh {
    mesh::decode(&asset.bytes, &Limits::default()).0
}

/// As many points as a mesh may store for one hull, and more, as in levels of detail.
#[divan::bench(args = [8, 64, 256, 4_096])]
fn hull_of_round_points(bencher: Bencher<'_, '_>, count: usize) {
    let quantise = |point: DVec3| ((point + 1.0) * 32_767.0).as_u16vec3().to_array();
    let points: Vec<_> = round(count).into_iter().map(quantise).collect();
    bencher.counter(ItemsCount::new(count)).bench(|| Hull::in_domain(&points, &Domain::UNIT));
}

/// The base hull and the decomposition, with the distances by which the decomposition extends beyond the base hull.
#[divan::bench(args = material::meshes())]
fn hulls_of_mesh(bencher: Bencher<'_, '_>, asset: &Material) {
    let convex = decode(asset).convex.unwrap();
    let points = convex.positions.as_ref().map_or(0, Vec::len);
    bencher.counter(ItemsCount::new(points)).bench(|| {
        let work = &mut Work::unlimited();
        let base = Base::new(&convex, work);
        ConvexFacts::new(&convex, base.as_ref(), work)
    });
}

/// The hull of the points from which an uploader would make the base hull, and its distance beyond the stored one.
#[divan::bench(args = material::meshes())]
fn source_hull_of_mesh(bencher: Bencher<'_, '_>, asset: &Material) {
    let mesh = decode(asset);
    let work = &mut Work::unlimited();
    let base = mesh.convex.as_ref().and_then(|convex| Base::new(convex, work));
    bencher.bench(|| SourceHull::new(&mesh, base.as_ref(), &mut Work::unlimited()));
}

#[divan::bench(args = [64, 1_000, 10_000])]
fn sphere_around_round_points(bencher: Bencher<'_, '_>, count: usize) {
    let points = round(count);
    bencher.counter(ItemsCount::new(count)).bench(|| enclosing_sphere::smallest_enclosing(&points));
}

/// Forms of different cost.
#[derive(Debug, Clone, Copy)]
enum Prim {
    Box,
    Cylinder,
    Sphere,
    Torus,
    /// A hollow, cut and twisted ring of four turns.
    Spring,
}

const PRIMS: [Prim; 5] = [Prim::Box, Prim::Cylinder, Prim::Sphere, Prim::Torus, Prim::Spring];

impl From<Prim> for VolumeParams {
    fn from(prim: Prim) -> Self {
        let round = Self { profile: Profile::Circle, ..Self::BOX };
        let torus = Self { path: PathKind::Circle, scale: DVec2::new(1.0, 0.25), ..round };
        match prim {
            Prim::Box => Self::BOX,
            Prim::Cylinder => round,
            Prim::Sphere => Self { profile: Profile::HalfCircle, path: PathKind::Circle, ..Self::BOX },
            Prim::Torus => torus,
            Prim::Spring => {
                Self { hollow: 0.5, profile_end: 0.8, twist_end: 1.0, revolutions: 4.0, skew: 0.5, ..torus }
            }
        }
    }
}

fn surface(prim: Prim) -> Surface {
    prim::surface(&prim.into(), Detail::High)
}

#[divan::bench(args = PRIMS)]
fn surface_of_prim(bencher: Bencher<'_, '_>, prim: Prim) {
    bencher.counter(ItemsCount::new(surface(prim).points.len())).bench(|| surface(prim));
}

#[divan::bench(args = PRIMS)]
fn hull_of_prim(bencher: Bencher<'_, '_>, prim: Prim) {
    let points = surface(prim).points;
    bencher.counter(ItemsCount::new(points.len())).bench(|| FloatHull::of_points(&points, 0.0));
}

/// The mean width of triangles, which decides the physics cost of a mesh.
#[divan::bench(args = PRIMS)]
fn widths_of_prim(bencher: Bencher<'_, '_>, prim: Prim) {
    let surface = surface(prim);
    let triangles: Vec<_> = surface.drawn().iter().map(|&triangle| surface.corners(triangle)).collect();
    bencher.counter(ItemsCount::new(triangles.len())).bench(|| Triangles::new(triangles.iter().copied()));
}
