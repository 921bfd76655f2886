//! Inventories of databases: whose are evaluated, kept ledgers and plans, the figures of an IAR, and real databases.

use crate::support::{
    archive::Archive,
    desk::{DONE, Desk, INCOMPLETE, Row, USAGE},
    object::{Prim, coalesced, uuid, xml1},
    repository, samples, scan_one, shared,
};
use hullmark_ledger::Ledger;
use hullmark_settings::limits::Limits;
use std::{collections::BTreeMap, fmt::Write, path::PathBuf, process::Command};

const ANN: &str = "abababab-0000-4000-8000-000000000001";
const NIL: &str = "00000000-0000-0000-0000-000000000000";
const BEN: &str = "abababab-0000-4000-8000-000000000002";

/// Returns the sample with the inventories of Ann, Ben and Cora.
fn dump() -> Vec<u8> {
    let sample = samples::all().into_iter().find(|(name, _)| name == "databases/inventories.sql");
    sample.unwrap().1
}

fn desk() -> Desk {
    Desk::with(&[("robust.sql", &dump())])
}

/// Returns the entries of the INV findings of a report, by code.
fn of_inventories(desk: &Desk, report: &str) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for mut row in desk.table(report, "findings").into_iter().filter(|row| row["code"].starts_with("INV")) {
        found.entry(row.remove("code").unwrap()).or_default().push(row.remove("entry").unwrap());
    }
    found
}

#[test]
fn only_the_named_inventories_are_judged() {
    let desk = desk();
    let audit = |code, flags: &str| desk.run_to(code, &format!("audit robust.sql --format csv {flags}"));
    audit(DONE, "--out none");
    assert!(of_inventories(&desk, "none").is_empty());
    let archive = &desk.table("none", "archives")[0];
    assert_eq!((&*archive["inventories"], &*archive["inventory_items"]), ("3", "8"), "all are counted");
    let checks = desk.table("none", "checks");
    let subjects = checks.iter().filter(|row| row["code"].starts_with("INV"));
    assert!(subjects.map(|row| &row["checked"]).all(|count| count == "0"), "nobody passed");

    audit(DONE, &format!("--out ann --inventory {ANN}"));
    assert!(of_inventories(&desk, "ann").is_empty(), "hers is sound");
    let chair = &desk.table("ann", "objects")[0];
    assert_eq!(chair["item"], "inventory/Ann Owner/Objects/Furniture/Chair");
    assert_eq!((&*chair["item_owner_uuid"], &*chair["role"]), (ANN, "nested"));

    desk.write("names.toml", "inventory = [\"cora OWNER\", \"Ben Owner\"]");
    audit(DONE, "--out two --config names.toml");
    let two = of_inventories(&desk, "two");
    assert_eq!(two["INV003"], ["inventory/Cora Owner/"]);
    assert_eq!(two["INV007"], ["inventory/Ben Owner/"]);
    audit(DONE, &format!("--out all --inventory all --owner {BEN}"));
    let of_ben = of_inventories(&desk, "all");
    assert_eq!(of_ben.keys().count(), 6, "all but INV003: {of_ben:?}");
    assert!(of_ben.values().flatten().all(|entry| entry == "inventory/Ben Owner/"));

    // An owner that is not there must not look like a sound one.
    audit(INCOMPLETE, "--out nobody --inventory Nobody");
    let messages = desk.column("nobody", "findings", "message");
    let expected = "No export was found: inventory of Nobody; no account of this database has it";
    assert!(messages.iter().any(|message| message == expected), "{messages:?}");
}

#[test]
fn kept_ledgers_are_valid_for_the_same_owners() {
    let desk = desk();
    desk.write("sound.oar", crate::support::desk::sound());
    let audit = |out: &str, flags: &str| {
        let command = format!("audit robust.sql sound.oar --ledgers kept --format csv --out {out} {flags}");
        desk.run_to(DONE, command.trim_end());
        (desk.ledgers("kept"), of_inventories(&desk, out).len())
    };
    let (all, found) = audit("all", "--inventory all");
    assert_eq!(found, 7);
    let (again, found) = audit("again", "--inventory ALL");
    assert!(found == 7 && again == all, "nothing was read again");
    let (none, found) = audit("none", "");
    assert_eq!(found, 0);
    let changed: Vec<&String> = all.keys().filter(|name| all[*name] != none[*name]).collect();
    assert!(matches!(changed[..], [name] if name.starts_with("robust.sql")), "only databases: {changed:?}");
    assert_eq!(audit("ann", &format!("--inventory {ANN}")).1, 0);
    assert_eq!(audit("ben", &format!("--inventory {BEN}")).1, 6);
}

#[test]
fn a_plan_has_its_owners() {
    let desk = desk();
    desk.run_to(DONE, &format!("plan robust.sql --inventory {BEN} --out plan.json"));
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
    desk.run_to(DONE, "report kept --plan plan.json --out report --format csv");
    assert_eq!(of_inventories(&desk, "report").len(), 6);
    desk.run_to(USAGE, "scan --plan plan.json --inventory all --ledgers kept");
    // A ledger for other owners is none of the plan.
    desk.run_to(DONE, "scan robust.sql --inventory all --ledgers kept");
    let run = desk.run("report kept --plan plan.json --out report --format csv");
    assert!(run.code != DONE && run.stderr.contains("robust.sql"), "{run:?}");
}

#[test]
fn preflight_judges_inventories_too() {
    let page = |flags: &str| {
        desk().run(&format!("preflight robust.sql --target opensim-ubode --json {flags}")).stdout
    };
    assert!(!page("").contains("INV007") && page("--inventory all").contains("INV007"));
}

#[test]
fn of_accounts_only_names_are_kept() {
    let desk = desk();
    let ledger = scan_one(&desk.at("robust.sql"), &Limits::default());
    let text = serde_json::to_string(&ledger).unwrap();
    assert!(text.contains("Ann Owner") && !text.contains("private"), "the e-mail address is private");
}

/// Two items: a coalesced object, and one with a script that is missing.
#[test]
fn an_inventory_has_the_figures_of_an_iar() {
    let [pair, boxed, first, second] =
        [(0xa5a5, 1), (0xa5a5, 2), (0x1717, 1), (0x1717, 2)].map(|(kind, number)| uuid(kind, number));
    let (root, things) = (uuid(0xf0f0, 1), uuid(0xf0f0, 2));
    let wide = Prim { scale: [3.0, 2.0, 0.5], torus: true, ..Prim::new("Second", 11) };
    let objects = [
        (&pair, coalesced(&[vec![Prim::new("First", 10)], vec![wide]])),
        (&boxed, xml1(&[Prim { scripts: 1, ..Prim::new("Box", 12) }])),
    ];
    let item = |name: &str, id: &str, asset: &str| {
        format!(
            "<InventoryItem><Name>{name}</Name><ID>{id}</ID><InvType>6</InvType><CreatorUUID>{ANN}</CreatorUUID>\
             <Owner>{ANN}</Owner><AssetType>6</AssetType><AssetID>{asset}</AssetID></InventoryItem>"
        )
    };
    let control = "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"3\">\
        <assets_included>True</assets_included></archive>";
    let folder = format!("inventory/Things__{things}/");
    let mut iar = Archive::new(control)
        .add(&folder, "")
        .add(&format!("{folder}Pair__{first}.xml"), item("Pair", &first, &pair))
        .add(&format!("{folder}Box__{second}.xml"), item("Box", &second, &boxed));
    let mut sql = format!(
        "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n\
         INSERT INTO `useraccounts` (`PrincipalID`,`FirstName`,`LastName`) VALUES ('{ANN}','Ann','Owner');\n\
         INSERT INTO `inventoryfolders` (`folderID`,`parentFolderID`,`agentID`,`type`,`folderName`) VALUES \
         ('{root}','{NIL}','{ANN}',8,'My Inventory'),('{things}','{root}','{ANN}',-1,'Things');\n\
         INSERT INTO `inventoryitems` (`inventoryID`,`parentFolderID`,`avatarID`,`assetID`,`assetType`,\
         `inventoryName`,`invType`,`creatorID`) VALUES ('{first}','{things}','{ANN}','{pair}',6,'Pair',6,'{ANN}'),\
         ('{second}','{things}','{ANN}','{boxed}',6,'Box',6,'{ANN}');\n"
    );
    for (asset, xml) in objects {
        let hex: String = xml.bytes().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(sql, "INSERT INTO `assets` (`id`,`assetType`,`data`) VALUES ('{asset}',6,0x{hex});");
        iar = iar.add(&format!("assets/{asset}_object.xml"), xml);
    }
    sql += "-- Dump completed on 2026-11-24  3:00:00\n";
    let desk = Desk::with(&[("ann.iar", &iar.gzip()), ("ann.sql", sql.as_bytes())]);
    let rows = |input: &str, table: &str, without: &[&str]| -> Vec<Row> {
        let out = format!("{input}-report");
        desk.run_to(DONE, &format!("audit {input} --out {out} --format csv --inventory all"));
        let mut rows = desk.table(&out, table);
        rows.iter_mut().for_each(|row| row.retain(|column, _| !without.contains(&&**column)));
        rows
    };
    for table in ["objects", "parts"] {
        let same = |input| rows(input, table, &["archive", "identity", "item"]);
        assert_eq!(same("ann.iar").len(), 3);
        assert_eq!(same("ann.sql"), same("ann.iar"), "{table}");
    }
    let items = |input| desk.column(&format!("{input}-report"), "objects", "item");
    assert_eq!(
        items("ann.sql"),
        ["Pair", "Pair", "Box"].map(|name| format!("inventory/Ann Owner/Things/{name}"))
    );
    assert!(items("ann.iar")[2].starts_with(&format!("{folder}Box__")));
    let missing = |input| {
        let rows = rows(input, "findings", &[]);
        let found = rows.into_iter().filter(|row| row["code"] == "AST001");
        found.map(|row| (row["message"].clone(), row["object_name"].clone())).collect::<Vec<_>>()
    };
    assert_eq!(missing("ann.sql"), missing("ann.iar"), "what objects lack is told in the same way");
}

/// The items and folders of real databases, as three products dump them.
#[test]
fn real_inventories_are_equal_in_three_dialects() {
    let Some(shared) = shared() else { return };
    let databases = shared.join("data/databases");
    let expected = [
        ("futebol-inv.db", 6, 114, 187, 0),
        ("pakkio-inv.db", 3, 70, 46, 18),
        ("justasabc-inv.db", 2, 30, 14, 0),
        ("opensim-0.9.2.2/faraway/inventory.db", 1, 20, 12, 6),
    ];
    for (name, owners, folders, items, links) in expected {
        let desk = Desk::with(&[]);
        let script = repository().join("tests/scripts/inventory_dumps.py");
        let mut python = Command::new("python3");
        let done = python.arg(script).arg(databases.join(name)).arg(desk.at("")).status();
        if done.is_err() {
            return;
        }
        let [mysql, postgresql, sqlite] = ["mysql.sql", "postgresql.sql", "sqlite.sql"].map(|dialect| {
            let path: PathBuf = desk.at(dialect);
            scan_one(&path, &Limits::default())
        });
        let facts =
            |ledger: &Ledger| (ledger.inventories.clone(), ledger.items.clone(), ledger.defects.clone());
        assert_eq!(facts(&mysql), facts(&sqlite), "{name}");
        assert_eq!(facts(&postgresql), facts(&sqlite), "{name}");
        assert_eq!(sqlite.inventories.len(), owners, "{name}");
        assert_eq!(
            sqlite.inventories.iter().map(|inventory| inventory.folders).sum::<u64>(),
            folders,
            "{name}"
        );
        assert_eq!((sqlite.items.len(), sqlite.container.inventory_items), (items, items as u64), "{name}");
        let is_link = |ledger: &Ledger| ledger.items.iter().filter(|item| item.item.asset_type == 24).count();
        assert_eq!(is_link(&sqlite), links, "{name}");
        assert_eq!(sqlite.defects, [], "{name}: viewers log in to it");
        assert!(sqlite.items.iter().all(|item| !item.entry.contains('…')), "{name}");
    }
}
