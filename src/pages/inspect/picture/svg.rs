//! The picture as SVG.

use super::Picture;
use crate::picture::{
    colour::{of_hull, shaded},
    solid::Body,
    view::{View, middle, seen, views},
};
use glam::{DVec2, DVec3};
use hullmark_util::{
    escape::html as escape,
    number_text::plain,
    terminal_text::{clean, counted, cut},
};
use std::fmt::Write;

const WIDTH: f64 = 1080.0;
/// Height of the heading.
const HEAD: f64 = 66.0;
/// Width of a panel, largest size of a drawing in it, and margin above and below a drawing.
const PANEL: f64 = 390.0;
const INNER: DVec2 = DVec2::new(300.0, 262.0);
const MARGIN: f64 = 104.0;
/// Left end of the legend, height of a line, and maximum number of listed hulls.
const LEGEND: f64 = 2.0 * PANEL + 30.0;
const LINE: f64 = 18.0;
const LISTED: usize = 32;
/// With more hulls than this, the panels have no numbers.
const NUMBERED: usize = 40;
/// Size of a number.
const NUMBER: DVec2 = DVec2::new(14.0, 10.0);

const RED: &str = "#c40018";

pub(super) fn svg(picture: &Picture<'_>) -> String {
    let bodies: Vec<&Body> = picture.base.iter().chain(&picture.hulls).collect();
    let views = views();
    let bounds = views.each_ref().map(|view| view.bounds(corners(&bodies)).unwrap_or_default());
    let sizes = bounds.map(|[low, high]| (high - low).max(DVec2::splat(1e-9)));
    // Pixels per metre. All panels have the same, so they can be compared.
    let zoom = sizes.iter().map(|&size| (INNER / size).min_element()).fold(f64::INFINITY, f64::min);
    let [front, side, top, oblique] = sizes.map(|size| size.y * zoom + MARGIN);
    let (first, second) = (front.max(side), top.max(oblique));

    let mut content = String::new();
    heading(&mut content, picture);
    for ((view, bounds), number) in views.iter().zip(bounds).zip(0..) {
        let (y, height) = if number < 2 { (HEAD, first) } else { (HEAD + first, second) };
        let corner = DVec2::new(10.0 + f64::from(number % 2) * PANEL, y);
        let centre = corner + DVec2::new(0.56 * PANEL, 0.5 * height);
        Panel { view, bounds, zoom, centre, corner, height }.draw(&mut content, picture);
    }
    let height = (HEAD + first + second).max(legend(&mut content, picture) + LINE).ceil();
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"system-ui, DejaVu Sans, sans-serif\" font-size=\"12\" fill=\"#222\" stroke-linejoin=\"round\">\n\
         <defs><pattern id=\"over\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><path d=\"M0 0V7\" stroke=\"{RED}\" stroke-width=\"2.2\"/></pattern></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{content}</svg>\n"
    )
}

fn corners(bodies: &[&Body]) -> impl Iterator<Item = DVec3> {
    bodies.iter().flat_map(|body| body.corners.iter().copied())
}

fn heading(svg: &mut String, picture: &Picture<'_>) {
    let file = picture.name.rsplit('/').next().unwrap_or_default();
    let [x, y, z] = picture.scale.to_array().map(plain);
    let base = match &picture.base {
        Some(base) => format!("base hull of {}", counted(base.points as u64, "point")),
        None => "no base hull".into(),
    };
    let hulls = match picture.all {
        0 => "no decomposition".into(),
        all => format!("decomposition of {}", counted(all as u64, "hull")),
    };
    let drawn = if picture.all > picture.hulls.len() {
        format!(", {} of them drawn", picture.hulls.len())
    } else {
        String::new()
    };
    text(svg, DVec2::new(20.0, 28.0), "font-size=\"18\" font-weight=\"600\"", &cut(&clean(file), 70));
    text(svg, DVec2::new(20.0, 50.0), "", &format!("{x} m × {y} m × {z} m: {base}, {hulls}{drawn}"));
}

/// One side.
struct Panel<'a> {
    view: &'a View,
    bounds: [DVec2; 2],
    zoom: f64,
    /// Position of the middle of the bodies.
    centre: DVec2,
    corner: DVec2,
    height: f64,
}

impl Panel<'_> {
    fn at(&self, point: DVec2) -> DVec2 {
        let [low, high] = self.bounds;
        let from_middle = (point - (low + high) / 2.0) * self.zoom;
        self.centre + DVec2::new(from_middle.x, -from_middle.y)
    }

    fn path(&self, outline: &[DVec2]) -> String {
        let mut path = String::new();
        for (&point, letter) in outline.iter().zip(std::iter::once('M').chain(std::iter::repeat('L'))) {
            let at = self.at(point);
            let _ = write!(path, "{letter}{} {}", short(at.x), short(at.y));
        }
        path + "Z"
    }

    fn draw(&self, svg: &mut String, picture: &Picture<'_>) {
        let at = self.corner + DVec2::new(10.0, 22.0);
        text(svg, at, "font-weight=\"600\" font-size=\"13\"", self.view.title);
        match self.view.axes {
            Some(axes) => self.ticks(svg, axes),
            None => self.ruler(svg),
        }
        // The base hull represents a mesh without a decomposition.
        let shown: Vec<&Body> = match (picture.hulls.as_slice(), &picture.base) {
            ([], Some(base)) => vec![base],
            (hulls, _) => hulls.iter().collect(),
        };
        let faces = self.view.faces(&shown);
        for face in &faces {
            let fill = shaded(of_hull(shown[face.body].number), face.shade());
            // Segments and points have no area, so the line shows them.
            let stroke = if face.outline.len() < 3 { (fill.as_str(), 5.0) } else { ("#1118", 0.6) };
            let _ = writeln!(
                svg,
                "<path d=\"{}\" fill=\"{fill}\" stroke=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"/>",
                self.path(&face.outline),
                stroke.0,
                stroke.1
            );
        }
        if let Some(base) = picture.base.as_ref().filter(|_| !picture.hulls.is_empty()) {
            self.around(
                svg,
                base,
                "fill=\"none\" stroke=\"#222\" stroke-width=\"1.6\" stroke-dasharray=\"6 4\"",
            );
        }
        let all = picture.base.iter().chain(&picture.hulls);
        let over: Vec<&Body> = all.filter(|body| body.over).collect();
        for body in &over {
            self.around(
                svg,
                body,
                &format!("fill=\"url(#over)\" fill-opacity=\"0.55\" stroke=\"{RED}\" stroke-width=\"3.5\""),
            );
        }
        if picture.hulls.len() <= NUMBERED {
            let mut named: Vec<DVec2> = Vec::new();
            for (number, body) in shown.iter().enumerate().filter(|(_, body)| !body.over) {
                // The base hull is dashed or grey and needs no name.
                let (Some(name), Some(at)) = (body.number, seen(&faces, number)) else { continue };
                let covers = |other: &DVec2| ((at - *other) * self.zoom).abs().cmplt(NUMBER).all();
                if !named.iter().any(covers) {
                    named.push(at);
                    self.label(svg, at, &name.to_string(), "#111");
                }
            }
        }
        for body in over {
            let outline = self.view.silhouette(body);
            let name = body.number.map_or_else(|| "base hull".into(), |number| format!("hull {number}"));
            self.label(svg, self.label_position(&outline), &name, RED);
        }
    }

    fn around(&self, svg: &mut String, body: &Body, style: &str) {
        let _ = writeln!(svg, "<path d=\"{}\" {style}/>", self.path(&self.view.silhouette(body)));
    }

    /// Returns the middle of an outline, or a point above an outline that the text would hide.
    fn label_position(&self, outline: &[DVec2]) -> DVec2 {
        let heights = outline.iter().map(|point| point.y);
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), y| (low.min(y), high.max(y)));
        let middle = middle(outline);
        if (high - low) * self.zoom > 40.0 { middle } else { DVec2::new(middle.x, high + 9.0 / self.zoom) }
    }

    fn label(&self, svg: &mut String, at: DVec2, words: &str, fill: &str) {
        let style = format!(
            "text-anchor=\"middle\" font-size=\"11\" font-weight=\"600\" fill=\"{fill}\" stroke=\"#fff\" \
             stroke-width=\"3\" paint-order=\"stroke\""
        );
        text(svg, self.at(at) + DVec2::new(0.0, 4.0), &style, words);
    }

    /// Draws axes with ticks in metres. 0 is the middle of the part.
    fn ticks(&self, svg: &mut String, axes: [&str; 2]) {
        let [low, high] = self.bounds;
        let [start, end] = [self.at(low), self.at(high)];
        let (left, bottom) = (start.x - 12.0, start.y + 12.0);
        let step = step(self.zoom);
        let mut lines = format!(
            "M{} {}H{}M{} {}V{}",
            short(left),
            short(bottom),
            short(end.x + 8.0),
            short(left),
            short(bottom),
            short(end.y - 8.0)
        );
        for number in ticks(low.x, high.x, step) {
            let x = self.at(DVec2::new(number, 0.0)).x;
            let _ = write!(lines, "M{} {}v4", short(x), short(bottom));
            text(
                svg,
                DVec2::new(x, bottom + 16.0),
                "text-anchor=\"middle\" font-size=\"10\"",
                &plain(number),
            );
        }
        for number in ticks(low.y, high.y, step) {
            let y = self.at(DVec2::new(0.0, number)).y;
            let _ = write!(lines, "M{} {}h-4", short(left), short(y));
            text(
                svg,
                DVec2::new(left - 7.0, y + 3.5),
                "text-anchor=\"end\" font-size=\"10\"",
                &plain(number),
            );
        }
        let _ = writeln!(svg, "<path d=\"{lines}\" fill=\"none\" stroke=\"#667\"/>");
        let [right, up] = axes.map(|axis| format!("{axis}, m"));
        text(svg, DVec2::new(end.x + 12.0, bottom + 4.0), "font-size=\"11\" font-style=\"italic\"", &right);
        text(svg, DVec2::new(left - 8.0, end.y - 14.0), "font-size=\"11\" font-style=\"italic\"", &up);
    }

    /// Draws the three directions and the length of a step.
    fn ruler(&self, svg: &mut String) {
        let origin = self.corner + DVec2::new(46.0, self.height - 26.0);
        for (axis, name) in [(DVec3::X, "x"), (DVec3::Y, "y"), (DVec3::Z, "z")] {
            let way = self.view.project(axis) * 30.0;
            let end = origin + DVec2::new(way.x, -way.y);
            let _ = writeln!(
                svg,
                "<path d=\"M{} {}L{} {}\" stroke=\"#667\"/>",
                short(origin.x),
                short(origin.y),
                short(end.x),
                short(end.y)
            );
            let beyond = end + (end - origin).normalize_or_zero() * 8.0 + DVec2::new(-3.0, 4.0);
            text(svg, beyond, "font-size=\"11\" font-style=\"italic\"", name);
        }
        let step = step(self.zoom);
        let start = origin + DVec2::new(90.0, 14.0);
        let _ = writeln!(
            svg,
            "<path d=\"M{} {}v6m0 -3h{}m0 -3v6\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"/>",
            short(start.x),
            short(start.y),
            short(step * self.zoom)
        );
        let end = start + DVec2::new(step * self.zoom + 7.0, 7.0);
        text(svg, end, "font-size=\"11\"", &format!("{} m", plain(step)));
    }
}

/// Returns a round number of metres that is about forty pixels long or more.
fn step(zoom: f64) -> f64 {
    let least = 36.0 / zoom;
    let power = 10_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|&step| step >= least).unwrap_or(power)
}

/// Returns the multiples of a step between two numbers.
fn ticks(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let [first, last] = [(low / step - 1e-6).ceil() as i64, (high / step + 1e-6).floor() as i64];
    (first..=last).map(move |number| number as f64 * step)
}

/// Draws the legend: each hull with its color, points and volume. If there are too many, it prefers hulls over a limit,
/// then the largest. Returns the lower end of the legend.
fn legend(svg: &mut String, picture: &Picture<'_>) -> f64 {
    let mut y = HEAD + 22.0;
    let columns = |svg: &mut String, y: f64, style: &str, words: [&str; 3]| {
        for (words, (x, anchor)) in words.into_iter().zip([(24.0, "start"), (140.0, "end"), (236.0, "end")]) {
            text(svg, DVec2::new(LEGEND + x, y), &format!("text-anchor=\"{anchor}\" {style}"), words);
        }
    };
    columns(svg, y, "font-weight=\"600\"", ["hull", "points", "volume, m³"]);
    let mut listed: Vec<&Body> = picture.hulls.iter().collect();
    listed.sort_by(|a, b| b.over.cmp(&a.over).then(b.volume_m3.total_cmp(&a.volume_m3)));
    listed.truncate(LISTED);
    listed.sort_by_key(|body| body.number);
    for body in picture.base.iter().chain(listed.iter().copied()) {
        y += LINE;
        let name = body.number.map_or_else(|| "base".into(), |number| number.to_string());
        let dashed = body.number.is_none() && !picture.hulls.is_empty();
        let fill = if dashed { "none".into() } else { shaded(of_hull(body.number), 1.0) };
        let dashes = if dashed { " stroke-dasharray=\"3 2\"" } else { "" };
        let mut swatch = |fill: &str, stroke: &str| {
            let _ = writeln!(
                svg,
                "<rect x=\"{LEGEND}\" y=\"{}\" width=\"14\" height=\"12\" fill=\"{fill}\" {stroke}/>",
                short(y - 10.0)
            );
        };
        swatch(&fill, &format!("stroke=\"#222\"{dashes}"));
        if body.over {
            swatch("url(#over)", &format!("stroke=\"{RED}\" stroke-width=\"2\""));
        }
        let style = if body.over { format!("fill=\"{RED}\" font-weight=\"600\"") } else { String::new() };
        columns(svg, y, &style, [&name, &body.points.to_string(), &volume(body.volume_m3)]);
    }
    let mut note = |words: String, style: &str| {
        y += LINE;
        text(svg, DVec2::new(LEGEND, y), style, &words);
    };
    let more = picture.all - listed.len();
    if more > 0 {
        note(format!("and {more} more, none of them larger"), "");
    }
    let limits = picture.limits;
    let red = format!("fill=\"{RED}\" font-weight=\"600\"");
    if picture.base.iter().chain(&picture.hulls).any(|body| body.points > limits.max_vertices as usize) {
        note(format!("over the limit of {} points", limits.max_vertices), &red);
    }
    if picture.all > limits.max_hulls as usize {
        note(format!("over the limit of {} hulls", limits.max_hulls), &red);
    }
    if let Some(base) = picture.base.as_ref().filter(|_| !picture.hulls.is_empty()) {
        let line = if base.over { "thick red" } else { "dashed" };
        note(format!("The {line} line is the base hull."), "");
    }
    y
}

fn volume(volume: f64) -> String {
    match volume {
        volume if volume >= 100.0 => format!("{volume:.1}"),
        0.0 => "0".into(),
        volume if volume >= 0.001 => format!("{volume:.4}"),
        volume => format!("{volume:.1e}"),
    }
}

fn text(svg: &mut String, at: DVec2, style: &str, words: &str) {
    let _ =
        writeln!(svg, "<text x=\"{}\" y=\"{}\" {style}>{}</text>", short(at.x), short(at.y), escape(words));
}

/// Formats a number to a tenth of a pixel, and −0.0 as 0.
fn short(number: f64) -> String {
    let tenths = (number * 10.0).round() / 10.0;
    plain(tenths)
}
