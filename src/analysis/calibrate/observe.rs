//! The cost model as a function of its constants. This module asks for costs and contains no formula.

use super::{
    Subject,
    compare::{Comparison, of_part},
    constants,
    fit::{self, Problem},
    measured::Scope,
    profile::{Fitted, of_outcome},
};
use crate::{
    cost::Cost,
    measure::{PartMeasures, measure_parts},
};
use hullmark_settings::profile::Profile;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Factors on a constant that show which costs depend on it.
const PROBES: [f64; 2] = [0.5, 2.0];

/// Fits the constants to the costs that are exact.
pub(super) fn fit(
    comparisons: &[Comparison<'_>],
    subjects: &[Subject<'_>],
    profile: &Profile,
) -> Vec<Fitted> {
    let start = constants::values(profile);
    let mut observations = Observations {
        rows: comparisons.iter().filter(|it| is_observation(it)).collect(),
        subjects,
        profile,
    };
    observations.keep_dependent(&start);
    let measured: Vec<f64> = observations.rows.iter().map(|it| it.measured).collect();
    let outcomes = fit::fit(&Problem {
        measured: &measured,
        bodies: &observations.bodies(),
        predict: &|values| observations.predict(values),
        start: &start,
    });
    outcomes
        .into_iter()
        .enumerate()
        .map(|(number, outcome)| of_outcome(number, start[number], outcome))
        .collect()
}

/// Whether a cost is exact, and its formula has constants.
fn is_observation(comparison: &Comparison<'_>) -> bool {
    let has_constants = constants::ALL.iter().any(|constant| constant.quantity == comparison.quantity);
    has_constants && comparison.decides && comparison.computed.exact().is_some()
}

struct Observations<'a> {
    rows: Vec<&'a Comparison<'a>>,
    subjects: &'a [Subject<'a>],
    profile: &'a Profile,
}

impl Observations<'_> {
    fn predict(&self, values: &[f64]) -> Vec<f64> {
        let profile = constants::with(self.profile, values);
        let objects: BTreeSet<usize> = self.rows.iter().map(|it| it.pair.object).collect();
        let objects: Vec<usize> = objects.into_iter().collect();
        let measure = |&object: &usize| {
            let Subject { assets, facts } = self.subjects[object];
            (object, measure_parts(facts, assets, &profile))
        };
        let parts: BTreeMap<usize, Vec<PartMeasures>> = objects.par_iter().map(measure).collect();
        self.rows.iter().map(|it| cost(it, &parts[&it.pair.object])).collect()
    }

    fn keep_dependent(&mut self, start: &[f64]) {
        let now = self.predict(start);
        let mut dependent = vec![false; now.len()];
        for constant in 0..start.len() {
            for factor in PROBES {
                let mut values = start.to_vec();
                values[constant] *= factor;
                let other = self.predict(&values);
                for (row, marked) in dependent.iter_mut().enumerate() {
                    *marked |= other[row] != now[row];
                }
            }
        }
        let mut dependent = dependent.into_iter();
        self.rows.retain(|_| dependent.next().unwrap_or(false));
    }

    /// Returns a number for each observation: observations of equal bodies have equal numbers.
    fn bodies(&self) -> Vec<usize> {
        let mut known: HashMap<String, usize> = HashMap::new();
        let mut number = |it: &&Comparison<'_>| {
            let parts = &it.pair.facts.linkset.parts;
            let parts =
                if it.pair.row.scope == Scope::Linkset { parts } else { &parts[it.pair.part..=it.pair.part] };
            let words: String =
                parts.iter().map(|part| format!("{:?}{:?}", part.scale, part.shape)).collect();
            let next = known.len();
            *known.entry(words).or_insert(next)
        };
        self.rows.iter().map(&mut number).collect()
    }
}

fn cost(observation: &Comparison<'_>, parts: &[PartMeasures]) -> f64 {
    let pair = observation.pair;
    let of = |part| of_part(part, observation.quantity, observation.in_motion);
    let cost = match pair.row.scope {
        Scope::Part => of(&parts[pair.part]),
        Scope::Linkset => Cost::sum(parts.iter().map(of)),
    };
    cost.value().unwrap_or(0.0)
}
