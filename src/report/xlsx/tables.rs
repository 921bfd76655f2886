//! The sheets with tables of the report.

use super::{
    Rows,
    row_selection::RowSelection,
    rules,
    sheet::{self, Sheet},
};
use crate::{
    finding::{Code, Severity},
    report::{
        diff::BaselineStatus,
        table::{Cell, Head},
        tables::findings::key,
    },
    util::number_text::thousands,
};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Returns the note above a table: its description, and the number of rows that are left out.
pub(super) fn about(head: &Head, shown: u64, all: u64) -> String {
    if shown == all {
        return head.about.to_owned();
    }
    let (shown, all) = (thousands(shown), thousands(all));
    format!("Only {shown} of {all} rows fit on a sheet. CSV and Parquet have all. {}", head.about)
}

/// Writes a table in its own order.
pub(super) fn plain(sheet: &mut Worksheet, rows: &mut Rows, room: u64) -> Result<(), XlsxError> {
    let (all, shown) = (rows.spool.rows(), rows.spool.rows().min(room));
    let mut sheet = Sheet::new(sheet, &rows.head, &about(&rows.head, shown, all))?;
    rows.spool.first(shown, |row| sheet.row(row, &[]))?;
    sheet.finish()
}

/// Writes the selected objects.
pub(super) fn objects(
    sheet: &mut Worksheet,
    rows: &mut Rows,
    choice: &RowSelection,
) -> Result<(), XlsxError> {
    let (all, shown) = (rows.spool.rows(), choice.shown(&rows.spool));
    let mut words = about(&rows.head, shown, all);
    if shown < all {
        words.push_str(" Objects with an error or blocker come before those with the highest land impact.");
    }
    let mut sheet = Sheet::new(sheet, &rows.head, &words)?;
    rows.spool.each(|number, row| match choice.row(number) {
        Some(_) => sheet.row(row, &[]),
        None => Ok(()),
    })?;
    sheet.finish()
}

/// Writes the findings, the worst first over all inputs, with links to their objects and rules.
pub(super) fn findings(
    sheet: &mut Worksheet,
    rows: &mut Rows,
    choice: &RowSelection,
    room: u64,
    compared: bool,
) -> Result<(), XlsxError> {
    let (all, shown) = (rows.spool.rows(), rows.spool.rows().min(room));
    let mut words = about(&rows.head, shown, all);
    words.push_str(" This sheet is sorted over all inputs: new findings first, then by severity; waived ones last, in gray. Links on codes and objects point to rows before sorting");
    words.push_str(match 2 * shown > sheet::LINKS {
        true => "; only the first rows have links, because a sheet holds 65,530.",
        false => ".",
    });

    let Rows { spool, head } = rows;
    let mut sheet = Sheet::new(sheet, head, &words)?;
    let (mut written, mut linked) = (0, 0);
    sheet.grey_where(key::WAIVED_UNTIL.place());
    // Without a baseline, the column is empty.
    let new_first: Vec<&str> = match compared {
        true => BaselineStatus::ALL.map(BaselineStatus::name).into_iter().chain([""]).collect(),
        false => vec![""],
    };
    let by_severity = |new| Severity::WORST_FIRST.map(|worst| (new, worst));
    let order: Vec<(&str, Severity)> = new_first.into_iter().flat_map(by_severity).collect();
    let order = [false, true].into_iter().flat_map(|waived| order.iter().map(move |of| (waived, *of)));
    for (is_waived, (new, worst)) in order {
        spool.each(|_, row| {
            let here = key::BASELINE_STATUS.text(row) == new
                && key::SEVERITY.text(row) == worst.name()
                && key::WAIVED_UNTIL.text(row).is_empty() != is_waived;
            if !here || written == shown {
                return Ok(());
            }
            let mut links = Vec::new();
            if linked + 2 <= sheet::LINKS {
                let rule = Code::parse(key::CODE.text(row)).and_then(rules::row);
                let rule = rule.map(|row| ("Rules", u64::from(row)));
                links.extend(rule.map(|rule| (key::CODE.place(), rule)));
                let object = match row.get(head.columns.len()) {
                    Some(&Cell::Int(number)) => choice.row(number as u64),
                    _ => None,
                };
                let object = object.map(|row| ("Objects", row + u64::from(sheet::FIRST)));
                let is_nameless = key::OBJECT_NAME.text(row).is_empty();
                let called = if is_nameless { key::OBJECT_UUID } else { key::OBJECT_NAME };
                links.extend(object.map(|object| (called.place(), object)));
            }
            linked += links.len() as u64;
            written += 1;
            let to = |(place, (sheet, row)): (usize, (&str, u64))| (place, format!("{sheet}!A{}", row + 1));
            let links: Vec<_> = links.into_iter().map(to).collect();
            sheet.row(row, &links)
        })?;
    }
    sheet.finish()
}
