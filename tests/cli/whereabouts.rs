//! `hullmark where`: all places of an asset, a UUID or a name.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};
use serde_json::Value;

const MESH: &str = "3e3e3e3e-0000-4000-8000-000000000001";

/// Returns a region with a table that uses the mesh twice, and a plain object.
fn region() -> Archive {
    let top = Prim { mesh: Some(MESH.into()), ..Prim::new("Table", 1) };
    let leg = Prim { mesh: Some(MESH.into()), offset: [1.0, 0.0, 0.0], ..Prim::new("Leg", 2) };
    Archive::new(&control("4e4e4e4e-0000-4000-8000-000000000001", "256,256"))
        .add("objects/Table.xml", xml2(&[top, leg]))
        .add("objects/Stone.xml", xml2(&[Prim::new("Stone", 3)]))
}

fn desk() -> Desk {
    let with_mesh = region().add(&format!("assets/{MESH}_mesh.llmesh"), MeshFile::cube().encode());
    Desk::with(&[
        ("oars/without.oar", &region().gzip()),
        ("oars/with.oar", &with_mesh.gzip()),
        ("oars/other.oar", &Archive::new(&control(&uuid(0x4e4e_4e4e, 9), "256,256")).gzip()),
    ])
}

/// Returns archive, relation, kind, object and count of each place.
fn places(json: &str) -> Vec<[String; 5]> {
    let page: Value = serde_json::from_str(json).unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let found = page["found"].as_array().unwrap();
    found
        .iter()
        .map(|row| ["archive", "relation", "kind", "object", "count"].map(|key| text(&row[key])))
        .collect()
}

#[test]
fn ledgers_and_exports_give_the_same_places() {
    let desk = desk();
    assert_eq!(desk.run("scan oars --ledgers ledgers").code, DONE);
    let of_ledgers = desk.run(&format!("where {MESH} ledgers --json"));
    assert_eq!(of_ledgers.code, DONE, "{of_ledgers:?}");
    let expected = [
        ["oars/with.oar", "holds", "mesh", "null", "1"],
        ["oars/with.oar", "uses", "mesh", "Table", "2"],
        ["oars/without.oar", "uses", "mesh", "Table", "2"],
    ];
    assert_eq!(places(&of_ledgers.stdout), expected.map(|row| row.map(str::to_owned)));
    let of_exports = desk.run(&format!("where {} oars --json", MESH.to_uppercase().replace('-', "")));
    assert_eq!(places(&of_exports.stdout), places(&of_ledgers.stdout));
    // An input that is read now counts once.
    let of_both = desk.run(&format!("where {MESH} oars/with.oar --ledgers ledgers --json"));
    assert_eq!(places(&of_both.stdout), places(&of_ledgers.stdout));
    desk.write("hullmark.toml", "ledgers = \"ledgers\"\n");
    let of_setting = desk.run(&format!("where {MESH} --json"));
    assert_eq!(of_setting.stdout, of_ledgers.stdout);

    let page = desk.run(&format!("where {MESH}")).stdout;
    let lines: Vec<&str> = page.lines().collect();
    assert!(
        lines[0].starts_with(&format!("oars/with.oar  assets/{MESH}_mesh.llmesh: the asset, a mesh of ")),
        "{page}"
    );
    assert!(lines[1].contains("\"Table\"") && lines[1].ends_with(": uses it as mesh × 2"), "{page}");
    assert!(page.contains("5 places in 2 of 3 inputs."), "{page}");
    assert!(page.contains("One of them uses the asset and does not hold it."), "{page}");
}

#[test]
fn names_are_compared_in_any_case() {
    let desk = desk();
    let page = desk.run("where tABLE oars --json");
    let expected =
        ["oars/with.oar", "oars/without.oar"].map(|archive| [archive, "is", "object", "Table", "1"]);
    assert_eq!(places(&page.stdout), expected.map(|row| row.map(str::to_owned)));
    // A part of a name counts, because no whole name matches.
    assert_eq!(places(&desk.run("where Tabl oars --json").stdout), places(&page.stdout));
    let legs = desk.run("where leg oars/with.oar").stdout;
    assert!(legs.contains("\"Table\" link 2 \"Leg\": part "), "{legs}");
}

#[test]
fn exit_codes_tell_absent_from_unknown() {
    let desk = desk();
    assert_eq!(desk.run("scan oars --ledgers ledgers").code, DONE);
    let absent = desk.run("where nothing-of-this-name ledgers");
    assert_eq!(absent.code, FINDINGS);
    assert!(absent.stdout.contains("is in none of 3 inputs."), "{absent:?}");
    let whole = region().gzip();
    desk.write("cut.oar", &whole[..whole.len() - 9]);
    let unknown = desk.run("where nothing-of-this-name cut.oar");
    assert_eq!(unknown.code, INCOMPLETE);
    assert!(unknown.stdout.contains("Not fully read, so there may be more:\n  cut.oar"), "{unknown:?}");
    assert_eq!(desk.run("where Stone cut.oar").code, DONE, "a place is certain");
    desk.write("ledgers/broken-0000000000000000.ledger", "{}\n");
    let damaged = desk.run("where nothing-of-this-name ledgers");
    assert_eq!(damaged.code, INCOMPLETE);
    assert!(damaged.stdout.contains("Not searched:"), "{damaged:?}");
}

#[test]
fn a_search_of_nothing_is_refused() {
    let desk = desk();
    let nowhere = desk.run("where Table");
    assert_eq!(nowhere.code, USAGE);
    assert!(nowhere.stderr.contains("Name ledgers or exports"), "{nowhere:?}");
    assert_eq!(desk.run("where 00000000-0000-0000-0000-000000000000 oars").code, USAGE);
    assert_eq!(desk.run("where Table no-such-folder").code, USAGE);
    let empty = desk.run("where Table --ledgers oars");
    assert!(empty.code == USAGE && empty.stderr.contains("has no ledger"), "{empty:?}");
}
