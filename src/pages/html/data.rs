//! A table as JSON for the script of the page, column by column.
//!
//! A text column is a list of distinct texts and an index for each row. Most texts repeat, filters compare indexes, and
//! a search reads each text once.

use super::top_rows::Kept;
use hullmark_report::{
    csv::real,
    table::{Cell, Kind},
};
use serde_json::{Value, json};
use std::{
    borrow::Cow,
    collections::HashMap,
    io::{self, Write},
};

/// Writes a table.
pub(super) fn write(out: &mut dyn Write, kept: &Kept) -> io::Result<()> {
    let shown = kept.shown;
    let mut columns: Vec<Column<'_>> =
        kept.head.columns.iter().map(|column| Column::new(column.kind)).collect();
    for row in kept.cells() {
        for (column, cell) in columns.iter_mut().zip(row) {
            column.add(cell);
        }
    }
    let last = shown.last.and_then(|place| Some((&*kept.head.columns.get(place)?.name, columns.get(place)?)));
    let last_seen = last.filter(|(_, column)| !column.words.is_empty()).map(|(name, _)| name);
    let seen: Vec<_> = shown.columns.split(' ').chain(last_seen).collect();
    let head = json!({
        "rows": kept.len(),
        "left_out": kept.seen - kept.len() as u64,
        "shown": seen,
        "last": last.map(|(name, _)| name),
        "filters": shown.filters.split(' ').collect::<Vec<_>>(),
    });
    write!(out, "<script type=\"application/json\" id=\"data-{}\">", shown.table)?;
    // Written without its closing brace, because the columns follow.
    write!(out, "{},\"columns\":[", safe(head.to_string().trim_end_matches('}')))?;
    for (number, (head, column)) in kept.head.columns.iter().zip(columns).enumerate() {
        let comma = if number == 0 { "" } else { "," };
        let name = json!({ "name": head.name, "about": head.about, "kind": head.kind }).to_string();
        write!(out, "{comma}\n{},", safe(name.trim_end_matches('}')))?;
        if column.is_words {
            write!(out, "\"words\":{},", safe(&json!(column.words).to_string()))?;
        }
        write!(out, "\"cells\":[{}]}}", safe(&column.cells))?;
    }
    writeln!(out, "]}}</script>")
}

/// Returns JSON that cannot end its script element. In JSON, `<` occurs only in strings.
pub(super) fn safe(json: &str) -> Cow<'_, str> {
    if json.contains('<') { json.replace('<', "\\u003c").into() } else { json.into() }
}

/// A column under construction.
struct Column<'k> {
    is_words: bool,
    words: Vec<Cow<'k, str>>,
    numbers: HashMap<Cow<'k, str>, usize>,
    /// The index of the last text.
    last: usize,
    cells: String,
}

impl<'k> Column<'k> {
    fn new(kind: Kind) -> Self {
        let is_words = matches!(kind, Kind::Text | Kind::Uuid | Kind::Time);
        Self { is_words, words: Vec::new(), numbers: HashMap::new(), last: 0, cells: String::new() }
    }

    fn add(&mut self, cell: Cell<'k>) {
        if !self.cells.is_empty() {
            self.cells.push(',');
        }
        match cell {
            Cell::Empty => self.cells += "null",
            Cell::Bool(value) => self.cells += if value { "true" } else { "false" },
            Cell::Int(value) => self.cells += itoa::Buffer::new().format(value),
            Cell::Real(value) => push_number(&mut self.cells, value),
            Cell::Text(words) if self.is_words => {
                let number = self.number(words);
                self.cells += itoa::Buffer::new().format(number);
            }
            Cell::Text(words) => self.cells += &Value::from(words).to_string(),
        }
    }

    /// Returns the index of a text, by first occurrence.
    fn number(&mut self, words: Cow<'k, str>) -> usize {
        // Many rows repeat the text of the row before.
        if self.words.get(self.last) != Some(&words) {
            let next = self.words.len();
            self.last = *self.numbers.entry(words).or_insert_with_key(|words| {
                self.words.push(words.clone());
                next
            });
        }
        self.last
    }
}

/// Appends a number with at most nine decimals. Numbers that are not finite become text.
fn push_number(cells: &mut String, value: f64) {
    /// Whole numbers below this are exact and have no exponent.
    const EXACT: f64 = 1e15;
    if value.fract() == 0.0 && value.abs() < EXACT {
        *cells += itoa::Buffer::new().format(value as i64);
    } else if value.is_finite() {
        let decimals = real(value);
        match value.abs() {
            // These fifteen digits are the shortest form.
            1e-4..1e6 => *cells += &decimals,
            _ => *cells += &serde_json::from_str::<Value>(&decimals).unwrap_or_default().to_string(),
        }
    } else {
        *cells += &Value::from(value.to_string()).to_string();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_written_once_and_odd_numbers_survive() {
        let mut column = Column::new(Kind::Text);
        for words in ["b", "a", "b", ""] {
            column.add(words.into());
        }
        assert_eq!((column.words, column.cells), (vec!["b".into(), "a".into()], "0,1,0,null".into()));
        let mut column = Column::new(Kind::Real);
        for value in [0.1 + 0.2, -0.0, 7.0, 1e21, -4.371_139e-8, 2.000_000_000_04, f64::INFINITY] {
            column.add(value.into());
        }
        assert_eq!(column.cells, "0.3,0,7,1e+21,-4.4e-8,2,\"inf\"");
    }
}
