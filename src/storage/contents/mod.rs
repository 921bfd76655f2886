//! The content cache: what earlier runs decoded or searched, in the folder of ledgers.
//!
//! A ledger serves an input that did not change. This cache serves the contents of an input that did. Meshes, sculpt
//! maps, texts and documents of objects are decoded once, in any archive and under any name. Reports keep their links.
//! Entries have facts only. Their keys depend on the bytes, the ledger version and the limits. The cache may be removed
//! at any time; a damaged entry is decoded again.

mod segment;
mod writer;

use hullmark_util::{
    filter::{Filter, Key},
    lock::{into_inner, lock},
    named_file,
};
use segment::Segment;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::HashSet,
    fs,
    hash::{BuildHasher, RandomState},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError, RwLock},
    time::SystemTime,
};
use tempfile::NamedTempFile;
use writer::{OpenBlock, Writer};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The filter of the keys of a segment.
type KeyFilter = Filter<10>;

/// The first bytes of a file of contents.
pub const START: &[u8] = b"hullmark contents\n";

/// The folder of the cache in a folder of ledgers.
const FOLDER: &str = "contents";
/// The file with the seed of the keys.
const SEED: &str = "seed";
/// The extension of a file that is not complete.
const PARTIAL: &str = "partial";
const EXTENSION: &str = "segment";
/// Number of unpacked blocks in memory.
const BLOCKS: usize = 16;
/// Bytes below which a segment is small, and number of small ones above which they are merged.
const SMALL: u64 = 32 << 20;
const MOST_SMALL: usize = 8;

#[derive(Debug)]
pub struct ContentCache {
    folder: PathBuf,
    /// Most bytes of all segments.
    most: u64,
    /// The seed of the keys. Nobody who makes exports knows it, so nobody can make two contents with one key.
    seed: u64,
    segments: RwLock<Vec<Arc<Segment>>>,
    writer: Mutex<Writer>,
    /// The blocks that were used last, the latest first.
    recent: Mutex<Vec<Recent>>,
}

/// The entries of a block after one thread unpacked them. `None` if the block is damaged.
type Entries = Arc<OnceLock<Option<Vec<u8>>>>;

/// A block that was used.
#[derive(Debug)]
struct Recent {
    segment: Arc<Segment>,
    number: u32,
    entries: Entries,
}

impl ContentCache {
    /// Opens the cache in a folder of ledgers, for entries with these settings. `None` if it may have no bytes or cannot
    /// be used: the run is then slower, and the same.
    pub fn open(ledgers: &Path, settings: &str, most: u64) -> Option<Self> {
        if most == 0 {
            return None;
        }
        let folder = ledgers.join(FOLDER);
        fs::create_dir_all(&folder).ok()?;
        let seed = seed(&folder.join(SEED)).ok()?;
        let settings = xxh3_128(format!("{settings} {seed}").as_bytes());
        let paths = segments(&folder).ok()?;
        let segments = paths.iter().filter_map(|path| Segment::open(path, settings).ok()).map(Arc::new);
        let segments = RwLock::new(segments.collect());
        let writer = Mutex::new(Writer::new(folder.clone(), settings));
        Some(Self { folder, most, seed, segments, writer, recent: Mutex::default() })
    }

    /// Returns the key of bytes that are decoded in this way.
    pub fn key(&self, way: &str, bytes: &[u8]) -> Key {
        let mut hash = Xxh3::with_seed(self.seed);
        hash.update(way.as_bytes());
        hash.update(&[0]);
        hash.update(bytes);
        hash.digest128()
    }

    /// Returns the entry with this key. `None` if it is missing or damaged.
    pub fn get<T: DeserializeOwned>(&self, key: Key) -> Option<T> {
        let found = |segment: &Arc<Segment>| Some((Arc::clone(segment), segment.find(key)?));
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<_> = segments.iter().filter_map(found).collect();
        drop(segments);
        found.iter().find_map(|(segment, row)| {
            let entries = self.entries(segment, row.block);
            let entries = entries.get_or_init(|| segment.block(row.block).ok()).as_ref()?;
            let entry = entries.get(row.start as usize..)?.get(..row.length as usize)?;
            let entry = serde_json::from_str(str::from_utf8(entry).ok()?).ok()?;
            segment.note_use();
            Some(entry)
        })
    }

    /// Returns the entries of a block, which the first thread that asks for them unpacks.
    fn entries(&self, segment: &Arc<Segment>, number: u32) -> Entries {
        let mut recent = lock(&self.recent);
        let is_it = |block: &Recent| Arc::ptr_eq(&block.segment, segment) && block.number == number;
        let at = recent.iter().position(is_it).unwrap_or_else(|| {
            recent.truncate(BLOCKS - 1);
            recent.push(Recent { segment: Arc::clone(segment), number, entries: Entries::default() });
            recent.len() - 1
        });
        recent[..=at].rotate_right(1);
        Arc::clone(&recent[0].entries)
    }

    /// Adds an entry. If it cannot be written, it is not cached.
    pub fn put(&self, key: Key, entry: &impl Serialize) {
        let Ok(entry) = serde_json::to_vec(entry) else { return };
        let full = lock(&self.writer).add(key, &entry);
        // A block is packed without the lock.
        if let Some(block) = full.map(OpenBlock::pack) {
            let written = lock(&self.writer).write(block);
            self.publish(written);
        }
    }

    /// Returns the entry of these bytes, or decodes and adds it. Without a cache, it is only decoded.
    pub fn get_or_decode<T: Serialize + DeserializeOwned, E>(
        cache: Option<&Self>,
        way: &str,
        bytes: &[u8],
        decode: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(cache) = cache else { return decode() };
        let key = cache.key(way, bytes);
        if let Some(entry) = cache.get(key) {
            return Ok(entry);
        }
        let entry = decode()?;
        cache.put(key, &entry);
        Ok(entry)
    }

    /// Makes the new entries available to later inputs.
    pub fn flush(&self) {
        let written = lock(&self.writer).finish();
        self.publish(written);
    }

    fn publish(&self, segment: io::Result<Option<Segment>>) {
        if let Ok(Some(segment)) = segment {
            segment.note_use();
            self.segments.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(segment));
        }
    }

    /// Merges small segments, and removes those that were not used longest, until the cache fits. `alone` if no other
    /// run uses the folder.
    pub fn finish(self, alone: bool) -> io::Result<()> {
        self.flush();
        let Self { folder, most, segments, writer, .. } = self;
        let segments = segments.into_inner().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        segments.iter().for_each(|segment| segment.touch(now));
        if alone {
            merge(&mut into_inner(writer), segments)?;
        }
        prune_folder(&folder, most, alone).map(drop)
    }
}

/// Merges the segments that are below the usual size, if there are many.
fn merge(writer: &mut Writer, mut segments: Vec<Arc<Segment>>) -> io::Result<()> {
    segments.retain(|segment| segment.bytes() < SMALL);
    if segments.len() <= MOST_SMALL {
        return Ok(());
    }
    let mut merged: HashSet<PathBuf> = HashSet::new();
    for segment in &segments {
        merged.extend(writer.append(segment)?.map(|segment| segment.path().into()));
    }
    merged.extend(writer.finish()?.map(|segment| segment.path().into()));
    let old: Vec<PathBuf> = segments.iter().map(|segment| segment.path().into()).collect();
    // Some systems remove no open file.
    drop(segments);
    old.iter().filter(|path| !merged.contains(*path)).try_for_each(fs::remove_file)
}

/// What the removal of old contents left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PrunedContents {
    pub before: u64,
    pub after: u64,
    /// What has the name of contents and could not be looked at or removed.
    pub left: Vec<PathBuf>,
}

/// Removes the contents in a folder of ledgers that were not used longest, until this many bytes are left.
pub fn prune(ledgers: &Path, bytes: u64) -> io::Result<PrunedContents> {
    match prune_folder(&ledgers.join(FOLDER), bytes, true) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(PrunedContents::default()),
        pruned => pruned,
    }
}

fn prune_folder(folder: &Path, most: u64, alone: bool) -> io::Result<PrunedContents> {
    if alone {
        // A run that was killed left them.
        for path in files(folder, PARTIAL)? {
            fs::remove_file(path)?;
        }
    }
    let (mut files, mut left) = (Vec::new(), Vec::new());
    for path in segments(folder)? {
        match fs::metadata(&path).and_then(|file| Ok((file.is_file(), file.modified()?, file.len()))) {
            Ok((true, modified, bytes)) => files.push((modified, path, bytes)),
            _ => left.push(path),
        }
    }
    files.sort();
    let before = files.iter().map(|(_, _, bytes)| bytes).sum();
    let mut after = before;
    for (_, path, bytes) in files {
        if after <= most {
            break;
        }
        match fs::remove_file(&path) {
            Ok(()) => after -= bytes,
            Err(_) => left.push(path),
        }
    }
    Ok(PrunedContents { before, after, left })
}

/// Returns the segments in a folder, in the order of their names.
fn segments(folder: &Path) -> io::Result<Vec<PathBuf>> {
    files(folder, EXTENSION)
}

fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == extension) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Creates a file that gets its name when it is complete. Like a ledger, others may read it if the user's mask allows.
fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let suffix = format!(".{PARTIAL}");
    let mut builder = tempfile::Builder::new();
    builder.suffix(&suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

/// Returns the seed in a file, or makes one.
fn seed(path: &Path) -> io::Result<u64> {
    let read = || {
        let bytes = named_file::read_regular(path, named_file::SETTINGS)?;
        let digits = bytes.strip_prefix(START).and_then(|digits| str::from_utf8(digits).ok());
        let seed = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        seed.ok_or_else(|| io::ErrorKind::InvalidData.into())
    };
    if let Ok(seed) = read() {
        return Ok(seed);
    }
    let seed = RandomState::new().hash_one(SystemTime::now());
    // Another run may make one at the same time: the rename of one of them is the last.
    let mut file = temporary(path.parent().unwrap_or(path))?;
    file.write_all(START)?;
    write!(file, "{seed:016x}")?;
    file.persist(path)?;
    read()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs::File, time::Duration};

    const ROOM: u64 = 1 << 30;

    fn entry(number: u64) -> Vec<u64> {
        (0..number % 500).map(|n| n * number).collect()
    }

    fn key(cache: &ContentCache, number: u64) -> Key {
        cache.key("test", &number.to_le_bytes())
    }

    fn open(folder: &Path) -> ContentCache {
        ContentCache::open(folder, "settings", ROOM).unwrap()
    }

    /// Adds entries in a run of their own.
    fn add(folder: &Path, numbers: std::ops::Range<u64>) {
        let cache = open(folder);
        numbers.for_each(|number| cache.put(key(&cache, number), &entry(number)));
        cache.finish(true).unwrap();
    }

    fn found(cache: &ContentCache, number: u64) -> Option<Vec<u64>> {
        cache.get(key(cache, number))
    }

    #[test]
    fn entries_serve_later_runs_with_the_same_settings() {
        let folder = tempfile::tempdir().unwrap();
        add(folder.path(), 0..1000);
        add(folder.path(), 900..1100);
        let cache = open(folder.path());
        for number in 0..1100 {
            assert_eq!(found(&cache, number), Some(entry(number)));
        }
        assert_eq!(found(&cache, 1100), None);
        assert_eq!(cache.get::<Vec<u64>>(cache.key("another way", &7_u64.to_le_bytes())), None);
        let other = ContentCache::open(folder.path(), "other", ROOM).unwrap();
        assert_eq!(found(&other, 7), None);
        assert!(ContentCache::open(folder.path(), "settings", 0).is_none());
    }

    #[test]
    fn entries_of_a_run_serve_its_later_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let cache = open(folder.path());
        cache.put(key(&cache, 7), &entry(7));
        cache.flush();
        assert_eq!(found(&cache, 7), Some(entry(7)));
    }

    #[test]
    fn a_damaged_segment_gives_no_wrong_entry() {
        let folder = tempfile::tempdir().unwrap();
        add(folder.path(), 0..40);
        let [path] = &segments(&folder.path().join(FOLDER)).unwrap()[..] else { panic!() };
        let whole = fs::read(path).unwrap();
        let check = |bytes: &[u8]| {
            fs::write(path, bytes).unwrap();
            let cache = open(folder.path());
            (0..40)
                .filter(|&number| found(&cache, number).is_some_and(|entry| entry == self::entry(number)))
                .count()
        };
        assert_eq!(check(&whole), 40);
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(path, &damaged).unwrap();
            let cache = open(folder.path());
            for number in 0..40 {
                let found = found(&cache, number);
                assert!(found.is_none() || found == Some(entry(number)), "byte {at}");
            }
        }
        for cut in 0..whole.len() {
            assert_eq!(check(&whole[..cut]), 0);
        }
    }

    #[test]
    fn the_longest_unused_segments_are_removed_first() {
        let folder = tempfile::tempdir().unwrap();
        let contents = folder.path().join(FOLDER);
        for run in 0..4 {
            add(folder.path(), 1000 * run..1000 * run + 900);
        }
        let hour = |hours: u64| SystemTime::now() - Duration::from_secs(3600 * hours);
        for path in segments(&contents).unwrap() {
            File::options().append(true).open(path).unwrap().set_modified(hour(9)).unwrap();
        }
        let cache = open(folder.path());
        assert!(found(&cache, 2001).is_some());
        cache.finish(true).unwrap();
        let bytes: u64 =
            segments(&contents).unwrap().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        let pruned = prune(folder.path(), bytes / 3).unwrap();
        assert_eq!(pruned.before, bytes);
        assert!(pruned.after <= bytes / 3 && pruned.after > 0);
        let cache = open(folder.path());
        assert!(found(&cache, 2001).is_some() && found(&cache, 1).is_none());
        assert_eq!(prune(folder.path(), 0).unwrap().after, 0);
        assert_eq!(prune(&folder.path().join("none"), 0).unwrap().before, 0);
    }

    #[test]
    fn many_small_segments_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let contents = folder.path().join(FOLDER);
        for run in 0..2 * MOST_SMALL as u64 {
            add(folder.path(), 10 * run..10 * run + 15);
            assert!(segments(&contents).unwrap().len() <= MOST_SMALL + 1);
        }
        fs::write(contents.join("killed.partial"), "").unwrap();
        let cache = open(folder.path());
        assert!((0..165).all(|number| found(&cache, number) == Some(entry(number))));
        cache.finish(true).unwrap();
        assert!(!contents.join("killed.partial").exists());
    }
}
