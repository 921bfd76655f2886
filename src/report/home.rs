//! What tells an input and its regions again in another night, when the archive has another date in its name.

use crate::{dated::undated, facts::RegionFacts, ledger::Ledger};
use uuid::Uuid;

/// The home of an input: that of its first region by folder, else its file's name without dates.
pub(crate) fn of_input(ledger: &Ledger) -> String {
    let first = ledger.regions.iter().min_by_key(|region| &region.folder);
    first.map_or_else(|| undated(file_name(&ledger.input)), |region| of_region(ledger, region))
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
