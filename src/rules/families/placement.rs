//! POS: positions of objects, and the terrain.

use super::{link::at, object::rezzed};
use crate::{RuleOutcomes, SkipReason, abridged, at_links, links};
use glam::DVec3;
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, RegionFacts, Role, Status, TerrainFacts};
use hullmark_settings::profile::Grid;
use hullmark_util::number_text::{counted, grouped, thousands};

/// An object that extends across the border by less than this is flush with it, metres.
const FLUSH_M: f64 = 0.01;

/// In Second Life, a root outside its region by less than this is harmless, metres.
const HARMLESS_M: f64 = 0.1;

/// A child whose centre is outside by less than this belongs to a build at the border, metres. This is the reach of the
/// largest prims of older limits. POS006 reports it.
const LOST_M: f64 = 10.0;

/// The size of the region in which an object will be.
struct Ground {
    /// The sides of the region, east and north, metres.
    sides: [u32; 2],
    /// Source of the sides, in words.
    whose: &'static str,
}

impl Ground {
    /// Creates the ground of a region, or of the target if its profile sets a size.
    fn new(measured: &Measured<'_>, region: &RegionFacts) -> Self {
        match measured.profile.placement.region_size_m {
            [0, _] | [_, 0] if region.size_stated => {
                Self { sides: region.size, whose: "size from the export" }
            }
            [0, _] | [_, 0] => Self { sides: region.size, whose: "size not stated in the archive" },
            sides => Self { sides, whose: "size of the target" },
        }
    }

    /// Returns the ground of the region of an object. `None` if the object is not in a region.
    fn under(measured: &Measured<'_>, object: &ObjectFacts) -> Option<Self> {
        let region = measured.ledger.regions.get(object.region? as usize);
        region.filter(|_| object.role == Role::Rezzed).map(|region| Self::new(measured, region))
    }

    /// Whether a loader drops a root at this place. Loaders compare 32-bit numbers, and the far edges are outside.
    fn loses(&self, root: DVec3) -> bool {
        let beyond = |value: f64, side: u32| value as f32 >= side as f32 || (value as f32) < 0.0;
        let [east, north] = self.sides;
        beyond(root.x, east) || beyond(root.y, north)
    }

    /// How far a point is outside, metres; 0 if it is inside, at an edge, or not a number.
    fn outside(&self, point: DVec3) -> f64 {
        let beyond = |value: f64, side: u32| (-value).max(value - f64::from(side));
        let [east, north] = self.sides;
        0.0_f64.max(beyond(point.x, east)).max(beyond(point.y, north))
    }

    fn words(&self) -> String {
        let [east, north] = self.sides;
        format!("{} × {} m ({})", thousands(east.into()), thousands(north.into()), self.whose)
    }
}

/// A position, rotation, size or velocity that is NaN or infinite. `GroupPosition` of a child is ignored.
pub(crate) fn pos001_no_number(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let parts = object.linkset.parts.iter().enumerate();
        let wrong: Vec<String> = parts
            .flat_map(|(index, part)| {
                let fields = [
                    // OpenSim stores 32 bits, in which numbers above 3.4e38 are infinite.
                    ("GroupPosition", index > 0 || part.group_position.as_vec3().is_finite()),
                    ("OffsetPosition", part.offset_position.as_vec3().is_finite()),
                    ("RotationOffset", part.rotation.as_quat().is_finite()),
                    ("Scale", part.scale.as_vec3().is_finite()),
                    ("Velocity", part.velocity.as_vec3().is_finite()),
                    ("AngularVelocity", part.angular_velocity.as_vec3().is_finite()),
                ];
                fields
                    .into_iter()
                    .filter(|(_, finite)| !finite)
                    .map(|(name, _)| format!("{name} of link {}", part.link_number))
            })
            .collect();
        if !wrong.is_empty() {
            let count = counted(wrong.len() as u64, "field");
            let detail = format!("{count} without a finite number: {}", abridged(&wrong));
            verdicts.push(at(object, Code::POS001).measured(wrong.len() as f64).detail(detail));
        }
    }
}

/// A root west, south, east or north of its region, or at the eastern or northern edge. OpenSim drops it at any
/// distance.
pub(crate) fn pos002_outside_the_region(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, root) in rezzed(measured) {
        let Some(ground) = Ground::under(measured, object) else {
            verdicts.not_evaluated(Code::POS002, SkipReason::NotStated, 1);
            continue;
        };
        if ground.loses(root.group_position) {
            let far = ground.outside(root.group_position);
            let [x, y, _] = root.group_position.to_array();
            let place = format!("at {x:.3}, {y:.3}; the region is {}", ground.words());
            let finding = at(object, Code::POS002).measured(far).limit(0);
            verdicts.push(match measured.profile.grid() {
                Grid::OpenSim => finding.detail(format!("{place}; loading drops the object")),
                Grid::SecondLife if far < HARMLESS_M => finding.detail(place).at_most(Severity::Info),
                Grid::SecondLife => finding.detail(place),
            });
        } else if !root.group_position.truncate().is_finite() {
            verdicts.not_evaluated(Code::POS002, SkipReason::NotFinite, 1);
        }
    }
}

/// A root below the lower limit of the grid, or at or above the upper limit. OpenSim drops it.
pub(crate) fn pos003_too_low_or_high(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let placement = &measured.profile.placement;
    for (object, root) in rezzed(measured) {
        let z = root.group_position.z;
        let (lowest, highest) = (placement.lowest_m, placement.highest_m);
        // Compared in 32 bits, as a loader does.
        let limit = match z as f32 {
            z if z < lowest as f32 => Some(lowest),
            z if z >= highest as f32 => Some(highest),
            _ => None,
        };
        if let Some(limit) = limit {
            let detail = format!("outside {} m to below {} m", grouped(lowest), grouped(highest));
            verdicts.push(at(object, Code::POS003).measured(z).limit(limit).detail(detail));
        } else if z.is_nan() {
            verdicts.not_evaluated(Code::POS003, SkipReason::NotFinite, 1);
        }
    }
}

/// A child far from its root, or far outside the region of its root.
pub(crate) fn pos004_lost_child(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let most = measured.profile.placement.max_child_offset_m;
    for (object, measures) in measured.objects() {
        let Some(root) = object.linkset.parts.first() else { continue };
        let ground =
            Ground::under(measured, object).filter(|ground| ground.outside(root.group_position) == 0.0);
        let children = object.linkset.parts.iter().zip(&measures.parts).skip(1);
        let lost = children.filter(|(part, measures)| {
            let away = ground.as_ref().is_some_and(|ground| ground.outside(measures.position) > LOST_M);
            away || part.offset_position.length() > most
        });
        let lost: Vec<&Part> = lost.map(|(part, _)| part).collect();
        let farthest = lost.iter().map(|part| part.offset_position.length()).fold(0.0, f64::max);
        if !lost.is_empty() {
            let detail = format!(
                "{} far from the root prim or outside the region: {}, up to {} m from the root prim",
                counted(lost.len() as u64, "child prim"),
                at_links(&links(lost.iter().copied())),
                grouped((farthest * 1000.0).round() / 1000.0)
            );
            verdicts.push(at(object, Code::POS004).measured(lost.len() as f64).detail(detail));
        } else if object.role == Role::Rezzed && measures.parts.iter().any(|part| !part.position.is_finite())
        {
            verdicts.not_evaluated(Code::POS004, SkipReason::NotFinite, 1);
        }
    }
}

/// A rotation whose quaternion does not have length 1, or a size that is not above 0. Four zeros mean no rotation
/// everywhere and are no finding. Numbers that are not finite already have a finding.
pub(crate) fn pos005_no_rotation_or_size(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let tolerance = measured.profile.placement.rotation_tolerance;
    let is_off = |part: &Part| {
        let length = f64::from(part.rotation_length);
        length > 0.0 && (length - 1.0).abs() > tolerance
    };
    let is_flat = |part: &Part| part.scale.min_element() <= 0.0;
    for object in &measured.ledger.objects {
        let parts = &object.linkset.parts;
        let off = links(parts.iter().filter(|part| is_off(part)));
        let flat = links(parts.iter().filter(|part| is_flat(part)));
        let words = [("rotation not of length 1", &off), ("size not above 0 m", &flat)];
        let words = words.iter().filter(|(_, links)| !links.is_empty());
        let words: Vec<String> =
            words.map(|(what, links)| format!("{what} at {}", at_links(links))).collect();
        if !words.is_empty() {
            let measured = parts.iter().filter(|part| is_off(part) || is_flat(part)).count() as f64;
            verdicts.push(at(object, Code::POS005).measured(measured).detail(words.join("; ")));
        } else if parts.iter().any(|part| part.rotation_length.is_nan() || part.scale.is_nan()) {
            verdicts.not_evaluated(Code::POS005, SkipReason::NotFinite, 1);
        }
    }
}

/// Objects in a region that extend across its border. One finding for each region.
pub(crate) fn pos006_across_a_border(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (region, measures) in measured.ledger.regions.iter().zip(&measured.regions) {
        let ground = Ground::new(measured, region);
        let mut across = Vec::new();
        let mut unknown = false;
        for &number in &measures.standing {
            let root = measured.ledger.objects[number].linkset.parts.first();
            let (Some(root), Some(bounds)) = (root, measured.objects[number].region_box) else {
                unknown = true;
                continue;
            };
            let sticks_out = ground.outside(bounds.min).max(ground.outside(bounds.max)) > FLUSH_M;
            if sticks_out && ground.outside(root.group_position) == 0.0 {
                across.push(format!("\"{}\"", root.name));
            }
        }
        if !across.is_empty() {
            let finding = Finding::new(Code::POS006).entry(&region.folder).measured(across.len() as f64);
            let name = match &*region.name {
                "" => "the region".to_owned(),
                name => format!("region \"{name}\""),
            };
            let count = counted(across.len() as u64, "object");
            let detail = format!("{name}, {}: {count}, {}", ground.words(), abridged(&across));
            verdicts.push(finding.within(region.name.clone()).detail(detail));
        } else if unknown && measured.ledger.status == Status::Complete {
            verdicts.not_evaluated(Code::POS006, SkipReason::NotFinite, 1);
        }
    }
}

/// Terrain with too few or too many heights for its region, or with heights that are not numbers. A region without
/// terrain is no finding: OpenSim leaves the ground unchanged.
pub(crate) fn pos007_terrain(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for region in &measured.ledger.regions {
        let Some(terrain) = &region.terrain else { continue };
        // POS008 reports terrain that stops the load.
        if stops_the_load(terrain).is_some() {
            continue;
        }
        if !terrain.entry.ends_with(".r32") && !terrain.entry.ends_with(".f32") {
            verdicts.not_evaluated(Code::POS007, SkipReason::OtherForm, 1);
            continue;
        }
        let Some(heights) = terrain.heights else {
            verdicts.not_evaluated(Code::POS007, SkipReason::Incomplete, 1);
            continue;
        };
        let wanted = region.size.map(u64::from).iter().product::<u64>();
        let mut wrong = Vec::new();
        if region.size_stated && terrain.bytes != 4 * wanted {
            wrong.push(format!(
                "{} in {}, but {} × {} m need {}",
                counted(heights.samples, "height"),
                counted(terrain.bytes, "byte"),
                region.size[0],
                region.size[1],
                thousands(wanted)
            ));
        }
        if heights.not_finite > 0 {
            wrong.push(format!("{} without a finite number", counted(heights.not_finite, "height")));
        }
        if !wrong.is_empty() {
            let finding = Finding::new(Code::POS007).entry(&terrain.entry).measured(heights.samples as f64);
            verdicts.push(finding.limit(wanted as f64).detail(wrong.join("; ")));
        }
    }
}

/// Number of heights along each side of the smallest terrain that OpenSim reads.
const LEAST_SIDE: u64 = 256;

/// If OpenSim cannot read the terrain, it stops the load of the archive, before the region is cleared.
pub(crate) fn pos008_terrain_stops_the_load(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for terrain in measured.ledger.regions.iter().filter_map(|region| region.terrain.as_ref()) {
        if let Some((least, why)) = stops_the_load(terrain) {
            let mut finding = Finding::new(Code::POS008).entry(&terrain.entry).detail(why);
            if let Some(least) = least {
                finding = finding.measured(terrain.bytes as f64).limit(least as f64);
            }
            verdicts.push(finding);
        }
    }
}

/// Why OpenSim cannot read a terrain, and the least number of bytes if there are too few. `None` if it can.
fn stops_the_load(terrain: &TerrainFacts) -> Option<(Option<u64>, String)> {
    let ending = terrain.entry.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Heights of four bytes, or thirteen channels of one byte, of which the last eleven may be missing.
    let least = match ending {
        "r32" | "f32" => 4 * LEAST_SIDE * LEAST_SIDE,
        "raw" => 13 * LEAST_SIDE * LEAST_SIDE - 11,
        "ter" => 0,
        "jpg" | "jpeg" => return Some((None, "JPEG, which OpenSim writes but does not read".into())),
        "png" | "bmp" | "gif" | "tif" | "tiff" => {
            let why = format!("its start or end is not that of a {ending} file");
            return terrain.broken_image.then_some((None, why));
        }
        _ => return Some((None, "its file name extension is not a terrain format of OpenSim".into())),
    };
    let why = || format!("{}, at least {} needed", counted(terrain.bytes, "byte"), thousands(least));
    (terrain.bytes < least).then(|| (Some(least), why()))
}
