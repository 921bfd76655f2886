//! The vocabulary of findings: codes, families, severities and places.
//!
//! A finding has numbers and a place. Its message is created from the template of its rule (`rules::catalogue`) when a
//! report is written.

mod capped;
mod code;

pub use capped::{Capped, Counted};
pub use code::{Code, FAMILIES, Family};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
use uuid::Uuid;

named! {
    /// How bad a finding is, mildest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum Severity {
        /// Worth knowing.
        Info = "info",
        /// May go wrong.
        Warning = "warning",
        /// Is wrong, or will be after a move.
        Error = "error",
        /// A migration would lose or refuse data.
        Blocker = "blocker",
    }
}

impl Severity {
    /// All severities, worst first, in the order of reports.
    pub const WORST_FIRST: [Self; 4] = [Self::Blocker, Self::Error, Self::Warning, Self::Info];

    /// Returns the severity with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::WORST_FIRST.into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The place of a finding. Decoders fill in the part that they know; the scan adds the entry and the asset.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Entry of the archive, or file below the input; empty for the input itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entry: String,
    /// Root UUID of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Uuid>,
    /// UUID of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Uuid>,
    /// Link number of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_number: Option<i32>,
    /// UUID of the asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset: Option<Uuid>,
    /// Block of a mesh, element of an XML document, or the other profile or archive that the finding concerns.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub within: Cow<'static, str>,
    /// Index of the hull or submesh, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Byte offset in the entry, or in the inflated block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// One finding: a code, numbers and a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The code of the rule.
    pub code: Code,
    /// The place.
    #[serde(default)]
    pub place: Place,
    /// The measured value, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// The limit, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// The words that differ from case to case.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Distinguishes findings that a rule can report of one subject at the same time; empty if there is only one.
    /// Fingerprints contain it, so it does not depend on numbers or on the wording of messages.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub aspect: Cow<'static, str>,
    /// The maximum severity of this case. `None` if the severity of the rule applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Severity>,
    /// Its weight, which orders findings of one severity. 0 until a report evaluates it.
    #[serde(skip)]
    pub weight: f64,
    /// The number of findings that this one represents, including itself. More than 1 after a list was capped.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
    /// The number of entries, objects or assets with these findings. More than 1 if a capped list covers several
    /// subjects.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subjects: u64,
}

/// Setters that findings and defects share: for the numbers and the known part of the place. `$number` makes a number of
/// them from an `f64`.
#[macro_export]
macro_rules! setters {
    ($of:ty, $number:path) => {
        impl $of {
            /// Sets the measured value.
            pub fn measured(mut self, value: impl Into<f64>) -> Self {
                self.measured = Some($number(value.into()));
                self
            }

            /// Sets the limit.
            pub fn limit(mut self, value: impl Into<f64>) -> Self {
                self.limit = Some($number(value.into()));
                self
            }

            /// Sets the block of the mesh or the element of the document.
            pub fn within(mut self, within: impl Into<std::borrow::Cow<'static, str>>) -> Self {
                self.place.within = within.into();
                self
            }

            /// Sets the index of the hull or submesh, from 0.
            pub fn index(mut self, index: usize) -> Self {
                self.place.index = u32::try_from(index).ok();
                self
            }

            /// Sets the byte offset.
            pub fn offset(mut self, offset: usize) -> Self {
                self.place.offset = Some(offset as u64);
                self
            }

            /// Sets the entry of the input.
            pub fn entry(mut self, entry: impl Into<String>) -> Self {
                self.place.entry = entry.into();
                self
            }
        }
    };
}
setters!(Finding, std::convert::identity);

/// Replaces each number in a text by `#`. Rows with equal results can be combined.
pub fn without_numbers(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if !c.is_ascii_digit() => words.push(c),
            _ if !words.ends_with('#') => words.push('#'),
            _ => {}
        }
    }
    words
}

pub fn one() -> u64 {
    1
}

pub fn is_one(count: &u64) -> bool {
    *count == 1
}

impl Finding {
    /// Creates a finding of `code` without a place or numbers.
    pub fn new(code: Code) -> Self {
        Self {
            code,
            place: Place::default(),
            measured: None,
            limit: None,
            detail: String::new(),
            aspect: Cow::Borrowed(""),
            at_most: None,
            weight: 0.0,
            count: 1,
            subjects: 1,
        }
    }

    /// Sets the part of the message that differs from case to case.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Sets the aspect: the one of several findings that the rule can report of one subject.
    pub fn aspect(mut self, aspect: impl Into<Cow<'static, str>>) -> Self {
        self.aspect = aspect.into();
        self
    }

    /// Sets the maximum severity.
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.at_most = Some(severity);
        self
    }

    /// Returns the detail without numbers. Findings of one subject with equal text can share a row.
    pub fn says(&self) -> String {
        without_numbers(&self.detail)
    }
}
