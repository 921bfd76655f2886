//! Documents that are cut, changed or too large.

use super::*;

#[test]
fn limits_are_kept() {
    let limits = Limits { parts: 2, findings_per_code: 3, xml_depth: 6, ..Limits::default() };
    let parts: Vec<_> = (1..=4).map(|n| part(RIDE, "a", n, "")).collect();
    let (document, defects) = decode(xml2(&parts).as_bytes(), &limits);
    assert_eq!(document.linksets[0].parts.len(), 2);
    assert_eq!(words_of(&defects), [one("too-many-parts", "parts")]);
    assert_eq!((defects[0].measured, defects[0].limit), (Some(Number(4.0)), Some(Number(2.0))));

    let (_, defects) = decode(b"<scene><SceneObjectPart/><SceneObjectPart/></scene>", &limits);
    // Both parts lack four fields: two of the roots lack their shapes, which is a separate kind.
    assert_eq!((defects.len(), defects.iter().map(|defect| defect.count).sum::<u64>()), (5, 8));

    let deep = part(RIDE, "a", 0, &format!("{}{}", "<d>".repeat(9), "</d>".repeat(9)));
    let (document, defects) = decode(deep.as_bytes(), &limits);
    assert_eq!(document.linksets, []);
    assert_eq!(words_of(&defects), [one("too-deep", "xml_depth")]);
}

/// Returns a document with every kind of element.
fn rich() -> String {
    let more =
        "<TaskInventory><TaskInventoryItem><Name>é&#x0;&amp;</Name></TaskInventoryItem></TaskInventory>";
    let shape = "<ExtraParams>ATAAEQAAAAcHBwcHBwcHBwcHBwcHBwcF</ExtraParams></Shape>";
    let group = xml1(&[part(RIDE, "a", 1, more).replace("</Shape>", shape), part(HEAD_1, "b", 2, "")]);
    let tail = "<KeyframeMotion><![CDATA[x]]></KeyframeMotion><!-- c --></SceneObjectGroup>";
    format!(
        "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b 'c'>]>{}\0",
        group.replace("</SceneObjectGroup>", tail)
    )
}

#[test]
fn a_document_cut_anywhere_is_read_without_panic() {
    let text = rich();
    let limits = Limits::default();
    let whole = text.trim_end_matches('\0').len();
    for cut in 0..text.len() {
        let (document, defects) = decode(&text.as_bytes()[..cut], &limits);
        let faulty = defects.iter().any(|defect| ["unreadable", "empty-document"].contains(&&*defect.name()));
        assert_eq!(faulty, cut < whole, "cut at {cut}");
        assert!(document.linksets.len() <= 1);
    }
}

#[test]
fn whole_parts_before_a_fault_are_kept() {
    let parts: Vec<_> =
        (1..=40).map(|n| part(&Uuid::from_u128(n as u128).to_string(), &format!("p{n}"), n, "")).collect();
    let whole = xml2(&parts);
    let cut = whole.rfind("<Scale>").unwrap();
    let (document, defects) = read(&whole[..cut + 3]);
    assert_eq!(document.linksets[0].parts.len(), 39);
    assert_eq!(words_of(&defects), [one("unreadable", "")]);
    assert_eq!(defects[0].place.offset, Some(cut as u64));
    let DefectKind::Document(DocumentDefect::Unreadable { parts, .. }) = defects[0].kind else { panic!() };
    assert_eq!(parts, 39);
    assert_eq!(defects[0].place.object, Some(Uuid::from_u128(1)));
}

#[test]
fn documents_without_parts() {
    for (text, name) in [
        ("", "empty-document"),
        ("no xml", "unreadable"),
        ("<html/>", "empty-document"),
        ("<SceneObjectGroup/>", "empty-object"),
        ("<SceneObjectGroup><OtherParts/></SceneObjectGroup>", "empty-object"),
    ] {
        let (document, defects) = read(text);
        assert_eq!(document.linksets, []);
        assert_eq!(defects.iter().map(Defect::name).collect::<Vec<_>>(), [name], "{text}");
    }
    let (document, defects) = read(&format!("<scene><SceneObjectGroup/>{}</scene>", part(RIDE, "a", 0, "")));
    assert_eq!(document.linksets.len(), 1);
    assert_eq!(defects[0].kind, ObjectDefect::EmptyObject { number: 1 }.into());
}

#[test]
fn text_that_is_not_clean_is_still_read() {
    let whole = part(RIDE, "caf#", 0, "");
    let (before, after) = whole.split_once('#').unwrap();
    let bytes = [before.as_bytes(), b"\xE9", after.as_bytes()].concat();
    let (document, defects) = decode(&bytes, &Limits::default());
    assert_eq!(document.linksets[0].parts[0].name, "caf\u{FFFD}");
    assert_eq!(words_of(&defects), [one("unclean", "")]);
    let (document, defects) =
        read(&format!("<!DOCTYPE x [<!ENTITY y 'z'>]>{}", part(RIDE, "&y;\u{1}", 0, "")));
    assert_eq!(document.linksets[0].parts[0].name, "\u{1}");
    assert_eq!(words_of(&defects), ["unclean"; 3].map(|name| one(name, "")));
}
