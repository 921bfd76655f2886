//! The folder that reports are written to.
//!
//! Every file is opened before the run, so that a disk that refuses is known at once, and renamed into place at
//! the end. `audit.json` is renamed last and an old one is removed first: its presence means that all is there. What goes
//! to an object store lies in a folder of its own until then.

use crate::{
    storage::{
        self,
        lock::{Lock, lock},
    },
    util::{
        advice,
        log::{self, Level},
        timings::{self, Stage},
    },
};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use thiserror::Error;

/// The file whose presence means that a report is complete.
pub const LAST: &str = "audit.json";

/// The ending of a file that is not published yet.
const HALF: &str = ".partial";

/// Why a report could not be written.
#[derive(Debug, Error)]
#[error(
    "The report {} cannot be written; {}, and run again",
    at(source).unwrap_or(path).display(),
    advice::to_write(source, "--out")
)]
pub struct OutputError {
    /// The file, or its folder.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A file of a report: what goes wrong says in which.
#[derive(Debug)]
pub struct OutputFile {
    file: File,
    path: PathBuf,
}

/// What went wrong in a file.
#[derive(Debug, Error)]
#[error("{source}")]
struct InFile {
    path: PathBuf,
    source: io::Error,
}

impl OutputFile {
    /// Makes the file in one place; its path in the end is the other.
    fn create(partial: &Path, path: PathBuf) -> Result<Self, OutputError> {
        match File::create(partial) {
            Ok(file) => Ok(Self { file, path }),
            Err(source) => Err(OutputError { path, source }),
        }
    }

    fn of<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|source| match source.kind() {
            io::ErrorKind::Interrupted => source,
            kind => io::Error::new(kind, InFile { path: self.path.clone(), source }),
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.file.write(bytes);
        self.of(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.file.flush();
        self.of(done)
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let done = self.file.seek(to);
        self.of(done)
    }
}

/// The file that an error is about, whatever libraries have put around it.
fn at(error: &io::Error) -> Option<&PathBuf> {
    advice::chain(error).find_map(|error| error.downcast_ref()).map(|InFile { path, .. }| path)
}

/// Files on their way into a folder.
#[derive(Debug)]
pub struct Output {
    /// Where files are written.
    folder: PathBuf,
    /// The URL that they go to in the end.
    url: Option<(PathBuf, TempDir)>,
    stem: &'static str,
    names: Vec<String>,
    replaced: Vec<String>,
    _held: Option<File>,
}

impl Output {
    /// Makes the folder, if it is not there. Where another run writes into it, this one waits.
    pub fn new(folder: &Path) -> Result<Self, OutputError> {
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
        let folder = url.as_ref().map_or(folder, |(_, scratch)| scratch.path()).to_owned();
        Ok(Self { folder, url, stem: "audit", names: Vec::new(), replaced: Vec::new(), _held })
    }

    /// The same with this name for files that hold more than a table, in place of `audit`.
    pub fn named(mut self, stem: &'static str) -> Self {
        self.stem = stem;
        self
    }

    /// The same in place of an earlier report, which may have had any of these files.
    pub fn replacing(mut self, files: Vec<String>) -> Self {
        self.replaced = files;
        let last = format!("{}.json", self.stem);
        self.without_halves(|name| name == last || self.replaced.iter().any(|file| file == name));
        self
    }

    /// Removes what a run that was killed left half written of these files: nobody else writes while the folder is held.
    pub fn without_halves(&self, is_own: impl Fn(&str) -> bool) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            let name = entry.file_name();
            if name.to_str().and_then(|name| name.strip_suffix(HALF)).is_some_and(&is_own) {
                // One that will not go is tried again by the next run.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Opens the file of this ending that holds more than a table.
    pub fn open_whole(&mut self, ending: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        self.open(&format!("{}.{ending}", self.stem))
    }

    /// The folder that files are written in.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files, in the order in which they were opened.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Opens a file under a name of its own until [`Output::publish`].
    pub fn open(&mut self, name: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        let file = OutputFile::create(&self.partial(name), self.home().join(name))?;
        self.names.push(name.into());
        Ok(BufWriter::with_capacity(256 * 1024, file))
    }

    /// Renames every file into its place, the JSON that says that all is there last. What an earlier report had more is
    /// removed, lest it be taken for this one's.
    pub fn publish(mut self) -> Result<(), OutputError> {
        let last = format!("{}.json", self.stem);
        // Where there is no report, files of these names are somebody's own.
        if self.remove(&last)? {
            for name in self.replaced.iter().filter(|name| !self.names.contains(*name)) {
                self.remove(name)?;
            }
        }
        self.names.sort_by_key(|name| *name == last);
        for name in &self.names {
            let path = self.home().join(name);
            let partial = self.partial(name);
            let bytes = partial.metadata().map_or(0, |meta| meta.len());
            timings::pass(Stage::Write, usize::try_from(bytes).unwrap_or(usize::MAX));
            let placed = match self.url {
                Some(_) => storage::put_file(&path, &partial),
                None => fs::rename(partial, &path),
            };
            placed.map_err(|source| OutputError { path, source })?;
        }
        Ok(())
    }

    /// Whether files lie in the folder that an earlier report had more, and that publishing would remove.
    pub fn has_leftovers(&self) -> bool {
        self.replaced.iter().any(|name| !self.names.contains(name) && self.folder.join(name).exists())
    }

    /// Removes a file; whether there was one.
    fn remove(&self, name: &str) -> Result<bool, OutputError> {
        let path = self.home().join(name);
        storage::remove(&path).map_err(|source| OutputError { path, source })
    }

    /// Where files are in the end.
    fn home(&self) -> &Path {
        self.url.as_ref().map_or(&self.folder, |(url, _)| url)
    }

    fn partial(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}{HALF}"))
    }
}

impl Drop for Output {
    /// What was not published is removed: a report is never half there.
    fn drop(&mut self) {
        for name in &self.names {
            // Nothing more can be done about a file that will not go.
            let _ = fs::remove_file(self.partial(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn files_appear_together_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new/report");
        let mut output = Output::new(&folder).unwrap();
        output.open(LAST).unwrap().write_all(b"{}").unwrap();
        output.open("objects.csv").unwrap().write_all(b"a").unwrap();
        assert!(!folder.join(LAST).exists());
        output.publish().unwrap();
        assert_eq!(fs::read(folder.join(LAST)).unwrap(), b"{}");

        let mut output = Output::new(&folder).unwrap();
        output.open("objects.csv").unwrap().write_all(b"half").unwrap();
        drop(output);
        assert_eq!(fs::read(folder.join("objects.csv")).unwrap(), b"a");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn what_an_earlier_report_had_more_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let publish = |names: &[&str]| {
            let files = ["changes.csv", "objects.csv"].map(Into::into).into();
            let mut output = Output::new(folder.path()).unwrap().replacing(files);
            names.iter().for_each(|name| drop(output.open(name).unwrap()));
            output.publish().unwrap();
        };
        let files = || {
            let names = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().file_name());
            names.map(|name| name.into_string().unwrap()).collect::<std::collections::BTreeSet<_>>()
        };
        // Without a report these files are somebody's own.
        fs::write(folder.path().join("changes.csv"), "my own").unwrap();
        fs::write(folder.path().join("mine.csv"), "my own").unwrap();
        publish(&["objects.csv", LAST]);
        assert_eq!(files(), [LAST, "changes.csv", "mine.csv", "objects.csv"].map(Into::into).into());
        publish(&["objects.csv", LAST]);
        assert_eq!(files(), [LAST, "mine.csv", "objects.csv"].map(Into::into).into());
        publish(&[LAST]);
        assert_eq!(files(), [LAST, "mine.csv"].map(Into::into).into());
    }
}
