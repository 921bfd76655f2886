//! A report in shards, which several machines write into one lake.
//!
//! 1. [`compare()`] compares all inputs with each other. It reads all ledgers and measures nothing.
//! 2. [`write_shard`] writes the rows of one shard, with the outcomes of that comparison.
//! 3. [`join()`] joins the sums of all shards, and writes the rows of all other subjects and `audit.json`.
//!
//! A lake has a folder for each table, and each shard has a file in it. No file is written twice. The folder
//! `_run` has what the steps hand on; engines that read lakes ignore such names.

mod compare;
mod join;
mod records;
mod shard;

use crate::{reports::Evaluation, up_to_date::Origin};
pub use compare::compare;
use hullmark_report::{
    ReportError, RowFilter, diff::ReadReportError, evaluate::LedgerSet, output::OutputError,
};
use hullmark_rules::cross_input::OutcomesOfRun;
use hullmark_settings::config::{Format, ReportConfig};
use hullmark_storage as storage;
pub use join::join;
use serde::{Deserialize, Serialize};
pub use shard::{LakeShard, write_shard};
use std::{
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// The folder of what the steps hand on.
const RUN: &str = "_run";

/// Stem of the files of the comparison.
const ACROSS: &str = "across";

/// Stem of the files with the sums of a shard.
const SUMS: &str = "sums";

/// Version of the files in [`RUN`].
const VERSION: u32 = 1;

/// The tables that only the last step writes: sums over all inputs.
const OF_RUN: [&str; 2] = ["owners", "creators"];

/// The tables that the last step writes, apart from changes. It adds copies, missing archives and findings about the run.
const OF_JOIN: [&str; 6] = ["archives", "actions", "owners", "creators", "findings", "checks"];

// What a step may have that the comparison had not.
const LEDGERS: &str = "ledgers";
const SETTINGS: &str = "settings, flags, files or another version of hullmark";

/// Why a step of a report in shards failed.
#[derive(Debug, Error)]
pub enum LakeError {
    /// The first step is missing.
    #[error(
        "{} has no comparison of inputs. Run `hullmark report --across N` with the same flags first",
        .0.display()
    )]
    NotCompared(PathBuf),
    /// The first step was of another run.
    #[error(
        "The inputs for {} were compared with other {other}. Give all steps the same, or run `hullmark report --across \
         N` again",
        lake.display()
    )]
    OtherRun {
        /// The lake.
        lake: PathBuf,
        /// What differs.
        other: &'static str,
    },
    /// The first step prepared another number of shards.
    #[error("--shard names {shards} shards, but --across prepared {prepared}. Use the same number for both")]
    OtherNumber {
        /// The number of shards that was given.
        shards: u32,
        /// The number in the lake.
        prepared: u32,
    },
    /// Shards have no part of this run.
    #[error(
        "{missing} of the {shards} shards in {} have no part of this run: {named}. Write them with `hullmark report \
         --shard K/{shards}`, then join again",
        lake.display()
    )]
    Missing {
        /// The lake.
        lake: PathBuf,
        /// The number of these shards.
        missing: usize,
        /// The first of them.
        named: String,
        /// The number of all shards.
        shards: u32,
    },
    /// A file of an earlier step is damaged.
    #[error("{} cannot be read ({why}). Run the step that writes it again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A format needs all findings in one place.
    #[error("A lake has no {0}: it needs the findings of all inputs at once. Use csv, jsonl or parquet")]
    Format(&'static str),
    /// The earlier run has no `audit.json` by which all steps know it.
    #[error(
        "Shards are compared with a report or a lake, not with ledgers. Write the report of these ledgers first"
    )]
    Ledgers,
    /// The lake has only pages for people, whose rows cannot be compared.
    #[error("Shards are compared with a baseline by their tables. Add csv, jsonl or parquet to --format")]
    WithoutTables,
    /// The tables of this run cannot be compared with those of the earlier one.
    #[error("The shards cannot be compared with the earlier run")]
    Changes(#[from] ReadReportError),
    /// The report cannot be written.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl From<OutputError> for LakeError {
    fn from(error: OutputError) -> Self {
        Self::Report(error.into())
    }
}

/// What the comparison hands on to the other steps.
#[derive(Debug, Serialize, Deserialize)]
pub struct Comparison {
    hullmark_lake: u32,
    follows_from: Origin,
    /// The checksums of all ledgers, as one.
    ledgers: String,
    shards: u32,
    /// The time of the run, from which all steps count ages.
    pub now: SystemTime,
    /// The files of ledgers that cannot be read.
    pub damaged: Vec<String>,
    of_stores: OutcomesOfRun,
    of_regions: OutcomesOfRun,
}

impl Comparison {
    /// Reads the comparison of a lake.
    ///
    /// # Errors
    /// The lake has none, or it cannot be read.
    pub fn read(lake: &Path) -> Result<Self, LakeError> {
        let comparison: Self =
            read_json(&Self::file(lake))?.ok_or_else(|| LakeError::NotCompared(lake.into()))?;
        match comparison.hullmark_lake {
            VERSION => Ok(comparison),
            _ => Err(other_run(lake, SETTINGS)),
        }
    }

    fn file(lake: &Path) -> PathBuf {
        lake.join(RUN).join(ACROSS).with_extension("json")
    }

    /// Makes sure that a step belongs to the run of the comparison.
    fn ensure(&self, evaluation: &Evaluation<'_>, lake: &Path) -> Result<(), LakeError> {
        if self.follows_from == origin(evaluation, self.shards)? {
            return Ok(());
        }
        let is_of_ledgers = self.ledgers != checksum(&evaluation.set);
        Err(other_run(lake, if is_of_ledgers { LEDGERS } else { SETTINGS }))
    }
}

fn other_run(lake: &Path, other: &'static str) -> LakeError {
    LakeError::OtherRun { lake: lake.into(), other }
}

fn checksum(set: &LedgerSet) -> String {
    format!("{:032x}", xxh3_128(set.checksums.concat().as_bytes()))
}

/// What a shard hands on to the last step, apart from its sums.
#[derive(Debug, Serialize, Deserialize)]
struct ShardEnd {
    follows_from: Origin,
    /// The number of its inputs.
    inputs: u64,
}

/// Returns the hash of all that the rows of this run depend on. All steps must have the same.
fn origin(evaluation: &Evaluation<'_>, shards: u32) -> Result<Origin, LakeError> {
    let Evaluation { writer, set, summary, .. } = evaluation;
    let formats: Vec<String> =
        writer.evaluator.config.formats.iter().map(|format| format.name().into()).collect();
    let program = (env!("CARGO_PKG_VERSION"), VERSION, shards);
    let origin = Origin::by(program, writer, set, &RowFilter::default(), summary, &formats);
    origin.ok_or(LakeError::Ledgers)
}

/// Returns the settings with only those formats whose rows need no others, and with those for people.
fn divided(config: &ReportConfig) -> Result<[ReportConfig; 2], LakeError> {
    let (mut plain, mut for_people) = (Vec::new(), Vec::new());
    for &format in &config.formats {
        match format {
            Format::Csv | Format::Jsonl | Format::Parquet => plain.push(format),
            Format::Html | Format::Xlsx => for_people.push(format),
            Format::Sarif | Format::Junit => return Err(LakeError::Format(format.name())),
        }
    }
    Ok([plain, for_people].map(|formats| ReportConfig { formats, ..config.clone() }))
}

/// The folder of a part.
fn part(lake: &Path, number: u32) -> PathBuf {
    lake.join(RUN).join(format!("part-{number}"))
}

/// Reads a JSON file of an earlier step. `None` if it is missing.
fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, LakeError> {
    let bytes = match storage::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(damaged(path, &error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| damaged(path, &error))
}

fn damaged(path: &Path, why: &dyn std::error::Error) -> LakeError {
    LakeError::Damaged { path: path.into(), why: why.to_string() }
}
