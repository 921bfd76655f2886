//! POS: where objects stand, and the ground below them.

use super::{abridged, link::at, links, object::rezzed};
use crate::{
    facts::{ObjectFacts, RegionFacts, Role},
    finding::{Code, Finding},
    format::object::Part,
    join::Case,
};
use glam::DVec3;
use std::collections::BTreeMap;

/// What sticks out of a region by less than this stands flush with its border, metres.
const FLUSH_M: f64 = 0.01;

/// The region in which an object stands.
fn region_of<'a>(case: &Case<'a>, object: &ObjectFacts) -> Option<&'a RegionFacts> {
    case.ledger.regions.get(object.region? as usize).filter(|_| object.role == Role::Rezzed)
}

/// How far a point is outside of a region, metres; 0 inside and for what is no number.
fn outside(point: DVec3, region: &RegionFacts) -> f64 {
    let beyond = |value: f64, side: u32| (-value).max(value - f64::from(side));
    let [east, north] = region.size;
    0.0_f64.max(beyond(point.x, east)).max(beyond(point.y, north))
}

/// A position, rotation, size or velocity that is NaN or infinite. Of a child `GroupPosition` does not count.
pub(super) fn pos001_no_number(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for object in &case.ledger.objects {
        let parts = object.linkset.parts.iter().enumerate();
        let wrong: Vec<String> = parts
            .flat_map(|(index, part)| {
                let fields = [
                    ("GroupPosition", index > 0 || part.group_position.is_finite()),
                    ("OffsetPosition", part.offset_position.is_finite()),
                    ("RotationOffset", part.rotation.is_finite()),
                    ("Scale", part.scale.is_finite()),
                    ("Velocity", part.velocity.is_finite()),
                    ("AngularVelocity", part.angular_velocity.is_finite()),
                ];
                fields
                    .into_iter()
                    .filter(|(_, finite)| !finite)
                    .map(|(name, _)| format!("{name} of link {}", part.link_number))
            })
            .collect();
        if !wrong.is_empty() {
            findings.push(at(object, Code::POS001).measured(wrong.len() as f64).detail(abridged(&wrong)));
        }
    }
}

/// A root west, south, east or north of its region.
pub(super) fn pos002_outside_the_region(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for (object, root) in rezzed(case) {
        let Some(region) = region_of(case, object) else { continue };
        let far = outside(root.group_position, region);
        if far > 0.0 {
            let [x, y, _] = root.group_position.to_array();
            let [east, north] = region.size;
            let assumed = if region.size_stated { "" } else { ", a size that the archive does not state" };
            let detail = format!("it stands at {x:.3}, {y:.3} in a region of {east} × {north} m{assumed}");
            findings.push(at(object, Code::POS002).measured(far).limit(0).detail(detail));
        }
    }
}

/// A root below or above what the grid allows.
pub(super) fn pos003_too_low_or_high(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let placement = &case.profile.placement;
    for (object, root) in rezzed(case) {
        let z = root.group_position.z;
        let limit = [
            (z < placement.lowest_m, placement.lowest_m, "the lowest"),
            (z > placement.highest_m, placement.highest_m, "the highest"),
        ];
        if let Some((_, limit, words)) = limit.into_iter().find(|(exceeded, ..)| *exceeded) {
            findings.push(at(object, Code::POS003).measured(z).limit(limit).detail(words));
        }
    }
}

/// A child far from its root, or outside of the region in which its root stands.
pub(super) fn pos004_lost_child(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let most = case.profile.placement.max_child_offset_m;
    for (object, measures) in case.objects() {
        let Some(root) = object.linkset.parts.first() else { continue };
        let region = region_of(case, object).filter(|region| outside(root.group_position, region) == 0.0);
        let children = object.linkset.parts.iter().zip(&measures.parts).skip(1);
        let lost = children.filter(|(part, measures)| {
            let away = region.is_some_and(|region| outside(measures.position, region) > FLUSH_M);
            away || part.offset_position.length() > most
        });
        let lost: Vec<&Part> = lost.map(|(part, _)| part).collect();
        let farthest = lost.iter().map(|part| part.offset_position.length()).fold(0.0, f64::max);
        if !lost.is_empty() {
            let detail = format!(
                "link {}; up to {farthest:.3} m from the root",
                abridged(&links(lost.iter().copied()))
            );
            findings.push(at(object, Code::POS004).measured(lost.len() as f64).detail(detail));
        }
    }
}

/// A rotation whose quaternion is not of length 1, or a size that is not above 0. Four zeros are taken as no rotation
/// everywhere and are no finding, and what is no number is one already.
pub(super) fn pos005_no_rotation_or_size(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let tolerance = case.profile.placement.rotation_tolerance;
    let is_off = |part: &Part| {
        let length = f64::from(part.rotation_length);
        length > 0.0 && (length - 1.0).abs() > tolerance
    };
    let is_flat = |part: &Part| part.scale.min_element() <= 0.0;
    for object in &case.ledger.objects {
        let parts = &object.linkset.parts;
        let off = links(parts.iter().filter(|part| is_off(part)));
        let flat = links(parts.iter().filter(|part| is_flat(part)));
        let words = [("a rotation that is not of length 1", &off), ("a size that is not above 0", &flat)];
        let words = words.iter().filter(|(_, links)| !links.is_empty());
        let words: Vec<String> =
            words.map(|(what, links)| format!("{what} in link {}", abridged(links))).collect();
        if !words.is_empty() {
            let measured = (off.len() + flat.len()) as f64;
            findings.push(at(object, Code::POS005).measured(measured).detail(words.join("; ")));
        }
    }
}

/// Objects that stand inside a region and stick out of it. One finding for each region.
pub(super) fn pos006_across_a_border(case: &Case<'_>, findings: &mut Vec<Finding>) {
    let mut across: BTreeMap<Option<u32>, Vec<String>> = BTreeMap::new();
    for (object, measures) in case.objects() {
        let Some(region) = region_of(case, object) else { continue };
        let (Some(root), Some(bounds)) = (object.linkset.parts.first(), measures.region_box) else {
            continue;
        };
        let sticks_out = outside(bounds.min, region).max(outside(bounds.max, region)) > FLUSH_M;
        if sticks_out && outside(root.group_position, region) == 0.0 {
            across.entry(object.region).or_default().push(format!("\"{}\"", root.name));
        }
    }
    for (region, names) in across {
        let region = region.and_then(|region| case.ledger.regions.get(region as usize));
        let name = region.map(|region| region.name.clone()).unwrap_or_default();
        let finding = Finding::new(Code::POS006).within(name).measured(names.len() as f64);
        findings.push(finding.detail(abridged(&names)));
    }
}

/// Terrain with too few or too many heights for its region, or with heights that are no numbers. A region without
/// terrain is none: OpenSim leaves the ground as it is then.
pub(super) fn pos007_terrain(case: &Case<'_>, findings: &mut Vec<Finding>) {
    for region in &case.ledger.regions {
        let Some(terrain) = region.terrain.as_ref().filter(|terrain| terrain.entry.ends_with(".r32")) else {
            continue;
        };
        // What was not read to its end is not evaluated.
        let Some(heights) = terrain.heights else { continue };
        let wanted = region.size.map(u64::from).iter().product::<u64>();
        let mut wrong = Vec::new();
        if region.size_stated && terrain.bytes != 4 * wanted {
            wrong.push(format!(
                "{} bytes for a region of {} × {} m",
                terrain.bytes, region.size[0], region.size[1]
            ));
        }
        if heights.not_finite > 0 {
            wrong.push(format!("{} heights are no finite number", heights.not_finite));
        }
        if !wrong.is_empty() {
            let finding = Finding::new(Code::POS007).entry(&terrain.entry).measured(heights.samples as f64);
            findings.push(finding.limit(wanted as f64).detail(wrong.join("; ")));
        }
    }
}
