//! Turns facts and measures into findings: a file for each family, a row and a function for each code.
//!
//! A rule receives a [`Measured`], the facts of one input joined with their measures, and decides only whether it
//! passes. The profile sets the severity later. Rules about several inputs are in [`cross_input`].

#[macro_use]
pub mod catalogue;
pub mod cross_input;
pub mod decode;
pub mod families;
pub mod history;
mod rule_counts;
mod rule_outcomes;
pub mod waivers;
pub mod well_known_assets;

use crate::{catalogue::Check, families::worn::Worn, history::Past};
pub use families::history::{his002_absent, his007_emptied, his009_gone, his010_baseline, of_copy};
use hullmark_analysis::Measured;
use hullmark_finding::{Capped, Code};
use hullmark_format::object::Part;
use hullmark_settings::{simulator::limits::LimitKey, users::Users};
use hullmark_util::number_text::thousands;
pub use rule_counts::{RuleCount, run003_not_evaluated, tally, tally_run};
pub use rule_outcomes::{RuleOutcomes, SkipReason};

/// Facts about an input from outside its ledger. If a fact is missing, the rules that need it are not evaluated.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleContext<'a> {
    /// The users of the target grid. `None` if no list was given.
    pub users: Option<&'a Users>,
    /// The earlier archives. `None` if the report does not look back.
    pub past: Option<&'a Past<'a>>,
}

/// Evaluates an input: the selected findings of the decoders, then those of the selected rules.
pub fn evaluate(measured: &Measured<'_>, context: &RuleContext<'_>) -> RuleOutcomes {
    let mut outcomes = RuleOutcomes {
        findings: Capped::new(measured.findings_per_code),
        worn: Worn::of(measured),
        ..RuleOutcomes::default()
    };
    outcomes.extend(families::decoding::findings(measured.ledger));
    for code in Code::all().filter(|code| measured.profile.selects(*code)) {
        match catalogue::row(code).check {
            Some(Check::OfInput(check)) => check(measured, &mut outcomes),
            Some(Check::WithContext(check)) => check(measured, context, &mut outcomes),
            None => {}
        }
    }
    outcomes
}

/// Names the setting of a simulator that has the limit of a region. Empty if the limit is that of the profile.
fn source_of_limit(measured: &Measured<'_>, region: Option<u32>, key: LimitKey) -> String {
    let source = measured.source_of_limit(region.map(|region| region as usize), key);
    source.map_or_else(String::new, |source| format!("; the limit is that of {source}"))
}

fn links<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<String> {
    parts.into_iter().map(|part| part.link_number.to_string()).collect()
}

/// Formats link numbers: `link 2`, or `links 2, 3`.
fn at_links(links: &[String]) -> String {
    format!("link{} {}", if links.len() == 1 { "" } else { "s" }, abridged(links))
}

/// Most elements of a list that a message names.
const SHOWN: usize = 8;

/// Joins the first elements of a list and adds the number of the others.
fn abridged(words: &[String]) -> String {
    first_of(words.len(), words.iter().cloned())
}

/// Like [`abridged`], for a list that may be too long to be formatted completely.
fn first_of(count: usize, words: impl Iterator<Item = String>) -> String {
    most_of(SHOWN, count, words)
}

fn most_of(most: usize, count: usize, words: impl Iterator<Item = String>) -> String {
    let shown = words.take(most).collect::<Vec<_>>().join(", ");
    match count.saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {} more", thousands(more as u64)),
    }
}
