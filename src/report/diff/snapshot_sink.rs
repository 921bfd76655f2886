//! Builds a [`Snapshot`] from the rows of a report.

use super::{
    Archive, Finding, Linkset, Provenance, Snapshot,
    content::{Contents, Rows},
    key,
    rows::{self, brief, figure, number, region_of},
};
use crate::{
    Summary,
    packed_rows::{PackedRows, unpack},
    page::{Page, Writer},
    reported::Piece,
    table::{Cell, Table},
    tables::{
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        objects::{Objects, key as object},
        regions::{Regions, key as region},
    },
};
use hullmark_finding::Code;
use hullmark_ledger::{InputKind, facts::Status, summary};
use hullmark_rules::history::{Archive as Input, RegionCosts};
use hullmark_util::{dates_in_names, lock::lock};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    io,
    path::Path,
    sync::{Arc, Mutex},
};

/// Builds a [`Snapshot`] from the rows of a report. The row of an archive comes before those of its contents.
#[derive(Debug)]
pub struct SnapshotSink {
    snapshot: Snapshot,
    keys: Keys,
    /// The place of each archive in the inputs of the snapshot.
    inputs: HashMap<String, usize>,
    rows: ContentRows,
}

/// The keys of archives, by their paths.
#[derive(Debug, Default)]
pub(super) struct Keys {
    /// Those of archives that count.
    counting: HashMap<String, String>,
    /// Those of newest copies that an older one replaces. Only their findings count.
    replaced: HashMap<String, String>,
}

/// Writes the rows about content of a part of a report.
#[derive(Debug)]
pub(super) struct ContentRows {
    linksets: Rows<(u128, Linkset)>,
    findings: Rows<(Code, Finding)>,
}

impl ContentRows {
    pub(super) fn new(contents: &Contents, part: u32) -> Self {
        Self { linksets: Rows::new(contents.clone(), part), findings: Rows::new(contents.clone(), part) }
    }

    /// Takes a row of `objects` or `findings`, if its archive counts.
    pub(super) fn take(&mut self, keys: &Keys, table: &str, row: &[Cell<'_>]) -> io::Result<()> {
        match table {
            Objects::NAME => match keys.counting.get(object::ARCHIVE.text(row)) {
                Some(key) => self.linksets.push(key, &rows::linkset(row)),
                None => Ok(()),
            },
            Findings::NAME => match keys.of_findings(finding::ARCHIVE.text(row)).zip(rows::finding(row)) {
                Some((key, finding)) => self.findings.push(key, &finding),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// Writes the rows that wait.
    pub(super) fn write(&mut self) -> io::Result<()> {
        self.linksets.write()?;
        self.findings.write()
    }
}

impl Keys {
    fn of_findings(&self, archive: &str) -> Option<&String> {
        self.replaced.get(archive).or_else(|| self.counting.get(archive))
    }
}

impl SnapshotSink {
    /// Creates an empty snapshot whose content is on the disk of this folder.
    pub(super) fn new(folder: &Path) -> Self {
        let contents = Contents::new(folder);
        let rows = ContentRows::new(&contents, 0);
        Self { snapshot: Snapshot::new(contents), keys: Keys::default(), inputs: HashMap::new(), rows }
    }

    /// Returns the snapshot, with the provenance from this `audit.json`.
    ///
    /// # Errors
    /// The content cannot be written.
    pub fn finish(mut self, audit: &Value) -> io::Result<Snapshot> {
        self.rows.write()?;
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
        Ok(Snapshot { provenance, ..self.snapshot })
    }

    /// Returns a snapshot on the disk of this folder, and the format that takes it from the rows of a report.
    pub fn recorder(folder: &Path) -> (Recorded, Writer) {
        let recorded = Recorded(Arc::new(Mutex::new(Some(Self::new(folder)))));
        let page = Recorded(Arc::clone(&recorded.0));
        let compared = [Archives::NAME, Regions::NAME, Objects::NAME, Findings::NAME];
        let row = move |rows: &mut PackedRows, table, cells: &[Cell<'_>]| {
            if compared.contains(&table) {
                rows.push(table, cells, ());
            }
            Ok(())
        };
        (recorded, Writer::of_rows(|_| PackedRows::default(), row, page))
    }

    /// Takes a row.
    fn take(&mut self, table: &str, row: &[Cell<'_>]) -> io::Result<()> {
        match table {
            Archives::NAME => self.archive(row),
            Regions::NAME => {
                self.region(row);
                Ok(())
            }
            _ => self.rows.take(&self.keys, table, row),
        }
    }

    /// The keys of the archives so far, and where the content waits.
    pub(super) fn content(&self) -> (&Keys, &Contents) {
        (&self.keys, &self.snapshot.contents)
    }

    /// Takes a row of `archives`.
    pub(super) fn archive(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        let (name, kind) = (archive::ARCHIVE.text(row), InputKind::named(archive::KIND.text(row)));
        if kind == InputKind::Store {
            return Ok(());
        }
        if !archive::SUPERSEDED_BY.text(row).is_empty() {
            self.snapshot.older += u64::from(archive::STATUS.text(row) != Status::NotCovered.name());
            self.snapshot.superseded.insert(dates_in_names::undated(name));
            return Ok(());
        }
        let input = brief(row);
        if kind != InputKind::Absent {
            self.inputs.insert(name.to_owned(), self.snapshot.inputs.len());
            self.snapshot.inputs.push(input.clone());
        }
        let series = archive::SERIES.text(row);
        if self.keys.replaced.contains_key(name) || series.is_empty() {
            self.snapshot.older +=
                u64::from(series.is_empty() && archive::STATUS.text(row) != Status::NotCovered.name());
            return Ok(());
        }
        let archive = Archive {
            input,
            identity: archive::IDENTITY.text(row).to_owned(),
            parts: archive::PARTS.count(row),
            regions: BTreeMap::new(),
        };
        let key = key(kind, name, series);
        let newest = archive::IN_PLACE_OF.text(row);
        if !newest.is_empty() {
            self.keys.replaced.insert(newest.to_owned(), key.clone());
            // If all copies are evaluated, its row may come before this one.
            if self.keys.counting.remove(newest).is_some()
                && let Some(replaced) = self.snapshot.archives.remove(&key)
            {
                self.snapshot.identities.entry(replaced.identity).or_default().remove(&key);
                self.rows.write()?;
                self.snapshot.contents.forget_linksets(&key);
            }
        }
        if !archive.is_absent() {
            self.snapshot.identities.entry(archive.identity.clone()).or_default().insert(key.clone());
        }
        self.keys.counting.insert(name.to_owned(), key.clone());
        self.snapshot.archives.insert(key, archive);
        Ok(())
    }

    /// Takes a row of `regions`. An edited report may have rows of archives that it lacks.
    pub(super) fn region(&mut self, row: &[Cell<'_>]) {
        let archive = region::ARCHIVE.text(row);
        let Some(&place) = self.inputs.get(archive) else { return };
        let identity = region::IDENTITY.text(row).to_owned();
        if let Some(key) = self.keys.counting.get(archive)
            && let Some(archive) = self.snapshot.archives.get_mut(key)
        {
            archive.regions.insert(identity.clone(), region_of(row));
        }
        let Input { brief, costs, .. } = &mut self.snapshot.inputs[place];
        let uuid = region::REGION_UUID.uuid(row).filter(|uuid| !uuid.is_nil());
        let (name, objects) = (region::REGION.text(row).to_owned(), region::OBJECTS.count(row));
        brief.regions.push(summary::Region { name, uuid, objects });
        let exact =
            |cost, basis| figure(cost, Some(basis), row).filter(|cost| !cost.bound).map(|cost| cost.value);
        costs.push(RegionCosts {
            identity,
            land_impact: exact(region::LAND_IMPACT, region::LAND_IMPACT_BASIS),
            physics_cost: exact(region::PHYSICS_COST, region::PHYSICS_COST_BASIS),
            server_weight: number(region::SERVER_WEIGHT, row),
        });
    }
}

/// A snapshot that a report fills. The comparison reads it before the report is finished, so both own it.
pub struct Recorded(Arc<Mutex<Option<SnapshotSink>>>);

impl Recorded {
    /// Takes what was recorded so far.
    ///
    /// # Errors
    /// The content cannot be written.
    pub fn finish(&self, audit: &Value) -> io::Result<Snapshot> {
        match lock(&self.0).take() {
            Some(sink) => sink.finish(audit),
            None => Err(io::Error::other("the recorded rows were already taken")),
        }
    }
}

impl Page for Recorded {
    type Part = PackedRows;

    fn append(&mut self, _: &Piece<'_>, rows: PackedRows) -> io::Result<()> {
        match lock(&self.0).as_mut() {
            Some(sink) => rows.into_rows(|table, row, ()| sink.take(table, &unpack(row)?)),
            // Changes follow.
            None => Ok(()),
        }
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}
