//! Ledgers to reports: the only I/O on the way out.
//!
//! Ledgers are taken in the order of their inputs, where there are several threads one more at once than these, so a
//! report does not depend on how they came to be, and memory not on how many there are: what rules across inputs remember
//! goes to the disk beyond a budget. Each is joined with its measures, judged by the rules, and written as rows; what the whole run
//! amounts to is gathered on the way and written last, as `audit.json`.

pub mod content_security_policy;
pub mod counts;
pub mod csv;
pub mod diff;
mod evaluate;
pub mod findings;
mod formats;
mod html;
pub mod json_lines;
pub mod junit;
pub mod letters;
pub mod library;
pub mod output;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod preflight;
mod row_buffer;
mod row_filter;
pub mod sarif;
#[cfg(test)]
pub(crate) mod schema;
pub mod summary;
pub mod table;
pub mod tables;
pub mod text_tables;
mod up_to_date;
mod write;
#[cfg(feature = "xlsx")]
mod xlsx;

use crate::{
    ledger::{LedgerError, LedgerHeader, coverage::Uncovered, in_memory::InMemory},
    report::diff::{Snapshot, SnapshotSink},
    rules::{
        cross_input::CrossInput,
        history::{Archive, Copies, Emptied, History, Known},
        waivers::Waivers,
    },
    settings::{
        config::ReportConfig,
        profile::{Named, Profile},
        users::Users,
    },
    util::{
        advice,
        timings::{self, Stage},
    },
};
pub(crate) use evaluate::Evaluated;
pub use evaluate::Evaluator;
use evaluate::LedgerSet;
pub use findings::ReportedFinding;
pub(crate) use findings::ReportedFindings;
use output::{Destination, Output, OutputError, OutputFile};
use row_filter::FilteredSinks;
pub use row_filter::{AppliedFilter, RowFilter};
use serde::Serialize;
use std::{
    collections::BTreeSet,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};
pub use summary::{Manifest, Summary};
use table::{Head, Sink, Table, write as write_row};
use tables::changes::Changes;
use thiserror::Error;
use up_to_date::Origin;
use write::ReportWriter;

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A ledger was refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A report could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// This build cannot write a format.
    #[error("{0}")]
    Format(&'static str),
    /// What rules across inputs remember could not be kept on the disk.
    #[error(
        "What is remembered of the inputs cannot be kept on the disk of --out; {}, or give it more memory \
         ([report] across_bytes in the settings), and run again",
        advice::to_write(.0, "--out")
    )]
    CrossInput(#[source] io::Error),
}

/// Reports that are opened and not yet written, and what they look at besides ledgers.
pub struct Reports {
    output: Output,
    sinks: Vec<Box<dyn Sink>>,
    /// Whether some of them write elsewhere.
    elsewhere: bool,
    json: BufWriter<OutputFile>,
    config: ReportConfig,
    further: Vec<Named>,
    baseline: Option<Snapshot>,
    /// Whom the target grid knows.
    pub users: Option<Users>,
    /// What is left of the report. Names of owners are those that the target knows.
    pub filter: RowFilter,
    /// Inputs that are not covered.
    pub uncovered: Vec<Uncovered>,
    /// Folders that had inputs in an earlier run and have none now.
    pub emptied: Vec<Emptied>,
    /// A look back: what fell, what grew, and what is not there.
    pub history: Option<History>,
    /// Which findings are waived.
    pub waivers: Waivers,
    /// Ledgers that are in no file. Their report is no one that stands: nobody knows their checksums.
    pub held: Vec<(LedgerHeader, InMemory)>,
}

impl Reports {
    /// Opens every report in a folder, with columns for further profiles beside the one that will judge, and with what
    /// changed since an earlier night, where there is one. Formats that this build lacks are left out.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(
        to: impl Into<Destination>,
        config: &ReportConfig,
        further: Vec<Named>,
        baseline: Option<Snapshot>,
    ) -> Result<Self, OutputError> {
        let mut heads = tables::heads(&further.iter().map(Named::in_columns).collect::<Vec<_>>());
        let files = formats::files("audit", heads.iter().map(|table| table.name));
        let files = files.chain(formats::files(Changes::NAME, [])).collect();
        heads.retain(|head| baseline.is_some() || head.name != Changes::NAME);
        let mut output = Output::new(to)?.replacing("audit", files);
        let sinks = open_sinks(&mut output, &heads, config)?;
        let json = output.open_whole("json")?;
        Ok(Self {
            output,
            sinks,
            elsewhere: false,
            json,
            config: config.clone(),
            further,
            baseline,
            users: None,
            filter: RowFilter::default(),
            uncovered: Vec::new(),
            emptied: Vec::new(),
            history: None,
            waivers: Waivers::default(),
            held: Vec::new(),
        })
    }

    /// The folder in which they are written; where they go to an object store, one of their own; none in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.output.folder()
    }

    /// Adds one more way of writing tables, to elsewhere.
    pub fn add(&mut self, sink: Box<dyn Sink>) {
        self.sinks.push(sink);
        self.elsewhere = true;
    }
}

/// Opens the formats that are asked for, once each, however often it is named.
fn open_sinks(
    output: &mut Output,
    heads: &[Head],
    config: &ReportConfig,
) -> Result<Vec<Box<dyn Sink>>, OutputError> {
    let formats: BTreeSet<_> = config.formats.iter().copied().collect();
    let sinks = formats.into_iter();
    sinks.filter_map(|format| formats::open(format, output, heads, config).transpose()).collect()
}

fn write_json(json: &mut BufWriter<OutputFile>, content: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *json, content)?;
    json.write_all(b"\n")?;
    json.flush()
}

/// Judges ledgers for a target grid and writes the reports. A report that follows from the same and is still there
/// stands as it is. `top` is how many entries each list of the summary has, and how many savings of each kind are told of
/// a region; none are searched where it is 0.
///
/// # Errors
/// A ledger that is refused, or a file that cannot be written: then the old report stays as it was.
pub fn write(
    ledgers: &[PathBuf],
    profile: &Profile,
    manifest: Manifest,
    top: usize,
    mut reports: Reports,
) -> Result<Summary, ReportError> {
    let folder = reports.output.folder().map(Path::to_owned);
    let failed = |source| OutputError { path: folder.clone().unwrap_or_default(), source };
    let mut summary = Summary::new(
        Manifest {
            also: reports.further.clone(),
            users: reports.users.as_ref().map(Users::count),
            waivers: reports.waivers.count(),
            ..manifest
        },
        top,
    );
    let judge = Evaluator {
        profile,
        further: &reports.further,
        users: reports.users.as_ref(),
        config: &reports.config,
    };
    let apart = LedgerSet::of(ledgers, std::mem::take(&mut reports.held))?;
    let (copies, known) = known(&apart, &reports.uncovered, reports.history.as_ref());
    let apart = apart.judging_only(|input| judge.config.all_copies || copies.is_judged(input));
    let run = ReportWriter {
        judge,
        known: known.as_ref(),
        copies: &copies,
        baseline: reports.baseline.as_ref(),
        uncovered: &reports.uncovered,
        emptied: &reports.emptied,
        waivers: &reports.waivers,
        top,
    };
    let files = reports.output.names().to_vec();
    let origin = match reports.elsewhere || folder.is_none() {
        true => None,
        false => Origin::of(&run, &apart, &reports.filter, &summary, &files),
    };
    let alone = origin.as_ref().filter(|_| !reports.output.has_leftovers());
    let standing = folder.as_deref().zip(alone).and_then(|(folder, origin)| up_to_date::find(folder, origin));
    if let Some(mut standing) = standing {
        standing.manifest = summary.manifest;
        return Ok(standing);
    }
    let mut sink = FilteredSinks::new(reports.filter, reports.users.as_ref(), reports.sinks);
    sink.gather = run.baseline.map(|_| SnapshotSink::default());
    let across = folder
        .as_deref()
        .map_or_else(CrossInput::default, |folder| CrossInput::within(judge.config.across_bytes, folder));
    run.tell(apart, &mut sink, &mut summary, across, failed)?;
    if let Some((old, gather)) = run.baseline.zip(sink.gather.take()) {
        let audit = serde_json::to_value(&summary).map_err(|error| failed(error.into()))?;
        let changes = diff::Changes::between(old, &gather.night(&audit));
        for change in &changes.rows {
            write_row::<Changes>(&mut sink, &change).map_err(failed)?;
        }
        summary.changes = Some(changes.told(top));
    }
    timings::within(Stage::Write, || sink.finish(&summary)).map_err(failed)?;
    write_json(&mut reports.json, &summary).map_err(failed)?;
    reports.output.publish()?;
    if let Some((folder, origin)) = folder.zip(origin) {
        up_to_date::seal(&folder, origin, files);
    }
    Ok(summary)
}

/// Which inputs are copies of one thing, and what came before them: as far as labels and names tell.
fn known<'a>(
    apart: &LedgerSet,
    uncovered: &[Uncovered],
    history: Option<&'a History>,
) -> (Copies, Option<Known<'a>>) {
    let archives = Archive::all(&apart.labels, uncovered);
    let copies = Copies::of(&archives);
    let known = history.map(|history| history.of(&archives, &copies, uncovered));
    (copies, known)
}

/// Writes how two nights differ, and nothing else: a table, and `changes.json` last.
///
/// # Errors
/// A file that cannot be written.
pub fn write_changes(
    folder: &Path,
    config: &ReportConfig,
    manifest: Manifest,
    changes: &diff::Changes,
) -> Result<Summary, OutputError> {
    let failed = |source| OutputError { path: folder.into(), source };
    let files = formats::files(Changes::NAME, [Changes::NAME]).collect();
    let mut output = Output::new(folder)?.replacing(Changes::NAME, files);
    let sinks = open_sinks(&mut output, &[table::head::<Changes>(&[])], config)?;
    let mut json = output.open_whole("json")?;
    let mut summary = Summary::new(manifest, config.top);
    summary.changes = Some(changes.told(config.top));
    let mut sink = FilteredSinks::new(RowFilter::default(), None, sinks);
    for change in &changes.rows {
        write_row::<Changes>(&mut sink, &change).map_err(failed)?;
    }
    sink.finish(&summary).map_err(failed)?;
    write_json(&mut json, &summary.changes).map_err(failed)?;
    output.publish()?;
    Ok(summary)
}

/// What ledgers are for this target grid, these waivers and this choice of rows, to be compared with another night.
///
/// # Errors
/// A ledger that is refused.
pub fn night(
    ledgers: &[PathBuf],
    judge: Evaluator<'_>,
    history: &History,
    waivers: &Waivers,
    manifest: Manifest,
    narrow: RowFilter,
) -> Result<Snapshot, ReportError> {
    let mut sink = FilteredSinks::new(narrow, judge.users, Vec::new());
    sink.gather = Some(SnapshotSink::default());
    let mut summary = Summary::new(manifest, 0);
    // It keeps all in memory, so no file can fail.
    let failed = |source| OutputError { path: PathBuf::new(), source };
    let apart = LedgerSet::of(ledgers, Vec::new())?;
    let (copies, known) = known(&apart, &[], Some(history));
    let apart = apart.judging_only(|input| copies.is_judged(input));
    let known = known.as_ref();
    let run = ReportWriter {
        judge,
        known,
        copies: &copies,
        baseline: None,
        uncovered: &[],
        emptied: &[],
        waivers,
        top: 0,
    };
    run.tell(apart, &mut sink, &mut summary, CrossInput::default(), failed)?;
    let audit = serde_json::to_value(&summary).map_err(|error| failed(error.into()))?;
    Ok(sink.gather.unwrap_or_default().night(&audit))
}
