//! An object as text.

use super::{
    super::object::{ObjectView, PartView},
    ROWS, costs, counted, field, findings, millimetres, number, triple, words,
};
use crate::cli::terminal::{self, Align, columns};
use hullmark_analysis::cost::Basis;
use hullmark_util::{
    number_text::{plain, runs},
    terminal_text::{clean, cut, wrap},
};
use std::collections::BTreeMap;

/// Maximum length of a part's name.
const NAME: usize = 28;
/// Minimum length of a shortened name.
const LEAST_NAME: usize = 8;

pub(super) fn text(object: &ObjectView, all: bool) -> String {
    let name = object.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("without a name");
    let mut text = format!("Object {}\n", clean(name));
    text += &head(object);
    text += "\nLinking and size\n";
    text += &linking(object);
    text += "\nCosts\n";
    text += &costs(&object.costs);
    text += &cap(object);
    text += "\nPrims\n";
    text += &parts(&object.parts, all);
    text += &reasons(&object.parts);
    text.push('\n');
    text + &findings("Findings", &object.findings, &object.entry)
}

fn head(object: &ObjectView) -> String {
    let mut text = String::new();
    let uuid = |uuid: Option<uuid::Uuid>| uuid.map_or("not stated".into(), |uuid| uuid.to_string());
    text += &field("entry", &clean(&object.entry));
    text += &field("uuid", &uuid(object.object_uuid));
    text += &field("owner", &uuid(object.owner_uuid));
    if let Some(at) = object.position_m {
        let region = object.region.as_deref().map(|region| format!(" in {}", clean(region)));
        text += &field("position", &format!("{}{}", triple(at, ", "), region.unwrap_or_default()));
    }
    let scripts = object.scripts.map(|scripts| counted(scripts.into(), "script"));
    let scripts = scripts.unwrap_or_else(|| "scripts not read".into());
    text += &field("prims", &format!("{}, {scripts}", object.parts.len()));
    text += &field("flags", &flags(object));
    let accounting = match object.accounting {
        "legacy" => "legacy: land impact is 1 for each prim",
        _ => "new: land impact is the largest weight",
    };
    text += &field("accounting", accounting);
    if !object.oddities.is_empty() {
        text += &field("oddities", &object.oddities.join(", "));
    }
    text
}

fn flags(object: &ObjectView) -> String {
    let flags = [
        ("physical", object.physical),
        ("phantom", object.phantom),
        ("temporary", object.temporary),
        ("volume detect", object.volume_detect),
        ("moving", object.moving),
        ("animated", object.animated),
    ];
    let set: Vec<&str> = flags.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect();
    if set.is_empty() { "none".into() } else { set.join(", ") }
}

fn linking(object: &ObjectView) -> String {
    let verdict = match object.linkable {
        Some(true) => "yes".to_owned(),
        Some(false) => "NO".into(),
        None => words(object.linkable_basis),
    };
    let most = object.max_parts.map_or("any number".into(), |most| format!("at most {most}"));
    let mut text = field(
        "can be linked",
        &format!("{verdict}: {} of {most}", counted(object.parts.len() as u64, "prim")),
    );
    text += &field("diameter", &diameter(object));
    if object.parts.len() > 1 && !object.diameter_held_by.is_empty() {
        let held_by = object.diameter_held_by.iter();
        let held_by: Vec<String> = held_by
            .map(|part| format!("{} \"{}\"", part.link_number, clean(&cut(&part.name, NAME))))
            .collect();
        text += &field("farthest links", &held_by.join(", "));
    }
    let size = object.size_m.map_or("unknown".into(), |size| format!("{} m", triple(size, " × ")));
    text += &field("size", &size);
    if let Some(area) = object.mean_face_area_m2 {
        text += &field("mean face", &format!("{} m²", millimetres(area)));
    }
    text
}

fn diameter(object: &ObjectView) -> String {
    let Some(diameter) = object.diameter_m else {
        return "unknown: a position is not a number".into();
    };
    // Not rounded further, because 53.9999 m is below 54.
    let limit = object
        .max_diameter_m
        .map_or("no limit on this grid".into(), |most| format!("must be less than {} m", plain(most)));
    format!("{} m between prim centers, {limit}", plain(diameter))
}

/// Describes whether the object may be physical.
fn cap(object: &ObjectView) -> String {
    let limit = object.physical_cap_limit.map(plain);
    let verdict = match (object.physical_cap, &limit) {
        ("allowed", Some(limit)) => format!("may be physical: its physics weight at rest is at most {limit}"),
        ("exceeded", Some(limit)) => {
            format!("may NOT be physical: its physics weight at rest is above {limit}")
        }
        (verdict, limit) => {
            let reason = object.physical_cap_reason.unwrap_or_default();
            let limit = limit.as_ref().map_or(String::new(), |limit| format!(" ({limit})"));
            format!("cap on physical objects{limit}: {}, {reason}", words(verdict))
        }
    };
    wrap(&verdict, "  ", "    ", terminal::width())
}

fn parts(parts: &[PartView], all: bool) -> String {
    let shown = if all { parts.len() } else { ROWS.min(parts.len()) };
    let mut text = table(&parts[..shown]);
    if shown < parts.len() {
        text += &format!("  … and {} more (-v lists them)\n", parts.len() - shown);
    }
    text
}

/// Formats the table. Names are cut until it is narrow enough.
fn table(parts: &[PartView]) -> String {
    use Align::{Left, Right};
    let heads = ["link", "name", "size in m", "shape", "collides as", "physics", "download", "scripts"];
    let small = |part: &PartView| part.scale_m.iter().any(|&side| side < 0.1);
    let digits = if parts.iter().any(small) { 3 } else { 2 };
    let draw = |name| {
        let mut rows = vec![heads.map(String::from).to_vec()];
        rows.extend(parts.iter().map(|part| row(part, name, digits)));
        columns(&[Right, Left, Left, Left, Left, Right, Right, Right], &rows)
    };
    let width = |text: &str| text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let whole = draw(NAME);
    match width(&whole).saturating_sub(terminal::width()) {
        0 => whole,
        over => draw(NAME.saturating_sub(over).max(LEAST_NAME)),
    }
}

fn row(part: &PartView, name: usize, digits: usize) -> Vec<String> {
    let cost = |name| part.costs.cost(name).map_or(String::new(), number);
    vec![
        part.link_number.to_string(),
        clean(&cut(&part.name, name)),
        part.scale_m.map(|side| format!("{side:.digits$}")).join("×"),
        words(part.shape),
        words(part.representation),
        cost("physics_cost"),
        cost("streaming_cost"),
        part.scripts.map_or_else(String::new, |scripts| scripts.to_string()),
    ]
}

/// Lists the reasons for physics shapes and unknown costs, each once, with the links that it applies to.
fn reasons(parts: &[PartView]) -> String {
    let mut shapes: BTreeMap<(&str, &str), Vec<i32>> = BTreeMap::new();
    let mut unknown: BTreeMap<String, Vec<i32>> = BTreeMap::new();
    for part in parts {
        shapes.entry((part.shape, part.shape_reason)).or_default().push(part.link_number);
        if let Some(cost) = part.costs.cost("physics_cost")
            && matches!(cost.basis(), Basis::NotEvaluated(_))
        {
            unknown.entry(cost.basis().to_string()).or_default().push(part.link_number);
        }
    }
    let mut text = String::from("\nWhy these shapes\n");
    for ((shape, reason), links) in shapes {
        text += &field(&words(shape), &format!("{}: {reason}", ranges(links, parts.len())));
    }
    if !unknown.is_empty() {
        text += "\nWhy these physics weights are unknown\n";
    }
    for (basis, links) in unknown {
        text += &wrap(&format!("{}: {basis}", ranges(links, parts.len())), "  ", "    ", terminal::width());
    }
    text
}

/// Formats link numbers as `links 1-4, 7`; of many, the first few and the number of all.
fn ranges(mut links: Vec<i32>, parts: usize) -> String {
    const SHOWN: usize = 6;
    if links.len() == parts && parts > 1 {
        return "all prims".into();
    }
    links.sort_unstable();
    let count = links.len();
    links.dedup();
    let ranges = runs(links);
    let shown = ranges.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") })
        .collect();
    let shown = shown.join(", ");
    match ranges.as_slice() {
        [(first, last)] if first == last => format!("link {shown}"),
        ranges if ranges.len() > SHOWN => format!("{count} prims, links {shown} …"),
        _ => format!("links {shown}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_listed_in_ranges() {
        assert_eq!(
            ranges(vec![7, 1, 2, 3, 3, i32::MAX, i32::MIN], 9),
            "links -2147483648, 1-3, 7, 2147483647"
        );
        assert_eq!(ranges((0..40).map(|n| n * 2).collect(), 90), "40 prims, links 0, 2, 4, 6, 8, 10 …");
        assert_eq!([ranges(vec![3], 9), ranges(vec![1, 2], 2)], ["link 3", "all prims"]);
    }
}
