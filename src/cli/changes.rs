//! Changes since an earlier run, for a terminal.

use super::terminal::width;
use hullmark_report::diff::{Change, ChangesSummary, First, What};
use hullmark_util::{
    number_text::{signed, thousands},
    terminal_text::{clean, cut_between_words, wrap},
};
use std::fmt::Write;

/// Maximum number of lines of each list.
const LINES: usize = 8;
/// Maximum characters of a finding or a difference.
const WORDS: usize = 200;

/// Formats both runs, the notes, the counts, and the first of each list: first what got worse.
pub(super) fn text(changes: &ChangesSummary) -> String {
    let width = width();
    let mut text = wrap(&clean(&changes.title()), "", "  ", width);
    for note in &changes.notes {
        text += &wrap(&clean(note), "NOTE: ", "  ", width);
    }
    for sentence in changes.sentences() {
        text += &wrap(&clean(&sentence), "", "  ", width);
    }
    let counts = &changes.counts;
    list(&mut text, "Heavier, by land impact:", &changes.heavier, counts.heavier.all(), impact);
    let kinds = changes.worst.len() as u64;
    list(&mut text, "New or worse, with the first finding of each rule:", &changes.worst, kinds, finding);
    list(&mut text, "Archives:", &changes.archives, counts.of_archives, archive);
    let lost = counts.lost.regions + counts.lost.objects;
    list(&mut text, "Lost, by land impact:", &changes.lost, lost, impact);
    list(&mut text, "Lighter, by land impact:", &changes.lighter, counts.lighter.all(), impact);
    let kinds = changes.resolved.len() as u64;
    list(&mut text, "Resolved, with the first finding of each rule:", &changes.resolved, kinds, finding);
    let others = counts.other_regions();
    list(&mut text, "Other numbers of regions:", &changes.regions, others, region);
    text
}

fn list<T>(text: &mut String, title: &str, rows: &[T], all: u64, line: fn(&T) -> (String, String)) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for row in rows.iter().take(LINES) {
        let (lead, words) = line(row);
        let lead = if lead.is_empty() { "  ".into() } else { format!("  {lead} ") };
        let words = cut_between_words(&clean(&words), WORDS);
        *text += &wrap(&words, &lead, &" ".repeat(lead.chars().count()), width());
    }
    let more = all.saturating_sub(rows.len().min(LINES) as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {} more", thousands(more));
    }
}

fn finding(First { count, first: row }: &First) -> (String, String) {
    let severity = row.severity.map_or("", |severity| severity.name());
    let code = row.code.map_or("", |code| code.name());
    let place = if row.name.is_empty() { &row.archive } else { &row.name };
    let lead = format!("{:<6} {severity:<8} {code} {count:>4} ×", row.became.name());
    (lead, format!("{place}: {}", row.message))
}

/// Formats a region or object with another land impact: `+312 Tower (Hill): 20 → 332`.
fn impact(row: &Change) -> (String, String) {
    let place = if row.region.is_empty() { &row.archive } else { &row.region };
    let subject = match row.what {
        What::Object => format!("{} ({place})", row.name),
        _ => format!("region {place}"),
    };
    let lead = format!("{:>7}", signed(row.difference().unwrap_or_default()));
    (lead, format!("{subject}: {}", row.land_impacts()))
}

fn archive(row: &Change) -> (String, String) {
    (String::new(), format!("{}: {}", row.archive, row.in_words()))
}

fn region(row: &Change) -> (String, String) {
    let name = if row.name.is_empty() { &row.archive } else { &row.name };
    (String::new(), format!("{name}: {}", row.in_words()))
}
