//! Summary of an input, stored in the ledger's header so that runs can be compared without reading ledgers.

use crate::{
    Ledger,
    facts::{RegionFacts, Role, Status},
};
use hullmark_util::dates_in_names::Seconds;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Limits on the number of regions in a summary and on the characters of their names: a header is read as a whole.
pub const REGIONS: usize = 1000;
const LETTERS: usize = 128;

/// Maximum number of earlier states: a week of daily runs.
const REMEMBERED: usize = 7;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerSummary {
    pub status: Status,
    /// Time at which the export was made, from `archive.xml`.
    pub created: Option<Seconds>,
    /// Number of linksets in regions.
    pub objects: u64,
    /// Number of linksets in inventories.
    pub nested_objects: u64,
    /// Number of linksets that are separate files.
    pub loose_objects: u64,
    /// Number of assets with content: an asset service that fails writes them with zero bytes.
    pub assets: u64,
    /// Number of assets without content.
    #[serde(default)]
    pub empty_assets: u64,
    /// Bytes of all entries. The bytes on disk depend on the compression.
    pub bytes: u64,
    pub regions: Vec<Region>,
}

/// The summary of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    pub name: String,
    /// UUID of the region; `None` if it is not stated.
    pub uuid: Option<Uuid>,
    /// Number of linksets in the region.
    pub objects: u64,
}

impl LedgerSummary {
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

    /// Whether both summaries describe the same content. The time of the save is ignored, because every save has its
    /// own.
    fn is_like(&self, other: &Self) -> bool {
        let held = |brief: &Self| Self { created: None, empty_assets: 0, ..brief.clone() };
        held(self) == held(other)
    }

    /// Returns the earlier states of this one, the latest first: the states before `last`, and `last` if it is complete
    /// and has other content. An incomplete state, or a second reading, removes no state.
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
    /// Creates the summary of a region without objects.
    fn new(facts: &RegionFacts) -> Self {
        let uuid = facts.uuid.filter(|uuid| !uuid.is_nil());
        Self { name: facts.name.chars().take(LETTERS).collect(), uuid, objects: 0 }
    }

    /// Returns the name, or the UUID if there is no name.
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
        // Each state once, with the time of its last save.
        assert_eq!(reported, [(2, Some(6)), (40, Some(2))]);
    }
}
