//! What may be wrong with a document: a fault that ends the reading, or what is noticed besides the content.

use crate::finding::{Code, Finding};

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

/// Why OpenSim refuses a document of an archive that has these oddities, although it can be read. It decodes all
/// of them as UTF-8 and hands the text to its XML reader, which sees something stand before the root element.
pub fn refused_by_opensim(oddities: &[&str]) -> Option<&'static str> {
    if oddities.contains(&oddity::UTF_16) {
        Some("it is UTF-16, and OpenSim reads all text as UTF-8")
    } else if oddities.contains(&oddity::BYTE_ORDER_MARK) {
        Some("it begins with a byte order mark, which OpenSim takes for text before the root element")
    } else {
        None
    }
}

/// Why the reading of a document ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What was wrong.
    pub what: String,
    /// Byte of the document where it was seen.
    pub offset: usize,
    /// The limit, where the fault is that elements nest deeper than it.
    pub depth_limit: Option<usize>,
}

impl Fault {
    /// The finding for this fault: of code `malformed`, or ARC012 where a limit was reached. `aside` says what
    /// was saved.
    pub fn finding(&self, malformed: Code, aside: &str) -> Finding {
        let detail = format!("{} at byte {}{aside}", self.what, self.offset);
        let finding = match self.depth_limit {
            Some(limit) => Finding::new(Code::ARC012)
                .measured(limit as f64 + 1.0)
                .limit(limit as f64)
                .within("xml_depth"),
            None => Finding::new(malformed),
        };
        finding.detail(detail).offset(self.offset)
    }

    /// The finding for this fault, of a code that may say other things of the same document.
    pub fn finding_beside_others(&self, malformed: Code) -> Finding {
        let finding = self.finding(malformed, "");
        if finding.code == malformed { finding.aspect("unreadable") } else { finding }
    }
}

/// What was noticed besides the content.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// Oddities that do no harm, each once.
    pub oddities: Vec<&'static str>,
    /// That the text is not clean; of the code that the caller gave.
    pub findings: Vec<Finding>,
}

impl Notes {
    /// Records an oddity.
    pub fn oddity(&mut self, name: &'static str) {
        if !self.oddities.contains(&name) {
            self.oddities.push(name);
        }
    }
}
