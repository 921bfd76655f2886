//! The trend: small charts of each region over the days that the history has.

use super::map::region_name;
use hullmark_report::trend::{Point, RegionTrend, Trend};
use hullmark_util::{
    dates_in_names::date_in,
    escape::html as escape,
    number_text::{counted, signed, thousands},
};
use std::io::{self, Write};

/// Width and height of a chart, and the margin around its line.
const SIZE: [f64; 2] = [140.0, 30.0];
const MARGIN: f64 = 3.0;

/// A figure: its name and its value on a day.
type Figure = (&'static str, fn(&Point) -> Option<f64>);

const FIGURES: [Figure; 4] = [
    ("land impact", |point| point.land_impact),
    ("objects", |point| Some(point.objects as f64)),
    ("scripts", |point| point.scripts.map(|scripts| scripts as f64)),
    ("findings", |point| Some(point.findings.all() as f64)),
];

/// Writes the trends. Nothing without a region that has at least two days.
pub(super) fn write(out: &mut dyn Write, trend: &Trend) -> io::Result<()> {
    if trend.regions.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section id=\"trend\"><h2>Trend</h2>")?;
    if trend.left_out > 0 {
        writeln!(
            out,
            "<p>The regions with the highest use of capacity and with the largest changes; {} in history.csv.</p>",
            counted(trend.left_out as u64, "more region")
        )?;
    }
    writeln!(out, "<div class=\"trends\">")?;
    trend.regions.iter().try_for_each(|region| write_region(out, region))?;
    writeln!(out, "</div></section>")
}

fn write_region(out: &mut dyn Write, region: &RegionTrend) -> io::Result<()> {
    writeln!(out, "<figure class=\"trend\"><figcaption>{}</figcaption>\n<dl>", escape(&heading(region)))?;
    for (name, value) in FIGURES {
        let values: Vec<(f64, f64)> = region
            .days
            .iter()
            .filter_map(|(day, point)| Some((date_in(day)? as f64, value(point)?)))
            .collect();
        if let Some(words) = range(&values) {
            let line = chart(&values);
            writeln!(out, "<div><dt>{name}</dt><dd>{line}<span>{words}</span></dd></div>")?;
        }
    }
    writeln!(out, "</dl>\n<details><summary>Numbers of each night</summary>")?;
    write_numbers(out, region)?;
    writeln!(out, "</details></figure>")
}

/// Returns the heading: `franzinha: 21,425 land impact, +312 since 2026-11-16 (7 nights)`.
fn heading(region: &RegionTrend) -> String {
    let name = region_name(&region.archive, &region.region);
    let now = region.days.values().next_back();
    let impact = match now.and_then(|point| Some((point.land_impact?, point.at_least))) {
        None => "land impact not evaluated".to_owned(),
        Some((impact, at_least)) => {
            format!("{}{} land impact", if at_least { "at least " } else { "" }, whole(impact))
        }
    };
    let nights = counted(region.days.len() as u64, "night");
    match region.ends() {
        None => format!("{name}: {impact} ({nights})"),
        Some((day, first, last)) => {
            let change = last.round() - first.round();
            let change = if change == 0.0 { "unchanged".to_owned() } else { signed(change) };
            format!("{name}: {impact}, {change} since {day} ({nights})")
        }
    }
}

/// Returns the first, last, lowest and highest value as text. `None` without a value.
fn range(values: &[(f64, f64)]) -> Option<String> {
    let (&(_, first), &(_, last)) = (values.first()?, values.last()?);
    let [low, high] = bounds(values);
    Some(match low == high {
        true => format!("<b>{}</b> on each night", whole(last)),
        false => format!(
            "<b>{} → {}</b> (lowest {}, highest {})",
            whole(first),
            whole(last),
            whole(low),
            whole(high)
        ),
    })
}

fn bounds(values: &[(f64, f64)]) -> [f64; 2] {
    let all = || values.iter().map(|&(_, value)| value);
    [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
}

/// Draws a line over time, with a dot at its end. The text next to it has the numbers.
fn chart(values: &[(f64, f64)]) -> String {
    let [low, high] = bounds(values);
    let (begin, end) =
        (values.first().map_or(0.0, |value| value.0), values.last().map_or(0.0, |value| value.0));
    let scale = |value: f64, from: f64, to: f64, side: f64| match to > from {
        true => MARGIN + (value - from) / (to - from) * (side - 2.0 * MARGIN),
        false => side / 2.0,
    };
    let points: Vec<(f64, f64)> = values
        .iter()
        .map(|&(time, value)| (scale(time, begin, end, SIZE[0]), SIZE[1] - scale(value, low, high, SIZE[1])))
        .collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
    let dot = points
        .last()
        .map_or(String::new(), |(x, y)| format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{MARGIN}\"/>"));
    let [width, height] = SIZE;
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" aria-hidden=\"true\"><path d=\"M{}\"/>{dot}</svg>",
        path.join("L")
    )
}

fn write_numbers(out: &mut dyn Write, region: &RegionTrend) -> io::Result<()> {
    let heads = ["night", "land impact", "objects", "scripts", "findings"];
    let heads = heads.map(|head| format!("<th scope=\"col\">{head}</th>"));
    writeln!(out, "<table><thead><tr>{}</tr></thead><tbody>", heads.concat())?;
    for (day, point) in region.days.iter().rev() {
        let bound = if point.at_least { "≥ " } else { "" };
        let impact = point.land_impact.map_or("–".into(), |impact| format!("{bound}{}", whole(impact)));
        let counts = [Some(point.objects), point.scripts, Some(point.findings.all())];
        let counts = counts.map(|count| count.map_or_else(|| "–".into(), thousands));
        let cells: String =
            std::iter::once(impact).chain(counts).map(|cell| format!("<td>{cell}</td>")).collect();
        writeln!(out, "<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(day))?;
    }
    writeln!(out, "</tbody></table>")
}

fn whole(value: f64) -> String {
    thousands(value.max(0.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_report::counts::SeverityCounts;

    fn point(land_impact: Option<f64>, objects: u64) -> Point {
        Point { land_impact, at_least: false, objects, scripts: Some(0), findings: SeverityCounts::default() }
    }

    fn region(name: &str, days: &[(&str, Point)]) -> RegionTrend {
        let days = days.iter().map(|(day, point)| ((*day).to_owned(), point.clone())).collect();
        RegionTrend { archive: "a.oar".into(), region: name.into(), capacity: Some(1.0), days }
    }

    #[test]
    fn the_heading_states_the_change() {
        let days = |first, last| {
            let points = [("2026-11-16", point(first, 1)), ("2026-11-22", point(last, 2))];
            heading(&region("franzinha", &points))
        };
        let expected = "franzinha: 21,425 land impact, +312 since 2026-11-16 (2 nights)";
        assert_eq!(days(Some(21_113.2), Some(21_424.9)), expected);
        assert_eq!(days(Some(7.0), Some(5.0)), "franzinha: 5 land impact, −2 since 2026-11-16 (2 nights)");
        assert_eq!(
            days(Some(5.0), Some(5.0)),
            "franzinha: 5 land impact, unchanged since 2026-11-16 (2 nights)"
        );
        let unknown = "franzinha: land impact not evaluated (2 nights)";
        assert_eq!(days(Some(5.0), None), unknown);
    }

    #[test]
    fn a_line_runs_over_time_and_from_low_to_high() {
        let day = 86_400.0;
        // The third of four days is missing.
        let line = chart(&[(0.0, 5.0), (day, 9.0), (3.0 * day, 7.0)]);
        assert!(line.contains("d=\"M3.0 27.0L47.7 3.0L137.0 15.0\""), "{line}");
        assert!(chart(&[(0.0, 5.0), (day, 5.0)]).contains("d=\"M3.0 15.0L137.0 15.0\""));
    }

    #[test]
    fn names_with_markup_stay_text() {
        let days = [("2026-11-16", point(None, 1)), ("2026-11-22", point(Some(3.0), 2))];
        let trend = Trend { regions: vec![region("<b>&\"", &days)], left_out: 2 };
        let mut page = Vec::new();
        write(&mut page, &trend).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(page.contains("<figcaption>&lt;b&gt;&amp;&quot;: 3 land impact"), "{page}");
        assert!(page.contains("; 2 more regions in history.csv"), "{page}");
        // An unknown number is no zero.
        assert!(page.contains("<th scope=\"row\">2026-11-16</th><td>–</td><td>1</td>"), "{page}");
    }
}
