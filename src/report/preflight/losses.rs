//! Content that does not arrive on the target, or that nobody can use there.

use super::users::Users;
use crate::{ReportedFinding, ReportedFindings};
use hullmark_analysis::{Measured, asset_uses};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_rules::{
    SkipReason,
    catalogue::{self, Effect},
    families::{
        asset::SHOWN_IN_PART,
        reference::{FORMS, is_there, unproved},
    },
    well_known_assets::is_well_known,
};
use hullmark_settings::profile::Grid;
use serde::Serialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use uuid::Uuid;

/// The content of one kind that an archive loses.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// Path of the archive.
    pub archive: String,
    /// Kind of the content: a kind of asset, `object`, or another noun.
    pub kind: &'static str,
    /// Number of items that the archive lacks or that cannot be used.
    pub lacking: u64,
    /// Number of these items that the target will not have. An asset that the archive lacks and a folder of `--assets`
    /// has is not lost.
    pub lost: u64,
    /// Number of objects that use the lost assets; absent if the items are not assets.
    pub objects: Option<u64>,
    /// Number of the lacking assets that are in the folders of `--assets`; absent without `--assets`.
    pub found_in_assets: Option<u64>,
}

/// Kind of an object in an inventory.
const NESTED: &str = "object in an inventory";

/// Content that is no asset: the kind, and what distinguishes one item from another.
type Item = (&'static str, String);

/// The lacking content of an archive.
#[derive(Debug, Default)]
pub struct Lacking {
    /// Kinds of assets. The flag is true for an asset that the target will not have.
    pub assets: BTreeMap<Uuid, (&'static str, bool)>,
    /// Who uses these assets.
    pub users: Users,
    others: BTreeSet<Item>,
}

impl Lacking {
    /// Collects what an archive lacks, and what nobody can use.
    pub fn of(measured: &Measured<'_>, reported: &ReportedFindings<'_>) -> Self {
        let mut lacking = Self::default();
        add_missing(measured, reported, &mut lacking);
        for row in reported.findings.iter().filter(|row| row.waived().is_none()) {
            add_unusable(measured, row, &mut lacking);
        }
        lacking.users = Users::of(measured, &lacking.assets);
        lacking
    }

    /// Whether the input lacks an asset, and the target will not have it. Damaged assets are there, and objects in
    /// inventories have rules of their own.
    pub fn is_missing(&self, measured: &Measured<'_>, asset: Uuid) -> bool {
        let is_asset = |&(kind, is_lost): &(&str, bool)| is_lost && kind != NESTED;
        self.assets.get(&asset).is_some_and(is_asset) && !is_there(measured, asset)
    }

    /// Returns the losses by kind, the most numerous first. `with_stores`: `--assets` named a folder.
    pub fn losses(&self, measured: &Measured<'_>, with_stores: bool) -> Vec<Loss> {
        let mut losses = BTreeMap::new();
        let archive = &measured.ledger.input;
        let none = |kind, is_asset: bool| Loss {
            archive: archive.clone(),
            kind,
            lacking: 0,
            lost: 0,
            objects: is_asset.then_some(0),
            found_in_assets: (is_asset && with_stores).then_some(0),
        };
        for (&asset, &(kind, is_lost)) in &self.assets {
            let loss: &mut Loss = losses.entry(kind).or_insert_with(|| none(kind, true));
            loss.lacking += 1;
            loss.lost += u64::from(is_lost);
            let found = measured.assets.has_copy_in_stores(asset);
            loss.found_in_assets = loss.found_in_assets.map(|count| count + u64::from(found));
        }
        for (&kind, &count) in &self.users.by_kind {
            losses.entry(kind).or_insert_with(|| none(kind, true)).objects = Some(count);
        }
        for (kind, _) in &self.others {
            let loss = losses.entry(kind).or_insert_with(|| none(kind, false));
            loss.lacking += 1;
            loss.lost += 1;
        }
        let mut losses: Vec<Loss> = losses.into_values().filter(|loss| loss.lost > 0).collect();
        losses.sort_by_key(|loss| (Reverse(loss.lost), loss.kind));
        losses
    }
}

/// Whether a rule is selected and at least a warning.
fn counts(measured: &Measured<'_>, code: Code) -> bool {
    measured.profile.selects(code) && measured.profile.severity(code) >= Severity::Warning
}

/// Whether ARC009 reports that the archive has no assets, and no waiver covers it.
pub(super) fn is_without_assets(reported: &ReportedFindings<'_>) -> bool {
    reported.findings.iter().any(|row| row.finding.code == Code::ARC009 && row.waived().is_none())
}

/// Counts the assets in use that nobody looked for, by kind: a database has no table of assets, and nothing else has them.
pub(super) fn not_looked_for(measured: &Measured<'_>) -> BTreeMap<&'static str, u64> {
    let mut kinds = BTreeMap::new();
    if !measured.ledger.is_database() || unproved(measured) != Some(SkipReason::NoAssets) {
        return kinds;
    }
    for (_, used) in measured.uses.iter().filter(|(asset, _)| !is_there(measured, **asset)) {
        *kinds.entry(used.kind).or_default() += 1;
    }
    kinds
}

/// Adds the assets in use that are not in the archive, unless a waiver covers them.
fn add_missing(measured: &Measured<'_>, reported: &ReportedFindings<'_>, lacking: &mut Lacking) {
    let doubt = unproved(measured);
    let without_assets = is_without_assets(reported);
    let (waived_assets, waived_kinds) = waived(reported);
    for (&asset, used) in &measured.uses {
        let (code, kind) = match used.kind {
            "object" => (Code::OBJ009, NESTED),
            kind => (Code::AST001, kind),
        };
        let is_proved = match doubt {
            Some(SkipReason::Incomplete) => false,
            // The assets of a database may be in another one, so none of them was looked for.
            Some(SkipReason::NoAssets) if measured.ledger.is_database() => false,
            Some(SkipReason::NoAssets) => without_assets || FORMS.contains(&used.kind),
            _ => true,
        };
        let is_waived = waived_assets.contains(&asset) || waived_kinds.contains(used.kind);
        let is_lost = !is_there(measured, asset);
        let is_lacking = is_lost || (measured.assets.in_stores(asset) && !is_well_known(asset));
        if is_lacking && is_proved && !is_waived && counts(measured, code) {
            lacking.assets.insert(asset, (kind, is_lost));
        }
    }
}

/// Returns the missing assets that waivers cover: single assets, and kinds that are missing as a whole.
fn waived<'a>(reported: &ReportedFindings<'a>) -> (BTreeSet<Uuid>, BTreeSet<&'a str>) {
    let (mut assets, mut kinds) = (BTreeSet::new(), BTreeSet::new());
    let rows = reported.findings.iter().filter(|row| row.waived().is_some());
    for finding in rows.flat_map(ReportedFinding::findings) {
        match (finding.code.name(), finding.place.asset) {
            ("AST001" | "OBJ009", Some(asset)) => _ = assets.insert(asset),
            ("AST001", None) => _ = kinds.insert(&*finding.aspect),
            _ => {}
        }
    }
    (assets, kinds)
}

/// Whether a finding is of an asset that nobody can use.
pub fn is_broken_asset(severity: Severity, finding: &Finding) -> bool {
    let is_broken = match finding.code.name() {
        "AST004" => finding.aspect != SHOWN_IN_PART,
        code => code.starts_with("MSH") && is_lost(finding.code),
    };
    is_broken && severity >= Severity::Warning
}

/// Adds the content that arrives in a form that nobody can use, or that a load drops.
fn add_unusable(measured: &Measured<'_>, row: &ReportedFinding<'_>, lacking: &mut Lacking) {
    if row.severity < Severity::Warning {
        return;
    }
    let is_opensim = measured.profile.loader() == Grid::OpenSim;
    for finding in row.findings() {
        let kind = match finding.code.name() {
            "ARC010" => kind_of_asset(measured, finding),
            code if is_broken_asset(row.severity, finding) => match code {
                "AST004" => kind_of_asset(measured, finding),
                _ => "mesh",
            },
            "POS002" | "POS003" if is_opensim => "object",
            "OBJ013" | "SCR005" => "saved script state",
            "ARC004" if row.severity < Severity::Blocker => "file",
            "ARC007" | "ARC011" => "file",
            "REG003" => "telehub",
            "REG004" | "REG008" => "parcel",
            "REG005" | "REG007" => "settings file",
            "REG010" if has_all_heights(measured, finding) => continue,
            "REG009" | "REG010" | "POS007" => "terrain",
            _ => continue,
        };
        match finding.place.asset {
            Some(asset) => _ = lacking.assets.insert(asset, (kind, true)),
            None => _ = lacking.others.insert((kind, subject(finding))),
        }
    }
}

/// Whether the terrain of a megaregion has all heights that the target needs.
fn has_all_heights(measured: &Measured<'_>, finding: &Finding) -> bool {
    let needed = measured.profile.placement.region_size_m.map(u64::from).iter().product::<u64>();
    let region = measured.ledger.regions.iter().find(|region| region.folder == finding.place.entry);
    let heights = region.and_then(|region| region.terrain.as_ref()?.heights);
    needed > 0 && heights.is_some_and(|heights| heights.samples >= needed)
}

/// Whether the subject of a rule does not arrive.
fn is_lost(code: Code) -> bool {
    catalogue::rule(code).effect == Effect::Loses
}

/// Returns the kind of a damaged asset, from its use or from its file name.
fn kind_of_asset(measured: &Measured<'_>, finding: &Finding) -> &'static str {
    let used = finding.place.asset.and_then(|asset| measured.uses.get(&asset));
    let by_name = || {
        let entry = &finding.place.entry;
        asset_uses::kind_of_suffix(entry.rfind('_').map_or("", |start| &entry[start..]))
    };
    match used.map_or_else(by_name, |used| used.kind) {
        "object" => NESTED,
        kind => kind,
    }
}

/// Distinguishes the subjects of findings about content that is no asset.
fn subject(finding: &Finding) -> String {
    let object = finding.place.object.map(|object| object.to_string()).unwrap_or_default();
    format!("{}\n{object}", finding.place.entry)
}
