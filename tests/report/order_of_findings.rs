//! Findings of one severity: the one that costs or breaks the most comes first.

use crate::support::{
    desk::{DONE, Desk, region},
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};

/// Returns a linkset of this many prims and a tip that is too far away to be linked.
fn too_wide(name: &str, first: u32, prims: u32) -> String {
    let mut parts: Vec<Prim> = (0..prims).map(|number| Prim::new(name, first + number)).collect();
    parts.push(Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Tip", first + prims) });
    xml2(&parts)
}

/// Returns a mesh without its highest level of detail, and a linkset in which this many prims use it.
fn broken_mesh(number: u32, prims: u32) -> ((String, Vec<u8>), String) {
    let mesh = uuid(0x3e3e_3e3e, number);
    let asset = (format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().without("high_lod").encode());
    let part = |of| Prim { mesh: Some(mesh.clone()), ..Prim::new("Statue", 1000 * number + of) };
    (asset, xml2(&(1..=prims).map(part).collect::<Vec<_>>()))
}

/// Returns an archive with three objects that cannot be linked (LNK001), and two broken meshes (MSH004).
fn archive() -> Vec<u8> {
    let ((rare, rare_mesh), rare_object) = broken_mesh(1, 2);
    let ((common, common_mesh), common_object) = broken_mesh(2, 5);
    region(&[Prim::new("Box", 1)])
        .add("objects/a.xml", too_wide("Small", 100, 1))
        .add("objects/b.xml", too_wide("Large", 200, 7))
        .add("objects/c.xml", too_wide("Middle", 300, 3))
        .add("objects/d.xml", rare_object)
        .add("objects/e.xml", common_object)
        .add(&rare, rare_mesh)
        .add(&common, common_mesh)
        .gzip()
}

/// Returns code, weight and object or asset of each error in a report.
fn errors(desk: &Desk, report: &str) -> Vec<(String, f64, String)> {
    let rows = desk.table(report, "findings").into_iter().filter(|row| row["severity"] == "error");
    let subject = |row: &std::collections::BTreeMap<String, String>| match row["object_name"].as_str() {
        "" => row["asset_uuid"].clone(),
        name => name.to_owned(),
    };
    rows.map(|row| (row["code"].clone(), row["weight"].parse().unwrap(), subject(&row))).collect()
}

#[test]
fn errors_are_sorted_by_weight_then_by_code() {
    let desk = Desk::with(&[("a.oar", &archive())]);
    desk.run_to(DONE, "audit a.oar --out one --threads 1 --format csv");
    desk.run_to(DONE, "audit a.oar --out four --threads 4 --format csv");
    let found = errors(&desk, "one");
    let expected = [
        ("LNK001", 8.0, "Large"),
        ("MSH004", 5.0, "Statue"),
        ("LNK001", 4.0, "Middle"),
        ("LNK001", 2.0, "Small"),
        ("MSH004", 2.0, "Statue"),
    ];
    let expected = expected.map(|(code, weight, name)| (code.to_owned(), weight, name.to_owned()));
    assert_eq!(found, expected);
    assert_eq!(desk.files("one")["findings.csv"], desk.files("four")["findings.csv"]);
}

#[test]
fn the_summary_and_the_page_begin_with_the_heaviest_of_all_archives() {
    let small = region(&[Prim::new("Box", 2)]).add("objects/a.xml", too_wide("Hut", 400, 1)).gzip();
    let desk = Desk::with(&[("a.oar", &small), ("b.oar", &archive())]);
    let run = desk.run_to(DONE, "audit a.oar b.oar --out report --format csv,html");
    let summary = desk.audit_json("report");
    let worst: Vec<f64> = summary["worst"].as_array().unwrap()[..5]
        .iter()
        .map(|line| line["weight"].as_f64().unwrap())
        .collect();
    assert_eq!(worst, [8.0, 5.0, 4.0, 2.0, 2.0]);
    assert_eq!(summary["first"]["LNK001"]["object_name"], "Large");
    let [link, mesh] = ["LNK001", "MSH004"].map(|code| run.stdout.find(&format!("error {code}")).unwrap());
    assert!(link < mesh && run.stdout.contains("LNK001 4 ×  Large"), "{}", run.stdout);
    let page = String::from_utf8(desk.files("report").remove("audit.html").unwrap()).unwrap();
    let findings =
        &page[page.find("\"id\":\"data-findings\"").or(page.find("id=\"data-findings\"")).unwrap()..];
    let weights = findings.split("\"name\":\"weight\"").nth(1).unwrap();
    assert!(weights.starts_with(",\"cells\":[8,5,4,2,2,2,"), "{}", &weights[..60]);
}
