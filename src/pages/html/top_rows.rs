//! The worst or heaviest rows of a table, in bounded memory.

use super::columns::Shown;
use hullmark_finding::Severity;
use hullmark_ledger::facts::Role;
use hullmark_report::{
    csv::real,
    diff::BaselineStatus,
    packed_rows::{PackedRows, unpack},
    table::{Cell, Head, Key},
};
use hullmark_util::escape::cleaned;
use std::collections::BTreeMap;

/// Maximum number of rows of a table on the page. With more rows a browser is slow.
pub(super) const ROWS: usize = 50_000;

/// The weights of a row, which sort it before lighter ones.
pub(super) type TopRow = Vec<i64>;

/// The place of a row: by its weights, then in the order of rows.
pub(super) type Place = (TopRow, u64);

/// Packs a row with its weights. Texts are cleaned.
pub(super) fn pack(shown: &'static Shown, cells: &[Cell<'_>], to: &mut PackedRows<TopRow>) {
    let cell = |column: usize| cells.get(column).unwrap_or(&Cell::Empty);
    let is_last = shown.last.is_some_and(|column| *cell(column) != Cell::Empty);
    let weights = shown.worst_first.iter().map(|&column| rank(cell(column)));
    let weights = [i64::from(is_last)].into_iter().chain(weights).collect();
    let cleaned: Vec<Cell<'_>> = cells
        .iter()
        .map(|cell| match cell {
            Cell::Text(words) => Cell::Text(cleaned(words)),
            other => other.clone(),
        })
        .collect();
    to.push(shown.table, &cleaned, weights);
}

/// The rows of a table that the page shows.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) shown: &'static Shown,
    pub(super) head: Head,
    /// Number of all rows.
    pub(super) seen: u64,
    most: usize,
    /// The rows, the worst first, and equal rows in their order. They are packed, to save memory.
    rows: BTreeMap<Place, Box<[u8]>>,
}

impl Kept {
    /// Creates an empty table for at most `most` rows.
    pub(super) fn new(shown: &'static Shown, head: Head, most: usize) -> Self {
        Self { shown, head, seen: 0, most, rows: BTreeMap::new() }
    }

    /// Returns the place of the next row.
    pub(super) fn place(&self, top: TopRow) -> Place {
        (top, self.seen)
    }

    /// Takes the packed row of this place, and drops the least severe if there are too many.
    pub(super) fn take(&mut self, place: Place, row: &[u8]) {
        self.seen += 1;
        if self.rows.len() == self.most {
            if self.rows.last_key_value().is_some_and(|(mildest, _)| place > *mildest) {
                return;
            }
            self.rows.pop_last();
        }
        self.rows.insert(place, row.into());
    }

    /// Number of kept rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the places of the rows, the worst first.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        self.rows.keys()
    }

    /// Returns the cells of the rows, the worst first.
    pub(super) fn cells(&self) -> impl Iterator<Item = Vec<Cell<'_>>> {
        self.rows.values().map(|row| unpack(row).unwrap_or_default())
    }
}

/// Returns a number by which rows are sorted, the worst or heaviest first.
pub(super) fn rank(cell: &Cell<'_>) -> i64 {
    heavy_first(weight(cell))
}

/// Returns a number that decreases with the weight, in the order of [`f64::total_cmp`].
fn heavy_first(weight: f64) -> i64 {
    let bits = weight.to_bits() as i64;
    // The bits of negative numbers increase away from zero.
    !(bits ^ ((bits >> 63) as u64 >> 1) as i64)
}

/// Returns the number in a column of a row, rounded as in the table. `None` if it is not finite.
pub(super) fn number<T: ?Sized>(key: Key<T>, row: &[Cell<'_>]) -> Option<f64> {
    real(key.number(row)?).parse().ok().filter(|number: &f64| number.is_finite())
}

/// Returns the severity or weight of a row, from a cell.
fn weight(cell: &Cell<'_>) -> f64 {
    let weight = match cell {
        Cell::Int(value) => *value as f64,
        Cell::Real(value) => *value,
        Cell::Text(name) => {
            let severity = Severity::WORST_FIRST.iter().rev().position(|severity| severity.name() == name);
            // New findings come before known ones.
            let status = || BaselineStatus::ALL.iter().rev().position(|status| status.name() == name);
            // Objects in regions come before those in inventories: only they count on the land.
            let role = || Role::ALL.iter().rev().position(|role| role.name() == name);
            severity.or_else(status).or_else(role).map_or(f64::NEG_INFINITY, |place| place as f64)
        }
        Cell::Empty | Cell::Bool(_) => f64::NEG_INFINITY,
    };
    if weight.is_nan() { f64::NEG_INFINITY } else { weight }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_report::tables::regions::key as region;

    static SHOWN: Shown =
        Shown { table: "rows", title: "", worst_first: &[0, 1], last: Some(2), columns: "", filters: "" };

    /// Returns the number of rows, and the first two cells of those that are kept.
    fn kept(rows: &[[Cell<'static>; 3]], most: usize) -> (u64, Vec<[Cell<'static>; 2]>) {
        let mut kept = Kept::new(&SHOWN, Head { name: "rows", about: "", columns: Vec::new() }, most);
        let mut packed = PackedRows::default();
        rows.iter().for_each(|row| pack(&SHOWN, row, &mut packed));
        let take = |_: &str, row: &[u8], top| {
            kept.take(kept.place(top), row);
            Ok(())
        };
        packed.into_rows(take).unwrap();
        let owned = |cell: &Cell<'_>| match cell {
            Cell::Text(words) => Cell::show(words),
            Cell::Real(value) => Cell::Real(*value),
            Cell::Int(value) => Cell::Int(*value),
            Cell::Bool(value) => Cell::Bool(*value),
            Cell::Empty => Cell::Empty,
        };
        (kept.seen, kept.cells().map(|row| [owned(&row[0]), owned(&row[1])]).collect())
    }

    #[test]
    fn the_worst_are_kept_and_of_equals_the_first() {
        let rows = [
            ("info", Cell::Real(9.0)),
            ("error", Cell::Empty),
            ("error", Cell::Real(f64::NAN)),
            ("blocker", Cell::Int(1)),
            ("error", Cell::Real(0.5)),
            ("error", Cell::Int(-7)),
        ]
        .map(|(severity, cost)| [severity.into(), cost, Cell::Empty]);
        let (seen, rows) = kept(&rows, 4);
        assert_eq!(seen, 6);
        let expected = [
            ("blocker", Cell::Int(1)),
            ("error", Cell::Real(0.5)),
            ("error", Cell::Int(-7)),
            ("error", Cell::Empty),
        ];
        assert_eq!(rows, expected.map(|(severity, cost)| [severity.into(), cost]));
    }

    #[test]
    fn a_row_with_words_in_the_last_column_comes_last() {
        let rows = [("blocker", "2027-01-31"), ("info", ""), ("error", "")]
            .map(|(severity, waived)| [severity.into(), Cell::Empty, waived.into()]);
        let expected = ["error", "info"].map(|severity| [severity.into(), Cell::Empty]);
        assert_eq!(kept(&rows, 2).1, expected);
    }

    #[test]
    fn words_are_cleaned_and_numbers_rounded() {
        let rows = [("</script>\u{1}\"", 0.1 + 0.2), ("x", f64::INFINITY)]
            .map(|(words, number)| [words.into(), number.into(), Cell::Empty]);
        let (_, rows) = kept(&rows, 9);
        assert!(rows.contains(&["</script>·\"".into(), (0.1 + 0.2).into()]), "{rows:?}");
        let mut cells = vec![Cell::Empty; region::LAND_IMPACT.place()];
        for (value, expected) in [(0.1 + 0.2, Some(0.3)), (f64::INFINITY, None), (f64::NAN, None)] {
            cells.truncate(region::LAND_IMPACT.place());
            cells.push(value.into());
            assert_eq!(number(region::LAND_IMPACT, &cells), expected);
        }
    }
}
