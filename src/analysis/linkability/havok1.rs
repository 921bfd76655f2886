//! The rule of Havok1, Second Life's first physics engine: a box of about 32 m along the region's axes.

use super::Prim;
use crate::cost::NotEvaluated;
use glam::{DMat3, DVec2, DVec3};
use hullmark_geometry::{bounds::Bounds, smallest_box};
use hullmark_util::named;

/// A box below this size fits: "A box with sides of about 32 meters" (`linkability-rules.txt`, Bugs). The page rounds
/// to whole metres, and all smaller numbers round to less than 32.
pub const FITS_BELOW_M: f64 = 31.5;

/// A box above this size does not fit, because all larger numbers round to more than 32.
const EXCEEDS_ABOVE_M: f64 = 32.5;

named! {
    /// How a box compares with one of about 32 m. Never a pass or a fail: the limit is not known exactly.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// Every side is shorter than 31.5 m.
        Fits = "fits",
        /// The longest side is so near 32 m that the page does not decide.
        Grey = "grey",
        /// A side is longer than 32.5 m.
        Exceeds = "exceeds",
        NotEvaluated(NotEvaluated) = "not_evaluated",
    }
}

impl Verdict {
    /// Returns the verdict for a box with these sides in metres.
    pub fn from_size(size: DVec3) -> Self {
        let longest = size.max_element();
        if longest < FITS_BELOW_M {
            Self::Fits
        } else if longest > EXCEEDS_ABOVE_M {
            Self::Exceeds
        } else {
            Self::Grey
        }
    }
}

/// The result of the rule for a set of prims.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    /// Sides of the box around the prims in the region's axes, in metres. `None` without prims, or if a number is not
    /// finite.
    pub size: Option<DVec3>,
    /// Verdict for the box in the present orientation.
    pub verdict: Verdict,
    /// The best rotation if the prims only fit after it.
    pub turn_to_fit: Option<Turn>,
}

/// A rotation of the whole object about the vertical.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Angle counter-clockwise seen from above, in degrees from 0 to below 90.
    pub degrees: f64,
    /// Sides of the rotated box in the region's axes, in metres.
    pub size: DVec3,
}

impl Turn {
    /// Returns the verdict for the rotated box.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_size(self.size)
    }
}

/// Evaluates the rule for prims in the region's axes.
///
/// The engine used the bounding box of an object along the axes "of the world (East, North, and Up)". So a rotation
/// could unlink a linkset (`linkability-rules.txt`, Bugs).
pub fn evaluate(prims: &[Prim]) -> Outcome {
    let size = size_of(prims);
    let verdict = size.map_or(Verdict::NotEvaluated(NotEvaluated::NotFinite), Verdict::from_size);
    // Most objects fit as they are, and the search takes longer than both other rules.
    let best_turn = if verdict == Verdict::Fits { None } else { best_turn(prims) };
    Outcome { size, verdict, turn_to_fit: best_turn.filter(|turn| turn.verdict() == Verdict::Fits) }
}

/// Returns the rotation about the vertical that minimizes the longer horizontal side of the box; 0 degrees if none makes
/// it shorter. It is exact, in O(n log n). `None` without prims, or if a number is not finite.
pub fn best_turn(prims: &[Prim]) -> Option<Turn> {
    let size = size_of(prims)?;
    let corners: Vec<DVec2> = prims.iter().flat_map(corners_from_above).collect();
    let turned = smallest_box::smallest_by_turning(&corners)?;
    // Without a rotation the box must be exactly the same.
    let size = if turned.angle == 0.0 { size } else { turned.size.extend(size.z) };
    Some(Turn { degrees: turned.angle.to_degrees(), size })
}

fn size_of(prims: &[Prim]) -> Option<DVec3> {
    Bounds::around(prims.iter().copied()).map(|bounds| bounds.size())
}

fn corners_from_above(prim: &Prim) -> impl Iterator<Item = DVec2> {
    let (centre, turn, half) = (prim.centre, DMat3::from_quat(prim.rotation), prim.scale / 2.0);
    let sign = |bit: u8| f64::from(bit & 1) * 2.0 - 1.0;
    (0..8u8).map(move |bits| {
        (centre + turn * (half * DVec3::new(sign(bits), sign(bits >> 1), sign(bits >> 2)))).truncate()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn prim(scale: DVec3) -> Prim {
        Prim { centre: DVec3::new(128.0, 64.0, 22.0), rotation: DQuat::IDENTITY, scale }
    }

    fn turned(scale: DVec3, degrees: f64) -> Prim {
        Prim { rotation: DQuat::from_rotation_z(degrees.to_radians()), ..prim(scale) }
    }

    fn close(a: DVec3, b: DVec3) {
        assert!((a - b).length() < 1e-9, "{a} {b}");
    }

    #[test]
    fn about_32_metres_is_neither_a_pass_nor_a_fail() {
        let of = |side: f64| evaluate(&[prim(DVec3::new(1.0, 1.0, side))]).verdict;
        assert_eq!(of(31.49), Verdict::Fits);
        assert_eq!([of(31.5), of(32.0), of(32.5)], [Verdict::Grey; 3]);
        assert_eq!(of(32.51), Verdict::Exceeds);
        assert_eq!(Verdict::Grey.name(), "grey");
    }

    #[test]
    fn a_box_that_no_turn_makes_fit() {
        let scale = DVec3::new(40.0, 10.0, 5.0);
        let outcome = evaluate(&[prim(scale)]);
        assert_eq!((outcome.size, outcome.verdict), (Some(scale), Verdict::Exceeds));
        let best = best_turn(&[prim(scale)]).unwrap();
        assert!((best.degrees - 45.0).abs() < 1e-9);
        close(best.size, DVec3::new(50.0 / 2f64.sqrt(), 50.0 / 2f64.sqrt(), 5.0));
        assert_eq!((best.verdict(), outcome.turn_to_fit), (Verdict::Exceeds, None));
        close(evaluate(&[turned(scale, 45.0)]).size.unwrap(), best.size);
    }

    #[test]
    fn a_square_house_fits_until_it_is_turned() {
        let scale = DVec3::new(31.0, 31.0, 4.0);
        let straight = evaluate(&[prim(scale)]);
        assert_eq!((straight.verdict, straight.turn_to_fit), (Verdict::Fits, None));
        assert_eq!(best_turn(&[prim(scale)]), Some(Turn { degrees: 0.0, size: scale }));
        let askew = evaluate(&[turned(scale, 45.0)]);
        assert_eq!(askew.verdict, Verdict::Exceeds);
        let back = askew.turn_to_fit.unwrap();
        assert!((back.degrees - 45.0).abs() < 1e-9);
        close(back.size, scale);
    }

    #[test]
    fn a_long_wall_fits_across() {
        let wall = evaluate(&[prim(DVec3::new(33.0, 0.5, 4.0))]);
        assert_eq!(wall.verdict, Verdict::Exceeds);
        let turn = wall.turn_to_fit.unwrap();
        assert!((turn.degrees - 45.0).abs() < 1e-9);
        close(turn.size, DVec3::new(33.5 / 2f64.sqrt(), 33.5 / 2f64.sqrt(), 4.0));
        let tower = evaluate(&[prim(DVec3::new(0.5, 0.5, 33.0))]);
        assert_eq!((tower.verdict, tower.turn_to_fit), (Verdict::Exceeds, None), "the vertical stays");
    }

    #[test]
    fn the_turn_makes_the_box_that_it_promises() {
        let spread = |index: u32| {
            let step = f64::from(index);
            let centre = DVec3::new(step * 0.7, (step * 1.3).sin() * 5.0, step.cos());
            Prim {
                centre,
                rotation: DQuat::from_rotation_y(step) * DQuat::from_rotation_z(step),
                scale: DVec3::new(3.0, 1.0, 0.2),
            }
        };
        let prims: Vec<Prim> = (0..50).map(spread).collect();
        let promised = best_turn(&prims).unwrap();
        let turn = DQuat::from_rotation_z(promised.degrees.to_radians());
        let turned = |prim: Prim| Prim { centre: turn * prim.centre, rotation: turn * prim.rotation, ..prim };
        let turned: Vec<Prim> = prims.into_iter().map(turned).collect();
        assert_ne!(promised.degrees, 0.0);
        close(evaluate(&turned).size.unwrap(), promised.size);
        assert_eq!(best_turn(&turned).unwrap().degrees, 0.0);
    }

    #[test]
    fn an_unknown_number_is_not_evaluated() {
        let lost = Prim { rotation: DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0), ..prim(DVec3::ONE) };
        let prims = [prim(DVec3::ONE), lost];
        let outcome = evaluate(&prims);
        assert_eq!(outcome.verdict, Verdict::NotEvaluated(NotEvaluated::NotFinite));
        assert_eq!((outcome.size, outcome.turn_to_fit, best_turn(&prims)), (None, None, None));
    }
}
