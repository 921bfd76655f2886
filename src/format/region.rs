//! Region settings and parcels.

use crate::finding::Finding;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The settings that an audit needs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// `ObjectBonus`: factor on the capacity of parcels.
    pub object_bonus: Option<f64>,
    /// `AgentLimit`.
    pub agent_limit: Option<i64>,
    /// `MaturityRating`: 0, 1 or 2.
    pub maturity: Option<i64>,
    /// `DisablePhysics`.
    pub disable_physics: Option<bool>,
    /// `DisableScripts`.
    pub disable_scripts: Option<bool>,
    /// `DisableCollisions`.
    pub disable_collisions: Option<bool>,
    /// `WaterHeight`, metres.
    pub water_height: Option<f64>,
    /// `TelehubObject`, where it is not nil.
    pub telehub: Option<Uuid>,
}

/// A parcel of land.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Parcel {
    /// `GlobalID`.
    pub uuid: Option<Uuid>,
    /// Its name.
    pub name: String,
    /// Its owner.
    pub owner: Uuid,
    /// `IsGroupOwned`.
    pub group_owned: bool,
    /// `Area` as stated, m².
    pub area: Option<f64>,
    /// `UserLocation`: where visitors land.
    pub landing: Option<DVec3>,
    /// The bitmap: one bit for each cell of 4 × 4 m, lowest bit first, eastward then northward.
    #[serde(with = "super::region::bitmap")]
    pub bitmap: Vec<u8>,
}

/// Decodes a settings file. `None` where it cannot be read; the findings are of code REG005.
pub fn decode_settings(_bytes: &[u8]) -> (Option<Settings>, Vec<Finding>) {
    unimplemented!()
}

/// Decodes a parcel. `None` where it cannot be read; the findings are of codes REG004 and REG005.
pub fn decode_parcel(_bytes: &[u8]) -> (Option<Parcel>, Vec<Finding>) {
    unimplemented!()
}

/// The bitmap as base64 in a ledger.
pub(crate) mod bitmap {
    use base64::{Engine, prelude::BASE64_STANDARD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
