//! Summary at the end of a run, for a terminal.

use super::{Settings, changes, settings::ProfileSource};
use hullmark_finding::Severity;
use hullmark_ledger::coverage::NotCovered;
use hullmark_report::{
    Summary,
    output::LAST,
    screen::{Line, Part, Topic, by_severity},
};
use hullmark_settings::config::Format;
use hullmark_util::terminal_text::{clean, counted, cut, thousands};
use std::{fmt::Write as _, io, path::Path};

/// Maximum length of a subject before a sentence.
const NAME: usize = 32;
/// Maximum length of a subject and its sentence.
const WIDTH: usize = 110;

/// Prints the summary. `out` is the folder of the report, if one was written.
pub(super) fn print(
    summary: &Summary,
    out: Option<&Path>,
    formats: &[Format],
    settings: &Settings,
) -> io::Result<()> {
    let text = text(summary, settings) + &last_line(out, formats);
    super::terminal::print_colored(&text)
}

fn text(summary: &Summary, settings: &Settings) -> String {
    let source = match settings.profile_source {
        ProfileSource::Environment => " (HULLMARK_PROFILE)",
        ProfileSource::SettingsFile => " (settings)",
        ProfileSource::Default | ProfileSource::Flag => "",
    };
    let mut text = format!("Target: {}{source}\n", summary.target());
    if let Some(file) = &settings.file {
        let _ = writeln!(text, "Settings: {}", file.display());
    }
    for &topic in summary.topics() {
        match topic {
            Topic::Contents => sentences(&mut text, &summary.list(topic)),
            Topic::NotCovered => {
                summary.not_covered_in_words().iter().for_each(|words| line(&mut text, words));
            }
            Topic::Findings(part) => {
                text.push('\n');
                sentences(&mut text, &summary.list(topic));
                if let Some(changes) = summary.changes.as_ref().filter(|_| part == Part::Whole) {
                    let _ = write!(text, "\n{}", changes::text(changes));
                }
            }
            Topic::NotEvaluated => paragraph(&mut text, summary.not_evaluated_in_words()),
            Topic::Losses | Topic::Actions(_) | Topic::Rules(_) | Topic::Heaviest => {
                list(&mut text, summary, topic);
            }
            Topic::NotRead => {
                paragraph(&mut text, summary.unknown_files_in_words());
                list(&mut text, summary, topic);
            }
        }
    }
    text
}

fn line(text: &mut String, words: &str) {
    let _ = writeln!(text, "{}", clean(words));
}

fn paragraph(text: &mut String, words: Option<String>) {
    if let Some(words) = words {
        text.push('\n');
        line(text, &words);
    }
}

fn sentences(text: &mut String, lines: &[Line<'_>]) {
    lines.iter().for_each(|sentence| line(text, &sentence.words()));
}

/// Writes the heading of a list and its first lines, with the subjects below each other.
fn list(text: &mut String, summary: &Summary, topic: Topic) {
    let (most, file) = match topic {
        Topic::Actions(_) => (10, "actions.csv"),
        Topic::Rules(_) => (8, "findings.csv"),
        Topic::Losses => (5, "audit.json"),
        Topic::Heaviest => (5, "objects.csv"),
        _ => (5, "archives.csv"),
    };
    let mut lines = summary.list(topic);
    // Warnings and information are in the files.
    lines.retain(|line| !matches!(line, Line::Rule(worst, _) if worst.severity < Severity::Error));
    if lines.is_empty() {
        return;
    }
    let title = match topic {
        Topic::NotRead => "The audit is INCOMPLETE. Not fully read",
        _ => topic.title(),
    };
    let _ = writeln!(text, "\n{title}:");
    let leads: Vec<String> = lines.iter().take(most).map(Line::lead).collect();
    let width = leads.iter().map(|lead| lead.chars().count()).max().unwrap_or(0);
    for (lead, line) in leads.iter().zip(&lines) {
        let words = match (clean(&line.subject()), clean(&line.words())) {
            (subject, words) if words.is_empty() => subject,
            (subject, words) => format!("{}: {words}", cut(&subject, NAME)),
        };
        let _ = writeln!(text, "  {lead:<width$}  {}", cut(&words, WIDTH));
    }
    if topic == Topic::Actions(Part::Whole) {
        remaining(text, summary);
    }
    if lines.len() > most {
        let _ = writeln!(text, "  and {} more ({file})", thousands((lines.len() - most) as u64));
    }
}

/// Writes the land impact that remains after the actions, if they are all in one region.
fn remaining(text: &mut String, summary: &Summary) {
    let actions = summary.first_actions();
    let Some(last) = actions.last() else { return };
    // Repairs have no land impact.
    let saves = actions.iter().any(|action| action.land_impact().is_some());
    let is_one_region = saves
        && !last.region.is_empty()
        && actions.iter().all(|action| (&action.archive, &action.region) == (&last.archive, &last.region));
    if let Some((sum, percent)) =
        last.land_impact_sum_after.zip(last.percent_of_capacity_after).filter(|_| is_one_region)
    {
        let (sum, name) = (thousands(sum as u64), clean(&last.region));
        let _ =
            writeln!(text, "  After these, {name} has land impact {sum}, {percent:.0} % of its capacity.");
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
