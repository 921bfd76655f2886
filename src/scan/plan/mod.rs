//! A plan: the inputs of a run, listed once, for any number of machines.
//!
//! `plan` freezes the list. Each share runs separately, on any machine, and leaves the ledgers that one machine would
//! leave. A report treats them as complete only if they are ([`collect`]). The list and the number of shares alone
//! decide which share has which input, so machines need no coordination.

pub mod collect;
pub mod shard;
pub mod share;

use crate::{cache, plan::share::Share};
use hullmark_settings::{
    config::Config, database_selection::DatabaseSelection, inventories::InventoryOwner, limits::Limits,
};
use hullmark_source::{self as source, Input};
use hullmark_storage as storage;
use hullmark_util::named_file;
use serde::{Deserialize, Serialize};
pub use shard::Shard;
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_128;

/// Version of the format.
pub const VERSION: u32 = 2;

/// The cost to start an input, as the number of bytes that could be read in that time.
const BEGINNING: u64 = 64 * 1024;

/// Number of inputs that a message names at most.
const NAMED: usize = 3;

/// The inputs of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    hullmark_plan: u32,
    /// Version of the program that made the plan, for people.
    program: String,
    /// Hash of the settings that determine the content of ledgers.
    settings: String,
    /// Owners whose inventories are evaluated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    inventories: Vec<InventoryOwner>,
    /// The databases that are read; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    databases: Vec<String>,
    /// Whether all assets of a database server are read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    all_assets: bool,
    inputs: Vec<Input>,
    stores: Vec<Input>,
}

/// Why a plan cannot be used.
#[derive(Debug, Error)]
pub enum PlanError {
    #[error("The plan {} cannot be read or written", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is not a plan ({why}). Make one with `hullmark plan`", path.display())]
    Damaged { path: PathBuf, why: String },
    #[error("The plan {} has format version {found}; this program reads version {VERSION}. Make the plan again", path.display())]
    Version { path: PathBuf, found: u32 },
    /// This run would produce other ledgers than the plan requires.
    #[error(
        "The plan {} was made by hullmark {program} with other limits, features or ledger version. Use the same program \
         and settings on all machines, or make the plan again",
        path.display()
    )]
    OtherSettings { path: PathBuf, program: String },
}

impl Plan {
    /// Creates a plan for these inputs and stores, to be read with these limits.
    pub fn new(
        inputs: Vec<Input>,
        stores: Vec<Input>,
        limits: &Limits,
        selection: DatabaseSelection<'_>,
    ) -> Self {
        let program = env!("CARGO_PKG_VERSION").into();
        Self {
            hullmark_plan: VERSION,
            program,
            settings: cache::settings(limits),
            inventories: selection.owners.to_vec(),
            databases: selection.databases.to_vec(),
            all_assets: limits.all_assets,
            inputs,
            stores,
        }
    }

    /// Reads a plan for a run with these limits.
    pub fn read(path: &Path, limits: &Limits) -> Result<Self, PlanError> {
        let bytes = match storage::is_url(path) {
            true => storage::read(path),
            false => named_file::read(path, named_file::PLAN),
        };
        let bytes = bytes.map_err(|source| PlanError::Io { path: path.into(), source })?;
        let damaged =
            |error: serde_json::Error| PlanError::Damaged { path: path.into(), why: error.to_string() };
        let Head { hullmark_plan } = serde_json::from_slice(&bytes).map_err(damaged)?;
        if hullmark_plan != VERSION {
            return Err(PlanError::Version { path: path.into(), found: hullmark_plan });
        }
        let mut plan: Self = serde_json::from_slice(&bytes).map_err(damaged)?;
        source::share_containers(&mut plan.inputs);
        source::share_containers(&mut plan.stores);
        let limits = Limits { all_assets: limits.all_assets || plan.all_assets, ..limits.clone() };
        if plan.settings != cache::settings(&limits) {
            return Err(PlanError::OtherSettings { path: path.into(), program: plan.program });
        }
        Ok(plan)
    }

    /// Writes the plan to a file.
    pub fn write(&self, path: &Path) -> Result<(), PlanError> {
        let written = serde_json::to_vec_pretty(self).map_err(io::Error::from);
        let written = written.and_then(|json| match storage::is_url(path) {
            true => storage::put(path, json),
            false => fs::write(path, json),
        });
        written.map_err(|source| PlanError::Io { path: path.into(), source })
    }

    /// Writes the plan to a file, unless there is one. Returns the plan that is there then.
    pub fn write_or_read(self, path: &Path, limits: &Limits) -> Result<Self, PlanError> {
        let written = serde_json::to_vec_pretty(&self).map_err(io::Error::from);
        match written.and_then(|json| storage::put_new(path, json)) {
            Ok(()) => Ok(self),
            // Another task was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::read(path, limits),
            Err(source) => Err(PlanError::Io { path: path.into(), source }),
        }
    }

    /// Returns the id that identifies the plan in its ledgers.
    pub fn id(&self) -> String {
        // The plan contains no maps and no floats, so serialization cannot fail, and equal plans have equal bytes.
        format!("{:032x}", xxh3_128(&serde_json::to_vec(self).unwrap_or_default()))
    }

    /// Sets the settings that the plan carries. All others are those of the run.
    pub fn apply(&self, config: &mut Config) {
        // No `..`: a new field of a plan may be a setting.
        let Self {
            inventories,
            databases,
            all_assets,
            hullmark_plan: _,
            program: _,
            settings: _,
            inputs: _,
            stores: _,
        } = self;
        config.inventory.clone_from(inventories);
        config.database.clone_from(databases);
        config.limits.all_assets = *all_assets;
    }

    pub fn selection(&self) -> DatabaseSelection<'_> {
        DatabaseSelection { owners: &self.inventories, databases: &self.databases }
    }

    /// The inputs, by name.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The stores, by name.
    pub fn stores(&self) -> &[Input] {
        &self.stores
    }

    /// The largest useful number of shares. With more shares the largest input alone takes longer than the average
    /// share.
    pub fn useful_shares(&self) -> u64 {
        let sum: u64 = self.inputs.iter().map(work).sum();
        let largest = self.inputs.iter().map(work).max();
        largest.map_or(1, |largest| sum.div_ceil(largest))
    }
}

/// The version alone, readable in any version of the format.
#[derive(Deserialize)]
struct Head {
    hullmark_plan: u32,
}

/// The cost of an input for a share, bytes.
fn work(input: &Input) -> u64 {
    input.bytes.saturating_add(BEGINNING)
}

/// Returns the inputs of a share, in their order.
pub fn share_of(inputs: &[Input], share: Share) -> Vec<Input> {
    let indices = inputs.iter().zip(shares(inputs, share.count()));
    indices.filter(|(_, index)| *index == share.index()).map(|(input, _)| input.clone()).collect()
}

/// Returns the index of the share of each input. From the largest on, each input goes to the share with the least work.
pub fn shares(inputs: &[Input], count: usize) -> Vec<usize> {
    let mut largest_first: Vec<usize> = (0..inputs.len()).collect();
    largest_first.sort_by_key(|&number| (Reverse(work(&inputs[number])), number));
    // If there are more shares than inputs, the last shares are empty.
    let mut least_first: BinaryHeap<Reverse<(u64, usize)>> =
        (0..count.min(inputs.len())).map(|index| Reverse((0, index))).collect();
    let mut indices = vec![0; inputs.len()];
    for number in largest_first {
        let Some(mut least) = least_first.peek_mut() else { break };
        let Reverse((load, index)) = &mut *least;
        *load = load.saturating_add(work(&inputs[number]));
        indices[number] = *index;
    }
    indices
}

/// Joins the first names and shows whether there are more.
pub fn some_of<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = if names.len() > NAMED { ", …" } else { "" };
    names.take(NAMED).collect::<Vec<_>>().join(", ") + more
}

/// Whether the files of an input differ from their planned state, as far as the disk shows.
pub fn has_changed(input: &Input) -> bool {
    input.stamp.is_some() && input.stamp_now() != input.stamp
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_source::What;
    use proptest::prelude::*;

    fn input(name: &str, bytes: u64) -> Input {
        Input { bytes, ..Input::new(name.into(), name.into(), What::Archive) }
    }

    fn inputs(sizes: &[u64]) -> Vec<Input> {
        (0..).zip(sizes).map(|(number, &bytes)| input(&format!("{number:05}.oar"), bytes)).collect()
    }

    fn shares(inputs: &[Input], of: u32) -> Vec<Vec<Input>> {
        (1..=of).map(|number| share_of(inputs, Share::new(number, of).unwrap())).collect()
    }

    proptest! {
        #[test]
        fn shares_are_all_inputs_each_once_and_none_is_long(
            sizes in prop::collection::vec(0..1_u64 << 34, 0..60), of in 1..20_u32
        ) {
            let inputs = inputs(&sizes);
            let shares = shares(&inputs, of);
            let mut all = shares.concat();
            all.sort_by(|a, b| a.name.cmp(&b.name));
            prop_assert_eq!(&all, &inputs);
            // The known bound of this method: 4/3 of the optimum, which is at least the mean and at least the largest
            // input.
            let load = |share: &Vec<Input>| share.iter().map(work).sum::<u64>();
            let sum: u64 = inputs.iter().map(work).sum();
            let largest = inputs.iter().map(work).max().unwrap_or(0);
            let longest = shares.iter().map(load).max().unwrap();
            prop_assert!(longest <= sum / u64::from(of) + largest);
        }

        #[test]
        fn a_plan_that_is_written_and_read_is_the_same(sizes in prop::collection::vec(any::<u64>(), 0..9)) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("plan.json");
            let (limits, inputs) = (Limits::default(), inputs(&sizes));
            let (stores, inputs) = inputs.split_at(inputs.len() / 3);
            let databases = ["opensim".to_owned()];
            let selection = DatabaseSelection { owners: &[InventoryOwner::All], databases: &databases };
            let plan = Plan::new(inputs.to_vec(), stores.to_vec(), &limits, selection);
            plan.write(&path).unwrap();
            let read = Plan::read(&path, &limits).unwrap();
            prop_assert_eq!(&read, &plan);
            prop_assert_eq!(read.selection(), selection);
            prop_assert_eq!(read.id(), plan.id());
        }
    }

    #[test]
    fn large_inputs_get_their_own_share() {
        let mut sizes = vec![1_000_000; 1000];
        sizes[500] = 8_000_000_000;
        let inputs = inputs(&sizes);
        let shares = shares(&inputs, 4);
        let large = shares.iter().find(|share| share.iter().any(|input| input.bytes > 1_000_000)).unwrap();
        assert_eq!(large.len(), 1);
        assert!(shares.iter().filter(|share| share.len() > 1).all(|share| share.len() == 333));
        let plan = Plan::new(inputs, Vec::new(), &Limits::default(), DatabaseSelection::default());
        assert_eq!(plan.useful_shares(), 2);
    }

    #[test]
    fn empty_inputs_are_shared_too() {
        let inputs = inputs(&[0; 10]);
        assert!(shares(&inputs, 5).iter().all(|share| share.len() == 2));
        assert!(share_of(&inputs, Share::new(u32::MAX, u32::MAX).unwrap()).is_empty());
    }

    #[test]
    fn another_version_and_other_limits_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        let limits = Limits::default();
        let plan = Plan::new(Vec::new(), Vec::new(), &limits, DatabaseSelection::default());
        plan.write(&path).unwrap();
        let other = Limits { entry_bytes: 7, ..limits.clone() };
        assert!(matches!(Plan::read(&path, &other), Err(PlanError::OtherSettings { .. })));
        fs::write(&path, r#"{"hullmark_plan": 99, "shares": []}"#).unwrap();
        assert!(matches!(Plan::read(&path, &limits), Err(PlanError::Version { found: 99, .. })));
        fs::write(&path, "[]").unwrap();
        assert!(matches!(Plan::read(&path, &limits), Err(PlanError::Damaged { .. })));
    }
}
