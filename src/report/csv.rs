//! CSV: one file for each table.
//!
//! Comma, quotes where needed, LF, UTF-8. Numbers have a decimal point and no exponent. Text that a spreadsheet would run
//! as a formula gets an apostrophe: see [`defuse`].

use super::{
    table::{Cell, Head},
    text_tables::Text,
};
use std::{borrow::Cow, collections::BTreeMap, io, iter};

/// Writes tables as CSV.
pub struct Csv {
    byte_order_mark: bool,
    /// Number of columns of each table.
    columns: BTreeMap<&'static str, usize>,
}

impl Csv {
    /// Creates a writer of these tables, with or without a byte-order mark.
    pub fn new(tables: &[Head], byte_order_mark: bool) -> Self {
        let columns = tables.iter().map(|table| (table.name, table.columns.len())).collect();
        Self { byte_order_mark, columns }
    }
}

impl Text for Csv {
    fn ending(&self) -> &'static str {
        "csv"
    }

    fn begin(&self, table: &Head, text: &mut Vec<u8>) {
        if self.byte_order_mark {
            text.extend_from_slice("\u{feff}".as_bytes());
        }
        let names: Vec<_> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        text.extend_from_slice(names.join(",").as_bytes());
        text.push(b'\n');
    }

    fn row(&self, table: &'static str, cells: &[Cell<'_>], text: &mut Vec<u8>) -> io::Result<()> {
        let Some(&columns) = self.columns.get(table) else { return Ok(()) };
        if cells.len() != columns {
            let words = format!("a row of {table} has {} cells instead of {columns}", cells.len());
            return Err(io::Error::other(words));
        }
        // Enough for most rows.
        let mut line = String::with_capacity(1024);
        for (number, cell) in cells.iter().enumerate() {
            if number > 0 {
                line.push(',');
            }
            push_cell(&mut line, cell);
        }
        text.extend_from_slice(line.as_bytes());
        text.push(b'\n');
        Ok(())
    }
}

/// Appends a cell to a line.
fn push_cell(line: &mut String, cell: &Cell<'_>) {
    match cell {
        Cell::Empty => {}
        Cell::Bool(value) => line.push_str(if *value { "true" } else { "false" }),
        Cell::Int(value) => line.push_str(itoa::Buffer::new().format(*value)),
        Cell::Real(value) => push_real(line, *value),
        Cell::Text(text) if is_plain(text) => line.push_str(text),
        Cell::Text(text) => line.push_str(&quoted(&defuse(text))),
    }
}

/// Whether text goes into a cell as it is, as most does.
fn is_plain(text: &str) -> bool {
    let divides = |byte| matches!(byte, b',' | b'"' | b';' | b'\t' | b'\r' | b'\n');
    // To the end in any case: this is eight times as fast as a loop with an exit.
    let is_divided = text.bytes().fold(false, |found, byte| found | divides(byte));
    !is_divided && !is_formula(text, 0)
}

/// Quotes text with a separator, quote or line break.
fn quoted(words: &str) -> Cow<'_, str> {
    match words.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n')) {
        true => format!("\"{}\"", words.replace('"', "\"\"")).into(),
        false => words.into(),
    }
}

/// Formats a number with at most nine decimals and no exponent. No export is more precise than a nanometre.
pub fn real(value: f64) -> String {
    let mut text = String::new();
    push_real(&mut text, value);
    text
}

/// Appends a number in the format of [`real`].
fn push_real(text: &mut String, value: f64) {
    let Some(nanos) = nanos(value) else { return push_exact(text, value) };
    if nanos < 0 {
        text.push('-');
    }
    let (whole, rest) = (nanos.unsigned_abs() / NANO, nanos.unsigned_abs() % NANO);
    text.push_str(itoa::Buffer::new().format(whole));
    if rest > 0 {
        // The leading 1 keeps the zeros.
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

/// Billionths of one.
const NANO: u64 = 1_000_000_000;

/// Returns a number in billionths, rounded like its decimals. `None` if the product is not exact enough. Otherwise this
/// is much faster than exact decimals.
fn nanos(value: f64) -> Option<i64> {
    let product = value * NANO as f64;
    let rounded = product.round();
    // Below 2⁵⁰ the error of the product is at most an eighth.
    let certain = product.abs() < (1_u64 << 50) as f64 && ((product - rounded).abs() - 0.5).abs() > 0.125;
    certain.then_some(rounded as i64)
}

/// Adds an apostrophe before text that a spreadsheet would run as a formula.
///
/// Such text begins with `=`, `+`, `-`, `@`, their full-width forms, a tab, CR or LF. It may also begin after a semicolon,
/// tab or line break within a cell: in some locales, spreadsheets begin a new cell there, even within quotes. Existing
/// apostrophes before it are skipped, so [`restore`] returns the original text.
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

/// Returns the text before [`defuse`].
pub fn restore(cell: &str) -> Cow<'_, str> {
    let mut words = String::new();
    let mut copied = 0;
    for at in formulas(cell).filter(|&at| cell[at..].starts_with('\'')) {
        words += &cell[copied..at];
        copied = at + 1;
    }
    if copied == 0 { cell.into() } else { (words + &cell[copied..]).into() }
}

/// Returns the offsets of text that would run as a formula, before its apostrophes.
fn formulas(text: &str) -> impl Iterator<Item = usize> {
    // None of these bytes is part of a longer character.
    let ends = text.bytes().enumerate().filter(|(_, byte)| matches!(byte, b';' | b'\t' | b'\r' | b'\n'));
    let behind = ends.map(|(at, _)| at + 1);
    iter::once(0).chain(behind).filter(|&at| is_formula(text, at))
}

/// Whether text would run as a formula from this offset on.
fn is_formula(text: &str, at: usize) -> bool {
    match text[at..].trim_start_matches('\'').chars().next() {
        Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠') => true,
        // An empty line within a cell is harmless.
        Some('\t' | '\r' | '\n') => at == 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::heads;
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
        let (csv, Head { name, columns, .. }) = (Csv::new(&tables, false), &tables[0]);
        let row = |cells| csv.row(name, &vec![Cell::Empty; cells], &mut Vec::new()).is_ok();
        let count = columns.len();
        assert_eq!([count - 1, count, count + 1].map(row), [false, true, false]);
    }

    #[test]
    fn numbers_stay_numbers() {
        assert_eq!(real(-4.371139e-8), "-0.000000044");
        assert_eq!(real(0.1 + 0.2), "0.3");
        assert_eq!(real(1e21), "1000000000000000000000");
        assert_eq!(real(-1e-12), "0");
        assert_eq!(real(f64::NAN), "NaN");
    }

    proptest! {
        #[test]
        fn plain_words_need_neither_quotes_nor_an_apostrophe(words in "[=+@＝'; ,\"\\t\\r\\na-]{0,6}") {
            let cell = quoted(&defuse(&words)).into_owned();
            let mut line = String::new();
            push_cell(&mut line, &Cell::from(&words));
            prop_assert_eq!(&line, &cell);
            // Semicolons and tabs are harmless in most texts.
            prop_assert_eq!(is_plain(&words), cell == words && !words.contains([';', '\t']));
        }
    }

    proptest! {
        #[test]
        fn a_reader_gets_the_words(words in prop::collection::vec("[a, \"\\r\\nü]{0,6}", 2..5)) {
            let line = words.iter().map(|words| quoted(words)).collect::<Vec<_>>().join(",");
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let read = reader.records().next().unwrap().unwrap();
            prop_assert_eq!(read.iter().collect::<Vec<_>>(), words);
        }
    }
}
