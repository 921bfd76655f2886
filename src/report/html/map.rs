//! Regions from above: the heaviest objects as circles, findings in the colours of their severity.

use super::top_rows::{Rows, column};
use crate::{
    ledger::facts::Role,
    report::table::Head,
    util::escape::html as escape,
    util::number_text::{counted, plain, thousands},
};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

/// Regions that are drawn: the fullest.
const MAPS: usize = 24;
/// Objects and findings that are drawn of each.
const MARKS: usize = 200;
/// Metres between the lines of the grid, and how many there are at most along a side: then they lie farther apart.
const GRID: usize = 64;
const MOST_LINES: usize = 64;

/// The maps, in the order of the rows of regions.
#[derive(Debug)]
pub(super) struct Maps {
    maps: Vec<Map>,
    /// Numbers of maps by archive and name of the region.
    numbers: HashMap<(String, String), usize>,
    /// Regions that are not drawn.
    left_out: usize,
}

#[derive(Debug, Default)]
struct Map {
    region: String,
    size: [f64; 2],
    circles: Vec<String>,
    dots: Vec<String>,
    /// UUIDs of the objects that stand in the region.
    standing: HashSet<String>,
    /// How many stand within its borders, drawn or not.
    objects: u64,
    /// Objects that stand outside of it.
    outside: u64,
}

/// The cells of a row by the names of their columns.
struct Cells<'a>(&'a Head, &'a [Value]);

impl Cells<'_> {
    fn words(&self, name: &str) -> &str {
        column(self.0, name).and_then(|column| self.1.get(column)?.as_str()).unwrap_or_default()
    }

    fn number(&self, name: &str) -> Option<f64> {
        column(self.0, name).and_then(|column| self.1.get(column)?.as_f64())
    }

    fn home(&self) -> (String, String) {
        (self.words("archive").to_owned(), self.words("region").to_owned())
    }
}

impl Maps {
    /// Empty maps of regions.
    pub(super) fn new(head: &Head, rows: &Rows) -> Self {
        let left_out = rows.len().saturating_sub(MAPS);
        let mut maps = Self { maps: Vec::new(), numbers: HashMap::new(), left_out };
        for row in rows.cells().take(MAPS) {
            let cells = Cells(head, &row);
            let size = ["size_x_m", "size_y_m"].map(|name| cells.number(name).unwrap_or(256.0).max(1.0));
            // Of two regions of one name in one archive, nothing tells whose an object is: both are in one map.
            maps.numbers.entry(cells.home()).or_insert(maps.maps.len());
            let region = region_name(cells.words("archive"), cells.words("region")).to_owned();
            maps.maps.push(Map { region, size, ..Map::default() });
        }
        maps
    }

    /// Draws objects, the heaviest first.
    pub(super) fn objects(&mut self, head: &Head, rows: &Rows) {
        for (number, row) in rows.cells().enumerate() {
            let cells = Cells(head, &row);
            let Some(map) = self.of(&cells).filter(|_| cells.words("role") == Role::Rezzed.name()) else {
                continue;
            };
            map.standing.insert(cells.words("object_uuid").to_owned());
            let Some([x, y]) = map.place(&cells) else {
                map.outside += 1;
                continue;
            };
            map.objects += 1;
            if map.circles.len() < MARKS {
                let land_impact = cells.number("land_impact");
                // Its area is its land impact; the lightest are still seen, the heaviest do not hide the others.
                let radius = 0.5 * land_impact.unwrap_or(0.0).max(0.0).sqrt();
                let radius = radius.clamp(1.0, 10.0_f64.max(map.size[0] / 25.0));
                let weight = land_impact.map_or("not known".into(), plain);
                let (name, basis) = (cells.words("name"), cells.words("land_impact_basis"));
                let title = format!("{name}: land impact {weight} ({basis})");
                map.circles.push(mark("object", "objects", number, [x, y], radius, &title));
            }
        }
    }

    /// Draws findings, the worst first.
    pub(super) fn findings(&mut self, head: &Head, rows: &Rows) {
        for (number, row) in rows.cells().enumerate() {
            let cells = Cells(head, &row);
            if !cells.words("waived_until").is_empty() {
                continue;
            }
            let Some(map) = self.of(&cells).filter(|map| map.dots.len() < MARKS) else { continue };
            // What lies in an inventory is in no region, which reads as in one without a name.
            if cells.words("region").is_empty() && !map.standing.contains(cells.words("object_uuid")) {
                continue;
            }
            if let Some(at) = map.place(&cells) {
                let [severity, code, object, message] =
                    ["severity", "code", "object_name", "message"].map(|name| cells.words(name));
                let title = format!("{severity} {code}: {object}: {message}");
                map.dots.push(mark(severity, "findings", number, at, map.size[0] / 110.0, &title));
            }
        }
    }

    fn of(&mut self, cells: &Cells<'_>) -> Option<&mut Map> {
        let number = self.numbers.get(&cells.home())?;
        self.maps.get_mut(*number)
    }

    /// The figures.
    pub(super) fn html(&self) -> String {
        let mut html = String::new();
        if self.left_out > 0 {
            let (drawn, left) = (self.maps.len(), self.left_out);
            let _ = writeln!(html, "<p>The {drawn} fullest regions are drawn; {left} more are not.</p>");
        }
        html += "<div class=\"maps\">\n";
        self.maps.iter().for_each(|map| map.draw(&mut html));
        html + "</div>\n"
    }
}

impl Map {
    /// Where something stands in the picture, where it stands in the region: north is up.
    fn place(&self, cells: &Cells<'_>) -> Option<[f64; 2]> {
        let at = [cells.number("position_x_m")?, cells.number("position_y_m")?];
        let inside = at.iter().zip(self.size).all(|(at, size)| (0.0..=size).contains(at));
        inside.then(|| [at[0], self.size[1] - at[1]])
    }

    fn draw(&self, html: &mut String) {
        let [width, height] = self.size;
        let objects = match self.circles.len() as u64 {
            all if all == self.objects => counted(all, "object"),
            drawn => format!("the {drawn} heaviest of {} objects", thousands(self.objects)),
        };
        let outside = match self.outside {
            0 => String::new(),
            count => format!("; outside or nowhere {}", counted(count, "object")),
        };
        let words = format!(
            "{}, {} m × {} m from above: {objects}, {}{outside}",
            self.region,
            plain(width),
            plain(height),
            counted(self.dots.len() as u64, "finding"),
        );
        let words = escape(&words);
        let _ = write!(
            html,
            "<figure class=\"map\"><figcaption>{words}</figcaption>\n<svg viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{words}\">\n<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\
             <path class=\"grid\" d=\""
        );
        for x in lines(width) {
            let _ = write!(html, "M{x} 0V{height}");
        }
        for y in lines(height) {
            let _ = write!(html, "M0 {}H{width}", height - y as f64);
        }
        *html += "\"/>\n";
        self.circles.iter().for_each(|circle| *html += circle);
        // What is drawn last lies on top.
        self.dots.iter().rev().for_each(|dot| *html += dot);
        *html += "</svg></figure>\n";
    }
}

/// Where lines of the grid are along a side of this many metres. An export may say that a region is as large as it likes.
fn lines(side: f64) -> impl Iterator<Item = usize> {
    let side = side as usize;
    let step = GRID * (side / GRID).div_ceil(MOST_LINES).max(1);
    (step..side).step_by(step)
}

/// The name of a region, or of the archive that does not tell it.
pub(super) fn region_name<'a>(archive: &'a str, region: &'a str) -> &'a str {
    if region.is_empty() { archive.rsplit(['/', '\\']).next().unwrap_or(archive) } else { region }
}

/// A circle that leads to a row of a table.
fn mark(class: &str, table: &str, row: usize, [x, y]: [f64; 2], radius: f64, title: &str) -> String {
    /// Characters of a title.
    const TITLE: usize = 160;
    let title: String = title.chars().take(TITLE).collect();
    format!(
        "<a href=\"#{table}/{row}\" tabindex=\"-1\"><circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
         r=\"{radius:.1}\"><title>{}</title></circle></a>\n",
        escape(class),
        escape(&title),
    )
}
