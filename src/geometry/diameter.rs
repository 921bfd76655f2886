//! Finds the two points of a set that are farthest apart.

use glam::DVec3;

/// Maximum number of measured pairs: all pairs of 5,000 points, in some hundredths of a second.
const MOST_PAIRS: usize = 12_500_000;

/// Upper bound for the relative error of distances and of their sums.
const ROUNDING: f64 = 1e-14;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// Indices of the points, ascending.
    pub points: [usize; 2],
    pub distance: f64,
}

/// Returns the two points that are farthest from each other. Of equal pairs it returns the first by index.
///
/// The distance between two points is at most the sum of their distances to any third point. So the points are sorted
/// by distance from `centre`, outermost first, and a pair is only measured if that sum is large enough. Nearly no pair
/// is measured if `centre` is that of the smallest sphere around the points and two of them carry it.
///
/// `None` for fewer than two points, if a coordinate is not finite, and if too many pairs would have to be measured.
pub fn pair(points: &[DVec3], centre: DVec3) -> Option<Pair> {
    let mut outermost: Vec<(f64, usize)> =
        points.iter().enumerate().map(|(index, point)| (point.distance(centre), index)).collect();
    if !outermost.iter().all(|(distance, _)| distance.is_finite()) {
        return None;
    }
    outermost.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Option<Pair> = None;
    let mut measured = 0;
    for (rank, &(reach, first)) in outermost.iter().enumerate() {
        let too_short =
            |other: f64| best.is_some_and(|best: Pair| (reach + other) * (1.0 + ROUNDING) < best.distance);
        let partners = &outermost[..rank];
        let partners = &partners[..partners.partition_point(|&(other, _)| !too_short(other))];
        if rank > 0 && partners.is_empty() {
            break;
        }
        measured += partners.len();
        if measured > MOST_PAIRS {
            return None;
        }
        for &(_, second) in partners {
            let distance = points[first].distance(points[second]);
            let points = [first.min(second), first.max(second)];
            let farther =
                |best: Pair| distance > best.distance || distance == best.distance && points < best.points;
            if best.is_none_or(farther) {
                best = Some(Pair { points, distance });
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_all_pairs(points: &[DVec3]) -> Option<Pair> {
        let mut best: Option<Pair> = None;
        for first in 0..points.len() {
            for second in first + 1..points.len() {
                let distance = points[first].distance(points[second]);
                if best.is_none_or(|best| distance > best.distance) {
                    best = Some(Pair { points: [first, second], distance });
                }
            }
        }
        best
    }

    #[test]
    fn few_points() {
        assert_eq!(pair(&[], DVec3::ZERO), None);
        assert_eq!(pair(&[DVec3::X], DVec3::ZERO), None);
        let twins = Pair { points: [0, 1], distance: 0.0 };
        assert_eq!(pair(&[DVec3::X; 3], DVec3::X), Some(twins));
        assert_eq!(pair(&[DVec3::X, DVec3::NAN], DVec3::ZERO), None);
    }

    #[test]
    fn sixty_five_thousand_points() {
        let ball = |index: u32| {
            let [x, y, z] =
                [0.754_877_666, 0.569_840_290, 0.438_579_021].map(|step| f64::from(index) * step % 1.0);
            DVec3::new(x, y, z)
        };
        let mut points: Vec<DVec3> = (0..65_536).map(ball).collect();
        points[777] = DVec3::splat(3.0);
        points[999] = DVec3::splat(-3.0);
        assert_eq!(pair(&points, DVec3::ZERO).unwrap().points, [777, 999]);
        let corners = [DVec3::X, DVec3::Y, DVec3::Z];
        let heaps: Vec<DVec3> =
            (0..65_536).map(|index| corners[index % 3] + ball(index as u32) * 1e-3).collect();
        assert_eq!(pair(&heaps, DVec3::splat(1.0 / 3.0)), None, "given up");
    }

    proptest! {
        #[test]
        fn agrees_with_all_pairs(
            coarse in prop::collection::vec(prop::array::uniform3(-3..4), 0..40),
            fine in prop::collection::vec(prop::array::uniform3(-4.0..4.0), 0..40),
            centre in prop::array::uniform3(-2.0..2.0),
        ) {
            let coarse = coarse.into_iter().map(|point| point.map(f64::from));
            let points: Vec<DVec3> = coarse.chain(fine).map(DVec3::from_array).collect();
            prop_assert_eq!(pair(&points, DVec3::from_array(centre)), by_all_pairs(&points));
        }
    }
}
