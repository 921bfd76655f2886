//! The assets that an input lacks: a row for each, with its first user.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, Row},
    flat,
    object::{Face, OWNER, Prim, uuid, xml2},
    repository,
};
use std::{collections::BTreeSet, fs};

/// Returns a region whose objects use three textures that it lacks, one of them twice, and one that it has.
fn region() -> Vec<u8> {
    let face = |number| Face {
        texture: uuid(0x7e7e_7e7e, number).parse().unwrap(),
        colour: 0,
        glow: 0,
        material: uuid::Uuid::nil(),
    };
    let painted = |name: &str, number, textures: &[u32]| {
        let faces: Vec<Face> = textures.iter().map(|&texture| face(texture)).collect();
        Prim { faces, ..Prim::new(name, number) }
    };
    let child = Prim { offset: [1.0, 0.0, 0.0], ..painted("Sign", 2, &[2]) };
    let bench = Prim { contains: Some(uuid(0x0c0c_0c0c, 1)), ..painted("Bench", 3, &[1, 4]) };
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"))
        .add("objects/a.xml", xml2(&[painted("Shop", 1, &[1]), child]))
        .add("objects/b.xml", xml2(&[bench]))
        .add(&format!("assets/{}_object.xml", uuid(0x0c0c_0c0c, 1)), xml2(&[painted("Gift", 5, &[3])]))
        .add(&format!("assets/{}_texture.jp2", uuid(0x7e7e_7e7e, 4)), "\u{ff}\u{4f}")
        .gzip()
}

fn cells<const N: usize>(row: &Row, columns: [&str; N]) -> [String; N] {
    columns.map(|column| row[column].clone())
}

#[test]
fn each_missing_asset_has_a_row_with_its_first_user() {
    let desk = Desk::with(&[("here.oar", &region())]);
    desk.run_to(DONE, "audit here.oar --out report");
    let rows = desk.table("report", "missing");
    let textures: Vec<&Row> = rows.iter().filter(|row| row["kind"] == "texture").collect();
    let told: Vec<[String; 6]> = textures
        .iter()
        .map(|row| cells(row, ["asset_uuid", "state", "objects", "used_by", "object_name", "within"]))
        .collect();
    let row = |number, state: &str, objects: &str, user: &str, object: &str, within: &str| {
        [&*uuid(0x7e7e_7e7e, number), state, objects, user, object, within].map(String::from)
    };
    let expected = [
        row(1, "missing", "2", "object", "Shop", ""),
        row(2, "missing", "1", "object", "Shop", "Sign"),
        row(3, "missing", "1", "object in an inventory", "Gift", ""),
        row(4, "unusable", "1", "object", "Bench", ""),
    ];
    assert_eq!(told, expected);
    let place = ["owner_uuid", "region", "position_x_m", "position_y_m", "position_z_m"];
    assert_eq!(cells(textures[0], place), [OWNER, "Here", "128", "128", "25"].map(String::from));
    let of_container = ["container_name", "region", "position_x_m"];
    assert_eq!(cells(textures[2], of_container), ["Bench", "Here", "128"].map(String::from));
    assert_eq!(textures[0]["container_name"], "");

    // Each object says how many it uses, of which kinds.
    let objects = desk.table("report", "objects");
    let of_objects: BTreeSet<[String; 3]> =
        objects.iter().map(|row| cells(row, ["name", "lost_assets", "lost_kinds"])).collect();
    let uses = |name: &str, lost: &str, kinds: &str| [name, lost, kinds].map(String::from);
    let expected =
        [uses("Bench", "2", "texture 2"), uses("Gift", "1", "texture 1"), uses("Shop", "2", "texture 2")];
    assert_eq!(of_objects, expected.into());

    // Letters say in which object of the owner it is.
    desk.run_to(DONE, "audit here.oar --out again --letters letters");
    let letter = fs::read_to_string(desk.at(&format!("letters/{OWNER}.txt"))).unwrap();
    assert!(flat(&letter).contains("“Gift”, in an inventory: “Bench”"), "{letter}");

    // A filter leaves the rows of its region, and other formats have the same rows.
    desk.run_to(DONE, "audit here.oar --out few --region Here");
    assert_eq!(desk.table("few", "missing").len(), rows.len());
    desk.run_to(DONE, "audit here.oar --out lines --format jsonl");
    let lines = fs::read_to_string(desk.at("lines/missing.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), rows.len());
}

#[test]
fn preflight_writes_the_uuids_that_will_be_lost() {
    let desk = Desk::with(&[("here.oar", &region())]);
    desk.run_to(DONE, "preflight here.oar --missing lost.txt");
    let lost: BTreeSet<String> =
        fs::read_to_string(desk.at("lost.txt")).unwrap().lines().map(String::from).collect();
    assert!(lost.is_superset(&(1..=4).map(|number| uuid(0x7e7e_7e7e, number)).collect()), "{lost:?}");
}

/// The table has as many assets of each kind as the losses count.
#[test]
fn rows_agree_with_the_losses() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data/regions");
    desk.run(&format!("audit {} --out report --format csv", samples.display()));
    let rows = desk.table("report", "missing");
    let losses = desk.audit_json("report")["losses"].as_array().unwrap().clone();
    assert!(rows.len() >= 3, "{}", rows.len());
    for loss in losses.iter().filter(|loss| loss["objects"].as_u64() > Some(0)) {
        let kind = loss["kind"].as_str().unwrap();
        let of_kind = rows.iter().filter(|row| row["kind"] == kind).count() as u64;
        assert!(of_kind > 0 && Some(of_kind) <= loss["lost"].as_u64(), "{kind}: {of_kind} of {loss}");
    }
}

#[test]
fn the_name_of_the_first_user_stays_text() {
    let face = Face { texture: uuid(0x7e7e_7e7e, 1).parse().unwrap(), ..Face::default() };
    let sign = Prim { faces: vec![face], ..Prim::new("<b onclick=x>\u{1b}[2J", 1) };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .flat_ground("terrains/Here.r32", 256)
        .add("settings/Here.xml", settings("1"))
        .add("objects/a.xml", xml2(&[sign]).replace('\u{1b}', ""))
        .add(&format!("assets/{}_notecard.txt", uuid(0x7e7e_7e7e, 2)), "a note")
        .gzip();
    let desk = Desk::with(&[("here.oar", &archive)]);
    let run = desk.run_to(DONE, "audit here.oar --out report");
    assert!(run.stdout.contains("first: \"<b onclick=x>[2J\" of "), "{}", run.stdout);
    let page = fs::read_to_string(desk.at("report/audit.html")).unwrap();
    assert!(page.contains("first: &quot;&lt;b onclick=x&gt;") && !page.contains("<b onclick"), "{page}");
}
