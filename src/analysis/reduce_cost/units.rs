//! Costs and volumes as whole numbers, so that sums do not depend on their order and ties are ties.

/// Bits below the point of a cost. 0.1 and all that is larger than 2⁻⁸ keeps every bit of its `f64`.
pub(super) const COST_BITS: i32 = 60;
/// Bits below the point of a volume: a millionth of a cubic centimetre is told from none.
const VOLUME_BITS: i32 = 30;
/// No cost and no volume is larger, so that a million of them add up without overflow.
const LARGEST: f64 = (1 << 30) as f64;

/// A cost in units of 2⁻⁶⁰.
pub(super) fn cost_units(cost: f64) -> i128 {
    units(cost, COST_BITS)
}

/// A volume in units of 2⁻³⁰ m³.
pub(super) fn volume_units(volume: f64) -> i128 {
    units(volume.max(0.0), VOLUME_BITS)
}

/// What is no number counts nothing.
fn units(value: f64, bits: i32) -> i128 {
    // Multiplying by a power of two is exact.
    (value.clamp(-LARGEST, LARGEST) * 2f64.powi(bits)).round() as i128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_exact_where_it_matters() {
        assert_eq!(cost_units(0.1) as f64 / 2f64.powi(COST_BITS), 0.1);
        assert_eq!(cost_units(18_107.684_742_719) as f64 / 2f64.powi(COST_BITS), 18_107.684_742_719);
        assert_eq!((cost_units(f64::NAN), volume_units(-1.0)), (0, 0));
        assert_eq!(cost_units(f64::INFINITY), cost_units(LARGEST));
    }
}
