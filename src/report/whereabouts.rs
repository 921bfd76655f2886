//! The answer of `where`: all places of one thing in many inputs.

use hullmark_analysis::whereabouts::Found;
use hullmark_ledger::{facts::Status, index::Sought};
use serde::Serialize;
use std::collections::BTreeSet;
use uuid::Uuid;

/// The places of one thing. The field names are stable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Whereabouts {
    /// The UUID or name that was looked for.
    pub sought: String,
    /// The UUID; `None` for a name.
    pub uuid: Option<Uuid>,
    /// Number of inputs that were searched.
    pub inputs: u64,
    /// Number of inputs with a place.
    pub inputs_with_it: u64,
    /// Places, in the order of inputs. If whole names match, those that only contain the name are left out.
    pub found: Vec<Found>,
    /// Inputs that were not read to their end: they may have further places.
    pub not_fully_read: Vec<String>,
    /// Ledgers that could not be read, each with the reason.
    pub unreadable: Vec<String>,
}

/// The result for one input.
#[derive(Debug)]
pub enum Searched {
    /// An input with its path, its status and its places.
    Input(String, Status, Vec<Found>),
    /// A ledger that could not be read, and why.
    Unreadable(String),
}

impl Whereabouts {
    /// Collects the results of all inputs.
    pub fn new(text: &str, sought: &Sought, searched: impl IntoIterator<Item = Searched>) -> Self {
        let uuid = if let Sought::Uuid(uuid) = sought { Some(*uuid) } else { None };
        let mut all = Self {
            sought: text.into(),
            uuid,
            inputs: 0,
            inputs_with_it: 0,
            found: Vec::new(),
            not_fully_read: Vec::new(),
            unreadable: Vec::new(),
        };
        for searched in searched {
            match searched {
                Searched::Unreadable(why) => all.unreadable.push(why),
                Searched::Input(archive, status, found) => {
                    all.inputs += 1;
                    all.found.extend(found);
                    if status != Status::Complete {
                        all.not_fully_read.push(archive);
                    }
                }
            }
        }
        if all.found.iter().any(|found| found.exact == Some(true)) {
            all.found.retain(|found| found.exact == Some(true));
        }
        all.found.sort_by(|a, b| a.archive.cmp(&b.archive));
        all.not_fully_read.sort();
        let archives: BTreeSet<&str> = all.found.iter().map(|found| found.archive.as_str()).collect();
        all.inputs_with_it = archives.len() as u64;
        all
    }

    /// Whether all inputs were read to their end: then nothing else has the thing.
    pub fn is_complete(&self) -> bool {
        self.not_fully_read.is_empty() && self.unreadable.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_analysis::whereabouts::find;
    use hullmark_ledger::{Ledger, facts::RegionFacts};

    fn searched(archive: &str, region: &str, status: Status) -> Searched {
        let region = RegionFacts { name: region.into(), ..RegionFacts::of_folder("") };
        let ledger = Ledger {
            regions: vec![region],
            ..Ledger::empty(archive, hullmark_ledger::InputKind::Oar, status)
        };
        Searched::Input(archive.into(), status, find(&ledger, &Sought::Name("welcome".into())))
    }

    #[test]
    fn whole_names_exclude_parts_of_names() {
        let one = |region: &str| searched("b.oar", region, Status::Complete);
        let other = || searched("a.oar", "Old Welcome", Status::Incomplete);
        let name = Sought::Name("welcome".into());
        let archives = |page: &Whereabouts| -> Vec<String> {
            page.found.iter().map(|found| found.archive.clone()).collect()
        };
        let exact = Whereabouts::new("Welcome", &name, [one("WELCOME"), other()]);
        assert_eq!((archives(&exact), exact.inputs, exact.inputs_with_it), (vec!["b.oar".to_owned()], 2, 1));
        assert_eq!(exact.not_fully_read, ["a.oar"]);
        let parts = Whereabouts::new("Welcome", &name, [one("Welcome 2"), other()]);
        assert_eq!(archives(&parts), ["a.oar", "b.oar"]);
        assert!(!parts.is_complete());
    }
}
