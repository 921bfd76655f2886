//! The colours of hulls.

/// The colors of Okabe and Ito, which people with any kind of color blindness can distinguish. The vermilion is left
/// out, because it would look like the mark of a limit.
const PALETTE: [[f64; 3]; 6] = [
    [86.0, 180.0, 233.0],
    [230.0, 159.0, 0.0],
    [0.0, 158.0, 115.0],
    [240.0, 228.0, 66.0],
    [0.0, 114.0, 178.0],
    [204.0, 121.0, 167.0],
];
const GREY: [f64; 3] = [190.0, 196.0, 204.0];

/// Number of colors of hulls.
pub(crate) const DISTINCT: usize = 3 * PALETTE.len();

/// Returns one of six colors, then of the same colors lighter and darker. The base hull has no number and is grey.
pub(crate) fn of_hull(number: Option<usize>) -> [f64; 3] {
    let Some(number) = number else { return GREY };
    let colour = PALETTE[number % PALETTE.len()];
    match number / PALETTE.len() % 3 {
        0 => colour,
        1 => colour.map(|part| part + 0.45 * (255.0 - part)),
        _ => colour.map(|part| part * 0.7),
    }
}

/// Returns a color with this amount of light, 0 to 1.
pub(crate) fn shaded(colour: [f64; 3], light: f64) -> String {
    let [red, green, blue] = colour.map(|part| (part * light).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}
