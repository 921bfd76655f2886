//! Names and sizes of regions from the files of a simulator. A database of regions has neither.

use super::Ledger;
use crate::settings::simulator::regions::RegionFile;

impl Ledger {
    /// Gives the regions of a database the names and sizes in these files. Archives state their own.
    pub(crate) fn name_regions(&mut self, files: &[RegionFile]) {
        if !self.is_database() {
            return;
        }
        for region in &mut self.regions {
            let Some(file) = files.iter().find(|file| file.uuid.is_some() && file.uuid == region.uuid) else {
                continue;
            };
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
    use crate::ledger::{
        DUMP,
        facts::{RegionFacts, Status},
    };
    use uuid::Uuid;

    #[test]
    fn only_regions_of_databases_get_names() {
        let uuid = Uuid::from_u128(7);
        let files = [RegionFile {
            name: "Welcome".into(),
            uuid: Some(uuid),
            size_m: [512, 512],
            ..RegionFile::default()
        }];
        let named = |kind: &str, name: &str, uuid: Uuid| {
            let region = RegionFacts { name: name.into(), uuid: Some(uuid), ..RegionFacts::of_folder("") };
            let mut ledger = Ledger { regions: vec![region], ..Ledger::empty("a", kind, Status::Complete) };
            ledger.name_regions(&files);
            let region = ledger.regions.remove(0);
            (region.name, region.size, region.size_stated)
        };
        assert_eq!(named(DUMP, &uuid.to_string(), uuid), ("Welcome".into(), [512, 512], true));
        assert_eq!(named(DUMP, "Listed", uuid), ("Listed".into(), [512, 512], true));
        assert_eq!(named("oar", "Own", uuid), ("Own".into(), [256, 256], false));
        let other = Uuid::from_u128(8);
        assert_eq!(named(DUMP, &other.to_string(), other), (other.to_string(), [256, 256], false));
    }
}
