//! Evaluated inputs: findings and numbers of ledgers, with tables, comparison and summary.
//!
//! `write` evaluates ledgers in parallel and hands them to formats in input order. Formats get `reported`, and
//! implement `page`. Formats with plain rows are here; the others are in the room `pages`.

pub mod actions;
pub mod arrived;
pub mod content_security_policy;
pub mod counts;
pub mod csv;
pub mod diff;
pub mod doctor;
pub mod evaluate;
pub mod figures;
pub mod findings;
pub mod first_user;
pub mod json_lines;
pub mod metrics;
pub mod missing;
pub mod output;
pub mod packed_rows;
pub mod page;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod place_link;
pub mod places;
pub mod preflight;
pub mod region_status;
pub mod reported;
pub mod row_filter;
pub mod run_tables;
pub mod screen;
pub mod spool;
pub mod summary;
pub mod table;
pub mod tables;
pub mod text_tables;
pub mod trend;
mod weight;
pub mod whereabouts;
mod write;

use diff::{Snapshot, SnapshotSink};
pub use evaluate::Evaluated;
use evaluate::LedgerSet;
pub use evaluate::{Evaluator, Trust};
pub use findings::ReportedFinding;
pub use findings::ReportedFindings;
use hullmark_ledger::coverage::Uncovered;
use hullmark_rules::{
    cross_input::CrossInput,
    history::{Archive, Copies, ExpectedError, Former, History, Known},
    waivers::Waivers,
};
use hullmark_util::advice;
use output::OutputError;
pub use row_filter::Selection;
pub use row_filter::{AppliedFilter, RowFilter, UnknownRegion};
use run_tables::RunTables;
use std::{
    io,
    path::{Path, PathBuf},
};
pub use summary::{Manifest, Summary};
use thiserror::Error;
use trend::HistoryError;
pub use write::{Added, Formats, ReportWriter};

/// Why a report could not be written.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A report could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// This build does not support a format.
    #[error("{0}")]
    Format(&'static str),
    /// The temporary files of cross-input rules could not be written.
    #[error(
        "The temporary files of cross-input rules cannot be written to the disk of --out; {}, or raise their memory \
         ([report] across_bytes in the settings), and run again",
        advice::to_write(.0, "--out")
    )]
    CrossInput(#[source] io::Error),
    /// No input has a region that was asked for.
    #[error(transparent)]
    UnknownRegion(#[from] UnknownRegion),
    /// The list of expected archives cannot be used.
    #[error(transparent)]
    Expected(#[from] ExpectedError),
    /// The history of regions could not be extended. The report is complete.
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// Returns the dated copies and earlier runs of the archives of a run, from headers and names.
pub fn known<'a>(
    archives: &[Archive],
    uncovered: &[Uncovered],
    history: Option<&'a History>,
    former: &Former,
) -> (Copies, Option<Known<'a>>) {
    let copies = Copies::find(archives);
    let known = history.map(|history| history.for_run(archives, &copies, uncovered, former));
    (copies, known)
}

/// Evaluates ledgers for comparison with another run.
///
/// # Errors
/// Rules across inputs cannot be evaluated.
pub fn snapshot(
    ledgers: &[PathBuf],
    evaluator: Evaluator<'_>,
    history: &History,
    waivers: &Waivers,
    manifest: Manifest,
    filter: RowFilter,
    scratch: &Path,
) -> Result<Snapshot, ReportError> {
    let (recorded, recorder) = SnapshotSink::recorder(scratch);
    let (makers, mut pages) = page::apart(vec![recorder]);
    let selection = Selection::new(filter, evaluator.users);
    let mut summary = Summary::new(manifest, 0);
    let failed = |source| OutputError { path: scratch.into(), source };
    let mut set = LedgerSet::open(ledgers, &Trust::None, Vec::new());
    let unreadable = std::mem::take(&mut set.unreadable);
    let (copies, known) = known(&Archive::all(&set.headers, &[]), &[], Some(history), &Former::default());
    let set = set.evaluating_only(|input| copies.is_evaluated(input));
    let known = known.as_ref();
    let writer = ReportWriter {
        evaluator,
        known,
        copies: &copies,
        baseline: None,
        baseline_gone: None,
        kept: None,
        uncovered: &[],
        emptied: &[],
        waivers,
        trend: None,
        address: "",
        top: 0,
    };
    let formats = Formats { makers: &makers, pages: &mut pages, tables: RunTables::in_memory() };
    writer.write(set, &selection, formats, &mut summary, CrossInput::default(), failed)?;
    let audit = serde_json::to_value(&summary).map_err(|error| failed(error.into()))?;
    let snapshot = recorded.finish(&audit).map_err(failed)?;
    Ok(Snapshot { unreadable, ..snapshot })
}
