//! The rule before December 2010: what stands near for its size links, and what has linked counts as one.

use super::{Prim, current::Verdict};
use crate::{
    cost::Reason,
    geometry::ball::{self, Ball, Enclosing},
};
use glam::DVec3;

/// A side of a prim counts no further, metres (`linkability-rules.txt`, "Exception for megaprims").
const LARGEST_SIDE: f64 = 10.0;

/// `LINK_BONUS`, metres (`linkability-rules.txt`, formula 3).
pub(super) const LINK_BONUS: f64 = 2.0;

/// `LARGEST_MAX`, metres (`linkability-rules.txt`, formula 4).
pub(super) const LARGEST_MAX: f64 = 54.0;

/// A set of prims under the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Do all of them link?
    pub verdict: Verdict,
    /// What they link to: the root's piece, then the others by their first prim. None where not evaluated.
    pub pieces: Vec<Piece>,
    /// How near the tests came to their limits.
    pub margins: Margins,
}

/// Prims that have linked.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Their indices, ascending.
    pub prims: Vec<usize>,
    /// The smallest sphere around their spheres, metres.
    pub sphere: Ball,
}

/// A test of two pieces.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// From the far side of one sphere to that of the other, metres.
    pub span_m: f64,
    /// The largest span that links, metres.
    pub limit_m: f64,
}

/// The least margins of all tests, metres, also of pieces that have grown since. Where one is below 1e-4 m, rounding
/// may have decided: the centres of spheres up to 54 m wide are known no better at worst.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Margins {
    /// Of those that linked, the least that the limit exceeds the span; absent where none did.
    pub linked_m: Option<f64>,
    /// Of those that did not, the least that the span exceeds the limit; absent where all did.
    pub refused_m: Option<f64>,
}

impl Test {
    /// Tests two spheres: `|cA − cB| + rA + rB ≤ min(3 (rA + rB) + 2, 54)` (`linkability-rules.txt`, formulas 1
    /// and 7).
    pub fn of(a: &Ball, b: &Ball) -> Self {
        let radii = a.radius + b.radius;
        Self {
            span_m: a.centre.distance(b.centre) + radii,
            limit_m: (3.0 * radii + LINK_BONUS).min(LARGEST_MAX),
        }
    }

    /// Do they link?
    pub fn links(&self) -> bool {
        self.span_m <= self.limit_m
    }

    /// By how much the limit exceeds the span, metres; below 0 what is lacking.
    pub fn margin_m(&self) -> f64 {
        self.limit_m - self.span_m
    }
}

impl Margins {
    fn note(&mut self, test: &Test) {
        let least = if test.links() { &mut self.linked_m } else { &mut self.refused_m };
        let margin = test.margin_m().abs();
        *least = Some(least.map_or(margin, |least| least.min(margin)));
    }
}

impl Outcome {
    /// Why each piece but the first does not link to the first, in their order.
    pub fn refused_by_root(&self) -> impl Iterator<Item = Test> {
        let root = self.pieces.first();
        root.into_iter()
            .flat_map(|root| self.pieces[1..].iter().map(|piece| Test::of(&root.sphere, &piece.sphere)))
    }

    /// The two pieces that lack least, the first of equals, and their test. It tests all of them.
    pub fn nearest_refused(&self) -> Option<([usize; 2], Test)> {
        let mut nearest: Option<([usize; 2], Test)> = None;
        for (a, one) in self.pieces.iter().enumerate() {
            for (b, other) in self.pieces.iter().enumerate().skip(a + 1) {
                let test = Test::of(&one.sphere, &other.sphere);
                if nearest.is_none_or(|(_, nearest)| test.margin_m() > nearest.margin_m()) {
                    nearest = Some(([a, b], test));
                }
            }
        }
        nearest
    }
}

/// Judges prims in link order, the root first. Rotation does not matter.
pub fn judge(prims: &[Prim]) -> Outcome {
    let Some(spheres) = spheres(prims) else {
        let verdict = Verdict::NotEvaluated(Reason::NotFinite);
        return Outcome { verdict, pieces: Vec::new(), margins: Margins::default() };
    };
    let (pieces, margins) = link(&spheres, 0..spheres.len());
    let verdict = if pieces.len() == 1 { Verdict::Linkable } else { Verdict::NotLinkable };
    Outcome { verdict, pieces, margins }
}

/// The sphere of each prim: around its box with no side beyond 10 m (`linkability-rules.txt`, "Radius of the
/// Bounding Sphere"). `None` where there is no prim, or where a number is not finite.
pub(super) fn spheres(prims: &[Prim]) -> Option<Vec<Ball>> {
    let is_known = |prim: &Prim| prim.centre.is_finite() && prim.scale.is_finite();
    let sphere = |prim: &Prim| {
        let sides = prim.scale.abs().min(DVec3::splat(LARGEST_SIDE));
        Ball { centre: prim.centre, radius: sides.length() / 2.0 }
    };
    (!prims.is_empty() && prims.iter().all(is_known)).then(|| prims.iter().map(sphere).collect())
}

/// The pieces that spheres link to when they are submitted in this order, the root first, and by their first prim.
///
/// `linkability-rules.txt`, "Linkability algorithm": the root is tested against each candidate, and its sphere is
/// made anew after each that links; what is left is linked among itself in the same way; then the root is tested
/// against these, and so on, until a whole round links nothing. Rounds are few, because what links only now has a
/// sphere that reaches much farther than before.
pub(super) fn link(spheres: &[Ball], order: impl Iterator<Item = usize>) -> (Vec<Piece>, Margins) {
    let mut groups: Vec<Group> = order.map(|index| Group::of(index, spheres[index])).collect();
    let mut margins = Margins::default();
    loop {
        let before = groups.len();
        let mut collector = 0;
        while collector < groups.len() {
            collect(&mut groups, collector, &mut margins);
            collector += 1;
        }
        if groups.len() == before {
            break;
        }
    }
    let mut pieces: Vec<Piece> = groups.into_iter().map(Group::piece).collect();
    pieces.sort_unstable_by_key(|piece| piece.prims[0]);
    (pieces, margins)
}

/// Tests one group against each later one, and takes in what links.
fn collect(groups: &mut Vec<Group>, collector: usize, margins: &mut Margins) {
    let (head, later) = groups.split_at_mut(collector + 1);
    let one = &mut head[collector];
    let mut has_linked = false;
    for other in later {
        let test = Test::of(&one.around.ball, &other.around.ball);
        margins.note(&test);
        if test.links() {
            one.take(other);
            has_linked = true;
        }
    }
    if has_linked {
        groups.retain(|group| !group.prims.is_empty());
    }
}

/// A piece while it grows.
struct Group {
    prims: Vec<usize>,
    spheres: Vec<Ball>,
    around: Enclosing,
}

impl Group {
    fn of(index: usize, sphere: Ball) -> Self {
        let around = Enclosing { ball: sphere, support: vec![0], gap: 0.0 };
        Self { prims: vec![index], spheres: vec![sphere], around }
    }

    /// Takes all prims of another, which is empty then.
    fn take(&mut self, other: &mut Self) {
        self.prims.append(&mut other.prims);
        self.spheres.append(&mut other.spheres);
        let (ball, more) = (&self.around.ball, &other.around.ball);
        let is_inside = ball.centre.distance(more.centre) + more.radius <= ball.radius;
        if !is_inside && let Some(around) = ball::grown(&self.spheres, &self.around) {
            self.around = around;
        }
    }

    fn piece(mut self) -> Piece {
        self.prims.sort_unstable();
        Piece { prims: self.prims, sphere: self.around.ball }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    fn prim(centre: [f64; 3], scale: [f64; 3]) -> Prim {
        Prim { centre: centre.into(), rotation: DQuat::IDENTITY, scale: scale.into() }
    }

    fn cube(x: f64, y: f64, z: f64, side: f64) -> Prim {
        prim([x, y, z], [side; 3])
    }

    fn prims_of(outcome: &Outcome) -> Vec<Vec<usize>> {
        outcome.pieces.iter().map(|piece| piece.prims.clone()).collect()
    }

    /// Two prims whose boxes have these sides, this far apart.
    fn pair(a: f64, b: f64, distance: f64) -> Outcome {
        judge(&[cube(100.0, 20.0, 9905.0, a), cube(100.0 + distance, 20.0, 9905.0, b)])
    }

    /// Sides of a cube with a bounding sphere of this radius.
    fn side(radius: f64) -> f64 {
        2.0 * radius / 3f64.sqrt()
    }

    #[test]
    fn limits_of_the_examples() {
        let limit = |a: f64, b: f64| {
            let at = |radius| Ball { centre: DVec3::ZERO, radius };
            Test::of(&at(a), &at(b)).limit_m
        };
        assert!((limit(0.01, 0.01) - 2.06).abs() < 1e-12);
        let large = 300f64.sqrt() / 2.0;
        assert!((limit(large, 0.01) - 28.010_762).abs() < 1e-6);
        assert!((limit(large, large) - 53.961_524).abs() < 1e-6);
        assert_eq!(limit(9.0, 9.0), 54.0);
    }

    #[test]
    fn pairs_of_the_examples_link_up_to_their_limit() {
        // Radii, and the distance of the centres that spans just the limit.
        let large = 300f64.sqrt() / 2.0;
        for (a, b, distance) in
            [(0.01, 0.01, 2.04), (large, 0.01, 19.340_508_076), (large, large, 36.641_016_151)]
        {
            let near = pair(side(a), side(b), distance - 1e-6);
            assert_eq!(near.verdict, Verdict::Linkable, "{a} {b}");
            assert!((near.margins.linked_m.unwrap() - 1e-6).abs() < 1e-8);
            let far = pair(side(a), side(b), distance + 1e-6);
            assert_eq!(far.verdict, Verdict::NotLinkable, "{a} {b}");
            assert!((far.margins.refused_m.unwrap() - 1e-6).abs() < 1e-8);
        }
    }

    #[test]
    fn diameters_of_the_examples() {
        let diameter = |scale| 2.0 * judge(&[prim([0.0; 3], scale)]).pieces[0].sphere.radius;
        assert!((diameter([10.0, 1.0, 1.0]) - 102f64.sqrt()).abs() < 1e-12);
        assert!((diameter([10.0; 3]) - 300f64.sqrt()).abs() < 1e-12);
        assert_eq!(diameter([64.0, 10.0, 200.0]), diameter([10.0; 3]));
        assert_eq!(diameter([-3.0, 0.0, 4.0]), 5.0);
    }

    #[test]
    fn one_prim_links() {
        let outcome = judge(&[cube(1.0, 2.0, 3.0, 0.5)]);
        assert_eq!((outcome.verdict, prims_of(&outcome)), (Verdict::Linkable, vec![vec![0]]));
        assert_eq!(outcome.margins, Margins::default());
    }

    #[test]
    fn what_is_not_finite_is_not_evaluated() {
        let lost = [cube(0.0, 0.0, f64::NAN, 1.0), cube(0.0, 0.0, 0.0, f64::INFINITY)];
        for prims in [&lost[..1], &[cube(0.0, 0.0, 0.0, 1.0), lost[1]], &[]] {
            let outcome = judge(prims);
            assert_eq!(outcome.verdict, Verdict::NotEvaluated(Reason::NotFinite));
            assert_eq!((outcome.pieces, outcome.margins), (Vec::new(), Margins::default()));
        }
    }

    #[test]
    fn huge_numbers_do_not_link() {
        let outcome = judge(&[cube(f64::MAX, 0.0, 0.0, 1.0), cube(f64::MIN, 0.0, 0.0, 1.0)]);
        assert_eq!(outcome.verdict, Verdict::NotLinkable);
    }

    /// Cubes of 1 m in a row. The root alone reaches 2 + 2·√3 m, which is less than to the third.
    #[test]
    fn pieces_reach_farther_than_prims() {
        let row = [0.0, 5.0, 11.0].map(|x| cube(x, 0.0, 0.0, 1.0));
        assert_eq!(prims_of(&judge(&[row[0], row[2]])), [[0], [1]]);
        let outcome = judge(&row);
        assert_eq!(outcome.verdict, Verdict::Linkable);
        assert!((outcome.pieces[0].sphere.radius - (11.0 + 3f64.sqrt()) / 2.0).abs() < 1e-12);
        // The farthest first: it is refused, and links in the second round.
        let turned = judge(&[row[0], row[2], row[1]]);
        assert_eq!(turned.verdict, Verdict::Linkable);
        assert!((turned.margins.refused_m.unwrap() - (9.0 - 2.0 * 3f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn what_does_not_reach_the_root_links_among_itself() {
        let row = [0.0, 30.0, 31.0, 100.0].map(|x| cube(x, 0.0, 0.0, 1.0));
        let outcome = judge(&row);
        assert_eq!(prims_of(&outcome), [vec![0], vec![1, 2], vec![3]]);
        let radius = 3f64.sqrt() / 2.0;
        let spans: Vec<f64> = outcome.refused_by_root().map(|test| test.span_m).collect();
        assert!((spans[0] - (31.0 + 2.0 * radius)).abs() < 1e-12);
        assert!((spans[1] - (100.0 + 2.0 * radius)).abs() < 1e-12);
        let (pieces, test) = outcome.nearest_refused().unwrap();
        assert_eq!(pieces, [0, 1]);
        assert!((test.limit_m - (3.0 * (2.0 * radius + 0.5) + 2.0)).abs() < 1e-12);
        assert!((test.margin_m() - (test.limit_m - spans[0])).abs() < 1e-12);
    }

    #[test]
    fn the_cap_ends_a_line() {
        // Steps of 2 m reach the first 54 m of it; then the rest is a piece of its own.
        let line: Vec<Prim> = (0..30).map(|n| cube(f64::from(n) * 2.0, 0.0, 0.0, 0.01)).collect();
        let outcome = judge(&line);
        let lengths: Vec<usize> = outcome.pieces.iter().map(|piece| piece.prims.len()).collect();
        assert_eq!(lengths, [27, 3]);
    }

    /// "Add another meter to each sphere's diameter, then double that diameter. You can link objects if their
    /// spheres touch or intersect", unless a sphere around both is wider than 54 m.
    fn quick_overview(a: &Ball, b: &Ball) -> bool {
        let doubled = |sphere: &Ball| 2.0 * (2.0 * sphere.radius + 1.0) / 2.0;
        let touch = a.centre.distance(b.centre) <= doubled(a) + doubled(b);
        let around = ball::smallest_enclosing(&[*a, *b]).unwrap();
        touch && 2.0 * around.ball.radius <= LARGEST_MAX
    }

    fn any_prim() -> impl Strategy<Value = Prim> {
        let centre = (0.0..50.0, 0.0..50.0, 9900.0..9950.0);
        let scale = (0.01..15.0, 0.01..15.0, 0.01..15.0);
        (centre, scale).prop_map(|(centre, scale)| prim(centre.into(), scale.into()))
    }

    proptest! {
        #[test]
        fn pairs_link_as_the_quick_overview_says(a in any_prim(), b in any_prim()) {
            let outcome = judge(&[a, b]);
            let margin = outcome.margins.linked_m.or(outcome.margins.refused_m).unwrap();
            prop_assume!(margin > 1e-9);
            let [a, b] = spheres(&[a, b]).unwrap()[..] else { unreachable!() };
            prop_assert_eq!(outcome.verdict == Verdict::Linkable, quick_overview(&a, &b));
        }

        /// Each prim is in one piece, whose sphere is the smallest around its prims; and no two pieces link.
        #[test]
        fn pieces_are_final(prims in prop::collection::vec(any_prim(), 1..40)) {
            let outcome = judge(&prims);
            let all = spheres(&prims).unwrap();
            let mut members = prims_of(&outcome).concat();
            members.sort_unstable();
            prop_assert_eq!(members, (0..prims.len()).collect::<Vec<_>>());
            prop_assert!(outcome.pieces.is_sorted_by_key(|piece| piece.prims[0]));
            for piece in &outcome.pieces {
                let own: Vec<Ball> = piece.prims.iter().map(|&index| all[index]).collect();
                let fresh = ball::smallest_enclosing(&own).unwrap();
                prop_assert!((fresh.ball.radius - piece.sphere.radius).abs() <= 1e-11 * fresh.ball.radius);
                prop_assert!(2.0 * piece.sphere.radius <= LARGEST_MAX + 1e-9);
            }
            if let Some((_, test)) = outcome.nearest_refused() {
                prop_assert!(!test.links());
                let lacking = outcome.refused_by_root().map(|test| -test.margin_m()).fold(f64::MAX, f64::min);
                prop_assert!(-test.margin_m() <= lacking);
                prop_assert!(outcome.margins.refused_m.unwrap() <= -test.margin_m());
            }
            prop_assert_eq!(outcome.verdict == Verdict::Linkable, outcome.pieces.len() == 1);
        }
    }
}
