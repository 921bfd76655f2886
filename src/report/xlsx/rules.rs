//! Sheet Rules: the meaning of each code.

use super::{cell, sheet, style};
use crate::{
    finding::{Code, FAMILIES},
    report::Summary,
    rules::catalogue,
};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The columns with their widths.
const COLUMNS: [(&str, u16); 10] = [
    ("code", 9),
    ("family", 18),
    ("severity", 10),
    ("evaluated", 9),
    ("findings", 10),
    ("title", 34),
    ("why", 60),
    ("engines", 44),
    ("what to do", 50),
    ("source", 44),
];

/// The largest row height of a sheet, in points.
const HIGHEST: usize = 409;

/// Returns the row of a rule, from 0.
pub(super) fn row(code: Code) -> Option<u32> {
    let place = Code::all().position(|other| other == code)?;
    Some(sheet::FIRST + place as u32)
}

/// Writes the sheet.
pub(super) fn write(sheet: &mut Worksheet, summary: &Summary) -> Result<(), XlsxError> {
    let profile = &summary.manifest.profile;
    let about = format!(
        "All rules with their severity for {}. Rules with FALSE in `evaluated` are off.",
        profile.description
    );
    sheet.write_string_with_format(0, 0, cell::fit(&about), &style::note())?;
    for (column, (name, width)) in (0..).zip(COLUMNS) {
        sheet.set_column_width(column, f64::from(width))?.set_column_format(column, &style::prose())?;
        sheet.write_string_with_format(1, column, name, &style::head())?;
    }
    let mut at = sheet::FIRST;
    for family in &FAMILIES {
        for &code in family.codes {
            let rule = catalogue::rule(code);
            sheet.write_string(at, 0, rule.code)?;
            sheet.write_string(at, 1, family.title)?;
            sheet.write_string(at, 2, profile.severity(code).name())?;
            sheet.write_boolean(at, 3, profile.selects(code))?;
            if profile.selects(code) {
                let findings = summary.findings_by_code.get(&code).copied().unwrap_or(0);
                sheet.write_number(at, 4, findings as f64)?;
            }
            let mut lines = 1;
            let (engines, advice) = (rule.engines_text(), rule.advice(profile.grid()));
            for (column, words) in (5..).zip([rule.title, rule.why, &engines, advice, rule.source]) {
                sheet.write_string(at, column, cell::fit(words))?;
                // Widths are in digits, and letters are narrower, which makes up for unused space at line ends.
                let width = usize::from(COLUMNS[usize::from(column)].1);
                lines = lines.max(words.len().div_ceil(width));
            }
            sheet.set_row_height(at, (15 * lines).min(HIGHEST) as f64)?;
            at += 1;
        }
    }
    sheet::mark_severities(sheet, sheet::FIRST, at - 1, 2)?;
    sheet.autofilter(1, 0, at - 1, COLUMNS.len() as u16 - 1)?;
    sheet.set_freeze_panes(sheet::FIRST, 1)?;
    sheet.set_landscape().set_print_fit_to_pages(1, 0);
    Ok(())
}
