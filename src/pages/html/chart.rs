//! Bar charts: text as HTML, which keeps its size on a phone, and bars as SVG.

use hullmark_util::escape::html as escape;
use std::fmt::Write;

/// Length of the longest bar, in units of its drawing.
const LENGTH: f64 = 100.0;

/// One row of a chart.
#[derive(Debug)]
pub(super) struct Bar {
    pub(super) label: String,
    /// Tooltip.
    pub(super) title: String,
    /// Number after the bar.
    pub(super) number: String,
    /// Its pieces, each with its class.
    pub(super) pieces: Vec<(&'static str, f64)>,
    /// Target of a click, within the page. Empty without one.
    pub(super) link: String,
}

/// Writes a figure with a row for each bar, and a line at the limit, if there is one.
pub(super) fn chart(id: &str, caption: &str, bars: &[Bar], limit: Option<f64>) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let longest = bars.iter().map(Bar::length).fold(limit.unwrap_or(0.0), f64::max);
    let scale = if longest > 0.0 { LENGTH / longest } else { 0.0 };
    let mut html =
        format!("<figure id=\"{id}\"><figcaption>{}</figcaption>\n<ul class=\"bars\">\n", escape(caption));
    for bar in bars {
        bar.draw(&mut html, scale, limit);
    }
    html + "</ul></figure>\n"
}

impl Bar {
    fn length(&self) -> f64 {
        self.pieces.iter().map(|(_, value)| value).sum()
    }

    fn draw(&self, html: &mut String, scale: f64, limit: Option<f64>) {
        let [title, label, number] = [&self.title, &self.label, &self.number].map(|text| escape(text));
        let label = match self.link.as_str() {
            "" => format!("<span>{label}</span>"),
            link => format!("<a href=\"{}\">{label}</a>", escape(link)),
        };
        let _ = write!(
            html,
            "<li title=\"{title}\">{label}<svg viewBox=\"0 0 {LENGTH} 1\" preserveAspectRatio=\"none\" \
             aria-hidden=\"true\">"
        );
        let mut x = 0.0;
        for (class, value) in self.pieces.iter().filter(|(_, value)| *value > 0.0) {
            // Small values stay visible.
            let width = (value * scale).max(0.4);
            let _ = write!(html, "<rect class=\"{class}\" x=\"{x:.1}\" width=\"{width:.1}\" height=\"1\"/>");
            x += width;
        }
        if let Some(limit) = limit {
            let _ = write!(html, "<path class=\"limit\" d=\"M{:.1} 0V1\"/>", limit * scale);
        }
        let _ = writeln!(html, "</svg><b>{number}</b></li>");
    }
}
