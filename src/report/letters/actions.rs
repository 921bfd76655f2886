//! The actions that help an owner most.

use super::words::Key;
use uuid::Uuid;

/// Maximum number of actions in a letter.
pub(super) const MOST: usize = 3;

/// Kind of an action.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(test), expect(dead_code, reason = "the table of actions will make them"))]
pub(super) enum ActionKind {
    ConvexHull,
    ShapeNone,
    CoarserLevels,
    Link,
}

/// An action that lowers land impact.
#[derive(Debug, Clone)]
pub(super) struct TopAction {
    pub(super) kind: ActionKind,
    /// Name of the object.
    pub(super) name: String,
    pub(super) region: String,
    /// Number of prims, meshes or objects to edit.
    pub(super) edits: u64,
    pub(super) land_impact_before: f64,
    pub(super) land_impact_after: f64,
}

impl ActionKind {
    /// Returns the key of its words.
    pub(super) fn key(self) -> Key {
        match self {
            Self::ConvexHull => Key::ActionConvexHull,
            Self::ShapeNone => Key::ActionShapeNone,
            Self::CoarserLevels => Key::ActionCoarserLevels,
            Self::Link => Key::ActionLink,
        }
    }
}

/// Returns the actions of an owner that help most. The table `actions` will fill it. Letters leave the section out as
/// long as it is empty.
pub(super) fn top_actions(_owner: Uuid) -> Vec<TopAction> {
    Vec::new()
}
