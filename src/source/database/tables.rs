//! Which tables a database has, and which it must have.
//!
//! A table that is not there is not empty: its rows are unknown. Its other tables show which ones a database must have.
//! Services have databases of their own, so none is asked for the tables of another service.

use super::is_known;
use hullmark_database::{Columns, Row, UnreadTables, is_of_regions};
use hullmark_format::defect::{Budget, Defect, DefectKind, InputDefect, LeftOut, TableLoss};
use std::collections::BTreeMap;

/// The tables that make objects.
const OBJECTS: [&str; 3] = ["primitems", "prims", "primshapes"];

/// The tables of parcels, settings and ground.
const LAND: [&str; 3] = ["land", "regionsettings", "terrain"];

/// Tables of simulators that are not read, and whose names other programs do not have.
const OF_SERVICES: [&str; 14] = [
    "agentprefs",
    "bakedterrain",
    "griduser",
    "hg_traveling_data",
    "im_offline",
    "landaccesslist",
    "mutelist",
    "os_groups_groups",
    "os_groups_membership",
    "regionban",
    "regionextra",
    "regionwindlight",
    "xassetsdata",
    "xassetsmeta",
];

const INVENTORIES: [&str; 2] = ["inventoryfolders", "inventoryitems"];

/// The version since which each product has settings of regions.
const WITH_SETTINGS: i64 = 20;

/// The table of the settings of regions, which the first versions lack.
const SETTINGS: &str = "regionsettings";

/// The tables of the databases of an input.
#[derive(Debug, Default)]
pub(super) struct Tables {
    databases: BTreeMap<String, Database>,
    /// Whether a table is one of a simulator for certain.
    pub(super) is_of_simulator: bool,
    /// The first table of another program, or one that may be of another program.
    pub(super) first_other: Option<String>,
    /// Tables in which the program that wrote the dump reported an error.
    pub(super) failed: BTreeMap<String, TableLoss>,
    /// Files with rows that are missing, by database and table.
    pub(super) without_file: Vec<(String, String)>,
}

#[derive(Debug, Default)]
struct Database {
    /// Number of rows by table. Definitions count, too.
    rows: BTreeMap<String, u64>,
    /// The version of the region store.
    version: Option<i64>,
    /// The last table with columns or rows.
    last: String,
}

impl Tables {
    /// Notes that a table is there.
    pub(super) fn define(&mut self, database: &str, table: &str) {
        let at = self.at(database);
        at.rows.entry(table.to_owned()).or_default();
        table.clone_into(&mut at.last);
    }

    /// Notes a table with its columns, also one that is not read.
    pub(super) fn note(&mut self, table: &str, columns: &Columns) {
        let is_of_simulator = is_of_simulator(table, columns) || OF_SERVICES.contains(&table);
        self.is_of_simulator |= is_of_simulator;
        if !is_of_simulator && self.first_other.is_none() {
            self.first_other = Some(table.to_owned());
        }
    }

    /// Notes a table with rows. Without its columns, the name decides.
    pub(super) fn insert_into(&mut self, database: &str, table: &str) {
        let is_defined = self.databases.get(database).is_some_and(|of| of.has(table));
        if is_known(table) {
            self.is_of_simulator |= !is_defined;
        } else if self.first_other.is_none() {
            self.first_other = Some(table.to_owned());
        }
    }

    /// Counts a row of a table.
    pub(super) fn count(&mut self, database: &str, table: &str, row: &Row<'_>) {
        let at = self.at(database);
        if at.last != table {
            table.clone_into(&mut at.last);
            at.rows.entry(table.to_owned()).or_default();
        }
        if let Some(rows) = at.rows.get_mut(table) {
            *rows += 1;
        }
        if table == "migrations" && is_of_regions(table, row) {
            at.version = at.version.max(row.int("version"));
        }
    }

    pub(super) fn forget(&mut self, database: &str) {
        self.databases.remove(database);
    }

    fn at(&mut self, database: &str) -> &mut Database {
        if !self.databases.contains_key(database) {
            self.databases.insert(database.to_owned(), Database::default());
        }
        self.databases.entry(database.to_owned()).or_default()
    }

    /// Returns the defects of tables that are missing. `is_dump`: rows may be left out although they are in the database.
    pub(super) fn defects(&self, is_dump: bool) -> Vec<Defect> {
        let tables = self.databases.values().map(|database| database.rows.len() as u64).sum();
        let is_empty = self.databases.values().all(|database| database.rows.values().all(|rows| *rows == 0));
        if is_dump && is_empty && tables > 0 {
            return vec![Defect::new(InputDefect::NoRows { tables }).measured(tables as f64)];
        }
        let mut defects = Vec::new();
        for (name, database) in &self.databases {
            let missing = |table: &str, why| {
                let (database, table) = (name.clone(), table.to_owned());
                Defect::new(InputDefect::TableMissing { database, table, why })
            };
            let (lost, only_objects) = database.missing(is_dump);
            let is_without_file =
                |table: &str| self.without_file.iter().any(|(of, lost)| of == name && lost == table);
            let why = |table: &str, otherwise| match self.failed.get(table) {
                Some(why) => *why,
                None if is_without_file(table) => TableLoss::FileMissing,
                None => otherwise,
            };
            defects.extend(lost.iter().map(|&(table, otherwise)| missing(table, why(table, otherwise))));
            let reported = |table: &str| lost.iter().any(|(lost, _)| *lost == table);
            let failed = self.failed.iter().filter(|(table, _)| !reported(table));
            let here = failed.filter(|(table, _)| self.databases.len() == 1 || database.has(table));
            defects.extend(here.map(|(table, why)| missing(table, *why)));
            let files = self.without_file.iter().filter(|(of, table)| of == name && !reported(table));
            defects.extend(files.map(|(_, table)| missing(table, TableLoss::FileMissing)));
            if only_objects && !LAND.iter().any(|table| self.failed.contains_key(*table)) {
                let (database, tables) = (name.clone(), LAND.join(", "));
                defects.push(Defect::new(InputDefect::OnlyObjects { database, tables }));
            }
        }
        defects
    }

    /// Returns the tables of objects whose rows were not read, or not all of them, by the defects of the input.
    pub(super) fn unread(&self, database: &str, defects: &[Defect]) -> UnreadTables {
        let of = self.databases.get(database);
        let is_unread = |table: &str| {
            let ended_in = of.is_none_or(|of| of.last == table || !of.has(table));
            defects.iter().any(|defect| leaves_out(defect, database, table, ended_in))
        };
        UnreadTables {
            prims: defects.iter().any(|defect| leaves_out(defect, database, "prims", false)),
            shapes: is_unread("primshapes"),
            items: is_unread("primitems"),
        }
    }
}

impl Database {
    fn has(&self, table: &str) -> bool {
        self.rows.contains_key(table)
    }

    fn rows_of(&self, table: &str) -> u64 {
        self.rows.get(table).copied().unwrap_or(0)
    }

    /// Returns the tables that the database must have and lacks, and whether it has objects without their land.
    fn missing(&self, is_dump: bool) -> (Vec<(&'static str, TableLoss)>, bool) {
        let mut missing = Vec::new();
        let mut absent = |tables: &[&'static str]| {
            missing.extend(
                tables.iter().filter(|table| !self.has(table)).map(|&table| (table, TableLoss::Absent)),
            );
        };
        let land = LAND.iter().filter(|table| self.has(table)).count();
        let has_objects = OBJECTS.iter().any(|table| self.has(table));
        // Other programs have a table of land, too.
        let is_of_regions = has_objects || land > 1;
        if is_of_regions {
            absent(&OBJECTS);
        }
        if is_of_regions && land > 0 {
            let is_old = self.version.is_some_and(|version| version < WITH_SETTINGS);
            let is_known = |table: &str| table != SETTINGS || !is_old || self.has("regionenvironment");
            absent(&LAND.into_iter().filter(|table| is_known(table)).collect::<Vec<_>>());
        }
        if INVENTORIES.iter().any(|table| self.has(table)) {
            absent(&INVENTORIES);
        }
        if is_dump {
            let is_empty = |table: &str| self.has(table) && self.rows_of(table) == 0;
            let needs = [("prims", ["primshapes", "primitems"]), ("primshapes", ["prims", "prims"])];
            let without = needs.into_iter().filter(|(table, others)| {
                is_empty(table) && others.iter().any(|other| self.rows_of(other) > 0)
            });
            missing.extend(without.map(|(table, _)| (table, TableLoss::WithoutRows)));
        }
        (missing, has_objects && land == 0)
    }
}

/// Whether a defect may hide rows of a table. `ended_in`: the input may have ended before the last of them.
fn leaves_out(defect: &Defect, database: &str, table: &str, ended_in: bool) -> bool {
    let DefectKind::Input(kind) = &defect.kind else { return false };
    match kind {
        InputDefect::TableMissing { database: of, table: lost, .. } => of == database && lost == table,
        InputDefect::TableWithoutColumns { table: lost } => lost == table,
        InputDefect::BrokenSqlite { table: lost, .. } => lost == table || lost.is_empty() && ended_in,
        InputDefect::LeftOut { what: LeftOut::Tables | LeftOut::Definitions, .. } => ended_in,
        InputDefect::LeftOut { of, .. } => of == table,
        InputDefect::Unreadable { .. } => {
            defect.place.entry == table || defect.place.entry.is_empty() && ended_in
        }
        kind => hides_tables(kind) && ended_in,
    }
}

/// Whether a defect may hide whole tables.
fn hides_tables(kind: &InputDefect) -> bool {
    matches!(
        kind,
        InputDefect::Damaged { .. }
            | InputDefect::TimeOver { .. }
            | InputDefect::OverBudget { budget: Budget::BytesInAll }
            | InputDefect::TooManyFacts
            | InputDefect::Unreadable { .. }
            | InputDefect::LeftOut {
                what: LeftOut::Tables
                    | LeftOut::Definitions
                    | LeftOut::Names
                    | LeftOut::Columns
                    | LeftOut::Databases,
                ..
            }
    ) || matches!(kind, InputDefect::BrokenSqlite { table, .. } if table.is_empty())
}

/// Whether the defects of an input explain why a table is not there.
pub(super) fn explain_absence(defects: &[Defect]) -> bool {
    defects.iter().any(|defect| matches!(&defect.kind, DefectKind::Input(kind) if hides_tables(kind)))
}

/// Whether a table of this name and these columns is one of a simulator. Other programs have some of these names, too.
fn is_of_simulator(table: &str, columns: &Columns) -> bool {
    let column = match table {
        "assets" => {
            return columns.has("data") && ["assettype", "local"].iter().any(|name| columns.has(name));
        }
        "land" => "bitmap",
        "terrain" => "heightfield",
        "regions" => "regionname",
        "useraccounts" => "principalid",
        "migrations" => return false,
        _ => return is_known(table),
    };
    columns.has(column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_database::{Columns, Value};

    /// Returns the missing tables of a database with these tables, with their numbers of rows.
    fn missing(tables: &[(&str, u64)], version: i64) -> (Vec<(&'static str, TableLoss)>, bool) {
        let rows = tables.iter().map(|(table, rows)| ((*table).to_owned(), *rows)).collect();
        Database { rows, version: (version > 0).then_some(version), last: String::new() }.missing(true)
    }

    #[test]
    fn the_kind_of_a_database_says_what_it_must_have() {
        use TableLoss::{Absent, WithoutRows};
        let all = [
            ("prims", 5),
            ("primshapes", 5),
            ("primitems", 0),
            ("land", 1),
            ("regionsettings", 1),
            ("terrain", 1),
        ];
        assert_eq!(missing(&all, 60), (vec![], false));
        for left_out in 0..all.len() {
            let mut some = all.to_vec();
            let (table, _) = some.remove(left_out);
            let lost = missing(&some, 60).0;
            assert_eq!(lost.iter().filter(|(lost, _)| *lost == table).count(), 1, "{table}: {lost:?}");
        }
        assert_eq!(missing(&all[..3], 60), (vec![], true), "objects alone");
        assert_eq!(missing(&all[3..], 60).0.len(), 3, "land alone");
        // Services have databases of their own, and the first versions had no settings of regions.
        let robust = [
            ("assets", 9),
            ("inventoryfolders", 9),
            ("inventoryitems", 9),
            ("regions", 2),
            ("migrations", 9),
        ];
        assert_eq!(missing(&robust, 0), (vec![], false));
        assert_eq!(missing(&robust[1..2], 0).0, [("inventoryitems", Absent)]);
        assert_eq!(missing(&[("land", 9), ("regions", 1)], 0), (vec![], false), "another program");
        let mut first = all.to_vec();
        first.remove(4);
        assert_eq!(missing(&first, 8), (vec![], false));
        assert_eq!(missing(&first, 40).0, [("regionsettings", Absent)]);
        let empty = [("prims", 0), ("primshapes", 5), ("primitems", 0)];
        assert_eq!(missing(&empty, 0).0, [("prims", WithoutRows)]);
        assert_eq!(
            missing(&[("prims", 5), ("primshapes", 0), ("primitems", 0)], 0).0,
            [("primshapes", WithoutRows)]
        );
        assert_eq!(missing(&[("prims", 0), ("primshapes", 0), ("primitems", 0)], 0).0, []);
    }

    #[test]
    fn rows_behind_a_cut_are_unread() {
        let (columns, values) = (Columns::new(["UUID"]), [Value::Null]);
        let row = Row::new(&columns, &values);
        let mut tables = Tables::default();
        tables.count("", "primitems", &row);
        tables.count("", "prims", &row);
        let cut = [Defect::new(InputDefect::Damaged { why: None, position: 9 })];
        let unread = UnreadTables { prims: false, shapes: true, items: false };
        assert_eq!(tables.unread("", &cut), unread, "the items ended before");
        assert!(explain_absence(&cut) && tables.unread("", &[]) == UnreadTables::default());
        let missing = tables.defects(true);
        assert_eq!(tables.unread("", &missing), unread);
    }
}
