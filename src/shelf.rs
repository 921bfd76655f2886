//! A folder of ledgers that is kept from night to night: what is still true in it is not read again.
//!
//! A ledger is still true where its input's files have the same names, sizes and times (with `checksum`: the same
//! content), and it was made by the same program with the same limits on decoding. Thresholds, profiles and choices
//! of rules come after the ledgers and change none. One run at a time uses a folder,
//! or the shares of one plan do together.

use crate::{
    brief::Brief,
    facts::Status,
    hold::{Hold, hold},
    ledger::{self, EXTENSION, Label, Ledger, LedgerError, Made, PARTIAL},
    limits::Limits,
    source::{
        Input, What,
        stamp::{self, Stamp},
    },
    storage,
};
use rayon::prelude::*;
use std::{
    collections::{BTreeSet, HashSet},
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};
use thiserror::Error;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

/// The ending of the ledger of what is no input any more: it is not reported, and remembers what was there.
const PAST: &str = "past";

/// Why a folder of ledgers cannot be used.
#[derive(Debug, Error)]
#[error("The folder of ledgers {} cannot be used; choose another --ledgers, or mend it", path.display())]
pub struct ShelfError {
    /// The folder, or a file in it.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

/// A folder of ledgers, in use by this run.
#[derive(Debug)]
pub struct Shelf {
    folder: PathBuf,
    settings: String,
    checksum: bool,
    /// The plan that this run works a share of.
    plan: Option<String>,
    now: String,
    /// Ledgers that were found true already.
    found: Mutex<HashSet<PathBuf>>,
    _lock: Option<File>,
}

impl Shelf {
    /// Opens a folder, and makes it if it is not there. Where another run uses it, `wait` is told, and this one waits,
    /// unless both work shares of a `plan`. What is read is remembered as read `now`.
    ///
    /// # Errors
    /// The folder cannot be made, written or locked.
    pub fn open(
        folder: &Path,
        limits: &Limits,
        checksum: bool,
        plan: Option<String>,
        now: SystemTime,
        wait: impl FnOnce(),
    ) -> Result<Self, ShelfError> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            |source| ShelfError { path, source }
        };
        let how = if plan.is_some() { Hold::Together } else { Hold::Alone };
        let lock = storage::prepare(folder).and_then(|()| hold(folder, how, wait)).map_err(failed(folder))?;
        let now = humantime::format_rfc3339_seconds(now).to_string();
        Ok(Self {
            folder: folder.into(),
            settings: settings(limits),
            checksum,
            plan,
            now,
            found: Mutex::default(),
            _lock: lock,
        })
    }

    /// Whether a true ledger says that the file of this name and stamp is an archive, so that nobody has to look.
    pub fn holds_archive(&self, name: &str, stamp: Stamp) -> bool {
        let path = self.folder.join(ledger::file_name(name, false));
        let holds = |label: Label| {
            let is_archive = matches!(&*label.kind, "oar" | "iar");
            is_archive
                && label.made.is_some_and(|made| made.stamp == Some(stamp) && made.settings == self.settings)
        };
        // With checksums the time of a file proves nothing.
        let held = !self.checksum && ledger::verify(&path).is_ok_and(holds);
        if held {
            self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(path);
        }
        held
    }

    /// The ledger of an input, if it is there and still true; of a store, if it was made for these `bodies`.
    pub fn find(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>) -> Option<PathBuf> {
        let path = self.folder.join(ledger::file_name(&input.name, bodies.is_some()));
        if self.found.lock().unwrap_or_else(PoisonError::into_inner).contains(&path) {
            return Some(path);
        }
        let Label { made, .. } = ledger::verify(&path).ok()?;
        // One without a stamp was true for one run.
        let made = made.filter(|made| made.stamp.is_some())?;
        if made.settings != self.settings || made.bodies != bodies.map(of_bodies) {
            return None;
        }
        let mut now = made.clone();
        if bodies.is_some() && self.plan.is_some() {
            // What it was searched for may be lacked by others now.
            now.plan.clone_from(&self.plan);
        }
        if self.checksum {
            let content = Stamp::of_content(input).ok()?;
            if content.is_none() || made.content != content {
                return None;
            }
            // The next run without checksums shall know it again.
            now = Made { stamp: input.stamp, modified: input.modified, ..now };
        } else if made.stamp != input.stamp {
            return None;
        }
        if now != made {
            ledger::relabel(&path, now).ok()?;
        }
        Some(path)
    }

    /// The label of the ledger that an input had last, true or not.
    pub fn last(&self, input: &Input) -> Option<Label> {
        let path = self.folder.join(ledger::file_name(&input.name, false));
        ledger::read_label(&path).or_else(|_| ledger::read_label(&path.with_extension(PAST))).ok()
    }

    /// Keeps a ledger.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(
        &self,
        input: &Input,
        bodies: Option<&BTreeSet<Uuid>>,
        ledger: &Ledger,
    ) -> Result<PathBuf, LedgerError> {
        let path = ledger.write_labelled(&self.folder, self.label(input, bodies, ledger))?;
        // What was before is in the label now.
        let _ = storage::remove(&path.with_extension(PAST));
        Ok(path)
    }

    /// What the line in front of a ledger says. One of an input that was not read to its end is true for this run only:
    /// what failed may work the next time.
    pub fn label(&self, input: &Input, bodies: Option<&BTreeSet<Uuid>>, ledger: &Ledger) -> Label {
        let read = ledger.content_hash.as_deref().filter(|_| input.what == What::Archive);
        let content = match read.and_then(Stamp::of_hash) {
            None if self.checksum => Stamp::of_content(input).ok().flatten(),
            known => known,
        };
        let made = Made {
            path: whole_path(input),
            stamp: input.stamp.filter(|_| ledger.status == Status::Complete),
            modified: input.modified,
            content,
            settings: self.settings.clone(),
            plan: self.plan.clone(),
            read: Some(self.now.clone()),
            bodies: bodies.map(of_bodies),
        };
        let mut label = Label { made: Some(made), ..ledger.label() };
        if bodies.is_none() {
            label.earlier = self.earlier(input, &label.brief);
        }
        label
    }

    /// What an input came to before it came to this.
    fn earlier(&self, input: &Input, now: &Brief) -> Vec<Brief> {
        // The same name may be another file's where somebody else stands in another folder.
        let same = |last: &Label| last.made.as_ref().is_some_and(|made| made.path == whole_path(input));
        let last = self.last(input).filter(same);
        last.map_or_else(Vec::new, |last| now.remember(last.brief, last.earlier))
    }

    /// Removes the ledgers of inputs that are gone from the disk, and what a run that was killed left half written. Those
    /// of what this run saw to be `no_inputs` any more are put aside: a file may be an archive again the next night.
    /// Those that this run did not look for stay: they may be another job's; those that it used are still to be told.
    /// Beside other shares of a plan nothing is removed: what is half written may be theirs.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn prune(&self, used: &[PathBuf], no_inputs: &[String]) -> Result<(), ShelfError> {
        if self.plan.is_some() {
            return Ok(());
        }
        let used: HashSet<&Path> = used.iter().map(PathBuf::as_path).collect();
        let mut entries = match storage::entries(&self.folder) {
            // A store knows no folder in which nothing is.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|source| ShelfError { path: self.folder.clone(), source })?,
        };
        let no_inputs = no_inputs.iter().map(|name| self.folder.join(ledger::file_name(name, false)));
        let no_inputs: HashSet<PathBuf> = no_inputs.collect();
        // Most never had one.
        for path in entries.iter_mut().filter(|path| no_inputs.contains(*path)) {
            let past = path.with_extension(PAST);
            let _ = storage::rename(path, &past);
            *path = past;
        }
        entries.retain(|path| !used.contains(path.as_path()));
        // Whatever else lies in the folder is somebody's own. What will not go will be tried again the next night.
        let remove = |path: &PathBuf| {
            if ledger::is_file_name(path) && is_unused(path) {
                let _ = storage::remove(path);
            }
        };
        storage::side_by_side(&[&self.folder], || entries.par_iter().for_each(remove));
        Ok(())
    }
}

/// Where an input is, from the root.
fn whole_path(input: &Input) -> String {
    stamp::whole(&input.path).to_string_lossy().into_owned()
}

/// Whether a file is half a ledger, or one of what is no longer there.
fn is_unused(path: &Path) -> bool {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some(PARTIAL) => true,
        Some(EXTENSION | PAST) => match ledger::read_label(path) {
            Ok(label) => is_gone(&label),
            // What cannot be read at the moment may be sound.
            Err(error) => !matches!(error, LedgerError::Io { .. }),
        },
        _ => false,
    }
}

/// Whether the input of a ledger is no longer there.
fn is_gone(label: &Label) -> bool {
    label.made.as_ref().is_some_and(|made| storage::is_gone(Path::new(&made.path)))
}

/// What besides the input decides what a ledger holds. Limits that bound only how much waits in memory, or which
/// inputs are read, do not.
pub(crate) fn settings(limits: &Limits) -> String {
    let limits = Limits {
        run_bytes: 0,
        bytes_in_flight: 0,
        kept_texture_bytes: 0,
        kept_textures_bytes: 0,
        ..limits.clone()
    };
    let words = format!(
        "{} {} sculpt={} {limits:?}",
        env!("CARGO_PKG_VERSION"),
        ledger::VERSION,
        cfg!(feature = "sculpt")
    );
    format!("{:032x}", xxh3_128(words.as_bytes()))
}

fn of_bodies(bodies: &BTreeSet<Uuid>) -> String {
    let bytes: Vec<u8> = bodies.iter().flat_map(|uuid| *uuid.as_bytes()).collect();
    format!("{:032x}", xxh3_128(&bytes))
}
