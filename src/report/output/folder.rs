//! A report in a folder or in an object store.
//!
//! Files are renamed at the end. An old `audit.json` is removed first and the new one is renamed last: its presence means
//! that the report is complete. Files for an object store are in a temporary folder until then.

use super::{OutputError, OutputFile, Stream};
use hullmark_storage::{
    self as storage,
    folder_lock::{Lock, Locked, lock},
};
use hullmark_util::{
    log::{self, Level},
    timings::{self, Stage},
};
use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Extension of files that are not published yet.
const HALF: &str = ".partial";

/// A folder that this run has locked.
#[derive(Debug)]
pub(super) struct Folder {
    /// The folder of the open files.
    path: PathBuf,
    /// The URL to upload to.
    url: Option<(PathBuf, TempDir)>,
    /// Files that are not published yet.
    halves: Vec<PathBuf>,
    /// The lake that takes the tables. `None` if they stay in the folder.
    lake: Option<Lake>,
    _held: Option<Locked>,
}

/// A lake has a folder for each table, in which each part of a report has a file.
#[derive(Debug)]
pub(super) struct Lake {
    pub(super) folder: PathBuf,
    /// Name of the part.
    pub(super) part: String,
    /// Stem of the files that are not tables. They stay in the folder of the part.
    pub(super) stem: &'static str,
}

impl Lake {
    /// Returns the file of a table. `None` for other files.
    fn place(&self, name: &str) -> Option<PathBuf> {
        let (table, ending) = name.split_once('.').filter(|(stem, _)| *stem != self.stem)?;
        Some(self.folder.join(table).join(format!("part-{}.{ending}", self.part)))
    }
}

/// Returns the first name of a header.
fn first_name(header: &[u8]) -> &[u8] {
    let header = header.strip_prefix("\u{feff}".as_bytes()).unwrap_or(header);
    header.split(|byte| b",\r\n".contains(byte)).next().unwrap_or_default()
}

impl Folder {
    pub(super) fn open(folder: &Path) -> Result<Self, OutputError> {
        let waiting = || {
            let words =
                format!("hullmark: another run is writing to {}; waiting for it to end", folder.display());
            log::say(Level::Info, &words);
        };
        let failed = |source| OutputError { path: folder.into(), source };
        let held = storage::prepare(folder).and_then(|()| lock(folder, Lock::Exclusive, waiting));
        let _held = held.map_err(failed)?;
        let scratch = storage::is_url(folder).then(tempfile::tempdir).transpose().map_err(failed)?;
        let url = scratch.map(|scratch| (folder.to_owned(), scratch));
        let path = url.as_ref().map_or(folder, |(_, scratch)| scratch.path()).to_owned();
        Ok(Self { path, url, halves: Vec::new(), lake: None, _held })
    }

    /// Puts tables into a lake.
    pub(super) fn put_tables_into(&mut self, lake: Lake) {
        self.lake = Some(lake);
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn create(&mut self, name: &str) -> Result<OutputFile, OutputError> {
        let (half, path) = (self.half(name), self.place(name));
        let file = match File::create(&half) {
            Ok(file) => OutputFile { stream: Stream::Disk(file), path },
            Err(source) => return Err(OutputError { path, source }),
        };
        self.halves.push(half);
        Ok(file)
    }

    /// Refuses a file that no report wrote. `header` begins this table in each report, and `last` is the mark of one.
    pub(super) fn check_own(&self, name: &str, header: &[u8], last: &str) -> Result<(), OutputError> {
        let path = self.place(name);
        // A killed run may have published tables without the mark. They begin as the new ones do.
        let is_own = || match storage::start(&path, header.len()) {
            Ok(start) => start.is_empty() || first_name(&start) == first_name(header),
            // No such file; after another error, opening it fails and says why.
            Err(_) => true,
        };
        if self.url.is_some() || self.lake.is_some() || self.path.join(last).exists() || is_own() {
            return Ok(());
        }
        Err(OutputError { path, source: io::Error::other("it is there, and no report wrote it") })
    }

    pub(super) fn without_halves(&self, is_own: impl Fn(&str) -> bool) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            if name.to_str().and_then(|name| name.strip_suffix(HALF)).is_some_and(&is_own) {
                // If that fails, the next run tries again.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    pub(super) fn publish(
        &self,
        names: &[String],
        replaced: &[String],
        last: &str,
    ) -> Result<(), OutputError> {
        if self.url.is_none() {
            let has_report = self.path.join(last).exists();
            self.check_replaceable(names.iter().chain(replaced.iter().filter(|_| has_report)))?;
        }
        // Without a report, files with these names belong to the user.
        if self.remove(last)? {
            for name in replaced.iter().filter(|name| !names.contains(*name)) {
                self.remove(name)?;
            }
        }
        for name in names {
            let (path, half) = (self.place(name), self.half(name));
            let bytes = half.metadata().map_or(0, |meta| meta.len());
            timings::pass(Stage::Write, usize::try_from(bytes).unwrap_or(usize::MAX));
            let placed = match (&self.url, path.parent()) {
                (Some(_), _) => storage::put_file(&path, &half),
                // The first part of a lake makes the folders of its tables.
                (None, Some(folder)) => storage::prepare(folder).and_then(|()| storage::rename(&half, &path)),
                (None, None) => storage::rename(&half, &path),
            };
            placed.map_err(|source| OutputError { path, source })?;
        }
        Ok(())
    }

    /// Makes sure that every file of the earlier report can be replaced. Otherwise nothing is, and all of it stays.
    fn check_replaceable<'n>(&self, mut names: impl Iterator<Item = &'n String>) -> Result<(), OutputError> {
        names.try_for_each(|name| {
            let path = self.place(name);
            storage::check_replaceable(&path).map_err(|source| OutputError { path, source })
        })
    }

    /// Removes a file and returns whether it existed.
    fn remove(&self, name: &str) -> Result<bool, OutputError> {
        let path = self.place(name);
        storage::remove(&path).map_err(|source| OutputError { path, source })
    }

    /// The folder or URL of the published files.
    fn destination(&self) -> &Path {
        self.url.as_ref().map_or(&self.path, |(url, _)| url)
    }

    /// Returns the path of a published file.
    fn place(&self, name: &str) -> PathBuf {
        let in_lake = self.lake.as_ref().and_then(|lake| lake.place(name));
        in_lake.unwrap_or_else(|| self.destination().join(name))
    }

    fn half(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{HALF}"))
    }
}

impl Drop for Folder {
    /// Removes files that were not published.
    fn drop(&mut self) {
        for half in &self.halves {
            // Nothing more can be done if that fails.
            let _ = fs::remove_file(half);
        }
    }
}
