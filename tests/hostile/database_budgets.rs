//! The budgets of databases, exceeded: a finding names the part that is left out, and the rest is read. All forms of databases
//! have them. Databases of prims alone lack the tables of shapes and items, so no audit of them is complete.

use crate::support::{
    archive::gzip,
    desk::{Desk, INCOMPLETE, sound},
    sqlite::{self, Cell, Table},
};
use std::io::{Cursor, Write};
use zip::{ZipWriter, write::SimpleFileOptions};

const HEAD: &str =
    "-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\n";
const END: &str = "\n-- Dump completed on 2026-11-24\n";
const COLUMNS: [&str; 4] = ["UUID", "RegionUUID", "SceneGroupID", "Name"];

fn id(kind: u32, number: u32) -> String {
    format!("{kind:08x}-0000-4000-8000-{number:012x}")
}

/// A prim of its own: its number, its region and its name.
type PrimRow = (u32, u32, String);

/// Returns `count` prims, `each` in a region.
fn prims(count: u32, each: u32) -> Vec<PrimRow> {
    (0..count).map(|number| (number, number / each, format!("Prim {number}"))).collect()
}

fn values((number, region, name): &PrimRow) -> [String; 4] {
    [id(0x77, *number), id(0x4e, *region), id(0x77, *number), name.clone()]
}

/// The statement that creates the table of prims, with further columns.
fn table(further: &[&str]) -> String {
    let columns = COLUMNS.iter().chain(further).map(|column| format!("`{column}` text")).collect::<Vec<_>>();
    format!("CREATE TABLE `prims` ({}) ENGINE=InnoDB;\n", columns.join(","))
}

fn insert(prims: &[PrimRow]) -> String {
    let rows = prims.iter().map(|prim| format!("('{}')", values(prim).join("','"))).collect::<Vec<_>>();
    format!("INSERT INTO `prims` ({}) VALUES {};\n", COLUMNS.join(","), rows.join(","))
}

/// Returns these prims in every form of a database: the name of its file, and its bytes.
fn forms(prims: &[PrimRow]) -> Vec<(&'static str, Vec<u8>)> {
    let all: Vec<[String; 4]> = prims.iter().map(values).collect();
    let hex =
        |text: &String| format!("0x{}", text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>());
    let plain = format!("{HEAD}{}{}{END}", table(&[]), insert(prims));
    let rows = all.iter().map(|row| format!("({})", row.each_ref().map(hex).join(","))).collect::<Vec<_>>();
    let hexadecimal = format!("{HEAD}{}INSERT INTO `prims` VALUES {};{END}", table(&[]), rows.join(","));
    let lines: String = all.iter().map(|row| row.join("\t") + "\n").collect();
    let copy = format!(
        "--\n-- PostgreSQL database dump\n--\nCREATE TABLE public.prims (\"UUID\" uuid, \"RegionUUID\" uuid, \
         \"SceneGroupID\" uuid, \"Name\" text);\nCOPY public.prims (\"UUID\", \"RegionUUID\", \"SceneGroupID\", \"Name\") \
         FROM stdin;\n{lines}\\.\n--\n-- PostgreSQL database dump complete\n--\n"
    );
    let cells = all.iter().map(|row| row.iter().map(|text| Cell::Text(text.clone())).collect());
    let file = sqlite::database(&[Table::new("prims", &COLUMNS, cells.collect())]);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in [("a.sql", plain.as_bytes()), ("b.oar", &sound()[..])] {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    vec![
        ("a.sql.gz", gzip(plain.as_bytes())),
        ("a.zip", zip.finish().unwrap().into_inner()),
        ("a.sql", plain.into()),
        ("hex.sql", hexadecimal.into()),
        ("copy.sql", copy.into()),
        ("OpenSim.db", file),
    ]
}

/// Audits a file beside a region without faults, with one changed limit. Returns the number of its objects, and each
/// finding ARC012: its detail, the measured number and the limit.
fn audit(desk: &Desk, name: &str, bytes: &[u8], limit: &str, code: i32) -> (usize, Vec<[String; 3]>) {
    desk.write(&format!("in/{name}"), bytes);
    desk.write("in/sound.oar", sound());
    desk.write("tight.toml", format!("[limits]\n{limit}\n"));
    desk.run_to(code, "audit in --out report --format csv --config tight.toml");
    std::fs::remove_file(desk.at(&format!("in/{name}"))).unwrap();
    let objects = desk.column("report", "objects", "archive");
    assert_eq!(objects.iter().filter(|archive| archive.ends_with("sound.oar")).count(), 1, "{limit}");
    let is_good = |archive: &String| archive.ends_with("sound.oar") || archive.ends_with("b.oar");
    let rows = desk.table("report", "findings").into_iter().filter(|row| row["code"] == "ARC012");
    let columns = ["message", "measured", "limit"];
    let over = rows.map(|row| columns.map(|column| row[column].clone())).collect();
    (objects.iter().filter(|archive| !is_good(archive)).count(), over)
}

/// Asserts that a part of the objects is there, and that one finding has these words and numbers.
fn assert_over(
    (objects, over): (usize, Vec<[String; 3]>),
    kept: usize,
    words: &str,
    numbers: [u64; 2],
    case: &str,
) {
    assert_eq!(objects, kept, "{case}: {over:?}");
    let [[message, measured, limit]] = &over[..] else { panic!("{case}: {over:?}") };
    assert!(message.contains(words), "{case}: {message}");
    assert_eq!([measured, limit], [&numbers[0].to_string(), &numbers[1].to_string()], "{case}");
}

#[test]
fn rows_of_every_form_have_a_limit() {
    let desk = Desk::with(&[]);
    let mut rows = prims(5, 5);
    rows[2].2 = "n".repeat(3000);
    let rest = 3 * 36;
    for (name, bytes) in forms(&rows) {
        let audited = audit(&desk, name, &bytes, "row_bytes = 1000", INCOMPLETE);
        if name == "OpenSim.db" {
            // A row of SQLite is read as a whole. Its texts have two bytes for each letter.
            assert_eq!(audited.0, 4);
            assert!(
                audited.1.len() == 1 && audited.1[0][0].contains("bytes in a row of prims; left out: 1 row")
            );
            continue;
        }
        let words = "bytes in a row of prims; left out: 1 value";
        assert_over(audited, 5, words, [3000 + rest, 1000], name);
        assert_eq!(audit(&desk, name, &bytes, "row_bytes = 3108", INCOMPLETE), (5, vec![]), "{name}");
    }
}

#[test]
fn regions_of_every_form_have_a_limit() {
    let desk = Desk::with(&[]);
    for (name, bytes) in forms(&prims(6, 2)) {
        let words = format!("regions; left out: 2 rows of later ones (first: {})", id(0x4e, 2));
        assert_over(audit(&desk, name, &bytes, "regions = 2", INCOMPLETE), 4, &words, [3, 2], name);
        assert_eq!(audit(&desk, name, &bytes, "regions = 3", INCOMPLETE), (6, vec![]), "{name}");
    }
}

#[test]
fn the_memory_of_rows_of_every_form_has_a_limit() {
    let desk = Desk::with(&[]);
    for (name, bytes) in forms(&prims(300, 300)) {
        let (objects, over) = audit(&desk, name, &bytes, "facts_bytes = 100_000", INCOMPLETE);
        assert!((20..150).contains(&objects), "{name}: {objects}");
        assert!(!over.is_empty() && over.iter().all(|[_, _, limit]| limit == "100000"), "{name}: {over:?}");
        assert_eq!(
            audit(&desk, name, &bytes, "facts_bytes = 10_000_000", INCOMPLETE),
            (300, vec![]),
            "{name}"
        );
    }
}

#[test]
fn databases_of_a_dump_have_a_limit() {
    let desk = Desk::with(&[]);
    let of = |number: u32| format!("USE d{number};\n{}", insert(&[(number, number, "a".into())]));
    let dump = format!("{HEAD}{}{}{}{}{END}", of(1), of(2), of(3), of(2));
    let words = "databases; the rows of later ones are left out (first: d3)";
    let audited = audit(&desk, "a.sql", dump.as_bytes(), "databases = 2", INCOMPLETE);
    assert_over(audited, 2, words, [3, 2], "databases");
    assert_eq!(audit(&desk, "a.sql", dump.as_bytes(), "databases = 3", INCOMPLETE), (3, vec![]));
    // A database that was chosen is read, however many others there are.
    desk.write("a.sql", &dump);
    desk.write("tight.toml", "[limits]\ndatabases = 1\n");
    desk.run_to(INCOMPLETE, "audit a.sql --out report --format csv --config tight.toml --database d3");
    assert_eq!(desk.column("report", "objects", "archive").len(), 1);
}

#[test]
fn columns_of_dumps_and_files_have_a_limit() {
    let desk = Desk::with(&[]);
    let further = ["a", "b", "c", "d", "e", "f"];
    let words = "columns in the table prims; its rows are left out";
    let dump =
        format!("{HEAD}{}INSERT INTO prims VALUES ('{}');{END}", table(&further), ["x"; 10].join("','"));
    let list = format!(
        "{HEAD}{}INSERT INTO prims ({},{}) VALUES ('{}');{}{END}",
        table(&[]),
        COLUMNS.join(","),
        further.join(","),
        ["x"; 10].join("','"),
        insert(&prims(2, 2))
    );
    for (dump, kept) in [(dump, 0), (list, 2)] {
        let audited = audit(&desk, "a.sql", dump.as_bytes(), "columns = 9", INCOMPLETE);
        let mut over = audited.1;
        over.retain(|[message, _, _]| message.contains("columns in"));
        assert_over((audited.0, over), kept, words, [10, 9], &dump);
    }
    let columns: Vec<&str> = COLUMNS.iter().chain(&further).copied().collect();
    let row = columns.iter().map(|_| Cell::Text("x".into())).collect();
    let file = sqlite::database(&[Table::new("prims", &columns, vec![row])]);
    assert_over(audit(&desk, "a.db", &file, "columns = 9", INCOMPLETE), 0, words, [10, 9], "SQLite");
}

#[test]
fn tables_of_dumps_and_files_have_a_limit() {
    let desk = Desk::with(&[]);
    let many: String = (0..9).map(|number| format!("CREATE TABLE t{number}(a int);")).collect();
    let dump = format!("{HEAD}{many}{}{}{END}", table(&[]), insert(&prims(2, 2)));
    let words = "tables; the columns of later ones are not known: 5 tables";
    let audited = audit(&desk, "a.sql", dump.as_bytes(), "tables = 5", INCOMPLETE);
    assert_over(audited, 2, words, [10, 5], "the rows say their columns");
    let one = |name: &str| Table::new(name, &COLUMNS, vec![values(&prims(1, 1)[0]).map(Cell::Text).to_vec()]);
    let file = sqlite::database(&[one("prims"), one("other"), one("others")]);
    let words = "tables; the columns of later ones are not known: 1 table";
    assert_over(audit(&desk, "a.db", &file, "tables = 2", INCOMPLETE), 1, words, [3, 2], "SQLite");
    let long = Table { statement: format!("CREATE TABLE land (a '{}')", "x".repeat(2000)), ..one("land") };
    let file = sqlite::database(&[one("prims"), long]);
    let audited = audit(&desk, "a.db", &file, "statement_bytes = 1000", INCOMPLETE);
    assert_eq!(audited.0, 1);
    assert!(audited.1[0][0].contains("bytes in the definition of a table; left out: 1 table"), "{audited:?}");
}

#[test]
fn names_have_a_limit() {
    let desk = Desk::with(&[]);
    let prims = insert(&prims(2, 2));
    let dump = format!("{HEAD}\\connect {}\n{prims}{END}", "d".repeat(200));
    let audited = audit(&desk, "a.sql", dump.as_bytes(), "name_bytes = 100", INCOMPLETE);
    assert_over(audited, 2, "bytes in a name", [209, 100], "a line of psql");
    let dump = format!("{HEAD}{}{prims}{END}", table(&[]));
    let audited = audit(&desk, "a.sql", dump.as_bytes(), "names_bytes = 100", INCOMPLETE);
    assert_over(audited, 2, "bytes of names; the columns of prims are not known", [101, 100], "columns");
    let listed: Vec<String> =
        (0..9).map(|number| format!("('{}','Region {number}')", id(0x4e, number))).collect();
    let dump =
        format!("{HEAD}INSERT INTO regions (uuid,regionName) VALUES {};{prims}{END}", listed.join(","));
    let audited = audit(&desk, "a.sql", dump.as_bytes(), "names_bytes = 350", INCOMPLETE);
    assert_over(
        audited,
        2,
        "bytes of names; left out of the list of the grid: 6 regions",
        [351, 350],
        "the list",
    );
    assert_eq!(desk.column("report", "regions", "region")[0], "Region 0");
}

/// A value that was not kept is unknown. An asset is not empty because of it.
#[test]
fn an_asset_above_the_limit_is_not_an_empty_one() {
    let desk = Desk::with(&[]);
    let asset = id(0x3e, 1);
    let dump = format!(
        "{HEAD}CREATE TABLE assets (id char(36), assetType int, data longblob);\n\
         INSERT INTO assets VALUES ('{asset}',10,'{}'),('{}',10,'default {{}}');{END}",
        "a".repeat(5000),
        id(0x3e, 2)
    );
    desk.write("a.sql", &dump);
    desk.write("tight.toml", "[limits]\nentry_bytes = 4000\n");
    desk.run_to(INCOMPLETE, "audit a.sql --out report --format csv --config tight.toml");
    let findings = desk.table("report", "findings");
    let over: Vec<_> = findings.iter().filter(|row| row["code"] == "ARC012").collect();
    assert!(over.iter().any(|row| row["entry"].contains(&asset)), "{over:?}");
    assert!(findings.iter().all(|row| row["code"] != "AST004"), "{findings:?}");
}

/// A page of 64 KiB could have two gigabytes of rows otherwise.
#[test]
fn rows_that_share_bytes_of_a_page_are_damage() {
    let desk = Desk::with(&[]);
    let row = values(&(1, 1, "n".repeat(200))).map(Cell::Text).to_vec();
    let mut file = sqlite::database(&[Table::new("prims", &COLUMNS, vec![row])]);
    let page = &mut file[1024..2048];
    let pointer = [page[8], page[9]];
    page[3..5].copy_from_slice(&40_u16.to_be_bytes());
    page[8..88].copy_from_slice(&pointer.repeat(40));
    desk.write("a.db", &file);
    desk.run_to(INCOMPLETE, "audit a.db --out report --format csv");
    assert_eq!(desk.column("report", "objects", "archive").len(), 1);
    let messages = desk.column("report", "findings", "message");
    assert!(messages.iter().any(|message| message.contains("a row in page 2 is damaged")), "{messages:?}");
}

/// Each database is looked at once for all of them, not once for each.
#[test]
fn databases_of_one_folder_have_the_same_parts_alone_and_together() {
    let desk = Desk::with(&[]);
    let region = |number: u32| {
        let row = values(&(number, number, "a".into())).map(Cell::Text).to_vec();
        sqlite::database(&[Table::new("prims", &COLUMNS, vec![row])])
    };
    let asset = vec![Cell::Text(id(0x3e, 1)), Cell::Int(10), Cell::Blob(b"default {}".to_vec())];
    let assets = sqlite::database(&[Table::new("assets", &["UUID", "Type", "Data"], vec![asset])]);
    desk.write("in/Asset.db", assets);
    (1..4).for_each(|number| desk.write(&format!("in/{number}.db"), region(number)));
    desk.run_to(INCOMPLETE, "audit in --out together --format csv");
    let rows = desk.table("together", "archives");
    assert_eq!(rows.len(), 3, "the assets are a part of each");
    for row in rows {
        desk.run_to(INCOMPLETE, &format!("audit {} --out alone --format csv", row["archive"]));
        let alone = &desk.table("alone", "archives")[0];
        assert_eq!((&alone["assets"], &alone["bytes"]), (&row["assets"], &row["bytes"]), "{row:?}");
    }
}
