//! The convex polygon around points in a plane.

/// Its corners, counter-clockwise from the first of the points, which are sorted and differ: Andrew's monotone chain. Of
/// three in a row the middle one is no corner where the way over it does not turn left.
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
        // The last of each half is the first of the other.
        chain.pop();
        chain
    };
    if sorted.len() < 2 {
        return sorted.to_vec();
    }
    [half(&mut sorted.iter().copied()), half(&mut sorted.iter().rev().copied())].concat()
}
