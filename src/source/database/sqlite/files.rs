//! The files of a database, and whether they are unchanged.
//!
//! While a program changes a database, there is a journal or a write-ahead log as well. No lock is taken here, so no
//! program ever waits for this one. Instead the state of all files is compared before and after each reading.

use crate::{FileSystem, OpenFile};
use hullmark_format::sqlite::{JOURNAL_HEADER, JOURNAL_MAGIC, WAL_HEADER};
use std::{
    fs::Metadata,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// Where the change counter is in a database.
const COUNTER: u64 = 24;

/// A file system may give two writes in this time the same time of change.
const TICK: Duration = Duration::from_millis(20);

/// The same for a file system that counts whole seconds, or two of them.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// Number of times to wait until the last change is older than a tick.
const WAITS: usize = 20;

/// The paths of a database, its journal and its log.
#[derive(Debug, Clone)]
pub(super) struct Files {
    pub(super) system: FileSystem,
    pub(super) database: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) wal: PathBuf,
}

/// All that a writer changes before it changes pages, or after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    database: FileState,
    /// Changes with each transaction, unless there is a write-ahead log.
    counter: [u8; 4],
    /// The journal with its first bytes, if it is in force.
    journal: Option<(FileState, [u8; JOURNAL_HEADER])>,
    /// The first bytes of the write-ahead log. Frames after them are only added while they are the same.
    wal: Option<[u8; WAL_HEADER]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileState {
    bytes: u64,
    modified: Option<SystemTime>,
    number: u64,
}

impl Files {
    /// Returns the files of the database at this path.
    pub(super) fn of(system: &FileSystem, path: &Path) -> Self {
        let beside = |suffix: &str| {
            let mut path = path.as_os_str().to_owned();
            path.push(suffix);
            PathBuf::from(path)
        };
        let system = system.clone();
        Self { system, database: path.to_owned(), journal: beside("-journal"), wal: beside("-wal") }
    }

    /// Returns the paths of those files that exist.
    pub(super) fn present(&self) -> impl Iterator<Item = &Path> {
        let beside = [&self.journal, &self.wal].into_iter().filter(|path| self.system.length(path).is_some());
        [&self.database].into_iter().chain(beside).map(PathBuf::as_path)
    }

    /// Returns the current state.
    pub(super) fn state(&self) -> io::Result<State> {
        let system = &self.system;
        let journal = start(system, &self.journal)?.filter(|(_, bytes)| bytes.starts_with(&JOURNAL_MAGIC));
        let wal = start(system, &self.wal)?.map(|(_, bytes)| bytes);
        let mut file = system.open(&self.database)?;
        let database = FileState::of(&mut file)?;
        let mut counter = [0; 4];
        file.seek(SeekFrom::Start(COUNTER))?;
        file.read_exact(&mut counter)?;
        Ok(State { database, counter, journal, wal })
    }

    /// Whether another program may change the files.
    pub(super) fn may_change(&self) -> bool {
        matches!(self.system, FileSystem::Disk)
    }

    /// Returns the current state, once a further change will show: after the tick of the last one. A program that writes
    /// all the time lets this give up, and then the change counter must show it.
    pub(super) fn settled(&self) -> io::Result<State> {
        for _ in 0..WAITS {
            let state = self.state()?;
            match state.database.age().zip(state.tick()) {
                Some((age, tick)) if age < tick => thread::sleep(tick - age),
                _ => return Ok(state),
            }
        }
        self.state()
    }
}

impl State {
    /// Bytes of the database.
    pub(super) fn bytes(&self) -> u64 {
        self.database.bytes
    }

    /// Returns the tick of the file system, as far as a time shows it.
    fn tick(&self) -> Option<Duration> {
        let since = self.database.modified?.duration_since(UNIX_EPOCH).ok()?;
        Some(if since.subsec_nanos() == 0 { COARSE_TICK } else { TICK })
    }
}

impl FileState {
    fn of(file: &mut OpenFile) -> io::Result<Self> {
        let OpenFile::Disk(file) = file else {
            return Ok(Self { bytes: file.seek(SeekFrom::End(0))?, modified: None, number: 0 });
        };
        let meta = file.metadata()?;
        Ok(Self { bytes: meta.len(), modified: meta.modified().ok(), number: number(&meta) })
    }

    /// Time since the last change. `None` if a clock says that it is still to come.
    fn age(&self) -> Option<Duration> {
        self.modified?.elapsed().ok()
    }
}

/// Returns the number of a file on its disk. A file that replaced another one has a different number.
#[cfg(unix)]
fn number(meta: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    meta.ino()
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

/// Returns the first bytes of a file. `None` if there is no such file, or a shorter one.
fn start<const BYTES: usize>(
    system: &FileSystem,
    path: &Path,
) -> io::Result<Option<(FileState, [u8; BYTES])>> {
    if system.length(path).is_none_or(|bytes| bytes < BYTES as u64) {
        return Ok(None);
    }
    let mut bytes = [0; BYTES];
    let read = system.open(path).and_then(|mut file| {
        file.read_exact(&mut bytes)?;
        FileState::of(&mut file)
    });
    match read {
        Ok(state) => Ok(Some((state, bytes))),
        // Its transaction ended.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
