//! `archive.xml` as OpenSim's `ArchiveReadRequest.LoadControlFile` reads it: every node to the end, as ASCII.

use super::{
    calls::Called,
    characters,
    position::{Position, Stop},
    reader::{NodeKind, XmlReader, attribute},
    text::{ascii_document, whole_number},
};
use crate::{
    defect::{Defect, DocumentDefect, DocumentType},
    xml::{SMALL_DOCUMENT_DEPTH, excerpt},
};

/// The highest major version that OpenSim reads.
const NEWEST_MAJOR: i64 = 1;

/// Returns the first defect at which the load stops; an error for a document that nests too deep to follow.
pub(crate) fn stops(bytes: &[u8]) -> Result<Option<Defect>, ()> {
    let text = ascii_document(bytes);
    if let Err(malformed) = characters(&text) {
        return Ok(Some(ill_formed(malformed.why, malformed.offset)));
    }
    let mut at = Position::without_parts(XmlReader::new(&text).with_white_space(), SMALL_DOCUMENT_DEPTH);
    let mut found = None;
    loop {
        at.read();
        if found.is_some() || at.is_at_end() {
            break;
        }
        if at.kind() == NodeKind::Element {
            found = element(&mut at);
        }
    }
    match at.stop() {
        Some(Stop::Malformed(malformed)) if found.is_none() => {
            Ok(Some(ill_formed(malformed.why, malformed.offset)))
        }
        Some(Stop::TooDeep) if found.is_none() => Err(()),
        _ => Ok(found),
    }
}

fn ill_formed(why: &'static str, offset: usize) -> Defect {
    let of = DocumentType::ArchiveManifest;
    Defect::new(DocumentDefect::IllFormed { of, why: why.into() }).offset(offset)
}

fn element(at: &mut Position<'_>) -> Option<Defect> {
    let offset = at.start();
    let read = |at: &mut Position<'_>, name| {
        let read: Called<()> = at.read_content_of_element(|_| Ok(()));
        let why = read.err()?.why();
        Some(Defect::new(DocumentDefect::ControlStops { why }).within(name).offset(offset))
    };
    match at.name() {
        "archive" => version(at, "major_version").or_else(|| version(at, "minor_version")),
        "datetime" => read(at, "datetime"),
        "id" => read(at, "id"),
        "dir" => read(at, "dir"),
        "size_in_meters" => read(at, "size_in_meters"),
        _ => None,
    }
}

fn version(at: &Position<'_>, name: &'static str) -> Option<Defect> {
    let tag = &at.node().text()[at.start()..at.node().end()];
    let stated = attribute(tag, name);
    let number = stated.as_deref().and_then(whole_number).and_then(|number| i32::try_from(number).ok());
    match number.map(i64::from) {
        None => {
            let text = stated.as_deref().map(excerpt);
            Some(Defect::new(DocumentDefect::ControlVersion { text }).within(name))
        }
        Some(major) if name == "major_version" && major > NEWEST_MAJOR => {
            let defect = Defect::new(DocumentDefect::ControlTooNew).within(name);
            Some(defect.measured(major as f64).limit(NEWEST_MAJOR as f64))
        }
        Some(_) => None,
    }
}
