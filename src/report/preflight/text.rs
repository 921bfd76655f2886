//! The page as text for a terminal.

use crate::{
    ledger::facts::Status,
    report::preflight::{Archive, Example, Item, Page, Region, Verdict, Waived},
    rules::catalogue::Effect,
    util::number_text,
    util::number_text::plain,
    util::terminal_text::{WIDTH, clean, counted, cut, thousands, wrap},
};
use std::fmt::Write;

/// Number of findings shown for each rule.
const SHOWN: usize = 2;

/// Maximum length of a message.
const FOUND: usize = 200;

/// Formats the verdict as one line.
pub fn verdict(page: &Page) -> String {
    let answer = page.verdict.name().to_uppercase();
    let blockers = match page.blockers.len() as u64 {
        0 if page.verdict == Verdict::NoGo => "some input could not be fully read and evaluated".into(),
        0 => "nothing blocks the move".into(),
        1 => "1 kind of finding blocks the move".into(),
        kinds => format!("{} kinds of finding block the move", thousands(kinds)),
    };
    let others = match (page.errors, page.warnings) {
        (0, 0) => String::new(),
        (errors, warnings) => {
            format!("; {}, {}", counted(errors, "error"), counted(warnings, "warning"))
        }
    };
    format!("{answer} for {} ({}): {blockers}{others}.", page.target_description, page.target)
}

/// Formats the page. Without `verbose` it has only the first findings of each rule, and only the codes of notes.
pub fn text(page: &Page, verbose: bool) -> String {
    let mut text = verdict(page) + "\n";
    for archive in &page.archives {
        let _ = writeln!(text, "\n{}", archive_line(archive));
        for region in &archive.regions {
            let _ = writeln!(text, "  {}", region_line(region));
        }
    }
    if page.older_copies > 0 {
        let _ = writeln!(text, "\n{}", older_copies(page.older_copies));
    }
    let mut section = |title: &str, items: &[Item]| {
        if items.is_empty() {
            return;
        }
        let _ = writeln!(text, "\n{}", title.to_uppercase());
        for item in items {
            write_item(&mut text, item, verbose);
        }
    };
    section("Blockers", &page.blockers);
    for part in page.sections.iter().filter(|part| verbose || part.effect != Effect::Note) {
        section(part.title, &part.items);
    }
    for part in page.sections.iter().filter(|part| !verbose && part.effect == Effect::Note) {
        let names = part.items.iter().map(|item| format!("{} ({})", item.rule.code, thousands(item.count)));
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            let words = format!("{}: {}. Use -v for details.", part.title, names.join(", "));
            let _ = write!(text, "\n{}", wrap(&words, "", "", WIDTH));
        }
    }
    if !page.waived.is_empty() {
        let _ = writeln!(text, "\nWAIVED (NOT COUNTED ABOVE)");
        for waived in &page.waived {
            let _ = write!(text, "{}", wrap(&clean(&waived_line(waived)), "  ", "    ", WIDTH));
        }
    }
    if !page.not_evaluated.is_empty() {
        let _ = writeln!(text, "\nNOT EVALUATED (NEITHER PASSED NOR FAILED)");
        for (reason, codes) in by_reason(page) {
            let words = format!("because {reason}: {}", codes.join(", "));
            let _ = write!(text, "{}", wrap(&words, "  ", "    ", WIDTH));
        }
    }
    let _ = writeln!(
        text,
        "\n{} found nothing. Use `hullmark explain CODE` for a rule and `hullmark audit` for all findings.",
        counted(page.passed as u64, "rule")
    );
    text
}

/// Returns the reasons, each with the rules that were not evaluated and the number of subjects.
pub(super) fn by_reason(page: &Page) -> Vec<(&'static str, Vec<String>)> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for rule in &page.not_evaluated {
        for (reason, count) in &rule.because {
            let words = format!("{} ({})", rule.code, thousands(*count));
            match reasons.iter_mut().find(|(known, _)| *known == reason.text()) {
                Some((_, codes)) => codes.push(words),
                None => reasons.push((reason.text(), vec![words])),
            }
        }
    }
    reasons
}

/// Formats the number of copies that are not evaluated as one line.
pub(super) fn older_copies(count: usize) -> String {
    let copies = if count == 1 { "older copy is" } else { "older copies are" };
    format!("{} {copies} not evaluated (--all-copies evaluates all).", thousands(count as u64))
}

/// Formats an archive as one line.
pub(super) fn archive_line(archive: &Archive) -> String {
    let mut words = vec![
        format!(
            "{} with {}",
            counted(archive.objects as u64, "object"),
            counted(archive.parts as u64, "prim")
        ),
        counted(archive.assets, "asset"),
        number_text::bytes(archive.bytes).to_string(),
    ];
    if archive.nested_objects > 0 {
        words.insert(1, format!("{} more in inventories", thousands(archive.nested_objects as u64)));
    }
    if archive.nothing_known {
        words.push("NOTHING THAT CAN BE EVALUATED".into());
    }
    if archive.status != Status::Complete {
        words.push(format!("{}: not fully read", archive.status.name().to_uppercase()));
    }
    format!("{} ({}): {}", clean(&archive.path), archive.kind, words.join(", "))
}

/// Formats a region and its use of capacity as one line.
pub(super) fn region_line(region: &Region) -> String {
    let [east, north] = region.size_m;
    let load = match region.load {
        None => format!("{} not evaluated", region.counted),
        Some(load) => format!(
            "{} of {} {} ({} %)",
            grouped(load),
            grouped(region.capacity),
            region.counted,
            plain((100.0 * load / region.capacity).round())
        ),
    };
    let over = match region.parcels_over {
        0 => String::new(),
        over => format!(", {over} of {} over capacity", counted(region.parcels as u64, "parcel")),
    };
    let scripts = counted(region.scripts, "script");
    let name = if region.name.is_empty() { "unnamed region" } else { &region.name };
    format!("{}, {east} × {north} m: {load}, {scripts}{over}", clean(name))
}

/// Formats a number, with thousands separators if it is a whole one.
fn grouped(value: f64) -> String {
    if value.fract() == 0.0 && value >= 0.0 { thousands(value as u64) } else { plain(value) }
}

fn write_item(text: &mut String, item: &Item, verbose: bool) {
    let rule = item.rule;
    let times = if item.count == 1 { String::new() } else { format!(" × {}", thousands(item.count)) };
    let _ = writeln!(text, "  {:<7} {}  {}{times}", item.severity, rule.code, rule.title);
    let shown = if verbose { item.examples.len() } else { SHOWN };
    for example in item.examples.iter().take(shown) {
        let _ = write!(text, "{}", wrap(&example_line(example), "    - ", "      ", WIDTH));
    }
    for (head, words) in [("Engines: ", rule.engines_text().as_str()), ("What to do: ", item.advice)] {
        if !words.is_empty() {
            let _ = write!(text, "{}", wrap(words, &format!("    {head}"), "      ", WIDTH));
        }
    }
}

/// Formats waived findings as one line.
pub(super) fn waived_line(waived: &Waived) -> String {
    let Waived { severity, code, title, count, until, by, because, examples } = waived;
    let first = examples.first().map(place).filter(|place| !place.is_empty());
    let more = if *count == 1 { String::new() } else { format!(" and {} more", thousands(count - 1)) };
    let places = first.map_or(String::new(), |first| format!(": {first}{more}"));
    format!("{severity} {code} {title}{places}; until {until}, {by}: {because}")
}

/// Formats a finding with its location as one line.
fn example_line(example: &Example) -> String {
    let place = place(example);
    let found = cut(&clean(&example.message), FOUND);
    if place.is_empty() { found } else { format!("{place}: {found}") }
}

/// Returns the location of a finding: object and position, else the entry.
pub(super) fn place(example: &Example) -> String {
    match (&example.object_name, example.position_m) {
        (Some(name), Some(at)) => {
            let [x, y, z] = at.map(|number| plain(number.round()));
            format!("\"{}\" at {x}, {y}, {z}", clean(name))
        }
        (Some(name), None) => format!("\"{}\"", clean(name)),
        (None, _) => clean(&example.entry),
    }
}
