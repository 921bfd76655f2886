//! Tables that a database must have and lacks: their content is unknown, and no verdict is GO.

use super::failed_dumps::{dump, found};
use crate::support::{
    desk::{DONE, Desk, FINDINGS, INCOMPLETE},
    flat,
    sqlite::{Cell, Table, database},
};

/// Returns the dump of the samples without a table, or with its definition alone.
fn without(table: &str, keeps_columns: bool) -> String {
    let dump = dump();
    let begin = format!("DROP TABLE IF EXISTS `{table}`");
    let (before, rest) = dump.split_once(&begin).unwrap();
    let end = rest.find("DROP TABLE").or_else(|| rest.find("-- Dump completed")).unwrap();
    let columns = rest[..end].split("INSERT").next().unwrap();
    let kept = if keeps_columns { format!("{begin}{columns}") } else { String::new() };
    format!("{before}{kept}{}", &rest[end..])
}

/// Returns the verdict and the page of `preflight`.
fn preflight(desk: &Desk, code: i32, path: &str) -> (String, String) {
    let run = desk.run_to(code, &format!("preflight --target opensim-ubode {path}"));
    let verdict = run.stdout.lines().next().unwrap().split(" for ").next().unwrap();
    (verdict.to_owned(), run.stdout)
}

#[test]
fn a_table_that_is_not_there_is_not_empty() {
    for table in ["prims", "primshapes", "primitems", "land", "regionsettings", "terrain"] {
        let desk = Desk::with(&[("opensim.sql", without(table, false).as_bytes())]);
        desk.run_to(INCOMPLETE, "audit opensim.sql --profile second-life --out report --format csv");
        let missing = found(&desk, "report", "DBS012");
        assert_eq!(missing.len(), 1, "{table}: {missing:?}");
        assert!(missing[0][2].contains(&format!("the table {table} of opensim is not there")), "{missing:?}");
        assert_eq!(missing[0][0], "blocker");
        let (verdict, page) = preflight(&desk, FINDINGS, "opensim.sql");
        assert_eq!(verdict, "NO-GO", "{table}");
        assert!(page.contains("Write the dump again with these tables"), "{page}");
        let objects = desk.table("report", "objects");
        let cells = |column: &str| objects.iter().map(|row| row[column].clone()).collect::<Vec<_>>();
        match table {
            "prims" => {
                assert!(objects.is_empty() && page.contains("objects not evaluated"), "{page}");
                assert!(page.contains("prims not evaluated, scripts not evaluated"), "{page}");
                assert_eq!(desk.column("report", "regions", "land_impact"), [""]);
            }
            "primshapes" => {
                assert_eq!(
                    (cells("land_impact"), cells("physics_cost")),
                    (vec![String::new(); 2], vec![String::new(); 2])
                );
                assert_eq!(found(&desk, "report", "DBS002"), [[""; 3]; 0], "unknown, and no box");
                assert_eq!(cells("scripts").concat(), "10");
            }
            "primitems" => {
                assert_eq!(
                    (cells("land_impact"), cells("scripts")),
                    (vec![String::new(); 2], vec![String::new(); 2])
                );
                assert_eq!(desk.column("report", "regions", "scripts"), [""]);
                assert!(page.contains("scripts not evaluated"), "{page}");
            }
            _ => assert_eq!(cells("land_impact"), ["2", "1"], "{table}: objects are known"),
        }
    }
}

#[test]
fn causes_are_told_apart() {
    let said =
        |text: &str, dump: String| dump.replacen("DROP TABLE", &format!("mysqldump: {text}\nDROP TABLE"), 1);
    let shapes = || without("primshapes", false);
    let crashed = "Error 1194: Table 'primshapes' is marked as crashed and should be repaired when dumping table `primshapes` at row: 1";
    let rows_only = without("primshapes", true);
    let every = |dump: &str| {
        let lines = dump.split("INSERT INTO").enumerate();
        lines
            .map(|(number, part)| if number == 0 { part } else { part.split_once(";\n").unwrap().1 })
            .collect::<String>()
    };
    for (dump, words) in [
        (shapes(), "is not there: it was left out or lost"),
        (
            said("Couldn't find table: \"primshapes\"", shapes()),
            "the program that wrote the dump did not find it",
        ),
        (said(crashed, shapes()), "has crashed on the server"),
        (said(crashed, dump()), "has crashed on the server"),
        (
            said(
                "Couldn't execute 'show create table `primshapes`': SELECT command denied to user 'a'@'b'",
                shapes(),
            ),
            "may not be read by the user of the dump",
        ),
        (rows_only, "has no rows, although rows of other tables belong to them"),
        (every(&dump()), "the dump has the columns of 8 tables and no rows (--no-data)"),
    ] {
        let desk = Desk::with(&[("opensim.sql", dump.as_bytes())]);
        desk.run_to(INCOMPLETE, "audit opensim.sql --out report --format csv");
        let missing = found(&desk, "report", "DBS012");
        assert!(missing.len() == 1 && missing[0][2].contains(words), "{words}: {missing:?}");
        assert_eq!(missing[0][0], "blocker");
    }
    // A message after the last row of an insert hides no statement behind it.
    let broken = dump().replacen(
        "DROP TABLE IF EXISTS `regions`",
        "INSERT INTO `primshapes` VALUES ('x',9,1,1,1,16,1,100,100)\nmysqldump: Error 1194: Table 'primshapes' is crashed\nDROP TABLE IF EXISTS `regions`",
        1,
    );
    let desk = Desk::with(&[("opensim.sql", broken.as_bytes())]);
    desk.run_to(INCOMPLETE, "audit opensim.sql --out report --format csv");
    assert_eq!(desk.column("report", "regions", "region"), ["Harbour"]);
    assert!(found(&desk, "report", "DBS012")[0][2].contains("has crashed"));
}

#[test]
fn objects_alone_are_read_and_the_rest_is_told() {
    let mut objects = dump();
    for table in ["land", "regionsettings", "terrain"] {
        let begin = format!("DROP TABLE IF EXISTS `{table}`");
        let (before, rest) = objects.split_once(&begin).unwrap();
        let end = rest.find("DROP TABLE").or_else(|| rest.find("-- Dump completed")).unwrap();
        objects = format!("{before}{}", &rest[end..]);
    }
    let desk = Desk::with(&[("opensim.sql", objects.as_bytes())]);
    desk.run_to(DONE, "audit opensim.sql --out report --format csv");
    let told = found(&desk, "report", "DBS012");
    assert!(told.len() == 1 && told[0][0] == "warning", "{told:?}");
    assert!(told[0][2].contains("none of the tables land, regionsettings, terrain"), "{told:?}");
    assert_eq!(desk.column("report", "objects", "land_impact"), ["2", "1"]);
}

#[test]
fn databases_of_services_need_only_their_own_tables() {
    let id = |number: u32| Cell::Text(format!("{number:08x}-0000-4000-8000-000000000001"));
    let folders = Table::new(
        "inventoryfolders",
        &["folderName", "type", "folderID", "agentID", "parentFolderID"],
        vec![vec![Cell::Text("My Inventory".into()), Cell::Int(8), id(1), id(2), id(0)]],
    );
    let items =
        Table::new("inventoryitems", &["inventoryID", "assetID", "parentFolderID", "avatarID"], Vec::new());
    let assets = Table::new("assets", &["UUID", "Name", "Type", "Data"], Vec::new());
    let desk = Desk::with(&[
        ("inventory/inventory.db", &database(&[folders.clone(), items])),
        ("assets/Asset.db", &database(&[assets])),
        ("alone/inventory.db", &database(&[folders])),
    ]);
    for whole in ["inventory", "assets"] {
        desk.run_to(DONE, &format!("audit {whole} --out report --format csv"));
        assert_eq!(found(&desk, "report", "DBS012"), [[""; 3]; 0], "{whole}");
    }
    desk.run_to(INCOMPLETE, "audit alone --out report --format csv");
    assert!(
        found(&desk, "report", "DBS012")[0][2]
            .contains("the table inventoryitems of inventory.db is not there")
    );
}

#[test]
fn a_database_of_sqlite_without_a_table_of_its_region_is_no_go() {
    let id = |number: u32| Cell::Text(format!("{number:08x}-0000-4000-8000-000000000001"));
    let prims = Table::new("prims", &["UUID", "SceneGroupID", "RegionUUID"], vec![vec![id(1), id(1), id(9)]]);
    let shapes = Table::new("primshapes", &["UUID", "PCode"], vec![vec![id(1), Cell::Int(9)]]);
    let items = Table::new("primitems", &["itemID", "primID"], Vec::new());
    for (tables, table) in
        [([&prims, &items], "primshapes"), ([&prims, &shapes], "primitems"), ([&shapes, &items], "prims")]
    {
        let desk = Desk::with(&[("OpenSim.db", &database(&tables.map(Table::clone)))]);
        desk.run_to(INCOMPLETE, "audit OpenSim.db --out report --format csv");
        let missing = found(&desk, "report", "DBS012");
        assert!(
            missing
                .iter()
                .any(|row| row[2].contains(&format!("the table {table} of OpenSim.db is not there")))
        );
        // Nothing at all was read of a database without prims.
        let code = if table == "prims" { INCOMPLETE } else { FINDINGS };
        assert_eq!(preflight(&desk, code, "OpenSim.db").0, "NO-GO", "{table}");
    }
}

/// A database without assets may use those of another one. None of them was looked for, so none is lost.
#[test]
fn assets_that_were_not_looked_for_are_no_losses() {
    let assets = without("assets", false);
    let desk = Desk::with(&[("opensim.sql", assets.as_bytes())]);
    let (verdict, page) = preflight(&desk, INCOMPLETE, "opensim.sql");
    assert_eq!(verdict, "GO, AS FAR AS IT WAS READ");
    let line = flat(&page);
    assert!(line.contains("nothing that was read blocks the move"), "{page}");
    assert!(line.contains("Assets were not looked for") && line.contains("1 asset (1 script)"), "{page}");
    assert!(!page.contains("LOSSES\n  kind"), "{page}");
}
