//! The page as text for a terminal.

use super::{AssetExample, Changed, ItemExample, LostObject, Outcome, Page, Region, Verdict};
use crate::tables::arrivals::words;
use hullmark_util::{
    number_text::{bytes, thousands},
    terminal_text::{clean, counted, wrap},
};
use hullmark_verify::{Change, Status, Terrain};
use std::fmt::Write;

/// Number of lines of each list, unless the page is verbose.
const LINES: usize = 8;

/// Formats the answer as one line, with its numbers.
pub(super) fn first_line(page: &Page) -> String {
    let (objects, assets) = (&page.objects, &page.assets);
    let mut words = match (objects.before, page.verdict) {
        (0, _) if page.items.before > 0 => Vec::new(),
        (0, _) => vec!["no object to compare".to_owned()],
        (all, _) => {
            vec![format!("{} of {} arrived", thousands(objects.arrived), counted(all, "object"))]
        }
    };
    let mut add = |count: u64, what: &str| {
        if let Some(objects) = words.first_mut().filter(|_| count > 0) {
            *objects += &format!(", {} {what}", thousands(count));
        }
    };
    add(objects.changed, "of them changed");
    add(objects.incomplete, "with lost content");
    add(objects.new, "new there");
    let items = &page.items;
    if items.before > 0 {
        let changed = match items.changed {
            0 => String::new(),
            changed => format!(", {} of them changed", thousands(changed)),
        };
        words.push(format!(
            "{} of {} arrived{changed}",
            thousands(items.arrived),
            counted(items.before, "item")
        ));
    }
    if assets.before > 0 {
        let mut of_assets = format!("{} of {}", thousands(assets.arrived), counted(assets.before, "asset"));
        if assets.other_content > 0 {
            of_assets += &format!(", {} with other content", thousands(assets.other_content));
        }
        words.push(of_assets);
    }
    words.extend(terrains(page));
    words.extend(page.announced.map(|counts| match (counts.unannounced, counts.arrived_anyway) {
        (0, 0) => "as announced".to_owned(),
        (0, 1) => "1 object arrived although its loss was announced".to_owned(),
        (0, anyway) => format!("{} objects arrived although their loss was announced", thousands(anyway)),
        (losses, _) => format!(
            "{} announced",
            if losses == 1 {
                "1 loss was not".into()
            } else {
                format!("{} losses were not", thousands(losses))
            }
        ),
    }));
    let before = match page.verdict {
        Verdict::NotProven => "Not proven: ",
        Verdict::Lost => "Lost content: ",
        Verdict::Arrived | Verdict::Changed => "",
    };
    format!("{before}{}.", words.join("; "))
}

/// Says in short how the terrains compare.
fn terrains(page: &Page) -> Option<String> {
    let of =
        |is: fn(&Terrain) -> bool| page.regions.iter().filter(|region| is(&region.terrain)).count() as u64;
    let all = of(|terrain| *terrain != Terrain::None);
    let (lost, unknown) =
        (of(|terrain| *terrain == Terrain::Lost), of(|terrain| *terrain == Terrain::NotCompared));
    let other = of(|terrain| matches!(terrain, Terrain::Differs { .. }));
    match (all, lost, other, unknown) {
        (0, ..) => None,
        (_, 0, 0, 0) => Some("terrain equal".into()),
        (1, 1, ..) => Some("terrain lost".into()),
        (1, _, 1, _) => Some("terrain differs".into()),
        (1, ..) => Some("terrain not compared".into()),
        _ => {
            let counts = [(lost, "lost"), (other, "differ"), (unknown, "not compared")];
            let counts = counts.iter().filter(|(count, _)| *count > 0);
            let counts: Vec<String> =
                counts.map(|(count, what)| format!("{} {what}", thousands(*count))).collect();
            Some(format!("of {} terrains {}", thousands(all), counts.join(", ")))
        }
    }
}

/// Formats the page.
pub fn text(page: &Page, verbose: bool, width: usize) -> String {
    let most = if verbose { usize::MAX } else { LINES };
    let mut text = wrap(&page.first_line, "", "", width);
    for section in sections(page, most) {
        let _ = writeln!(text, "\n{}:", section.title);
        section.lines.iter().for_each(|line| text += &wrap(line, "  ", "    ", width));
        if section.more > 0 {
            let _ = writeln!(text, "  and {} more (verify --out DIR lists all)", thousands(section.more));
        }
    }
    text
}

/// A part of the page: lines about one thing.
#[derive(Debug)]
pub struct Section {
    pub title: &'static str,
    pub lines: Vec<String>,
    /// Number of lines that were left out.
    pub more: u64,
}

impl Section {
    fn new<T>(title: &'static str, all: &[T], most: usize, line: impl Fn(&T) -> String) -> Self {
        let lines: Vec<String> = all.iter().take(most).map(line).collect();
        Self { title, more: (all.len() - lines.len()) as u64, lines }
    }
}

/// Returns the parts of the page in their order, with at most so many lines each. Empty parts are left out.
pub fn sections(page: &Page, most: usize) -> Vec<Section> {
    let gaps =
        Section::new("Not read to its end, so nothing is proven about the rest", &page.gaps, most, |gap| {
            format!("{} {}", clean(&gap.archive), gap.why)
        });
    let mut lost = Section::new("Lost objects", &page.lost, most, lost_line);
    let shown: u64 = page.lost.iter().take(most).map(|lost| lost.objects).sum();
    lost.more = page.objects.lost.saturating_sub(shown);
    let changes: Vec<_> = page.changes.iter().collect();
    let changes = Section::new("Changed", &changes, usize::MAX, |(change, changed)| {
        change_line(page, **change, changed)
    });
    let mut assets = Section::new("Assets", &page.assets.examples, most, asset_line);
    assets.more = (page.assets.lost + page.assets.other_content).saturating_sub(assets.lines.len() as u64);
    if page.assets.lacked_before > 0 {
        let lacked = counted(page.assets.lacked_before, "asset");
        assets.lines.push(format!("The side before the move lacked {lacked} in use."));
    }
    let mut items = Section::new("Inventory items", &page.items.examples, most, item_line);
    items.more = (page.items.lost + page.items.changed).saturating_sub(items.lines.len() as u64);
    let mut regions: Vec<&Region> = page.regions.iter().collect();
    regions.sort_by_key(|region| region.status);
    let mut regions = Section::new("Regions", &regions, most, |region| region_line(region));
    if page.other_regions > 0 {
        regions.lines.push(format!("{} only there", counted(page.other_regions, "other region")));
    }
    [gaps, lost, changes, items, assets, regions]
        .into_iter()
        .filter(|section| !section.lines.is_empty())
        .collect()
}

fn item_line(item: &ItemExample) -> String {
    match item.status {
        Status::Lost => format!("lost: {}", clean(&item.path)),
        _ => format!("changed ({}): {}", item.changes.join(", "), clean(&item.path)),
    }
}

fn asset_line(asset: &AssetExample) -> String {
    let what = match asset.bytes {
        [_, None] => format!("missing: {} {}", asset.kind, asset.asset),
        [before, Some(after)] => {
            let before = before.map_or_else(String::new, |before| format!("{} → ", bytes(before)));
            format!(
                "other content: {} {} ({before}{}); the new grid had an asset with this UUID, or changed it",
                asset.kind,
                asset.asset,
                bytes(after)
            )
        }
    };
    format!("{what}; {}; first: \"{}\"", counted(asset.uses, "use"), clean(&asset.first))
}

fn lost_line(lost: &LostObject) -> String {
    let place = lost.position_m.map_or_else(String::new, |[x, y, z]| format!(" {x:.0}, {y:.0}, {z:.0}"));
    let equal = lost.equal.map_or_else(String::new, |[before, after]| {
        format!(" ({} of {} equal objects arrived)", thousands(after), thousands(before))
    });
    let codes: Vec<&str> = lost.announced_by.iter().map(|code| code.name()).collect();
    let announced = match lost.announcement {
        Some(Outcome::AsAnnounced) => format!("; announced by {}", codes.join(", ")),
        Some(Outcome::Unannounced) => "; not announced".to_owned(),
        Some(Outcome::ArrivedAnyway) | None => String::new(),
    };
    let count = if lost.objects > 1 { format!("{} × ", thousands(lost.objects)) } else { String::new() };
    format!(
        "{count}\"{}\" of {}, {}{place}{equal}{announced}",
        clean(&lost.object_name),
        lost.owner,
        clean(&lost.region)
    )
}

fn change_line(page: &Page, change: Change, changed: &Changed) -> String {
    let objects = counted(changed.objects, "object");
    if change == Change::Owner {
        let pairs = page.owners.iter().take(LINES);
        let pairs =
            pairs.map(|pair| format!("{} → {} ({})", pair.before, pair.after, thousands(pair.objects)));
        return format!("owner of {objects}: {}", pairs.collect::<Vec<_>>().join("; "));
    }
    let what = words(change);
    let what = what.trim_end_matches(':');
    let first = changed.examples.first().map(|example| {
        format!(
            "; first: \"{}\", {}: {}",
            clean(&example.object_name),
            clean(&example.region),
            clean(&example.detail)
        )
    });
    format!("{what}: {objects}{}", first.unwrap_or_default())
}

fn region_line(region: &Region) -> String {
    let before = clean(&region.before);
    let names = match &region.after {
        Some(after) if *after == region.before => before,
        Some(after) => format!("{before} → {}", clean(after)),
        None => return format!("{before}: {}", region.status.name().replace('_', " ")),
    };
    let terrain = match region.terrain {
        Terrain::None => "no terrain".to_owned(),
        Terrain::Equal => "terrain equal".into(),
        Terrain::Lost => "terrain lost".into(),
        Terrain::NotCompared => "terrain not compared".into(),
        Terrain::Differs { greatest_m, mean_m } => {
            format!("terrain differs by {greatest_m:.2} m at most, {mean_m:.2} m on average")
        }
    };
    let parcels = &region.parcels;
    let there = parcels.before.saturating_sub(parcels.lost);
    let mut of_parcels = format!("{} of {}", thousands(there), counted(parcels.before, "parcel"));
    if parcels.changed > 0 {
        let changes: Vec<&str> = parcels.changes.iter().copied().collect();
        of_parcels += &format!(", {} changed ({})", thousands(parcels.changed), changes.join(", "));
    }
    let settings = region.settings.iter().map(|setting| match setting.name {
        "ground_textures" => "other ground textures".to_owned(),
        name => {
            let (before, after) = (clean(&setting.before), clean(&setting.after));
            format!("{} {before} → {after}", name.replace('_', " "))
        }
    });
    let settings: Vec<String> = settings.collect();
    let settings = if settings.is_empty() { "settings equal".into() } else { settings.join(", ") };
    format!("{names}: {terrain}; {of_parcels}; {settings}")
}
