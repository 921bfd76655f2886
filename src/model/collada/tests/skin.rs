use super::*;
use glam::{DMat4, Mat4};

const BIND_SHAPE: &str = "<bind_shape_matrix>1 0 0 7 0 2 0 8 0 0 3 9 0 0 0 1</bind_shape_matrix>";
const IDENTITY: &str = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1";

/// A plane of two triangles with two joints.
fn rigged(vcount: &str, v: &str) -> String {
    let inputs = inputs("g", false);
    let plane = geometry(
        "g",
        "0 0 0 1 0 0 1 1 0 0 1 0",
        &format!("<triangles material=\"skin\">{inputs}<p>0 1 2 0 2 3</p></triangles>"),
    );
    let controller = format!(
        r##"<library_controllers><controller id="c" name="rig"><skin source="#g">{BIND_SHAPE}
        <source id="c-joints"><Name_array id="c-joints-array" count="2">mPelvis
          mTorso</Name_array></source>
        <source id="c-bind"><float_array id="c-bind-array" count="32">{IDENTITY}
          1 0 0 4 0 1 0 5 0 0 1 6 0 0 0 1</float_array></source>
        <source id="c-weights"><float_array count="6">1 0.5 0.25 0.125 0 0.375</float_array></source>
        <joints><input semantic="JOINT" source="#c-joints"/>
          <input semantic="INV_BIND_MATRIX" source="#c-bind"/></joints>
        <vertex_weights count="4"><input semantic="JOINT" source="#c-joints" offset="0"/>
          <input semantic="WEIGHT" source="#c-weights" offset="1"/>
          <vcount>{vcount}</vcount><v>{v}</v></vertex_weights></skin></controller></library_controllers>"##
    );
    document(
        r#"<unit meter="0.1"/><up_axis>Z_UP</up_axis>"#,
        &(library(&plane) + &controller),
        r##"<node><translate>9 9 9</translate><instance_controller url="#c"/></node>"##,
    )
}

/// Vertex 0 has one influence, 1 has two, 2 has six, 3 has two without weight.
fn usual() -> String {
    rigged("1 2 6 2", "0 0  0 2 1 1  0 3 1 3 0 2 1 5 0 1 0 4  -1 0 1 4")
}

fn only_defect(text: &str) -> ModelDefect {
    let (scene, mut defects) = read_text(text);
    assert!(scene.nodes.is_empty());
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert_eq!(defects[0].1, "rig");
    defects.remove(0).0
}

#[test]
fn a_skin_is_a_part_with_joints_and_normalized_weights() {
    let scene = clean(&usual());
    assert_sound(&scene);
    let [node] = &scene.nodes[..] else { panic!("{scene:?}") };
    assert_eq!(node.name, "g");
    // The loader ignores the transforms of nodes with the controller.
    assert_eq!(node.placement, DMat4::from_scale(DVec3::splat(f64::from(0.1_f32))));
    let skin = node.skin.as_ref().unwrap();
    assert_eq!(skin.joints, ["mPelvis", "mTorso"]);
    assert_eq!(skin.inverse_bind, [Mat4::IDENTITY, Mat4::from_translation(Vec3::new(4.0, 5.0, 6.0))]);
    let scale = Mat4::from_scale(Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(skin.bind_shape, Mat4::from_translation(Vec3::new(7.0, 8.0, 9.0)) * scale);
    // Six influences are 0.125, 0.125, 0.25, 0.375, 0.5 and 0. The first of equal ones counts.
    let third = 1.0 / 1.25_f32;
    let expected = [
        vec![(0, 1.0)],
        vec![(1, 0.5 * (1.0 / 0.75)), (0, 0.25 * (1.0 / 0.75))],
        vec![(0, 0.5 * third), (1, 0.375 * third), (0, 0.25 * third), (0, 0.125 * third)],
        vec![],
    ];
    assert_eq!(node.faces[0].influences, expected);
}

#[test]
fn a_skin_without_a_node_and_a_rigged_geometry_with_a_node_are_parts() {
    let text = usual().replace("<instance_controller url=\"#c\"/>", &instance("g"));
    let scene = clean(&text);
    assert_eq!(scene.nodes.iter().map(|node| node.skin.is_some()).collect::<Vec<_>>(), [true, false]);
    assert_near(extent(&scene.nodes[1]).1, [1.0, 1.0, 0.9]);
}

#[test]
fn equal_positions_have_the_weights_of_the_last() {
    let text = usual().replace("0 0 0 1 0 0 1 1 0 0 1 0", "1 0 0 1 0 0 1 1 0 0 1 0");
    let text = text.replace("<p>0 1 2 0 2 3</p>", "<p>0 2 3</p>");
    assert_eq!(clean(&text).nodes[0].faces[0].influences[0][0].0, 1);
}

#[test]
fn names_may_be_references_and_the_bind_shape_may_be_missing() {
    let text = usual().replace("Name_array", "IDREF_array").replace(BIND_SHAPE, "");
    let skin = clean(&text).nodes.remove(0).skin.unwrap();
    assert_eq!(skin.joints, ["mPelvis", "mTorso"]);
    assert_eq!(skin.bind_shape, Mat4::IDENTITY);
}

#[test]
fn a_skin_whose_numbers_do_not_agree_is_left_out() {
    let unreadable = |text: &str| match only_defect(text) {
        ModelDefect::Unreadable { why } => why,
        other => panic!("{other:?}"),
    };
    let text = usual();
    assert_eq!(
        unreadable(&text.replace("count=\"4\"><input", "count=\"5\"><input")),
        "weights for 5 vertices, counts for 4, positions of 4"
    );
    assert_eq!(
        unreadable(&rigged("1 1 1", "0 0 0 0 0 0")),
        "weights for 4 vertices, counts for 3, positions of 4"
    );
    let pairs = "the weights of a skin are not pairs of a joint and a weight";
    for (vcount, v) in [("1 1 1 1", "0 0 0 0 0 0"), ("1 1 1 1", "0 0 0 0 0 0 0 0 0"), ("1 1 1 -1", "0 0 0 0")]
    {
        assert_eq!(unreadable(&rigged(vcount, v)), pairs);
    }
    let third = r#"<vcount>"#.to_owned();
    assert_eq!(
        unreadable(&text.replace("<vcount>", &(r#"<input semantic="X"/>"#.to_owned() + &third))),
        pairs
    );
    assert_eq!(unreadable(&text.replace("mTorso", "")), "2 inverse bind matrices for 1 joints");
    assert_eq!(
        unreadable(&text.replace("<bind_shape_matrix>1", "<bind_shape_matrix>")),
        "15 numbers instead of 16"
    );
    let (_, defects) = read_text(&text.replace("skin source=\"#g\"", "skin source=\"#none\""));
    let why = "skin refers to the geometry none, which is missing".into();
    assert_eq!(defects[0], (ModelDefect::Unreadable { why }, "rig".into()));
}

#[test]
fn joints_and_weights_outside_their_lists_leave_the_skin_out() {
    for v in ["2 0", "-2 0", "65536 0", "0 6", "0 -1"] {
        assert_eq!(only_defect(&rigged("1 0 0 0", v)), ModelDefect::IndicesOutside, "{v}");
    }
    assert_eq!(only_defect(&usual().replace("0.125", "INF")), ModelDefect::NotFinite);
    assert_eq!(only_defect(&usual().replace("0 0 3 9", "0 0 3 NaN")), ModelDefect::NotFinite);
}

#[test]
fn morph_targets_and_skins_on_them_are_left_out() {
    let morph = r##"<controller id="m"><morph source="#g"><source id="x"/></morph></controller></library_controllers>"##;
    let text =
        usual().replace("</library_controllers>", morph).replace("skin source=\"#g\"", "skin source=\"#m\"");
    let (scene, defects) = read_text(&text);
    assert!(scene.nodes.is_empty());
    assert_eq!(
        defects,
        [
            (ModelDefect::LeftOut { what: "morph targets".into() }, String::new()),
            (ModelDefect::Unsupported { feature: "a skin on another controller".into() }, "rig".into()),
            (ModelDefect::LeftOut { what: "a geometry that no node places".into() }, "g".into()),
        ]
    );
}
