//! Tests against triangle counts of OpenSimulator 0.9.2.2, from its own costs. Each simplification has one test.

use super::*;
use crate::{bitmap::Bitmap, sculpt::Stitch};
use hullmark_util::work::Work;

const WHOLE: Solid = Solid {
    profile_curve: 1,
    path_curve: 16,
    path_cut: [0; 2],
    profile_cut: [0; 2],
    hollow: 0,
    scale: [100; 2],
    shear: [0; 2],
    twist: [0; 2],
    taper: [0; 2],
    radius: 0,
    revolutions: 0,
    skew: 0,
};
const BOX: Solid = WHOLE;
const CYLINDER: Solid = Solid { profile_curve: 0, ..WHOLE };
const PRISM: Solid = Solid { profile_curve: 3, ..WHOLE };
const SPHERE: Solid = Solid { profile_curve: 5, path_curve: 32, ..WHOLE };
const TORUS: Solid = Solid { profile_curve: 0, path_curve: 32, scale: [100, 150], ..WHOLE };
const TUBE: Solid = Solid { profile_curve: 1, ..TORUS };
const RING: Solid = Solid { profile_curve: 3, ..TORUS };

fn built(solid: Solid) -> Built {
    prim(&solid, false, &mut Work::unlimited()).unwrap()
}

fn triangles(solid: Solid) -> u32 {
    built(solid).triangles
}

fn hull_triangles(solid: Solid) -> u32 {
    prim(&solid, true, &mut Work::unlimited()).unwrap().triangles
}

fn close(size: DVec3, expected: [f64; 3]) {
    let expected = DVec3::from_array(expected);
    assert!((size - expected).abs().max_element() < 1e-5, "{size} is not {expected}");
}

#[test]
fn the_counts_that_were_measured() {
    let slender = [100, 175];
    for (solid, expected) in [
        (CYLINDER, 96),
        (Solid { scale: slender, ..TUBE }, 192),
        (Solid { twist: [0, 100], ..TORUS }, 1104),
        (Solid { scale: slender, taper: [100; 2], ..RING }, 142),
        (Solid { hollow: 22_500, ..BOX }, 32),
    ] {
        assert_eq!(triangles(solid), expected, "{solid:?}");
    }
}

#[test]
fn round_outlines_have_24_sides_and_others_their_own() {
    assert_eq!([BOX, PRISM, CYLINDER].map(triangles), [12, 8, 96]);
    assert_eq!(triangles(Solid { profile_curve: 2, ..PRISM }), 8, "all triangles are alike");
    assert_eq!(triangles(Solid { profile_curve: 0x0e, ..BOX }), 12, "a profile that does not exist");
    close(built(BOX).size, [1.0; 3]);
    close(built(PRISM).size, [0.75, 0.866_025, 1.0]);
}

#[test]
fn a_straight_path_has_one_step_and_more_if_it_is_twisted() {
    // 3.66 steps per radian, twice: half a turn gives 1 + 2 · 11 steps of eight triangles.
    assert_eq!(triangles(Solid { twist: [0, 100], ..BOX }), 23 * 8 + 4);
    assert_eq!(triangles(Solid { twist: [50, 50], ..BOX }), 12, "turned and not twisted");
    assert_eq!(triangles(Solid { path_cut: [12_500; 2], ..BOX }), 12);
    close(built(Solid { path_cut: [12_500; 2], ..BOX }).size, [1.0, 1.0, 0.5]);
    close(built(Solid { shear: [50, 0], ..BOX }).size, [1.5, 1.0, 1.0]);
}

#[test]
fn a_ring_has_24_steps_for_each_revolution() {
    let slender = Solid { scale: [100, 175], ..TORUS };
    assert_eq!(triangles(slender), 24 * 48);
    assert_eq!(triangles(Solid { path_cut: [25_000, 0], ..slender }), 12 * 48 + 2 * 24);
    // 1 + 0.015 · 67 revolutions give 48.12 steps; skew opens the ends.
    assert_eq!(triangles(Solid { revolutions: 67, skew: 10, ..slender }), 49 * 48 + 2 * 24);
    assert_eq!(triangles(Solid { radius: 10, ..slender }), 24 * 48 + 2 * 24);
    assert_eq!(triangles(Solid { twist: [0, 100], ..slender }), 24 * 48, "the end of the twist is not read");
}

#[test]
fn triangles_without_three_corners_are_dropped() {
    // The inner side of a thick torus is one point: 24 of the 48 triangles on either side of it remain.
    assert_eq!(triangles(TORUS), 24 * 48 - 48);
    // A sphere has two poles. Its flat side, on the axis, and the triangles at a pole disappear.
    assert_eq!(triangles(SPHERE), 24 * (2 * 12 - 2));
    // A pyramid: no cap at the tip, and one triangle for each side.
    assert_eq!(triangles(Solid { scale: [200; 2], ..BOX }), 2 + 4);
    assert_eq!(triangles(Solid { scale: [200, 100], ..BOX }), 2 + 6, "a roof");
}

#[test]
fn hollows_have_walls_and_rings_for_caps() {
    let hollow = 22_500;
    assert_eq!(triangles(Solid { hollow, ..CYLINDER }), 4 * 48);
    // A square hole in a circle: 24 + 4 triangles for each cap.
    assert_eq!(triangles(Solid { hollow, profile_curve: 0x20, ..CYLINDER }), 48 + 8 + 2 * 28);
    // A round hole in a square.
    assert_eq!(triangles(Solid { hollow, profile_curve: 0x11, ..BOX }), 48 + 8 + 2 * 28);
    assert_eq!(triangles(Solid { hollow, ..PRISM }), 12 + 2 * 6);
    // A hollow up to a thousandth has a hole in its caps but no wall.
    assert_eq!(triangles(Solid { hollow: 50, ..CYLINDER }), 48 + 2 * 48);
    assert_eq!(hull_triangles(Solid { hollow, ..BOX }), 12, "a hull has no hole");
}

#[test]
fn cuts_of_the_outline_have_walls() {
    // Half a cylinder: 12 sides, the two sides of the cut, and fans of 12.
    let half = Solid { profile_cut: [0, 25_000], ..CYLINDER };
    assert_eq!(triangles(half), 2 * (12 + 2) + 2 * 12);
    close(built(half).size, [1.0, 0.5, 1.0]);
    // Cuts within sides: five corners and the centre.
    assert_eq!(triangles(Solid { profile_cut: [6_250, 6_250], ..BOX }), 2 * 6 + 2 * 4);
    let hollow = Solid { hollow: 22_500, ..half };
    assert_eq!(triangles(hollow), 2 * (12 + 12 + 2) + 2 * 24);
}

#[test]
fn hulls_leave_out_points_within_a_thousandth_of_the_diagonal() {
    assert_eq!([BOX, CYLINDER].map(hull_triangles), [12, 92]);
    let twisted = hull_triangles(Solid { twist: [0, 10], ..BOX });
    assert!((12..40).contains(&twisted), "{twisted}");
    let sides = |count: usize| {
        let corner = |step: usize| (std::f32::consts::TAU * step as f32 / count as f32).sin_cos();
        let ring = |z: f32| (0..count).map(move |step| Vec3::new(corner(step).1, corner(step).0, z));
        let points: Vec<Vec3> = ring(-0.5).chain(ring(0.5)).collect();
        hull(&points, None, &mut Work::unlimited()).unwrap().unwrap().len()
    };
    assert_eq!(sides(24), 4 * 24 - 4);
    assert!(sides(200) < 4 * 200 - 4, "{}", sides(200));
}

#[test]
fn points_without_a_volume_are_no_hull_and_a_cloud_of_them_is_a_box() {
    let work = &mut Work::unlimited();
    let flat = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    assert_eq!(hull(&flat, None, work), Ok(None));
    assert_eq!(hull(&flat[..3], None, work), Ok(None));
    let cloud = hull_of_cloud(&flat, 256, work).unwrap().unwrap();
    assert_eq!(cloud.triangles.len(), 12);
    close(Built::from_mesh(&cloud).size, [2.0, 2.0, 0.1]);
}

#[test]
fn work_on_a_hull_is_bounded() {
    let points: Vec<Vec3> = (0..2000u16)
        .map(|step| {
            let (sin, cos) = (f32::from(step) * 2.4).sin_cos();
            let z = f32::from(step) / 1000.0 - 1.0;
            Vec3::new(cos * (1.0 - z * z).sqrt(), sin * (1.0 - z * z).sqrt(), z)
        })
        .collect();
    let work = &mut Work::new(1_000_000, hullmark_util::deadline::Deadline::default());
    assert!(hull(&points, None, work).is_err());
    assert!(work.done() < 1_100_000, "{}", work.done());
}

#[test]
fn a_sculpt_map_is_halved_to_a_grid_of_32() {
    let pixels: Vec<[u8; 3]> = (0..64u8).flat_map(|y| (0..64).map(move |x| [4 * x, 4 * y, x ^ y])).collect();
    let map = &Bitmap::whole(64, 64, &pixels);
    let count = |map, stitch, convex| {
        let built = sculpt(map, stitch, false, convex, &mut Work::unlimited()).unwrap();
        (built.triangles, built.size)
    };
    let (plane, size) = count(map, Stitch::Plane, false);
    assert_eq!(plane, 2 * 32 * 32);
    close(size, [252.0 / 255.0, 252.0 / 255.0, 63.0 / 255.0]);
    // The poles are one point each, so one triangle of each pair there is dropped.
    assert_eq!(count(map, Stitch::Sphere, false).0, 2 * 32 * 32 - 64);
    assert_eq!(count(map, Stitch::Torus, false).0, 2 * 33 * 32);
    // A map of a quarter of the size is used unchanged, with its last row and column twice.
    let quarter = &Bitmap::whole(32, 32, &pixels[..1024]);
    assert_eq!(count(quarter, Stitch::Cylinder, false).0, 2 * 31 * 31);
    let thin = &Bitmap::whole(4096, 2, &pixels);
    assert_eq!(count(thin, Stitch::Plane, false).0, 0, "a side is halved to nothing");
    assert!(count(map, Stitch::Plane, true).0 > 0);
}

#[test]
fn any_numbers_give_a_mesh_of_bounded_size() {
    let mut state = 7u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u16
    };
    for round in 0..300 {
        let mut byte = || next() as u8;
        let solid = Solid {
            profile_curve: byte(),
            path_curve: [16, 32, byte()][round % 3],
            scale: [byte(), byte()],
            shear: [byte(), byte()],
            twist: [byte().cast_signed(), byte().cast_signed()],
            taper: [byte().cast_signed(), byte().cast_signed()],
            radius: byte().cast_signed(),
            revolutions: byte(),
            skew: byte().cast_signed(),
            path_cut: [next(), next()],
            profile_cut: [next(), next()],
            hollow: next(),
        };
        let found = built(solid);
        assert!(found.triangles < 20_000 && found.size.is_finite(), "{solid:?} {found:?}");
    }
}
