//! Findings that depend on the object concerned: none, or less severe, where it does no harm.

use crate::support::{
    desk::{DONE, Desk, region},
    llsd::Llsd,
    mesh::{MeshFile, ball, convex, cube_corners},
    object::{Prim, uuid, xml2},
};

/// Returns severity, measured value and message of the findings of one rule in an export.
fn found(bytes: &[u8], target: &str, code: &str) -> Vec<(String, String, String)> {
    let desk = Desk::with(&[("a.oar", bytes)]);
    desk.run_to(DONE, &format!("audit a.oar --out report --profile {target}"));
    let rows = desk.table("report", "findings").into_iter().filter(|row| row["code"] == code);
    rows.map(|row| (row["severity"].clone(), row["measured"].clone(), row["message"].clone())).collect()
}

/// Returns a ring linked to a Convex Hull, with these flags. Its physics weight is above the cap.
fn ring(flags: &'static str) -> String {
    let ring = Prim { torus: true, flags, ..Prim::new("Ring", 1) };
    xml2(&[ring, Prim { physics_shape_type: Some(2), ..Prim::new("Hull", 2) }])
}

fn alone(object: &str) -> Vec<u8> {
    region(&[Prim::new("Box", 9)]).add("objects/other.xml", object).gzip()
}

#[test]
fn phantom_objects_and_attachments_need_not_become_physical() {
    let count = |object: String| found(&alone(&object), "second-life", "PHY002").len();
    assert_eq!(count(ring("None")), 1);
    assert_eq!(count(ring("Phantom")), 0);
    assert_eq!(count(ring("None").replace("<State>0</State>", "<State>6</State>")), 0);
    // A physical object has PHY001 in place of PHY002.
    assert_eq!(count(ring("Physics")), 0);
}

/// Returns a region with one part that uses this mesh.
fn with_mesh(part: Prim, mesh: &MeshFile) -> Vec<u8> {
    let asset = uuid(0x3e3e_3e3e, 1);
    let name = format!("assets/{asset}_mesh.llmesh");
    region(&[Prim { mesh: Some(asset), ..part }]).add(&name, mesh.encode()).gzip()
}

#[test]
fn a_phantom_mesh_needs_no_physics_shape() {
    let count = |flags, target| {
        let part = Prim { flags, ..Prim::new("Door", 1) };
        found(&with_mesh(part, &MeshFile::cube()), target, "PHY007").len()
    };
    for target in ["second-life", "opensim-ubode"] {
        assert_eq!(count("None", target), 1, "{target}");
        assert_eq!(count("Phantom", target), 0, "{target}");
    }
}

#[test]
fn an_object_just_outside_is_lost_in_opensim_only() {
    let at = |x: f64, target| {
        let part = Prim { position: [x, 128.0, 25.0], ..Prim::new("Fence", 1) };
        let [(severity, measured, message)]: [_; 1] =
            found(&region(&[part]).gzip(), target, "POS002").try_into().unwrap();
        assert_eq!(message.ends_with("; loading drops the object"), target == "opensim-ubode", "{message}");
        (severity, measured)
    };
    for (x, second_life) in [(256.0, "info"), (256.0625, "info"), (-0.0625, "info"), (256.125, "error")] {
        let outside = (x - 256.0_f64).max(-x).to_string();
        assert_eq!(at(x, "second-life"), (second_life.into(), outside.clone()), "{x}");
        assert_eq!(at(x, "opensim-ubode"), ("error".into(), outside), "{x}");
    }
}

#[test]
fn a_base_hull_is_measured_in_metres_at_the_largest_scale_in_use() {
    // The base hull is the lower half of the cube, so the decomposition extends beyond it by half the mesh's size.
    let half: Vec<[u16; 3]> = cube_corners().into_iter().map(|[x, y, z]| [x, y, z / 2]).collect();
    let content: Llsd = convex(&half, &[cube_corners()]);
    let mesh = MeshFile::cube().block("physics_convex", &content);
    let at = |scale| {
        let part = Prim { scale, ..Prim::new("Rock", 1) };
        found(&with_mesh(part, &mesh), "second-life", "HUL009")
    };
    let [(severity, measured, message)]: [_; 1] = at([2.0, 1.0, 1.0]).try_into().unwrap();
    assert_eq!(severity, "warning");
    assert!((measured.parse::<f64>().unwrap() - 1.0).abs() < 1e-4, "{measured}");
    assert_eq!(
        message,
        "The decomposition (1 of 1 hull) extends beyond the base hull by up to 1 m at the largest scale in use"
    );
    let [(severity, measured, _)]: [_; 1] = at([0.015; 3]).try_into().unwrap();
    assert_eq!(severity, "info");
    assert!((measured.parse::<f64>().unwrap() - 0.0075).abs() < 1e-6, "{measured}");

    let unused = region(&[Prim::new("Box", 1)]);
    let unused = unused.add(&format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, 1)), mesh.encode()).gzip();
    let [(severity, measured, message)]: [_; 1] = found(&unused, "second-life", "HUL009").try_into().unwrap();
    assert_eq!((severity.as_str(), measured.as_str()), ("warning", ""));
    assert!(
        message.starts_with("The decomposition (1 of 1 hull) extends beyond the base hull by 0.5"),
        "{message}"
    );
    assert!(message.ends_with(" of the mesh's size"), "{message}");
}

/// Nothing collides with an attachment. The same mesh in a region, or in a box that is not worn, is an error.
#[test]
fn faults_in_the_physics_of_worn_meshes_are_notes() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let round = MeshFile::cube().block("physics_convex", &convex(&ball(257, [0.0; 3], 0.5), &[]));
    let hat = xml2(&[Prim { mesh: Some(mesh.clone()), ..Prim::new("Hat", 5) }]);
    let worn = hat.replace("<State>0</State>", "<State>2</State>");
    let severities = |nested: &str, rezzed: &str| {
        let archive = region(&[Prim::new("Box", 9)])
            .add(&format!("assets/{}_object.xml", uuid(0x0c0c_0c0c, 1)), nested)
            .add("objects/other.xml", rezzed)
            .add(&format!("assets/{mesh}_mesh.llmesh"), round.encode());
        let found = found(&archive.gzip(), "second-life", "HUL001");
        found.into_iter().map(|(severity, ..)| severity).collect::<Vec<_>>()
    };
    let none = xml2(&[Prim::new("Chair", 6)]);
    assert_eq!(severities(&worn, &none), ["info"]);
    assert_eq!(severities(&hat, &none), ["error"]);
    assert_eq!(severities(&worn, &hat), ["error"], "the region has it, too");
    assert_eq!(severities(&none, &worn), ["error"], "a remnant in a region collides");
}
