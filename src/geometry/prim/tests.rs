//! Compares some prims with closed formulas, and checks the properties of a surface for all.

use super::*;
use crate::surface::tests::closed;
use glam::{DVec2, DVec3};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};

const BOX: VolumeParams = VolumeParams::BOX;
const CYLINDER: VolumeParams = VolumeParams { profile: Profile::Circle, ..BOX };
const PRISM: VolumeParams = VolumeParams { profile: Profile::Equilateral, ..BOX };
const SPHERE: VolumeParams = VolumeParams { profile: Profile::HalfCircle, path: PathKind::Circle, ..BOX };
/// Rings as the viewer creates them: their section is a quarter of the height.
const TORUS: VolumeParams =
    VolumeParams { profile: Profile::Circle, path: PathKind::Circle, scale: DVec2::new(1.0, 0.25), ..BOX };
const TUBE: VolumeParams = VolumeParams { profile: Profile::Square, ..TORUS };
const RING: VolumeParams = VolumeParams { profile: Profile::Equilateral, ..TORUS };
const TYPES: [(&str, VolumeParams); 7] = [
    ("box", BOX),
    ("cylinder", CYLINDER),
    ("prism", PRISM),
    ("sphere", SPHERE),
    ("torus", TORUS),
    ("tube", TUBE),
    ("ring", RING),
];

fn volume(form: VolumeParams, detail: Detail) -> f64 {
    surface(&form, detail).volume()
}

fn extent(surface: &Surface) -> (DVec3, DVec3) {
    let points = surface.points.iter().copied();
    (points.clone().fold(DVec3::INFINITY, DVec3::min), points.fold(DVec3::NEG_INFINITY, DVec3::max))
}

/// Returns the area of a regular polygon from the distance of its corners.
fn polygon(sides: f64, radius: f64) -> f64 {
    sides / 2.0 * radius * radius * (TAU / sides).sin()
}

#[test]
fn triangles_of_plain_prims() {
    let expected = [
        ("box", [12, 12, 48, 108]),
        ("cylinder", [24, 36, 90, 192]),
        ("prism", [12, 12, 36, 72]),
        ("sphere", [24, 54, 180, 528]),
        ("torus", [72, 162, 450, 1152]),
        ("tube", [48, 72, 240, 576]),
        ("ring", [36, 54, 180, 432]),
    ];
    for ((name, form), (expected_name, counts)) in TYPES.into_iter().zip(expected) {
        let found = Detail::ALL.map(|detail| surface(&form, detail).triangles.len());
        assert_eq!((name, found), (expected_name, counts));
    }
}

#[test]
fn plain_prims_are_closed_and_look_outward() {
    for (name, form) in TYPES {
        for detail in Detail::ALL {
            let surface = surface(&form, detail);
            assert_eq!(closed(&surface.triangles), Some(1), "{name} {detail:?}");
            assert!(surface.volume() > 0.0, "{name} {detail:?}");
            assert_eq!(surface.filled, 0, "{name}");
        }
    }
}

#[test]
fn a_box_is_the_unit_cube_at_every_level() {
    for detail in Detail::ALL {
        let surface = surface(&BOX, detail);
        assert!((surface.volume() - 1.0).abs() < 1e-12 && (surface.area() - 6.0).abs() < 1e-12);
        let (low, high) = extent(&surface);
        assert!(low.abs_diff_eq(DVec3::splat(-0.5), 1e-12) && high.abs_diff_eq(DVec3::splat(0.5), 1e-12));
    }
}

#[test]
fn cylinders_are_prisms_over_polygons() {
    for (detail, (sides, radius)) in
        Detail::ALL.into_iter().zip([(6.0, 0.525), (9.0, 0.5), (15.0, 0.5), (24.0, 0.5)])
    {
        let surface = surface(&CYLINDER, detail);
        let (base, rim) = (polygon(sides, radius), sides * 2.0 * radius * (PI / sides).sin());
        assert!((surface.volume() - base).abs() < 1e-12, "{detail:?}");
        assert!((surface.area() - (2.0 * base + rim)).abs() < 1e-12, "{detail:?}");
    }
}

#[test]
fn round_prims_fill_their_box() {
    for form in [CYLINDER, SPHERE] {
        let (low, high) = extent(&surface(&form, Detail::High));
        assert!(low.abs_diff_eq(DVec3::splat(-0.5), 1e-9) && high.abs_diff_eq(DVec3::splat(0.5), 1e-9));
        for detail in Detail::ALL {
            let (low, high) = extent(&surface(&form, detail));
            assert!(high.max(-low).max_element() <= 0.525 + 1e-12);
        }
    }
}

/// The error of a polygon with n sides falls with n².
#[test]
fn volumes_and_areas_converge() {
    let ring = |section: f64| TAU * 0.375 * section;
    // Rings of radius R with half sides a and b, by Pappus.
    let table = [
        ("cylinder", CYLINDER, PI / 4.0),
        ("sphere", SPHERE, PI / 6.0),
        ("torus", TORUS, ring(PI * 0.5 * 0.125)),
        ("tube", TUBE, ring(0.25)),
    ];
    for (name, form, expected) in table {
        let errors = Detail::ALL.map(|detail| 1.0 - volume(form, detail) / expected);
        for (level, bound) in [(1, 0.22), (2, 0.09), (3, 0.04)] {
            assert!((0.0..bound).contains(&errors[level]), "{name} {errors:?}");
        }
        let falls = errors[1] / errors[3];
        assert!((5.0..9.0).contains(&falls), "{name}: {falls}, where (24 / 9)² is 7.1");
    }
    let areas = Detail::ALL.map(|detail| 1.0 - surface(&SPHERE, detail).area() / PI);
    assert!(areas[3].abs() < 0.02 && areas[1] > areas[2] && areas[2] > areas[3], "{areas:?}");
}

/// A sphere is a stack of frustums over polygons, with as many bands as the half circle has sides.
#[test]
fn spheres_are_turned_polygons() {
    for (detail, sides, bands) in [(Detail::Low, 9.0, 4), (Detail::Medium, 15.0, 7), (Detail::High, 24.0, 12)]
    {
        let corner = |band: i32| DVec2::from_angle(PI * f64::from(band) / f64::from(bands)) * 0.5;
        let band = |number: i32| {
            let (a, b) = (corner(number), corner(number + 1));
            (a.x - b.x) / 3.0 * (a.y * a.y + a.y * b.y + b.y * b.y) * polygon(sides, 1.0)
        };
        let expected: f64 = (0..bands).map(band).sum();
        assert!((volume(SPHERE, detail) - expected).abs() < 1e-12, "{detail:?}");
    }
}

#[test]
fn a_hole_takes_its_volume_away() {
    for detail in Detail::ALL {
        for (profile, hollow, expected) in
            [(Profile::Square, 0.5, 1.0 - 0.25), (Profile::Square, 0.95, 1.0 - 0.95 * 0.95)]
        {
            let found = volume(VolumeParams { profile, hollow, ..BOX }, detail);
            assert!((found - expected).abs() < 1e-12, "{detail:?} {found}");
        }
        let whole = volume(CYLINDER, detail);
        let round = volume(VolumeParams { hollow: 0.6, ..CYLINDER }, detail);
        assert!((round - whole * (1.0 - 0.36)).abs() < 1e-12);
        let (factor, radius) = (detail.factor(), if detail == Detail::Lowest { 0.525 } else { 0.5 });
        let hole = polygon((6.0 * factor).floor(), radius * 0.6);
        let mixed = volume(VolumeParams { hollow: 0.6, hole: Hole::Circle, ..BOX }, detail);
        assert!((mixed - (1.0 - hole)).abs() < 1e-12, "{detail:?} {mixed}");
        let triangle = volume(VolumeParams { hollow: 0.8, ..PRISM }, detail);
        assert!((triangle / volume(PRISM, detail) - (1.0 - 0.16)).abs() < 1e-12);
    }
}

/// The middle of a hollow cap is covered once: the areas of its triangles add up to its outline, without folds.
#[test]
fn hollow_caps_do_not_fold() {
    for profile in [Profile::Circle, Profile::Square, Profile::Equilateral, Profile::HalfCircle] {
        for hole in [Hole::Same, Hole::Circle, Hole::Square, Hole::Triangle] {
            for (profile_begin, profile_end) in
                [(0.0, 1.0), (0.0, 0.5), (0.125, 0.9), (0.26, 0.51), (0.5, 1.0)]
            {
                for detail in Detail::ALL {
                    let form = VolumeParams { profile, hole, profile_begin, profile_end, hollow: 0.5, ..BOX };
                    let (folded, slivers) = fold(&form, detail);
                    assert!(folded < 1e-12 && slivers == 0, "{form:?} {detail:?} {folded} {slivers}");
                }
            }
        }
    }
}

/// Returns the area by which the triangles of the upper cap exceed its outline, and the number of triangles without
/// area.
fn fold(form: &VolumeParams, detail: Detail) -> (f64, usize) {
    let outline = Outline::new(&form.clamped(), detail.factor(), 2);
    let mut builder = Builder::default();
    for point in &outline.points {
        builder.point(point.extend(0.0));
    }
    Cap { outline: &outline, first: 0, end: End::End, drawn: true }.close(&mut builder);
    let cap = builder.finish();
    let next = outline.points.iter().cycle().skip(1);
    let net: f64 = outline.points.iter().zip(next).map(|(a, b)| a.perp_dot(*b) / 2.0).sum();
    (cap.area() - net, outline.points.len() - 2 - cap.triangles.len())
}

#[test]
fn halves_add_up() {
    for (name, form) in TYPES {
        for detail in [Detail::Lowest, Detail::High] {
            let form = VolumeParams { hollow: 0.3, ..form };
            let whole = volume(form, detail);
            let path = volume(VolumeParams { path_end: 0.5, ..form }, detail)
                + volume(VolumeParams { path_begin: 0.5, ..form }, detail);
            assert!((path - whole).abs() < 1e-12, "{name} {detail:?}: {path} of {whole}");
            let profile = volume(VolumeParams { profile_end: 0.375, ..form }, detail)
                + volume(VolumeParams { profile_begin: 0.375, ..form }, detail);
            assert!((profile - whole).abs() < 1e-12, "{name} {detail:?}: {profile} of {whole}");
        }
    }
}

#[test]
fn lines_are_scaled_and_sheared_towards_their_end() {
    let half = |form: VolumeParams| volume(form, Detail::High);
    assert!((half(VolumeParams { scale: DVec2::ZERO, ..BOX }) - 1.0 / 3.0).abs() < 1e-12, "a pyramid");
    assert!((half(VolumeParams { scale: DVec2::new(0.0, 1.0), ..BOX }) - 0.5).abs() < 1e-12, "a wedge");
    assert!(
        (half(VolumeParams { scale: DVec2::splat(2.0), ..BOX }) - 1.0 / 3.0).abs() < 1e-12,
        "on its head"
    );
    assert!((half(VolumeParams { shear: DVec2::splat(0.5), ..BOX }) - 1.0).abs() < 1e-12, "Cavalieri");
    let (low, high) = extent(&surface(&VolumeParams { shear: DVec2::new(0.5, -0.25), ..BOX }, Detail::Low));
    assert!(low.abs_diff_eq(DVec3::new(-0.5, -0.75, -0.5), 1e-12));
    assert!(high.abs_diff_eq(DVec3::new(1.0, 0.5, 0.5), 1e-12));
}

/// Compares the corners of the first step with an independent reading of the rules.
#[test]
fn corners_of_profiles() {
    let outline = |form: VolumeParams, factor: f64| Outline::new(&form.clamped(), factor, 0);
    for (factor, count) in [(1.0, 7), (1.5, 10), (2.5, 16), (4.0, 25)] {
        assert_eq!(outline(CYLINDER, factor).points.len(), count, "the last is the first again");
        let square = VolumeParams { hole: Hole::Square, hollow: 0.5, ..CYLINDER };
        let outer = outline(square, factor).outer - 1;
        assert!(outer % 4 == 0 && outer >= count - 1);
    }
    for (factor, sides) in [(1.0, 3), (1.5, 4), (2.5, 7), (4.0, 12)] {
        assert_eq!(outline(SPHERE, factor).points.len(), sides + 2, "with the centre");
    }
    let square = outline(BOX, 1.0).points;
    let expected = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)];
    for (point, (x, y)) in square.iter().zip(expected) {
        assert!(point.abs_diff_eq(DVec2::new(x, y), 1e-12), "{point}");
    }
    assert!(outline(PRISM, 1.0).points[0].abs_diff_eq(DVec2::new(0.5, 0.0), 1e-12));
    let cut = outline(VolumeParams { profile_begin: 0.125, profile_end: 0.625, ..BOX }, 1.0);
    let expected = [(0.0, -0.5), (0.5, -0.5), (0.5, 0.5), (0.0, 0.5), (0.0, 0.0)];
    assert_eq!(cut.points.len(), expected.len());
    for (point, (x, y)) in cut.points.iter().zip(expected) {
        assert!(point.abs_diff_eq(DVec2::new(x, y), 1e-12), "{point}");
    }
}

#[test]
fn steps_of_paths() {
    let steps =
        |form: VolumeParams, factor: f64, split| Path::new(&form.clamped(), factor, split).frames.len();
    assert_eq!((steps(BOX, 1.0, 0), steps(BOX, 4.0, 2)), (2, 4));
    let twisted = VolumeParams { twist_begin: -0.5, twist_end: 0.5, ..BOX };
    assert_eq!([1.0, 1.5, 2.5, 4.0].map(|factor| steps(twisted, factor, 0)), [3, 5, 9, 14]);
    assert_eq!([1.0, 1.5, 2.5, 4.0].map(|factor| steps(TORUS, factor, 0)), [7, 10, 16, 25]);
    assert_eq!(steps(VolumeParams { revolutions: 2.5, ..TORUS }, 4.0, 0), 61);
    assert_eq!(steps(VolumeParams { path_begin: 0.1, path_end: 0.9, ..TORUS }, 4.0, 0), 2 + 19);
    assert_eq!(steps(VolumeParams { path_begin: 0.25, path_end: 0.75, ..TORUS }, 4.0, 0), 13);
    assert_eq!(steps(VolumeParams { path: PathKind::Bent, ..BOX }, 4.0, 2), 5);
    assert_eq!(steps(VolumeParams { path: PathKind::ZigZag, ..BOX }, 1.5, 0), 10);
}

#[test]
fn numbers_out_of_range_are_brought_back() {
    let of = |change: fn(&mut VolumeParams), mut form: VolumeParams| {
        change(&mut form);
        form.clamped()
    };
    assert_eq!(of(|form| form.hollow = 2.0, BOX).hollow, 0.95);
    let square = VolumeParams { hole: Hole::Square, hollow: 0.9, ..BOX };
    assert_eq!(square.clamped().hollow, 0.9);
    for profile in [Profile::Circle, Profile::HalfCircle, Profile::Equilateral] {
        assert_eq!(VolumeParams { profile, ..square }.clamped().hollow, 0.7);
    }
    let cut = of(|form| (form.profile_begin, form.profile_end) = (0.9, 0.3), BOX);
    assert_eq!((cut.profile_begin, cut.profile_end), (0.3 - 0.02, 0.3));
    assert_eq!(of(|form| form.scale = DVec2::splat(9.0), TORUS).scale, DVec2::new(1.0, 0.5));
    assert_eq!(of(|form| form.scale = DVec2::splat(9.0), SPHERE).scale, DVec2::splat(2.0));
    assert_eq!(of(|form| form.scale = DVec2::ZERO, TUBE).scale, DVec2::splat(0.05));
    assert_eq!(of(|form| form.revolutions = 9.0, TORUS).revolutions, 4.0);
    assert_eq!(of(|form| form.revolutions = 4.0, TORUS).skew, 0.8, "turns must not overlap");
    assert_eq!(of(|form| form.skew = -0.3, TORUS).skew, -0.3);
    assert_eq!(of(|form| form.radius_offset = 0.5, SPHERE).radius_offset, 0.0);
    let offset = of(|form| form.radius_offset = 0.9, TORUS).radius_offset;
    assert!((offset - (1.0 - 0.25 / 0.75)).abs() < 1e-12);
    let tapered = VolumeParams { radius_offset: 0.9, taper: DVec2::new(0.0, 1.0), ..TORUS }.clamped();
    assert_eq!(tapered.radius_offset, 0.9, "the section shrinks with the radius");
    assert_eq!(of(|form| form.hollow = f64::NAN, BOX), BOX);
}

#[test]
fn the_bound_is_reached_but_not_passed() {
    let form = VolumeParams {
        profile_begin: 0.01,
        profile_end: 0.98,
        hollow: 0.5,
        path_begin: 0.001,
        path_end: 0.999,
        twist_begin: -1.0,
        twist_end: 1.0,
        revolutions: 4.0,
        ..TORUS
    };
    let points = surface(&form, Detail::High).points.len();
    assert!((MOST_POINTS * 9 / 10..=MOST_POINTS).contains(&points), "{points}");
}

#[test]
fn gaps_of_the_viewer_are_filled_and_reported_apart() {
    let sliver = surface(&VolumeParams { profile_end: 0.995, ..CYLINDER }, Detail::High);
    assert_eq!((closed(&sliver.triangles), sliver.filled), (Some(1), 2 * 3 + 2));
    let bar = surface(&VolumeParams { profile: Profile::HalfCircle, ..BOX }, Detail::High);
    assert_eq!((closed(&bar.triangles), bar.filled), (Some(1), 2 * 3 * 2));
    assert_eq!(bar.drawn().len() + bar.filled, bar.triangles.len());
}

/// Numbers as in files, except those at which a shape folds or touches itself.
fn plain_form() -> impl Strategy<Value = VolumeParams> {
    let kinds = (0..TYPES.len(), 0..4usize, 0..4usize);
    let cuts = (0..20u32, 30..51u32, 0..20u32, 30..51u32, prop::bool::ANY);
    let hollow = prop_oneof![Just(0.0), 0.1..0.7f64];
    let ends = (0.05..1.9f64, 0.05..0.45f64, -0.4..0.4f64, -0.4..0.4f64);
    let turns = (-0.4..0.4f64, -0.4..0.4f64, prop::bool::ANY, 1.0..4.0f64, prop::bool::ANY);
    let ring = (-0.9..0.9f64, -0.9..0.9f64, -0.5..0.5f64, -0.4..0.4f64, prop::bool::ANY);
    (kinds, cuts, hollow, ends, turns, ring).prop_map(|(kinds, cuts, hollow, ends, turns, ring)| {
        let (_, form) = TYPES[kinds.0];
        let part = |fiftieths: u32| f64::from(fiftieths) / 50.0;
        let (twisted, turned, bent) = (turns.2, turns.4, ring.4);
        let pick = |wanted: bool, number: f64, otherwise: f64| if wanted { number } else { otherwise };
        VolumeParams {
            hole: [Hole::Same, Hole::Circle, Hole::Square, Hole::Triangle][kinds.1],
            profile_begin: part(pick(cuts.4, cuts.0.into(), 0.0) as u32),
            profile_end: part(pick(cuts.4, cuts.1.min(50).into(), 50.0) as u32),
            path_begin: part(pick(twisted, cuts.2.into(), 0.0) as u32),
            path_end: part(pick(twisted, cuts.3.min(50).into(), 50.0) as u32),
            hollow,
            scale: if form.path == PathKind::Line {
                DVec2::new(ends.0, ends.0)
            } else {
                DVec2::new(ends.0.min(1.0), ends.1)
            },
            shear: DVec2::new(ends.2, ends.3),
            twist_begin: pick(twisted, turns.0, 0.0),
            twist_end: pick(twisted, turns.1, 0.0),
            revolutions: pick(turned, turns.3, 1.0),
            taper: DVec2::new(pick(bent, ring.0, 0.0), pick(bent, ring.1, 0.0)),
            radius_offset: pick(bent, ring.2, 0.0),
            skew: pick(bent, ring.3, 0.0),
            ..form
        }
    })
}

/// Any numbers, often at the limits.
fn any_form() -> impl Strategy<Value = VolumeParams> {
    let number = || {
        prop_oneof![
            4 => prop::sample::select(vec![-1.0, -0.5, 0.0, 0.02, 0.25, 0.5, 0.7, 0.95, 0.98, 1.0, 2.0, 4.0]),
            3 => -1.5..4.5f64,
            1 => any::<f64>(),
        ]
    };
    let kinds = (0..6usize, 0..4usize, 0..4usize);
    (kinds, prop::collection::vec(number(), 16), prop::array::uniform16(prop::bool::ANY)).prop_map(
        |(kinds, numbers, used)| {
            let plain = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
            let number = |index: usize| if used[index] { numbers[index] } else { plain[index] };
            VolumeParams {
                profile: [
                    Profile::Circle,
                    Profile::Square,
                    Profile::Isosceles,
                    Profile::Equilateral,
                    Profile::Right,
                    Profile::HalfCircle,
                ][kinds.0],
                hole: [Hole::Same, Hole::Circle, Hole::Square, Hole::Triangle][kinds.1],
                path: [PathKind::Line, PathKind::Circle, PathKind::ZigZag, PathKind::Bent][kinds.2],
                profile_begin: number(0),
                profile_end: number(1),
                hollow: number(2),
                path_begin: number(3),
                path_end: number(4),
                scale: DVec2::new(number(5), number(6)),
                shear: DVec2::new(number(7), number(8)),
                twist_begin: number(9),
                twist_end: number(10),
                taper: DVec2::new(number(11), number(12)),
                radius_offset: number(13),
                revolutions: number(14),
                skew: number(15),
            }
        },
    )
}

fn any_detail() -> impl Strategy<Value = Detail> {
    prop::sample::select(Detail::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn forms_are_closed_manifolds(form in plain_form(), detail in any_detail()) {
        let welded = build(&form, detail).weld();
        prop_assert_eq!(closed(&welded.triangles), Some(1));
        let surface = surface(&form, detail);
        // A twisted slice may turn one half inside out, and a thin skewed ring of few corners may intersect itself.
        let folds = form.twist_begin != form.twist_end || form.skew != 0.0;
        prop_assert!(surface.volume() > 0.0 || folds);
        prop_assert!((surface.volume() - welded.volume()).abs() < 1e-9);
    }

    #[test]
    fn any_form_is_finite_bounded_and_balanced(form in any_form(), detail in any_detail()) {
        let welded = build(&form, detail).weld();
        prop_assert!(closed(&welded.triangles).is_some());
        let surface = surface(&form, detail);
        prop_assert!(surface.points.len() <= MOST_POINTS);
        prop_assert!(surface.points.iter().all(|point| point.is_finite() && point.abs().max_element() < 4.0));
        prop_assert!(surface.filled <= surface.triangles.len());
    }
}
