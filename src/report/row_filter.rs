//! Narrowing: a report of some owners, of some regions, or of what is bad enough.
//!
//! Rows are left out and none is changed: one that stays says what it says in the whole report. Rows come in an
//! order (see [`super`]) in which what others follow stands first: parts and hulls follow the row of their object or
//! mesh, meshes follow the parts that use them, and findings follow the object, mesh, parcel or region that they are
//! about. What tells of an input as a whole stays: `archives`, `checks`, and findings about the input itself, where
//! something of it is left or it was not read to its end.

use super::{
    Summary,
    counts::SeverityCounts,
    row_buffer::Leaf,
    table::{Cell, Head, Rows, Sink, Table},
    tables::{
        archives::Archives, changes::Changes, checks::Checks, findings::Findings, hulls::Hulls,
        meshes::Meshes, objects::Objects, parcels::Parcels, parts::Parts, regions::Regions,
    },
    text_tables::Text,
};
use crate::{finding::Severity, settings::users::Users};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io,
    sync::Arc,
};
use uuid::Uuid;

/// What a report is narrowed to. Where nothing of a kind is given, nothing is left out for it.
#[derive(Debug, Clone, Default)]
pub struct RowFilter {
    /// Owners: their UUIDs, or names as the list of users has them.
    pub owners: Vec<String>,
    /// Regions: their names or UUIDs.
    pub regions: Vec<String>,
    /// The mildest severity.
    pub min_severity: Option<Severity>,
}

/// What a report was narrowed to, as `audit.json` says it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AppliedFilter {
    /// Owners, as they were given.
    pub owners: Vec<String>,
    /// Regions, as they were given.
    pub regions: Vec<String>,
    /// The mildest severity.
    pub min_severity: Option<Severity>,
    /// Owners and regions that no row is of.
    pub without_match: Vec<String>,
    /// Findings that were left out.
    pub left_out: SeverityCounts,
}

/// Columns that say how bad something is.
const SEVERITY: [&str; 2] = ["severity", "worst_severity"];

/// A name or UUID that was given, and what it stands for in rows.
struct Wanted {
    given: String,
    cells: HashSet<String>,
    found: bool,
}

impl Wanted {
    /// Whether a cell holds it; nothing stands for an empty one.
    fn is(&mut self, cell: &str) -> bool {
        let is = !cell.is_empty() && self.cells.contains(&cell.to_lowercase());
        self.found |= is;
        is
    }
}

/// The places of a table's columns, by name.
type Columns = HashMap<String, usize>;

/// A row, read by the names of its columns.
struct Row<'a> {
    columns: &'a Columns,
    cells: &'a [Cell<'a>],
}

impl<'a> Row<'a> {
    fn cell(&self, column: &str) -> Option<&'a Cell<'a>> {
        self.columns.get(column).and_then(|&place| self.cells.get(place))
    }

    /// The words of a column; empty where there is no such column, or nothing in it.
    fn text(&self, column: &str) -> &'a str {
        if let Some(Cell::Text(text)) = self.cell(column) { text } else { "" }
    }

    fn has(&self, column: &str) -> bool {
        self.columns.contains_key(column)
    }

    /// How bad it is, where the table tells that.
    fn severity(&self) -> Option<Severity> {
        SEVERITY.iter().find_map(|column| Severity::named(self.text(column)))
    }
}

/// What stays of the input that is being written.
#[derive(Default)]
struct Kept {
    /// Whether each row is shown, by table.
    shown: HashMap<&'static str, Vec<bool>>,
    /// Whether the object or mesh of the rows that follow it is one of those wanted, bad enough or not.
    wanted: bool,
    /// Names of regions by their folders.
    folders: HashMap<String, String>,
    /// Names of regions that were given, or of which something stays.
    regions: HashSet<String>,
    /// Entries of objects, meshes and parcels that stay.
    entries: HashSet<String>,
    /// Objects that stay: entry and root.
    objects: HashSet<(String, String)>,
    /// Meshes that these use.
    meshes: HashSet<String>,
    /// Whether findings about the input itself stay.
    itself: bool,
}

/// All sinks of a report behind one that lets through what is wanted.
pub struct FilteredSinks {
    owners: Vec<Wanted>,
    regions: Vec<Wanted>,
    narrow: RowFilter,
    columns: BTreeMap<&'static str, Columns>,
    sinks: Vec<Box<dyn Sink>>,
    kept: Kept,
    left_out: SeverityCounts,
}

impl FilteredSinks {
    /// Puts sinks of these tables behind what is wanted. Names of owners are those that the target knows.
    pub fn new(narrow: RowFilter, users: Option<&Users>, tables: &[Head], sinks: Vec<Box<dyn Sink>>) -> Self {
        let owner = |given: &String| {
            let named = users.iter().flat_map(|users| users.named(given));
            let cells = named.chain(Uuid::try_parse(given).ok()).map(|uuid| uuid.to_string()).collect();
            Wanted { given: given.clone(), cells, found: false }
        };
        let region = |given: &String| {
            let uuid = Uuid::try_parse(given).ok().map(|uuid| uuid.to_string());
            let cells = uuid.into_iter().chain([given.to_lowercase()]).collect();
            Wanted { given: given.clone(), cells, found: false }
        };
        let columns = tables.iter().map(|table| {
            let places =
                table.columns.iter().zip(0..).map(|(column, place)| (column.name.to_string(), place));
            (table.name, places.collect())
        });
        Self {
            owners: narrow.owners.iter().map(owner).collect(),
            regions: narrow.regions.iter().map(region).collect(),
            narrow,
            columns: columns.collect(),
            sinks,
            kept: Kept::default(),
            left_out: SeverityCounts::default(),
        }
    }

    /// How rows are written, where each is text by itself and stays.
    pub fn texts(&mut self) -> Option<Vec<Arc<dyn Text>>> {
        if self.told().is_some() {
            return None;
        }
        self.sinks.iter_mut().map(|sink| Some(sink.as_text()?.text())).collect()
    }

    /// Takes rows as text.
    pub(super) fn append(&mut self, Leaf { written, rows, .. }: Leaf<'_>) -> io::Result<()> {
        let files = self.sinks.iter_mut().filter_map(|sink| sink.as_text());
        for (files, written) in files.zip(written) {
            written.iter().try_for_each(|(table, rows)| files.append(table, rows))?;
        }
        if rows.contains_key(Archives::NAME) {
            // Another input begins.
            self.kept = Kept::default();
        }
        for (table, more) in rows {
            let shown = self.kept.shown.entry(table).or_default();
            shown.resize(shown.len() + more, true);
        }
        Ok(())
    }

    /// Says that what comes belongs to no input. It stays where no owner and no region is asked for.
    pub fn end_inputs(&mut self) {
        self.kept = Kept::default();
    }

    /// Whether a row of the input that was written last is shown, by its number in the table.
    pub fn shows<T: Table>(&self, number: usize) -> bool {
        self.kept.shown.get(T::NAME).and_then(|shown| shown.get(number)).is_some_and(|&shown| shown)
    }

    /// How many rows of that input are shown.
    pub fn rows<T: Table>(&self) -> u64 {
        let shown = self.kept.shown.get(T::NAME);
        shown.map_or(0, |shown| shown.iter().filter(|&&shown| shown).count() as u64)
    }

    /// What the report was narrowed to; nothing where it is the whole.
    pub fn told(&self) -> Option<AppliedFilter> {
        let left_out = self.left_out;
        let RowFilter { owners, regions, min_severity } = self.narrow.clone();
        let missed = self.owners.iter().chain(&self.regions).filter(|wanted| !wanted.found);
        let without_match = missed.map(|wanted| wanted.given.clone()).collect();
        let whole = owners.is_empty() && regions.is_empty() && min_severity.is_none();
        (!whole).then_some(AppliedFilter { owners, regions, min_severity, without_match, left_out })
    }

    /// Whether a row is shown; remembers what later rows need to know of it.
    fn keeps(&mut self, table: &'static str, cells: &[Cell<'_>]) -> bool {
        let Some(columns) = self.columns.get(table) else { return true };
        let row = Row { columns, cells };
        let by_place = !(self.owners.is_empty() && self.regions.is_empty());
        let wanted = match table {
            Archives::NAME => {
                self.kept = Kept { itself: row.text("status") != "complete", ..Kept::default() };
                true
            }
            Parts::NAME | Hulls::NAME => self.kept.wanted,
            // Made of rows that were let through.
            Changes::NAME => true,
            _ if !by_place => true,
            Checks::NAME => true,
            Meshes::NAME => self.kept.meshes.contains(row.text("mesh_uuid")),
            Findings::NAME => self.kept.concerns(&row),
            // Every owner and every region is asked, so that each knows whether it was found.
            _ => {
                let owner = is_one_of(&mut self.owners, &row, &["owner_uuid"]);
                let region = match table {
                    Regions::NAME => is_one_of(&mut self.regions, &row, &["region", "region_uuid"]),
                    _ => self.regions.is_empty() || self.kept.regions.contains(row.text("region")),
                };
                owner && region
            }
        };
        if wanted && by_place {
            self.kept.note(table, &row, !self.regions.is_empty());
        }
        let shown = match table {
            Parts::NAME => self.kept.last_of(Objects::NAME),
            Hulls::NAME => self.kept.last_of(Meshes::NAME),
            Changes::NAME => true,
            _ => wanted && self.is_bad_enough(&row),
        };
        if matches!(table, Objects::NAME | Meshes::NAME) {
            self.kept.wanted = wanted;
        }
        self.kept.shown.entry(table).or_default().push(shown);
        if table == Findings::NAME
            && !shown
            && row.text("waived_until").is_empty()
            && let (Some(severity), Some(Cell::Int(count))) = (row.severity(), row.cell("count"))
        {
            self.left_out.add(severity, count.unsigned_abs());
        }
        shown
    }

    fn is_bad_enough(&self, row: &Row<'_>) -> bool {
        let told = || SEVERITY.iter().any(|column| row.has(column));
        self.narrow.min_severity.is_none_or(|least| !told() || row.severity() >= Some(least))
    }
}

/// Whether a row is of one of those wanted: all are where none is named, or where the table does not tell.
fn is_one_of(wanted: &mut [Wanted], row: &Row<'_>, columns: &[&str]) -> bool {
    let told = columns.iter().any(|column| row.has(column));
    let mut is_one = wanted.is_empty() || !told;
    for wanted in wanted {
        is_one |= columns.iter().any(|column| wanted.is(row.text(column)));
    }
    is_one
}

impl Kept {
    /// Remembers a row that is wanted.
    fn note(&mut self, table: &'static str, row: &Row<'_>, regions_given: bool) {
        let entry = || row.text("entry").to_owned();
        match table {
            Regions::NAME => {
                self.folders.insert(row.text("folder").into(), row.text("region").into());
                if regions_given {
                    self.touch(row.text("region"));
                }
            }
            Parcels::NAME => {
                self.entries.insert(entry());
                self.touch(row.text("region"));
            }
            Objects::NAME => {
                self.objects.insert((entry(), row.text("object_uuid").into()));
                self.entries.insert(entry());
                self.touch(row.text("region"));
            }
            Parts::NAME if !row.text("mesh_uuid").is_empty() => {
                self.meshes.insert(row.text("mesh_uuid").into());
            }
            Meshes::NAME => {
                self.entries.insert(entry());
            }
            _ => {}
        }
    }

    /// Something of this region stays, and so what is said of it and of the input.
    fn touch(&mut self, region: &str) {
        self.itself = true;
        if !self.regions.contains(region) {
            self.regions.insert(region.into());
        }
    }

    /// Whether a finding is about something that stays.
    fn concerns(&self, row: &Row<'_>) -> bool {
        let (entry, object) = (row.text("entry"), row.text("object_uuid"));
        match self.folders.get(entry) {
            _ if !object.is_empty() => self.objects.contains(&(entry.into(), object.into())),
            _ if entry.is_empty() => self.itself,
            Some(region) => self.regions.contains(region),
            None => self.entries.contains(entry),
        }
    }

    /// Whether the last row of a table was shown.
    fn last_of(&self, table: &str) -> bool {
        self.shown.get(table).and_then(|shown| shown.last()).is_some_and(|&shown| shown)
    }
}

impl Rows for FilteredSinks {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        let cells: Vec<Cell<'_>> = cells.collect();
        if self.keeps(table, &cells) {
            for sink in &mut self.sinks {
                sink.row(table, &mut cells.iter().map(Cell::borrowed))?;
            }
        }
        Ok(())
    }
}

impl Sink for FilteredSinks {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.sinks.iter_mut().try_for_each(|sink| sink.finish(summary))
    }
}
