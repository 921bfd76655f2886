//! The view as text, as wide as the terminal, without colors.

mod mesh;
mod object;

use super::{object::ObjectView, view::InspectView};
use crate::cli::terminal::{self, Align, columns, words};
use hullmark_ledger::facts::Status;
use hullmark_pages::inspect::finding::FindingView;
use hullmark_report::figures::{Figures, number};
use hullmark_util::{
    number_text::plain,
    terminal_text::{clean, counted, wrap},
};
use std::fmt::Write as _;

/// Maximum number of rows of a long list, unless all are requested.
const ROWS: usize = 40;
/// Column in which the values of labels begin.
const LABEL: usize = 16;

/// Formats the whole view. `all` prints shortened lists completely.
pub(super) fn text(view: &InspectView, all: bool) -> String {
    let mut text = String::new();
    for mesh in &view.meshes {
        text += &mesh::text(mesh, all);
        text.push('\n');
    }
    for object in &view.objects {
        text += &object::text(object, all);
        text.push('\n');
    }
    if view.meshes.is_empty() && view.objects.is_empty() {
        let _ = writeln!(text, "{}: nothing could be read.\n", clean(&view.head.file));
    }
    let misses = |object: &ObjectView| object.findings.iter().any(|finding| finding.code == "AST001");
    if view.head.entry.is_none() && view.objects.iter().any(misses) {
        let hint = "Only this file was searched for meshes. To find those of an archive, packed or unpacked, use \
                    `hullmark inspect ARCHIVE --object NAME`.";
        text += &(wrap(hint, "", "", terminal::width()) + "\n");
    }
    if !view.findings.is_empty() {
        text += &findings("Findings about the file", &view.findings, "");
        text.push('\n');
    }
    if view.head.status != Status::Complete {
        let _ = writeln!(text, "{} was NOT READ TO ITS END.\n", clean(&view.head.file));
    }
    let _ = writeln!(text, "Evaluated for {}: {}", view.head.profile, view.head.profile_description);
    text
}

/// Formats `label           value`. Further lines of a long value are below it.
fn field(label: &str, value: &str) -> String {
    wrap(value, &format!("  {label:<LABEL$}"), &" ".repeat(LABEL + 2), terminal::width())
}

/// Formats findings, each with its advice. The member is named only if it is not `at_hand`.
fn findings(title: &str, findings: &[FindingView], at_hand: &str) -> String {
    if findings.is_empty() {
        return format!("{title}: none\n");
    }
    let mut text = format!("{title}\n");
    for finding in findings {
        let first = format!("  {:<8} {}  ", finding.severity, finding.code);
        let indent = " ".repeat(first.chars().count());
        let place = if finding.entry.is_empty() || finding.entry == at_hand {
            String::new()
        } else {
            format!(" [{}]", finding.entry)
        };
        text += &wrap(&clean(&format!("{}{place}", finding.message)), &first, &indent, terminal::width());
        text += &wrap(finding.advice, &format!("{indent}→ "), &format!("{indent}  "), terminal::width());
    }
    text
}

fn costs(figures: &Figures) -> String {
    let rows = figures.0.iter().map(|figure| {
        let mut number = number(figure.cost);
        // People know land impact as a whole number. Blanks keep the decimal points aligned.
        if figure.name == "land_impact" && number.ends_with(".000") {
            number = number.replace(".000", "    ");
        }
        vec![figure.label.into(), number, figure.cost.basis().to_string()]
    });
    columns(&[Align::Left, Align::Right, Align::Left], &rows.collect::<Vec<_>>())
}

/// Formats three sides or coordinates, to the millimetre.
fn triple([x, y, z]: [f64; 3], between: &str) -> String {
    [x, y, z].map(millimetres).join(between)
}

/// Formats metres to the millimetre. A smaller length is not rounded to 0.
fn millimetres(metres: f64) -> String {
    let rounded = (metres * 1000.0).round() / 1000.0;
    plain(if rounded == 0.0 { metres } else { rounded })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(triple([0.0, 1.234_56, 0.000_2], " × "), "0 × 1.235 × 0.0002");
    }
}
