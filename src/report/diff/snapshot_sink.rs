//! Rows of a report to a [`Snapshot`].

use super::{Archive, Figure, Finding, Linkset, Made, Region, Snapshot, key};
use crate::{
    finding::{Code, Severity},
    ledger::{
        self,
        facts::{Role, Status},
        summary::{self, LedgerSummary},
    },
    report::{
        Summary,
        csv::real,
        table::{Cell, Head, Rows, Sink, Table},
        tables::{archives::Archives, findings::Findings, objects::Objects, regions::Regions},
    },
    rules::history::{self, RegionCosts},
    util::dates_in_names,
};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, hash_map::Entry},
    io,
    sync::{Arc, Mutex, PoisonError},
};
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// The tables that it reads, in an order in which an archive stands before what is in it.
pub(super) const TABLES: [&str; 4] = [Archives::NAME, Regions::NAME, Objects::NAME, Findings::NAME];

/// The column that reports of earlier versions lack: without it one fingerprint may be of several findings.
pub(super) const OLD_FINGERPRINT: &str = "old_fingerprint";

/// What dated copies have in common, and which of them is judged.
pub(super) const SERIES: &str = "series";
pub(super) const SUPERSEDED_BY: &str = "superseded_by";
pub(super) const IN_PLACE_OF: &str = "in_place_of";

/// The columns that earlier versions did not write.
pub(super) const LATER: [&str; 4] = [OLD_FINGERPRINT, SERIES, SUPERSEDED_BY, IN_PLACE_OF];

/// The columns that it reads, by table.
pub(super) fn columns(table: &str) -> &'static [&'static str] {
    match table {
        Archives::NAME => &[
            "archive",
            "home",
            SERIES,
            "kind",
            "status",
            SUPERSEDED_BY,
            IN_PLACE_OF,
            "created",
            "bytes",
            "expanded_bytes",
            "assets",
            "empty_assets",
            "objects",
            "parts",
            "nested_objects",
            "loose_objects",
        ],
        Regions::NAME => &[
            "archive",
            "home",
            "region",
            "region_uuid",
            "objects",
            "parts",
            "scripts",
            "land_impact",
            "land_impact_basis",
            "physics_cost",
            "physics_cost_basis",
            "streaming_cost",
            "streaming_cost_basis",
            "server_weight",
        ],
        Objects::NAME => &[
            "archive",
            "home",
            "entry",
            "role",
            "object_uuid",
            "asset_uuid",
            "owner_uuid",
            "name",
            "region",
            "parts",
            "scripts",
            "land_impact",
            "land_impact_basis",
            "physics_cost",
            "physics_cost_basis",
        ],
        Findings::NAME => &[
            "archive",
            "code",
            "severity",
            "count",
            "measured",
            "limit",
            "message",
            "entry",
            "object_uuid",
            "object_name",
            "region",
            "fingerprint",
            "waived_until",
            OLD_FINGERPRINT,
        ],
        _ => &[],
    }
}

/// A row: the words of its columns, in the order of [`columns`].
pub(super) struct Row<'a> {
    pub(super) names: &'static [&'static str],
    pub(super) cells: Vec<Cow<'a, str>>,
}

impl Row<'_> {
    pub(super) fn text(&self, name: &str) -> &str {
        let place = self.names.iter().position(|column| *column == name);
        place.and_then(|place| self.cells.get(place)).map_or("", |cell| cell)
    }

    pub(super) fn set(&mut self, name: &str, text: &str) {
        if let Some(place) = self.names.iter().position(|column| *column == name) {
            self.cells[place] = Cow::Owned(text.to_owned());
        }
    }

    fn count(&self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }

    fn small(&self, name: &str) -> u32 {
        self.text(name).parse().unwrap_or(0)
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.text(name).parse().ok().filter(|value: &f64| value.is_finite())
    }

    fn uuid(&self, name: &str) -> Uuid {
        Uuid::try_parse(self.text(name)).unwrap_or_default()
    }

    /// A cost with what it rests on.
    fn figure(&self, name: &str, basis: &str) -> Option<Figure> {
        let bound = self.text(basis).starts_with("lower bound");
        self.number(name).map(|value| Figure { value, bound })
    }
}

/// Takes the rows of a report, and is a [`Snapshot`] in the end.
#[derive(Debug, Default)]
pub struct SnapshotSink {
    /// Where the columns of each table stand.
    places: HashMap<&'static str, Vec<Option<usize>>>,
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
        std::mem::take(&mut *shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Nothing yet, of tables with these heads.
    pub fn new(heads: &[Head]) -> Self {
        let places = heads.iter().filter(|head| TABLES.contains(&head.name));
        let places = places
            .map(|head| (head.name, columns(head.name).iter().map(|name| head.position(name)).collect()));
        let mut gather = Self { places: places.collect(), ..Self::default() };
        gather.night.tells_apart = true;
        gather
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
        let name = row.text("archive");
        let replaced = self.replaced.get(name).filter(|_| table == Findings::NAME);
        let Some(key) = replaced.or_else(|| self.counting.get(name)) else { return };
        let Some(archive) = self.night.archives.get_mut(key) else { return };
        match table {
            Regions::NAME => {
                archive.regions.insert(row.text("home").to_owned(), region(row));
            }
            Objects::NAME => {
                let name = row.text("region");
                let standing = row.text("role") == Role::Rezzed.name();
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
        let (name, kind) = (row.text("archive"), row.text("kind"));
        if kind == ledger::STORE {
            return;
        }
        if !row.text(SUPERSEDED_BY).is_empty() {
            self.night.older += u64::from(row.text("status") != Status::NotCovered.name());
            return;
        }
        if kind != ledger::ABSENT {
            self.night.inputs.push(brief(row));
        }
        let series = row.text(SERIES);
        if self.replaced.contains_key(name) || series.is_empty() {
            self.night.older +=
                u64::from(series.is_empty() && row.text("status") != Status::NotCovered.name());
            return;
        }
        let mut archive = Archive {
            name: name.to_owned(),
            home: row.text("home").to_owned(),
            kind: kind.to_owned(),
            status: Status::named(row.text("status")).unwrap_or(Status::Unreadable),
            bytes: row.count("bytes"),
            assets: row.count("assets"),
            empty_assets: row.count("empty_assets"),
            objects: row.count("objects"),
            parts: row.count("parts"),
            nested_objects: row.count("nested_objects"),
            loose_objects: row.count("loose_objects"),
            regions: BTreeMap::new(),
            linksets: HashMap::new(),
            findings: HashMap::new(),
        };
        let key = key(kind, name, series);
        let newest = row.text(IN_PLACE_OF);
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
        let archive = row.text("archive");
        let Some(input) = self.night.inputs.iter_mut().rev().find(|input| input.name == archive) else {
            return;
        };
        let uuid = Some(row.uuid("region_uuid")).filter(|uuid| !uuid.is_nil());
        let Region { name, objects, land_impact, physics_cost, server_weight, .. } = region(row);
        input.brief.regions.push(summary::Region { name, uuid, objects });
        let exact = |cost: Option<Figure>| cost.filter(|cost| !cost.bound).map(|cost| cost.value);
        input.costs.push(RegionCosts {
            home: row.text("home").to_owned(),
            land_impact: exact(land_impact),
            physics_cost: exact(physics_cost),
            server_weight: exact(server_weight),
        });
    }
}

/// What an archive comes to, but for its regions.
pub(super) fn brief(row: &Row<'_>) -> history::Archive {
    let created = humantime::parse_rfc3339(row.text("created")).ok().and_then(dates_in_names::seconds);
    history::Archive {
        name: row.text("archive").to_owned(),
        kind: row.text("kind").to_owned(),
        brief: LedgerSummary {
            status: Status::named(row.text("status")).unwrap_or(Status::Unreadable),
            created: created.filter(|&time| time > 0),
            objects: row.count("objects"),
            nested_objects: row.count("nested_objects"),
            loose_objects: row.count("loose_objects"),
            assets: row.count("assets").saturating_sub(row.count("empty_assets")),
            empty_assets: row.count("empty_assets"),
            bytes: row.count("expanded_bytes"),
            regions: Vec::new(),
        },
        modified: None,
        costs: Vec::new(),
        earlier: Vec::new(),
    }
}

fn region(row: &Row<'_>) -> Region {
    Region {
        name: row.text("region").to_owned(),
        objects: row.count("objects"),
        parts: row.count("parts"),
        scripts: row.count("scripts"),
        land_impact: row.figure("land_impact", "land_impact_basis"),
        physics_cost: row.figure("physics_cost", "physics_cost_basis"),
        streaming_cost: row.figure("streaming_cost", "streaming_cost_basis"),
        server_weight: row.figure("server_weight", ""),
    }
}

/// An object that stands is told again by its UUID, whatever its file is called; one in an inventory by the asset that
/// holds it, too; one that is a file by the file.
fn add_linkset(archive: &mut Archive, row: &Row<'_>, region: Option<Arc<str>>) {
    let (role, uuid) = (row.text("role"), row.text("object_uuid"));
    let holder = match role {
        _ if uuid.is_empty() => row.text("entry"),
        role if role == Role::Rezzed.name() => "",
        _ if !row.text("asset_uuid").is_empty() => row.text("asset_uuid"),
        _ => row.text("entry"),
    };
    let key = xxh3_128(format!("{}\n{role}\n{uuid}\n{holder}", row.text("home")).as_bytes());
    let linkset = Linkset {
        uuid: row.uuid("object_uuid"),
        owner: row.uuid("owner_uuid"),
        name: row.text("name").into(),
        region,
        count: 1,
        parts: row.small("parts"),
        scripts: row.small("scripts"),
        land_impact: row.figure("land_impact", "land_impact_basis"),
        physics_cost: row.figure("physics_cost", "physics_cost_basis"),
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
    let (Some(code), Some(severity)) = (Code::parse(row.text("code")), Severity::named(row.text("severity")))
    else {
        return;
    };
    let Ok(fingerprint) = u64::from_str_radix(row.text("fingerprint"), 16) else { return };
    let old_fingerprint = u64::from_str_radix(row.text(OLD_FINGERPRINT), 16).unwrap_or(fingerprint);
    let about = match row.text("object_name") {
        "" => row.text("entry"),
        name => name,
    };
    let finding = Finding {
        severity,
        count: row.count("count"),
        measured: row.number("measured"),
        limit: row.number("limit"),
        message: row.text("message").into(),
        object: row.uuid("object_uuid"),
        about: about.into(),
        region: row.text("region").into(),
        waived: !row.text("waived_until").is_empty(),
        fingerprint,
        old_fingerprint,
    };
    finding.add_to(&mut archive.findings, (code, fingerprint));
}

/// A cell as CSV has it, but for the apostrophes against formulas.
fn words<'a>(cell: Cell<'a>) -> Cow<'a, str> {
    match cell {
        Cell::Empty => "".into(),
        Cell::Bool(value) => value.to_string().into(),
        Cell::Int(value) => value.to_string().into(),
        Cell::Real(value) => real(value).into(),
        Cell::Text(text) => text,
    }
}

/// One that a sink and who made it share.
impl Rows for Arc<Mutex<SnapshotSink>> {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        let mut gather = self.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(places) = gather.places.get(table) else { return Ok(()) };
        let all: Vec<_> = cells.collect();
        let cell = |place: &Option<usize>| place.and_then(|place| all.get(place)).map(Cell::borrowed);
        let cells = places.iter().map(|place| cell(place).map_or("".into(), words)).collect();
        gather.take(table, &Row { names: columns(table), cells });
        Ok(())
    }
}

impl Sink for Arc<Mutex<SnapshotSink>> {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.lock().unwrap_or_else(PoisonError::into_inner).made_by(summary)
    }
}
