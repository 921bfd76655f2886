//! Summary at the end of a run, for a terminal.

use super::{Settings, changes, settings::ProfileSource};
use hullmark_finding::Severity;
use hullmark_ledger::{coverage::NotCovered, identity::file_name};
use hullmark_report::{
    Summary,
    output::LAST,
    screen::{Line, Part, Topic, by_severity},
};
use hullmark_settings::config::Format;
use hullmark_util::{
    number_text::percent_of,
    terminal_text::{clean, counted, cut, cut_between_words, thousands, wrap},
};
use std::{fmt::Write as _, io, path::Path};

/// Maximum length of a subject before a sentence.
const NAME: usize = 48;
/// Maximum length of a message. Advice is never cut.
const MESSAGE: usize = 200;

/// How the summary looks.
struct Look {
    /// Characters of a line.
    width: usize,
    /// Whether lists and messages are shown in full.
    verbose: bool,
}

/// Prints the summary. `out` is the folder of the report, if one was written.
pub(super) fn print(
    summary: &Summary,
    out: Option<&Path>,
    formats: &[Format],
    settings: &Settings,
) -> io::Result<()> {
    let look = Look {
        width: super::terminal::width(),
        verbose: settings.verbosity == super::progress::Verbosity::Verbose,
    };
    let text = text(summary, settings, &look) + &last_line(out, formats);
    super::terminal::print_colored(&text)
}

fn text(summary: &Summary, settings: &Settings, look: &Look) -> String {
    let source = match settings.profile_source {
        ProfileSource::Environment => " (HULLMARK_PROFILE)",
        ProfileSource::SettingsFile => " (settings)",
        ProfileSource::Default | ProfileSource::Flag => "",
    };
    let mut text = summary.narrowed_in_words().map_or_else(String::new, |words| look.sentence(&words));
    text += &look.sentence(&format!("Target: {}{source}", summary.target()));
    if let Some(file) = &settings.file {
        let _ = writeln!(text, "Settings: {}", file.display());
    }
    for &topic in summary.topics() {
        match topic {
            Topic::Contents => text += &look.sentences(&summary.list(topic)),
            Topic::NotCovered => {
                summary.not_covered_in_words().iter().for_each(|words| text += &look.sentence(words));
            }
            Topic::Findings(part) => {
                text.push('\n');
                text += &look.sentences(&summary.list(topic));
                if let Some(changes) = summary.changes.as_ref().filter(|_| part == Part::Whole) {
                    let _ = write!(text, "\n{}", changes::text(changes));
                }
            }
            Topic::NotEvaluated => text += &look.paragraph(summary.not_evaluated_in_words()),
            Topic::Losses | Topic::Regions | Topic::Actions(_) | Topic::Rules(_) | Topic::Heaviest => {
                text += &look.list(summary, topic);
            }
            Topic::NotRead => {
                text += &look.paragraph(summary.unknown_files_in_words());
                text += &look.list(summary, topic);
            }
        }
    }
    text
}

impl Look {
    fn sentence(&self, words: &str) -> String {
        wrap(&clean(words), "", "", self.width)
    }

    fn sentences(&self, lines: &[Line<'_>]) -> String {
        lines.iter().map(|line| self.sentence(&line.words())).collect()
    }

    fn paragraph(&self, words: Option<String>) -> String {
        words.map_or_else(String::new, |words| format!("\n{}", self.sentence(&words)))
    }

    /// Returns the heading of a list and its first lines, with the subjects below each other.
    fn list(&self, summary: &Summary, topic: Topic) -> String {
        let (most, table) = match topic {
            // Its last lines say how many others there are.
            Topic::Regions => (usize::MAX, ""),
            Topic::Actions(_) => (10, "actions"),
            Topic::Rules(_) => (8, "findings"),
            Topic::Losses => (5, "missing"),
            Topic::Heaviest => (5, "objects"),
            _ => (5, "archives"),
        };
        let most = if self.verbose { usize::MAX } else { most };
        let mut lines = summary.list(topic);
        // Information asks for nothing.
        let is_info =
            |line: &Line<'_>| matches!(line, Line::Rule(worst, _) if worst.severity < Severity::Warning);
        lines.retain(|line| self.verbose || !is_info(line));
        if lines.is_empty() {
            return String::new();
        }
        let title = match topic {
            Topic::NotRead => "The audit is INCOMPLETE. Not fully read",
            _ => topic.title(),
        };
        let mut text = format!("\n{title}:\n");
        let leads: Vec<String> = lines.iter().take(most).map(Line::lead).collect();
        let width = leads.iter().map(|lead| lead.chars().count()).max().unwrap_or(0);
        for (lead, line) in leads.iter().zip(&lines) {
            let first = if lead.is_empty() { "  ".into() } else { format!("  {lead:<width$}  ") };
            text += &wrap(&self.words(line), &first, &" ".repeat(width + 4), self.width);
        }
        if topic == Topic::Actions(Part::Whole) {
            text += &self.remaining(summary);
        }
        if lines.len() > most {
            let more = thousands((lines.len() - most) as u64);
            text += &self.sentence(&format!("\u{a0}\u{a0}and {more} more (table {table}, or -v)"));
        }
        text
    }

    /// Returns a line of a list without its lead: subject, place and words.
    fn words(&self, line: &Line<'_>) -> String {
        let words = clean(&line.words());
        let is_whole = self.verbose || words.is_empty();
        let name = |name: &str| if is_whole { clean(name) } else { cut(&clean(name), NAME) };
        let [subject, place] = [&*line.subject(), file_name(line.place())].map(name);
        let words = match line {
            Line::Rule(..) if !self.verbose => cut_between_words(&words, MESSAGE),
            _ => words,
        };
        let subject = if place.is_empty() { subject } else { format!("{subject}, {place}") };
        match (subject.is_empty(), words.is_empty()) {
            (_, true) => subject,
            (true, false) => words,
            (false, false) => format!("{subject}: {words}"),
        }
    }

    /// Returns the land impact that remains after the actions, if they are all in one region.
    fn remaining(&self, summary: &Summary) -> String {
        let actions = summary.first_actions();
        let Some(last) = actions.last() else { return String::new() };
        // Repairs have no land impact.
        let saves = actions.iter().any(|action| action.land_impact().is_some());
        let is_one_region = saves
            && !last.region.is_empty()
            && actions
                .iter()
                .all(|action| (&action.archive, &action.region) == (&last.archive, &last.region));
        let left = last.land_impact_sum_after.zip(last.percent_of_capacity_after).filter(|_| is_one_region);
        left.map_or_else(String::new, |(sum, percent)| {
            let (sum, percent) = (thousands(sum as u64), percent_of(percent, 100.0));
            let words =
                format!("After these, {} has land impact {sum}, {percent} of its capacity.", last.region);
            wrap(&clean(&words), "  ", "  ", self.width)
        })
    }
}

/// Returns the line that names the file to open.
fn last_line(out: Option<&Path>, formats: &[Format]) -> String {
    let Some(out) = out else { return "\nNo report was written: add --out DIR.\n".into() };
    let files = [(Format::Html, "audit.html"), (Format::Xlsx, "audit.xlsx"), (Format::Csv, "findings.csv")];
    let file = files.into_iter().find(|(format, _)| formats.contains(format)).map_or(LAST, |(_, file)| file);
    format!("\nOpen {}\n", out.join(file).display())
}

/// Formats the summary as one line, for a log.
pub(super) fn in_short(summary: &Summary) -> String {
    let mut words =
        vec![format!("{} in {}", by_severity(&summary.findings), counted(summary.totals.inputs, "input"))];
    if summary.totals.older_copies > 0 {
        words.push(format!("{} of them older copies", thousands(summary.totals.older_copies)));
    }
    if !summary.not_read.is_empty() {
        words.push(format!("{} not fully read", counted(summary.not_read.len() as u64, "input")));
    }
    words.extend(summary.not_covered.as_ref().map(NotCovered::in_words));
    words.join(", ")
}
