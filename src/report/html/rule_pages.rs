//! The rules: a table of what became of each, and a page for each.

use crate::{
    finding::{Code, FAMILIES},
    report::{
        Summary,
        table::{Cell, Column, Table},
        tables::columns,
    },
    rules::catalogue,
    util::escape::html as escape,
    util::number_text::counted,
};
use std::io::{self, Write};

/// The table. No other format has it: it is the summary's.
#[derive(Debug)]
pub(super) struct Rules;

impl Table for Rules {
    type Row<'a> = (&'a Summary, Code);
    const NAME: &'static str = "rules";
    const ABOUT: &'static str =
        "One row for each rule, over all inputs. What is not evaluated has neither passed nor failed.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Rules:
    "code", (_, code) => code.name(), "Code of the rule.";
    "family", (_, code) => family(*code), "What the rules of its letters are about.";
    SEVERITY = "severity", (summary, code) => summary.manifest.profile.severity(*code).name(), "How bad a failure is for the target grid.";
    "title", (_, code) => catalogue::rule(*code).title, "What the rule is about.";
    "judged", (summary, code) => summary.manifest.profile.selects(*code), "Whether it was chosen to be judged.";
    FINDINGS = "findings", (summary, code) => summary.findings_by_code.get(code).copied().unwrap_or(0), "Findings, those that one row stands for counted.";
    "passed", (summary, code) => summary.checks.get(code).map(|checks| checks.passed), "How many things passed.";
    "failed", (summary, code) => summary.checks.get(code).map(|checks| checks.failed), "How many failed.";
    "waived", (summary, code) => summary.checks.get(code).map(|checks| checks.waived), "How many of these failed in nothing but what is waived.";
    "not_evaluated", (summary, code) => summary.checks.get(code).map(|checks| checks.not_evaluated.values().sum::<u64>()), "How many could not be evaluated.";
    "because", (summary, code) => Cell::show(because(summary, *code)), "Why not, with the number of each reason.";
}

fn family(code: Code) -> &'static str {
    FAMILIES.iter().find(|family| family.codes.contains(&code)).map_or("", |family| family.title)
}

fn because(summary: &Summary, code: Code) -> String {
    let reasons = summary.checks.get(&code).into_iter().flat_map(|checks| &checks.not_evaluated);
    reasons.map(|(reason, count)| format!("{} ({count})", reason.name())).collect::<Vec<_>>().join("; ")
}

/// Writes the page of each rule, where its code leads.
pub(super) fn write_pages(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    for family in &FAMILIES {
        writeln!(out, "<h3>{}</h3>", escape(family.title))?;
        for &code in family.codes {
            write_page(out, summary, code)?;
        }
    }
    Ok(())
}

fn write_page(out: &mut dyn Write, summary: &Summary, code: Code) -> io::Result<()> {
    let (rule, severity) = (catalogue::rule(code), summary.manifest.profile.severity(code));
    let found = summary.findings_by_code.get(&code).copied().unwrap_or(0);
    write!(
        out,
        "<details class=\"rule\" id=\"{code}\"><summary><b>{code}</b> {} \
         <span class=\"severity {severity}\">{severity}</span></summary><dl>",
        escape(rule.title),
    )?;
    let engines = rule.engines_text();
    let parts = [
        ("Why", rule.why),
        ("What to do", rule.advice(summary.manifest.profile.grid())),
        ("Engines", &engines),
        ("Says", rule.message),
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
