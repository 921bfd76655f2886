//! Skips writing a report that is up to date.
//!
//! A stamp file next to the report has a hash of everything that the report depends on, and the state of its files. A run
//! with the same hash that finds the files in that state keeps the report. In doubt, the report is written again.

use hullmark_report::{Evaluator, ReportWriter, RowFilter, Summary, evaluate::LedgerSet, output::LAST};
use hullmark_storage::stamp::Stamp;
use hullmark_util::named_file;
use serde::{Deserialize, Serialize};
use std::{
    fmt::{self, Write as _},
    fs,
    path::Path,
};
use xxhash_rust::xxh3::Xxh3;

/// Name of the stamp file.
const STAMP: &str = ".hullmark-stamp";

/// Hash of everything that a report depends on. Equal hashes mean equal reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Origin(String);

/// Content of the stamp file.
#[derive(Serialize, Deserialize)]
struct BuildStamp {
    follows_from: String,
    files: Vec<String>,
    state: Stamp,
}

impl Origin {
    /// Returns the hash of a run over these ledgers into these files. `None` if it is unknown, or with a baseline, which
    /// may be the report in these files.
    pub(super) fn new(
        writer: &ReportWriter<'_>,
        set: &LedgerSet,
        filter: &RowFilter,
        summary: &Summary,
        files: &[String],
    ) -> Option<Self> {
        if writer.baseline.is_some() || set.checksums.iter().any(String::is_empty) {
            return None;
        }
        Self::by(Stamp::of_this_program()?, writer, set, filter, summary, files)
    }

    /// Returns the hash of a run by this program. `None` if a baseline is no report, or is gone.
    pub(super) fn by(
        program: impl fmt::Debug,
        writer: &ReportWriter<'_>,
        set: &LedgerSet,
        filter: &RowFilter,
        summary: &Summary,
        files: &[String],
    ) -> Option<Self> {
        // No `..`: a new field needs a decision here.
        let ReportWriter {
            evaluator,
            known,
            copies,
            baseline,
            baseline_gone: None,
            kept: _,
            uncovered,
            emptied,
            waivers,
            trend,
            top,
            address,
        } = writer
        else {
            return None;
        };
        let baseline = baseline.map(|earlier| earlier.checksum.as_str());
        if baseline.is_some_and(str::is_empty) {
            return None;
        }
        let mut digest = Digest(Xxh3::new());
        // The manifest has all settings that change a result.
        let Evaluator { profile, opensim_load, further, users, regions, config: _ } = evaluator;
        let evaluator = (profile, opensim_load, further, users, regions, &summary.manifest);
        let of_run = (
            evaluator,
            &known,
            &copies,
            &uncovered,
            &emptied,
            &waivers,
            &trend,
            (&top, address, baseline),
            &filter,
            files,
        );
        write!(digest, "{program:?} {of_run:?} {:?}", set.checksums).ok()?;
        Some(Self(format!("{:032x}", digest.0.digest128())))
    }
}

/// Returns the report in a folder, if it is up to date and its files are unchanged.
pub(super) fn find(folder: &Path, origin: &Origin) -> Option<Summary> {
    let read = |name: &str| named_file::read_regular(&folder.join(name), named_file::PLAN).ok();
    let stamp: BuildStamp = serde_json::from_slice(&read(STAMP)?).ok()?;
    let is_current = stamp.follows_from == origin.0 && state(folder, &stamp.files)? == stamp.state;
    is_current.then(|| serde_json::from_slice(&read(LAST)?).ok()).flatten()
}

/// Writes the stamp of a published report. If that fails, the next run writes the report again.
pub(super) fn stamp(folder: &Path, origin: Origin, files: Vec<String>) {
    let Some(state) = state(folder, &files) else { return };
    let stamp = serde_json::to_vec(&BuildStamp { follows_from: origin.0, files, state });
    let path = folder.join(STAMP);
    // The path may be a pipe. Writing to it would wait for somebody who reads.
    let _ = fs::remove_file(&path);
    let _ = stamp.map(|bytes| fs::write(path, bytes));
}

/// Returns the state of the files of a report.
fn state(folder: &Path, files: &[String]) -> Option<Stamp> {
    Stamp::of_all(files.iter().map(|name| Stamp::of_file_now(&folder.join(name))))
}

/// Hashes the text that is written to it.
struct Digest(Xxh3);

impl fmt::Write for Digest {
    fn write_str(&mut self, words: &str) -> fmt::Result {
        self.0.update(words.as_bytes());
        Ok(())
    }
}
