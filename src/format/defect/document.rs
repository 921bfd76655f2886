//! Defects of XML documents, and of the small documents that accompany objects.

use crate::format::xml::{Unclean, XmlFault};
use serde::{Deserialize, Serialize};

/// What a document is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentType {
    /// An object, or several.
    Object,
    /// An item of an inventory.
    InventoryItem,
    /// The control file of an archive.
    ArchiveManifest,
    /// The settings of a region.
    Settings,
    /// A parcel.
    Parcel,
    /// A legacy material.
    Material,
}

/// What is wrong with a document. The place has the byte, and the element where it is about one.
/// `of` is the document; `parts` are those of an object that were read before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum DocumentDefect {
    /// Its text is not clean, and can be read.
    Unclean { of: DocumentType, what: Unclean },
    /// It is UTF-16, or UTF-8 behind a byte order mark: readers expect UTF-8 without a mark.
    Marked { of: DocumentType, utf_16: bool },
    /// It cannot be read to its end.
    Unreadable { of: DocumentType, why: XmlFault, parts: u64 },
    /// It nests deeper than it may.
    TooDeep { of: DocumentType, parts: u64 },
    /// The root element of a control file has another name.
    ControlRoot { name: String },
    /// A control file states no version, or one that is no number.
    ControlVersion { text: Option<String> },
    /// A control file is of a version that OpenSim does not read.
    ControlTooNew,
    /// A field of an inventory item, of settings or of a parcel cannot be read.
    Field { of: DocumentType, text: String },
    /// A parcel has no bitmap.
    BitmapMissing,
    /// The bitmap of a parcel is not base64.
    BitmapNotBase64,
    /// The cells of a parcel's bitmap make no square.
    BitmapNotSquare,
}
