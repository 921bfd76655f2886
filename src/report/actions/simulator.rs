//! Links and splits that lower the cost of a region for its simulator.
//!
//! One row has what a link saves in land impact and for the simulator. Other links, and all splits, come last in the list.
//! They count in no sum of land impact, because their objects may have plans of their own.

use super::{ListedAction, Urgency, land_impact};
use hullmark_analysis::{
    Measured,
    actions::{self, Action, Kind},
    cost::Cost,
    regroup::{self, Advice},
};
use uuid::Uuid;

/// What a link or a split saves the simulator.
#[derive(Debug, Clone)]
pub struct SimulatorSaving {
    /// Simulator resource cost before and after.
    pub cost: [Cost; 2],
    /// Land impact before and after.
    pub land_impact: [Cost; 2],
    /// Diameter of the smallest sphere around the prim centers of the new linkset, metres.
    pub diameter_m: f64,
    /// Roots of the linksets to link, the remaining root first; or the prims to split off.
    pub uuids: Vec<Uuid>,
}

impl SimulatorSaving {
    fn new(advice: &Advice, measured: &Measured<'_>) -> Self {
        let (before, after) = (&advice.before, &advice.after);
        Self {
            cost: [before.simulator, after.simulator],
            land_impact: [before.land_impact, after.land_impact],
            diameter_m: advice.diameter_m,
            uuids: advice.prims_of(measured.ledger).iter().map(|part| part.uuid).collect(),
        }
    }
}

/// Lists the advice for a region that is not among its actions, the greatest saving first.
pub(super) fn listed<'a>(
    measured: &'a Measured<'a>,
    advice: &[Advice],
    actions: &[Action],
    address: &str,
) -> Vec<ListedAction<'a>> {
    let is_known = |advice: &Advice| {
        let mut links = actions.iter().filter(|action| action.kind == Kind::Link);
        advice.kind == regroup::Kind::Link && links.any(|link| link.objects[0] == advice.objects[0])
    };
    let row = |advice: &Advice| {
        let listed = land_impact::listed(measured, &actions::of_advice(advice), address)?;
        let sentences = advice.notes.iter().map(|note| note.sentence());
        let effect = std::iter::once(listed.effect.as_str()).chain(sentences).collect::<Vec<_>>().join(" ");
        Some(ListedAction {
            urgency: Urgency::Simulator,
            objects: Vec::new(),
            land_impact: None,
            simulator: Some(SimulatorSaving::new(advice, measured)),
            weight: advice.saving().value().unwrap_or(0.0),
            effect,
            ..listed
        })
    };
    let mut rows: Vec<_> = advice.iter().filter(|advice| !is_known(advice)).filter_map(row).collect();
    rows.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    rows
}

/// Adds what the simulator saves to the links that lower land impact.
pub(super) fn add_savings(rows: &mut [ListedAction<'_>], advice: &[Advice], measured: &Measured<'_>) {
    for row in rows.iter_mut().filter(|row| row.kind == Kind::Link.name() && row.simulator.is_none()) {
        let mut links = advice.iter().filter(|advice| advice.kind == regroup::Kind::Link);
        let same = links.find(|advice| row.objects.first() == advice.objects.first());
        row.simulator = same.map(|advice| SimulatorSaving::new(advice, measured));
    }
}
