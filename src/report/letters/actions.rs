//! The actions that help an owner most.

use super::words::Key;
use crate::{table::Cell, tables::actions::key as action};
use hullmark_analysis::actions::Kind;

/// Maximum number of actions in a letter.
const MOST: usize = 3;

/// An action that lowers land impact.
#[derive(Debug, Clone)]
pub(super) struct TopAction {
    /// Key of its words.
    pub(super) key: Key,
    /// Name of the object.
    pub(super) name: String,
    /// Name of its region; empty for an object in its own file.
    pub(super) region: String,
    /// Path of the input.
    pub(super) archive: String,
    /// Position of the first object in its region, metres.
    pub(super) position_m: Option<[f64; 3]>,
    /// Link numbers of the prims to edit, as ranges; empty for an object of one prim.
    pub(super) links: String,
    /// Number of prims, meshes or objects to edit.
    pub(super) edits: u64,
    pub(super) land_impact_before: f64,
    pub(super) land_impact_after: f64,
}

impl TopAction {
    /// Reads a row of `actions`. `None` if it saves no land impact, or if a number is unknown.
    fn from_row(row: &[Cell<'_>]) -> Option<Self> {
        action::SAVED.number(row)?;
        Some(Self {
            key: key(action::KIND.text(row))?,
            name: action::NAME.text(row).into(),
            region: action::REGION.text(row).into(),
            archive: action::ARCHIVE.text(row).into(),
            position_m: position(row),
            links: action::LINKS.text(row).into(),
            edits: action::EDITS.count(row),
            land_impact_before: action::BEFORE.number(row)?,
            land_impact_after: action::AFTER.number(row)?,
        })
    }

    fn saved_per_edit(&self) -> f64 {
        (self.land_impact_before - self.land_impact_after) / self.edits.max(1) as f64
    }
}

fn position(row: &[Cell<'_>]) -> Option<[f64; 3]> {
    let [x, y, z] = [action::POSITION_X_M, action::POSITION_Y_M, action::POSITION_Z_M];
    Some([x.number(row)?, y.number(row)?, z.number(row)?])
}

/// Returns the key of the words for a kind of action; `None` if letters do not suggest it.
fn key(kind: &str) -> Option<Key> {
    match Kind::ALL.into_iter().find(|known| known.name() == kind)? {
        Kind::ConvexHull => Some(Key::ActionConvexHull),
        Kind::ShapeNone => Some(Key::ActionShapeNone),
        Kind::CoarserLevels => Some(Key::ActionCoarserLevels),
        Kind::RemoveCopy => Some(Key::ActionRemoveCopy),
        Kind::Link => Some(Key::ActionLink),
        Kind::ReplacePhysics | Kind::SplitOff => None,
    }
}

/// Adds a row of `actions` to those that help an owner most. Of equal ones the earlier row stays.
pub(super) fn add(actions: &mut Vec<TopAction>, row: &[Cell<'_>]) {
    actions.extend(TopAction::from_row(row));
    actions.sort_by(|a, b| b.saved_per_edit().total_cmp(&a.saved_per_edit()));
    actions.truncate(MOST);
}
