//! Runs that store ledgers: in a folder, where valid ones are not made again, or in memory.

use crate::{
    ledger::{
        self, Ledger, LedgerHeader,
        coverage::{Emptied, Uncovered},
        facts::Status,
        in_memory::InMemory,
    },
    scan::{
        cache::LedgerCache,
        memory::MemoryStore,
        plan::{self, Plan, share::Share},
        session::{Found, RunLimits, ScanError, Session, Watcher},
        source::Input,
    },
    settings::limits::Limits,
    storage,
    util::{
        lock::{into_inner, lock},
        log::Level,
        number_text::counted,
    },
};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::SystemTime,
};

/// Where and how ledgers are kept.
pub struct Keeper<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// So many bytes of ledgers are only held in memory.
    pub room: usize,
    /// Whether contents tell that a kept ledger is true.
    pub checksum: bool,
    /// Which part is read.
    pub run: &'a RunLimits,
    /// Who sees the progress.
    pub watch: Watcher<'a>,
    /// Takes words for the person who runs it.
    pub say: &'a dyn Fn(Level, &str),
    /// What decoding may take.
    pub limits: &'a Limits,
    /// Threads that decode; 0 is one for each core.
    pub threads: usize,
    /// What ledgers state as the time of reading.
    pub now: SystemTime,
}

/// What a scan left in a folder of ledgers.
pub struct Scanned {
    /// The ledgers of this run that are files.
    pub ledgers: Vec<PathBuf>,
    /// Those that are not.
    pub held: Vec<(LedgerHeader, InMemory)>,
    /// Inputs that were not read to their end.
    pub incomplete: u64,
    /// Inputs that are left to another night.
    pub uncovered: Vec<Uncovered>,
    /// Folders that had inputs in an earlier run and have none now.
    pub emptied: Vec<Emptied>,
    /// Until it goes, no other run takes a ledger away.
    _shelf: LedgerCache,
}

impl Keeper<'_> {
    /// Reads what is not known yet, alone or for a plan that others work on.
    pub fn read(
        &self,
        plan: Option<String>,
        read: impl FnOnce(&Session<'_>) -> Result<Found, ScanError>,
    ) -> Result<Scanned, ScanError> {
        let waiting = || {
            let words =
                format!("hullmark: another run uses {}; waiting for it to end", self.folder.display());
            (self.say)(Level::Info, &words);
        };
        let planned = plan.is_some();
        let shelf = LedgerCache::open(self.folder, self.limits, self.checksum, plan, self.now, waiting)?;
        let (incomplete, used) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let memory = (self.room > 0).then(|| MemoryStore::new(self.room, self.folder));
        let found = read(&Session {
            cache: Some(&shelf),
            keep: &|input, bodies, ledger| {
                if ledger.status != Status::Complete {
                    incomplete.fetch_add(1, Ordering::Relaxed);
                }
                if let Some(memory) = &memory {
                    return memory.hold(shelf.label(input, bodies, &ledger), ledger);
                }
                let path = shelf.put(input, bodies, &ledger)?;
                lock(&used).push(path);
                Ok(())
            },
            watch: self.watch,
            run: self.run,
            planned,
            limits: self.limits,
            threads: self.threads,
        })?;
        let Found { known, uncovered } = found;
        let mut ledgers = into_inner(used);
        ledgers.extend(known);
        let (held, written) = memory.map_or_else(Default::default, MemoryStore::finish);
        ledgers.extend(written);
        let emptied = shelf.prune(&ledgers)?;
        Ok(Scanned { ledgers, held, incomplete: incomplete.into_inner(), uncovered, emptied, _shelf: shelf })
    }

    /// Reads a share of the inputs of a plan.
    pub fn read_inputs(&self, plan: &Plan, share: Share) -> Result<Scanned, ScanError> {
        let inputs = plan::share_of(plan.inputs(), share);
        self.warn_of_changed(&inputs);
        self.read(Some(plan.id()), |session| {
            session.expect(&[], plan.inputs());
            session.scan(&inputs, None)
        })
    }

    /// Reads a share of the stores of a plan, for what the inputs lack whose ledgers are there.
    pub fn read_stores(&self, plan: &Plan, share: Share) -> Result<Scanned, ScanError> {
        let stores = plan::share_of(plan.stores(), share);
        if stores.is_empty() {
            // Nobody has to know what the inputs lack.
            return self.read(Some(plan.id()), |_| Ok(Found::default()));
        }
        if !storage::is_url(self.folder) && !self.folder.is_dir() {
            return Err(ScanError::NoFolder(self.folder.to_owned()));
        }
        let gathered = plan.gather(ledger::find_readable(&[self.folder.into()])?)?;
        if let Some(missing) = gathered.missing_text() {
            (self.say)(
                Level::Warning,
                &format!("{missing}. The stores are not searched for what these lack."),
            );
        }
        let mut bodies = BTreeSet::new();
        for path in &gathered.inputs {
            bodies.extend(Ledger::read(path)?.missing_bodies());
        }
        self.read(Some(gathered.stores_for), |session| session.scan(&stores, Some(&bodies)))
    }

    /// Names what is not as it was planned: an export may have been written since.
    fn warn_of_changed(&self, inputs: &[Input]) {
        let changed: Vec<&Input> = inputs.iter().filter(|input| plan::has_changed(input)).collect();
        if !changed.is_empty() {
            let words = format!(
                "{} changed since the plan was made, and {} read as now: {}.",
                counted(changed.len() as u64, "input"),
                if changed.len() == 1 { "is" } else { "are" },
                plan::some_of(changed.iter().map(|input| input.name.as_str()))
            );
            (self.say)(Level::Warning, &words);
        }
    }
}
