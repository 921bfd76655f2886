//! A table as JSON for the script of the page, column by column.
//!
//! A text column is a list of distinct texts and an index for each row. Most texts repeat, filters compare indexes, and
//! a search reads each text once.

use super::top_rows::Kept;
use crate::report::table::Kind;
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    io::{self, Write},
};

/// Writes a table.
pub(super) fn write(out: &mut dyn Write, kept: &Kept) -> io::Result<()> {
    let shown = kept.shown;
    let mut columns: Vec<Column> = kept.head.columns.iter().map(|column| Column::new(column.kind)).collect();
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
            write!(out, "\"words\":{},", safe(&Value::from(column.words).to_string()))?;
        }
        write!(out, "\"cells\":[{}]}}", safe(&column.cells))?;
    }
    writeln!(out, "]}}</script>")
}

/// Returns JSON that cannot end its script element. In JSON, `<` occurs only in strings.
fn safe(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// A column under construction.
struct Column {
    is_words: bool,
    words: Vec<Value>,
    numbers: HashMap<String, usize>,
    cells: String,
}

impl Column {
    fn new(kind: Kind) -> Self {
        let is_words = matches!(kind, Kind::Text | Kind::Uuid | Kind::Time);
        Self { is_words, words: Vec::new(), numbers: HashMap::new(), cells: String::new() }
    }

    fn add(&mut self, cell: Value) {
        if !self.cells.is_empty() {
            self.cells.push(',');
        }
        let text = match cell {
            Value::String(words) if self.is_words => self.number(words).to_string(),
            cell => cell.to_string(),
        };
        self.cells += &text;
    }

    /// Returns the index of a text, by first occurrence.
    fn number(&mut self, words: String) -> usize {
        let next = self.words.len();
        *self.numbers.entry(words).or_insert_with_key(|words| {
            self.words.push(Value::from(words.as_str()));
            next
        })
    }
}
