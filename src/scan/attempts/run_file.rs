//! The file of a run: the names of the inputs that it is reading.
//!
//! The run holds a lock on its file, which the system releases when the process ends, in any way. The file has lines of
//! one length. Each is written at its place in one call, so a name costs no more than that, and a run that dies leaves
//! whole lines.

use hullmark_storage::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    process,
    time::{SystemTime, UNIX_EPOCH},
};

/// The extension of these files.
const EXTENSION: &str = "run";

/// Bytes of a line.
const LINE: usize = 1024;

/// Most bytes of a file that are read. A run has at most 1,024 lanes.
const MOST: u64 = 2048 * LINE as u64;

/// Attempts to create a file. Another run may remove it, or the folder, before it is locked.
const TRIES: u32 = 8;

/// An input that is being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark {
    /// The name of its ledger, which differs for each input and store.
    pub(super) ledger: String,
    /// Its name. It may be cut, because it is for people.
    pub(super) input: String,
    /// The state of its files.
    pub(super) stamp: Option<Stamp>,
}

/// The first line.
#[derive(Serialize)]
struct Head {
    hullmark_reading: u32,
    process: u32,
}

/// A locked file of a run.
#[derive(Debug)]
pub(super) struct RunFile {
    file: File,
    path: PathBuf,
    /// The ledger of the input in each line.
    lines: Vec<Option<String>>,
}

impl RunFile {
    /// Creates the file of this run. `None` if the file system has no locks, or nothing can be written.
    pub(super) fn create(folder: &Path) -> Option<Self> {
        (0..TRIES).find_map(|_| Self::try_create(folder).ok().flatten())
    }

    /// Creates a file. `None` if another run took it for that of a dead one.
    fn try_create(folder: &Path) -> io::Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let path = folder.join(format!("{}-{moment:x}.{EXTENSION}", process::id()));
        let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
        if file.try_lock().is_err() {
            // Without locks, the next run would take this run for a dead one.
            let _ = fs::remove_file(&path);
            return Ok(None);
        }
        let head = Head { hullmark_reading: 1, process: process::id() };
        file.write_all(&line(&serde_json::to_vec(&head)?))?;
        Ok(path.exists().then_some(Self { file, path, lines: Vec::new() }))
    }

    /// Opens and locks the file of a run that died. `None` for other files, and while the run lives.
    pub(super) fn of_dead(path: &Path) -> Option<Self> {
        path.extension().filter(|ending| *ending == EXTENSION)?;
        let file = File::options().read(true).write(true).open(path).ok()?;
        file.try_lock().ok()?;
        Some(Self { file, path: path.into(), lines: Vec::new() })
    }

    pub(super) fn marks(&self) -> Vec<Mark> {
        let mut bytes = Vec::new();
        // What cannot be read names no input.
        let _ = (&self.file).take(MOST).read_to_end(&mut bytes);
        bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }

    pub(super) fn begin(&mut self, mark: Mark) {
        let free = self.lines.iter().position(Option::is_none).unwrap_or_else(|| {
            self.lines.push(None);
            self.lines.len() - 1
        });
        self.write(free, &words(&mark));
        self.lines[free] = Some(mark.ledger);
    }

    pub(super) fn end(&mut self, ledger: &str) {
        if let Some(place) = self.lines.iter().position(|line| line.as_deref() == Some(ledger)) {
            self.write(place, b"");
            self.lines[place] = None;
        }
    }

    pub(super) fn clear(&mut self) {
        for place in 0..self.lines.len() {
            self.write(place, b"");
            self.lines[place] = None;
        }
    }

    /// Writes a line after the first one. If that fails, the input is not known to be read, and nothing else is lost.
    fn write(&self, place: usize, words: &[u8]) {
        let start = SeekFrom::Start((place as u64 + 1) * LINE as u64);
        let mut file = &self.file;
        let _ = file.seek(start).and_then(|_| file.write_all(&line(words)));
    }

    /// Removes the file, while its lock is held.
    pub(super) fn remove(self) {
        // Windows removes a file after its last handle is closed. Until then, others cannot open it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a file is that of a process.
pub(super) fn is_of(path: &Path, process: u32) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.and_then(|name| name.split_once('-')).is_some_and(|(number, _)| number.parse() == Ok(process))
}

/// Returns a mark as JSON. A name that is too long for a line is cut.
fn words(mark: &Mark) -> Vec<u8> {
    let json = |mark: &Mark| serde_json::to_vec(mark).unwrap_or_default();
    let whole = json(mark);
    if whole.len() < LINE {
        return whole;
    }
    // A character takes at most six bytes.
    json(&Mark { input: mark.input.chars().take(LINE / 10).collect(), ..mark.clone() })
}

/// Returns a line with blanks at its end. Words that do not fit are left out.
fn line(words: &[u8]) -> Vec<u8> {
    let mut line = if words.len() < LINE { words.to_vec() } else { Vec::new() };
    line.resize(LINE - 1, b' ');
    line.push(b'\n');
    line
}
