//! Collects the ledgers of a plan: exactly one for each input, or an error that names the problem.

use super::{Plan, some_of};
use hullmark_ledger::{
    self as ledger, InputKind, LedgerHeader,
    coverage::{Because, Uncovered},
};
use hullmark_source::Input;
use hullmark_util::number_text::{self, counted, thousands};
use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    path::PathBuf,
};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// The ledgers of a plan.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Ledgers of inputs, in the order of the input names.
    pub inputs: Vec<PathBuf>,
    /// Ledgers of stores, readable or not, that were searched for the missing assets of these inputs.
    pub stores: Vec<PathBuf>,
    /// The names of inputs whose ledgers cannot be read, with these ledgers.
    pub unreadable: Vec<(String, PathBuf)>,
    /// Inputs without a ledger.
    pub missing: Vec<Uncovered>,
    /// The id that ledgers of stores must have as their plan.
    pub stores_for: String,
    /// Number of missing inputs with a ledger of another state of their files.
    stale: usize,
    /// Number of missing inputs with a ledger of another version or with other limits.
    otherwise: usize,
    /// Number of stores without a ledger.
    unsearched: usize,
}

/// Why ledgers do not match a plan.
#[derive(Debug, Error)]
pub enum GatherError {
    #[error("{} and {} are both ledgers of {input}. Remove one of them", one.display(), other.display())]
    Overlap { input: String, one: PathBuf, other: PathBuf },
    /// Inputs have no ledger.
    #[error(
        "{missing}. Run the failed shards again, or `hullmark scan --plan` without --shard. To report on the others \
         now, add --partial"
    )]
    Holes {
        /// The number of these inputs and their names.
        missing: String,
    },
    /// Stores were not searched for the missing assets of the inputs.
    #[error(
        "{} of the plan must be searched for assets that the inputs lack. Run `hullmark scan --plan` with --stores \
         after the inputs are scanned",
        counted(*.0 as u64, "store")
    )]
    Stores(usize),
}

impl Plan {
    /// Selects the ledgers of this plan. The folder may contain ledgers of other runs and other jobs.
    pub fn gather(&self, found: ledger::FoundLedgers) -> Result<Gathered, GatherError> {
        // A file that cannot be read is known by its name.
        let mut unreadable: HashMap<OsString, PathBuf> = HashMap::new();
        for path in found.unreadable {
            if let Some(name) = path.file_name().map(OsStr::to_owned) {
                unreadable.entry(name).or_insert(path);
            }
        }
        let mut damaged = |input: &Input, is_store| {
            unreadable.remove(OsStr::new(&ledger::file_name(&input.name, is_store)))
        };
        let mut by_name: HashMap<(String, bool), Vec<(LedgerHeader, PathBuf)>> = HashMap::new();
        for (header, path) in found.readable {
            let is_store = header.kind == InputKind::Store;
            by_name.entry((header.input.clone(), is_store)).or_default().push((header, path));
        }
        let mut of =
            |input: &Input, is_store| by_name.remove(&(input.name.clone(), is_store)).unwrap_or_default();
        let mut gathered = Gathered::default();
        let id = self.id();
        let mut searched = id.clone();
        for input in &self.inputs {
            let (own, others): (Vec<_>, Vec<_>) =
                of(input, false).into_iter().partition(|(header, _)| self.is_of(header, input, &id));
            match only(input, own)? {
                Some((header, path)) => {
                    searched += &header.checksum;
                    gathered.inputs.push(path);
                }
                None => match damaged(input, false) {
                    Some(path) => gathered.unreadable.push((input.name.clone(), path)),
                    None => {
                        gathered.miss(
                            input,
                            others.into_iter().next().map(|(header, _)| header),
                            &self.settings,
                        );
                    }
                },
            }
        }
        gathered.stores_for = format!("{:032x}", xxh3_128(searched.as_bytes()));
        for store in &self.stores {
            let mut own = of(store, true);
            match gathered.unreadable.is_empty() {
                true => own.retain(|(header, _)| is_made_for(header, &gathered.stores_for)),
                // The store may have been searched while these could be read.
                false => own.retain(|(header, _)| self.has_settings_of(header)),
            }
            match only(store, own)?.map(|(_, path)| path).or_else(|| damaged(store, true)) {
                Some(path) => gathered.stores.push(path),
                None => gathered.unsearched += 1,
            }
        }
        Ok(gathered)
    }

    /// Whether a ledger was made with the settings of the plan.
    fn has_settings_of(&self, header: &LedgerHeader) -> bool {
        header.made.as_ref().is_some_and(|made| made.settings == self.settings)
    }

    /// Whether a ledger belongs to an input as planned: it was made for the plan, or from the same state of the same
    /// files.
    fn is_of(&self, header: &LedgerHeader, input: &Input, id: &str) -> bool {
        header.made.as_ref().is_some_and(|made| {
            let same_state = made.stamp.is_some() && made.stamp == input.stamp;
            let same_selection = !header.kind.is_database() || made.selection == self.selection().words();
            made.settings == self.settings
                && same_selection
                && (same_state || made.plan.as_deref() == Some(id))
        })
    }
}

impl Gathered {
    /// Returns the ledgers to report from, and the inputs without a ledger.
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

    /// Describes the missing inputs. `None` if every input has a ledger.
    pub fn missing_text(&self) -> Option<String> {
        if self.missing.is_empty() {
            return None;
        }
        let planned = self.inputs.len() + self.unreadable.len() + self.missing.len();
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
        match other.as_ref().and_then(|header| header.made.as_ref()) {
            Some(made) if made.settings == settings => self.stale += 1,
            Some(_) => self.otherwise += 1,
            None => {}
        }
        self.missing.push(input.uncovered(Because::Missing, other));
    }
}

/// Whether a ledger was made for this plan id, regardless of the state of its input.
fn is_made_for(header: &LedgerHeader, plan: &str) -> bool {
    header.made.as_ref().and_then(|made| made.plan.as_deref()) == Some(plan)
}

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
