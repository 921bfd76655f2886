//! Hulls of points as exporters write them: rotated, moved and rounded to f32.

use super::*;

/// Returns points as an exporter writes them: rotated, moved, rounded to f32.
fn turned(points: impl IntoIterator<Item = DVec3>, seed: u64) -> Vec<DVec3> {
    let mut next = noise(seed);
    let axis = DVec3::new(next() - 0.5, next() - 0.5, next() - 0.5).normalize();
    let turn = DQuat::from_axis_angle(axis, next() * 6.0);
    points.into_iter().map(|point| (turn * point + DVec3::splat(0.3)).as_vec3().as_dvec3()).collect()
}

fn float(points: &[DVec3]) -> FloatHull {
    let found = FloatHull::of_points(points, 0.0).expect("finite");
    let solid = Solid::new(&found.hull, &found.frame).expect("finite");
    let reach = found.tolerance + found.frame.rounding();
    let outside = wraps(&solid, points.iter().copied(), reach).expect("finite");
    assert_eq!(outside.points_outside, 0, "{outside:?} {reach}");
    found
}

#[test]
fn turned_cubes_keep_their_eight_corners() {
    for seed in 0..100 {
        let cube =
            turned(grid(9, 1).iter().map(|&[x, y, z]| DVec3::new(x.into(), y.into(), z.into()) / 8.0), seed);
        let found = float(&cube);
        assert_eq!(found.hull.vertices.len(), 8, "{seed}");
        assert!((found.volume() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn turned_cylinders_keep_their_rims() {
    for seed in 0..30 {
        let ring = |radius: f64, z: f64| {
            (0..64)
                .map(move |n| f64::from(n) * std::f64::consts::TAU / 64.0)
                .map(move |angle| DVec3::new(radius * angle.cos(), radius * angle.sin(), z))
        };
        let rings = (0..=8).flat_map(|n| ring(1.0, f64::from(n) / 4.0));
        let caps =
            (1..10).flat_map(|n| [0.0, 2.0].into_iter().flat_map(move |z| ring(f64::from(n) / 10.0, z)));
        let found = float(&turned(rings.chain(caps), seed));
        assert_eq!(found.hull.vertices.len(), 128, "{seed}");
    }
}

#[test]
fn a_fine_sphere_keeps_its_points() {
    let points: Vec<DVec3> = sphere(4096).iter().map(|&point| Domain::UNIT.point(point)).collect();
    let unit: Vec<DVec3> = points.iter().map(|point| point.normalize()).collect();
    for seed in 0..3 {
        assert_eq!(float(&turned(unit.iter().copied(), seed)).hull.vertices.len(), 4096);
    }
}

#[test]
fn floats_that_are_degenerate() {
    assert!(FloatHull::of_points(&[], 0.0).is_none());
    assert!(FloatHull::of_points(&[DVec3::NAN], 0.0).is_none());
    assert!(FloatHull::of_points(&[DVec3::MAX, DVec3::MIN], 0.0).is_none());
    assert_eq!(float(&[DVec3::ONE; 3]).hull.rank, 0);
    assert_eq!(float(&[DVec3::ZERO, DVec3::X, DVec3::X * 3.0]).hull.vertices, [0, 2]);
    for seed in 0..20 {
        let plate = grid(9, 1).into_iter().filter(|point| point[2] == 0);
        let plate = turned(plate.map(|[x, y, _]| DVec3::new(x.into(), y.into(), 0.0)), seed);
        let found = float(&plate);
        assert!(found.hull.vertices.len() <= 4, "{:?}", found.hull.vertices);
        assert!(found.volume() < 1e-2, "{}", found.volume());
        let line = turned((0..30).map(|n| DVec3::X * f64::from(n)), seed);
        assert_eq!(float(&line).hull.vertices.len(), 2);
    }
}

#[test]
fn facets_are_whole_faces_in_order() {
    let corner = |bits: u16, bit: u16| if bits & bit == 0 { 0 } else { 10 };
    let mut cube: Vec<[u16; 3]> = (0..8).map(|i| [corner(i, 1), corner(i, 2), corner(i, 4)]).collect();
    cube.push([5, 5, 10]);
    let hull = of_quantized(&cube);
    let facets = hull.facets();
    assert_eq!(facets.len(), 6);
    for facet in &facets {
        assert_eq!(facet.len(), 4, "{facet:?}");
        for (at, &from) in facet.iter().enumerate() {
            let to = facet[(at + 1) % 4];
            // Neighbours in a face of a cube differ in one coordinate.
            assert_eq!((0..3).filter(|&axis| cube[from][axis] != cube[to][axis]).count(), 1, "{facet:?}");
        }
    }
    assert_eq!(of_quantized(&[[0, 0, 0], [4, 0, 0], [0, 4, 0], [1, 1, 0]]).facets(), [[0, 1, 2]]);
    assert_eq!(of_quantized(&[[1, 1, 1], [2, 2, 2]]).facets()[0].len(), 2);
}
