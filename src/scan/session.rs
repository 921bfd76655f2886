//! One run over inputs: which ones it reads, in which order, and when it ends.

use crate::{
    End, ReadOptions, Watch,
    cache::{LedgerCache, LedgerCacheError},
    order,
    plan::collect::GatherError,
    run_limits::RunLimits,
    seen_databases::{self, SeenDatabases},
    turns::Turns,
};
use hullmark_ledger::{
    Ledger, LedgerError,
    coverage::{Because, Uncovered},
    facts::Status,
};
use hullmark_settings::passwords::Passwords;
use hullmark_source::{
    self as source, Input, Loose, NothingToAudit, ReadRequest, fsassets, store_table::StoreTable,
};
use hullmark_storage as storage;
use hullmark_util::{
    lock::{into_inner, lock},
    timings::{Stage, within},
};
use rayon::{ThreadPoolBuildError, prelude::*};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs, io,
    mem::take,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::Ordering},
};
use thiserror::Error;
use uuid::Uuid;

/// Why a run ends before its inputs are read.
#[derive(Debug, Error)]
pub enum ScanError {
    /// The paths contain no export.
    #[error(transparent)]
    Nothing(#[from] NothingToAudit),
    /// A path cannot be accessed.
    #[error(transparent)]
    Paths(#[from] io::Error),
    /// A ledger cannot be read or kept.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The system cannot start a thread.
    #[error("No thread can be started: {0}. Give the run more memory, or end other programs")]
    Threads(ThreadPoolBuildError),
    /// The folder of ledgers cannot be used.
    #[error(transparent)]
    Cache(#[from] LedgerCacheError),
    /// The ledgers do not match the plan.
    #[error(transparent)]
    Plan(#[from] GatherError),
    /// The stores of a plan were to be read before its inputs.
    #[error("The folder {} does not exist: scan the inputs of the plan into it first", .0.display())]
    NoFolder(PathBuf),
    /// Two inputs have the same name.
    #[error("Two inputs are named \"{0}\": rename one")]
    SameName(String),
    /// Inputs are in a folder that the run writes to.
    #[error("{0}")]
    Outputs(String),
    /// No input has a database that was asked for.
    #[error("No input has the database \"{name}\" (--database). {}", seen_databases::in_words(seen))]
    NoDatabase { name: String, seen: BTreeSet<String> },
}

/// The bodies of parts that inputs lack and that stores are searched for. `None` in a scan of inputs.
type Bodies<'a> = Option<&'a BTreeSet<Uuid>>;

/// The assets that inputs use and lack.
#[derive(Debug, Default)]
pub struct LackedAssets {
    /// Meshes and sculpt maps.
    bodies: BTreeSet<Uuid>,
    assets: BTreeSet<Uuid>,
}

impl LackedAssets {
    /// Adds those of an input.
    pub fn add(&mut self, ledger: &Ledger) {
        self.bodies.extend(ledger.missing_bodies());
        self.assets.extend(ledger.missing_assets());
    }
}

/// What the ledgers of a run say about its stores.
struct SeenLedgers {
    lacked: LackedAssets,
    /// Whether an input has objects.
    objects: bool,
    /// The tables that name the files of trees.
    table: StoreTable,
    /// The names of databases with such a table.
    databases: HashSet<String>,
}

impl SeenLedgers {
    /// Nothing is seen, and these inputs are trees.
    fn of_trees(trees: &[Input]) -> Self {
        let roots: HashSet<&Path> = trees.iter().filter_map(fsassets::root_of).collect();
        let table = StoreTable::for_trees(roots.len());
        Self { lacked: LackedAssets::default(), objects: false, table, databases: HashSet::new() }
    }

    /// Takes the assets that inputs lack, whether inputs have objects, and the databases with tables.
    fn take_needs(&mut self) -> (LackedAssets, bool, HashSet<String>) {
        (take(&mut self.lacked), self.objects, take(&mut self.databases))
    }

    fn note(&mut self, ledger: &Ledger) {
        self.table.add(ledger);
        if ledger.is_store() {
            return;
        }
        self.objects |= !ledger.objects.is_empty();
        self.lacked.add(ledger);
        if !ledger.store_rows.is_empty() {
            self.databases.insert(ledger.input.clone());
        }
    }
}

/// Returns a tree with a stamp that also changes with the rows that name its files.
fn knowing(tree: &Input, table: Option<&StoreTable>) -> Input {
    let is_named = fsassets::root_of(tree).is_some();
    let digest = table.filter(|_| is_named).map(|table| table.digest(fsassets::digits_of(tree)));
    let stamp = tree.stamp.map(|stamp| digest.map_or(stamp, |digest| stamp.with(digest)));
    Input { stamp, ..tree.clone() }
}

/// Creates the observer of a scan of these inputs. The number counts the inputs with a valid ledger.
pub type Watcher<'a> = &'a (dyn Fn(&[Input], usize) -> Box<dyn Watch> + Sync);

/// Receives the ledger of an input that was read.
pub type Keep<'a> = &'a (dyn Fn(&Input, Bodies<'_>, Ledger) -> Result<(), LedgerError> + Sync);

#[derive(Clone)]
pub struct RunOptions<'a> {
    /// How each input is read.
    pub request: ReadRequest<'a>,
    /// Which inputs are read.
    pub run: &'a RunLimits,
    /// Number of decoding threads; 0 means one for each core.
    pub threads: usize,
    pub passwords: &'a Passwords,
    /// Receives the progress.
    pub watch: Watcher<'a>,
}

/// One run. Ledgers arrive in any order.
pub struct Session<'a> {
    pub options: &'a RunOptions<'a>,
    /// The cache of valid ledgers. `None` if there is none.
    pub cache: Option<&'a LedgerCache>,
    /// Receives the ledgers of the inputs that are read.
    pub keep: Keep<'a>,
    /// Whether this is a share of a plan, which runs again after a signal.
    pub planned: bool,
}

/// The inputs of a run.
#[derive(Debug, Default)]
pub struct SessionInputs<'a> {
    /// Files, folders and URLs.
    pub paths: &'a [PathBuf],
    /// Inputs without a path.
    pub streams: Vec<Input>,
    /// Files, folders and URLs whose assets count as present.
    pub stores: &'a [PathBuf],
    /// Folders that the run writes to. Nothing in them is read.
    pub outputs: &'a [&'a Path],
}

#[derive(Debug, Default)]
pub struct SessionResult {
    /// Ledgers that were already valid.
    pub known: Vec<PathBuf>,
    /// Inputs without a current ledger.
    pub uncovered: Vec<Uncovered>,
}

impl SessionResult {
    fn add(&mut self, other: Self) {
        self.known.extend(other.known);
        self.uncovered.extend(other.uncovered);
        self.uncovered.sort_by(|a, b| a.archive.cmp(&b.archive));
    }
}

impl Session<'_> {
    /// Reads inputs, then searches the stores for the assets that the inputs lack.
    pub fn read(&self, given: SessionInputs<'_>) -> Result<SessionResult, ScanError> {
        let SessionInputs { paths, streams, stores, outputs: leave_out } = given;
        ensure_apart(paths, leave_out)?;
        let is_archive = |name: &str, stamp| self.cache.is_some_and(|cache| cache.holds_archive(name, stamp));
        let limits = self.options.request.limits;
        let mut inputs = source::walk_knowing(paths, leave_out, limits, &is_archive)?;
        let mut names: HashSet<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        if let Some(twice) = streams.iter().find(|stream| !names.insert(&stream.name)) {
            return Err(ScanError::SameName(twice.name.clone()));
        }
        let is_streamed = !streams.is_empty();
        inputs.extend(streams);
        let streamed = inputs.iter().filter(|input| is_streamed && input.stream.is_some());
        let searched: Vec<PathBuf> = paths.iter().cloned().chain(streamed.flat_map(searched_in)).collect();
        source::ensure_exports(&searched, &inputs)?;
        let all_paths = [paths, stores].concat();
        let stores = source::walk_knowing(stores, leave_out, limits, &|_, _| false)?;
        self.expect(&all_paths, &[&*inputs, &*stores].concat());
        let (trees, inputs): (Vec<Input>, Vec<Input>) = inputs.into_iter().partition(Input::is_store);
        let (store_trees, stores): (Vec<Input>, Vec<Input>) = stores.into_iter().partition(Input::is_store);
        self.read_in_turn(&inputs, stores, &trees, &store_trees)
    }

    /// Reads inputs, then stores with what inputs lack, then trees of files, whose names are in databases.
    fn read_in_turn(
        &self,
        inputs: &[Input],
        mut stores: Vec<Input>,
        trees: &[Input],
        store_trees: &[Input],
    ) -> Result<SessionResult, ScanError> {
        let all_trees = [trees, store_trees].concat();
        let has_stores = !stores.is_empty() || !all_trees.is_empty();
        let seen = Mutex::new(SeenLedgers::of_trees(&all_trees));
        let databases = Mutex::new(SeenDatabases::default());
        let RunOptions { ref request, run, .. } = *self.options;
        let is_selective = !request.selection.databases.is_empty();
        let note = |ledger: &Ledger| {
            if has_stores {
                lock(&seen).note(ledger);
            }
            if is_selective {
                lock(&databases).note(ledger);
            }
        };
        let mut found = self.scan_noting(inputs, request, run, &note)?;
        if has_stores || is_selective {
            Self::note_known(&found, &note);
        }
        if !has_stores {
            into_inner(databases).ensure(request.selection.databases, &found)?;
            return Ok(found);
        }
        let (lacked, has_objects, with_assets) = lock(&seen).take_needs();
        // Each store is read, because otherwise present assets would be reported as missing.
        let every = RunLimits { share: None, until: None, every: true, ..run.clone() };
        if !all_trees.is_empty() && has_objects {
            // An asset that is not in the tree may be in the database, from where the service takes it.
            let known: HashSet<&str> = stores.iter().map(|store| &*store.name).collect();
            let is_new = |input: &&Input| with_assets.contains(&input.name) && !known.contains(&*input.name);
            let more: Vec<Input> = inputs.iter().filter(is_new).cloned().collect();
            stores.extend(more);
        }
        let in_stores = self.scan_stores(&stores, &lacked, None, &every, &note)?;
        Self::note_known(&in_stores, &note);
        found.add(in_stores);
        into_inner(databases).ensure(request.selection.databases, &found)?;

        let mut table = into_inner(seen).table;
        table.is_whole &= found.uncovered.is_empty();
        let table = table.finish();
        let knowing = |trees: &[Input]| -> Vec<Input> {
            trees.iter().map(|tree| knowing(tree, table.as_ref())).collect()
        };
        let exports = ReadRequest { table: table.as_ref(), ..request.clone() };
        found.add(self.scan_noting(&knowing(trees), &exports, run, &|_| {})?);
        // Without a table no file of a tree has a UUID. A cache supplies assets only as a store.
        let is_named = has_objects && table.is_some();
        let own = trees.iter().filter(|tree| is_named && fsassets::root_of(tree).is_some());
        let as_stores = fsassets::as_stores(store_trees.iter().chain(own));
        found.add(self.scan_stores(&knowing(&as_stores), &lacked, table.as_ref(), &every, &|_| {})?);
        Ok(found)
    }

    fn scan_stores(
        &self,
        stores: &[Input],
        lacked: &LackedAssets,
        table: Option<&StoreTable>,
        run: &RunLimits,
        note: &(dyn Fn(&Ledger) + Sync),
    ) -> Result<SessionResult, ScanError> {
        let mut stores = stores.to_vec();
        let assets = Arc::new(lacked.assets.clone());
        stores.iter_mut().for_each(|store| store.access.lacked = Some(Arc::clone(&assets)));
        let request = ReadRequest { bodies: Some(&lacked.bodies), table, ..self.options.request.clone() };
        self.scan_noting(&stores, &request, run, note)
    }

    fn note_known(found: &SessionResult, note: &(dyn Fn(&Ledger) + Sync)) {
        // The report names a ledger that cannot be read.
        found.known.iter().filter_map(|path| Ledger::read(path).ok()).for_each(|ledger| note(&ledger));
    }

    pub fn expect(&self, paths: &[PathBuf], inputs: &[Input]) {
        if let Some(cache) = self.cache {
            cache.expect(paths, inputs);
        }
    }

    /// Reads the inputs without a valid ledger that this run covers.
    pub fn scan(&self, inputs: &[Input]) -> Result<SessionResult, ScanError> {
        self.scan_noting(inputs, &self.options.request, self.options.run, &|_| {})
    }

    /// Searches stores for the assets that the inputs of a plan lack.
    pub fn search(&self, stores: &[Input], lacked: &LackedAssets) -> Result<SessionResult, ScanError> {
        self.scan_stores(stores, lacked, None, self.options.run, &|_| {})
    }

    fn with_password(&self, input: &Input) -> Input {
        let mut input = input.clone();
        input.access.password = self.options.passwords.of(&input.path).cloned();
        input
    }

    fn scan_noting(
        &self,
        inputs: &[Input],
        request: &ReadRequest<'_>,
        run: &RunLimits,
        note: &(dyn Fn(&Ledger) + Sync),
    ) -> Result<SessionResult, ScanError> {
        if inputs.is_empty() {
            return Ok(SessionResult::default());
        }
        let bodies = request.bodies;
        let last = |input: &Input| self.cache.and_then(|cache| cache.last(input));
        let look = |input| (input, self.cache.and_then(|cache| cache.find(input, bodies)));
        let paths: Vec<&Path> = inputs.iter().map(|input| input.path.as_path()).collect();
        let look_at_all = || storage::side_by_side(&paths, || inputs.par_iter().map(look).collect());
        let looked: Vec<_> = within(Stage::Waiting, look_at_all);
        let ours = looked.into_iter().filter(|(input, _)| !run.except.contains(&input.name));
        let (unknown, known): (Vec<_>, Vec<_>) = ours.partition(|(_, known)| known.is_none());
        let known: Vec<PathBuf> = known.into_iter().filter_map(|(_, known)| known).collect();
        let is_taken =
            |input: &Input| run.share.is_none_or(|sample| order::is_in_sample(sample, &input.name));
        let (mut unread, left): (Vec<Input>, Vec<Input>) =
            unknown.into_iter().map(|(input, _)| self.with_password(input)).partition(is_taken);
        match run.is_partial() {
            true => order::longest_unread_first(&mut unread, |input| last(input)?.made?.read),
            false => order::largest_first(&mut unread),
        }

        let attempts = self.cache.and_then(LedgerCache::attempts);
        let turns = Turns::of(&mut unread, attempts, bodies.is_some());
        let unread = turns.inputs();
        let by_name: HashMap<&str, &Input> =
            unread.iter().map(|input| (input.name.as_str(), input)).collect();
        let read = Mutex::new(HashSet::new());
        let planned = self.planned;
        let keep = |ledger: Ledger| {
            if ledger.status != Status::Complete && run.stop.load(Ordering::Relaxed) {
                run.cut.store(true, Ordering::Relaxed);
                // The share runs again; until then this input has no ledger.
                if planned {
                    return Ok(());
                }
            }
            note(&ledger);
            let input = by_name[ledger.input.as_str()];
            lock(&read).insert(&input.name);
            (self.keep)(input, bodies, ledger)
        };
        let watch = (self.options.watch)(unread, known.len());
        let contents = self.cache.and_then(LedgerCache::contents);
        let (request, threads) = (request.clone(), self.options.threads);
        let options = ReadOptions { request, contents, objects: None, threads };
        let scanned = turns.read(&options, run, &*watch, &keep);
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
        Ok(SessionResult { known, uncovered })
    }
}

/// Returns the paths of an input without a path on a disk, for an error: those of its files that are no exports.
fn searched_in(input: &Input) -> Vec<PathBuf> {
    let files = input.loose().iter().filter(|file| matches!(file.what, Loose::NoExport(_)));
    let paths: Vec<PathBuf> = files.map(|file| file.path.clone()).collect();
    if paths.is_empty() { vec![input.path.clone()] } else { paths }
}

/// Refuses output folders that contain exports, because a run does not read the folders that it writes to.
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
