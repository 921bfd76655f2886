//! Advice for system errors.

use std::{
    error::Error,
    io::{self, ErrorKind},
    iter,
};

pub const MORE_MEMORY: &str = "give the run more memory";

/// Returns advice for a file that cannot be written. `place` is the flag that chooses another place for it.
pub fn to_write(error: &io::Error, place: &str) -> String {
    match advice_for(error) {
        Some(words) if is_of_process(error) => words.into(),
        Some(words) => format!("{words} or choose another {place}"),
        None => format!("choose another {place}"),
    }
}

/// Returns the text of a read error. If the process is the cause and not the file, it includes advice.
pub fn to_read(error: &io::Error) -> String {
    match advice_for(error) {
        Some(words) if is_of_process(error) => format!("{error}: {words}, and run again"),
        _ => error.to_string(),
    }
}

/// Whether a lack in the process is the cause, and not the file or its disk.
fn is_of_process(error: &io::Error) -> bool {
    lacks_open_files(error) || innermost(error).kind() == ErrorKind::OutOfMemory
}

/// Returns advice for an error, if there is any.
fn advice_for(error: &io::Error) -> Option<&'static str> {
    if lacks_open_files(error) {
        return Some("allow more open files (ulimit -n)");
    }
    if is_open_elsewhere(error) {
        return Some("close it in the program that has it open");
    }
    Some(match innermost(error).kind() {
        ErrorKind::StorageFull => "make room",
        ErrorKind::QuotaExceeded => "make room within this user's quota",
        ErrorKind::FileTooLarge => "allow larger files (ulimit -f)",
        ErrorKind::IsADirectory => "remove the folder of that name",
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => "name a folder, not a file,",
        ErrorKind::ReadOnlyFilesystem => "mount the disk for writing",
        ErrorKind::PermissionDenied => "give this user the right to it",
        ErrorKind::OutOfMemory => MORE_MEMORY,
        _ => return None,
    })
}

/// Whether this process or the system has reached its limit of open files.
#[cfg(unix)]
fn lacks_open_files(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(innermost(error)), Some(Errno::MFILE | Errno::NFILE))
}

/// Other systems have no such limit.
#[cfg(not(unix))]
fn lacks_open_files(_error: &io::Error) -> bool {
    false
}

/// Whether another program on Windows has a file open and does not share it.
pub fn is_open_elsewhere(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    let code = innermost(error).raw_os_error();
    cfg!(windows) && matches!(code, Some(SHARING_VIOLATION | LOCK_VIOLATION))
}

/// Returns the system's own error, without the errors that libraries and this program put around it.
fn innermost(error: &io::Error) -> &io::Error {
    chain(error).filter_map(|error| error.downcast_ref()).last().unwrap_or(error)
}

/// Returns the chain of errors, outermost first.
pub fn chain(error: &io::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(inside(error), |error| match error.downcast_ref::<io::Error>() {
        Some(error) => inside(error),
        None => below(*error),
    })
}

/// Returns the cause of an error. The `csv` crate does not return its cause from `source`.
fn below<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<csv::Error>().map(csv::Error::kind) {
        Some(csv::ErrorKind::Io(error)) => Some(error),
        _ => error.source(),
    }
}

/// Returns the error inside an I/O error. Its `source` would skip that error.
fn inside(error: &io::Error) -> Option<&(dyn Error + 'static)> {
    error.get_ref().map(|inner| inner as &(dyn Error + 'static))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use rustix::io::Errno;

    #[test]
    fn every_disk_fault_has_its_own_message() {
        let reported = |errno: Errno| to_write(&io::Error::from(errno), "--out");
        assert_eq!(reported(Errno::NOSPC), "make room or choose another --out");
        assert_eq!(reported(Errno::DQUOT), "make room within this user's quota or choose another --out");
        assert_eq!(reported(Errno::FBIG), "allow larger files (ulimit -f) or choose another --out");
        assert_eq!(reported(Errno::ROFS), "mount the disk for writing or choose another --out");
        assert_eq!(reported(Errno::ACCESS), "give this user the right to it or choose another --out");
        assert_eq!(reported(Errno::MFILE), "allow more open files (ulimit -n)");
        assert_eq!(reported(Errno::NFILE), "allow more open files (ulimit -n)");
        assert_eq!(reported(Errno::NOMEM), "give the run more memory");
        assert_eq!(reported(Errno::IO), "choose another --out");
    }

    #[test]
    fn the_systems_error_is_found_below_others() {
        let inner = io::Error::from(Errno::MFILE);
        let wrapped = io::Error::other(csv::Error::from(io::Error::other(inner)));
        assert_eq!(to_write(&wrapped, "--out"), "allow more open files (ulimit -n)");
        let reported = to_read(&io::Error::from(Errno::MFILE));
        assert!(reported.ends_with(": allow more open files (ulimit -n), and run again"), "{reported}");
        assert!(!to_read(&io::Error::from(Errno::ACCESS)).contains("run again"));
    }
}
