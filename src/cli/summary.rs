//! Summary at the end of a run, for a terminal.

use super::{Settings, changes, settings::ProfileSource};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::coverage::NotCovered;
use hullmark_report::{AppliedFilter, Summary, counts::SeverityCounts, output::LAST, summary::ActionLine};
use hullmark_rules::SkipReason;
use hullmark_settings::config::Format;
use hullmark_util::{
    number_text::{self, plain},
    terminal_text::{clean, counted, cut, thousands},
};
use std::{cmp::Reverse, collections::BTreeMap, fmt::Write as _, io, path::Path};

/// Maximum number of lines of each list.
const LINES: usize = 5;
/// Maximum number of rules in the list of findings.
const KINDS: usize = 8;
/// Maximum number of actions.
const ACTIONS: usize = 10;
/// Maximum length of the name of an object in an action.
const NAME: usize = 32;
/// Maximum length of a name or message.
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
    let totals = &summary.totals;
    let mut text = String::new();
    let mut line = |words: String| {
        let _ = writeln!(text, "{words}");
    };
    let source = match settings.profile_source {
        ProfileSource::Environment => " (HULLMARK_PROFILE)",
        ProfileSource::SettingsFile => " (settings)",
        ProfileSource::Default | ProfileSource::Flag => "",
    };
    line(format!("Target: {}{source}", summary.manifest.target()));
    if let Some(file) = &settings.file {
        line(format!("Settings: {}", file.display()));
    }
    let older = match totals.older_copies {
        0 => String::new(),
        1 => ", 1 of them an older copy".into(),
        older => format!(", {} of them older copies", thousands(older)),
    };
    let more =
        [(totals.nested_objects, "object", " in inventories"), (totals.loose_objects, "object", " in files")];
    let more = more.into_iter().filter(|(count, ..)| *count > 0);
    let more: String =
        more.map(|(count, what, place)| format!(", {}{place}", counted(count, what))).collect();
    line(format!(
        "Read {}{older} ({}): {}, {} with {}{more}, {}.",
        counted(totals.inputs, "input"),
        number_text::bytes(totals.bytes),
        counted(totals.regions, "region"),
        counted(totals.objects, "object"),
        counted(totals.parts, "prim"),
        counted(totals.meshes, "mesh"),
    ));
    if let Some(not_covered) = &summary.not_covered {
        line(format!(
            "NOT COVERED: {}. The report says nothing about them (archives.csv).",
            not_covered.in_words()
        ));
    }
    if let Some(words) = actions(summary) {
        line(format!("\n{words}"));
    }
    line(format!("Findings: {}.", by_severity(&summary.findings)));
    if summary.waived.worst().is_some() {
        let waived = by_severity(&summary.waived);
        line(format!("Waived, without effect on the exit code: {waived}."));
    }
    if let Some(narrowed) = &summary.narrowed {
        line(format!(
            "The report shows only {}. The exit code also counts what is left out: {}.",
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
            "{} off: `hullmark rules` with the same flags lists them.",
            if off == 1 { "1 rule is".into() } else { format!("{off} rules are") }
        ));
    }
    // One line for each code, so one rule cannot hide the others.
    let mut worst: Vec<_> = summary.first.values().filter(|line| line.severity >= Severity::Error).collect();
    worst.sort_by(|a, b| a.worst_first(b));
    if !worst.is_empty() {
        line("\nMost severe, with the worst finding of each rule:".into());
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
            line(format!("  and {} (findings.csv)", counted((worst.len() - KINDS) as u64, "more rule")));
        }
    }
    if let Some(words) = not_evaluated(summary) {
        line(format!("\n{words}"));
    }
    let heaviest: Vec<_> = summary.heaviest.iter().take(LINES).collect();
    if !heaviest.is_empty() {
        line("\nHeaviest objects, by land impact:".into());
        for object in heaviest {
            let bound = if Basis::is_lower_bound(&object.land_impact_basis) { "≥ " } else { "" };
            let name = format!(
                "{} ({}, {})",
                clean(&object.name),
                counted(object.parts, "prim"),
                clean(&object.archive)
            );
            line(format!("  {:>9} {}", format!("{bound}{}", plain(object.land_impact)), cut(&name, WIDTH)));
        }
    }
    if !summary.unknown_files.is_empty() {
        let kinds: Vec<String> = summary
            .unknown_files
            .iter()
            .map(|unknown| format!("{} × {}", thousands(unknown.files), clean(&unknown.looks_like)))
            .collect();
        line(format!("\nFiles of unknown kinds, not read: {}.", kinds.join(", ")));
    }
    if !summary.not_read.is_empty() {
        line("\nThe audit is INCOMPLETE. Not fully read:".into());
        for input in summary.not_read.iter().take(LINES) {
            line(format!("  {:<10} {}", input.status.name(), clean(&input.archive)));
        }
        if summary.not_read.len() > LINES {
            line(format!("  and {} more (audit.json)", summary.not_read.len() - LINES));
        }
    }
    text
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

fn by_severity(counts: &SeverityCounts) -> String {
    Severity::WORST_FIRST.map(|severity| counts.in_words(severity)).join(", ")
}

fn narrowed_to(narrowed: &AppliedFilter) -> String {
    let named = |what: &str, names: &[String]| {
        let plural = if names.len() == 1 { "" } else { "s" };
        (!names.is_empty()).then(|| format!("{what}{plural} {}", clean(&names.join(", "))))
    };
    let severity = narrowed.min_severity.map(|severity| format!("findings of severity {severity} or worse"));
    let words = [named("owner", &narrowed.owners), named("region", &narrowed.regions), severity];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the best actions, with the land impact that remains in a single region.
fn actions(summary: &Summary) -> Option<String> {
    let shown = &summary.actions[..summary.actions.len().min(ACTIONS)];
    let last = shown.last()?;
    let region = |line: &ActionLine| (line.archive.clone(), line.region.clone());
    let mut text = String::from("Fix first (all: actions.csv; arrows: land impact):\n");
    for line in shown {
        let impact = |impact: f64| thousands(impact as u64);
        let gain = match line.land_impact() {
            Some([before, after]) => format!("{:>7} → {:<7}", impact(before), impact(after)),
            None => format!("{:>7}   {:<7}", line.severity.map_or("", Severity::name), ""),
        };
        let _ = writeln!(
            text,
            "  {gain} {}: {}",
            cut(&clean(&line.title()), NAME),
            cut(&clean(&line.action), WIDTH)
        );
    }
    let is_one_region = shown.iter().all(|line| region(line) == region(last));
    if let Some((sum, percent)) =
        last.land_impact_sum_after.zip(last.percent_of_capacity_after).filter(|_| is_one_region)
    {
        let (sum, name) = (thousands(sum as u64), clean(&last.region));
        let _ =
            writeln!(text, "  After these, {name} has land impact {sum}, {percent:.0} % of its capacity.");
    }
    Some(text)
}

/// Describes which checks were not evaluated because of the inputs. Rules that settings turn off are left out.
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
        reasons.iter().map(|(reason, count)| format!("{} ({})", reason.text(), thousands(*count))).collect();
    (all > 0).then(|| {
        let (checks, rules) = (counted(all, "check"), counted(rules, "rule"));
        format!("Not evaluated: {checks} of {rules}, because {} (checks.csv).", reasons.join(", "))
    })
}
