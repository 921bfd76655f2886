//! What rules answer: fail with a finding, or not evaluated with a reason. All else passes.

use crate::finding::{Code, Finding};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Why a rule could not be evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The input was not read to its end.
    Incomplete,
    /// What it is about is damaged.
    Damaged,
    /// The export came without assets.
    NoAssets,
    /// Something was larger than the limits allow to decode.
    OverLimit,
    /// A position or size is not a finite number.
    NotFinite,
    /// Rounding does not let it be told on which side of the limit it is.
    AtTheLimit,
    /// A cost that it needs is not known.
    CostUnknown,
    /// A mesh or sculpt map that it needs is missing or broken.
    BodyUnknown,
    /// The export does not state what it needs.
    NotStated,
    /// Not all that could make it fail was tried.
    NotProven,
    /// It is of a form that is not read.
    OtherForm,
    /// It is written in a language that is not read.
    OtherLanguage,
    /// No list of users was given.
    NoUsers,
    /// No second profile was given.
    OneProfile,
    /// The profile does not ask for the rules of before 2010.
    NoOldRules,
    /// It cannot be told which archive is the newer one.
    OrderUnknown,
    /// What it would be compared with was not read to its end.
    EarlierIncomplete,
    /// No earlier night was given.
    NoBaseline,
    /// The earlier night was judged for another target.
    OtherTarget,
    /// Nothing earlier of it is known.
    NothingEarlier,
    /// A newer archive of the same is judged.
    NotTheNewest,
    /// No archive is expected.
    NothingExpected,
    /// It depends on an input that this run does not cover.
    PartialNight,
    /// The run did not look there.
    NotCovered,
}

impl Reason {
    /// The first in their order.
    pub(super) const FIRST: Self = Self::Incomplete;

    /// The reason as it is read behind "because".
    pub fn words(self) -> &'static str {
        match self {
            Self::Incomplete => "the input was not read to its end",
            Self::Damaged => "it is damaged",
            Self::NoAssets => "the export has no assets",
            Self::OverLimit => "it is over a decoding limit",
            Self::NotFinite => "a position or size is no finite number",
            Self::AtTheLimit => "it is too near to the limit to tell",
            Self::CostUnknown => "a cost that it needs is not known",
            Self::BodyUnknown => "a mesh or sculpt map that it needs is missing or broken",
            Self::NotStated => "the export does not state what it needs",
            Self::NotProven => "not everything that could make it fail was tried",
            Self::OtherForm => "it is of a form that is not read",
            Self::OtherLanguage => "it is written in a language that is not read",
            Self::NoUsers => "no list of users was given (--users)",
            Self::OneProfile => "no second profile was given (--profile)",
            Self::NoOldRules => "the profile does not ask for the rules of before 2010 (old_rules)",
            Self::OrderUnknown => "it cannot be told which archive is the newer one",
            Self::EarlierIncomplete => "what it would be compared with was not read to its end",
            Self::NoBaseline => "no earlier night was given (--baseline)",
            Self::OtherTarget => "the earlier night was judged for another target",
            Self::NothingEarlier => "nothing earlier of it is known",
            Self::NotTheNewest => "a newer archive of the same is judged",
            Self::NothingExpected => "no archive is expected ([expected])",
            Self::PartialNight => "it depends on an input that this run does not cover",
            Self::NotCovered => "this run does not cover it",
        }
    }

    /// Whether it follows from what a run was given, and not from what is wrong with an input.
    pub fn is_choice(self) -> bool {
        matches!(
            self,
            Self::NoUsers
                | Self::OneProfile
                | Self::NoOldRules
                | Self::NoBaseline
                | Self::OtherTarget
                | Self::NothingEarlier
                | Self::NotTheNewest
                | Self::NothingExpected
                | Self::PartialNight
                | Self::NotCovered
        )
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// What the rules found in a case, and what they could not evaluate.
#[derive(Debug, Default)]
pub struct Verdicts {
    /// What failed.
    pub findings: Vec<Finding>,
    /// How many subjects more than it has findings a code failed for.
    pub also_failed: BTreeMap<Code, u64>,
    /// How many subjects of a code could not be evaluated, by reason.
    pub not_evaluated: BTreeMap<(Code, Reason), u64>,
}

impl Verdicts {
    /// Adds what failed.
    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds what failed.
    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// Adds one finding that tells of so many subjects.
    pub(super) fn push_for(&mut self, subjects: usize, finding: Finding) {
        *self.also_failed.entry(finding.code).or_default() += subjects.saturating_sub(1) as u64;
        self.push(finding);
    }

    /// Says that a code was not evaluated for so many of its subjects.
    pub(super) fn not_evaluated(&mut self, code: Code, reason: Reason, subjects: usize) {
        if subjects > 0 {
            *self.not_evaluated.entry((code, reason)).or_default() += subjects as u64;
        }
    }
}
