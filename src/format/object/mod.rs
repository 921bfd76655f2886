//! Object XML: what OpenSim writes for a linkset.

pub mod part;

use crate::{finding::Finding, limits::Limits};
pub use part::{Item, Part, Sculpt, Shape};
use serde::{Deserialize, Serialize};

/// How a document holds its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// `SceneObjectGroup` with a `SceneObjectPart` as its root: the layout of OAR `objects/`.
    Xml2,
    /// `SceneObjectGroup` with `RootPart`: the layout of inventory assets.
    Xml1,
    /// `CoalescedObject`: several objects taken together.
    Coalesced,
    /// `<scene>`: what `save xml` and `save xml2` write.
    Scene,
}

/// A linkset: one or more parts, the root first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Linkset {
    /// The parts in link order: root, then children by link number, document order among equals.
    pub parts: Vec<Part>,
    /// Whether the document has its parts in link order too.
    pub document_in_link_order: bool,
    /// `KeyframeMotion` is present and not empty: the object moves although it is not physical.
    pub keyframe_motion: bool,
    /// Saved states of running scripts.
    pub script_states: u32,
}

/// One decoded document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// How it holds its objects; absent where not even the root element could be read.
    pub layout: Option<Layout>,
    /// Its objects in document order.
    pub linksets: Vec<Linkset>,
    /// Departures from the format that do no harm, by their fixed names, sorted, each once.
    pub oddities: Vec<&'static str>,
}

/// Decodes a document with object XML in any of the layouts.
pub fn decode(_bytes: &[u8], _limits: &Limits) -> (Document, Vec<Finding>) {
    unimplemented!()
}
