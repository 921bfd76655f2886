//! Locks a folder for one run, or for several that share it.

use crate::storage;
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// How a folder is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// For one run.
    Exclusive,
    /// For several runs that share the folder.
    Shared,
}

/// Locks a folder until the returned file is dropped. If another run holds it and does not share it, calls `wait` and
/// then waits. The system releases the lock of a run that ends, in any way. A shared lock is `None` if the file system
/// has no locks, and for a URL.
///
/// # Errors If the folder cannot be locked.
pub(crate) fn lock(folder: &Path, how: Lock, wait: impl FnOnce()) -> io::Result<Option<File>> {
    // Object stores have no locks, and never contain half an object. Runs that share a store must coordinate
    // themselves.
    if storage::is_url(folder) {
        return Ok(None);
    }
    let lock = lockable(folder)?;
    let tried = match how {
        Lock::Exclusive => lock.try_lock(),
        Lock::Shared => lock.try_lock_shared(),
    };
    match (tried, how) {
        (Ok(()), _) => {}
        (Err(TryLockError::WouldBlock), Lock::Exclusive) => {
            wait();
            lock.lock()?;
        }
        (Err(TryLockError::WouldBlock), Lock::Shared) => {
            wait();
            lock.lock_shared()?;
        }
        (Err(TryLockError::Error(_)), Lock::Shared) => return Ok(None),
        (Err(TryLockError::Error(error)), Lock::Exclusive) => return Err(error),
    }
    Ok(Some(lock))
}

/// Returns the message of a run that waits for another one.
pub(crate) fn waiting(folder: &Path) -> String {
    format!("hullmark: another run uses {}; waiting for it to end", folder.display())
}

/// Opens the folder itself for locking, so that no lock file remains.
#[cfg(unix)]
fn lockable(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Opens a file in the folder for locking, because these systems cannot lock a folder.
#[cfg(not(unix))]
fn lockable(folder: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(folder.join("lock"))
}
