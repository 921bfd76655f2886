//! What a move loses, and the verdict that follows, for each archive.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, faulty, region, sound, truncated},
    flat,
    mesh::MeshFile,
    object::{OWNER, Prim, uuid, xml2},
    samples, shared,
};
use serde_json::{Value, json};
use std::fs;

const UBODE: &str = "--target opensim-ubode";

/// A texture that every viewer has.
const PLYWOOD: &str = "89556747-24cb-43ed-920b-47caed15465f";

fn mesh(number: u32) -> String {
    uuid(0x3e3e_3e3e, number)
}

fn mesh_asset(number: u32) -> String {
    format!("assets/{}_mesh.llmesh", mesh(number))
}

/// Returns a region in which two objects lack a mesh, one of them another mesh, too, and one a sculpt map.
fn lacking() -> Archive {
    let of = |asset, number| Prim { mesh: Some(mesh(asset)), ..Prim::new("Chair", number) };
    region(&[Prim::new("Box", 1)])
        .add("objects/a.xml", xml2(&[of(1, 2), of(1, 3)]))
        .add("objects/b.xml", xml2(&[of(1, 4), of(2, 5)]))
        .add("objects/c.xml", xml2(&[Prim { sculpt: Some(mesh(3)), ..Prim::new("Ball", 6) }]))
}

/// Returns a region whose objects use assets, none of which is in the archive.
fn without_assets() -> Vec<u8> {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 2), "256,256"))
        .add("objects/c.xml", xml2(&[Prim { sculpt: Some(mesh(3)), ..Prim::new("Ball", 6) }]))
        .gzip()
}

/// Runs `preflight` and returns the page as JSON.
fn page(desk: &Desk, code: i32, flags: &str) -> Value {
    serde_json::from_str(&desk.run_to(code, &format!("preflight {flags} --json -q")).stdout).unwrap()
}

fn text(desk: &Desk, code: i32, flags: &str) -> String {
    desk.run_to(code, &format!("preflight {flags} -q")).stdout
}

/// Returns the losses as `[kind, lacking, lost, objects, found in --assets]`.
fn losses(page: &Value) -> Vec<Value> {
    let values = |loss: &Value| {
        json!([loss["kind"], loss["lacking"], loss["lost"], loss["objects"], loss["found_in_assets"]])
    };
    page["losses"].as_array().unwrap().iter().map(values).collect()
}

/// `audit` counts the same losses over all archives, unless a filter selects rows.
#[test]
fn an_audit_sums_up_the_losses_of_all_archives() {
    let desk = Desk::with(&[("a.oar", &lacking().gzip()), ("b.oar", &lacking().gzip())]);
    desk.run_to(DONE, "audit a.oar b.oar --out out --profile opensim-ubode --format html");
    let losses = &desk.audit_json("out")["losses"];
    let counts = |loss: &Value| json!([loss["kind"], loss["lost"], loss["objects"]]);
    let told: Vec<Value> = losses.as_array().unwrap().iter().map(counts).collect();
    assert_eq!(told, [json!(["mesh", 4, 4]), json!(["sculpt map", 2, 2])]);
    let first = &losses[0]["first"];
    assert_eq!([&first["archive"], &first["object_name"], &first["owner"]], ["a.oar", "Chair", OWNER]);
    assert_eq!(first["position_m"], json!([128.0, 128.0, 25.0]));
    let page = fs::read_to_string(desk.at("out/audit.html")).unwrap();
    assert!(
        page.contains(
            "<li><b>4 ×</b> <a href=\"#missing?kind=mesh\">mesh</a>, used by 4 objects<span class=\"first\">; first: &quot;Chair&quot; of "
        ),
        "{page}"
    );
    desk.run_to(
        DONE,
        "audit a.oar b.oar --out few --profile opensim-ubode --format html --min-severity error",
    );
    assert_eq!(desk.audit_json("few")["losses"], json!([]));
    let page = fs::read_to_string(desk.at("few/audit.html")).unwrap();
    assert!(!page.contains("id=\"losses\"") && !page.contains("#losses"));
}

#[test]
fn missing_assets_are_losses_by_kind_and_number_of_objects() {
    let desk = Desk::with(&[("a.oar", &lacking().gzip())]);
    let page = page(&desk, DONE, &format!("a.oar {UBODE}"));
    assert_eq!(page["verdict"], "go-with-losses");
    assert_eq!(losses(&page), [json!(["mesh", 2, 2, 2, null]), json!(["sculpt map", 1, 1, 1, null])]);
    let text = text(&desk, DONE, &format!("a.oar {UBODE}"));
    let (verdict, rest) = text.split_once("\n\n").unwrap();
    let (verdict, rest) = (flat(verdict), format!("\n{rest}"));
    assert!(
        verdict.starts_with("GO WITH LOSSES for OpenSimulator with ubODE (opensim-ubode): "),
        "{verdict}"
    );
    assert!(verdict.contains("nothing blocks the move, but 3 items will be lost; "), "{verdict}");
    let table = "\nLOSSES\n\
                 \x20 kind        lost  used by objects  found with --assets\n\
                 \x20 mesh           2                2  not tried\n\
                 \x20 sculpt map     1                1  not tried\n\n\
                 a.oar (oar): 4 objects";
    assert!(rest.starts_with(table), "{rest}");
}

/// Returns a sample by its path.
fn sample(path: &str) -> Vec<u8> {
    samples::all().into_iter().find(|(name, _)| name == path).unwrap().1
}

/// Whether the script of a region database without its assets arrives is unknown.
#[test]
fn a_check_that_can_find_a_loss_and_was_not_evaluated_is_no_go() {
    let whole = sample("databases/tables-of-myisam.sql");
    let start = |table: &str| {
        memchr::memmem::find(&whole, format!("DROP TABLE IF EXISTS `{table}`").as_bytes()).unwrap()
    };
    let alone = [&whole[..start("assets")], &whole[start("land")..]].concat();
    let desk = Desk::with(&[("whole.sql", &whole), ("alone.sql", &alone)]);
    let page_alone = page(&desk, INCOMPLETE, &format!("alone.sql {UBODE}"));
    let verdict = json!("go-as-far-as-read");
    assert_eq!((&page_alone["verdict"], &page_alone["archives"][0]["verdict"]), (&verdict, &verdict));
    let unproved = page_alone["unproved"].as_array().unwrap();
    let codes: Vec<&Value> = unproved.iter().map(|rule| &rule["code"]).collect();
    assert_eq!((codes, &unproved[0]["because"]), (vec![&json!("AST001")], &json!({ "no_assets": 1 })));
    let first = "GO, AS FAR AS IT WAS READ for OpenSimulator with ubODE (opensim-ubode): nothing that was read blocks the \
                 move";
    let not_evaluated =
        "Not evaluated: 1 check that can find a loss, because the export has no assets: AST001 (1).";
    let text = text(&desk, INCOMPLETE, &format!("alone.sql {UBODE}"));
    let line = flat(&text);
    assert!(line.starts_with(first) && line.contains(not_evaluated), "{text}");
    desk.run_to(INCOMPLETE, &format!("preflight alone.sql {UBODE} --format html --out page.html"));
    let html = fs::read_to_string(desk.at("page.html")).unwrap();
    assert!(html.contains("<h1 class=\"go-as-far-as-read\">GO, AS FAR AS IT WAS READ for "), "{html}");
    assert!(html.contains(&format!("<p><b>{not_evaluated}</b></p>")), "{html}");

    let page_of_whole = page(&desk, DONE, &format!("whole.sql {UBODE}"));
    assert_eq!((&page_of_whole["verdict"], &page_of_whole["unproved"]), (&json!("go"), &json!([])));
}

#[test]
fn assets_that_the_target_has_are_not_lost() {
    let store = |assets: &[u32]| {
        let mesh = MeshFile::cube().encode();
        let other = Archive::new(&control(&uuid(0x4e4e_4e4e, 3), "256,256"));
        let plywood = format!("assets/{PLYWOOD}_texture.jp2");
        let other = other.add(&plywood, "a texture that every viewer has");
        assets.iter().fold(other, |store, &number| store.add(&mesh_asset(number), &mesh)).gzip()
    };
    let board = Prim { sculpt: Some(PLYWOOD.into()), ..Prim::new("Board", 7) };
    let desk = Desk::with(&[
        ("a.oar", &lacking().add("objects/d.xml", xml2(&[board])).gzip()),
        ("one.oar", &store(&[1])),
        ("meshes.oar", &store(&[1, 2])),
        ("none.oar", &store(&[9])),
    ]);
    let with = |store: &str| page(&desk, DONE, &format!("a.oar {UBODE} --assets {store}"));
    assert_eq!(losses(&with("none.oar")), [json!(["mesh", 2, 2, 2, 0]), json!(["sculpt map", 1, 1, 1, 0])]);
    assert_eq!(losses(&with("one.oar")), [json!(["mesh", 2, 1, 1, 1]), json!(["sculpt map", 1, 1, 1, 0])]);
    assert_eq!(losses(&with("meshes.oar")), [json!(["sculpt map", 1, 1, 1, 0])]);
    let text = text(&desk, DONE, &format!("a.oar {UBODE} --assets one.oar"));
    assert!(text.contains("\n  mesh           1                1  1 of 2\n"), "{text}");
}

#[test]
fn an_archive_without_assets_says_so_first() {
    let box_alone = Archive::new(&control(&uuid(0x4e4e_4e4e, 4), "256,256"))
        .add("objects/box.xml", xml2(&[Prim::new("Box", 1)]))
        .gzip();
    let desk = Desk::with(&[("a.oar", &without_assets()), ("box.oar", &box_alone), ("ok.oar", &sound())]);
    let words =
        "The archive contains no assets. Objects arrive without what the target lacks. Name its assets with";
    for archive in ["a.oar", "box.oar"] {
        let flags = format!("{archive} {UBODE}");
        let page = page(&desk, DONE, &flags);
        assert_eq!(
            (&page["verdict"], &page["archives"][0]["without_assets"]),
            (&json!("go-with-losses"), &json!(true))
        );
        let text = text(&desk, DONE, &flags);
        let (before, _) = text.split_once("The archive contains no assets.").unwrap();
        assert!(!before.contains("\n\n"), "{text}");
        assert!(flat(&text).contains(words), "{text}");
    }
    // What boxes show, every viewer has.
    let with_store = page(&desk, DONE, &format!("box.oar {UBODE} --assets ok.oar"));
    assert_eq!(
        (&with_store["verdict"], &with_store["archives"][0]["without_assets"]),
        (&json!("go"), &json!(false))
    );
    let required = page(&desk, FINDINGS, &format!("box.oar {UBODE} --require-assets"));
    assert_eq!(required["verdict"], "no-go");
}

#[test]
fn objects_that_a_load_drops_and_damaged_meshes_are_losses() {
    let outside = Prim { position: [256.0, 128.0, 25.0], ..Prim::new("Fence", 1) };
    let statue = Prim { mesh: Some(mesh(1)), ..Prim::new("Statue", 2) };
    let archive = region(&[outside])
        .add("objects/statue.xml", xml2(&[statue]))
        .add(&mesh_asset(1), MeshFile::cube().without("high_lod").encode());
    let desk = Desk::with(&[("a.oar", &archive.gzip())]);
    let opensim = page(&desk, DONE, &format!("a.oar {UBODE}"));
    assert_eq!(losses(&opensim), [json!(["mesh", 1, 1, 1, null]), json!(["object", 1, 1, null, null])]);
    let text = text(&desk, DONE, &format!("a.oar {UBODE}"));
    assert!(text.contains("\n  object     1                –  –\n"), "{text}");
    let second_life = page(&desk, DONE, "a.oar --target second-life");
    assert_eq!(losses(&second_life), [json!(["mesh", 1, 1, 1, null])], "no program loads an archive there");
}

#[test]
fn losses_fail_from_error_on() {
    let desk = Desk::with(&[("a.oar", &lacking().gzip()), ("ok.oar", &sound())]);
    for (severity, code) in
        [("none", DONE), ("blocker", DONE), ("error", FINDINGS), ("warning", FINDINGS), ("info", FINDINGS)]
    {
        desk.run_to(code, &format!("preflight a.oar {UBODE} --fail-on {severity}"));
        desk.run_to(DONE, &format!("preflight ok.oar {UBODE} --fail-on {severity}"));
    }
    desk.write("hullmark.toml", "fail_on = \"error\"\n");
    desk.run_to(FINDINGS, &format!("preflight a.oar {UBODE}"));
}

#[test]
fn each_archive_has_its_verdict_and_begins_its_lines() {
    let desk = Desk::with(&[
        ("in/clean.oar", &sound()),
        ("in/lacks.oar", &lacking().gzip()),
        ("in/cut.oar", &truncated()),
        ("one/wide.oar", &faulty()),
        ("two/wide.oar", &faulty()),
    ]);
    let both = format!("in/clean.oar in/lacks.oar {UBODE}");
    let page_of_both = page(&desk, DONE, &both);
    let verdicts = |page: &Value| -> Vec<Value> {
        let archives = page["archives"].as_array().unwrap().iter();
        archives.map(|archive| json!([archive["name"], archive["verdict"]])).collect()
    };
    assert_eq!(page_of_both["verdict"], "go-with-losses");
    assert_eq!(verdicts(&page_of_both), [json!(["lacks.oar", "go-with-losses"]), json!(["clean.oar", "go"])]);
    assert_eq!(page_of_both["losses"][0]["archive"], "in/lacks.oar");
    let text_of_both = text(&desk, DONE, &both);
    let head = "  1. GO WITH LOSSES: lacks.oar: 2 errors, 2 warnings; 3 items lost; Asset is missing\n     \
                GO, and nothing to do, for 1 archive: clean.oar\n\nLOSSES\n\
                \x20 archive    kind        lost  used by objects  found with --assets\n\
                \x20 lacks.oar  mesh           2                2  not tried\n";
    assert!(text_of_both.split_once("\n\n").unwrap().1.starts_with(head), "{text_of_both}");
    assert!(text_of_both.contains("\nclean.oar (oar): 1 object"), "{text_of_both}");
    assert!(
        text_of_both.contains("    - lacks.oar: \"Ball\" at 128, 128, 25: The export lacks"),
        "{text_of_both}"
    );
    let html = desk.run_to(DONE, &format!("preflight {both} --format html -q")).stdout;
    assert!(html.contains("<h1 class=\"go-with-losses\">GO WITH LOSSES for "), "{html}");
    assert!(
        html.contains("<ol>\n<li>GO WITH LOSSES: lacks.oar: 2 errors, 2 warnings; 3 items lost; "),
        "{html}"
    );
    assert!(
        html.contains("<tr><td>lacks.oar</td><td>mesh</td><td>2</td><td>2</td><td>not tried</td></tr>"),
        "{html}"
    );
    assert!(html.contains("<li>lacks.oar: &quot;Ball&quot; at 128, 128, 25: "), "{html}");

    let all = page(&desk, FINDINGS, &format!("in {UBODE}"));
    assert_eq!(all["verdict"], "no-go");
    assert_eq!(verdicts(&all)[0], json!(["cut.oar", "no-go"]));
    // Two archives of one name are told apart by their paths.
    let same = page(&desk, DONE, &format!("one two {UBODE}"));
    // The second has a copy of the same object, too.
    assert_eq!(same["archives"][0]["name"], "two/wide.oar");
}

#[test]
fn a_waived_loss_does_not_change_the_verdict() {
    let waiver = |code: &str| {
        format!(
            "[[waiver]]\ncode = '{code}'\narchive = 'a.oar'\nreason = 'known'\nwho = 'Ann'\nuntil = 2026-11-30\n"
        )
    };
    let desk = Desk::with(&[("a.oar", &lacking().gzip()), ("all.toml", waiver("AST001").as_bytes())]);
    let flags = format!("a.oar {UBODE} --waivers all.toml --now 2026-11-21T12:00:00Z");
    let page = page(&desk, DONE, &flags);
    assert_eq!((&page["verdict"], losses(&page).len()), (&json!("go"), 0));
    let only = format!("a.oar {UBODE} --ignore AST001");
    assert!(text(&desk, DONE, &only).starts_with("GO for "));
}

/// An NPC whose notecard came without five textures, a body part and a hat.
#[test]
fn a_saved_appearance_loses_its_textures_body_parts_and_attachments() {
    let Some(shared) = shared() else { return };
    let archive = fs::read(shared.join("field/cases/15-npc-appearance/npc.oar")).unwrap();
    let desk = Desk::with(&[("npc.oar", &archive)]);
    let page = page(&desk, DONE, &format!("npc.oar {UBODE}"));
    let of_assets: Vec<Value> = losses(&page).into_iter().filter(|loss| !loss[3].is_null()).collect();
    let expected = [("texture", 5), ("body part", 1), ("object in an inventory", 1)];
    assert_eq!(of_assets, expected.map(|(kind, count)| json!([kind, count, count, 1, null])));
    assert_eq!(page["verdict"], "go-with-losses");
    desk.run_to(DONE, "audit npc.oar --out report -q");
    let findings = desk.table("report", "findings");
    let missing: Vec<_> =
        findings.iter().filter(|row| ["AST001", "OBJ009"].contains(&&*row["code"])).collect();
    assert_eq!(missing.len(), 7);
    for row in missing {
        assert_eq!(row["object_name"], "NPC controller");
        assert!(row["message"].contains("73ac1fe8-cb25-503f-aeb9-f44dcdf6069a_notecard.txt"), "{row:?}");
    }
    // Items of an inventory and keys of a cache are nothing that could be missing.
    assert!(findings.iter().all(|row| row["code"] != "AST002"), "{findings:?}");
}

/// Objects alone are no loss. Terrain in a folder that no loader reads is one.
#[test]
fn terrain_outside_of_its_folder_is_lost() {
    let objects = objects_alone();
    let elsewhere = objects.clone().flat_ground("terrain/Somewhere.r32", 256);
    let desk = Desk::with(&[("objects.oar", &objects.gzip()), ("elsewhere.oar", &elsewhere.gzip())]);
    assert_eq!(losses(&page(&desk, DONE, &format!("objects.oar {UBODE}"))), [] as [Value; 0]);
    let page = page(&desk, DONE, &format!("elsewhere.oar {UBODE}"));
    assert_eq!(losses(&page), [json!(["terrain", 1, 1, null, null])]);
    let words =
        text(&desk, DONE, &format!("elsewhere.oar {UBODE}")).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("no loader reads terrain/Somewhere.r32"), "{words}");
}

/// Returns an archive of objects alone.
fn objects_alone() -> Archive {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/a.xml", xml2(&[Prim::new("Box", 1)]))
}

/// A target that is smaller than the region takes a part of its terrain. A megaregion has the terrain of one region.
#[test]
fn terrain_is_compared_with_the_size_of_the_target() {
    let region = |side: u32, is_megaregion: bool| {
        let control = control(&uuid(0x4e4e_4e4e, 1), "512,512");
        let flag = |megaregion| format!("<is_megaregion>{megaregion}</is_megaregion>");
        let control = if is_megaregion { control.replace(&flag("False"), &flag("True")) } else { control };
        let archive = Archive::new(&control).add("objects/a.xml", xml2(&[Prim::new("Box", 1)]));
        archive.flat_ground("terrains/Somewhere.r32", side as usize).gzip()
    };
    let desk = Desk::with(&[("var.oar", &region(512, false)), ("mega.oar", &region(256, true))]);
    for (archive, size, is_lost) in [
        ("var.oar", "512x512", false),
        ("var.oar", "256x256", true),
        ("mega.oar", "512x512", true),
        ("mega.oar", "256x256", false),
    ] {
        let page = page(&desk, DONE, &format!("{archive} {UBODE} --region-size {size}"));
        let expected = if is_lost { vec![json!(["terrain", 1, 1, null, null])] } else { Vec::new() };
        assert_eq!(losses(&page), expected, "{archive} in {size}");
    }
}
