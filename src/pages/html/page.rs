//! The page from top to bottom.

use super::{
    arrived, changes,
    chart::{Bar, chart},
    columns::{Shown, TABLES},
    data, first_screen,
    histogram::Histogram,
    map::{Boxes, Land, Maps, region_name},
    pictures::Pictures,
    rule_pages::write_pages,
    top_rows::{Kept, Place, number},
    trend,
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{FAMILIES, Severity};
use hullmark_report::{
    Summary,
    content_security_policy::policy,
    screen::Topic,
    tables::{archives::key as archives, regions::key},
};
use hullmark_util::{
    escape::{html as escape, percent_encoded},
    number_text::{counted, thousands},
};
use serde_json::json;
use std::{
    collections::BTreeMap,
    io::{self, Write},
};

const STYLE: &str = include_str!("page.css");
/// Tables, then views of regions in 3-D, which need the tables.
const SCRIPT: &str = concat!(include_str!("page.js"), include_str!("solid.js"));

/// Regions in the chart: those with the highest use of capacity.
const REGIONS: usize = 20;

/// Writes the page.
pub(super) fn write(
    out: &mut dyn Write,
    summary: &Summary,
    kept: &BTreeMap<&'static str, Kept>,
    histogram: &Histogram,
    (lands, boxes): (&BTreeMap<Place, Land>, &Boxes),
    pictures: &Pictures,
) -> io::Result<()> {
    let tables: Vec<&Kept> = TABLES.iter().filter_map(|shown| kept.get(shown.table)).collect();
    write_head(out, summary, &tables, pictures)?;
    if !kept.contains_key("findings") {
        if let Some(page) = &summary.arrived {
            arrived::write(out, page)?;
        }
        if let Some(changes) = &summary.changes {
            writeln!(out, "<h1>What changed</h1>")?;
            changes::write_sentences(out, changes)?;
            changes::write_lists(out, summary, changes)?;
        }
        for table in tables {
            write_table(out, table)?;
        }
        return writeln!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>");
    }
    write_top(out, summary, kept)?;
    first_screen::write_cards(out, summary)?;
    if let (Some(changes), Some(table)) = (&summary.changes, kept.get("changes")) {
        changes::write_lists(out, summary, changes)?;
        write_table(out, table)?;
    }
    trend::write(out, &summary.trend)?;
    write_charts(out, summary, kept.get("regions"), histogram)?;
    let maps = maps(kept, lands, boxes);
    let solids = maps.as_ref().map_or_else(|| json!([]), Maps::solids);
    let maps = maps.map_or(String::new(), |maps| maps.html());
    writeln!(
        out,
        "<section id=\"maps\"><h2>Maps</h2>\n{maps}<script type=\"application/json\" id=\"map-boxes\">{}</script>\n</section>",
        data::safe(&solids.to_string())
    )?;
    for table in tables.into_iter().filter(|table| table.shown.table != "changes") {
        write_table(out, table)?;
        if table.shown.table == "meshes" && !pictures.is_empty() {
            write!(out, "{}", pictures.html(kept.get("objects"), Some(table)))?;
        }
    }
    writeln!(out, "<section id=\"pages\"><h2>Rule pages</h2>")?;
    write_pages(out, summary)?;
    writeln!(out, "</section>\n</main>\n<script>{SCRIPT}</script>\n</body>\n</html>")
}

fn write_head(
    out: &mut dyn Write,
    summary: &Summary,
    tables: &[&Kept],
    pictures: &Pictures,
) -> io::Result<()> {
    let title = match &summary.changes {
        _ if summary.arrived.is_some() => "what arrived after the move".into(),
        Some(changes) if !tables.iter().any(|table| table.shown.table == "findings") => {
            format!("what changed from {} to {}", changes.old.path, changes.new.path)
        }
        _ if summary.in_two_parts => "audit".into(),
        _ => format!("audit for {}", summary.manifest.profile.description),
    };
    let narrowed = summary.narrowed_to().map_or_else(String::new, |narrowed| format!(" ({narrowed})"));
    let title = escape(&format!("{title}{narrowed}"));
    let whole = tables.iter().any(|table| table.shown.table == "findings");
    let skip = match () {
        () if whole => "findings",
        () if summary.arrived.is_some() => "arrivals",
        () => "changes",
    };
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>hullmark: {title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#{skip}\">Skip to the {skip}</a>",
        policy(STYLE, Some(SCRIPT)),
    )?;
    let has_changes = summary.changes.as_ref().is_some_and(|changes| !changes.is_empty());
    let links = [
        (
            "overview",
            "Regions and other inputs, the worst first",
            whole && !summary.list(Topic::Regions).is_empty(),
        ),
        ("first", "Fix first", whole),
        ("losses", "Losses", whole && !summary.losses.is_empty()),
        ("cards", "Findings by rule", whole),
        ("worse", "What got worse", has_changes),
        ("better", "What got better", has_changes),
        ("trend", "Trend", !summary.trend.regions.is_empty()),
        ("charts", "Charts", whole),
        ("maps", "Maps", whole),
    ];
    let links = links.into_iter().filter(|(.., has)| *has).map(|(id, title, _)| (id, title));
    let links = links.chain(tables.iter().flat_map(|table| {
        let has_pictures = table.shown.table == "meshes" && !pictures.is_empty();
        let pictures = has_pictures.then_some(("pictures", "Mesh pictures"));
        [(table.shown.table, table.shown.title)].into_iter().chain(pictures)
    }));
    let links: String = links.map(|(id, title)| format!("<a href=\"#{id}\">{title}</a>\n")).collect();
    writeln!(out, "<nav aria-label=\"Parts of the report\">\n{links}</nav>\n<main>")
}

fn write_top(out: &mut dyn Write, summary: &Summary, kept: &BTreeMap<&'static str, Kept>) -> io::Result<()> {
    let regions = kept.get("regions");
    let (class, words) = verdict(summary, regions);
    let now = summary.manifest.now.as_ref().map_or(String::new(), |now| format!(", {}", escape(now)));
    let narrowed = summary.narrowed_to().map_or_else(String::new, |narrowed| format!(": {narrowed}"));
    writeln!(out, "<h1>{}{}</h1>", escape(&first_screen::subject(summary, regions)), escape(&narrowed))?;
    let exported = kept.get("archives").and_then(exported);
    let exported = exported.map_or(String::new(), |times| format!("Exported: {}. ", escape(&times)));
    writeln!(out, "<p>{exported}Target: {}{now}</p>", escape(&summary.target()))?;
    if let Some(words) = summary.narrowed_in_words() {
        writeln!(out, "<p><b>{}</b></p>", escape(&words))?;
    }
    if let Some(words) = summary.shown_in_words() {
        writeln!(out, "<p>{}</p>", escape(&words))?;
    }
    writeln!(out, "<p class=\"verdict {class}\">{words}</p>")?;
    first_screen::write_parts(out, summary)?;
    first_screen::write_overview(out, summary)?;
    first_screen::write_losses(out, summary)?;
    first_screen::write_actions(out, summary, regions)?;
    if let Some(not_covered) = &summary.not_covered {
        writeln!(
            out,
            "<p class=\"warning\"><b>{}.</b> The report says nothing about <a \
             href=\"#archives?status=not_covered\">these inputs</a>.</p>",
            escape(&not_covered.in_words())
        )?;
    }
    if let Some(changes) = &summary.changes {
        writeln!(out, "<h2>What changed</h2>")?;
        changes::write_sentences(out, changes)?;
    }
    writeln!(out, "<ul class=\"counts\">")?;
    for severity in Severity::WORST_FIRST {
        writeln!(
            out,
            "<li><a href=\"#findings?severity={severity}\"><b>{}</b> <span class=\"severity {severity}\">{severity}</span></a></li>",
            thousands(summary.findings.get(severity)),
        )?;
    }
    let waived = summary.waived.all();
    if waived > 0 {
        writeln!(out, "<li><a href=\"#findings\"><b>{}</b> waived</a></li>", thousands(waived))?;
    }
    let unknown = summary.unknown_checks();
    writeln!(
        out,
        "<li><a href=\"#rules\"><b>{}</b> {} not evaluated</a></li>\n</ul>",
        thousands(unknown),
        if unknown == 1 { "check" } else { "checks" }
    )?;

    let totals = &summary.totals;
    let counted = [
        (totals.inputs, "inputs"),
        (totals.older_copies, "older copies"),
        (totals.bytes, "bytes"),
        (totals.regions, "regions"),
        (totals.parcels, "parcels"),
        (totals.objects, "objects in regions"),
        (totals.parts, "prims"),
        (totals.nested_objects, "objects in inventories"),
        (totals.loose_objects, "objects in files"),
        (totals.meshes, "mesh assets"),
        (totals.hulls, "convex hulls"),
        (totals.not_linkable, "objects that cannot be linked"),
    ];
    writeln!(out, "<dl class=\"totals\">")?;
    for (count, what) in counted {
        writeln!(out, "<div><dt>{what}</dt><dd>{}</dd></div>", thousands(count))?;
    }
    writeln!(out, "</dl>")?;
    writeln!(
        out,
        "<p class=\"print\">Not printed: the tables, the charts, pictures of meshes, maps of several regions, and all but the first rules of \
         each severity. The page shows them on a screen.</p>"
    )?;
    for input in &summary.not_read {
        let (archive, status) = (escape(&input.archive), input.status.name());
        writeln!(out, "<p class=\"error\">{archive} is {status}: the unread part was not evaluated.</p>")?;
    }
    if let Some(words) = summary.unknown_files_in_words() {
        writeln!(out, "<p>{}</p>", escape(&words))?;
    }
    writeln!(
        out,
        "<p>Written by hullmark {}. <code>audit.json</code> has all settings.</p>\n\
         <noscript><p class=\"error\">The tables of this page need JavaScript. The CSV files have the same \
         rows.</p></noscript>",
        summary.manifest.hullmark,
    )
}

/// Returns the time of the newest export, from archive.xml.
fn exported(archives: &Kept) -> Option<String> {
    let times = archives.cells().map(|row| archives::CREATED.text(&row).to_owned());
    let times: Vec<String> = times.filter(|time| !time.is_empty()).collect();
    // Without seconds: `2026-11-23 02:00 UTC`.
    let minute = |time: &String| time.get(..16).map(|minute| format!("{} UTC", minute.replace('T', " ")));
    let [first, last] = [times.iter().min()?, times.iter().max()?].map(minute);
    let (first, last) = first.zip(last)?;
    Some(if first == last { last } else { format!("{first} to {last}") })
}

/// Returns the class and text of the heading.
fn verdict(summary: &Summary, regions: Option<&Kept>) -> (&'static str, String) {
    let percents = regions.into_iter().flat_map(Kept::cells).map(|row| number(key::PERCENT_USED, &row));
    let words = match percents.filter(|percent| percent.is_some_and(|percent| percent > 100.0)).count() {
        0 => summary.verdict(),
        over => format!("{}; {} over capacity", summary.verdict(), counted(over as u64, "region")),
    };
    let worst = summary.worst_severity().unwrap_or(Severity::Info);
    // The unread part may have any finding.
    let worst = if summary.not_read.is_empty() { worst } else { worst.max(Severity::Error) };
    (worst.name(), words)
}

fn write_charts(
    out: &mut dyn Write,
    summary: &Summary,
    regions: Option<&Kept>,
    histogram: &Histogram,
) -> io::Result<()> {
    writeln!(out, "<section id=\"charts\"><h2>Charts</h2>\n<div class=\"charts\">")?;
    let regions = regions.map_or(Vec::new(), region_bars);
    let caption = "Load of regions in percent of capacity (line: 100 %), highest first";
    write!(out, "{}", chart("chart-regions", caption, &regions, Some(100.0)))?;
    let caption = "Objects in regions by land impact";
    write!(out, "{}", chart("chart-spread", caption, &histogram.bars(), None))?;
    let caption = "Findings by family and severity";
    write!(out, "{}", chart("chart-families", caption, &family_bars(summary), None))?;
    writeln!(out, "</div></section>")
}

fn region_bars(rows: &Kept) -> Vec<Bar> {
    let bars = rows.cells().map(|row| {
        let [archive, region] = [key::ARCHIVE, key::REGION].map(|key| key.text(&row));
        let name = region_name(archive, region);
        let percent = number(key::PERCENT_USED, &row);
        let costs = [
            ("land impact", key::LAND_IMPACT),
            ("capacity", key::CAPACITY),
            ("physics cost", key::PHYSICS_COST),
            ("download weight", key::STREAMING_COST),
            ("server weight", key::SERVER_WEIGHT),
        ];
        let costs = costs.map(|(name, cost)| {
            let value = number(cost, &row).map_or("unknown".into(), |value| thousands(value.round() as u64));
            format!("{name} {value}")
        });
        // A sum with an unknown summand is a lower bound.
        let basis = key::LOAD_BASIS.text(&row);
        let bound = if Basis::is_lower_bound(basis) { "≥ " } else { "" };
        let used = percent.map_or("unknown".into(), |percent| format!("{bound}{percent:.1} %"));
        let class = if percent.is_some_and(|percent| percent > 100.0) { "error" } else { "plain" };
        Bar {
            label: name.to_owned(),
            title: format!("{name}: {used} of capacity used ({basis}), {}", costs.join(", ")),
            number: used,
            pieces: vec![(class, percent.unwrap_or(0.0))],
            link: format!(
                "#objects?archive={}&region={}",
                percent_encoded(archive, b""),
                percent_encoded(region, b"")
            ),
        }
    });
    bars.take(REGIONS).collect()
}

/// Returns a bar for each family with findings. Its pieces are severities.
fn family_bars(summary: &Summary) -> Vec<Bar> {
    let bars = FAMILIES.iter().filter_map(|family| {
        let counts = summary.of_family(family);
        (counts.all() > 0).then(|| Bar {
            label: family.title.to_owned(),
            title: format!("{}: {}", family.title, counts.found().join(", ")),
            number: thousands(counts.all()),
            pieces: Severity::WORST_FIRST
                .map(|severity| (severity.name(), counts.get(severity) as f64))
                .into(),
            link: format!("#rules?family={}", percent_encoded(family.title, b"")),
        })
    });
    bars.collect()
}

fn maps<'a>(
    kept: &BTreeMap<&'static str, Kept>,
    lands: &'a BTreeMap<Place, Land>,
    boxes: &Boxes,
) -> Option<Maps<'a>> {
    let mut maps = Maps::new(kept.get("regions")?, lands);
    maps.objects(kept.get("objects")?, boxes);
    maps.findings(kept.get("findings")?);
    Some(maps)
}

fn write_table(out: &mut dyn Write, table: &Kept) -> io::Result<()> {
    let Shown { table: name, title, .. } = table.shown;
    let (shown, seen) = (table.len() as u64, table.seen);
    writeln!(
        out,
        "<section id=\"{name}\" class=\"table\" tabindex=\"-1\"><h2>{title}</h2>\n<p>{}</p>",
        first_screen::with_code(table.head.about),
    )?;
    if shown < seen {
        let names: Vec<&str> =
            table.shown.worst_first.iter().map(|&place| &*table.head.columns[place].name).collect();
        let by = match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            names => names.join(", "),
        };
        let by = by.replace('_', " ");
        let (shown, seen) = (thousands(shown), thousands(seen));
        writeln!(
            out,
            "<p class=\"warning\">The first {shown} of {seen} rows by {by}. {name}.csv has all rows (--format csv).</p>"
        )?;
    }
    data::write(out, table)?;
    writeln!(out, "</section>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::top_rows::pack;
    use hullmark_report::packed_rows::PackedRows;
    use hullmark_report::{
        table::{Cell, Table, head},
        tables::findings::{Findings, key},
    };

    /// Returns the variables of the style with their light and dark colors, as red, green and blue.
    fn colors() -> BTreeMap<&'static str, [[f64; 3]; 2]> {
        let variables = STYLE.split("--").filter_map(|text| text.split_once(": light-dark("));
        let color = |hex: &str| {
            let digits = hex.trim().trim_start_matches('#');
            let width = digits.len() / 3;
            let part = |at: usize| u8::from_str_radix(&digits[at * width..(at + 1) * width], 16).unwrap();
            let whole = |at: usize| if width == 1 { 17 * part(at) } else { part(at) };
            [0, 1, 2].map(|at| f64::from(whole(at)) / 255.0)
        };
        let both = |text: &str| {
            let (light, dark) = text.split_once(')').unwrap().0.split_once(',').unwrap();
            [color(light), color(dark)]
        };
        variables.map(|(name, text)| (name, both(text))).collect()
    }

    /// Returns the contrast of two colors (Web Content Accessibility Guidelines 2.2, "contrast ratio").
    fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
        let linear =
            |part: f64| if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
        let light = |[red, green, blue]: [f64; 3]| {
            0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue) + 0.05
        };
        let (a, b) = (light(a), light(b));
        a.max(b) / a.min(b)
    }

    #[test]
    fn colors_have_enough_contrast_in_light_and_dark() {
        let colors = colors();
        let texts = ["text", "soft", "link", "blocker", "error", "warning", "info"].map(|name| (name, 4.5));
        for (name, least) in texts.into_iter().chain([("plain", 3.0)]) {
            for (ground, mode) in ["page", "band"].into_iter().flat_map(|ground| [(ground, 0), (ground, 1)]) {
                let found = contrast(colors[name][mode], colors[ground][mode]);
                assert!(found >= least, "{name} on {ground}: {found:.2}");
            }
        }
        // Marks, borders and numbers on the ground of a map.
        let grounds =
            colors.keys().filter(|name| name.starts_with("land") || ["deep", "shallow"].contains(name));
        for ground in grounds {
            for (name, least) in [("text", 4.5), ("error", 3.0), ("warning", 3.0), ("plain", 3.0)] {
                for mode in [0, 1] {
                    let found = contrast(colors[name][mode], colors[ground][mode]);
                    assert!(found >= least, "{name} on {ground}, mode {mode}: {found:.2}");
                }
            }
        }
    }

    #[test]
    fn nothing_on_the_page_moves_by_itself() {
        for motion in ["transition", "animation", "smooth"] {
            assert!(!STYLE.contains(motion) && !SCRIPT.contains(motion), "{motion}");
        }
    }

    #[test]
    fn a_table_states_its_omissions() {
        let shown = TABLES.iter().find(|shown| shown.table == Findings::NAME).unwrap();
        let mut kept = Kept::new(shown, head::<Findings>(&[]), 2);
        let mut rows = PackedRows::default();
        for severity in ["info", "error", "warning"] {
            let mut row = vec![Cell::Empty; kept.head.columns.len()];
            row[key::SEVERITY.place()] = severity.into();
            pack(shown, &row, &mut rows);
        }
        let take = |_: &str, row: &[u8], top| {
            kept.take(kept.place(top), row);
            Ok(())
        };
        rows.into_rows(take).unwrap();
        let mut page = Vec::new();
        write_table(&mut page, &kept).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains(
                "The first 2 of 3 rows by baseline status, severity and weight. findings.csv has all rows"
            ),
            "{page}"
        );
        assert!(page.contains("\"words\":[\"error\",\"warning\"],\"cells\":[0,1]"), "{page}");
        assert!(page.contains("\"left_out\":1"), "{page}");
    }
}
