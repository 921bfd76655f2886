//! What a comparison needs of the rows of a report.

use super::{Figure, Finding, Linkset, Region};
use crate::{
    csv::real,
    table::{Cell, Key},
    tables::{
        archives::key as archive,
        findings::key as finding,
        objects::key as object,
        regions::{Regions, key as region},
    },
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{
    InputKind,
    facts::{Role, Status},
    summary::LedgerSummary,
};
use hullmark_rules::history;
use hullmark_util::dates_in_names;
use xxhash_rust::xxh3::xxh3_128;

/// Reads a number, rounded as in CSV.
pub(super) fn number<T>(key: Key<T>, row: &[Cell<'_>]) -> Option<f64> {
    real(key.number(row)?).parse().ok().filter(|value: &f64| value.is_finite())
}

fn small<T>(key: Key<T>, row: &[Cell<'_>]) -> u32 {
    u32::try_from(key.count(row)).unwrap_or(0)
}

/// Reads a hash.
fn hash(word: &str) -> Option<u64> {
    u64::from_str_radix(word, 16).ok()
}

/// Reads a number; if it is a cost, with its basis.
pub(super) fn figure<T>(key: Key<T>, basis: Option<Key<T>>, row: &[Cell<'_>]) -> Option<Figure> {
    let bound = basis.is_some_and(|basis| Basis::is_lower_bound(basis.text(row)));
    number(key, row).map(|value| Figure { value, bound })
}

/// Returns the summary of an archive without its regions.
pub(super) fn brief(row: &[Cell<'_>]) -> history::Archive {
    let created = humantime::parse_rfc3339(archive::CREATED.text(row)).ok().and_then(dates_in_names::seconds);
    history::Archive {
        name: archive::ARCHIVE.text(row).to_owned(),
        kind: InputKind::named(archive::KIND.text(row)),
        brief: LedgerSummary {
            status: Status::named(archive::STATUS.text(row)).unwrap_or(Status::Unreadable),
            created: created.filter(|&time| time > 0),
            objects: archive::OBJECTS.count(row),
            nested_objects: archive::NESTED_OBJECTS.count(row),
            loose_objects: archive::LOOSE_OBJECTS.count(row),
            assets: archive::ASSETS.count(row).saturating_sub(archive::EMPTY_ASSETS.count(row)),
            empty_assets: archive::EMPTY_ASSETS.count(row),
            bytes: archive::EXPANDED_BYTES.count(row),
            regions: Vec::new(),
        },
        modified: None,
        content: Some(archive::CONTENT_HASH.text(row).to_owned()).filter(|hash| !hash.is_empty()),
        costs: Vec::new(),
        earlier: Vec::new(),
    }
}

/// The compared numbers of a region, with the basis of costs.
pub const OF_REGION: [(Key<Regions>, Option<Key<Regions>>); 7] = [
    (region::LAND_IMPACT, Some(region::LAND_IMPACT_BASIS)),
    (region::PHYSICS_COST, Some(region::PHYSICS_COST_BASIS)),
    (region::STREAMING_COST, Some(region::STREAMING_COST_BASIS)),
    (region::SERVER_WEIGHT, None),
    (region::OBJECTS, None),
    (region::PARTS, None),
    (region::SCRIPTS, None),
];

pub(super) fn region_of(row: &[Cell<'_>]) -> Region {
    let numbers = OF_REGION.map(|(key, basis)| figure(key, basis, row));
    Region { name: region::REGION.text(row).to_owned(), numbers }
}

/// Returns the linkset of a row in `objects`, with the hash of its key. A rezzed object is matched by its UUID, a nested
/// one also by the asset that contains it, a loose one by its file.
pub(super) fn linkset(row: &[Cell<'_>]) -> (u128, Linkset) {
    let (role, uuid) = (object::ROLE.text(row), object::OBJECT_UUID.text(row));
    let holder = match role {
        _ if uuid.is_empty() => object::ENTRY.text(row),
        role if role == Role::Rezzed.name() => "",
        _ if !object::ASSET_UUID.text(row).is_empty() => object::ASSET_UUID.text(row),
        _ => object::ENTRY.text(row),
    };
    let key = xxh3_128(format!("{}\n{role}\n{uuid}\n{holder}", object::IDENTITY.text(row)).as_bytes());
    let linkset = Linkset {
        uuid: object::OBJECT_UUID.uuid(row).unwrap_or_default(),
        owner: object::OWNER_UUID.uuid(row).unwrap_or_default(),
        name: object::NAME.text(row).into(),
        region: (role == Role::Rezzed.name()).then(|| object::REGION.text(row).into()),
        place: place(row),
        content: hash(object::CONTENT.text(row)),
        count: 1,
        parts: small(object::PARTS, row),
        scripts: number(object::SCRIPTS, row).map(|_| small(object::SCRIPTS, row)),
        land_impact: figure(object::LAND_IMPACT, Some(object::LAND_IMPACT_BASIS), row),
        physics_cost: figure(object::PHYSICS_COST, Some(object::PHYSICS_COST_BASIS), row),
    };
    (key, linkset)
}

fn place(row: &[Cell<'_>]) -> Option<[i32; 3]> {
    let axis = |key| number(key, row).map(|metres| (metres * 100.0).round() as i32);
    Some([axis(object::POSITION_X_M)?, axis(object::POSITION_Y_M)?, axis(object::POSITION_Z_M)?])
}

/// Returns the finding of a row in `findings`. `None` if its code is from another version, which cannot be matched.
pub(super) fn finding(row: &[Cell<'_>]) -> Option<(Code, Finding)> {
    let code = Code::parse(finding::CODE.text(row))?;
    let finding = Finding {
        severity: Severity::named(finding::SEVERITY.text(row))?,
        count: finding::COUNT.count(row),
        measured: number(finding::MEASURED, row),
        limit: number(finding::LIMIT, row),
        message: finding::MESSAGE.text(row).into(),
        object: finding::OBJECT_UUID.uuid(row).unwrap_or_default(),
        about: match finding::OBJECT_NAME.text(row) {
            "" => finding::ENTRY.text(row).into(),
            name => name.into(),
        },
        region: finding::REGION.text(row).into(),
        waived: !finding::WAIVED_UNTIL.text(row).is_empty(),
        fingerprint: hash(finding::FINGERPRINT.text(row))?,
        content_fingerprint: hash(finding::CONTENT_FINGERPRINT.text(row)),
    };
    Some((code, finding))
}
