//! Summary of an input, stored in the ledger's header so that runs can be compared without reading ledgers.

use crate::{
    ledger::{
        Ledger,
        facts::{RegionFacts, Role, Status},
    },
    util::dates_in_names::Seconds,
};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How many regions are named, and with how many letters: a label is read as a whole.
pub(crate) const REGIONS: usize = 1000;
const LETTERS: usize = 128;

/// How many earlier states are remembered: those of a week of nights.
const REMEMBERED: usize = 7;

/// What an input comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerSummary {
    /// How far it was read.
    pub status: Status,
    /// When the export was made, as archive.xml states it.
    pub created: Option<Seconds>,
    /// Linksets that stand in a region.
    pub objects: u64,
    /// Linksets that lie in inventories.
    pub nested_objects: u64,
    /// Linksets that are files of their own.
    pub loose_objects: u64,
    /// Assets with something in them: a store that fails writes them with zero bytes.
    pub assets: u64,
    /// Assets with nothing in them.
    #[serde(default)]
    pub empty_assets: u64,
    /// Bytes of all members. On the disk they depend on how they are compressed.
    pub bytes: u64,
    /// Its regions.
    pub regions: Vec<Region>,
}

/// What a region comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its UUID, where that is stated.
    pub uuid: Option<Uuid>,
    /// Linksets that stand in it.
    pub objects: u64,
}

impl LedgerSummary {
    /// Of an input.
    pub fn new(ledger: &Ledger) -> Self {
        let objects = |role| ledger.objects.iter().filter(|object| object.role == role).count() as u64;
        let mut regions: Vec<Region> = ledger.regions.iter().take(REGIONS).map(Region::new).collect();
        for object in ledger.objects.iter().filter(|object| object.role == Role::Rezzed) {
            if let Some(region) = object.region.and_then(|number| regions.get_mut(number as usize)) {
                region.objects += 1;
            }
        }
        let container = &ledger.container;
        let empty = ledger.assets.iter().filter(|asset| asset.bytes == 0).count() as u64;
        Self {
            status: ledger.status,
            created: container.control.as_ref().and_then(|control| control.created).filter(|&time| time > 0),
            objects: objects(Role::Rezzed),
            nested_objects: objects(Role::Nested),
            loose_objects: objects(Role::Loose),
            assets: container.assets.values().sum::<u64>().saturating_sub(empty),
            empty_assets: empty,
            bytes: container.expanded_bytes,
            regions,
        }
    }

    /// Whether it holds as much as another one. Each save has a time of its own, whatever it holds.
    fn is_like(&self, other: &Self) -> bool {
        let held = |brief: &Self| Self { created: None, empty_assets: 0, ..brief.clone() };
        held(self) == held(other)
    }

    /// The states before this one, the latest first: those before the last one, and the last one where it was whole and
    /// another. What is broken, or is read again, forgets none.
    pub fn remember(&self, last: Self, mut earlier: Vec<Self>) -> Vec<Self> {
        if last.status == Status::Complete && !last.is_like(self) {
            earlier.retain(|state| !state.is_like(&last));
            earlier.insert(0, last);
            earlier.truncate(REMEMBERED);
        }
        earlier
    }
}

impl Region {
    /// Of a region in which nothing was counted yet.
    fn new(facts: &RegionFacts) -> Self {
        let uuid = facts.uuid.filter(|uuid| !uuid.is_nil());
        Self { name: facts.name.chars().take(LETTERS).collect(), uuid, objects: 0 }
    }

    /// Its name, else its UUID.
    pub fn called(&self) -> String {
        match self.uuid {
            Some(uuid) if self.name.is_empty() => uuid.to_string(),
            _ => self.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_saves_and_broken_archives_are_no_states() {
        let state = |objects, created, status| LedgerSummary {
            status,
            created: Some(created),
            objects,
            nested_objects: 0,
            loose_objects: 0,
            assets: 0,
            empty_assets: 0,
            bytes: 0,
            regions: Vec::new(),
        };
        let nights = [
            state(40, 1, Status::Complete),
            state(40, 2, Status::Complete),
            state(2, 3, Status::Complete),
            state(1, 4, Status::Incomplete),
            state(2, 5, Status::Complete),
            state(2, 6, Status::Complete),
            state(3, 7, Status::Complete),
        ];
        let mut earlier = Vec::new();
        for pair in nights.windows(2) {
            earlier = pair[1].remember(pair[0].clone(), earlier);
        }
        let reported: Vec<_> = earlier.iter().map(|state| (state.objects, state.created)).collect();
        // Each once, with the time of its last save.
        assert_eq!(reported, [(2, Some(6)), (40, Some(2))]);
    }
}
