//! The bytes of the HTML report. `tests/browser/html.py` tests its behaviour in a browser.

use crate::support::{
    archive::{Archive, control, control_of_many, settings},
    audit, audit_beside,
    desk::{DONE, Desk},
    object::{Prim, uuid, xml2},
    read_csv, repository,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use hullmark_report::tables::heads;
use serde_json::Value;
use std::{fs, path::Path};

/// Returns a table of a page, as its script reads it.
fn table(page: &str, name: &str) -> Value {
    let (_, behind) = page.split_once(&format!(" id=\"data-{name}\">")).unwrap();
    let (json, _) = behind.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

/// Returns the cells of a column, with dictionary words resolved.
fn column(table: &Value, name: &str) -> Vec<Value> {
    let columns = table["columns"].as_array().unwrap();
    let column = columns.iter().find(|column| column["name"] == name).unwrap();
    let cells = column["cells"].as_array().unwrap().iter();
    let look_up = |cell: &Value| match (cell.as_u64(), column.get("words")) {
        (Some(number), Some(words)) => words[number as usize].clone(),
        _ => cell.clone(),
    };
    cells.map(look_up).collect()
}

fn page(folder: &Path) -> String {
    fs::read_to_string(folder.join("audit.html")).unwrap()
}

#[test]
fn the_page_has_the_rows_of_the_other_formats_and_every_column() {
    let out = tempfile::tempdir().unwrap();
    let further = "opensim-ubode".to_owned();
    let summary = audit_beside(&[repository().join("sample_data")], out.path(), 2, &[further]);
    let page = page(out.path());
    for head in heads(&["opensim_ubode".into()]) {
        if !["findings", "objects", "regions", "parcels", "meshes", "archives"].contains(&head.name) {
            continue;
        }
        let (table, rows) =
            (table(&page, head.name), read_csv(&out.path().join(format!("{}.csv", head.name))));
        assert_eq!(table["rows"], rows.len(), "{}", head.name);
        assert_eq!(table["left_out"], 0);
        let names: Vec<_> =
            table["columns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
        assert_eq!(names, head.columns.iter().map(|column| &*column.name).collect::<Vec<_>>());
        for name in names {
            assert_eq!(column(&table, name.as_str().unwrap()).len(), rows.len(), "{name}");
        }
        // The same cells, in another order.
        let mut here = column(&table, "archive");
        let mut there: Vec<_> = rows.iter().map(|row| Value::from(row["archive"].as_str())).collect();
        here.sort_by_key(Value::to_string);
        there.sort_by_key(Value::to_string);
        assert_eq!(here, there, "{}", head.name);
    }
    // The counts per rule add up to those of the summary.
    let rules = table(&page, "rules");
    let counts = column(&rules, "findings").iter().map(|count| count.as_u64().unwrap()).sum::<u64>();
    assert_eq!(
        counts,
        summary.findings_by_code.values().map(hullmark::summary::SeverityCounts::all).sum::<u64>()
    );
    let severities = column(&table(&page, "findings"), "severity");
    let order = ["blocker", "error", "warning", "info"];
    assert!(severities.is_sorted_by_key(|severity| order.iter().position(|name| severity == name)));
}

#[test]
fn the_page_loads_nothing_and_runs_only_its_own_script() {
    let out = tempfile::tempdir().unwrap();
    audit(&[repository().join("sample_data/regions")], out.path(), 2);
    let page = page(out.path());
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(policy.contains("script-src 'sha256-") && !policy.contains("unsafe"), "{policy}");
    for forbidden in [" src=", "<link", "<img", "<iframe", "@import", "url(", " style=", "innerHTML"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("<details class=\"rule\" id=\"LNK001\">"));
    assert!(page.ends_with("</script>\n</body>\n</html>\n"));
}

/// Returns the maps of a page: the caption and the drawing of each.
fn maps(page: &str) -> Vec<(&str, &str)> {
    let figures = page.split("<figure class=\"map\"><figcaption>").skip(1);
    let whole = figures.map(|figure| figure.split_once("</figure>").unwrap().0);
    whole.map(|figure| figure.split_once("</figcaption>").unwrap()).collect()
}

/// Returns terrain with a coast through the middle: 10 m in the west, 30 m in the east.
fn coast(side: usize) -> Vec<u8> {
    let heights = (0..side * side).map(|at| if at % side < side / 2 { 10.0_f32 } else { 30.0 });
    heights.flat_map(f32::to_le_bytes).collect()
}

#[test]
fn each_region_has_a_map_with_its_own_ground() {
    let ids = [1, 2, 3].map(|number| uuid(0x4e4e_4e4e, number));
    let places =
        [("1_1_Coast", "256,256"), ("1_2_Large", "512,512"), ("1_3_Endless", "2147483647,2147483647")];
    let row = ids.iter().zip(places).map(|(id, (folder, size))| Some((id.as_str(), folder, size)));
    let mut archive = Archive::new(&control_of_many(&[row.collect::<Vec<_>>()]));
    for (folder, terrain) in [("1_1_Coast", Some(256)), ("1_2_Large", Some(512)), ("1_3_Endless", None)] {
        let name = &folder[4..];
        archive = archive
            .add(&format!("regions/{folder}/settings/{name}.xml"), settings("1"))
            .add(&format!("regions/{folder}/objects/post.xml"), xml2(&[Prim::new(name, 1)]));
        if let Some(side) = terrain {
            archive = archive.add(&format!("regions/{folder}/terrains/{name}.r32"), coast(side));
        }
    }
    let desk = Desk::with(&[("three.oar", &archive.gzip())]);
    desk.run_to(DONE, "audit three.oar --out all --format html,csv --ledgers ledgers --fail-on blocker");
    let whole = page(&desk.at("all"));
    let drawn = maps(&whole);
    let of = |name: &str| *drawn.iter().find(|(caption, _)| caption.starts_with(name)).unwrap();
    let ground = "ground from 10 m to 30 m, water at 20 m, a shade for each 2 m; 0 parcels";
    for (name, side) in [("Coast", 256), ("Large", 512)] {
        let (caption, drawing) = of(name);
        assert_eq!(caption, format!("{name}, {side} m × {side} m: 1 object; {ground}"));
        // The same coast: half way between the samples on its two sides.
        let shore = "<path class=\"land0\" d=\"M256 0l 0 256-128 0 0-256z\"/>";
        assert!(drawing.contains(shore), "{drawing}");
        assert!(drawing.contains("<text") && drawing.contains(&format!(">{name}</a> 1</li>")), "{drawing}");
    }
    let (caption, drawing) = of("Endless");
    assert!(caption.ends_with("1 object; no terrain in the archive; 0 parcels"), "{caption}");
    assert!(drawing.len() < 30_000, "{}", drawing.len());

    // A report of one region has the map of that region only, also from its ledger.
    desk.run_to(DONE, "report ledgers --out one --format html --region Large --fail-on blocker");
    let narrow = page(&desk.at("one"));
    let captions: Vec<&str> = maps(&narrow).into_iter().map(|(caption, _)| caption).collect();
    assert_eq!(captions, [of("Large").0]);
}

#[test]
fn objects_in_regions_come_before_heavier_ones_in_inventories() {
    let out = tempfile::tempdir().unwrap();
    audit(&[repository().join("sample_data")], out.path(), 2);
    let objects = table(&page(out.path()), "objects");
    let roles = column(&objects, "role");
    let order = ["rezzed", "nested", "loose"];
    assert!(roles.is_sorted_by_key(|role| order.iter().position(|name| role == name)));
    assert!(order.iter().all(|name| roles.iter().any(|role| role == name)));
}

#[test]
fn names_with_markup_stay_text() {
    let long = "x".repeat(1_000);
    let names = [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "\" onload=\"alert(1)",
        "=HYPERLINK(\"http://example.org\")",
        "\u{202e}\u{85}control\tcharacters",
        &long,
    ];
    let objects = names.iter().zip(1..).map(|(name, number)| xml2(&[Prim::new(name, number)]));
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let archive = objects
        .enumerate()
        .fold(archive, |archive, (number, object)| archive.add(&format!("objects/{number}.xml"), object));
    let archive = archive.add("settings/<img src=x>.xml", settings("1"));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hostile.oar"), archive.gzip()).unwrap();
    let out = tempfile::tempdir().unwrap();
    audit(&[folder.path().to_owned()], out.path(), 2);

    let page = page(out.path());
    let mut read = column(&table(&page, "objects"), "name");
    let seen = names.map(|name| name.replace(['\u{202e}', '\u{85}', '\t'], "·"));
    let mut expected = seen.map(Value::from).to_vec();
    read.sort_by_key(Value::to_string);
    expected.sort_by_key(Value::to_string);
    assert_eq!(read, expected);
    for harm in ["<script>alert", "<!--<script>", "<img src=x>", "\" onload=\"alert"] {
        assert!(!page.contains(harm), "{harm}");
    }
    // Only the page's own elements: the data of each table, and one script.
    assert_eq!(page.matches("<script").count(), 13);
    assert_eq!(page.matches("</script").count(), 13);
}

#[test]
fn each_prim_is_a_box_of_its_map() {
    let child = Prim { offset: [0.0, 1.0, 0.0], scale: [1.0, 2.0, 4.0], ..Prim::new("Ring", 2) };
    let bare = Prim { position: [f64::NAN, 1.0, 1.0], ..Prim::new("Nowhere", 3) };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/a.xml", xml2(&[Prim { position: [128.0, 64.0, 25.0], ..Prim::new("Table", 1) }, child]))
        .add("objects/b.xml", xml2(&[bare]))
        .add("settings/Harbour.xml", settings("1"))
        .flat_ground("terrains/Harbour.r32", 256);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.oar"), archive.gzip()).unwrap();
    let out = tempfile::tempdir().unwrap();
    audit(&[folder.path().to_owned()], out.path(), 2);
    let page = page(out.path());
    let (_, data) = page.split_once("id=\"map-boxes\">").unwrap();
    let solids: Value = serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap();
    let solid = &solids[0];
    assert_eq!(solids.as_array().unwrap().len(), 1);
    let row = column(&table(&page, "objects"), "name").iter().position(|name| name == "Table").unwrap();
    assert_eq!(solid["objects"], serde_json::json!([[row, 2]]));
    let bytes = BASE64_STANDARD.decode(solid["boxes"].as_str().unwrap()).unwrap();
    let numbers: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|&pair| i16::from_le_bytes(pair)).collect();
    // Places in 64ths of a metre, sizes in 256ths, and no rotation.
    assert_eq!(numbers[..9], [8192, 4096, 1600, 128, 128, 128, 0, 0, 0]);
    assert_eq!(numbers[9..], [8192, 4160, 1600, 256, 512, 1024, 0, 0, 0]);
    assert_eq!((&solid["ground"]["side"], &solid["ground"]["low"]), (&32.into(), &21.0.into()));
    let cells = BASE64_STANDARD.decode(solid["ground"]["cells"].as_str().unwrap()).unwrap();
    assert_eq!(cells, [1; 32 * 32]);
}
