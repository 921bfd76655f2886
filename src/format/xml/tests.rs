use super::*;
use crate::defect::DefectKind;
use hullmark_util::json_number::Number;

fn source(bytes: &[u8]) -> Source<'_> {
    Source::new(bytes, DocumentType::Object)
}

/// Returns the faults in the text, with their byte offsets.
fn unclean(defects: &[Defect]) -> Vec<(Unclean, Option<u64>)> {
    let what = |defect: &Defect| match defect.kind {
        DefectKind::Document(DocumentDefect::Unclean { what, .. }) => (what, defect.place.offset),
        _ => panic!("{defect:?}"),
    };
    defects.iter().map(what).collect()
}

fn read(bytes: &[u8]) -> (Result<()>, Notes) {
    let source = source(bytes);
    let mut xml = Xml::new(&source, 8);
    let result = xml.finish();
    (result, xml.into_notes())
}

fn text_of(document: &str) -> String {
    let source = source(document.as_bytes());
    let mut xml = Xml::new(&source, 8);
    xml.root().unwrap();
    xml.text().unwrap().into_owned()
}

#[test]
fn text_is_gathered_over_references_and_cdata() {
    assert_eq!(text_of("<a>Dred&amp;Teal &lt;3 &#65;&#x42;<![CDATA[<&>]]></a>"), "Dred&Teal <3 AB<&>");
    assert_eq!(text_of("<a>x<b>not this</b>y</a>"), "xy");
    assert_eq!(text_of("<a/>"), "");
}

#[test]
fn children_are_walked_and_subtrees_skipped() {
    let source = source(b"<r> <a/> <b><c><b>1</b></c></b> <d>2</d> </r><!-- end -->");
    let mut xml = Xml::new(&source, 8);
    assert_eq!(xml.root().unwrap().name(), "r");
    assert_eq!(xml.child().unwrap().unwrap().name(), "a");
    xml.skip().unwrap();
    assert_eq!(xml.child().unwrap().unwrap().name(), "b");
    xml.skip().unwrap();
    assert_eq!(xml.child().unwrap().unwrap().name(), "d");
    assert_eq!(xml.text().unwrap(), "2");
    assert!(xml.child().unwrap().is_none());
    xml.finish().unwrap();
}

#[test]
fn a_leaf_is_bare_or_in_a_child() {
    for (document, name, text) in [
        ("<U>bare</U>", None, "bare"),
        ("<U> <Guid>1&amp;2</Guid> <x/> </U>", Some("Guid"), "1&2"),
        ("<U><UUID/></U>", Some("UUID"), ""),
        ("<U/>", None, ""),
    ] {
        let source = source(document.as_bytes());
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        let (element, value) = xml.leaf().unwrap();
        assert_eq!(element.as_ref().map(Element::name), name);
        assert_eq!(value, text);
        xml.finish().unwrap();
    }
}

#[test]
fn oddities_are_forgiven_and_recorded() {
    let (result, notes) = read(
        b"<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<a xmlns:xmlns:xsi=\"x\"><b>&#x0;&#2;</b></a>\n\0\0",
    );
    result.unwrap();
    let mut oddities = notes.oddities;
    oddities.sort_unstable();
    assert_eq!(oddities, ["doubled-xmlns", "illegal-character-reference", "says-utf-16", "trailing-nul"]);
    assert_eq!(notes.defects, []);
}

#[test]
fn utf_16_with_a_mark_is_decoded() {
    let document = "<?xml version=\"1.0\" encoding=\"utf-16\"?><a>Größe 🙂</a>";
    let little: Vec<u8> =
        [0xFF, 0xFE].into_iter().chain(document.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    let big: Vec<u8> =
        [0xFE, 0xFF].into_iter().chain(document.encode_utf16().flat_map(u16::to_be_bytes)).collect();
    for bytes in [&little, &big] {
        let source = source(bytes);
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        assert_eq!(xml.text().unwrap(), "Größe 🙂");
        assert_eq!(xml.into_notes().oddities, ["utf-16"]);
    }
    let (_, notes) = read(&little[..little.len() - 1]);
    assert_eq!(unclean(&notes.defects), [(Unclean::NotUtf16, Some(0))]);
}

#[test]
fn unclean_text_is_a_defect_and_no_fault() {
    let defects = |bytes| {
        let (result, notes) = read(bytes);
        result.unwrap();
        unclean(&notes.defects)
    };
    assert_eq!(defects(b"\xEF\xBB\xBF<a>caf\xE9</a>"), [(Unclean::NotUtf8, Some(9))]);
    assert_eq!(defects(b"<a>\x01</a>"), [(Unclean::ControlCharacter(1), Some(3))]);
    assert_eq!(
        defects(b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;&b;</a>"),
        [(Unclean::Dtd, Some(30)), (Unclean::UnknownEntity, Some(36))]
    );
    assert_eq!(defects(b"\xEF\xBB\xBF<a>\t\r\n</a>"), []);
}

#[test]
fn malformed_xml_that_quick_xml_accepts_is_reported() {
    let reported = |document: &str| {
        let (result, notes) = read(document.as_bytes());
        result.unwrap();
        unclean(&notes.defects)
    };
    for (document, what, offset) in [
        (" <?xml version='1.0'?><a/>", Unclean::LateDeclaration, 22),
        ("<a b='1' c='2' b='3'/>", Unclean::AttributeTwice, 22),
        ("<a b/>", Unclean::NoAttribute, 6),
        ("<a><x:b/></a>", Unclean::UndeclaredPrefix, 9),
        ("<a xsi:nil='true'/>", Unclean::UndeclaredPrefix, 19),
        ("<a><b xmlns:x='y'/><b x:c=''/></a>", Unclean::UndeclaredPrefix, 30),
    ] {
        assert_eq!(reported(document), [(what, Some(offset))], "{document}");
    }
    for sound in [
        "<?xml version='1.0'?><a xmlns:x='y' x:c='1'><x:b xml:lang='en'><x:b/></x:b></a>",
        "<a xmlns:xmlns:xsi='x'><b xsi:nil='true'/></a>",
        "<a b='1' c='1'/>",
    ] {
        assert_eq!(reported(sound), [], "{sound}");
    }
}

/// Results must not depend on whether an element is simple enough for the fast path.
#[test]
fn simple_leaves_are_read_as_all_others() {
    let simple = "<r><a>1</a><b></b><c>x > y</c><d><e>é</e><f/></d><a>2</a> <g>3</g></r>";
    let special = simple.replace("<a>", "<a >").replace("<b>", "<b x='y'>").replace("3<", "&#x33;<");
    let read = |document: &str, skipped: &str| {
        let source = source(document.as_bytes());
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        let mut seen = Vec::new();
        while let Some(element) = xml.child().unwrap() {
            let name = element.name().to_owned();
            match name == skipped {
                true => xml.skip().unwrap(),
                false => seen.push((name, xml.leaf().unwrap().1.into_owned())),
            }
        }
        xml.finish().unwrap();
        assert_eq!(xml.depth(), 0);
        seen
    };
    for skipped in ["", "a", "b", "c", "d", "g"] {
        assert_eq!(read(simple, skipped), read(&special, skipped));
    }
    let all = [("a", "1"), ("b", ""), ("c", "x > y"), ("d", "é"), ("a", "2"), ("g", "3")];
    assert_eq!(read(simple, ""), all.map(|(name, text)| (name.to_owned(), text.to_owned())));
    // A second byte order mark must not shift the content.
    assert_eq!(read(&format!("\u{FEFF}\u{FEFF}{simple}"), "b"), read(simple, "b"));
}

#[test]
fn faults_have_their_byte() {
    for (document, offset) in [
        (&b"<a><b></a>"[..], 6),
        (b"<a><b>", 6),
        (b"<a/><b/>", 8),
        (b"<a/>tail", 8),
        (b"", 0),
        (b"<a>AT&T</a>", 5),
    ] {
        let source = source(document);
        let mut xml = Xml::new(&source, 8);
        let fault = xml.root().and_then(|_| xml.finish()).unwrap_err();
        assert_eq!(fault.offset, offset, "{}: {}", String::from_utf8_lossy(document), fault.what);
        assert_eq!(fault.defect(DocumentType::Object, 0).name(), "unreadable");
    }
}

#[test]
fn an_end_is_reported_from_that_of_another_element_however_either_is_written() {
    let wrong = |found: &str| format!("ill-formed document: expected `</b>`, but `</{found}>` was found");
    for (document, what, offset) in [
        ("<a><b></a>", wrong("a"), 6),
        ("<a><b x='>'></a>", wrong("a"), 12),
        ("<a><b>1<c/></bb>", wrong("bb"), 11),
        ("<a><b>1</a</b>", wrong("a</b"), 7),
        ("<a><b x='y'><c/></b ></b>", wrong("b").replace("</b>`, but", "</a>`, but"), 21),
        ("<a x='y'/></a >", "ill-formed document: close tag `</a>` does not match any open tag".into(), 10),
    ] {
        let fault = read(document.as_bytes()).0.unwrap_err();
        assert_eq!((fault.what.to_string(), fault.offset), (what, offset), "{document}");
    }
    read(b"<a x='y'><b\n><c d='e' /></b\n></a>").0.unwrap();
}

#[test]
fn depth_is_also_limited_in_skipped_elements() {
    let document = b"<a>".repeat(100_000);
    let source = source(&document);
    let mut xml = Xml::new(&source, 8);
    xml.root().unwrap();
    let fault = xml.skip().unwrap_err();
    assert_eq!(fault.depth_limit, Some(8));
    let defect = fault.defect(DocumentType::Object, 0);
    assert_eq!(
        (&*defect.name(), defect.measured, defect.limit),
        ("too-deep", Some(Number(9.0)), Some(Number(8.0)))
    );
}

#[test]
fn texts_that_take_more_memory_than_their_document_are_refused() {
    let read = |bytes: &[u8]| {
        let source = source(bytes);
        let mut xml = Xml::new(&source, 8);
        xml.root().and_then(|_| xml.text()).map(|text| text.len())
    };
    let utf_16 = |text: &str| -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let in_element = |bytes: &[u8]| [b"<a>", bytes, b"</a>"].concat();
    // Each byte becomes a character of three.
    let third = MOST_RECODED / 3;
    for (document, limit) in [
        (in_element(&vec![0xFF; third]), MOST_RECODED),
        (utf_16(&format!("<a>{}</a>", "中".repeat(third))), MOST_RECODED),
        (in_element(&[&vec![b'a'; MOST_JOINED], &b"&amp;"[..]].concat()), MOST_JOINED),
        (in_element(&[b"<![CDATA[", &vec![b'a'; MOST_JOINED][..], b"]]>b"].concat()), MOST_JOINED),
    ] {
        let fault = read(&document).unwrap_err();
        assert_eq!(fault.what, XmlFault::TooLong);
        let defect = fault.defect(DocumentType::Object, 0);
        assert_eq!((&*defect.name(), defect.limit), ("too-long", Some((limit as f64).into())));
        assert!(defect.measured.map(f64::from) > defect.limit.map(f64::from), "{defect:?}");
    }
    // A part of the document has no limit of its own.
    assert_eq!(read(&in_element(&vec![b'a'; MOST_RECODED + 9])).unwrap(), MOST_RECODED + 9);
    assert_eq!(read(&in_element(&[0xFF; 100])).unwrap(), 300);
    assert_eq!(read(&utf_16(&format!("<a>{}</a>", "中".repeat(100)))).unwrap(), 300);
}

#[test]
fn long_names_of_elements_are_not_repeated() {
    let long = "a".repeat(1 << 20);
    for document in [format!("<b></{long}>"), format!("<{long}></b>"), format!("<b/></{long}>")] {
        let words = read(document.as_bytes()).0.unwrap_err().what.to_string();
        assert!(words.contains("aaaa…") && words.len() < 300, "{words}");
    }
}

#[test]
fn names_that_no_grid_stores_are_cut() {
    for (document, name, oddities) in [
        ("<a> Hill </a>".to_owned(), " Hill ".to_owned(), vec![]),
        (format!("<a>{}</a>", "x".repeat(1024)), "x".repeat(1024), vec![]),
        (format!("<a>x{}</a>", "é".repeat(600)), format!("x{}…", "é".repeat(511)), vec![oddity::NAME_CUT]),
    ] {
        let source = source(document.as_bytes());
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        assert_eq!((xml.name().unwrap(), xml.into_notes().oddities), (name, oddities));
    }
}

#[test]
fn the_root_is_sniffed_from_a_cut_file() {
    let root = |bytes: &[u8]| root_element(bytes);
    assert_eq!(root(b"<scene><SceneObjectG").as_deref(), Some("scene"));
    assert_eq!(
        root(b"\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- <x> -->\n<LandData xm").as_deref(),
        Some("LandData")
    );
    assert_eq!(root(b"<!DOCTYPE a [<!ENTITY b \"c\">]><archive/>").as_deref(), Some("archive"));
    assert_eq!(root("<a>é".as_bytes().split_last().unwrap().1).as_deref(), Some("a"));
    assert_eq!(root(b"\xFF\xFE<\0a\0>\0").as_deref(), Some("a"));
    for other in [&b""[..], b"<scen", b"text", b"<?xml", b"<!-- ", b"<!DOCTYPE", b"<3 you>", b"< a>", b"{}"] {
        assert_eq!(root(other), None, "{}", String::from_utf8_lossy(other));
    }
}

#[test]
fn values_are_read_as_dotnet_reads_them() {
    assert_eq!(parse_bool(" TRUE "), Some(true));
    assert_eq!(parse_bool("0"), Some(false));
    assert_eq!(parse_bool("yes"), None);
    assert_eq!(parse_uuid("oops"), None);
    assert_eq!(excerpt(&"é".repeat(50)).chars().count(), 41);
}
