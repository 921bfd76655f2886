//! Destination of a report: a folder, an object store or memory.
//!
//! All files are opened before the run, so an unwritable disk fails at once. All files are published together at the end.

mod folder;
mod memory;

use folder::{Folder, Lake};
use hullmark_util::{advice, lock::lock};
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
    /// The error of the system.
    pub source: io::Error,
}

/// Destination of a report.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A folder, or the URL of one in an object store.
    Folder(PathBuf),
    /// Memory: a clone of it takes the files.
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

/// A file of a report. Its errors name it.
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

/// A file that supports seeking, which workbooks need.
trait WriteSeek: Write + Seek {}
impl<T: Write + Seek> WriteSeek for T {}

/// An error with its file.
#[derive(Debug, Error)]
#[error("{source}")]
struct InFile {
    path: PathBuf,
    source: io::Error,
}

impl OutputFile {
    fn with_path<T>(&self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|source| match source.kind() {
            io::ErrorKind::Interrupted => source,
            kind => io::Error::new(kind, InFile { path: self.path.clone(), source }),
        })
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.stream.each(|stream| stream.write(bytes));
        self.with_path(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.stream.each(|stream| stream.flush());
        self.with_path(done)
    }
}

impl Seek for OutputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let done = self.stream.each(|stream| stream.seek(to));
        self.with_path(done)
    }
}

/// Returns the file of an error, even if libraries wrapped the error.
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
    /// Creates the folder if needed and locks it. Waits for another run that has the lock.
    pub fn new(to: impl Into<Destination>) -> Result<Self, OutputError> {
        let to = match to.into() {
            Destination::Folder(folder) => To::Folder(Folder::open(&folder)?),
            Destination::Memory(files) => To::Memory(Memory::new(files)),
        };
        Ok(Self { to, stem: "audit", names: Vec::new(), replaced: Vec::new() })
    }

    /// Replaces an earlier report, which may have any of these files. `stem` is the name of files that are not tables.
    pub fn replacing(mut self, stem: &'static str, files: Vec<String>) -> Self {
        (self.stem, self.replaced) = (stem, files);
        let last = self.last();
        self.without_halves(|name| name == last || self.replaced.iter().any(|file| file == name));
        self
    }

    /// Puts the tables into the lake in this folder, each as a file of this part. Other files stay in the folder of the
    /// output. Follows [`Output::replacing`].
    pub fn part_of(mut self, lake: &Path, part: &str) -> Self {
        if let To::Folder(folder) = &mut self.to {
            folder.put_tables_into(Lake { folder: lake.into(), part: part.into(), stem: self.stem });
        }
        self
    }

    /// Removes partial files of these names that a killed run left.
    pub fn without_halves(&self, is_own: impl Fn(&str) -> bool) {
        if let To::Folder(folder) = &self.to {
            folder.without_halves(is_own);
        }
    }

    /// Opens the file with this extension that is not a table.
    pub fn open_whole(&mut self, ending: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        self.open(&format!("{}.{ending}", self.stem))
    }

    /// Returns the local folder of the files until they are published. `None` in memory.
    pub fn folder(&self) -> Option<&Path> {
        if let To::Folder(folder) = &self.to { Some(folder.path()) } else { None }
    }

    /// Creates an unnamed temporary file, on the disk of the folder or in memory. Up to `in_memory` bytes stay in memory.
    pub fn scratch(&self, in_memory: usize) -> SpooledTempFile {
        match self.folder() {
            Some(folder) => SpooledTempFile::new_in(in_memory, folder),
            None => SpooledTempFile::new(usize::MAX),
        }
    }

    /// The files, in the order of opening.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Opens a file with a temporary name until [`Output::publish`].
    pub fn open(&mut self, name: &str) -> Result<BufWriter<OutputFile>, OutputError> {
        let file = match &mut self.to {
            To::Folder(folder) => folder.create(name)?,
            To::Memory(memory) => memory.create(name),
        };
        self.names.push(name.into());
        Ok(BufWriter::with_capacity(256 * 1024, file))
    }

    /// Like [`Output::open`] for a table with this header. A file of another program stays: one with another header, in a
    /// folder without a report.
    pub fn open_table(&mut self, name: &str, header: &[u8]) -> Result<BufWriter<OutputFile>, OutputError> {
        if let To::Folder(folder) = &self.to {
            folder.check_own(name, header, &self.last())?;
        }
        self.open(name)
    }

    /// Renames all files, the JSON that marks a complete report last. Removes other files of an earlier report.
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

    /// Renames these files of a folder before the others, so that they can be read. Removes the other files of an earlier
    /// report.
    pub fn publish_first(&mut self, names: &[String]) -> Result<(), OutputError> {
        let last = self.last();
        if let To::Folder(folder) = &self.to {
            folder.publish(names, &self.replaced, &last)?;
            self.names.retain(|name| !names.contains(name));
        }
        Ok(())
    }

    /// Whether the folder has files of an earlier report that publishing would remove.
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
    fn a_report_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let publish = |text: &[u8]| {
            let mut output =
                Output::new(folder.path()).unwrap().replacing("audit", vec!["changes.csv".into()]);
            for name in ["objects.csv", "parts.csv", LAST] {
                output.open(name).unwrap().write_all(text).unwrap();
            }
            output.publish()
        };
        publish(b"old").unwrap();
        fs::remove_file(at("parts.csv")).unwrap();
        fs::create_dir(at("parts.csv")).unwrap();
        let error = publish(b"new").unwrap_err();
        assert!(error.to_string().contains("parts.csv cannot be written; remove the folder"), "{error}");
        assert_eq!(fs::read(at("objects.csv")).unwrap(), b"old");
        assert_eq!(fs::read(at(LAST)).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        fs::remove_dir(at("parts.csv")).unwrap();
        #[cfg(windows)]
        {
            // As a spreadsheet program opens a file: others may read it.
            use std::os::windows::fs::OpenOptionsExt;
            fs::write(at("changes.csv"), "old").unwrap();
            for name in ["objects.csv", "changes.csv"] {
                let open =
                    fs::OpenOptions::new().read(true).write(true).share_mode(1).open(at(name)).unwrap();
                let error = publish(b"new").unwrap_err();
                assert!(error.to_string().contains("close it in the program"), "{error}");
                assert_eq!(fs::read(at("objects.csv")).unwrap(), b"old");
                drop(open);
            }
        }
        publish(b"new").unwrap();
        assert_eq!(fs::read(at("parts.csv")).unwrap(), b"new");
    }

    #[test]
    fn only_surplus_files_of_an_earlier_report_are_removed() {
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
        // Without a report these files belong to the user.
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
