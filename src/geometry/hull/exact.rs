//! Integer vectors that cannot overflow.
//!
//! Coordinates have at most 22 bits with their sign, differences 23, cross products of differences 46: they fit in
//! `i64`. Further products are computed in `i128`.

pub type Point = [i64; 3];

/// Returns the vector from `b` to `a`.
pub fn difference(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Returns the cross product of differences.
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn dot(a: Point, b: Point) -> i128 {
    let product = |axis: usize| i128::from(a[axis]) * i128::from(b[axis]);
    product(0) + product(1) + product(2)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Plane {
    /// The outward normal, of any length.
    pub normal: Point,
    /// `normal · p` for points `p` of the plane.
    pub offset: i128,
}

impl Plane {
    /// Returns the plane of a triangle that is counter-clockwise from outside.
    pub fn through([a, b, c]: [Point; 3]) -> Self {
        let normal = cross(difference(b, a), difference(c, a));
        Self { normal, offset: dot(normal, a) }
    }

    /// Returns the distance of a point times the length of the normal; positive outside.
    #[cfg(test)]
    pub fn height(&self, point: Point) -> i128 {
        dot(self.normal, point) - self.offset
    }

    /// Returns the plane with the shortest integer normal, which is equal for all triangles in it.
    pub fn reduced(&self) -> Self {
        let [x, y, z] = self.normal.map(i64::unsigned_abs);
        let divisor = (divisor(divisor(x, y), z).max(1)) as i64;
        // The offset is the product of the normal and an integer point, so the division is exact.
        Self { normal: self.normal.map(|c| c / divisor), offset: self.offset / i128::from(divisor) }
    }
}

/// Returns the greatest common divisor; for 0 and a number it is the number.
fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
