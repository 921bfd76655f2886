//! Places as text, one line for each.

use crate::cli::terminal::folded;
use hullmark_analysis::whereabouts::{Found, Relation};
use hullmark_report::whereabouts::Whereabouts;
use hullmark_util::{
    number_text::{bytes, plain, thousands},
    terminal_text::{clean, counted},
};
use std::fmt::Write as _;

/// Maximum number of listed places, unless the view is verbose.
const ROWS: usize = 200;

/// Maximum number of listed inputs that were not fully read.
const INPUTS: usize = 5;

/// Formats the whole page.
pub(super) fn text(page: &Whereabouts, all: bool) -> String {
    let mut text = String::new();
    let rows = if all { page.found.len() } else { ROWS };
    for found in page.found.iter().take(rows) {
        let _ = writeln!(text, "{}", line(found));
    }
    text += &folded(page.found.len().saturating_sub(rows), "");
    let sought = clean(&page.sought);
    let inputs = counted(page.inputs, "input");
    if page.found.is_empty() {
        let _ = writeln!(text, "{sought} is in none of {inputs}.");
    } else {
        let places: u64 = page.found.iter().map(|found| found.count).sum();
        let with_it = thousands(page.inputs_with_it);
        let _ = writeln!(text, "\n{sought}: {} in {with_it} of {inputs}.", counted(places, "place"));
        text += &without_asset(page);
    }
    text += &list("Not fully read, so there may be more", &page.not_fully_read);
    text += &list("Not searched", &page.unreadable);
    text
}

/// Formats a place: input, region, position, object, link, item and how it relates to the thing.
fn line(found: &Found) -> String {
    let mut line = clean(&found.archive);
    if let Some(region) = &found.region {
        let _ = write!(line, "  {}", clean(region));
    }
    if let Some(position) = found.position_m {
        let [x, y, z] = position.map(|metres| plain((metres * 10.0).round() / 10.0));
        let _ = write!(line, " ({x}, {y}, {z})");
    }
    if let Some(object) = &found.object {
        let _ = write!(line, "  \"{}\"", clean(object));
    }
    if let (Some(number), Some(part)) = (found.link_number.filter(|number| *number > 1), &found.part) {
        let _ = write!(line, " link {number} \"{}\"", clean(part));
    }
    if let Some(parcel) = &found.parcel {
        let _ = write!(line, "  parcel \"{}\"", clean(parcel));
    }
    if let Some(item) = &found.item {
        let _ = write!(line, "  item \"{}\"", clean(item));
    }
    if found.region.is_none() && !found.entry.is_empty() {
        let _ = write!(line, "  {}", clean(&found.entry));
    }
    let kind = &found.kind;
    let _ = match (found.relation, found.bytes) {
        (Relation::Holds, Some(size)) => write!(line, ": the asset, a {kind} of {}", bytes(size)),
        (Relation::Holds, None) => write!(line, ": the asset, a {kind}"),
        (Relation::Is, _) => write!(line, ": {kind} {}", found.uuid.unwrap_or_default()),
        (Relation::Uses, _) => write!(line, ": uses it as {kind}"),
        (Relation::Contains, _) => write!(line, ": contains it as {kind}"),
        (Relation::Mentions, _) => write!(line, ": mentions it in a {kind}"),
    };
    if found.count > 1 {
        let _ = write!(line, " × {}", thousands(found.count));
    }
    line
}

/// Names the number of inputs that use an asset and do not hold it.
fn without_asset(page: &Whereabouts) -> String {
    let of = |relations: &[Relation]| -> std::collections::BTreeSet<&str> {
        let found = page.found.iter().filter(|found| relations.contains(&found.relation));
        found.map(|found| found.archive.as_str()).collect()
    };
    let holders = of(&[Relation::Holds]);
    let users = of(&[Relation::Uses, Relation::Contains]);
    match users.difference(&holders).count() as u64 {
        0 => String::new(),
        1 => "One of them uses the asset and does not hold it.\n".into(),
        count => format!("{} of them use the asset and do not hold it.\n", thousands(count)),
    }
}

fn list(title: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown: String = names.iter().take(INPUTS).map(|name| format!("  {}\n", clean(name))).collect();
    format!("{title}:\n{shown}{}", folded(names.len().saturating_sub(INPUTS), "  "))
}
