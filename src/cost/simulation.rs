//! What a linkset costs the simulator, by the specification's design and by the formulas that were released.

use super::Cost;
use crate::profile::{ServerWeight, Simulation};

/// `SRC = simulation_factor · active_cost · (n + linkset_factor / n)` for a linkset of n prims, with the high
/// active cost where it is scripted, physical or both (*Mesh/Mesh physics*).
///
/// An estimate by nature: the page calls the constants tuning values, and none were ever published.
pub fn simulator_resource_cost(parts: u32, active: bool, settings: &Simulation) -> Cost {
    let count = f64::from(parts.max(1));
    let active_cost = if active { settings.active_cost_high } else { settings.active_cost_low };
    Cost::estimated(settings.factor * active_cost * (count + settings.linkset_factor / count))
}

/// Server weight of a linkset.
///
/// - announced: `min(n/2 + scripts/4, n)` (Falcon Linden, April 2012);
/// - first-script-free: the same without the first script (wiki, Mesh/Mesh Server Weight);
/// - opensim: 0, which is what it answers to OBJECT_SERVER_COST.
pub fn server_weight(parts: u32, scripts: u32, settings: &Simulation) -> Cost {
    let (count, scripts) = (f64::from(parts), f64::from(scripts));
    let announced = |scripts: f64| (0.5 * count + 0.25 * scripts).min(count);
    Cost::spec(match settings.server_weight {
        ServerWeight::Announced => announced(scripts),
        ServerWeight::FirstScriptFree => announced((scripts - 1.0).max(0.0)),
        ServerWeight::Opensim => 0.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cost::Basis, profile::Profile};

    #[test]
    fn server_weights() {
        let mut settings = Profile::default().simulation;
        let table = [
            (ServerWeight::Announced, 2, 0, 1.0),
            (ServerWeight::Announced, 10, 1, 5.25),
            (ServerWeight::FirstScriptFree, 10, 1, 5.0),
            (ServerWeight::FirstScriptFree, 10, 0, 5.0),
            (ServerWeight::Announced, 19, 60, 19.0),
            (ServerWeight::Opensim, 4, 9, 0.0),
        ];
        for (formula, parts, scripts, expected) in table {
            settings.server_weight = formula;
            assert_eq!(server_weight(parts, scripts, &settings), Cost::spec(expected));
        }
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
