//! Databases of SQLite as inputs: recognized by their tables, read with their stores, never written.

use crate::support::{
    desk::{DONE, Desk, INCOMPLETE, USAGE},
    samples,
    sqlite::{Cell, Table, database},
};
use std::fs;

/// Returns a sample by its path.
fn sample(path: &str) -> Vec<u8> {
    samples::all().into_iter().find(|(name, _)| name == path).unwrap().1
}

/// Returns a desk with the databases of a standalone, under other names, and one of a browser.
fn desk() -> Desk {
    let places = database(&[Table::new("moz_places", &["id", "url"], vec![vec![Cell::Int(1), Cell::Null]])]);
    Desk::with(&[
        ("bin/region.sqlite", &sample("databases/standalone/OpenSim.db")),
        ("bin/store", &sample("databases/standalone/Asset.db")),
        ("profile/places.sqlite", &places),
    ])
}

#[test]
fn a_region_has_the_assets_of_the_database_beside_it() {
    let desk = desk();
    desk.write("bin/places.sqlite", fs::read(desk.at("profile/places.sqlite")).unwrap());
    let run = desk.run_to(DONE, "audit bin sqlite:bin --out report --format csv");
    assert!(run.stdout.contains("1 × database of another program (SQLite)"), "{}", run.stdout);
    let archives = desk.table("report", "archives");
    let region = archives.iter().find(|row| row["archive"] == "bin/region.sqlite").unwrap();
    assert_eq!((archives.len(), &*region["kind"]), (2, "sqlite"), "{archives:?}");
    assert_eq!((&*region["status"], &*region["meshes"]), ("complete", "1"));
    let objects = desk.table("report", "objects");
    assert_eq!((&*objects[0]["name"], &*objects[0]["unevaluated_parts"]), ("Vase", "0"));
}

/// A log and a journal come and go while a simulator writes. They are parts of the database.
#[test]
fn files_beside_a_database_are_not_reported() {
    let desk = desk();
    for database in ["region.sqlite", "store"] {
        for ending in ["-journal", "-wal", "-shm"] {
            desk.write(&format!("bin/{database}{ending}"), b"left by a writer");
        }
    }
    desk.write("bin/gone.db-wal", b"of a database that is not here");
    desk.write("bin/places.sqlite", fs::read(desk.at("profile/places.sqlite")).unwrap());
    desk.write("bin/places.sqlite-wal", b"left by a browser");
    desk.run_to(DONE, "audit bin --out report --format csv");
    let mut unknown = desk.table("report", "findings");
    unknown.retain(|row| row["code"] == "RUN007");
    let entries: Vec<&str> = unknown.iter().map(|row| &*row["entry"]).collect();
    assert_eq!(entries, ["gone.db-wal", "places.sqlite"]);
    assert_eq!(desk.column("report", "archives", "archive"), ["bin", "bin/region.sqlite"]);
}

/// Returns a database with the inventory of one owner: a root folder and a chair whose asset is gone.
fn inventories() -> Vec<u8> {
    let text = |text: &str| Cell::Text(text.into());
    let (owner, root, nil) =
        (ANN, "11111111-0000-4000-8000-000000000001", "00000000-0000-0000-0000-000000000000");
    let folder = vec![text("My Inventory"), Cell::Int(8), text(root), text(owner), text(nil)];
    let item = [
        "22222222-0000-4000-8000-000000000002",
        "33333333-0000-4000-8000-000000000003",
        root,
        owner,
        "Chair",
    ];
    let item = [item.map(text).to_vec(), vec![Cell::Int(6)]].concat();
    database(&[
        Table::new(
            "inventoryfolders",
            &["folderName", "type", "folderID", "agentID", "parentFolderID"],
            vec![folder],
        ),
        Table::new(
            "inventoryitems",
            &["inventoryID", "assetID", "parentFolderID", "avatarID", "inventoryName", "assetType"],
            vec![item],
        ),
    ])
}

const ANN: &str = "abababab-0000-4000-8000-000000000001";

#[test]
fn inventories_and_accounts_belong_to_the_region_beside_them() {
    let desk = desk();
    let names = ["PrincipalID", "FirstName", "LastName"];
    let account = [ANN, "Ann", "Owner"].map(|text| Cell::Text(text.into())).to_vec();
    let accounts = database(&[Table::new("UserAccounts", &names, vec![account])]);
    desk.write("bin/inventory.db", inventories());
    desk.write("bin/userprofiles.db", &accounts);
    fs::write(desk.at("hullmark.toml"), "inventory = [\"Ann Owner\"]\n").unwrap();
    desk.run("audit bin --out named --format csv");
    let archives = desk.table("named", "archives");
    assert_eq!(
        (archives.len(), &*archives[0]["archive"], &*archives[0]["inventories"]),
        (1, "bin/region.sqlite", "1")
    );
    let gone = |report: &str| {
        desk.table(report, "findings").into_iter().filter(|row| row["code"] == "INV007").count()
    };
    assert_eq!(gone("named"), 1);

    // Without a region beside it, it is an input of its own.
    fs::remove_file(desk.at("hullmark.toml")).unwrap();
    desk.write("robust/inventory.db", inventories());
    desk.run("audit robust --out alone --format csv --inventory all");
    assert_eq!(desk.column("alone", "archives", "archive"), ["robust/inventory.db"]);
    assert_eq!(desk.column("alone", "archives", "inventory_items"), ["1"]);
}

#[test]
fn assets_alone_are_an_input_and_a_store() {
    let desk = desk();
    fs::create_dir(desk.at("assets")).unwrap();
    fs::rename(desk.at("bin/store"), desk.at("assets/Asset.db")).unwrap();
    desk.run("audit assets --out alone --format csv");
    assert_eq!(desk.column("alone", "archives", "kind"), ["sqlite"]);
    assert_eq!(desk.column("alone", "archives", "meshes"), ["1"]);
    desk.run("audit bin --assets sqlite:assets --out report --format csv");
    assert_eq!(desk.column("report", "objects", "unevaluated_parts"), ["0"]);
}

#[test]
fn an_unchanged_database_keeps_its_ledger() {
    for checksum in ["", " --checksum"] {
        let desk = desk();
        let audit = format!("audit bin --ledgers kept --out report --format csv{checksum}");
        desk.run_to(DONE, &audit);
        let first = desk.ledgers("kept");
        desk.run_to(DONE, &audit);
        assert!(desk.ledgers("kept") == first && first.len() == 1, "{checksum}");
        // A store belongs to the input.
        let mut assets = fs::read(desk.at("bin/store")).unwrap();
        assets.extend([0; 1024]);
        desk.write("bin/store", assets);
        desk.run_to(DONE, &audit);
        assert!(desk.ledgers("kept") != first, "{checksum}");
    }
}

#[test]
fn a_damaged_page_costs_its_rows_and_is_named() {
    let desk = desk();
    let mut bytes = fs::read(desk.at("bin/region.sqlite")).unwrap();
    // The root of the shapes: after the first page and those of the versions and the prims.
    let shapes = (1..bytes.len() / 1024).find(|page| {
        let text: Vec<u8> = "\u{0}0b0b0b0b".bytes().skip(1).flat_map(|byte| [byte, 0]).collect();
        let page = &bytes[page * 1024..][..1024];
        page.windows(text.len()).filter(|window| *window == text).count() == 1
    });
    bytes[shapes.unwrap() * 1024] = 7;
    desk.write("bin/region.sqlite", bytes);
    desk.run_to(INCOMPLETE, "audit bin --out report --format csv");
    let found = desk.table("report", "findings");
    let damage = found.iter().find(|finding| finding["code"] == "ARC001").unwrap();
    assert!(damage["message"].contains("in the table primshapes: page"), "{}", damage["message"]);
    assert_eq!(desk.column("report", "objects", "name"), ["Vase"]);
}

#[test]
fn a_transaction_over_several_databases_makes_a_doubtful_snapshot() {
    let desk = desk();
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let pages = fs::metadata(desk.at("bin/region.sqlite")).unwrap().len() as u32 / 1024;
    for number in [0_u32, 1, pages, 512, 1024] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(512, 0);
    journal.extend(b"the name of another journal\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
    desk.write("bin/region.sqlite-journal", journal);
    desk.run_to(INCOMPLETE, "audit sqlite:bin --out report --format csv");
    let found = desk.table("report", "findings");
    let doubt = found.iter().find(|finding| finding["code"] == "DBS005").unwrap();
    assert!(doubt["message"].contains("region.sqlite: a transaction over several databases"), "{doubt:?}");
    assert_eq!(desk.column("report", "objects", "name"), ["Vase"]);
}

#[test]
fn a_prefix_needs_a_database_of_a_simulator() {
    let desk = desk();
    desk.write("text", "no database");
    for (argument, why) in [
        ("sqlite:text", "it is no database of SQLite"),
        ("sqlite:profile", "it has no database of SQLite with regions, assets or inventories"),
        ("sqlite:profile/places.sqlite", "it is a database of another program (SQLite)"),
        ("sqlite:absent", "No such file"),
    ] {
        let run = desk.run_to(USAGE, &format!("audit {argument} --out report"));
        assert!(run.stderr.contains(why), "{}", run.stderr);
    }
}

#[test]
fn nothing_is_written_beside_a_database() {
    let desk = desk();
    let before = desk.files("bin");
    desk.run("audit bin --out report --format csv");
    assert!(desk.files("bin") == before);
}
