//! Integer vectors that cannot overflow.
//!
//! Coordinates have at most 22 bits with their sign, differences 23, cross products of differences 46: they fit in
//! `i64`. Further products are computed in `i128`.

/// A point or a vector.
pub type Point = [i64; 3];

/// From `b` to `a`.
pub fn difference(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Cross product of differences.
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Dot product.
pub fn dot(a: Point, b: Point) -> i128 {
    let product = |axis: usize| i128::from(a[axis]) * i128::from(b[axis]);
    product(0) + product(1) + product(2)
}

/// A plane with an outer side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plane {
    /// Points outwards; of any length.
    pub normal: Point,
    /// `normal · p` for its points.
    pub offset: i128,
}

impl Plane {
    /// The plane of a triangle that is counter-clockwise seen from outside.
    pub fn through([a, b, c]: [Point; 3]) -> Self {
        let normal = cross(difference(b, a), difference(c, a));
        Self { normal, offset: dot(normal, a) }
    }

    /// Positive outside; the distance times the length of the normal.
    #[cfg(test)]
    pub fn height(&self, point: Point) -> i128 {
        dot(self.normal, point) - self.offset
    }

    /// The same for each triangle of a plane: with the shortest integer normal.
    pub fn reduced(&self) -> Self {
        let [x, y, z] = self.normal.map(i64::unsigned_abs);
        let divisor = (divisor(divisor(x, y), z).max(1)) as i64;
        // The offset is the product of the normal with an integer point, so nothing is lost.
        Self { normal: self.normal.map(|c| c / divisor), offset: self.offset / i128::from(divisor) }
    }
}

/// Greatest common divisor; that of 0 and a number is the number.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
