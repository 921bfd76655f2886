//! Defects of object documents.

use super::Name;
use crate::llsd::Problem;
use hullmark_util::json_number::Number;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// A defect of an object document. Its place has the element. `line` is a line of the document; `parts` is the number
/// of parts of the object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum ObjectDefect {
    /// A field is missing or cannot be read, and a default is used.
    Field { why: FieldFault },
    /// The keyframes of a moving object are not base64.
    MotionNotBase64,
    /// The linkset data of scripts is larger than a linkset may hold.
    LinksetDataTooLarge,
    /// The linkset data of scripts cannot be decoded.
    LinksetDataUnreadable,
    /// Saved script states do not name an item.
    StatesWithoutItem { states: u64 },
    /// A saved script state names an item that is not a UUID.
    StateOfNoItem { text: String },
    /// An object has no parts; `number` counts from 1.
    EmptyObject { number: u64 },
    /// The document has no parts.
    EmptyDocument,
    /// The document is not XML, but binary: other simulators store objects so.
    Binary,
    /// The document has more parts than this program reads.
    TooManyParts,
    /// The contents of the parts have more items than this program reads.
    TooManyItems,
    /// The first part does not have link number 1.
    RootNumber { parts: u64, number: i64 },
    /// Parts have the same link number.
    LinkNumberTwice { parts: u64, number: i64 },
    /// A link number is missing; `next` is the next one present.
    LinkNumberMissing { parts: u64, number: i64, next: i64 },
    /// The document is not well-formed for .NET's reader.
    IllFormed { what: Name },
    /// The document is not well-formed, and OpenSim's reader asks for the next element there until it gives up.
    Stuck { what: Name },
    /// OpenSim's reader never leaves an element.
    Hangs { line: u64, why: LoadFault },
    /// OpenSim's reader throws at an element and drops the part.
    Throws { line: u64, why: LoadFault },
    /// OpenSim's reader leaves a part before its end.
    EndsEarly { line: u64 },
    /// A part has no shape.
    NoShape { line: u64 },
    /// Two parts, or two items of a part, have the same UUID.
    UuidTwice { line: u64, uuid: Uuid },
    /// A viewer's export, or one of its objects, cannot be read.
    ViewerExport { why: ViewerFault },
    /// A viewer's export inflates to more bytes than this program reads.
    ViewerExportTooLarge,
}

impl ObjectDefect {
    /// Whether OpenSim's reader asks for the next element until it gives up after a minute.
    pub fn holds_the_loader(&self) -> bool {
        matches!(self, Self::Stuck { .. } | Self::Throws { why: LoadFault::PastEnd { gives_up: true }, .. })
    }
}

/// Why a viewer's export cannot be read. `object` counts from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum ViewerFault {
    /// The compressed stream is damaged.
    #[error("its compressed data is damaged; export the object again")]
    StreamDamaged,
    /// The compressed stream ends too early.
    #[error("its compressed data is cut short; copy the file again")]
    StreamCut,
    /// There is no memory for the content.
    #[error("there is no memory for its content")]
    NoMemory,
    /// The binary LLSD is damaged.
    #[error("its LLSD is damaged: {problem}")]
    Llsd { problem: Problem },
    /// The LLSD has more values than allowed, or they take more memory than as many values.
    #[error("its LLSD has more values than the limit `llsd_values`, or as large ones")]
    TooManyValues,
    /// The format is newer than known.
    #[error("its format has version {version}, and viewers read 2; hullmark does not know it")]
    TooNew { version: i64 },
    /// The format has another version.
    #[error("its format has version {version}; hullmark knows version 2")]
    OtherVersion { version: i64 },
    /// The schema is unknown.
    #[error("its schema is “{schema}”; hullmark knows 1.0")]
    Schema { schema: String },
    /// A key is missing.
    #[error("`{key}` is missing")]
    Lacks { key: Name },
    /// An object has no prims.
    #[error("object {object} has no prims")]
    NoPrims { object: u64 },
    /// A prim of an object is missing, or belongs to another object.
    #[error("object {object} needs the prim {prim}, which the file does not have, or uses twice")]
    PrimMissing { object: u64, prim: String },
    /// An object needs one prim without a parent.
    #[error("object {object} has {roots} prims without a parent, and must have one")]
    Roots { object: u64, roots: u64 },
    /// The places of children may be in the region or relative to the root.
    #[error("object {object} does not say whether places of its children are relative to the root")]
    Places { object: u64 },
}

/// Why a field has no usable value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum FieldFault {
    /// The field is empty.
    #[error("empty instead of {wanted}")]
    Empty { wanted: Name },
    /// The field has other text than a value of its type.
    #[error("“{text}” is not {wanted}")]
    Other { text: String, wanted: Name },
    /// A list has too few numbers.
    #[error("{read} of {all} numbers")]
    TooFew { read: u64, all: u64 },
    /// A vector has too many numbers.
    #[error("more than 3 numbers")]
    TooMany,
    /// A component of a rotation has another name.
    #[error("“{name}” is not X, Y, Z or W")]
    NoComponent { name: String },
    /// The field is missing; `taken` is the default.
    #[error("missing; default {taken}")]
    Missing { taken: Name },
    /// The field has an unknown word.
    #[error("“{word}” is unknown")]
    UnknownWord { word: String },
    /// The field has an unknown number; `taken` is used.
    #[error("{number} is unknown; {taken} is used")]
    UnknownNumber { number: i64, taken: i64 },
    /// The bytes of the field cannot be decoded.
    #[error("its {bytes} bytes cannot be decoded")]
    Undecodable { bytes: u64 },
    /// The bytes of the field are cut short.
    #[error("its {bytes} bytes are cut short")]
    CutShort { bytes: u64 },
    /// The field is not a list of packed parameters.
    #[error("not base64, or cut short")]
    NoParameters,
}

/// The node of a document at which a reader is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// No node: the part ends.
    #[error("the end of the prim")]
    End,
    /// The start tag of an element.
    #[error("the element {0}")]
    Element(String),
    /// The end tag of an element.
    #[error("the end of {0}")]
    EndOf(String),
    /// Text.
    #[error("text")]
    Text,
    /// White space.
    #[error("white space")]
    White,
    /// A comment.
    #[error("a comment")]
    Comment,
}

/// A fault that OpenSim's reader of parts cannot pass. `found` is the node in the document; `wanted` is the expected
/// one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum LoadFault {
    /// A value is empty.
    #[error("empty instead of {wanted}")]
    Empty { wanted: Name },
    /// A value is not of its type.
    #[error("“{text}” is not {wanted}")]
    Other { text: String, wanted: Name },
    /// The node is not a start tag.
    #[error("{found} instead of an element")]
    NoElement { found: Node },
    /// The node is not the start tag `wanted`.
    #[error("{found} instead of {wanted}")]
    NotElement { found: Node, wanted: String },
    /// The node is not an end tag.
    #[error("{found} instead of the element's end")]
    NotEnd { found: Node },
    /// The node is not the start tag of an element with a value.
    #[error("{found} instead of an element with a value")]
    NoValue { found: Node },
    /// The node is not text.
    #[error("{found} instead of text")]
    NoText { found: Node },
    /// A value contains another node than text.
    #[error("{found} inside a value")]
    InsideValue { found: Node },
    /// A text contains another node than text.
    #[error("{found} inside a text")]
    InsideText { found: Node },
    /// An element is in a namespace.
    #[error("{name} is in a namespace")]
    Namespace { name: String },
    /// Two items have the same UUID.
    #[error("two items have the UUID {uuid}")]
    ItemTwice { uuid: Uuid },
    /// A colour channel does not fit a byte.
    #[error("{value} is not within 0 to 255")]
    Channel { value: Number },
    /// The dynamic attributes are not an LLSD map.
    #[error("it holds no LLSD map")]
    NoMap,
    /// A rotation contains an element that is not one of its four components.
    #[error("{}", no_component(name.as_deref()))]
    NoComponent { name: Option<String> },
    /// The reader continues past the end of the part. `gives_up`: it may stop after some time.
    #[error("OpenSim reads past the end and {}", if *gives_up { "gives up after 60 s" } else { "never stops" })]
    PastEnd { gives_up: bool },
    /// The fault is inside the element `field`.
    #[error("{field}: {why}")]
    Inside { field: Name, why: Box<Self> },
}

fn no_component(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("“{name}” is not X, Y, Z or W"),
        None => "it holds something other than X, Y, Z and W".into(),
    }
}
