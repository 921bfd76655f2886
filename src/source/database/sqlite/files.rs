//! The files of a database, and whether they are unchanged.
//!
//! While a program changes a database, there is a journal or a write-ahead log as well. No lock is taken here, so no
//! program ever waits for this one. Instead the state of all files is compared before and after each reading.

use crate::{Deadline, FileSystem, OpenFile};
use hullmark_database::sqlite::{JOURNAL_HEADER, JOURNAL_MAGIC, WAL_HEADER};
use std::{
    collections::HashSet,
    fs::Metadata,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// Ends of the names of a journal, a log and its index. They are parts of the database.
pub(crate) const BESIDE: [&str; 3] = ["-journal", "-wal", "-shm"];

/// Returns the paths of the journals and logs that these databases may have.
pub(crate) fn beside_all<'p>(databases: impl Iterator<Item = &'p Path>) -> HashSet<PathBuf> {
    databases.flat_map(|path| BESIDE.map(|ending| beside(path, ending))).collect()
}

/// Returns the path with this ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

/// Where the change counter is in a database.
const COUNTER: u64 = 24;

/// A file system may give two writes in this time the same time of change.
const TICK: Duration = Duration::from_millis(20);

/// The same for a file system that counts whole seconds, or two of them.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// Number of times to wait until the last change is older than a tick.
const WAITS: usize = 20;

/// Time for which a program that writes all the time is waited for, in all readings of a database together. Most file
/// systems need much less, and the coarsest one a little less.
const PATIENCE: Duration = Duration::from_secs(3);

/// Longest wait between two looks at the deadline.
const NAP: Duration = Duration::from_millis(50);

/// How long a database that changes all the time is waited for.
#[derive(Debug)]
pub(super) struct Patience {
    /// `None` for files that never change.
    until: Option<Instant>,
    deadline: Deadline,
}

impl Patience {
    pub(super) fn new(system: &FileSystem, deadline: Deadline) -> Self {
        let until = match system {
            FileSystem::Disk => Some(Instant::now() + PATIENCE),
            // A browser has such files, and no clock.
            FileSystem::Virtual(_) => None,
        };
        Self { until, deadline }
    }

    /// Whether it is over. Then a database is read as it is.
    pub(super) fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until) || self.deadline.over().is_some()
    }

    /// Waits. Returns `false` if it is over before.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while !self.is_over() {
            match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return true,
                left => thread::sleep(left.min(NAP)),
            }
        }
        false
    }
}

/// The paths of a database, its journal and its log.
#[derive(Debug, Clone)]
pub(super) struct DatabaseFiles {
    pub(super) system: FileSystem,
    pub(super) database: PathBuf,
    pub(super) journal: PathBuf,
    pub(super) wal: PathBuf,
}

/// All that a writer changes before it changes pages, or after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DatabaseState {
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

impl DatabaseFiles {
    /// Returns the files of the database at this path.
    pub(super) fn of(system: &FileSystem, path: &Path) -> Self {
        let [journal, wal, _] = BESIDE.map(|ending| beside(path, ending));
        Self { system: system.clone(), database: path.to_owned(), journal, wal }
    }

    /// Returns the paths of those files that exist.
    pub(super) fn present(&self) -> impl Iterator<Item = &Path> {
        let beside = [&self.journal, &self.wal].into_iter().filter(|path| self.system.length(path).is_some());
        [&self.database].into_iter().chain(beside).map(PathBuf::as_path)
    }

    pub(super) fn state(&self) -> io::Result<DatabaseState> {
        let system = &self.system;
        let journal = start(system, &self.journal)?.filter(|(_, bytes)| bytes.starts_with(&JOURNAL_MAGIC));
        let wal = start(system, &self.wal)?.map(|(_, bytes)| bytes);
        let mut file = system.open(&self.database)?;
        let database = FileState::of(&mut file)?;
        let mut counter = [0; 4];
        file.seek(SeekFrom::Start(COUNTER))?;
        file.read_exact(&mut counter)?;
        Ok(DatabaseState { database, counter, journal, wal })
    }

    /// Whether another program may change the files.
    pub(super) fn may_change(&self) -> bool {
        matches!(self.system, FileSystem::Disk)
    }

    /// Returns the current state, once a further change will show: after the tick of the last one. A program that writes
    /// all the time lets this give up, and then the change counter must show it.
    pub(super) fn settled(&self, patience: &Patience) -> io::Result<DatabaseState> {
        for _ in 0..WAITS {
            let state = self.state()?;
            match state.database.age().zip(state.tick()) {
                Some((age, tick)) if age < tick && patience.wait(tick - age) => {}
                _ => return Ok(state),
            }
        }
        self.state()
    }
}

impl DatabaseState {
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
