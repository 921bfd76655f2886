//! INV007: items of inventories in databases whose asset is gone.

use super::{
    decoding::examples,
    reference::{is_there, unproved},
};
use crate::RuleOutcomes;
use hullmark_analysis::{Measured, asset_uses::kind_of_item};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::ItemFacts;
use hullmark_util::number_text::counted;
use std::collections::BTreeMap;

/// Number of examples that a finding names.
const EXAMPLES: usize = 3;

/// Items whose asset is neither in the database nor in a store. One finding for each owner, with the first paths.
pub(crate) fn inv007_item_without_asset(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let ledger = measured.ledger;
    if let Some(reason) = unproved(measured) {
        return verdicts.not_evaluated(Code::INV007, reason, ledger.inventories.len());
    }
    // For each inventory: the number of its items, and the first.
    let mut gone: BTreeMap<&str, (u64, Vec<String>)> = BTreeMap::new();
    for ItemFacts { entry, item } in &ledger.items {
        let needed = !item.asset.is_nil() && kind_of_item(item.asset_type).is_some();
        if !needed || is_there(measured, item.asset) {
            continue;
        }
        let Some(inventory) = ledger.inventory_of(entry) else { continue };
        let (count, first) = gone.entry(&inventory.entry).or_default();
        *count += 1;
        if first.len() < EXAMPLES {
            let path = &entry[inventory.entry.len()..];
            first.push(format!("{path} (asset {})", item.asset));
        }
    }
    verdicts.extend(gone.into_iter().map(|(entry, (count, first))| {
        let detail = format!("{}: {}", counted(count, "item"), examples(count, &first));
        Finding::new(Code::INV007).entry(entry).measured(count as f64).detail(detail)
    }));
}
