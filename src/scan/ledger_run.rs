//! Runs that store ledgers in a folder, where valid ledgers are not made again.

use crate::{
    cache::{CacheOptions, LedgerCache, PrunedLedgers},
    plan::{self, Plan, share::Share},
    session::{LackedAssets, RunOptions, ScanError, Session, SessionResult},
};
use hullmark_ledger::{
    self as ledger, Ledger, LedgerError, LedgerHeader,
    archive::Archive,
    coverage::{Emptied, Uncovered},
    facts::Status,
    in_memory::InMemory,
};
use hullmark_source::Input;
use hullmark_storage::{self as storage, folder_lock};
use hullmark_util::{
    lock::{into_inner, lock as mutex},
    log::Level,
    number_text::counted,
};
use std::{
    io,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// Attempts to write a ledger while there are too many open files, and the time between two.
const WAITS: u32 = 50;
const WAIT: Duration = Duration::from_millis(20);

/// The errors of too many open files in the system and in this process. All systems like Unix have these numbers.
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;

/// Maximum number of ledgers that a message names.
const NAMED: usize = 3;

pub struct LedgerRun<'a> {
    pub cache: CacheOptions<'a>,
    pub options: RunOptions<'a>,
    /// Prints a message for the user.
    pub say: &'a dyn Fn(Level, &str),
}

/// The result of a scan into a folder of ledgers.
pub struct Scanned {
    pub ledgers: Vec<PathBuf>,
    /// The ledger of the only input that was read, with its path and header. It is among `ledgers`, too.
    pub alone: Option<(PathBuf, LedgerHeader, Ledger)>,
    /// Ledgers that cannot have their file, because a folder is in its place.
    pub held: Vec<(LedgerHeader, InMemory)>,
    /// Number of inputs that were not read completely.
    pub incomplete: u64,
    /// Inputs that this run left for a later one.
    pub uncovered: Vec<Uncovered>,
    /// Folders that had inputs in an earlier run and have none now.
    pub emptied: Vec<Emptied>,
    /// Archives that this run looked for and did not find.
    pub gone: Vec<Archive>,
    /// Keeps the lock: until it is dropped, no other run removes a ledger.
    _cache: LedgerCache,
}

impl LedgerRun<'_> {
    /// Reads the inputs without a valid ledger, alone or for a plan that other runs share.
    pub fn read(
        &self,
        plan: Option<String>,
        read: impl FnOnce(&Session<'_>) -> Result<SessionResult, ScanError>,
    ) -> Result<Scanned, ScanError> {
        let waiting = || (self.say)(Level::Info, &folder_lock::waiting(self.cache.folder));
        let planned = plan.is_some();
        let mut cache = LedgerCache::open(&self.cache, &self.options, plan, waiting)?;
        let (incomplete, used, alone) = (AtomicU64::new(0), Mutex::new(Vec::new()), Mutex::new(None));
        let displaced = Mutex::new(Vec::new());
        let found = read(&Session {
            options: &self.options,
            cache: Some(&cache),
            keep: &|input, bodies, ledger| {
                if ledger.status != Status::Complete {
                    incomplete.fetch_add(1, Ordering::Relaxed);
                }
                let (path, header) = match patiently(|| cache.put(input, bodies, &ledger)) {
                    // A folder in the place of one ledger costs no other one.
                    Err(LedgerError::Io { path, .. }) if path.is_dir() => {
                        incomplete.fetch_add(1, Ordering::Relaxed);
                        let header = cache.header(input, bodies, &ledger).in_short();
                        mutex(&displaced).push((path, (header, InMemory::Whole(Box::new(ledger)))));
                        return Ok(());
                    }
                    put => put?,
                };
                let mut used = mutex(&used);
                used.push(path);
                // A single ledger is in memory anyway, and is not read again.
                let is_alone = used.len() == 1;
                let header = header.in_short();
                let ledger = Ledger { checksum: header.checksum.clone(), ..ledger };
                *mutex(&alone) = is_alone.then(|| (used[0].clone(), header, ledger));
                Ok(())
            },
            planned,
        })?;
        let SessionResult { known, uncovered } = found;
        let mut ledgers = into_inner(used);
        ledgers.extend(known);
        let mut held = Vec::new();
        for (path, ledger) in into_inner(displaced) {
            let words = format!(
                "The ledger {} cannot be kept, because a folder has its name. Rename that folder.",
                path.display()
            );
            self.warn(&words);
            held.push(ledger);
        }
        let PrunedLedgers { emptied, gone, unreadable } = cache.prune(&ledgers)?;
        for why in unreadable.iter().take(NAMED) {
            self.warn(&format!("{why}. It stays."));
        }
        if unreadable.len() > NAMED {
            let more = counted((unreadable.len() - NAMED) as u64, "further ledger");
            self.warn(&format!("{more} in {} cannot be read.", self.cache.folder.display()));
        }
        if let Err(error) = cache.keep_contents() {
            let words =
                format!("The next run decodes more again, because decoded contents were not kept: {error}.");
            self.warn(&words);
        }
        let (incomplete, alone) = (incomplete.into_inner(), into_inner(alone));
        Ok(Scanned { ledgers, held, alone, incomplete, uncovered, emptied, gone, _cache: cache })
    }

    pub fn read_inputs(&self, plan: &Plan, share: Share) -> Result<Scanned, ScanError> {
        let inputs = plan::share_of(plan.inputs(), share);
        self.warn_of_changed(&inputs);
        self.read(Some(plan.id()), |session| {
            session.expect(&[], plan.inputs());
            session.scan(&inputs)
        })
    }

    /// Reads a share of the stores of a plan, to find the assets that the scanned inputs lack.
    pub fn read_stores(&self, plan: &Plan, share: Share) -> Result<Scanned, ScanError> {
        let stores = plan::share_of(plan.stores(), share);
        if stores.is_empty() {
            // The missing assets of the inputs are not needed.
            return self.read(Some(plan.id()), |_| Ok(SessionResult::default()));
        }
        if !storage::is_url(self.cache.folder) && !self.cache.folder.is_dir() {
            return Err(ScanError::NoFolder(self.cache.folder.to_owned()));
        }
        let gathered = plan.gather(ledger::find_with_headers(&[self.cache.folder.into()])?)?;
        for (_, path) in &gathered.unreadable {
            let words = format!(
                "The ledger {} cannot be read. The stores are not searched for what its input lacks.",
                path.display()
            );
            self.warn(&words);
        }
        if let Some(missing) = gathered.missing_text() {
            self.warn(&format!("{missing}. The stores are not searched for what these lack."));
        }
        let mut lacked = LackedAssets::default();
        for path in &gathered.inputs {
            match Ledger::read(path) {
                Ok(ledger) => lacked.add(&ledger),
                Err(error) => {
                    let words = format!(
                        "{}. The stores are not searched for what its input lacks.",
                        error.in_words()
                    );
                    self.warn(&words);
                }
            }
        }
        self.read(Some(gathered.stores_for), |session| session.search(&stores, &lacked))
    }

    fn warn(&self, words: &str) {
        (self.say)(Level::Warning, words);
    }

    /// Names the inputs that changed since the plan was made. An export may have been written since.
    fn warn_of_changed(&self, inputs: &[Input]) {
        let changed: Vec<&Input> = inputs.iter().filter(|input| plan::has_changed(input)).collect();
        if !changed.is_empty() {
            let words = format!(
                "{} changed since the plan was made, and {} read as now: {}.",
                counted(changed.len() as u64, "input"),
                if changed.len() == 1 { "is" } else { "are" },
                plan::some_of(changed.iter().map(|input| input.name.as_str()))
            );
            self.warn(&words);
        }
    }
}

/// Keeps a ledger, also while inputs have all files open that this process may have. They close them soon, and a thread
/// that waits here has none open.
fn patiently<T>(put: impl Fn() -> Result<T, LedgerError>) -> Result<T, LedgerError> {
    for _ in 0..WAITS {
        match put() {
            Err(LedgerError::Io { source, .. }) if lacks_open_files(&source) => thread::sleep(WAIT),
            done => return done,
        }
    }
    put()
}

fn lacks_open_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}
