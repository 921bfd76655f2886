//! `checks`: one row for each rule and input.

use super::columns;
use crate::table::{Cell, Column, Table};
use hullmark_analysis::Measured;
use hullmark_rules::{RuleCount, catalogue};

/// The table.
#[derive(Debug)]
pub struct Checks;

impl Table for Checks {
    type Row<'a> = (&'a Measured<'a>, &'a RuleCount);
    const NAME: &'static str = "checks";
    const ABOUT: &'static str =
        "One row for each rule and input. A subject that is not evaluated has neither passed nor failed.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Checks:
    "archive", (measured, _) => &measured.ledger.input, "Path of the input. Empty for rules about the run.";
    "code", (_, check) => check.code.name(), "Code of the rule.";
    "severity", (measured, check) => measured.profile.severity(check.code).name(), "Severity of a failure for the target.";
    "title", (_, check) => catalogue::rule(check.code).title, "Title of the rule.";
    "subject", (_, check) => catalogue::rule(check.code).about.name(), "What the rule checks, one by one: `archive`, `entry`, `object`, `mesh`, `asset` (present or referenced), `script` or `region`. `standing`: an object rezzed in a region. `land`: a region, or all parcels of one owner in it. `inventory`: an inventory that `--inventory` names. `run`: waivers and expected names, with an empty `archive`.";
    "checked", (_, check) => check.subjects, "Number of subjects.";
    "passed", (_, check) => check.passed(), "Number of subjects that passed.";
    "failed", (_, check) => check.failed, "Number of subjects that failed. The table `findings` lists them.";
    "waived", (_, check) => check.waived, "Number of failed subjects whose findings are all waived.";
    "not_evaluated", (_, check) => check.unknown(), "Number of subjects that could not be evaluated.";
    "reason", (_, check) => Cell::show(reason(check)), "Reasons why they were not evaluated, each with its number.";
}

pub fn reason(check: &RuleCount) -> String {
    let reasons = check.not_evaluated.iter().map(|(reason, count)| format!("{} ({count})", reason.text()));
    reasons.collect::<Vec<_>>().join("; ")
}
