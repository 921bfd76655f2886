//! The cost of a part, a linkset or a mesh, and how reliable each figure is.
//!
//! A [`Cost`] is a number with its [`Basis`]. The type allows no number without a basis, and no unknown cost that reads
//! as 0.

pub mod land;
pub mod physics;
pub mod simulation;
pub mod streaming;

pub use crate::not_evaluated::NotEvaluated;
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::fmt;

named! {
    /// Where a figure comes from, strongest first. A sum has the weakest label of its summands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Basis {
        /// Formula and constants are published by those who charge it, and claim to be exact.
        Spec = "spec",
        /// The simulator's own figure (`physics_cost_data`).
        Simulator = "simulator",
        /// A model of the simulator whose figures agree with what a running simulator charged.
        Measured = "measured",
        /// The formula is published, and its source says that it is not exact, or published sources differ.
        Approximation = "approximation",
        /// Constants were measured by the community or never published, or the formula is inferred.
        Estimated = "estimated",
        /// At least one summand is not evaluated: the total is this much or more.
        LowerBound(NotEvaluated) = "lower_bound",
        /// The figure cannot be known from what is in the export.
        NotEvaluated(NotEvaluated) = "not_evaluated",
        /// There is no such figure.
        NotApplicable(NotEvaluated) = "not_applicable",
    }
}

impl Basis {
    /// Whether this text of a column is that of a lower bound.
    pub fn is_lower_bound(words: &str) -> bool {
        words.starts_with(LOWER_BOUND)
    }

    /// Returns why the figure is unknown, incomplete or missing.
    pub fn reason(self) -> Option<NotEvaluated> {
        match self {
            Self::Spec | Self::Simulator | Self::Measured | Self::Approximation | Self::Estimated => None,
            Self::LowerBound(reason) | Self::NotEvaluated(reason) | Self::NotApplicable(reason) => {
                Some(reason)
            }
        }
    }
}

/// Start of the text of a lower bound.
const LOWER_BOUND: &str = "lower bound";

/// The text of a report's column: `spec`, `lower bound: mesh asset missing`, `not applicable: tree or grass`.
impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LowerBound(reason) => write!(f, "{LOWER_BOUND}: {reason}"),
            Self::NotEvaluated(reason) => write!(f, "not evaluated: {reason}"),
            Self::NotApplicable(reason) => write!(f, "not applicable: {reason}"),
            label => f.pad(label.name()),
        }
    }
}

/// A figure with its basis.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Meaningless if the basis is `NotEvaluated` or `NotApplicable`, hence private.
    number: f64,
    basis: Basis,
}

impl Cost {
    /// Creates a figure from a published formula.
    pub fn spec(number: f64) -> Self {
        Self::known(number, Basis::Spec)
    }

    /// Creates a figure that the simulator stored in the asset.
    pub fn simulator(number: f64) -> Self {
        Self::known(number, Basis::Simulator)
    }

    /// Creates a figure from a model that agrees with a running simulator.
    pub fn measured(number: f64) -> Self {
        Self::known(number, Basis::Measured)
    }

    /// Creates a figure from a published formula that is not exact.
    pub fn approximation(number: f64) -> Self {
        Self::known(number, Basis::Approximation)
    }

    /// Creates a figure that depends on community measurements.
    pub fn estimated(number: f64) -> Self {
        Self::known(number, Basis::Estimated)
    }

    /// Creates a figure that cannot be known.
    pub fn not_evaluated(reason: NotEvaluated) -> Self {
        Self { number: 0.0, basis: Basis::NotEvaluated(reason) }
    }

    /// Creates a figure that does not exist.
    pub fn not_applicable(reason: NotEvaluated) -> Self {
        Self { number: 0.0, basis: Basis::NotApplicable(reason) }
    }

    /// Creates the lower bound of a figure that is partly unknown.
    pub fn at_least(number: f64, reason: NotEvaluated) -> Self {
        Self::known(number, Basis::LowerBound(reason))
    }

    fn known(number: f64, basis: Basis) -> Self {
        // Infinity and NaN come from damaged numbers in the export; no formula yields them from valid numbers.
        if number.is_finite() { Self { number, basis } } else { Self::not_evaluated(NotEvaluated::NotFinite) }
    }

    /// Returns the number, or the bound of a lower bound. `None` if the figure is not evaluated or not applicable.
    pub fn value(self) -> Option<f64> {
        match self.basis {
            Basis::NotEvaluated(_) | Basis::NotApplicable(_) => None,
            _ => Some(self.number),
        }
    }

    /// Marks a figure that includes an assumption: its basis is at best an estimate.
    pub fn assumed(self) -> Self {
        self.at_best(Basis::Estimated)
    }

    /// Returns the number; `None` for a lower bound, too.
    pub fn exact(self) -> Option<f64> {
        self.value().filter(|_| self.is_complete())
    }

    /// Returns the basis of the figure.
    pub fn basis(self) -> Basis {
        self.basis
    }

    /// Whether all summands of the figure are known.
    pub fn is_complete(self) -> bool {
        !matches!(self.basis, Basis::LowerBound(_) | Basis::NotEvaluated(_))
    }

    /// Returns the figure with a basis that is at best `basis`.
    pub fn at_best(self, basis: Basis) -> Self {
        Self { basis: self.basis.max(basis), ..self }
    }

    /// Applies a monotonically increasing formula to the figure, so that a lower bound remains one.
    pub fn map(self, formula: impl FnOnce(f64) -> f64) -> Self {
        match self.value() {
            Some(number) => Self::known(formula(number), self.basis),
            None => self,
        }
    }

    /// Returns the sum. Its basis is the weakest of its summands, in the order of [`Basis`] and [`NotEvaluated`].
    ///
    /// Summands that are not applicable are left out. If a summand is not evaluated, the sum of the others is a lower
    /// bound. If no summand is known, the sum is not evaluated.
    pub fn sum(costs: impl IntoIterator<Item = Self>) -> Self {
        combine(costs, add)
    }

    /// Returns the maximum, with the basis of a sum: an unknown figure might be the maximum.
    pub fn greatest(costs: impl IntoIterator<Item = Self>) -> Self {
        combine(costs, |numbers| numbers.iter().copied().fold(0.0, f64::max))
    }

    /// Returns the lesser of two figures, with the basis of a sum. It is unknown if one of them is.
    pub fn lesser(self, other: Self) -> Self {
        let basis = self.basis.max(other.basis);
        match self.value().zip(other.value()) {
            Some((one, two)) => Self::known(one.min(two), basis),
            None => Self { number: 0.0, basis },
        }
    }
}

/// Combines figures into one. See [`Cost::sum`].
fn combine(costs: impl IntoIterator<Item = Cost>, join: impl FnOnce(&[f64]) -> f64) -> Cost {
    let mut numbers = Vec::new();
    let mut weakest: Option<Basis> = None;
    let mut absent: Option<Basis> = None;
    for cost in costs {
        match cost.basis {
            // For prims and trees together the reason is that of the prims, which `NotEvaluated` lists first.
            Basis::NotApplicable(_) => {
                absent = Some(absent.map_or(cost.basis, |first| first.min(cost.basis)));
            }
            _ => {
                weakest = weakest.max(Some(cost.basis));
                numbers.extend(cost.value());
            }
        }
    }
    match weakest.or(absent) {
        None => Cost::spec(0.0),
        Some(Basis::NotEvaluated(reason)) if !numbers.is_empty() => {
            Cost::known(join(&numbers), Basis::LowerBound(reason))
        }
        Some(basis @ (Basis::NotEvaluated(_) | Basis::NotApplicable(_))) => Cost { number: 0.0, basis },
        Some(basis) => Cost::known(join(&numbers), basis),
    }
}

/// Adds numbers and compensates rounding errors (Neumaier). 320 boxes of 0.1 are 32.0, which is within the limit of
/// physical linksets; 32.00000000000002 is not.
fn add(numbers: &[f64]) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0);
    for &number in numbers {
        let next = sum + number;
        lost += if sum.abs() >= number.abs() { (sum - next) + number } else { (number - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_not_a_matter_of_rounding() {
        for (count, total) in [(10, 1.0), (15, 1.5), (320, 32.0)] {
            assert_eq!(Cost::sum(vec![Cost::spec(0.1); count]).exact(), Some(total));
        }
    }

    #[test]
    fn a_sum_is_as_weak_as_its_weakest() {
        let costs = [Cost::spec(1.0), Cost::estimated(2.0), Cost::simulator(4.0)];
        let sum = Cost::sum(costs);
        assert_eq!((sum.value(), sum.basis()), (Some(7.0), Basis::Estimated));
        assert_eq!(Cost::greatest(costs).value(), Some(4.0));
        let partial = Cost::sum(costs.into_iter().chain([Cost::not_evaluated(NotEvaluated::MeshMissing)]));
        assert_eq!((partial.value(), partial.exact()), (Some(7.0), None));
        assert_eq!(partial.basis().to_string(), "lower bound: mesh asset missing");
        assert_eq!(partial.map(|number| number * 2.0).basis(), partial.basis());
    }

    #[test]
    fn the_order_of_summands_does_not_choose_the_reason() {
        let costs = [
            Cost::not_evaluated(NotEvaluated::SculptMissing),
            Cost::not_evaluated(NotEvaluated::MeshMissing),
            Cost::spec(1.0),
        ];
        let forward = Cost::sum(costs);
        assert_eq!(forward, Cost::sum(costs.into_iter().rev()));
        assert_eq!(forward.basis(), Basis::LowerBound(NotEvaluated::SculptMissing));
    }

    #[test]
    fn inapplicable_parts_do_not_count() {
        let plant = Cost::not_applicable(NotEvaluated::Plant);
        assert_eq!(Cost::sum([plant, Cost::spec(1.0)]), Cost::spec(1.0));
        assert_eq!(Cost::sum([plant, plant]), plant);
        let legacy = Cost::not_applicable(NotEvaluated::LegacyAccounting);
        assert_eq!((Cost::sum([plant, legacy]), Cost::sum([legacy, plant])), (legacy, legacy));
        assert_eq!(Cost::sum([plant, Cost::not_evaluated(NotEvaluated::MeshMissing)]).value(), None);
        assert_eq!(Cost::sum([]), Cost::spec(0.0));
    }

    #[test]
    fn a_bound_of_bounds_is_a_bound() {
        let bound = Cost::sum([Cost::spec(1.0), Cost::not_evaluated(NotEvaluated::MeshMissing)]);
        let sum = Cost::sum([bound, Cost::spec(2.0)]);
        assert_eq!((sum.value(), sum.basis()), (Some(3.0), Basis::LowerBound(NotEvaluated::MeshMissing)));
    }

    #[test]
    fn non_finite_numbers_are_not_evaluated() {
        for number in [f64::NAN, f64::INFINITY] {
            assert_eq!(Cost::spec(number).basis().to_string(), "not evaluated: number not finite");
        }
        assert_eq!(
            Cost::not_applicable(NotEvaluated::Plant).basis().to_string(),
            "not applicable: tree or grass"
        );
        assert_eq!(Basis::Simulator.to_string(), "simulator");
    }
}
