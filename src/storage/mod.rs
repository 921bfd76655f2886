//! Files on the disk or in an object store.
//!
//! A path that is a URL (`s3://bucket/key`) names an object, or all objects below it. Only `object_store.rs` uses the
//! network. Without the feature `object-store` it reports that support is missing. An object is written completely or
//! not at all, and cannot be locked.

pub mod contents;
pub mod folder_lock;
#[cfg_attr(not(feature = "object-store"), path = "object_store_disabled.rs")]
mod object_store;
#[cfg(feature = "object-store")]
mod object_store_errors;
pub mod stamp;

use hullmark_util::{advice, dates_in_names::Seconds, deadline::Deadline, named_file::open_regular};
use rayon::ThreadPoolBuilder;
use stamp::Stamp;
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// The schemes of URLs that name objects, as in the tools of the stores.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss"];

/// Number of simultaneous requests if many small ones are needed. A core is idle while it waits for them, and a store
/// handles that many.
const AT_ONCE: usize = 64;

/// Waits before a file on Windows is tried again, in milliseconds.
const WAITS: [u64; 4] = [50, 150, 400, 1000];

/// The object that is written to check that a store is writable.
const PROBE: &str = ".hullmark-can-write";

/// Bytes for which a buffer has room at once.
const USUAL_START: usize = 1 << 20;

/// An object in the list of its store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The URL of the object.
    pub path: PathBuf,
    /// The size in bytes.
    pub bytes: u64,
    /// A value that changes when the object is replaced.
    pub stamp: Stamp,
    /// Time of the last replacement.
    pub modified: Seconds,
}

/// Whether a path names objects and not a file on the disk.
pub fn is_url(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|path| path.split_once("://"));
    scheme.is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// Opens a file or an object. An object whose size or stamp has changed is refused, also if it is replaced while it is
/// read. For a file the caller must check that.
///
/// # Errors If the file cannot be read, or the object was replaced.
pub fn open(
    path: &Path,
    bytes: u64,
    stamp: Option<Stamp>,
    deadline: Deadline,
) -> io::Result<Box<dyn Read + Send>> {
    match is_url(path) {
        true => object_store::open(path, bytes, stamp, deadline),
        false => Ok(Box::new(open_regular(path)?)),
    }
}

/// Opens a file without changing its access time, where the system allows it. A cache removes files that nobody reads.
///
/// # Errors If the file cannot be read.
pub fn open_quietly(path: &Path) -> io::Result<File> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::OpenOptionsExt;
        hullmark_util::named_file::ensure_regular(&fs::metadata(path)?)?;
        let flags = rustix::fs::OFlags::NOATIME.bits().cast_signed();
        // Only the owner of a file may leave its time alone.
        if let Ok(file) = fs::OpenOptions::new().read(true).custom_flags(flags).open(path) {
            return Ok(file);
        }
    }
    open_regular(path)
}

/// Reads the first bytes of a file or an object.
///
/// # Errors If it cannot be read.
pub fn start(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    if is_url(path) {
        return object_store::start(path, bytes);
    }
    // A growing vector reads a few bytes at a time.
    let mut start = Vec::with_capacity(bytes.min(USUAL_START));
    open_regular(path)?.take(bytes as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Reads a whole file or object.
///
/// # Errors If it cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if is_url(path) {
        return object_store::read(path);
    }
    let mut file = open_regular(path)?;
    // A growing vector copies its content.
    let mut bytes = Vec::new();
    bytes
        .try_reserve_exact(usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX).saturating_add(1))?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Lists the objects below a URL, or the one that it names, in the order of their paths.
///
/// # Errors If the store cannot be reached, or has no such object.
pub fn list(url: &Path) -> io::Result<Vec<Object>> {
    let mut objects = object_store::list(url)?;
    objects.sort_by(|a, b| a.path.cmp(&b.path));
    // Tools that show folders create an empty object for a folder.
    let folders: HashSet<PathBuf> =
        objects.iter().filter_map(|object| Some(object.path.parent()?.to_owned())).collect();
    objects.retain(|object| object.bytes > 0 || !folders.contains(&object.path));
    Ok(objects)
}

/// Lists the files in a folder, or the objects directly below a URL.
///
/// # Errors If the folder is missing or cannot be read.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_url(folder) {
        let objects = list(folder)?.into_iter().map(|object| object.path);
        return Ok(objects.filter(|path| path.parent() == Some(folder)).collect());
    }
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Returns the folder, or the nearest path above it that exists.
pub fn nearest(folder: &Path) -> PathBuf {
    let above = folder.ancestors().find(|path| path.exists());
    match above {
        Some(path) if !path.as_os_str().is_empty() => path.into(),
        _ => ".".into(),
    }
}

/// Makes sure that a folder or URL is writable, before anything is written.
///
/// # Errors If the folder cannot be created, or the store refuses the object.
pub fn prepare(folder: &Path) -> io::Result<()> {
    if !is_url(folder) {
        return fs::create_dir_all(folder);
    }
    let probe = folder.join(PROBE);
    put(&probe, PROBE.into())?;
    // Without permission to remove it, the probe stays, where it does no harm.
    let _ = remove(&probe);
    Ok(())
}

/// Writes or replaces an object, completely or not at all.
///
/// # Errors If it cannot be written.
pub fn put(url: &Path, bytes: Vec<u8>) -> io::Result<()> {
    object_store::put(url, bytes)
}

/// Writes a file or an object as a whole, unless there is one.
///
/// # Errors If there is one ([`io::ErrorKind::AlreadyExists`]), or it cannot be written.
pub fn put_new(path: &Path, bytes: Vec<u8>) -> io::Result<()> {
    if is_url(path) {
        return object_store::put_new(path, bytes);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(&bytes)?;
    file.persist_noclobber(path).map(drop).map_err(|error| error.error)
}

/// Like [`put`], with the content of a file, which may be larger than memory.
///
/// # Errors If the file cannot be read, or the object cannot be written.
pub fn put_file(url: &Path, file: &Path) -> io::Result<()> {
    object_store::put_file(url, file)
}

/// Removes a file or an object. Returns whether it existed.
///
/// # Errors If it cannot be removed.
pub fn remove(path: &Path) -> io::Result<bool> {
    let removed = match is_url(path) {
        // A store also reports success for a missing object.
        true if !object_store::exists(path)? => return Ok(false),
        true => object_store::remove(path),
        false => fs::remove_file(path),
    };
    match removed {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Renames a file or an object.
///
/// # Errors If it is missing, or cannot be renamed.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if is_url(from) {
        return object_store::rename(from, to);
    }
    patiently(|| fs::rename(from, to))
}

/// Does something to a file. Scanners for viruses open files on Windows for a moment, so it is tried again.
pub fn patiently<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let mut done = attempt();
    for wait in WAITS.map(Duration::from_millis) {
        match &done {
            Err(error) if cfg!(windows) && (advice::is_open_elsewhere(error) || is_denied(error)) => {
                thread::sleep(wait);
                done = attempt();
            }
            _ => break,
        }
    }
    done
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Makes sure that a file is missing or can be replaced by another one.
///
/// # Errors If it is a folder, or a program on Windows has it open.
pub fn check_replaceable(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => {}
        Err(_) => return Ok(()),
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // No other program may have the file open while this one has it.
        patiently(|| fs::OpenOptions::new().read(true).share_mode(0).open(path))?;
    }
    Ok(())
}

/// Whether it is certain that no file or object has this path.
pub fn is_gone(path: &Path) -> bool {
    let exists = if is_url(path) { object_store::exists(path) } else { path.try_exists() };
    matches!(exists, Ok(false))
}

/// Runs work over many paths on one thread for each core. For objects it uses more threads, to hide the latency of a
/// store.
pub fn side_by_side<T: Send>(paths: &[impl AsRef<Path>], work: impl FnOnce() -> T + Send) -> T {
    if !paths.iter().any(|path| is_url(path.as_ref())) {
        return work();
    }
    match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(work),
        // Without the pool the work only takes longer.
        Err(_) => work(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_reported_from_a_path() {
        for url in ["s3://bucket/a/b.oar", "gs://bucket", "abfss://box@account.dfs.core.windows.net/a"] {
            assert!(is_url(Path::new(url)), "{url}");
        }
        for path in ["s3:/bucket", "./s3://bucket", "exports/a.oar", "http://host/a.oar", "C://a.oar", "s3"] {
            assert!(!is_url(Path::new(path)), "{path}");
        }
    }

    /// A URL must survive as a path without loss.
    #[test]
    fn a_url_stays_one_as_a_path() {
        let path = Path::new("s3://bucket").join("a//odd name").join("b.oar");
        assert_eq!(path.to_str(), Some("s3://bucket/a//odd name/b.oar"));
        assert_eq!(path.parent().and_then(Path::to_str), Some("s3://bucket/a//odd name"));
        assert_eq!(Path::new("s3://bucket/b.oar").parent().and_then(Path::to_str), Some("s3://bucket"));
        assert!(path.starts_with("s3://bucket/") && !path.starts_with("s3://buck"));
    }
}
