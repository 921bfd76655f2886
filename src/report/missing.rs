//! The assets in use that an input lacks or that nobody can use, each with its first user.

use crate::{
    first_user::{FirstUser, regions_by_entry},
    preflight::Lacking,
};
use hullmark_analysis::Measured;
use hullmark_rules::families::reference::is_there;
use std::cmp::Reverse;
use uuid::Uuid;

/// An asset that objects, items, texts or land use and the target will lack.
#[derive(Debug, Clone)]
pub struct MissingAsset<'a> {
    pub asset: Uuid,
    /// Its kind, by its use.
    pub kind: &'static str,
    /// Why it is missing.
    pub state: &'static str,
    /// Whether the target will not have it.
    pub is_lost: bool,
    /// Number of objects that use it.
    pub objects: u64,
    /// Its first user.
    pub by: FirstUser<'a>,
}

/// Lists the missing assets of an input, those of most objects first.
pub fn list<'a>(measured: &'a Measured<'a>, lacking: &Lacking) -> Vec<MissingAsset<'a>> {
    if lacking.assets.is_empty() {
        return Vec::new();
    }
    let lands = regions_by_entry(measured.ledger);
    let asset = |(&asset, &(kind, is_lost)): (&Uuid, &(&'static str, bool))| {
        let by = FirstUser::new(measured, measured.uses.get(&asset)?, &lands);
        let state = match (is_lost, is_there(measured, asset)) {
            (false, _) => "in --assets",
            (true, false) => "missing",
            (true, true) => "unusable",
        };
        let objects = lacking.users.by_asset.get(&asset).copied().unwrap_or_default();
        Some(MissingAsset { asset, kind, state, is_lost, objects, by })
    };
    let mut list: Vec<MissingAsset<'a>> = lacking.assets.iter().filter_map(asset).collect();
    list.sort_by_key(|missing| {
        (Reverse((missing.objects, missing.by.used.count)), missing.kind, missing.asset)
    });
    list
}
