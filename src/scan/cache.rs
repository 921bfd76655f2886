//! The ledger cache: a folder of ledgers from earlier runs. Inputs with a valid ledger are not read again.
//!
//! A ledger is valid if the files of its input have the same names, sizes and times, or with `checksum` the same
//! content. It must also have the current ledger version and the same decoding limits. Thresholds, profiles, rule
//! selections and messages apply later and change no ledger. One run at a time uses a folder, or the shares of one
//! plan.

use crate::{
    attempts::Attempts,
    gone_inputs::{self, EmptiedFolders, Fate, PresentInputs},
    session::RunOptions,
};

use hullmark_format::defect::InputDefect;
use hullmark_ledger::{
    self as ledger, EXTENSION, InputKind, Ledger, LedgerError, LedgerHeader, PARTIAL, PAST, Provenance,
    age::{self, Moment},
    archive::Archive,
    coverage::Emptied,
    facts::Status,
    summary::{LedgerSummary, Region},
};
use hullmark_settings::{database_selection::DatabaseSelection, limits::Limits};
use hullmark_source::{Input, LooseFile, ReadRequest, What, shown};
use hullmark_storage::{
    self as storage,
    contents::ContentCache,
    folder_lock::{Lock, Locked, lock},
    stamp::{self, Stamp},
};
use hullmark_util::{advice, dates_in_names::undated, lock as mutex};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
    time::SystemTime,
};
use thiserror::Error;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// Why a folder of ledgers cannot be used.
#[derive(Debug, Error)]
#[error("The folder of ledgers {} cannot be used; {}", path.display(), advice::to_write(source, "--ledgers"))]
pub struct LedgerCacheError {
    /// The folder, or a file in it.
    pub path: PathBuf,
    pub source: io::Error,
}

/// How a run uses a folder of ledgers.
#[derive(Debug, Clone)]
pub struct CacheOptions<'a> {
    pub folder: &'a Path,
    /// Whether content, instead of sizes and times, shows that a kept ledger is valid.
    pub checksum: bool,
    /// Most bytes of decoded contents that are kept for later runs; 0 keeps none.
    pub contents_bytes: u64,
    /// The time of reading that new ledgers state.
    pub now: SystemTime,
    /// The folder that names the inputs that are being read. `None` for the folder of ledgers.
    pub attempts_in: Option<PathBuf>,
}

/// A folder of ledgers that this run uses.
#[derive(Debug)]
pub struct LedgerCache {
    folder: PathBuf,
    settings: String,
    /// The selection of databases and owners, in words. `None` for everything but inventories.
    selection: Option<String>,
    /// The same for databases in stores, whose inventories are of no use.
    of_stores: Option<String>,
    checksum: bool,
    /// The id of the plan if this run works on a share of one.
    plan: Option<String>,
    now: String,
    /// Ledgers that are known to be valid.
    found: Mutex<HashSet<PathBuf>>,
    /// Paths, without dates, of archives that were read completely in this run or an earlier one.
    whole: Mutex<HashSet<String>>,
    /// UUIDs and names of the regions in these.
    whole_regions: Mutex<HashSet<String>>,
    /// The searched paths and found inputs of this run.
    present: OnceLock<PresentInputs>,
    /// Ledgers of files that this run found to be no input.
    no_inputs: OnceLock<HashSet<PathBuf>>,
    /// The newest ledger of each archive that is gone, by path without dates.
    gone: OnceLock<HashMap<String, LedgerHeader>>,
    /// What was decoded in earlier runs. `None` in an object store, or if it cannot be used.
    contents: Option<ContentCache>,
    /// The inputs that are being read. `None` without locks.
    attempts: Option<Attempts>,
    _lock: Option<Locked>,
}

impl LedgerCache {
    /// Opens a folder, and creates it if it does not exist. If another run uses the folder, `open` calls `wait` and
    /// waits, unless both runs work on shares of a `plan`.
    pub fn open(
        options: &CacheOptions<'_>,
        run: &RunOptions<'_>,
        plan: Option<String>,
        wait: impl FnOnce(),
    ) -> Result<Self, LedgerCacheError> {
        let CacheOptions { folder, checksum, contents_bytes, now, ref attempts_in } = *options;
        let ReadRequest { limits, selection, .. } = run.request;
        let failed = |source| LedgerCacheError { path: folder.to_owned(), source };
        let how = if plan.is_some() { Lock::Shared } else { Lock::Exclusive };
        let lock = storage::prepare(folder).and_then(|()| lock(folder, how, wait)).map_err(failed)?;
        let settings = settings(limits);
        let is_local = !storage::is_url(folder);
        let contents = is_local.then(|| ContentCache::open(folder, &settings, contents_bytes)).flatten();
        let attempts = Attempts::open(attempts_in.as_deref().unwrap_or(folder), &settings, run.run.mode);
        Ok(Self {
            folder: folder.into(),
            settings,
            selection: selection.words(),
            of_stores: DatabaseSelection { owners: &[], ..selection }.words(),
            checksum,
            plan,
            now: humantime::format_rfc3339_seconds(now).to_string(),
            found: Mutex::default(),
            whole: Mutex::default(),
            whole_regions: Mutex::default(),
            present: OnceLock::new(),
            no_inputs: OnceLock::new(),
            gone: OnceLock::new(),
            contents,
            attempts,
            _lock: lock,
        })
    }

    pub(super) fn attempts(&self) -> Option<&Attempts> {
        self.attempts.as_ref()
    }

    pub(super) fn contents(&self) -> Option<&ContentCache> {
        self.contents.as_ref()
    }

    /// Keeps what this run decoded for later runs.
    pub fn keep_contents(&mut self) -> io::Result<()> {
        let alone = self.plan.is_none();
        self.contents.take().map_or(Ok(()), |contents| contents.finish(alone))
    }

    /// Whether a valid ledger shows that the file of this name and stamp is an archive. If so, the file is not opened.
    pub fn holds_archive(&self, name: &str, stamp: Stamp) -> bool {
        let path = self.folder.join(ledger::file_name(name, false));
        let holds = |header: LedgerHeader| {
            let holds = header.kind.is_packed_archive()
                && header
                    .made
                    .is_some_and(|made| made.stamp == Some(stamp) && made.settings == self.settings);
            if holds {
                self.note_regions(&header.brief);
            }
            holds
        };
        // With checksums, the time of a file proves nothing.
        let held = !self.checksum && ledger::verify(&path).is_ok_and(holds);
        if held {
            mutex::lock(&self.found).insert(path);
        }
        held
    }

    pub fn expect(&self, paths: &[PathBuf], inputs: &[Input]) {
        let _ = self.present.set(PresentInputs::new(paths, inputs));
        let names = inputs.iter().flat_map(Input::loose).filter_map(LooseFile::as_input);
        let ledgers = names.map(|name| self.folder.join(ledger::file_name(&name, false)));
        let _ = self.no_inputs.set(ledgers.collect());
    }

    /// Returns the ledger of an input if it exists and is valid. The ledger of a store must also have the same
    /// `bodies`.
    pub fn find(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>) -> Option<PathBuf> {
        let found = self.find_true(input, bodies);
        if found.is_some() {
            // A ledger that is valid for more than one run describes a complete input.
            self.note_whole(input);
        }
        found
    }

    /// Returns the selection for an input of this kind, which matters for databases only. A store may be a database.
    fn selection_in(&self, kind: InputKind) -> Option<String> {
        match kind {
            InputKind::Store => self.of_stores.clone(),
            _ => self.selection.clone().filter(|_| kind.is_database()),
        }
    }

    fn note_regions(&self, brief: &LedgerSummary) {
        let dated = brief.regions.iter().filter_map(|region| dated_key(region, brief));
        mutex::lock(&self.whole_regions).extend(brief.regions.iter().flat_map(keys).chain(dated));
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
        let LedgerHeader { made, kind, brief, .. } = ledger::verify(&path).ok()?;
        // A ledger without a stamp was valid for one run only.
        let made = made.filter(|made| made.stamp.is_some())?;
        let selection = self.selection_in(kind);
        if made.settings != self.settings
            || made.bodies != bodies.map(of_bodies)
            || made.selection != selection
        {
            return None;
        }
        let mut now = made.clone();
        if bodies.is_some() && self.plan.is_some() {
            // Other inputs may lack the assets that the store was searched for.
            now.plan.clone_from(&self.plan);
        }
        if self.checksum {
            let content = input.content_stamp().ok()?;
            if content.is_none() || made.content != content {
                return None;
            }
            // The next run without checksums must recognize the file.
            now = Provenance { stamp: input.stamp, modified: input.modified, ..now };
        } else if made.stamp != input.stamp {
            return None;
        }
        if now != made {
            ledger::replace_provenance(&path, now).ok()?;
        }
        if kind != InputKind::Store {
            self.note_regions(&brief);
        }
        Some(path)
    }

    /// Returns the header of the last ledger of an input, valid or not.
    pub fn last(&self, input: &Input) -> Option<LedgerHeader> {
        let path = self.folder.join(ledger::file_name(&input.name, false));
        ledger::read_any_header(&path).or_else(|_| ledger::read_any_header(&path.with_extension(PAST))).ok()
    }

    /// Writes a ledger. Returns its path and header.
    pub fn put(
        &self,
        input: &Input,
        bodies: Option<&BTreeSet<Uuid>>,
        ledger: &Ledger,
    ) -> Result<(PathBuf, LedgerHeader), LedgerError> {
        let (path, header) = ledger.write_with(&self.folder, self.header(input, bodies, ledger))?;
        if ledger.status == Status::Complete {
            self.note_whole(input);
            if bodies.is_none() {
                self.note_regions(&header.brief);
            }
        }
        // The new header already includes the earlier states.
        let _ = storage::remove(&path.with_extension(PAST));
        Ok((path, header))
    }

    /// Returns the header of a ledger. The header of an incomplete input has no stamp and is valid for this run only,
    /// because the next attempt may succeed. So is that of a folder from which a file was removed meanwhile: it may come
    /// back.
    pub fn header(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>, ledger: &Ledger) -> LedgerHeader {
        let read = ledger.content_hash.as_deref().filter(|_| input.what == What::Archive);
        let content = match read.and_then(Stamp::of_hash) {
            None if self.checksum => input.content_stamp().ok().flatten(),
            known => known,
        };
        let made = Provenance {
            path: whole_path(input),
            stamp: input.stamp.filter(|_| ledger.status == Status::Complete && !lacks_a_file(ledger)),
            modified: input.modified,
            content,
            settings: self.settings.clone(),
            plan: self.plan.clone(),
            read: Some(self.now.clone()),
            bodies: bodies.map(of_bodies),
            selection: self.selection_in(ledger.kind),
        };
        let mut header = LedgerHeader { made: Some(made), ..ledger.header() };
        if bodies.is_none() {
            header.earlier = self.earlier(input, &header.brief);
        }
        header
    }

    /// Returns the earlier states of an input. If this run has only one copy of a region, the copy continues the
    /// history of the copy that it replaced.
    fn earlier(&self, input: &Input, now: &LedgerSummary) -> Vec<LedgerSummary> {
        let path = whole_path(input);
        // The same relative name may mean another file if the run was started in another folder.
        let same = |last: &LedgerHeader| last.made.as_ref().is_some_and(|made| made.path == path);
        let last = self.last(input).filter(same).or_else(|| {
            let is_only_copy = self.present.get().is_some_and(|present| present.is_only_copy(&path));
            is_only_copy.then(|| self.gone().get(&undated(&path)).cloned()).flatten()
        });
        last.map_or_else(Vec::new, |last| now.remember(last.brief, last.earlier))
    }

    /// The newest ledgers of archives that are gone, by path without dates. They are read when the first copy without
    /// known history appears.
    fn gone(&self) -> &HashMap<String, LedgerHeader> {
        self.gone.get_or_init(|| {
            let entries = storage::entries(&self.folder).unwrap_or_default();
            let entries: Vec<_> = entries.into_iter().filter(|path| is_ledger(path)).collect();
            let headers = entries.par_iter().filter_map(|path| ledger::read_any_header(path).ok());
            let headers: Vec<LedgerHeader> =
                headers.filter(|header| gone_inputs::remembers(header) && is_gone(header)).collect();
            let mut series: HashMap<String, Vec<LedgerHeader>> = HashMap::new();
            for header in headers {
                let Some(path) = header.made.as_ref().map(|made| undated(&made.path)) else { continue };
                series.entry(path).or_default().push(header);
            }
            let newest = series.into_iter().filter_map(|(path, mut headers)| {
                age::sort(&mut headers, moment);
                Some((path, headers.pop()?))
            });
            newest.collect()
        })
    }

    /// Removes the ledgers of inputs that are gone and the partial files of killed runs.
    ///
    /// The last complete state of a region is renamed to `.past`, so the next copy can be compared with it. The ledger
    /// of a former input is renamed too, because the file may be an archive again in the next run. Ledgers that this
    /// run did not look for stay, because they may belong to another job. A run on a share of a plan removes nothing,
    /// because partial files may belong to other shares.
    pub fn prune(&self, used: &[PathBuf]) -> Result<PrunedLedgers, LedgerCacheError> {
        let Some(present) = self.present.get().filter(|_| self.plan.is_none()) else {
            return Ok(PrunedLedgers::default());
        };
        let used: HashSet<&Path> = used.iter().map(PathBuf::as_path).collect();
        let entries = match storage::entries(&self.folder) {
            // In an object store, an empty folder does not exist.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(PrunedLedgers::default()),
            entries => entries.map_err(|source| LedgerCacheError { path: self.folder.clone(), source })?,
        };
        // Other files in the folder belong to the user.
        let unused = |path: &PathBuf| !used.contains(path.as_path()) && ledger::is_file_name(path);
        let unused: Vec<PathBuf> = entries.into_iter().filter(unused).collect();
        let (emptied, gone) = (Mutex::default(), Mutex::default());
        let unreadable = Mutex::new(Vec::new());
        // If the removal fails, the next run tries again.
        let prune = |path: &PathBuf| {
            match self.use_of(path, present, &emptied, &gone) {
                Use::Keep => return,
                Use::Unreadable(words) => return mutex::lock(&unreadable).push(words),
                Use::Remember => drop(storage::rename(path, &path.with_extension(PAST))),
                Use::Remove => drop(storage::remove(path)),
            }
            if let (Some(attempts), Some(name)) = (&self.attempts, path.file_name()) {
                attempts.forget(&name.to_string_lossy());
            }
        };
        storage::side_by_side(&[&self.folder], || unused.par_iter().for_each(prune));
        let emptied = mutex::into_inner(emptied).into_iter();
        let emptied = emptied.map(|(folder, (inputs, mut may_return))| {
            may_return.sort();
            Emptied { folder: shown(&folder), inputs, may_return }
        });
        let emptied = emptied.collect();
        let mut gone: Vec<Archive> = mutex::into_inner(gone);
        gone.sort_by(|a, b| a.name.cmp(&b.name));
        let mut unreadable = mutex::into_inner(unreadable);
        unreadable.sort();
        Ok(PrunedLedgers { emptied, gone, unreadable })
    }

    /// Decides what happens to a ledger that this run did not use.
    fn use_of(
        &self,
        path: &Path,
        present: &PresentInputs,
        emptied: &Mutex<EmptiedFolders>,
        gone: &Mutex<Vec<Archive>>,
    ) -> Use {
        let is_past = path.extension().is_some_and(|ending| ending == PAST);
        if !is_ledger(path) {
            let is_half = path.extension().is_some_and(|ending| ending == PARTIAL);
            return if is_half { Use::Remove } else { Use::Keep };
        }
        let header = match ledger::read_any_header(path) {
            Ok(header) => header,
            // Nothing says that its input is gone.
            Err(error) => return Use::Unreadable(error.in_words()),
        };
        let is_asked_for =
            header.made.as_ref().is_some_and(|made| present.are_asked_for(Path::new(&made.path)));
        let note_gone = || mutex::lock(gone).push(Archive::from_header(&header));
        if self.no_inputs.get().is_some_and(|no_inputs| no_inputs.contains(path)) {
            note_gone();
            return Use::Remember;
        }
        let mut ignored = BTreeMap::new();
        let fate = match is_past {
            true => present.fate(&header, &mut ignored),
            false => present.fate(&header, &mut mutex::lock(emptied)),
        };
        let series = header.made.as_ref().map(|made| undated(&made.path));
        let whole = mutex::lock(&self.whole);
        // The identity of a region is its own, not that of the file.
        let (seen, regions) = (mutex::lock(&self.whole_regions), &header.brief.regions);
        let is_series_whole = series.is_none_or(|series| whole.contains(&series));
        let is_seen = |region: &Region| match region.uuid {
            Some(uuid) if !seen.contains(&uuid.to_string()) => is_series_whole && seen.contains(&region.name),
            Some(_) => true,
            None => is_series_whole,
        };
        // Archives of one region and one date count as two.
        let has_twin = || {
            let mut dated = regions.iter().filter_map(|region| dated_key(region, &header.brief));
            !is_series_whole && dated.any(|key| seen.contains(&key))
        };
        let is_known = is_series_whole || !regions.is_empty() && !has_twin();
        let is_replaced = is_known && regions.iter().all(is_seen);
        let is_last = gone_inputs::remembers(&header) && !is_replaced;
        if fate == Fate::Goes && is_asked_for {
            note_gone();
        }
        match fate {
            Fate::Stays => Use::Keep,
            Fate::Goes if is_last && is_past => Use::Keep,
            Fate::Goes if is_last => Use::Remember,
            Fate::Goes => Use::Remove,
        }
    }
}

/// What a run did with ledgers that it did not use.
#[derive(Debug, Default)]
pub struct PrunedLedgers {
    /// The folders that had inputs and have none now.
    pub emptied: Vec<Emptied>,
    /// The archives that this run looked for and did not find.
    pub gone: Vec<Archive>,
    /// Why ledgers cannot be read. They stay.
    pub unreadable: Vec<String>,
}

/// What happens to a ledger that a run did not use.
enum Use {
    Keep,
    /// It cannot be read, for this reason, and stays.
    Unreadable(String),
    /// It is renamed and kept for its earlier states.
    Remember,
    Remove,
}

/// Returns the UUID and the name of a region, as far as it states them.
fn keys(region: &Region) -> impl Iterator<Item = String> {
    let name = Some(region.name.clone()).filter(|name| !name.is_empty());
    region.uuid.map(|uuid| uuid.to_string()).into_iter().chain(name)
}

/// Returns the UUID of a region with the date of its archive.
fn dated_key(region: &Region, brief: &LedgerSummary) -> Option<String> {
    Some(format!("{} {}", region.uuid?, brief.created?))
}

/// When the archive of a ledger was made.
fn moment(header: &LedgerHeader) -> Moment<'_> {
    let made = header.made.as_ref();
    Moment {
        name: made.map_or("", |made| &made.path),
        created: header.brief.created,
        modified: made.and_then(|made| made.modified),
    }
}

/// Returns the absolute path of an input.
fn whole_path(input: &Input) -> String {
    stamp::whole(&input.path).to_string_lossy().into_owned()
}

/// Whether the extension of a file is that of a complete ledger.
fn is_ledger(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == EXTENSION || ending == PAST)
}

/// Whether the input of a ledger no longer exists.
fn is_gone(header: &LedgerHeader) -> bool {
    header.made.as_ref().is_some_and(|made| storage::is_gone(Path::new(&made.path)))
}

/// Returns a hash of everything that determines a ledger, except the input: the ledger version, the decoding limits and
/// the feature `sculpt`. The program version is not included, because another release may change messages without a new
/// reading. Limits that only bound memory or select inputs are not included.
pub fn settings(limits: &Limits) -> String {
    let limits = Limits { run_bytes: 0, bytes_in_flight: 0, kept_textures_bytes: 0, ..limits.clone() };
    let words =
        format!("{} sculpt={} {limits:?}", ledger::VERSION, hullmark_media::image::DECODES_SCULPT_MAPS);
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

fn of_bodies(bodies: &BTreeSet<Uuid>) -> String {
    let bytes: Vec<u8> = bodies.iter().flat_map(|uuid| *uuid.as_bytes()).collect();
    format!("{:032x}", xxh3_128(&bytes))
}

/// Whether a file was removed after its folder was listed.
fn lacks_a_file(ledger: &Ledger) -> bool {
    ledger.defects.iter().any(|defect| defect.is(InputDefect::Vanished))
}
