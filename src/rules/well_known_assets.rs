//! Assets that an export may lack without loss: viewers or grids bring them along.

use crate::settings::config::{from_table, parse};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};
use uuid::Uuid;

const FILE: &str = include_str!("../../config/well-known.toml");

/// One such asset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WellKnown {
    /// Its name, as the first source states it.
    pub name: String,
    /// What it is: `texture`, `animation`, `sound` …
    pub kind: String,
    /// Who brings it.
    pub brought_by: BTreeSet<BroughtBy>,
    /// Where that is stated: files of the viewer's and of OpenSim's source code.
    pub sources: Vec<String>,
}

/// Who brings an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BroughtBy {
    /// Every viewer.
    Viewer,
    /// OpenSim's library.
    #[serde(rename = "opensim")]
    OpenSim,
    /// Second Life's asset servers.
    SecondLife,
}

/// The file: assets with a source in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    set: Vec<Set>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    kind: String,
    brought_by: BroughtBy,
    source: String,
    assets: BTreeMap<Uuid, String>,
}

static ASSETS: LazyLock<BTreeMap<Uuid, WellKnown>> = LazyLock::new(|| {
    let name = "the built-in list of well-known assets";
    // A test holds that the file in the source tree is right.
    let file: File = parse(name, FILE)
        .and_then(|table| from_table(name, table))
        .unwrap_or_else(|error| unreachable!("{error}"));
    let mut assets = BTreeMap::new();
    for set in file.set {
        for (uuid, name) in set.assets {
            let asset: &mut WellKnown = assets.entry(uuid).or_insert_with(|| WellKnown {
                name,
                kind: set.kind.clone(),
                brought_by: BTreeSet::new(),
                sources: Vec::new(),
            });
            asset.brought_by.insert(set.brought_by);
            asset.sources.push(set.source.clone());
        }
    }
    assets
});

/// What is known of an asset with this UUID, if it is a well-known one.
pub fn name_of(uuid: Uuid) -> Option<&'static WellKnown> {
    ASSETS.get(&uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(uuid: &str) -> Option<&'static WellKnown> {
        name_of(Uuid::try_parse(uuid).unwrap())
    }

    #[test]
    fn who_brings_an_asset_is_known() {
        let plywood = known("89556747-24cb-43ed-920b-47caed15465f").unwrap();
        assert_eq!((plywood.name.as_str(), plywood.kind.as_str()), ("plywood", "texture"));
        assert_eq!(plywood.brought_by, BTreeSet::from([BroughtBy::OpenSim, BroughtBy::SecondLife]));
        assert_eq!(plywood.sources.len(), 2);
        let stand = known("2408fe9e-df1d-1d7d-f4ff-1384fa7b350f").unwrap();
        assert_eq!((stand.name.as_str(), stand.kind.as_str()), ("stand", "animation"));
        assert_eq!(known("47397b0a-7c25-4905-b82d-946cbe329328"), None);
        assert_eq!(name_of(Uuid::nil()), None);
    }

    /// A UUID that two sources call by different kinds would be a slip of the list.
    #[test]
    fn every_set_agrees_on_what_an_asset_is() {
        let file: File = toml::from_str(FILE).unwrap();
        assert!(file.set.len() > 10 && file.set.iter().all(|set| !set.assets.is_empty()));
        for set in &file.set {
            for uuid in set.assets.keys() {
                assert_eq!(name_of(*uuid).unwrap().kind, set.kind, "{uuid} of {}", set.source);
            }
        }
    }
}
