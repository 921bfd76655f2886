//! Whether prims can be one linkset.
//!
//! Three rules from `linkability-rules.txt`: [`current`] since December 2010, [`havok4`] before it and [`havok1`]
//! before that. [`split`] plans linksets for prims that cannot be linked.

pub mod current;
pub mod havok1;
pub mod havok4;
pub mod link_order;
pub mod split;

use glam::DVec3;
use hullmark_settings::profile::Linkability;
use link_order::{Order, order};

/// A prim as the rules use it: the box of the whole form without cuts. All prims share one set of axes, which must be
/// the region's for rules that depend on axes.
pub use hullmark_geometry::bounds::OrientedBox as Prim;

/// The result of all three rules for a linkset.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Result of the rule since December 2010; its sphere is in the axes of the given centres.
    pub current: current::Outcome,
    /// Result of the rule before that; its spheres are in the axes of the region.
    pub havok4: havok4::Outcome,
    /// Whether another order of the children changes the result of Havok4; `None` if that rule was not evaluated.
    pub havok4_order: Option<Order>,
    /// Result of the first rule, the box.
    pub havok1: havok1::Outcome,
}

impl Judgement {
    /// Evaluates the rules for prims in link order. `centres` are the same prims' centres in any axes in which they are
    /// exact.
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
