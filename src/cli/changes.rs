//! Changes since an earlier run, for a terminal.

use crate::{
    cli::terminal::words,
    report::diff::{Change, ChangesSummary, First},
    util::number_text::{plain, thousands},
    util::terminal_text::{WIDTH, clean, cut, wrap},
};
use std::fmt::Write;

/// Maximum number of lines of each list.
const LINES: usize = 8;

/// Formats the notes, the counts, and the first of each list.
pub(super) fn text(changes: &ChangesSummary) -> String {
    let mut text = String::new();
    for note in &changes.notes {
        text += &wrap(&clean(note), "NOTE: ", "  ", WIDTH);
    }
    for sentence in changes.sentences() {
        text += &wrap(&clean(&sentence), "", "  ", WIDTH);
    }
    let kinds = changes.worst.len() as u64;
    list(&mut text, "New or worse, with the first finding of each rule:", &changes.worst, kinds, finding);
    let archives = changes.counts.of_archives;
    list(&mut text, "Archives:", &changes.archives, archives, archive);
    let regions = changes.counts.of_regions;
    list(&mut text, "Regions:", &changes.regions, regions, region);
    text
}

fn list<T>(text: &mut String, title: &str, rows: &[T], all: u64, line: fn(&T) -> String) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "{title}");
    for row in rows.iter().take(LINES) {
        let _ = writeln!(text, "  {}", cut(&clean(&line(row)), WIDTH + 20));
    }
    let more = all.saturating_sub(rows.len().min(LINES) as u64);
    if more > 0 {
        let _ = writeln!(text, "  and {} more", thousands(more));
    }
}

fn finding(First { count, first: row }: &First) -> String {
    let severity = row.severity.map_or("", |severity| severity.name());
    let code = row.code.map_or("", |code| code.name());
    let place = if row.name.is_empty() { &row.archive } else { &row.name };
    format!("{:<5} {severity:<8} {code} {count:>4} × {place}: {}", row.became.name(), row.message)
}

fn archive(row: &Change) -> String {
    match row.measure {
        Some(_) => format!("{}: {}", row.archive, numbers(row)),
        None => format!("{} {}: {}", row.archive, words(row.became.name()), row.message),
    }
}

fn region(row: &Change) -> String {
    let name = if row.name.is_empty() { &row.archive } else { &row.name };
    match row.measure {
        Some(_) => format!("{name}: {}", numbers(row)),
        None => format!("{name} {}", row.became.name()),
    }
}

/// Formats a number before and after.
fn numbers(row: &Change) -> String {
    let number =
        |value: Option<f64>| value.map_or("–".into(), |value| plain((value * 1000.0).round() / 1000.0));
    let bound = if row.at_least { "≥ " } else { "" };
    let share = row.percent().map_or(String::new(), |percent| format!(", {percent:+.1} %"));
    let difference = row.difference().unwrap_or_default();
    let sign = if difference > 0.0 { "+" } else { "" };
    let difference = number(Some(difference));
    format!(
        "{} {bound}{} → {bound}{} ({sign}{difference}{share})",
        words(row.measure.unwrap_or_default()),
        number(row.before),
        number(row.after),
    )
}
