//! `archives`: one row for each input.

use super::column;
use crate::{
    facts::{Role, Status},
    finding::Severity,
    join::Case,
    report::{
        counts::SeverityCounts,
        home,
        table::{Cell, Column, Table, Time},
    },
};
use std::time::{Duration, UNIX_EPOCH};

/// The table.
#[derive(Debug)]
pub struct Archives;

/// An input with the number of its findings.
pub type Row<'a> = (&'a Case<'a>, &'a SeverityCounts);

impl Table for Archives {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "archives";
    const ABOUT: &'static str =
        "One row for each input: an archive, an unpacked archive, or the loose files of a folder.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("archive", (case, _) => &case.ledger.input, "Path of the input."),
        column!("home", (case, _) => Cell::show(home::of_input(case.ledger)), "What tells it again in another night, whatever the date in its name: where it is of one region that region's UUID, else its name; else the file's name with `#` for dates."),
        column!("kind", (case, _) => &case.ledger.kind, "`oar`, `iar`, `oar-tree`, `iar-tree` (unpacked), `folder` (loose files) or `unreadable`; `store`, where it was given with `--assets`: only its assets count, and nothing of it is judged; `absent`, where it is expected by this name and not there (HIS002). Empty for one that was never read."),
        column!("status", (case, _) => case.ledger.status.name(), "`complete`, `incomplete` (not read to its end), `unreadable`, or `not_covered`: left to another night by `--sample` or `--budget-time`, or without a ledger from any share of a plan, so that nothing is known of it and it has neither passed nor failed."),
        column!("format_version", (case, _) => version(case), "Version that archive.xml states."),
        column!("created", (case, _) => created(case), "When the export was made, as archive.xml states it."),
        column!("compression", (case, _) => case.ledger.container.compression.as_deref(), "`gzip`, or empty."),
        column!("bytes", (case, _) => case.ledger.bytes, "Bytes on the disk."),
        column!("expanded_bytes", (case, _) => known(case, case.ledger.container.expanded_bytes), "Bytes of all entries."),
        column!("entries", (case, _) => known(case, case.ledger.container.entries), "Entries, directories left out."),
        column!("assets", (case, _) => known(case, case.ledger.container.assets.values().sum::<u64>()), "Assets of all kinds."),
        column!("empty_assets", (case, _) => known(case, case.ledger.assets.iter().filter(|asset| asset.bytes == 0).count()), "Assets of zero bytes: they count as failed when loaded."),
        column!("regions", (case, _) => known(case, case.ledger.regions.len()), "Regions."),
        column!("objects", (case, _) => known(case, objects(case, Role::Rezzed)), "Linksets that stand in a region."),
        column!("parts", (case, _) => known(case, parts(case, Role::Rezzed)), "Prims of those linksets."),
        column!("nested_objects", (case, _) => known(case, objects(case, Role::Nested)), "Linksets that lie in inventories."),
        column!("nested_parts", (case, _) => known(case, parts(case, Role::Nested)), "Prims of those linksets."),
        column!("loose_objects", (case, _) => known(case, objects(case, Role::Loose)), "Linksets that are files of their own."),
        column!("meshes", (case, _) => known(case, case.ledger.meshes.len()), "Mesh assets."),
        column!("unknown_files", (case, _) => known(case, case.ledger.unknown.len()), "Files that were not audited, because their kind is not known."),
        column!("blockers", (case, counts) => known(case, counts.of(Severity::Blocker)), "Findings of severity blocker."),
        column!("errors", (case, counts) => known(case, counts.of(Severity::Error)), "Findings of severity error."),
        column!("warnings", (case, counts) => known(case, counts.of(Severity::Warning)), "Findings of severity warning."),
        column!("infos", (case, counts) => known(case, counts.of(Severity::Info)), "Findings of severity info."),
        column!("oddities", (case, _) => Cell::words(&case.ledger.container.oddities), "Departures of the container from the format that do no harm."),
        column!("content_hash", (case, _) => case.ledger.content_hash.as_deref(), "xxh3-128 of the input's bytes; empty where not all were read."),
    ];
}

/// A number of an input that was covered; nothing, which is not 0, of one that was not.
fn known<T>(case: &Case<'_>, number: T) -> Option<T> {
    (case.ledger.status != Status::NotCovered).then_some(number)
}

fn version(case: &Case<'_>) -> Option<Cell<'static>> {
    let control = case.ledger.container.control.as_ref()?;
    Some(Cell::show(format_args!("{}.{}", control.major?, control.minor?)))
}

fn created(case: &Case<'_>) -> Option<Time> {
    let seconds = u64::try_from(case.ledger.container.control.as_ref()?.created?).ok()?;
    // What lies beyond the year 9999 is no date of an export.
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).filter(|_| seconds < 253_402_300_800)?;
    Some(Time(time))
}

fn objects(case: &Case<'_>, role: Role) -> usize {
    case.ledger.objects.iter().filter(|object| object.role == role).count()
}

fn parts(case: &Case<'_>, role: Role) -> usize {
    let objects = case.ledger.objects.iter().filter(|object| object.role == role);
    objects.map(|object| object.linkset.parts.len()).sum()
}
