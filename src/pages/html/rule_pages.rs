//! The rules: a table of their results, and a page for each rule.

use hullmark_finding::{Code, FAMILIES};
use hullmark_report::{
    Summary, columns,
    table::{Cell, Column, Table},
};
use hullmark_rules::catalogue;
use hullmark_util::{escape::html as escape, number_text::counted};
use std::io::{self, Write};

/// The table. It comes from the summary, and no other format has it.
#[derive(Debug)]
pub(super) struct Rules;

impl Table for Rules {
    type Row<'a> = (&'a Summary, Code);
    const NAME: &'static str = "rules";
    const ABOUT: &'static str = "One row for each rule, over all inputs. A subject that is not evaluated has neither passed nor failed.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Rules:
    "code", (_, code) => code.name(), "Code of the rule.";
    "family", (_, code) => family(*code), "Family of the rule.";
    SEVERITY = "severity", (summary, code) => summary.profile_of_rules().severity(*code).name(), "Severity of a failure for the target.";
    "title", (_, code) => catalogue::rule(*code).title, "Title of the rule.";
    "evaluated", (summary, code) => summary.profile_of_rules().selects(*code), "Whether the rule is selected.";
    FINDINGS = "findings", (summary, code) => summary.of_code(*code).all(), "Number of findings.";
    "passed", (summary, code) => summary.checks.get(code).map(|checks| checks.passed), "Number of subjects that passed.";
    "failed", (summary, code) => summary.checks.get(code).map(|checks| checks.failed), "Number of subjects that failed.";
    "waived", (summary, code) => summary.checks.get(code).map(|checks| checks.waived), "Number of failed subjects whose findings are all waived.";
    "not_evaluated", (summary, code) => summary.checks.get(code).map(|checks| checks.not_evaluated.values().sum::<u64>()), "Number of subjects that could not be evaluated.";
    "reason", (summary, code) => Cell::show(reason(summary, *code)), "Reasons why they were not evaluated, each with its number.";
}

fn family(code: Code) -> &'static str {
    FAMILIES.iter().find(|family| family.codes.contains(&code)).map_or("", |family| family.title)
}

fn reason(summary: &Summary, code: Code) -> String {
    let reasons = summary.checks.get(&code).into_iter().flat_map(|checks| &checks.not_evaluated);
    reasons.map(|(reason, count)| format!("{} ({count})", reason.text())).collect::<Vec<_>>().join("; ")
}

/// Writes the page of each rule: the target of links on its code.
pub(super) fn write_pages(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    for family in FAMILIES {
        writeln!(out, "<h3>{}</h3>", escape(family.title))?;
        for &code in family.codes {
            write_page(out, summary, code)?;
        }
    }
    Ok(())
}

fn write_page(out: &mut dyn Write, summary: &Summary, code: Code) -> io::Result<()> {
    let (rule, severity) = (catalogue::rule(code), summary.profile_of_rules().severity(code));
    let found = summary.of_code(code).all();
    write!(
        out,
        "<details class=\"rule\" id=\"{code}\"><summary><b>{code}</b> {} \
         <span class=\"severity {severity}\">{severity}</span></summary><dl>",
        escape(rule.title),
    )?;
    let engines = rule.engines_text();
    let parts = [
        ("Why", rule.why),
        ("What to do", catalogue::advice_of(code, summary.profile_of_rules())),
        ("Engines", &engines),
        ("Message", rule.message),
        ("Unit", rule.unit),
        ("Source", rule.source),
    ];
    for (head, words) in parts.into_iter().filter(|(_, words)| !words.is_empty()) {
        write!(out, "<dt>{head}</dt><dd>{}</dd>", escape(words))?;
    }
    let findings = match found {
        0 => "No findings.".into(),
        _ => format!("<a href=\"#findings?code={code}\">{}</a>", counted(found, "finding")),
    };
    writeln!(out, "</dl><p>{findings}</p></details>")
}
