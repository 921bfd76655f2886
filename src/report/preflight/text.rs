//! The page for a terminal.

use crate::{
    ledger::facts::Status,
    report::preflight::{Archive, Example, Item, Page, Region, Verdict, Waived},
    rules::catalogue::Effect,
    util::number_text,
    util::number_text::plain,
    util::terminal_text::{WIDTH, clean, counted, cut, thousands, wrap},
};
use std::fmt::Write;

/// Findings of one rule that are shown.
const SHOWN: usize = 2;

/// Characters of what was found.
const FOUND: usize = 200;

/// The answer in a line.
pub fn verdict(page: &Page) -> String {
    let answer = page.verdict.name().to_uppercase();
    let blockers = match page.blockers.len() as u64 {
        0 if page.verdict == Verdict::NoGo => "not all of it could be read and judged".into(),
        0 => "nothing blocks the move".into(),
        1 => "1 kind of finding blocks the move".into(),
        kinds => format!("{} kinds of findings block the move", thousands(kinds)),
    };
    let besides = match (page.errors, page.warnings) {
        (0, 0) => String::new(),
        (errors, warnings) => {
            format!("; besides {} and {}", counted(errors, "error"), counted(warnings, "warning"))
        }
    };
    format!("{answer} for {} ({}): {blockers}{besides}.", page.target_description, page.target)
}

/// The page. Where it is not verbose, of each rule the first findings, and of what the move leaves alone only names.
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
            let words = format!("{}: {}. -v shows them.", part.title, names.join(", "));
            let _ = write!(text, "\n{}", wrap(&words, "", "", WIDTH));
        }
    }
    if !page.waived.is_empty() {
        let _ = writeln!(text, "\nWAIVED, SO NOT COUNTED ABOVE");
        for waived in &page.waived {
            let _ = write!(text, "{}", wrap(&clean(&waived_line(waived)), "  ", "    ", WIDTH));
        }
    }
    if !page.not_evaluated.is_empty() {
        let _ = writeln!(text, "\nNOT EVALUATED, SO NEITHER PASSED NOR FAILED");
        for (reason, codes) in by_reason(page) {
            let words = format!("because {reason}: {}", codes.join(", "));
            let _ = write!(text, "{}", wrap(&words, "  ", "    ", WIDTH));
        }
    }
    let _ = writeln!(
        text,
        "\n{} found nothing. `hullmark explain CODE` shows the page of a rule, `hullmark audit` every finding.",
        counted(page.passed as u64, "rule")
    );
    text
}

/// Reasons with the rules that they keep from being evaluated, and for how much.
pub(super) fn by_reason(page: &Page) -> Vec<(&'static str, Vec<String>)> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for rule in &page.not_evaluated {
        for (reason, count) in &rule.because {
            let words = format!("{} ({})", rule.code, thousands(*count));
            match reasons.iter_mut().find(|(known, _)| *known == reason.name()) {
                Some((_, codes)) => codes.push(words),
                None => reasons.push((reason.name(), vec![words])),
            }
        }
    }
    reasons
}

/// How many copies nobody judged, in a line.
pub(super) fn older_copies(count: usize) -> String {
    let copies = if count == 1 { "older copy is" } else { "older copies are" };
    format!("{} {copies} not judged (--all-copies).", thousands(count as u64))
}

/// What an archive is, in a line.
pub(super) fn archive_line(archive: &Archive) -> String {
    let mut words = vec![
        format!("{} of {}", counted(archive.objects as u64, "object"), counted(archive.parts as u64, "part")),
        counted(archive.assets, "asset"),
        number_text::bytes(archive.bytes).to_string(),
    ];
    if archive.nested_objects > 0 {
        words.insert(1, format!("{} more in inventories", thousands(archive.nested_objects as u64)));
    }
    if archive.nothing_known {
        words.push("NOTHING IN IT IS OF A KIND THAT COULD BE JUDGED".into());
    }
    if archive.status != Status::Complete {
        words.push(format!("{}: not read to its end", archive.status.name().to_uppercase()));
    }
    format!("{} ({}): {}", clean(&archive.path), archive.kind, words.join(", "))
}

/// What a region takes of what the target lets it hold, in a line.
pub(super) fn region_line(region: &Region) -> String {
    let [east, north] = region.size_m;
    let load = match region.load {
        None => format!("{} not evaluated", region.counted),
        Some(load) => format!(
            "{} of {} {} ({} %)",
            plain(load),
            plain(region.capacity),
            region.counted,
            plain((100.0 * load / region.capacity).round())
        ),
    };
    let over = match region.parcels_over {
        0 => String::new(),
        over => format!(", {over} of {} over their share", counted(region.parcels as u64, "parcel")),
    };
    let scripts = counted(region.scripts, "script");
    let name = if region.name.is_empty() { "a region without name" } else { &region.name };
    format!("{}, {east} × {north} m: {load}, {scripts}{over}", clean(name))
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

/// What is waived, in a line.
pub(super) fn waived_line(waived: &Waived) -> String {
    let Waived { severity, code, title, count, until, by, because, examples } = waived;
    let first = examples.first().map(place).filter(|place| !place.is_empty());
    let more = if *count == 1 { String::new() } else { format!(" and {} more", thousands(count - 1)) };
    let places = first.map_or(String::new(), |first| format!(": {first}{more}"));
    format!("{severity} {code} {title}{places}; until {until}, {by}: {because}")
}

/// A finding with its place, in a line.
fn example_line(example: &Example) -> String {
    let place = place(example);
    let found = cut(&clean(&example.message), FOUND);
    if place.is_empty() { found } else { format!("{place}: {found}") }
}

/// Where a finding is: the object and where it stands, else the entry.
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
