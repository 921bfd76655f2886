//! Where a report goes: named files in a folder, in an object store or in memory.
//!
//! Every file is opened before the run, so that a disk that refuses is known at once. All files appear together in the end.

mod folder;
mod memory;

use crate::util::{advice, lock::lock};
use folder::Folder;
pub use memory::MemoryFiles;
use memory::{InMemory, Memory};
use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::SpooledTempFile;
use thiserror::Error;

/// The file whose presence means that a report is complete.
pub const LAST: &str = "audit.json";

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

/// Where a report goes.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A folder, or the URL of one in an object store.
    Folder(PathBuf),
    /// Memory, from which whoever holds a clone of it takes the files.
    Memory(MemoryFiles),
}

impl From<&Path> for Destination {
    fn from(folder: &Path) -> Self {
        Self::Folder(folder.into())
    }
}

impl From<PathBuf> for Destination {
    fn from(folder: PathBuf) -> Self {
        Self::Folder(folder)
    }
}

impl From<MemoryFiles> for Destination {
    fn from(files: MemoryFiles) -> Self {
        Self::Memory(files)
    }
}

/// A file of a report: what goes wrong says in which.
#[derive(Debug)]
pub struct OutputFile {
    stream: Stream,
    path: PathBuf,
}

/// The bytes of a file.
#[derive(Debug)]
enum Stream {
    Disk(File),
    Memory(InMemory),
}

impl Stream {
    fn each<T>(&mut self, work: impl FnOnce(&mut dyn WriteSeek) -> T) -> T {
        match self {
            Self::Disk(file) => work(file),
            Self::Memory(bytes) => work(&mut *lock(bytes)),
        }
    }
}

/// What formats need of a file: a workbook is not written from its first byte to its last.
trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// What went wrong in a file.
#[derive(Debug, Error)]
#[error("{source}")]
struct InFile {
    path: PathBuf,
    source: io::Error,
}

impl OutputFile {
    fn of<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|source| match source.kind() {
            io::ErrorKind::Interrupted => source,
            kind => io::Error::new(kind, InFile { path: self.path.clone(), source }),
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.stream.each(|stream| stream.write(bytes));
        self.of(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.stream.each(|stream| stream.flush());
        self.of(done)
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let done = self.stream.each(|stream| stream.seek(to));
        self.of(done)
    }
}

/// The file that an error is about, whatever libraries have put around it.
fn at(error: &io::Error) -> Option<&PathBuf> {
    advice::chain(error).find_map(|error| error.downcast_ref()).map(|InFile { path, .. }| path)
}

/// The files of one report, until they are published together.
#[derive(Debug)]
pub struct Output {
    to: To,
    stem: &'static str,
    names: Vec<String>,
    replaced: Vec<String>,
}

#[derive(Debug)]
enum To {
    Folder(Folder),
    Memory(Memory),
}

impl Output {
    /// Makes the folder, if it is not there. Where another run writes into it, this one waits.
    pub fn new(to: impl Into<Destination>) -> Result<Self, OutputError> {
        let to = match to.into() {
            Destination::Folder(folder) => To::Folder(Folder::open(&folder)?),
            Destination::Memory(files) => To::Memory(Memory::new(files)),
        };
        Ok(Self { to, stem: "audit", names: Vec::new(), replaced: Vec::new() })
    }

    /// The same in place of an earlier report, which may have had any of these files, with this name for those that hold more
    /// than a table.
    pub fn replacing(mut self, stem: &'static str, files: Vec<String>) -> Self {
        (self.stem, self.replaced) = (stem, files);
        let last = self.last();
        self.without_halves(|name| name == last || self.replaced.iter().any(|file| file == name));
        self
    }

    /// Removes what a run that was killed left half written of these files: nobody else writes while the folder is held.
    pub fn without_halves(&self, is_own: impl Fn(&str) -> bool) {
        if let To::Folder(folder) = &self.to {
            folder.without_halves(is_own);
        }
    }

    /// Opens the file of this ending that holds more than a table.
    pub fn open_whole(&mut self, ending: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        self.open(&format!("{}.{ending}", self.stem))
    }

    /// The folder on the disk that files are written in until they are published.
    pub fn folder(&self) -> Option<&Path> {
        if let To::Folder(folder) = &self.to { Some(folder.path()) } else { None }
    }

    /// A file without a name for what waits to be written: on the disk of the folder, or in memory.
    pub fn scratch(&self) -> SpooledTempFile {
        match self.folder() {
            Some(folder) => SpooledTempFile::new_in(0, folder),
            None => SpooledTempFile::new(usize::MAX),
        }
    }

    /// The files, in the order in which they were opened.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Opens a file under a name of its own until [`Output::publish`].
    pub fn open(&mut self, name: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        let file = match &mut self.to {
            To::Folder(folder) => folder.create(name)?,
            To::Memory(memory) => memory.create(name),
        };
        self.names.push(name.into());
        Ok(BufWriter::with_capacity(256 * 1024, file))
    }

    /// Puts every file in its place, the JSON that says that all is there last. What an earlier report had more is removed,
    /// lest it be taken for this one's.
    pub fn publish(mut self) -> Result<(), OutputError> {
        let last = self.last();
        self.names.sort_by_key(|name| *name == last);
        match &mut self.to {
            To::Folder(folder) => folder.publish(&self.names, &self.replaced, &last),
            To::Memory(memory) => {
                memory.publish();
                Ok(())
            }
        }
    }

    /// Whether files lie in the folder that an earlier report had more, and that publishing would remove.
    pub fn has_leftovers(&self) -> bool {
        let Some(folder) = self.folder() else { return false };
        self.replaced.iter().any(|name| !self.names.contains(name) && folder.join(name).exists())
    }

    fn last(&self) -> String {
        format!("{}.json", self.stem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, io::Write};

    #[test]
    fn files_appear_together_or_not_at_all() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("new/report");
        let mut output = Output::new(folder.as_path()).unwrap();
        output.open(LAST).unwrap().write_all(b"{}").unwrap();
        output.open("objects.csv").unwrap().write_all(b"a").unwrap();
        assert!(!folder.join(LAST).exists());
        output.publish().unwrap();
        assert_eq!(fs::read(folder.join(LAST)).unwrap(), b"{}");

        let mut output = Output::new(folder.as_path()).unwrap();
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
            let mut output = Output::new(folder.path()).unwrap().replacing("audit", files);
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
