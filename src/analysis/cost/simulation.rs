//! The simulation cost of a linkset: by the specification's design, and by the released formulas.

use super::Cost;
use hullmark_settings::profile::{ServerWeight, Simulation};

/// Returns the cost of a linkset with n prims: `SRC = simulation_factor · active_cost · (n + linkset_factor / n)`. The
/// high active cost applies if it is scripted, physical or both (*Mesh/Mesh physics*).
///
/// Always an estimate: the page calls the constants tuning values, and none were ever published.
pub fn simulator_resource_cost(parts: u32, active: bool, settings: &Simulation) -> Cost {
    let count = f64::from(parts.max(1));
    let active_cost = if active { settings.active_cost_high } else { settings.active_cost_low };
    Cost::estimated(settings.factor * active_cost * (count + settings.linkset_factor / count))
}

/// Returns the server weight of a linkset. In Second Life it is an approximation, because two published formulas
/// differ:
///
/// - announced: `min(n/2 + scripts/4, n)` (Falcon Linden, April 2012);
/// - first-script-free: the same without the first script (wiki, Mesh/Mesh Server Weight);
/// - opensim: 0, the value of `OBJECT_SERVER_COST` there.
pub fn server_weight(parts: u32, scripts: u32, settings: &Simulation) -> Cost {
    let [first_free, announced] = server_weight_range(parts, scripts, settings);
    if settings.server_weight == ServerWeight::FirstScriptFree { first_free } else { announced }
}

/// Returns the minimum and maximum server weight of the published formulas.
pub fn server_weight_range(parts: u32, scripts: u32, settings: &Simulation) -> [Cost; 2] {
    [scripts.saturating_sub(1), scripts].map(|scripts| match settings.server_weight {
        ServerWeight::Opensim => Cost::spec(0.0),
        ServerWeight::Announced | ServerWeight::FirstScriptFree => {
            Cost::approximation(announced(parts, scripts))
        }
    })
}

/// `min(n/2 + scripts/4, n)`.
fn announced(parts: u32, scripts: u32) -> f64 {
    let count = f64::from(parts);
    (0.5 * count + 0.25 * f64::from(scripts)).min(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost::Basis;
    use hullmark_settings::profile::Profile;

    #[test]
    fn server_weights() {
        let mut settings = Profile::default().simulation;
        let table = [
            (ServerWeight::Announced, 2, 0, 1.0),
            (ServerWeight::Announced, 10, 1, 5.25),
            (ServerWeight::FirstScriptFree, 10, 1, 5.0),
            (ServerWeight::FirstScriptFree, 10, 0, 5.0),
            (ServerWeight::Announced, 19, 60, 19.0),
        ];
        for (formula, parts, scripts, expected) in table {
            settings.server_weight = formula;
            assert_eq!(server_weight(parts, scripts, &settings), Cost::approximation(expected));
        }
        settings.server_weight = ServerWeight::Opensim;
        assert_eq!(server_weight(4, 9, &settings), Cost::spec(0.0));
    }

    #[test]
    fn published_formulas_differ_by_the_first_script() {
        let settings = Profile::default().simulation;
        let range =
            |parts, scripts| server_weight_range(parts, scripts, &settings).map(|cost| cost.value().unwrap());
        assert_eq!(range(10, 0), [5.0, 5.0]);
        assert_eq!(range(10, 3), [5.5, 5.75]);
        assert_eq!(range(2, 9), [2.0, 2.0]);
    }

    #[test]
    fn resource_cost_by_the_specification() {
        let settings = Profile::default().simulation;
        let cost = |parts, active| simulator_resource_cost(parts, active, &settings);
        assert_eq!(cost(1, false).value(), Some(1.0));
        assert_eq!(cost(1, true).value(), Some(2.0));
        assert_eq!(cost(4, true).value(), Some(4.25));
        assert_eq!(cost(4, true).basis(), Basis::Estimated);
    }
}
