//! Selects the rules to evaluate and sets their severities, from profiles, settings and flags.

use crate::config::nearest;
use hullmark_finding::{Code, FAMILIES, Severity};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// A rule or a family. A code is more specific than its family, and sorts after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    Family(&'static str),
    Code(Code),
}

impl Selector {
    pub fn covers(self, code: Code) -> bool {
        match self {
            Self::Family(prefix) => code.name().starts_with(prefix),
            Self::Code(own) => own == code,
        }
    }

    /// Whether this selector covers all codes that the other one covers.
    fn holds(self, other: Self) -> bool {
        match other {
            Self::Code(code) => self.covers(code),
            Self::Family(_) => self == other,
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Family(prefix) => f.pad(prefix),
            Self::Code(code) => code.fmt(f),
        }
    }
}

impl FromStr for Selector {
    type Err = String;

    /// Parses a name in any case, because people type it.
    fn from_str(name: &str) -> Result<Self, String> {
        let name = name.trim();
        let family = || FAMILIES.iter().find(|family| family.prefix.eq_ignore_ascii_case(name));
        let code = Code::parse(name).map(Self::Code);
        code.or_else(|| family().map(|family| Self::Family(family.prefix))).ok_or_else(|| {
            // Codes first: if a code and a family are equally near, the code is meant.
            let known = Code::all().map(Code::name).chain(FAMILIES.iter().map(|family| family.prefix));
            let near = nearest(name, known).map_or(String::new(), |near| format!("Did you mean {near}? "));
            format!("There is no rule or family `{name}`. {near}`hullmark rules` lists all rules")
        })
    }
}

impl Serialize for Selector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// The rule selection of one source, or of several combined.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RuleSelection {
    /// The rules to evaluate; all if empty.
    pub select: Vec<Selector>,
    /// The rules not to evaluate.
    pub ignore: Vec<Selector>,
    /// Severities that override those of the table of rules.
    pub severity: BTreeMap<Selector, Severity>,
}

impl RuleSelection {
    /// Whether a rule is evaluated. The more specific selector wins; if both are equal, `ignore` wins.
    pub fn selects(&self, code: Code) -> bool {
        let nearest = |list: &[Selector]| list.iter().copied().filter(|named| named.covers(code)).max();
        match (nearest(&self.select), nearest(&self.ignore)) {
            (None, None) => self.select.is_empty(),
            (Some(_), None) => true,
            (select, ignore) => select > ignore,
        }
    }

    /// Returns the severity of a rule. A severity for the code overrides one for its family.
    pub fn severity(&self, code: Code) -> Severity {
        // The most specific selectors come last.
        let said = self.severity.iter().rev().find(|(named, _)| named.covers(code));
        said.map_or(code.severity(), |(_, &severity)| severity)
    }

    /// Combines this selection with the one below it. A `select` here replaces `select` and `ignore` below; an `ignore`
    /// alone is added. A severity for a family applies to all of it, regardless of its codes below.
    pub fn over(&self, below: &Self) -> Self {
        let (select, mut ignore) = match self.select.is_empty() {
            true => (&below.select, below.ignore.clone()),
            false => (&self.select, Vec::new()),
        };
        let new = self.ignore.iter().filter(|named| !ignore.contains(named)).copied().collect::<Vec<_>>();
        ignore.extend(new);
        let mut severity = below.severity.clone();
        severity.retain(|&named, _| !self.severity.keys().any(|own| own.holds(named)));
        severity.extend(&self.severity);
        Self { select: select.clone(), ignore, severity }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Selector {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selector".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Code of a rule, or the letters of a family.",
            "type": "string",
            "pattern": "^[A-Z]{3}([0-9]{3})?$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn control(text: &str) -> RuleSelection {
        let whole = "select = []\nignore = []\nseverity = {}\n".parse::<toml::Table>().unwrap();
        let said = text.parse::<toml::Table>().unwrap();
        whole.into_iter().chain(said).collect::<toml::Table>().try_into().unwrap()
    }

    fn selected(control: &RuleSelection, names: &[&str]) -> Vec<bool> {
        names.iter().map(|name| control.selects(Code::parse(name).unwrap())).collect()
    }

    #[test]
    fn the_more_specific_selector_wins_and_of_equal_ones_ignore() {
        let asked = ["LNK001", "LNK002", "HUL001"];
        for (text, expected) in [
            ("", [true, true, true]),
            ("select = ['LNK']", [true, true, false]),
            ("select = ['LNK001']", [true, false, false]),
            ("ignore = ['LNK']", [false, false, true]),
            ("ignore = ['LNK001']", [false, true, true]),
            ("select = ['LNK']\nignore = ['LNK001']", [false, true, false]),
            ("select = ['LNK001', 'HUL']\nignore = ['LNK']", [true, false, true]),
            ("select = ['LNK', 'LNK001']\nignore = ['LNK001']", [false, true, false]),
            ("select = ['LNK', 'HUL']\nignore = ['LNK']", [false, false, true]),
        ] {
            assert_eq!(selected(&control(text), &asked), expected, "{text}");
        }
    }

    #[test]
    fn the_overlay_wins() {
        let below = control("select = ['LNK']\nignore = ['LNK002']");
        let ignoring = control("ignore = ['LNK003', 'LNK002']").over(&below);
        assert_eq!(ignoring, control("select = ['LNK']\nignore = ['LNK002', 'LNK003']"));
        let selecting = control("select = ['LNK002']").over(&below);
        assert_eq!(selecting, control("select = ['LNK002']"));
        assert_eq!(RuleSelection::default().over(&below), below);
        assert_eq!(below.over(&RuleSelection::default()), below);
    }

    #[test]
    fn severities_of_codes_win_and_a_family_laid_over_clears_them() {
        let below = control("severity = { LNK = 'warning', LNK002 = 'blocker', HUL001 = 'info' }");
        let severities = |control: &RuleSelection| {
            [Code::LNK001, Code::LNK002, Code::HUL001, Code::HUL002].map(|code| control.severity(code))
        };
        use Severity::{Blocker, Error, Info, Warning};
        assert_eq!(severities(&below), [Warning, Blocker, Info, Code::HUL002.severity()]);
        let family = control("severity = { LNK = 'error' }").over(&below);
        assert_eq!(severities(&family)[..3], [Error, Error, Info]);
        let code = control("severity = { LNK001 = 'info' }").over(&below);
        assert_eq!(severities(&code)[..3], [Info, Blocker, Info]);
        assert_eq!(code.severity[&Selector::Family("LNK")], Warning, "a code leaves its family alone");
    }

    #[test]
    fn selectors_are_read_in_any_case_and_unknown_ones_are_refused_with_the_nearest() {
        assert_eq!("lnk001".parse(), Ok(Selector::Code(Code::LNK001)));
        assert_eq!(" Lnk ".parse(), Ok(Selector::Family("LNK")));
        for (wrong, near) in [("LNK999", "LNK001"), ("HUL01", "HUL001"), ("LINK", "LNK"), ("PHX", "PHY")] {
            let error = wrong.parse::<Selector>().unwrap_err();
            assert!(error.contains(&format!("`{wrong}`. Did you mean {near}?")), "{error}");
        }
        let error = "qqqqqqq".parse::<Selector>().unwrap_err();
        assert_eq!(error, "There is no rule or family `qqqqqqq`. `hullmark rules` lists all rules");
    }
}
