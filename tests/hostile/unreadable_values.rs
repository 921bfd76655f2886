//! A value that cannot be read costs its own object and is not taken for absent.

use crate::support::{
    desk::{DONE, Desk, region, sound},
    llsd::Llsd,
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};

#[test]
fn non_finite_numbers_cost_only_their_own_object() {
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut lost = Prim::new("Lost", 1);
        lost.position[0] = number;
        lost.scale[1] = number;
        lost.rotation[2] = number;
        // A physics shape that is not a plain box, so that its size counts.
        lost.physics_shape_type = Some(2);
        let desk = Desk::with(&[("lost.xml", xml2(&[lost]).as_bytes()), ("sound.oar", &sound())]);
        desk.run_to(DONE, "audit . --out report");
        let row = |name: &str| {
            let rows = desk.table("report", "objects");
            rows.into_iter().find(|row| row["name"] == name).unwrap()
        };
        assert_eq!((row("Lost")["linkable"].as_str(), row("Lost")["size_x_m"].as_str()), ("", ""));
        assert_eq!(row("Chair")["land_impact"], "1");
    }
}

#[test]
fn a_block_that_cannot_be_read_is_not_taken_for_absent() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let part = Prim { mesh: Some(mesh.clone()), scale: [2.0; 3], ..Prim::new("Statue", 1) };
    let asset = |file: MeshFile| {
        let name = format!("assets/{mesh}_mesh.llmesh");
        region(std::slice::from_ref(&part)).add(&name, file.encode()).gzip()
    };
    let broken = MeshFile::cube().block("physics_convex", &Llsd::Int(7));
    let desk = Desk::with(&[("bare.oar", &asset(MeshFile::cube())), ("broken.oar", &asset(broken))]);
    desk.run_to(DONE, "audit . --out report");
    let found = desk.table("report", "findings").into_iter().filter(|row| row["code"] == "PHY007");
    let archives: Vec<_> = found.map(|row| row["archive"].clone()).collect();
    assert_eq!(archives, ["./bare.oar"]);
}
