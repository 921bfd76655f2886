//! What a person reads in five seconds at the end of a run.

use super::changes;
use crate::{
    analysis::cost::Basis,
    finding::{Code, Severity},
    ledger::coverage::NotCovered,
    report::{AppliedFilter, Summary, counts::SeverityCounts},
    rules::SkipReason,
    util::number_text,
    util::number_text::plain,
    util::terminal_text::{self, clean, cut, thousands},
};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _, io, path::Path};

/// Lines of each list.
const LINES: usize = 5;
/// Kinds of findings that are named.
const KINDS: usize = 8;
/// Characters of a name or a message.
const WIDTH: usize = 110;

/// Prints the summary on standard output.
pub(super) fn print(summary: &Summary, out: &Path) -> io::Result<()> {
    super::terminal::print(&text(summary, out))
}

fn text(summary: &Summary, out: &Path) -> String {
    let totals = &summary.totals;
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    let older = match totals.older_copies {
        0 => String::new(),
        older => format!(", {} of them older copies", thousands(older)),
    };
    line(format!(
        "Audited {} inputs{older} ({}): {} regions, {} objects of {} parts, {} more in inventories, {} loose, {} meshes.",
        thousands(totals.inputs),
        number_text::bytes(totals.bytes),
        thousands(totals.regions),
        thousands(totals.objects),
        thousands(totals.parts),
        thousands(totals.nested_objects),
        thousands(totals.loose_objects),
        thousands(totals.meshes),
    ));
    if let Some(not_covered) = &summary.not_covered {
        line(format!(
            "NOT ALL: {}. Nothing is said of them; archives.csv names them.",
            not_covered.in_words()
        ));
    }
    line(format!(
        "Findings for {}: {}.",
        summary.manifest.profile.description,
        by_severity(&summary.findings)
    ));
    if summary.waived.worst().is_some() {
        let waived = by_severity(&summary.waived);
        line(format!(
            "Waived, so that the exit code does not count them: {waived} (findings.csv says why and until when)."
        ));
    }
    if let Some(narrowed) = &summary.narrowed {
        line(format!(
            "The report is narrowed to {}. Left out, though the exit code counts them: {}.",
            narrowed_to(narrowed),
            by_severity(&narrowed.left_out)
        ));
    }
    if let Some(changes) = &summary.changes {
        line(format!("\n{}", changes::text(changes).trim_end()));
    }
    let off = Code::all().filter(|&code| !summary.manifest.profile.selects(code)).count();
    if off > 0 {
        line(format!(
            "Not judged: {off} rules are off, see `hullmark rules` with the same settings and flags."
        ));
    }
    // One line for each code: ten of the same would hide the next.
    let mut worst: Vec<_> = summary.first.values().filter(|line| line.severity >= Severity::Error).collect();
    worst.sort_by_key(|line| Reverse(line.severity));
    if !worst.is_empty() {
        line("\nThe worst, with the first of each kind:".into());
        for finding in worst.iter().take(KINDS) {
            let count = summary.findings_by_code.get(&finding.code).copied().unwrap_or(1);
            let words = format!("{}: {}", clean(finding.subject()), clean(&finding.message));
            line(format!(
                "  {:<8} {} {:>4} × {}",
                finding.severity,
                finding.code,
                thousands(count),
                cut(&words, WIDTH)
            ));
        }
        if worst.len() > KINDS {
            line(format!("  and {} more kinds, see findings.csv", worst.len() - KINDS));
        }
    }
    if let Some(words) = not_evaluated(summary) {
        line(format!("\n{words}"));
    }
    let heaviest: Vec<_> = summary.heaviest.iter().take(LINES).collect();
    if !heaviest.is_empty() {
        line("\nThe heaviest, by land impact:".into());
        for object in heaviest {
            let bound = if Basis::is_lower_bound(&object.land_impact_basis) { "≥ " } else { "" };
            let name = format!(
                "{} ({}, {})",
                clean(&object.name),
                terminal_text::counted(object.parts, "part"),
                clean(&object.archive)
            );
            line(format!("  {:>9} {}", format!("{bound}{}", plain(object.land_impact)), cut(&name, WIDTH)));
        }
    }
    if !summary.unknown_files.is_empty() {
        let kinds: Vec<String> =
            summary.unknown_files.iter().map(|(kind, count)| format!("{count} × {}", clean(kind))).collect();
        line(format!("\nNot audited, of a kind that is not known: {}.", kinds.join(", ")));
    }
    if !summary.not_read.is_empty() {
        line("\nThe audit is INCOMPLETE. Not read to the end:".into());
        for input in summary.not_read.iter().take(LINES) {
            line(format!("  {:<10} {}", input.status.name(), clean(&input.archive)));
        }
        if summary.not_read.len() > LINES {
            line(format!("  and {} more, see audit.json", summary.not_read.len() - LINES));
        }
    }
    line(format!("\nReports: {} (audit.json, findings.csv, objects.csv and more)", out.display()));
    text
}

/// The whole in one line, for a log.
pub(super) fn in_short(summary: &Summary) -> String {
    let mut words = vec![format!(
        "{} in {}",
        by_severity(&summary.findings),
        terminal_text::counted(summary.totals.inputs, "input")
    )];
    if summary.totals.older_copies > 0 {
        words.push(format!("{} of them older copies", thousands(summary.totals.older_copies)));
    }
    if !summary.not_read.is_empty() {
        words.push(format!(
            "{} not read to the end",
            terminal_text::counted(summary.not_read.len() as u64, "input")
        ));
    }
    words.extend(summary.not_covered.as_ref().map(NotCovered::in_words));
    words.join(", ")
}

fn by_severity(counts: &SeverityCounts) -> String {
    let counts =
        Severity::WORST_FIRST.map(|severity| format!("{} {severity}", thousands(counts.of(severity))));
    counts.join(", ")
}

fn narrowed_to(narrowed: &AppliedFilter) -> String {
    let named = |what: &str, names: &[String]| {
        let plural = if names.len() == 1 { "" } else { "s" };
        (!names.is_empty()).then(|| format!("{what}{plural} {}", clean(&names.join(", "))))
    };
    let severity = narrowed.min_severity.map(|severity| format!("findings from {severity} up"));
    let words = [named("owner", &narrowed.owners), named("region", &narrowed.regions), severity];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// What the inputs kept from being judged, in a sentence. What settings leave out is no news.
fn not_evaluated(summary: &Summary) -> Option<String> {
    let mut reasons: BTreeMap<SkipReason, u64> = BTreeMap::new();
    let mut rules = 0;
    for check in summary.checks.values() {
        let unknown = || check.not_evaluated.iter().filter(|(reason, _)| !reason.is_choice());
        rules += u64::from(unknown().next().is_some());
        unknown().for_each(|(&reason, count)| *reasons.entry(reason).or_default() += count);
    }
    let all: u64 = reasons.values().sum();
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|&(_, count)| Reverse(count));
    let reasons: Vec<String> =
        reasons.iter().map(|(reason, count)| format!("{} ({})", reason.name(), thousands(*count))).collect();
    (all > 0).then(|| {
        let (checks, rules) = (terminal_text::counted(all, "check"), terminal_text::counted(rules, "rule"));
        format!(
            "Not evaluated, so neither passed nor failed: {checks} by {rules}, because {} (checks.csv).",
            reasons.join(", ")
        )
    })
}
