//! Rules of OpenSim's readers, each with the smallest document that shows it.

use super::*;
use proptest::{prelude::*, sample::Index};

/// Creates a part with these elements before its shape.
fn part(elements: &str) -> String {
    format!("<SceneObjectPart>{elements}<Shape><PCode>9</PCode></Shape></SceneObjectPart>")
}

fn verdict(text: &str) -> (&'static str, Option<&'static str>) {
    let verdict = read(text, &Limits::default());
    let field = |faults: &VecDeque<(usize, Fault)>| faults.front().map(|(_, fault)| fault.field);
    match () {
        () if verdict.hangs.is_some() => ("hangs", verdict.hangs.map(|(_, fault)| fault.field)),
        () if !verdict.stops.is_empty() => ("stops", field(&verdict.stops)),
        () if verdict.malformed.is_some() => ("malformed", None),
        () if verdict.uuid_twice.is_some() => ("twice", None),
        () if !verdict.ends_early.is_empty() => ("ends early", field(&verdict.ends_early)),
        () => ("loads", None),
    }
}

fn outcome(elements: &str) -> (&'static str, Option<&'static str>) {
    verdict(&part(elements))
}

#[test]
fn each_value_has_its_own_call() {
    for (elements, expected) in [
        ("<LinkNum> 1 </LinkNum>", None),
        ("<LinkNum>1<!-- one -->0</LinkNum>", None),
        ("<LinkNum>1.5</LinkNum>", Some("LinkNum")),
        ("<LinkNum>4294967296</LinkNum>", Some("LinkNum")),
        ("<LocalId>4294967296</LocalId>", None),
        ("<ParentID>-1</ParentID>", Some("ParentID")),
        ("<Buoyancy>INF</Buoyancy><Density>-Infinity</Density><Bounce>NaN</Bounce>", None),
        ("<Buoyancy>inf</Buoyancy>", Some("Buoyancy")),
        ("<Buoyancy>1,5</Buoyancy>", Some("Buoyancy")),
        ("<Name>a<!-- b --></Name>", Some("Name")),
        ("<CreatorData>a<!-- b --></CreatorData>", None),
        ("<Name>&#x1;</Name>", None),
        ("<ParticleSystem>&#x1;</ParticleSystem>", Some("ParticleSystem")),
        ("<Flags>Physics Phantom</Flags>", None),
        ("<Flags>Physics,Phantom</Flags>", None),
        ("<Flags>1088</Flags>", None),
        ("<Flags>physics</Flags>", Some("Flags")),
        ("<Flags>-1</Flags>", Some("Flags")),
        ("<Color><R>1.5</R><G>0</G><B>0</B><A>255</A></Color>", None),
        ("<Color><R>256</R><G>0</G><B>0</B><A>255</A></Color>", Some("Color")),
        ("<Scale><a>1</a><b>2</b><c>3</c></Scale>", None),
        ("<Scale><!-- size --><X>1</X><Y>2</Y><Z>3</Z></Scale>", Some("Scale")),
        ("<Scale xmlns=\"urn:x\"><X>1</X><Y>2</Y><Z>3</Z></Scale>", Some("Scale")),
        ("<OwnerID></OwnerID>", None),
        ("<OwnerID/>", Some("OwnerID")),
        ("<OwnerID>nobody</OwnerID>", None),
        ("<UUID></UUID>", Some("UUID")),
        ("<AllowedDrop>perhaps</AllowedDrop>", None),
        ("<AllowedDrop/>", Some("AllowedDrop")),
        ("<DynAttrs><llsd><map/></llsd></DynAttrs>", None),
        ("<DynAttrs/>", Some("DynAttrs")),
        ("<SOPAnims>?</SOPAnims><Vehicle><TYPE>x</TYPE></Vehicle>", None),
    ] {
        assert_eq!(
            outcome(elements),
            expected.map_or(("loads", None), |field| ("stops", Some(field))),
            "{elements}"
        );
    }
}

#[test]
fn rotations_are_asked_for_until_they_end() {
    for field in ["RotationOffset", "SitTargetOrientation", "SitTargetOrientationLL"] {
        for content in ["<V>0</V>", "1", "<!-- none -->"] {
            assert_eq!(
                outcome(&format!("<{field}>{content}</{field}>")),
                ("hangs", Some(field)),
                "{content}"
            );
        }
        assert_eq!(outcome(&format!("<{field}/>")), ("hangs", Some(field)));
        assert_eq!(outcome(&format!("<{field}><w>1</w></{field}>")).0, "loads");
        assert_eq!(outcome(&format!("<{field}></{field}>")).0, "loads");
        assert_eq!(outcome(&format!("<{field}><X>one</X></{field}>")), ("stops", Some(field)));
    }
    // Nothing is read after a part that is given up.
    let both = format!("<G>{}{}</G>", part("<LinkNum/>"), part("<RotationOffset/>"));
    assert_eq!(verdict(&both), ("stops", Some("LinkNum")));
}

#[test]
fn an_exception_inside_a_form_is_forgiven_up_to_nine_times() {
    let with = |count: usize| {
        let fields = "<PathBegin>x</PathBegin>".repeat(count);
        verdict(&format!("<SceneObjectPart><Shape>{fields}<PCode>9</PCode></Shape></SceneObjectPart>"))
    };
    assert_eq!(with(9), ("loads", None));
    assert_eq!(
        with(10),
        ("ends early", Some("SceneObjectPart")),
        "the end of the tenth is taken for that of the form"
    );
}

#[test]
fn a_child_in_a_value_moves_the_end() {
    let form =
        "<SceneObjectPart><Shape><PCode><A>1</A></PCode></Shape><Scale><X>x</X></Scale></SceneObjectPart>";
    assert_eq!(verdict(form), ("ends early", Some("SceneObjectPart")), "and the size is never looked at");
    let item = "<TaskInventory><TaskInventoryItem><Type><A/></Type><Name>a</Name></TaskInventoryItem></TaskInventory>";
    let last = "<SceneObjectPart><Shape><HollowShape>round</HollowShape></Shape><Scale/></SceneObjectPart>";
    assert_eq!(verdict(last), ("stops", Some("Shape")), "the end of the form is passed over");
    assert_eq!(outcome(item), ("stops", Some("Shape")), "the form is never reached");
}

#[test]
fn uuids_are_taken_once() {
    let item = "<TaskInventoryItem><ItemID>x</ItemID></TaskInventoryItem>";
    assert_eq!(outcome(&format!("<TaskInventory>{item}</TaskInventory>")).0, "loads");
    assert_eq!(outcome(&format!("<TaskInventory>{item}{item}</TaskInventory>")).0, "twice");
    assert_eq!(verdict(&format!("<G>{}{}</G>", part(""), part(""))).0, "twice");
}

#[test]
fn xml_that_is_not_well_formed() {
    let whole = format!("<?xml version=\"1.0\"?><G a=\"1\">{}</G>", part(""));
    assert_eq!(verdict(&whole).0, "loads");
    for (from, to) in [
        ("<G ", "<G"),
        ("\"1\"", "1"),
        ("a=", "b=\"2\" b="),
        ("<G ", "<p:G "),
        ("</G>", "</H>"),
        ("</G>", ""),
        ("</G>", "</G><G/>"),
        ("</G>", "</G>x"),
        ("</G>", "&nbsp;</G>"),
        ("</G>", "]]></G>"),
        ("</G>", "<!-- -- --></G>"),
        ("</G>", "<?xml?></G>"),
        ("</G>", "<1/></G>"),
        ("<?xml", " <?xml"),
    ] {
        assert_eq!(verdict(&whole.replace(from, to)).0, "malformed", "{from} {to}");
    }
}

#[test]
fn places_are_reported_by_line() {
    let text = part("\n<Name>a</Name>\n<LinkNum>x</LinkNum>\n<Material>y</Material>");
    let line = |fault: &Fault| match fault.kind {
        ObjectDefect::Throws { line, .. } => line,
        _ => panic!("{fault:?}"),
    };
    let lines: Vec<u64> =
        read(&text, &Limits::default()).stops.iter().map(|(_, fault)| line(fault)).collect();
    assert_eq!(lines, [3, 4]);
}

#[test]
fn faults_that_say_the_same_are_folded_and_counted() {
    let part = "<SceneObjectPart></SceneObjectPart>".repeat(200);
    let other = "<SceneObjectPart><LinkNum>one</LinkNum></SceneObjectPart>";
    let verdict = read(&format!("<SceneObjectGroup>{part}{other}</SceneObjectGroup>"), &Limits::default());
    let count = |field| {
        let of_field = verdict.stops.iter().filter(|(_, fault)| fault.field == field);
        of_field.map(|(_, fault)| fault.count).collect::<Vec<_>>()
    };
    let shapes = count("Shape");
    assert_eq!((shapes.len(), shapes.iter().sum::<u64>(), shapes[63]), (64, 200, 137));
    assert_eq!(count("LinkNum"), [1], "another field is told by itself");
}

const SIZE: &str = "<X>1</X><Y>1</Y><Z>1</Z>";

#[test]
fn white_space_that_is_kept_is_a_node_without_a_name() {
    // Only a decimal reference keeps white space.
    for (white, kept) in
        [("&#10;", true), ("&#32;", true), (" &#9; ", true), ("&#xA;", false), ("&#x20;", false)]
    {
        let stops = |field| if kept { ("stops", Some(field)) } else { ("loads", None) };
        let hangs = |field| if kept { ("hangs", Some(field)) } else { ("loads", None) };
        for (elements, expected) in [
            (format!("<RotationOffset>{white}<X>1</X></RotationOffset>"), hangs("RotationOffset")),
            (format!("<RotationOffset><X>1</X>{white}</RotationOffset>"), hangs("RotationOffset")),
            (format!("<Velocity>{white}{SIZE}</Velocity>"), stops("Velocity")),
            (format!("<Velocity><X>0</X>{white}<Y>0</Y><Z>0</Z></Velocity>"), stops("Velocity")),
            (format!("<Velocity>{SIZE}{white}</Velocity>"), ("loads", None)),
            (format!("<CreatorID>{white}<UUID>x</UUID></CreatorID>"), stops("CreatorID")),
            (format!("<CreatorID><UUID>x</UUID>{white}</CreatorID>"), ("loads", None)),
            (format!("<Name>{white}</Name>{white}<AllowedDrop>{white}</AllowedDrop>"), ("loads", None)),
            (format!("<LinkNum>{white}<!-- one -->1</LinkNum>"), ("loads", None)),
        ] {
            assert_eq!(outcome(&elements), expected, "{elements}");
        }
    }
}

#[test]
fn white_space_is_preserved_where_an_attribute_says_so() {
    for space in ["preserve", " preserve ", "&#112;reserve"] {
        let velocity =
            |inside: &str| outcome(&format!("<Velocity xml:space=\"{space}\">{inside}</Velocity>"));
        assert_eq!(velocity(&format!("{SIZE}\n")), ("loads", None), "{space}");
        assert_eq!(velocity(&format!("\n{SIZE}")), ("stops", Some("Velocity")), "{space}");
        let rotation = format!("<RotationOffset xml:space=\"{space}\"><X>1</X>\n</RotationOffset>");
        assert_eq!(outcome(&rotation), ("hangs", Some("RotationOffset")));
        let creator = format!("<CreatorID xml:space=\"{space}\"><UUID>x</UUID>\n</CreatorID>");
        assert_eq!(outcome(&creator), ("loads", None));
    }
    let group = format!("<G xml:space=\"preserve\">\n{}\n</G>", part("\n<LinkNum>1</LinkNum>\n"));
    assert_eq!(verdict(&group), ("loads", None));
    assert_eq!(outcome(&format!("<Velocity xml:space=\"default\">\n{SIZE}</Velocity>")), ("loads", None));
}

#[test]
fn a_number_may_end_in_zeros() {
    for number in ["1&#0;", "1&#0;&#0; ", "&#32;1&#x0; "] {
        let velocity = format!("<Velocity><X>{number}</X><Y>0</Y><Z>0</Z></Velocity>");
        assert_eq!(outcome(&velocity), ("loads", None), "{number}");
    }
    for number in ["NaN&#0;", "INF&#0;", "&#0;", "1 &#0;", "1&#0; &#0;", "&#0;1"] {
        assert_eq!(
            outcome(&format!("<Buoyancy>{number}</Buoyancy>")),
            ("stops", Some("Buoyancy")),
            "{number}"
        );
    }
}

#[test]
fn characters_that_xml_forbids_come_by_reference_only() {
    assert_eq!(outcome("<SitTargetOrientation/>\u{2}<LinkNum>1</LinkNum>").0, "malformed");
    for character in ["\u{2}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"] {
        for elements in
            ["<Name>§</Name>", "<!--§-->", "<?p §?>", "<A a=\"§\"/>", "<Name><![CDATA[§]]></Name>"]
        {
            let elements = elements.replace('§', character);
            assert_eq!(outcome(&elements).0, "malformed", "{elements}");
        }
    }
    for character in ["&#x2;", "&#xFFFE;", "&#65535;", "\u{7F}", "\u{FFFD}", "\u{FDD0}", "\u{1FFFE}"] {
        assert_eq!(outcome(&format!("<Name a=\"{character}\">{character}</Name>")).0, "loads", "{character}");
    }
}

#[test]
fn attributes_that_mean_something_to_xml() {
    const XML: &str = "http://www.w3.org/XML/1998/namespace";
    const XMLNS: &str = "http://www.w3.org/2000/xmlns/";
    let with = |attribute: &str| outcome(&format!("<q {attribute}/>")).0;
    for attribute in [
        "xmlns:a=\"\"",
        "xmlns:xml=\"z\"",
        "xmlns:xmlns=\"z\"",
        "xml:space=\"x\"",
        "xml:space=\"\"",
        "a=\u{A0}\"1\"",
        &format!("xmlns=\"{XMLNS}\""),
        &format!("xmlns:a=\"{XMLNS}\""),
        &format!("xmlns:xmlns=\"{XMLNS}\""),
    ] {
        assert_eq!(with(attribute), "malformed", "{attribute}");
    }
    for attribute in [
        "xmlns=\"\"",
        "xmlns:a=\" \"",
        "xml:space=\"default\"",
        "xml:lang=\"\"",
        "a\n=\n\"1\"",
        &format!("xmlns:xml=\"{XML}\""),
        &format!("xmlns:a=\"{XML}\""),
    ] {
        assert_eq!(with(attribute), "loads", "{attribute}");
    }
}

#[test]
fn a_declaration_has_its_attributes_in_order() {
    let with = |attributes: &str| verdict(&format!("<?xml{attributes}?>{}", part(""))).0;
    for attributes in [
        " version=\"1.0\"",
        "\tversion = '1.0' encoding = \"utf-8\"\n",
        " version=\"1.0\" encoding=\"utf-16\"",
        " version=\"1.0\" encoding=\"\"",
        " version=\"1.0\" standalone=\"yes\"",
        " version=\"1.0\" encoding=\"nonsense\" standalone=\"no\" ",
    ] {
        assert_eq!(with(attributes), "loads", "{attributes}");
    }
    for attributes in [
        "",
        " ",
        " version=\"1.1\"",
        " version=\" 1.0\"",
        " version=1.0",
        " version=\"1.0\" standalone=\"maybe\"",
        " encoding=\"utf-8\" version=\"1.0\"",
        " version=\"1.0\" standalone=\"yes\" encoding=\"utf-8\"",
        " version=\"1.0\"encoding=\"utf-8\"",
        " version=\"1.0\" encoding=\"&amp;\"",
        " version=\"1.0\" version=\"1.0\"",
        " version=\"1.0\" a=\"1\"",
        " standalone=\"yes\"",
    ] {
        assert_eq!(with(attributes), "malformed", "{attributes}");
    }
}

#[test]
fn halves_of_a_character_stay_together() {
    for pair in ["&#xD83D;&#xDE00;", "&#55357;&#56832;", "&#xD83D;&#56832;", "&#x1F600;"] {
        assert_eq!(outcome(&format!("<Name a=\"{pair}\">{pair}</Name>")), ("loads", None), "{pair}");
        assert_eq!(text::resolve(&format!("a{pair}b")), "a\u{1F600}b");
    }
    for half in [
        "&#xD800;",
        "&#xDE00;",
        "&#xDE00;&#xD83D;",
        "&#xD83D; &#xDE00;",
        "&#xD83D;<!---->&#xDE00;",
        "&#xD83D;amp;",
    ] {
        assert_eq!(outcome(&format!("<Name>{half}</Name>")).0, "malformed", "{half}");
    }
}

#[test]
fn names_are_of_the_letters_of_xml() {
    for letter in ['ª', 'º', '²', '³', '¹', 'µ', '½', '×', '\u{10400}'] {
        for name in [format!("{letter}"), format!("a{letter}")] {
            assert_eq!(outcome(&format!("<{name}/>")).0, "malformed", "{name}");
        }
    }
    for name in ["À", "ø", "Ω", "中", "a·", "aÿ"] {
        assert_eq!(outcome(&format!("<{name}/>")).0, "loads", "{name}");
    }
}

/// Returns the indices of the parts at which the loader stops, each with its field.
fn stops(text: &str) -> Vec<(usize, &'static str)> {
    let verdict = read(text, &Limits::default());
    verdict.stops.iter().map(|(part, fault)| (*part, fault.field)).collect()
}

#[test]
fn parts_inside_of_parts_are_read_after_them() {
    let inner = part(&format!("<LinkNum>x</LinkNum><A>{}</A>", part("<Material>x</Material>")));
    let group = format!("<G>{}{}</G>", part(&format!("<A>{inner}</A>")), part("<Category>x</Category>"));
    assert_eq!(stops(&group), [(1, "LinkNum"), (2, "Material"), (3, "Category")]);
    // The outer part is left at the end of its shape, before the inner one.
    let left = format!("<SceneObjectPart><Shape><PCode><A>1</A></PCode></Shape>{inner}</SceneObjectPart>");
    assert_eq!(stops(&format!("<G>{left}</G>")), [(1, "LinkNum"), (2, "Material")]);
}

#[test]
fn a_part_that_is_left_early_is_checked_to_its_end() {
    let early = |rest: &str| {
        let left = format!("<SceneObjectPart><Shape><PCode><A>1</A></PCode></Shape>{rest}</SceneObjectPart>");
        format!("<G>{left}{}</G>", part("<LinkNum>x</LinkNum>"))
    };
    assert_eq!(verdict(&early("<A/>")), ("stops", Some("LinkNum")));
    assert_eq!(stops(&early("<A/>")), [(1, "LinkNum")], "the next part is read");
    assert_eq!(verdict(&early("<A>&nbsp;</A>")), ("malformed", None));
    let limits = Limits { xml_depth: 6, ..Limits::default() };
    assert!(read(&early("<A/>"), &limits).stops_at_fields());
    let deep = read(&early("<A><A><A><A><A/></A></A></A></A>"), &limits);
    assert!(!deep.stops_at_fields() && deep.malformed.is_none(), "too deep for a verdict");
}

#[test]
fn whole_numbers_of_any_length() {
    for (text, number) in [
        ("7", Some(7)),
        ("0018", Some(18)),
        ("999999999999999999", Some(999_999_999_999_999_999)),
        ("9223372036854775808", Some(9_223_372_036_854_775_808)),
        ("-5", Some(-5)),
        (" +5\n", Some(5)),
        ("", None),
        ("5x", None),
        ("٥", None),
    ] {
        assert_eq!(text::whole_number(text), number, "{text}");
    }
}

/// Returns whether the loader is stuck, for an object of an inventory with these elements before its shape.
fn is_stuck(elements: &str) -> bool {
    let object = format!("<SceneObjectGroup><RootPart>{}</RootPart></SceneObjectGroup>", part(elements));
    let verdict = read(&object, &Limits::default());
    assert!(verdict.malformed().is_some(), "{elements}");
    verdict.is_stuck()
}

#[test]
fn a_fault_in_a_field_of_an_inventory_s_object_holds_the_loader() {
    // The reader shows what was last at the depth of the text: the text of a number, or the end of a component.
    let after_text = |name: &str| format!("<LinkNum>1</LinkNum><Name>{name}</Name>");
    let after_end = |name: &str| format!("<Scale><X>1</X><Y>1</Y><Z>1</Z></Scale><Name>{name}</Name>");
    for (text, texts, ends) in [
        ("a&b", true, true),
        ("a<b", true, true),
        ("a&#;b", true, false),
        ("a\u{1}b", true, false),
        ("a]]>b", true, false),
        ("&b", true, false),
        ("a&b;", false, false),
    ] {
        assert_eq!([is_stuck(&after_text(text)), is_stuck(&after_end(text))], [texts, ends], "{text}");
    }
    // A comment that does not end is read by the call for the field before it.
    assert!(!is_stuck("<LinkNum>1</LinkNum><!-- a "));
    // No call reads an unknown element.
    assert!(!is_stuck("<LinkNum>1</LinkNum><Unknown>a&b</Unknown>"));
    // Objects of a region are read as a whole first.
    let region = read(&part(&after_text("a&b")), &Limits::default());
    assert!(region.malformed().is_some() && !region.is_stuck());
}

#[test]
fn references_of_an_inventory_s_object_may_have_any_number() {
    let verdict = |number: &str| {
        let elements = part(&format!("<Name>&#x{number};</Name>"));
        [format!("<G>{elements}</G>"), format!("<G><RootPart>{elements}</RootPart></G>")]
            .map(|document| verdict(&document).0)
    };
    for number in ["D83D", "DE00", "110000", "7FFFFFFF"] {
        assert_eq!(verdict(number), ["malformed", "loads"], "{number}");
    }
    assert_eq!(verdict("80000000"), ["malformed"; 2]);
}

/// Elements of each kind, in more than one form.
const ELEMENTS: [&str; 41] = [
    "<AllowedDrop>false</AllowedDrop><CreatorID><UUID>76bc662e-e4f1-4aca-aa9a-8d708db61244</UUID></CreatorID>",
    "<FolderID><Guid>49d315b2-6079-4291-aee0-e83c2b9697dd</Guid></FolderID><UUID>49d315b2607942</UUID>",
    "<UUID> <UUID>49d315b2-6079-4291-aee0-e83c2b9697dd</UUID>\n</UUID><CreatorData></CreatorData>",
    "<TaskInventory><TaskInventoryItem><ItemID><UUID>76bc662e-e4f1-4aca-aa9a-8d708db61244</UUID></ItemID>\
     <Name>a</Name><Type>10</Type></TaskInventoryItem>\n<TaskInventoryItem></TaskInventoryItem></TaskInventory>",
    "<LocalId>3081207331</LocalId><LinkNum>2147483647</LinkNum><PayPrice0>-2</PayPrice0><BaseMask> 1 </BaseMask>",
    "<Name>silver bangle</Name><Description /><Text/><SitName></SitName><TouchName> </TouchName>",
    "<Name>a]b</Name><Description>a&amp;b</Description>",
    "<GroupPosition><X>0.5</X><Y>-1</Y><Z>1E-05</Z></GroupPosition><Scale> <X>1</X> <Y>2</Y> <Z>3</Z> </Scale>",
    "<RotationOffset><X>0</X><Y>0</Y><Z>0</Z><W>1</W></RotationOffset>",
    "<SitTargetOrientation><W>1</W></SitTargetOrientation><Force><a>1</a><b>2</b><c>3</c></Force>",
    "<Color><R>0</R><G>0.5</G><B>255.9</B><A>255</A></Color>",
    "<Shape><ProfileCurve>1</ProfileCurve><TextureEntry>TMQQCvZ5</TextureEntry><PCode>9</PCode><ProfileShape>Square\
     </ProfileShape><HollowShape>Same</HollowShape><SculptEntry>true</SculptEntry></Shape>",
    "<Shape><PathBegin>x</PathBegin><ExtraParams /><Media>a</Media></Shape>",
    "<ParentID>4294967295</ParentID><Flags>Physics, Phantom</Flags><Flags>None</Flags>",
    "<TextureAnimation /><ParticleSystem>AAAA</ParticleSystem><Buoyancy>INF</Buoyancy><Density>1000</Density>",
    "<DynAttrs><llsd><map/></llsd></DynAttrs><SOPAnims>AA==</SOPAnims><LinksetData>{}</LinksetData>",
    "<Vehicle><TYPE>1</TYPE><LMDIR><X>0</X><Y>0</Y><Z>0</Z></LMDIR></Vehicle>",
    "<PhysicsInertia><MASS>1</MASS></PhysicsInertia><Unknown><Name>a</Name></Unknown>",
    "<!-- a --><?a?><![CDATA[a]]>",
    "<KeyframeMotion>AA=</KeyframeMotion><SavedScriptState UUID=\"a\"/>",
    "<SceneObjectPart><Name>inside</Name><Shape/></SceneObjectPart>",
    "<Name>a]]>b</Name>",
    "<UUID></UUID>",
    "<OwnerID></OwnerID>",
    "<UUID><UUID></UUID></UUID>",
    "<OwnerID />",
    "<LinkNum></LinkNum>",
    "<LinkNum />",
    "<LinkNum>2147483648</LinkNum>",
    "<ParentID>-1</ParentID>",
    "<Buoyancy>inf</Buoyancy>",
    "<Bounce />",
    "<Color><R>256</R><G>0</G><B>0</B><A>255</A></Color>",
    "<Color><R>NaN</R><G>0</G><B>0</B><A>255</A></Color>",
    "<Flags>physics</Flags>",
    "<Scale><X>1</X><Y>2</Y></Scale>",
    "<Scale><X>1</X><Y>two</Y><Z>3</Z></Scale>",
    "<ParticleSystem>?</ParticleSystem>",
    "<TaskInventory><TaskInventoryItem><ItemID>x</ItemID></TaskInventoryItem><TaskInventoryItem></TaskInventoryItem>\
     </TaskInventory>",
    "<Shape />",
    "<Name xml:space=\"preserve\"> </Name><p:Name xmlns:p=\"a\">a</p:Name><Scale xmlns=\"a\"/>",
];

/// Pieces that change the value or the end of a call.
const PIECES: [&str; 20] = [
    "", " ", "x", "1", "-", ".", "<a/>", "<a>", "</a>", "<!-- -->", "&lt;", "&#x1;", "&", "]]>", "\u{1}",
    "\u{FFFE}", "</X>", "</Name>", "<Name>", "é",
];

proptest! {
    /// Passing over plain elements changes no verdict, also not of a faulty document.
    #[test]
    fn plain_elements_are_read_as_calls_read_them(
        parts in prop::collection::vec(prop::collection::vec(any::<Index>(), 0..8), 1..4),
        of_inventories in any::<bool>(),
        preserved in prop::bool::weighted(0.1),
        edits in prop::collection::vec((any::<Index>(), 0..12_usize, any::<Index>()), 0..3),
        depth in prop_oneof![4 => Just(64_usize), 1 => 3..9_usize],
    ) {
        let space = if preserved { " xml:space=\"preserve\"" } else { "" };
        let parts: String = parts
            .iter()
            .map(|elements| elements.iter().map(|element| *element.get(&ELEMENTS)).collect::<String>())
            .map(|elements| format!("<SceneObjectPart{space}>{elements}</SceneObjectPart>"))
            .collect();
        let mut text = match of_inventories {
            true => format!("<SceneObjectGroup><RootPart>{parts}</RootPart></SceneObjectGroup>"),
            false => format!("<SceneObjectGroup>\n  {parts}\n</SceneObjectGroup>"),
        };
        for (at, removed, piece) in edits {
            let begin = text.floor_char_boundary(at.index(text.len()));
            let end = text.ceil_char_boundary((begin + removed).min(text.len()));
            text.replace_range(begin..end, PIECES[piece.index(PIECES.len())]);
        }
        let limits = Limits { xml_depth: depth, ..Limits::default() };
        prop_assert_eq!(read(&text, &limits), read_with(&text, &limits, |document| document), "{}", text);
    }
}
