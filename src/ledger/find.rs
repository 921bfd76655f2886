//! Finds ledgers in files and folders.

use super::{EXTENSION, LedgerError, LedgerHeader, PAST, archive::Archive, read_any_header, verify};
use hullmark_storage as storage;
use hullmark_util::timings::{self, Stage};
use rayon::prelude::*;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The ledgers in files and folders, in the order of their paths.
#[derive(Debug, Default)]
pub struct FoundLedgers {
    /// The ledgers that this program can read, with their headers.
    pub readable: Vec<(LedgerHeader, PathBuf)>,
    /// The others: damaged, of another version, or no files.
    pub unreadable: Vec<PathBuf>,
}

/// Finds the ledgers in files and folders, and reads their headers.
pub fn find_with_headers(paths: &[PathBuf]) -> Result<FoundLedgers, LedgerError> {
    let files = find(paths)?;
    let mut found = FoundLedgers::default();
    for (path, header) in files.iter().zip(read_headers(&files, verify, |header| header)) {
        match header {
            Ok(header) => found.readable.push((header, path.clone())),
            Err(_) => found.unreadable.push(path.clone()),
        }
    }
    Ok(found)
}

/// Returns all ledgers in files and folders, each file once, in the order of their paths. A file that is named is taken
/// for a ledger.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let mut found = BTreeSet::new();
    for path in paths {
        match ledgers_in(path)? {
            Some(ledgers) => found.extend(ledgers),
            None => _ = found.insert(path.clone()),
        }
    }
    Ok(found.into_iter().collect())
}

/// Returns the ledgers in a folder. `None` if the path is no folder.
pub fn ledgers_in(path: &Path) -> Result<Option<Vec<PathBuf>>, LedgerError> {
    let is_ledger = |path: &PathBuf| path.extension().is_some_and(|extension| extension == EXTENSION);
    let is_folder = if storage::is_url(path) { !is_ledger(&path.into()) } else { path.is_dir() };
    if !is_folder {
        return Ok(None);
    }
    let entries = storage::entries(path).map_err(|source| LedgerError::Io { path: path.into(), source })?;
    Ok(Some(entries.into_iter().filter(is_ledger).collect()))
}

/// Whether a path is a ledger or a folder with any.
pub fn is_of_ledgers(path: &Path) -> bool {
    match ledgers_in(path) {
        Ok(Some(ledgers)) => !ledgers.is_empty(),
        Ok(None) => path.extension().is_some_and(|extension| extension == EXTENSION),
        Err(_) => false,
    }
}

/// Returns the archives of former inputs in folders of ledgers. A file that cannot be read states nothing.
pub fn former(folders: &[PathBuf]) -> Vec<Archive> {
    let entries = folders.iter().filter_map(|folder| storage::entries(folder).ok()).flatten();
    let is_past = |path: &PathBuf| path.extension().is_some_and(|extension| extension == PAST);
    let mut paths: Vec<PathBuf> = entries.filter(is_past).collect();
    paths.sort();
    let headers = read_headers(&paths, read_any_header, |header| Archive::from_header(&header));
    headers.into_iter().flatten().collect()
}

/// Reads the header of each path and returns the result of `wanted`, in the order of the paths.
pub fn read_headers<T: Send>(
    paths: &[PathBuf],
    read: impl Fn(&Path) -> Result<LedgerHeader, LedgerError> + Sync,
    wanted: impl Fn(LedgerHeader) -> T + Sync,
) -> Vec<Result<T, LedgerError>> {
    let read_all = || paths.par_iter().map(|path| read(path).map(&wanted)).collect();
    timings::within(Stage::Waiting, || storage::side_by_side(paths, read_all))
}
