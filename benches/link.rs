//! Time to compute the spheres of linkability: `cargo bench --bench link`.

#![allow(missing_docs, clippy::unwrap_used)]

use divan::Bencher;
use glam::{DQuat, DVec3};
use hullmark_analysis::linkability::{Prim, havok4, link_order::order};
use hullmark_geometry::enclosing_sphere::{
    self,
    of_balls::{self, Ball},
};

/// The largest number of prims in a linkset.
const PRIMS: usize = 255;

fn main() {
    divan::main();
}

/// Returns pseudo-random points in a cube of 1 m, the same in each run.
fn noise(count: usize) -> Vec<DVec3> {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..count).map(|_| DVec3::new(next(), next(), next())).collect()
}

#[divan::bench(args = [255, 1_000, 10_000, 100_000])]
fn sphere_around_points(bencher: Bencher<'_, '_>, count: usize) {
    let points = noise(count);
    bencher.bench(|| enclosing_sphere::smallest_enclosing(&points));
}

#[divan::bench(args = [255, 1_000, 10_000, 100_000])]
fn sphere_around_balls(bencher: Bencher<'_, '_>, count: usize) {
    let balls: Vec<Ball> =
        noise(count).into_iter().map(|centre| Ball { centre, radius: centre.x * 0.2 }).collect();
    bencher.bench(|| of_balls::smallest_enclosing(&balls));
}

/// Sets that link in different ways.
#[derive(Debug, Clone, Copy)]
enum Set {
    /// Small prims all over a cube of 10 m.
    Compact,
    /// Cubes on a grid 34 m wide, from its middle outwards: the sphere grows again and again.
    Grid,
    /// Cubes in a row 51 m long: the sphere grows with each.
    Line,
    /// Small prims all over a cube of 200 m: most stay alone.
    Apart,
}

const SETS: [Set; 4] = [Set::Compact, Set::Grid, Set::Line, Set::Apart];

fn prims(set: Set) -> Vec<Prim> {
    let centres = match set {
        Set::Compact => noise(PRIMS).into_iter().map(|centre| centre * 10.0).collect(),
        Set::Grid => {
            let middle = DVec3::new(3.0, 3.0, 2.0);
            let cell = |n: usize| DVec3::new((n % 7) as f64, (n / 7 % 7) as f64, (n / 49) as f64);
            let mut cells: Vec<DVec3> = (0..PRIMS).map(cell).collect();
            cells.sort_by(|a, b| a.distance_squared(middle).total_cmp(&b.distance_squared(middle)));
            cells.into_iter().map(|cell| cell * 4.0).collect()
        }
        Set::Line => (0..PRIMS).map(|n| DVec3::X * (n as f64 * 0.2)).collect::<Vec<_>>(),
        Set::Apart => noise(PRIMS).into_iter().map(|centre| centre * 200.0).collect(),
    };
    let scale = DVec3::splat(0.5);
    centres.into_iter().map(|centre| Prim { centre, rotation: DQuat::IDENTITY, scale }).collect()
}

#[divan::bench(args = SETS)]
fn havok4_of_255_prims(bencher: Bencher<'_, '_>, set: Set) {
    let prims = prims(set);
    bencher.bench(|| havok4::evaluate(&prims));
}

#[divan::bench(args = SETS)]
fn orders_of_255_prims(bencher: Bencher<'_, '_>, set: Set) {
    let prims = prims(set);
    let outcome = havok4::evaluate(&prims);
    bencher.bench(|| order(&prims, &outcome));
}
