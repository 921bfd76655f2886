//! A report in a folder on the disk, or in an object store.
//!
//! Files are renamed into place at the end. `audit.json` is renamed last and an old one is removed first: its presence
//! means that all is there. What goes to an object store lies in a folder of its own until then.

use super::{OutputError, OutputFile, Stream};
use crate::{
    storage::{
        self,
        lock::{Lock, lock},
    },
    util::{
        log::{self, Level},
        timings::{self, Stage},
    },
};
use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The ending of a file that is not published yet.
const HALF: &str = ".partial";

/// A folder that this run alone writes into.
#[derive(Debug)]
pub(super) struct Folder {
    /// Where files are written.
    path: PathBuf,
    /// The URL that they go to in the end.
    url: Option<(PathBuf, TempDir)>,
    /// Files that are not published yet.
    halves: Vec<PathBuf>,
    _held: Option<File>,
}

impl Folder {
    pub(super) fn open(folder: &Path) -> Result<Self, OutputError> {
        let waiting = || {
            let words =
                format!("hullmark: another run writes into {}; waiting for it to end", folder.display());
            log::say(Level::Info, &words);
        };
        let failed = |source| OutputError { path: folder.into(), source };
        let held = storage::prepare(folder).and_then(|()| lock(folder, Lock::Exclusive, waiting));
        let _held = held.map_err(failed)?;
        let scratch = storage::is_url(folder).then(tempfile::tempdir).transpose().map_err(failed)?;
        let url = scratch.map(|scratch| (folder.to_owned(), scratch));
        let path = url.as_ref().map_or(folder, |(_, scratch)| scratch.path()).to_owned();
        Ok(Self { path, url, halves: Vec::new(), _held })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn create(&mut self, name: &str) -> Result<OutputFile, OutputError> {
        let (half, path) = (self.half(name), self.home().join(name));
        let file = match File::create(&half) {
            Ok(file) => OutputFile { stream: Stream::Disk(file), path },
            Err(source) => return Err(OutputError { path, source }),
        };
        self.halves.push(half);
        Ok(file)
    }

    pub(super) fn without_halves(&self, is_own: impl Fn(&str) -> bool) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            if name.to_str().and_then(|name| name.strip_suffix(HALF)).is_some_and(&is_own) {
                // One that will not go is tried again by the next run.
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
        // Where there is no report, files of these names are somebody's own.
        if self.remove(last)? {
            for name in replaced.iter().filter(|name| !names.contains(*name)) {
                self.remove(name)?;
            }
        }
        for name in names {
            let (path, half) = (self.home().join(name), self.half(name));
            let bytes = half.metadata().map_or(0, |meta| meta.len());
            timings::pass(Stage::Write, usize::try_from(bytes).unwrap_or(usize::MAX));
            let placed = match self.url {
                Some(_) => storage::put_file(&path, &half),
                None => fs::rename(half, &path),
            };
            placed.map_err(|source| OutputError { path, source })?;
        }
        Ok(())
    }

    /// Removes a file; whether there was one.
    fn remove(&self, name: &str) -> Result<bool, OutputError> {
        let path = self.home().join(name);
        storage::remove(&path).map_err(|source| OutputError { path, source })
    }

    /// Where files are in the end.
    fn home(&self) -> &Path {
        self.url.as_ref().map_or(&self.path, |(url, _)| url)
    }

    fn half(&self, name: &str) -> PathBuf {
        self.path.join(format!("{name}{HALF}"))
    }
}

impl Drop for Folder {
    /// What was not published is removed: a report is never half there.
    fn drop(&mut self) {
        for half in &self.halves {
            // Nothing more can be done about a file that will not go.
            let _ = fs::remove_file(half);
        }
    }
}
