//! What the tables of a region database say about each other: versions, columns, and values that were cut.

use super::{Dialect, Row, Value};
use hullmark_format::defect::{Defect, InputDefect};
use std::collections::BTreeMap;
use uuid::Uuid;

pub(super) const MIGRATIONS: &str = "migrations";

/// The name of a region database in the table of versions.
const REGION_STORE: &str = "regionstore";

/// Most bytes of a value in the types TEXT and BLOB of MySQL.
const MYSQL_BLOB: usize = 65_535;

/// Columns of these types, by table.
const MYSQL_BLOBS: [(&str, &[&str]); 2] = [
    (
        "prims",
        &[
            "textureanimation",
            "particlesystem",
            "keyframemotion",
            "sopanims",
            "dynattrs",
            "vehicle",
            "physinertia",
            "lnkstbindata",
            "startstr",
        ],
    ),
    ("primshapes", &["media", "matovrd"]),
];

/// Columns that a database has since a version. Where the version of a column is not known, it is the first release
/// whose databases were seen with it.
const PROMISES: [(Dialect, i64, &str, &[&str]); 27] = {
    use Dialect::{MySql, PostgreSql, Sqlite};
    const SITTING: &[&str] = &["standtargetx", "standtargety", "standtargetz", "sitactrange"];
    const MATERIALS: &[&str] = &["terrainpbr1", "terrainpbr2", "terrainpbr3", "terrainpbr4"];
    const SOUNDS: &[&str] = &["seeavs", "anyavsounds", "groupavsounds"];
    const PHYSICS: &[&str] = &["physicsshapetype", "density", "gravitymodifier", "friction", "restitution"];
    [
        (MySql, 52, "prims", &["passcollisions", "vehicle"]),
        (MySql, 52, "land", SOUNDS),
        (MySql, 52, "regionsettings", &["block_search", "casino"]),
        (MySql, 53, "prims", &["rotationaxislocks"]),
        (MySql, 56, "prims", &["rezzerid"]),
        (MySql, 57, "prims", &["physinertia"]),
        (MySql, 58, "prims", &["sopanims"]),
        (MySql, 59, "prims", SITTING),
        (MySql, 61, "prims", &["pseudocrc"]),
        (MySql, 61, "regionsettings", &["cacheid"]),
        (MySql, 63, "land", &["environment"]),
        (MySql, 64, "primshapes", &["matovrd"]),
        (MySql, 65, "prims", &["lnkstbindata"]),
        (MySql, 66, "regionsettings", MATERIALS),
        (MySql, 67, "prims", &["startstr"]),
        (Sqlite, 28, "prims", PHYSICS),
        (Sqlite, 29, "prims", &["keyframemotion"]),
        (Sqlite, 39, "prims", &["passcollisions", "vehicle", "rotationaxislocks", "rezzerid", "physinertia"]),
        (Sqlite, 39, "land", &["seeavs", "anyavsounds", "groupavsounds", "environment"]),
        (Sqlite, 40, "prims", &["sopanims"]),
        (Sqlite, 40, "primshapes", &["matovrd"]),
        (Sqlite, 43, "prims", &["lnkstbindata", "startstr"]),
        (Sqlite, 43, "regionsettings", MATERIALS),
        (PostgreSql, 39, "prims", PHYSICS),
        (PostgreSql, 42, "land", SOUNDS),
        (PostgreSql, 45, "prims", &["rotationaxislocks", "rezzerid"]),
        (PostgreSql, 58, "prims", &["startstr"]),
    ]
};

/// The tables of one database, as far as their rows have passed.
#[derive(Debug)]
pub(super) struct Checks {
    dialect: Dialect,
    version: Option<i64>,
    /// The promised columns that tables with rows lack, each with the version of its promise.
    lacking: BTreeMap<String, Vec<(i64, &'static str)>>,
    /// Number of values with the most bytes that their type allows, and the first prim, by table and column.
    cut: BTreeMap<(&'static str, &'static str), (u64, Uuid)>,
}

/// Whether a row belongs to a region database. The table of versions has rows of other stores as well.
pub fn is_of_regions(table: &str, row: &Row<'_>) -> bool {
    table != MIGRATIONS || row.text("name").eq_ignore_ascii_case(REGION_STORE)
}

impl Checks {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, version: None, lacking: BTreeMap::new(), cut: BTreeMap::new() }
    }

    pub(super) fn take(&mut self, table: &str, row: &Row<'_>) {
        if table == MIGRATIONS {
            self.version = self.version.max(row.int("version"));
            return;
        }
        if !self.lacking.contains_key(table) {
            let of_table = PROMISES.iter().filter(|(of, _, name, _)| *of == self.dialect && *name == table);
            let columns =
                of_table.flat_map(|(_, since, _, names)| names.iter().map(move |name| (*since, *name)));
            let lacking = columns.filter(|(_, name)| !row.has(name)).collect();
            self.lacking.insert(table.to_owned(), lacking);
        }
        if self.dialect == Dialect::MySql {
            self.take_cut_values(table, row);
        }
    }

    fn take_cut_values(&mut self, table: &str, row: &Row<'_>) {
        let blobs = MYSQL_BLOBS.iter().filter(|(name, _)| *name == table);
        for (&table, &column) in
            blobs.flat_map(|(name, columns)| columns.iter().map(move |column| (name, column)))
        {
            if matches!(row.get(column), Value::Bytes(bytes) if bytes.len() == MYSQL_BLOB) {
                let prim = row.uuid("uuid");
                let (rows, first) = self.cut.entry((table, column)).or_insert((0, prim));
                (*rows, *first) = (*rows + 1, prim.min(*first));
            }
        }
    }

    /// Returns the defects of the database as a whole.
    pub(super) fn finish(&self) -> Vec<Defect> {
        let cut = self.cut.iter().map(|(&(table, column), &(rows, first))| {
            let kind = InputDefect::ValuesCut { table: table.into(), column: column.into(), rows, first };
            Defect::new(kind).measured(rows as f64)
        });
        self.missing_columns().into_iter().chain(cut).collect()
    }

    fn missing_columns(&self) -> Vec<Defect> {
        let Some(version) = self.version else { return Vec::new() };
        let missing = self.lacking.iter().map(|(table, lacking)| {
            let lacking = lacking.iter().filter(|(since, _)| *since <= version);
            (table, lacking.map(|&(_, name)| name.to_owned()).collect::<Vec<_>>())
        });
        let missing = missing.filter(|(_, columns)| !columns.is_empty());
        missing
            .map(|(table, columns)| {
                let count = columns.len() as f64;
                let (store, table) = ("RegionStore".into(), table.to_owned().into());
                Defect::new(InputDefect::ColumnsMissing { store, version, table, columns }).measured(count)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Columns;

    fn defects(dialect: Dialect, version: i64, columns: &[&str], value: &[u8]) -> Vec<String> {
        let mut checks = Checks::new(dialect);
        let prim = Uuid::from_u128(7).to_string();
        let names = [&["UUID"], columns].concat();
        let values = [prim.as_bytes()].into_iter().chain(columns.iter().map(|_| value));
        let values: Vec<_> = values.map(Value::bytes).collect();
        checks.take("prims", &Row::new(&Columns::new(names), &values));
        let migrations = Columns::new(["name", "version"]);
        let values = [Value::bytes(b"RegionStore"), Value::Int(version)];
        let row = Row::new(&migrations, &values);
        assert!(is_of_regions(MIGRATIONS, &row));
        checks.take(MIGRATIONS, &row);
        checks.finish().iter().map(|defect| format!("{:?}", defect.kind)).collect()
    }

    #[test]
    fn a_version_promises_columns() {
        let all = ["PassCollisions", "Vehicle", "RotationAxisLocks", "RezzerID", "PhysInertia", "sopanims"];
        assert_eq!(defects(Dialect::MySql, 58, &all, b""), [""; 0]);
        let found = defects(Dialect::MySql, 58, &all[..5], b"");
        assert!(found.len() == 1 && found[0].contains("version: 58") && found[0].contains("[\"sopanims\"]"));
        assert_eq!(defects(Dialect::MySql, 57, &all[..5], b""), [""; 0]);
        assert_eq!(defects(Dialect::Sqlite, 26, &[], b""), [""; 0]);
    }

    #[test]
    fn a_value_of_the_most_bytes_was_cut() {
        let of_bytes = |dialect, bytes| defects(dialect, 1, &["DynAttrs", "Name"], &vec![b'a'; bytes]);
        let found = of_bytes(Dialect::MySql, 65_535);
        assert!(
            found.len() == 1 && found[0].contains("dynattrs") && found[0].contains("rows: 1"),
            "{found:?}"
        );
        assert_eq!(of_bytes(Dialect::MySql, 65_534), [""; 0]);
        assert_eq!(of_bytes(Dialect::PostgreSql, 65_535), [""; 0]);
    }
}
