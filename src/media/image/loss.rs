//! The loss of compression in a JPEG 2000 image, estimated from its codestream.
//!
//! Only the encoder knew the image before. But a codestream shows how many bit-planes each code-block lacks, and so how
//! far its coefficients may be off. The synthesis of the image scales these errors by known factors (ITU-T T.800, annexes
//! E to G). Errors of different coefficients are independent, so their squares add up.

use super::codestream::{self, Channel, MainHeader};

/// How far one coefficient of a band changes the image, by level from the finest. These are the norms of the synthesis
/// functions, of the low-pass band and of the band with high frequencies along both axes.
struct Norms {
    low: [f64; 8],
    high: [f64; 7],
}

/// The reversible transform, 5-3.
const REVERSIBLE: Norms = Norms {
    low: [1.0, 1.5, 2.75, 5.375, 10.68, 21.34, 42.67, 85.33],
    high: [0.7186, 0.9218, 1.586, 3.043, 6.019, 12.01, 24.0],
};

/// The irreversible transform, 9-7, with high-pass filters of gain 1.
const IRREVERSIBLE: Norms = Norms {
    low: [1.0, 1.965, 4.177, 8.403, 16.9, 33.84, 67.69, 135.3],
    high: [2.08, 3.865, 8.307, 17.18, 34.71, 69.59, 139.3],
};

/// How far the errors of three channels change red, green and blue: weights, squared.
const NONE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const REVERSIBLE_COLOR: [[f64; 3]; 3] = [[1.0, 0.0625, 0.5625], [1.0, 0.0625, 0.0625], [1.0, 0.5625, 0.0625]];
const IRREVERSIBLE_COLOR: [[f64; 3]; 3] =
    [[1.0, 0.0, 1.965_604], [1.0, 0.118_430, 0.509_990], [1.0, 3.139_984, 0.0]];

/// Returns the root of the mean square error of the worst color, in levels of 255. 0 if nothing is lost, and `None` if
/// the codestream is not of the usual kind.
pub(super) fn estimated(codestream: &[u8]) -> Option<f64> {
    let (main, channels) = codestream::read(codestream, |_| {})?;
    let colors = channels.get(..3)?;
    let errors = colors.iter().map(|channel| error(&main, channel)).collect::<Option<Vec<f64>>>()?;
    let weights = match (main.mixes_colors(), main.is_reversible()) {
        (false, _) => NONE,
        (true, true) => REVERSIBLE_COLOR,
        (true, false) => IRREVERSIBLE_COLOR,
    };
    let of_color =
        |weights: [f64; 3]| weights.iter().zip(&errors).map(|(weight, error)| weight * error).sum::<f64>();
    Some(weights.map(of_color).into_iter().fold(0.0, f64::max).sqrt())
}

/// Returns the mean square error of a channel.
fn error(main: &MainHeader<'_>, channel: &Channel) -> Option<f64> {
    let (mut error, mut known, mut unknown) = (0.0, 0.0, 0.0);
    for (resolution, bands) in channel.iter().enumerate() {
        for (kind, band) in bands.iter().enumerate() {
            let (energy, step) = scale(main, resolution as u8, kind)?;
            let blocks = band.lacking();
            let of_block = energy / blocks.len().max(1) as f64;
            for lacking in blocks {
                match lacking {
                    Some(0) if main.is_reversible() => known += of_block,
                    Some(planes) => {
                        let step = step * f64::from(1_u32 << planes.min(31));
                        error += of_block * step * step / 12.0;
                        known += of_block;
                    }
                    None => unknown += of_block,
                }
            }
        }
    }
    // The encoder drops blocks whose error is about that of the others.
    Some(if known > 0.0 { error * (1.0 + unknown / known) } else { error })
}

/// Returns the energy of a sub-band in a pixel, and the size of its step of quantization for a channel of 8 bits
/// (equation E-3).
fn scale(main: &MainHeader<'_>, resolution: u8, kind: usize) -> Option<(f64, f64)> {
    let norms = if main.is_reversible() { REVERSIBLE } else { IRREVERSIBLE };
    let at = |list: &[f64], level: u8| list.get(usize::from(level)).copied();
    // Resolution 0 is what all levels leave. Kinds 0 and 1 have high frequencies along one axis.
    let (norm, level) = match resolution {
        0 => (at(&norms.low, main.levels)?, main.levels),
        _ => {
            let level = main.levels - resolution;
            let (low, high) = (at(&norms.low, level + 1)?, at(&norms.high, level)?);
            (if kind < 2 { (low * high).sqrt() } else { high }, level + 1)
        }
    };
    let coefficients_per_pixel = 0.25_f64.powi(level.into());
    let (exponent, mantissa) = main.step(resolution, kind)?;
    let step = match main.is_reversible() {
        true => 1.0,
        false => 2_f64.powi(8 - i32::from(exponent)) * (1.0 + f64::from(mantissa) / 2048.0),
    };
    Some((coefficients_per_pixel * norm * norm, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
    /// The map of a rock, 64 × 64 px. The name has the transform, the rate, and whether colors become other channels.
    const ROCKS: [(&[u8], f64); 4] = [
        (include_bytes!("../../../tests/support/sculpt_maps/rock-53-16-0.j2c"), 1.022),
        (include_bytes!("../../../tests/support/sculpt_maps/rock-53-32-1.j2c"), 3.551),
        (include_bytes!("../../../tests/support/sculpt_maps/rock-97-16-1.j2c"), 0.877),
        (include_bytes!("../../../tests/support/sculpt_maps/rock-97-32-0.j2c"), 2.521),
    ];

    #[test]
    fn the_estimate_is_within_a_factor_of_two_of_the_error() {
        for (map, error) in ROCKS {
            let ratio = estimated(map).unwrap() / error;
            assert!((0.5..=2.0).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn a_map_without_loss_has_none_and_a_strange_one_is_unknown() {
        assert_eq!(estimated(SPHERE), Some(0.0));
        assert_eq!(estimated(&SPHERE[..SPHERE.len() - 9]), None);
    }
}
