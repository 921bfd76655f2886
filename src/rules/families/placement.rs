//! POS: positions of objects, and the terrain.

use super::{object::rezzed, place::at_object};
use crate::{RuleOutcomes, SkipReason, abridged, at_links, links};
use glam::DVec3;
use hullmark_analysis::{Measured, land, physics_shape::is_plant};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, RegionFacts, Role, Status};
use hullmark_settings::profile::Grid;
use hullmark_util::number_text::{counted, grouped, plain, thousands};

rules! {
    POS001 "fields" "Position or size is not finite" {
        about: Object,
        effect: Changes,
        check: no_number,
        message: "The object has {detail}",
        why: "NaN is neither below nor above any limit, so it passes the check that drops objects outside the \
              region. Every result calculated from it is NaN too: distances, costs, collisions.",
        engines: [
            "ubODE" => "Uses 128, 128 on the ground as the position, 0.5 m as the size, and no rotation. A root prim \
                at NaN is at 128, 128, 28.06 after the load if the ground is at 28 m.",
        ],
        fix: "Set position, size and rotation again, in the XML or in-world, or delete the object.",
        fix_owner: "Set position, size and rotation again, or delete the object. In the viewer: Edit > Object.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddRestoredSceneObject",
    }

    POS002 "m" "Object is outside its region" {
        about: InWorld,
        effect: Loses,
        check: outside_the_region,
        message: "The root prim is {measured} m outside the region, {detail}",
        why: "`load oar` loads an object only if its root prim is inside the region, from 0 m to below the region's \
              size. A root prim at x = 256.0 in a region of 256 m is outside. The log counts dropped objects as \
              ignored and names none. A common cause is an archive of a large region loaded into a smaller one. For Second Life, less \
              than 0.1 m is information.",
        engines: [
            "OpenSimulator" => "Sets this box in every console load, with or without --bounding-origin and \
                --bounding-size. A load by RemoteAdmin sets none: it moves the root prim to 1 m inside the border \
                and stops its motion. Parcels keep their area inside the new region, and are skipped if none is \
                left.",
        ],
        fix: "Load into a region of the archive's own size, or load by RemoteAdmin. `hullmark repair --move-inside` \
              moves objects inside in a copy. To check against another size, add --region-size.",
        fix_owner: "Move the object into the region before the export. In the viewer: Edit > Object > Position.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
                 SceneGraph.cs, AddRestoredSceneObject; measured with 0.9.2.2; opensim-users, January 2010, 003616",
    }

    POS003 "m" "Object is too low or too high" {
        about: InWorld,
        effect: Loses,
        check: too_low_or_high,
        message: "Loading drops the object: its root prim is at a height of {measured} m, {detail}",
        why: "`load oar` loads an object only if its root prim is within the heights that the grid allows. The log \
              counts dropped objects as ignored and names none.",
        engines: [
            "OpenSimulator" => "Allows -100 m to below 50,000 m; a root prim at 50,000 m is outside. A load by \
                RemoteAdmin sets no limits, and `delete object outside` then deletes the object.",
            "Second Life" => "Allows no building above 4,096 m.",
        ],
        fix: "`hullmark repair --move-inside` moves it in a copy. Or move the object before the export, or delete it if \
              it fell or flew off.",
        fix_owner: "Move the object before the export, or delete it if it fell or flew off. In the viewer: Edit > \
              Object > Position.",
        source: "OpenSim, ArchiverModule.cs, HandleLoadOarConsoleCommand; ArchiveReadRequest.cs, LoadObjects; \
              ObjectCommandsModule.cs; Constants.cs; measured with 0.9.2.2; Second Life Wiki, Limits",
    }

    POS004 "prims" "Child prim is far from root" {
        about: InWorld,
        effect: Changes,
        check: lost_child,
        message: "The object has {detail}",
        why: "Loaders and viewers use the position of the root prim. A child prim far away or across the border is \
              out of sight, but still adds land impact and collides. A child prim up to 10 m outside counts as part \
              of a build at the border (POS006).",
        engines: [
            "OpenSimulator" => "Moves an object by its root prim only, and never checks the positions of child \
                prims.",
        ],
        fix: "Unlink the child prim, then move or delete it.",
        fix_owner: "Unlink the child prim, then move or delete it. In the viewer: Edit > Edit linked, select the \
              prim, then Build > Unlink.",
        source: "hullmark, config/profiles/second-life.toml, [placement]",
    }

    POS005 "prims" "Rotation or size is invalid" {
        about: Object,
        effect: Changes,
        check: no_rotation_or_size,
        message: "The object has an invalid rotation or size: {detail}",
        why: "A rotation is a quaternion of length 1, and each side of a prim is longer than 0 m. Rounding in \
              exports makes differences of some millionths. Larger ones come from other programs or from damage, and \
              each engine repairs them in its own way.",
        engines: [
            "ubODE" => "Uses 0.01 m for a side of 0 m or less, in physics only.",
            "OpenSimulator" => "Limits sizes on loading only if ClampPrimSize is set.",
        ],
        fix: "Check the object after loading, and set its rotation and size again.",
        fix_owner: "Check the object after the move, and set its rotation and size again. In the viewer: Edit > \
              Object.",
        source: "OpenSim, ubOde/ODEPrim.cs:1275-1303, constructor; SceneGraph.cs, AddSceneObject",
    }

    POS006 "objects" "Objects extend across the border" {
        about: Region,
        effect: Note,
        check: across_a_border,
        message: "Objects extend across the border of {detail}",
        why: "The neighboring region shows what extends across the border, but nothing collides there. Without a \
              neighbor it is harmless. Each physics engine treats a border in its own way.",
        fix: "If avatars or vehicles cross the border there, move these objects inside. Otherwise do nothing.",
        source: "OpenSim, the modules of physics",
    }

    POS007 "heights" "Terrain does not fit its region" {
        about: Region,
        effect: Changes,
        check: terrain,
        message: "The terrain does not fit its region: {detail}",
        why: "A terrain file has one height for each square metre. With another number of heights the ground is not \
              that of the region. A height that is not a number makes a hole, and renderers must check for it.",
        engines: [
            "OpenSimulator" => "Takes the largest square that the file fills, with sides of a multiple of 256 m, and \
                lays it over the south-western corner. So 512 × 512 and 256 × 512 heights load, and the rest is \
                dropped. A file with fewer than 256 × 256 heights stops the load (POS008).",
        ],
        fix: "Save the terrain again with `terrain save`, or load one of the right size after loading the region.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; opensim-users, January 2010, 003616",
    }

    POS008 "bytes" "Terrain file stops the load" {
        about: Region,
        effect: Stops,
        check: terrain_stops_the_load,
        message: "OpenSim gives up the load at the terrain file: {detail}",
        why: "OpenSim reads the terrain with the archive, before it clears the region. If it cannot read the \
              terrain, it gives up the whole load. The region keeps its objects and parcels, and nothing of the \
              archive arrives.",
        engines: [
            "OpenSimulator" => "Reads at least 256 × 256 heights from an .r32 file; a shorter or empty file ends the \
                load. So does a file name extension of an unknown format, and an image that cannot be decoded.",
        ],
        fix: "`hullmark repair` completes heights in a copy, and leaves out what cannot be read. Or take \
              the terrain out of the archive, or replace it with a file that `terrain save` wrote.",
        source: "OpenSim, RAW32.cs, LoadStream; TerrainModule.cs, LoadFromStream; ArchiveReadRequest.cs, DearchiveRegion; \
              measured with 0.9.2.2",
    }

    POS009 "m" "Prim is beyond the sizes of the grid" {
        about: Object,
        effect: Changes,
        check: sizes,
        message: "The object has {detail}",
        why: "A grid has a smallest and a largest side of a prim. A prim beyond them cannot be made or edited there.",
        engines: [
            "Second Life" => "Allows 0.01 to 64 m, and a hollow of 95 %.",
            "OpenSimulator" => "Loads any size, unless ClampPrimSize is set: then it changes sides to \
                NonPhysicalPrimMin and NonPhysicalPrimMax.",
            "ubODE" => "Shortens a longer side in the physics shape, so avatars fall through the rest.",
        ],
        fix: "Replace the prim by several that are within the limits, or raise the limits on the target. Set a hollow \
              to the limit.",
        fix_owner: "Replace the prim by several that are within the limits. In the viewer: Edit > Object > Size, and \
                    Hollow.",
        source: "Second Life Wiki, Limits; OpenSim, OpenSimDefaults.ini (NonPhysicalPrimMin, NonPhysicalPrimMax, \
              ClampPrimSize); Scene.cs, AddRestoredSceneObject",
    }
}

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
    whose: &'static str,
    /// Whether the archive or the target states the size.
    is_stated: bool,
}

impl Ground {
    /// Creates the ground of a region, or of the target if its profile sets a size.
    fn new(measured: &Measured<'_>, region: &RegionFacts) -> Self {
        let (sides, whose, is_stated) = match measured.profile.placement.region_size_m {
            [0, _] | [_, 0] if region.size_stated => (region.size, "size from the export", true),
            [0, _] | [_, 0] => (region.size, "size not stated in the archive", false),
            sides => (sides, "size of the target", true),
        };
        Self { sides, whose, is_stated }
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
fn no_number(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(at_object(object, Code::POS001).measured(wrong.len() as f64).detail(detail));
        }
    }
}

/// A root west, south, east or north of its region, or at the eastern or northern edge. OpenSim drops it at any
/// distance.
fn outside_the_region(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, root) in rezzed(measured.ledger) {
        let Some(ground) = Ground::under(measured, object) else {
            outcomes.not_evaluated(Code::POS002, SkipReason::NotStated, 1);
            continue;
        };
        if ground.loses(root.group_position) {
            let far = ground.outside(root.group_position);
            let [x, y, _] = root.group_position.to_array();
            let at_border = if far == 0.0 { "on its border, " } else { "" };
            let place = format!("{at_border}at {x:.3}, {y:.3}; the region is {}", ground.words());
            let finding = at_object(object, Code::POS002).measured(far).limit(0);
            outcomes.push(match measured.profile.loader() {
                Grid::OpenSim => finding.detail(format!("{place}; loading drops the object")),
                Grid::SecondLife if far < HARMLESS_M => finding.detail(place).at_most(Severity::Info),
                Grid::SecondLife => finding.detail(place),
            });
        } else if !root.group_position.truncate().is_finite() {
            outcomes.not_evaluated(Code::POS002, SkipReason::NotFinite, 1);
        }
    }
}

fn too_low_or_high(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let placement = &measured.profile.placement;
    for (object, root) in rezzed(measured.ledger) {
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
            outcomes.push(at_object(object, Code::POS003).measured(z).limit(limit).detail(detail));
        } else if z.is_nan() {
            outcomes.not_evaluated(Code::POS003, SkipReason::NotFinite, 1);
        }
    }
}

fn lost_child(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(at_object(object, Code::POS004).measured(lost.len() as f64).detail(detail));
        } else if object.role == Role::Rezzed && measures.parts.iter().any(|part| !part.position.is_finite())
        {
            outcomes.not_evaluated(Code::POS004, SkipReason::NotFinite, 1);
        }
    }
}

/// A rotation whose quaternion does not have length 1, or a size that is not above 0. Four zeros mean no rotation
/// everywhere and are no finding. Numbers that are not finite already have a finding.
fn no_rotation_or_size(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(at_object(object, Code::POS005).measured(measured).detail(words.join("; ")));
        } else if parts.iter().any(|part| part.rotation_length.is_nan() || part.scale.is_nan()) {
            outcomes.not_evaluated(Code::POS005, SkipReason::NotFinite, 1);
        }
    }
}

/// A limit as a 32-bit float, and what steps of a viewer add, differ from it by less than this part.
const TOLERANCE: f64 = 0.001;

/// Steps of a hollow of 100 %.
const WHOLE_HOLLOW: f64 = 50_000.0;

/// Prims with a side or a hollow beyond the limits of the grid.
fn sizes(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let limits = &measured.profile_of(object).placement;
        let hollow_percent = |part: &Part| f64::from(part.shape.profile_hollow) / WHOLE_HOLLOW * 100.0;
        let parts = || object.linkset.parts.iter().filter(|part| !is_plant(part));
        // POS005 reports sides of 0 m.
        let side = |part: &Part| part.scale.min_element();
        let small = parts()
            .filter(|part| side(part) > 0.0 && side(part) < limits.smallest_side_m * (1.0 - TOLERANCE));
        let large =
            parts().filter(|part| part.scale.max_element() > limits.largest_side_m * (1.0 + TOLERANCE));
        // The hollow of a mesh and of a sculpt shows nothing.
        let shaped = parts().filter(|part| part.shape.sculpt.is_none());
        let hollow = shaped.filter(|part| hollow_percent(part) > limits.max_hollow_percent);
        let [small, large, hollow]: [Vec<&Part>; 3] = [small.collect(), large.collect(), hollow.collect()];
        let hollowest = hollow.iter().map(|part| hollow_percent(part)).fold(0.0, f64::max);
        let words = [
            (&small, format!("below {} m", limits.smallest_side_m)),
            (&large, format!("above {} m", limits.largest_side_m)),
            (
                &hollow,
                format!(
                    "with a hollow of up to {} %, above {} %",
                    plain(hollowest),
                    limits.max_hollow_percent
                ),
            ),
        ];
        let words = words.iter().filter(|(parts, _)| !parts.is_empty());
        let words: Vec<String> = words
            .map(|(parts, what)| {
                format!(
                    "{} {what} ({})",
                    counted(parts.len() as u64, "prim"),
                    at_links(&links(parts.iter().copied()))
                )
            })
            .collect();
        if words.is_empty() {
            if parts().any(|part| part.scale.is_nan()) {
                outcomes.not_evaluated(Code::POS009, SkipReason::NotFinite, 1);
            }
            continue;
        }
        let (said, severity) = match (measured.profile.loader(), limits.clamps_sides) {
            (Grid::SecondLife, _) => ("", Severity::Error),
            (Grid::OpenSim, true) => ("; loading changes these sides to the limits", Severity::Warning),
            (Grid::OpenSim, false) => ("; viewers cannot edit them at this size", Severity::Info),
        };
        let longest = large.iter().map(|part| part.scale.max_element()).reduce(f64::max);
        let shortest = small.iter().map(|part| side(part)).reduce(f64::min);
        let finding = at_object(object, Code::POS009).detail(words.join("; ") + said).at_most(severity);
        outcomes.push(match (longest, shortest) {
            (Some(longest), _) => finding.measured(longest).limit(limits.largest_side_m),
            (None, Some(shortest)) => finding.measured(shortest).limit(limits.smallest_side_m),
            (None, None) => finding,
        });
    }
}

fn across_a_border(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(finding.within(region.name.clone()).detail(detail));
        } else if unknown && measured.ledger.status == Status::Complete {
            outcomes.not_evaluated(Code::POS006, SkipReason::NotFinite, 1);
        }
    }
}

/// Terrain with too few or too many heights for its region, or with heights that are not numbers. REG009 reports
/// a region without terrain.
fn terrain(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for region in &measured.ledger.regions {
        let Some(terrain) = &region.terrain else { continue };
        // POS008 reports terrain that stops the load.
        if land::terrain_stops_the_load(terrain).is_some() {
            continue;
        }
        if !terrain.entry.ends_with(".r32") && !terrain.entry.ends_with(".f32") {
            outcomes.not_evaluated(Code::POS007, SkipReason::OtherForm, 1);
            continue;
        }
        let Some(heights) = terrain.heights else {
            outcomes.not_evaluated(Code::POS007, SkipReason::Incomplete, 1);
            continue;
        };
        let ground = Ground::new(measured, region);
        let wanted = ground.sides.map(u64::from).iter().product::<u64>();
        let mut wrong = Vec::new();
        // REG010 counts the heights of a megaregion.
        if ground.is_stated && terrain.bytes != 4 * wanted && !region.is_megaregion {
            wrong.push(format!(
                "{} in {}, but {} need {}",
                counted(heights.samples, "height"),
                counted(terrain.bytes, "byte"),
                ground.words(),
                thousands(wanted)
            ));
        }
        if heights.not_finite > 0 {
            wrong.push(format!("{} without a finite number", counted(heights.not_finite, "height")));
        }
        if !wrong.is_empty() {
            let finding = Finding::new(Code::POS007).entry(&terrain.entry).measured(heights.samples as f64);
            outcomes.push(finding.limit(wanted as f64).detail(wrong.join("; ")));
        }
    }
}

fn terrain_stops_the_load(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for terrain in measured.ledger.regions.iter().filter_map(|region| region.terrain.as_ref()) {
        if let Some((least, why)) = land::terrain_stops_the_load(terrain) {
            let mut finding = Finding::new(Code::POS008).entry(&terrain.entry).detail(why);
            if let Some(least) = least {
                finding = finding.measured(terrain.bytes as f64).limit(least as f64);
            }
            outcomes.push(finding);
        }
    }
}
