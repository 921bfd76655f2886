mod floats;

use super::{
    exact::Point,
    solid::{cover, from_triangle},
    *,
};
use crate::{noise, rank};
use glam::{DQuat, DVec3, I64Vec3, IVec3};
use proptest::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    f64::consts::FRAC_1_PI,
};

fn distance(solid: &Solid, point: DVec3) -> f64 {
    solid.distance(point, 0.0, &mut Work::unlimited()).unwrap()
}

fn wraps(solid: &Solid, points: impl IntoIterator<Item = DVec3>, tolerance: f64) -> Option<Outside> {
    solid.wraps(points, tolerance, &mut Work::unlimited()).unwrap()
}

fn of_quantized(points: &[[u16; 3]]) -> Hull {
    Hull::in_domain(points, &Domain::UNIT)
}

fn of_integers(points: &[[i32; 3]]) -> Option<Hull> {
    Hull::within_of_integers(points, &mut Work::unlimited()).unwrap()
}

/// Whether all given points are vertices, without repetition.
fn is_lean(hull: &Hull) -> bool {
    hull.vertices.len() == hull.points
}

/// Whether a solid contains a point, inside or on its surface.
fn contains(hull: &Hull, point: [i32; 3]) -> bool {
    let point = point.map(i64::from);
    hull.rank == 3 && hull.faces.iter().all(|face| hull.plane_of(face).height(point) <= 0)
}

fn hull(points: &[[i32; 3]]) -> Hull {
    let hull = of_integers(points).expect("within the limit");
    check(&hull, points);
    hull
}

fn check(hull: &Hull, points: &[[i32; 3]]) {
    assert_eq!(hull.points, points.len());
    for &point in points {
        assert!(hull.rank < 3 || contains(hull, point), "{point:?} is outside");
    }
    assert!(hull.vertices.is_sorted());
    assert_eq!(hull.rank < 3, hull.faces.is_empty());
    assert_eq!(hull.rank == 3, hull.outline.is_empty() && !points.is_empty());
    if hull.rank == 3 {
        check_surface(hull);
    }
}

/// Checks that each edge is in two faces, once in each direction, and that Euler's formula holds.
fn check_surface(hull: &Hull) {
    let mut edges: BTreeMap<(usize, usize), i32> = BTreeMap::new();
    let mut corners = BTreeSet::new();
    for &[a, b, c] in &hull.faces {
        corners.extend([a, b, c]);
        for edge in [(a, b), (b, c), (c, a)] {
            assert_eq!(edges.insert(edge, 1), None, "{edge:?} twice in one direction");
        }
        let plane = Plane::through([a, b, c].map(|index| hull.at(index)));
        assert!(hull.corners.iter().all(|&corner| plane.height(corner) <= 0), "a face is turned or cuts");
        assert_ne!(plane.normal, [0; 3], "a face has no area");
    }
    assert!(edges.keys().all(|&(from, to)| edges.contains_key(&(to, from))));
    assert_eq!(hull.vertices.len() + hull.faces.len(), edges.len() / 2 + 2);
    assert_eq!(corners.into_iter().collect::<Vec<_>>(), hull.vertices);
    assert!(hull.volume6() > 0);
}

/// Whether a point is in the simplex of one to four points; false if these are not independent.
fn in_simplex(point: Point, corners: &[Point]) -> bool {
    let to = |corner: Point| difference(corner, point);
    let orient = |a: Point, b: Point, c: Point, d: Point| {
        dot(cross(difference(b, a), difference(c, a)), difference(d, a)).signum()
    };
    match *corners {
        [a] => a == point,
        [a, b] => cross(to(a), to(b)) == [0; 3] && dot(to(a), to(b)) <= 0,
        [a, b, c] => {
            let normal = cross(difference(b, a), difference(c, a));
            let turns = [(a, b), (b, c), (c, a)].map(|(a, b)| dot(normal, cross(to(a), to(b))));
            normal != [0; 3] && dot(normal, to(a)) == 0 && turns.iter().all(|&turn| turn >= 0)
        }
        [a, b, c, d] => {
            let whole = orient(a, b, c, d);
            let parts = [(point, b, c, d), (a, point, c, d), (a, b, point, d), (a, b, c, point)];
            whole != 0 && parts.iter().all(|&(a, b, c, d)| orient(a, b, c, d) * whole >= 0)
        }
        _ => false,
    }
}

/// By Carathéodory, a point is in a hull if it is in the simplex of at most four of its points.
fn in_some_simplex(point: Point, points: &[Point]) -> bool {
    let mut chosen: Vec<usize> = Vec::new();
    let mut next = 0;
    loop {
        if next < points.len() && chosen.len() < 4 {
            chosen.push(next);
            let corners: Vec<Point> = chosen.iter().map(|&index| points[index]).collect();
            if in_simplex(point, &corners) {
                return true;
            }
            next += 1;
        } else if let Some(last) = chosen.pop() {
            next = last + 1;
        } else {
            return false;
        }
    }
}

/// Returns the extreme points by definition.
fn oracle(points: &[[i32; 3]]) -> Vec<usize> {
    let all: Vec<Point> = points.iter().map(|point| point.map(i64::from)).collect();
    let is_extreme = |&index: &usize| {
        let others: Vec<Point> = all.iter().copied().filter(|&other| other != all[index]).collect();
        !all[..index].contains(&all[index]) && !in_some_simplex(all[index], &others)
    };
    (0..all.len()).filter(is_extreme).collect()
}

fn grid(side: i32, step: i32) -> Vec<[i32; 3]> {
    let coordinate = move |n: i32| n * step;
    (0..side.pow(3)).map(|n| [n % side, n / side % side, n / side / side].map(coordinate)).collect()
}

fn rounded(point: DVec3) -> [u16; 3] {
    (point * 65_535.0).round().as_u16vec3().to_array()
}

/// Returns points spread over a sphere, on the grid of files.
fn sphere(count: u32) -> Vec<[u16; 3]> {
    let turn = |n: u32| f64::from(n) * 2.399_963_229_728_653;
    let point = |n: u32| {
        let z = 1.0 - (2.0 * f64::from(n) + 1.0) / f64::from(count);
        let (sine, cosine) = turn(n).sin_cos();
        DVec3::new(cosine * (1.0 - z * z).sqrt(), sine * (1.0 - z * z).sqrt(), z)
    };
    (0..count).map(|n| rounded(point(n) * 0.5 + 0.5)).collect()
}

/// Returns the planes of the faces, each once and in order, with the shortest normals; for a polygon its plane.
fn planes(hull: &Hull) -> BTreeSet<Plane> {
    hull.faces.iter().map(|face| hull.plane_of(face).reduced()).chain(hull.plane).collect()
}

fn work(points: &[[u16; 3]]) -> u64 {
    let sites: Vec<Point> =
        points.iter().map(|point| point.map(i64::from)).collect::<BTreeSet<_>>().into_iter().collect();
    let mut work = Work::unlimited();
    surface::build(&sites, &mut work).expect("no budget").expect("a solid");
    work.done() / surface::TEST
}

/// Returns the rays of a cone, each up to its first point on the grid, between a tip and a roof. If the tip is inserted
/// late, its fan has as many faces as the cone has rays.
fn cone(height: u16) -> Vec<[u16; 3]> {
    let far = i64::from(height);
    let pairs =
        (2..far).take_while(|m| m * m < far).flat_map(|m| (1 + m % 2..m).step_by(2).map(move |n| (m, n)));
    // Euclid's formula for coprime right triangles with integer sides.
    let sides =
        pairs.filter(|&(m, n)| gcd(m, n) == 1).map(|(m, n)| [m * m - n * n, 2 * m * n, m * m + n * n]);
    let turned = |[x, y, z]: [i64; 3]| [[x, y, z], [y, x, z], [-x, y, z], [-y, x, z]];
    let mirrored = |[x, y, z]: [i64; 3]| [[x, y, z], [x, -y, z]];
    let rays = sides.filter(|side| side[2] <= far).flat_map(turned).flat_map(mirrored);
    let ends = [[far, 0, far], [-far, 0, far], [0, far, far], [0, -far, far], [0, 0, 0], [0, 0, 2 * far + 5]];
    rays.chain(ends).map(|[x, y, z]| [x + far, y + far, z].map(|c| c as u16)).collect()
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn quantized(points: &[[u16; 3]]) -> Hull {
    let hull = of_quantized(points);
    check(&hull, &points.iter().map(|point| point.map(i32::from)).collect::<Vec<_>>());
    hull
}

#[test]
fn points_without_a_volume() {
    assert_eq!(hull(&[]).vertices, [0usize; 0]);
    let point = hull(&[[7; 3]; 5]);
    assert_eq!((point.rank, point.distinct, &point.vertices[..]), (0, 1, &[0][..]));
    let line = hull(&[[2, 4, 6], [1, 2, 3], [9, 18, 27], [2, 4, 6]]);
    assert_eq!((line.rank, &line.vertices[..]), (1, &[1, 2][..]));
    let square: Vec<[i32; 3]> = grid(3, 1).into_iter().filter(|point| point[1] == 1).collect();
    let flat = hull(&square);
    assert_eq!((flat.rank, flat.vertices.len(), planes(&flat).len()), (2, 4, 1));
    assert_eq!(flat.volume6(), 0);
}

#[test]
fn points_in_faces_and_on_edges_of_a_cube_are_no_vertices() {
    for side in [2, 3, 4, 9] {
        let cube = hull(&grid(side, 5));
        assert_eq!((cube.vertices.len(), cube.faces.len(), planes(&cube).len()), (8, 12, 6), "{side}");
        assert_eq!(cube.volume6(), 6 * i128::from((side - 1) * 5).pow(3));
        assert_eq!(cube.vertices.len() == cube.distinct, side == 2);
    }
    assert_eq!(hull(&grid(3, 1)).vertices, oracle(&grid(3, 1)));
}

#[test]
fn an_octahedron_with_points_on_all_edges() {
    let side = 4i32;
    let points: Vec<_> = grid(2 * side + 1, 1)
        .into_iter()
        .map(|point| point.map(|c| c - side))
        .filter(|point| point.iter().map(|c| c.abs()).sum::<i32>() == side)
        .collect();
    let octahedron = hull(&points);
    assert_eq!((octahedron.vertices.len(), planes(&octahedron).len()), (6, 8));
    assert_eq!(octahedron.volume6(), 8 * i128::from(side).pow(3));
}

#[test]
fn the_ends_of_the_range() {
    let far = LIMIT;
    let corners: Vec<_> = grid(2, 1).into_iter().map(|point| point.map(|c| (2 * c - 1) * far)).collect();
    assert_eq!(hull(&corners).volume6(), 6 << 66);
    assert_eq!(of_integers(&[[far + 1, 0, 0]]), None);
    assert_eq!(of_integers(&[[i32::MIN, 0, 0]]), None);
    assert!(!contains(&hull(&corners), [i32::MIN; 3]));
    let needle = hull(&[[-far; 3], [far; 3], [far, far, far - 1], [far - 1, far, far]]);
    assert_eq!((needle.rank, needle.vertices.len()), (3, 4));
    assert!(!contains(&needle, [i32::MAX; 3]));
}

#[test]
fn a_flat_domain_flattens() {
    let corners = [[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]];
    let domain = Domain { max: DVec3::new(0.5, 0.5, -0.5), ..Domain::UNIT };
    let flat = Hull::in_domain(&corners, &domain);
    assert_eq!((flat.rank, flat.distinct, &flat.vertices[..]), (2, 3, &[0, 1, 2][..]));
    assert_eq!(Hull::in_domain(&corners, &Domain::UNIT).rank, 3);
    let lost = of_quantized(&corners).solid_in(&domain).expect("finite");
    assert!((distance(&lost, DVec3::new(-0.5, -0.5, 0.0)) - 0.5).abs() < 1e-12);
}

/// The worst cases for vertices: no point is inside.
#[test]
fn every_point_of_curves_and_paraboloids() {
    let moment: Vec<[i32; 3]> = (-60..=60).map(|t: i32| [t * 1000, t * t * 100, t.pow(3) / 4 * 4]).collect();
    assert!(hull(&moment).vertices.len() > 100);
    let exact: Vec<[i32; 3]> = (-60..=60).map(|t: i32| [t, t * t, t.pow(3)]).collect();
    let cyclic = hull(&exact);
    assert!(is_lean(&cyclic));
    assert_eq!(cyclic.faces.len(), 2 * 121 - 4);
    let bowl: Vec<[i32; 3]> =
        (0..64 * 64).map(|n| [n % 64 - 32, n / 64 - 32]).map(|[x, y]| [x, y, x * x + y * y]).collect();
    assert!(is_lean(&hull(&bowl)));
}

#[test]
fn work_stays_near_linear() {
    let face: Vec<[u16; 3]> = (0..65_536u32)
        .map(|n| [(n % 256 * 257) as u16, (n / 256 * 257) as u16, 9])
        .chain([[5, 5, 900]])
        .collect();
    assert_eq!(quantized(&face).vertices.len(), 5);
    let solid: Vec<[u16; 3]> = grid(40, 1600).iter().map(|point| point.map(|c| c as u16)).collect();
    assert_eq!(quantized(&solid).vertices.len(), 8);
    let mut next = noise(5);
    let cloud: Vec<[u16; 3]> = (0..10_000).map(|_| rounded(DVec3::new(next(), next(), next()))).collect();
    quantized(&cloud);
    let ball = sphere(4096);
    assert!(quantized(&ball).vertices.len() > 4000);
    let curve: Vec<[u16; 3]> =
        (0..2000u32).map(|t| [t * 32, t * t / 62, (t * t / 2000 * t) / 31].map(|c| c as u16)).collect();
    quantized(&curve);
    let cone = cone(8_000);
    assert!(of_quantized(&cone).vertices.len() > 10_000);
    for (name, points) in
        [("face", face), ("solid", solid), ("cloud", cloud), ("ball", ball), ("curve", curve), ("cone", cone)]
    {
        let (work, count) = (work(&points), points.len() as f64);
        let part = work as f64 / (count * count.log2());
        assert!(part < 8.0, "{name}: {work} tests for {count} points, {part} times n log n");
    }
}

#[test]
fn volume_equals_the_random_estimate() {
    let mut next = noise(11);
    let points: Vec<[i32; 3]> =
        (0..40).map(|_| [next(), next(), next()].map(|c| (c * 1000.0) as i32)).collect();
    let solid = hull(&points);
    let tries = 200_000;
    let hits = (0..tries)
        .filter(|_| contains(&solid, [next(), next(), next()].map(|c| (c * 1000.0) as i32)))
        .count();
    let (hit, exact) = (hits as f64 / f64::from(tries), solid.volume6() as f64 / 6e9);
    assert!((hit - exact).abs() < 0.01, "{hit} for {exact}");
}

#[test]
fn volume_and_distances_in_a_domain() {
    let far = u16::MAX;
    let corners: Vec<[u16; 3]> = grid(2, 1).iter().map(|point| point.map(|c| c as u16 * far)).collect();
    // Mirrored on x: the volume is still positive, and inside stays inside.
    let domain = Domain { min: DVec3::new(1.0, 0.0, 0.0), max: DVec3::new(-1.0, 3.0, 4.0) };
    let cuboid = of_quantized(&corners);
    assert!((cuboid.volume(&domain) - 24.0).abs() < 1e-12);
    let solid = cuboid.solid_in(&domain).expect("finite");
    assert_eq!(distance(&solid, DVec3::new(-0.9, 1.0, 1.0)), 0.0);
    assert!((distance(&solid, DVec3::new(-2.0, 1.0, 1.0)) - 1.0).abs() < 1e-12);
    assert!((distance(&solid, DVec3::new(-2.0, 4.0, 5.0)) - 3f64.sqrt()).abs() < 1e-12);
    let points = [DVec3::ONE * 0.5, DVec3::new(0.0, 0.0, 4.0 + 1e-6), DVec3::new(0.0, 3.5, 4.0)];
    let outside = wraps(&solid, points, Frame::of_domain(&domain).rounding()).expect("finite");
    assert_eq!((outside.points_outside, outside.of), (1, 3));
    assert!((outside.worst_distance - 0.5).abs() < 1e-12);
    assert_eq!(wraps(&solid, [DVec3::NAN], 0.0), None);
    assert_eq!(of_quantized(&[]).solid_in(&domain), None);
    let nan = Domain { min: DVec3::NAN, ..domain };
    assert_eq!(cuboid.solid_in(&nan), None);
}

#[test]
fn distances_to_flat_sets() {
    let flat = |points: &[[u16; 3]]| of_quantized(points).solid_in(&Domain::UNIT).expect("finite");
    let far = u16::MAX;
    let square = flat(&[[0; 3], [far, 0, 0], [far, far, 0], [0, far, 0]]);
    assert!((distance(&square, DVec3::new(0.2, 0.1, 0.25)) - 0.75).abs() < 1e-12);
    assert!((distance(&square, DVec3::new(1.5, 0.1, -0.5)) - 1.0).abs() < 1e-12);
    let segment = flat(&[[0; 3], [far, 0, 0]]);
    assert!((distance(&segment, DVec3::new(0.0, 0.5, -0.5)) - 1.0).abs() < 1e-12);
    let point = flat(&[[0; 3]]);
    assert!((distance(&point, DVec3::splat(0.5)) - 3f64.sqrt()).abs() < 1e-12);
}

fn small() -> impl Strategy<Value = Vec<[i32; 3]>> {
    // Coarse grids make degenerate cases common; thin ones make coplanar and collinear sets.
    let any =
        |[x, y, z]: [i32; 3]| prop::collection::vec([0..=x, 0..=y, 0..=z].prop_map(|point| point), 0..13);
    prop_oneof![
        any([2, 2, 2]),
        any([3, 3, 0]),
        any([1, 1, 1]),
        any([5, 1, 0]),
        any([9, 9, 9]),
        any([65_535; 3])
    ]
}

/// Maps the lattice so that axes become skew lines.
fn skewed(points: &[[i32; 3]]) -> Vec<[i32; 3]> {
    points.iter().map(|&[x, y, z]| [2 * x + y - z, x - 3 * y + z, x + y + 5 * z]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn vertices_are_those_of_the_oracle(points in small(), skew: bool) {
        let points = if skew { skewed(&points) } else { points };
        let found = hull(&points);
        prop_assert_eq!(&found.vertices, &oracle(&points));
        let quantized: Vec<[u16; 3]> = points.iter().map(|point| point.map(|c| c as u16)).collect();
        if !skew {
            prop_assert_eq!(found.rank, rank::dimension(&quantized));
            prop_assert_eq!(found, of_quantized(&quantized));
        }
    }

    /// Measuring only the sides below a point must give its distance to the nearest of all sides. Probes on the grid
    /// lie in planes, on edges and on corners.
    #[test]
    fn distances_are_those_of_all_sides(
        points in small(),
        probes in prop::collection::vec([-8..24, -8..24, -8..24], 8),
        (origin, step) in prop::sample::select(vec![
            (DVec3::splat(0.5), DVec3::splat(0.25)),
            (DVec3::new(0.0, 1000.0, -3.0), DVec3::new(-0.25, 0.25, -0.5)),
        ]),
    ) {
        let hull = hull(&points);
        let Some(solid) = Solid::new(&hull, &Frame { origin, step }) else {
            prop_assert!(points.is_empty());
            return Ok(());
        };
        let place = |point: I64Vec3| point.as_dvec3() * step + origin;
        for probe in probes.into_iter().chain(points) {
            let at = place(IVec3::from_array(probe).as_i64vec3());
            let corners = |face: [usize; 3]| face.map(|index| place(I64Vec3::from_array(hull.at(index))));
            let distances = cover(&hull).into_iter().map(|face| from_triangle(at, corners(face)));
            let nearest = if contains(&hull, probe) { 0.0 } else { distances.fold(f64::INFINITY, f64::min) };
            let near = |distance: f64| (distance - nearest).abs() <= 1e-11 * (1.0 + nearest);
            let found = distance(&solid, at);
            prop_assert!(near(found), "{probe:?}: {found}, not {nearest}");
            // No squared distance in such grids equals the square of this tolerance.
            let outside = wraps(&solid, [at], FRAC_1_PI).unwrap();
            prop_assert_eq!(outside.points_outside, u32::from(nearest > FRAC_1_PI));
            prop_assert!(near(outside.worst_distance));
        }
    }

    #[test]
    fn order_changes_nothing(points in prop::collection::vec([0..20, 0..20, 0..20], 1..200), turn in 0usize..200) {
        let mut other = points.clone();
        other.reverse();
        other.rotate_left(turn % points.len());
        let (one, two) = (hull(&points), hull(&other));
        let places = |hull: &Hull| hull.corners.iter().copied().collect::<BTreeSet<_>>();
        prop_assert_eq!(places(&one), places(&two));
        prop_assert_eq!(one.volume6(), two.volume6());
        prop_assert_eq!(planes(&one), planes(&two));
    }

    #[test]
    fn a_hull_of_the_vertices_is_the_same(points in prop::collection::vec([0..6, 0..6, 0..6], 1..80)) {
        let found = hull(&points);
        let again = hull(&found.vertices.iter().map(|&index| points[index]).collect::<Vec<_>>());
        prop_assert!(is_lean(&again));
        prop_assert_eq!((found.volume6(), planes(&found)), (again.volume6(), planes(&again)));
    }
}
