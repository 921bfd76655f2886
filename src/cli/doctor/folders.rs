//! Checks of folders: whether they can be written, and whether their disk has room for a run.

use fs4::available_space;
use hullmark_report::doctor::{Check, State};
use hullmark_storage as storage;
use hullmark_util::number_text::bytes;
use std::{fs, path::Path};
use walkdir::WalkDir;
#[cfg(not(unix))]
use xxhash_rust::xxh3::xxh3_64;

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
    let nearest = storage::nearest(folder);
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

/// Checks that each disk has room for another run, by the sizes of the last report and of the ledgers on it.
pub(super) fn disks(out: Option<&Path>, ledgers: Option<&Path>) -> Vec<Check> {
    let folders = [("report", out), ("ledgers", ledgers)];
    let local = folders.into_iter().filter_map(|(name, folder)| Some((name, folder?)));
    let mut disks: Vec<Disk> = Vec::new();
    for (name, folder) in local.filter(|(_, folder)| !storage::is_url(folder)) {
        let (nearest, need) = (storage::nearest(folder), size(folder));
        let number = number(&nearest);
        if let Some(disk) = disks.iter_mut().find(|disk| disk.number == number) {
            disk.folders = format!("{} and {name}", disk.folders);
            disk.need += need;
        } else {
            let free = available_space(&nearest).ok();
            disks.push(Disk { number, folders: name.into(), need, free });
        }
    }
    if disks.is_empty() {
        let text = "Name --out and --ledgers to compare free space with a run.";
        return vec![Check::new("disk", State::Unknown, text)];
    }
    disks.iter().map(Disk::check).collect()
}

struct Disk {
    number: Option<u64>,
    folders: String,
    /// Bytes of the last report and ledgers in them.
    need: u64,
    free: Option<u64>,
}

impl Disk {
    fn check(&self) -> Check {
        let folders = &self.folders;
        let (state, text) = match (self.need, self.free) {
            (_, None) => (State::Unknown, format!("Free space for {folders} cannot be measured here.")),
            (0, Some(free)) => {
                let text = format!("Space for {folders} is not known before the first run");
                (State::Unknown, format!("{text}. {} are free.", bytes(free)))
            }
            (need, Some(free)) => {
                let text = format!(
                    "The last {folders} took {}, and a run needs at most as much again. {} are free",
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
}

#[cfg(unix)]
fn number(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    Some(fs::metadata(folder).ok()?.dev())
}

/// Returns a number for the drive or the share of a folder.
#[cfg(not(unix))]
fn number(folder: &Path) -> Option<u64> {
    let drive = fs::canonicalize(folder).ok()?.components().next()?.as_os_str().to_ascii_uppercase();
    Some(xxh3_64(drive.as_encoded_bytes()))
}

/// Returns the bytes of all files in a folder.
fn size(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten().filter_map(|entry| entry.metadata().ok());
    files.filter(fs::Metadata::is_file).map(|file| file.len()).sum()
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
        let state = |need, free| Disk { number: None, folders: "report".into(), need, free }.check().state;
        assert_eq!(state(10, Some(10)), State::Ok);
        assert_eq!(state(11, Some(10)), State::Warning);
        assert_eq!(state(0, Some(10)), State::Unknown);
        assert_eq!(state(10, None), State::Unknown);
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), [0; 700]).unwrap();
        assert_eq!(size(folder.path()), 700);
        let [check] = &disks(Some(folder.path()), Some(&folder.path().join("ledgers")))[..] else { panic!() };
        let begin = "The last report and ledgers took 700 B, and a run needs at most as much again. ";
        assert!(check.state == State::Ok && check.text.starts_with(begin), "{check:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn each_disk_has_a_line_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), [0; 700]).unwrap();
        let other = Path::new("/dev/shm");
        if number(other).is_none() || number(other) == number(folder.path()) {
            return;
        }
        let checks = disks(Some(folder.path()), Some(other));
        assert_eq!(checks.len(), 2);
        assert!(checks[0].text.starts_with("The last report took 700 B"), "{checks:?}");
        assert!(checks[1].text.contains("ledgers"), "{checks:?}");
    }
}
