//! Maps of regions: the heaviest objects as circles, findings in the color of their severity.

use super::top_rows::{Kept, number, words};
use crate::{
    ledger::facts::Role,
    report::{
        table::{Key, Table},
        tables::{findings::key as finding, objects::key as object, regions::key as region},
    },
    util::escape::html as escape,
    util::number_text::{counted, plain, thousands},
};
use serde_json::Value;
use std::{
    collections::{HashMap, HashSet},
    fmt::Write,
};

/// Number of maps: the regions with the highest use of capacity.
const MAPS: usize = 24;
/// Maximum number of objects and of findings on a map.
const MARKS: usize = 200;
/// Metres between grid lines, and their maximum number along a side.
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
    /// UUIDs of the objects rezzed in the region.
    rezzed: HashSet<String>,
    /// Number of objects within the borders, drawn or not.
    objects: u64,
    /// Number of objects outside the borders or without a position.
    outside: u64,
}

impl Maps {
    /// Creates empty maps of regions.
    pub(super) fn new(rows: &Kept) -> Self {
        let left_out = rows.len().saturating_sub(MAPS);
        let mut maps = Self { maps: Vec::new(), numbers: HashMap::new(), left_out };
        for row in rows.cells().take(MAPS) {
            let sides = [region::SIZE_X_M, region::SIZE_Y_M];
            let size = sides.map(|side| number(side, &row).unwrap_or(256.0).max(1.0));
            let [archive, name] = [region::ARCHIVE, region::REGION].map(|key| words(key, &row));
            // Regions with the same name in one archive share a map: their objects cannot be separated.
            maps.numbers.entry((archive.to_owned(), name.to_owned())).or_insert(maps.maps.len());
            let region = region_name(archive, name).to_owned();
            maps.maps.push(Map { region, size, ..Map::default() });
        }
        maps
    }

    /// Draws objects, the heaviest first.
    pub(super) fn objects(&mut self, rows: &Kept) {
        for (place, row) in rows.cells().enumerate() {
            if words(object::ROLE, &row) != Role::Rezzed.name() {
                continue;
            }
            let Some(map) = self.get_mut(object::ARCHIVE, object::REGION, &row) else { continue };
            map.rezzed.insert(words(object::OBJECT_UUID, &row).to_owned());
            let Some([x, y]) = map.place(object::POSITION_X_M, object::POSITION_Y_M, &row) else {
                map.outside += 1;
                continue;
            };
            map.objects += 1;
            if map.circles.len() < MARKS {
                let land_impact = number(object::LAND_IMPACT, &row);
                // The area is proportional to land impact, with a minimum to stay visible and a maximum to hide nothing.
                let radius = 0.5 * land_impact.unwrap_or(0.0).max(0.0).sqrt();
                let radius = radius.clamp(1.0, 10.0_f64.max(map.size[0] / 25.0));
                let weight = land_impact.map_or("unknown".into(), plain);
                let (name, basis) = (words(object::NAME, &row), words(object::LAND_IMPACT_BASIS, &row));
                let title = format!("{name}: land impact {weight} ({basis})");
                map.circles.push(mark("object", "objects", place, [x, y], radius, &title));
            }
        }
    }

    /// Draws findings, the worst first.
    pub(super) fn findings(&mut self, rows: &Kept) {
        for (place, row) in rows.cells().enumerate() {
            if !words(finding::WAIVED_UNTIL, &row).is_empty() {
                continue;
            }
            let map = self.get_mut(finding::ARCHIVE, finding::REGION, &row);
            let Some(map) = map.filter(|map| map.dots.len() < MARKS) else { continue };
            // Nested objects are in no region, which looks like a region without a name.
            let is_rezzed = || map.rezzed.contains(words(finding::OBJECT_UUID, &row));
            if words(finding::REGION, &row).is_empty() && !is_rezzed() {
                continue;
            }
            if let Some(at) = map.place(finding::POSITION_X_M, finding::POSITION_Y_M, &row) {
                let keys = [finding::SEVERITY, finding::CODE, finding::OBJECT_NAME, finding::MESSAGE];
                let [severity, code, object, message] = keys.map(|key| words(key, &row));
                let title = format!("{severity} {code}: {object}: {message}");
                map.dots.push(mark(severity, "findings", place, at, map.size[0] / 110.0, &title));
            }
        }
    }

    fn get_mut<T: Table>(&mut self, archive: Key<T>, region: Key<T>, row: &[Value]) -> Option<&mut Map> {
        let number = self.numbers.get(&(words(archive, row).to_owned(), words(region, row).to_owned()))?;
        self.maps.get_mut(*number)
    }

    /// Returns the maps as HTML.
    pub(super) fn html(&self) -> String {
        let mut html = String::new();
        if self.left_out > 0 {
            let (drawn, more) = (self.maps.len(), counted(self.left_out as u64, "more region"));
            let _ = writeln!(
                html,
                "<p>The {drawn} regions with the highest use of capacity; {more} without a map.</p>"
            );
        }
        html += "<div class=\"maps\">\n";
        self.maps.iter().for_each(|map| map.draw(&mut html));
        html + "</div>\n"
    }
}

impl Map {
    /// Returns the point on the map, with north up. `None` outside the region.
    fn place<T: Table>(&self, x: Key<T>, y: Key<T>, row: &[Value]) -> Option<[f64; 2]> {
        let at = [number(x, row)?, number(y, row)?];
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
            count => format!("; {} outside or without position", counted(count, "object")),
        };
        let words = format!(
            "{}, {} m × {} m: {objects}, {}{outside}",
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
        // Drawn in reverse, so the first circle is on top.
        self.dots.iter().rev().for_each(|dot| *html += dot);
        *html += "</svg></figure>\n";
    }
}

/// Returns the positions of grid lines along a side of this many metres. An export may state any size.
fn lines(side: f64) -> impl Iterator<Item = usize> {
    let side = side as usize;
    let step = GRID * (side / GRID).div_ceil(MOST_LINES).max(1);
    (step..side).step_by(step)
}

/// Returns the name of a region, or of its archive if the region has none.
pub(super) fn region_name<'a>(archive: &'a str, region: &'a str) -> &'a str {
    if region.is_empty() { archive.rsplit(['/', '\\']).next().unwrap_or(archive) } else { region }
}

/// Draws a circle with a link to a row of a table.
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
