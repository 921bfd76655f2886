//! The ledger cache: a folder of ledgers from earlier runs. Inputs with a valid ledger are not read again.
//!
//! A ledger is valid if its input's files have the same names, sizes and times, or with `checksum` the same content. It
//! must also have the current version of ledgers and the same decoding limits. Thresholds, profiles, selections of
//! rules and messages apply later and change no ledger. A folder is used by one run at a time, or by the shares of one
//! plan.

use crate::{
    ledger::coverage::Emptied,
    ledger::{
        self, EXTENSION, Ledger, LedgerError, LedgerHeader, PARTIAL, Provenance,
        age::{self, Moment},
        facts::Status,
        summary::LedgerSummary,
    },
    scan::source::{Input, LooseFile, What, shown},
    settings::limits::Limits,
    storage::{
        self,
        lock::{Lock, lock},
        stamp::{self, Stamp},
    },
    util::{advice, dates_in_names::undated, lock as mutex},
};
use gone::{Fate, Tonight};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
    time::SystemTime,
};
use thiserror::Error;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

mod gone;

/// The ending of the ledger of what is no input any more: it is not reported, and remembers what was there.
const PAST: &str = "past";

/// Why a folder of ledgers cannot be used.
#[derive(Debug, Error)]
#[error("The folder of ledgers {} cannot be used; {}", path.display(), advice::to_write(source, "--ledgers"))]
pub struct LedgerCacheError {
    /// The folder, or a file in it.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A folder of ledgers, in use by this run.
#[derive(Debug)]
pub struct LedgerCache {
    folder: PathBuf,
    settings: String,
    checksum: bool,
    /// The plan that this run works a share of.
    plan: Option<String>,
    now: String,
    /// Ledgers that were found true already.
    found: Mutex<HashSet<PathBuf>>,
    /// The paths without dates of archives that were read to their end, tonight or before.
    whole: Mutex<HashSet<String>>,
    /// What this run looks for.
    tonight: OnceLock<Tonight>,
    /// Ledgers of what this run found to be no input.
    no_inputs: OnceLock<HashSet<PathBuf>>,
    /// The newest ledgers of archives that are gone, by their paths without dates.
    gone: OnceLock<HashMap<String, LedgerHeader>>,
    _lock: Option<File>,
}

impl LedgerCache {
    /// Opens a folder, and makes it if it is not there. Where another run uses it, `wait` is told, and this one waits,
    /// unless both work shares of a `plan`. What is read is remembered as read `now`.
    ///
    /// # Errors
    /// The folder cannot be made, written or locked.
    pub fn open(
        folder: &Path,
        limits: &Limits,
        checksum: bool,
        plan: Option<String>,
        now: SystemTime,
        wait: impl FnOnce(),
    ) -> Result<Self, LedgerCacheError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |source| LedgerCacheError { path, source }
        };
        let how = if plan.is_some() { Lock::Shared } else { Lock::Exclusive };
        let lock = storage::prepare(folder).and_then(|()| lock(folder, how, wait)).map_err(failed(folder))?;
        let now = humantime::format_rfc3339_seconds(now).to_string();
        Ok(Self {
            folder: folder.into(),
            settings: settings(limits),
            checksum,
            plan,
            now,
            found: Mutex::default(),
            whole: Mutex::default(),
            tonight: OnceLock::new(),
            no_inputs: OnceLock::new(),
            gone: OnceLock::new(),
            _lock: lock,
        })
    }

    /// Whether a true ledger says that the file of this name and stamp is an archive, so that nobody has to look.
    pub fn holds_archive(&self, name: &str, stamp: Stamp) -> bool {
        let path = self.folder.join(ledger::file_name(name, false));
        let holds = |label: LedgerHeader| {
            let is_archive = matches!(&*label.kind, "oar" | "iar");
            is_archive
                && label.made.is_some_and(|made| made.stamp == Some(stamp) && made.settings == self.settings)
        };
        // With checksums the time of a file proves nothing.
        let held = !self.checksum && ledger::verify(&path).is_ok_and(holds);
        if held {
            mutex::lock(&self.found).insert(path);
        }
        held
    }

    /// Takes note of what this run looks for: the paths that were named, and the inputs below them.
    pub fn expect(&self, paths: &[PathBuf], inputs: &[Input]) {
        let _ = self.tonight.set(Tonight::new(paths, inputs));
        let names = inputs.iter().flat_map(Input::loose).filter_map(LooseFile::as_input);
        let ledgers = names.map(|name| self.folder.join(ledger::file_name(&name, false)));
        let _ = self.no_inputs.set(ledgers.collect());
    }

    /// The ledger of an input, if it is there and still true; of a store, if it was made for these `bodies`.
    pub fn find(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>) -> Option<PathBuf> {
        let found = self.find_true(input, bodies);
        if found.is_some() {
            // One that is true for more than one run was read to its end.
            self.note_whole(input);
        }
        found
    }

    fn note_whole(&self, input: &Input) {
        let mut whole = mutex::lock(&self.whole);
        whole.insert(undated(&whole_path(input)));
    }

    fn find_true(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>) -> Option<PathBuf> {
        let path = self.folder.join(ledger::file_name(&input.name, bodies.is_some()));
        if mutex::lock(&self.found).contains(&path) {
            return Some(path);
        }
        let LedgerHeader { made, .. } = ledger::verify(&path).ok()?;
        // One without a stamp was true for one run.
        let made = made.filter(|made| made.stamp.is_some())?;
        if made.settings != self.settings || made.bodies != bodies.map(of_bodies) {
            return None;
        }
        let mut now = made.clone();
        if bodies.is_some() && self.plan.is_some() {
            // What it was searched for may be lacked by others now.
            now.plan.clone_from(&self.plan);
        }
        if self.checksum {
            let content = input.content_stamp().ok()?;
            if content.is_none() || made.content != content {
                return None;
            }
            // The next run without checksums shall know it again.
            now = Provenance { stamp: input.stamp, modified: input.modified, ..now };
        } else if made.stamp != input.stamp {
            return None;
        }
        if now != made {
            ledger::relabel(&path, now).ok()?;
        }
        Some(path)
    }

    /// The label of the ledger that an input had last, true or not.
    pub fn last(&self, input: &Input) -> Option<LedgerHeader> {
        let path = self.folder.join(ledger::file_name(&input.name, false));
        ledger::read_any_label(&path).or_else(|_| ledger::read_any_label(&path.with_extension(PAST))).ok()
    }

    /// Keeps a ledger.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(
        &self,
        input: &Input,
        bodies: Option<&BTreeSet<Uuid>>,
        ledger: &Ledger,
    ) -> Result<PathBuf, LedgerError> {
        let path = ledger.write_labelled(&self.folder, self.label(input, bodies, ledger))?;
        if ledger.status == Status::Complete {
            self.note_whole(input);
        }
        // What was before is in the label now.
        let _ = storage::remove(&path.with_extension(PAST));
        Ok(path)
    }

    /// What the line in front of a ledger says. One of an input that was not read to its end is true for this run only:
    /// what failed may work the next time.
    pub fn label(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>, ledger: &Ledger) -> LedgerHeader {
        let read = ledger.content_hash.as_deref().filter(|_| input.what == What::Archive);
        let content = match read.and_then(Stamp::of_hash) {
            None if self.checksum => input.content_stamp().ok().flatten(),
            known => known,
        };
        let made = Provenance {
            path: whole_path(input),
            stamp: input.stamp.filter(|_| ledger.status == Status::Complete),
            modified: input.modified,
            content,
            settings: self.settings.clone(),
            plan: self.plan.clone(),
            read: Some(self.now.clone()),
            bodies: bodies.map(of_bodies),
        };
        let mut label = LedgerHeader { made: Some(made), ..ledger.label() };
        if bodies.is_none() {
            label.earlier = self.earlier(input, &label.brief);
        }
        label
    }

    /// What an input came to before it came to this. The only copy of a region that there is tonight goes on from the copy
    /// that it took the place of.
    fn earlier(&self, input: &Input, now: &LedgerSummary) -> Vec<LedgerSummary> {
        let path = whole_path(input);
        // The same name may be another file's where somebody else stands in another folder.
        let same = |last: &LedgerHeader| last.made.as_ref().is_some_and(|made| made.path == path);
        let last = self.last(input).filter(same).or_else(|| {
            let is_only_copy = self.tonight.get().is_some_and(|tonight| tonight.is_only_copy(&path));
            is_only_copy.then(|| self.gone().get(&undated(&path)).cloned()).flatten()
        });
        last.map_or_else(Vec::new, |last| now.remember(last.brief, last.earlier))
    }

    /// The newest ledgers of archives that are gone, by their paths without dates. Read once, when a copy comes of which
    /// nothing is known.
    fn gone(&self) -> &HashMap<String, LedgerHeader> {
        self.gone.get_or_init(|| {
            let entries = storage::entries(&self.folder).unwrap_or_default();
            let entries: Vec<_> = entries.into_iter().filter(|path| is_ledger(path)).collect();
            let labels = entries.par_iter().filter_map(|path| ledger::read_any_label(path).ok());
            let labels: Vec<LedgerHeader> =
                labels.filter(|label| gone::remembers(label) && is_gone(label)).collect();
            let mut series: HashMap<String, Vec<LedgerHeader>> = HashMap::new();
            for label in labels {
                let Some(path) = label.made.as_ref().map(|made| undated(&made.path)) else { continue };
                series.entry(path).or_default().push(label);
            }
            let newest = series.into_iter().filter_map(|(path, mut labels)| {
                age::sort(&mut labels, moment);
                Some((path, labels.pop()?))
            });
            newest.collect()
        })
    }

    /// Removes the ledgers of inputs that are gone, and what a run that was killed left half written, and gives the
    /// folders that had inputs and have none now. The last state of a region that was whole is put aside instead: its next
    /// copy is compared with it. So is the ledger of what is no input any more: a file may be an archive again the next
    /// night. Ledgers that this run did not look for stay: they may be another job's. Beside other shares of a plan nothing
    /// is removed: what is half written may be theirs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn prune(&self, used: &[PathBuf]) -> Result<Vec<Emptied>, LedgerCacheError> {
        let Some(tonight) = self.tonight.get().filter(|_| self.plan.is_none()) else { return Ok(Vec::new()) };
        let used: HashSet<&Path> = used.iter().map(PathBuf::as_path).collect();
        let entries = match storage::entries(&self.folder) {
            // A store knows no folder in which nothing is.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|source| LedgerCacheError { path: self.folder.clone(), source })?,
        };
        // Whatever else lies in the folder is somebody's own.
        let unused = |path: &PathBuf| !used.contains(path.as_path()) && ledger::is_file_name(path);
        let unused: Vec<PathBuf> = entries.into_iter().filter(unused).collect();
        let emptied = Mutex::new(BTreeMap::new());
        // What will not go will be tried again the next night.
        let prune = |path: &PathBuf| match self.use_of(path, tonight, &emptied) {
            Use::Keep => {}
            Use::Remember => drop(storage::rename(path, &path.with_extension(PAST))),
            Use::Remove => drop(storage::remove(path)),
        };
        storage::side_by_side(&[&self.folder], || unused.par_iter().for_each(prune));
        let emptied = mutex::into_inner(emptied).into_iter();
        Ok(emptied.map(|(folder, inputs)| Emptied { folder: shown(&folder), inputs }).collect())
    }

    /// What a ledger that this run did not use is good for.
    fn use_of(&self, path: &Path, tonight: &Tonight, emptied: &Mutex<BTreeMap<PathBuf, u64>>) -> Use {
        let is_past = path.extension().is_some_and(|ending| ending == PAST);
        if !is_ledger(path) {
            let is_half = path.extension().is_some_and(|ending| ending == PARTIAL);
            return if is_half { Use::Remove } else { Use::Keep };
        }
        let label = match ledger::read_any_label(path) {
            Ok(label) => label,
            // What cannot be read at the moment may be sound.
            Err(LedgerError::Io { .. }) => return Use::Keep,
            Err(_) => return Use::Remove,
        };
        if self.no_inputs.get().is_some_and(|no_inputs| no_inputs.contains(path)) {
            return Use::Remember;
        }
        let mut ignored = BTreeMap::new();
        let fate = match is_past {
            true => tonight.fate(&label, &mut ignored),
            false => tonight.fate(&label, &mut mutex::lock(emptied)),
        };
        let series = label.made.as_ref().map(|made| undated(&made.path));
        let whole = mutex::lock(&self.whole);
        let is_last = gone::remembers(&label) && series.is_none_or(|series| !whole.contains(&series));
        match fate {
            Fate::Stays => Use::Keep,
            Fate::Goes if is_last && is_past => Use::Keep,
            Fate::Goes if is_last => Use::Remember,
            Fate::Goes => Use::Remove,
        }
    }
}

/// What a ledger is good for that a run did not use.
enum Use {
    /// It stays as it is.
    Keep,
    /// It is put aside for what it remembers.
    Remember,
    /// Nothing.
    Remove,
}

/// When the archive of a ledger was made.
fn moment(label: &LedgerHeader) -> Moment<'_> {
    let made = label.made.as_ref();
    Moment {
        name: made.map_or("", |made| &made.path),
        created: label.brief.created,
        modified: made.and_then(|made| made.modified),
    }
}

/// Where an input is, from the root.
fn whole_path(input: &Input) -> String {
    stamp::whole(&input.path).to_string_lossy().into_owned()
}

/// Whether a file is called as a whole ledger is.
fn is_ledger(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == EXTENSION || ending == PAST)
}

/// Whether the input of a ledger is no longer there.
fn is_gone(label: &LedgerHeader) -> bool {
    label.made.as_ref().is_some_and(|made| storage::is_gone(Path::new(&made.path)))
}

/// What besides the input decides what a ledger holds: the version of ledgers, and limits. The program's version does not:
/// another release may say it in other words, and need not read it again. Limits that bound only how much waits in memory, or which
/// inputs are read, do not.
pub(crate) fn settings(limits: &Limits) -> String {
    let limits = Limits {
        run_bytes: 0,
        bytes_in_flight: 0,
        kept_texture_bytes: 0,
        kept_textures_bytes: 0,
        ..limits.clone()
    };
    let words = format!("{} sculpt={} {limits:?}", ledger::VERSION, cfg!(feature = "sculpt"));
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

fn of_bodies(bodies: &BTreeSet<Uuid>) -> String {
    let bytes: Vec<u8> = bodies.iter().flat_map(|uuid| *uuid.as_bytes()).collect();
    format!("{:032x}", xxh3_128(&bytes))
}
