//! Assets that an export may lack without loss: viewers or grids supply them.

use serde::{Deserialize, de::IgnoredAny};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};
use uuid::Uuid;

const FILE: &str = hullmark_config::WELL_KNOWN_ASSETS;

/// The file: sets of assets with one source. Its other keys are for people.
#[derive(Deserialize)]
struct File {
    set: Vec<Set>,
}

#[derive(Deserialize)]
struct Set {
    assets: BTreeMap<Uuid, IgnoredAny>,
}

static ASSETS: LazyLock<BTreeSet<Uuid>> = LazyLock::new(|| {
    // A test checks the file in the source tree.
    let file: File = toml::from_str(FILE).unwrap_or_else(|error| unreachable!("{error}"));
    file.set.into_iter().flat_map(|set| set.assets.into_keys()).collect()
});

pub fn is_well_known(uuid: Uuid) -> bool {
    ASSETS.contains(&uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_assets_are_those_of_viewers_and_grids() {
        let known = |uuid| is_well_known(Uuid::try_parse(uuid).unwrap());
        assert!(known("89556747-24cb-43ed-920b-47caed15465f"), "plywood");
        assert!(known("2408fe9e-df1d-1d7d-f4ff-1384fa7b350f"), "stand");
        assert!(!known("47397b0a-7c25-4905-b82d-946cbe329328") && !is_well_known(Uuid::nil()));
    }

    /// The keys for people must be correct, too. A UUID with two kinds would be a mistake.
    #[test]
    fn every_set_agrees_on_the_kind_of_an_asset() {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            set: Vec<Sourced>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Sourced {
            kind: String,
            brought_by: String,
            source: String,
            assets: BTreeMap<Uuid, String>,
        }
        let file: Whole = toml::from_str(FILE).unwrap();
        assert!(file.set.len() > 10 && file.set.iter().all(|set| !set.assets.is_empty()));
        let mut kinds = BTreeMap::new();
        for Sourced { kind, brought_by, source, assets } in &file.set {
            assert!(["viewer", "opensim", "second-life"].contains(&brought_by.as_str()), "{source}");
            assert!(
                assets.keys().all(|uuid| kinds.insert(uuid, kind).is_none_or(|other| other == kind)),
                "{source}"
            );
        }
    }
}
