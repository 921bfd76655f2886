//! Content that no output may have. It is defined here again, and not taken from the tested code.

use crate::support::desk::Desk;
use base64::{Engine, prelude::BASE64_STANDARD};
use icu_properties::{
    CodePointSetData,
    props::{BidiControl, DefaultIgnorableCodePoint},
};
use quick_xml::{Reader, events::Event};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs,
    io::{Cursor, Read},
    path::Path,
};
use walkdir::WalkDir;

/// Returns `true` if a character would mislead a terminal, a log or a person.
pub(super) fn misleads(c: char) -> bool {
    (c.is_control() && c != '\n') || matches!(c, '\u{2028}' | '\u{2029}') || is_unseen(c)
}

/// Returns `true` if a character takes no room or changes the direction of text, according to Unicode.
pub(super) fn is_unseen(c: char) -> bool {
    CodePointSetData::new::<DefaultIgnorableCodePoint>().contains(c)
        || CodePointSetData::new::<BidiControl>().contains(c)
}

/// Asserts that the output misleads nobody, and that each line of the log comes from the program.
pub(super) fn assert_printed(arguments: &str, stdout: &str, stderr: &str) {
    for (stream, text) in [("stdout", stdout), ("stderr", stderr)] {
        let harm = text.lines().find(|line| line.contains(misleads));
        assert!(harm.is_none(), "{arguments}: {stream}: {harm:?}");
    }
    for line in stderr.lines() {
        let dated = line.len() > 20 && line.as_bytes()[10] == b'T' && line.as_bytes()[19] == b'Z';
        let ours = dated || line.starts_with("hullmark: ") || line.starts_with("  ");
        assert!(ours && !line.starts_with("2026-11-21T00:00:00Z all"), "{arguments}: {line:?}");
    }
}

/// Asserts that XML is well-formed. It must have no foreign element or attribute, and no character that XML forbids.
pub(super) fn assert_xml(name: &str, text: &str) {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = true;
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}")) {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => {
                assert!(!["evil", "script"].contains(&tag.name().as_ref()), "{name}: {tag:?}");
                for attribute in tag.attributes() {
                    let attribute = attribute.unwrap_or_else(|error| panic!("{name}: {error}"));
                    let (key, value) = (attribute.key.as_ref(), &attribute.value);
                    assert!(!key.starts_with("on") || key == "on", "{name}: {attribute:?}");
                    assert!(!key.ends_with("href") || !value.contains(':'), "{name}: {value}");
                }
            }
            _ => {}
        }
    }
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(text.chars().all(allowed), "{name}: a character that XML forbids");
}

/// Asserts that a page has only its own markup, and a policy that forbids the rest.
pub(super) fn assert_page(name: &str, page: &str, scripts: usize) {
    let (_, policy) = page.split_once("http-equiv=\"Content-Security-Policy\" content=\"").unwrap();
    let (policy, _) = policy.split_once('"').unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{name}: {policy}");
    for part in
        ["script-src 'sha256-", "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'"]
    {
        let part = if scripts == 0 { part.replace("'sha256-", "'none'") } else { part.into() };
        assert!(policy.contains(&part) && !policy.contains("unsafe"), "{name}: {policy}");
    }
    let unseen = page.chars().find(|&c| is_unseen(c));
    assert!(unseen.is_none(), "{name}: {unseen:?} stands in the page");
    assert_eq!(page.matches("<script").count(), scripts, "{name}");
    assert_eq!(page.matches("<style").count(), 1, "{name}");
    let style = page.split_once("<style>").and_then(|(_, behind)| behind.split_once("</style>")).unwrap().0;
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    assert!(policy.contains(&format!("style-src 'sha256-{hash}'")), "{name}: its own style is refused");
    for harm in ["<evil", "</evil", "<!--", "<img", "href=\"javascript"] {
        assert!(!page.contains(harm), "{name}: {harm}");
    }
    // Quotes inside a script are not quotes of markup.
    for piece in page.split("</script>") {
        let markup = piece.split("<script").next().unwrap_or_default();
        for harm in [" onload=\"", " onclick='"] {
            assert!(!markup.contains(harm), "{name}: {harm}");
        }
    }
}

/// Asserts that a spreadsheet runs no cell, regardless of the separator that it assumes.
pub(super) fn assert_csv(name: &str, text: &str) {
    let run = |words: &str| {
        let first = words.trim_start_matches('"').chars().next();
        first.is_some_and(|first| "=+-@＝＋－＠\t".contains(first))
            && words.split(',').next().unwrap_or_default().parse::<f64>().is_err()
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    for record in reader.records() {
        let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
        let cell = record.iter().find(|cell| run(cell));
        assert!(cell.is_none(), "{name}: {cell:?}");
    }
    let cell = text.split([';', '\n', '\r', '\t']).find(|cell| run(cell));
    assert!(cell.is_none(), "{name}: a cell elsewhere: {cell:?}");
}

/// Asserts that a workbook is XML that can be read, without formulas and without external links.
pub(super) fn assert_workbook(name: &str, bytes: &[u8]) {
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    for index in 0..zip.len() {
        let mut part = zip.by_index(index).unwrap();
        let part_name = format!("{name}: {}", part.name().unwrap());
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        if part_name.contains("/worksheets/") {
            assert!(!text.contains("<f>") && !text.contains("<f "), "{part_name} has a formula");
            assert!(!text.contains("TargetMode=\"External\""), "{part_name} leads elsewhere");
        }
        let unseen = text.chars().find(|&c| is_unseen(c));
        assert!(unseen.is_none(), "{part_name}: {unseen:?}");
        // Names of schemas are not followed.
        if !part_name.contains("_rels") {
            assert_xml(&part_name, &text);
        }
    }
}

pub(super) fn assert_sarif(text: &str) {
    let sarif: Value = serde_json::from_str(text).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let mut message = result["message"]["text"].as_str().unwrap().chars();
        while let Some(c) = message.next() {
            match c {
                '\\' => drop(message.next()),
                '{' => assert_eq!(message.next(), Some('{'), "{result}"),
                _ => assert!(c != '[' && c != ']', "{result}: a link"),
            }
        }
        for location in result["locations"].as_array().unwrap() {
            let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap_or_default();
            let plain = |c: char| c.is_ascii_alphanumeric() || "-._~/%".contains(c);
            assert!(uri.chars().all(plain), "{uri}");
        }
    }
}

/// Returns every file below the desk, except files in folders for outputs.
pub(super) fn others(desk: &Desk) -> BTreeMap<String, Vec<u8>> {
    let root = desk.at("");
    let files =
        WalkDir::new(&root).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    files
        .map(|entry| (entry.path().strip_prefix(&root).unwrap().to_string_lossy().into_owned(), entry))
        .filter(|(name, _)| !name.starts_with("work/out"))
        .map(|(name, entry)| (name, fs::read(entry.path()).unwrap()))
        .collect()
}

/// Asserts that no member of an archive was written anywhere.
pub(super) fn assert_nothing_escaped(desk: &Desk, before: &BTreeMap<String, Vec<u8>>) {
    assert!(*before == others(desk), "something outside of --out was written");
    let outputs = WalkDir::new(desk.at("work")).into_iter().map(Result::unwrap);
    for entry in outputs.filter(|entry| entry.path().starts_with(desk.at("work/out"))) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        assert!(name.chars().all(plain) && name.len() < 100 && !name.contains("escaped"), "{name:?}");
    }
    let root = desk.at("");
    for folder in root.ancestors().chain([Path::new("/tmp")]) {
        assert!(!folder.join("hullmark-escaped").exists(), "{}", folder.display());
    }
}
