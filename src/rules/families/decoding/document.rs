//! OBJ, ARC, REG: words for defects of XML documents and other small documents.

use super::{byte, whole};
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    defect::{Defect, DocumentDefect, DocumentType},
    xml::{Unclean, XmlFault},
};
use hullmark_util::number_text::counted;

/// Returns the code and words of a defect. `None` if it does no harm.
pub(super) fn said(kind: &DocumentDefect, defect: &Defect, loose: bool) -> Option<Finding> {
    use DocumentDefect as D;
    let element = &*defect.place.within;
    Some(match kind {
        D::Unclean { of, what } => unclean(*of, *what, byte(defect)),
        // The reader of single files accepts these marks, and OpenSim reads assets as fragments.
        D::Marked { of: DocumentType::Object, .. } if loose || defect.in_asset => return None,
        D::Marked { of, utf_16 } => marked(*of, *utf_16),
        D::Unreadable { of, why, parts } => {
            let (code, words) = (unreadable(*of), fault(*of, why, *parts, byte(defect)));
            match of {
                DocumentType::Object | DocumentType::InventoryItem => Finding::new(code).detail(words),
                // The code may have other findings about the same document.
                _ => Finding::new(code).detail(words).aspect("unreadable"),
            }
        }
        D::TooLong { of, parts } => say!(ARC012, "{}", fault(*of, &XmlFault::TooLong, *parts, byte(defect))),
        D::TooDeep { of, parts } => say!(ARC012, "{}", fault(*of, &XmlFault::TooDeep, *parts, byte(defect))),
        D::ControlVersion { text: Some(text) } => say!(ARC006, "{element} “{text}” is not a whole number"),
        D::ControlVersion { text: None } => say!(ARC006, "{element} is missing"),
        D::ControlTooNew => say!(ARC006, "{element} is {}", whole(defect.measured)),
        D::Field { of: DocumentType::InventoryItem, text } => {
            say!(OBJ006, "{element} (“{text}” cannot be read)")
        }
        D::Field { text, .. } => say!(REG005, "{element} is “{text}”"),
        D::SettingsIgnored { why } => {
            say!(REG005, "OpenSim ignores all of them at {element}: {why}").aspect("ignored")
        }
        D::SettingsCrowded => say!(
            REG005,
            "OpenSim ignores all of them, because it skips elements without white space before them (byte {})",
            byte(defect)
        )
        .aspect("ignored"),
        D::ItemStops { why } => say!(OBJ001, "inventory item: {why}"),
        D::IllFormed { of: DocumentType::InventoryItem, why } => {
            say!(OBJ001, "inventory item: {why} at byte {}", byte(defect))
        }
        D::IllFormed { of, why } => {
            let words = format!("{why} at byte {}", byte(defect));
            Finding::new(unreadable(*of)).detail(words).aspect("unreadable")
        }
        D::ControlStops { why } => say!(ARC006, "{element}: {why}").aspect("unreadable"),
        // REG007 asks for the version of the target.
        D::SettingsTooNew => return None,
        D::ParcelEndsEarly => {
            say!(REG005, "OpenSim reads it up to byte {}, and gives the rest default values", byte(defect))
                .aspect("unreadable")
        }
        D::BitmapMissing => say!(REG004, "it is missing or empty"),
        D::BitmapNotBase64 => say!(REG004, "it is not base64"),
        D::BitmapNotSquare => say!(REG004, "its {} cells do not form a square", 8 * whole(defect.measured)),
    })
}

fn unreadable(of: DocumentType) -> Code {
    match of {
        DocumentType::Object | DocumentType::InventoryItem => Code::OBJ001,
        DocumentType::ArchiveManifest => Code::ARC006,
        DocumentType::Settings => Code::REG005,
        DocumentType::Parcel => Code::REG006,
        DocumentType::Llsd => Code::AST004,
    }
}

/// Text that is not clean. OpenSim loads an object with a DTD, and one with bytes that are not UTF-8, which it
/// replaces.
fn unclean(of: DocumentType, what: Unclean, offset: u64) -> Finding {
    let is_loaded = !what.stops_readers();
    let code = match of {
        DocumentType::Object if is_loaded => Code::OBJ006,
        DocumentType::Parcel if !is_loaded => Code::REG006,
        DocumentType::Object | DocumentType::InventoryItem => Code::OBJ002,
        DocumentType::ArchiveManifest => Code::ARC006,
        DocumentType::Settings | DocumentType::Parcel => Code::REG005,
        DocumentType::Llsd => Code::AST004,
    };
    let character;
    let (aspect, words) = match what {
        Unclean::NotUtf8 => ("encoding", "bytes that are not UTF-8"),
        Unclean::NotUtf16 => ("encoding", "a UTF-16 byte order mark, but no UTF-16 text"),
        Unclean::ControlCharacter(byte) => {
            character = format!("control character {byte:#04x}");
            ("control character", &*character)
        }
        Unclean::LateDeclaration => ("declaration", "an XML declaration that is not at the start"),
        Unclean::Dtd => ("DTD", "a document type (DTD), which is not expanded"),
        Unclean::NoAttribute => ("no attribute", "text in a tag that is not an attribute"),
        Unclean::AttributeTwice => ("attribute twice", "the same attribute twice in one tag"),
        Unclean::UndeclaredPrefix => ("prefix", "an undeclared namespace prefix"),
        Unclean::UnknownEntity => ("entity", "an unknown entity"),
    };
    Finding::new(code).detail(format!("{words} (byte {offset})")).aspect(aspect)
}

/// OpenSim decodes every document of an archive as UTF-8. Its XML reader then finds the mark as text before the root
/// element.
fn marked(of: DocumentType, utf_16: bool) -> Finding {
    let code = if of == DocumentType::Object { Code::OBJ002 } else { unreadable(of) };
    let words = match utf_16 {
        true => "UTF-16, but OpenSim reads all text as UTF-8",
        false => "a byte order mark at its start, which OpenSim takes for text before the root element",
    };
    Finding::new(code).detail(words).aspect("encoding")
}

fn fault(of: DocumentType, why: &XmlFault, parts: u64, offset: u64) -> String {
    match of {
        DocumentType::Object => format!("{why} at byte {offset}, after {}", counted(parts, "prim")),
        DocumentType::InventoryItem => format!("inventory item: {why} at byte {offset}"),
        _ => format!("{why} at byte {offset}"),
    }
}
