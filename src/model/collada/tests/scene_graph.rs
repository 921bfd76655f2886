use super::*;
use glam::{DMat4, dvec3};

/// Reads a cube in nodes with this content, in metres with Z up.
fn cube_in(nodes: &str) -> Scene {
    clean(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), nodes))
}

fn placed(transform: &str) -> DMat4 {
    let scene = cube_in(&format!("<node>{transform}{}</node>", instance("g")));
    scene.nodes[0].placement
}

#[test]
fn units_become_metres_and_the_up_axis_becomes_z() {
    // A box of 100 × 200 × 300 units.
    let positions: String = CUBE
        .split(' ')
        .enumerate()
        .map(|(at, digit)| format!("{} ", digit.parse::<usize>().unwrap() * (at % 3 + 1) * 100))
        .collect();
    let boxed = cube_of_triangles("g").replace(CUBE, &positions);
    let read_with = |asset: &str| {
        let text = document(asset, &library(&boxed), &format!("<node>{}</node>", instance("g")));
        let node = clean(&text).nodes.remove(0);
        assert!((volume(&node).abs() - 6.0).abs() < 1e-5 || !asset.contains("0.01"));
        assert!(volume(&node) > 0.0 && !node.is_mirrored);
        // Vertices keep the units and axes of the file.
        assert_eq!(node.faces[0].vertices[2].position, Vec3::new(100.0, 200.0, 0.0));
        let (min, max) = extent(&node);
        (min, max)
    };
    let centimetres = r#"<unit name="centimeter" meter="0.01"/>"#;
    for (axis, min, max) in [
        ("<up_axis>Z_UP</up_axis>", [0.0, 0.0, 0.0], [1.0, 2.0, 3.0]),
        ("<up_axis> Y_UP\n</up_axis>", [0.0, -3.0, 0.0], [1.0, 0.0, 2.0]),
        ("", [0.0, -3.0, 0.0], [1.0, 0.0, 2.0]),
        // The loader turns X downwards.
        ("<up_axis>X_UP</up_axis>", [0.0, 0.0, -1.0], [3.0, 2.0, 0.0]),
    ] {
        let found = read_with(&format!("{centimetres}{axis}"));
        assert_near(found.0, min);
        assert_near(found.1, max);
    }
    // Without a unit, one metre.
    assert_near(read_with("<up_axis>Z_UP</up_axis>").1, [100.0, 200.0, 300.0]);
    assert_near(read_with(r#"<unit name="inch"/><up_axis>Z_UP</up_axis>"#).1, [100.0, 200.0, 300.0]);
}

#[test]
fn the_placement_of_inches_with_y_up_is_exact() {
    let text = document(
        r#"<unit meter="0.0254" name="inch"/><up_axis>Y_UP</up_axis>"#,
        &library(&cube_of_triangles("g")),
        &format!("<node><translate>10 20 30</translate>{}</node>", instance("g")),
    );
    let inch = f64::from(0.0254_f32);
    let single = |number: f64| f64::from(number as f32);
    let expected = DMat4::from_cols_array_2d(&[
        [inch, 0.0, 0.0, 0.0],
        [0.0, 0.0, inch, 0.0],
        [0.0, -inch, 0.0, 0.0],
        [single(10.0 * inch), single(-30.0 * inch), single(20.0 * inch), 1.0],
    ]);
    assert_eq!(clean(&text).nodes[0].placement, expected);
}

#[test]
fn transforms_of_a_node_apply_in_their_order() {
    let point = |transform: &str| placed(transform).transform_point3(dvec3(1.0, 0.0, 0.0));
    assert_near(point("<translate>1 2 3</translate><scale>2 3 4</scale>"), [3.0, 2.0, 3.0]);
    assert_near(point("<scale>2 3 4</scale><translate>1 2 3</translate>"), [4.0, 6.0, 12.0]);
    assert_near(point("<rotate>0 0 1 90</rotate>"), [0.0, 1.0, 0.0]);
    assert_near(point("<rotate>0 0 5 90</rotate><rotate>1 0 0 90</rotate>"), [0.0, 1.0, 0.0]);
    assert_near(point("<rotate>0 7 0 -90</rotate>"), [0.0, 0.0, 1.0]);
    assert_near(point("<rotate>0 0 0 90</rotate>"), [1.0, 0.0, 0.0]);
    let matrix = "<matrix sid=\"transform\">0 -2 0 5  2 0 0 6  0 0 2 7  0 0 0 1</matrix>";
    assert_near(point(matrix), [5.0, 8.0, 7.0]);
    // Tiny coefficients become zero, as in the viewer.
    assert_eq!(placed("<rotate>0 0 1 180</rotate>").x_axis.to_array(), [-1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn nodes_multiply_the_transforms_around_them() {
    let inner = format!(r#"<node id="b"><scale>2 2 2</scale>{}</node>"#, instance("g"));
    let scene = cube_in(&format!(
        r#"<node id="a"><translate>1 0 0</translate>{inner}<node>{}</node></node>{inner}"#,
        instance("g")
    ));
    let extents: Vec<_> = scene.nodes.iter().map(extent).collect();
    assert_near(extents[0].0, [1.0, 0.0, 0.0]);
    assert_near(extents[0].1, [3.0, 2.0, 2.0]);
    assert_near(extents[1].1, [2.0, 1.0, 1.0]);
    assert_near(extents[2].1, [2.0, 2.0, 2.0]);
}

#[test]
fn a_mirror_is_noted_and_keeps_the_order_of_triangles() {
    let mirror = "<matrix>-1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>";
    let plain = format!("<node>{}</node>", instance("g"));
    let scene = cube_in(&format!("{plain}<node>{mirror}{}</node>", instance("g")));
    assert_eq!(scene.nodes.iter().map(|node| node.is_mirrored).collect::<Vec<_>>(), [false, true]);
    assert_eq!(scene.nodes[0].faces, scene.nodes[1].faces);
    assert_eq!((volume(&scene.nodes[0]), volume(&scene.nodes[1])), (1.0, -1.0));
    // Twice is no mirror.
    let twice = cube_in(&format!("<node>{mirror}<node>{mirror}{}</node></node>", instance("g")));
    assert!(!twice.nodes[0].is_mirrored);
}

#[test]
fn a_negative_scale_loses_its_sign() {
    let nodes =
        format!("<node><scale>-1 2 -3</scale>{0}</node><node><scale>-1 1 1</scale>{0}</node>", instance("g"));
    let (scene, defects) = read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes));
    let what = "the sign of a negative scale".into();
    assert_eq!(defects, [(ModelDefect::LeftOut { what }, String::new())]);
    assert_near(extent(&scene.nodes[0]).1, [1.0, 2.0, 3.0]);
    assert!(scene.nodes.iter().all(|node| !node.is_mirrored));
}

#[test]
fn transforms_that_cannot_be_read_are_noted() {
    for (transform, kind) in [
        ("<matrix>1 0 0</matrix>", ModelDefect::Unreadable { why: "3 numbers instead of 16".into() }),
        ("<translate>1 2 x</translate>", ModelDefect::Unreadable { why: "x is not a number".into() }),
        ("<scale>1 NaN 1</scale>", ModelDefect::NotFinite),
    ] {
        let nodes = format!(r#"<node name="seat">{transform}{}</node>"#, instance("g"));
        let (scene, defects) = read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes));
        assert_eq!(defects, [(kind.clone(), "seat".into())]);
        assert_eq!(scene.nodes.len(), usize::from(kind != ModelDefect::NotFinite));
    }
    let nodes = format!("<node><lookat>0 0 0 1 0 0 0 0 1</lookat><skew/><skew/>{}</node>", instance("g"));
    let (scene, defects) = read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes));
    let left_out = |what: &str| (ModelDefect::LeftOut { what: what.into() }, String::new());
    assert_eq!(defects, [left_out("lookat"), left_out("skew")]);
    assert_eq!(scene.nodes.len(), 1);
}

#[test]
fn library_nodes_are_placed_wherever_they_are_named() {
    let libraries = format!(
        r##"{}<library_nodes><node id="pair"><node>{1}</node><node><translate>0 0 5</translate>{1}</node></node>
        </library_nodes>"##,
        library(&cube_of_triangles("g")),
        instance("g"),
    );
    let nodes = r##"<node><translate>1 0 0</translate><instance_node url="#pair"/></node>
        <node><instance_node url="#pair"/></node>"##;
    let scene = clean(&document(Z_UP_METRES, &libraries, nodes));
    let minima: Vec<_> = scene.nodes.iter().map(|node| extent(node).0.to_array()).collect();
    assert_eq!(minima, [[1.0, 0.0, 0.0], [1.0, 0.0, 5.0], [0.0; 3], [0.0, 0.0, 5.0]]);
}

#[test]
fn a_part_has_the_name_of_its_geometry_with_its_level() {
    let names = ["chair", "chair_LOD1", "chair_PHYS"];
    let geometries: String = names.iter().map(|name| cube_of_triangles(name)).collect();
    let nodes: String = names
        .iter()
        .map(|name| format!(r#"<node name="node of {name}">{}</node>"#, instance(name)))
        .collect();
    let scene = clean(&document(Z_UP_METRES, &library(&geometries), &nodes));
    assert_eq!(scene.nodes.iter().map(|node| node.name.as_str()).collect::<Vec<_>>(), names);
    let named = |attributes: &str, before: &str| {
        let geometry = cube_of_triangles("g");
        let geometry =
            geometry.replace(r#"id="g" name="g"><mesh>"#, &format!(r#"{attributes}>{before}<mesh>"#));
        clean(&with_geometry(&geometry)).nodes.remove(0).name
    };
    assert_eq!(named(r#"id="g" name="sofa""#, ""), "sofa");
    assert_eq!(named(r#"id="g""#, ""), "g");
    assert_eq!(named(r#"id="g" name="""#, ""), "g");
    // The position among the children precedes the suffix of a level.
    assert_eq!(named(r#"id="g" name="sofa""#, "<asset/>"), "sofa_1");
    assert_eq!(named(r#"id="g" name="sofa_LOD2""#, "<asset/>"), "sofa_1_LOD2");
    // Blanks become underscores if nothing else is unusual.
    assert_eq!(named(r#"id="g" name="my old sofa""#, ""), "my_old_sofa");
    assert_eq!(named(r#"id="g" name="my sofa (1)""#, ""), "my sofa (1)");
    assert_eq!(named(r#"id="g" name="a &lt;b&gt; &#228;""#, ""), "a <b> ä");
}

#[test]
fn references_with_blanks_are_found() {
    let text = with_geometry(&cube_of_triangles("g"));
    let text = text.replace(r##"url="#g""##, r##"url="#my chair""##).replace(r#"id="g""#, r#"id="my chair""#);
    assert_eq!(clean(&text).nodes.len(), 1);
}

#[test]
fn geometries_that_are_missing_elsewhere_or_unused_are_noted() {
    let nodes = r##"<node name="seat"><instance_geometry url="#none"/></node>
        <node name="table"><instance_geometry url="other.dae#g"/></node>
        <node name="lamp"><instance_node url="#lost"/></node>"##;
    let (scene, defects) = read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), nodes));
    assert!(scene.nodes.is_empty());
    let unreadable = |why: &str| ModelDefect::Unreadable { why: why.into() };
    assert_eq!(
        defects,
        [
            (unreadable("instance_geometry refers to the geometry none, which is missing"), "seat".into()),
            (ModelDefect::Unsupported { feature: "references to other files".into() }, "table".into()),
            (unreadable("instance_node refers to the node lost, which is missing"), "lamp".into()),
            (ModelDefect::LeftOut { what: "a geometry that no node places".into() }, "g".into()),
        ]
    );
}

#[test]
fn the_first_of_several_ids_and_scenes_counts() {
    let other = cube_of_triangles("g").replace(CUBE, &CUBE.replace('1', "2"));
    let geometries = cube_of_triangles("g") + &other;
    let text = document(Z_UP_METRES, &library(&geometries), &format!("<node>{}</node>", instance("g")));
    let text = text.replace("</visual_scene>", "</visual_scene><visual_scene><node/></visual_scene>");
    let (scene, _) = read_text(&text);
    assert_eq!(volume(&scene.nodes[0]), 1.0);
}

#[test]
fn animations_are_noted_once() {
    let libraries = library(&cube_of_triangles("g"))
        + "<library_animations><animation><animation/></animation><animation/></library_animations>";
    let text = document(Z_UP_METRES, &libraries, &format!("<node>{}</node>", instance("g")));
    let left_out = (ModelDefect::LeftOut { what: "animations".into() }, String::new());
    assert_eq!(read_text(&text).1, [left_out]);
}
