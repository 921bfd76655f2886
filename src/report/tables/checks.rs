//! `checks`: one row for each rule that an input was judged by.

use super::{column, keys};
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
    const COLUMNS: &'static [Column<Self>] = &[
        column!("archive", (measured, _) => &measured.ledger.input, "Path of the input."),
        column!("code", (_, check) => check.code.name(), "Code of the rule."),
        column!("severity", (measured, check) => measured.profile.severity(check.code).name(), "How bad a failure is for the target grid."),
        column!("title", (_, check) => catalogue::rule(check.code).title, "What the rule is about."),
        column!("about", (_, check) => catalogue::rule(check.code).about.name(), "What it looks at one by one: `archive`, `entry`, `object`, `standing` (an object that stands in a region), `mesh`, `asset` (there, or named), `script`, `region`, `land` (a region, or all parcels of one owner in it) or `run` (what the run was told to heed; `archive` is empty there)."),
        column!("checked", (_, check) => check.subjects, "How many of those there are."),
        column!("passed", (_, check) => check.passed(), "How many passed."),
        column!("failed", (_, check) => check.failed, "How many failed: `findings` has them."),
        column!("waived", (_, check) => check.waived, "How many of these failed in nothing but what is waived."),
        column!("not_evaluated", (_, check) => check.unknown(), "How many could not be evaluated."),
        column!("because", (_, check) => Cell::show(because(check)), "Why not, with the number of each reason."),
    ];
}

keys! {
    Checks:
    ARCHIVE = "archive",
    CODE = "code",
    TITLE = "title",
    SEVERITY = "severity",
    CHECKED = "checked",
    FAILED = "failed",
    WAIVED = "waived",
    NOT_EVALUATED = "not_evaluated",
    BECAUSE = "because",
}

fn because(check: &RuleCount) -> String {
    let reasons = check.not_evaluated.iter().map(|(reason, count)| format!("{} ({count})", reason.name()));
    reasons.collect::<Vec<_>>().join("; ")
}
