//! Outcomes of rules: failed with a finding, or not evaluated with a reason. All other subjects pass.

use hullmark_finding::{Capped, Code, Finding};
use hullmark_util::named;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, collections::BTreeMap};

named! {
    /// Why a rule could not be evaluated. The names are keys of JSON reports and of RUN003, so they do not change;
    /// people read [`SkipReason::text`].
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[allow(missing_docs, reason = "the names say it, and are in the documentation")]
    pub enum SkipReason {
        Incomplete = "the input was not read to its end",
        UsesUnread = "regions or inventories, which may use it, were not read",
        PartOfStore = "it may be in another part of the store, or in the grid",
        StoreIncomplete = "a store that may hold it was not read to its end (--assets)",
        Damaged = "it is damaged",
        NotFetched = "the viewer did not fetch it into its cache",
        NoAssets = "the export has no assets",
        OverLimit = "it is over a decoding limit",
        NotFinite = "a position or size is no finite number",
        AtTheLimit = "it is too near to the limit to tell",
        CostUnknown = "a cost that it needs is not known",
        BodyUnknown = "a mesh or sculpt map that it needs is missing or broken",
        NotStated = "the export does not state what it needs",
        NotProven = "not everything that could make it fail was tried",
        OtherForm = "it is of a form that is not read",
        OtherLanguage = "it is written in a language that is not read",
        NoUsers = "no list of users was given (--users)",
        NoRegions = "no list of regions was given (--regions, --from-ini) or found in the database",
        OneProfile = "no second profile was given (--profile)",
        NoOldRules = "the profile does not ask for the rules of before 2010 (old_rules)",
        EarlierIncomplete = "what it would be compared with was not read to its end",
        NoBaseline = "no earlier night was given (--baseline)",
        OtherTarget = "the earlier night was judged for another target",
        NothingEarlier = "nothing earlier of it is known",
        NotTheNewest = "it is not the newest copy",
        NothingExpected = "no archive is expected ([expected])",
        PartialRun = "it depends on an input that this run does not cover",
        NotCovered = "this run does not cover it",
    }
}

impl SkipReason {
    /// The reason as people read it, after "because".
    pub fn text(self) -> &'static str {
        match self {
            Self::StoreIncomplete => "an asset store was not read to its end (--assets)",
            Self::Damaged => "the archive, object or asset is damaged",
            Self::OverLimit => "the entry exceeds a decoding limit",
            Self::NotFinite => "a position or size is not a finite number",
            Self::AtTheLimit => "the value is too close to the limit to decide",
            Self::CostUnknown => "a required cost is unknown",
            Self::BodyUnknown => "a required mesh or sculpt map is missing or broken",
            Self::NotStated => "the export does not state a required value",
            Self::NotProven => "not every combination was tried",
            Self::OneProfile => "no second profile was given (--profile, or --from in preflight)",
            Self::OtherForm => "the entry has a form that hullmark does not decode",
            Self::OtherLanguage => "the script is in a language that hullmark does not read",
            Self::EarlierIncomplete => "an earlier state was not read to its end",
            Self::NoBaseline => "no earlier report was given (--baseline)",
            Self::OtherTarget => "the earlier report is for another target",
            Self::NothingEarlier => "no earlier state is known",
            other => other.name(),
        }
    }

    /// Whether the reason follows from flags and settings, and not from a defect of an input.
    pub fn is_choice(self) -> bool {
        matches!(
            self,
            Self::NoUsers
                | Self::NoRegions
                | Self::OneProfile
                | Self::NoOldRules
                | Self::NoBaseline
                | Self::OtherTarget
                | Self::NothingEarlier
                | Self::NotTheNewest
                | Self::NothingExpected
                | Self::PartialRun
                | Self::PartOfStore
                | Self::UsesUnread
                | Self::NotCovered
        )
    }
}

impl Serialize for SkipReason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for SkipReason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Cow::<'_, str>::deserialize(deserializer)?;
        let named = Self::ALL.into_iter().find(|reason| reason.name() == words);
        named.ok_or_else(|| D::Error::custom("is not a reason that this version knows"))
    }
}

/// The findings of the rules in one input, and the subjects that could not be evaluated.
#[derive(Debug, Default)]
pub struct RuleOutcomes {
    /// The findings, capped for each code.
    pub findings: Capped,
    /// Number of failed subjects without a finding of their own, by code.
    pub also_failed: BTreeMap<Code, u64>,
    /// Number of subjects that could not be evaluated, by code and reason.
    pub not_evaluated: BTreeMap<(Code, SkipReason), u64>,
}

impl RuleOutcomes {
    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Adds findings.
    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        self.findings.extend(findings);
    }

    /// Adds one finding for this many subjects.
    pub(super) fn push_for(&mut self, subjects: usize, finding: Finding) {
        *self.also_failed.entry(finding.code).or_default() += subjects.saturating_sub(1) as u64;
        self.push(finding);
    }

    /// Adds other outcomes.
    pub fn add(&mut self, other: Self) {
        self.findings.extend(other.findings.finish());
        for (code, count) in other.also_failed {
            *self.also_failed.entry(code).or_default() += count;
        }
        for (key, count) in other.not_evaluated {
            *self.not_evaluated.entry(key).or_default() += count;
        }
    }

    /// Keeps only the findings for which `is_kept` is true.
    pub fn keeping(mut self, is_kept: impl Fn(&Finding) -> bool) -> Self {
        let findings = std::mem::take(&mut self.findings).finish();
        self.findings.extend(findings.into_iter().filter(is_kept));
        self
    }

    /// Adds subjects for which a code was not evaluated.
    pub(super) fn not_evaluated(&mut self, code: Code, reason: SkipReason, subjects: usize) {
        if subjects > 0 {
            *self.not_evaluated.entry((code, reason)).or_default() += subjects as u64;
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SkipReason {
    fn schema_name() -> Cow<'static, str> {
        "Reason".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "Why a rule could not be evaluated.", "type": "string" })
    }
}
