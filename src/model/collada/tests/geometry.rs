use super::*;
use glam::Vec2;

fn triangles(inputs: &str, p: &str) -> String {
    format!("<triangles>{inputs}<p>{p}</p></triangles>")
}

/// Returns the only defect, and the number of parts that are read nevertheless.
fn only_defect(text: &str) -> (ModelDefect, String, usize) {
    let (scene, mut defects) = read_text(text);
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert_sound(&scene);
    let (kind, within) = defects.remove(0);
    (kind, within, scene.nodes.len())
}

#[test]
fn a_cube_is_the_same_of_triangles_polylists_and_polygons() {
    let (inputs, sides) = (inputs("g", true), cube_lists(false));
    let polygons: String = sides.iter().map(|side| format!("<p>{side}</p>")).collect();
    let polylist = format!("<vcount>4 4 4 4 4 4</vcount><p>{}</p>", sides.concat());
    let triangles = cube_lists(true).concat();
    for primitive in [
        format!("<triangles material=\"wood\" count=\"12\">{inputs}<p>{triangles}</p></triangles>"),
        format!("<polylist material=\"wood\" count=\"6\">{inputs}{polylist}</polylist>"),
        format!("<polygons material=\"wood\" count=\"6\">{inputs}{polygons}</polygons>"),
    ] {
        let scene = clean(&with_primitive(CUBE, &primitive));
        assert_sound(&scene);
        let [node] = &scene.nodes[..] else { panic!("{scene:?}") };
        let [face] = &node.faces[..] else { panic!("{node:?}") };
        assert_eq!((face.vertices.len(), face.triangles.len(), face.material.as_str()), (24, 12, "wood"));
        assert_eq!((face.triangles[0], face.triangles[1]), ([0, 1, 2], [0, 2, 3]));
        assert_eq!(face.vertices[3].position, Vec3::X);
        assert_eq!(face.vertices[3].normal, Vec3::NEG_Z);
        assert_eq!(volume(node), 1.0);
        assert!(face.influences.is_empty() && node.skin.is_none() && !node.is_mirrored);
    }
}

#[test]
fn corners_without_normals_and_texture_coordinates_share_a_vertex_for_each_position() {
    let p = SIDES.map(|[a, b, c, d]| format!("{a} {b} {c} {a} {c} {d} ")).concat();
    let scene = clean(&with_primitive(CUBE, &triangles(&inputs("g", false), &p)));
    let face = &scene.nodes[0].faces[0];
    assert_eq!((face.vertices.len(), face.triangles.len()), (8, 12));
    assert!(face.vertices.iter().all(|vertex| vertex.normal == Vec3::ZERO && vertex.uv == Vec2::ZERO));
    // In the order of their first use: corners 0, 2, 3 and 1.
    assert_eq!(
        face.vertices[..4].iter().map(|vertex| vertex.position).collect::<Vec<_>>(),
        [Vec3::ZERO, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), Vec3::X,]
    );
}

#[test]
fn nearly_equal_normals_share_a_vertex_except_in_polygons() {
    let with_normals = |normals: &str, primitive: &str| {
        let text = with_primitive("0 0 0 1 0 0 1 1 0 0 1 0", primitive).replace(NORMALS, normals);
        clean(&text).nodes[0].faces[0].vertices.len()
    };
    let inputs = inputs("g", true);
    // Two triangles with two common corners, and another normal each.
    let p = "0 0 1 0 2 0 0 1 2 1 3 1";
    let triangles = triangles(&inputs, p);
    let polylist = format!("<polylist>{inputs}<vcount>3 3</vcount><p>{p}</p></polylist>");
    let polygons = format!("<polygons>{inputs}<p>0 0 1 0 2 0</p><p>0 1 2 1 3 1</p></polygons>");
    for (second, shared) in [("0 0.000009 1", true), ("0 0.000011 1", false)] {
        let normals = format!("0 0 1 {second}");
        let expected = if shared { 4 } else { 6 };
        assert_eq!(with_normals(&normals, &triangles), expected, "{second}");
        assert_eq!(with_normals(&normals, &polylist), expected, "{second}");
        assert_eq!(with_normals(&normals, &polygons), 6, "{second}");
    }
    assert_eq!(with_normals("0 0 1 -0 0 1", &polygons), 4);
}

#[test]
fn normals_have_length_1_and_keep_their_digits_if_they_have_it() {
    let text = with_primitive("0 0 0 1 0 0 1 1 0", &triangles(&inputs("g", true), "0 0 1 1 2 2"));
    let scene = clean(&text.replace(NORMALS, "0 0 4 0.577350 0.577350 0.577350 0 0 0"));
    let normals: Vec<_> = scene.nodes[0].faces[0].vertices.iter().map(|vertex| vertex.normal).collect();
    assert_eq!(normals, [Vec3::Z, Vec3::splat(0.577_35), Vec3::ZERO]);
}

#[test]
fn a_triangle_has_no_vertex_twice_but_a_polylist_may() {
    let p = "0 1 2 0 0 3";
    let scene = clean(&with_primitive(CUBE, &triangles(&inputs("g", false), p)));
    assert_eq!(scene.nodes[0].faces[0].triangles, [[0, 1, 2], [0, 3, 4]]);
    assert_eq!(scene.nodes[0].faces[0].vertices[3].position, Vec3::ZERO);
    let polylist = format!("<polylist>{}<vcount>3 3</vcount><p>{p}</p></polylist>", inputs("g", false));
    let scene = clean(&with_primitive(CUBE, &polylist));
    assert_eq!(scene.nodes[0].faces[0].triangles, [[0, 1, 2], [0, 0, 3]]);
}

#[test]
fn a_polygon_is_a_fan() {
    let inputs = inputs("g", false);
    let positions = "0 0 0 2 0 0 3 1 0 1 2 0 -1 1 0";
    let fan = [[0, 1, 2], [0, 2, 3], [0, 3, 4]];
    for primitive in [
        format!("<polylist>{inputs}<vcount>5</vcount><p>0 1 2 3 4</p></polylist>"),
        format!("<polygons>{inputs}<p>0 1 2 3 4</p></polygons>"),
    ] {
        assert_eq!(clean(&with_primitive(positions, &primitive)).nodes[0].faces[0].triangles, fan);
    }
}

#[test]
fn faces_are_in_the_order_of_the_loader_with_the_symbol_of_their_material() {
    let inputs = inputs("g", false);
    let primitives = format!(
        "<polygons material=\"last\">{inputs}<p>0 1 2</p></polygons>
         <polylist material=\"my metal\">{inputs}<vcount>3</vcount><p>0 1 2</p></polylist>
         <triangles material=\"wood &amp; bark\">{inputs}<p>0 1 2</p></triangles>
         <triangles>{inputs}<p>0 1 2</p></triangles>
         <triangles material=\"empty\">{inputs}<p/></triangles>"
    );
    let scene = clean(&with_primitive(CUBE, &primitives));
    let materials: Vec<_> = scene.nodes[0].faces.iter().map(|face| face.material.as_str()).collect();
    assert_eq!(materials, ["wood & bark", "", "my_metal", "last"]);
}

#[test]
fn texture_coordinates_have_two_numbers_and_come_from_the_last_input() {
    let uvs = |set: u32, offset: u32| {
        format!(r##"<input semantic="TEXCOORD" source="#g-uvs" set="{set}" offset="{offset}"/>"##)
    };
    let inputs = inputs("g", false) + &uvs(0, 1) + &uvs(1, 2);
    let p = "0 0 1 1 0 2 2 0 3";
    let uvs_of = |primitive: &str| -> Vec<Vec2> {
        let scene = clean(&with_primitive(CUBE, primitive));
        scene.nodes[0].faces[0].vertices.iter().map(|vertex| vertex.uv).collect()
    };
    assert_eq!(uvs_of(&triangles(&inputs, p)), [Vec2::X, Vec2::ONE, Vec2::Y]);
    // Polygons have those of set 0.
    assert_eq!(uvs_of(&format!("<polygons>{inputs}<p>{p}</p></polygons>")), [Vec2::ZERO; 3]);
}

#[test]
fn normals_may_belong_to_vertices_except_in_polygons() {
    let vertices = r##"<vertices id="g-vertices"><input semantic="NORMAL" source="#g-normals"/>"##;
    let normal_of = |primitive: &str| {
        let text = with_primitive(CUBE, primitive).replace(r#"<vertices id="g-vertices">"#, vertices);
        clean(&text).nodes[0].faces[0].vertices[0].normal
    };
    let inputs = inputs("g", false);
    assert_eq!(normal_of(&triangles(&inputs, "3 1 2")), Vec3::Y);
    assert_eq!(normal_of(&format!("<polygons>{inputs}<p>3 1 2</p></polygons>")), Vec3::ZERO);
}

#[test]
fn large_faces_are_split_as_the_loader_does() {
    // Triangles without common corners.
    let count: usize = 21_845;
    let positions: String = (0..3 * count).map(|at| format!("{at} {} 0 ", at % 3)).collect();
    let p: String = (0..3 * count).map(|at| format!("{at} ")).collect();
    let inputs = inputs("g", false);
    let (scene, defects) = read_text(&with_primitive(&positions, &triangles(&inputs, &p)));
    assert_eq!(defects, [(ModelDefect::FaceSplit { faces: 2 }, "g".into())]);
    let sizes: Vec<_> =
        scene.nodes[0].faces.iter().map(|face| (face.vertices.len(), face.triangles.len())).collect();
    assert_eq!(sizes, [(65_532, 21_844), (3, 1)]);
    // A polylist is split by its indices, however few vertices it has.
    let p = "0 1 2 ".repeat(count);
    let vcount = "3 ".repeat(count);
    let polylist = format!("<polylist>{inputs}<vcount>{vcount}</vcount><p>{p}</p></polylist>");
    let (scene, defects) = read_text(&with_primitive("0 0 0 1 0 0 0 1 0", &polylist));
    assert_eq!(defects, [(ModelDefect::FaceSplit { faces: 2 }, "g".into())]);
    let sizes: Vec<_> =
        scene.nodes[0].faces.iter().map(|face| (face.vertices.len(), face.triangles.len())).collect();
    assert_eq!(sizes, [(3, 21_844), (3, 1)]);
}

#[test]
fn a_polylist_that_is_split_inside_a_polygon_goes_on_with_numbers_of_the_face_before() {
    let after_split = |counts: &str, p: &str| {
        let (counts, p) = ("3 ".repeat(21_843) + counts, "0 1 2 ".repeat(21_843) + p);
        let inputs = inputs("g", false);
        read_text(&with_primitive(
            CUBE,
            &format!("<polylist>{inputs}<vcount>{counts}</vcount><p>{p}</p></polylist>"),
        ))
    };
    let (scene, defects) = after_split("4 3", "3 4 5 6 0 1 2");
    assert_eq!(
        defects,
        [(ModelDefect::LeftOut { what: "a geometry with an incomplete face".into() }, "g".into())]
    );
    assert!(scene.nodes.is_empty());
    // In the face before, corners 0 and 2 have the numbers 0 and 2. Here those are corners 3 and 5.
    let (scene, defects) = after_split("4 3", "0 1 2 3 4 5 6");
    assert_eq!(defects, [(ModelDefect::FaceSplit { faces: 2 }, "g".into())]);
    assert_eq!(scene.nodes[0].faces[1].triangles, [[0, 2, 0], [1, 2, 3]]);
    assert_eq!(scene.nodes[0].faces[1].vertices.len(), 4);
}

#[test]
fn polygons_have_no_more_vertices_than_indices_can_name() {
    let polygon = |corners: usize| {
        let positions: String = (0..corners).map(|at| format!("{at} {} 0 ", at % 2)).collect();
        let p: String = (0..corners).map(|at| format!("{at} ")).collect();
        read_text(&with_primitive(
            &positions,
            &format!("<polygons>{}<p>{p}</p></polygons>", inputs("g", false)),
        ))
    };
    let (scene, defects) = polygon(65_536);
    assert_eq!((scene.nodes[0].triangles(), defects.as_slice()), (65_534, &[][..]));
    let (scene, defects) = polygon(65_537);
    assert!(scene.nodes.is_empty());
    assert!(matches!(defects[..], [(ModelDefect::Unsupported { .. }, _)]), "{defects:?}");
}

#[test]
fn a_geometry_with_an_incomplete_face_is_left_out_as_in_the_viewer() {
    let inputs = inputs("g", false);
    for primitive in [
        triangles(&inputs, "0 1 2 3"),
        format!("<polylist>{inputs}<vcount>2</vcount><p>0 1</p></polylist>"),
        format!("<polygons>{inputs}<p>0 1</p><p>0 1 2</p></polygons>"),
    ] {
        let (kind, within, parts) = only_defect(&with_primitive(CUBE, &primitive));
        let what = "a geometry with an incomplete face".into();
        assert_eq!((kind, within.as_str(), parts), (ModelDefect::LeftOut { what }, "g", 0));
    }
}

#[test]
fn indices_outside_leave_the_geometry_out() {
    let inputs = inputs("g", false);
    for p in ["0 1 8", "0 1 -1", "0 1 4294967295", "0 1 99999999999999999999"] {
        for primitive in [
            triangles(&inputs, p),
            format!("<polylist>{inputs}<vcount>3</vcount><p>{p}</p></polylist>"),
            format!("<polygons>{inputs}<p>{p}</p></polygons>"),
        ] {
            assert_eq!(only_defect(&with_primitive(CUBE, &primitive)).0, ModelDefect::IndicesOutside, "{p}");
        }
    }
    for vcount in ["4", "3 3", "4294967295", "-1"] {
        let polylist = format!("<polylist>{inputs}<vcount>{vcount}</vcount><p>0 1 2</p></polylist>");
        assert_eq!(only_defect(&with_primitive(CUBE, &polylist)).0, ModelDefect::IndicesOutside, "{vcount}");
    }
}

#[test]
fn attributes_outside_their_list_are_zero_and_noted() {
    let uvs = r##"<input semantic="TEXCOORD" source="#g-uvs" offset="1"/>"##;
    let (inputs, p) = (inputs("g", false), "0 2 1 4 2 -1");
    let text = with_primitive(CUBE, &triangles(&(inputs.clone() + uvs), p));
    let (scene, defects) = read_text(&text);
    let what = "texture coordinates outside their list".into();
    assert_eq!(defects, [(ModelDefect::LeftOut { what }, "g".into())]);
    let found: Vec<_> = scene.nodes[0].faces[0].vertices.iter().map(|vertex| vertex.uv).collect();
    assert_eq!(found, [Vec2::ONE, Vec2::ZERO, Vec2::ZERO]);
    let normals = r##"<input semantic="NORMAL" source="#g-normals" offset="1"/>"##;
    let (kind, _, parts) =
        only_defect(&with_primitive(CUBE, &triangles(&(inputs + normals), "0 0 1 0 2 -1")));
    let what = "normals outside their list".into();
    assert_eq!((kind, parts), (ModelDefect::LeftOut { what }, 1));
}

#[test]
fn numbers_that_are_not_finite_or_no_numbers_leave_the_geometry_out() {
    let primitive = triangles(&inputs("g", true), "0 0 1 0 2 0");
    for number in ["NaN", "INF", "-INF", "1e39", "-1.#IND"] {
        let (kind, within, parts) = only_defect(&with_primitive(&CUBE.replacen('1', number, 1), &primitive));
        assert_eq!((kind, within.as_str(), parts), (ModelDefect::NotFinite, "g", 0), "{number}");
    }
    let text = with_primitive(CUBE, &primitive);
    assert_eq!(only_defect(&text.replace(NORMALS, "0 NaN 1")).0, ModelDefect::NotFinite);
    let (kind, _, parts) = only_defect(&with_primitive(&CUBE.replacen('1', "1,5", 1), &primitive));
    let why = "1,5 is not a number".into();
    assert_eq!((kind, parts), (ModelDefect::Unreadable { why }, 0));
    // A number that no triangle uses does no harm.
    clean(&with_primitive(&format!("{CUBE} NaN NaN NaN"), &primitive));
    let uvs = r##"<input semantic="TEXCOORD" source="#g-uvs" offset="1"/>"##;
    let text = with_primitive(CUBE, &triangles(&(inputs("g", false) + uvs), "0 0 1 1 2 2"));
    let (kind, _, parts) = only_defect(&text.replace("0 0 1 0 1 1 0 1", "0 0 NaN 0 1 1 0 1"));
    let what = "texture coordinates that are not finite".into();
    assert_eq!((kind, parts), (ModelDefect::LeftOut { what }, 1));
}

#[test]
fn what_the_loader_does_not_read_is_noted() {
    let inputs = inputs("g", false);
    let with = |primitive: &str| {
        let both = format!("{primitive}{}", triangles(&inputs, "0 1 2"));
        let (kind, within, parts) = only_defect(&with_primitive(CUBE, &both));
        assert_eq!((within.as_str(), parts), ("g", 1), "{primitive}");
        kind
    };
    let lines = |name: &str| with(&format!("<{name}>{inputs}<p>0 1</p></{name}>"));
    for mode in ["lines", "linestrips"] {
        assert_eq!(lines(mode), ModelDefect::NotTriangles { mode: mode.into() });
    }
    for feature in ["tristrips", "trifans"] {
        assert_eq!(lines(feature), ModelDefect::Unsupported { feature: feature.into() });
    }
    let holes = format!("<polygons>{inputs}<ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>");
    assert_eq!(with(&holes), ModelDefect::Unsupported { feature: "polygons with holes".into() });
    for feature in ["spline", "convex_mesh", "brep"] {
        let text = with_geometry(&format!(r#"<geometry id="g"><{feature}/></geometry>"#));
        let (kind, within, parts) = only_defect(&text);
        let feature = feature.to_owned();
        assert_eq!((kind, within.as_str(), parts), (ModelDefect::Unsupported { feature }, "g", 0));
    }
}

#[test]
fn sources_that_are_missing_or_elsewhere_are_noted() {
    let primitive = triangles(&inputs("g", true), "0 0 1 0 2 0");
    let text = with_primitive(CUBE, &primitive);
    // Without positions there is no geometry. No normals are made.
    let (kind, _, parts) = only_defect(&text.replace(r##"source="#g-positions""##, r##"source="#none""##));
    let why = "input refers to the source none, which is missing".into();
    assert_eq!((kind, parts), (ModelDefect::Unreadable { why }, 0));
    let (kind, _, parts) = only_defect(&text.replace(r##"source="#g-normals""##, r##"source="#none""##));
    assert!(matches!(kind, ModelDefect::Unreadable { .. }));
    assert_eq!(parts, 1);
    let (kind, _, parts) = only_defect(&text.replace(r##"source="#g-positions""##, r#"source="b.dae#x""#));
    let feature = "references to other files".into();
    assert_eq!((kind, parts), (ModelDefect::Unsupported { feature }, 0));
    // The id of an element of another kind is no source.
    let (kind, ..) = only_defect(&text.replace(r##"source="#g-vertices""##, r##"source="#g-positions""##));
    assert!(matches!(kind, ModelDefect::Unreadable { .. }));
    let (kind, ..) = only_defect(&text.replace(r#"offset="1""#, r#"offset="4294967295""#));
    assert_eq!(kind, ModelDefect::Unreadable { why: "the offset 4294967295 of an input".into() });
}
