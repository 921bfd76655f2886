//! What is read, as it is typed.

use super::{Settings, progress::Progress};
use crate::{
    ledger::Ledger,
    scan::{
        Watch,
        keep::Keeper,
        plan::share::Share,
        session::{Given, RunLimits, ScanError, Session, Watcher},
        source::Input,
    },
    util::{
        dates_in_names::Seconds,
        lock::{into_inner, lock},
        log,
    },
};
use clap::Args;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// What is read.
#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Archives, unpacked archives, assets, or folders with any of them
    #[arg(required_unless_present = "without_paths", value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Archives, or folders of files named by UUID, whose assets count as present where an input lacks them. May be
    /// given more than once
    #[arg(long, value_name = "PATH")]
    pub(super) assets: Vec<PathBuf>,
}

impl InputArgs {
    /// The same, for a run that writes to these folders.
    pub(super) fn given<'a>(&'a self, outputs: &'a [&'a Path]) -> Given<'a> {
        Given { paths: &self.paths, stores: &self.assets, outputs, ..Given::default() }
    }
}

/// Which part of it is read in this night.
#[derive(Debug, Default, Args)]
pub(super) struct RunArgs {
    /// Begin no further input after this time from the start, as 90m or 2h; those that were begun are read to their end. What was
    /// never read comes first, then what was read longest ago
    #[arg(long, value_name = "TIME")]
    budget_time: Option<humantime::Duration>,
    /// Read only one share of the inputs, as 1/7 for the first of seven; shares go by the inputs' names
    #[arg(long, value_name = "K/N")]
    sample: Option<Share>,
    /// Give up an input or a store that is not read after this time, as 90s or 10m: what was read of it is reported, and the audit
    /// is incomplete
    #[arg(long, value_name = "TIME")]
    timeout_per_input: Option<humantime::Duration>,
}

impl RunArgs {
    /// The limits of a run that a signal cuts short, and a second one ends at once.
    pub(super) fn until_signalled(&self, settings: &Settings) -> io::Result<RunLimits> {
        let run = RunLimits {
            share: self.sample,
            until: self.budget_time.and_then(|time| settings.began.checked_add(time.into())),
            timeout_per_input: self.timeout_per_input.map(Into::into),
            ..RunLimits::default()
        };
        for signal in [SIGINT, SIGTERM] {
            // In this order: what the first one sets is not there yet when it is looked at.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&run.stop))?;
            flag::register(signal, Arc::clone(&run.stop))?;
        }
        // The time that the system gives the run (`ulimit -S -t`) is nearly over. It says so each second.
        #[cfg(unix)]
        flag::register(rustix::process::Signal::XCPU.as_raw(), Arc::clone(&run.stop))?;
        Ok(run)
    }
}

/// Shows a run to a person.
pub(super) fn watcher(
    run: &RunLimits,
    settings: &Settings,
) -> impl Fn(&[Input], usize) -> Box<dyn Watch> + Sync {
    let (verbosity, stop) = (settings.verbosity, Arc::clone(&run.stop));
    move |inputs, known| Box::new(Progress::new(inputs, known, verbosity, Arc::clone(&stop)))
}

/// Keeps the ledgers of a run in a folder, but for so many bytes of them that are only held in memory.
pub(super) fn keeper<'a>(
    folder: &'a Path,
    room: usize,
    checksum: bool,
    run: &'a RunLimits,
    watch: Watcher<'a>,
    settings: &'a Settings,
) -> Keeper<'a> {
    let limits = &settings.config.limits;
    let (threads, now) = (settings.config.threads, settings.now());
    Keeper { folder, room, checksum, run, watch, say: &log::say, limits, threads, now }
}

/// Reads what is given and keeps nothing: each ledger with the time of its file, in the order of the names.
pub(super) fn read_all(
    given: &InputArgs,
    settings: &Settings,
) -> anyhow::Result<Vec<(Option<Seconds>, Ledger)>> {
    let ledgers = Mutex::new(Vec::new());
    let run = RunLimits::default();
    let session = Session {
        cache: None,
        keep: &|input, _, ledger| {
            lock(&ledgers).push((input.modified, ledger));
            Ok(())
        },
        watch: &watcher(&run, settings),
        run: &run,
        planned: false,
        limits: &settings.config.limits,
        threads: settings.config.threads,
    };
    session.read(given.given(&[])).map_err(session_error)?;
    let mut ledgers = into_inner(ledgers);
    ledgers.sort_by(|(_, a), (_, b)| a.input.cmp(&b.input));
    Ok(ledgers)
}

/// What a person is told of a run that ended early. Nothing to audit is an outcome of its own.
pub(super) fn session_error(error: ScanError) -> anyhow::Error {
    match error {
        ScanError::Nothing(nothing) => nothing.into(),
        error => error.into(),
    }
}
