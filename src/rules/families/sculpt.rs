//! AST012, AST013: sculpt maps from which viewers make another shape than their maker meant.

use super::texture::sides;
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{Measured, asset_uses::User};
use hullmark_finding::{Code, Finding};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{AssetFacts, Content, ObjectFacts, SculptFacts};
use hullmark_util::{
    all_threads::{self, Shares},
    number_text::plain,
    timings::Stage,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};
use uuid::Uuid;

/// Areas of a surface in the unit cube that viewers show (V `llvolume.cpp`, `SCULPT_MIN_AREA`, `SCULPT_MAX_AREA`).
const SHOWN_AREAS: RangeInclusive<f64> = 0.002..=384.0;

/// Levels of a color along a side of a part.
const LEVELS: f64 = 255.0;

/// A map that gives a part its shape.
struct UsedMap<'a> {
    facts: &'a SculptFacts,
    object: &'a ObjectFacts,
    part: &'a Part,
    /// Longest side in metres of the parts with this map.
    side: f64,
}

impl UsedMap<'_> {
    fn finding(&self, code: Code) -> Finding {
        let mut finding = Finding::new(code);
        finding.place = User::Part(self.object, self.part).place();
        finding.place.asset = Some(self.facts.uuid);
        finding
    }
}

/// Returns the maps that were decoded and that parts use, each with its first part.
fn used_maps<'a>(measured: &'a Measured<'_>) -> Vec<UsedMap<'a>> {
    let mut maps: BTreeMap<Uuid, UsedMap<'a>> = BTreeMap::new();
    for object in &measured.ledger.objects {
        for part in &object.linkset.parts {
            let facts = part.sculpt_map().and_then(|map| measured.assets.sculpt(map));
            let Some(facts) = facts.filter(|facts| facts.pixels().is_some()) else { continue };
            let side = part.scale.max_element();
            let map = maps.entry(facts.uuid).or_insert(UsedMap { facts, object, part, side });
            map.side = map.side.max(side);
        }
    }
    maps.into_values().collect()
}

/// A map that viewers cannot open, or with hardly any area. They show a ball in place of it.
pub(super) fn shown_as_ball(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let maps = used_maps(measured);
    let area = |map: &UsedMap<'_>| measured.assets.body(map.part).sculpt_area(map.part);
    let areas = all_threads::map(Stage::Rules, Shares::OF_SMALL, &maps, area);
    for (map, area) in maps.into_iter().zip(areas) {
        let finding = map.finding(Code::AST012);
        if map.facts.is_boxed {
            outcomes.push(finding.detail("it is a JP2 file, and viewers open only bare codestreams"));
            continue;
        }
        match area {
            Ok(area) if SHOWN_AREAS.contains(&area) => {}
            Ok(area) => {
                let (least, most) = SHOWN_AREAS.into_inner();
                let limit = if area < least { least } else { most };
                let detail = format!(
                    "its surface has an area of {} in a unit cube, and the limit is {limit}",
                    three(area)
                );
                outcomes.push(finding.measured(area).limit(limit).detail(detail));
            }
            Err(_) => outcomes.not_evaluated(Code::AST012, SkipReason::BodyUnknown, 1),
        }
    }
}

fn cut_short(measured: &Measured<'_>) -> impl Iterator<Item = Uuid> {
    let assets = measured.ledger.assets.iter();
    let cut = assets.filter(|asset| matches!(asset.content, Content::CutShort(_)));
    cut.filter_map(AssetFacts::uuid)
}

/// A map that is compressed with loss, or that viewers make smaller.
pub(super) fn not_exact(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // AST004 reports that these are cut short.
    let cut: BTreeSet<Uuid> = cut_short(measured).collect();
    for map in used_maps(measured).into_iter().filter(|map| !cut.contains(&map.facts.uuid)) {
        match map.facts.loss_levels.map(|levels| levels.0) {
            None => outcomes.not_evaluated(Code::AST013, SkipReason::OtherForm, 1),
            Some(0.0) => {}
            Some(levels) => {
                let metres = levels / LEVELS * map.side;
                let detail = format!(
                    "compression moves its points by about {} m at a size of {} m, some by several times as much; \
                     one level of color is {} m",
                    three(metres),
                    plain(map.side),
                    three(map.side / LEVELS)
                );
                let finding = map.finding(Code::AST013).measured(metres);
                outcomes.push(finding.detail(detail).aspect("compression"));
            }
        }
        let (Some(stored), Some(used)) = (map.facts.stored_size, map.facts.pixels()) else { continue };
        if stored != [used.width, used.height] {
            let detail =
                format!("of its {} px, viewers keep {}", sides(stored), sides([used.width, used.height]));
            outcomes.push(map.finding(Code::AST013).detail(detail).aspect("size"));
        }
    }
}

/// Formats a number with three digits behind the point.
fn three(number: f64) -> String {
    format!("{number:.3}")
}
