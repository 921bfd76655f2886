//! Problems of a document: faults that end reading, unclean text, and harmless oddities.

use crate::format::defect::{Defect, DocumentDefect, DocumentType, Name};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Names of the oddities that do no harm.
pub mod oddity {
    /// NUL bytes after the document's end: every object asset of an archive has one.
    pub const TRAILING_NUL: &str = "trailing-nul";
    /// `encoding="utf-16"` over a document in UTF-8, as .NET's `StringWriter` makes it.
    pub const SAYS_UTF_16: &str = "says-utf-16";
    /// A document really in UTF-16, with a byte order mark.
    pub const UTF_16: &str = "utf-16";
    /// A byte order mark before a document in UTF-8.
    pub const BYTE_ORDER_MARK: &str = "byte-order-mark";
    /// `xmlns:xmlns:xsi`.
    pub const DOUBLED_XMLNS: &str = "doubled-xmlns";
    /// `&#x0;` and others that XML does not allow; read as nothing.
    pub const ILLEGAL_CHARACTER_REFERENCE: &str = "illegal-character-reference";
    /// A name of more than 1,024 bytes; what is behind them is not kept.
    pub const NAME_CUT: &str = "name-cut";
}

/// The mark of a document that is not plain UTF-8, by its oddities.
pub fn marked(oddities: &[&str], of: DocumentType) -> Option<Defect> {
    let utf_16 = oddities.contains(&oddity::UTF_16);
    let is_marked = utf_16 || oddities.contains(&oddity::BYTE_ORDER_MARK);
    is_marked.then(|| Defect::new(DocumentDefect::Marked { of, utf_16 }))
}

/// What is not clean in a text that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unclean {
    /// It is not UTF-8.
    NotUtf8,
    /// It has the mark of UTF-16 and is not.
    NotUtf16,
    /// It holds this control character.
    ControlCharacter(u8),
    /// An XML declaration is not at the start.
    LateDeclaration,
    /// It holds a DTD.
    Dtd,
    /// Something in a tag is no attribute.
    NoAttribute,
    /// An attribute stands twice in its tag.
    AttributeTwice,
    /// A prefix is not declared.
    UndeclaredPrefix,
    /// An entity is not known.
    UnknownEntity,
}

/// What ends the reading of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum XmlFault {
    /// There is no element in it.
    #[error("the document has no element")]
    NoElement,
    /// Text stands outside of the root element.
    #[error("text outside the root element")]
    TextOutside,
    /// It ends with elements open.
    #[error("the document ends with {elements} elements open")]
    EndsOpen { elements: u64 },
    /// There is a second root element.
    #[error("a second root element")]
    SecondRoot,
    /// Elements nest deeper than they may.
    #[error("elements nest too deep")]
    TooDeep,
    /// The parser refuses it.
    #[error("{words}")]
    Syntax { words: String },
    /// The root element has another name than is right; `expected` is absent where several are.
    #[error("the root element is {found}{}", expected.as_ref().map(|name| format!(", not {name}")).unwrap_or_default())]
    OtherRoot { found: String, expected: Option<Name> },
    /// An element stands where another is expected.
    #[error("{found} instead of {expected}")]
    Misplaced { found: String, expected: Name },
    /// An element is missing.
    #[error("{element} is missing")]
    Missing { element: Name },
}

/// Why the reading of a document ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub what: XmlFault,
    /// Byte of the document where it was seen.
    pub offset: usize,
    /// The limit, where the fault is that elements nest deeper than it.
    pub depth_limit: Option<usize>,
}

impl Fault {
    /// The defect of such a document; of an object so many parts were read before.
    pub fn defect(&self, of: DocumentType, parts: usize) -> Defect {
        let parts = parts as u64;
        let defect = match self.depth_limit {
            Some(limit) => Defect::new(DocumentDefect::TooDeep { of, parts })
                .measured(limit as f64 + 1.0)
                .limit(limit as f64)
                .within("xml_depth"),
            None => Defect::new(DocumentDefect::Unreadable { of, why: self.what.clone(), parts }),
        };
        defect.offset(self.offset)
    }
}

/// What was noticed besides the content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Oddities that do no harm, each once.
    pub oddities: Vec<&'static str>,
    /// What is not clean in the text.
    pub defects: Vec<Defect>,
}

impl Notes {
    /// Records an oddity.
    pub fn oddity(&mut self, name: &'static str) {
        if !self.oddities.contains(&name) {
            self.oddities.push(name);
        }
    }
}
