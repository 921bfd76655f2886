//! One run over inputs: which ones it reads, in which order, and when it ends.

use crate::{
    ledger::{
        Ledger, LedgerError,
        coverage::{Because, Uncovered},
        facts::Status,
    },
    scan::{
        self, End, Watch,
        cache::{LedgerCache, LedgerCacheError},
        order,
        plan::{collect::GatherError, share::Share},
        source::{self, Deadline, Input, NothingToAudit},
    },
    settings::limits::Limits,
    storage,
    util::{
        lock::{into_inner, lock},
        timings::{Stage, within},
    },
};
use rayon::{ThreadPoolBuildError, prelude::*};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use thiserror::Error;
use uuid::Uuid;

/// Why a run ends before its inputs are read.
#[derive(Debug, Error)]
pub enum ScanError {
    /// The paths hold no export.
    #[error(transparent)]
    Nothing(#[from] NothingToAudit),
    /// A path cannot be looked at.
    #[error(transparent)]
    Paths(#[from] io::Error),
    /// A ledger cannot be read or kept.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system starts no thread.
    #[error("No thread can be started: {0}. Give the run more memory, or end other programs")]
    Threads(ThreadPoolBuildError),
    /// The folder of ledgers cannot be used.
    #[error(transparent)]
    Cache(#[from] LedgerCacheError),
    /// The ledgers of a plan do not fit it.
    #[error(transparent)]
    Plan(#[from] GatherError),
    /// Stores of a plan are to be read before its inputs.
    #[error("The folder {} does not exist: scan the inputs of the plan into it first", .0.display())]
    NoFolder(PathBuf),
    /// Two inputs have one name.
    #[error("Two inputs are named \"{0}\": rename one")]
    SameName(String),
    /// Inputs lie where the run writes to.
    #[error("{0}")]
    Outputs(String),
}

/// Which inputs a run reads, and when it ends. What is known from before is always reported, and stores are always read:
/// without them things would be called missing that are not.
#[derive(Debug, Clone, Default)]
pub struct RunLimits {
    /// Read only this share of the inputs.
    pub share: Option<Share>,
    /// Begin no further input after this moment; the first one is begun in any case.
    pub until: Option<Instant>,
    /// Give up an input after this time.
    pub timeout_per_input: Option<Duration>,
    /// Set by who wants the run to end: inputs that were begun are cut short.
    pub stop: Arc<AtomicBool>,
    /// Set once an input is cut short by that.
    pub cut: Arc<AtomicBool>,
    /// Begin every input, even once the run is to end: one that is not begun has no ledger to say that it was not read.
    pub every: bool,
}

impl RunLimits {
    /// Whether something may be left out.
    fn is_partial(&self) -> bool {
        self.until.is_some() || self.share.is_some()
    }

    /// Whether an input was cut short by a signal.
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}

/// Ends a scan at its limits, and tells somebody else of its progress.
struct Limited<'w> {
    run: &'w RunLimits,
    watch: &'w dyn Watch,
}

impl Watch for Limited<'_> {
    /// Where time is short the first input is begun in any case, so that every run comes further.
    fn enough(&self, begun: usize) -> bool {
        let watcher_has_enough = self.watch.enough(begun);
        let is_over = self.run.until.is_some_and(|until| Instant::now() >= until);
        self.run.stop.load(Ordering::Relaxed) && !self.run.every || begun > 0 && is_over || watcher_has_enough
    }

    fn deadline(&self) -> Deadline {
        Deadline::after(self.run.timeout_per_input).or_signal(Arc::clone(&self.run.stop))
    }

    fn begin(&self, input: &Input) {
        self.watch.begin(input);
    }

    fn bytes(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }

    fn end(&self, ledger: &Ledger) {
        self.watch.end(ledger);
    }
}

/// What the inputs lack and stores are searched for.
type Bodies<'a> = Option<&'a BTreeSet<Uuid>>;

/// Begins to watch a scan of these inputs, beside so many that need not be read.
pub type Watcher<'a> = &'a (dyn Fn(&[Input], usize) -> Box<dyn Watch> + Sync);

/// Takes the ledger of an input that was read.
pub type Keep<'a> = &'a (dyn Fn(&Input, Bodies<'_>, Ledger) -> Result<(), LedgerError> + Sync);

/// One run. Ledgers come in any order.
pub struct Session<'a> {
    /// Where ledgers of inputs are that need not be read again.
    pub cache: Option<&'a LedgerCache>,
    /// Takes the ledgers of those that are read.
    pub keep: Keep<'a>,
    /// Who sees the progress.
    pub watch: Watcher<'a>,
    /// Which part is read.
    pub run: &'a RunLimits,
    /// Whether a share of a plan is read, and read again where a signal ends it.
    pub planned: bool,
    /// What decoding may take.
    pub limits: &'a Limits,
    /// Threads that decode; 0 is one for each core.
    pub threads: usize,
}

/// What a run reads.
#[derive(Debug, Default)]
pub struct Given<'a> {
    /// Files, folders and URLs.
    pub paths: &'a [PathBuf],
    /// Inputs that come from no path.
    pub streams: Vec<Input>,
    /// Files, folders and URLs whose assets count as present.
    pub stores: &'a [PathBuf],
    /// Where the run writes to: nothing in it is read.
    pub outputs: &'a [&'a Path],
}

/// What is there after reading.
#[derive(Debug, Default)]
pub struct Found {
    /// Ledgers that were known.
    pub known: Vec<PathBuf>,
    /// Inputs that have no ledger of today.
    pub uncovered: Vec<Uncovered>,
}

impl Session<'_> {
    /// Reads inputs, and behind them the stores for what the inputs lack.
    pub fn read(&self, given: Given<'_>) -> Result<Found, ScanError> {
        let Given { paths, streams, stores, outputs: leave_out } = given;
        ensure_apart(paths, leave_out)?;
        let is_archive = |name: &str, stamp| self.cache.is_some_and(|cache| cache.holds_archive(name, stamp));
        let mut inputs = source::walk_knowing(paths, leave_out, &is_archive)?;
        let mut names: HashSet<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        if let Some(twice) = streams.iter().find(|stream| !names.insert(&stream.name)) {
            return Err(ScanError::SameName(twice.name.clone()));
        }
        inputs.extend(streams);
        source::ensure_exports(paths, &inputs)?;
        let all_paths = [paths, stores].concat();
        let stores = source::walk(stores, leave_out)?;
        self.expect(&all_paths, &[&*inputs, &*stores].concat());
        let lacked = Mutex::new(BTreeSet::new());
        let note = |ledger: &Ledger| {
            if !stores.is_empty() {
                lock(&lacked).extend(ledger.missing_bodies());
            }
        };
        let mut found = self.scan_noting(&inputs, None, self.run, &note)?;
        if !stores.is_empty() {
            for path in &found.known {
                note(&Ledger::read(path)?);
            }
            let bodies = into_inner(lacked);
            let run = RunLimits { share: None, until: None, every: true, ..self.run.clone() };
            found.known.extend(self.scan_noting(&stores, Some(&bodies), &run, &|_| {})?.known);
        }
        Ok(found)
    }

    /// Takes note of the paths that were named, and of the inputs below them.
    pub fn expect(&self, paths: &[PathBuf], inputs: &[Input]) {
        if let Some(cache) = self.cache {
            cache.expect(paths, inputs);
        }
    }

    /// Reads those inputs that are not known and are to be read; of stores what `bodies` names.
    pub fn scan(&self, inputs: &[Input], bodies: Bodies<'_>) -> Result<Found, ScanError> {
        self.scan_noting(inputs, bodies, self.run, &|_| {})
    }

    fn scan_noting(
        &self,
        inputs: &[Input],
        bodies: Bodies<'_>,
        run: &RunLimits,
        note: &(dyn Fn(&Ledger) + Sync),
    ) -> Result<Found, ScanError> {
        let last = |input: &Input| self.cache.and_then(|cache| cache.last(input));
        let look = |input| (input, self.cache.and_then(|cache| cache.find(input, bodies)));
        let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
        let look_at_all = || storage::side_by_side(&paths, || inputs.par_iter().map(look).collect());
        let looked: Vec<_> = within(Stage::Waiting, look_at_all);
        let (unknown, known): (Vec<_>, Vec<_>) = looked.into_iter().partition(|(_, known)| known.is_none());
        let known: Vec<PathBuf> = known.into_iter().filter_map(|(_, known)| known).collect();
        let is_taken =
            |input: &Input| run.share.is_none_or(|sample| order::is_in_sample(sample, &input.name));
        let (mut unread, left): (Vec<Input>, Vec<Input>) =
            unknown.into_iter().map(|(input, _)| input.clone()).partition(is_taken);
        match run.is_partial() {
            true => order::longest_unread_first(&mut unread, |input| last(input)?.made?.read),
            false => order::largest_first(&mut unread),
        }

        let by_name: HashMap<&str, &Input> =
            unread.iter().map(|input| (input.name.as_str(), input)).collect();
        let read = Mutex::new(HashSet::new());
        let planned = self.planned;
        let keep = |ledger: Ledger| {
            if ledger.status != Status::Complete && run.stop.load(Ordering::Relaxed) {
                run.cut.store(true, Ordering::Relaxed);
                // The share is run again, and until then this input has no ledger.
                if planned {
                    return Ok(());
                }
            }
            note(&ledger);
            let input = by_name[ledger.input.as_str()];
            lock(&read).insert(&input.name);
            (self.keep)(input, bodies, ledger)
        };
        let watch = (self.watch)(&unread, known.len());
        let limited = Limited { run, watch: &*watch };
        let scanned = scan::read_inputs(&unread, bodies, self.limits, self.threads, &limited, &keep);
        drop(watch);
        let because = match scanned? {
            End::Bytes => Because::Bytes,
            _ if run.stop.load(Ordering::Relaxed) => Because::Signal,
            _ => Because::Budget,
        };

        let read = into_inner(read);
        let late = unread.iter().filter(|input| !read.contains(&input.name));
        let left = left.iter().map(|input| (input, Because::Sample));
        let left = left.chain(late.map(|input| (input, because)));
        let mut uncovered: Vec<Uncovered> =
            left.map(|(input, because)| input.uncovered(because, last(input))).collect();
        uncovered.sort_by(|a, b| a.archive.cmp(&b.archive));
        Ok(Found { known, uncovered })
    }
}

/// Refuses folders for outputs in which exports lie: what a run writes to is left out of what it reads.
fn ensure_apart(paths: &[PathBuf], outputs: &[&Path]) -> Result<(), ScanError> {
    let whole = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for output in outputs {
        let place = whole(output);
        if let Some(path) = paths.iter().find(|path| whole(path) == place) {
            return Err(ScanError::Outputs(format!(
                "{} is a folder that this run writes to, so nothing in it would be read: choose another",
                path.display()
            )));
        }
        let is_below = paths.iter().any(|path| place.starts_with(whole(path)));
        if !is_below || storage::is_url(output) || !output.is_dir() {
            continue;
        }
        let inside = source::walk(&[output.to_path_buf()], &[])?;
        if let Some(export) = inside.iter().find(|input| input.is_export()) {
            return Err(ScanError::Outputs(format!(
                "{} lies in {}, which this run writes to, so it would not be audited: choose another folder for the \
                 output, or move the export",
                export.name,
                output.display()
            )));
        }
    }
    Ok(())
}
