//! AST007, AST010: the creators of prims, and whether a loader keeps them.

use super::archive::is_archive;
use crate::{RuleOutcomes, abridged};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::object::Part;
use hullmark_util::number_text;
use std::{cmp::Reverse, collections::BTreeMap};

pub(super) fn creators_of_other_grids(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // `http://grid.example:8002/;First Last`
    let grid = |data| str::split(data, ';').next().unwrap_or_default().trim_end_matches('/');
    let grids = counted(parts(measured).filter_map(|part| part.creator_data.as_deref()).map(grid));
    let named: Vec<String> = grids.iter().map(|(grid, parts)| format!("{grid} ({parts})")).collect();
    report(Code::AST007, &grids, "", &named, outcomes);
}

/// Prims whose creator is not their owner and is known by UUID only. A creator who also owns the prim remains its
/// creator under any name on the target.
pub(super) fn creators_without_address(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !is_archive(measured) {
        return;
    }
    let of_another =
        |part: &&Part| part.creator_data.is_none() && part.creator != part.owner && !part.creator.is_nil();
    let creators = counted(parts(measured).filter(of_another).map(|part| part.creator));
    let named: Vec<String> = creators.iter().map(|(uuid, parts)| format!("{uuid} ({parts})")).collect();
    let of = format!(" of {}", number_text::counted(named.len() as u64, "creator"));
    report(Code::AST010, &creators, &of, &named, outcomes);
}

fn report<K>(code: Code, counted: &[(K, u32)], of: &str, named: &[String], outcomes: &mut RuleOutcomes) {
    let parts: u32 = counted.iter().map(|(_, parts)| parts).sum();
    if parts > 0 {
        let prims = number_text::counted(parts.into(), "prim");
        let detail = format!("{prims}{of}: {}", abridged(named));
        outcomes.push(Finding::new(code).measured(parts).detail(detail));
    }
}

fn parts<'a>(measured: &Measured<'a>) -> impl Iterator<Item = &'a Part> {
    measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts)
}

fn counted<K: Ord>(keys: impl Iterator<Item = K>) -> Vec<(K, u32)> {
    let mut counts: BTreeMap<K, u32> = BTreeMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    let mut counts: Vec<_> = counts.into_iter().collect();
    // A stable sort keeps equal counts in the order of their keys.
    counts.sort_by_key(|(_, count)| Reverse(*count));
    counts
}
