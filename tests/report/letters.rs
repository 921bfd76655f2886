//! Letters to owners.

use crate::{
    report::row_filter::{ben, desk, estate},
    support::{
        archive::{Archive, control, settings},
        desk::{DONE, Desk, INCOMPLETE, truncated},
        mesh::{MeshFile, ball, convex},
        object::{OWNER, Prim, uuid, xml2},
        read_csv,
    },
};
use std::fs;

fn letter(desk: &Desk, owner: &str, ending: &str) -> String {
    fs::read_to_string(desk.at(&format!("letters/{owner}.{ending}"))).unwrap()
}

/// Returns text without line breaks.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_owner_has_a_letter_about_their_own() {
    let desk = desk();
    desk.run_to(DONE, "report ledgers --out report --users users.csv --letters letters");
    let (owner, boatman) = (flat(&letter(&desk, OWNER, "txt")), flat(&letter(&desk, &ben(), "txt")));
    assert!(
        owner.contains(&format!("For the owner {OWNER} You own 2 objects with 3 prims in regions")),
        "{owner}"
    );
    assert!(owner.contains("1 object or parcel needs your attention: 1 error."), "{owner}");
    assert!(owner.contains("\"Bridge\" In region \"Hill\" at 128, 128, 25 (estate.oar) 2 prims"), "{owner}");
    assert!(owner.contains("- error: The prim centers span 60 m;") && owner.contains("(LNK001)"), "{owner}");
    assert!(!owner.contains("Boat") && !owner.contains("Chair"), "{owner}");
    assert!(boatman.contains("For Ben Boatman (") && !boatman.contains("Bridge"), "{boatman}");
    assert!(boatman.contains("1. \"=Boat <b>\" In region \"Lake\""), "{boatman}");
    assert!(boatman.contains("(HUL001)"), "what is wrong with its mesh is wrong with the boat: {boatman}");
    let (_, mend) = boatman.split_once("HOW TO FIX IT").unwrap();
    assert_eq!(mend.matches("HUL001:").count(), 1, "{mend}");
    assert!(!letter(&desk, &ben(), "html").contains("<b>"));

    let index = read_csv(&desk.at("letters/letters.csv"));
    let names: Vec<&str> = index.iter().map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["", "Ben Boatman"]);
    assert_eq!(index[0]["text"], format!("{OWNER}.txt"));
    assert_eq!([&index[0]["objects"], &index[0]["to_fix"], &index[0]["errors"]], ["2", "1", "1"]);

    // Other threads and other ways to the report give the same bytes.
    let before = [letter(&desk, OWNER, "html"), letter(&desk, &ben(), "txt")];
    desk.run_to(DONE, "audit estate.oar --out report --users users.csv --letters letters --threads 2");
    assert_eq!(before, [letter(&desk, OWNER, "html"), letter(&desk, &ben(), "txt")]);
}

#[test]
fn a_filtered_report_has_the_letters_of_its_owners() {
    let desk = desk();
    desk.run_to(DONE, &format!("report ledgers --out report --letters letters --owner {}", ben()));
    let names: Vec<_> =
        read_csv(&desk.at("letters/letters.csv")).into_iter().map(|row| row["owner_uuid"].clone()).collect();
    assert_eq!(names, [ben()]);
    assert!(!desk.at(&format!("letters/{OWNER}.txt")).exists());
}

/// Names with markup, control characters, a path and more characters than a cell holds.
#[test]
fn hostile_names_stay_words() {
    let names =
        ["<script>alert(1)</script>", "../../../etc/x\" onload=\"y", "a\u{202e}b", &"x".repeat(40_000)];
    let mut archive =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("settings/Here.xml", settings("1"));
    for (name, number) in names.iter().zip(0..) {
        let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 10 + number) };
        let escaped = name.replace('<', "&lt;");
        archive = archive.add(
            &format!("objects/{number}.xml"),
            xml2(&[Prim::new("NAME", 20 + number), far]).replace("NAME", &escaped),
        );
    }
    let desk = Desk::with(&[("hostile.oar", &archive.gzip())]);
    desk.write("users.csv", format!("{OWNER},=cmd<img>\n"));
    desk.run_to(DONE, "audit hostile.oar --out report --letters letters --users users.csv");
    let (html, text) = (letter(&desk, OWNER, "html"), letter(&desk, OWNER, "txt"));
    assert!(html.contains("Content-Security-Policy") && html.contains("default-src 'none'"));
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("onload=\""));
    assert!(html.contains("&lt;script&gt;alert(1)"));
    assert!(text.contains("a·b") && text.lines().all(|line| line.chars().count() <= 410), "{text}");
    assert!(fs::read_to_string(desk.at("letters/letters.csv")).unwrap().contains(",'=cmd<img>,"));
    let mut files: Vec<_> = fs::read_dir(desk.at("letters"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, [format!("{OWNER}.html"), format!("{OWNER}.txt"), "letters.csv".into()]);
}

#[test]
fn a_letter_lists_the_worst_and_says_how_many_more() {
    let mut archive =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("settings/Here.xml", settings("1"));
    for number in 0..501_u32 {
        let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 10_000 + number) };
        let root =
            Prim { position: [1.0, 1.0, f64::from(number)], ..Prim::new(&format!("Wall {number}."), number) };
        archive = archive.add(&format!("objects/{number:04}.xml"), xml2(&[root, far]));
    }
    let desk = Desk::with(&[("walls.oar", &archive.gzip()), ("cut.oar", &truncated())]);
    desk.run_to(INCOMPLETE, "audit walls.oar cut.oar --out report --letters letters");
    let text = letter(&desk, OWNER, "txt");
    assert!(
        flat(&text).contains("This letter lists the 200 worst; 301 more need your attention."),
        "{text:.2000}"
    );
    assert!(flat(&text).contains("Not all exports were fully read"));
    assert!(text.contains("\n200. \"Wall ") && !text.contains("\n201. "));
}

/// A letter reports a faulty mesh at each object that uses it, but counts it once for each owner.
#[test]
fn a_mesh_of_many_objects_is_one_thing_to_fix() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let mut archive =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256")).add("settings/Here.xml", settings("1"));
    // Thirty versions with too many points. 29 of them differ from the version stored before under the same UUID.
    for points in 257..287 {
        let round = MeshFile::cube().block("physics_convex", &convex(&ball(points, [0.0; 3], 0.5), &[]));
        archive = archive.add(&format!("assets/{points}/{mesh}_mesh.llmesh"), round.encode());
    }
    for number in 0..4_u32 {
        let position = [10.0 * f64::from(number), 1.0, 1.0];
        let parts = [0, 1].map(|part| Prim {
            mesh: Some(mesh.clone()),
            position,
            ..Prim::new("Boat", 10 * (number + 1) + part)
        });
        let owner = if number == 0 { OWNER.to_owned() } else { ben() };
        archive = archive.add(&format!("objects/{number}.xml"), xml2(&parts).replace(OWNER, &owner));
    }
    let desk = Desk::with(&[("boats.oar", &archive.gzip())]);
    desk.run_to(DONE, "audit boats.oar --out report --letters letters");
    let index = read_csv(&desk.at("letters/letters.csv"));
    assert_eq!(index.len(), 2);
    for (row, boats) in index.iter().zip([1, 3]) {
        assert_eq!([&row["to_fix"], &row["errors"]], [&boats.to_string(), "59"], "{row:?}");
        let text = letter(&desk, &row["owner_uuid"], "txt");
        let lines = |words| text.lines().filter(|line| line.contains(words)).count();
        assert_eq!(lines("- error: "), 20 * boats, "{text}");
        assert_eq!(lines("39 more problems of the same or lower severity."), boats, "{text}");
    }
}

#[test]
fn owners_without_findings_get_no_letter() {
    let desk = Desk::with(&[("sound.oar", &crate::support::desk::sound()), ("estate.oar", &estate())]);
    desk.run_to(DONE, "audit sound.oar --out report --letters letters");
    assert_eq!(read_csv(&desk.at("letters/letters.csv")).len(), 0);
    assert_eq!(fs::read_dir(desk.at("letters")).unwrap().count(), 1);
}
