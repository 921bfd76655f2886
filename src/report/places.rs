//! The list of `places`: databases and folders that the settings of simulators name.

use hullmark_settings::simulator::{FoundPlace, Look, Places, Role, Service, regions::RegionFile};
use serde::Serialize;

/// The list as plain data. The field names are stable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacesPage {
    /// Files of settings, in the order in which they were merged.
    pub files: Vec<String>,
    /// Databases and folders.
    pub places: Vec<PlaceRow>,
    /// Regions of the simulators.
    pub regions: Vec<RegionFile>,
    /// What was left out, and why.
    pub notes: Vec<String>,
}

/// A database or folder.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceRow {
    /// The content of the place.
    pub service: Service,
    /// How an audit uses it.
    pub role: Role,
    /// The place as an argument names it. It has no password.
    pub place: String,
    /// Whether the settings have a password.
    pub has_password: bool,
    /// Section and key, file and line.
    pub from: String,
    /// Its state.
    #[serde(flatten)]
    pub look: Look,
}

impl PlacesPage {
    /// Lists the places of simulators, and looks at each.
    pub fn new(places: &Places) -> Self {
        let row = |found: &FoundPlace| PlaceRow {
            service: found.service,
            role: found.role,
            place: found.place.clone(),
            has_password: found.password.is_some(),
            from: found.from.clone(),
            look: Places::look(found),
        };
        Self {
            files: places.files.iter().map(|file| file.display().to_string()).collect(),
            places: places.places.iter().map(row).collect(),
            regions: places.regions.clone(),
            notes: places.notes.iter().chain(&places.notes_of_regions).cloned().collect(),
        }
    }
}
