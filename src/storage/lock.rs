//! Locks a folder for one run, or for several that share it.

use crate::storage;
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// With whom a folder is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// With nobody.
    Exclusive,
    /// With others who hold it together.
    Shared,
}

/// Holds a folder until the file that this gives is dropped. Where a run holds it that does not share it, `wait` is told,
/// and this one waits. The system takes the lock from a run that ends, in whatever way. Who shares a folder does
/// without where its file system knows no locks.
///
/// # Errors
/// The folder cannot be locked.
pub(crate) fn lock(folder: &Path, how: Lock, wait: impl FnOnce()) -> io::Result<Option<File>> {
    // No store locks anything, and none has half an object: who uses one together sees to it.
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

/// What a run holds locked: the folder itself, so that nothing stays behind.
#[cfg(unix)]
fn lockable(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Where a folder cannot be locked, a file in it is.
#[cfg(not(unix))]
fn lockable(folder: &Path) -> io::Result<File> {
    File::options().create(true).append(true).open(folder.join("lock"))
}
