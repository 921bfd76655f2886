//! Tables of the whole run: actions and missing assets in the order of all inputs, owners and creators.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, Row},
    object::{Face, OWNER, Prim, uuid, xml2},
    repository,
};
use std::collections::{BTreeMap, BTreeSet};

/// Returns a region with a sign that shows these textures, and copies of the textures that it has.
fn region(number: u32, shown: &[u32], held: &[u32]) -> Vec<u8> {
    let texture = |texture: u32| uuid(0x7e7e_7e7e, texture);
    let faces =
        shown.iter().map(|&shown| Face { texture: texture(shown).parse().unwrap(), ..Face::default() });
    let sign = Prim { faces: faces.collect(), ..Prim::new("Sign", number) };
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add(&format!("settings/Region {number}.xml"), settings("1"))
        .add("objects/sign.xml", xml2(&[sign]));
    let add = |region: Archive, &held: &u32| {
        region.add(&format!("assets/{}_notecard.txt", texture(held)), format!("note {held}"))
    };
    held.iter().fold(region, add).gzip()
}

#[test]
fn a_missing_asset_names_the_other_input_that_has_it() {
    // The third lacks what the first and the fourth have, and what nobody has.
    let desk = Desk::with(&[
        ("a.oar", &region(1, &[], &[1])),
        ("b.oar", &region(2, &[2], &[2])),
        ("c.oar", &region(3, &[1, 5, 4], &[9])),
        ("d.oar", &region(4, &[], &[1, 4])),
    ]);
    let told = |folder: &str| -> Vec<[String; 3]> {
        let rows = desk.table(folder, "missing").into_iter();
        rows.map(|row| ["archive", "asset_uuid", "elsewhere"].map(|name| row[name].clone())).collect()
    };
    desk.run_to(DONE, "audit a.oar b.oar c.oar d.oar --out one --threads 1");
    let row = |texture, elsewhere: &str| ["c.oar", &uuid(0x7e7e_7e7e, texture), elsewhere].map(String::from);
    let found: BTreeSet<[String; 3]> = told("one").into_iter().collect();
    assert_eq!(found, BTreeSet::from([row(1, "a.oar"), row(4, "d.oar"), row(5, "")]));
    desk.run_to(DONE, "audit d.oar c.oar b.oar a.oar --out other --threads 4");
    assert_eq!(desk.files("one")["missing.csv"], desk.files("other")["missing.csv"]);
}

/// The first rows of `actions` are the first screen, and ranks of a region keep their order.
#[test]
fn the_first_actions_are_those_of_the_summary() {
    for target in ["", " --profile second-life"] {
        let desk = Desk::with(&[]);
        let samples = repository().join("sample_data");
        desk.run_to(DONE, &format!("audit {} --out report --format csv{target}", samples.display()));
        let rows = desk.table("report", "actions");
        let audit = desk.audit_json("report");
        let listed: Vec<[String; 2]> = audit["actions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| ["archive", "action"].map(|name| line[name].as_str().unwrap().to_owned()))
            .take(10)
            .collect();
        assert_eq!(listed.len(), 10);
        // The table holds the cost of the simulator, too, and the summary both parts.
        let first = rows.iter().map(|row| ["archive", "action"].map(|name| row[name].clone()));
        assert!(first.take(10).eq(listed), "{target}");
        let mut ranks: BTreeMap<[String; 2], u64> = BTreeMap::new();
        for row in &rows {
            let region = ["archive", "region"].map(|name| row[name].clone());
            let rank = row["rank"].parse().unwrap();
            assert!(ranks.insert(region, rank).is_none_or(|before| before < rank), "{row:?}");
        }
        assert!(ranks.values().all(|&rank| rank > 0), "absent inputs and copies have ranks, too");
        let is_blocker = |row: &Row| row["severity"] == "blocker";
        let blockers = rows.iter().take_while(|row| is_blocker(row)).count();
        assert!(blockers > 0 && !rows[blockers..].iter().any(is_blocker), "blockers come first");
        let losses = rows.iter().position(|row| row["kind"] == "bring_asset").unwrap();
        let savings =
            rows.iter().position(|row| !row["land_impact_saved"].is_empty() && row["severity"].is_empty());
        assert!(savings.is_none_or(|saving| losses < saving), "losses come before savings");
    }
}

#[test]
fn owners_have_the_sums_of_their_objects() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data");
    desk.run_to(DONE, &format!("audit {} --out report --format csv", samples.display()));
    let number = |row: &Row, name: &str| row[name].parse::<f64>().unwrap_or_default();
    let objects = desk.table("report", "objects");
    let owners = desk.table("report", "owners");
    assert!(owners.len() > 3, "{}", owners.len());
    for owner in &owners {
        let of_owner = |row: &&Row| row["owner_uuid"] == owner["owner_uuid"];
        let own: Vec<&Row> = objects.iter().filter(of_owner).filter(|row| row["role"] != "nested").collect();
        assert_eq!(number(owner, "objects"), own.len() as f64, "{owner:?}");
        assert_eq!(number(owner, "parts"), own.iter().map(|row| number(row, "parts")).sum::<f64>());
        let impact: f64 = own.iter().map(|row| number(row, "land_impact")).sum();
        assert!((number(owner, "land_impact") - impact).abs() < 1e-6, "{owner:?}");
        let parcels = desk.table("report", "parcels").into_iter().filter(|row| of_owner(&row));
        assert_eq!(number(owner, "area_m2"), parcels.map(|row| number(&row, "area_m2")).sum::<f64>());
    }
    let known: BTreeSet<&String> = owners.iter().map(|owner| &owner["owner_uuid"]).collect();
    assert!(objects.iter().all(|row| row["owner_uuid"].is_empty() || known.contains(&row["owner_uuid"])));
    let keeper = owners.iter().find(|owner| owner["owner_uuid"] == uuid(0x0a0a_0a0a, 7)).unwrap();
    assert_eq!([&keeper["lost_assets"], &keeper["objects"]], ["1", "2"]);
}

#[test]
fn creators_have_the_linksets_that_an_export_by_permissions_drops() {
    let (free, no_copy, no_transfer) = (0x7fff_ffff_u32, 0x7fff_7fff_u32, 0x7fff_dfff_u32);
    let friend = uuid(0x0c0c_0c0c, 5);
    let object = |number: u32, base: u32, creator: &str| {
        let masks = ["BaseMask", "OwnerMask", "GroupMask", "EveryoneMask", "NextOwnerMask"]
            .map(|mask| format!("<{mask}>{base}</{mask}>"))
            .concat()
            + "</SceneObjectPart>";
        let data = format!(
            "<CreatorID><UUID>{creator}</UUID></CreatorID><CreatorData>http://far.example:8002/;Fay</CreatorData>"
        );
        xml2(&[Prim::new("Vase", number)])
            .replace("</SceneObjectPart>", &masks)
            .replace(&format!("<CreatorID><UUID>{OWNER}</UUID></CreatorID>"), &data)
    };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("objects/a.xml", object(1, free, &friend))
        .add("objects/b.xml", object(2, no_copy, &friend))
        .add("objects/c.xml", object(3, no_transfer, &friend))
        .add(&format!("assets/{}_object.xml", uuid(0x0c0c_0c0c, 9)), object(4, no_copy, &friend))
        .gzip();
    let desk = Desk::with(&[("here.oar", &archive)]);
    desk.run_to(DONE, "audit here.oar --out report --format csv");
    let rows = desk.table("report", "creators");
    let columns = ["name", "grid", "objects", "dropped_by_perm_c", "dropped_by_perm_t", "dropped_by_perm_ct"];
    let told = columns.map(|name| rows[0][name].as_str());
    assert_eq!(told, ["Fay", "http://far.example:8002/", "4", "1", "1", "2"], "{rows:?}");
    let named = &rows[0]["dropped_linksets"];
    assert!(
        named.contains(&Prim::new("Vase", 2).uuid) && !named.contains(&Prim::new("Vase", 4).uuid),
        "{named}"
    );
}

#[test]
fn assets_are_listed_on_request() {
    let desk = Desk::with(&[("a.oar", &region(1, &[1], &[1, 2]))]);
    desk.run_to(DONE, "audit a.oar --out report --format csv");
    assert!(!desk.at("report/assets.csv").exists());
    desk.run_to(DONE, "audit a.oar --out report --format csv --list-assets");
    let rows = desk.table("report", "assets");
    let told: BTreeSet<[&str; 4]> =
        rows.iter().map(|row| ["uses", "used_by", "object_name", "bytes"].map(|name| &*row[name])).collect();
    assert_eq!(told, BTreeSet::from([["1", "object", "Sign", "6"], ["0", "", "", "6"]]));
    // Without the table, that of an earlier report is removed, as other surplus files are.
    desk.write("hullmark.toml", "[report]\nlist_assets = true\n");
    desk.run_to(DONE, "audit a.oar --out set --format jsonl");
    assert!(desk.at("set/assets.jsonl").exists());
    desk.write("hullmark.toml", "");
    desk.run_to(DONE, "audit a.oar --out report --format csv");
    assert!(!desk.at("report/assets.csv").exists());
    let refused = desk.run("audit a.oar --list-assets");
    assert!(refused.stderr.contains("--list-assets needs a report"), "{refused:?}");
}

#[test]
fn new_losses_come_before_known_ones() {
    let desk = Desk::with(&[("in/a.oar", &region(1, &[1, 2, 3], &[9]))]);
    desk.run_to(DONE, "audit in --out first --format csv");
    desk.write("in/b.oar", region(2, &[4, 4], &[9]));
    let archives = |folder: &str| desk.column(folder, "actions", "archive");
    desk.run_to(DONE, "audit in --out alone --format csv");
    assert_eq!(archives("alone")[..2], ["in/a.oar", "in/b.oar"], "the one with most uses first");
    desk.run_to(DONE, "audit in --out second --format csv --baseline first");
    assert_eq!(archives("second")[..2], ["in/b.oar", "in/a.oar"]);
    let lines = &desk.audit_json("second")["actions"];
    assert_eq!([&lines[0]["is_new"], &lines[1]["is_new"]], [true, false]);
}

/// The overview is the table of regions in its order, without regions that need nothing.
#[test]
fn the_overview_lists_the_worst_regions() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data");
    desk.run_to(DONE, &format!("audit {} --out report --format csv", samples.display()));
    let overview = &desk.audit_json("report")["overview"];
    let worst = overview["worst"].as_array().unwrap();
    let rows = desk.table("report", "regions");
    assert_eq!(worst.len(), 20);
    assert!(overview["all"].as_u64().unwrap() >= rows.len() as u64);
    let mut before = None;
    for line in worst {
        let counts = ["blocker", "error"].map(|severity| line["findings"][severity].as_u64().unwrap());
        let verdict = line["verdict"].as_str().unwrap_or_default();
        let rank = (u64::from(counts[0] > 0 || verdict == "no-go"), counts, line["lost"].as_u64().unwrap());
        assert!(before.is_none_or(|before| before >= rank || verdict != "no-go"), "{line}");
        before = Some(rank);
        let region = line["region"].as_str().unwrap();
        if !region.is_empty() {
            let row = |row: &&Row| row["archive"] == line["archive"] && row["region"] == region;
            let row = rows.iter().find(row).unwrap();
            assert_eq!([&row["blockers"], &row["errors"]], counts.map(|count| count.to_string()).each_ref());
            assert_eq!(row["lost"], line["lost"].to_string());
        }
    }
    // What needs nothing is counted.
    let nothing = |row: &&Row| row["verdict"] == "GO" && row["lost"] == "0" && row["blockers"] == "0";
    let nothing = rows.iter().filter(nothing).filter(|row| row["errors"] == "0" && row["warnings"] == "0");
    assert!(overview["need_nothing"].as_u64().unwrap() >= nothing.count() as u64);
}

#[test]
fn the_repair_of_a_copy_has_a_rank() {
    let whole = region(1, &[], &[9]);
    let desk = Desk::with(&[("in/Here-2026-11-01.oar", &whole)]);
    desk.write("in/Here-2026-11-02.oar", &whole[..whole.len() / 2]);
    desk.run("audit in --out report --format csv");
    let rows = desk.table("report", "actions");
    let copy = rows.iter().find(|row| row["code"] == "HIS006").unwrap();
    assert_eq!(copy["archive"], "in/Here-2026-11-02.oar");
    assert!(copy["rank"].parse::<u64>().unwrap() > 0, "{copy:?}");
}
