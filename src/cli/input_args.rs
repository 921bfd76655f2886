//! Input arguments.

use super::{
    Settings,
    flags::{Flags, INPUT, NIGHTLY},
    progress::Progress,
    standard_input, supervise,
};
use anyhow::{Context, ensure};
use clap::Args;
use hullmark_ledger::{self as ledger, Ledger};
use hullmark_rules::history::{Archive, Copies};
use hullmark_scan::{
    Watch,
    attempts::Mode,
    cache::CacheOptions,
    ledger_run::LedgerRun,
    plan::share::Share,
    run_limits::RunLimits,
    session::{RunOptions, ScanError, Session, SessionInputs, Watcher},
};
use hullmark_settings::{limits::Limits, passwords::Passwords, simulator::Places};
use hullmark_source::{Input, Place, ReadRequest};
use hullmark_storage as storage;
use hullmark_util::{
    dates_in_names::Seconds,
    lock::{into_inner, lock},
    log,
};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    io,
    mem::take,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// Inputs of a command.
#[derive(Debug, Args)]
#[command(next_help_heading = INPUT)]
pub(super) struct InputArgs {
    /// Archives, dumps, assets, or folders and zip files with any of them; - for standard input
    #[arg(required_unless_present_any = ["without_paths", "files_from", "from_ini"], value_name = "PATH", display_order = 0)]
    pub(super) paths: Vec<PathBuf>,
    /// Read further paths from this file, one in each line; - for standard input
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    files_from: Option<PathBuf>,
    /// Paths of --files-from end with NUL instead of a line break
    #[arg(long, requires = "files_from", hide_short_help = true)]
    null: bool,
    /// Archive or folder of assets that the grid has; inputs may lack these assets. May be repeated
    ///
    /// In a folder, each asset is a file that is named by its UUID.
    #[arg(long, value_name = "PATH")]
    pub(super) assets: Vec<PathBuf>,
    /// File with the password of database servers (mysql://, postgres://)
    ///
    /// Without it, the password is that of the environment variable HULLMARK_DB_PASSWORD.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    password_file: Option<PathBuf>,
    /// Read all assets of a database server, not only those in use
    #[arg(long, hide_short_help = true)]
    pub(super) all_assets: bool,
    /// Settings of a simulator or of Robust, as bin/OpenSim.ini, that name its databases and folders. May be repeated
    ///
    /// `hullmark places` lists these. Databases of regions are read as inputs, and assets as --assets.
    #[arg(long, value_name = "FILE")]
    pub(super) from_ini: Vec<PathBuf>,
}

impl Flags for InputArgs {
    fn apply(&self, settings: &mut Settings) {
        settings.config.limits.all_assets |= self.all_assets;
    }
}

impl InputArgs {
    /// Returns the paths with expanded patterns, the inputs on standard input, and the places in settings of simulators.
    pub(super) fn expanded(&self, limits: &Limits) -> anyhow::Result<Inputs> {
        let mut paths = expanded(&self.paths)?;
        standard_input::ensure_once(paths.iter().chain(&self.files_from).map(PathBuf::as_path))?;
        if let Some(list) = &self.files_from {
            paths.extend(standard_input::listed(list, self.null)?);
        }
        let (named, paths): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| standard_input::is_it(path));
        ensure!(
            !self.assets.iter().any(|path| standard_input::is_it(path)),
            "Standard input (-) cannot be a store of assets. Name a file"
        );
        let streams = if named.is_empty() { Vec::new() } else { standard_input::inputs(limits)? };
        let assets = expanded(&self.assets)?;
        let mut inputs = Inputs { paths, streams, assets, passwords: self.passwords()? };
        if !self.from_ini.is_empty() {
            inputs.add(&found(&self.from_ini)?)?;
        }
        Ok(inputs)
    }

    /// Returns the bytes that are read of standard input at most. `None` if it is not read.
    pub(super) fn of_standard_input(&self, limits: &Limits) -> Option<u64> {
        match &self.files_from {
            Some(list) if standard_input::is_it(list) => Some(hullmark_util::named_file::LIST),
            _ => self.paths.iter().any(|path| standard_input::is_it(path)).then_some(limits.temporary_bytes),
        }
    }

    /// Returns the passwords of database servers.
    pub(super) fn passwords(&self) -> anyhow::Result<Passwords> {
        passwords(self.password_file.as_deref())
    }
}

/// Returns the passwords of database servers, from this file or the environment.
pub(super) fn passwords(file: Option<&Path>) -> anyhow::Result<Passwords> {
    Passwords::read(file).with_context(|| {
        let file = file.unwrap_or(Path::new(""));
        format!("The password in {} cannot be read", file.display())
    })
}

/// Returns the places in the settings of simulators.
pub(super) fn found(inis: &[PathBuf]) -> anyhow::Result<Places> {
    Places::read(inis).context("The settings of a simulator cannot be read")
}

#[derive(Default)]
pub(super) struct Inputs {
    pub(super) paths: Vec<PathBuf>,
    pub(super) streams: Vec<Input>,
    pub(super) assets: Vec<PathBuf>,
    pub(super) passwords: Passwords,
}

impl Inputs {
    fn add(&mut self, found: &Places) -> anyhow::Result<()> {
        for note in found.notes.iter().chain(&found.notes_of_regions) {
            log::say(log::Level::Warning, note);
        }
        let inputs = found.inputs();
        ensure!(
            !(inputs.is_empty() && self.paths.is_empty()),
            "The settings name no database. `hullmark places` lists what was found and what was left out"
        );
        self.paths.extend(inputs);
        self.assets.extend(found.stores());
        for place in &found.places {
            if let Some(password) = &place.password {
                self.passwords.add(&place.place, password.clone());
            }
        }
        Ok(())
    }

    /// Returns the same inputs for a run that writes to these folders.
    pub(super) fn given<'a>(&'a self, outputs: &'a [&'a Path]) -> SessionInputs<'a> {
        let streams = self.streams.clone();
        SessionInputs { paths: &self.paths, streams, stores: &self.assets, outputs }
    }
}

/// Refuses web addresses, which would look like missing paths.
pub(super) fn ensure_no_web_address(path: &Path) -> anyhow::Result<()> {
    let text = path.to_string_lossy();
    ensure!(
        !text.starts_with("http://") && !text.starts_with("https://"),
        "{text} is a web address. Download the file, then name the file"
    );
    Ok(())
}

/// Expands patterns such as `*.oar`, which shells of Windows do not expand. An existing path is not a pattern.
pub(super) fn expanded(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in paths {
        ensure_no_web_address(path)?;
        let text = path.to_string_lossy();
        let is_place = storage::is_url(path) || Place::of_argument(path).is_some();
        if is_place || !text.contains(['*', '?', '[']) || path.exists() {
            all.push(path.clone());
            continue;
        }
        let before = all.len();
        let found = glob::glob(&text).with_context(|| format!("{text} is not a valid pattern"))?;
        for path in found {
            all.push(path.with_context(|| format!("{text} cannot be expanded"))?);
        }
        ensure!(all.len() > before, "No file matches {text}");
    }
    Ok(all)
}

/// How much of the input one run reads.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = NIGHTLY)]
pub(super) struct RunArgs {
    /// Start no input after this time, as 90m or 2h
    ///
    /// Inputs that were started are finished. Those that were never read come first, then those read longest ago.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    budget_time: Option<humantime::Duration>,
    /// Read one part of the inputs, as 1/7 for the first of seven
    ///
    /// The name of an input decides to which part it belongs.
    #[arg(long, value_name = "K/N", hide_short_help = true)]
    sample: Option<Share>,
    /// Stop reading an input after this time, as 90s or 10m; the audit is incomplete then
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    timeout_per_input: Option<humantime::Duration>,
    /// Read inputs again that are left out because two runs died while they read them (RUN010)
    ///
    /// Without it, such an input is read again if its files, the limits or the program change, or after some runs.
    #[arg(long, hide_short_help = true)]
    retry: bool,
}

impl RunArgs {
    /// Returns the limits of a run. A signal cuts the run short, and a second signal ends it at once.
    pub(super) fn until_signalled(&self, settings: &Settings) -> io::Result<RunLimits> {
        let run = RunLimits {
            share: self.sample,
            until: self.budget_time.and_then(|time| settings.began.checked_add(time.into())),
            timeout_per_input: self.timeout_per_input.map(Into::into),
            mode: Mode { retry: self.retry, continues: settings.continues },
            ..RunLimits::default()
        };
        if settings.supervised.is_some() {
            supervise::stop_by(&run.stop);
            return until_time_is_over(run);
        }
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the shutdown must not see the flag of the same signal.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&run.stop))?;
            flag::register(signal, Arc::clone(&run.stop))?;
        }
        until_time_is_over(run)
    }
}

/// Cuts a run short when the CPU time limit (`ulimit -S -t`) is nearly reached. This signal repeats each second.
fn until_time_is_over(run: RunLimits) -> io::Result<RunLimits> {
    #[cfg(unix)]
    flag::register(rustix::process::Signal::XCPU.as_raw(), Arc::clone(&run.stop))?;
    Ok(run)
}

/// Creates the observer of a run.
pub(super) fn watcher(
    run: &RunLimits,
    settings: &Settings,
) -> impl Fn(&[Input], usize) -> Box<dyn Watch> + Sync {
    let (verbosity, stop) = (settings.verbosity, Arc::clone(&run.stop));
    move |inputs, known| Box::new(Progress::new(inputs, known, verbosity, Arc::clone(&stop)))
}

/// Returns how a run reads its inputs.
pub(super) fn run_options<'a>(
    run: &'a RunLimits,
    watch: Watcher<'a>,
    passwords: &'a Passwords,
    settings: &'a Settings,
) -> RunOptions<'a> {
    let selection = settings.config.selection();
    let request = ReadRequest { selection, ..ReadRequest::new(&settings.config.limits) };
    RunOptions { request, run, threads: settings.config.threads, passwords, watch }
}

/// Creates a run that writes ledgers to a folder.
pub(super) fn ledger_run<'a>(
    folder: &'a Path,
    checksum: bool,
    options: RunOptions<'a>,
    settings: &'a Settings,
) -> LedgerRun<'a> {
    let cache = CacheOptions {
        folder,
        checksum,
        contents_bytes: settings.config.cache.bytes,
        now: settings.now(),
        // An object store has no locks.
        attempts_in: settings.supervised.clone().filter(|_| storage::is_url(folder)),
    };
    LedgerRun { cache, options, say: &log::say }
}

/// Reads the inputs and writes no ledgers. Ledgers among the paths, and in folders of ledgers, are taken as they are.
/// Returns each ledger with the time of its file, in order of names.
pub(super) fn read_all(
    given: &InputArgs,
    settings: &Settings,
) -> anyhow::Result<Vec<(Option<Seconds>, Ledger)>> {
    read_inputs(given.expanded(&settings.config.limits)?, settings)
}

/// Like [`read_all`], for these inputs.
pub(super) fn read_inputs(
    mut inputs: Inputs,
    settings: &Settings,
) -> anyhow::Result<Vec<(Option<Seconds>, Ledger)>> {
    let (of_ledgers, paths) =
        take(&mut inputs.paths).into_iter().partition(|path| ledger::is_of_ledgers(path));
    inputs.paths = paths;
    let mut ledgers = Vec::new();
    for path in ledger::find(&of_ledgers)? {
        // One that cannot be read is an input that says why.
        let modified =
            ledger::read_header(&path).ok().and_then(|header| Archive::from_header(&header).modified);
        let read = Ledger::read(&path).unwrap_or_else(|error| Ledger::instead_of(&path, &error));
        ledgers.push((modified, read));
    }
    let has_others = !(inputs.paths.is_empty() && inputs.streams.is_empty() && inputs.assets.is_empty());
    let ledgers = Mutex::new(ledgers);
    if has_others || of_ledgers.is_empty() {
        read_each(&inputs, settings, &|input, ledger| {
            lock(&ledgers).push((input.modified, ledger));
        })?;
    }
    let mut ledgers = into_inner(ledgers);
    ledgers.sort_by(|(_, a), (_, b)| a.input.cmp(&b.input));
    Ok(ledgers)
}

/// Returns which of these inputs are dated copies of others.
pub(super) fn copies_among(inputs: &[(Option<Seconds>, Ledger)]) -> Copies {
    let archive = |(modified, ledger): &(Option<Seconds>, Ledger)| Archive {
        modified: *modified,
        ..Archive::from_header(&ledger.header())
    };
    Copies::find(&inputs.iter().map(archive).collect::<Vec<_>>())
}

/// Reads the inputs and writes no ledgers. Passes on each ledger, in any order.
pub(super) fn read_each(
    inputs: &Inputs,
    settings: &Settings,
    keep: &(dyn Fn(&Input, Ledger) + Sync),
) -> anyhow::Result<()> {
    let run = RunLimits::default();
    let watch = watcher(&run, settings);
    let session = Session {
        options: &run_options(&run, &watch, &inputs.passwords, settings),
        cache: None,
        keep: &|input, _, ledger| {
            keep(input, ledger);
            Ok(())
        },
        planned: false,
    };
    session.read(inputs.given(&[])).map_err(session_error)?;
    Ok(())
}

/// Returns the error of a run that ended early. A run with nothing to audit has its own exit code.
pub(super) fn session_error(error: ScanError) -> anyhow::Error {
    match error {
        ScanError::Nothing(nothing) => nothing.into(),
        error => error.into(),
    }
}
