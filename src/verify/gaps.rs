//! What was not read, so that a lost object may be there, and one that is gone may never be missed.

use crate::{AssetArrival, Found};
use hullmark_analysis::asset_uses;
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{AssetFacts, RegionFacts, Role, Status},
};
use hullmark_util::number_text::counted;
use serde::Serialize;

/// Something that was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Gap {
    /// Whether it is on the side after the move.
    pub after: bool,
    /// Path of the input.
    pub archive: String,
    /// The unknown content, as a clause that follows the path.
    pub why: String,
}

/// Lists what prevents a proof. `with_stores` has the inputs and the stores after the move.
pub(crate) fn gaps(
    before: &[&Ledger],
    after: &[&Ledger],
    with_stores: &[&Ledger],
    assets: &[AssetArrival<'_>],
) -> Vec<Gap> {
    let mut gaps = Vec::new();
    for (ledgers, is_after) in [(before, false), (with_stores, true)] {
        for ledger in ledgers {
            let why = why_unread(ledger);
            gaps.extend(why.map(|why| Gap { after: is_after, archive: ledger.input.clone(), why }));
        }
    }
    let has_land = |region: &RegionFacts| {
        region.terrain.is_some() || region.settings.is_some() || !region.parcels.is_empty()
    };
    let has_content = |ledger: &&Ledger| {
        ledger.regions.iter().any(has_land) || !ledger.objects.is_empty() || !ledger.items.is_empty()
    };
    if !before.iter().any(has_content) {
        let archive = before.first().map_or_else(String::new, |ledger| ledger.input.clone());
        gaps.push(Gap {
            after: false,
            archive,
            why: "has no region, object or item that could arrive".into(),
        });
    }
    if with_stores.iter().all(|ledger| ledger.assets.is_empty())
        && let Some(database) = after.iter().find(|ledger| ledger.is_database())
        && assets.iter().any(|asset| asset.found == Found::Missing)
    {
        let why = "has no table of assets. Name the assets of the grid with --assets PATH";
        gaps.push(Gap { after: true, archive: database.input.clone(), why: why.into() });
    }
    for server in after.iter().filter(|ledger| is_server(ledger)) {
        let uses = asset_uses::collect(server);
        let is_used = |asset: &AssetFacts| asset.uuid().is_some_and(|uuid| uses.contains_key(&uuid));
        let was_asked_for_all = !server.assets.iter().all(is_used);
        let is_unknown =
            |asset: &AssetArrival<'_>| asset.found == Found::Missing && !uses.contains_key(&asset.asset);
        if !was_asked_for_all && assets.iter().any(is_unknown) {
            let why = "was asked only for assets that its objects use. Read all with --all-assets";
            gaps.push(Gap { after: true, archive: server.input.clone(), why: why.into() });
        }
    }
    let unread_inventory =
        |ledger: &&&Ledger| ledger.container.inventory_items > 0 && ledger.items.is_empty();
    if before.iter().any(|ledger| !ledger.items.is_empty())
        && let Some(database) = after.iter().find(unread_inventory)
    {
        let why = "has inventories that were not read. Choose their owners with --inventory";
        gaps.push(Gap { after: true, archive: database.input.clone(), why: why.into() });
    }
    gaps
}

fn is_server(ledger: &Ledger) -> bool {
    matches!(ledger.kind, InputKind::Mysql | InputKind::Postgresql)
}

/// Says why the content of an input is not known to its end. `None` if it is.
fn why_unread(ledger: &Ledger) -> Option<String> {
    if ledger.status != Status::Complete {
        return Some(format!("was not read to its end ({})", ledger.status.name().replace('_', " ")));
    }
    if ledger.regions.iter().any(|region| region.objects_unread) {
        return Some("has rows of objects that were not read".into());
    }
    let objects = ledger.objects.iter().filter(|object| object.role != Role::Nested);
    let unread = |part: &hullmark_format::object::Part| part.is_unknown();
    let unknown = objects.filter(|object| object.linkset.parts.iter().any(unread)).count() as u64;
    (unknown > 0).then(|| format!("has {} with parts that were not read", counted(unknown, "object")))
}
