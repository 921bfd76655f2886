//! Defects of object documents.

use super::Name;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// What is wrong with an object document. The place has the element.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum ObjectDefect {
    /// A field is missing or cannot be read, and something else stands in for it.
    Field {
        /// Why.
        why: FieldFault,
    },
    /// The keyframes of a motion are not base64.
    MotionNotBase64,
    /// Scripts keep more in the linkset than a linkset holds.
    LinksetDataTooLarge,
    /// What scripts keep in the linkset cannot be decoded.
    LinksetDataUnreadable,
    /// Saved states of scripts name no item.
    StatesWithoutItem {
        /// How many.
        states: u64,
    },
    /// A saved state of a script is of an item that is no UUID.
    StateOfNoItem {
        /// What stands there.
        text: String,
    },
    /// An object holds no part.
    EmptyObject {
        /// Its number in the document, from 1.
        number: u64,
    },
    /// The document holds no part.
    EmptyDocument,
    /// The document has more parts than are read.
    TooManyParts,
    /// The parts of the document have more items in their contents than are read.
    TooManyItems,
    /// The first of the parts is not number 1.
    RootNumber {
        /// How many parts there are.
        parts: u64,
        /// Its number.
        number: i64,
    },
    /// Parts have the same link number.
    LinkNumberTwice {
        /// How many parts there are.
        parts: u64,
        /// The number.
        number: i64,
    },
    /// A link number is missing.
    LinkNumberMissing {
        /// How many parts there are.
        parts: u64,
        /// The number.
        number: i64,
        /// The next number that is there.
        next: i64,
    },
    /// It is not well-formed to .NET's reader.
    IllFormed {
        /// What stands there.
        what: Name,
    },
    /// OpenSim's reader never leaves an element.
    Hangs {
        /// Line of the document.
        line: u64,
        /// What stands there.
        why: LoadFault,
    },
    /// OpenSim's reader throws at an element, and the part is given up.
    Throws {
        /// Line of the document.
        line: u64,
        /// What stands there.
        why: LoadFault,
    },
    /// OpenSim's reader leaves a part before its end.
    EndsEarly {
        /// Line of the document.
        line: u64,
    },
    /// A part has no form.
    NoShape {
        /// Line of the document.
        line: u64,
    },
    /// Parts, or items of a part, have one UUID.
    UuidTwice {
        /// Line of the document.
        line: u64,
        /// The UUID.
        uuid: Uuid,
    },
}

/// Why a field has no value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum FieldFault {
    /// It is empty.
    #[error("empty instead of {wanted}")]
    Empty {
        /// What it should be.
        wanted: Name,
    },
    /// It is something else.
    #[error("“{text}” is not {wanted}")]
    Other {
        /// What stands there.
        text: String,
        /// What it should be.
        wanted: Name,
    },
    /// A list has too few numbers.
    #[error("{read} of {all} numbers")]
    TooFew {
        /// How many it has.
        read: u64,
        /// How many it should have.
        all: u64,
    },
    /// A vector has too many numbers.
    #[error("more than 3 numbers")]
    TooMany,
    /// A component of a rotation has another name.
    #[error("“{name}” is not X, Y, Z or W")]
    NoComponent {
        /// The name.
        name: String,
    },
    /// It is not there, and something is taken for it.
    #[error("missing; default {taken}")]
    Missing {
        /// What is taken.
        taken: Name,
    },
    /// It is a word that is not known.
    #[error("“{word}” is unknown")]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// It is a number that is not known, and another is taken for it.
    #[error("{number} is unknown; {taken} is used")]
    UnknownNumber {
        /// The number.
        number: i64,
        /// The one that is taken.
        taken: i64,
    },
    /// Its bytes cannot be decoded.
    #[error("its {bytes} bytes cannot be decoded")]
    Undecodable {
        /// How many there are.
        bytes: u64,
    },
    /// Its bytes are cut short.
    #[error("its {bytes} bytes are cut short")]
    CutShort {
        /// How many there are.
        bytes: u64,
    },
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum LoadFault {
    /// A value is empty.
    Empty {
        /// What it should be.
        wanted: Name,
    },
    /// A value is something else.
    Other {
        /// What stands there.
        text: String,
        /// What it should be.
        wanted: Name,
    },
    /// No element begins here.
    NoElement {
        /// What stands here.
        found: Node,
    },
    /// Another element begins here, or none.
    NotElement {
        /// What stands here.
        found: Node,
        /// The element.
        wanted: String,
    },
    /// The element goes on.
    NotEnd {
        /// What stands here.
        found: Node,
    },
    /// No element with a value begins here.
    NoValue {
        /// What stands here.
        found: Node,
    },
    /// No text stands here.
    NoText {
        /// What stands here.
        found: Node,
    },
    /// A value holds more than text.
    InsideValue {
        /// What stands in it.
        found: Node,
    },
    /// A text holds more than text.
    InsideText {
        /// What stands in it.
        found: Node,
    },
    /// An element is in a namespace.
    Namespace {
        /// Its name.
        name: String,
    },
    /// Two items have one UUID.
    ItemTwice {
        /// The UUID.
        uuid: Uuid,
    },
    /// A channel of a colour is not within a byte.
    Channel {
        /// What it is.
        value: f64,
    },
    /// Dynamic attributes are no map in LLSD.
    NoMap,
    /// A rotation holds something else than its four components.
    NoComponent {
        /// Its name, where it has one.
        name: Option<String>,
    },
    /// The reader goes past the end of the part.
    PastEnd {
        /// It gives up after a time.
        gives_up: bool,
    },
    /// Something inside of the element.
    Inside {
        /// Which element of it.
        field: Name,
        /// What.
        why: Box<Self>,
    },
}
