//! AST001 to AST003, OBJ009: assets that objects, items, texts and land use and the export lacks.

use super::link::at;
use crate::{RuleOutcomes, SkipReason, abridged, first_of, well_known_assets::is_well_known};
use hullmark_analysis::{
    Measured,
    asset_uses::{self, Used},
};
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    object::{Layout, Part},
    reference::Use,
};
use hullmark_ledger::facts::{AssetFacts, Content, Status};
use hullmark_util::number_text::{counted, thousands};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Kinds of assets that give a prim its shape.
pub const FORMS: [&str; 2] = ["mesh", "sculpt map"];

/// An asset in use that the export, the stores, viewers and grids do not have. If all assets of a kind are missing, one
/// finding reports them.
pub(crate) fn ast001_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let mut missing: BTreeMap<&str, Vec<(Uuid, Used<'_>)>> = BTreeMap::new();
    for (&asset, &used) in &measured.uses {
        if used.kind == "object" || is_of_inventory(measured, &used) || is_there(measured, asset) {
            continue;
        }
        match unproved(measured) {
            // ARC009 reports an export without assets, except for assets that leave a cost unknown. The assets of a
            // region database are in another one.
            Some(SkipReason::NoAssets) if FORMS.contains(&used.kind) && !measured.ledger.is_database() => {}
            Some(reason) => {
                verdicts.not_evaluated(Code::AST001, reason, 1);
                continue;
            }
            None => {}
        }
        missing.entry(used.kind).or_default().push((asset, used));
    }
    let mut present: BTreeSet<&str> = measured
        .ledger
        .assets
        .iter()
        .filter_map(AssetFacts::suffix)
        .map(asset_uses::kind_of_suffix)
        .collect();
    if present.contains("texture") {
        present.insert("sculpt map");
    }
    for (kind, assets) in missing {
        if assets.len() > 1 && kind != "asset" && !present.contains(kind) {
            let named = first_of(assets.len(), assets.iter().map(|(asset, _)| asset.to_string()));
            let count: u32 = assets.iter().map(|(_, used)| used.count).sum();
            let detail = format!("every {kind} in use, {} in total: {named}", thousands(assets.len() as u64));
            let finding = Finding::new(Code::AST001).measured(count).detail(detail).aspect(kind.to_owned());
            verdicts.push_for(assets.len(), finding);
        } else {
            verdicts
                .extend(assets.iter().map(|(asset, used)| missing_asset(Code::AST001, kind, *asset, used)));
        }
    }
}

/// An object in an inventory whose asset is missing from the export. Its content is lost.
pub(crate) fn obj009_nested_object_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let objects =
        measured.uses.iter().filter(|(_, used)| used.kind == "object" && !is_of_inventory(measured, used));
    let missing = objects.filter(|(asset, _)| !measured.assets.has(**asset));
    match unproved(measured) {
        Some(reason) => verdicts.not_evaluated(Code::OBJ009, reason, missing.count()),
        None => verdicts.extend(missing.map(|(asset, used)| missing_asset(Code::OBJ009, "", *asset, used))),
    }
}

/// A UUID in a script or a notecard that may be an asset, and is nothing else in the export. OpenSim's own gatherer
/// calls these uncertain.
pub(crate) fn ast002_mentioned_and_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if let Some(reason) = unproved(measured) {
        let texts = measured.uses.values().any(|used| ["script", "notecard"].contains(&used.kind));
        return verdicts.not_evaluated(Code::AST002, reason, texts.into());
    }
    let parts = || measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    let known: BTreeSet<Uuid> =
        parts().flat_map(|part| [part.uuid, part.owner, part.creator, part.group, part.last_owner]).collect();
    let (mut missing, mut texts) = (BTreeSet::new(), 0_u32);
    for asset in &measured.ledger.assets {
        let Content::Text(text) = &asset.content else { continue };
        let unknown =
            text.mentions.iter().filter(|uuid| !known.contains(uuid) && !is_there(measured, **uuid));
        let unknown: Vec<Uuid> = unknown.copied().collect();
        texts += u32::from(!unknown.is_empty());
        missing.extend(unknown);
    }
    if !missing.is_empty() {
        let named = first_of(missing.len(), missing.iter().map(Uuid::to_string));
        let detail = format!(
            "{} that this export lacks, in {}: {named}",
            counted(missing.len() as u64, "UUID"),
            counted(texts.into(), "text")
        );
        verdicts.push(Finding::new(Code::AST002).measured(missing.len() as f64).detail(detail));
    }
}

/// The zero UUID in place of an asset: mesh, sculpt map, item, texture of a face.
pub(crate) fn ast003_nothing_where_an_asset_belongs(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for object in &measured.ledger.objects {
        let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for part in &object.linkset.parts {
            for what in without_asset(part, object.layout) {
                places.entry(what).or_default().push(part.link_number.to_string());
            }
        }
        let count: usize = places.values().map(Vec::len).sum();
        if count > 0 {
            let words = places.iter().map(|(what, links)| format!("{what} at link {}", abridged(links)));
            let detail: Vec<String> = words.collect();
            verdicts.push(at(object, Code::AST003).measured(count as f64).detail(detail.join("; ")));
        }
    }
}

/// Returns the places of a prim that need an asset and name none.
fn without_asset(part: &Part, layout: Layout) -> impl Iterator<Item = &'static str> {
    let form = part.mesh().filter(Uuid::is_nil).map(|_| "mesh");
    let map = part.sculpt_map().filter(Uuid::is_nil).map(|_| "sculpt map");
    let blank = |reference: &&_| **reference == Use::Texture.reference(Uuid::nil());
    let face = part.references.iter().find(blank).map(|_| "face texture");
    // Some exports of viewers never say the assets of items.
    let blank_items =
        part.inventory.iter().filter(move |item| item.asset.is_nil() && layout.has_identities());
    let items = blank_items.filter_map(|item| asset_uses::kind_of_item(item.asset_type));
    form.into_iter().chain(map).chain(face).chain(items)
}

/// Why an absent asset is not a finding. An unread part of the input or of a store may contain it, or the input has no
/// assets at all.
pub fn unproved(measured: &Measured<'_>) -> Option<SkipReason> {
    if measured.ledger.status != Status::Complete {
        return Some(SkipReason::Incomplete);
    }
    if measured.ledger.container.is_partial {
        return Some(SkipReason::PartOfStore);
    }
    if measured.assets.may_be_in_stores() {
        return Some(SkipReason::StoreIncomplete);
    }
    let any = !measured.ledger.container.assets.is_empty() || measured.assets.has_stores();
    (!any).then_some(SkipReason::NoAssets)
}

/// Whether the export, a store, viewers or grids have an asset.
pub fn is_there(measured: &Measured<'_>, asset: Uuid) -> bool {
    measured.assets.has(asset)
        || measured.assets.mesh(asset).is_some_and(|mesh| mesh.bytes > 0)
        || is_well_known(asset)
}

/// Whether only inventories of a database use an asset. INV007 reports it for each owner.
fn is_of_inventory(measured: &Measured<'_>, used: &Used<'_>) -> bool {
    used.by_items_only && measured.ledger.is_database()
}

/// One finding for a missing asset, at the first place that uses it.
fn missing_asset(code: Code, kind: &str, asset: Uuid, used: &Used<'_>) -> Finding {
    let uses = match used.count {
        1 => "once".to_owned(),
        count => format!("{} times", thousands(count.into())),
    };
    let what = if kind.is_empty() { String::new() } else { format!("the {kind} ") };
    let mut finding = Finding::new(code).measured(used.count).detail(format!("{what}{asset}, used {uses}"));
    finding.place = used.first.place();
    finding.place.asset = Some(asset);
    finding
}
