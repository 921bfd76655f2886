//! Defects of object documents.

use super::Name;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// What is wrong with an object document. The place has the element.
/// `line` is that of the document, `parts` is how many the object has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum ObjectDefect {
    /// A field is missing or cannot be read, and something else stands in for it.
    Field { why: FieldFault },
    /// The keyframes of a motion are not base64.
    MotionNotBase64,
    /// Scripts keep more in the linkset than a linkset holds.
    LinksetDataTooLarge,
    /// What scripts keep in the linkset cannot be decoded.
    LinksetDataUnreadable,
    /// Saved states of scripts name no item.
    StatesWithoutItem { states: u64 },
    /// A saved state of a script is of an item that is no UUID.
    StateOfNoItem { text: String },
    /// The object of this number, from 1, holds no part.
    EmptyObject { number: u64 },
    /// The document holds no part.
    EmptyDocument,
    /// The document has more parts than are read.
    TooManyParts,
    /// The parts of the document have more items in their contents than are read.
    TooManyItems,
    /// The first of the parts is not number 1.
    RootNumber { parts: u64, number: i64 },
    /// Parts have the same link number.
    LinkNumberTwice { parts: u64, number: i64 },
    /// A link number is missing, and the next that is there is another.
    LinkNumberMissing { parts: u64, number: i64, next: i64 },
    /// It is not well-formed to .NET's reader.
    IllFormed { what: Name },
    /// OpenSim's reader never leaves an element.
    Hangs { line: u64, why: LoadFault },
    /// OpenSim's reader throws at an element, and the part is given up.
    Throws { line: u64, why: LoadFault },
    /// OpenSim's reader leaves a part before its end.
    EndsEarly { line: u64 },
    /// A part has no form.
    NoShape { line: u64 },
    /// Parts, or items of a part, have one UUID.
    UuidTwice { line: u64, uuid: Uuid },
}

/// Why a field has no value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum FieldFault {
    /// It is empty.
    #[error("empty instead of {wanted}")]
    Empty { wanted: Name },
    /// It is something else.
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
    /// It is not there, and something is taken for it.
    #[error("missing; default {taken}")]
    Missing { taken: Name },
    /// It is a word that is not known.
    #[error("“{word}” is unknown")]
    UnknownWord { word: String },
    /// It is a number that is not known, and another is taken for it.
    #[error("{number} is unknown; {taken} is used")]
    UnknownNumber { number: i64, taken: i64 },
    /// Its bytes cannot be decoded.
    #[error("its {bytes} bytes cannot be decoded")]
    Undecodable { bytes: u64 },
    /// Its bytes are cut short.
    #[error("its {bytes} bytes are cut short")]
    CutShort { bytes: u64 },
    /// It is no list of packed parameters.
    #[error("not base64, or cut short")]
    NoParameters,
}

/// A node of a document, as a reader stands before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// Nothing: the part ends.
    End,
    /// The beginning of an element.
    Element(String),
    /// The end of an element.
    EndOf(String),
    /// Text.
    Text,
    /// White space.
    White,
    /// A comment.
    Comment,
}

/// What OpenSim's reader of a part meets that it cannot read.
/// `found` is what stands there, `wanted` what should.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum LoadFault {
    /// A value is empty.
    Empty { wanted: Name },
    /// A value is something else.
    Other { text: String, wanted: Name },
    /// No element begins here.
    NoElement { found: Node },
    /// Another element begins here, or none.
    NotElement { found: Node, wanted: String },
    /// The element goes on.
    NotEnd { found: Node },
    /// No element with a value begins here.
    NoValue { found: Node },
    /// No text stands here.
    NoText { found: Node },
    /// A value holds more than text.
    InsideValue { found: Node },
    /// A text holds more than text.
    InsideText { found: Node },
    /// An element is in a namespace.
    Namespace { name: String },
    /// Two items have one UUID.
    ItemTwice { uuid: Uuid },
    /// A channel of a colour is not within a byte.
    Channel { value: f64 },
    /// Dynamic attributes are no map in LLSD.
    NoMap,
    /// A rotation holds something else than its four components.
    NoComponent { name: Option<String> },
    /// The reader goes past the end of the part, and may give up after a time.
    PastEnd { gives_up: bool },
    /// Something inside of this element of it.
    Inside { field: Name, why: Box<Self> },
}
