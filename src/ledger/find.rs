//! Finds ledgers in files and folders.

use super::{EXTENSION, LedgerError, LedgerHeader, read_label};
use hullmark_storage as storage;
use hullmark_util::timings::{self, Stage};
use rayon::prelude::*;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Finds the ledgers in files and folders and sorts them by their inputs. Every report has this order.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let files = files(paths)?;
    let names = read_labels(&files, |label| label.input).into_iter();
    let found = names.zip(files).map(|(name, path)| Ok((name?, path)));
    let mut found = found.collect::<Result<Vec<_>, LedgerError>>()?;
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

/// Finds the ledgers that this program can read, with their headers, in the order of their paths. It skips damaged
/// files and files of another version, because the caller knows which ledgers must exist.
///
/// # Errors
/// A folder or a file cannot be read.
pub fn find_readable(paths: &[PathBuf]) -> Result<Vec<(LedgerHeader, PathBuf)>, LedgerError> {
    let readable = |(path, label)| match label {
        Ok(label) => Some(Ok((label, path))),
        Err(LedgerError::Damaged { .. } | LedgerError::Version { .. }) => None,
        Err(error @ LedgerError::Io { .. }) => Some(Err(error)),
    };
    let files = files(paths)?;
    let labels = read_labels(&files, |label| label);
    files.into_iter().zip(labels).filter_map(readable).collect()
}

/// Returns all ledgers in files and folders, each file once, in the order of their paths.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let is_ledger = |path: &Path| path.extension().is_some_and(|extension| extension == EXTENSION);
    let mut found = BTreeSet::new();
    for path in paths {
        let is_folder = if storage::is_url(path) { !is_ledger(path) } else { path.is_dir() };
        if !is_folder {
            found.insert(path.clone());
            continue;
        }
        let entries =
            storage::entries(path).map_err(|source| LedgerError::Io { path: path.clone(), source })?;
        found.extend(entries.into_iter().filter(|path| is_ledger(path)));
    }
    Ok(found.into_iter().collect())
}

/// Reads the header of each path and returns the result of `wanted`, in the order of the paths.
pub fn read_labels<T: Send>(
    paths: &[PathBuf],
    wanted: impl Fn(LedgerHeader) -> T + Sync,
) -> Vec<Result<T, LedgerError>> {
    let read_all = || paths.par_iter().map(|path| read_label(path).map(&wanted)).collect();
    timings::within(Stage::Waiting, || storage::side_by_side(paths, read_all))
}
