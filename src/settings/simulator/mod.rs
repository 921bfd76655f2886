//! Settings of simulators: where their databases and folders are, and which regions they have.
//!
//! [`ini`] reads one file, [`compose`] merges all files of a simulator, and [`services`] takes the databases and folders
//! from the merged settings. [`regions`] reads the files of regions, and [`limits`] has their limits on prims. Nothing that
//! is found is opened.

mod compose;
mod connection;
mod ini;
pub mod limits;
mod look;
pub mod regions;
mod services;

use crate::passwords::Password;
use compose::Composed;
use hullmark_util::named;
pub use look::Look;
use regions::RegionFile;
use serde::Serialize;
use services::Services;
use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

named! {
    /// What a place has.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Service {
        /// Objects, parcels, terrain and settings of regions.
        Regions = "regions",
        /// The table of assets.
        Assets = "assets",
        /// The files of the service FSAssets.
        AssetFiles = "asset files",
        /// Files that FSAssets has not moved yet.
        Spool = "spool of asset files",
        /// The asset cache of a simulator.
        Cache = "asset cache",
        /// Inventories of users.
        Inventories = "inventories",
        /// Users of the grid.
        Users = "users",
        /// The list of regions of the grid.
        Grid = "list of regions",
    }
}

/// How an audit uses a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It is audited.
    Input,
    /// Its assets count as present, as with `--assets`.
    Store,
    /// It is only listed.
    Listed,
}

/// A place that settings name.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundPlace {
    pub service: Service,
    /// How an audit uses it.
    pub role: Role,
    /// The place as an argument names it: `sqlite:FILE`, `fsassets:DIR`, `mysql://USER@HOST/DATABASE` and so on.
    pub place: String,
    /// The path on this machine; `None` for a server.
    pub path: Option<PathBuf>,
    pub password: Option<Password>,
    /// Section and key, file and line.
    pub from: String,
}

impl FoundPlace {
    fn new(service: Service, role: Role, place: String, path: Option<PathBuf>, from: String) -> Self {
        Self { service, role, place, path, password: None, from }
    }
}

#[derive(Debug, Default)]
pub struct Places {
    /// The files of settings, in the order in which they were merged.
    pub files: Vec<PathBuf>,
    /// The places in the order of services.
    pub places: Vec<FoundPlace>,
    pub regions: Vec<RegionFile>,
    /// What was left out, and why, in whole sentences.
    pub notes: Vec<String>,
    /// Files of regions that cannot be read, in whole sentences.
    pub notes_of_regions: Vec<String>,
}

impl Places {
    /// Reads the settings of simulators and of Robust.
    pub fn read(inis: &[PathBuf]) -> io::Result<Self> {
        let mut all = Self::default();
        let mut lacks_assets = false;
        for ini in inis {
            let composed = Composed::read(ini);
            let mut composed = composed
                .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", ini.display())))?;
            let services = Services::of(&composed);
            lacks_assets |= services.assets_are_of_grid;
            all.places.extend(services.places);
            all.notes.extend(services.notes);
            if !composed.is_robust {
                all.add_regions(&composed);
            }
            all.files.append(&mut composed.files);
            all.notes.append(&mut composed.notes);
        }
        let is_of_assets =
            |found: &FoundPlace| matches!(found.service, Service::Assets | Service::AssetFiles);
        if lacks_assets && !all.places.iter().any(is_of_assets) {
            all.notes.push(
                "The simulator has no connection to the assets of its grid. Add --from-ini Robust.ini, or missing assets \
                 are not evaluated."
                    .into(),
            );
        }
        all.settle_roles();
        Ok(all)
    }

    fn add_regions(&mut self, composed: &Composed) {
        let setting = composed.get("Startup", "regionload_regionsdir");
        let folder = composed.path(setting.as_ref().map_or("Regions", |setting| &setting.value));
        match regions::read(&folder, &mut self.notes_of_regions) {
            Ok(mut regions) => {
                regions.iter_mut().for_each(|region| region.limits.fill(composed));
                self.regions.append(&mut regions);
            }
            Err(error) => {
                self.notes_of_regions
                    .push(format!("The files of regions in {} cannot be read: {error}.", folder.display()));
            }
        }
    }

    /// Gives each place one role. Without a database of regions, the assets are audited themselves.
    fn settle_roles(&mut self) {
        let has_regions = self.places.iter().any(|found| found.role == Role::Input);
        let places = self.places.iter_mut().filter(|found| found.role == Role::Store);
        if !has_regions {
            places.filter(|found| found.service != Service::Cache).for_each(|found| found.role = Role::Input);
        }
    }

    /// Returns the places to audit as arguments, each once.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let inputs = self.places.iter().filter(|found| found.role == Role::Input);
        let inputs: BTreeSet<&str> = inputs.map(|found| found.place.as_str()).collect();
        inputs.into_iter().map(PathBuf::from).collect()
    }

    /// Returns the stores as arguments, each once. A place that is audited is no store, and neither is a missing folder.
    pub fn stores(&self) -> Vec<PathBuf> {
        let inputs = self.inputs();
        let is_there = |found: &&FoundPlace| !matches!(Self::look(found), Look::Missing | Look::OtherSystem);
        let stores = self.places.iter().filter(|found| found.role == Role::Store).filter(is_there);
        let stores: BTreeSet<PathBuf> = stores.map(|found| PathBuf::from(&found.place)).collect();
        stores.into_iter().filter(|store| !inputs.contains(store)).collect()
    }

    /// Looks at a place, without opening it as a database.
    pub fn look(found: &FoundPlace) -> Look {
        found.path.as_deref().map_or(Look::Server, Look::at)
    }
}

/// Whether a path exists only on Windows.
fn is_elsewhere(path: &Path) -> bool {
    path.to_str().is_some_and(compose::is_of_windows)
}

#[cfg(test)]
mod tests;
