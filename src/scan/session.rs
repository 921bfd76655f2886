//! From what was typed to ledgers: which inputs are read, in which order, and who watches.

use crate::{
    cli::{Settings, progress::Progress},
    ledger::{
        Label, Ledger, LedgerError,
        coverage::{self, Because, Uncovered},
        facts::Status,
    },
    scan::{
        self, End,
        plan::share::Share,
        source::{self, Input, Stamp},
    },
    storage,
    util::timings::{Stage, within},
};
use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};
use uuid::Uuid;

/// What is read.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// Archives, unpacked archives, assets, or folders with any of them
    #[arg(required_unless_present = "without_paths", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Archives, or folders of files named by UUID, whose assets count as present where an input lacks them. May be
    /// given more than once
    #[arg(long, value_name = "PATH")]
    pub(crate) assets: Vec<PathBuf>,
}

/// Which part of it is read in this night. What is known from before is always reported; stores are always read,
/// because without them things would be called missing that are not.
#[derive(Debug, Default, Args)]
pub(crate) struct Part {
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
    /// Set once a signal asks the run to end.
    #[arg(skip)]
    stop: Arc<AtomicBool>,
    /// Set once an input is cut short by that.
    #[arg(skip)]
    cut: Arc<AtomicBool>,
    /// Whether every input is begun, whatever signals come: one that is not has no ledger to say that it was not read.
    #[arg(skip)]
    every: bool,
}

impl Part {
    /// Whether something may be left out.
    fn is_given(&self) -> bool {
        self.budget_time.is_some() || self.sample.is_some()
    }

    /// The same part of a run that a signal cuts short, and a second one ends at once.
    pub(crate) fn until_signalled(&self) -> io::Result<Self> {
        let part = Self { stop: Arc::default(), cut: Arc::default(), ..*self };
        for signal in [SIGINT, SIGTERM] {
            // In this order: what the first one sets is not there yet when it is looked at.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&part.stop))?;
            flag::register(signal, Arc::clone(&part.stop))?;
        }
        // The time that the system gives the run (`ulimit -S -t`) is nearly over. It says so each second.
        #[cfg(unix)]
        flag::register(rustix::process::Signal::XCPU.as_raw(), Arc::clone(&part.stop))?;
        Ok(part)
    }

    /// Whether a signal cut an input short.
    pub(crate) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// When the time is over. The first input is begun in any case.
    fn until(&self, settings: &Settings) -> Option<Instant> {
        settings.began.checked_add(self.budget_time?.into())
    }
}

/// What the inputs lack and stores are searched for.
type Bodies<'a> = Option<&'a BTreeSet<Uuid>>;

/// How inputs are read. Ledgers come in any order.
pub(crate) struct Reading<'a> {
    /// Whether the ledger of a path with this stamp says that it is an archive, and need not be read again.
    pub(crate) is_archive: &'a (dyn Fn(&str, Stamp) -> bool + Sync),
    /// The ledger of an input that need not be read again.
    pub(crate) known: &'a (dyn Fn(&Input, Bodies<'_>) -> Option<PathBuf> + Sync),
    /// Takes the ledger of one that was.
    pub(crate) keep: &'a (dyn Fn(&Input, Bodies<'_>, Ledger) -> Result<(), LedgerError> + Sync),
    /// Takes note of the paths that were named, and of the inputs below them.
    pub(crate) expect: &'a dyn Fn(&[PathBuf], &[Input]),
    /// The label of the ledger that an input had last.
    pub(crate) last: &'a dyn Fn(&Input) -> Option<Label>,
    /// Which part is read.
    pub(crate) part: &'a Part,
    /// Whether a share of a plan is read, and read again where a signal ends it.
    pub(crate) planned: bool,
}

/// What is there after reading.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Ledgers that were known.
    pub(crate) known: Vec<PathBuf>,
    /// Inputs that have no ledger of today.
    pub(crate) uncovered: Vec<Uncovered>,
}

impl Reading<'_> {
    /// Reads inputs, and behind them the stores for what the inputs lack.
    pub(crate) fn run(
        &self,
        given: &Given,
        leave_out: &[&Path],
        settings: &Settings,
    ) -> anyhow::Result<Found> {
        ensure_apart(&given.paths, leave_out)?;
        let inputs = source::walk_knowing(&given.paths, leave_out, self.is_archive)?;
        source::ensure_exports(&given.paths, &inputs)?;
        let stores = source::walk(&given.assets, leave_out)?;
        let paths: Vec<PathBuf> = given.paths.iter().chain(&given.assets).cloned().collect();
        (self.expect)(&paths, &[&*inputs, &*stores].concat());
        let lacked = Mutex::new(BTreeSet::new());
        let note = |ledger: &Ledger| {
            if !stores.is_empty() {
                lacked.lock().unwrap_or_else(PoisonError::into_inner).extend(ledger.missing_bodies());
            }
        };
        let mut found = self.scan(&inputs, None, self.part, settings, &note)?;
        if !stores.is_empty() {
            for path in &found.known {
                note(&Ledger::read(path)?);
            }
            let bodies = lacked.into_inner().unwrap_or_else(PoisonError::into_inner);
            let Part { timeout_per_input, stop, cut, .. } = self.part;
            let (stop, cut) = (Arc::clone(stop), Arc::clone(cut));
            let part =
                Part { timeout_per_input: *timeout_per_input, stop, cut, every: true, ..Part::default() };
            found.known.extend(self.scan(&stores, Some(&bodies), &part, settings, &|_| {})?.known);
        }
        Ok(found)
    }

    /// Reads those inputs that are not known and are to be read.
    pub(crate) fn scan(
        &self,
        inputs: &[Input],
        bodies: Bodies<'_>,
        part: &Part,
        settings: &Settings,
        note: &(dyn Fn(&Ledger) + Sync),
    ) -> anyhow::Result<Found> {
        let look = |input| (input, (self.known)(input, bodies));
        let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
        let look_at_all = || storage::side_by_side(&paths, || inputs.par_iter().map(look).collect());
        let looked: Vec<_> = within(Stage::Waiting, look_at_all);
        let (unknown, known): (Vec<_>, Vec<_>) = looked.into_iter().partition(|(_, known)| known.is_none());
        let known: Vec<PathBuf> = known.into_iter().filter_map(|(_, known)| known).collect();
        let is_taken =
            |input: &Input| part.sample.is_none_or(|sample| coverage::is_in_sample(sample, &input.name));
        let (mut unread, left): (Vec<Input>, Vec<Input>) =
            unknown.into_iter().map(|(input, _)| input.clone()).partition(is_taken);
        match part.is_given() {
            true => coverage::longest_unread_first(&mut unread, |input| (self.last)(input)?.made?.read),
            false => coverage::largest_first(&mut unread),
        }

        let by_name: HashMap<&str, &Input> =
            unread.iter().map(|input| (input.name.as_str(), input)).collect();
        let read = Mutex::new(HashSet::new());
        let planned = self.planned;
        let keep = |ledger: Ledger| {
            if ledger.status != Status::Complete && part.stop.load(Ordering::Relaxed) {
                part.cut.store(true, Ordering::Relaxed);
                // The share is run again, and until then this input has no ledger.
                if planned {
                    return Ok(());
                }
            }
            note(&ledger);
            let input = by_name[ledger.input.as_str()];
            read.lock().unwrap_or_else(PoisonError::into_inner).insert(&input.name);
            (self.keep)(input, bodies, ledger)
        };
        let progress = Progress::new(&unread, known.len(), settings.verbosity)
            .until(part.until(settings))
            .each(part.timeout_per_input.map(Into::into))
            .every(part.every)
            .stopping(Arc::clone(&part.stop));
        let (limits, threads) = (&settings.config.limits, settings.config.threads);
        let scanned = match bodies {
            None => scan::scan(&unread, limits, threads, &progress, &keep),
            Some(bodies) => scan::scan_stores(&unread, bodies, limits, threads, &progress, &keep),
        };
        progress.finish();
        let because = match scanned? {
            End::Bytes => Because::Bytes,
            _ if part.stop.load(Ordering::Relaxed) => Because::Signal,
            _ => Because::Budget,
        };

        let read = read.into_inner().unwrap_or_else(PoisonError::into_inner);
        let late = unread.iter().filter(|input| !read.contains(&input.name));
        let left = left.iter().map(|input| (input, Because::Sample));
        let left = left.chain(late.map(|input| (input, because)));
        let mut uncovered: Vec<Uncovered> =
            left.map(|(input, because)| Uncovered::new(input, because, (self.last)(input))).collect();
        uncovered.sort_by(|a, b| a.archive.cmp(&b.archive));
        Ok(Found { known, uncovered })
    }
}

/// Refuses folders for outputs in which exports lie: what a run writes to is left out of what it reads.
fn ensure_apart(paths: &[PathBuf], outputs: &[&Path]) -> anyhow::Result<()> {
    let whole = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for output in outputs {
        let place = whole(output);
        if let Some(path) = paths.iter().find(|path| whole(path) == place) {
            bail!(
                "{} is a folder that this run writes to, so nothing in it would be read: choose another",
                path.display()
            );
        }
        let is_below = paths.iter().any(|path| place.starts_with(whole(path)));
        if !is_below || storage::is_url(output) || !output.is_dir() {
            continue;
        }
        let inside = source::walk(&[output.to_path_buf()], &[])?;
        if let Some(export) = inside.iter().find(|input| input.is_export()) {
            bail!(
                "{} lies in {}, which this run writes to, so it would not be audited: choose another folder for the \
                 output, or move the export",
                export.name,
                output.display()
            );
        }
    }
    Ok(())
}
