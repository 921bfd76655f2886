//! Filters the rows of a report by owner, region or severity.
//!
//! Rows are left out, never changed. The order of rows makes one pass enough: parts and hulls follow their object or
//! mesh, meshes follow the parts that use them, and findings follow their object, mesh, parcel or region. Rows about an
//! input as a whole stay: `archives` and `checks`. Findings about the input itself stay if rows of it stay, or if it was
//! not read to its end.

use super::{
    Summary,
    counts::SeverityCounts,
    diff::SnapshotSink,
    packed_rows::Replayed,
    row_buffer::{Chunk, Formats},
    table::{Cell, Key, Rows, Sink, Table},
    tables::{
        self,
        actions::{Actions, key as action},
        archives::{Archives, key as archive},
        checks::{Checks, key as check},
        findings::{Findings, key as finding},
        hulls::Hulls,
        meshes::{Meshes, key as mesh},
        objects::{Objects, key as object},
        parcels::{Parcels, key as parcel},
        parts::{Parts, key as part},
        regions::{Regions, key as region},
    },
};
use hullmark_finding::Severity;
use hullmark_ledger::facts::{MeshFacts, RegionFacts, Status, TriangleMesh};
use hullmark_settings::users::Users;
use hullmark_util::{
    catch_panic::caught,
    timings::{Stage, within},
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    collections::{HashMap, HashSet},
    io,
};
use uuid::Uuid;

/// Which rows a report has. An empty list filters nothing.
#[derive(Debug, Clone, Default)]
pub struct RowFilter {
    /// Owners: UUIDs, or names from the list of users.
    pub owners: Vec<String>,
    /// Regions: names or UUIDs.
    pub regions: Vec<String>,
    /// The lowest severity.
    pub min_severity: Option<Severity>,
}

impl RowFilter {
    /// Whether it filters nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.owners.is_empty() && self.regions.is_empty() && self.min_severity.is_none()
    }
}

/// The filter of a report, as in `audit.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedFilter {
    /// Owners as given.
    pub owners: Vec<String>,
    /// Regions as given.
    pub regions: Vec<String>,
    /// The lowest severity.
    pub min_severity: Option<Severity>,
    /// Owners and regions without any row.
    pub without_match: Vec<String>,
    /// Findings that the filter left out.
    pub left_out: SeverityCounts,
}

/// A given name or UUID, with the cells that match it.
struct Wanted {
    given: String,
    cells: HashSet<String>,
    found: bool,
}

impl Wanted {
    /// Whether a cell matches. An empty cell never does.
    fn is(&mut self, cell: &str) -> bool {
        let is = !cell.is_empty() && self.cells.contains(&cell.to_lowercase());
        self.found |= is;
        is
    }
}

/// What the filter keeps of the current input.
#[derive(Default)]
struct Kept {
    /// Whether each row is shown, by table.
    shown: HashMap<&'static str, Vec<bool>>,
    /// Whether the last object or mesh is wanted, of any severity. Its parts or hulls follow.
    wanted: bool,
    /// Names of regions by their folders.
    folders: HashMap<String, String>,
    /// Names of regions that were given or have rows that stay.
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

/// All sinks of a report, behind a filter.
pub struct FilteredSinks {
    owners: Vec<Wanted>,
    regions: Vec<Wanted>,
    filter: RowFilter,
    sinks: Vec<Box<dyn Sink>>,
    /// The snapshot for comparison with another run. `None` without a comparison.
    pub(super) snapshot: Option<SnapshotSink>,
    kept: Kept,
    left_out: SeverityCounts,
}

impl FilteredSinks {
    /// Puts sinks behind a filter. Names of owners are looked up in the users of the target.
    pub fn new(filter: RowFilter, users: Option<&Users>, sinks: Vec<Box<dyn Sink>>) -> Self {
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
        Self {
            owners: filter.owners.iter().map(owner).collect(),
            regions: filter.regions.iter().map(region).collect(),
            filter,
            sinks,
            snapshot: None,
            kept: Kept::default(),
            left_out: SeverityCounts::default(),
        }
    }

    /// Returns the formats for which other threads make rows. `None` if rows are left out: that depends on rows before.
    pub(super) fn formats(&mut self) -> Option<Formats> {
        if self.applied().is_some() {
            return None;
        }
        let texts = self.sinks.iter_mut().filter_map(|sink| Some(sink.as_text()?.text())).collect();
        let tables = tables::heads(&[]).into_iter().map(|head| head.name);
        let others: Vec<_> = self.sinks.iter_mut().filter_map(not_text).collect();
        let is_used = |table: &&str| self.snapshot.is_some() || others.iter().any(|sink| sink.uses(table));
        let packed = tables.filter(is_used).collect();
        Some(Formats { texts, packed })
    }

    /// Takes rows that another thread made.
    pub(super) fn append(&mut self, Chunk { written, packed, rows, .. }: Chunk<'_, '_>) -> io::Result<()> {
        let files = self.sinks.iter_mut().filter_map(|sink| sink.as_text());
        for (files, written) in files.zip(written) {
            written.iter().try_for_each(|(table, rows)| files.append(table, rows))?;
        }
        let mut others: Vec<_> = self.sinks.iter_mut().filter_map(not_text).collect();
        packed.replay(|entry| {
            match entry {
                Replayed::Row(table, cells) => {
                    if let Some(snapshot) = &mut self.snapshot {
                        snapshot.take(table, &cells);
                    }
                    return others.iter_mut().try_for_each(|sink| sink.row(table, &cells));
                }
                Replayed::Region(facts) => others.iter_mut().for_each(|sink| sink.region(facts)),
                Replayed::Mesh(facts, physics) => {
                    others.iter_mut().for_each(|sink| sink.mesh(facts, physics));
                }
            }
            Ok(())
        })?;
        if rows.contains_key(Archives::NAME) {
            // The next input begins.
            self.kept = Kept::default();
        }
        for (table, more) in rows {
            let shown = self.kept.shown.entry(table).or_default();
            shown.resize(shown.len() + more, true);
        }
        Ok(())
    }

    /// Ends the last input: further rows are about the run. They stay without a filter by owner or region.
    pub fn end_inputs(&mut self) {
        self.kept = Kept::default();
    }

    /// Whether row `number` of the last input is shown.
    pub fn shows<T: Table>(&self, number: usize) -> bool {
        self.kept.shown.get(T::NAME).and_then(|shown| shown.get(number)).is_some_and(|&shown| shown)
    }

    /// Number of shown rows of the last input.
    pub fn rows<T: Table>(&self) -> u64 {
        let shown = self.kept.shown.get(T::NAME);
        shown.map_or(0, |shown| shown.iter().filter(|&&shown| shown).count() as u64)
    }

    /// Returns the filter of the report. `None` without a filter.
    pub fn applied(&self) -> Option<AppliedFilter> {
        if self.filter.is_empty() {
            return None;
        }
        let left_out = self.left_out;
        let RowFilter { owners, regions, min_severity } = self.filter.clone();
        let missed = self.owners.iter().chain(&self.regions).filter(|wanted| !wanted.found);
        let without_match = missed.map(|wanted| wanted.given.clone()).collect();
        Some(AppliedFilter { owners, regions, min_severity, without_match, left_out })
    }

    /// Whether a row is shown; remembers what later rows depend on.
    fn keeps(&mut self, table: &'static str, row: &[Cell<'_>]) -> bool {
        let by_place = !(self.owners.is_empty() && self.regions.is_empty());
        let wanted = match table {
            Archives::NAME => {
                let itself = archive::STATUS.text(row) != Status::Complete.name();
                self.kept = Kept { itself, ..Kept::default() };
                true
            }
            Parts::NAME | Hulls::NAME => self.kept.wanted,
            _ if !by_place => true,
            Meshes::NAME => self.kept.meshes.contains(mesh::MESH_UUID.text(row)),
            Findings::NAME => {
                let of_inventory =
                    self.regions.is_empty() && is_one_of(&mut self.owners, &[finding::ITEM_OWNER_UUID], row);
                self.kept.concerns(row) || of_inventory
            }
            Regions::NAME => is_one_of(&mut self.regions, &[region::REGION, region::REGION_UUID], row),
            Parcels::NAME => self.is_wanted(parcel::OWNER_UUID, parcel::REGION, row),
            Actions::NAME => self.is_wanted(action::OWNER_UUID, action::REGION, row),
            Objects::NAME => self.is_wanted(object::OWNER_UUID, object::REGION, row),
            // Changes are computed from rows that passed the filter.
            _ => true,
        };
        if wanted && by_place {
            self.kept.note(table, row, !self.regions.is_empty());
        }
        let shown = match table {
            Parts::NAME => self.kept.last_of(Objects::NAME),
            Hulls::NAME => self.kept.last_of(Meshes::NAME),
            _ => wanted && self.is_bad_enough(table, row),
        };
        if matches!(table, Objects::NAME | Meshes::NAME) {
            self.kept.wanted = wanted;
        }
        self.kept.shown.entry(table).or_default().push(shown);
        if table == Findings::NAME
            && !shown
            && finding::WAIVED_UNTIL.text(row).is_empty()
            && let Some(severity) = Severity::named(finding::SEVERITY.text(row))
        {
            self.left_out.add(severity, finding::COUNT.count(row));
        }
        shown
    }

    /// Whether a row has a wanted owner and a region that stays. Checks every owner, to record which were found.
    fn is_wanted<T: Table>(&mut self, owner: Key<T>, region: Key<T>, row: &[Cell<'_>]) -> bool {
        let owner = is_one_of(&mut self.owners, &[owner], row);
        owner && (self.regions.is_empty() || self.kept.regions.contains(region.text(row)))
    }

    fn is_bad_enough(&self, table: &str, row: &[Cell<'_>]) -> bool {
        let severity = match table {
            Findings::NAME => finding::SEVERITY.text(row),
            Checks::NAME => check::SEVERITY.text(row),
            Objects::NAME => object::WORST_SEVERITY.text(row),
            Meshes::NAME => mesh::WORST_SEVERITY.text(row),
            _ => return true,
        };
        self.filter.min_severity.is_none_or(|least| Severity::named(severity) >= Some(least))
    }
}

/// Returns a sink that takes rows one by one. `None` if its rows are text.
fn not_text(sink: &mut Box<dyn Sink>) -> Option<&mut Box<dyn Sink>> {
    if sink.as_text().is_some() { None } else { Some(sink) }
}

/// Whether a row matches one of those wanted. Without any, all rows match.
fn is_one_of<T: Table>(wanted: &mut [Wanted], columns: &[Key<T>], row: &[Cell<'_>]) -> bool {
    let mut is_one = wanted.is_empty();
    for wanted in wanted {
        is_one |= columns.iter().any(|column| wanted.is(column.text(row)));
    }
    is_one
}

impl Kept {
    /// Remembers a wanted row.
    fn note(&mut self, table: &'static str, row: &[Cell<'_>], regions_given: bool) {
        match table {
            Regions::NAME => {
                let name = region::REGION.text(row);
                self.folders.insert(region::FOLDER.text(row).into(), name.into());
                if regions_given {
                    self.touch(name);
                }
            }
            Parcels::NAME => {
                self.entries.insert(parcel::ENTRY.text(row).into());
                self.touch(parcel::REGION.text(row));
            }
            Objects::NAME => {
                let entry = object::ENTRY.text(row).to_owned();
                self.objects.insert((entry.clone(), object::OBJECT_UUID.text(row).into()));
                self.entries.insert(entry);
                self.touch(object::REGION.text(row));
            }
            Parts::NAME if !part::MESH_UUID.text(row).is_empty() => {
                self.meshes.insert(part::MESH_UUID.text(row).into());
            }
            Meshes::NAME => {
                self.entries.insert(mesh::ENTRY.text(row).into());
            }
            _ => {}
        }
    }

    /// Records that rows of this region stay. Findings about it and about the input then stay, too.
    fn touch(&mut self, region: &str) {
        self.itself = true;
        if !self.regions.contains(region) {
            self.regions.insert(region.into());
        }
    }

    /// Whether the subject of a finding stays.
    fn concerns(&self, row: &[Cell<'_>]) -> bool {
        let (entry, object) = (finding::ENTRY.text(row), finding::OBJECT_UUID.text(row));
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
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if !self.keeps(table, row) {
            return Ok(());
        }
        if let Some(snapshot) = &mut self.snapshot {
            snapshot.take(table, row);
        }
        self.sinks.iter_mut().try_for_each(|sink| sink.row(table, row))
    }
}

impl Sink for FilteredSinks {
    /// Formats finish side by side. If several fail, the error of the first one is returned.
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let finish = |sink: &mut Box<dyn Sink>| {
            let finished = caught(|| within(Stage::Write, || sink.finish(summary)));
            finished.unwrap_or_else(|words| Err(io::Error::other(format!("a format stopped: {words}"))))
        };
        let (last, mut formats): (Vec<_>, Vec<_>) = self.sinks.iter_mut().partition(|sink| sink.publishes());
        let side_by_side = || formats.par_iter_mut().map(|sink| finish(sink)).collect::<Vec<_>>();
        within(Stage::Waiting, side_by_side).into_iter().collect::<io::Result<()>>()?;
        last.into_iter().try_for_each(finish)
    }

    fn region(&mut self, facts: &RegionFacts) {
        if self.kept.last_of(Regions::NAME) {
            self.sinks.iter_mut().for_each(|sink| sink.region(facts));
        }
    }

    fn mesh(&mut self, facts: &MeshFacts, physics: Option<&TriangleMesh>) {
        if self.kept.last_of(Meshes::NAME) {
            self.sinks.iter_mut().for_each(|sink| sink.mesh(facts, physics));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;
    use hullmark_settings::{config::Config, profile::Profile};
    use std::sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    /// A format that ends like this, and counts if it ends well.
    struct Ends(Option<&'static str>, Arc<AtomicUsize>);

    /// Something that publishes, and counts a hundred.
    struct Publishes(Arc<AtomicUsize>);

    impl Rows for Publishes {
        fn row(&mut self, _: &'static str, _: &[Cell<'_>]) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Publishes {
        fn publishes(&self) -> bool {
            true
        }

        fn finish(&mut self, _: &Summary) -> io::Result<()> {
            self.0.fetch_add(100, Relaxed);
            Ok(())
        }
    }

    impl Rows for Ends {
        fn row(&mut self, _: &'static str, _: &[Cell<'_>]) -> io::Result<()> {
            Ok(())
        }
    }

    impl Sink for Ends {
        fn finish(&mut self, _: &Summary) -> io::Result<()> {
            match self.0 {
                Some("panic") => panic!("no sheet"),
                Some(words) => return Err(io::Error::other(words)),
                None => self.1.fetch_add(1, Relaxed),
            };
            Ok(())
        }
    }

    #[test]
    fn a_format_that_fails_is_reported_and_the_others_finish_but_nothing_is_published() {
        let summary = Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 0);
        for (ends, expected) in [
            ([None, None, None], None),
            ([None, Some("full"), Some("panic")], Some("full")),
            ([Some("panic"), None, Some("full")], Some("a format stopped: no sheet")),
        ] {
            let finished = Arc::new(AtomicUsize::new(0));
            let mut sinks: Vec<Box<dyn Sink>> = vec![Box::new(Publishes(finished.clone()))];
            sinks.extend(ends.map(|end| Box::new(Ends(end, finished.clone())) as Box<dyn Sink>));
            let mut all = FilteredSinks::new(RowFilter::default(), None, sinks);
            let error = all.finish(&summary).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected);
            let well = ends.iter().filter(|end| end.is_none()).count();
            assert_eq!(finished.load(Relaxed), if well == 3 { 103 } else { well });
        }
    }
}
