//! The vocabulary of findings: codes, families, severities and places.
//!
//! A finding is numbers and a place. Its message is made from the template of its rule (`rules::catalogue`) when it is
//! written.

mod capped;
mod code;

use crate::util::named;
pub use capped::{Capped, Counted};
pub use code::{Code, FAMILIES};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
use uuid::Uuid;

named! {
    /// How bad a finding is, mildest first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// All severities, worst first, as reports list them.
    pub const WORST_FIRST: [Self; 4] = [Self::Blocker, Self::Error, Self::Warning, Self::Info];

    /// The severity of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::WORST_FIRST.into_iter().find(|severity| severity.name() == name)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a finding was made. Decoders fill in what they know; the scan adds the entry and the asset.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Member of the archive or file below the input; empty for the input itself.
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
    /// Block of a mesh, element of an XML document, or the other profile or archive that it is about.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub within: Cow<'static, str>,
    /// Number of the hull or submesh, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Byte offset in the entry, or in the inflated block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// One thing found: a code, numbers and a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule.
    pub code: Code,
    /// Where.
    #[serde(default)]
    pub place: Place,
    /// What was measured, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// What the limit is, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// What differs from case to case, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Which of the things that the rule can say of one subject at the same time, in words that no number and no wording
    /// of a message changes: fingerprints are made of it. Empty where there is only one.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub aspect: Cow<'static, str>,
    /// How bad it is at most, where that depends on the case. The severity of its rule holds otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Severity>,
    /// How many like it this stands for, itself counted: more than 1 where a list was capped.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub count: u64,
    /// How many members, objects or assets these are of: more than 1 where such a list went on with another one.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub subjects: u64,
}

/// What findings and defects have alike: the numbers, and what is known of the place.
macro_rules! setters {
    ($of:ty) => {
        impl $of {
            /// Adds what was measured.
            pub fn measured(mut self, value: impl Into<f64>) -> Self {
                self.measured = Some(value.into());
                self
            }

            /// Adds the limit that it was measured against.
            pub fn limit(mut self, value: impl Into<f64>) -> Self {
                self.limit = Some(value.into());
                self
            }

            /// Says which block of the mesh, or which element of the document.
            pub fn within(mut self, within: impl Into<std::borrow::Cow<'static, str>>) -> Self {
                self.place.within = within.into();
                self
            }

            /// Says which hull or submesh, from 0.
            pub fn index(mut self, index: usize) -> Self {
                self.place.index = u32::try_from(index).ok();
                self
            }

            /// Says which byte.
            pub fn offset(mut self, offset: usize) -> Self {
                self.place.offset = Some(offset as u64);
                self
            }

            /// Says which member of the input.
            pub fn entry(mut self, entry: impl Into<String>) -> Self {
                self.place.entry = entry.into();
                self
            }
        }
    };
}
pub(crate) use setters;
setters!(Finding);

/// Words with their numbers left out: what differs in nothing else can be one row.
pub(crate) fn without_numbers(text: &str) -> String {
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

pub(crate) fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
pub(crate) fn is_one(count: &u64) -> bool {
    *count == 1
}

impl Finding {
    /// A finding of `code`, with nothing else known yet.
    pub fn new(code: Code) -> Self {
        Self {
            code,
            place: Place::default(),
            measured: None,
            limit: None,
            detail: String::new(),
            aspect: Cow::Borrowed(""),
            at_most: None,
            count: 1,
            subjects: 1,
        }
    }

    /// Adds the part of the sentence that differs from case to case.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Says which of several things it is that the rule can say of one subject.
    pub fn aspect(mut self, aspect: impl Into<Cow<'static, str>>) -> Self {
        self.aspect = aspect.into();
        self
    }

    /// Says how bad it is at most.
    pub fn at_most(mut self, severity: Severity) -> Self {
        self.at_most = Some(severity);
        self
    }

    /// What it says, numbers aside: findings of one subject that agree in it can be one row.
    pub fn says(&self) -> String {
        without_numbers(&self.detail)
    }
}
