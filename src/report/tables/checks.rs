//! `checks`: one row for each rule that an input was judged by.

use super::columns;
use crate::{
    analysis::Measured,
    report::table::{Cell, Column, Table},
    rules::{RuleCount, catalogue},
};

/// The table.
#[derive(Debug)]
pub struct Checks;

impl Table for Checks {
    type Row<'a> = (&'a Measured<'a>, &'a RuleCount);
    const NAME: &'static str = "checks";
    const ABOUT: &'static str = "One row for each rule that an input was judged by. What is not evaluated has neither passed nor failed.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Checks:
    ARCHIVE = "archive", (measured, _) => &measured.ledger.input, "Path of the input.";
    CODE = "code", (_, check) => check.code.name(), "Code of the rule.";
    SEVERITY = "severity", (measured, check) => measured.profile.severity(check.code).name(), "How bad a failure is for the target grid.";
    TITLE = "title", (_, check) => catalogue::rule(check.code).title, "What the rule is about.";
    "about", (_, check) => catalogue::rule(check.code).about.name(), "What it looks at one by one: `archive`, `entry`, `object`, `standing` (an object that stands in a region), `mesh`, `asset` (there, or named), `script`, `region`, `land` (a region, or all parcels of one owner in it) or `run` (what the run was told to heed; `archive` is empty there).";
    CHECKED = "checked", (_, check) => check.subjects, "How many of those there are.";
    "passed", (_, check) => check.passed(), "How many passed.";
    FAILED = "failed", (_, check) => check.failed, "How many failed: `findings` has them.";
    WAIVED = "waived", (_, check) => check.waived, "How many of these failed in nothing but what is waived.";
    NOT_EVALUATED = "not_evaluated", (_, check) => check.unknown(), "How many could not be evaluated.";
    BECAUSE = "because", (_, check) => Cell::show(because(check)), "Why not, with the number of each reason.";
}

fn because(check: &RuleCount) -> String {
    let reasons = check.not_evaluated.iter().map(|(reason, count)| format!("{} ({count})", reason.name()));
    reasons.collect::<Vec<_>>().join("; ")
}
