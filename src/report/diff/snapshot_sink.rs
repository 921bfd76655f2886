//! Builds a [`Snapshot`] from the rows of a report.

use super::{Archive, Figure, Finding, Linkset, Provenance, Region, Snapshot, key};
use crate::{
    Summary,
    csv::real,
    packed_rows::{PackedRows, unpack},
    page::{Page, Writer},
    reported::Piece,
    table::{Cell, Key, Table},
    tables::{
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        objects::{Objects, key as object},
        regions::{Regions, key as region},
    },
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{
    InputKind,
    facts::{Role, Status},
    summary::{self, LedgerSummary},
};
use hullmark_rules::history::{self, RegionCosts};
use hullmark_util::{dates_in_names, lock::lock};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    io,
    sync::{Arc, Mutex},
};
use xxhash_rust::xxh3::xxh3_128;

/// Reads a number, rounded as in CSV.
fn number<T>(key: Key<T>, row: &[Cell<'_>]) -> Option<f64> {
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
fn figure<T>(key: Key<T>, basis: Option<Key<T>>, row: &[Cell<'_>]) -> Option<Figure> {
    let bound = basis.is_some_and(|basis| Basis::is_lower_bound(basis.text(row)));
    number(key, row).map(|value| Figure { value, bound })
}

/// Builds a [`Snapshot`] from the rows of a report.
#[derive(Debug, Default)]
pub struct SnapshotSink {
    snapshot: Snapshot,
    /// Key of each archive that counts, by its path.
    counting: HashMap<String, String>,
    /// Keys of newest copies that an older one replaces. Only their findings count.
    replaced: HashMap<String, String>,
    /// Names of regions, each stored once.
    regions: HashMap<String, Arc<str>>,
}

impl SnapshotSink {
    /// Returns the snapshot, with the provenance from this `audit.json`.
    pub fn finish(self, audit: &Value) -> Snapshot {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (manifest, narrowed) = (&audit["manifest"], &audit["narrowed"]);
        let provenance = Provenance {
            program: text(&manifest["hullmark"]),
            rules: text(&manifest["rules"]),
            profile: manifest["profile"].clone(),
            opensim_load: manifest["opensim_load"].clone(),
            filter: match narrowed {
                Value::Object(_) => {
                    json!([narrowed["owners"], narrowed["regions"], narrowed["min_severity"]])
                }
                _ => Value::Null,
            },
            now: manifest["now"].as_str().map(str::to_owned),
        };
        Snapshot { provenance, ..self.snapshot }
    }

    /// Returns a snapshot, and the format that takes it from the rows of a report.
    pub fn recorder() -> (Arc<Mutex<Self>>, Writer) {
        let snapshot = Arc::new(Mutex::new(Self::default()));
        let page = Arc::clone(&snapshot);
        (snapshot, Writer::new(Self::rows, page))
    }

    /// Takes what was recorded.
    pub fn recorded(snapshot: &Mutex<Self>) -> Self {
        std::mem::take(&mut *lock(snapshot))
    }

    /// Packs the rows of a piece that are compared.
    fn rows(piece: &Piece<'_>) -> io::Result<PackedRows> {
        let compared = [Archives::NAME, Regions::NAME, Objects::NAME, Findings::NAME];
        PackedRows::of(piece, |table| compared.contains(&table))
    }

    /// Takes a row. The row of an archive comes before those of its contents.
    pub fn take(&mut self, table: &str, row: &[Cell<'_>]) {
        match table {
            Archives::NAME => self.archive(row),
            Regions::NAME => {
                self.note_region(row);
                if let Some(archive) = self.counting(region::ARCHIVE.text(row)) {
                    archive.regions.insert(region::IDENTITY.text(row).to_owned(), region_of(row));
                }
            }
            Objects::NAME => {
                let name = object::REGION.text(row);
                let rezzed = object::ROLE.text(row) == Role::Rezzed.name();
                let region = rezzed.then(|| match self.regions.get(name) {
                    Some(region) => Arc::clone(region),
                    None => Arc::clone(self.regions.entry(name.to_owned()).or_insert_with(|| name.into())),
                });
                if let Some(archive) = self.counting(object::ARCHIVE.text(row)) {
                    add_linkset(archive, row, region);
                }
            }
            Findings::NAME => {
                let name = finding::ARCHIVE.text(row);
                let key = self.replaced.get(name).or_else(|| self.counting.get(name));
                if let Some(archive) = key.and_then(|key| self.snapshot.archives.get_mut(key)) {
                    add_finding(archive, row);
                }
            }
            _ => {}
        }
    }

    /// Returns the archive of this name, if it counts.
    fn counting(&mut self, name: &str) -> Option<&mut Archive> {
        self.snapshot.archives.get_mut(self.counting.get(name)?)
    }

    fn archive(&mut self, row: &[Cell<'_>]) {
        let (name, kind) = (archive::ARCHIVE.text(row), InputKind::named(archive::KIND.text(row)));
        if kind == InputKind::Store {
            return;
        }
        if !archive::SUPERSEDED_BY.text(row).is_empty() {
            self.snapshot.older += u64::from(archive::STATUS.text(row) != Status::NotCovered.name());
            self.snapshot.superseded.insert(dates_in_names::undated(name));
            return;
        }
        let input = brief(row);
        if kind != InputKind::Absent {
            self.snapshot.inputs.push(input.clone());
        }
        let series = archive::SERIES.text(row);
        if self.replaced.contains_key(name) || series.is_empty() {
            self.snapshot.older +=
                u64::from(series.is_empty() && archive::STATUS.text(row) != Status::NotCovered.name());
            return;
        }
        let mut archive = Archive {
            input,
            identity: archive::IDENTITY.text(row).to_owned(),
            parts: archive::PARTS.count(row),
            regions: BTreeMap::new(),
            linksets: HashMap::new(),
            findings: HashMap::new(),
        };
        let key = key(kind, name, series);
        let newest = archive::IN_PLACE_OF.text(row);
        if !newest.is_empty() {
            self.replaced.insert(newest.to_owned(), key.clone());
            // If all copies are evaluated, its row may come before this one.
            if self.counting.remove(newest).is_some()
                && let Some(replaced) = self.snapshot.archives.remove(&key)
            {
                self.snapshot.identities.entry(replaced.identity).or_default().remove(&key);
                archive.findings = replaced.findings;
            }
        }
        if !archive.is_absent() {
            self.snapshot.identities.entry(archive.identity.clone()).or_default().insert(key.clone());
        }
        self.counting.insert(name.to_owned(), key.clone());
        self.snapshot.archives.insert(key, archive);
    }

    /// Adds a region to the summary of its archive. An edited report may have rows of archives that it lacks.
    fn note_region(&mut self, row: &[Cell<'_>]) {
        let archive = region::ARCHIVE.text(row);
        let Some(input) = self.snapshot.inputs.iter_mut().rev().find(|input| input.name == archive) else {
            return;
        };
        let uuid = region::REGION_UUID.uuid(row).filter(|uuid| !uuid.is_nil());
        let (name, objects) = (region::REGION.text(row).to_owned(), region::OBJECTS.count(row));
        input.brief.regions.push(summary::Region { name, uuid, objects });
        let exact =
            |cost, basis| figure(cost, Some(basis), row).filter(|cost| !cost.bound).map(|cost| cost.value);
        input.costs.push(RegionCosts {
            identity: region::IDENTITY.text(row).to_owned(),
            land_impact: exact(region::LAND_IMPACT, region::LAND_IMPACT_BASIS),
            physics_cost: exact(region::PHYSICS_COST, region::PHYSICS_COST_BASIS),
            server_weight: number(region::SERVER_WEIGHT, row),
        });
    }
}

/// The comparison reads the snapshot before the report is finished, so both own it.
impl Page for Arc<Mutex<SnapshotSink>> {
    type Part = PackedRows;

    fn append(&mut self, _: &Piece<'_>, rows: PackedRows) -> io::Result<()> {
        let mut sink = lock(self);
        rows.into_rows(|table, row, ()| {
            sink.take(table, &unpack(row)?);
            Ok(())
        })
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the summary of an archive without its regions.
fn brief(row: &[Cell<'_>]) -> history::Archive {
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

fn region_of(row: &[Cell<'_>]) -> Region {
    let numbers = OF_REGION.map(|(key, basis)| figure(key, basis, row));
    Region { name: region::REGION.text(row).to_owned(), numbers }
}

/// A rezzed object is matched by its UUID, a nested one also by the asset that contains it, a loose one by its file.
fn add_linkset(archive: &mut Archive, row: &[Cell<'_>], region: Option<Arc<str>>) {
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
        region,
        place: place(row),
        content: hash(object::CONTENT.text(row)),
        count: 1,
        parts: small(object::PARTS, row),
        scripts: number(object::SCRIPTS, row).map(|_| small(object::SCRIPTS, row)),
        land_impact: figure(object::LAND_IMPACT, Some(object::LAND_IMPACT_BASIS), row),
        physics_cost: figure(object::PHYSICS_COST, Some(object::PHYSICS_COST_BASIS), row),
    };
    match archive.linksets.entry(key) {
        Entry::Vacant(place) => {
            place.insert(linkset);
        }
        Entry::Occupied(mut place) => {
            let sum = place.get_mut();
            sum.count += 1;
            sum.parts = sum.parts.saturating_add(linkset.parts);
            sum.scripts = sum.scripts.zip(linkset.scripts).map(|(sum, more)| sum.saturating_add(more));
            sum.land_impact = add(sum.land_impact, linkset.land_impact);
            sum.physics_cost = add(sum.physics_cost, linkset.physics_cost);
            // Independent of the order in the archive: the first name in alphabetical order.
            if linkset.name < sum.name {
                (sum.name, sum.owner) = (linkset.name, linkset.owner);
            }
        }
    }
}

fn place(row: &[Cell<'_>]) -> Option<[i32; 3]> {
    let axis = |key| number(key, row).map(|metres| (metres * 100.0).round() as i32);
    Some([axis(object::POSITION_X_M)?, axis(object::POSITION_Y_M)?, axis(object::POSITION_Z_M)?])
}

/// Returns the sum of two numbers. `None` if one of them is unknown.
fn add(a: Option<Figure>, b: Option<Figure>) -> Option<Figure> {
    let (a, b) = (a?, b?);
    Some(Figure { value: a.value + b.value, bound: a.bound || b.bound })
}

fn add_finding(archive: &mut Archive, row: &[Cell<'_>]) {
    // An unknown code is from another version and cannot be matched.
    let (Some(code), Some(severity)) =
        (Code::parse(finding::CODE.text(row)), Severity::named(finding::SEVERITY.text(row)))
    else {
        return;
    };
    let Some(fingerprint) = hash(finding::FINGERPRINT.text(row)) else { return };
    let about = match finding::OBJECT_NAME.text(row) {
        "" => finding::ENTRY.text(row),
        name => name,
    };
    let finding = Finding {
        severity,
        count: finding::COUNT.count(row),
        measured: number(finding::MEASURED, row),
        limit: number(finding::LIMIT, row),
        message: finding::MESSAGE.text(row).into(),
        object: finding::OBJECT_UUID.uuid(row).unwrap_or_default(),
        about: about.into(),
        region: finding::REGION.text(row).into(),
        waived: !finding::WAIVED_UNTIL.text(row).is_empty(),
        fingerprint,
        content_fingerprint: hash(finding::CONTENT_FINGERPRINT.text(row)),
    };
    finding.add_to(&mut archive.findings, (code, fingerprint));
}
