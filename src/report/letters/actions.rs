//! The actions that help an owner most.

use super::words::Key;
use crate::{
    analysis::actions::Kind,
    report::{table::Cell, tables::actions::key as action},
};

/// Maximum number of actions in a letter.
const MOST: usize = 3;

/// An action that lowers land impact.
#[derive(Debug, Clone)]
pub(super) struct TopAction {
    pub(super) kind: Kind,
    /// Name of the object.
    pub(super) name: String,
    pub(super) region: String,
    /// Number of prims, meshes or objects to edit.
    pub(super) edits: u64,
    pub(super) land_impact_before: f64,
    pub(super) land_impact_after: f64,
}

impl TopAction {
    /// Reads a row of `actions`. `None` if a number is unknown.
    fn from_row(row: &[Cell<'_>]) -> Option<Self> {
        let kind = action::KIND.text(row);
        Some(Self {
            kind: Kind::ALL.into_iter().find(|known| known.name() == kind)?,
            name: action::NAME.text(row).into(),
            region: action::REGION.text(row).into(),
            edits: action::EDITS.count(row),
            land_impact_before: action::BEFORE.number(row)?,
            land_impact_after: action::AFTER.number(row)?,
        })
    }

    fn saved_per_edit(&self) -> f64 {
        (self.land_impact_before - self.land_impact_after) / self.edits.max(1) as f64
    }

    /// Returns the key of the words for the action.
    pub(super) fn key(&self) -> Key {
        match self.kind {
            Kind::ConvexHull => Key::ActionConvexHull,
            Kind::ShapeNone => Key::ActionShapeNone,
            Kind::CoarserLevels => Key::ActionCoarserLevels,
            Kind::RemoveCopy => Key::ActionRemoveCopy,
            Kind::Link => Key::ActionLink,
        }
    }
}

/// Adds a row of `actions` to those that help an owner most. Of equal ones the earlier row stays.
pub(super) fn add(actions: &mut Vec<TopAction>, row: &[Cell<'_>]) {
    actions.extend(TopAction::from_row(row));
    actions.sort_by(|a, b| b.saved_per_edit().total_cmp(&a.saved_per_edit()));
    actions.truncate(MOST);
}
