//! `archive.xml`: the control file of OAR and IAR.

use crate::finding::Finding;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What the control file says.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Control {
    /// `major_version`; absent where it is missing or no number.
    pub major: Option<i64>,
    /// `minor_version`.
    pub minor: Option<i64>,
    /// `datetime`: when the export was made, seconds since 1970.
    pub created: Option<i64>,
    /// `assets_included`.
    pub assets_included: Option<bool>,
    /// Whether the file lists several regions in rows.
    pub multi_region: bool,
    /// Its regions, in file order; one for a single-region archive.
    pub regions: Vec<ControlRegion>,
}

/// A region as the control file states it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ControlRegion {
    /// `id`.
    pub uuid: Option<Uuid>,
    /// `dir`: its folder below `regions/`; empty in a single-region archive.
    pub folder: String,
    /// `size_in_meters`.
    pub size: Option<[u32; 2]>,
}

/// Decodes a control file. The findings are of code ARC006.
pub fn decode(_bytes: &[u8]) -> (Control, Vec<Finding>) {
    unimplemented!()
}
