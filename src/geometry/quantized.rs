//! Positions as the files store them: three u16 in a box.
//!
//! Points remain the file's own integers until metres are needed, so exact computations stay exact.

use glam::DVec3;
use hullmark_util::json_number;
use serde::{Deserialize, Serialize};

/// The box in which quantized points are decoded, in units of the unit cube (−0.5 to 0.5 covers the prim).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// The corner for the value 0.
    #[serde(with = "json_number::vector")]
    pub min: DVec3,
    /// The corner for the value 65535.
    #[serde(with = "json_number::vector")]
    pub max: DVec3,
}

impl Domain {
    /// The default of every reader for a mesh without a domain: the unit cube around the origin.
    pub const UNIT: Self = Self { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) };

    /// Decodes one point: `q / 65535 * (max − min) + min`.
    pub fn point(&self, [x, y, z]: [u16; 3]) -> DVec3 {
        let unit = DVec3::new(x.into(), y.into(), z.into()) / 65_535.0;
        unit * (self.max - self.min) + self.min
    }
}

impl Default for Domain {
    fn default() -> Self {
        Self::UNIT
    }
}

/// Splits little-endian bytes into triples of u16: points or triangles, 6 bytes each. Fewer than 6 bytes at the end are
/// ignored; the caller reports them.
pub fn triples(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u16; 3]> + '_ {
    let (whole, _tail) = bytes.as_chunks::<6>();
    whole.iter().map(|&[a, b, c, d, e, f]| {
        [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d]), u16::from_le_bytes([e, f])]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_the_range_are_the_corners() {
        let domain = Domain { min: DVec3::new(-1.0, 0.0, 2.0), max: DVec3::new(1.0, 4.0, 2.0) };
        assert_eq!(domain.point([0, 0, 0]), domain.min);
        assert_eq!(domain.point([65_535, 65_535, 0]), domain.max);
    }

    #[test]
    fn triples_are_little_endian_and_leave_the_tail() {
        let points: Vec<_> = triples(&[1, 0, 2, 0, 0, 1, 9]).collect();
        assert_eq!(points, [[1, 2, 256]]);
    }
}
