//! The files of a report: opened before any input is read, written from ledgers, and published together.
//!
//! Ledgers are evaluated in parallel and written in input order, so a report does not depend on threads. The summary of
//! the run is written last, as `audit.json`.

use super::{
    formats,
    up_to_date::{self, Origin},
};
use hullmark_ledger::{LedgerHeader, coverage::Uncovered, in_memory::InMemory};
use hullmark_report::{
    Evaluator, Formats, Manifest, ReportError, ReportWriter, RowFilter, Selection, Summary, Trust,
    arrived::{self, Verified},
    diff::{self, Change, ChangesSummary, Recorded, Snapshot, SnapshotSink},
    evaluate::LedgerSet,
    known,
    output::{Destination, Output, OutputError, OutputFile},
    page::{self, Writer},
    reported::Piece,
    run_tables::RunTables,
    table::{self, Head, Table},
    tables::{self, arrivals::Arrivals, asset_arrivals::AssetArrivals, assets::Assets, changes::Changes},
    trend::{HistoryFile, Past, Trend},
};
use hullmark_rules::{
    cross_input::CrossInput,
    history::{Archive, Emptied, Former, History, Searched},
    waivers::Waivers,
};
use hullmark_settings::{
    config::ReportConfig,
    profile::{Named, Profile},
    simulator::regions::RegionFile,
    users::Users,
};
use hullmark_storage::contents::ContentCache;
use serde::Serialize;
use std::{
    collections::BTreeSet,
    io::{self, BufWriter, Write},
    mem::take,
    path::{Path, PathBuf},
};

/// Everything that a report depends on, except ledgers. All of it is known before any input is read.
pub struct ReportContext {
    /// Settings of reports.
    pub config: ReportConfig,
    /// Further profiles, whose costs are in further columns.
    pub further: Vec<Named>,
    /// The earlier run that this one is compared with. `None` without a baseline.
    pub baseline: Option<Snapshot>,
    /// The earlier run that was there before and is gone.
    pub baseline_gone: Option<String>,
    /// Users of the target. `None` if no list was given.
    pub users: Option<Users>,
    /// Files of regions, which name the regions of databases.
    pub regions: Vec<RegionFile>,
    /// What the report shows. Names of owners are looked up in the users of the target.
    pub filter: RowFilter,
    /// History of losses, growth and missing inputs. `None` if the report does not look back.
    pub history: Option<History>,
    /// The file that remembers the figures of regions. `None` if no file does.
    pub trend: Option<HistoryFile>,
    /// The waivers.
    pub waivers: Waivers,
    /// Keeps results for later runs. `None` if no run follows.
    pub kept: Option<ContentCache>,
    /// Address of the grid for links to places; empty for Second Life.
    pub address: String,
}

impl ReportContext {
    /// Creates the context of a report with these settings and nothing else.
    pub fn new(config: ReportConfig) -> Self {
        Self {
            config,
            further: Vec::new(),
            baseline: None,
            baseline_gone: None,
            users: None,
            regions: Vec::new(),
            filter: RowFilter::default(),
            history: None,
            trend: None,
            waivers: Waivers::default(),
            kept: None,
            address: String::new(),
        }
    }
}

/// The ledgers of a report, and the inputs without one.
#[derive(Default)]
pub struct Ledgers {
    /// Ledgers in files.
    pub files: Vec<PathBuf>,
    /// Ledgers in memory. If the header of one has no checksum, the report is always written.
    pub held: Vec<(LedgerHeader, InMemory)>,
    /// Whether ledgers in files may be damaged.
    pub trust: Trust,
    /// Inputs that are not covered.
    pub uncovered: Vec<Uncovered>,
    /// Folders that had inputs in an earlier run and have none now.
    pub emptied: Vec<Emptied>,
    /// Archives that the run looked for and did not find.
    pub gone: Vec<Archive>,
}

/// A report with open files.
pub struct Reports {
    context: ReportContext,
    output: Output,
    writers: Vec<Writer>,
    /// Whether a format writes to another folder.
    elsewhere: bool,
    json: BufWriter<OutputFile>,
}

impl Reports {
    /// Opens all files of a report. Formats that this build lacks are left out.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn open(to: impl Into<Destination>, context: ReportContext) -> Result<Self, OutputError> {
        let files = formats::files("audit", tables::heads(&[]).into_iter().map(|table| table.name));
        let files = files.chain(formats::files(Changes::NAME, [])).collect();
        let heads = heads(&context.further, &context.config, context.baseline.is_some());
        let mut output = Output::new(to)?.replacing("audit", files);
        let writers = open_formats(&mut output, &heads, &context.config)?;
        let json = output.open_whole("json")?;
        Ok(Self { context, output, writers, elsewhere: false, json })
    }

    /// Returns the folder of the open files: a temporary one for an object store, `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        self.output.folder()
    }

    /// Keeps results for later runs in this cache, which no other run uses.
    pub fn keep_in(&mut self, cache: ContentCache) {
        self.context.kept = Some(cache);
    }

    /// Adds a format that writes to another folder.
    pub fn add(&mut self, writer: Writer) {
        self.writers.push(writer);
        self.elsewhere = true;
    }
}

/// Returns the tables of a report.
pub(super) fn heads(further: &[Named], config: &ReportConfig, has_changes: bool) -> Vec<Head> {
    let mut heads = tables::heads(&further.iter().map(Named::in_columns).collect::<Vec<_>>());
    heads.retain(|head| match head.name {
        Changes::NAME => has_changes,
        Assets::NAME => config.list_assets,
        _ => true,
    });
    heads
}

/// Opens the requested formats, each once.
pub(super) fn open_formats(
    output: &mut Output,
    heads: &[Head],
    config: &ReportConfig,
) -> Result<Vec<Writer>, OutputError> {
    let formats: BTreeSet<_> = config.formats.iter().copied().collect();
    let formats = formats.into_iter();
    formats.filter_map(|format| formats::open(format, output, heads, config).transpose()).collect()
}

pub(super) fn write_json(json: &mut BufWriter<OutputFile>, content: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *json, content)?;
    json.write_all(b"\n")?;
    json.flush()
}

/// Evaluates ledgers for a target and writes the reports. A report that is up to date is not written again. `top` is the
/// length of each list in the summary, and the number of links and of splits of each region; 0 skips their search.
///
/// A ledger that cannot be read is a row with the status `unreadable`.
///
/// # Errors
/// A file cannot be written. Then the earlier report is unchanged.
pub fn write(
    ledgers: Ledgers,
    profile: &Profile,
    manifest: Manifest,
    top: usize,
    reports: Reports,
) -> Result<Summary, ReportError> {
    let Reports { context, output, writers, elsewhere, json } = reports;
    let files = Files { output, writers, elsewhere, json };
    evaluating(ledgers, profile, manifest, top, context, |evaluation| files.write(evaluation))
}

/// An evaluation before its first input.
pub(super) struct Evaluation<'a> {
    pub(super) writer: ReportWriter<'a>,
    pub(super) set: LedgerSet,
    pub(super) summary: Summary,
    filter: RowFilter,
    /// The history that this run extends, and its earlier days.
    pub(super) trend: Option<(HistoryFile, &'a Past)>,
}

/// Prepares the evaluation of ledgers for a target.
pub(super) fn evaluating<T, E: From<ReportError>>(
    ledgers: Ledgers,
    profile: &Profile,
    manifest: Manifest,
    top: usize,
    context: ReportContext,
    then: impl FnOnce(Evaluation<'_>) -> Result<T, E>,
) -> Result<T, E> {
    let opensim_load = manifest.opensim_load.clone();
    let mut summary = Summary::new(
        Manifest {
            also: context.further.clone(),
            users: context.users.as_ref().map(Users::count),
            waivers: context.waivers.count(),
            ..manifest
        },
        top,
    );
    let evaluator = Evaluator {
        profile,
        opensim_load: opensim_load.as_ref(),
        further: &context.further,
        users: context.users.as_ref(),
        regions: &context.regions,
        config: &context.config,
    };
    let set = LedgerSet::open(&ledgers.files, &ledgers.trust, ledgers.held);
    if ledgers.uncovered.is_empty() {
        let known = context.filter.ensure_regions(&set.headers, &context.regions);
        known.map_err(ReportError::from)?;
    }
    // A filtered report has only some of the findings.
    let mut trend = context.trend.filter(|_| context.filter.is_empty());
    summary.run = trend.as_mut().map(|history| take(&mut history.run));
    let past = trend.as_mut().map(|history| take(&mut history.past));
    let former = Former::new(ledgers.gone, &ledgers.emptied);
    // A report of some things says nothing about others.
    let mut history = context.history;
    if let Some(history) = history.as_mut().filter(|_| !context.filter.is_empty()) {
        history.searched = Searched::Nowhere;
    }
    let archives = Archive::all(&set.headers, &ledgers.uncovered);
    let (copies, known) = known(&archives, &ledgers.uncovered, history.as_ref(), &former);
    if let Some((history, known)) = history.as_ref().zip(known.as_ref()) {
        summary.backups = history.backups(&archives, &former.archives, &known.gone);
    }
    // Frees memory: there may be many.
    drop(archives);
    summary.users.clone_from(&context.users);
    let set = set.evaluating_only(|input| evaluator.config.all_copies || copies.is_evaluated(input));
    let writer = ReportWriter {
        evaluator,
        known: known.as_ref(),
        copies: &copies,
        baseline: context.baseline.as_ref(),
        baseline_gone: context.baseline_gone.as_deref(),
        kept: context.kept.as_ref(),
        uncovered: &ledgers.uncovered,
        emptied: &ledgers.emptied,
        waivers: &context.waivers,
        trend: past.as_ref().zip(summary.run.as_ref().map(|run| run.day().to_owned())),
        address: &context.address,
        top,
    };
    let trend = trend.zip(past.as_ref());
    let done = then(Evaluation { writer, set, summary, filter: context.filter, trend });
    if let Some(kept) = context.kept {
        // Without them, the next run searches again.
        let _ = kept.finish(true);
    }
    done
}

/// The open files of a report.
struct Files {
    output: Output,
    writers: Vec<Writer>,
    elsewhere: bool,
    json: BufWriter<OutputFile>,
}

impl Files {
    fn write(self, evaluation: Evaluation<'_>) -> Result<Summary, ReportError> {
        let Self { output, writers, elsewhere, mut json } = self;
        let Evaluation { writer, set, mut summary, filter, trend } = evaluation;
        let folder = output.folder().map(Path::to_owned);
        let failed = |source| OutputError { path: folder.clone().unwrap_or_default(), source };
        let files = output.names().to_vec();
        let origin = match elsewhere || folder.is_none() {
            true => None,
            false => Origin::new(&writer, &set, &filter, &summary, &files),
        };
        let clean = origin.as_ref().filter(|_| !output.has_leftovers());
        let current =
            folder.as_deref().zip(clean).and_then(|(folder, origin)| up_to_date::find(folder, origin));
        if let Some(mut current) = current {
            current.manifest = Manifest { inputs: current.manifest.inputs, ..summary.manifest };
            current.backups = summary.backups;
            return Ok(current);
        }
        let (comparison, recorder) =
            writer.baseline.map(|earlier| ComparedRun::with(earlier, folder.as_deref())).unzip();
        let (makers, mut pages) = page::apart(writers.into_iter().chain(recorder).collect());
        let selection = Selection::new(filter, writer.evaluator.users);
        let across_bytes = writer.evaluator.config.across_bytes;
        let across = folder
            .as_deref()
            .map_or_else(CrossInput::default, |folder| CrossInput::within(across_bytes, folder));
        let tables = RunTables::on_disk_of(&output);
        let formats = Formats { makers: &makers, pages: &mut pages, tables };
        writer.write(set, &selection, formats, &mut summary, across, failed)?;
        if let Some(comparison) = comparison {
            let changes = comparison.changes(&summary).map_err(failed)?;
            let write = |some: &[Change]| makers.write(&[Piece::Changes(some)], &mut pages);
            summary.changes = Some(changes.write(writer.top, write).map_err(failed)?);
        }
        let trend = end_trend(trend, &mut summary);
        pages.finish(&summary).map_err(failed)?;
        write_json(&mut json, &summary).map_err(failed)?;
        output.publish()?;
        if let Some(history) = trend {
            history.append()?;
        }
        if let Some((folder, origin)) = folder.zip(origin) {
            up_to_date::stamp(&folder, origin, files);
        }
        Ok(summary)
    }
}

/// This run, while it is compared with an earlier one.
struct ComparedRun<'a> {
    earlier: &'a Snapshot,
    this: Recorded,
    /// Where what waits is.
    scratch: PathBuf,
}

impl<'a> ComparedRun<'a> {
    /// Returns the comparison, and the format that takes this run from the rows of the report in `folder`.
    fn with(earlier: &'a Snapshot, folder: Option<&Path>) -> (Self, Writer) {
        let scratch = folder.map_or_else(std::env::temp_dir, Path::to_owned);
        let (this, recorder) = SnapshotSink::recorder(&scratch);
        (Self { earlier, this, scratch }, recorder)
    }

    fn changes(self, summary: &Summary) -> io::Result<diff::Changes> {
        let this = self.this.finish(&serde_json::to_value(summary)?)?;
        diff::Changes::between(self.earlier, &this, &self.scratch)
    }
}

/// Ends the trend of a summary. Returns the history to append to, once the report is published.
pub(super) fn end_trend(trend: Option<(HistoryFile, &Past)>, summary: &mut Summary) -> Option<HistoryFile> {
    let ((mut history, past), run) = trend.zip(summary.run.take())?;
    summary.trend = Trend::new(past, &run);
    history.run = run;
    Some(history)
}

/// Name of the files about both sides of a move.
const VERIFY: &str = "verify";

/// Writes what arrived after a move: two tables, then `verify.json`.
///
/// # Errors
/// A file cannot be written.
pub fn write_arrivals(
    folder: &Path,
    config: &ReportConfig,
    manifest: Manifest,
    verified: &Verified<'_>,
    page: &arrived::Page,
) -> Result<(), OutputError> {
    let failed = |source| OutputError { path: folder.into(), source };
    let files = formats::files(VERIFY, [Arrivals::NAME, AssetArrivals::NAME]).collect();
    let mut output = Output::new(folder)?.replacing(VERIFY, files);
    let writers = open_formats(&mut output, &tables::heads_of_arrivals(), config)?;
    let mut json = output.open_whole("json")?;
    let mut summary = Summary::new(manifest, config.top);
    summary.arrived = Some(page.clone());
    let (makers, mut pages) = page::apart(writers);
    makers.write(&[Piece::Run(&verified.rows().map_err(failed)?)], &mut pages).map_err(failed)?;
    pages.finish(&summary).map_err(failed)?;
    write_json(&mut json, page).map_err(failed)?;
    output.publish()
}

/// Writes only the differences between two runs: a table, then `changes.json`.
///
/// # Errors
/// A file cannot be written.
pub fn write_changes(
    folder: &Path,
    config: &ReportConfig,
    manifest: Manifest,
    changes: diff::Changes,
) -> Result<ChangesSummary, OutputError> {
    let failed = |source| OutputError { path: folder.into(), source };
    let files = formats::files(Changes::NAME, [Changes::NAME]).collect();
    let mut output = Output::new(folder)?.replacing(Changes::NAME, files);
    let writers = open_formats(&mut output, &[table::head::<Changes>(&[])], config)?;
    let mut json = output.open_whole("json")?;
    let mut summary = Summary::new(manifest, config.top);
    let (makers, mut pages) = page::apart(writers);
    let write = |some: &[Change]| makers.write(&[Piece::Changes(some)], &mut pages);
    let changes = changes.write(config.top, write).map_err(failed)?;
    summary.changes = Some(changes.clone());
    pages.finish(&summary).map_err(failed)?;
    write_json(&mut json, &changes).map_err(failed)?;
    output.publish()?;
    Ok(changes)
}
