//! A sheet with one table: description, header, rows.

use super::{
    cell,
    column::{Column, columns},
    layout, style,
};
use hullmark_finding::Severity;
use hullmark_report::spool::{Offset, Spool};
use hullmark_report::table::{Cell, Head, Kind};
use hullmark_settings::users::Users;
use hullmark_util::number_text::thousands;
use rust_xlsxwriter::{
    ConditionalFormatCell, ConditionalFormatCellRule, ConditionalFormatDataBar, ConditionalFormatFormula,
    ConditionalFormatType, Format, Note, Worksheet, XlsxError, utility::column_number_to_name,
};
use uuid::Uuid;

/// Maximum number of rows below description and header:
/// “Excel specifications and limits” of support.microsoft.com has the numbers.
pub(super) const ROWS: u64 = 1_048_576 - FIRST as u64;
/// Maximum number of links of a sheet.
pub(super) const LINKS: u64 = 65_530;
/// The sheet row of the first table row, from 0.
pub(super) const FIRST: u32 = 2;

/// Number of rows that determine the column widths.
const SAMPLE: usize = 1_000;
/// Maximum number of rows of a sheet with wrapped text.
const WRAPPED: u64 = 10_000;
/// Width of a printed page for each of its lines, in digits. A wide sheet is printed smaller, and has more lines.
const PAGE: usize = 3;
/// The width of a note in pixels, the characters of a line, and the height of a line.
const NOTE: (u32, u32, u32) = (300, 40, 16);
/// Characters of a heading per line.
const LONGEST_NAME: usize = 12;
/// The narrowest (`NARROWEST`) and the widest column, in digits.
const NARROWEST: usize = 8;
const WIDEST: usize = 30;
/// The width of a UUID, in digits.
const UUID: usize = 37;
/// Points of a line of text, and the largest row height of a sheet.
const LINE: usize = 15;
const HIGHEST: usize = 409;
/// Maximum number of lines of a row. The cell has the whole text.
const LINES: usize = 3;

/// The frame of a table on a sheet: all but its rows, which [`super::body`] writes.
pub(super) struct Sheet<'s> {
    sheet: &'s mut Worksheet,
    columns: Vec<Column<'s>>,
    /// Number of columns that people read. The others are folded.
    read: u16,
    /// Users of the target.
    users: Option<&'s Users>,
    /// The row of the header.
    top: u32,
    /// Number of lines of the first rows.
    lines: Vec<usize>,
    widths: Vec<usize>,
    /// The width of each column of sentences.
    prose: Vec<Option<usize>>,
    /// Whether sentences wrap. Otherwise the next column cuts them.
    wraps: bool,
    /// A column whose values make a row gray. `None` if no column does.
    grey: Option<usize>,
}

impl<'s> Sheet<'s> {
    /// Creates a sheet for one table with at most `rows` rows. Its description is above the frozen header.
    pub(super) fn new(
        sheet: &'s mut Worksheet,
        head: &'s Head,
        about: &str,
        users: Option<&'s Users>,
        rows: u64,
    ) -> Result<Self, XlsxError> {
        sheet.write_string_with_format(0, 0, cell::fit(about), &style::note())?;
        sheet.set_freeze_panes(FIRST, 1)?;
        sheet.set_repeat_rows(FIRST - 1, FIRST - 1)?;
        Ok(Self { users, ..Self::below(sheet, FIRST - 1, head, rows)? })
    }

    /// Creates a table with its header in this row.
    pub(super) fn below(
        sheet: &'s mut Worksheet,
        top: u32,
        head: &'s Head,
        rows: u64,
    ) -> Result<Self, XlsxError> {
        let (columns, read) = columns(head, layout::of(head.name));
        let wraps = wraps(rows);
        for (at, column) in (0..).zip(&columns) {
            sheet.set_column_format(at, &column_style(column, wraps))?;
            sheet.write_string_with_format(top, at, &*column.heading, &style::head_of(column.kind))?;
            sheet.insert_note(top, at, &note(&column.head.name, column.head.about))?;
        }
        sheet.set_row_height(top, 32)?;
        let widths = columns.iter().map(width_of_head).collect();
        let prose = columns.iter().map(prose_width).collect();
        let read = read as u16;
        let lines = Vec::new();
        Ok(Self { sheet, columns, read, users: None, top, lines, widths, prose, wraps, grey: None })
    }

    /// Makes rows with a value in this column of the table gray.
    pub(super) fn grey_where(&mut self, column: usize) {
        self.grey = self.columns.iter().position(|of| of.place == column);
    }

    /// Fits widths to the first rows, and finishes the frame for all of them.
    pub(super) fn finish(mut self, spool: &mut Spool, order: &[Offset]) -> Result<(), XlsxError> {
        for &offset in order.iter().take(SAMPLE) {
            self.fit(&spool.at(offset)?);
        }
        // The library sizes notes by the rows below them.
        for (row, lines) in (self.top + 1..).zip(&self.lines) {
            set_lines(self.sheet, row, *lines)?;
        }
        self.close(order.len() as u32)
    }

    /// Fits the widths to a row.
    fn fit(&mut self, cells: &[Cell<'_>]) {
        for (at, column) in self.columns.iter().enumerate() {
            if self.prose[at].is_none() {
                let cell = column.cell(cells, self.users);
                self.widths[at] = self.widths[at].max(width(column.kind, &cell));
            }
        }
        let prose = self.columns.iter().zip(&self.prose).filter(|_| self.wraps);
        let prose = prose.filter_map(|(column, width)| Some((cells.get(column.place), (*width)?)));
        self.lines.push(lines_of_row(prose));
    }

    /// Fits column widths, folds columns and adds colors.
    fn close(self, rows: u32) -> Result<(), XlsxError> {
        let first = self.top + 1;
        let last = first + rows.max(1) - 1;
        for (at, width) in (0..).zip(&self.widths) {
            self.sheet.set_column_width(at, (*width).max(NARROWEST) as f64)?;
        }
        let rightmost = self.columns.len().saturating_sub(1) as u16;
        let mut room = self.widths[..self.read.into()].iter().sum::<usize>() / PAGE;
        let fits = |lines: &&usize| {
            room = room.saturating_sub(**lines);
            room > 0
        };
        let printed = self.lines.iter().take_while(fits).count() as u32;
        print_one_page(self.sheet, self.top + printed, self.read.saturating_sub(1))?;
        if printed < rows {
            let (printed, rows) = (thousands(printed.into()), thousands(rows.into()));
            self.sheet.set_footer(format!("&L&A: the first {printed} of {rows} rows&R&F"));
        }
        if self.read <= rightmost {
            self.sheet.group_columns_collapsed(self.read, rightmost)?;
        }
        if let Some(column) = self.grey {
            let formula = format!("=LEN(${}{})>0", column_number_to_name(column as u16), first + 1);
            // The first rule of a cell wins, so waived findings have no severity color.
            let grey = ConditionalFormatFormula::new().set_rule(formula.as_str());
            let grey = grey.set_format(style::waived()).set_stop_if_true(true);
            self.sheet.add_conditional_format(first, 0, last, rightmost, &grey)?;
        }
        for (at, column) in (0..).zip(&self.columns) {
            if column.kind == Kind::Text && column.head.name.ends_with("severity") {
                mark_severities(self.sheet, first, last, at)?;
            } else if column.kind == Kind::Percent {
                mark_shares(self.sheet, first, last, at)?;
            } else if column.head.name == "land_impact" {
                self.sheet.add_conditional_format(first, at, last, at, &bar())?;
            }
        }
        self.sheet.autofilter(self.top, 0, last, rightmost).map(drop)
    }
}

/// Prints the cells up to this row and column on one page. A report of one region thus has one page for each sheet.
pub(super) fn print_one_page(sheet: &mut Worksheet, last: u32, rightmost: u16) -> Result<(), XlsxError> {
    sheet.set_landscape().set_print_fit_to_pages(1, 1).set_margins(0.4, 0.4, 0.5, 0.6, 0.3, 0.3);
    sheet.set_footer("&L&A&R&F").set_print_area(0, 0, last, rightmost).map(drop)
}

/// Returns the width of a column of sentences, in digits. `None` for other columns.
pub(super) fn prose_width(column: &Column<'_>) -> Option<usize> {
    match &*column.head.name {
        "action" | "cure" => Some(76),
        "advice" | "message" => Some(56),
        "effect" => Some(36),
        _ => None,
    }
}

/// Whether sentences wrap on a sheet with this number of rows.
pub(super) fn wraps(rows: u64) -> bool {
    rows <= WRAPPED
}

/// Returns the format of the cells of a column.
pub(super) fn column_style(column: &Column<'_>, wraps: bool) -> Format {
    let format = style::column(&column.head.name, column.kind);
    if wraps && prose_width(column).is_some() { format.set_text_wrap() } else { format }
}

/// Returns the number of lines of a row, from its sentences and the widths of their columns.
pub(super) fn lines_of_row<'c>(prose: impl Iterator<Item = (Option<&'c Cell<'c>>, usize)>) -> usize {
    let lines = prose.map(|(cell, width)| match cell {
        Some(Cell::Text(words)) => lines_of(words, width),
        _ => 1,
    });
    lines.max().unwrap_or(1).min(LINES)
}

/// Creates a data bar that starts at 0.
fn bar() -> ConditionalFormatDataBar {
    let bar = ConditionalFormatDataBar::new().set_fill_color(style::BAR).set_solid_fill(true);
    bar.set_minimum(ConditionalFormatType::Number, 0)
}

/// Draws bars behind the percentages of a column; 100 % fills the cell.
pub(super) fn mark_shares(
    sheet: &mut Worksheet,
    first: u32,
    last: u32,
    column: u16,
) -> Result<(), XlsxError> {
    let bar = bar().set_maximum(ConditionalFormatType::Number, 1);
    sheet.add_conditional_format(first, column, last, column, &bar).map(drop)
}

/// Colors the names of severities in a column.
pub(super) fn mark_severities(
    sheet: &mut Worksheet,
    first: u32,
    last: u32,
    column: u16,
) -> Result<(), XlsxError> {
    for severity in Severity::WORST_FIRST {
        let rule = ConditionalFormatCellRule::EqualTo(severity.name().to_owned());
        let mark = ConditionalFormatCell::new().set_rule(rule).set_format(style::severity(severity));
        sheet.add_conditional_format(first, column, last, column, &mark)?;
    }
    Ok(())
}

/// Returns the note of a heading: the name of the column in other formats, and its description.
fn note(name: &str, about: &str) -> Note {
    let lines = 2 + about.len() as u32 / NOTE.1;
    let note = Note::new(format!("{name}\n{about}")).set_author("").add_author_prefix(false);
    note.set_width(NOTE.0).set_height(NOTE.2 * (lines + 1))
}

/// Returns the number of lines of a sentence in a column of this width. Letters are narrower than digits.
pub(super) fn lines_of(words: &str, width: usize) -> usize {
    (words.chars().count() * 7 / 8).div_ceil(width).max(1)
}

/// Makes a row as high as this number of lines.
pub(super) fn set_lines(sheet: &mut Worksheet, row: u32, lines: usize) -> Result<(), XlsxError> {
    height(lines).map_or(Ok(()), |height| sheet.set_row_height(row, height as f64).map(drop))
}

/// Returns the height of a row with this number of lines. `None` if it is that of all rows.
pub(super) fn height(lines: usize) -> Option<usize> {
    (lines > 1).then(|| (LINE * lines).min(HIGHEST))
}

/// Returns the width of a column without rows: its heading on two lines, with the button of the filter.
fn width_of_head(column: &Column<'_>) -> usize {
    if let Some(width) = prose_width(column) {
        return width;
    }
    let longest_word = column.heading.split(' ').map(str::len).max().unwrap_or(0);
    column.heading.len().min(LONGEST_NAME).max(longest_word) + 2
}

/// Returns the width of a cell, in digits.
fn width(kind: Kind, cell: &Cell<'_>) -> usize {
    match cell {
        Cell::Empty => 0,
        Cell::Bool(_) => 7,
        // Two more for thousands separators and decimals.
        Cell::Int(value) => value.to_string().len() + 3,
        Cell::Real(value) => (*value as i64).to_string().len() + 5,
        Cell::Text(_) if kind == Kind::Time => 20,
        Cell::Text(text) if Uuid::try_parse(text).is_ok() => UUID,
        Cell::Text(text) => text.chars().take(WIDEST).count() + 2,
    }
}
