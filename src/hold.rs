//! Folders that one run at a time uses.

use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// Holds a folder until the file that this gives is dropped. Where another run holds it, `wait` is told, and this one
/// waits. The system takes the lock from a run that ends, in whatever way.
///
/// # Errors
/// The folder cannot be locked.
pub(crate) fn hold(folder: &Path, wait: impl FnOnce()) -> io::Result<File> {
    let lock = lockable(folder)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            wait();
            lock.lock()?;
        }
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(lock)
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
