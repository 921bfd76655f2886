//! Land impact: the share of a parcel's capacity that a linkset uses.

use super::Cost;
use crate::physics_shape::{ShapeType, is_plant};
use hullmark_format::object::Part;

/// Sums contain rounding errors. A sum that is below 2.5 only by such an error still rounds up.
const ROUNDING_NOISE: f64 = 1e-9;

/// Returns land impact in Second Life: the greatest of the three sums, rounded, at least 1 (KB "Calculating land
/// impact").
///
/// `physics` is the penalized sum if the linkset is physical. It is not documented how a half is rounded; it is rounded
/// up here. A sum that is not applicable is ignored.
pub fn second_life(streaming: Cost, physics: Cost, server: Cost) -> Cost {
    Cost::greatest([streaming, physics, server])
        .map(|weight| (weight + 0.5 + ROUNDING_NOISE).floor().max(1.0))
}

/// Returns one for each prim. This is land impact under legacy accounting, of plants, and of everything on
/// OpenSimulator (`llGetObjectDetails`, `OBJECT_PRIM_EQUIVALENCE`, and the count of a parcel).
pub fn per_prim(parts: u32) -> Cost {
    Cost::spec(f64::from(parts.max(1)))
}

/// Whether OpenSimulator counts a linkset with this part by its costs (`UsesComplexCost`). The part must have the shape
/// None, which no root has, or be a mesh without flag bits. As in OpenSimulator, convex parts and mirrored or inverted
/// meshes do not count.
pub fn opensim_complex(part: &Part, is_root: bool) -> bool {
    !is_plant(part)
        && (part.shape.is_opensim_mesh() || (!is_root && ShapeType::from_part(part) == ShapeType::None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cost::{Basis, NotEvaluated},
        physics_shape::tests::{mesh_part, prim},
    };

    #[test]
    fn the_greatest_rounded_at_least_one() {
        let impact = |streaming, physics, server| {
            second_life(Cost::spec(streaming), Cost::spec(physics), Cost::spec(server)).value()
        };
        assert_eq!(impact(0.6, 1.626_667, 5.0), Some(5.0));
        assert_eq!(impact(0.6, 1.626_667, 0.5), Some(2.0));
        assert_eq!(impact(0.06, 0.1, 0.5), Some(1.0));
        assert_eq!(impact(0.0, 0.0, 0.0), Some(1.0));
        assert_eq!(impact(2.5, 0.0, 0.0), Some(3.0));
        assert_eq!(impact(2.499_999, 0.0, 0.0), Some(2.0));
    }

    #[test]
    fn an_unknown_weight_leaves_a_bound() {
        let unknown = Cost::not_evaluated(NotEvaluated::SculptMissing);
        let impact = second_life(Cost::spec(0.6), unknown, Cost::spec(5.0));
        assert_eq!(impact.value(), Some(5.0));
        assert_eq!(impact.basis(), Basis::LowerBound(NotEvaluated::SculptMissing));
    }

    #[test]
    fn opensim_counts_flagged_meshes_as_prims() {
        let mut part = mesh_part();
        assert!(opensim_complex(&part, false));
        part.shape.sculpt.as_mut().unwrap().kind = 5 | 128;
        assert!(!opensim_complex(&part, false));
        let mut none = prim();
        assert!(!opensim_complex(&none, false));
        none.physics_shape_type = Some(1);
        assert!(opensim_complex(&none, false));
        assert!(!opensim_complex(&none, true), "a root becomes Prim");
        none.physics_shape_type = Some(2);
        assert!(!opensim_complex(&none, false));
    }
}
