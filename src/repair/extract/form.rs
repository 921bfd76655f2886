//! How objects and their land are written.

use super::{item, square::Square};
use crate::mend;
use glam::DVec3;
use hullmark_format::member::Kind;
use hullmark_ledger::facts::ObjectFacts;

/// How objects and their land are written.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Form {
    /// As they are in the archive.
    #[default]
    Same,
    /// Objects are moved by this, in metres. Their land stays.
    Moved(DVec3),
    /// A part of a region as a region of its own.
    Square(Square),
    /// Objects become items of an inventory, without land.
    Inventory,
}

/// A member of a copy: its path and its bytes.
pub(super) type Member = (String, Vec<u8>);

impl Form {
    /// Returns what a member becomes. Land outside of a square becomes nothing. `None` if the member cannot be changed.
    pub(super) fn of(
        self,
        path: &str,
        kind: Kind,
        bytes: &[u8],
        object: Option<&ObjectFacts>,
    ) -> Option<Vec<Member>> {
        let at_its_path = |bytes: Vec<u8>| vec![(path.to_owned(), bytes)];
        match (self, kind) {
            (Self::Moved(by), Kind::Object) => mend::shifted(bytes, by).map(at_its_path),
            (Self::Square(square), Kind::Object) => mend::shifted(bytes, square.shift()).map(at_its_path),
            (Self::Square(square), Kind::Parcel) => {
                Some(square.parcel(bytes)?.map(at_its_path).unwrap_or_default())
            }
            (Self::Square(square), Kind::Terrain) => {
                Some(square.terrain(bytes).map(at_its_path).unwrap_or_default())
            }
            (Self::Inventory, Kind::Object) => object.and_then(|object| item::of_object(bytes, object)),
            _ => Some(at_its_path(bytes.to_vec())),
        }
    }

    /// Whether the copy has the land of its objects.
    pub(super) fn has_land(self) -> bool {
        self != Self::Inventory
    }
}
