//! Levels of detail of prims and sculpts.

/// Parts with a larger mean of their sides have more detail in their physics shape, in metres.
const LARGE_M: f64 = 5.0;
/// Like [`LARGE_M`], for the highest detail.
const HUGE_M: f64 = 25.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detail {
    #[cfg_attr(not(test), allow(dead_code, reason = "nothing is measured at it, and viewers have it"))]
    Lowest,
    /// The level that small parts collide with.
    Low,
    Medium,
    High,
}

impl Detail {
    /// All levels, lowest first.
    pub const ALL: [Self; 4] = [Self::Lowest, Self::Low, Self::Medium, Self::High];

    /// Returns the factor for the sides of a circle.
    pub fn factor(self) -> f64 {
        match self {
            Self::Lowest => 1.0,
            Self::Low => 1.5,
            Self::Medium => 2.5,
            Self::High => 4.0,
        }
    }
}

/// Returns the level whose triangles a part collides with, by the mean of its sides in metres. NaN counts as small.
pub fn physics_detail(average_size_m: f64) -> Detail {
    if average_size_m > HUGE_M {
        Detail::High
    } else if average_size_m > LARGE_M {
        Detail::Medium
    } else {
        Detail::Low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_parts_collide_in_more_detail() {
        assert_eq!(
            [5.0, 5.1, 25.0, 25.1].map(physics_detail),
            [Detail::Low, Detail::Medium, Detail::Medium, Detail::High]
        );
        assert_eq!(physics_detail(f64::NAN), Detail::Low);
        assert_eq!(Detail::ALL.map(Detail::factor), [1.0, 1.5, 2.5, 4.0]);
    }
}
