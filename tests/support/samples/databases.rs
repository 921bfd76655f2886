//! Region databases: dumps, and files of SQLite.

use super::{File, PARCEL, REGION};
use crate::support::{
    archive::gzip,
    mesh::MeshFile,
    object::{OWNER, uuid},
    sqlite::{self, Cell, Table},
};
use std::fmt::Write;

/// Columns of the tables: enough for a loader.
const PRIMS: [&str; 23] = [
    "UUID",
    "RegionUUID",
    "SceneGroupID",
    "CreatorID",
    "OwnerID",
    "GroupID",
    "Name",
    "LinkNumber",
    "ObjectFlags",
    "BaseMask",
    "OwnerMask",
    "EveryoneMask",
    "NextOwnerMask",
    "GroupPositionX",
    "GroupPositionY",
    "GroupPositionZ",
    "PositionX",
    "PositionY",
    "PositionZ",
    "RotationW",
    "PhysicsShapeType",
    "ParticleSystem",
    "CreationDate",
];
const SHAPES: [&str; 9] =
    ["UUID", "PCode", "ScaleX", "ScaleY", "ScaleZ", "PathCurve", "ProfileCurve", "PathScaleX", "PathScaleY"];
const ITEMS: [&str; 6] = ["itemID", "primID", "assetID", "assetType", "invType", "name"];
const LAND: [&str; 8] =
    ["UUID", "RegionUUID", "Name", "OwnerUUID", "Area", "LandFlags", "Bitmap", "IsGroupOwned"];
const SETTINGS: [&str; 5] = ["regionUUID", "water_height", "object_bonus", "agent_limit", "maturity"];
/// The list of a grid, which is often in the same dump.
const REGIONS: [&str; 4] = ["uuid", "regionName", "sizeX", "sizeY"];
const ASSETS: [&str; 3] = ["id", "assetType", "data"];
const TERRAIN: [&str; 3] = ["RegionUUID", "Revision", "Heightfield"];

/// End of a complete dump.
pub(super) const COMPLETED: &str = "-- Dump completed on 2026-11-24  3:00:00\n";

pub(super) fn all() -> Vec<File> {
    let whole = dump(&lost_rows()) + COMPLETED;
    let mut all = vec![
        ("opensim.sql".into(), whole.into_bytes()),
        ("tables-of-myisam.sql".into(), old_tables()),
        ("without-end.sql".into(), dump(&[]).into_bytes()),
        ("surplus.sql".into(), surplus().into_bytes()),
        ("unknown-region.sql".into(), unknown_region().into_bytes()),
    ];
    all.extend(standalone());
    all
}

/// Returns a dump of old tables: prims in MyISAM, a name in Latin-1, and one that was stored as UTF-8.
fn old_tables() -> Vec<u8> {
    let dump = dump(&[]).replace("utf8mb4", "latin1") + COMPLETED;
    let (before, prims) = dump.split_once("CREATE TABLE `prims`").unwrap();
    let prims = prims.replacen("InnoDB", "MyISAM DEFAULT CHARSET=latin1", 1);
    let dump = format!("{before}CREATE TABLE `prims`{prims}").replace("'Leg'", "'Bør'");
    let (before, after) = dump.split_once("'Table'").unwrap();
    [before.as_bytes(), b"'Caf\xe9 \x80'", after.as_bytes()].concat()
}

pub(super) fn incomplete() -> Vec<File> {
    let without_columns = "INSERT INTO `spawn_points` VALUES ('x',1,2,3);\n\
        INSERT INTO `regionsettings` VALUES ('y',1);\n";
    vec![
        ("without-columns.sql".into(), (dump(&[]) + without_columns + COMPLETED).into_bytes()),
        ("without-shapes.sql".into(), without_shapes().into_bytes()),
        ("failed.sql.gz".into(), gzip(b"")),
    ]
}

/// Returns a dump without the table of shapes. A warning of mysqldump is its first line.
fn without_shapes() -> String {
    let dump = dump(&[]);
    let (before, rest) = dump.split_once("DROP TABLE IF EXISTS `primshapes`").unwrap();
    let (_, after) = rest.split_once("DROP TABLE").unwrap();
    let warning = "mysqldump: [Warning] Using a password on the command line interface can be insecure.\n";
    format!("{warning}{before}DROP TABLE{after}{COMPLETED}")
}

/// Returns a dump with rows without a prim, a value that was cut, and a version whose columns are missing.
/// Returns a complete dump of a region with a table and this number of boxes.
pub(crate) fn dump_of(boxes: u32) -> Vec<u8> {
    let row = |number| Row { number, root: number, name: "Box", link_number: 0, has_shape: true };
    let boxes: Vec<Row> = (3000..3000 + boxes).map(row).collect();
    (dump(&boxes) + COMPLETED).into_bytes()
}

fn surplus() -> String {
    let gone = uuid(0x0b0b_0b0b, 2050);
    let item = format!("'{}','{gone}','{}',10,10,'Lost'", uuid(0x1e1e_1e1e, 2050), uuid(0x5c5c_5c5c, 2001));
    let root = Row { number: 2001, root: 2001, name: "Table", link_number: 1, has_shape: true };
    let gone = Row { number: 2050, ..root };
    let columns = SHAPES.map(|column| format!("`{column}`")).join(",");
    format!(
        "{}INSERT INTO `primitems` VALUES ({item});\nINSERT INTO `primshapes` VALUES ({});\n\
         REPLACE INTO `primshapes` ({columns},`Media`) VALUES ({},'{}');\n\
         CREATE TABLE `migrations` (`name` varchar(100), `version` int(11));\n\
         INSERT INTO `migrations` VALUES ('RegionStore',53),('EstateStore',36);\n{COMPLETED}",
        dump(&[]),
        shape(&gone),
        shape(&root),
        "a".repeat(65_535)
    )
}

/// Returns a dump of two regions. The list of the grid has only one of them.
fn unknown_region() -> String {
    let gone = "4e4e4e4e-0000-4000-8000-0000000000ff";
    let row = Row { number: 2070, root: 2070, name: "Forgotten", link_number: 0, has_shape: true };
    let parcel =
        format!("'{}','{gone}','East','{OWNER}',65536,0,0x{},0", uuid(0x9a9a_9a9a, 2070), "ff".repeat(512));
    format!(
        "{}INSERT INTO `regionsettings` VALUES ('{gone}',20,1,100,0);\nINSERT INTO `land` VALUES ({parcel});\n\
         INSERT INTO `prims` VALUES ({});\nINSERT INTO `primshapes` VALUES ({});\n{COMPLETED}",
        dump(&[]),
        prim(&row).replace(REGION, gone),
        shape(&row),
    )
}

/// Returns the databases of a standalone: a region whose object is a mesh, and the assets.
fn standalone() -> [File; 2] {
    let mesh = uuid(0x3e3e_3e3e, 2060);
    let row = Row { number: 2060, root: 2060, name: "Vase", link_number: 0, has_shape: true };
    let params = [&[1, 0x30, 0, 17, 0, 0, 0][..], &bytes_of(&mesh), &[5]].concat();
    let shape = [cells(&shape(&row)), vec![Cell::Blob(params)]].concat();
    let prims: Vec<&str> = PRIMS.into_iter().filter(|column| *column != "LinkNumber").collect();
    let without_number = |row: &Row| {
        let mut cells = cells(&prim(row));
        cells.remove(PRIMS.iter().position(|column| *column == "LinkNumber").unwrap());
        cells
    };
    let land = format!("'{PARCEL}','{REGION}','West','{OWNER}',65536,0,0x{},0", "ff".repeat(512));
    let region = sqlite::database(&[
        Table::new(
            "migrations",
            &["name", "version"],
            vec![vec![Cell::Text("RegionStore".into()), Cell::Int(26)]],
        ),
        Table::new("prims", &prims, vec![without_number(&row)]),
        Table::new("primshapes", &[&SHAPES[..], &["ExtraParams"]].concat(), vec![shape]),
        Table::new("primitems", &ITEMS, Vec::new()),
        Table::new("land", &LAND, vec![cells(&land)]),
        Table::new("terrain", &TERRAIN, Vec::new()),
        Table::new("regionsettings", &SETTINGS, vec![cells(&format!("'{REGION}',20,1,100,0"))]),
        Table::new(
            "estate_settings",
            &["EstateID", "EstateName", "EstateOwner", "PublicAccess"],
            vec![cells(&format!("101,'Isles','{OWNER}',1"))],
        ),
        Table::new("estate_map", &["RegionID", "EstateID"], vec![cells(&format!("'{REGION}',101"))]),
    ]);
    let data = Cell::Blob(MeshFile::cube().encode());
    let asset = vec![Cell::Text(mesh), Cell::Text("Vase".into()), Cell::Int(49), data];
    let assets = sqlite::database(&[Table::new("assets", &["UUID", "Name", "Type", "Data"], vec![asset])]);
    [("standalone/OpenSim.db".into(), region), ("standalone/Asset.db".into(), assets)]
}

/// Returns the values of a row of a dump.
fn cells(row: &str) -> Vec<Cell> {
    let cell = |value: &str| match (value.strip_prefix('\''), value.strip_prefix("0x")) {
        (Some(text), _) => Cell::Text(text.trim_end_matches('\'').into()),
        (_, Some(digits)) => Cell::Blob(bytes_of(digits)),
        _ => value.parse().map_or_else(|_| Cell::Real(value.parse().unwrap()), Cell::Int),
    };
    row.split(',').map(cell).collect()
}

/// Returns the bytes of hexadecimal digits, with or without dashes.
fn bytes_of(digits: &str) -> Vec<u8> {
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A prim of a dump.
struct Row {
    number: u32,
    /// Number of the root.
    root: u32,
    name: &'static str,
    link_number: u32,
    has_shape: bool,
}

/// Returns a child whose root is gone, and a prim without a shape.
fn lost_rows() -> [Row; 2] {
    [
        Row { number: 2003, root: 2099, name: "Orphan", link_number: 2, has_shape: true },
        Row { number: 2004, root: 2004, name: "Shapeless", link_number: 0, has_shape: false },
    ]
}

/// Returns a dump of a region with a table of two prims, and these prims.
fn dump(more: &[Row]) -> String {
    let table = [
        Row { number: 2002, root: 2001, name: "Leg", link_number: 2, has_shape: true },
        Row { number: 2001, root: 2001, name: "Table", link_number: 1, has_shape: true },
    ];
    let rows = || table.iter().chain(more);
    let mut dump = String::from(
        "-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)\n--\n\
         -- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\n",
    );
    let script = uuid(0x5c5c_5c5c, 2001);
    insert(
        &mut dump,
        "assets",
        &ASSETS,
        &[format!(
            "'{script}',10,'default {{ touch_start(integer n) {{ llSay(0, \\'It\\\\\\'s a table\\'); }} }}'"
        )],
    );
    let parcel = format!("'{PARCEL}','{REGION}','West','{OWNER}',65536,0,0x{},0", "ff".repeat(512));
    insert(&mut dump, "land", &LAND, &[parcel]);
    let item =
        format!("'{}','{}','{script}',10,10,'Speaker'", uuid(0x1e1e_1e1e, 2001), uuid(0x0b0b_0b0b, 2001));
    insert(&mut dump, "primitems", &ITEMS, &[item]);
    insert(&mut dump, "prims", &PRIMS, &rows().map(prim).collect::<Vec<_>>());
    let shapes = rows().filter(|row| row.has_shape).map(shape);
    insert(&mut dump, "primshapes", &SHAPES, &shapes.collect::<Vec<_>>());
    create(&mut dump, "terrain", &TERRAIN);
    insert(&mut dump, "regions", &REGIONS, &[format!("'{REGION}','Harbour',256,256")]);
    insert(&mut dump, "regionsettings", &SETTINGS, &[format!("'{REGION}',20,1,100,0")]);
    dump
}

fn prim(Row { number, root, name, link_number, .. }: &Row) -> String {
    let [own, root] = [*number, *root].map(|number| uuid(0x0b0b_0b0b, number));
    let offset = if own == root { 0.0 } else { 0.75 };
    let mask = 0x000f_e000;
    format!(
        "'{own}','{REGION}','{root}','{OWNER}','{OWNER}','{}','{name}',{link_number},0,{mask},{mask},0,{mask},\
         10.25,20.5,21,{offset},0,-0.5,1,0,'',1500000000",
        uuid(0, 0)
    )
}

fn shape(row: &Row) -> String {
    format!("'{}',9,1,0.5,0.1,16,1,100,100", uuid(0x0b0b_0b0b, row.number))
}

/// Writes a table with its rows, as mysqldump does.
pub(super) fn insert(dump: &mut String, table: &str, columns: &[&str], rows: &[String]) {
    create(dump, table, columns);
    let rows: Vec<String> = rows.iter().map(|row| format!("({row})")).collect();
    let _ = writeln!(dump, "INSERT INTO `{table}` VALUES\n{};", rows.join(",\n"));
}

/// Writes the definition of a table.
fn create(dump: &mut String, table: &str, columns: &[&str]) {
    let defined: Vec<String> = columns.iter().map(|column| format!("  `{column}` text")).collect();
    let _ = writeln!(
        dump,
        "DROP TABLE IF EXISTS `{table}`;\nCREATE TABLE `{table}` (\n{},\n  PRIMARY KEY (`{}`)\n) ENGINE=InnoDB;",
        defined.join(",\n"),
        columns[0],
    );
}
