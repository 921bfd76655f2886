//! One identity of archives and regions across runs.
//!
//! Archives of two runs are matched by path, dates removed. A moved file is matched by region UUID, else region name,
//! else file name without dates. The key must be unique in both runs.

use crate::{
    ledger::{Ledger, facts::RegionFacts},
    util::dates_in_names::undated,
};
use uuid::Uuid;

/// The key of an input that may have been moved: that of its region where it is of one; else its file's name without
/// dates, because of several regions any may come or go.
pub(crate) fn of_input(ledger: &Ledger) -> String {
    of_archive(&ledger.input, ledger.regions.iter().map(|region| (region.uuid, region.name.as_str())))
}

/// The same of an archive at this path, by the UUIDs and names of its regions.
pub(crate) fn of_archive<'a>(path: &str, regions: impl Iterator<Item = (Option<Uuid>, &'a str)>) -> String {
    let mut regions = regions;
    let only = regions.next().filter(|_| regions.next().is_none());
    only.and_then(|(uuid, name)| stated(uuid, name)).unwrap_or_else(|| undated(file_name(path)))
}

/// The key of a region: its UUID, else its name, else its file's name without dates, with its folder behind.
pub(crate) fn of_region(ledger: &Ledger, region: &RegionFacts) -> String {
    let file = || undated(file_name(&ledger.input));
    stated(region.uuid, &region.name).unwrap_or_else(|| match region.folder.as_str() {
        "" => file(),
        folder => format!("{}/{folder}", file()),
    })
}

/// The UUID that a region states, else its name.
fn stated(uuid: Option<Uuid>, name: &str) -> Option<String> {
    let uuid = uuid.filter(|uuid| !uuid.is_nil()).map(|uuid| uuid.to_string());
    uuid.or_else(|| (!name.is_empty()).then(|| name.to_owned()))
}

/// The last name of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|step| !step.is_empty()).unwrap_or_default()
}
