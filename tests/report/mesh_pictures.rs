//! The pictures of meshes on the page.

use crate::support::{
    archive::{Archive, control, settings},
    audit,
    desk::{DONE, Desk},
    llsd::Llsd,
    mesh::{MeshFile, cube_submesh},
    object::{OWNER, Prim, uuid, xml2},
    repository,
};
use std::{fs, path::Path};

const OTHER: &str = "0b0b0b0b-0000-4000-8000-000000000002";

/// Returns the figures of a page, and the text before them.
fn pictures(folder: &Path) -> (String, Vec<String>) {
    let page = fs::read_to_string(folder.join("audit.html")).unwrap();
    let Some((_, section)) = page.split_once("<section id=\"pictures\">") else { return <_>::default() };
    let mut figures = section.split_once("</section>").unwrap().0.split("<figure class=\"mesh\">");
    (figures.next().unwrap().to_owned(), figures.map(str::to_owned).collect())
}

/// Returns the path of this class in a figure.
fn path<'f>(figure: &'f str, class: &str) -> Option<&'f str> {
    let (_, path) = figure.split_once(&format!("<path class=\"{class}\" d=\""))?;
    Some(path.split_once('"').unwrap().0)
}

/// Returns a mesh whose physics mesh is a cube.
fn cube() -> Vec<u8> {
    MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![cube_submesh()])).encode()
}

/// Adds an object of one prim with this mesh.
fn add(archive: Archive, number: u32, mesh: u32, side: f64, owner: &str) -> Archive {
    let prim = Prim {
        mesh: Some(uuid(0x3e3e_3e3e, mesh)),
        scale: [side; 3],
        ..Prim::new(&format!("Box <{number}>"), number)
    };
    archive.add(&format!("objects/{number}.xml"), xml2(&[prim]).replace(OWNER, owner))
}

#[test]
fn a_thin_triangle_is_one_red_line() {
    let out = tempfile::tempdir().unwrap();
    audit(&[repository().join("sample_data/figures/slivers.oar")], out.path(), 2);
    let (_, figures) = pictures(out.path());
    assert_eq!(figures.len(), 1);
    let red = path(&figures[0], "thin").unwrap();
    assert_eq!((red.matches('m').count(), red.split([' ', '-']).count()), (1, 4), "{red}");
    let others = path(&figures[0], "wire").unwrap();
    assert_eq!(others.matches('m').count(), 1, "{others}");
    assert!(figures[0].contains("<p>2 triangles, <b class=\"error\">1 thin</b></p>"), "{}", figures[0]);
    let link = "<figcaption><a href=\"#objects/0\">Fence</a>";
    assert!(figures[0].contains(link) && figures[0].contains("href=\"#meshes/0\""), "{}", figures[0]);
    assert!(path(&figures[0], "base").is_some());
}

#[test]
fn the_fifty_heaviest_are_drawn_in_their_order() {
    // A smaller cube has narrower triangles, which cost more.
    let mut archive = Archive::new(&control("Land", "256,256"));
    for number in 0..52 {
        archive = add(archive, number, number, 1.2 - 0.01 * f64::from(number), OWNER)
            .add(&format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, number)), cube());
    }
    // Nothing uses this mesh.
    archive = archive.add(&format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, 99)), cube());
    let desk = Desk::with(&[("many.oar", &archive.gzip())]);
    desk.run_to(
        DONE,
        "audit many.oar --out one --format html --ledgers ledgers --threads 1 --fail-on blocker",
    );
    let (head, figures) = pictures(&desk.at("one"));
    assert!(head.contains("The 50 meshes") && head.contains("Left out: 2 lighter.</p>"), "{head}");
    let names: Vec<u32> = figures.iter().map(|figure| number(figure)).collect();
    assert_eq!(names, (2..52).rev().collect::<Vec<_>>());
    assert!(figures.iter().all(|figure| figure.len() < 8_000));

    desk.run_to(DONE, "report ledgers --out two --format html --threads 4 --fail-on blocker");
    assert_eq!(desk.files("one")["audit.html"], desk.files("two")["audit.html"]);
}

/// Returns the number in the name of a figure's object, which is escaped.
fn number(figure: &str) -> u32 {
    let (_, name) = figure.split_once(">Box &lt;").unwrap();
    name.split_once("&gt;</a>").unwrap().0.parse().unwrap()
}

#[test]
fn a_mesh_has_one_picture_at_its_heaviest_use_that_the_report_shows() {
    let mesh = |number| format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, number));
    let region = |name: &str| {
        let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, name.len() as u32), "256,256"));
        archive.add(&format!("settings/{name}.xml"), settings("1")).add(&mesh(1), cube())
    };
    let first = add(add(region("First"), 1, 1, 1.0, OWNER), 2, 1, 0.6, OTHER);
    let second = add(add(region("Second"), 3, 1, 0.8, OWNER), 4, 2, 0.7, OTHER).add(&mesh(2), cube());
    let desk = Desk::with(&[("first.oar", &first.gzip()), ("second.oar", &second.gzip())]);
    let drawn = |out: &str| pictures(&desk.at(out)).1.iter().map(|figure| number(figure)).collect::<Vec<_>>();
    desk.run_to(
        DONE,
        "audit first.oar second.oar --out all --format html --ledgers ledgers --fail-on blocker",
    );
    assert_eq!(drawn("all"), [2, 4]);
    assert!(!pictures(&desk.at("all")).0.contains("Left out"));
    desk.run_to(DONE, &format!("report ledgers --out own --format html --owner {OWNER} --fail-on blocker"));
    assert_eq!(drawn("own"), [3]);
    desk.run_to(DONE, "report ledgers --out one --format html --region First --fail-on blocker");
    assert_eq!(drawn("one"), [2]);
}
