//! Findings of one subject with different aspects: each has its own row and fingerprint.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{Desk, Row, USAGE},
    llsd::Llsd,
    mesh::{MeshFile, convex, cube_corners, cube_submesh},
    object::uuid,
};
use std::collections::BTreeSet;

const DAY: &str = "2026-11-21T12:00:00Z";

/// Returns a mesh with two point lists of a wrong length, and a domain whose two corners are no points.
fn broken_mesh() -> Vec<u8> {
    let block = convex(&cube_corners(), &[cube_corners()])
        .with("Positions", Llsd::Bytes(vec![7; 49]))
        .with("BoundingVerts", Llsd::Bytes(vec![7; 50]))
        .with("Min", Llsd::Text(b"low".to_vec()))
        .with("Max", Llsd::Text(b"high".to_vec()));
    MeshFile::cube().block("physics_convex", &block).encode()
}

fn mesh_desk() -> Desk {
    Desk::with(&[(&format!("in/{}.llmesh", uuid(0x3e3e_3e3e, 1)), &broken_mesh())])
}

/// Returns an inventory whose items need two animations and two sounds, while the archive only has a texture.
fn inventory() -> Vec<u8> {
    let item = |number: u32, asset_type: u32| {
        format!(
            "<?xml version=\"1.0\"?><InventoryItem><Name>Item {number}</Name><ID>{}</ID><InvType>0</InvType>\
             <CreatorUUID>{}</CreatorUUID><Owner>{}</Owner><AssetType>{asset_type}</AssetType><AssetID>{}</AssetID>\
             </InventoryItem>",
            uuid(0x1717_1717, number),
            uuid(0x0a0a_0a0a, 1),
            uuid(0x0a0a_0a0a, 1),
            uuid(0x5a5a_5a5a, number),
        )
    };
    let control = "<?xml version=\"1.0\"?><archive major_version=\"0\" minor_version=\"3\"><assets_included>True\
                   </assets_included></archive>";
    let archive = Archive::new(control);
    let items = [(1, 20), (2, 20), (3, 1), (4, 1)];
    let archive = items.iter().fold(archive, |archive, &(number, asset_type)| {
        let name = format!("inventory/Things__{}/Item__{}.xml", uuid(9, 9), uuid(0x1717_1717, number));
        archive.add(&name, item(number, asset_type))
    });
    archive.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note").gzip()
}

fn rows(desk: &Desk, report: &str, code: &str) -> Vec<Row> {
    desk.table(report, "findings").into_iter().filter(|row| row["code"] == code).collect()
}

fn column(rows: &[Row], name: &str) -> Vec<String> {
    rows.iter().map(|row| row[name].clone()).collect()
}

/// Returns the row whose message contains these words.
fn row<'a>(rows: &'a [Row], words: &str) -> &'a Row {
    rows.iter().find(|row| row["message"].contains(words)).unwrap_or_else(|| panic!("{words}: {rows:?}"))
}

#[test]
fn kinds_of_assets_that_are_missing_are_reported_one_by_one() {
    let desk = Desk::with(&[("a.iar", &inventory())]);
    desk.run("audit a.iar --out report --format csv,jsonl -q");
    let rows = rows(&desk, "report", "AST001");
    assert_eq!(column(&rows, "count"), ["1", "1"]);
    let [animation, sound] = ["every animation in use", "every sound in use"].map(|words| row(&rows, words));
    assert_ne!(animation["fingerprint"], sound["fingerprint"]);
    let lines = String::from_utf8(desk.files("report").remove("findings.jsonl").unwrap()).unwrap();
    assert!(lines.contains("every animation in use") && lines.contains("every sound in use"), "{lines}");
}

#[test]
fn lists_and_corners_of_one_block_are_reported_one_by_one() {
    let desk = mesh_desk();
    desk.run("audit in --out report -q");
    let lists = rows(&desk, "report", "HUL004");
    let measured = ["Positions of physics_convex", "BoundingVerts of"]
        .map(|words| row(&lists, words)["measured"].clone());
    assert_eq!((lists.len(), measured), (2, ["49".to_owned(), "50".to_owned()]));
    let corners = rows(&desk, "report", "HUL007");
    for words in ["Min is not three numbers", "Max is not three numbers"] {
        assert_eq!(row(&corners, words)["count"], "1");
    }
    assert_eq!(corners.len(), 2);
    let all: Vec<Row> = desk.table("report", "findings");
    let fingerprints: BTreeSet<&str> = all.iter().map(|row| row["fingerprint"].as_str()).collect();
    assert_eq!(fingerprints.len(), all.len());
}

#[test]
fn a_waiver_of_one_waives_no_other() {
    let desk = mesh_desk();
    desk.run("audit in --out report -q");
    let lists = rows(&desk, "report", "HUL004");
    let waiver = |fingerprint: &str| {
        format!(
            "[[waiver]]\nfingerprint = '{fingerprint}'\nreason = 'old'\nwho = 'Ann'\nuntil = 2026-11-30\n"
        )
    };
    desk.write("ours.toml", waiver(&row(&lists, "Positions")["fingerprint"]));
    let audit = format!("audit in --out waived --waivers ours.toml --now {DAY} -q");
    desk.run(&audit);
    let waived = rows(&desk, "waived", "HUL004");
    assert_eq!(row(&waived, "Positions")["waived_until"], "2026-11-30");
    assert_eq!(row(&waived, "BoundingVerts")["waived_until"], "");
    assert_eq!(rows(&desk, "waived", "RUN002"), []);

    // A fingerprint that fits nothing waives nothing, and is a finding.
    desk.write("ours.toml", waiver("0123456789abcdef"));
    desk.run(&audit);
    assert_eq!(column(&rows(&desk, "waived", "HUL004"), "waived_until"), ["", ""]);
    let unused = column(&rows(&desk, "waived", "RUN002"), "message");
    assert_eq!(
        unused,
        [
            "The waiver for finding 0123456789abcdef covers no finding of this run (number 1 in ours.toml: \"old\", Ann, until \
          2026-11-30)"
        ]
    );
    // The command `waive` does not write a waiver for it.
    let run = desk.run(&format!(
        "waive 0123456789abcdef --report report --file new.toml --who Ann --reason x --until 2026-11-30 --now {DAY}"
    ));
    assert!(run.code == USAGE && run.stderr.contains("has no finding 0123456789abcdef"), "{}", run.stderr);
}

/// One kind has more findings than are kept. Findings of other kinds stay, and all are counted.
#[test]
fn many_equal_findings_hide_no_other() {
    let bad = cube_submesh().without("Position");
    let physics = Llsd::Array(vec![bad; 100].into_iter().chain([Llsd::Int(7)]).collect());
    let mesh = MeshFile::cube().block("physics_mesh", &physics).encode();
    let desk = Desk::with(&[(&format!("in/{}.llmesh", uuid(0x3e3e_3e3e, 1)), &mesh)]);
    desk.run("audit in --out report -q");
    let rows = rows(&desk, "report", "MSH015");
    let many = row(&rows, "has neither Position");
    assert_eq!((many["count"].as_str(), many["index"].as_str()), ("100", "0"));
    assert!(many["also_at"].starts_with("number 1, number 2, "), "{}", many["also_at"]);
    assert!(many["also_at"].ends_with("number 63, 36 more"), "{}", many["also_at"]);
    assert_eq!(row(&rows, "submesh 100 is")["count"], "1");
    let checks = desk.table("report", "checks");
    let check = checks.iter().find(|check| check["code"] == "MSH015").unwrap();
    assert_eq!((check["checked"].as_str(), check["failed"].as_str()), ("1", "1"), "one mesh failed");
}

/// Two faults of one member.
#[test]
fn a_wrong_name_that_occurs_twice_is_reported_for_both_faults() {
    let name = "assets/no-uuid";
    let archive =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("settings/Here.xml", settings("1"));
    let desk = Desk::with(&[("a.oar", &archive.add(name, "x").add(name, "x").gzip())]);
    desk.run("audit a.oar --out report -q");
    let rows = rows(&desk, "report", "ARC010");
    let fingerprints: BTreeSet<String> = column(&rows, "fingerprint").into_iter().collect();
    assert_eq!((rows.len(), fingerprints.len()), (2, 2), "{rows:?}");
}
