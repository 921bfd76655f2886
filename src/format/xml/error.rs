//! Problems of a document: faults that end reading, unclean text, and harmless oddities.

use crate::defect::{Defect, DocumentDefect, DocumentType, Name};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub mod oddity {
    /// NUL bytes after the end of the document: every object asset of an archive has one.
    pub const TRAILING_NUL: &str = "trailing-nul";
    /// `encoding="utf-16"` on a UTF-8 document, as written by .NET's `StringWriter`.
    pub const SAYS_UTF_16: &str = "says-utf-16";
    /// The document is UTF-16, with a byte order mark.
    pub const UTF_16: &str = "utf-16";
    /// A byte order mark before a UTF-8 document.
    pub const BYTE_ORDER_MARK: &str = "byte-order-mark";
    /// `xmlns:xmlns:xsi`.
    pub const DOUBLED_XMLNS: &str = "doubled-xmlns";
    /// `&#x0;` and other characters that XML does not allow; they are dropped.
    pub const ILLEGAL_CHARACTER_REFERENCE: &str = "illegal-character-reference";
    /// A name of more than 1,024 bytes, of which the rest is dropped.
    pub const NAME_CUT: &str = "name-cut";
}

/// Returns the defect of a document that is not plain UTF-8, by its oddities.
pub fn marked(oddities: &[&str], of: DocumentType) -> Option<Defect> {
    let utf_16 = oddities.contains(&oddity::UTF_16);
    let is_marked = utf_16 || oddities.contains(&oddity::BYTE_ORDER_MARK);
    is_marked.then(|| Defect::new(DocumentDefect::Marked { of, utf_16 }))
}

/// A fault in a text that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclean {
    /// The text is not UTF-8.
    NotUtf8,
    /// The text has the mark of UTF-16 but is not UTF-16.
    NotUtf16,
    ControlCharacter(u8),
    LateDeclaration,
    Dtd,
    NoAttribute,
    AttributeTwice,
    UndeclaredPrefix,
    UnknownEntity,
}

impl Unclean {
    /// Whether strict readers stop there. OpenSim replaces bytes of another encoding, and reads no DTD.
    pub fn stops_readers(self) -> bool {
        !matches!(self, Self::NotUtf8 | Self::NotUtf16 | Self::Dtd)
    }
}

/// A fault that ends the reading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum XmlFault {
    /// The document has no element.
    #[error("the document has no element")]
    NoElement,
    /// Text is outside of the root element.
    #[error("text outside the root element")]
    TextOutside,
    /// The document ends with open elements.
    #[error("the document ends with {elements} elements open")]
    EndsOpen { elements: u64 },
    /// The document has a second root element.
    #[error("a second root element")]
    SecondRoot,
    /// Elements nest deeper than allowed.
    #[error("elements nest too deep")]
    TooDeep,
    /// The text of the document, or of an element with references, takes more memory than allowed.
    #[error("its text takes more memory than is allowed")]
    TooLong,
    /// The parser refuses the document.
    #[error("{words}")]
    Syntax { words: String },
    /// The root element has the wrong name; `expected` is `None` if several names are right.
    #[error("the root element is {found}{}", expected.as_ref().map(|name| format!(", not {name}")).unwrap_or_default())]
    OtherRoot { found: String, expected: Option<Name> },
    /// An element is in the place of another.
    #[error("{found} instead of {expected}")]
    Misplaced { found: String, expected: Name },
    /// An element is missing.
    #[error("{element} is missing")]
    Missing { element: Name },
}

/// Why the reading of a document ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub what: XmlFault,
    /// Byte offset in the document at which the fault was found.
    pub offset: usize,
    /// The limit, if elements nest deeper than it.
    pub depth_limit: Option<usize>,
    /// The bytes of a text and their limit, if it is too long.
    pub too_long: Option<(usize, usize)>,
}

impl Fault {
    /// Returns the defect of the document. `parts` is the number of parts of an object that were read before.
    pub fn defect(&self, of: DocumentType, parts: usize) -> Defect {
        let parts = parts as u64;
        let defect = match (self.depth_limit, self.too_long) {
            (Some(limit), _) => Defect::new(DocumentDefect::TooDeep { of, parts })
                .measured(limit as f64 + 1.0)
                .limit(limit as f64)
                .within("xml_depth"),
            (None, Some((bytes, limit))) => Defect::new(DocumentDefect::TooLong { of, parts })
                .measured(bytes as f64)
                .limit(limit as f64)
                .within("text"),
            (None, None) => Defect::new(DocumentDefect::Unreadable { of, why: self.what.clone(), parts }),
        };
        defect.offset(self.offset)
    }
}

/// Notes about a document apart from its content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Harmless oddities, each once.
    pub oddities: Vec<&'static str>,
    pub defects: Vec<Defect>,
}

impl Notes {
    pub fn oddity(&mut self, name: &'static str) {
        if !self.oddities.contains(&name) {
            self.oddities.push(name);
        }
    }
}
