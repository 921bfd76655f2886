//! Effects of the target grid: several profiles, users, and the size of the region.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, USAGE, assert_same, faulty, sound},
    llsd::Llsd,
    mesh::{MeshFile, convex, cube_corners, cube_submesh},
    object::{Prim, uuid, xml2},
};

#[test]
fn opensim_has_no_rule_for_linking() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit faulty.oar sound.oar --out life");
    assert_eq!(desk.column("life", "objects", "linkable"), ["false", "true"]);
    desk.run_to(DONE, "audit faulty.oar sound.oar --out ubode --profile opensim-ubode --fail-on error");
    assert_eq!(desk.column("ubode", "objects", "linkable"), ["", ""]);
    assert_eq!(desk.column("ubode", "objects", "diameter_m"), ["60", "0"]);
}

/// Returns a region that OpenSim reads differently. It has a house whose mesh has two shapes, the same house as a
/// phantom, a small cup, and a chair.
fn house() -> Vec<u8> {
    let (house, cup) = (uuid(0x3e3e_3e3e, 1), uuid(0x3e3e_3e3e, 2));
    let walls = cube_submesh();
    let triangles = || MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![walls.clone()]));
    let halves = convex(&cube_corners(), &[cube_corners(), cube_corners()]);
    let of = |name: &str, number, mesh: &String, side| Prim {
        mesh: Some(mesh.clone()),
        scale: [side; 3],
        ..Prim::new(name, number)
    };
    let ghost = Prim { flags: "Phantom", ..of("Ghost", 3, &house, 20.0) };
    let linked = [Prim::new("House", 1), of("Wall", 2, &house, 20.0)];
    let mut region =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("objects/a.xml", xml2(&linked));
    for (name, prim) in [("b", ghost), ("c", of("Cup", 4, &cup, 0.4)), ("d", Prim::new("Chair", 5))] {
        region = region.add(&format!("objects/{name}.xml"), xml2(&[prim]));
    }
    region
        .add(&format!("assets/{house}_mesh.llmesh"), triangles().block("physics_convex", &halves).encode())
        .add(&format!("assets/{cup}_mesh.llmesh"), triangles().encode())
        .gzip()
}

#[test]
fn further_profiles_add_columns_to_the_first() {
    let desk = Desk::with(&[("house.oar", &house())]);
    let profiles = "--profile second-life --profile opensim-ubode --profile opensim-bulletsim";
    desk.run_to(DONE, "audit house.oar --out alone --profile second-life");
    desk.run_to(DONE, &format!("audit house.oar --out both {profiles}"));

    // The first profile evaluates: its columns do not depend on the others.
    let (alone, both) = (desk.table("alone", "objects"), desk.table("both", "objects"));
    assert_eq!((alone[0].contains_key("land_impact_opensim_ubode"), both.len()), (false, 4));
    for (alone, both) in alone.iter().zip(&both) {
        for (column, value) in alone
            .iter()
            .filter(|(column, _)| !["cure", "findings", "worst_severity"].contains(&column.as_str()))
        {
            assert_eq!(&both[column], value, "{column}");
        }
    }
    for table in ["parts", "meshes", "hulls", "parcels"] {
        let name = format!("{table}.csv");
        assert!(desk.files("alone")[&name] == desk.files("both")[&name], "{table}");
    }

    // The wall's triangles: 0.0013 · 36 · 0.266 · 300, and 0.1 for the box. The engine has no physics cost for the
    // phantom.
    let column = |name: &str| desk.column("both", "objects", name);
    assert_eq!(column("physics_cost"), ["0.82", "0.72", "0.36", ""]);
    assert_eq!(column("physics_cost_opensim_ubode"), ["3.83464", "0.1", "0.1", ""]);
    assert_eq!(column("physics_cost_basis_opensim_ubode")[0], "measured");
    assert_eq!(column("physics_cost_if_new_opensim_bulletsim"), ["0.2", "0.1", "0.1", "0.1"]);
    assert_eq!(column("land_impact"), ["1", "1", "1", "1"]);
    assert_eq!(column("land_impact_opensim_ubode"), ["2", "1", "1", "1"]);
    assert_eq!(column("land_impact_opensim_bulletsim"), ["2", "1", "1", "1"]);
    assert_eq!(column("streaming_cost_opensim_ubode"), ["2", "1", "1", "1"]);
    assert_eq!(column("server_weight_opensim_ubode"), ["0", "0", "0", "0"]);
    assert_eq!((column("linkable")[0].as_str(), column("linkable_opensim_ubode")[0].as_str()), ("true", ""));

    let messages = desk.column("both", "findings", "message");
    let reported: Vec<_> = messages.iter().filter(|message| message.contains("with profile")).collect();
    assert_eq!(
        reported,
        [
            "Prims that collide differently than with profile opensim-ubode: 1 (link 2: triangle mesh → decomposition)",
            "Prims that collide differently than with profile opensim-ubode: 1 (link 0: triangle mesh → base hull)",
            "Land impact is 1, but 2 with profile opensim-ubode",
            "Land impact is 1, but 2 with profile opensim-bulletsim",
        ]
    );
    assert!(
        !desk.column("alone", "findings", "message").iter().any(|message| message.contains("with profile"))
    );
    let manifest = &desk.audit_json("both")["manifest"];
    assert_eq!(manifest["also"][1]["name"], "opensim-bulletsim");
    assert!(desk.audit_json("alone")["manifest"].get("also").is_none());

    // Kept ledgers give the same files, and so do settings.
    desk.run_to(DONE, "scan house.oar --ledgers ledgers");
    desk.run_to(DONE, &format!("report ledgers --out later {profiles}"));
    assert_same(&desk.files("both"), &desk.files("later"));
    desk.write("also.toml", "profile = \"second-life\"\nalso = [\"opensim-ubode\", \"opensim-bulletsim\"]");
    desk.run_to(DONE, "audit house.oar --out settings --config also.toml");
    assert_same(&desk.files("both"), &desk.files("settings"));
    // A flag wins over all of them. A profile may be given only once.
    desk.run_to(DONE, "audit house.oar --out flag --config also.toml --profile second-life");
    assert_same(&desk.files("alone"), &desk.files("flag"));
    let twice = desk.run_to(USAGE, "audit house.oar --out both --profile second-life --profile second-life");
    assert!(twice.stderr.contains("name each profile once"), "{}", twice.stderr);
}

#[test]
fn a_small_difference_of_cost_is_no_news() {
    let desk =
        Desk::with(&[("house.oar", &house()), ("wide.toml", b"[report]\ncost_difference_percent = 60\n")]);
    let profiles = "--profile opensim-bulletsim --profile opensim-ubode --profile second-life";
    desk.run_to(DONE, &format!("audit house.oar --out report --config wide.toml {profiles}"));
    // 2 against 1 is 50 %.
    assert!(!desk.column("report", "findings", "code").contains(&"CST003".into()));
    desk.run_to(DONE, &format!("audit house.oar --out report {profiles}"));
    assert_eq!(desk.column("report", "findings", "code").iter().filter(|code| *code == "CST003").count(), 1);
}

#[test]
fn people_unknown_to_the_target_are_listed() {
    let ann = uuid(0x0a0a_0a0a, 1);
    let desk = Desk::with(&[
        ("a.oar", &sound()),
        ("grid.csv", format!("PrincipalID,Name\n{ann},Ann\n").as_bytes()),
        ("other.csv", format!("{}\n", uuid(0x0a0a_0a0a, 9)).as_bytes()),
        ("wrong.csv", b"# grid\nAnn Other\n7,Ben\n"),
    ]);
    let unknown = |flags: &str| {
        desk.run_to(DONE, &format!("audit a.oar --out report{flags}"));
        let mut rows = desk.table("report", "findings");
        rows.retain(|row| row["code"] == "OWN001");
        rows.into_iter().map(|mut row| row.remove("message").unwrap()).collect::<Vec<_>>()
    };
    assert!(unknown("").is_empty(), "without a list nobody can tell");
    assert!(unknown(" --users grid.csv").is_empty());
    let reported = format!(
        "The list of users lacks 1 of 1 owners, creators and groups: {ann} (owns 1 object, created 1 prim)"
    );
    assert_eq!(unknown(" --users other.csv"), [reported]);

    let wrong = desk.run_to(USAGE, "audit a.oar --out report --users wrong.csv").stderr;
    assert!(wrong.contains("no UUID in line 3: \"7\""), "{wrong}");
    let none = desk.run_to(USAGE, "audit a.oar --out report --users nobody.csv").stderr;
    assert!(none.contains("nobody.csv cannot be read"), "{none}");
}

#[test]
fn a_region_of_another_size_is_named() {
    // The chair is in the middle of 256 m.
    let desk = Desk::with(&[("a.oar", &sound())]);
    desk.run_to(DONE, "audit a.oar --out report --region-size 100x256");
    let rows = desk.table("report", "findings");
    let row = rows.iter().find(|row| row["code"] == "POS002").unwrap();
    assert_eq!(row["measured"], "28");
    assert!(
        row["message"].contains("; the region is 100 × 256 m (size of the target); loading drops"),
        "{}",
        row["message"]
    );
    let wrong = desk.run_to(USAGE, "audit a.oar --out report --region-size 256").stderr;
    assert!(wrong.contains("as 256x256"), "{wrong}");
}
