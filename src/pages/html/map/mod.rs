//! Maps of regions: the ground, borders of parcels, the heaviest objects as circles, and findings about other objects.

mod borders;
mod boxes;
mod contour;
mod land;

use super::top_rows::{Kept, Place, number};
pub(super) use boxes::Boxes;
use boxes::MapBoxes;
use hullmark_finding::Severity;
use hullmark_ledger::facts::Role;
use hullmark_report::{
    table::{Cell, Key, Table},
    tables::{findings::key as finding, objects::key as object, regions::key as region},
};
use hullmark_util::{
    escape::html as escape,
    number_text::{counted, plain, thousands},
};
pub(super) use land::Land;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

/// Number of maps: the regions with the highest use of capacity.
pub(super) const MAPS: usize = 24;
/// Maximum number of circles and of dots on a map.
const MARKS: usize = 100;
/// Number of heaviest objects that a map names.
const NAMED: usize = 10;
/// Metres between grid lines, and their maximum number along a side.
const GRID: usize = 64;
const MOST_LINES: usize = 64;
/// Height of a number on a map, as a share of the map's width. It is 14 px or more on a phone.
const NUMBER: f64 = 1.0 / 22.0;

/// Explains the marks of all maps.
const LEGEND: &str = "<ul class=\"legend\">\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle class=\"object plain\" cx=\"10\" cy=\"10\" r=\"8\"/></svg>object; the \
    area grows with its land impact</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle class=\"object warning\" cx=\"10\" cy=\"10\" r=\"8\"/></svg>its worst finding \
    is a warning</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle class=\"object error\" cx=\"10\" cy=\"10\" r=\"8\"/></svg>an error or \
    blocker</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><circle class=\"dot warning\" cx=\"10\" cy=\"10\" r=\"4\"/></svg>finding about a lighter \
    object</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"border\" d=\"M0 10H20\"/></svg>border of a parcel</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"grid\" d=\"M0 10H20\"/></svg>grid of 64 m</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"deep\" d=\"M0 0H10V20H0z\"/><path class=\"shallow\" \
    d=\"M10 0H20V20H10z\"/></svg>deep and shallow water</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"land0\" d=\"M0 0H7V20H0z\"/><path class=\"land2\" \
    d=\"M7 0H14V20H7z\"/><path class=\"land4\" d=\"M14 0H20V20H14z\"/></svg>land, low to high</li></ul>\n";

/// The maps, in the order of the rows of regions.
#[derive(Debug)]
pub(super) struct Maps<'a> {
    maps: Vec<Map<'a>>,
    /// Numbers of maps by archive and name of the region.
    numbers: HashMap<(String, String), usize>,
    /// Regions that are not drawn.
    left_out: usize,
}

#[derive(Debug, Default)]
struct Map<'a> {
    region: String,
    size: [f64; 2],
    land: Option<&'a Land>,
    circles: Vec<String>,
    dots: Vec<String>,
    /// The heaviest objects within the borders.
    heaviest: Vec<Heavy>,
    /// UUIDs of the objects rezzed in the region, and whether a circle shows them.
    rezzed: HashMap<String, bool>,
    /// Number of objects within the borders, drawn or not.
    objects: u64,
    /// Number of objects outside the borders or without a position.
    outside: u64,
    /// Prims of its objects for the view in 3-D.
    boxes: MapBoxes,
}

/// An object that a map names.
#[derive(Debug)]
struct Heavy {
    /// Its row in the table of objects.
    row: usize,
    at: [f64; 2],
    radius: f64,
    name: String,
    land_impact: String,
}

impl<'a> Maps<'a> {
    /// Creates empty maps of regions.
    pub(super) fn new(rows: &Kept, lands: &'a BTreeMap<Place, Land>) -> Self {
        let left_out = rows.len().saturating_sub(MAPS);
        let mut maps = Self { maps: Vec::new(), numbers: HashMap::new(), left_out };
        for (place, row) in rows.places().zip(rows.cells()).take(MAPS) {
            let sides = [region::SIZE_X_M, region::SIZE_Y_M];
            let size = sides.map(|side| number(side, &row).unwrap_or(256.0).max(1.0));
            let [archive, name] = [region::ARCHIVE, region::REGION].map(|key| key.text(&row));
            // Regions with the same name in one archive share a map: their objects cannot be separated.
            maps.numbers.entry((archive.to_owned(), name.to_owned())).or_insert(maps.maps.len());
            let region = region_name(archive, name).to_owned();
            maps.maps.push(Map { region, size, land: lands.get(place), ..Map::default() });
        }
        maps
    }

    /// Draws objects, the heaviest first.
    pub(super) fn objects(&mut self, rows: &Kept, boxes: &Boxes) {
        for (place, (key, row)) in rows.places().zip(rows.cells()).enumerate() {
            if object::ROLE.text(&row) == Role::Rezzed.name()
                && let Some(map) = self.get_mut(object::ARCHIVE, object::REGION, &row)
            {
                map.object(place, &row);
                boxes.get(key).into_iter().for_each(|boxes| map.boxes.add(place, boxes));
            }
        }
    }

    /// Draws findings about objects without a circle, the worst first.
    pub(super) fn findings(&mut self, rows: &Kept) {
        for (place, row) in rows.cells().enumerate() {
            if finding::WAIVED_UNTIL.text(&row).is_empty()
                && let Some(map) = self.get_mut(finding::ARCHIVE, finding::REGION, &row)
            {
                map.finding(place, &row);
            }
        }
    }

    fn get_mut<T: Table>(
        &mut self,
        archive: Key<T>,
        region: Key<T>,
        row: &[Cell<'_>],
    ) -> Option<&mut Map<'a>> {
        let number = self.numbers.get(&(archive.text(row).to_owned(), region.text(row).to_owned()))?;
        self.maps.get_mut(*number)
    }

    /// Returns what each map shows in 3-D, for the script. `null` for a map without objects.
    pub(super) fn solids(&self) -> Value {
        let solid = |map: &Map<'_>| {
            let (ground, water) = map.land.map_or((None, None), Land::ground);
            map.boxes.json(map.size, ground, water)
        };
        self.maps.iter().map(solid).collect::<Vec<_>>().into()
    }

    /// Returns the maps as HTML.
    pub(super) fn html(&self) -> String {
        if self.maps.is_empty() {
            return "<p>The inputs have no region.</p>\n".into();
        }
        let mut html = LEGEND.to_owned();
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

impl Map<'_> {
    fn object(&mut self, place: usize, row: &[Cell<'_>]) {
        let is_drawn = self.draw_object(place, row);
        self.rezzed.insert(object::OBJECT_UUID.text(row).to_owned(), is_drawn);
    }

    /// Draws an object, if it is inside and there are not too many.
    fn draw_object(&mut self, place: usize, row: &[Cell<'_>]) -> bool {
        let Some(at) = self.place(object::POSITION_X_M, object::POSITION_Y_M, row) else {
            self.outside += 1;
            return false;
        };
        self.objects += 1;
        if self.circles.len() == MARKS {
            return false;
        }
        let land_impact = number(object::LAND_IMPACT, row);
        // The area is proportional to land impact, with a minimum to stay visible and a maximum to hide nothing.
        let radius = (0.1 * land_impact.unwrap_or(0.0).max(0.0).sqrt()).clamp(1.5, 14.0);
        let weight = land_impact.map_or("unknown".into(), |impact| thousands(impact.max(0.0).round() as u64));
        let (name, basis) = (object::NAME.text(row), object::LAND_IMPACT_BASIS.text(row));
        let class = match Severity::named(object::WORST_SEVERITY.text(row)) {
            Some(severity) if severity > Severity::Info => severity.name(),
            _ => "plain",
        };
        let title = format!("{name}: land impact {weight} ({basis})");
        let radius = radius * self.size[0] / 256.0;
        self.circles.push(mark(&format!("object {class}"), "objects", place, at, radius, &title));
        if self.heaviest.len() < NAMED {
            let name = if name.is_empty() { "(no name)" } else { name };
            self.heaviest.push(Heavy { row: place, at, radius, name: name.to_owned(), land_impact: weight });
        }
        true
    }

    /// Draws a finding about an object without a circle, if there are not too many.
    fn finding(&mut self, place: usize, row: &[Cell<'_>]) {
        let is_drawn = self.rezzed.get(finding::OBJECT_UUID.text(row));
        // Nested objects are in no region, which looks like a region without a name.
        let is_elsewhere = finding::REGION.text(row).is_empty() && is_drawn.is_none();
        let severity = finding::SEVERITY.text(row);
        let is_info = Severity::named(severity).is_none_or(|severity| severity == Severity::Info);
        if is_elsewhere || is_info || is_drawn == Some(&true) || self.dots.len() == MARKS {
            return;
        }
        if let Some(at) = self.place(finding::POSITION_X_M, finding::POSITION_Y_M, row) {
            let keys = [finding::CODE, finding::OBJECT_NAME, finding::MESSAGE];
            let [code, object, message] = keys.map(|key| key.text(row));
            let title = format!("{severity} {code}: {object}: {message}");
            let class = format!("dot {severity}");
            self.dots.push(mark(&class, "findings", place, at, self.size[0] / 110.0, &title));
        }
    }

    /// Returns the point on the map, with north up. `None` outside the region.
    fn place<T: Table>(&self, x: Key<T>, y: Key<T>, row: &[Cell<'_>]) -> Option<[f64; 2]> {
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
        let land = self.land.map_or(String::new(), |land| format!("; {}", land.words()));
        let words =
            format!("{}, {} m × {} m: {objects}{outside}{land}", self.region, plain(width), plain(height),);
        let words = escape(&words);
        let _ = write!(
            html,
            "<figure class=\"map\"><figcaption>{words}</figcaption>\n<svg viewBox=\"0 0 {width} {height}\" \
             role=\"img\" aria-label=\"{words}\">\n<rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n"
        );
        if let Some(land) = self.land {
            land.draw(html, self.size);
        }
        *html += "<path class=\"grid\" d=\"";
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
        self.draw_numbers(html);
        *html += "</svg>\n";
        self.list_heaviest(html);
        *html += "</figure>\n";
    }

    /// Numbers the heaviest objects. A number avoids those before it.
    fn draw_numbers(&self, html: &mut String) {
        let size = NUMBER * self.size[0];
        let mut taken: Vec<[f64; 2]> = Vec::new();
        for (heavy, number) in self.heaviest.iter().zip(1..) {
            let is_free = |at: &[f64; 2]| {
                let is_near = |other: &[f64; 2]| (0..2).all(|axis| (at[axis] - other[axis]).abs() < size);
                !taken.iter().any(is_near)
            };
            // A number would hide a small circle.
            let beside = usize::from(heavy.radius < 0.7 * size);
            let mut places = OFFSETS[beside..].iter().map(|offset| {
                let at = |axis: usize| heavy.at[axis] + offset[axis] * size;
                let inside = |axis: usize| at(axis).min(self.size[axis] - 0.6 * size).max(0.6 * size);
                [inside(0), inside(1)]
            });
            let [x, y] = places.find(is_free).unwrap_or(heavy.at);
            taken.push([x, y]);
            let _ = writeln!(html, "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size:.1}\">{number}</text>");
        }
    }

    fn list_heaviest(&self, html: &mut String) {
        if self.heaviest.is_empty() {
            return;
        }
        *html += "<ol class=\"heaviest\">";
        for Heavy { row, name, land_impact, .. } in &self.heaviest {
            let _ = write!(html, "<li><a href=\"#objects/{row}\">{}</a> {land_impact}</li>", escape(name));
        }
        *html += "</ol>\n";
    }
}

/// Places of a number, in its own height from the middle of its object.
const OFFSETS: [[f64; 2]; 13] = [
    [0.0, 0.0],
    [1.1, 0.0],
    [-1.1, 0.0],
    [0.0, 1.1],
    [0.0, -1.1],
    [1.1, 1.1],
    [-1.1, 1.1],
    [1.1, -1.1],
    [-1.1, -1.1],
    [2.2, 0.0],
    [-2.2, 0.0],
    [0.0, 2.2],
    [0.0, -2.2],
];

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
    const TITLE: usize = 120;
    let title: String = title.chars().take(TITLE).collect();
    format!(
        "<a href=\"#{table}/{row}\" tabindex=\"-1\"><circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" \
         r=\"{radius:.1}\"><title>{}</title></circle></a>\n",
        escape(class),
        escape(&title),
    )
}
