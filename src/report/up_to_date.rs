//! A report that stands: where nothing that it follows from has changed, it is not written a second time.
//!
//! Behind every report lies a seal, which says what the report follows from and in what state its files were left. A
//! run that follows from the same and finds the files in that state takes the report as it is. Whatever cannot be
//! told is a reason to write.

use super::{Evaluator, RowFilter, Summary, evaluate::LedgerSet, output::LAST, write::ReportWriter};
use crate::storage::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::{
    env,
    fmt::{self, Write as _},
    fs,
    path::Path,
};
use xxhash_rust::xxh3::Xxh3;

/// The seal's file, beside those of the report.
const SEAL: &str = ".hullmark-seal";

/// What a report follows from, in one number: equal numbers, equal reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Origin(String);

/// What a seal says.
#[derive(Serialize, Deserialize)]
struct Seal {
    follows_from: String,
    files: Vec<String>,
    state: Stamp,
}

impl Origin {
    /// Of a run over these ledgers, into these files. There is none where that cannot be told, or where the run looks
    /// at more than what is summed up here: at another night.
    pub(super) fn of(
        run: &ReportWriter<'_>,
        apart: &LedgerSet,
        narrow: &RowFilter,
        summary: &Summary,
        files: &[String],
    ) -> Option<Self> {
        // No `..`: who gives a run more to follow from has to decide here.
        let ReportWriter { judge, known, copies, baseline: None, uncovered, emptied, waivers, top } = run
        else {
            return None;
        };
        if apart.checksums.iter().any(String::is_empty) {
            return None;
        }
        let mut digest = Digest(Xxh3::new());
        // The manifest has the settings, but for those that change no result.
        let Evaluator { profile, further, users, config: _ } = judge;
        let judge = (profile, further, users, &summary.manifest);
        let of_run = (judge, &known, &copies, &uncovered, &emptied, &waivers, &top, &narrow, files);
        write!(digest, "{:?} {of_run:?} {:?}", program()?, apart.checksums).ok()?;
        Some(Self(format!("{:032x}", digest.0.digest128())))
    }
}

/// The report in a folder, if it follows from the same and nobody touched it since.
pub(super) fn find(folder: &Path, origin: &Origin) -> Option<Summary> {
    let seal: Seal = serde_json::from_slice(&fs::read(folder.join(SEAL)).ok()?).ok()?;
    let stands = seal.follows_from == origin.0 && state(folder, &seal.files)? == seal.state;
    stands.then(|| serde_json::from_slice(&fs::read(folder.join(LAST)).ok()?).ok()).flatten()
}

/// Seals a report that was just published. One that cannot be sealed is whole, and is written again the next time.
pub(super) fn seal(folder: &Path, origin: Origin, files: Vec<String>) {
    let Some(state) = state(folder, &files) else { return };
    let seal = serde_json::to_vec(&Seal { follows_from: origin.0, files, state });
    let _ = seal.map(|bytes| fs::write(folder.join(SEAL), bytes));
}

/// The state of the files of a report.
fn state(folder: &Path, files: &[String]) -> Option<Stamp> {
    Stamp::of_all(files.iter().map(|name| Stamp::of_file_now(&folder.join(name))))
}

/// Which program this is: another one of the same version may judge otherwise.
fn program() -> Option<Stamp> {
    Stamp::of_file_now(&env::current_exe().ok()?)
}

/// Takes words, and keeps their hash.
struct Digest(Xxh3);

impl fmt::Write for Digest {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        self.0.update(words.as_bytes());
        Ok(())
    }
}
