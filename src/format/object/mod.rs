//! Object XML: the documents that OpenSim writes for linksets.
//!
//! ```text
//! document ──▶ one part element after the other ──▶ linksets in link order
//!                 part_element: fields                  links
//!                 shape_element: the prim's shape
//!                 item_element: the contents
//! ```
//!
//! In addition, `format::loader` follows OpenSim's own reader call by call and reports its result.
//!
//! Each field of packed bytes has a decoder: `extra_params`, `texture_entry`, `particles`, `animations`,
//! `linkset_data`.
//!
//! All layouts hold `SceneObjectPart` elements below `SceneObjectGroup`, with different wrappers in between. Wrappers
//! of any name are passed through.

pub mod animations;
mod diagnostics;
mod document;
pub mod dynamic_attributes;
pub mod extra_params;
mod item_element;
pub mod links;
pub mod linkset_data;
pub mod part;
mod part_element;
pub mod particles;
pub mod prim_parameters;
mod shape_element;
pub mod texture_entry;
mod values;

use crate::defect::Defect;
use hullmark_settings::limits::Limits;
use hullmark_util::named;
pub use part::{Item, Part, Permissions, Sculpt, Shape};
use serde::{Deserialize, Serialize};
pub use shape_element::valid_profile_curve;
use std::collections::HashSet;
use uuid::Uuid;
pub use values::normalised_or_none;

named! {
/// How a document holds its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// `SceneObjectGroup` with a `SceneObjectPart` as its root: the layout of OAR `objects/`.
    Xml2 = "xml2",
    /// `SceneObjectGroup` with `RootPart`: the layout of inventory assets.
    Xml1 = "xml1",
    /// `CoalescedObject`: several objects taken together.
    Coalesced = "coalesced",
    /// `<scene>`: what `save xml` and `save xml2` write.
    Scene = "scene",
    /// Binary LLSD in zlib: the export of Firestorm.
    Oxp = "oxp",
    /// `<project>`: the export of Phoenix and Hippo.
    Hpa = "hpa",
    /// LLSD as XML: the export of Singularity and Imprudence.
    LlsdXml = "llsd-xml",
}
}

impl Layout {
    /// Whether its parts have UUIDs and owners, and their items have assets.
    pub fn has_identities(self) -> bool {
        !matches!(self, Self::Hpa | Self::LlsdXml)
    }
}

/// A linkset: one or more parts, the root first.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Linkset {
    /// The parts in link order: root, then children by link number, document order among equals.
    pub parts: Vec<Part>,
    /// Whether the document also has its parts in link order.
    pub document_in_link_order: bool,
    /// Whether `KeyframeMotion` is present and not empty: the object moves without being physical.
    pub keyframe_motion: bool,
    /// Items whose scripts have a saved state, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script_states: Vec<Uuid>,
    /// Characters that scripts store in the linkset, as OpenSim counts them: keys, values and passwords. `None` if
    /// there are none, or if they cannot be decoded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linkset_data: Option<u64>,
}

impl Linkset {
    /// Whether two parts, or two items of one part, have the same UUID.
    pub fn has_a_uuid_twice(&self) -> bool {
        let mut parts = HashSet::new();
        self.parts.iter().any(|part| {
            let mut items = HashSet::new();
            !parts.insert(part.uuid) || part.inventory.iter().any(|item| !items.insert(item.uuid))
        })
    }
}

/// Harmless departures from the format, in addition to those of [`crate::xml::oddity`].
pub mod oddity {
    /// `<Guid>` instead of `<UUID>`.
    pub const GUID_IDS: &str = "guid-ids";
    pub const ZERO_ROTATION: &str = "zero-rotation";
    /// `Flags` is missing, and the old `ObjectFlags` is used.
    pub const OBJECT_FLAGS_NUMBER: &str = "object-flags-number";
    /// `Scale` is only inside `Shape`.
    pub const SCALE_IN_SHAPE: &str = "scale-in-shape";
    /// A part without `PhysicsShapeType`.
    pub const NO_PHYSICS_SHAPE_TYPE: &str = "no-physics-shape-type";
    pub const SCULPT_FLAG_BITS: &str = "sculpt-flag-bits";
}

#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// The layout of the document; `None` if not even the root element could be read.
    pub layout: Option<Layout>,
    /// The objects, in document order.
    pub linksets: Vec<Linkset>,
    /// Harmless departures from the format, as sorted, unique fixed names.
    pub oddities: Vec<&'static str>,
}

/// Decodes a document with object XML in any layout.
///
/// Complete parts before a fault are kept. [`Limits::parts`] applies to the whole document, so a document of many small
/// objects costs no more memory than one large object. Defects are [`Capped`](hullmark_finding::Capped) at
/// [`Limits::findings_per_code`].
pub fn decode(bytes: &[u8], limits: &Limits) -> (Document, Vec<Defect>) {
    document::decode(bytes, limits)
}

#[cfg(test)]
mod tests;
