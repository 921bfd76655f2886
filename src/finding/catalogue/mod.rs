//! The table of rules: a file for each family, a row for each code.
//!
//! A row is the page of its rule. `hullmark explain`, `docs/rules.md`, reports and severities read nothing else,
//! so a code has one meaning, and once published keeps it.

use super::Severity;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{
    cmp::Ordering,
    fmt,
    hash::{Hash, Hasher},
};

/// What the table says of a code.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Rule {
    /// The code as it is printed.
    pub code: &'static str,
    /// How bad, unless the target's profile says otherwise.
    #[serde(rename = "default_severity")]
    pub severity: Severity,
    /// What one finding is about: what passes, fails or is not evaluated.
    pub about: Subject,
    /// What a move makes of it.
    pub effect: Effect,
    /// Unit of the numbers; empty where there are none.
    pub unit: &'static str,
    /// What it is, as a heading.
    pub title: &'static str,
    /// The sentence, with places for `{measured}`, `{limit}`, `{within}`, `{index}` and `{detail}`.
    pub message: &'static str,
    /// What goes wrong, and how that is known.
    pub why: &'static str,
    /// What each engine does, where they differ; empty where it is the same everywhere.
    pub engines: &'static str,
    /// What to do about it.
    pub fix: &'static str,
    /// Where it is laid down: a page of a specification, or a place in a program's source.
    pub source: &'static str,
}

/// What a rule looks at, one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// An input as a whole.
    Archive,
    /// A member of an archive, or a file.
    Entry,
    /// A linkset, wherever it lies.
    Object,
    /// A linkset that stands in a region.
    Standing,
    /// A mesh asset.
    Mesh,
    /// An asset, be it there or only named.
    Asset,
    /// A script asset.
    Script,
    /// A region.
    Region,
    /// A region, or all parcels that one owner has in it.
    Land,
    /// What a run was told to look for or to heed, and no input has: a waiver, for example.
    Run,
}

impl Subject {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Archive => "archive",
            Self::Entry => "entry",
            Self::Object => "object",
            Self::Standing => "standing",
            Self::Mesh => "mesh",
            Self::Asset => "asset",
            Self::Script => "script",
            Self::Region => "region",
            Self::Land => "land",
            Self::Run => "run",
        }
    }
}

/// What a move to the target makes of what a rule finds, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The load stops there, or refuses the archive.
    Stops,
    /// It does not arrive.
    Loses,
    /// It arrives as something else: moved, clamped, cleared, given to another.
    Changes,
    /// There is no room for it, so that things are returned or slow.
    Overfills,
    /// It arrives and does not work, or is not seen.
    Breaks,
    /// What it is could not be found out.
    Unknown,
    /// Nothing that a move would change.
    Note,
}

impl Effect {
    /// All of them, the worst first.
    pub const ALL: [Self; 7] =
        [Self::Stops, Self::Loses, Self::Changes, Self::Overfills, Self::Breaks, Self::Unknown, Self::Note];

    /// The effect as a heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Stops => "May stop the load",
            Self::Loses => "Will not arrive",
            Self::Changes => "Will arrive changed: moved, clamped, cleared, or given to another",
            Self::Overfills => "Will not fit",
            Self::Breaks => "Will arrive and not work, or not be seen",
            Self::Unknown => "Could not be found out",
            Self::Note => "Worth knowing; the move changes nothing about it",
        }
    }
}

/// Codes that are about one subject.
#[derive(Debug)]
pub struct Family {
    /// The letters that their names begin with.
    pub prefix: &'static str,
    /// The subject.
    pub title: &'static str,
    /// The codes, by number.
    pub codes: &'static [Code],
}

/// A code that a report may hold: a row of the table. Codes are in the order of their names.
#[derive(Clone, Copy)]
pub struct Code(&'static Rule);

/// Makes a family of its rows: a constant of [`Code`] for each, and `FAMILY` with all of them.
macro_rules! family {
    (
        $prefix:literal $subject:literal
        $($code:ident $severity:ident $unit:literal $title:literal {
            about: $about:ident,
            effect: $effect:ident,
            message: $message:literal,
            why: $why:literal,
            engines: $engines:literal,
            fix: $fix:literal,
            source: $source:literal,
        })*
    ) => {
        use super::{Code, Effect, Family, Rule, Subject};
        use crate::finding::Severity;

        impl Code {
            $(
                #[doc = $title]
                pub const $code: Self = Self(&Rule {
                    code: stringify!($code),
                    severity: Severity::$severity,
                    about: Subject::$about,
                    effect: Effect::$effect,
                    unit: $unit,
                    title: $title,
                    message: $message,
                    why: $why,
                    engines: $engines,
                    fix: $fix,
                    source: $source,
                });
            )*
        }

        /// The family.
        pub(super) const FAMILY: Family =
            Family { prefix: $prefix, title: $subject, codes: &[$(Code::$code,)*] };
    };
}

mod across;
mod archive;
mod cost;
mod history;
mod hull;
mod link;
mod mesh;
mod object;
mod owner;
mod physics;
mod placement;
mod reference;
mod region;
mod run;
mod script;

/// All families, in the order in which people read them.
pub static FAMILIES: [Family; 15] = [
    archive::FAMILY,
    object::FAMILY,
    placement::FAMILY,
    link::FAMILY,
    hull::FAMILY,
    mesh::FAMILY,
    physics::FAMILY,
    cost::FAMILY,
    reference::FAMILY,
    script::FAMILY,
    owner::FAMILY,
    region::FAMILY,
    across::FAMILY,
    history::FAMILY,
    run::FAMILY,
];

impl Code {
    /// Every code, family by family.
    pub fn all() -> impl Iterator<Item = Self> {
        FAMILIES.iter().flat_map(|family| family.codes).copied()
    }

    /// The row of the table for this code.
    pub fn rule(self) -> &'static Rule {
        self.0
    }

    /// The code as it is printed.
    pub fn name(self) -> &'static str {
        self.0.code
    }

    /// The code with this name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        Self::all().find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Code {}

impl PartialOrd for Code {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Code {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl Hash for Code {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        // Only whole and exact: what a ledger or a settings file holds was copied, not remembered.
        Self::all().find(|code| code.name() == name).ok_or_else(|| {
            D::Error::custom(format!("there is no rule `{name}`; `hullmark rules` lists those that exist"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_in_order_in_their_families_and_found_by_name() {
        for family in &FAMILIES {
            assert!(family.codes.is_sorted() && !family.codes.is_empty(), "{}", family.prefix);
            for &code in family.codes {
                let number = code.name().strip_prefix(family.prefix).unwrap();
                assert!(number.len() == 3 && number.parse::<u32>().is_ok(), "{code}");
                assert_eq!(Code::parse(&code.name().to_lowercase()), Some(code));
            }
        }
        let mut names: Vec<_> = Code::all().map(Code::name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "no code stands in the table twice");
    }

    #[test]
    fn a_code_survives_a_ledger_and_an_unknown_one_is_refused() {
        let text = serde_json::to_string(&Code::LNK001).unwrap();
        assert_eq!(text, "\"LNK001\"");
        assert_eq!(serde_json::from_str::<Code>(&text).unwrap(), Code::LNK001);
        for wrong in ["\"LNK999\"", "\"lnk001\"", "7"] {
            assert!(serde_json::from_str::<Code>(wrong).is_err(), "{wrong}");
        }
    }
}
