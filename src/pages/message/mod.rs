//! The summary of a run as a message for people: plain text for e-mail, chat and commands.

use hullmark_finding::Severity;
use hullmark_ledger::coverage::NotCovered;
use hullmark_report::{
    Summary,
    counts::SeverityCounts,
    diff::{ChangesSummary, First},
    summary::ActionLine,
};
use hullmark_util::{
    number_text,
    terminal_text::{clean, counted, cut, thousands},
};
use std::fmt::Write as _;

/// Maximum number of actions.
const ACTIONS: usize = 10;
/// Maximum number of new findings, and of inputs that were not read.
const LINES: usize = 5;
/// Maximum characters of the name of an object.
const NAME: usize = 60;
/// Maximum characters of an action or a finding.
const WORDS: usize = 220;

/// The last line of a message that was cut.
const CUT: &str = "[The message is cut here. The report has the rest.]\n";

/// A message about a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// One line: the subject of an e-mail.
    pub title: String,
    /// Lines, without the title.
    pub text: String,
}

impl Message {
    /// Describes a run. `chosen_by` says what chose the target, as `settings`; empty for the default. `report` is the
    /// place of the report.
    pub fn new(summary: &Summary, chosen_by: &str, report: Option<&str>) -> Self {
        let mut text = String::new();
        let mut add = |words: &str| text += words;
        add(&format!("Target: {}{}\n", summary.manifest.target(), in_brackets(chosen_by)));
        add(&contents(summary));
        add(&format!("Findings: {}.\n", by_severity(&summary.findings)));
        if summary.waived.worst().is_some() {
            add(&format!("Waived: {}.\n", by_severity(&summary.waived)));
        }
        add(&not_read(summary));
        summary.changes.iter().for_each(|changes| add(&new(changes)));
        add(&actions(&summary.actions));
        if let Some(report) = report {
            add(&format!("\nReport: {}\n", clean(report)));
        }
        Self { title: title(summary), text }
    }

    /// Describes a run that found nothing to audit.
    pub fn nothing() -> Self {
        Self {
            title: "hullmark: nothing was audited".into(),
            text: "There is nothing to audit in the inputs. Check that backups are still written there. The last report \
                   was not changed.\n"
                .into(),
        }
    }

    /// A message that only shows that messages arrive.
    pub fn test() -> Self {
        Self {
            title: "hullmark: test message".into(),
            text: "This is a test message. Messages about audits arrive here.\n".into(),
        }
    }

    /// Returns the title and the text.
    pub fn whole(&self) -> String {
        format!("{}\n\n{}", self.title, self.text)
    }
}

/// Cuts a text at the end of a line, so that `size` of it is at most `limit`, and says so in a last line.
pub fn cut_at_line(text: &str, limit: usize, size: impl Fn(&str) -> usize) -> String {
    if size(text) <= limit {
        return text.into();
    }
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        if size(&format!("{kept}{line}{CUT}")) > limit {
            break;
        }
        kept += line;
    }
    kept + CUT
}

/// Returns the subject: `hullmark: 1 error, 3 warnings in 2 inputs`.
fn title(summary: &Summary) -> String {
    let found = Severity::WORST_FIRST.into_iter().filter(|&severity| summary.findings.get(severity) > 0);
    let found: Vec<_> = found.map(|severity| summary.findings.in_words(severity)).collect();
    let found = if found.is_empty() { "no findings".into() } else { found.join(", ") };
    let inputs = counted(summary.totals.inputs, "input");
    let incomplete = if summary.is_read() { "" } else { "INCOMPLETE, " };
    format!("hullmark: {incomplete}{found} in {inputs}")
}

fn contents(summary: &Summary) -> String {
    let totals = &summary.totals;
    format!(
        "Read: {} ({}), {}, {}.\n",
        counted(totals.inputs, "input"),
        number_text::bytes(totals.bytes),
        counted(totals.regions, "region"),
        counted(totals.objects + totals.nested_objects + totals.loose_objects, "object"),
    )
}

/// Returns the inputs that were not read to their end, and how many are not covered.
fn not_read(summary: &Summary) -> String {
    let mut text = String::new();
    if !summary.not_read.is_empty() {
        text += "\nNot read to the end:\n";
    }
    for input in summary.not_read.iter().take(LINES) {
        let _ = writeln!(text, "- {} ({})", clean(&input.archive), input.status.name());
    }
    text += &more(summary.not_read.len(), LINES);
    if let Some(words) = summary.not_covered.as_ref().map(NotCovered::in_words) {
        let _ = writeln!(text, "\nNot covered: {words}.");
    }
    text
}

/// Returns the changes since the earlier run, with the first new or worse finding of each rule.
fn new(changes: &ChangesSummary) -> String {
    let mut text = format!("\nNew since {}:\n", clean(&changes.old.in_words()));
    for sentence in changes.sentences() {
        let _ = writeln!(text, "{}", clean(&sentence));
    }
    for First { count, first: row } in changes.worst.iter().take(LINES) {
        let severity = row.severity.map_or("", Severity::name);
        let code = row.code.map_or("", |code| code.name());
        let name = if row.name.is_empty() { &row.archive } else { &row.name };
        let words = cut(&clean(&row.message), WORDS);
        let (count, name) = (thousands(*count), cut(&clean(name), NAME));
        let _ = writeln!(text, "- {} {severity} {code}, {count} ×: {name}: {words}", row.became.name());
    }
    text + &more(changes.worst.len(), LINES)
}

/// Returns the first actions, in their order on the page.
fn actions(all: &[ActionLine]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nFix first:\n");
    for (number, action) in (1..).zip(all.iter().take(ACTIONS)) {
        let whole = |impact: f64| thousands(impact.max(0.0) as u64);
        let gain = match (action.land_impact(), action.severity) {
            (Some([before, after]), _) => {
                format!(" (land impact {} → {})", whole(before), whole(after))
            }
            (None, Some(severity)) => format!(" ({severity})"),
            (None, None) => String::new(),
        };
        let place = if action.region.is_empty() { &action.archive } else { &action.region };
        let mut subject = cut(&clean(&action.title()), NAME);
        if *place != action.name {
            subject += &format!(", {}", cut(&clean(place), NAME));
        }
        let words = cut(&clean(&action.action), WORDS);
        let _ = writeln!(text, "{number}. {subject}{gain}: {words}");
    }
    text
}

fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("- and {} more\n", thousands(more as u64)),
    }
}

fn by_severity(counts: &SeverityCounts) -> String {
    Severity::WORST_FIRST.map(|severity| counts.in_words(severity)).join(", ")
}

fn in_brackets(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" ({words})") }
}

#[cfg(test)]
mod tests;
