//! The rule since December 2010: a small enough sphere around the centres, and few enough prims.

use crate::cost::NotEvaluated;
use glam::DVec3;
use hullmark_geometry::{
    diameter::{self, Pair},
    enclosing_sphere::{self, Sphere, exact},
};
use hullmark_settings::profile::Linkability;
use hullmark_util::named;

named! {
    /// Whether a set of parts may be linked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        Linkable = "linkable",
        /// They may not be linked: [`span_exceeded`](Outcome::span_exceeded) and
        /// [`count_exceeded`](Outcome::count_exceeded) say which limit it breaks.
        NotLinkable = "not_linkable",
        /// A limit applies that cannot be evaluated.
        NotEvaluated(NotEvaluated) = "not_evaluated",
        /// The sphere equals the limit within the precision of f64, and has too many parts on its surface for exact
        /// arithmetic. This is not evaluated, too.
        AtTheLimit = "at_the_limit",
        NoRule = "no_rule",
    }
}

impl Verdict {
    /// Whether the parts may be linked; `None` if that is unknown or there is no rule.
    pub fn linkable(self) -> Option<bool> {
        match self {
            Self::Linkable => Some(true),
            Self::NotLinkable => Some(false),
            Self::NotEvaluated(_) | Self::AtTheLimit | Self::NoRule => None,
        }
    }
}

/// The result of the rule for a set of parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The smallest sphere around the centres, with the parts that determine it; `None` if a position is not finite.
    pub sphere: Option<Sphere>,
    /// The two centres with the greatest distance. `None` for fewer than two parts, if a position is not finite, or if
    /// the search is given up.
    pub farthest: Option<Pair>,
    pub count: u32,
    /// Whether the parts may be linked.
    pub verdict: Verdict,
    /// Whether the sphere is too large.
    pub span_exceeded: bool,
    /// Whether there are too many parts.
    pub count_exceeded: bool,
    /// Diameter in metres that is compared with the limit, if it is not that of `sphere`: the target stores 32-bit
    /// numbers.
    held_diameter_m: Option<f64>,
    limits: Linkability,
}

/// Maximum number of prims by the specification's page: N < 256.
const MOST_BY_THE_PAGE: u32 = 255;
/// Maximum number of prims in viewers: a root and `MAX_CHILDREN_PER_TASK` (`llselectmgr.cpp`). The wiki's page *Limits*
/// agrees.
const MOST_IN_VIEWERS: u32 = 256;

/// How the sources of the number of prims differ.
pub const SOURCES_DIFFER: &str =
    "the page Linkability Rules says fewer than 256, viewers and the page Limits say 256";

impl Outcome {
    /// Whether there are too many prims by the page, and not by viewers. The verdict follows the page.
    pub fn sources_differ(&self) -> bool {
        (self.limits.max_prims, self.count) == (MOST_BY_THE_PAGE, MOST_IN_VIEWERS)
    }

    /// Returns the diameter of the sphere in metres.
    pub fn diameter_m(&self) -> Option<f64> {
        self.sphere.as_ref().map(Sphere::diameter)
    }

    /// The diameter that the rule was applied to, metres: near the limit that of the centres in 32-bit numbers.
    pub fn evaluated_diameter_m(&self) -> Option<f64> {
        self.held_diameter_m.or_else(|| self.diameter_m())
    }

    /// Returns the limit less the diameter in metres; negative or 0 if the limit is exceeded. `None` without a limit or
    /// a sphere. The verdict is exact and this value is rounded, so it may be 0 for parts that can be linked.
    pub fn margin_m(&self) -> Option<f64> {
        let margin =
            self.limits.max_diameter_m - self.evaluated_diameter_m().filter(|_| bounds_span(&self.limits))?;
        Some(match self.verdict {
            Verdict::AtTheLimit => margin,
            _ if self.span_exceeded => margin.min(0.0),
            _ => margin.max(0.0),
        })
    }

    /// Returns how many more prims may be added; negative if there are too many. `None` without a limit.
    pub fn margin_prims(&self) -> Option<i64> {
        bounds_count(&self.limits).then(|| i64::from(self.limits.max_prims) - i64::from(self.count))
    }

    /// Returns the greatest distance between two centres in metres; `None` if [`farthest`](Self::farthest) is `None`.
    pub fn greatest_distance_m(&self) -> Option<f64> {
        self.farthest.map(|pair| pair.distance)
    }
}

/// Evaluates the rule for parts by their centres in metres, in any axes.
///
/// `linkability-rules.txt`: `LINKABLE = D < 54 AND N < 256`. D is the diameter of the smallest sphere around the prim
/// centres, and N is their number. Sizes and rotations do not matter. The profile has the limits: 54 m excluded, 255
/// prims included.
///
/// The diameter is computed from the centres as exact numbers. A rotation or translation would round them, and 54 m may
/// become less. Near the limit the centres are rounded to 32-bit numbers, as the target stores them.
pub fn evaluate(centres: &[DVec3], limits: &Linkability) -> Outcome {
    let sphere = enclosing_sphere::smallest_enclosing(centres);
    let count = u32::try_from(centres.len()).unwrap_or(u32::MAX);
    let held = sphere.as_ref().and_then(|sphere| held(centres, sphere, limits));
    let span = match &held {
        Some((centres, sphere)) => span(centres, Some(sphere), limits),
        None => span(centres, sphere.as_ref(), limits),
    };
    let count_exceeded = bounds_count(limits) && count > limits.max_prims;
    let verdict = if span == Span::Exceeded || count_exceeded {
        Verdict::NotLinkable
    } else {
        match span {
            Span::Free if !bounds_count(limits) => Verdict::NoRule,
            Span::Lost => Verdict::NotEvaluated(NotEvaluated::NotFinite),
            Span::AtTheLimit => Verdict::AtTheLimit,
            _ => Verdict::Linkable,
        }
    };
    Outcome {
        farthest: sphere.as_ref().and_then(|sphere| diameter::pair(centres, sphere.centre)),
        sphere,
        count,
        verdict,
        span_exceeded: span == Span::Exceeded,
        count_exceeded,
        held_diameter_m: held.map(|(_, sphere)| sphere.diameter()),
        limits: limits.clone(),
    }
}

/// Returns the centres in 32-bit numbers and the sphere around them; `None` if the rounding cannot change the verdict.
fn held(centres: &[DVec3], sphere: &Sphere, limits: &Linkability) -> Option<(Vec<DVec3>, Sphere)> {
    let farthest = centres.iter().map(|centre| centre.length()).fold(0.0, f64::max);
    // Each end of a diameter moves by the rounding of three coordinates at most.
    let rounding = 4.0 * f64::from(f32::EPSILON) * farthest;
    if (sphere.diameter() - limits.max_diameter_m).abs() > rounding {
        return None;
    }
    let held: Vec<DVec3> = centres.iter().map(|&centre| as_held(centre)).collect();
    let sphere = enclosing_sphere::smallest_enclosing(&held)?;
    Some((held, sphere))
}

/// Returns a position as the target holds it, in 32-bit numbers; unchanged if it is too large for them.
pub(super) fn as_held(position: DVec3) -> DVec3 {
    let held = position.as_vec3().as_dvec3();
    if held.is_finite() { held } else { position }
}

#[derive(Clone, Copy, PartialEq)]
enum Span {
    Free,
    Lost,
    Within,
    AtTheLimit,
    Exceeded,
}

fn span(centres: &[DVec3], sphere: Option<&Sphere>, limits: &Linkability) -> Span {
    if !bounds_span(limits) {
        return Span::Free;
    }
    let Some(sphere) = sphere else { return Span::Lost };
    match exact::smaller_than(limits.max_diameter_m, sphere, centres) {
        Some(true) => Span::Within,
        Some(false) => Span::Exceeded,
        None => Span::AtTheLimit,
    }
}

fn bounds_span(limits: &Linkability) -> bool {
    limits.max_diameter_m < f64::INFINITY
}

fn bounds_count(limits: &Linkability) -> bool {
    limits.max_prims < u32::MAX
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::profile::Profile;

    fn limits() -> Linkability {
        Profile::default().linkability
    }

    fn pair(distance: f64) -> [DVec3; 2] {
        [DVec3::new(100.0, 20.0, 30.0), DVec3::new(100.0, 20.0, 30.0 + distance)]
    }

    #[test]
    fn under_54_metres_links_and_54_does_not() {
        let near = evaluate(&pair(53.999), &limits());
        assert_eq!((near.verdict, near.span_exceeded), (Verdict::Linkable, false));
        let far = evaluate(&pair(54.0), &limits());
        assert_eq!((far.verdict, far.span_exceeded, far.count_exceeded), (Verdict::NotLinkable, true, false));
        assert_eq!(far.diameter_m(), Some(54.0));
        assert_eq!(far.sphere.unwrap().support, [0, 1]);
    }

    #[test]
    fn margins_to_both_limits() {
        let near = evaluate(&pair(53.5), &limits());
        assert_eq!((near.margin_m(), near.margin_prims()), (Some(0.5), Some(253)));
        let at = evaluate(&pair(54.0), &limits());
        assert_eq!((at.margin_m(), at.greatest_distance_m()), (Some(0.0), Some(54.0)));
        let far = evaluate(&[pair(55.0); 150].concat(), &limits());
        assert_eq!((far.margin_m(), far.margin_prims()), (Some(-1.0), Some(-45)));
        assert_eq!(evaluate(&[DVec3::NAN], &limits()).margin_m(), None);
        let free = evaluate(&pair(500.0), &Profile::load("opensim-ubode").unwrap().linkability);
        assert_eq!((free.margin_m(), free.margin_prims()), (None, None));
    }

    #[test]
    fn a_triangle_is_wider_as_a_sphere_than_as_any_of_its_pairs() {
        let corners = [DVec3::ZERO, DVec3::X * 48.0, DVec3::new(24.0, 24.0 * 3f64.sqrt(), 0.0)];
        let outcome = evaluate(&corners, &limits());
        assert!((outcome.greatest_distance_m().unwrap() - 48.0).abs() < 1e-12);
        assert_eq!(outcome.verdict, Verdict::NotLinkable, "48 · 2/√3 = 55.4");
    }

    #[test]
    fn too_many_parts_on_a_sphere_of_the_limit_are_not_evaluated() {
        let on_sphere = |index: i32| {
            let (around, up) = (f64::from(index), f64::from(index) / 6000.0 - 1.0);
            let side = (1.0 - up * up).sqrt();
            DVec3::new(side * around.cos(), side * around.sin(), up) * 27.0
        };
        let shell: Vec<DVec3> = (0..12_001).map(on_sphere).collect();
        let uncounted = Linkability { max_prims: u32::MAX, ..limits() };
        let sphere = enclosing_sphere::smallest_enclosing(&shell);
        assert!(span(&shell, sphere.as_ref(), &uncounted) == Span::AtTheLimit);
        assert_eq!((Verdict::AtTheLimit.linkable(), Verdict::AtTheLimit.name()), (None, "at_the_limit"));
        assert_eq!(evaluate(&shell, &limits()).verdict, Verdict::NotLinkable, "the count decides");
    }

    #[test]
    fn near_the_limit_the_target_s_numbers_decide() {
        let evaluated = |west: f64, east: f64| evaluate(&[DVec3::X * west, DVec3::X * east], &limits());
        // As written these are 54 m apart, and in 32 bits 54.0000015 m.
        let written = evaluated(-0.1, 53.9);
        assert_eq!((written.verdict, written.diameter_m()), (Verdict::NotLinkable, Some(54.0)));
        let margin = written.margin_m().unwrap();
        assert!((margin + 1.5e-6).abs() < 1e-7, "{margin}");
        // In 32 bits this becomes less than 54 m.
        let rounded = evaluated(-0.3, 53.7);
        let as_held = f64::from(53.7_f32) + f64::from(0.3_f32);
        assert_eq!(rounded.verdict.linkable(), Some(as_held < 54.0));
        assert_eq!(evaluated(0.0, 53.999_999_9).verdict, Verdict::NotLinkable, "held as 54 m");
    }

    #[test]
    fn at_most_255_prims() {
        assert_eq!(evaluate(&[DVec3::ZERO; 255], &limits()).verdict, Verdict::Linkable);
        let many = evaluate(&[DVec3::ZERO; 256], &limits());
        assert_eq!(
            (many.verdict, many.span_exceeded, many.count_exceeded),
            (Verdict::NotLinkable, false, true)
        );
    }

    #[test]
    fn a_lost_position_is_not_evaluated_unless_the_count_decides() {
        let lost = evaluate(&[DVec3::ZERO, DVec3::NAN], &limits());
        assert_eq!(lost.verdict, Verdict::NotEvaluated(NotEvaluated::NotFinite));
        assert_eq!(lost.diameter_m(), None);
        assert_eq!(evaluate(&[DVec3::NAN; 300], &limits()).verdict, Verdict::NotLinkable);
    }

    #[test]
    fn grids_without_limits_have_no_rule_and_still_a_diameter() {
        let limits = Profile::load("opensim-ubode").unwrap().linkability;
        let outcome = evaluate(&pair(500.0), &limits);
        assert_eq!((outcome.verdict, outcome.diameter_m()), (Verdict::NoRule, Some(500.0)));
        let counted = Linkability { max_prims: 1, ..limits };
        assert_eq!(evaluate(&pair(500.0), &counted).verdict, Verdict::NotLinkable);
        assert_eq!(evaluate(&[DVec3::NAN], &counted).verdict, Verdict::Linkable);
    }
}
