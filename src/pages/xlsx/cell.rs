//! Cells of a spreadsheet: typed, and never a formula.

use super::style;
use hullmark_report::table::{Cell, Kind};
use hullmark_util::escape::cleaned;
use rust_xlsxwriter::{ExcelDateTime, Worksheet, XlsxError};
use std::{borrow::Cow, time::UNIX_EPOCH};

/// UTF-16 units that a cell holds, by “Excel specifications and limits” of support.microsoft.com.
const LONGEST: usize = 32_767;
/// The largest exact count: all numbers of a spreadsheet are f64.
const LARGEST_COUNT: u64 = 1 << 53;
/// The largest number that a cell holds.
const LARGEST: f64 = 9.99e307;

/// What a spreadsheet holds of a cell.
pub(super) enum Value<'c> {
    Bool(bool),
    Number(f64),
    Time(ExcelDateTime),
    Text(Cow<'c, str>),
}

/// Returns the value of a cell in a column of this kind. `None` if it is empty.
pub(super) fn value<'c>(kind: Kind, cell: &'c Cell<'_>) -> Option<Value<'c>> {
    Some(match cell {
        Cell::Empty => return None,
        Cell::Bool(value) => Value::Bool(*value),
        Cell::Int(value) if value.unsigned_abs() <= LARGEST_COUNT => Value::Number(*value as f64),
        Cell::Int(value) => Value::Text(value.to_string().into()),
        Cell::Real(value) if value.is_nan() || value.abs() > LARGEST => Value::Text(value.to_string().into()),
        Cell::Real(value) if kind == Kind::Percent => Value::Number(value / 100.0),
        Cell::Real(value) => Value::Number(*value),
        Cell::Text(text) if text.is_empty() => return None,
        Cell::Text(text) => match Some(kind).filter(|kind| *kind == Kind::Time).and_then(|_| moment(text)) {
            Some(moment) => Value::Time(moment),
            None => Value::Text(fit(text)),
        },
    })
}

/// Writes a cell of a column of this kind.
pub(super) fn write<'s>(
    sheet: &'s mut Worksheet,
    row: u32,
    column: u16,
    kind: Kind,
    cell: &Cell<'_>,
) -> Result<&'s mut Worksheet, XlsxError> {
    match value(kind, cell) {
        None => Ok(sheet),
        Some(Value::Bool(value)) => sheet.write_boolean(row, column, value),
        Some(Value::Number(value)) => sheet.write_number(row, column, value),
        Some(Value::Time(moment)) => sheet.write_datetime(row, column, &moment),
        Some(Value::Text(text)) => sheet.write_string(row, column, text),
    }
}

/// Writes a time in a column of another kind.
pub(super) fn write_moment<'s>(
    sheet: &'s mut Worksheet,
    row: u32,
    column: u16,
    text: &str,
) -> Result<&'s mut Worksheet, XlsxError> {
    match moment(text) {
        Some(moment) => sheet.write_datetime_with_format(row, column, &moment, &style::cells(Kind::Time)),
        None => sheet.write_string(row, column, fit(text)),
    }
}

/// Returns a date of a spreadsheet. `None` before 1900.
pub(super) fn moment(text: &str) -> Option<ExcelDateTime> {
    let seconds = humantime::parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?.as_secs();
    ExcelDateTime::from_timestamp(i64::try_from(seconds).ok()?).ok()
}

/// Returns text that is cleaned, and cut with an ellipsis to the size of a cell.
pub(super) fn fit(text: &str) -> Cow<'_, str> {
    match cleaned(text) {
        Cow::Borrowed(text) => cut(text),
        Cow::Owned(text) => cut(&text).into_owned().into(),
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    // No text has more UTF-16 units than bytes.
    if text.len() <= LONGEST || text.encode_utf16().count() <= LONGEST {
        return text.into();
    }
    let mut units = 0;
    let kept = text.chars().take_while(|char| {
        units += char.len_utf16();
        units < LONGEST
    });
    kept.chain(['…']).collect::<String>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_to_the_size_of_a_cell_and_say_so() {
        let whole = "ä".repeat(LONGEST);
        assert_eq!(fit(&whole), whole);
        // Each character has two units, so the last one must be dropped completely.
        let wide = "🪑".repeat(LONGEST);
        assert_eq!(fit("gpj\u{202e}exe\u{3164}"), "gpj·exe·");
        let cut = fit(&wide);
        assert_eq!(cut.encode_utf16().count(), LONGEST);
        assert!(cut.ends_with("🪑…"));
    }
}
