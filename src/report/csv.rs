//! CSV: one file for each table.
//!
//! Comma, quotes where needed, LF, UTF-8. Numbers have a point and no exponent. Words that a spreadsheet would
//! run as a formula are defused with an apostrophe in front: see [`defuse`].

use super::{
    table::{Cell, Head},
    text_tables::Text,
};
use std::{borrow::Cow, collections::BTreeMap, io, iter};

/// Room for a row before it is copied: most are shorter.
const ROW: usize = 1024;

/// Writes tables as CSV.
pub struct Csv {
    byte_order_mark: bool,
    /// How many columns each table has.
    columns: BTreeMap<&'static str, usize>,
}

impl Csv {
    /// Of these tables, in files that may begin with a byte order mark.
    pub fn of(tables: &[Head], byte_order_mark: bool) -> Self {
        let columns = tables.iter().map(|table| (table.name, table.columns.len())).collect();
        Self { byte_order_mark, columns }
    }
}

impl Text for Csv {
    fn ending(&self) -> &'static str {
        "csv"
    }

    fn begin(&self, table: &Head, text: &mut Vec<u8>) -> io::Result<()> {
        if self.byte_order_mark {
            text.extend_from_slice("\u{feff}".as_bytes());
        }
        let names = table.columns.iter().map(|column| column.name.as_bytes());
        Ok(writer(text, 0).write_record(names)?)
    }

    fn row(&self, table: &'static str, cells: &[Cell<'_>], text: &mut Vec<u8>) -> io::Result<()> {
        let Some(&columns) = self.columns.get(table) else { return Ok(()) };
        if cells.len() != columns {
            let words = format!("a row of {table} has {} cells and not {columns}", cells.len());
            return Err(io::Error::other(words));
        }
        let bytes = |cell: &Cell<'_>| if let Cell::Text(text) = cell { text.len() } else { 0 };
        let longest = cells.iter().map(bytes).max().unwrap_or_default();
        let mut writer = writer(text, longest);
        // In a place that is kept, because most cells are numbers.
        let mut number = String::new();
        for cell in cells {
            writer.write_field(words(cell, &mut number).as_bytes())?;
        }
        writer.write_record(None::<&[u8]>)?;
        writer.flush()
    }
}

/// Writes cells of at most so many bytes. What must be quoted is looked through again whenever the room is full, so there is
/// room for all of it.
fn writer(text: &mut Vec<u8>, longest: usize) -> csv::Writer<&mut Vec<u8>> {
    csv::WriterBuilder::new().buffer_capacity(ROW.max(2 * longest + 8)).from_writer(text)
}

/// A cell as CSV has it.
fn words<'a>(cell: &'a Cell<'_>, number: &'a mut String) -> Cow<'a, str> {
    number.clear();
    match cell {
        Cell::Empty => "".into(),
        Cell::Bool(true) => "true".into(),
        Cell::Bool(false) => "false".into(),
        Cell::Int(value) => {
            number.push_str(itoa::Buffer::new().format(*value));
            number.as_str().into()
        }
        Cell::Real(value) => {
            push_real(number, *value);
            number.as_str().into()
        }
        Cell::Text(text) => defuse(text),
    }
}

/// At most nine decimals, no exponent: nanometres are below every export's own precision.
pub(crate) fn real(value: f64) -> String {
    let mut text = String::new();
    push_real(&mut text, value);
    text
}

/// Appends a number as [`real`] has it.
fn push_real(text: &mut String, value: f64) {
    let Some(nanos) = nanos(value) else { return push_exact(text, value) };
    if nanos < 0 {
        text.push('-');
    }
    let (whole, rest) = (nanos.unsigned_abs() / NANO, nanos.unsigned_abs() % NANO);
    text.push_str(itoa::Buffer::new().format(whole));
    if rest > 0 {
        // With one more in front it has all of its zeros.
        let mut digits = itoa::Buffer::new();
        text.push('.');
        text.push_str(digits.format(NANO + rest)[1..].trim_end_matches('0'));
    }
}

fn push_exact(text: &mut String, value: f64) {
    if !value.is_finite() {
        return text.push_str(&value.to_string());
    }
    let exact = format!("{value:.9}");
    let exact = exact.trim_end_matches('0').trim_end_matches('.');
    text.push_str(if exact == "-0" { "0" } else { exact });
}

/// Parts of one.
const NANO: u64 = 1_000_000_000;

/// A number in billionths, rounded as its decimals are. `None` where a product cannot tell them: most can, and that
/// takes a fraction of the time that exact decimals take.
fn nanos(value: f64) -> Option<i64> {
    let product = value * NANO as f64;
    let rounded = product.round();
    // Below 2⁵⁰ the product is at most an eighth from the truth.
    let certain = product.abs() < (1_u64 << 50) as f64 && ((product - rounded).abs() - 0.5).abs() > 0.125;
    certain.then_some(rounded as i64)
}

/// Puts an apostrophe before words that a spreadsheet would run as a formula.
///
/// Those are words that begin with `=`, `+`, `-`, `@`, their full-width forms, a tab, CR or LF. They may begin in the
/// middle of a cell, too: a spreadsheet of a country that parts cells by semicolons begins one behind each, whatever
/// stands in quotes, and so it is with tabs and ends of lines. Apostrophes that are there already are looked through,
/// so that taking one away in each such place gives back the words as the export has them.
pub fn defuse(text: &str) -> Cow<'_, str> {
    let mut defused = String::new();
    let mut copied = 0;
    for at in formulas(text) {
        defused += &text[copied..at];
        defused.push('\'');
        copied = at;
    }
    if defused.is_empty() { text.into() } else { (defused + &text[copied..]).into() }
}

/// The words as they were before [`defuse`].
pub fn restore(cell: &str) -> Cow<'_, str> {
    let mut words = String::new();
    let mut copied = 0;
    for at in formulas(cell).filter(|&at| cell[at..].starts_with('\'')) {
        words += &cell[copied..at];
        copied = at + 1;
    }
    if copied == 0 { cell.into() } else { (words + &cell[copied..]).into() }
}

/// Where words begin that would be run, with the apostrophes before them.
fn formulas(text: &str) -> impl Iterator<Item = usize> {
    // None of these is a part of a longer character.
    let ends = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b';' | b'\t' | b'\r' | b'\n'));
    let behind = ends.map(|(at, _)| at + 1);
    iter::once(0).chain(behind).filter(|&at| {
        let first = text[at..].trim_start_matches('\'').chars().next();
        match first {
            Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => true,
            // An empty line within a cell is harmless.
            Some('\t' | '\r' | '\n') => at == 0,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tables::heads;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_their_exact_decimals(
            value in prop_oneof![
                any::<f64>().prop_filter("finite", |value| value.is_finite()),
                -1e7..1e7_f64,
                -1e-6..1e-6_f64,
                (any::<i32>(), 0..12_i32).prop_map(|(units, digits)| f64::from(units) / 10_f64.powi(digits)),
                (any::<i32>(), 0..40_i32).prop_map(|(units, bits)| f64::from(units) / 2_f64.powi(bits)),
            ],
        ) {
            let exact = format!("{value:.9}");
            let exact = exact.trim_end_matches('0').trim_end_matches('.');
            prop_assert_eq!(real(value), if exact == "-0" { "0" } else { exact });
        }
    }

    #[test]
    fn formulas_are_defused_and_can_be_restored() {
        for (words, cell) in [
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-Chair-", "'-Chair-"),
            ("@home", "'@home"),
            ("\tx", "'\tx"),
            ("\t=x", "'\t'=x"),
            ("＝1", "'＝1"),
            ("a;=1;b", "a;'=1;b"),
            ("a;'@b", "a;''@b"),
            ("a\n\n-1", "a\n\n'-1"),
            ("a; -1", "a; -1"),
            ("'=1", "''=1"),
            (" =1", " =1"),
            ("'quoted'", "'quoted'"),
            ("chair", "chair"),
            ("", ""),
        ] {
            assert_eq!((&*defuse(words), &*restore(cell)), (cell, words));
        }
    }

    proptest! {
        #[test]
        fn nothing_is_run_and_nothing_is_lost(words in "[=+@＝'; \\t\\r\\na-]{0,12}") {
            let cell = defuse(&words);
            prop_assert_eq!(&*restore(&cell), &words);
            let begins = cell.split([';', '\t', '\r', '\n']).filter_map(|words| words.chars().next());
            prop_assert!(!begins.into_iter().any(|first| "=+-@＝".contains(first)), "{:?}", cell);
        }
    }

    #[test]
    fn a_row_that_is_shorter_or_longer_than_the_head_is_refused() {
        let tables = heads(&[]);
        let (csv, Head { name, columns, .. }) = (Csv::of(&tables, false), &tables[0]);
        let row = |cells| csv.row(name, &vec![Cell::Empty; cells], &mut Vec::new()).is_ok();
        let count = columns.len();
        assert_eq!([count - 1, count, count + 1].map(row), [false, true, false]);
    }

    #[test]
    fn numbers_stay_numbers() {
        let text = |cell| words(&cell, &mut String::new()).into_owned();
        assert_eq!(text(Cell::Real(-4.371139e-8)), "-0.000000044");
        assert_eq!(text(Cell::Real(-3.5)), "-3.5");
        assert_eq!(text(Cell::Real(0.1 + 0.2)), "0.3");
        assert_eq!(text(Cell::Real(1e21)), "1000000000000000000000");
        assert_eq!(text(Cell::Real(-1e-12)), "0");
        assert_eq!(text(Cell::Real(f64::NAN)), "NaN");
        assert_eq!(text(Cell::Int(-3)), "-3");
    }
}
