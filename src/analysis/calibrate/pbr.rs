//! Which accounting a simulator applies to linksets with PBR materials.

use super::compare::Pair;
use crate::measure::ObjectMeasures;
use serde::Serialize;

/// Maximum difference of a land impact from a number of prims that is the same.
const SAME: f64 = 0.5;

/// Linksets whose accounting depends on PBR materials, by their measured land impact. Linksets with equal figures under
/// both accountings are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PbrAccounting {
    /// Number of linksets that cost 1 for each prim.
    pub legacy: usize,
    /// Number of linksets that cost anything else.
    pub new: usize,
}

impl PbrAccounting {
    pub(super) fn new(pairs: &[Pair<'_>], measures: &[ObjectMeasures]) -> Self {
        let mut found = Self::default();
        for pair in pairs.iter().filter(|pair| pair.first) {
            let measures = &measures[pair.object];
            let figures = measures.land_impact.exact().zip(measures.land_impact_if_new.value());
            let Some(((legacy, new), measured)) = figures.zip(pair.row.prim_equivalence) else { continue };
            if !measures.pbr_may_opt_in || (legacy - new).abs() < SAME {
                continue;
            }
            match (measured - legacy).abs() < SAME {
                true => found.legacy += 1,
                false => found.new += 1,
            }
        }
        found
    }
}
