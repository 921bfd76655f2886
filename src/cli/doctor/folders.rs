//! Checks of folders: whether they can be written, and whether their disk has room for a run.

use crate::{
    report::doctor::{Check, State},
    storage,
    util::number_text::bytes,
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// Checks that a folder can be written, by a temporary file. A folder that is missing is not created.
pub(super) fn writable(name: &'static str, flag: &str, folder: &Path) -> Check {
    let shown = folder.display();
    if storage::is_url(folder) {
        return match storage::prepare(folder) {
            Ok(()) => Check::new(name, State::Ok, format!("{shown} can be written.")),
            Err(error) => {
                let text = format!("{shown} cannot be written ({error}). Check its credentials.");
                Check::new(name, State::Error, text)
            }
        };
    }
    let nearest = nearest(folder);
    if nearest.exists() && !nearest.is_dir() {
        let text = format!("{} is a file. Name a folder with {flag}.", nearest.display());
        return Check::new(name, State::Error, text);
    }
    match tempfile::Builder::new().prefix(".hullmark-doctor-").tempfile_in(&nearest) {
        Ok(_) if nearest == folder => Check::new(name, State::Ok, format!("{shown} can be written.")),
        Ok(_) => Check::new(name, State::Ok, format!("{shown} does not exist yet, and a run can create it.")),
        Err(error) => {
            let text = format!(
                "{} cannot be written ({error}). Give its user the right to write, or name another folder with {flag}.",
                nearest.display()
            );
            Check::new(name, State::Error, text)
        }
    }
}

/// Returns the folder, or the nearest one above it that exists.
fn nearest(folder: &Path) -> PathBuf {
    let above = folder.ancestors().find(|path| path.exists());
    match above {
        Some(path) if !path.as_os_str().is_empty() => path.into(),
        _ => ".".into(),
    }
}

/// Checks that the disk of a report has room for another run, by the size of the last report and of the ledgers.
pub(super) fn disk(out: Option<&Path>, ledgers: Option<&Path>) -> Check {
    let folders: Vec<&Path> = out.into_iter().chain(ledgers).filter(|path| !storage::is_url(path)).collect();
    let Some(first) = folders.first() else {
        return Check::new(
            "disk",
            State::Unknown,
            "Name --out and --ledgers to compare free space with a run.",
        );
    };
    let need: u64 = folders.iter().map(|folder| size(folder)).sum();
    compared(need, free(&nearest(first)))
}

fn compared(need: u64, free: Option<u64>) -> Check {
    let (state, text) = match (need, free) {
        (_, None) => (State::Unknown, "Free space cannot be measured here.".into()),
        (0, Some(free)) => {
            let text = "There is no earlier report, so the space for a run is not known";
            (State::Unknown, format!("{text}. {} are free.", bytes(free)))
        }
        (need, Some(free)) => {
            let text = format!(
                "The last report and ledgers take {}, and a run needs as much again. {} are free",
                bytes(need),
                bytes(free)
            );
            match free >= need {
                true => (State::Ok, text + "."),
                false => (State::Warning, text + ": remove old reports, or use another disk."),
            }
        }
    };
    Check::new("disk", state, text)
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(fs::Metadata::is_file).map(|file| file.len()).sum()
}

#[cfg(unix)]
fn free(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_missing_is_not_created() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("a/b");
        let check = writable("report", "--out", &folder);
        assert!(check.state == State::Ok && check.text.contains("does not exist yet"), "{check:?}");
        assert_eq!(fs::read_dir(above.path()).unwrap().count(), 0);
        fs::write(above.path().join("file"), "").unwrap();
        let check = writable("report", "--out", &above.path().join("file"));
        assert!(check.state == State::Error && check.text.contains("is a file"), "{check:?}");
    }

    #[test]
    fn the_disk_needs_room_for_the_last_report_again() {
        assert_eq!(compared(10, Some(10)).state, State::Ok);
        assert_eq!(compared(11, Some(10)).state, State::Warning);
        assert_eq!(compared(0, Some(10)).state, State::Unknown);
        assert_eq!(compared(10, None).state, State::Unknown);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), [0; 700]).unwrap();
        assert_eq!(size(folder.path()), 700);
    }
}
