//! The farthest of many points in a direction. A hull is asked for it thousands of times.

use glam::Vec3;

/// Points that are compared at once.
const LANES: usize = 8;

/// Coordinates of points, axis by axis, so that a processor compares several at once.
#[derive(Debug, Clone, Copy)]
struct Block([[f32; LANES]; 3]);

/// A place without a point. No distance of it is larger than another.
const NOTHING: [f32; 3] = [f32::NAN; 3];

/// A set of points that shrinks.
#[derive(Debug)]
pub(super) struct Cloud {
    blocks: Vec<Block>,
    /// Distances in the last direction, block by block.
    distances: Vec<[f32; LANES]>,
    /// Index of the first point that is not removed.
    first: usize,
    is_removed: Vec<bool>,
}

impl Cloud {
    pub(super) fn new(points: &[Vec3]) -> Self {
        let block = |points: &[Vec3]| {
            let at = |lane: usize| points.get(lane).map_or(NOTHING, Vec3::to_array);
            Block([0, 1, 2].map(|axis| std::array::from_fn(|lane| at(lane)[axis])))
        };
        let blocks: Vec<Block> = points.chunks(LANES).map(block).collect();
        let distances = vec![[0.0; LANES]; blocks.len()];
        Self { blocks, distances, first: 0, is_removed: vec![false; points.len()] }
    }

    pub(super) fn remove(&mut self, index: usize) {
        let Block(axes) = &mut self.blocks[index / LANES];
        axes.iter_mut().for_each(|axis| axis[index % LANES] = f32::NAN);
        self.is_removed[index] = true;
        self.first += self.is_removed[self.first..].iter().take_while(|&&removed| removed).count();
    }

    /// Returns the index of the point that is farthest in a direction; of several the first. `None` if no point is
    /// left.
    ///
    /// The first point wins if its distance is not a number, as with a comparison of one after the other.
    pub(super) fn farthest(&mut self, direction: Vec3) -> Option<usize> {
        if self.first == self.is_removed.len() {
            return None;
        }
        let mut most = [f32::NEG_INFINITY; LANES];
        for (Block([x, y, z]), distances) in self.blocks.iter().zip(&mut self.distances) {
            for lane in 0..LANES {
                // The order of the terms is that of the engine.
                let distance = x[lane] * direction.x + y[lane] * direction.y + z[lane] * direction.z;
                distances[lane] = distance;
                most[lane] = if distance > most[lane] { distance } else { most[lane] };
            }
        }
        let distances = self.distances.as_flattened();
        if distances[self.first].is_nan() {
            return Some(self.first);
        }
        let largest = most.into_iter().fold(f32::NEG_INFINITY, f32::max);
        distances.iter().position(|&distance| distance == largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compares one point after the other, as the engine does.
    fn one_by_one(points: &[Vec3], is_removed: &[bool], direction: Vec3) -> Option<usize> {
        let mut farthest: Option<(usize, f32)> = None;
        for (index, point) in points.iter().enumerate().filter(|(index, _)| !is_removed[*index]) {
            let distance = point.dot(direction);
            if farthest.is_none_or(|(_, most)| distance > most) {
                farthest = Some((index, distance));
            }
        }
        farthest.map(|(index, _)| index)
    }

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![
            6 => (-3_i8..=3).prop_map(f32::from),
            3 => -1.0_f32..1.0,
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX]),
        ]
    }

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(number()).prop_map(Vec3::from_array)
    }

    proptest! {
        #[test]
        fn the_farthest_point_is_that_of_a_comparison_one_by_one(
            points in prop::collection::vec(vector(), 1..40),
            steps in prop::collection::vec((vector(), any::<prop::sample::Index>()), 0..40),
        ) {
            let mut cloud = Cloud::new(&points);
            let mut is_removed = vec![false; points.len()];
            for (direction, removed) in steps {
                prop_assert_eq!(cloud.farthest(direction), one_by_one(&points, &is_removed, direction));
                let removed = removed.index(points.len());
                is_removed[removed] = true;
                cloud.remove(removed);
            }
        }
    }
}
