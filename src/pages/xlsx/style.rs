//! Cell formats: few colors, each with one meaning.

use hullmark_finding::Severity;
use hullmark_report::table::Kind;
use rust_xlsxwriter::{Color, Format, FormatAlign, FormatBorder};

/// The color of headings and neutral bars.
pub(super) const ACCENT: Color = Color::RGB(0x002F_5475);
/// The color of data bars.
pub(super) const BAR: Color = Color::RGB(0x009D_C3E6);

/// The header of a column.
pub(super) fn head() -> Format {
    let format = Format::new().set_bold().set_text_wrap().set_align(FormatAlign::Top);
    format.set_background_color(ACCENT).set_font_color(Color::White).set_border_right(FormatBorder::Hair)
}

/// The header of a column of this kind: numbers are on the right, as their cells.
pub(super) fn head_of(kind: Kind) -> Format {
    match kind {
        Kind::Int | Kind::Real | Kind::Percent => head().set_align(FormatAlign::Right),
        Kind::Bool => head().set_align(FormatAlign::Center),
        Kind::Time | Kind::Uuid | Kind::Text => head().set_align(FormatAlign::Left).set_indent(1),
    }
}

/// The title of the workbook.
pub(super) fn title() -> Format {
    Format::new().set_bold().set_font_size(18).set_font_color(ACCENT)
}

/// The heading of a list.
pub(super) fn heading() -> Format {
    let format = Format::new().set_bold().set_font_size(12).set_font_color(ACCENT);
    format.set_border_bottom(FormatBorder::Thin).set_border_bottom_color(ACCENT)
}

/// A note.
pub(super) fn note() -> Format {
    Format::new().set_italic().set_font_color(Color::RGB(0x0059_5959))
}

/// Text of several lines.
pub(super) fn prose() -> Format {
    Format::new().set_text_wrap().set_align(FormatAlign::Top).set_align(FormatAlign::Left).set_indent(1)
}

/// Cells of a column. Land impact is a whole number, as in viewers. Lengths have centimetres.
pub(super) fn column(name: &str, kind: Kind) -> Format {
    let is_whole = name.starts_with("land_impact") || name == "capacity" || name.ends_with("area_m2");
    let format = cells(kind);
    match kind {
        Kind::Real if is_whole => format.set_num_format("#,##0"),
        Kind::Real if name.ends_with("_m") => format.set_num_format("#,##0.00"),
        Kind::Real if name.contains("cost") || name.contains("weight") => format.set_num_format("#,##0.00"),
        _ => format,
    }
}

/// Cells of this kind.
pub(super) fn cells(kind: Kind) -> Format {
    let format = Format::new().set_align(FormatAlign::Top);
    match kind {
        Kind::Int => format.set_num_format("#,##0"),
        Kind::Real => format.set_num_format("#,##0.0##"),
        Kind::Percent => format.set_num_format("0.0%"),
        Kind::Time => format.set_num_format("yyyy-mm-dd hh:mm:ss"),
        Kind::Bool => format.set_align(FormatAlign::Center),
        Kind::Uuid | Kind::Text => format.set_align(FormatAlign::Left).set_indent(1),
    }
}

/// All formats of the cells of tables, in the order in which the workbook numbers them from 1.
pub(super) fn of_rows() -> Vec<Format> {
    // Each name is an example of its group of columns.
    let lengths = ["land_impact", "_m"].map(|name| column(name, Kind::Real));
    let kinds = [Kind::Int, Kind::Real, Kind::Percent, Kind::Time, Kind::Bool, Kind::Text];
    let cells: Vec<Format> = kinds.into_iter().map(cells).chain(lengths).collect();
    let mut formats: Vec<Format> = Vec::new();
    let wrapped: Vec<Format> = cells.iter().map(|format| format.clone().set_text_wrap()).collect();
    for format in cells.into_iter().chain(wrapped).chain([link()]) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    formats
}

/// Returns the number of a format of cells of tables. Number 0 is that of cells without one.
pub(super) fn number(of_rows: &[Format], format: &Format) -> u32 {
    of_rows.iter().position(|other| other == format).map_or(0, |place| place as u32 + 1)
}

/// A link.
pub(super) fn link() -> Format {
    Format::new().set_hyperlink().set_align(FormatAlign::Top).set_align(FormatAlign::Left).set_indent(1)
}

/// A waived finding.
pub(super) fn waived() -> Format {
    Format::new().set_font_color(Color::RGB(0x0080_8080)).set_italic()
}

/// The value of a setting.
pub(super) fn setting() -> Format {
    Format::new().set_align(FormatAlign::Left)
}

/// Colors of a severity.
pub(super) fn severity(severity: Severity) -> Format {
    let (ink, paper) = match severity {
        Severity::Blocker => (0x00FF_FFFF, 0x009C_0006),
        Severity::Error => (0x009C_0006, 0x00FF_C7CE),
        Severity::Warning => (0x007F_6000, 0x00FF_EB9C),
        Severity::Info => (0x001F_4E78, 0x00DD_EBF7),
    };
    Format::new().set_font_color(Color::RGB(ink)).set_background_color(Color::RGB(paper))
}

/// The color of a severity in charts.
pub(super) fn ink(severity: Severity) -> Color {
    Color::RGB(match severity {
        Severity::Blocker => 0x009C_0006,
        Severity::Error => 0x00E0_6666,
        Severity::Warning => 0x00F1_C232,
        Severity::Info => 0x009F_C5E8,
    })
}
