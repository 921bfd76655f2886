//! Texts that were encoded twice, or lost letters, in the rows of databases.
//!
//! A program that reads UTF-8 as Latin-1 stores two letters for each one: `Ã±` for `ñ`. A table in a charset without a
//! letter stores a question mark. The first is undone when a text is read, the second cannot be.

use hullmark_database::{Row, Value, has_lost_letters, meant};
use hullmark_format::defect::{Defect, InputDefect};
use hullmark_util::number_text::counted;
use std::collections::BTreeMap;

/// Columns that people write in.
const COLUMNS: [&str; 12] = [
    "name",
    "description",
    "desc",
    "text",
    "sitname",
    "touchname",
    "regionname",
    "inventoryname",
    "inventorydescription",
    "foldername",
    "firstname",
    "lastname",
];

/// Bytes of an example.
const EXAMPLE: usize = 80;

/// The texts of the databases of an input.
#[derive(Debug, Default)]
pub(super) struct Texts {
    databases: BTreeMap<String, BTreeMap<String, OfTable>>,
}

/// Texts of one table: how many, and the first in the order of bytes.
#[derive(Debug, Default)]
struct OfTable {
    twice: Found,
    lost: Found,
}

#[derive(Debug, Default)]
struct Found {
    count: u64,
    first: Option<(String, String)>,
}

impl Found {
    fn add(&mut self, stored: &str, meant: &str) {
        self.count += 1;
        let short = |text: &str| text[..text.floor_char_boundary(EXAMPLE)].to_owned();
        let example = (short(stored), short(meant));
        if self.first.as_ref().is_none_or(|first| example < *first) {
            self.first = Some(example);
        }
    }
}

impl Texts {
    pub(super) fn take(&mut self, database: &str, table: &str, row: &Row<'_>) {
        for column in COLUMNS {
            let Value::Bytes(bytes) = row.get(column) else { continue };
            let Ok(text) = std::str::from_utf8(bytes) else { continue };
            match meant(text) {
                Some(meant) => self.at(database, table).twice.add(text, &meant),
                None if has_lost_letters(text) => self.at(database, table).lost.add(text, ""),
                None => {}
            }
        }
    }

    fn at(&mut self, database: &str, table: &str) -> &mut OfTable {
        let tables = self.databases.entry(database.to_owned()).or_default();
        tables.entry(table.to_owned()).or_default()
    }

    pub(super) fn forget(&mut self, database: &str) {
        self.databases.remove(database);
    }

    /// Returns the defects of all texts.
    pub(super) fn defects(&self) -> Vec<Defect> {
        let twice = self.found(|of| &of.twice).map(|(count, rows, (stored, meant))| {
            Defect::new(InputDefect::TwiceEncoded { rows, stored, meant }).measured(count as f64)
        });
        let lost = self.found(|of| &of.lost).map(|(count, rows, (first, _))| {
            Defect::new(InputDefect::QuestionMarks { rows, first }).measured(count as f64)
        });
        twice.into_iter().chain(lost).collect()
    }

    /// Returns the number of such texts, where they are, and the first of them.
    fn found(&self, of: fn(&OfTable) -> &Found) -> Option<(u64, String, (String, String))> {
        let mut tables: BTreeMap<&str, u64> = BTreeMap::new();
        let mut first = None;
        for (table, found) in self.databases.values().flatten().map(|(table, texts)| (table, of(texts))) {
            if let Some(example) = &found.first {
                *tables.entry(table).or_default() += found.count;
                first = first.into_iter().chain([example]).min();
            }
        }
        let rows = tables.iter().map(|(table, count)| format!("{} in {table}", counted(*count, "text")));
        Some((tables.values().sum(), rows.collect::<Vec<_>>().join(", "), first?.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_database::Columns;
    use hullmark_format::defect::DefectKind;

    #[test]
    fn texts_are_counted_by_table_with_an_example() {
        let columns = Columns::new(["Name", "Description"]);
        let mut texts = Texts::default();
        for (table, name, description) in [
            ("prims", "CafÃ© MarÃ\u{ad}a", "plain"),
            ("prims", "Bench", "BÃ¸r"),
            ("land", "Caf? Mar?a", "Why? Because."),
            ("land", "Niña", "http://a?b=c"),
        ] {
            let values = [Value::bytes(name.as_bytes()), Value::bytes(description.as_bytes())];
            texts.take("opensim", table, &Row::new(&columns, &values));
        }
        let kinds: Vec<DefectKind> = texts.defects().into_iter().map(|defect| defect.kind).collect();
        let twice = InputDefect::TwiceEncoded {
            rows: "2 texts in prims".into(),
            stored: "BÃ¸r".into(),
            meant: "Bør".into(),
        };
        let lost = InputDefect::QuestionMarks { rows: "1 text in land".into(), first: "Caf? Mar?a".into() };
        assert_eq!(kinds, [DefectKind::Input(twice), DefectKind::Input(lost)]);
        texts.forget("opensim");
        assert!(texts.defects().is_empty());
    }
}
