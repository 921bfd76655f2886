//! Finds the databases and folders that the settings of a simulator or of Robust name.

use super::{
    FoundPlace, Role, Service,
    compose::{Composed, Setting},
    connection::{Connection, Product},
};

/// The places of one simulator or of Robust.
pub(super) struct Services<'a> {
    composed: &'a Composed,
    /// The places in the order of services.
    pub(super) places: Vec<FoundPlace>,
    /// Missing settings, in whole sentences.
    pub(super) notes: Vec<String>,
    /// Whether a simulator asks the asset service of its grid, and has no connection of its own.
    pub(super) assets_are_of_grid: bool,
}

impl<'a> Services<'a> {
    /// Finds the places in merged settings.
    pub(super) fn of(composed: &'a Composed) -> Self {
        let mut found = Self { composed, places: Vec::new(), notes: Vec::new(), assets_are_of_grid: false };
        if composed.is_robust {
            found.robust();
        } else {
            found.simulator();
        }
        found
    }

    fn robust(&mut self) {
        self.assets();
        self.database(Service::Inventories, "InventoryService", Role::Listed);
        self.database(Service::Users, "UserAccountService", Role::Listed);
        self.database(Service::Grid, "GridService", Role::Listed);
    }

    fn simulator(&mut self) {
        self.database(Service::Regions, "SimulationDataStore", Role::Input);
        let composed = self.composed;
        let get = |section, key| composed.get(section, key);
        let module =
            get("AssetService", "LocalServiceModule").or(get("AssetService", "LocalGridAssetService"));
        let is_local = match &module {
            // Connectors ask the service of a grid.
            Some(module) => !module.value.contains("Connectors.dll"),
            None => get("AssetService", "AssetServerURI").is_none(),
        };
        if is_local {
            self.assets();
            self.database(Service::Inventories, "InventoryService", Role::Listed);
            self.database(Service::Users, "UserAccountService", Role::Listed);
        }
        self.assets_are_of_grid = !is_local;
        let caching = get("Modules", "AssetCaching");
        if let Some(caching) = caching.filter(|caching| caching.value.contains("Flotsam")) {
            let folder = get("AssetCache", "CacheDirectory");
            let folder = folder.unwrap_or(Setting { value: "./assetcache".into(), from: caching.from });
            self.folder(Service::Cache, "flotsam:", folder, Role::Store);
        }
    }

    fn assets(&mut self) {
        let composed = self.composed;
        let get = |key| composed.get("AssetService", key);
        let module = get("LocalServiceModule").or(get("LocalGridAssetService"));
        if module.is_some_and(|module| module.value.contains("FSAsset")) {
            match get("BaseDirectory") {
                Some(folder) => self.folder(Service::AssetFiles, "fsassets:", folder, Role::Store),
                None => self.notes.push("FSAssets has no BaseDirectory.".into()),
            }
            if let Some(folder) = get("SpoolDirectory") {
                self.folder(Service::Spool, "", folder, Role::Listed);
            }
        }
        self.database(Service::Assets, "AssetService", Role::Store);
    }

    fn folder(&mut self, service: Service, prefix: &str, folder: Setting, role: Role) {
        let path = self.composed.path(&folder.value);
        let place = format!("{prefix}{}", path.display());
        self.places.push(FoundPlace::new(service, role, place, Some(path), folder.from));
    }

    /// Adds the database of a service: of its own section, else of all services.
    fn database(&mut self, service: Service, section: &str, role: Role) {
        let get = |key| self.composed.get(section, key).or(self.composed.get("DatabaseService", key));
        let provider = get("StorageProvider").map(|provider| provider.value);
        let Some(connection) = get("ConnectionString") else {
            self.notes.push(format!("No ConnectionString for the database of {}.", service.name()));
            return;
        };
        let Some(product) = Product::of(provider.as_deref(), &connection.value) else {
            // A standalone keeps the list of regions in memory.
            if service != Service::Grid {
                let provider = provider.unwrap_or_default();
                self.notes.push(format!("The provider \"{provider}\" of {} is not known.", service.name()));
            }
            return;
        };
        match Connection::parse(product, &connection.value) {
            Ok(Connection::File(name)) => {
                let path = self.composed.path(&name);
                let place = format!("sqlite:{}", path.display());
                self.places.push(FoundPlace::new(service, role, place, Some(path), connection.from));
            }
            Ok(Connection::Server { url, password }) => {
                let found = FoundPlace::new(service, role, url, None, connection.from);
                self.places.push(FoundPlace { password, ..found });
            }
            Err(why) => {
                self.notes
                    .push(format!("{}: the connection string is not used, because {why}.", connection.from));
            }
        }
    }
}
