//! The identity of archives and regions across runs.
//!
//! Archives of two runs are matched by their path without dates. A moved file is matched by region UUID, else region
//! name, else file name without dates. The key must be unique in both runs.

use crate::{Ledger, facts::RegionFacts};
use hullmark_util::dates_in_names::undated;
use uuid::Uuid;

/// Returns the key of an input that may have been moved.
///
/// If the input has exactly one region, the key is that of the region. Otherwise it is the file name without dates,
/// because any of several regions may be added or removed.
pub fn of_input(ledger: &Ledger) -> String {
    of_archive(&ledger.input, ledger.regions.iter().map(|region| (region.uuid, region.name.as_str())))
}

/// Returns the same key for an archive at this path, from the UUIDs and names of its regions.
pub fn of_archive<'a>(path: &str, regions: impl Iterator<Item = (Option<Uuid>, &'a str)>) -> String {
    let mut regions = regions;
    let only = regions.next().filter(|_| regions.next().is_none());
    only.and_then(|(uuid, name)| stated(uuid, name)).unwrap_or_else(|| undated(file_name(path)))
}

/// Returns the key of a region: its UUID, else its name, else the file name without dates, followed by its folder.
pub fn of_region(ledger: &Ledger, region: &RegionFacts) -> String {
    let file = || undated(file_name(&ledger.input));
    stated(region.uuid, &region.name).unwrap_or_else(|| match region.folder.as_str() {
        "" => file(),
        folder => format!("{}/{folder}", file()),
    })
}

/// Returns the UUID that a region states, else its name. `None` without either.
pub fn stated(uuid: Option<Uuid>, name: &str) -> Option<String> {
    let uuid = uuid.filter(|uuid| !uuid.is_nil()).map(|uuid| uuid.to_string());
    uuid.or_else(|| (!name.is_empty()).then(|| name.to_owned()))
}

pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|step| !step.is_empty()).unwrap_or_default()
}
