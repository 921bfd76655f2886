//! The convex polygon around points in a plane.

/// Returns the corners, counter-clockwise from the first point, by Andrew's monotone chain. The points are sorted and
/// distinct. `is_no_corner` returns whether the middle one of three points can be dropped, because the way does not
/// turn left there.
pub fn around<T: Copy>(sorted: &[T], is_no_corner: impl Fn(T, T, T) -> bool) -> Vec<T> {
    let half = |sweep: &mut dyn Iterator<Item = T>| {
        let mut chain: Vec<T> = Vec::new();
        for point in sweep {
            while let [.., a, b] = chain[..]
                && is_no_corner(a, b, point)
            {
                chain.pop();
            }
            chain.push(point);
        }
        // The last point of each half is the first of the other.
        chain.pop();
        chain
    };
    if sorted.len() < 2 {
        return sorted.to_vec();
    }
    [half(&mut sorted.iter().copied()), half(&mut sorted.iter().rev().copied())].concat()
}
