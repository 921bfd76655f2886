//! The page as text for a terminal.

use crate::{
    preflight::{Archive, Example, Item, Loss, NotEvaluated, Page, Region, Verdict, Waived},
    summary::StatusLine,
};
use hullmark_ledger::{InputKind, facts::Status};
use hullmark_rules::catalogue::Effect;
use hullmark_settings::profile::OPENSIM_LOAD;
use hullmark_util::{
    number_text::{self, grouped, percent_of, plain, whole_beside},
    terminal_text::{clean, counted, cut, thousands, wrap},
};
use std::fmt::Write;

/// Number of causes shown for each rule.
const SHOWN: usize = 2;

/// Number of archives named that need nothing.
const NAMED: usize = 8;

/// Number of locations shown for each cause.
const PLACES: usize = 3;

/// The words about an archive without assets.
const WITHOUT_ASSETS: &str = "The archive contains no assets. Objects arrive without what the target lacks. Name its \
     assets with --assets, or export again without --noassets.";

/// Maximum length of a cause with its locations.
const FOUND: usize = 260;

/// Formats the verdict as one line.
pub fn verdict(page: &Page) -> String {
    let answer = page.verdict.words();
    let lost: u64 = page.losses.iter().map(|loss| loss.lost).sum();
    let blockers = match page.blockers.len() as u64 {
        0 if page.verdict == Verdict::NoGo => "some input could not be fully read and evaluated".into(),
        0 if page.verdict == Verdict::GoAsFarAsRead => "nothing that was read blocks the move".into(),
        0 if lost > 0 => format!("nothing blocks the move, but {} will be lost", counted(lost, "item")),
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

/// Says which checks may have found a loss and were not evaluated.
pub fn unproved(page: &Page) -> Option<String> {
    let checks: u64 = page.unproved.iter().flat_map(|rule| rule.because.values()).sum();
    let reasons = by_reason(&page.unproved).into_iter();
    let reasons = reasons.map(|(reason, codes)| format!("{reason}: {}", codes.join(", ")));
    (checks > 0).then(|| {
        let checks = format!("{} that can find a loss", counted(checks, "check"));
        format!("Not evaluated: {checks}, because {}.", reasons.collect::<Vec<_>>().join("; "))
    })
}

/// Formats the page in lines of this width. Without `verbose` it has only the first findings of each rule, and only the codes of notes.
pub fn text(page: &Page, verbose: bool, width: usize) -> String {
    let unproved = unproved(page).map_or_else(String::new, |words| format!(" {words}"));
    let mut text = wrap(&format!("{}{unproved}", verdict(page)), "", "", width);
    for line in without_assets(page) {
        text += &wrap(&line, "", "", width);
    }
    let (lines, others) = overview(page);
    text += if page.archives.len() > 1 { "\n" } else { "" };
    for (number, line) in (1..).zip(lines) {
        text += &wrap(&line, &format!("{number:>3}. "), "     ", width);
    }
    text.extend(others.map(|words| wrap(&words, "     ", "     ", width)));
    if page.verdict == Verdict::GoWithLosses {
        write_losses(&mut text, page);
    }
    for archive in &page.archives {
        let _ = write!(text, "\n{}", wrap(&archive_line(page, archive), "", "  ", width));
        archive.regions.iter().for_each(|region| text += &wrap(&region_line(region), "  ", "    ", width));
    }
    if page.older_copies > 0 {
        let _ = writeln!(text, "\n{}", older_copies(page.older_copies));
    }
    write_section(&mut text, page, "Blockers", &page.blockers, (verbose, width));
    if page.verdict == Verdict::NoGo {
        write_losses(&mut text, page);
    }
    for part in page.sections.iter().filter(|part| verbose || part.effect != Some(Effect::Note)) {
        write_section(&mut text, page, part.title, &part.items, (verbose, width));
    }
    for part in page.sections.iter().filter(|part| !verbose && part.effect == Some(Effect::Note)) {
        let names = part.items.iter().map(|item| format!("{} ({})", item.rule.code, thousands(item.count)));
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            let words = format!("{}: {}. Use -v for details.", part.title, names.join(", "));
            let _ = write!(text, "\n{}", wrap(&words, "", "", width));
        }
    }
    if !page.waived.is_empty() {
        let _ = writeln!(text, "\nWAIVED (NOT COUNTED ABOVE)");
        for waived in &page.waived {
            let _ = write!(text, "{}", wrap(&clean(&waived_line(page, waived)), "  ", "    ", width));
        }
    }
    if !page.not_evaluated.is_empty() {
        let _ = writeln!(text, "\nNOT EVALUATED (NEITHER PASSED NOR FAILED)");
        for (reason, codes) in by_reason(&page.not_evaluated) {
            let words = format!("because {reason}: {}", codes.join(", "));
            let _ = write!(text, "{}", wrap(&words, "  ", "    ", width));
        }
    }
    let _ = write!(text, "\n{}", wrap(&loader(page), "", "", width));
    let passed = format!(
        "{} found nothing. Use `hullmark explain CODE` for a rule and `hullmark audit` for all findings.",
        counted(page.passed as u64, "rule")
    );
    text + &wrap(&passed, "", "", width)
}

/// Says which archives contain no assets, and what to do.
pub(super) fn without_assets(page: &Page) -> impl Iterator<Item = String> {
    page.archives.iter().filter_map(|archive| {
        let name = page.name_of(&archive.path).map_or_else(String::new, |name| format!("{}: ", clean(name)));
        let words = match archive.assets_not_looked_for.is_empty() {
            false => not_looked_for(archive),
            true if archive.without_assets => WITHOUT_ASSETS.to_owned(),
            true => return None,
        };
        Some(format!("{name}{words}"))
    })
}

/// Says which assets of a database were not looked for, and what to do.
fn not_looked_for(archive: &Archive) -> String {
    let all = archive.assets_not_looked_for.values().sum();
    let kinds = archive.assets_not_looked_for.iter().map(|(kind, count)| counted(*count, kind));
    format!(
        "Assets were not looked for: the database has no table of assets, and its objects use {} ({}). They may be in \
         the database of the asset service, or lost. Name that database, its dump or its files with --assets.",
        counted(all, "asset"),
        kinds.collect::<Vec<_>>().join(", ")
    )
}

/// Returns a line for each archive that needs attention, the worst first, and one for all others.
pub(super) fn overview(page: &Page) -> (Vec<String>, Option<String>) {
    let (lines, others) = page.overview();
    let line = |line: &StatusLine| {
        let words = clean(&line.words());
        let words = if words.is_empty() { words } else { format!(": {words}") };
        format!("{}: {}{words}", line.lead(), clean(line.name()))
    };
    (lines.iter().map(line).collect(), without_need(&others))
}

/// Names the archives that need nothing. `None` without any.
fn without_need(names: &[&str]) -> Option<String> {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| clean(name)).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {} more", thousands(more as u64)),
    };
    let archives = counted(names.len() as u64, "archive");
    (!names.is_empty()).then(|| format!("GO, and nothing to do, for {archives}: {}{more}", shown.join(", ")))
}

/// Heading of the table of losses.
pub(super) const LOSSES: &str = "Losses";

/// Returns the heads and the rows of the table of losses. With several archives, the first column names the archive.
pub(super) fn losses(page: &Page) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let several = page.archives.len() > 1;
    let archive = several.then_some("archive");
    let heads = archive.into_iter().chain(["kind", "lost", "used by objects", "found with --assets"]);
    let row = |loss: &Loss| {
        let name = page.name_of(&loss.archive).map(clean);
        let objects = loss.objects.map_or_else(|| "–".into(), thousands);
        let cells = [loss.kind.to_owned(), thousands(loss.lost), objects, elsewhere(loss)];
        name.into_iter().chain(cells).collect()
    };
    (heads.collect(), page.losses.iter().map(row).collect())
}

/// Says whether the folders of `--assets` have the lacking assets.
fn elsewhere(loss: &Loss) -> String {
    match (loss.objects, loss.found_in_assets) {
        (None, _) => "–".into(),
        (Some(_), None) => "not tried".into(),
        (Some(_), Some(found)) => format!("{} of {}", thousands(found), thousands(loss.lacking)),
    }
}

fn write_losses(text: &mut String, page: &Page) {
    let (heads, rows) = losses(page);
    if rows.is_empty() {
        return;
    }
    let heads: Vec<String> = heads.into_iter().map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = [heads].into_iter().chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    // The numbers are the third and second columns from the end.
    let numbers = rows[0].len() - 3..rows[0].len() - 1;
    let _ = writeln!(text, "\n{}", LOSSES.to_uppercase());
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if numbers.contains(&column) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}

/// Says which loader the verdict assumes, and how to choose a target.
pub(super) fn loader(page: &Page) -> String {
    let choose = match page.target == OPENSIM_LOAD {
        true => " For limits and capacity of one target use --target.",
        false => "",
    };
    format!("Loading as OpenSimulator {} does (simulator in the profile).{choose}", page.simulator.name())
}

/// Returns the reasons, each with the rules that were not evaluated and the number of subjects.
pub(super) fn by_reason(rules: &[NotEvaluated]) -> Vec<(&'static str, Vec<String>)> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for rule in rules {
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

/// Formats an archive as one line. With several archives, its name replaces its path.
pub(super) fn archive_line(page: &Page, archive: &Archive) -> String {
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
    if archive.objects_unread {
        words[0] = "objects not evaluated".into();
    }
    if archive.status != Status::Complete {
        words.push(format!("{}: not fully read", archive.status.name().to_uppercase()));
    }
    let name = page.name_of(&archive.path).unwrap_or(&archive.path);
    // A file that is no export is no folder either.
    let is_file = archive.kind == InputKind::Folder.name() && archive.nothing_known;
    let kind = if is_file { String::new() } else { format!(" ({})", archive.kind) };
    format!("{}{kind}: {}", clean(name), words.join(", "))
}

/// Formats a region and its use of capacity as one line.
pub(super) fn region_line(region: &Region) -> String {
    let [east, north] = region.size_m;
    let load = match region.load {
        None => format!("{} not evaluated", region.counted),
        Some(load) => format!(
            "{} of {} {} ({})",
            whole_beside(load, region.capacity),
            grouped(region.capacity),
            region.counted,
            percent_of(load, region.capacity)
        ),
    };
    let over = match region.parcels_over {
        0 => String::new(),
        over => format!(", {over} of {} over capacity", counted(region.parcels as u64, "parcel")),
    };
    let scripts = region.scripts.map(|scripts| counted(scripts, "script"));
    let scripts = scripts.unwrap_or_else(|| "scripts not evaluated".into());
    let name = if region.name.is_empty() { "unnamed region" } else { &region.name };
    format!("{}, {east} × {north} m: {load}, {scripts}{over}", clean(name))
}

fn write_section(text: &mut String, page: &Page, title: &str, items: &[Item], look: (bool, usize)) {
    if !items.is_empty() {
        let _ = writeln!(text, "\n{}", title.to_uppercase());
        items.iter().for_each(|item| write_item(text, page, item, look));
    }
}

fn write_item(text: &mut String, page: &Page, item: &Item, (verbose, width): (bool, usize)) {
    let rule = item.rule;
    let times = if item.count == 1 { String::new() } else { format!(" × {}", thousands(item.count)) };
    let _ = writeln!(text, "  {:<7} {}  {}{times}", item.severity, rule.code, rule.title);
    let shown = if verbose { item.examples.len() } else { SHOWN };
    for line in example_lines(page, &item.examples).iter().take(shown) {
        let _ = write!(text, "{}", wrap(&cut(&clean(line), FOUND), "    - ", "      ", width));
    }
    let engines = if verbose { rule.engines_text() } else { item.engines.clone() };
    for (head, words) in [("Engines: ", engines.as_str()), ("What to do: ", item.advice)] {
        if !words.is_empty() {
            let _ = write!(text, "{}", wrap(words, &format!("    {head}"), "      ", width));
        }
    }
}

/// Formats waived findings as one line.
pub(super) fn waived_line(page: &Page, waived: &Waived) -> String {
    let Waived { severity, code, title, count, until, by, because, examples } = waived;
    let first = examples.first().map(|first| place(page, first)).filter(|place| !place.is_empty());
    let more = if *count == 1 { String::new() } else { format!(" and {} more", thousands(count - 1)) };
    let places = first.map_or(String::new(), |first| format!(": {first}{more}"));
    format!("{severity} {code} {title}{places}; until {until}, {by}: {because}")
}

/// Formats the examples of a rule, one line for each cause: up to three locations, then the finding.
pub(super) fn example_lines(page: &Page, examples: &[Example]) -> Vec<String> {
    let mut causes: Vec<(&str, Vec<String>)> = Vec::new();
    for example in examples {
        let place = place(page, example);
        match causes.iter_mut().find(|(message, _)| *message == example.message) {
            Some((_, places)) if places.len() < PLACES => places.push(place),
            Some(_) => {}
            None => causes.push((&example.message, vec![place])),
        }
    }
    let line = |(message, mut places): (&str, Vec<String>)| {
        places.retain(|place| !place.is_empty());
        places.dedup();
        if places.is_empty() { message.to_owned() } else { format!("{}: {message}", places.join("; ")) }
    };
    causes.into_iter().map(line).collect()
}

/// Returns the location of a finding: object and position, else the entry. With several archives, the name of the
/// archive comes first.
pub(super) fn place(page: &Page, example: &Example) -> String {
    let archive = page.name_of(&example.archive).map(clean);
    let within = place_within(example);
    let words = archive.into_iter().chain([within]).filter(|words| !words.is_empty());
    words.collect::<Vec<_>>().join(": ")
}

/// Returns the location of a finding in its archive.
fn place_within(example: &Example) -> String {
    match (&example.object_name, example.position_m) {
        (Some(name), Some(at)) => {
            let [x, y, z] = at.map(|number| plain(number.round()));
            format!("\"{}\" at {x}, {y}, {z}", clean(name))
        }
        (Some(name), None) => format!("\"{}\"", clean(name)),
        (None, _) => clean(&example.entry),
    }
}
