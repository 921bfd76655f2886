//! Which prims can be one linkset.
//!
//! Three rules, as `linkability-rules.txt` tells them: [`current`], since December 2010, [`havok4`] before it and
//! Havok1 before that.

pub mod current;
pub mod havok4;
pub mod order;

use glam::{DQuat, DVec3};

/// A prim as the rules see it, in axes that all prims of a question share: the region's for those that look at axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prim {
    /// Its geometric centre, metres: that of the whole form, whatever is cut off.
    pub centre: DVec3,
    /// How it is turned; of length 1.
    pub rotation: DQuat,
    /// The sides of its box, metres.
    pub scale: DVec3,
}
