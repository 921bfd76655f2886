//! Inputs that are being read, and inputs whose reading ended a run.
//!
//! A crash cannot be caught: a full stack, no memory and SIGKILL end the process. So a file has the names of the
//! inputs that a run reads, and the run holds a lock on it ([`run_file`]). The next run finds the names of a run that
//! died. It reads these inputs last, each alone, and counts deaths in a file for each ([`record`]). An input that was
//! alone when a second run died is left out.
//!
//! Nobody can tell a crash from a person who kills a run, or from a power failure. So an input is left out of one run
//! only, and then tried again, last and alone. If the run dies again, the input is left out of two runs, then of four,
//! up to 64. It is also tried again if its files, the limits or the program change, or if the user asks for it.
//!
//! Without locks (an object store, some network file systems) nobody knows which runs live. Then there are no such files,
//! and a crash is forgotten.

mod record;
mod run_file;

use hullmark_storage::{self as storage, stamp::Stamp};
use hullmark_util::lock::lock;
use record::Record;
use run_file::{Mark, RunFile};
use std::{
    collections::HashMap,
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};
use xxhash_rust::xxh3::Xxh3;

/// The folder of these files, in a folder of ledgers.
const FOLDER: &str = "reading";

/// What a run does with inputs whose reading ended an earlier run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mode {
    /// Try inputs again that would be left out.
    pub retry: bool,
    /// The run continues one that died, with the same arguments. An input that was alone when that one died is left out.
    pub continues: bool,
}

/// How an input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    /// Together with others.
    Together,
    /// After all others, and alone, because a run died while it read this input.
    Alone,
    /// Not at all, because this number of runs died while they read it.
    LeftOut(u32),
}

/// The inputs that this run reads, and those whose reading ended earlier runs.
#[derive(Debug)]
pub struct Attempts {
    folder: PathBuf,
    settings: String,
    mode: Mode,
    records: Mutex<HashMap<String, Record>>,
    /// The file of this run. `None` until the first input is read.
    own: Mutex<Option<RunFile>>,
    program: OnceLock<String>,
    /// Whether the death of this run would say nothing about its inputs.
    is_forgiven: AtomicBool,
}

impl Attempts {
    /// Opens the files in a folder of ledgers, and counts the deaths of runs. `settings` is all that a ledger depends on,
    /// except its input. `None` for an object store, which has no locks.
    pub fn open(ledgers: &Path, settings: &str, mode: Mode) -> Option<Self> {
        if storage::is_url(ledgers) {
            return None;
        }
        let attempts = Self {
            folder: ledgers.join(FOLDER),
            settings: settings.into(),
            mode,
            records: Mutex::default(),
            own: Mutex::default(),
            program: OnceLock::new(),
            is_forgiven: AtomicBool::new(false),
        };
        attempts.read_records(ledgers);
        Some(attempts)
    }

    /// Reads the records of earlier deaths, and adds those of runs that died since.
    fn read_records(&self, ledgers: &Path) {
        let paths = entries(ledgers);
        let mut records = lock(&self.records);
        for path in &paths {
            if let Some((ledger, record)) = Record::read(path) {
                records.insert(ledger, record);
            }
        }
        for path in &paths {
            // The lock is held until the deaths are written. Another run passes over a locked file.
            let Some(dead) = RunFile::of_dead(path) else { continue };
            let marks = dead.marks();
            let was_alone = self.mode.continues && marks.len() == 1;
            for Mark { ledger, input, stamp } in marks {
                let before = records.remove(&ledger);
                let record = Record::after(before, input, stamp, self.program(), was_alone);
                // Without it, the next run only reads the input as usual.
                let _ = record.write(&self.folder, &ledger);
                records.insert(ledger, record);
            }
            dead.remove();
        }
    }

    /// Returns the identity of this program and its settings. Another build may read what this one could not.
    fn program(&self) -> &str {
        self.program.get_or_init(|| format!("{:032x} {}", own_hash(), self.settings))
    }

    pub(super) fn knows_any(&self) -> bool {
        !lock(&self.records).is_empty()
    }

    /// Returns how to read the input with a ledger of this name.
    pub(super) fn turn(&self, ledger: &str, stamp: Option<Stamp>) -> Turn {
        let records = lock(&self.records);
        let Some(record) = records.get(ledger) else { return Turn::Together };
        let is_same = record.stamp == stamp && record.program == self.program();
        let is_left_out = record.is_left_out(self.mode.continues);
        match is_same && is_left_out && !self.mode.retry {
            true => Turn::LeftOut(record.deaths),
            false => Turn::Alone,
        }
    }

    /// Notes that an input is being read.
    pub(super) fn begin(&self, ledger: &str, input: &str, stamp: Option<Stamp>) {
        if self.is_forgiven.load(Ordering::Relaxed) {
            return;
        }
        let mut own = lock(&self.own);
        if own.is_none() {
            *own = RunFile::create(&self.folder);
        }
        if let Some(file) = &mut *own {
            file.begin(Mark { ledger: ledger.into(), input: input.into(), stamp });
        }
    }

    /// Notes that an input was read, and forgets that its reading ended a run.
    pub(super) fn end(&self, ledger: &str) {
        if let Some(file) = &mut *lock(&self.own) {
            file.end(ledger);
        }
        self.forget(ledger);
    }

    pub(super) fn forget(&self, ledger: &str) {
        if lock(&self.records).remove(ledger).is_some() {
            Record::remove(&self.folder, ledger);
        }
    }

    /// Counts a run from which an input was left out.
    pub(super) fn leave_out(&self, ledger: &str) {
        if self.mode.continues {
            return;
        }
        if let Some(record) = lock(&self.records).get_mut(ledger) {
            record.left_out_of = record.left_out_of.saturating_sub(1);
            // Without it, the input is left out once more.
            let _ = record.write(&self.folder, ledger);
        }
    }

    /// Forgets which inputs are being read. If the run dies after this, no input is the reason: somebody ends the run.
    pub(super) fn forgive(&self) {
        if self.is_forgiven.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(file) = &mut *lock(&self.own) {
            file.clear();
        }
    }
}

impl Drop for Attempts {
    fn drop(&mut self) {
        if let Some(own) = lock(&self.own).take() {
            own.remove();
        }
        // Fails while there are files of other runs or records.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// Whether runs with this folder of ledgers died while they read inputs that were not read since.
pub fn know_deaths(ledgers: &Path) -> bool {
    entries(ledgers).iter().any(|path| {
        Record::read(path).is_some() || RunFile::of_dead(path).is_some_and(|dead| !dead.marks().is_empty())
    })
}

/// Returns the names of the inputs that a process was reading when it died.
pub fn being_read(ledgers: &Path, process: u32) -> Vec<String> {
    let entries = entries(ledgers);
    let dead = entries
        .iter()
        .filter(|path| run_file::is_of(path, process))
        .filter_map(|path| RunFile::of_dead(path));
    let mut names: Vec<String> = dead.flat_map(|dead| dead.marks()).map(|mark| mark.input).collect();
    names.sort();
    names
}

/// Returns the files about a folder of ledgers.
fn entries(ledgers: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(ledgers.join(FOLDER)).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

/// Returns a hash of the file of this program. It is equal on all machines with this build.
fn own_hash() -> u128 {
    let mut hash = Xxh3::new();
    let file = env::current_exe().and_then(fs::File::open);
    if let Ok(mut file) = file {
        let mut buffer = vec![0; 256 * 1024];
        while let Ok(read @ 1..) = file.read(&mut buffer) {
            hash.update(&buffer[..read]);
        }
    }
    hash.digest128()
}

#[cfg(test)]
mod tests;
