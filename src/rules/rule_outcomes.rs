//! Outcomes of rules: failed with a finding, or not evaluated with a reason. All other subjects pass.

use crate::families::worn::Worn;
use hullmark_finding::{Capped, Code, Finding};
use hullmark_util::named;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{borrow::Cow, collections::BTreeMap};

/// Defines the reasons: the key in JSON, and the text for people.
macro_rules! skip_reasons {
    ($($reason:ident = $key:literal, $text:literal;)+) => {
        named! {
            /// Why a rule could not be evaluated. The names are keys of JSON reports and do not change; people read
            /// [`SkipReason::text`].
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum SkipReason {
                $(#[doc = concat!("Because ", $text, ".")] $reason = $key,)+
            }
        }

        impl SkipReason {
            /// The reason as people read it, after "because".
            pub fn text(self) -> &'static str {
                match self {
                    $(Self::$reason => $text,)+
                }
            }
        }
    };
}

skip_reasons! {
    Incomplete = "incomplete", "the input was not read to its end";
    UsesUnread = "uses_unread", "regions or inventories, which may use it, were not read";
    PartOfStore = "part_of_store", "it may be in another part of the store, or in the grid";
    StoreIncomplete = "store_incomplete", "an asset store was not read to its end (--assets)";
    Damaged = "damaged", "the archive, object or asset is damaged";
    NotFetched = "not_fetched", "the viewer did not fetch it into its cache";
    NoAssets = "no_assets", "the export has no assets";
    OverLimit = "over_limit", "the entry exceeds a decoding limit";
    NotFinite = "not_finite", "a position or size is not a finite number";
    AtTheLimit = "at_the_limit", "the value is too close to the limit to decide";
    CostUnknown = "cost_unknown", "a required cost is unknown";
    BodyUnknown = "body_unknown", "a required mesh or sculpt map is missing or broken";
    NotStated = "not_stated", "the export does not state a required value";
    NotProven = "not_proven", "not every combination was tried";
    OtherForm = "other_form", "the entry has a form that hullmark does not decode";
    LanguageUnknown = "language_unknown", "the text of the script is neither LSL nor Lua";
    OtherLanguage = "other_language", "the script is in a language that hullmark does not read";
    NoUsers = "no_users", "no list of users was given (--users)";
    NoRegions = "no_regions", "no list of regions was given (--regions, --from-ini) or found in the database";
    NoTarget = "no_target", "no target was chosen (--profile)";
    OneProfile = "one_profile", "no second profile was given (--profile, or --from in preflight)";
    NoOldRules = "no_old_rules", "the profile does not ask for the rules of before 2010 (old_rules)";
    EarlierIncomplete = "earlier_incomplete", "an earlier state was not read to its end";
    NoBaseline = "no_baseline", "no earlier report was given (--baseline)";
    OtherTarget = "other_target", "the earlier report is for another target";
    NothingEarlier = "nothing_earlier", "no earlier state is known";
    NotTheNewest = "not_the_newest", "it is not the newest copy";
    NothingExpected = "nothing_expected", "no archive is expected ([expected])";
    PartialRun = "partial_run", "it depends on an input that this run does not cover";
    NotCovered = "not_covered", "this run does not cover it";
}

impl SkipReason {
    /// Returns each of these reasons once, with its text: the legend of a report in JSON.
    pub fn texts<'a>(reasons: impl IntoIterator<Item = &'a Self>) -> BTreeMap<Self, String> {
        reasons.into_iter().map(|reason| (*reason, reason.text().to_owned())).collect()
    }

    /// Whether the reason follows from flags and settings, and not from a defect of an input.
    pub fn is_choice(self) -> bool {
        matches!(
            self,
            Self::NoUsers
                | Self::NoRegions
                | Self::NoTarget
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
        let key = Cow::<'_, str>::deserialize(deserializer)?;
        let named = Self::ALL.into_iter().find(|reason| reason.name() == key);
        named.ok_or_else(|| D::Error::custom("is not a reason that this version knows"))
    }
}

/// The findings of the rules in one input, and the subjects that could not be evaluated.
#[derive(Debug, Default)]
pub struct RuleOutcomes {
    pub findings: Capped,
    /// Number of failed subjects without a finding of their own, by code.
    pub also_failed: BTreeMap<Code, u64>,
    /// Number of subjects that could not be evaluated, by code and reason.
    pub not_evaluated: BTreeMap<(Code, SkipReason), u64>,
    /// Meshes whose physics nobody needs.
    pub(super) worn: Worn,
}

impl RuleOutcomes {
    pub(super) fn push(&mut self, finding: Finding) {
        self.findings.push(self.worn.soften(finding));
    }

    pub(super) fn extend(&mut self, findings: impl IntoIterator<Item = Finding>) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }

    pub(super) fn push_for(&mut self, subjects: usize, finding: Finding) {
        *self.also_failed.entry(finding.code).or_default() += subjects.saturating_sub(1) as u64;
        self.push(finding);
    }

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

    pub(super) fn not_evaluated(&mut self, code: Code, reason: SkipReason, subjects: usize) {
        if subjects > 0 {
            *self.not_evaluated.entry((code, reason)).or_default() += subjects as u64;
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for SkipReason {
    fn schema_name() -> Cow<'static, str> {
        "SkipReason".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Why a rule could not be evaluated.",
            "enum": Self::ALL.map(Self::name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_single_words_and_come_back() {
        for reason in SkipReason::ALL {
            let key = reason.name();
            assert!(key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{key}");
            let json = serde_json::to_string(&BTreeMap::from([(reason, 1)])).unwrap();
            assert_eq!(json, format!("{{\"{key}\":1}}"));
            let read: BTreeMap<SkipReason, u64> = serde_json::from_str(&json).unwrap();
            assert_eq!(read, BTreeMap::from([(reason, 1)]));
        }
    }
}
