//! The table of rules: a file for each family, a row for each code.
//!
//! A row is the page of its rule. `hullmark explain`, `docs/rules.md` and reports read nothing else. So a code has one
//! meaning, which does not change after publication. Codes, families and default severities are in [`crate::finding`].

use crate::{
    finding::{Code, Finding, Severity},
    settings::profile::Grid,
    util::{named, number_text::grouped},
};
use serde::Serialize;
use std::borrow::Cow;

/// The row of a code in the table of rules.
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
    /// What each engine does, where they differ; empty where all do the same.
    pub engines: &'static [Engine],
    /// What to do about it.
    pub fix: &'static str,
    /// What to do if the target is Second Life; empty where `fix` says it.
    pub fix_second_life: &'static str,
    /// What to do if the target is OpenSimulator; empty where `fix` says it.
    pub fix_opensim: &'static str,
    /// What the owner of the object can do in a viewer; empty where the advice for operators is for owners, too.
    pub fix_owner: &'static str,
    /// Where it is laid down: a page of a specification, or a place in a program's source.
    pub source: &'static str,
}

/// What one engine or program does about what a rule finds.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Engine {
    /// Its name.
    pub engine: &'static str,
    /// What it does.
    pub does: &'static str,
}

impl Rule {
    /// Returns the advice for an operator whose target is this grid.
    pub fn advice(&self, grid: Grid) -> &'static str {
        let own = match grid {
            Grid::SecondLife => self.fix_second_life,
            Grid::OpenSim => self.fix_opensim,
        };
        if own.is_empty() { self.fix } else { own }
    }

    /// Returns the advice for the owner of an object.
    pub fn owner_advice(&self, grid: Grid) -> &'static str {
        if self.fix_owner.is_empty() { self.advice(grid) } else { self.fix_owner }
    }

    /// Describes the behaviour of the engines in sentences.
    pub fn engines_text(&self) -> String {
        let sentences = self.engines.iter().map(|Engine { engine, does }| format!("{engine}: {does}"));
        sentences.collect::<Vec<_>>().join(" ")
    }
}

named! {
/// What a rule looks at, one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// An input as a whole.
    Archive = "archive",
    /// A member of an archive, or a file.
    Entry = "entry",
    /// A linkset, wherever it lies.
    Object = "object",
    /// A linkset that stands in a region.
    InWorld = "in_world",
    /// A mesh asset.
    Mesh = "mesh",
    /// An asset, be it there or only named.
    Asset = "asset",
    /// A script asset.
    Script = "script",
    /// A region.
    Region = "region",
    /// A region, or all parcels that one owner has in it.
    Land = "land",
    /// What a run was told to look for or to heed, and no input has: a waiver, for example.
    Run = "run",
}
}

named! {
/// What a move to the target makes of what a rule finds, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The load stops there, or refuses the archive.
    Stops = "May stop the load",
    /// It does not arrive.
    Loses = "Will not arrive",
    /// It arrives as something else: moved, clamped, cleared, given to another.
    Changes = "Will arrive changed: moved, clamped, cleared, or given to another",
    /// There is no room for it, so that things are returned or slow.
    Overfills = "Will not fit",
    /// It arrives and does not work, or is not seen.
    Breaks = "Will arrive and not work, or not be seen",
    /// What it is could not be found out.
    Unknown = "Could not be found out",
    /// Nothing that a move would change.
    Note = "Worth knowing; the move changes nothing about it",
}
}

/// Creates the rows of a family.
macro_rules! rules {
    (
        $($code:ident $unit:literal $title:literal {
            about: $about:ident,
            effect: $effect:ident,
            message: $message:literal,
            why: $why:literal,
            $(engines: [$($engine:literal => $does:literal,)+],)?
            fix: $fix:literal,
            $(fix_second_life: $fix_second_life:literal,)?
            $(fix_opensim: $fix_opensim:literal,)?
            $(fix_owner: $fix_owner:literal,)?
            source: $source:literal,
        })*
    ) => {
        use super::{Effect, Rule, Subject};
        use crate::finding::Code;

        /// The rows of the family, by number.
        pub(super) static RULES: &[Rule] = &[
            $(Rule {
                code: Code::$code.name(),
                severity: Code::$code.severity(),
                about: Subject::$about,
                effect: Effect::$effect,
                unit: $unit,
                title: $title,
                message: $message,
                why: $why,
                engines: &[$($(super::Engine { engine: $engine, does: $does },)+)?],
                fix: $fix,
                fix_second_life: concat!($($fix_second_life)?),
                fix_opensim: concat!($($fix_opensim)?),
                fix_owner: concat!($($fix_owner)?),
                source: $source,
            },)*
        ];
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

/// The rows of every family, in the order of [`crate::finding::FAMILIES`].
fn families() -> [&'static [Rule]; 15] {
    [
        archive::RULES,
        object::RULES,
        placement::RULES,
        link::RULES,
        hull::RULES,
        mesh::RULES,
        physics::RULES,
        cost::RULES,
        reference::RULES,
        script::RULES,
        owner::RULES,
        region::RULES,
        across::RULES,
        history::RULES,
        run::RULES,
    ]
}

/// Returns the row of a code.
pub fn rule(code: Code) -> &'static Rule {
    let name = code.name();
    let of_family =
        families().into_iter().find(|rules| rules.first().is_some_and(|rule| rule.code[..3] == name[..3]));
    let row = of_family.and_then(|rules| rules.iter().find(|rule| rule.code == name));
    row.unwrap_or_else(|| unreachable!("a test holds that every code has its row: {code}"))
}

/// Returns the message of a finding: the template of its rule with the numbers of the finding.
pub fn message(finding: &Finding) -> String {
    let mut text = String::new();
    let mut rest = rule(finding.code).message;
    // Replaced in one pass, so that braces in texts of the export stay unchanged.
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        text += before;
        text += &value(finding, name);
        rest = behind;
    }
    text + rest
}

/// Returns the value for a placeholder of this name.
fn value<'f>(finding: &'f Finding, name: &str) -> Cow<'f, str> {
    let number = |value: Option<f64>| value.map_or_else(|| "unknown".into(), |value| grouped(value).into());
    match name {
        "measured" => number(finding.measured),
        "limit" => number(finding.limit),
        "within" => (&*finding.place.within).into(),
        "index" => finding.place.index.map_or_else(|| "?".into(), |index| index.to_string().into()),
        "detail" => (&*finding.detail).into(),
        _ => unreachable!("a test holds templates to these names: {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::FAMILIES;

    #[test]
    fn every_code_has_its_row_and_every_row_its_code() {
        for (family, rules) in FAMILIES.iter().zip(families()) {
            let rows: Vec<&str> = rules.iter().map(|rule| rule.code).collect();
            assert_eq!(rows, family.codes.iter().map(|code| code.name()).collect::<Vec<_>>());
            assert!(family.codes.iter().all(|&code| rule(code).code == code.name()));
        }
    }

    #[test]
    fn a_message_takes_numbers_and_leaves_the_exports_own_braces() {
        let finding = Finding::new(Code::LNK001).measured(60.0).limit(54.0).detail("; {limit} is a name");
        assert_eq!(
            message(&finding),
            "The prim centers span 60 m; the span must be less than 54 m; {limit} is a name"
        );
    }

    #[test]
    fn every_template_can_be_filled() {
        // An unknown placeholder panics.
        let words: Vec<String> = Code::all().map(|code| message(&Finding::new(code))).collect();
        assert!(words.iter().all(|words| !words.contains('{')), "{words:?}");
        let finding = Finding::new(Code::MSH013).within("{measured}").measured(1);
        assert_eq!(message(&finding), "The mesh's UUID has other content in {measured}");
    }
}
