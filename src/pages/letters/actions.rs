//! The actions that help an owner most.

use super::words::Key;
use hullmark_analysis::actions::Kind;
use hullmark_report::actions::ListedAction;

/// Maximum number of actions in a letter.
const MOST: usize = 3;

/// Most copies of an object that an owner is asked to delete. More are the task of the operator.
pub(super) const COPIES: usize = 20;

/// An action that lowers land impact.
#[derive(Debug, Clone)]
pub(super) struct TopAction {
    /// Key of its words.
    pub(super) key: Key,
    /// Number of objects that are alike.
    pub(super) objects: u64,
    /// Name of the first object.
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
    /// Creates it from an action of an input. `None` if it saves no land impact, if a number is unknown, or if it is a task
    /// of the operator.
    pub(super) fn new(listed: &ListedAction<'_>, archive: &str) -> Option<Self> {
        let [before, after] = listed.land_impact?;
        let key = key(listed.kind)?;
        if key == Key::ActionRemoveCopy && listed.edits > COPIES {
            return None;
        }
        Some(Self {
            key,
            objects: listed.count as u64,
            name: listed.name.clone(),
            region: listed.region.map_or_else(String::new, |region| region.name.clone()),
            archive: archive.into(),
            position_m: listed.root().map(|root| root.group_position.to_array()),
            links: listed.link_numbers.clone(),
            edits: listed.edits as u64,
            land_impact_before: before.value()?,
            land_impact_after: after.value()?,
        })
    }

    fn saved(&self) -> f64 {
        self.land_impact_before - self.land_impact_after
    }
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

/// Whether an action of this kind gives prims or meshes another physics shape.
pub(super) fn is_about_shape(kind: &str) -> bool {
    let shapes = [Kind::ConvexHull, Kind::ShapeNone, Kind::ReplacePhysics];
    shapes.into_iter().any(|shape| shape.name() == kind)
}

/// Adds actions to those that help an owner most. Of equal ones the earlier stays.
pub(super) fn add(actions: &mut Vec<TopAction>, more: impl IntoIterator<Item = TopAction>) {
    actions.extend(more);
    actions.sort_by(|a, b| b.saved().total_cmp(&a.saved()));
    actions.truncate(MOST);
}
