//! `archives`: one row for each input.

use super::columns;
use crate::{
    analysis::Measured,
    finding::Severity,
    ledger::{
        self,
        facts::{Role, Status},
        identity,
        summary::LedgerSummary,
    },
    report::{
        counts::SeverityCounts,
        table::{Cell, Column, Table, Time},
    },
    rules::history::Rank,
};
use std::time::{Duration, UNIX_EPOCH};

/// The table.
#[derive(Debug)]
pub struct Archives;

/// An input.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// What is known of it.
    pub measured: &'a Measured<'a>,
    /// The number of its findings.
    pub counts: &'a SeverityCounts,
    /// What it is among its copies.
    pub rank: &'a Rank,
    /// By what it is matched in another night.
    pub series: Option<&'a str>,
    /// What it comes to, where it is not judged, because a copy of it is.
    pub copy: Option<&'a LedgerSummary>,
}

impl<'a> Row<'a> {
    /// An input without copies.
    pub fn alone(measured: &'a Measured<'a>, counts: &'a SeverityCounts) -> Self {
        Self { measured, counts, rank: &Rank::ALONE, series: Some(&measured.ledger.input), copy: None }
    }
}

impl Table for Archives {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "archives";
    const ABOUT: &'static str = "One row for each input: an archive, an unpacked archive, or the loose files of a folder. Where another copy of an archive is judged, its row has only numbers that are known without judging it.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Archives:
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input.";
    #[compared] HOME = "home", row => Cell::show(identity::of_input(row.measured.ledger)), "What tells it again in another night, whatever the date in its name: where it is of one region that region's UUID, else its name; else the file's name with `#` for dates.";
    #[compared] SERIES = "series", row => row.series, "What its dated copies have in common, and by what it is matched in another night: the path with `#` for dates. Empty where a newer archive of another region has that path: then only the newer one is compared.";
    #[compared] KIND = "kind", row => &row.measured.ledger.kind, "`oar`, `iar`, `oar-tree`, `iar-tree` (unpacked), `folder` (loose files) or `unreadable`; `store`, where it was given with `--assets`: only its assets count, and nothing of it is judged; `absent`, where it is expected by this name and not there (HIS002). Empty for one that was never read.";
    #[compared] STATUS = "status", row => status(row).name(), "`complete`, `incomplete` (not read to its end), `unreadable`, or `not_covered`: left to another night by `--sample` or `--budget-time`, or without a ledger from any share of a plan, so that nothing is known of it and it has neither passed nor failed. `superseded`: an older dated copy of an archive that is judged. It has a row in this table alone, and counts nowhere else.";
    "read", row => read(row), "How far it was read, whether it is superseded or not: `complete`, `incomplete` or `unreadable`. Empty where it is not covered or absent.";
    #[compared] SUPERSEDED_BY = "superseded_by", row => superseded_by(row), "Path of the copy that is judged in the place of this older one.";
    #[compared] IN_PLACE_OF = "in_place_of", row => in_place_of(row), "Path of the newest copy, where that was not read to its end or is not covered, and this older one is judged in its place.";
    "format_version", row => version(row.measured), "Version that archive.xml states.";
    #[compared] CREATED = "created", row => created(row.measured), "When the export was made, as archive.xml states it.";
    "compression", row => row.measured.ledger.container.compression.as_deref(), "`gzip`, or empty.";
    "bytes", row => row.measured.ledger.bytes, "Bytes on the disk.";
    #[compared] EXPANDED_BYTES = "expanded_bytes", row => known(row, row.measured.ledger.container.expanded_bytes), "Bytes of all entries.";
    "entries", row => judged(row, row.measured.ledger.container.entries), "Entries, directories left out.";
    #[compared] ASSETS = "assets", row => brief(row, |brief| brief.assets + brief.empty_assets, || row.measured.ledger.container.assets.values().sum()), "Assets of all kinds.";
    #[compared] EMPTY_ASSETS = "empty_assets", row => brief(row, |brief| brief.empty_assets, || row.measured.ledger.assets.iter().filter(|asset| asset.bytes == 0).count() as u64), "Assets of zero bytes: they count as failed when loaded.";
    "regions", row => known(row, row.measured.ledger.regions.len()), "Regions.";
    #[compared] OBJECTS = "objects", row => brief(row, |brief| brief.objects, || objects(row.measured, Role::Rezzed)), "Linksets that stand in a region.";
    #[compared] PARTS = "parts", row => judged(row, parts(row.measured, Role::Rezzed)), "Prims of those linksets.";
    #[compared] NESTED_OBJECTS = "nested_objects", row => brief(row, |brief| brief.nested_objects, || objects(row.measured, Role::Nested)), "Linksets that lie in inventories.";
    "nested_parts", row => judged(row, parts(row.measured, Role::Nested)), "Prims of those linksets.";
    #[compared] LOOSE_OBJECTS = "loose_objects", row => brief(row, |brief| brief.loose_objects, || objects(row.measured, Role::Loose)), "Linksets that are files of their own.";
    "meshes", row => judged(row, row.measured.ledger.meshes.len()), "Mesh assets.";
    "unknown_files", row => judged(row, row.measured.ledger.unknown.len()), "Files that were not audited, because their kind is not known.";
    "blockers", row => known(row, row.counts.of(Severity::Blocker)), "Findings of severity blocker.";
    "errors", row => known(row, row.counts.of(Severity::Error)), "Findings of severity error.";
    "warnings", row => known(row, row.counts.of(Severity::Warning)), "Findings of severity warning.";
    "infos", row => known(row, row.counts.of(Severity::Info)), "Findings of severity info.";
    "oddities", row => Cell::words(&row.measured.ledger.container.oddities), "Departures of the container from the format that do no harm.";
    "content_hash", row => row.measured.ledger.content_hash.as_deref(), "xxh3-128 of the input's bytes; empty where not all were read.";
}

/// How it stands in the report.
fn status(row: &Row<'_>) -> Status {
    match (row.rank, row.copy) {
        (Rank::Superseded { .. }, Some(_)) => Status::Superseded,
        _ => row.measured.ledger.status,
    }
}

fn read(row: &Row<'_>) -> Option<&'static str> {
    let ledger = row.measured.ledger;
    (ledger.status != Status::NotCovered && ledger.kind != ledger::ABSENT).then(|| ledger.status.name())
}

fn superseded_by<'a>(row: &Row<'a>) -> Option<&'a str> {
    if let Rank::Superseded { by } = row.rank { Some(by) } else { None }
}

fn in_place_of<'a>(row: &Row<'a>) -> Option<&'a str> {
    if let Rank::InPlaceOf { newest } = row.rank { Some(newest) } else { None }
}

/// A number of an input that was covered; nothing, which is not 0, of one that was not.
fn known<T>(row: &Row<'_>, number: T) -> Option<T> {
    (row.measured.ledger.status != Status::NotCovered).then_some(number)
}

/// A number that is known only of an input that is judged.
fn judged<T>(row: &Row<'_>, number: T) -> Option<T> {
    known(row, number).filter(|_| row.copy.is_none())
}

/// A number that is known of every input that was read.
fn brief(row: &Row<'_>, of_copy: impl Fn(&LedgerSummary) -> u64, of_judged: impl Fn() -> u64) -> Option<u64> {
    known(row, row.copy.map_or_else(of_judged, of_copy))
}

fn version(measured: &Measured<'_>) -> Option<Cell<'static>> {
    let control = measured.ledger.container.control.as_ref()?;
    Some(Cell::show(format_args!("{}.{}", control.major?, control.minor?)))
}

fn created(measured: &Measured<'_>) -> Option<Time> {
    let seconds = u64::try_from(measured.ledger.container.control.as_ref()?.created?).ok()?;
    // What lies beyond the year 9999 is no date of an export.
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).filter(|_| seconds < 253_402_300_800)?;
    Some(Time(time))
}

fn objects(measured: &Measured<'_>, role: Role) -> u64 {
    measured.ledger.objects.iter().filter(|object| object.role == role).count() as u64
}

fn parts(measured: &Measured<'_>, role: Role) -> usize {
    let objects = measured.ledger.objects.iter().filter(|object| object.role == role);
    objects.map(|object| object.linkset.parts.len()).sum()
}
