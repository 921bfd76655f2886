//! Mends single documents in the smallest way that lets a loader take them.
//!
//! ```text
//! object ──▶ markup: one well-formed document ──▶ object: each element that the loader does not pass
//!                                                  value: what can be kept of it
//! settings, parcels, archive.xml, items ──▶ land, control: small documents
//! ```

mod control;
mod document;
mod edits;
mod inventory;
mod land;
mod markup;
mod object;
mod owners;
mod placement;
mod prims;
mod regroup;
mod shape;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use control::{control, item};
pub(crate) use inventory::{in_inventory_layout, plain_texts};
pub(crate) use land::{cut_parcel, parcel, settings, shares};
pub(crate) use object::object;
pub(crate) use owners::replaced;
pub(crate) use placement::{Move, moved, moves, shifted};
pub(crate) use regroup::{Object, linked, split};
pub(crate) use shape::shaped;

use hullmark_finding::Code;
use hullmark_format::member::Kind;
use hullmark_settings::limits::Limits;
use serde::Serialize;
use uuid::Uuid;

/// Characters of a value that are shown.
const SHOWN: usize = 120;

/// A change of one place of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The rule that finds the fault.
    pub code: Code,
    /// The prim that it is in.
    pub part: Option<Uuid>,
    /// The element, or what else was changed.
    pub field: String,
    /// The text before, shortened.
    pub old: String,
    /// The text after, shortened. Empty if it was removed.
    pub new: String,
    pub why: String,
}

impl Change {
    pub(crate) fn new(code: Code, field: impl Into<String>, why: impl Into<String>) -> Self {
        let (old, new) = Default::default();
        Self { code, part: None, field: field.into(), old, new, why: why.into() }
    }

    pub(crate) fn replacing(self, old: &str, new: &str) -> Self {
        Self { old: shown(old), new: shown(new), ..self }
    }
}

/// The result for a document.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mended {
    /// A loader takes it as it is.
    Sound,
    Changed {
        bytes: Vec<u8>,
        changes: Vec<Change>,
    },
    /// No change lets a loader take it.
    Hopeless(Change),
}

/// Mends a document of this kind that is alone. `None` if no change lets a loader take it.
pub fn mended(kind: Kind, bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let mended = match kind {
        Kind::Object => object(bytes, false, limits),
        Kind::NestedObject => object(bytes, true, limits),
        Kind::Settings => settings(bytes, false),
        Kind::Parcel => parcel(bytes, None),
        Kind::InventoryItem => item(bytes),
        Kind::ArchiveManifest => control(bytes),
        _ => Mended::Sound,
    };
    match mended {
        Mended::Sound => Some(bytes.to_vec()),
        Mended::Changed { bytes, .. } => Some(bytes),
        Mended::Hopeless(_) => None,
    }
}

/// Shortens a text to one line.
fn shown(text: &str) -> String {
    let mut line: String = text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        line.push('…');
    }
    line
}
