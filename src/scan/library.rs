//! The scan for other programs: turns any readable source into a ledger.

use crate::{
    Unwatched, Watch,
    attempts::Mode,
    cache::{CacheOptions, LedgerCache},
    one_mesh,
    plan::share::Share,
    run_limits::RunLimits,
    session::{RunOptions, ScanError, Session, SessionInputs},
};
use hullmark_format::mesh::Mesh;
use hullmark_ledger::{self as ledger, coverage::Uncovered, library::Ledger};
use hullmark_settings::{
    config::Config, database_selection::DatabaseSelection, inventories::InventoryOwner, limits::Limits,
    passwords::Passwords,
};
use hullmark_source::{
    self as source, Input, ReadRequest, Stream, VirtualFile, VirtualFiles, of_stream, walk_virtual,
};
use hullmark_util::lock::{into_inner, lock};
use std::{
    collections::BTreeSet,
    io::{self, Cursor, Read},
    path::PathBuf,
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::{Duration, Instant, SystemTime},
};

/// Something to scan. A path may contain many inputs, and so may virtual files. Any other source is one input: an
/// archive or an asset.
#[derive(Debug, Clone)]
pub struct Source(What);

#[derive(Debug, Clone)]
enum What {
    Path(PathBuf),
    Stream { name: String, bytes: u64, stream: Stream },
    Files(Vec<VirtualFile>),
}

impl Source {
    /// A file, a folder with its whole content, or the URL of an object store.
    pub fn path(path: impl Into<PathBuf>) -> Self {
        Self(What::Path(path.into()))
    }

    /// Files that are not on a disk. Their paths decide, as on a disk, which files are one input: an unpacked archive,
    /// databases, or the loose files of a folder. No two files may have the same path.
    pub fn files(files: impl IntoIterator<Item = VirtualFile>) -> Self {
        Self(What::Files(files.into_iter().collect()))
    }

    /// Bytes in memory. The name is used as a file name: an asset is found by the UUID in it.
    pub fn bytes(name: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> Self {
        let all = bytes.into();
        Self::opener(name, all.len() as u64, move || Ok(Box::new(Cursor::new(Arc::clone(&all)))))
    }

    /// A source of `bytes` bytes that the function opens. Each call must return a reader at the first byte.
    pub fn opener(
        name: impl Into<String>,
        bytes: u64,
        open: impl Fn() -> io::Result<Box<dyn Read + Send>> + Send + Sync + 'static,
    ) -> Self {
        Self(What::Stream { name: name.into(), bytes, stream: Stream::new(open) })
    }

    /// A source of `bytes` bytes from a reader, which is read once. Sculpt maps before their objects are held within
    /// `kept_textures_bytes` of [`Limits`]. Others are not evaluated, and a finding reports them.
    pub fn reader(name: impl Into<String>, bytes: u64, reader: impl Read + Send + 'static) -> Self {
        Self(What::Stream { name: name.into(), bytes, stream: Stream::once(reader) })
    }
}

/// Reads the points and triangles of a mesh again, which its ledger does not have. The name is that in the ledger: its
/// file or member, followed by `#n` for the n-th mesh of a scene. `None` if the source is not that of the ledger, or the
/// mesh is no longer there.
pub fn read_mesh(source: Source, ledger: &Ledger, name: &str, limits: &Limits) -> Option<Mesh> {
    let inputs = match source.0 {
        What::Path(path) => source::walk_knowing(&[path], &[], limits, &|_, _| false).ok()?,
        What::Stream { name, bytes, stream } => of_stream(name, bytes, &stream, limits),
        What::Files(files) => walk_virtual(&Arc::new(VirtualFiles::new(files).ok()?), limits),
    };
    let mut own = inputs.iter().filter(|input| input.name == ledger.name());
    own.find_map(|input| one_mesh::read_mesh(input, name, limits))
}

/// How inputs are scanned. The default reads everything, uses all cores and keeps no ledgers.
#[derive(Debug, Clone, Default)]
pub struct ScanOptions {
    /// The limits of decoding.
    pub limits: Limits,
    /// Owners whose inventories in databases are evaluated.
    pub inventories: Vec<InventoryOwner>,
    /// Names of the databases of dumps that are read. Empty for all.
    pub databases: Vec<String>,
    /// Number of decoding threads; 0 means one for each core.
    pub threads: usize,
    /// Archives and folders of assets. Their assets count as present if an input lacks them.
    pub stores: Vec<PathBuf>,
    /// A folder that keeps ledgers. Inputs whose files are unchanged are not read again. One run at a time uses it.
    pub ledgers: Option<PathBuf>,
    /// Compare the content of files instead of names, sizes and times.
    pub checksum: bool,
    /// With `ledgers`: read inputs again that are left out, because processes died while they read them.
    pub retry: bool,
    /// Read only this share of the inputs.
    pub share: Option<Share>,
    /// Names of inputs that another scan reads. They have no ledger, and are not among the inputs that are left.
    pub except: BTreeSet<String>,
    /// Start no further input after this moment.
    pub until: Option<Instant>,
    /// Stop reading an input after this time. Its ledger contains the part that was read and is incomplete.
    pub timeout_per_input: Option<Duration>,
    /// Set it to `true` to end the scan. Inputs in progress are cut short.
    pub stop: Arc<AtomicBool>,
}

/// Scans inputs and passes the ledger of each to `on_ledger`, in the order in which they finish. Several threads call
/// `on_ledger` at once. Stores and trees of files come after
/// other inputs. Returns the inputs that were left to another scan, because
/// of [`share`](ScanOptions::share), [`until`](ScanOptions::until) or [`stop`](ScanOptions::stop).
///
/// An input that cannot be read has a ledger that reports this. Errors concern the scan as a whole.
///
/// # Errors
/// A path does not exist, there is nothing to scan, two inputs have the same name, or a ledger cannot be kept.
///
/// # Example
/// ```
/// use hullmark::{ScanOptions, Source, scan};
/// use std::sync::Mutex;
///
/// let object = std::fs::read("sample_data/objects/saved-scene.xml")?;
/// let sources = [Source::path("sample_data/regions"), Source::bytes("from memory.xml", object)];
/// let names = Mutex::new(Vec::new());
/// let left = scan(sources, &ScanOptions::default(), |ledger| names.lock().unwrap().push(ledger.name().to_owned()))?;
/// assert!(left.is_empty());
/// assert!(names.into_inner()?.contains(&"from memory.xml".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn scan(
    sources: impl IntoIterator<Item = Source>,
    options: &ScanOptions,
    on_ledger: impl Fn(Ledger) + Sync,
) -> Result<Vec<Uncovered>, ScanError> {
    let limits = &options.limits;
    let (mut paths, mut streams): (Vec<PathBuf>, Vec<Input>) = Default::default();
    for Source(what) in sources {
        match what {
            What::Path(path) => paths.push(path),
            What::Stream { name, bytes, stream } => streams.extend(of_stream(name, bytes, &stream, limits)),
            What::Files(files) => {
                let same_name = |path: PathBuf| ScanError::SameName(path.to_string_lossy().into_owned());
                let files = VirtualFiles::new(files).map_err(same_name)?;
                streams.extend(walk_virtual(&Arc::new(files), limits));
            }
        }
    }
    let ScanOptions { inventories, databases, threads, stores, ledgers, checksum, retry, .. } = options;
    let ScanOptions { share, except, until, timeout_per_input, stop, .. } = options;
    let run = RunLimits {
        share: *share,
        except: except.clone(),
        until: *until,
        timeout_per_input: *timeout_per_input,
        stop: Arc::clone(stop),
        mode: Mode { retry: *retry, continues: false },
        ..RunLimits::default()
    };
    let selection = DatabaseSelection { owners: inventories, databases };
    let run_options = RunOptions {
        request: ReadRequest { selection, ..ReadRequest::new(limits) },
        run: &run,
        threads: *threads,
        passwords: &Passwords::default(),
        watch: &|_, _| Box::new(Unwatched) as Box<dyn Watch>,
    };
    let open = |folder| {
        let (checksum, contents_bytes) = (*checksum, Config::default().cache.bytes);
        let (now, attempts_in) = (SystemTime::now(), None);
        let cache = CacheOptions { folder, checksum, contents_bytes, now, attempts_in };
        LedgerCache::open(&cache, &run_options, None, || {})
    };
    let mut cache = ledgers.as_deref().map(open).transpose()?;
    let kept = Mutex::new(Vec::new());
    let session = Session {
        options: &run_options,
        cache: cache.as_ref(),
        keep: &|input, bodies, ledger| {
            if let Some(cache) = &cache {
                let (path, _) = cache.put(input, bodies, &ledger)?;
                lock(&kept).push(path);
            }
            on_ledger(Ledger(ledger));
            Ok(())
        },
        planned: false,
    };
    let outputs: Vec<_> = ledgers.as_deref().into_iter().collect();
    let found = session.read(SessionInputs { paths: &paths, streams, stores, outputs: &outputs })?;
    for path in &found.known {
        let ledger = ledger::Ledger::read(path);
        on_ledger(Ledger(ledger.unwrap_or_else(|error| ledger::Ledger::instead_of(path, &error))));
    }
    if let Some(cache) = &mut cache {
        cache.prune(&[into_inner(kept), found.known].concat())?;
        // Without them, the next scan decodes more.
        let _ = cache.keep_contents();
    }
    Ok(found.uncovered)
}
