//! Which prims can be one linkset.
//!
//! Three rules from `linkability-rules.txt`: [`current`] since December 2010, [`havok4`] before it and [`havok1`]
//! before that. [`split`] plans linksets for prims that cannot be linked.

pub mod current;
pub mod havok1;
pub mod havok4;
pub mod split;

use crate::settings::profile::Linkability;
use glam::DVec3;
use havok4::order::{Order, order};

/// A prim as the rules see it: the box of the whole form, whatever is cut off, in axes that all prims of a question share:
/// the region's for those that look at axes.
pub use crate::geometry::bounds::OrientedBox as Prim;

/// A linkset under all three rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The rule since December 2010; its sphere is in the axes of the centres that it was given.
    pub current: current::Outcome,
    /// The one before it; its spheres are in the axes of the region.
    pub havok4: havok4::Outcome,
    /// Whether another order of the children would end otherwise by that; absent where it is not evaluated.
    pub havok4_order: Option<Order>,
    /// The box before that.
    pub havok1: havok1::Outcome,
}

impl Judgement {
    /// Judges prims in link order. The centres are theirs once more, in whatever axes they are exact.
    pub fn new(prims: &[Prim], centres: &[DVec3], limits: &Linkability) -> Self {
        let havok4 = havok4::evaluate(prims);
        Self {
            current: current::evaluate(centres, limits),
            havok4_order: order(prims, &havok4),
            havok4,
            havok1: havok1::evaluate(prims),
        }
    }
}
