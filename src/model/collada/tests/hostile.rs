use super::*;
use crate::MOST_CHARACTERS;
use hullmark_util::deadline::Deadline;
use proptest::prelude::*;

fn why(text: &str) -> String {
    let (scene, defects) = read_text(text);
    assert!(scene.nodes.is_empty());
    match &defects[..] {
        [(ModelDefect::Unreadable { why }, within)] if within.is_empty() => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_document_is_unreadable() {
    assert_eq!(why(""), "the document has no element");
    assert_eq!(why("<html/>"), "the root element is html, not COLLADA");
    assert_eq!(why("<COLLADA/>"), "the document has no visual_scene");
    let text = with_geometry(&cube_of_triangles("g"));
    assert!(why(&text[..text.find("</mesh>").unwrap()]).contains("elements open"));
    assert!(why(&text[..text.find("=\"1.4.1").unwrap()]).contains("byte"));
    assert!(why(&text.replacen("</mesh>", "</node>", 1)).contains("</node>"));
    for unit in ["NaN", "INF", "0,01", "x"] {
        let text = text.replace(r#"meter="1""#, &format!(r#"meter="{unit}""#));
        assert_eq!(why(&text), "the unit of the document is not a number");
    }
}

#[test]
fn oddities_of_xml_do_no_harm() {
    let text = with_geometry(&cube_of_triangles("g"));
    let plain = clean(&text);
    let entities = r#"?><!DOCTYPE COLLADA [<!ENTITY a "x"><!ENTITY b "&a;&a;&a;&a;">]>"#;
    for odd in [
        format!("\u{feff}{text}"),
        text.replacen("?>", entities, 1),
        text.replace("<p>0 0", "<p>0<!-- a comment --> <![CDATA[0]]>"),
        text.replace("<p>0 0", "<p>&#48; 0&unknown;"),
        text.replace("<mesh>", "<mesh><extra><node><instance_geometry url=\"#g\"/></node></extra>"),
        text.replace("<COLLADA", "<c:COLLADA xmlns:c=\"x\"").replace("</COLLADA", "</c:COLLADA"),
        text.replace('\n', "\r\n"),
    ] {
        assert_eq!(clean(&odd), plain);
    }
    let utf_16: Vec<u8> =
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_within(&utf_16, &mut Work::unlimited()), (plain, vec![]));
}

#[test]
fn nesting_is_bounded() {
    let limit = Limits::default().xml_depth;
    let nested = |depth: usize| {
        let nodes = "<node>".repeat(depth) + &instance("g") + &"</node>".repeat(depth);
        read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes))
    };
    // The document, its library, the scene and the instance are elements, too.
    let (scene, defects) = nested(limit - 4);
    assert_eq!((scene.nodes.len(), defects), (1, vec![]));
    let (scene, defects) = nested(limit - 3);
    assert_eq!((scene.nodes.len(), defects), (0, vec![(over_limit("nested elements"), String::new())]));
}

/// A document with library nodes. Each names the next one several times.
fn chain(length: usize, times: usize, last: &str) -> String {
    let node = |at: usize| {
        let next =
            if at + 1 < length { format!(r##"<instance_node url="#n{}"/>"##, at + 1) } else { last.into() };
        format!(r#"<node id="n{at}">{}</node>"#, next.repeat(times))
    };
    let nodes: String = (0..length).map(node).collect();
    let libraries = library(&cube_of_triangles("g")) + "<library_nodes>" + &nodes + "</library_nodes>";
    document(Z_UP_METRES, &libraries, r##"<instance_node url="#n0"/>"##)
}

#[test]
fn nodes_that_name_nodes_end() {
    let limit = Limits::default().xml_depth;
    assert_eq!(clean(&chain(limit - 1, 1, &instance("g"))).nodes.len(), 1);
    let (scene, defects) = read_text(&chain(limit, 1, &instance("g")));
    assert!(scene.nodes.is_empty());
    assert_eq!(defects[0], (over_limit("nested nodes"), format!("n{}", limit - 2)));
    // A cycle.
    let (_, defects) = read_text(&chain(3, 1, r##"<instance_node url="#n0"/>"##));
    assert_eq!(
        defects[0],
        (ModelDefect::Unsupported { feature: "a node inside itself".into() }, "n2".into())
    );
    // 10 to the 20th nodes.
    let mut work = Work::new(10_000_000, Deadline::default());
    let (_, defects) = read_within(chain(20, 10, "").as_bytes(), &mut work);
    assert_eq!(defects, [(over_limit("work"), String::new())]);
}

#[test]
fn parts_are_charged_before_they_are_copied() {
    let nodes = format!("<node>{}</node>", instance("g").repeat(8000));
    let text = document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes);
    assert_eq!(clean(&text).nodes.len(), 8000);
    let mut work = Work::new(8_000_000, Deadline::default());
    let (scene, defects) = read_within(text.as_bytes(), &mut work);
    assert_eq!(defects, [(over_limit("work"), String::new())]);
    assert!((1000..3000).contains(&scene.nodes.len()), "{}", scene.nodes.len());
    let nodes = format!("<node>{}</node>", instance("g").repeat(10_000));
    let (scene, defects) = read_text(&document(Z_UP_METRES, &library(&cube_of_triangles("g")), &nodes));
    assert_eq!((scene.nodes.len(), defects), (8192, vec![(over_limit("parts"), String::new())]));
}

#[test]
fn long_names_are_charged_and_cut() {
    let name = "n".repeat(100_000);
    let geometry = cube_of_triangles("g").replace("name=\"g\"", &format!("name=\"{name}\""));
    let nodes = format!("<node>{}</node>", instance("g").repeat(1000));
    let text = document(Z_UP_METRES, &library(&geometry), &nodes);
    let mut work = Work::new(10_000_000, Deadline::default());
    let (scene, _) = read_within(text.as_bytes(), &mut work);
    assert!((50..100).contains(&scene.nodes.len()), "{}", scene.nodes.len());
    let (_, defects) = read_text(&with_geometry(&geometry.replace("<p>0 0", "<p>8 0")));
    assert_eq!(defects, [(ModelDefect::IndicesOutside, name[..MOST_CHARACTERS].into())]);
}

#[test]
fn a_small_budget_ends_anywhere_without_harm() {
    let text = with_geometry(&cube_of_triangles("g"));
    let mut whole = Work::unlimited();
    read_within(text.as_bytes(), &mut whole);
    for most in (0..whole.done()).step_by(97) {
        let (_, defects) = read_within(text.as_bytes(), &mut Work::new(most, Deadline::default()));
        assert!(defects.contains(&(over_limit("work"), String::new())), "{most}");
    }
    assert_eq!(read_within(text.as_bytes(), &mut Work::new(whole.done(), Deadline::default())).1, []);
}

/// Returns the units of work that a document takes.
fn work_of(text: &str) -> u64 {
    let mut work = Work::unlimited();
    let (scene, defects) = read_within(text.as_bytes(), &mut work);
    assert_eq!((scene.nodes.len(), defects), (1, vec![]));
    work.done()
}

#[test]
fn work_grows_with_the_input() {
    let inputs = inputs("g", true);
    let lists = cube_lists(false);
    let grown: [&dyn Fn(usize) -> String; 4] = [
        // Triangles of one element.
        &|times| {
            let p = cube_lists(true).concat().repeat(times);
            with_primitive(CUBE, &format!("<triangles>{inputs}<p>{p}</p></triangles>"))
        },
        // Elements of one side.
        &|times| {
            let polygons: String =
                lists.iter().map(|p| format!("<polygons>{inputs}<p>{p}</p></polygons>")).collect();
            with_primitive(CUBE, &polygons.repeat(times))
        },
        // Positions that many elements share.
        &|times| {
            let p = &lists[0];
            let polylist = format!("<polylist>{inputs}<vcount>4</vcount><p>{p}</p></polylist>").repeat(times);
            with_primitive(&format!("{CUBE} ").repeat(times), &polylist)
        },
        // Elements that are not read.
        &|times| {
            let text = with_geometry(&cube_of_triangles("g"));
            text.replace("<mesh>", &format!("<mesh>{}", "<extra><p><node/></p></extra>".repeat(times)))
        },
    ];
    for (which, text) in grown.iter().enumerate() {
        let [small, large] = [50, 500].map(|times| work_of(&text(times)));
        assert!(large < 11 * small, "{which}: {small} and {large}");
    }
}

#[test]
fn many_normals_at_one_position_are_charged() {
    let normals: String = (0..2000).map(|at| format!("{at} 0 1 ")).collect();
    let p: String = (0..2000).map(|at| format!("0 {at} ")).collect();
    let polylist = format!("<polylist>{}<vcount>2000</vcount><p>{p}</p></polylist>", inputs("g", true));
    let text = with_primitive(CUBE, &polylist).replace(NORMALS, &normals);
    // Each corner is compared with all vertices before it.
    assert!(work_of(&text) > 4 * 2000 * 1999 / 2);
}

/// A document with most elements that are read.
fn rich() -> String {
    let inputs = inputs("h", true);
    let lists = cube_lists(false);
    let other = geometry(
        "h",
        CUBE,
        &format!(
            "<polylist material=\"a\">{inputs}<vcount>4 4 4</vcount><p>{}</p></polylist>
             <polygons material=\"b\">{inputs}<p>{}</p><p>{}</p></polygons>",
            lists[..3].concat(),
            lists[3],
            lists[4],
        ),
    );
    let skin = r##"<library_controllers><controller id="c"><skin source="#g">
        <source id="j"><Name_array count="1">mHead</Name_array></source>
        <source id="b"><float_array count="16">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</float_array></source>
        <source id="w"><float_array count="2">1 0.5</float_array></source>
        <joints><input semantic="JOINT" source="#j"/><input semantic="INV_BIND_MATRIX" source="#b"/></joints>
        <vertex_weights count="8"><input semantic="JOINT" source="#j" offset="0"/>
        <input semantic="WEIGHT" source="#w" offset="1"/><vcount>1 1 1 1 1 1 1 1</vcount>
        <v>0 0 0 1 0 0 0 1 0 0 0 1 0 0 0 1</v></vertex_weights></skin></controller></library_controllers>
        <library_nodes><node id="n"><scale>1 2 3</scale><instance_geometry url="#h"/></node></library_nodes>"##;
    let nodes = r##"<node name="a"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#g"/>
        <node><rotate>0 0 1 90</rotate><translate>1 2 3</translate><instance_node url="#n"/></node></node>"##;
    let text = document(Z_UP_METRES, &(library(&(cube_of_triangles("g") + &other)) + skin), nodes);
    // Each element on a line of its own, for mutations of lines.
    text.replace("><", ">\n<")
}

#[test]
fn the_document_for_mutations_is_good() {
    let scene = clean(&rich());
    assert_eq!(scene.nodes.iter().map(crate::scene::Node::triangles).collect::<Vec<_>>(), [12, 12, 10]);
    assert_sound(&scene);
}

#[derive(Debug, Clone)]
enum Mutation {
    Delete(usize, usize),
    Duplicate(usize, usize),
    Swap(usize, usize),
    Truncate(usize),
    Set(usize, u8),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = 0..10_000_usize;
    let length = 1..40_usize;
    prop_oneof![
        (at.clone(), length.clone()).prop_map(|(at, length)| Mutation::Delete(at, length)),
        (at.clone(), length).prop_map(|(at, length)| Mutation::Duplicate(at, length)),
        (at.clone(), at.clone()).prop_map(|(a, b)| Mutation::Swap(a, b)),
        at.clone().prop_map(Mutation::Truncate),
        (at, prop_oneof![any::<u8>(), prop::sample::select(b"0123456789-.<>/\"#&; e".to_vec())])
            .prop_map(|(at, byte)| Mutation::Set(at, byte)),
    ]
}

/// Changes a list of bytes or lines. Positions count from its start, again and again.
fn mutate<T: Clone>(list: &mut Vec<T>, mutation: &Mutation, set: impl Fn(u8) -> Option<T>) {
    let Some(most) = list.len().checked_sub(1) else { return };
    let within = |at: usize| at % (most + 1);
    match *mutation {
        Mutation::Delete(at, length) => {
            let at = within(at);
            list.drain(at..(at + length).min(most + 1));
        }
        Mutation::Duplicate(at, length) => {
            let at = within(at);
            let copy = list[at..(at + length).min(most + 1)].to_vec();
            list.splice(at..at, copy);
        }
        Mutation::Swap(a, b) => list.swap(within(a), within(b)),
        Mutation::Truncate(at) => list.truncate(within(at)),
        Mutation::Set(at, byte) => {
            if let Some(value) = set(byte) {
                list[within(at)] = value;
            }
        }
    }
}

/// Reads with the budget of one asset.
fn survives(bytes: &[u8]) {
    let mut work = Work::new(Limits::default().asset_work, Deadline::default());
    let (scene, defects) = read_within(bytes, &mut work);
    assert_sound(&scene);
    assert!(defects.iter().all(|(_, within)| within.chars().count() <= MOST_CHARACTERS));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn changed_bytes_do_no_harm(mutations in prop::collection::vec(mutation(), 1..4)) {
        let mut bytes = rich().into_bytes();
        mutations.iter().for_each(|mutation| mutate(&mut bytes, mutation, Some));
        survives(&bytes);
    }

    #[test]
    fn changed_lines_do_no_harm(mutations in prop::collection::vec(mutation(), 1..4)) {
        let text = rich();
        let mut lines: Vec<&str> = text.lines().collect();
        mutations.iter().for_each(|mutation| mutate(&mut lines, mutation, |_| None));
        survives(lines.join("\n").as_bytes());
    }

    /// Words of the document change places, so it stays well-formed.
    #[test]
    fn changed_numbers_do_no_harm(
        changes in prop::collection::vec((0..2000_usize, prop::sample::select(vec![
            "0", "1", "7", "8", "-1", "3", "1e38", "NaN", "INF", "4294967296", "0.5", "x", "",
        ])), 1..8),
    ) {
        let text = rich();
        let mut words: Vec<&str> = text.split(' ').collect();
        let numbers: Vec<usize> =
            (0..words.len()).filter(|&at| words[at].parse::<f32>().is_ok()).collect();
        for (at, word) in changes {
            words[numbers[at % numbers.len()]] = word;
        }
        survives(words.join(" ").as_bytes());
    }

    #[test]
    fn random_indices_are_never_outside(
        indices in prop::collection::vec(-2..12_i64, 0..60),
        vcount in prop::collection::vec(-1..7_i64, 0..12),
    ) {
        let list = |numbers: &[i64]| numbers.iter().map(|number| format!("{number} ")).collect::<String>();
        let (p, vcount, inputs) = (list(&indices), list(&vcount), inputs("g", true));
        for primitive in [
            format!("<triangles>{inputs}<p>{p}</p></triangles>"),
            format!("<polylist>{inputs}<vcount>{vcount}</vcount><p>{p}</p></polylist>"),
            format!("<polygons>{inputs}<p>{p}</p><p>{p}</p></polygons>"),
        ] {
            survives(with_primitive(CUBE, &primitive).as_bytes());
        }
    }

    #[test]
    fn indices_within_make_triangles(corners in prop::collection::vec(0..8_u32, 3..60)) {
        let whole = &corners[..corners.len() / 3 * 3];
        let p: String = whole.iter().map(|corner| format!("{corner} ")).collect();
        let primitive = format!("<triangles>{}<p>{p}</p></triangles>", inputs("g", false));
        let scene = clean(&with_primitive(CUBE, &primitive));
        assert_sound(&scene);
        let face = &scene.nodes[0].faces[0];
        let found: Vec<Vec3> =
            face.triangles.as_flattened().iter().map(|&index| face.vertices[index as usize].position).collect();
        let bit = |corner: u32, at: u32| (corner >> at & 1) as f32;
        let expected: Vec<Vec3> =
            whole.iter().map(|&corner| Vec3::new(bit(corner, 0), bit(corner, 1), bit(corner, 2))).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(face.triangles.iter().all(|[a, b, c]| a != b && b != c && a != c));
    }
}
