//! DBS015: regions that a simulator will start, and that no database of the run has.

use crate::{RuleOutcomes, SkipReason};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_settings::simulator::regions::RegionFile;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The regions of a list, without those that were found so far.
#[derive(Debug, Default)]
pub(super) struct ListedRegions {
    /// Names and files by UUID.
    missing: BTreeMap<Uuid, (String, String)>,
    listed: u64,
    /// Databases with regions.
    databases: u64,
    /// Whether all databases were read to their end.
    is_whole: bool,
}

impl ListedRegions {
    pub(super) fn new(files: &[RegionFile]) -> Self {
        let named =
            files.iter().filter_map(|file| Some((file.uuid?, (file.name.clone(), file.file.clone()))));
        let missing: BTreeMap<Uuid, _> = named.collect();
        Self { listed: missing.len() as u64, missing, databases: 0, is_whole: true }
    }

    /// Notes the regions of an input. Those of archives are there, too.
    pub(super) fn add(&mut self, ledger: &Ledger) {
        if ledger.is_database() {
            self.databases += u64::from(!ledger.regions.is_empty());
            self.is_whole &= ledger.status == Status::Complete;
        }
        for uuid in ledger.regions.iter().filter_map(|region| region.uuid) {
            self.missing.remove(&uuid);
        }
    }

    /// Returns the outcome after the last input, and the number of listed regions.
    pub(super) fn finish(self, is_covered: bool) -> (RuleOutcomes, u64) {
        let mut outcomes = RuleOutcomes::default();
        if self.databases == 0 {
            return (outcomes, 0);
        }
        let skip = match () {
            () if !is_covered => Some(SkipReason::PartialRun),
            () if !self.is_whole => Some(SkipReason::Incomplete),
            () => None,
        };
        match skip {
            Some(reason) => outcomes.not_evaluated(Code::DBS015, reason, self.missing.len()),
            None => outcomes.extend(self.missing.iter().map(|(uuid, (name, file))| {
                let detail = format!("{name} will be empty ({uuid}, {file})");
                Finding::new(Code::DBS015).within(name.clone()).detail(detail).aspect(uuid.to_string())
            })),
        }
        (outcomes, self.listed)
    }
}
