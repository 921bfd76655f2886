//! OBJ, ARC, REG: errors in XML documents, and in the small documents that accompany objects.

use super::{byte, say, whole};
use crate::{
    finding::{Code, Finding},
    format::{
        defect::{Defect, DocumentDefect, DocumentType},
        xml::{Unclean, XmlFault},
    },
};

/// The code of a defect, and what is said of it.
pub(super) fn said(kind: &DocumentDefect, defect: &Defect, loose: bool) -> Option<Finding> {
    use DocumentDefect as D;
    let element = &*defect.place.within;
    Some(match kind {
        D::Unclean { of, what } => unclean(*of, *what, byte(defect)),
        // A file of a region is loaded by a reader that knows these marks; of assets OpenSim reads fragments.
        D::Marked { of: DocumentType::Object, .. } if loose || defect.in_asset => return None,
        D::Marked { of, utf_16 } => marked(*of, *utf_16),
        D::Unreadable { of, why, parts } => {
            let (code, words) = (unreadable(*of), fault(*of, why, *parts, byte(defect)));
            match of {
                DocumentType::Object | DocumentType::InventoryItem => say(code, words),
                // These codes may say other things of the same document.
                _ => say(code, words).aspect("unreadable"),
            }
        }
        D::TooDeep { of, parts } => say(Code::ARC012, fault(*of, &XmlFault::TooDeep, *parts, byte(defect))),
        D::ControlRoot { name } => {
            say(Code::ARC006, format!("the root element is {name}, not archive")).aspect("unreadable")
        }
        D::ControlVersion { text: Some(text) } => {
            say(Code::ARC006, format!("{element} is “{text}”, which is no whole number"))
        }
        D::ControlVersion { text: None } => say(Code::ARC006, format!("{element} is missing")),
        D::ControlTooNew => say(Code::ARC006, format!("{element} is {}", whole(defect.measured))),
        D::Field { of: DocumentType::InventoryItem, text } => {
            say(Code::OBJ006, format!("{element}: “{text}”"))
        }
        D::Field { text, .. } => say(Code::REG005, format!("{element} is “{text}”")),
        D::BitmapMissing => say(Code::REG004, "it is missing or empty"),
        D::BitmapNotBase64 => say(Code::REG004, "it is not base64"),
        D::BitmapNotSquare => {
            say(Code::REG004, format!("its {} cells are not a square", 8 * whole(defect.measured)))
        }
    })
}

/// The code of a document that cannot be read.
fn unreadable(of: DocumentType) -> Code {
    match of {
        DocumentType::Object | DocumentType::InventoryItem => Code::OBJ001,
        DocumentType::ArchiveManifest => Code::ARC006,
        DocumentType::Settings => Code::REG005,
        DocumentType::Parcel => Code::REG006,
        DocumentType::Material => Code::AST004,
    }
}

/// Text that is not clean. OpenSim loads an object with bytes that are no UTF-8, in whose place it puts a character, and
/// one with a DTD.
fn unclean(of: DocumentType, what: Unclean, offset: u64) -> Finding {
    let is_loaded = matches!(what, Unclean::NotUtf8 | Unclean::NotUtf16 | Unclean::Dtd);
    let code = match of {
        DocumentType::Object if is_loaded => Code::OBJ006,
        DocumentType::Object | DocumentType::InventoryItem => Code::OBJ002,
        DocumentType::ArchiveManifest => Code::ARC006,
        DocumentType::Settings | DocumentType::Parcel => Code::REG005,
        DocumentType::Material => Code::AST004,
    };
    let character;
    let (aspect, words) = match what {
        Unclean::NotUtf8 => ("encoding", "it is not UTF-8"),
        Unclean::NotUtf16 => ("encoding", "it has a UTF-16 byte order mark and is not UTF-16"),
        Unclean::ControlCharacter(byte) => {
            character = format!("control character {byte:#04x}");
            ("control character", &*character)
        }
        Unclean::LateDeclaration => ("declaration", "an XML declaration that is not at the start"),
        Unclean::Dtd => ("DTD", "it contains a DTD, which is not expanded"),
        Unclean::NoAttribute => ("no attribute", "something in a tag that is no attribute"),
        Unclean::AttributeTwice => ("attribute twice", "an attribute that stands twice in its tag"),
        Unclean::UndeclaredPrefix => ("prefix", "a prefix that is not declared"),
        Unclean::UnknownEntity => ("entity", "an entity that XML does not know"),
    };
    say(code, format!("{words} (byte {offset})")).aspect(aspect)
}

/// OpenSim decodes every document of an archive as UTF-8 and hands the text to its XML reader, which sees something stand
/// before the root element.
fn marked(of: DocumentType, utf_16: bool) -> Finding {
    let code = if of == DocumentType::Object { Code::OBJ002 } else { unreadable(of) };
    let words = match utf_16 {
        true => "it is UTF-16, and OpenSim reads all text as UTF-8",
        false => "it begins with a byte order mark, which OpenSim takes for text before the root element",
    };
    say(code, words).aspect("encoding")
}

fn fault(of: DocumentType, why: &XmlFault, parts: u64, offset: u64) -> String {
    match of {
        DocumentType::Object => format!("{why} at byte {offset}; {parts} parts were read before it"),
        DocumentType::InventoryItem => format!("inventory item: {why} at byte {offset}"),
        _ => format!("{why} at byte {offset}"),
    }
}
