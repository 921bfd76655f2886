//! What tells an input and its regions again in another night, when the archive has another date in its name.

use crate::{
    ledger::{Ledger, facts::RegionFacts},
    util::dates_in_names::undated,
};
use uuid::Uuid;

/// The home of an input: that of its region where it is of one; else its file's name without dates, because of several
/// regions any may come or go.
pub(crate) fn of_input(ledger: &Ledger) -> String {
    match ledger.regions.as_slice() {
        [region] => of_region(ledger, region),
        _ => undated(file_name(&ledger.input)),
    }
}

/// The home of a region: its UUID, else its name, else its file's name without dates, with its folder behind.
pub(crate) fn of_region(ledger: &Ledger, region: &RegionFacts) -> String {
    match region.uuid.filter(|uuid: &Uuid| !uuid.is_nil()) {
        Some(uuid) => uuid.to_string(),
        None if !region.name.is_empty() => region.name.clone(),
        None if region.folder.is_empty() => undated(file_name(&ledger.input)),
        None => format!("{}/{}", undated(file_name(&ledger.input)), region.folder),
    }
}

/// The last name of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}
