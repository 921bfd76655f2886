//! The rule since December 2010: a small enough sphere around the centres, and few enough prims.

use crate::{
    cost::Reason,
    geometry::sphere::{self, Sphere},
    profile::Linkability,
};
use glam::DVec3;

/// Whether a set of parts may be linked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may.
    Linkable,
    /// It may not: [`span_exceeded`](Outcome::span_exceeded) and
    /// [`count_exceeded`](Outcome::count_exceeded) say which limit it breaks.
    NotLinkable,
    /// A limit applies that cannot be judged.
    NotEvaluated(Reason),
    /// The target grid has no such rule.
    NoRule,
}

impl Verdict {
    /// The name used in reports; it does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linkable => "linkable",
            Self::NotLinkable => "not_linkable",
            Self::NotEvaluated(_) => "not_evaluated",
            Self::NoRule => "no_rule",
        }
    }

    /// Yes or no, where that is known and there is a rule.
    pub fn linkable(self) -> Option<bool> {
        match self {
            Self::Linkable => Some(true),
            Self::NotLinkable => Some(false),
            Self::NotEvaluated(_) | Self::NoRule => None,
        }
    }
}

/// A set of parts under the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The smallest sphere around the centres, with the parts that carry it; absent where a position is not
    /// finite.
    pub sphere: Option<Sphere>,
    /// How many parts.
    pub count: u32,
    /// May they be linked?
    pub verdict: Verdict,
    /// The sphere is too large.
    pub span_exceeded: bool,
    /// There are too many parts.
    pub count_exceeded: bool,
}

impl Outcome {
    /// Diameter of the sphere, metres.
    pub fn diameter_m(&self) -> Option<f64> {
        self.sphere.as_ref().map(Sphere::diameter)
    }
}

/// Judges parts by their centres in metres, in any axes.
///
/// `linkability-rules.txt`: `LINKABLE = D < 54 AND N < 256`, D being the diameter of the smallest sphere around
/// the prim centres and N their number. Sizes and rotations do not matter. The profile has the limits: 54 m
/// excluded, 255 prims included.
pub fn judge(centres: &[DVec3], limits: &Linkability) -> Outcome {
    let sphere = sphere::smallest_enclosing(centres);
    let count = u32::try_from(centres.len()).unwrap_or(u32::MAX);
    let bounded = limits.max_diameter_m < f64::INFINITY;
    let span_exceeded =
        bounded && sphere.as_ref().is_some_and(|sphere| sphere.diameter() >= limits.max_diameter_m);
    let count_exceeded = count > limits.max_prims;
    let verdict = if !bounded && limits.max_prims == u32::MAX {
        Verdict::NoRule
    } else if span_exceeded || count_exceeded {
        Verdict::NotLinkable
    } else if bounded && sphere.is_none() {
        Verdict::NotEvaluated(Reason::NotFinite)
    } else {
        Verdict::Linkable
    };
    Outcome { sphere, count, verdict, span_exceeded, count_exceeded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;

    fn limits() -> Linkability {
        Profile::default().linkability
    }

    fn pair(distance: f64) -> [DVec3; 2] {
        [DVec3::new(100.0, 20.0, 30.0), DVec3::new(100.0, 20.0, 30.0 + distance)]
    }

    #[test]
    fn under_54_metres_links_and_54_does_not() {
        let near = judge(&pair(53.999), &limits());
        assert_eq!((near.verdict, near.span_exceeded), (Verdict::Linkable, false));
        let far = judge(&pair(54.0), &limits());
        assert_eq!((far.verdict, far.span_exceeded, far.count_exceeded), (Verdict::NotLinkable, true, false));
        assert_eq!(far.diameter_m(), Some(54.0));
        assert_eq!(far.sphere.unwrap().support, [0, 1]);
    }

    #[test]
    fn at_most_255_prims() {
        assert_eq!(judge(&[DVec3::ZERO; 255], &limits()).verdict, Verdict::Linkable);
        let many = judge(&[DVec3::ZERO; 256], &limits());
        assert_eq!(
            (many.verdict, many.span_exceeded, many.count_exceeded),
            (Verdict::NotLinkable, false, true)
        );
    }

    #[test]
    fn a_lost_position_is_not_evaluated_unless_the_count_decides() {
        let lost = judge(&[DVec3::ZERO, DVec3::NAN], &limits());
        assert_eq!(lost.verdict, Verdict::NotEvaluated(Reason::NotFinite));
        assert_eq!(lost.diameter_m(), None);
        assert_eq!(judge(&[DVec3::NAN; 300], &limits()).verdict, Verdict::NotLinkable);
    }

    #[test]
    fn grids_without_limits_have_no_rule_and_still_a_diameter() {
        let limits = Profile::load("opensim-ubode").unwrap().linkability;
        let outcome = judge(&pair(500.0), &limits);
        assert_eq!((outcome.verdict, outcome.diameter_m()), (Verdict::NoRule, Some(500.0)));
        let counted = Linkability { max_prims: 1, ..limits };
        assert_eq!(judge(&pair(500.0), &counted).verdict, Verdict::NotLinkable);
        assert_eq!(judge(&[DVec3::NAN], &counted).verdict, Verdict::Linkable);
    }
}
