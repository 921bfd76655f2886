//! Tolerances between two values, and all differences of a comparison.

use glam::DVec3;
use std::fmt::{Debug, Display};

/// Costs. Both programs compute with f64, so this is much tighter than 1e-4, which would be enough in practice.
pub(super) const COST: Near = Near { relative: 1e-9, absolute: 0.0 };
/// Lengths, areas and directions; a picometre if the value is 0.
pub(super) const EXACT: Near = Near { relative: 1e-9, absolute: 1e-12 };
/// Margins of linkability: if a sphere's radius is known to 1e-15, its centre is known to the square root of that.
pub(super) const MARGIN: Near = Near { relative: 0.0, absolute: 1e-7 };
/// Points of hulls.
pub(super) const POINT: Near = Near { relative: 0.0, absolute: 1e-6 };

/// The tolerance between two numbers: one of the two bounds is enough.
#[derive(Clone, Copy)]
pub(super) struct Near {
    relative: f64,
    absolute: f64,
}

impl Near {
    fn holds(self, ours: f64, golden: f64) -> bool {
        // NaN is near to nothing.
        (ours - golden).abs() <= self.absolute.max(self.relative * golden.abs())
    }
}

/// All differences of a comparison.
#[derive(Default)]
pub(super) struct Differences {
    compared: usize,
    found: Vec<String>,
}

impl Differences {
    pub(super) fn note(
        &mut self,
        agree: bool,
        place: &dyn Display,
        what: &str,
        ours: &dyn Debug,
        golden: &dyn Debug,
    ) {
        self.compared += 1;
        if !agree {
            self.found.push(format!("{place}: {what}: hullmark {ours:?}, golden {golden:?}"));
        }
    }

    #[allow(clippy::needless_pass_by_value)] // Calls read as they would with assert_eq!
    pub(super) fn same<T: PartialEq + Debug>(&mut self, place: &dyn Display, what: &str, ours: T, golden: T) {
        self.note(ours == golden, place, what, &ours, &golden);
    }

    pub(super) fn near(
        &mut self,
        place: &dyn Display,
        what: &str,
        near: Near,
        ours: Option<f64>,
        golden: Option<f64>,
    ) {
        let agree = match (ours, golden) {
            (Some(ours), Some(golden)) => near.holds(ours, golden),
            (None, None) => true,
            _ => false,
        };
        self.note(agree, place, what, &ours, &golden);
    }

    pub(super) fn near_points(
        &mut self,
        place: &dyn Display,
        what: &str,
        near: Near,
        ours: Option<DVec3>,
        golden: Option<[f64; 3]>,
    ) {
        let agree = match (ours, golden) {
            (Some(ours), Some(golden)) => {
                ours.to_array().into_iter().zip(golden).all(|(ours, golden)| near.holds(ours, golden))
            }
            (None, None) => true,
            _ => false,
        };
        self.note(agree, place, what, &ours, &golden);
    }

    /// Panics with the first differences, or if fewer than `at_least` values were compared.
    pub(super) fn fail_if_any(self, at_least: usize) {
        let first = self.found.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.found.is_empty(), "{} of {} differ:\n{first}", self.found.len(), self.compared);
        assert!(self.compared >= at_least, "only {} values were compared", self.compared);
    }
}

/// Tests the comparison itself: it finds differences.
#[test]
fn differences_are_noticed() {
    let found = |compare: &dyn Fn(&mut Differences)| {
        let mut differences = Differences::default();
        compare(&mut differences);
        assert_eq!(differences.compared, 1);
        differences.found.pop()
    };
    let cost = |ours, golden| found(&|all| all.near(&"place", "cost", COST, ours, golden));
    assert_eq!(cost(Some(1.0 + 0.9e-9), Some(1.0)), None);
    let difference = cost(Some(1.25), Some(1.0));
    assert_eq!(difference.unwrap(), "place: cost: hullmark Some(1.25), golden Some(1.0)");
    assert!(cost(Some(1.0 + 1.1e-9), Some(1.0)).is_some());
    assert_eq!(cost(None, None), None);
    for (ours, golden) in [(None, Some(0.0)), (Some(0.0), None), (Some(f64::NAN), Some(1.0))] {
        assert!(cost(ours, golden).is_some(), "{ours:?} passed as {golden:?}");
    }
    let point = |ours, golden| found(&|all| all.near_points(&"", "", EXACT, Some(ours), Some(golden)));
    assert_eq!(point(DVec3::ZERO, [0.0, 0.0, 1e-13]), None);
    assert!(point(DVec3::ONE, [1.0, 1.0, 1.0 + 3e-9]).is_some());
    assert!(found(&|all| all.same(&"", "", "a", "b")).is_some());
}
