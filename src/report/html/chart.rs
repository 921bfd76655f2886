//! Bar charts as SVG.

use crate::util::escape::{html as escape, shortened};
use std::fmt::Write;

const WIDTH: f64 = 570.0;
const ROW: f64 = 22.0;
/// Left and right end of the bars. Labels are on the left, numbers on the right.
const LEFT: f64 = 196.0;
const RIGHT: f64 = 480.0;
/// Characters of a label.
const LABEL: usize = 26;

/// One row of a chart.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    /// Tooltip, and text for screen readers.
    pub(super) title: String,
    /// Number after the bar.
    pub(super) number: String,
    /// Its pieces, each with its class.
    pub(super) pieces: Vec<(&'static str, f64)>,
    /// Target of a click, within the page.
    pub(super) link: String,
}

/// Writes a figure with a row for each bar, and a line at the limit, if there is one.
pub(super) fn chart(id: &str, caption: &str, bars: &[Bar], limit: Option<f64>) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let longest = bars.iter().map(Bar::length).fold(limit.unwrap_or(0.0), f64::max);
    let scale = if longest > 0.0 { (RIGHT - LEFT) / longest } else { 0.0 };
    let height = ROW * bars.len() as f64;
    // A table of the page has the numbers, too, so screen readers get the chart as one image.
    let words: Vec<_> = bars.iter().map(|bar| bar.title.as_str()).collect();
    let mut svg = format!(
        "<figure id=\"{id}\"><figcaption>{}</figcaption>\n<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{}\">\n",
        escape(caption),
        escape(&words.join("; ")),
    );
    for (number, bar) in bars.iter().enumerate() {
        bar.draw(&mut svg, ROW * number as f64, scale);
    }
    if let Some(limit) = limit {
        let x = LEFT + limit * scale;
        let _ = writeln!(svg, "<path class=\"limit\" d=\"M{x:.1} 0V{height}\"/>");
    }
    svg + "</svg></figure>\n"
}

impl Bar {
    fn length(&self) -> f64 {
        self.pieces.iter().map(|(_, value)| value).sum()
    }

    fn draw(&self, svg: &mut String, top: f64, scale: f64) {
        let middle = top + 15.0;
        let _ = write!(
            svg,
            "<a href=\"{}\" tabindex=\"-1\"><title>{}</title><text x=\"{}\" y=\"{middle}\" class=\"label\">{}</text>",
            escape(&self.link),
            escape(&self.title),
            LEFT - 8.0,
            escape(&shortened(&self.label, LABEL)),
        );
        let mut x = LEFT;
        for (class, value) in self.pieces.iter().filter(|(_, value)| *value > 0.0) {
            // Small values stay visible.
            let width = (value * scale).max(1.0);
            let (y, height) = (top + 3.0, ROW - 6.0);
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height}\"/>"
            );
            x += width;
        }
        let _ =
            writeln!(svg, "<text x=\"{:.1}\" y=\"{middle}\">{}</text></a>", x + 6.0, escape(&self.number));
    }
}
