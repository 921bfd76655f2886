//! `audit` (scan and report in one run) and `report`.

use super::{
    Outcome, Run, Settings,
    baseline::{self, EarlierRun, is_same},
    flags::{
        CLUSTER, CompareArgs, DatabaseArgs, FailArgs, Flags, INPUT, NIGHTLY, NowArgs, OUTPUT, RULES,
        RuleArgs, TARGET, TargetArgs,
    },
    format_arg::format,
    grid_args::{GridArgs, ensure_owners},
    input_args::{InputArgs, RunArgs, expanded, found, ledger_run, run_options, session_error, watcher},
    lake_args::{LakeArgs, LakeStep},
    ledger_args::{GivenLedgers, NoLedgers},
    metrics_file, notify,
    progress::Verbosity,
    run_end::{end, end_with_nothing, notify_settings},
    scene_file::{SceneArgs, write_scene_of},
    scratch::Scratch,
    settings::set,
    summary,
    terminal::print,
    waive::Waiving,
};
use anyhow::{Context, bail, ensure};
use clap::{ArgGroup, Args};
use hullmark_finding::Severity;
use hullmark_ledger::{self as ledger, Ledger, LedgerHeader, in_memory::InMemory};
use hullmark_pages::{
    self as pages, Ledgers, ReportContext, Reports,
    gltf::scene::page::collect,
    letters::{self, LetterOptions, Templates},
};
use hullmark_report::{RowFilter, Summary, Trust, diff::Extent, trend::HistoryFile};
use hullmark_rules::history::{History, Searched};
use hullmark_scan::plan::{Plan, collect::GatherError};
use hullmark_settings::{config::Format, letters::Language, limits::Limits, simulator::regions::RegionFile};
use hullmark_source::NothingToAudit;
use hullmark_storage::{self as storage, contents::ContentCache};
use hullmark_util::{
    escape,
    log::{self, Level},
};
use std::{
    mem::take,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Name of the history in a folder of ledgers.
const HISTORY: &str = "history.csv";

const AUDIT_EXAMPLES: &str = "\
Examples:
  hullmark audit exports                             print a summary
  hullmark audit exports --out report                write a report, too
  hullmark audit exports --out report --profile opensim-ubode --format csv,html,xlsx";

const REPORT_EXAMPLES: &str = "\
Examples:
  hullmark report ledgers --out report
  hullmark report ledgers --plan plan.json --out report --letters letters
  hullmark report ledgers --plan plan.json --out lake --across 17         first, for a report in 17 shards
  hullmark report ledgers --plan plan.json --out lake --shard 3/17        for each shard
  hullmark report ledgers --plan plan.json --out lake --join              last";

/// Outputs.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub(super) struct OutputArgs {
    /// Folder for the report; without it, only the summary is printed
    #[arg(long, short, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Formats of the tables, separated by commas [default: csv,xlsx,html]; audit.json is always written
    #[arg(long, value_parser = format(), value_delimiter = ',', value_name = "FORMATS")]
    format: Vec<Format>,
    /// Print JSON instead of the summary: what audit.json has
    #[arg(long)]
    json: bool,
    /// Folder for letters to owners: what is wrong with their objects, and how to fix it
    ///
    /// Each owner with a warning, error or blocker gets a text file and an HTML file. letters.csv lists them.
    #[arg(long, value_name = "DIR")]
    letters: Option<PathBuf>,
    /// Language of letters: en, de, es, pt, fr or it [default: en]
    ///
    /// A column `language` in the list of --users sets it for one owner.
    #[arg(long, value_name = "LANG", requires = "letters", hide_short_help = true)]
    language: Option<Language>,
    /// Report only what this owner has: a UUID, or a name from --users; may be repeated
    #[arg(long, value_name = "OWNER", hide_short_help = true)]
    owner: Vec<String>,
    /// Report only this region: a name or UUID; may be repeated
    #[arg(long, value_name = "REGION", hide_short_help = true)]
    region: Vec<String>,
    /// Report only findings at least this severe: info, warning, error or blocker
    #[arg(long, value_name = "SEVERITY", value_parser = severity, hide_short_help = true)]
    min_severity: Option<Severity>,
}

impl OutputArgs {
    pub(super) fn filter(&self) -> RowFilter {
        let Self { owner, region, min_severity, .. } = self;
        RowFilter { owners: owner.clone(), regions: region.clone(), min_severity: *min_severity }
    }
}

/// The earlier run, and the command after this one.
#[derive(Debug, Args)]
#[command(next_help_heading = NIGHTLY)]
pub(super) struct NightlyArgs {
    /// Compare with an earlier run: the folder of its report, or its ledgers
    ///
    /// It may be the folder of --out: the earlier report is read before it is replaced.
    #[arg(long, value_name = "DIR")]
    pub(super) baseline: Option<PathBuf>,
    /// Compare with the baseline only if it is there, as on the first night
    ///
    /// A baseline that was there before and is gone is reported (HIS010).
    #[arg(long)]
    pub(super) baseline_if_there: bool,
    /// File that remembers the figures of regions, for the trend on the page [default: history.csv in --ledgers]
    ///
    /// Each run appends a row for each region. The page draws a month of them. A report with a filter appends nothing.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    history: Option<PathBuf>,
    /// Run this shell command after the report is written, if something is wrong
    ///
    /// It runs if there is an error or a blocker (`at` of [notify] in the settings), or if the audit is incomplete. The
    /// variable HULLMARK_SUMMARY names a text file with a summary. Its standard input is audit.json.
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    pub(super) notify_command: Option<String>,
    /// Write the numbers of the run to this file for Prometheus, as hullmark.prom
    ///
    /// node_exporter reads it from its folder of text files. It is replaced as a whole.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) metrics: Option<PathBuf>,
}

/// Arguments of both `audit` and `report`.
#[derive(Debug, Args)]
pub(super) struct ReportArgsShared {
    #[command(flatten)]
    pub(super) output: OutputArgs,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    grid: GridArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    fail: FailArgs,
    #[command(flatten)]
    waiving: Waiving,
    /// Evaluate every dated copy of an archive, not only the newest complete one
    #[arg(long, help_heading = RULES, hide_short_help = true)]
    all_copies: bool,
    /// Add a table of all assets, with uses: unused, equal and large ones are then a filter
    #[arg(long, help_heading = OUTPUT, hide_short_help = true)]
    list_assets: bool,
    #[command(flatten)]
    pub(super) nightly: NightlyArgs,
    #[command(flatten)]
    pub(super) compare: CompareArgs,
    #[command(flatten)]
    now: NowArgs,
}

impl ReportArgsShared {
    /// Refuses flags that only a report can use.
    fn ensure_report(&self) -> anyhow::Result<()> {
        let flags = [
            ("--format", !self.output.format.is_empty()),
            ("--list-assets", self.list_assets),
            ("--baseline", self.nightly.baseline.is_some()),
            ("--notify-command", self.nightly.notify_command.is_some()),
        ];
        match flags.into_iter().find(|(_, is_given)| *is_given && self.output.out.is_none()) {
            Some((flag, _)) => bail!("{flag} needs a report: add --out DIR"),
            None => Ok(()),
        }
    }

    fn flags(&self) -> Vec<&dyn Flags> {
        let Self { target, rules, fail, compare, now, .. } = self;
        vec![target, rules, fail, compare, now, self]
    }
}

impl Flags for ReportArgsShared {
    fn apply(&self, settings: &mut Settings) {
        settings.config.report.all_copies |= self.all_copies;
        settings.config.report.list_assets |= self.list_assets;
    }
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config"]), after_help = AUDIT_EXAMPLES)]
pub(super) struct AuditArgs {
    #[command(flatten)]
    pub(super) given: InputArgs,
    #[command(flatten)]
    pub(super) reported: ReportArgsShared,
    #[command(flatten)]
    cache: CacheArgs,
    #[command(flatten)]
    databases: DatabaseArgs,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten, next_help_heading = OUTPUT)]
    scene: SceneArgs,
}

impl AuditArgs {
    /// Returns the folder of ledgers. `None` if none is kept.
    fn kept<'a>(&'a self, settings: &'a Settings) -> Option<&'a Path> {
        self.cache.ledgers.as_deref().or(set(&settings.config.ledgers))
    }
}

/// The ledger cache of a nightly audit.
#[derive(Debug, Args)]
#[command(next_help_heading = NIGHTLY)]
struct CacheArgs {
    /// Folder for ledgers: inputs that have not changed are not read again
    ///
    /// An input has changed if the name, size or time of one of its files has.
    #[arg(long, value_name = "DIR")]
    ledgers: Option<PathBuf>,
    /// Compare the content of inputs instead of names, sizes and times
    #[arg(long, hide_short_help = true)]
    checksum: bool,
}

#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub(super) struct ReportArgs {
    /// Ledgers, or folders of ledgers
    #[arg(required_unless_present = "dump_config", value_name = "LEDGERS", help_heading = INPUT, display_order = 0)]
    ledgers: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reported: ReportArgsShared,
    /// Settings of a simulator, as bin/OpenSim.ini, with the names, sizes and limits of regions. May be repeated
    ///
    /// Databases and folders in these settings are not read.
    #[arg(long, value_name = "FILE", help_heading = TARGET)]
    from_ini: Vec<PathBuf>,
    /// Report on the inputs of this plan; each must have a ledger
    ///
    /// The ledgers must be of the same version and limits. Ledgers of other inputs are ignored.
    #[arg(long, value_name = "FILE", help_heading = CLUSTER)]
    plan: Option<PathBuf>,
    /// Report even if inputs of the plan have no ledger; the exit code is 3
    #[arg(long, requires = "plan", help_heading = CLUSTER)]
    partial: bool,
    /// Write nothing and end with exit code 0 if inputs of the plan have no ledger yet
    ///
    /// For engines that start all shards at once: each runs this, and the last one writes the report.
    #[arg(long, requires = "plan", conflicts_with = "partial", help_heading = CLUSTER)]
    if_complete: bool,
    #[command(flatten)]
    lake: LakeArgs,
}

/// The folder of the report. Without `--out`, it is temporary.
struct ReportFolder {
    path: PathBuf,
    is_kept: bool,
    _temporary: Option<TempDir>,
}

impl ReportFolder {
    fn new(reported: &ReportArgsShared, settings: &Settings) -> anyhow::Result<Self> {
        reported.ensure_report()?;
        if let Some(path) = &reported.output.out {
            ensure!(!path.is_file(), "--out {} is a file. Name a folder for the report", path.display());
            return Ok(Self { path: path.clone(), is_kept: true, _temporary: None });
        }
        // The parent of this process removes its folder, also after a crash.
        if let Some(folder) = &settings.supervised {
            return Ok(Self { path: folder.join("report"), is_kept: false, _temporary: None });
        }
        let folder = tempfile::tempdir().context("No temporary folder can be created: give --out")?;
        Ok(Self { path: folder.path().to_owned(), is_kept: false, _temporary: Some(folder) })
    }

    /// Returns the folder. `None` if it is temporary.
    fn kept(&self) -> Option<&Path> {
        self.is_kept.then_some(self.path.as_path())
    }
}

impl Run for AuditArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        let mut flags = self.reported.flags();
        flags.extend([&self.given as &dyn Flags, &self.databases]);
        flags
    }

    fn ledgers<'a>(&'a self, settings: &'a Settings) -> Option<Option<&'a Path>> {
        Some(self.kept(settings))
    }

    fn of_standard_input(&self, limits: &Limits) -> Option<u64> {
        self.given.of_standard_input(limits)
    }

    /// Reads exports and writes the reports.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let output = &self.reported.output;
        let inputs = self.given.expanded(&settings.config.limits)?;
        // Open the outputs first, so an unwritable folder fails before anything is read.
        let out = ReportFolder::new(&self.reported, settings)?;
        let kept = self.kept(settings);
        if let Some(file) = kept.filter(|kept| kept.is_file()) {
            bail!("--ledgers {} is a file. Name a folder", file.display());
        }
        let regions = self.reported.grid.regions(&self.given.from_ini, &self.reported.target)?;
        let paths = inputs.paths.iter().map(|path| hullmark_source::shown(path)).collect();
        let scene_file = self.scene.file()?;
        let mut reports = open(&out, &self.reported, kept, Searched::Paths(paths), regions, settings)?;
        let scene = scene_file.map(|file| {
            let (writer, scene) = collect(self.scene.color_by.unwrap_or_default());
            reports.add(writer);
            (file, scene)
        });
        ensure!(
            kept.is_none_or(|kept| !is_same(kept, &out.path)),
            "--out and --ledgers are the same folder. A run locks both, so use two folders"
        );
        let outputs: Vec<&Path> =
            [out.path.as_path()].into_iter().chain(kept).chain(output.letters.as_deref()).collect();
        let limits =
            self.run.until_signalled(settings).context("The handler of signals cannot be installed")?;
        let watch = watcher(&limits, settings);
        let scratch = kept.is_none().then(|| Scratch::of(&reports, &out.path, settings)).transpose()?;
        let run = |folder: &Path| {
            let options = run_options(&limits, &watch, &inputs.passwords, settings);
            let mut ledger_run = ledger_run(folder, self.cache.checksum, options, settings);
            if kept.is_none() {
                // Nothing is kept for later runs.
                ledger_run.cache.contents_bytes = 0;
                ledger_run.cache.attempts_in.clone_from(&settings.supervised);
            }
            let scanned = ledger_run.read(None, |session| session.read(inputs.given(&outputs)));
            let mut scanned = scanned.map_err(session_error)?;
            if let Some((path, header, ledger)) = scanned.alone {
                scanned.ledgers.retain(|other| *other != path);
                scanned.held.push((header, InMemory::Whole(Box::new(ledger))));
            }
            let ledgers = Ledgers {
                files: ledger::find(&scanned.ledgers)?,
                held: scanned.held,
                trust: Trust::Verified,
                uncovered: scanned.uncovered,
                emptied: scanned.emptied,
                gone: scanned.gone,
            };
            // Frees memory: there may be many ledgers.
            drop(scanned.ledgers);
            if let Some(cache) = kept.and_then(|folder| results_of_reports(folder, settings)) {
                reports.keep_in(cache);
            }
            let summary = write_reports(ledgers, reports, &out, output, settings)?;
            if let Some((file, scene)) = &scene {
                write_scene_of(file, scene.take(), &inputs, settings)?;
            }
            if let Some((old, kept)) = baseline::given(&self.reported, settings).zip(kept) {
                baseline::note(old, kept);
            }
            Ok(summary)
        };
        let summary = run(kept.or(scratch.as_ref().map(|scratch| scratch.0.as_path())).unwrap_or(&out.path));
        if summary.as_ref().is_err_and(anyhow::Error::is::<NothingToAudit>) {
            end_with_nothing(out.kept(), &self.reported.nightly, settings)?;
        }
        end(&summary?, limits.is_cut(), out.kept(), &self.reported.nightly, settings)
    }
}

impl Run for ReportArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        self.reported.flags()
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let output = &self.reported.output;
        let out = ReportFolder::new(&self.reported, settings)?;
        let named = expanded(&self.ledgers)?;
        let plan = self.plan.as_deref().map(|plan| Plan::read(plan, &settings.config.limits)).transpose()?;
        let mut settings = plan.as_ref().map_or_else(|| settings.clone(), |plan| settings.of_plan(plan));
        let step = self.lake.step(&self.reported, &mut settings)?;
        let settings = &settings;
        let given = match &plan {
            // The plan says which ledgers must be there.
            Some(plan) => GivenLedgers::of_plan(plan, &named, self.partial),
            None => GivenLedgers::find(&named),
        };
        if let Some(GatherError::Holes { missing }) =
            given.as_ref().err().and_then(anyhow::Error::downcast_ref)
            && self.if_complete
        {
            log::say(Level::Info, &format!("Nothing is reported yet: {missing}"));
            return Ok(Outcome::Done);
        }
        if given.as_ref().is_err_and(anyhow::Error::is::<NoLedgers>) {
            end_with_nothing(out.kept(), &self.reported.nightly, settings)?;
        }
        let given = given?;
        let regions = self.reported.grid.regions(&self.from_ini, &self.reported.target)?;
        if !self.from_ini.is_empty() {
            found(&self.from_ini)?.notes_of_regions.iter().for_each(|note| log::say(Level::Warning, note));
        }
        ensure!(
            self.from_ini.is_empty() || !regions.is_empty(),
            "The settings name no region, so they change nothing. `hullmark places` lists what was found"
        );
        let folders: Vec<PathBuf> = named.iter().filter(|path| path.is_dir()).cloned().collect();
        // Single ledgers say nothing about others.
        let searched = match folders.len() == named.len() {
            true => Searched::AroundInputs,
            false => Searched::Nowhere,
        };
        let trust = step.as_ref().map_or(Trust::None, LakeStep::trust);
        let ledgers = Ledgers {
            files: given.files,
            held: given.absent.into_iter().map(in_memory).collect(),
            trust,
            uncovered: given.uncovered,
            gone: ledger::former(&folders),
            ..Ledgers::default()
        };
        if let Some((step, plan)) = step.zip(plan.as_ref()) {
            let extent = step.of_baseline();
            let context = context(out.kept(), extent, &self.reported, None, searched, regions, settings)?;
            let joined = step.run(&out.path, plan, ledgers, context, settings)?;
            let Some(summary) = joined else { return Ok(Outcome::Done) };
            show(&summary, &out, output, settings)?;
            return end(&summary, false, out.kept(), &self.reported.nightly, settings);
        }
        let reports = open(&out, &self.reported, None, searched, regions, settings)?;
        let summary = write_reports(ledgers, reports, &out, output, settings)?;
        end(&summary, false, out.kept(), &self.reported.nightly, settings)
    }
}

fn in_memory(ledger: Ledger) -> (LedgerHeader, InMemory) {
    (ledger.header(), InMemory::Whole(Box::new(ledger)))
}

/// Opens the reports for a target with the listed users. `ledgers` is the folder of a ledger cache.
fn open(
    out: &ReportFolder,
    reported: &ReportArgsShared,
    ledgers: Option<&Path>,
    searched: Searched,
    regions: Vec<RegionFile>,
    settings: &Settings,
) -> anyhow::Result<Reports> {
    let output = &reported.output;
    let context = context(out.kept(), Extent::Objects, reported, ledgers, searched, regions, settings)?;
    let named = context.users.clone();
    let mut reports = Reports::open(out.path.as_path(), context)?;
    if let Some(folder) = &output.letters {
        let options = letter_options(output.language, settings)?;
        let options = LetterOptions { some_owners: !output.owner.is_empty(), ..options };
        reports.add(letters::open(folder, named, options)?);
    }
    Ok(reports)
}

/// Reads what a report depends on, apart from ledgers. `out` is the folder of a report that is kept. An earlier run is read
/// to this extent.
fn context(
    out: Option<&Path>,
    extent: Extent,
    reported: &ReportArgsShared,
    ledgers: Option<&Path>,
    searched: Searched,
    regions: Vec<RegionFile>,
    settings: &Settings,
) -> anyhow::Result<ReportContext> {
    let output = &reported.output;
    let users = reported.grid.read()?;
    ensure_owners(&output.owner, users.as_ref())?;
    let waivers = reported.waiving.read(settings)?;
    let mut config = settings.config.report.clone();
    if !output.format.is_empty() {
        config.formats.clone_from(&output.format);
    }
    if out.is_none() {
        config.formats.clear();
    }
    // Checked before anything is opened, because it is no error of the folder.
    if let Some(missing) = config.formats.iter().find_map(|format| format.missing()) {
        bail!(missing);
    }
    // A message that can never arrive is found before the run, not after it.
    if out.is_some()
        && let Some(error) = notify::errors(&notify_settings(&reported.nightly, settings)).next()
    {
        bail!(error);
    }
    reported.nightly.metrics.as_deref().map_or(Ok(()), metrics_file::ensure_folder)?;
    // Read before this report replaces the earlier one.
    let earlier = match out {
        Some(folder) => {
            baseline::read(folder, extent, reported, ledgers, users.as_ref(), &waivers, settings)?
        }
        None => EarlierRun::None,
    };
    let (baseline, baseline_gone) = match earlier {
        EarlierRun::None => (None, None),
        EarlierRun::Gone(path) => (None, Some(path.display().to_string())),
        EarlierRun::Found(snapshot) => (Some(*snapshot), None),
    };
    let mut history = History::new(&settings.config, settings.now())?;
    history.searched = searched;
    if let Some(earlier) = &baseline {
        let is_of_other_target =
            earlier.is_of_other_target(&settings.profile, settings.opensim_load.as_ref());
        history = history.since(earlier.inputs.clone(), is_of_other_target);
    }
    let mut trend = trend(reported, ledgers, settings)?;
    history.seen = trend.as_mut().map(|trend| take(&mut trend.seen)).unwrap_or_default();
    Ok(ReportContext {
        further: settings.further.clone(),
        baseline,
        baseline_gone,
        users,
        regions,
        filter: output.filter(),
        history: Some(history),
        trend,
        waivers,
        address: settings.config.grid.address.clone(),
        ..ReportContext::new(config)
    })
}

/// Reads the history of regions. `None` without `--history` and without ledgers on a disk.
fn trend(
    reported: &ReportArgsShared,
    ledgers: Option<&Path>,
    settings: &Settings,
) -> anyhow::Result<Option<HistoryFile>> {
    let named = reported.nightly.history.clone();
    ensure!(
        named.as_deref().is_none_or(|path| !storage::is_url(path)),
        "--history is a file on a disk: each run appends to it. Name a file, not a URL"
    );
    let cached = || Some(ledgers.filter(|folder| !storage::is_url(folder))?.join(HISTORY));
    let target = &settings.profile.description;
    let path = named.or_else(cached);
    Ok(path.map(|path| HistoryFile::read(&path, settings.now(), target)).transpose()?)
}

/// Returns the settings of letters, with the language of a flag.
pub(super) fn letter_options(
    language: Option<Language>,
    settings: &Settings,
) -> anyhow::Result<LetterOptions> {
    let mut letters = settings.config.letters.clone();
    letters.language = language.unwrap_or(letters.language);
    let templates = Templates::read(&letters.template)?;
    let grid = settings.config.grid.clone();
    Ok(LetterOptions { grid, letters, templates, some_owners: false })
}

/// Opens the results of earlier reports in a folder of ledgers, which this run has locked. `None` in an object store.
fn results_of_reports(ledgers: &Path, settings: &Settings) -> Option<ContentCache> {
    let is_local = !storage::is_url(ledgers);
    is_local.then(|| ContentCache::open(ledgers, "reports", settings.config.cache.bytes)).flatten()
}

/// Evaluates ledgers, writes the reports and prints the summary.
fn write_reports(
    ledgers: Ledgers,
    reports: Reports,
    out: &ReportFolder,
    output: &OutputArgs,
    settings: &Settings,
) -> anyhow::Result<Summary> {
    let manifest = settings.manifest();
    let summary = pages::write(ledgers, &settings.profile, manifest, settings.config.report.top, reports)?;
    show(&summary, out, output, settings)?;
    Ok(summary)
}

/// Prints a summary.
fn show(
    summary: &Summary,
    out: &ReportFolder,
    output: &OutputArgs,
    settings: &Settings,
) -> anyhow::Result<()> {
    if output.json {
        print(&escape::json(summary)?)?;
    } else if settings.verbosity > Verbosity::Quiet && !log::stdout_is_journal() {
        let formats = if output.format.is_empty() { &settings.config.report.formats } else { &output.format };
        summary::print(summary, out.kept(), formats, settings)?;
    }
    Ok(())
}

fn severity(text: &str) -> Result<Severity, String> {
    Severity::named(text).ok_or_else(|| "use info, warning, error or blocker".into())
}
