//! Streaming (download) cost: the cost to show a part, from the sizes of its levels of detail.

use super::{Basis, Cost, NotEvaluated};
use crate::physics_shape::is_plant;
use glam::DVec3;
use hullmark_format::{
    mesh::LODS,
    object::{Part, Shape},
};
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::{Profile, Streaming, StreamingModel};
use std::f64::consts::PI;

/// Ratios of radius to distance at which the level of detail changes: lowest, low, medium.
const SWITCH: [f64; 3] = [0.03, 0.06, 0.24];
/// Maximum distance of visible objects, in metres.
const FARTHEST_M: f64 = 512.0;
/// Area of the circle around a region in m²: π · (128 √2)², as the viewer rounds it.
const REGION_AREA: f64 = 102_944.0;
/// Minimum allowance of an animated mesh's lower level, in triangles.
const ANIMATED_FLOOR: f64 = 64.0;
/// Bytes that the viewer assumes for a prim's triangle.
const PRIM_TRIANGLE_BYTES: f64 = 10.0;
/// Detail factors of the four levels, lowest first.
const DETAILS: [f64; 4] = [1.0, 1.5, 2.5, 4.0];
/// Number of a circle's sides at detail 1.
const CIRCLE_SIDES: f64 = 6.0;
/// Factors on the squared diagonal for the areas of OpenSimulator's upload estimate. The source has these values for 1
/// / 0.03², 1 / 0.06² and 1 / 0.24².
const OPENSIM_AREAS: [f64; 3] = [1111.11, 277.78, 17.36];
/// Maximum of such an area, in m².
const OPENSIM_AREA: f64 = 262_144.0;
/// OpenSimulator's cost of a byte.
const OPENSIM_BYTE: f64 = 0.004;
/// OpenSimulator's cost of any part in the world (`SceneObjectPart.StreamingCost`).
const OPENSIM_PART: f64 = 1.0;

/// Returns the compressed bytes of a mesh's four levels, lowest first; 0 if the header does not list the level.
pub fn level_bytes(mesh: &MeshFacts) -> [f64; 4] {
    LODS.map(|name| {
        let block = mesh.blocks.iter().find(|block| block.name == name);
        block.map_or(0.0, |block| block.size.max(0) as f64)
    })
}

/// Replaces the size of a missing level by that of the next better one. `None` without a highest level, from which all
/// others follow.
///
/// The viewer shows 0 if the lowest level is missing; the server uses the replacement.
fn filled([lowest, low, medium, high]: [f64; 4]) -> Option<[f64; 4]> {
    let or = |size: f64, better: f64| if size > 0.0 { size } else { better };
    let medium = or(medium, high);
    let low = or(low, medium);
    (high > 0.0).then_some([or(lowest, low), low, medium, high])
}

/// Returns the bytes of a level from which its cost is computed.
fn charged_bytes(size: f64, settings: &Streaming) -> f64 {
    (size - settings.metadata_bytes).max(settings.minimum_bytes)
}

/// Returns the number of triangles that follows from the size of each level; `None` without a highest level.
///
/// Viewer, `llmeshrepository.cpp` `LLMeshCostData::init`: `max(size − 384, 16) / 16`.
pub fn estimated_triangles(bytes: [f64; 4], settings: &Streaming) -> Option<[f64; 4]> {
    Some(filled(bytes)?.map(|size| charged_bytes(size, settings) / settings.bytes_per_triangle))
}

/// Returns the average number of triangles, with each of the four levels weighted by the part of a region where it is
/// visible.
///
/// Viewer, `llmeshrepository.cpp` `getRadiusWeightedTris`: the radius is r = |scale| / 2. A level is visible up to r /
/// 0.03, r / 0.06 or r / 0.24, at most 512 m. The weight of a level is the area of its disc less that of the next inner
/// one, clamped to 1 … 102,944 m².
pub fn weighted_triangles(triangles: [f64; 4], scale: DVec3) -> f64 {
    weighted(triangles, discs(scale), REGION_AREA)
}

/// Returns the areas of the discs in which the levels above lowest, low and medium are visible, m².
fn discs(scale: DVec3) -> [f64; 3] {
    switch_distances(scale).map(|distance| (PI * distance.powi(2)).min(REGION_AREA))
}

/// Returns the distances at which the level of detail changes, in metres: to lowest, low and medium.
fn switch_distances(scale: DVec3) -> [f64; 3] {
    let radius = scale.length() / 2.0;
    SWITCH.map(|switch| (radius / switch).min(FARTHEST_M))
}

/// The part of one level in the cost of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelShare {
    /// Distance from which the level is visible, in metres; 0 for the highest.
    pub from_m: f64,
    /// Share of the cost, from 0 to 1.
    pub share: f64,
}

/// Returns the part of each level in the cost of a mesh with these triangles, lowest first.
pub fn level_shares(triangles: [f64; 4], scale: DVec3) -> [LevelShare; 4] {
    let [lowest, low, medium] = switch_distances(scale);
    let costs = weigh(triangles, discs(scale), REGION_AREA);
    let total: f64 = costs.iter().sum();
    let distances = [lowest, low, medium, 0.0];
    std::array::from_fn(|level| LevelShare { from_m: distances[level], share: costs[level] / total })
}

/// Returns the mean of values over the rings between these discs (of lowest, low and medium) and the whole.
fn weighted(values: [f64; 4], discs: [f64; 3], whole: f64) -> f64 {
    weigh(values, discs, whole).iter().sum()
}

fn weigh(values: [f64; 4], [low, medium, high]: [f64; 3], whole: f64) -> [f64; 4] {
    let rings = [whole - low, low - medium, medium - high, high].map(|area| area.max(1.0).min(whole));
    let total: f64 = rings.iter().sum();
    std::array::from_fn(|level| values[level] * rings[level] / total)
}

/// Returns the cost of a static part from the sizes of its levels: `weighted triangles · 15000 / 250000`. `None`
/// without a highest level.
///
/// Viewer, `llmeshrepository.cpp` `getRadiusBasedStreamingCost`, here in f64 instead of f32.
pub fn by_radius(bytes: [f64; 4], scale: DVec3, settings: &Streaming) -> Option<f64> {
    let triangles = estimated_triangles(bytes, settings)?;
    Some(weighted_triangles(triangles, scale) / settings.triangle_budget * settings.cost_per_region)
}

/// Returns the number of triangles from which the cost of an animated mesh is computed; `None` without a highest level.
///
/// Viewer, `llmeshrepository.cpp` `getEstTrisForStreamingCost`: the highest level counts in full. Each lower level
/// counts as far as it exceeds half of the allowance of the level above. An allowance is at least 64.
pub fn animated_triangles(bytes: [f64; 4], settings: &Streaming) -> Option<f64> {
    let [lowest, low, medium, high] = estimated_triangles(bytes, settings)?;
    let (mut charged, mut allowed) = (high, high);
    for level in [medium, low, lowest] {
        // The minimum is tested first: with few triangles the allowance is 64, and nothing counts.
        let half = allowed / 2.0;
        allowed = if half < ANIMATED_FLOOR { ANIMATED_FLOOR } else { half.min(level) };
        charged += (level - allowed).max(0.0);
    }
    Some(charged)
}

/// Returns the cost of a rigged mesh in an animated object, regardless of its size; `None` without a highest level.
///
/// Viewer, `llmeshrepository.cpp` `getTriangleBasedStreamingCost`: 1.5 for 1,000 triangles. The 15.0 of the object
/// itself belongs to its root.
pub fn animated(bytes: [f64; 4], settings: &Streaming) -> Option<f64> {
    Some(animated_triangles(bytes, settings)? * settings.animated_per_1000_triangles / 1000.0)
}

/// Returns OpenSimulator's estimate for the upload of a mesh (`MeshCost.cs` `streamingCost`); `None` without a highest
/// level. In the world every part costs 1 there.
pub fn upload_estimate(bytes: [f64; 4], scale: DVec3, settings: &Streaming) -> Option<f64> {
    let discs = OPENSIM_AREAS.map(|area| (scale.length_squared() * area).min(OPENSIM_AREA));
    let sizes = filled(bytes)?.map(|size| charged_bytes(size, settings));
    Some(weighted(sizes, discs, OPENSIM_AREA) * OPENSIM_BYTE)
}

/// The streaming cost of one part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartCost {
    pub cost: Cost,
    /// Maximum of all sources: static meshes without the discount, prims and sculpts without their caps.
    pub high: Cost,
}

impl PartCost {
    fn certain(cost: Cost) -> Self {
        Self { cost, high: cost }
    }
}

/// Returns the cost of one part. If `animated` is set, the part is in an animated object, and a rigged mesh is charged
/// by its triangles. The cost of the animated object's root is not included.
pub fn of_part(part: &Part, mesh: Option<&MeshFacts>, animated: bool, profile: &Profile) -> PartCost {
    let settings = &profile.streaming;
    if let Some(why) = NotEvaluated::of_unknown(part) {
        PartCost::certain(Cost::not_evaluated(why))
    } else if settings.model == StreamingModel::Opensim {
        PartCost::certain(Cost::spec(OPENSIM_PART))
    } else if is_plant(part) {
        PartCost::certain(Cost::not_applicable(NotEvaluated::Plant))
    } else if !part.scale.is_finite() {
        PartCost::certain(Cost::not_evaluated(NotEvaluated::NotFinite))
    } else if part.mesh().is_none() {
        prim(part, settings)
    } else {
        mesh.map_or(PartCost::certain(Cost::not_evaluated(NotEvaluated::MeshMissing)), |mesh| {
            let bytes = level_bytes(mesh);
            if animated && is_rigged(mesh) {
                PartCost::certain(self::animated(bytes, settings).map_or(NO_LEVELS, Cost::spec))
            } else {
                of_static(mesh, part.scale, settings)
            }
        })
    }
}

const NO_LEVELS: Cost = Cost { number: 0.0, basis: Basis::NotEvaluated(NotEvaluated::HighLodMissing) };

/// Returns the cost of a mesh that is not animated, at this scale in metres, with the factor of the profile.
///
/// It is an approximation: the formula is that of the viewer, and the server subtracts 15 % since 2024. The source is
/// Second Life's announcement "Increased Land Impact Allowance Is Here". Its questions exclude animesh, prims and
/// sculpts. Only reprints were found, so the high figure has the factor 1.
pub fn static_mesh(bytes: [f64; 4], scale: DVec3, settings: &Streaming) -> PartCost {
    let Some(full) = by_radius(bytes, scale, settings) else { return PartCost::certain(NO_LEVELS) };
    let cost = full * settings.static_factor;
    PartCost { cost: Cost::approximation(cost), high: Cost::approximation(full.max(cost)) }
}

/// Returns the cost of a mesh that is not animated. Before its upload, levels that the uploader generates are a range.
pub fn of_static(mesh: &MeshFacts, scale: DVec3, settings: &Streaming) -> PartCost {
    let bytes = level_bytes(mesh);
    let cost = static_mesh(bytes, scale, settings);
    let Some([_, most]) = bytes_of_upload(mesh) else { return cost };
    PartCost { cost: cost.cost.assumed(), high: static_mesh(most, scale, settings).high.assumed() }
}

/// How far the bytes of a level may differ from those of an upload, whose rounding is not known to the last bit.
///
/// It was chosen from 1,026 real meshes that were written as models without their domains and read again: the bytes of
/// each lie within it. Other meshes may differ by more.
fn slack(bytes: f64) -> f64 {
    (0.07 * bytes).min(30.0).max(0.02 * bytes)
}

/// Returns the smallest and the largest bytes that an upload may give the levels of a model. `None` for an asset.
pub fn bytes_of_upload(mesh: &MeshFacts) -> Option<[[f64; 4]; 2]> {
    let generated = mesh.model.as_ref()?.generated;
    let bytes = level_bytes(mesh);
    Some([(0, -1.0), (1, 1.0)].map(|(end, sign)| {
        std::array::from_fn(|at| {
            let bytes = generated[at].map_or(bytes[at], |range| range[end] as f64);
            bytes + sign * slack(bytes)
        })
    }))
}

/// Whether a mesh has joints.
pub fn is_rigged(mesh: &MeshFacts) -> bool {
    mesh.joints.is_some_and(|joints| joints > 0)
}

/// Returns the cost of a prim or sculpt. The formula of meshes is used, with 10 bytes for each triangle that the viewer
/// assumes for its levels (viewer, `llvovolume.cpp` `getCostData`).
///
/// The maximum is 1.0 for a prim and 2.0 for a sculpt (server release 12.07.31). It is an estimate, because the viewer
/// estimates the number of triangles. Sources differ on whether the maximum applies under new accounting.
fn prim(part: &Part, settings: &Streaming) -> PartCost {
    let bytes = prim_triangles(&part.shape).map(|count| count * PRIM_TRIANGLE_BYTES);
    let (factor, cap) = match part.shape.sculpted() {
        Some(_) => (settings.sculpt_factor, settings.sculpt_cap),
        None => (settings.prim_factor, settings.prim_cap),
    };
    let Some(full) = by_radius(bytes, part.scale, settings) else { return PartCost::certain(NO_LEVELS) };
    let cost = Cost::estimated((full * factor).min(cap));
    PartCost { cost, high: Cost::estimated(full * factor) }
}

/// Returns the number of triangles that the viewer assumes for each level of a prim, lowest first.
///
/// Viewer, `llvolume.cpp` `LLVolume::getLoDTriangleCounts`: with P points along the profile and L along the path,
/// `(P − 1) · 2 · (L − 1) + 2 · P`.
pub fn prim_triangles(shape: &Shape) -> [f64; 4] {
    DETAILS.map(|detail| {
        let (profile, path) = (profile_points(shape, detail), path_points(shape, detail));
        (profile - 1.0).max(0.0) * 2.0 * (path - 1.0).max(0.0) + 2.0 * profile
    })
}

/// Returns the number of points along the profile (viewer, `llvolume.cpp` `LLProfile::getNumPoints`). A hole doubles
/// it.
fn profile_points(shape: &Shape, detail: f64) -> f64 {
    let solid = shape.profile_hollow == 0;
    let square_hole = !solid && shape.profile_curve & 0xf0 == 32;
    let points = |sides: f64, part_of_circle: f64| {
        let walk = polygon_points(shape.profile_begin, shape.profile_end, sides);
        // A sliced profile without a hole is closed through its centre.
        let sliced = length(shape.profile_begin, shape.profile_end) * part_of_circle < 0.99;
        if solid { walk + f64::from(u8::from(sliced)) } else { 2.0 * walk }
    };
    match shape.profile_curve & 0x0f {
        0 => {
            let sides = CIRCLE_SIDES * detail;
            points(if square_hole { (sides / 4.0).ceil() * 4.0 } else { sides.floor() }, 1.0)
        }
        2..=4 => points(3.0, 1.0),
        5 => {
            let sides = CIRCLE_SIDES * detail / 2.0;
            let sides = if square_hole { (sides / 2.0).ceil() * 2.0 } else { sides.floor() };
            // A whole solid half circle ends at its start.
            let closed = solid && length(shape.profile_begin, shape.profile_end) >= 1.0;
            points(sides, 0.5) + f64::from(u8::from(closed))
        }
        _ => points(4.0, 1.0),
    }
}

/// Returns the number of points along the path (viewer, `llvolume.cpp` `LLPath::getNumPoints`). A twist adds points to
/// a line, flexible or not, and to a circle. More revolutions add points to a circle.
fn path_points(shape: &Shape, detail: f64) -> f64 {
    let twist = f64::from((i16::from(shape.path_twist) - i16::from(shape.path_twist_begin)).abs()) * 0.01;
    let twisted = twist * 3.5 * (detail - 0.5);
    match shape.path_curve & 0xf0 {
        32 => {
            let revolutions = 1.0 + f64::from(shape.path_revolutions) * 0.015;
            ((CIRCLE_SIDES * detail + twisted).floor() * revolutions).floor()
        }
        48 => polygon_points(shape.path_begin, shape.path_end, (CIRCLE_SIDES * detail).floor()),
        64 => 5.0,
        _ => twisted.floor() + 2.0,
    }
}

/// Value of a whole path or profile in steps of begin and end.
const WHOLE: f64 = 50_000.0;

/// Returns the length of a path or profile as a share of the whole; negative if its ends cross.
fn length(begin: u16, end: u16) -> f64 {
    (WHOLE - f64::from(begin) - f64::from(end)) / WHOLE
}

/// Returns the number of points on a walk around a polygon from begin to end. It includes the corners between, and the
/// end. The start is included unless it is almost at the next corner.
///
/// The viewer adds steps in f32 and can be one corner off; here the corners are counted in whole numbers.
fn polygon_points(begin: u16, end: u16, sides: f64) -> f64 {
    let start = f64::from(begin) * sides / WHOLE;
    let stop = (WHOLE - f64::from(end)) * sides / WHOLE;
    let first = start.floor() + 1.0;
    let past = stop.ceil().max(first);
    let starts = f64::from(u8::from(start - start.floor() < 0.9999));
    let ends = f64::from(u8::from(stop - past + 1.0 > 0.0001));
    starts + (past - first) + ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::tests::{curved, mesh, mesh_part, prim as cube};
    use hullmark_format::{mesh::Block, object::Sculpt};
    use uuid::Uuid;

    const TINY: [f64; 4] = [203.0, 203.0, 203.0, 327.0];
    const MIDDLING: [f64; 4] = [500.0, 1000.0, 4000.0, 16_000.0];
    const HEAVY: [f64; 4] = [1000.0, 2000.0, 6000.0, 20_000.0];
    const HIGH_ONLY: [f64; 4] = [0.0, 0.0, 0.0, 20_000.0];

    fn settings() -> Streaming {
        Profile::default().streaming
    }

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance, "{a} is not {b}");
    }

    #[test]
    fn static_meshes() {
        let settings = settings();
        for (bytes, side, triangles, cost, opensim) in [
            (TINY, 0.5, 1.0, 0.06, 0.064),
            (TINY, 64.0, 1.0, 0.06, 0.064),
            (MIDDLING, 0.5, 7.8212, 0.469_273, 0.482_279),
            (MIDDLING, 1.0, 9.5348, 0.572_090, 0.537_115),
            (MIDDLING, 10.0, 187.5094, 11.250_566, 7.232_315),
            (MIDDLING, 64.0, 975.9742, 58.558_452, 53.523_603),
            (HEAVY, 0.5, 39.3816, 2.362_899, 2.492_213),
            (HEAVY, 1.0, 42.0266, 2.521_596, 2.576_851),
            (HEAVY, 10.0, 294.7121, 17.682_723, 12.662_814),
            (HEAVY, 64.0, 1225.9690, 73.558_142, 68.033_515),
            (HIGH_ONLY, 1.0, 1226.0, 73.56, 78.464),
        ] {
            let scale = DVec3::splat(side);
            let estimated = estimated_triangles(bytes, &settings).unwrap();
            close(weighted_triangles(estimated, scale), triangles, 1e-4);
            close(by_radius(bytes, scale, &settings).unwrap(), cost, 1e-6);
            close(upload_estimate(bytes, scale, &settings).unwrap(), opensim, 1e-6);
        }
        assert_eq!(by_radius([203.0, 203.0, 203.0, 0.0], DVec3::ONE, &settings), None);
    }

    #[test]
    fn animated_meshes() {
        let settings = settings();
        for (bytes, triangles, cost) in [
            (TINY, 1.0, 0.0015),
            (MIDDLING, 976.0, 1.464),
            (HEAVY, 1226.0, 1.839),
            (HIGH_ONLY, 3831.25, 5.746_875),
        ] {
            close(animated_triangles(bytes, &settings).unwrap(), triangles, 1e-9);
            close(animated(bytes, &settings).unwrap(), cost, 1e-9);
        }
    }

    #[test]
    fn triangles_of_prims() {
        for (profile, path, expected) in [
            (1, 16, [18.0; 4]),
            (3, 16, [14.0; 4]),
            (0, 16, [26.0, 38.0, 62.0, 98.0]),
            (5, 32, [62.0, 110.0, 272.0, 674.0]),
            (0, 32, [74.0, 164.0, 452.0, 1154.0]),
        ] {
            assert_eq!(prim_triangles(&curved(profile, path).shape), expected, "{profile}/{path}");
        }
    }

    #[test]
    fn costs_of_prims() {
        let mut settings = settings();
        settings.prim_cap = f64::INFINITY;
        for (profile, path, small, large) in [
            (1, 16, 0.06, 0.06),
            (0, 16, 0.061_445, 0.638_158),
            (5, 32, 0.907_598, 7.146_334),
            (0, 32, 1.376_239, 12.622_385),
        ] {
            let mut part = curved(profile, path);
            for (side, expected) in [(0.5, small), (10.0, large)] {
                part.scale = DVec3::splat(side);
                close(prim(&part, &settings).cost.value().unwrap(), expected, 1e-6);
                let capped = of_part(&part, None, false, &Profile::default()).cost;
                close(capped.value().unwrap(), expected.min(1.0), 1e-6);
                assert_eq!(capped.basis(), Basis::Estimated);
            }
        }
        let mut sculpt = curved(0, 32);
        sculpt.shape.sculpt = Some(Sculpt { asset: Uuid::nil(), kind: 1 });
        sculpt.scale = DVec3::splat(10.0);
        assert_eq!(of_part(&sculpt, None, false, &Profile::default()).cost.value(), Some(2.0));
    }

    #[test]
    fn walks_around_polygons() {
        assert_eq!(polygon_points(0, 0, 4.0), 5.0);
        assert_eq!(polygon_points(12_500, 0, 4.0), 4.0, "starts at a corner");
        assert_eq!(polygon_points(10_000, 0, 4.0), 5.0, "starts before it");
        assert_eq!(polygon_points(12_499, 0, 4.0), 4.0, "all but at it");
        assert_eq!(polygon_points(0, 25_000, 4.0), 3.0);
        // For any numbers the count is finite and not negative.
        for (begin, end) in [(65_535, 65_535), (50_000, 0), (0, 50_000), (65_535, 0)] {
            assert!(polygon_points(begin, end, 24.0) >= 0.0);
        }
    }

    #[test]
    fn twist_hollow_and_slices_add_points() {
        let points = |change: fn(&mut Shape)| {
            let mut shape = curved(1, 16).shape;
            change(&mut shape);
            (profile_points(&shape, 4.0), path_points(&shape, 4.0))
        };
        assert_eq!(points(|_| ()), (5.0, 2.0));
        assert_eq!(points(|s| (s.path_twist, s.path_twist_begin) = (100, -100)), (5.0, 26.0));
        assert_eq!(points(|s| s.profile_hollow = 1), (10.0, 2.0));
        assert_eq!(points(|s| s.profile_end = 25_000), (4.0, 2.0));
        assert_eq!(points(|s| (s.path_curve, s.path_revolutions) = (32, 200)), (5.0, 96.0));
        assert_eq!(points(|s| s.path_curve = 48), (5.0, 25.0));
        assert_eq!(points(|s| s.path_curve = 128), (5.0, 2.0));
    }

    #[test]
    fn parts_choose_their_formula() {
        let profile = Profile::default();
        let block = |(name, size): (&str, f64)| Block {
            name: name.into(),
            offset: 0,
            size: size as i64,
            inflated: None,
        };
        let mut rigged = mesh(None, &[], None);
        rigged.blocks = LODS.into_iter().zip(MIDDLING).map(block).collect();
        rigged.joints = Some(2);
        let costs = |animated| of_part(&mesh_part(), Some(&rigged), animated, &profile).cost.value().unwrap();
        close(costs(false), 0.572_090 * 0.85, 1e-6);
        close(costs(true), 1.464, 1e-9);

        let reason = |part: &Part, mesh: Option<&MeshFacts>| {
            of_part(part, mesh, false, &profile).cost.basis().reason()
        };
        assert_eq!(reason(&mesh_part(), None), Some(NotEvaluated::MeshMissing));
        let bare = mesh(None, &[], None);
        assert_eq!(reason(&mesh_part(), Some(&bare)), Some(NotEvaluated::HighLodMissing));
        let mut tree = cube();
        tree.shape.pcode = 255;
        assert_eq!(reason(&tree, None), Some(NotEvaluated::Plant));
        let mut lost = cube();
        lost.scale.x = f64::NAN;
        assert_eq!(reason(&lost, None), Some(NotEvaluated::NotFinite));
        let opensim = Profile::load("opensim-ubode").unwrap();
        assert_eq!(of_part(&mesh_part(), None, false, &opensim).cost, Cost::spec(1.0));
    }

    #[test]
    fn sources_that_differ_give_a_high_figure() {
        let mut settings = settings();
        assert_eq!(settings.static_factor, 0.85, "the discount of 2024 is the default");
        for (factor, expected, highest) in [(1.0, 0.06, 0.06), (0.85, 0.051, 0.06), (1.1, 0.066, 0.066)] {
            settings.static_factor = factor;
            let PartCost { cost, high } = static_mesh(TINY, DVec3::ONE, &settings);
            close(cost.value().unwrap(), expected, 1e-12);
            close(high.value().unwrap(), highest, 1e-12);
            assert_eq!(cost.basis(), Basis::Approximation);
        }
        let mut torus = curved(0, 32);
        torus.scale = DVec3::splat(10.0);
        let PartCost { cost, high } = of_part(&torus, None, false, &Profile::default());
        assert_eq!(cost.value(), Some(1.0));
        close(high.value().unwrap(), 12.622_385, 1e-6);
    }
}
