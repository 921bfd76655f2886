//! What a person reads in five seconds at the end of a run.

use crate::{
    finding::{Severity, plain},
    report::Summary,
};
use indicatif::HumanBytes;
use std::{
    fmt::Write as _,
    io::{self, Write},
    path::Path,
};

/// Lines of each list.
const LINES: usize = 5;
/// Characters of a name or a message.
const WIDTH: usize = 110;

/// Prints the summary on standard output.
pub(super) fn print(summary: &Summary, out: &Path) -> io::Result<()> {
    let text = text(summary, out);
    match io::stdout().lock().write_all(text.as_bytes()) {
        // `hullmark audit … | head`: nobody reads on, and the reports are written.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

fn text(summary: &Summary, out: &Path) -> String {
    let totals = &summary.totals;
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    line(format!(
        "Audited {} inputs ({}): {} regions, {} objects of {} parts, {} more in inventories, {} loose, {} meshes.",
        thousands(totals.inputs),
        HumanBytes(totals.bytes),
        thousands(totals.regions),
        thousands(totals.objects),
        thousands(totals.parts),
        thousands(totals.nested_objects),
        thousands(totals.loose_objects),
        thousands(totals.meshes),
    ));
    let counts: Vec<String> = Severity::WORST_FIRST
        .into_iter()
        .map(|severity| format!("{} {severity}", thousands(summary.findings.of(severity))))
        .collect();
    line(format!("Findings for {}: {}.", summary.manifest.profile.description, counts.join(", ")));
    let worst: Vec<_> =
        summary.worst.iter().filter(|line| line.severity >= Severity::Error).take(LINES).collect();
    if !worst.is_empty() {
        line("\nThe worst:".into());
        for finding in worst {
            let what = finding.object_name.as_deref().unwrap_or(&finding.entry);
            line(format!(
                "  {:<8} {} {}",
                finding.severity,
                finding.code,
                cut(&format!("{}: {}", clean(what), clean(&finding.message)))
            ));
        }
    }
    let heaviest: Vec<_> = summary.heaviest.iter().take(LINES).collect();
    if !heaviest.is_empty() {
        line("\nThe heaviest, by land impact:".into());
        for object in heaviest {
            let bound = if object.land_impact_basis.starts_with("lower bound") { "≥ " } else { "" };
            let name = format!("{} ({} parts, {})", clean(&object.name), object.parts, object.archive);
            line(format!("  {:>9} {}", format!("{bound}{}", plain(object.land_impact)), cut(&name)));
        }
    }
    if !summary.unknown_files.is_empty() {
        let kinds: Vec<String> =
            summary.unknown_files.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
        line(format!("\nNot audited, of a kind that is not known: {}.", kinds.join(", ")));
    }
    if !summary.not_read.is_empty() {
        line("\nThe audit is INCOMPLETE. Not read to the end:".into());
        for input in summary.not_read.iter().take(LINES) {
            line(format!("  {:<10} {}", input.status.name(), input.archive));
        }
        if summary.not_read.len() > LINES {
            line(format!("  and {} more, see audit.json", summary.not_read.len() - LINES));
        }
    }
    line(format!("\nReports: {} (audit.json, findings.csv, objects.csv and more)", out.display()));
    text
}

/// Names come from strangers: what would move the cursor is replaced.
fn clean(words: &str) -> String {
    words.chars().map(|c| if c.is_control() { '·' } else { c }).collect()
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.into(),
    }
}

/// 1234567 as `1,234,567`.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_readable() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(clean("a\u{1b}[2Jb"), "a·[2Jb");
        assert_eq!(cut(&"é".repeat(WIDTH + 1)).chars().count(), WIDTH + 1);
    }
}
