//! Locks a folder for one run, or for several that share it.

use crate as storage;
#[cfg(windows)]
use std::{fs, path::PathBuf};
use std::{
    fs::{File, TryLockError},
    io,
    path::Path,
};

/// How a folder is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lock {
    /// For one run.
    Exclusive,
    /// For several runs that share the folder.
    Shared,
}

/// A locked folder. Dropping it releases the lock.
#[derive(Debug)]
pub struct Locked {
    file: File,
    /// The file that is locked in place of the folder.
    #[cfg(windows)]
    path: PathBuf,
}

/// Locks a folder until the returned lock is dropped. If another run holds it and does not share it, calls `wait` and
/// then waits. The system releases the lock of a run that ends, in any way. A shared lock is `None` if the file system
/// has no locks, and for a URL.
///
/// # Errors If the folder cannot be locked.
pub fn lock(folder: &Path, how: Lock, wait: impl FnOnce()) -> io::Result<Option<Locked>> {
    // Object stores have no locks, and never contain half an object. Runs that share a store must coordinate
    // themselves.
    if storage::is_url(folder) {
        return Ok(None);
    }
    let mut wait = Some(wait);
    loop {
        let lock = Locked::open(folder)?;
        let tried = match how {
            Lock::Exclusive => lock.file.try_lock(),
            Lock::Shared => lock.file.try_lock_shared(),
        };
        match (tried, how) {
            (Ok(()), _) => {}
            (Err(TryLockError::WouldBlock), _) => {
                if let Some(wait) = wait.take() {
                    wait();
                }
                match how {
                    Lock::Exclusive => lock.file.lock()?,
                    Lock::Shared => lock.file.lock_shared()?,
                }
            }
            (Err(TryLockError::Error(_)), Lock::Shared) => return Ok(None),
            (Err(TryLockError::Error(error)), Lock::Exclusive) => return Err(error),
        }
        if lock.is_current() {
            return Ok(Some(lock));
        }
    }
}

/// Returns the message of a run that waits for another one.
pub fn waiting(folder: &Path) -> String {
    format!("hullmark: another run uses {}; waiting for it to end", folder.display())
}

#[cfg(not(windows))]
impl Locked {
    /// Opens the folder itself for locking, so that no lock file remains.
    fn open(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: File::open(folder)? })
    }

    fn is_current(&self) -> bool {
        true
    }
}

/// Windows cannot lock a folder, so a file in it is locked. The last run that holds the lock removes the file.
#[cfg(windows)]
impl Locked {
    fn open(folder: &Path) -> io::Result<Self> {
        let path = folder.join("lock");
        // A file that another run removes is denied for a moment.
        let file = storage::patiently(|| File::options().create(true).append(true).open(&path))?;
        Ok(Self { file, path })
    }

    /// Whether the file was not removed, or replaced by another run, since it was opened.
    fn is_current(&self) -> bool {
        let same = || {
            let ours = same_file::Handle::from_file(self.file.try_clone()?)?;
            io::Result::Ok(ours == same_file::Handle::from_path(&self.path)?)
        };
        same().unwrap_or(false)
    }
}

#[cfg(windows)]
impl Drop for Locked {
    fn drop(&mut self) {
        // A shared lock becomes an exclusive one only for the last run. Without it, another run removes the file.
        let _ = self.file.unlock();
        if self.file.try_lock().is_ok() && self.is_current() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, thread, time::Duration};

    #[test]
    fn a_folder_has_one_run_at_a_time_and_no_file_afterwards() {
        let folder = tempfile::tempdir().unwrap();
        let counter = folder.path().join("counter");
        fs::write(&counter, "0").unwrap();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _lock = lock(folder.path(), Lock::Exclusive, || {}).unwrap();
                    let count: u32 = fs::read_to_string(&counter).unwrap().parse().unwrap();
                    thread::sleep(Duration::from_millis(2));
                    fs::write(&counter, (count + 1).to_string()).unwrap();
                });
            }
        });
        assert_eq!(fs::read_to_string(&counter).unwrap(), "8");
        let [one, other] =
            [(); 2].map(|()| lock(folder.path(), Lock::Shared, || panic!("it is shared")).unwrap());
        drop(one);
        drop(other);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
