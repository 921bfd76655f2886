//! The table of rules, whose rows are with their functions in [`families`](mod@crate::families).
//!
//! A row is the page of its rule. `hullmark explain`, `docs/rules.md` and reports read nothing else. So a code has one
//! meaning, which does not change after publication. Codes, families and default severities are in [`hullmark_finding`].

use crate::{RuleContext, RuleOutcomes, families};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Severity};
use hullmark_settings::profile::{Grid, PhysicsModel, Profile};
use hullmark_util::{named, number_text::grouped};
use serde::Serialize;
use std::{borrow::Cow, collections::HashMap, sync::LazyLock};

/// The row of a code in the table of rules.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rule {
    /// The code as it is printed.
    pub code: &'static str,
    /// Severity, unless the profile of the target sets another.
    #[serde(rename = "default_severity")]
    pub severity: Severity,
    /// Subject of a check, which passes, fails or is not evaluated.
    pub about: Subject,
    /// Effect on a move to the target.
    pub effect: Effect,
    /// Unit of measured value and limit; empty if there are no numbers.
    pub unit: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Message, with places for `{measured}`, `{limit}`, `{within}`, `{index}` and `{detail}`.
    pub message: &'static str,
    /// Why the rule matters.
    pub why: &'static str,
    /// Behaviour of each engine; empty if all behave alike.
    pub engines: &'static [Engine],
    /// Advice.
    pub fix: &'static str,
    /// Advice if the target is Second Life; empty if `fix` applies.
    pub fix_second_life: &'static str,
    /// Advice if the target is OpenSimulator; empty if `fix` applies.
    pub fix_opensim: &'static str,
    /// Advice for the owner of the object, in a viewer; empty if the advice for operators applies.
    pub fix_owner: &'static str,
    /// Source: a page of a specification, or a place in the source of a program.
    pub source: &'static str,
}

/// A row of a family: the page of a rule, and its function.
pub(crate) struct Row {
    pub(crate) rule: Rule,
    /// Advice on some findings, instead of that of the rule.
    pub(crate) cure: Option<Cure>,
    /// `None` if decoders report the rule, or if it is about several inputs, waivers or the run.
    pub(crate) check: Option<Check>,
}

/// Returns the advice on a finding for its reader; `None` if the advice of the rule applies.
type Cure = fn(&Finding, Reader) -> Option<&'static str>;

/// Who reads an advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// The operator of the target.
    Operator,
    /// The owner of an object, in a viewer.
    Owner,
}

/// Adds the outcome of a rule for one input.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    OfInput(fn(&Measured<'_>, &mut RuleOutcomes)),
    /// Compares the input with earlier archives, or with the users of the target.
    WithContext(fn(&Measured<'_>, &RuleContext<'_>, &mut RuleOutcomes)),
}

/// Behaviour of one engine or program.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Engine {
    /// Name of the engine.
    pub engine: &'static str,
    /// Its behaviour.
    pub does: &'static str,
}

impl Rule {
    /// Describes the behaviour of the engines in sentences.
    pub fn engines_text(&self) -> String {
        engines_text(self.engines.iter())
    }
}

/// Like [`Rule::engines_text`], without the engines of other targets.
pub fn engines_of(code: Code, profile: &Profile) -> String {
    let others: &[&str] = match (profile.grid_of(code), profile.physics.model) {
        (Grid::SecondLife, _) => &OF_OPENSIM,
        (Grid::OpenSim, PhysicsModel::SecondLife) => &["Second Life", "Second Life viewer"],
        (Grid::OpenSim, PhysicsModel::OpensimUbode) => &["Second Life", "Second Life viewer", "BulletSim"],
        (Grid::OpenSim, PhysicsModel::OpensimBulletsim) => &["Second Life", "Second Life viewer", "ubODE"],
    };
    let is_of_target = |engine: &&Engine| ![others, &RELATED].concat().contains(&engine.engine);
    engines_text(rule(code).engines.iter().filter(is_of_target))
}

/// Engines of OpenSimulator.
const OF_OPENSIM: [&str; 8] = [
    "OpenSimulator",
    "ubODE",
    "BulletSim",
    "XEngine",
    "YEngine",
    "Robust",
    "FSAssetService",
    "FlotsamAssetCache",
];

/// Programs that no profile is for.
const RELATED: [&str; 4] = ["Halcyon", "SilverSim", "WhiteCore", "Others"];

fn engines_text<'a>(engines: impl Iterator<Item = &'a Engine>) -> String {
    let sentences = engines.map(|Engine { engine, does }| format!("{engine}: {does}"));
    sentences.collect::<Vec<_>>().join(" ")
}

named! {
/// Subject of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// An input as a whole.
    Archive = "archive",
    /// A member of an archive, or a file.
    Entry = "entry",
    /// A linkset, in a region, an inventory or a file.
    Object = "object",
    /// A linkset that is rezzed in a region.
    InWorld = "in_world",
    /// A mesh asset.
    Mesh = "mesh",
    /// An asset, present or only referenced.
    Asset = "asset",
    /// A script asset.
    Script = "script",
    /// A region.
    Region = "region",
    /// A region, or all parcels that one owner has in it.
    Land = "land",
    /// An inventory of a database that --inventory names.
    Inventory = "inventory",
    /// A setting of the run that no input matches, such as a waiver.
    Run = "run",
}
}

named! {
/// Effect of a move to the target, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The load stops there, or refuses the archive.
    Stops = "May stop the load",
    /// It does not arrive.
    Loses = "Will not arrive",
    /// It arrives changed: moved, clamped, cleared, or given to another owner.
    Changes = "Arrives changed (moved, cut to a limit, emptied, or with another owner)",
    /// The target has no room for it.
    Overfills = "Will not fit",
    /// It arrives, but does not work or is not visible.
    Breaks = "Will arrive and not work, or not be seen",
    /// The effect is unknown.
    Unknown = "Could not be found out",
    /// A move does not change it.
    Note = "Worth knowing; the move changes nothing about it",
}
}

/// Creates the rows of a family, by number.
macro_rules! rules {
    (
        $($code:ident $unit:literal $title:literal {
            about: $about:ident,
            effect: $effect:ident,
            $(check: $check:path,)?
            $(check_with_context: $check_with_context:path,)?
            $(cure: $cure:path,)?
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
        pub(crate) static ROWS: &[$crate::catalogue::Row] = &[
            $($crate::catalogue::Row {
                rule: $crate::catalogue::Rule {
                    code: hullmark_finding::Code::$code.name(),
                    severity: hullmark_finding::Code::$code.severity(),
                    about: $crate::catalogue::Subject::$about,
                    effect: $crate::catalogue::Effect::$effect,
                    unit: $unit,
                    title: $title,
                    message: $message,
                    why: $why,
                    engines: &[$($($crate::catalogue::Engine { engine: $engine, does: $does },)+)?],
                    fix: $fix,
                    fix_second_life: concat!($($fix_second_life)?),
                    fix_opensim: concat!($($fix_opensim)?),
                    fix_owner: concat!($($fix_owner)?),
                    source: $source,
                },
                cure: [$(Some($cure as _),)? None][0],
                check: [
                    $(Some($crate::catalogue::Check::OfInput($check)),)?
                    $(Some($crate::catalogue::Check::WithContext($check_with_context)),)?
                    None,
                ][0],
            },)*
        ];
    };
}

/// The rows of every family, in the order of [`hullmark_finding::FAMILIES`].
fn families() -> [&'static [Row]; 20] {
    [
        families::archive::ROWS,
        families::object::ROWS,
        families::placement::ROWS,
        families::link::ROWS,
        families::hull::ROWS,
        families::mesh::ROWS,
        families::physics::ROWS,
        families::cost::ROWS,
        families::reference::ROWS,
        families::script::ROWS,
        families::owner::ROWS,
        families::region::ROWS,
        families::database::ROWS,
        families::store::ROWS,
        families::inventory::ROWS,
        families::model::ROWS,
        families::viewer::ROWS,
        families::across::ROWS,
        families::history::ROWS,
        families::run::ROWS,
    ]
}

/// Returns the page of a code.
pub fn rule(code: Code) -> &'static Rule {
    &row(code).rule
}

pub(crate) fn row(code: Code) -> &'static Row {
    static BY_NAME: LazyLock<HashMap<&str, &Row>> =
        LazyLock::new(|| families().into_iter().flatten().map(|row| (row.rule.code, row)).collect());
    BY_NAME
        .get(code.name())
        .copied()
        .unwrap_or_else(|| unreachable!("a test holds that every code has its row: {code}"))
}

/// Returns the advice on a finding. An owner without advice gets that of the operator.
pub fn advice(finding: &Finding, reader: Reader, profile: &Profile) -> &'static str {
    let Row { rule, cure, .. } = row(finding.code);
    let own = cure.and_then(|cure| cure(finding, reader));
    own.unwrap_or_else(|| match reader {
        Reader::Owner if !rule.fix_owner.is_empty() => rule.fix_owner,
        _ => advice_of(finding.code, profile),
    })
}

/// Returns the advice of a rule for the operator of a target.
pub fn advice_of(code: Code, profile: &Profile) -> &'static str {
    let rule = rule(code);
    let own = match profile.grid_of(code) {
        Grid::SecondLife => rule.fix_second_life,
        Grid::OpenSim => rule.fix_opensim,
    };
    if own.is_empty() { rule.fix } else { own }
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
    use hullmark_finding::FAMILIES;

    #[test]
    fn every_code_has_its_row_and_every_row_its_code() {
        for (family, rows) in FAMILIES.iter().zip(families()) {
            let rows: Vec<&str> = rows.iter().map(|row| row.rule.code).collect();
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
