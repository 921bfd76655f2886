//! Letters to owners.

use crate::report::row_filter::{ben, desk, estate};
use crate::support::{
    archive::{Archive, control, parcel, settings},
    desk::{DONE, Desk, INCOMPLETE, truncated},
    flat,
    mesh::{MeshFile, ball, convex},
    object::{OWNER, Prim, uuid, xml2},
    read_csv,
};
use std::fs;

fn letter(desk: &Desk, owner: &str, ending: &str) -> String {
    fs::read_to_string(desk.at(&format!("letters/{owner}.{ending}"))).unwrap()
}

#[test]
fn each_owner_has_a_letter_about_their_own() {
    let desk = desk();
    desk.run_to(
        DONE,
        "report ledgers --out report --profile second-life --users users.csv --letters letters",
    );
    let (owner, boatman) = (flat(&letter(&desk, OWNER, "txt")), flat(&letter(&desk, &ben(), "txt")));
    assert!(
        owner.contains("For the owner of these objects We checked your objects for Second Life."),
        "{owner}"
    );
    assert!(!owner.contains(OWNER), "no UUID without a name: {owner}");
    assert!(owner.contains("You own 2 objects with 3 prims in regions. Their land impact is 3."), "{owner}");
    assert!(owner.contains("1 object or parcel needs your attention."), "{owner}");
    let problem = "1. Unlink the prims that are far out (important) The prims of the object are too far apart to be \
                   linked again. - “Bridge”, region “Hill” at 128, 128, 25 – 60 m wide, less than 54 m allowed How to \
                   do it: 1) Right-click the object and choose Edit. 2)";
    assert!(owner.contains(problem), "{owner}");
    assert!(
        owner.ends_with("We changed nothing. If you have questions, ask the operators of your grid."),
        "{owner}"
    );
    assert!(!owner.contains("Boat") && !owner.contains("Chair") && !owner.contains("LNK001"), "{owner}");
    assert!(boatman.contains("For Ben Boatman We") && !boatman.contains("Bridge"), "{boatman}");
    let mesh = "The physics shape of a mesh has more hulls or corners than the grid allows. - “=Boat <b>”, region “Lake”";
    assert!(boatman.contains(mesh), "what is wrong with its mesh is wrong with the boat: {boatman}");
    assert_eq!(boatman.matches("Upload the mesh again").count(), 1, "each cure once: {boatman}");
    let html = letter(&desk, OWNER, "html");
    let line = "<li>“Bridge”, <a href=\"secondlife://Hill/128/128/25\">region “Hill” at 128, 128, 25</a> – 60 m wide";
    assert!(html.contains(line), "{html}");
    assert!(!letter(&desk, &ben(), "html").contains("<b>"));

    let index = read_csv(&desk.at("letters/letters.csv"));
    let names: Vec<&str> = index.iter().map(|row| row["name"].as_str()).collect();
    assert_eq!(names, ["", "Ben Boatman"]);
    assert_eq!(index[0]["text"], format!("{OWNER}.txt"));
    assert_eq!([&index[0]["objects"], &index[0]["to_fix"], &index[0]["errors"]], ["2", "1", "1"]);
    assert_eq!([&index[0]["language"], &index[1]["language"]], ["en", "en"]);

    // Other threads and other ways to the report give the same bytes.
    let before = [letter(&desk, OWNER, "html"), letter(&desk, &ben(), "txt")];
    desk.run_to(
        DONE,
        "audit estate.oar --out report --profile second-life --users users.csv --letters letters --threads 2",
    );
    assert_eq!(before, [letter(&desk, OWNER, "html"), letter(&desk, &ben(), "txt")]);
}

#[test]
fn the_operator_sets_words_and_language() {
    let desk = desk();
    let settings = "[grid]\nname = \"Hügelland\"\naddress = \"hop://hills.example:8002/\"\n\
                    contact = \"Eva <eva@hills.example>\"\n[letters]\ndeadline = \"2026-12-31\"\n\
                    signature = \"Eva\\nHügelland\"\n";
    desk.write("mine.toml", settings);
    desk.write("people.csv", format!("uuid,language,name\n{OWNER},pt-BR,Ann\n{},nl,Ben\n", ben()));
    let run = "report ledgers --profile second-life --letters letters --config mine.toml --users people.csv --language de";
    desk.run_to(DONE, run);
    let text = flat(&letter(&desk, &ben(), "txt"));
    assert!(
        text.starts_with("Ihre Objekte auf Hügelland: was zu reparieren ist, und wie Für nl Wir"),
        "{text}"
    );
    let last = "Bitte erledigen Sie das bis 2026-12-31. Wir haben nichts verändert. Wenn Sie Fragen haben, wenden Sie \
                sich an Eva <eva@hills.example>. Eva Hügelland";
    assert!(text.ends_with(last), "{text}");
    let own = letter(&desk, OWNER, "html");
    assert!(
        own.contains("<html lang=\"pt\">") && own.contains("60 m de largura, permitido menos de 54 m"),
        "{own}"
    );
    assert!(own.contains("href=\"hop://hills.example:8002/Hill/128/128/25\""), "{own}");
    assert!(own.contains("<p class=\"signature\">Eva\nHügelland</p>"), "{own}");
    let languages: Vec<String> =
        read_csv(&desk.at("letters/letters.csv")).into_iter().map(|row| row["language"].clone()).collect();
    assert_eq!(languages, ["pt", "de"], "a language that letters do not have is that of all");
}

#[test]
fn the_operator_owns_the_template() {
    let desk = desk();
    desk.write("mine/letter.txt", "Dear {{name}},\n{{deadline}}\n{{problems}}\n");
    desk.write("mine.toml", "[letters]\ntemplate = \"mine\"\n");
    desk.run_to(
        DONE,
        "report ledgers --profile second-life --letters letters --config mine.toml --users users.csv",
    );
    let text = letter(&desk, &ben(), "txt");
    assert!(text.starts_with("Dear Ben Boatman,\nProblems, and how to repair them\n------"), "{text}");
    assert!(letter(&desk, &ben(), "html").starts_with("<!doctype html>"), "the built-in one");
    desk.write("mine/letter.html", "<p>{{problem}}</p>");
    let output = desk.run("report ledgers --profile second-life --letters letters --config mine.toml");
    let error = output.stderr;
    assert!(error.contains("unknown placeholder {{problem}}: did you mean {{problems}}?"), "{error}");
}

/// Ann owns most land of a region that is over its capacity. Ben owns a corner.
#[test]
fn a_full_region_is_in_the_letter_of_who_owns_most_land() {
    let land = |number, owner: &str, side: fn(usize, usize) -> bool| {
        parcel(&uuid(0x9a9a_9a9a, number), "Plot", owner, 64, side)
    };
    let mut archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("settings/Here.xml", settings("1"))
        .add("landdata/1.xml", land(1, OWNER, |x, _| x >= 8))
        .add("landdata/2.xml", land(2, &ben(), |x, _| x < 8));
    // Each linkset of 250 prims counts 250.
    for number in 0..91_u32 {
        let prims: Vec<Prim> = (0..250).map(|prim| Prim::new("Wall", 1000 * (number + 1) + prim)).collect();
        archive = archive.add(&format!("objects/{number}.xml"), xml2(&prims).replace(OWNER, &ben()));
    }
    let desk = Desk::with(&[("full.oar", &archive.gzip())]);
    desk.run_to(DONE, "audit full.oar --profile second-life --letters letters");
    let text = flat(&letter(&desk, OWNER, "txt"));
    let full = "1. Make room on your land (important) The land carries more land impact than it has room for. - region \
                “Here” – land impact 22,750 of 22,500 (101 %)";
    assert!(text.contains(full), "{text}");
    assert!(text.contains("it has room for 19,688."), "{text}");
    assert!(
        !desk.at(&format!("letters/{}.txt", ben())).exists()
            || !flat(&letter(&desk, &ben(), "txt")).contains("region “Here” – land")
    );
    // A report of Ben's rows does not know who owns the rest.
    desk.run_to(DONE, &format!("audit full.oar --profile second-life --letters few --owner {}", ben()));
    let few = desk.at(&format!("few/{}.txt", ben()));
    assert!(!few.exists() || !flat(&fs::read_to_string(few).unwrap()).contains("region “Here” – land"));
}

#[test]
fn a_filtered_report_has_the_letters_of_its_owners() {
    let desk = desk();
    desk.run_to(
        DONE,
        &format!("report ledgers --out report --profile second-life --letters letters --owner {}", ben()),
    );
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
    desk.run_to(
        DONE,
        "audit hostile.oar --out report --profile second-life --letters letters --users users.csv",
    );
    let (html, text) = (letter(&desk, OWNER, "html"), letter(&desk, OWNER, "txt"));
    assert!(html.contains("Content-Security-Policy") && html.contains("default-src 'none'"));
    assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("onload=\""));
    assert!(html.contains("&lt;script&gt;alert(1)"));
    assert!(text.contains("a·b") && text.lines().all(|line| line.chars().count() <= 110), "{text}");
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
        let name = if number < 5 { "Fence".into() } else { format!("Wall {number}.") };
        let root = Prim { position: [1.0, 1.0, f64::from(number)], ..Prim::new(&name, number) };
        archive = archive.add(&format!("objects/{number:04}.xml"), xml2(&[root, far]));
    }
    let desk = Desk::with(&[("walls.oar", &archive.gzip()), ("cut.oar", &truncated())]);
    desk.run_to(INCOMPLETE, "audit walls.oar --profile second-life cut.oar --out report --letters letters");
    let text = flat(&letter(&desk, OWNER, "txt"));
    let fences = "- 5 × “Fence”, region “Here” at 1, 1, 0; 1, 1, 1; 1, 1, 2 and at 2 more places – 60 m wide";
    assert!(text.contains(fences) && text.contains("- “Wall 8.”, region"), "{text}");
    assert!(
        text.contains("54 m allowed and 492 more objects How to do it") && !text.contains("“Wall 9.”"),
        "{text}"
    );
    assert!(
        text.contains("501 objects and parcels need your attention. Not all exports were fully read"),
        "{text}"
    );
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
    desk.run_to(DONE, "audit boats.oar --out report --profile second-life --letters letters");
    let index = read_csv(&desk.at("letters/letters.csv"));
    assert_eq!(index.len(), 2);
    let lines =
        ["- “Boat”, region “Here” at 0, 1, 1", "- 3 × “Boat”, region “Here” at 10, 1, 1; 20, 1, 1; 30, 1, 1"];
    for ((row, boats), line) in index.iter().zip([1, 3]).zip(lines) {
        assert_eq!([&row["to_fix"], &row["errors"]], [&boats.to_string(), "59"], "{row:?}");
        let text = flat(&letter(&desk, &row["owner_uuid"], "txt"));
        assert_eq!(text.matches(line).count(), 2, "two problems: {text}");
        assert_eq!(text.matches("more hulls or corners").count(), 1, "{text}");
        assert_eq!(text.matches("the wrong one may arrive").count(), 1, "{text}");
    }
}

#[test]
fn owners_without_findings_get_no_letter() {
    let desk = Desk::with(&[("sound.oar", &crate::support::desk::sound()), ("estate.oar", &estate())]);
    desk.run_to(DONE, "audit sound.oar --out report --profile second-life --letters letters");
    assert_eq!(read_csv(&desk.at("letters/letters.csv")).len(), 0);
    assert_eq!(fs::read_dir(desk.at("letters")).unwrap().count(), 1);
}

#[test]
fn a_broken_inventory_is_in_the_letter_of_its_owner() {
    let desk = Desk::with(&[]);
    let dump = crate::support::repository().join("sample_data/databases/inventories.sql");
    let dump = dump.to_str().unwrap();
    desk.run_to(DONE, &format!("audit {dump} --inventory all --out report --letters letters"));
    let ben = flat(&letter(&desk, "abababab-0000-4000-8000-000000000002", "txt"));
    for words in [
        "Items of your inventory have lost their content",
        "items: 1",
        "Links in your inventory lead nowhere.",
        "Objects/Link to nothing",
        "Folders of your inventory are damaged",
        "Adrift",
    ] {
        assert!(ben.contains(words), "{words}: {ben}");
    }
}

/// OpenSimulator charges no widths, and so nobody gains from wider triangles there.
#[test]
fn thin_triangles_are_in_letters_where_they_are_charged() {
    let desk = Desk::with(&[]);
    let sample = crate::support::repository().join("sample_data/figures/slivers.oar");
    let letters = |profile: &str| {
        desk.run_to(
            DONE,
            &format!(
                "audit {} --out {profile} --letters letters-{profile} --profile {profile}",
                sample.display()
            ),
        );
        let text = desk.at(&format!("letters-{profile}/{OWNER}.txt"));
        fs::read_to_string(text).map(|text| flat(&text)).unwrap_or_default()
    };
    assert!(letters("second-life").contains("is badly made and makes the object expensive"));
    assert!(!letters("opensim-ubode").contains("is badly made and makes the object expensive"));
}
