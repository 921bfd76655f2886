//! Files on the disk or in an object store.
//!
//! A path that is a URL (`s3://bucket/key`) names an object, or all objects below it. Only `object_store.rs` knows a
//! network. Without the feature `object-store` it reports that support is missing. An object is written completely or
//! not at all, and cannot be locked.

pub(crate) mod lock;
#[cfg_attr(not(feature = "object-store"), path = "object_store_disabled.rs")]
mod object_store;
#[cfg(feature = "object-store")]
mod object_store_errors;
pub mod stamp;

use crate::util::{dates_in_names::Seconds, deadline::Deadline};
use rayon::ThreadPoolBuilder;
use stamp::Stamp;
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
};

/// The beginnings of URLs that name objects, as the stores' own tools write them.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "adl", "azure", "abfs", "abfss"];

/// Requests that wait for an answer at one time where many small ones are to be made: a core has nothing to do with
/// that, and a store has no trouble with it.
const AT_ONCE: usize = 64;

/// The object that shows whether a store can be written to.
const PROBE: &str = ".hullmark-can-write";

/// An object, as the list of its store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Its URL.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Changes whenever it is replaced.
    pub stamp: Stamp,
    /// When it was replaced last.
    pub modified: Seconds,
}

/// Whether a path names objects, and nothing on the disk.
pub fn is_url(path: &Path) -> bool {
    let scheme = path.to_str().and_then(|path| path.split_once("://"));
    scheme.is_some_and(|(scheme, _)| SCHEMES.contains(&scheme))
}

/// Opens a file or an object. An object that has no longer this size and stamp is refused, and so is the rest of one
/// that is replaced while it is read; of a file that is for whoever reads it to see.
///
/// # Errors
/// It cannot be read, or an object is another one.
pub fn open(
    path: &Path,
    bytes: u64,
    stamp: Option<Stamp>,
    deadline: Deadline,
) -> io::Result<Box<dyn Read + Send>> {
    match is_url(path) {
        true => object_store::open(path, bytes, stamp, deadline),
        false => Ok(Box::new(File::open(path)?)),
    }
}

/// The first bytes of a file or an object.
///
/// # Errors
/// It cannot be read.
pub fn start(path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    if is_url(path) {
        return object_store::start(path, bytes);
    }
    // Room for all of it: a vector that grows asks the disk for a few bytes at a time.
    let mut start = Vec::with_capacity(bytes);
    File::open(path)?.take(bytes as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// All of a file or an object.
///
/// # Errors
/// It cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    if is_url(path) { object_store::read(path) } else { fs::read(path) }
}

/// The objects below a URL, or the one that it names, in the order of their paths.
///
/// # Errors
/// The store cannot be asked, or has none.
pub fn list(url: &Path) -> io::Result<Vec<Object>> {
    let mut objects = object_store::list(url)?;
    objects.sort_by(|a, b| a.path.cmp(&b.path));
    // Tools that show folders put an empty object where they want one.
    let folders: HashSet<PathBuf> =
        objects.iter().filter_map(|object| Some(object.path.parent()?.to_owned())).collect();
    objects.retain(|object| object.bytes > 0 || !folders.contains(&object.path));
    Ok(objects)
}

/// What lies in a folder, or right below a URL.
///
/// # Errors
/// It cannot be read, or there is none.
pub fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_url(folder) {
        let objects = list(folder)?.into_iter().map(|object| object.path);
        return Ok(objects.filter(|path| path.parent() == Some(folder)).collect());
    }
    fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

/// Makes sure that something can be written there, before anything is.
///
/// # Errors
/// The folder cannot be made, or the store takes nothing.
pub fn prepare(folder: &Path) -> io::Result<()> {
    if !is_url(folder) {
        return fs::create_dir_all(folder);
    }
    let probe = folder.join(PROBE);
    put(&probe, PROBE.into())?;
    // Who may write and not remove leaves it there, where it does no harm.
    let _ = remove(&probe);
    Ok(())
}

/// Puts bytes in the place of an object, whole or not at all.
///
/// # Errors
/// It cannot be written.
pub fn put(url: &Path, bytes: Vec<u8>) -> io::Result<()> {
    object_store::put(url, bytes)
}

/// The same with what is in a file, which may be larger than memory.
///
/// # Errors
/// The file cannot be read, or the object not be written.
pub fn put_file(url: &Path, file: &Path) -> io::Result<()> {
    object_store::put_file(url, file)
}

/// Removes a file or an object; whether there was one.
///
/// # Errors
/// It cannot be removed.
pub fn remove(path: &Path) -> io::Result<bool> {
    let removed = match is_url(path) {
        // A store removes what is not there as well.
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

/// Gives a file or an object another name.
///
/// # Errors
/// It is not there, or cannot be renamed.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if is_url(from) { object_store::rename(from, to) } else { fs::rename(from, to) }
}

/// Whether there is certainly no file or object of this path any more.
pub fn is_gone(path: &Path) -> bool {
    let exists = if is_url(path) { object_store::exists(path) } else { path.try_exists() };
    matches!(exists, Ok(false))
}

/// Does work over many paths on as many threads as there are cores, or as many as make up for the way to a store.
pub fn side_by_side<T: Send>(paths: &[impl AsRef<Path>], work: impl FnOnce() -> T + Send) -> T {
    if !paths.iter().any(|path| is_url(path.as_ref())) {
        return work();
    }
    match ThreadPoolBuilder::new().num_threads(AT_ONCE).build() {
        Ok(pool) => pool.install(work),
        // It takes longer, and that is all.
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

    /// Paths hold URLs only as long as nothing of them is lost on the way.
    #[test]
    fn a_url_stays_one_as_a_path() {
        let path = Path::new("s3://bucket").join("a//odd name").join("b.oar");
        assert_eq!(path.to_str(), Some("s3://bucket/a//odd name/b.oar"));
        assert_eq!(path.parent().and_then(Path::to_str), Some("s3://bucket/a//odd name"));
        assert_eq!(Path::new("s3://bucket/b.oar").parent().and_then(Path::to_str), Some("s3://bucket"));
        assert!(path.starts_with("s3://bucket/") && !path.starts_with("s3://buck"));
    }
}
