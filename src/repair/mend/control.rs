//! Mends `archive.xml`, and items of inventory archives.

use super::edits::Edits;
use super::{Change, Mended, document::Document, value};
use hullmark_finding::Code;
use hullmark_format::{
    archive_xml,
    defect::{DefectKind, DocumentDefect, DocumentType},
    inventory,
    loader::survey_item,
};
use quick_xml::escape::escape;

/// Most turns: a control file has few fields.
const TURNS: usize = 16;

/// Mends a control file so that OpenSim reads it.
pub(crate) fn control(bytes: &[u8]) -> Mended {
    let mut document = Document::new(bytes, DocumentType::ArchiveManifest, Code::ARC006);
    for _ in 0..TURNS {
        let (_, defects) = archive_xml::decode(document.text.as_bytes());
        let Some(defect) = defects.first() else { return document.mended(bytes) };
        let DefectKind::Document(kind) = &defect.kind else { break };
        let field = &*defect.place.within;
        let offset = defect.place.offset.unwrap_or_default() as usize;
        let is_changed = match kind {
            DocumentDefect::ControlVersion { .. } | DocumentDefect::ControlTooNew => {
                version(&mut document, field)
            }
            DocumentDefect::ControlStops { why } => {
                let text = value::text_of(&document.text, offset);
                let new = format!("<{field}>{}</{field}>", escape(&text));
                document.replace_element(offset, &new, Change::new(Code::ARC006, field, why.to_string()))
            }
            _ => document.mend_markup(),
        };
        if !is_changed {
            break;
        }
    }
    Mended::Hopeless(Change::new(Code::ARC006, "", "no change lets OpenSim read archive.xml"))
}

/// Gives the root the version of what the file has: 1.0 with several regions, else 0.8.
fn version(document: &mut Document, field: &str) -> bool {
    let elements = document.elements();
    let has_regions = elements.iter().any(|(element, _)| element.name == "regions");
    let number = match (field, has_regions) {
        ("major_version", true) => "1",
        ("major_version", false) | (_, true) => "0",
        (_, false) => "8",
    };
    let Some((root, range)) = elements.into_iter().find(|(element, _)| element.depth == 0) else {
        return false;
    };
    let Some(end) = document.text[range.start..].find('>').map(|end| range.start + end) else { return false };
    let tag = &document.text[range.start..end];
    let (start, length, old) = match tag.find(&format!("{field}=")) {
        Some(at) => {
            let value = &tag[at..];
            let quote = value[field.len() + 1..].chars().next().unwrap_or('"');
            let length = value.splitn(3, quote).take(2).map(str::len).sum::<usize>() + 2;
            (range.start + at, length.min(value.len()), value[..length.min(value.len())].to_owned())
        }
        None => (range.start + 1 + root.name.len(), 0, String::new()),
    };
    let new = format!("{}{field}=\"{number}\"", if length == 0 { " " } else { "" });
    let mut edits = Edits::default();
    edits.replace(start..start + length, new.clone());
    document.edit(
        edits,
        Change::new(Code::ARC006, field, "OpenSim reads major versions 0 and 1").replacing(&old, &new),
    )
}

/// Mends an item of an inventory archive so that OpenSim reads it to its end.
pub(crate) fn item(bytes: &[u8]) -> Mended {
    let is_read = |bytes: &[u8]| {
        let (item, defects) = inventory::decode(bytes);
        let is_field = |kind: &DefectKind| matches!(kind, DefectKind::Document(DocumentDefect::Field { .. }));
        item.is_some() && defects.iter().all(|defect| is_field(&defect.kind))
    };
    if is_read(bytes) {
        return Mended::Sound;
    }
    let mut document = Document::new(bytes, DocumentType::InventoryItem, Code::OBJ001);
    if !is_read(document.text.as_bytes()) {
        document.mend_markup();
        let mut edits = Edits::default();
        for unsound in survey_item(&document.text).unsound {
            let old = &document.text[unsound.range.clone()];
            let new =
                unsound.take.and_then(|take| value::mended(old, unsound.field, take)).unwrap_or_default();
            let why =
                unsound.why.map_or("OpenSim misses the end of the element".into(), |why| why.to_string());
            document.changes.push(Change::new(Code::OBJ001, unsound.field, why).replacing(old, &new));
            edits.replace(unsound.range, new);
        }
        document.text = edits.apply(&document.text);
    }
    match is_read(document.text.as_bytes()) {
        true => document.mended(bytes),
        false => Mended::Hopeless(Change::new(Code::OBJ001, "", "no change lets OpenSim read the item")),
    }
}
