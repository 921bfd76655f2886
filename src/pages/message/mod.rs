//! The summary of a run as a message for people: plain text for e-mail, chat and commands.

use hullmark_finding::Severity;
use hullmark_ledger::identity::file_name;
use hullmark_report::{
    Summary,
    diff::{ChangesSummary, First},
    screen::{Part, Topic},
};
use hullmark_util::terminal_text::{clean, counted, cut, thousands};
use std::fmt::Write as _;

/// Maximum number of lines of a list, without actions.
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
        let narrowed = summary.narrowed_in_words().map(|words| format!("{}\n", clean(&words)));
        let mut text = narrowed.unwrap_or_default();
        let _ = writeln!(text, "Target: {}{}", summary.target(), in_brackets(chosen_by));
        let sentences =
            summary.topics().iter().filter(|topic| matches!(topic, Topic::Contents | Topic::Findings(_)));
        for &topic in sentences {
            summary.list(topic).iter().for_each(|line| text += &format!("{}\n", clean(&line.words())));
        }
        text += &list(summary, Topic::NotRead);
        if let Some(words) = summary.not_covered_in_words() {
            let _ = writeln!(text, "\n{words}");
        }
        summary.changes.iter().for_each(|changes| text += &new(changes));
        text += &list(summary, Topic::Regions);
        text += &list(summary, Topic::Losses);
        text += &list(summary, Topic::Actions(Part::Whole));
        if let Some(report) = report {
            let _ = writeln!(text, "\nReport: {}", clean(report));
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
    let (found, inputs) = (summary.found(), counted(summary.totals.inputs, "input"));
    let incomplete = if summary.is_read() { "" } else { "INCOMPLETE, " };
    let narrowed =
        summary.narrowed_to().map_or_else(String::new, |narrowed| format!(" ({})", clean(&narrowed)));
    format!("hullmark: {incomplete}{found} in {inputs}{narrowed}")
}

/// Returns a list with its heading; empty without lines.
fn list(summary: &Summary, topic: Topic) -> String {
    // The last lines of regions say how many others there are.
    let (lines, most) = match topic {
        Topic::Regions => (summary.regions(LINES), usize::MAX),
        Topic::Actions(_) => (summary.list(topic), usize::MAX),
        _ => (summary.list(topic), LINES),
    };
    if lines.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}:\n", topic.title());
    for (number, line) in (1..).zip(lines.iter().take(most)) {
        let bullet = if topic == Topic::Actions(Part::Whole) { format!("{number}.") } else { "-".into() };
        let [subject, place] =
            [&*line.subject(), file_name(line.place())].map(|name| cut(&clean(name), NAME));
        let subject = if place.is_empty() { subject } else { format!("{subject}, {place}") };
        let words = cut(&clean(&line.words()), WORDS);
        let words = if words.is_empty() { words } else { format!(": {words}") };
        let _ = writeln!(text, "{bullet} {subject}{}{words}", in_brackets(&line.lead()));
    }
    text + &more(lines.len(), most)
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

fn more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!("- and {} more\n", thousands(more as u64)),
    }
}

fn in_brackets(words: &str) -> String {
    if words.is_empty() { String::new() } else { format!(" ({words})") }
}

#[cfg(test)]
mod tests;
