//! Runs that cover only some inputs: a share of them, or as many as a time budget allows.
//!
//! Inputs with a valid ledger are always covered. Then come inputs that were never read, then those read longest ago,
//! so successive runs cover everything. An input that is not covered has one row, with the status `not_covered`, and no
//! findings. Its old ledger is not used, and it does not count as sound.

use crate::{InputKind, Ledger, LedgerHeader, facts::Status, summary::LedgerSummary};
use hullmark_util::{
    dates_in_names::Seconds,
    number_text::{self, counted, thousands},
};
use serde::{Deserialize, Serialize};

/// Maximum number of inputs named in `audit.json`; the table `archives` has all.
const NAMED: usize = 100;

/// Why an input was not covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Because {
    /// It is in another share.
    Sample,
    /// The time of the run was spent.
    Budget,
    /// The bytes that a run may unpack were spent.
    Bytes,
    /// A signal ended the run.
    Signal,
    /// No share of the plan wrote a ledger for it.
    Missing,
}

/// An input that was not covered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Uncovered {
    /// Path of the input.
    pub archive: String,
    /// Its kind at the last reading; empty if it was never read.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub kind: InputKind,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Reason why it is not covered.
    pub because: Because,
    /// Time of its last reading, in an earlier state or by another version. The report has no data from it.
    pub last_read: Option<String>,
    /// Time of the last change of the file.
    #[serde(skip)]
    pub modified: Option<Seconds>,
    /// Summary from its last reading; `None` if it was never read.
    #[serde(skip)]
    pub last: Option<LedgerSummary>,
}

/// Inputs that a report does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotCovered {
    /// Number of inputs.
    pub inputs: u64,
    /// Their size on the disk, bytes.
    pub bytes: u64,
    /// Number in another share.
    pub by_sample: u64,
    /// Number left because the time was spent.
    pub by_budget: u64,
    /// Number left because the bytes of the run were spent.
    pub by_bytes: u64,
    /// Number left when a signal ended the run.
    pub by_signal: u64,
    /// Number without a ledger from any share of the plan.
    pub by_missing: u64,
    /// Number that was never read.
    pub never_read: u64,
    /// Oldest time of a last reading, among those that were read before.
    pub oldest_read: Option<String>,
    /// The first of them, at most 100.
    pub archives: Vec<Uncovered>,
}

impl NotCovered {
    /// Counts these inputs; `None` if there is none.
    pub fn new(uncovered: &[Uncovered]) -> Option<Self> {
        let because = |why| uncovered.iter().filter(|input| input.because == why).count() as u64;
        (!uncovered.is_empty()).then(|| Self {
            inputs: uncovered.len() as u64,
            bytes: uncovered.iter().map(|input| input.bytes).sum(),
            by_sample: because(Because::Sample),
            by_budget: because(Because::Budget),
            by_bytes: because(Because::Bytes),
            by_signal: because(Because::Signal),
            by_missing: because(Because::Missing),
            never_read: uncovered.iter().filter(|input| input.last_read.is_none()).count() as u64,
            oldest_read: uncovered.iter().filter_map(|input| input.last_read.clone()).min(),
            archives: uncovered.iter().take(NAMED).cloned().collect(),
        })
    }

    /// Returns a text that states how much is not covered, why, and since when it was not read.
    pub fn in_words(&self) -> String {
        let of = |count: u64, words: &str| (count > 0).then(|| format!("{} {words}", thousands(count)));
        let because = [
            of(self.by_sample, "in another share (--sample)"),
            of(self.by_budget, "when the time was over (--budget-time)"),
            of(self.by_bytes, "when the bytes of a run were spent (run_bytes in the settings)"),
            of(self.by_signal, "when a signal ended the run"),
            of(self.by_missing, "without a ledger from any share of the plan"),
            of(self.never_read, "never read before"),
            self.oldest_read.as_ref().map(|read| format!("the longest unread since {read}")),
        ];
        let because: Vec<String> = because.into_iter().flatten().collect();
        let bytes = number_text::bytes(self.bytes);
        format!("{} of {bytes} not covered: {}", counted(self.inputs, "input"), because.join(", "))
    }
}

impl Uncovered {
    /// Creates an input from its name, size and time of change, and the header of its last ledger.
    pub fn new(
        name: &str,
        bytes: u64,
        modified: Option<Seconds>,
        because: Because,
        last: Option<LedgerHeader>,
    ) -> Self {
        let (kind, made, last) = last.map_or((InputKind::Unknown, None, None), |header| {
            (header.kind, header.made, Some(header.brief))
        });
        let last_read = made.and_then(|made| made.read);
        Self { archive: name.into(), kind, bytes, because, last_read, modified, last }
    }

    /// Returns a ledger that states only that the input was not covered.
    pub fn ledger(&self) -> Ledger {
        Ledger { bytes: self.bytes, ..Ledger::empty(&self.archive, self.kind, Status::NotCovered) }
    }
}

/// A folder that had inputs in an earlier run and has none in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emptied {
    /// Path of the folder.
    pub folder: String,
    /// Number of inputs in the earlier run.
    pub inputs: u64,
    /// Their names, if they may return: the folder is there, and may be the mount point of a disk.
    pub may_return: Vec<String>,
}
