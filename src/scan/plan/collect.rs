//! Collects the ledgers of a plan: exactly one for each input, or an error that names the problem.

use super::{Plan, some_of};
use crate::{
    ledger::{
        self, LedgerHeader,
        coverage::{Because, Uncovered},
    },
    scan::source::Input,
    util::number_text,
    util::number_text::{counted, thousands},
};
use std::{collections::HashMap, path::PathBuf};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// The ledgers of a plan.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Those of inputs, by the inputs' names.
    pub inputs: Vec<PathBuf>,
    /// Those of stores, where they were made for what these inputs lack.
    pub stores: Vec<PathBuf>,
    /// Inputs that have none.
    pub missing: Vec<Uncovered>,
    /// What ledgers of stores have to be made for.
    pub stores_for: String,
    /// Of the missing: how many have one of another state of their files.
    stale: usize,
    /// How many have one by another version, or with other limits.
    otherwise: usize,
    /// Stores that have none.
    unsearched: usize,
}

/// Why ledgers are not those of a plan.
#[derive(Debug, Error)]
pub enum GatherError {
    /// An input has two.
    #[error("{} and {} are both ledgers of {input}. Remove one of them", one.display(), other.display())]
    Overlap {
        /// The input.
        input: String,
        /// A ledger.
        one: PathBuf,
        /// Another one.
        other: PathBuf,
    },
    /// Some have none.
    #[error(
        "{missing}. Run the failed shards again, or `hullmark scan --plan` without --shard. To report on the others \
         now, add --partial"
    )]
    Holes {
        /// How many, and which.
        missing: String,
    },
    /// Stores were not searched for what the inputs lack.
    #[error(
        "{} of the plan must be searched for assets that the inputs lack. Run `hullmark scan --plan` with --stores \
         after the inputs are scanned",
        counted(*.0 as u64, "store")
    )]
    Stores(usize),
}

impl Plan {
    /// Picks the ledgers of this plan; others may lie beside them, of other nights and other jobs.
    ///
    /// # Errors
    /// An input has two.
    pub fn gather(&self, found: Vec<(LedgerHeader, PathBuf)>) -> Result<Gathered, GatherError> {
        let mut by_name: HashMap<(String, bool), Vec<(LedgerHeader, PathBuf)>> = HashMap::new();
        for (label, path) in found {
            let is_store = label.kind == ledger::STORE;
            by_name.entry((label.input.clone(), is_store)).or_default().push((label, path));
        }
        let mut of =
            |input: &Input, is_store| by_name.remove(&(input.name.clone(), is_store)).unwrap_or_default();
        let mut gathered = Gathered::default();
        let id = self.id();
        let mut searched = id.clone();
        for input in &self.inputs {
            let (own, others): (Vec<_>, Vec<_>) =
                of(input, false).into_iter().partition(|(label, _)| self.is_of(label, input, &id));
            match only(input, own)? {
                Some((label, path)) => {
                    searched += &label.checksum;
                    gathered.inputs.push(path);
                }
                None => {
                    gathered.miss(input, others.into_iter().next().map(|(label, _)| label), &self.settings);
                }
            }
        }
        gathered.stores_for = format!("{:032x}", xxh3_128(searched.as_bytes()));
        for store in &self.stores {
            let mut own = of(store, true);
            own.retain(|(label, _)| is_made_for(label, &gathered.stores_for));
            match only(store, own)? {
                Some((_, path)) => gathered.stores.push(path),
                None => gathered.unsearched += 1,
            }
        }
        Ok(gathered)
    }

    /// Whether a ledger is of an input as it was planned: made for the plan, or of the same state of the same files.
    fn is_of(&self, label: &LedgerHeader, input: &Input, id: &str) -> bool {
        label.made.as_ref().is_some_and(|made| {
            let same_state = made.stamp.is_some() && made.stamp == input.stamp;
            made.settings == self.settings && (same_state || made.plan.as_deref() == Some(id))
        })
    }
}

impl Gathered {
    /// The ledgers to report from, and the inputs of which there is none.
    ///
    /// # Errors
    /// Stores were not searched; inputs are missing, and a report of a part is not meant.
    pub fn into_report(self, partial: bool) -> Result<(Vec<PathBuf>, Vec<Uncovered>), GatherError> {
        match self.missing_text() {
            Some(missing) if !partial => return Err(GatherError::Holes { missing }),
            _ => {}
        }
        if self.unsearched > 0 {
            return Err(GatherError::Stores(self.unsearched));
        }
        Ok(([self.inputs, self.stores].concat(), self.missing))
    }

    /// What is missing, in words; nothing where all is there.
    pub fn missing_text(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let planned = self.inputs.len() + self.missing.len();
        let bytes: u64 = self.missing.iter().map(|input| input.bytes).sum();
        let names = some_of(self.missing.iter().map(|input| input.archive.as_str()));
        let of = |count: usize, words: &str| match count {
            0 => String::new(),
            count => format!("; {} {words}", thousands(count as u64)),
        };
        Some(format!(
            "{} of the {} of the plan ({}) {} no ledger of it: {names}{}{}",
            thousands(self.missing.len() as u64),
            counted(planned as u64, "input"),
            number_text::bytes(bytes),
            if self.missing.len() == 1 { "has" } else { "have" },
            of(self.stale, "of them only an older one, of another state of the file"),
            of(self.otherwise, "of them only one by another version or with other limits"),
        ))
    }

    fn miss(&mut self, input: &Input, other: Option<LedgerHeader>, settings: &str) {
        match other.as_ref().and_then(|label| label.made.as_ref()) {
            Some(made) if made.settings == settings => self.stale += 1,
            Some(_) => self.otherwise += 1,
            None => {}
        }
        self.missing.push(input.uncovered(Because::Missing, other));
    }
}

/// Whether a ledger was made for this, whatever the state of its input.
fn is_made_for(label: &LedgerHeader, plan: &str) -> bool {
    label.made.as_ref().and_then(|made| made.plan.as_deref()) == Some(plan)
}

/// The one ledger of an input, if there is one.
fn only(
    input: &Input,
    own: Vec<(LedgerHeader, PathBuf)>,
) -> Result<Option<(LedgerHeader, PathBuf)>, GatherError> {
    let mut own = own.into_iter();
    let (first, second) = (own.next(), own.next());
    match (first, second) {
        (Some((_, one)), Some((_, other))) => {
            Err(GatherError::Overlap { input: input.name.clone(), one, other })
        }
        (first, _) => Ok(first),
    }
}
