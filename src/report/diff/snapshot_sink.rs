//! Rows of a report to a [`Snapshot`].

use super::{Archive, Figure, Finding, Linkset, Made, Region, Snapshot, key};
use crate::{
    analysis::cost::Basis,
    finding::{Code, Severity},
    ledger::{
        self,
        facts::{Role, Status},
        summary::{self, LedgerSummary},
    },
    report::{
        Summary,
        csv::real,
        table::{Cell, Key, Rows, Sink, Table},
        tables::{
            archives::{Archives, key as archive},
            findings::{Findings, key as finding},
            objects::{Objects, key as object},
            regions::{Regions, key as region},
        },
    },
    rules::history::{self, RegionCosts},
    util::{dates_in_names, lock::lock},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    io,
    sync::{Arc, Mutex},
};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// The tables that it reads, in an order in which an archive stands before what is in it.
pub(super) const TABLES: [&str; 4] = [Archives::NAME, Regions::NAME, Objects::NAME, Findings::NAME];

/// A row, as a report writes it or as its CSV has it.
pub(super) enum Row<'a> {
    Cells(&'a [Cell<'a>]),
    /// Words by place in the table; empty for columns that are not read.
    Words(Vec<String>),
}

impl Row<'_> {
    pub(super) fn text<T>(&self, key: Key<T>) -> &str {
        match self {
            Self::Cells(cells) => key.text(cells),
            Self::Words(words) => words.get(key.place()).map_or("", String::as_str),
        }
    }

    pub(super) fn set<T>(&mut self, key: Key<T>, text: &str) {
        if let Self::Words(words) = self {
            text.clone_into(&mut words[key.place()]);
        }
    }

    fn count<T>(&self, key: Key<T>) -> u64 {
        match self {
            Self::Cells(cells) => key.count(cells),
            Self::Words(_) => self.text(key).parse().unwrap_or(0),
        }
    }

    fn small<T>(&self, key: Key<T>) -> u32 {
        u32::try_from(self.count(key)).unwrap_or(0)
    }

    fn number<T>(&self, key: Key<T>) -> Option<f64> {
        let number = match self {
            // Rounded as in CSV, with which it is compared.
            Self::Cells(cells) => key.number(cells).and_then(|number| real(number).parse().ok()),
            Self::Words(_) => self.text(key).parse().ok(),
        };
        number.filter(|value: &f64| value.is_finite())
    }

    fn uuid<T>(&self, key: Key<T>) -> Uuid {
        Uuid::try_parse(self.text(key)).unwrap_or_default()
    }

    /// A cost with what it rests on.
    fn figure<T>(&self, cost: Key<T>, basis: Key<T>) -> Option<Figure> {
        let bound = Basis::is_lower_bound(self.text(basis));
        self.number(cost).map(|value| Figure { value, bound })
    }
}

/// Takes the rows of a report, and is a [`Snapshot`] in the end.
#[derive(Debug, Default)]
pub struct SnapshotSink {
    night: Snapshot,
    /// What tells each archive again that counts.
    counting: HashMap<String, String>,
    /// The same of the newest copies that an older one is judged in the place of: only what was found of them counts.
    replaced: HashMap<String, String>,
    /// Names of regions, each held once.
    regions: HashMap<String, Arc<str>>,
}

impl SnapshotSink {
    /// What was gathered by one that a sink shares.
    pub(crate) fn out_of(shared: &Mutex<Self>) -> Self {
        std::mem::take(&mut *lock(shared))
    }

    /// Nothing yet, of rows that this version writes.
    pub fn new() -> Self {
        Self { night: Snapshot { tells_apart: true, ..Snapshot::default() }, ..Self::default() }
    }

    /// Says whether its fingerprints tell apart all that a rule says of one thing.
    pub(super) fn set_tells_apart(&mut self, tells_apart: bool) {
        self.night.tells_apart = tells_apart;
    }

    /// The night.
    pub fn night(self) -> Snapshot {
        self.night
    }

    /// How it came to be, as `audit.json` would say it.
    pub(crate) fn made_by(&mut self, summary: &Summary) -> io::Result<()> {
        self.set_made(&serde_json::to_value(summary)?);
        Ok(())
    }

    /// How it came to be.
    pub(super) fn set_made(&mut self, audit: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let manifest = &audit["manifest"];
        let narrowed = &audit["narrowed"];
        self.night.made = Made {
            program: text(&manifest["hullmark"]),
            rules: text(&manifest["rules"]),
            profile: manifest["profile"].clone(),
            narrowed: match narrowed {
                Value::Object(_) => {
                    json!([narrowed["owners"], narrowed["regions"], narrowed["min_severity"]])
                }
                _ => Value::Null,
            },
            now: manifest["now"].as_str().map(str::to_owned),
        };
    }

    /// Takes a row of one of [`TABLES`].
    pub(super) fn take(&mut self, table: &str, row: &Row<'_>) {
        if table == Archives::NAME {
            return self.archive(row);
        }
        if table == Regions::NAME {
            self.note_region(row);
        }
        // Of an archive that does not count nothing does.
        let name = match table {
            Regions::NAME => row.text(region::ARCHIVE),
            Objects::NAME => row.text(object::ARCHIVE),
            _ => row.text(finding::ARCHIVE),
        };
        let replaced = self.replaced.get(name).filter(|_| table == Findings::NAME);
        let Some(key) = replaced.or_else(|| self.counting.get(name)) else { return };
        let Some(archive) = self.night.archives.get_mut(key) else { return };
        match table {
            Regions::NAME => {
                archive.regions.insert(row.text(region::HOME).to_owned(), region_of(row));
            }
            Objects::NAME => {
                let name = row.text(object::REGION);
                let standing = row.text(object::ROLE) == Role::Rezzed.name();
                let region = standing.then(|| {
                    if !self.regions.contains_key(name) {
                        self.regions.insert(name.to_owned(), name.into());
                    }
                    self.regions.get(name).cloned()
                });
                add_linkset(archive, row, region.flatten());
            }
            Findings::NAME => add_finding(archive, row),
            _ => {}
        }
    }

    fn archive(&mut self, row: &Row<'_>) {
        let (name, kind) = (row.text(archive::ARCHIVE), row.text(archive::KIND));
        if kind == ledger::STORE {
            return;
        }
        if !row.text(archive::SUPERSEDED_BY).is_empty() {
            self.night.older += u64::from(row.text(archive::STATUS) != Status::NotCovered.name());
            return;
        }
        if kind != ledger::ABSENT {
            self.night.inputs.push(brief(row));
        }
        let series = row.text(archive::SERIES);
        if self.replaced.contains_key(name) || series.is_empty() {
            self.night.older +=
                u64::from(series.is_empty() && row.text(archive::STATUS) != Status::NotCovered.name());
            return;
        }
        let mut archive = Archive {
            name: name.to_owned(),
            home: row.text(archive::HOME).to_owned(),
            kind: kind.to_owned(),
            status: Status::named(row.text(archive::STATUS)).unwrap_or(Status::Unreadable),
            bytes: row.count(archive::BYTES),
            assets: row.count(archive::ASSETS),
            empty_assets: row.count(archive::EMPTY_ASSETS),
            objects: row.count(archive::OBJECTS),
            parts: row.count(archive::PARTS),
            nested_objects: row.count(archive::NESTED_OBJECTS),
            loose_objects: row.count(archive::LOOSE_OBJECTS),
            regions: BTreeMap::new(),
            linksets: HashMap::new(),
            findings: HashMap::new(),
        };
        let key = key(kind, name, series);
        let newest = row.text(archive::IN_PLACE_OF);
        if !newest.is_empty() {
            self.replaced.insert(newest.to_owned(), key.clone());
            // Where all copies are judged, it may stand before this one.
            if self.counting.remove(newest).is_some()
                && let Some(replaced) = self.night.archives.remove(&key)
            {
                self.night.homes.entry(replaced.home).or_default().remove(&key);
                archive.findings = replaced.findings;
            }
        }
        if !archive.is_absent() {
            self.night.homes.entry(archive.home.clone()).or_default().insert(key.clone());
        }
        self.counting.insert(name.to_owned(), key.clone());
        self.night.archives.insert(key, archive);
    }

    /// Adds a region to what its archive comes to. In a report made by hand rows may be of archives that it lacks.
    fn note_region(&mut self, row: &Row<'_>) {
        let archive = row.text(region::ARCHIVE);
        let Some(input) = self.night.inputs.iter_mut().rev().find(|input| input.name == archive) else {
            return;
        };
        let uuid = Some(row.uuid(region::REGION_UUID)).filter(|uuid| !uuid.is_nil());
        let Region { name, objects, land_impact, physics_cost, server_weight, .. } = region_of(row);
        input.brief.regions.push(summary::Region { name, uuid, objects });
        let exact = |cost: Option<Figure>| cost.filter(|cost| !cost.bound).map(|cost| cost.value);
        input.costs.push(RegionCosts {
            home: row.text(region::HOME).to_owned(),
            land_impact: exact(land_impact),
            physics_cost: exact(physics_cost),
            server_weight: exact(server_weight),
        });
    }
}

/// What an archive comes to, but for its regions.
pub(super) fn brief(row: &Row<'_>) -> history::Archive {
    let created = humantime::parse_rfc3339(row.text(archive::CREATED)).ok().and_then(dates_in_names::seconds);
    history::Archive {
        name: row.text(archive::ARCHIVE).to_owned(),
        kind: row.text(archive::KIND).to_owned(),
        brief: LedgerSummary {
            status: Status::named(row.text(archive::STATUS)).unwrap_or(Status::Unreadable),
            created: created.filter(|&time| time > 0),
            objects: row.count(archive::OBJECTS),
            nested_objects: row.count(archive::NESTED_OBJECTS),
            loose_objects: row.count(archive::LOOSE_OBJECTS),
            assets: row.count(archive::ASSETS).saturating_sub(row.count(archive::EMPTY_ASSETS)),
            empty_assets: row.count(archive::EMPTY_ASSETS),
            bytes: row.count(archive::EXPANDED_BYTES),
            regions: Vec::new(),
        },
        modified: None,
        costs: Vec::new(),
        earlier: Vec::new(),
    }
}

fn region_of(row: &Row<'_>) -> Region {
    Region {
        name: row.text(region::REGION).to_owned(),
        objects: row.count(region::OBJECTS),
        parts: row.count(region::PARTS),
        scripts: row.count(region::SCRIPTS),
        land_impact: row.figure(region::LAND_IMPACT, region::LAND_IMPACT_BASIS),
        physics_cost: row.figure(region::PHYSICS_COST, region::PHYSICS_COST_BASIS),
        streaming_cost: row.figure(region::STREAMING_COST, region::STREAMING_COST_BASIS),
        server_weight: row.number(region::SERVER_WEIGHT).map(|value| Figure { value, bound: false }),
    }
}

/// An object that stands is told again by its UUID, whatever its file is called; one in an inventory by the asset that
/// holds it, too; one that is a file by the file.
fn add_linkset(archive: &mut Archive, row: &Row<'_>, region: Option<Arc<str>>) {
    let (role, uuid) = (row.text(object::ROLE), row.text(object::OBJECT_UUID));
    let holder = match role {
        _ if uuid.is_empty() => row.text(object::ENTRY),
        role if role == Role::Rezzed.name() => "",
        _ if !row.text(object::ASSET_UUID).is_empty() => row.text(object::ASSET_UUID),
        _ => row.text(object::ENTRY),
    };
    let key = xxh3_128(format!("{}\n{role}\n{uuid}\n{holder}", row.text(object::HOME)).as_bytes());
    let linkset = Linkset {
        uuid: row.uuid(object::OBJECT_UUID),
        owner: row.uuid(object::OWNER_UUID),
        name: row.text(object::NAME).into(),
        region,
        count: 1,
        parts: row.small(object::PARTS),
        scripts: row.small(object::SCRIPTS),
        land_impact: row.figure(object::LAND_IMPACT, object::LAND_IMPACT_BASIS),
        physics_cost: row.figure(object::PHYSICS_COST, object::PHYSICS_COST_BASIS),
    };
    match archive.linksets.entry(key) {
        Entry::Vacant(place) => {
            place.insert(linkset);
        }
        Entry::Occupied(mut place) => {
            let sum = place.get_mut();
            sum.count += 1;
            sum.parts = sum.parts.saturating_add(linkset.parts);
            sum.scripts = sum.scripts.saturating_add(linkset.scripts);
            sum.land_impact = add(sum.land_impact, linkset.land_impact);
            sum.physics_cost = add(sum.physics_cost, linkset.physics_cost);
            // Whichever comes first in the archive.
            if linkset.name < sum.name {
                (sum.name, sum.owner) = (linkset.name, linkset.owner);
            }
        }
    }
}

/// The sum of two, where both are known.
fn add(a: Option<Figure>, b: Option<Figure>) -> Option<Figure> {
    let (a, b) = (a?, b?);
    Some(Figure { value: a.value + b.value, bound: a.bound || b.bound })
}

fn add_finding(archive: &mut Archive, row: &Row<'_>) {
    // A code that this program does not know was found by another version: it cannot be found again.
    let (Some(code), Some(severity)) =
        (Code::parse(row.text(finding::CODE)), Severity::named(row.text(finding::SEVERITY)))
    else {
        return;
    };
    let Ok(fingerprint) = u64::from_str_radix(row.text(finding::FINGERPRINT), 16) else { return };
    let old_fingerprint = u64::from_str_radix(row.text(finding::OLD_FINGERPRINT), 16).unwrap_or(fingerprint);
    let about = match row.text(finding::OBJECT_NAME) {
        "" => row.text(finding::ENTRY),
        name => name,
    };
    let finding = Finding {
        severity,
        count: row.count(finding::COUNT),
        measured: row.number(finding::MEASURED),
        limit: row.number(finding::LIMIT),
        message: row.text(finding::MESSAGE).into(),
        object: row.uuid(finding::OBJECT_UUID),
        about: about.into(),
        region: row.text(finding::REGION).into(),
        waived: !row.text(finding::WAIVED_UNTIL).is_empty(),
        fingerprint,
        old_fingerprint,
    };
    finding.add_to(&mut archive.findings, (code, fingerprint));
}

/// One that a sink and who made it share.
impl Rows for Arc<Mutex<SnapshotSink>> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if TABLES.contains(&table) {
            lock(self).take(table, &Row::Cells(row));
        }
        Ok(())
    }
}

impl Sink for Arc<Mutex<SnapshotSink>> {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        lock(self).made_by(summary)
    }
}
