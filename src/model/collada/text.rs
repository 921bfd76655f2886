//! Lists of numbers in the text of an element.

use crate::charge;
use hullmark_format::{defect::ModelDefect, xml::excerpt};
use hullmark_util::work::Work;

/// Units of work for a byte of a list. The shortest number takes two bytes, and four in memory.
const BYTE: u64 = 2;

/// Reads a list of floating-point numbers. The viewer reads them in double precision and rounds them afterwards.
///
/// # Errors [`ModelDefect::Unreadable`] if one is not a number, as `1,5`; [`ModelDefect::OverLimit`].
pub(super) fn floats(text: &str, work: &mut Work) -> Result<Vec<f32>, ModelDefect> {
    list(text, work, |word| match word.parse::<f64>() {
        Ok(number) => Some(number as f32),
        // The library of Microsoft writes `1.#QNAN`, `-1.#IND` and `1.#INF`.
        Err(_) => word.contains(".#").then_some(f32::NAN),
    })
}

/// Reads a list of exactly `N` floating-point numbers.
///
/// # Errors [`ModelDefect::Unreadable`] if there are fewer or more, or as [`floats`].
pub(super) fn exactly<const N: usize>(text: &str, work: &mut Work) -> Result<[f32; N], ModelDefect> {
    let found = floats(text, work)?;
    let count = found.len();
    found.try_into().map_err(|_| ModelDefect::Unreadable { why: format!("{count} numbers instead of {N}") })
}

/// Reads a list of whole numbers. Those that an `i32` cannot hold become its largest or smallest value.
///
/// # Errors [`ModelDefect::Unreadable`] if one is not a whole number; [`ModelDefect::OverLimit`].
pub(super) fn integers(text: &str, work: &mut Work) -> Result<Vec<i32>, ModelDefect> {
    list(text, work, |word| {
        let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let beyond = if word.starts_with('-') { i32::MIN } else { i32::MAX };
        is_whole.then(|| word.parse().unwrap_or(beyond))
    })
}

fn list<T>(text: &str, work: &mut Work, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, ModelDefect> {
    charge(work, text.len() as u64 * BYTE)?;
    let number = |word: &str| {
        parse(word).ok_or_else(|| ModelDefect::Unreadable { why: format!("{} is not a number", short(word)) })
    };
    text.split_ascii_whitespace().map(number).collect()
}

/// Returns the start of a text from the file, for a defect.
pub(super) fn short(text: &str) -> String {
    excerpt(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_exporters_write_them() {
        let mut work = Work::unlimited();
        let mut read = |text| floats(text, &mut work);
        assert_eq!(read(" 1\t-2.5e-1\r\n.5 5. +3E2 ").unwrap(), [1.0, -0.25, 0.5, 5.0, 300.0]);
        assert_eq!(read("INF -INF 1e999").unwrap(), [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY]);
        assert!(read("NaN 1.#QNAN -1.#IND00").unwrap().iter().all(|number| number.is_nan()));
        assert_eq!(read("").unwrap(), [0.0; 0]);
        for comma in ["1,5", "1,2,3", "x", "0x10"] {
            assert!(matches!(read(comma), Err(ModelDefect::Unreadable { .. })), "{comma}");
        }
        assert_eq!(
            integers("0 +7 -1 99999999999 -99999999999", &mut work).unwrap(),
            [0, 7, -1, i32::MAX, i32::MIN]
        );
        for wrong in ["1.0", "-", "1,2"] {
            assert!(integers(wrong, &mut work).is_err(), "{wrong}");
        }
    }

    #[test]
    fn numbers_are_rounded_twice_as_in_the_viewer() {
        // Directly rounded, this decimal is the next larger number.
        let text = "1.00000005960464477540";
        assert_eq!(floats(text, &mut Work::unlimited()).unwrap(), [1.0]);
        assert_eq!(text.parse(), Ok(1.000_000_1_f32));
    }

    #[test]
    fn a_list_is_charged_before_it_is_read() {
        let mut work = Work::new(9, Default::default());
        assert!(matches!(floats("1 2 3", &mut work), Err(ModelDefect::OverLimit { .. })));
    }
}
