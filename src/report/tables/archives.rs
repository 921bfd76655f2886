//! `archives`: one row for each input.

use super::columns;
use crate::{
    counts::SeverityCounts,
    table::{Cell, Column, Table, Time},
};
use hullmark_analysis::Measured;
use hullmark_finding::Severity;
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{Role, Status, UnknownFile},
    identity,
    summary::LedgerSummary,
};
use hullmark_rules::history::Rank;
use std::time::Duration;

/// The table.
#[derive(Debug)]
pub struct Archives;

/// An input.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its ledger and measures.
    pub measured: &'a Measured<'a>,
    /// Number of its findings by severity.
    pub counts: &'a SeverityCounts,
    /// Its rank among its dated copies.
    pub rank: &'a Rank,
    /// Key that matches it in another run.
    pub series: Option<&'a str>,
    /// Its summary, if another copy is evaluated instead.
    pub copy: Option<&'a LedgerSummary>,
}

impl<'a> Row<'a> {
    /// Creates the row of an input without copies.
    pub fn alone(measured: &'a Measured<'a>, counts: &'a SeverityCounts) -> Self {
        Self { measured, counts, rank: &Rank::ALONE, series: Some(&measured.ledger.input), copy: None }
    }
}

impl Table for Archives {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "archives";
    const ABOUT: &'static str = "One row for each input: an archive, an unpacked archive, or the loose files of a folder. If another copy of an archive is evaluated, only numbers from its header are filled in.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Archives:
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input.";
    #[compared] IDENTITY = "identity", row => Cell::show(identity::of_input(row.measured.ledger)), "Key that matches the archive across runs: UUID of its only region, else the name of that region, else the file name with `#` for dates.";
    #[compared] SERIES = "series", row => row.series, "Key that matches dated copies: the path with `#` for dates. Empty if a newer archive of another region has the same path; then only the newer one is compared.";
    #[compared] KIND = "kind", row => row.measured.ledger.kind.name(), "`oar`, `iar`, `oar-tree`, `iar-tree` (unpacked), `folder` (loose files) or `unreadable`. Databases are `dump` (SQL), `sqlite` (a file), `mysql` or `postgresql` (a server). Stores are `fsassets` (one of its folders) and `flotsam` (a simulator's cache). Also `store` (given with `--assets`; not evaluated itself) and `absent` (missing: expected by this name, HIS002, or had by earlier runs, HIS009). Empty if it was never read.";
    #[compared] STATUS = "status", row => status(row).name(), "`complete`, `incomplete` (not read to its end), `unreadable`, `superseded` (an older dated copy; it counts in no other table) or `not_covered`. An input is not covered if `--sample` or `--budget-time` left it to another run, or if no shard of a plan wrote its ledger. It has neither passed nor failed.";
    "read_status", row => read_status(row), "How far the input was read, superseded or not: `complete`, `incomplete` or `unreadable`. Empty if it is not covered or absent.";
    #[compared] SUPERSEDED_BY = "superseded_by", row => superseded_by(row), "Path of the copy that is evaluated instead of this older one.";
    #[compared] IN_PLACE_OF = "in_place_of", row => in_place_of(row), "Path of the newest copy, if this older one is evaluated instead because the newest was not read to its end or is not covered.";
    "format_version", row => version(row.measured), "Format version in archive.xml.";
    #[compared] CREATED = "created", row => created(row.measured), "Time of the export in archive.xml, UTC.";
    "compression", row => row.measured.ledger.container.compression.as_deref(), "`gzip` or `zstd`; `container` for a zip or tar that is an unpacked archive; empty if the input is not compressed.";
    "bytes", row => row.measured.ledger.bytes, "Size on disk, bytes.";
    #[compared] EXPANDED_BYTES = "expanded_bytes", row => known(row, row.measured.ledger.container.expanded_bytes), "Size of all entries, bytes.";
    "entries", row => evaluated(row, row.measured.ledger.container.entries), "Number of entries without directories.";
    #[compared] ASSETS = "assets", row => brief(row, |brief| brief.assets + brief.empty_assets, || row.measured.ledger.container.assets.values().sum()), "Number of assets of all types.";
    #[compared] EMPTY_ASSETS = "empty_assets", row => brief(row, |brief| brief.empty_assets, || row.measured.ledger.assets.iter().filter(|asset| asset.bytes == 0).count() as u64), "Number of assets of zero bytes. They fail to load.";
    "regions", row => known(row, row.measured.ledger.regions.len()), "Number of regions.";
    #[compared] OBJECTS = "objects", row => brief(row, |brief| brief.objects, || objects(row.measured, Role::Rezzed)), "Number of linksets rezzed in a region.";
    #[compared] PARTS = "parts", row => evaluated(row, parts(row.measured, Role::Rezzed)), "Number of prims of these linksets.";
    #[compared] NESTED_OBJECTS = "nested_objects", row => brief(row, |brief| brief.nested_objects, || objects(row.measured, Role::Nested)), "Number of linksets in inventories.";
    "nested_parts", row => evaluated(row, parts(row.measured, Role::Nested)), "Number of prims of these linksets.";
    #[compared] LOOSE_OBJECTS = "loose_objects", row => brief(row, |brief| brief.loose_objects, || objects(row.measured, Role::Loose)), "Number of linksets in files of their own.";
    "meshes", row => evaluated(row, row.measured.ledger.meshes.len()), "Number of mesh assets.";
    "inventories", row => evaluated(row, row.measured.ledger.container.inventory_owners), "Number of owners with an inventory in a database, evaluated or not (`--inventory`).";
    "inventory_items", row => evaluated(row, row.measured.ledger.container.inventory_items), "Number of inventory items of an IAR or of these owners.";
    "unknown_files", row => evaluated(row, unknown_files(row.measured.ledger)), "Number of files of unknown kinds. They are not audited.";
    "blockers", row => known(row, row.counts.get(Severity::Blocker)), "Number of findings of severity blocker.";
    "errors", row => known(row, row.counts.get(Severity::Error)), "Number of findings of severity error.";
    "warnings", row => known(row, row.counts.get(Severity::Warning)), "Number of findings of severity warning.";
    "info", row => known(row, row.counts.get(Severity::Info)), "Number of findings of severity info.";
    "oddities", row => Cell::words(&row.measured.ledger.container.oddities), "Harmless deviations of the container from its format.";
    #[compared] CONTENT_HASH = "content_hash", row => row.measured.ledger.content_hash.as_deref(), "xxh3-128 of the bytes of the input. Empty if not all were read.";
}

/// Returns its status in the report.
pub fn status(row: &Row<'_>) -> Status {
    match (row.rank, row.copy) {
        (Rank::Superseded { .. }, Some(_)) => Status::Superseded,
        _ => row.measured.ledger.status,
    }
}

fn read_status(row: &Row<'_>) -> Option<&'static str> {
    let ledger = row.measured.ledger;
    (ledger.status != Status::NotCovered && ledger.kind != InputKind::Absent).then(|| ledger.status.name())
}

fn superseded_by<'a>(row: &Row<'a>) -> Option<&'a str> {
    if let Rank::Superseded { by } = row.rank { Some(by) } else { None }
}

fn in_place_of<'a>(row: &Row<'a>) -> Option<&'a str> {
    if let Rank::InPlaceOf { newest } = row.rank { Some(newest) } else { None }
}

/// Returns a number of an input, if it was covered.
fn known<T>(row: &Row<'_>, number: T) -> Option<T> {
    (row.measured.ledger.status != Status::NotCovered).then_some(number)
}

/// Returns a number of an input, if it was evaluated.
fn evaluated<T>(row: &Row<'_>, number: T) -> Option<T> {
    known(row, number).filter(|_| row.copy.is_none())
}

/// Returns a number of any input that was read. For a copy it comes from the header.
fn brief(
    row: &Row<'_>,
    of_copy: impl Fn(&LedgerSummary) -> u64,
    of_evaluated: impl Fn() -> u64,
) -> Option<u64> {
    known(row, row.copy.map_or_else(of_evaluated, of_copy))
}

fn version(measured: &Measured<'_>) -> Option<Cell<'static>> {
    let control = measured.ledger.container.control.as_ref()?;
    Some(Cell::show(format_args!("{}.{}", control.major?, control.minor?)))
}

fn created(measured: &Measured<'_>) -> Option<Time> {
    let seconds = u64::try_from(measured.ledger.container.control.as_ref()?.created?).ok()?;
    Time::since_1970(Duration::from_secs(seconds))
}

fn objects(measured: &Measured<'_>, role: Role) -> u64 {
    measured.ledger.objects.iter().filter(|object| object.role == role).count() as u64
}

fn unknown_files(ledger: &Ledger) -> u64 {
    ledger.unknown.iter().map(UnknownFile::files).sum()
}

fn parts(measured: &Measured<'_>, role: Role) -> usize {
    let objects = measured.ledger.objects.iter().filter(|object| object.role == role);
    objects.map(|object| object.linkset.parts.len()).sum()
}
