//! A sheet with one table: description, header, rows.

use super::{cell, style};
use crate::{
    finding::Severity,
    report::table::{Cell, Head, Kind},
};
use rust_xlsxwriter::{
    ConditionalFormatCell, ConditionalFormatCellRule, ConditionalFormatDataBar, ConditionalFormatFormula,
    ConditionalFormatType, Note, Worksheet, XlsxError, utility::column_number_to_name,
};

/// Maximum number of rows below description and header:
/// “Excel specifications and limits” of support.microsoft.com has the numbers.
pub(super) const ROWS: u64 = 1_048_576 - FIRST as u64;
/// Maximum number of links of a sheet.
pub(super) const LINKS: u64 = 65_530;
/// The sheet row of the first table row, from 0.
pub(super) const FIRST: u32 = 2;

/// Number of rows that determine the column widths.
const SAMPLE: u32 = 1_000;
/// Characters of a column name per line.
const LONGEST_NAME: usize = 20;
/// The narrowest (`NARROWEST`) and the widest column, in digits.
const NARROWEST: usize = 9;
const WIDEST: usize = 44;

/// A table that is being written to a sheet.
pub(super) struct Sheet<'s> {
    sheet: &'s mut Worksheet,
    head: &'s Head,
    /// The row of the header.
    top: u32,
    /// The next row.
    next: u32,
    widths: Vec<usize>,
    /// A column whose values make a row gray. `None` if no column does.
    grey: Option<u16>,
}

impl<'s> Sheet<'s> {
    /// Creates a sheet for one table, with its description above and a frozen header.
    pub(super) fn new(sheet: &'s mut Worksheet, head: &'s Head, about: &str) -> Result<Self, XlsxError> {
        sheet.write_string_with_format(0, 0, cell::fit(about), &style::note())?;
        sheet.set_freeze_panes(FIRST, 0)?;
        sheet.set_repeat_rows(FIRST - 1, FIRST - 1)?.set_landscape();
        Self::below(sheet, FIRST - 1, head)
    }

    /// Creates a table with its header in this row.
    pub(super) fn below(sheet: &'s mut Worksheet, top: u32, head: &'s Head) -> Result<Self, XlsxError> {
        let look = style::head();
        for (place, column) in (0..).zip(&head.columns) {
            sheet.set_column_format(place, &style::cells(column.kind))?;
            sheet.write_string_with_format(top, place, &*column.name, &look)?;
            let note = Note::new(column.about).set_author("").add_author_prefix(false);
            sheet.insert_note(top, place, &note.set_width(240))?;
        }
        sheet.set_row_height(top, 32)?;
        let widths = head.columns.iter().map(|column| column.name.len().min(LONGEST_NAME) + 4).collect();
        Ok(Self { sheet, head, top, next: top + 1, widths, grey: None })
    }

    /// Makes rows with a value in this column gray.
    pub(super) fn grey_where(&mut self, column: usize) {
        self.grey = u16::try_from(column).ok();
    }

    /// Adds a row, with links from these columns.
    pub(super) fn row(&mut self, cells: &[Cell<'_>], links: &[(usize, String)]) -> Result<(), XlsxError> {
        let row = self.next;
        let sampled = row - self.top <= SAMPLE;
        for (place, (cell, column)) in cells.iter().zip(&self.head.columns).enumerate() {
            let link = links.iter().find(|(linked, _)| *linked == place);
            match (link, cell) {
                (Some((_, to)), Cell::Text(words)) => {
                    // Overwrites the text of the link. The library does not remove control characters from it, and they
                    // would make the sheet unreadable.
                    self.sheet.write_url(row, place as u16, format!("internal:{to}").as_str())?;
                    let (words, look) = (cell::fit(words), style::link());
                    self.sheet.write_string_with_format(row, place as u16, words, &look)
                }
                _ => cell::write(self.sheet, row, place as u16, column.kind, cell),
            }?;
            if sampled {
                self.widths[place] = self.widths[place].max(width(column.kind, cell));
            }
        }
        self.next += 1;
        Ok(())
    }

    /// Fits column widths and adds colors.
    pub(super) fn finish(self) -> Result<(), XlsxError> {
        let first = self.top + 1;
        let last = self.next.max(first + 1) - 1;
        for (place, width) in (0..).zip(&self.widths) {
            self.sheet.set_column_width(place, (*width).clamp(NARROWEST, WIDEST) as f64)?;
        }
        let rightmost = self.head.columns.len().saturating_sub(1) as u16;
        if let Some(column) = self.grey {
            let formula = format!("=LEN(${}{})>0", column_number_to_name(column), first + 1);
            // The first rule of a cell wins, so waived findings have no severity color.
            let grey = ConditionalFormatFormula::new().set_rule(formula.as_str());
            let grey = grey.set_format(style::waived()).set_stop_if_true(true);
            self.sheet.add_conditional_format(first, 0, last, rightmost, &grey)?;
        }
        for (place, column) in (0..).zip(&self.head.columns) {
            if column.kind == Kind::Text && column.name.ends_with("severity") {
                mark_severities(self.sheet, first, last, place)?;
            } else if column.kind == Kind::Percent {
                let bar = bar().set_maximum(ConditionalFormatType::Number, 1);
                self.sheet.add_conditional_format(first, place, last, place, &bar)?;
            } else if column.name == "land_impact" {
                self.sheet.add_conditional_format(first, place, last, place, &bar())?;
            }
        }
        self.sheet.autofilter(self.top, 0, last, rightmost).map(drop)
    }
}

/// Creates a data bar that starts at 0.
fn bar() -> ConditionalFormatDataBar {
    let bar = ConditionalFormatDataBar::new().set_fill_color(style::BAR).set_solid_fill(true);
    bar.set_minimum(ConditionalFormatType::Number, 0)
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

/// Returns the width of a cell, in digits.
fn width(kind: Kind, cell: &Cell<'_>) -> usize {
    match cell {
        Cell::Empty => 0,
        Cell::Bool(_) => 7,
        // Two more for thousands separators and decimals.
        Cell::Int(value) => value.to_string().len() + 3,
        Cell::Real(value) => (*value as i64).to_string().len() + 6,
        Cell::Text(_) if kind == Kind::Time => 20,
        Cell::Text(text) => text.chars().take(WIDEST).count() + 1,
    }
}
