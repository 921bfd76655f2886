//! The parts of a dump that exceed a limit, and are left out.

use crate::{
    archive::over_budget,
    database::{left_out, left_out_above, longest_row},
};
use hullmark_format::defect::{Budget, Defect, LeftOut};
use hullmark_settings::limits::Limits;
use std::collections::{BTreeMap, BTreeSet};

/// Counts of the parts that are left out, by the names of tables. Names are those of tables that are read, so there are few.
#[derive(Debug, Default)]
pub struct Over {
    /// Values of rows that are too long, by table.
    values: BTreeMap<String, Values>,
    /// Tables with too many columns.
    pub(super) columns: BTreeSet<String>,
    /// Tables whose columns have no room.
    pub(super) names: BTreeSet<String>,
    /// Bytes of the longest name of a database above the limit.
    longest_name: u64,
}

#[derive(Debug, Default)]
struct Values {
    count: u64,
    longest: u64,
}

impl Over {
    /// Counts values of a row with this many bytes.
    pub(super) fn values(&mut self, table: &str, count: u64, bytes: u64) {
        if !self.values.contains_key(table) {
            self.values.insert(table.to_owned(), Values::default());
        }
        if let Some(values) = self.values.get_mut(table) {
            values.count += count;
            values.longest = values.longest.max(bytes);
        }
    }

    pub(super) fn long_name(&mut self, bytes: u64) {
        self.longest_name = self.longest_name.max(bytes);
    }

    /// Returns the defects of all that is left out. `tables` is the number of tables that the dump defines.
    pub fn defects(&self, tables: u64, limits: &Limits) -> Vec<Defect> {
        let mut defects = Vec::new();
        for (table, Values { count, longest }) in &self.values {
            let limit = longest_row(table, limits);
            defects.push(left_out(LeftOut::Values, table, *count, *longest, limit));
        }
        for table in &self.columns {
            defects.push(left_out_above(LeftOut::Columns, table, 1, limits.columns as u64));
        }
        for table in &self.names {
            defects.push(left_out_above(LeftOut::Names, table, 1, limits.names_bytes));
        }
        if tables > limits.tables {
            let further = tables - limits.tables;
            defects.push(left_out(LeftOut::Tables, "", further, tables, limits.tables));
        }
        if self.longest_name > 0 {
            defects.push(over_budget(Budget::BytesInName, self.longest_name, limits.name_bytes as u64));
        }
        defects
    }
}
