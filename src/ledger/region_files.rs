//! What the files of a simulator say of regions: names, sizes, limits, and which regions there are.

use super::{Ledger, facts::Status};
use hullmark_settings::simulator::regions::RegionFile;
use std::collections::HashMap;
use uuid::Uuid;

impl Ledger {
    /// Gives regions their limits in these files. Regions of a database also get names and sizes, which archives state.
    pub fn apply_region_files(&mut self, files: &[RegionFile]) {
        let mut by_uuid: HashMap<Uuid, &RegionFile> = HashMap::new();
        for file in files {
            if let Some(uuid) = file.uuid {
                by_uuid.entry(uuid).or_insert(file);
            }
        }
        if by_uuid.is_empty() {
            return;
        }
        let is_database = self.is_database();
        for region in &mut self.regions {
            let file = region.uuid.and_then(|uuid| by_uuid.get(&uuid));
            // A table of the grid that was not read to its end may have any region.
            if is_database && (file.is_some() || self.status == Status::Complete) {
                region.listed = Some(region.listed == Some(true) || file.is_some());
            }
            let Some(file) = file else { continue };
            region.limits.clone_from(&file.limits);
            if !is_database {
                continue;
            }
            // A table of the grid may have the name already.
            if region.uuid.is_some_and(|uuid| region.name == uuid.to_string()) {
                region.name.clone_from(&file.name);
            }
            (region.size, region.size_stated) = (file.size_m, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        InputKind::{self, Dump, Oar},
        facts::RegionFacts,
    };

    #[test]
    fn only_regions_of_databases_get_names() {
        let uuid = Uuid::from_u128(7);
        let files = [RegionFile {
            name: "Welcome".into(),
            uuid: Some(uuid),
            size_m: [512, 512],
            ..RegionFile::default()
        }];
        let named = |kind: InputKind, name: &str, uuid: Uuid| {
            let region = RegionFacts { name: name.into(), uuid: Some(uuid), ..RegionFacts::of_folder("") };
            let mut ledger = Ledger { regions: vec![region], ..Ledger::empty("a", kind, Status::Complete) };
            ledger.apply_region_files(&files);
            let region = ledger.regions.remove(0);
            assert_eq!(region.listed, (kind == Dump).then_some(uuid == Uuid::from_u128(7)));
            (region.name, region.size, region.size_stated)
        };
        assert_eq!(named(Dump, &uuid.to_string(), uuid), ("Welcome".into(), [512, 512], true));
        assert_eq!(named(Dump, "Listed", uuid), ("Listed".into(), [512, 512], true));
        assert_eq!(named(Oar, "Own", uuid), ("Own".into(), [256, 256], false));
        let other = Uuid::from_u128(8);
        assert_eq!(named(Dump, &other.to_string(), other), (other.to_string(), [256, 256], false));
    }

    #[test]
    fn a_list_that_was_not_read_to_its_end_may_have_any_region() {
        let files = [RegionFile { uuid: Some(Uuid::from_u128(7)), ..RegionFile::default() }];
        let listed = |status, uuid| {
            let region = RegionFacts { uuid: Some(Uuid::from_u128(uuid)), ..RegionFacts::of_folder("") };
            let mut ledger = Ledger { regions: vec![region], ..Ledger::empty("a", Dump, status) };
            ledger.apply_region_files(&files);
            ledger.regions.remove(0).listed
        };
        assert_eq!(listed(Status::Incomplete, 7), Some(true));
        assert_eq!(listed(Status::Incomplete, 8), None);
        assert_eq!(listed(Status::Complete, 8), Some(false));
    }
}
