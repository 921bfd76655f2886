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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum DocumentDefect {
    /// Its text is not clean, and can be read.
    Unclean {
        /// Which document.
        of: DocumentType,
        /// What is not clean.
        what: Unclean,
    },
    /// It is in another encoding than readers expect that take all text for UTF-8 without a mark.
    Marked {
        /// Which document.
        of: DocumentType,
        /// It is UTF-16; else it is UTF-8 and begins with a byte order mark.
        utf_16: bool,
    },
    /// It cannot be read to its end.
    Unreadable {
        /// Which document.
        of: DocumentType,
        /// Why.
        why: XmlFault,
        /// Of an object: parts that were read before.
        parts: u64,
    },
    /// It nests deeper than it may.
    TooDeep {
        /// Which document.
        of: DocumentType,
        /// Of an object: parts that were read before.
        parts: u64,
    },
    /// The root element of a control file has another name.
    ControlRoot {
        /// The name.
        name: String,
    },
    /// A control file states no version, or none that is a number.
    ControlVersion {
        /// What it states.
        text: Option<String>,
    },
    /// A control file is of a version that OpenSim does not read.
    ControlTooNew,
    /// A field of an inventory item, of settings or of a parcel cannot be read.
    Field {
        /// Which document.
        of: DocumentType,
        /// What stands there.
        text: String,
    },
    /// A parcel has no bitmap.
    BitmapMissing,
    /// The bitmap of a parcel is not base64.
    BitmapNotBase64,
    /// The cells of a parcel's bitmap make no square.
    BitmapNotSquare,
}
