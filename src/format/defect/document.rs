//! Defects of XML documents, and of the small documents that come with objects.

use super::{LoadFault, Name};
use crate::xml::{Unclean, XmlFault};
use serde::{Deserialize, Serialize};

/// The type of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentType {
    /// One or more objects.
    Object,
    /// An inventory item.
    InventoryItem,
    /// The control file of an archive.
    ArchiveManifest,
    /// The settings of a region.
    Settings,
    /// A parcel.
    Parcel,
    /// An asset in LLSD: a legacy material, or a saved appearance.
    Llsd,
}

/// A defect of a document. Its place has the byte offset, and the element if the defect concerns one. `of` is the type
/// of the document; `parts` is the number of parts that were read before the defect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum DocumentDefect {
    /// The text has faults, but can be read.
    Unclean { of: DocumentType, what: Unclean },
    /// The text is UTF-16, or UTF-8 with a byte order mark. Readers expect UTF-8 without a mark.
    Marked { of: DocumentType, utf_16: bool },
    /// The document cannot be read to its end.
    Unreadable { of: DocumentType, why: XmlFault, parts: u64 },
    /// The document nests deeper than allowed.
    TooDeep { of: DocumentType, parts: u64 },
    /// The text takes more memory than allowed, because it is in another encoding than UTF-8 or has references.
    TooLong { of: DocumentType, parts: u64 },
    /// A control file has no version, or one that is not a number.
    ControlVersion { text: Option<String> },
    /// OpenSim does not read this version of a control file.
    ControlTooNew,
    /// A field of an inventory item, of region settings or of a parcel cannot be read.
    Field { of: DocumentType, text: String },
    /// OpenSim takes none of the region settings, because of this element.
    SettingsIgnored { why: LoadFault },
    /// OpenSim stops at this element of a control file.
    ControlStops { why: LoadFault },
    /// OpenSim misses the end of an inventory item, and the load of the archive ends.
    ItemStops { why: LoadFault },
    /// The text of settings, of a control file or of an inventory item is not well-formed, up to where OpenSim reads it.
    IllFormed { of: DocumentType, why: Name },
    /// OpenSim takes none of the region settings, because it skips an element that begins directly behind another.
    SettingsCrowded,
    /// OpenSim before 0.9.3 takes none of the region settings, because of this element.
    SettingsTooNew,
    /// OpenSim reads the parcel up to here only.
    ParcelEndsEarly,
    /// The parcel has no bitmap.
    BitmapMissing,
    /// The bitmap of the parcel is not base64.
    BitmapNotBase64,
    /// The cells of the parcel's bitmap do not form a square.
    BitmapNotSquare,
}
