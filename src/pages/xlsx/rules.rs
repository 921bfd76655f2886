//! Sheet Rules: the meaning of each code.

use super::{cell, sheet, style};
use hullmark_finding::{Code, FAMILIES};
use hullmark_report::{Summary, table::Kind};
use hullmark_rules::catalogue;
use rust_xlsxwriter::{Worksheet, XlsxError};

/// The columns with their widths.
const COLUMNS: [(&str, u16); 10] = [
    ("Code", 9),
    ("Severity", 10),
    ("Findings", 10),
    ("Title", 34),
    ("What to do", 56),
    ("Why", 60),
    ("Engines", 44),
    ("Source", 44),
    ("Family", 18),
    ("Evaluated", 10),
];
/// Number of printed columns, and of printed rows.
const PRINTED: (u16, u32) = (5, 20);

/// Returns the row of a rule, from 0.
pub(super) fn row(code: Code) -> Option<u32> {
    let place = Code::all().position(|other| other == code)?;
    Some(sheet::FIRST + place as u32)
}

/// Writes the sheet.
pub(super) fn write(sheet: &mut Worksheet, summary: &Summary) -> Result<(), XlsxError> {
    let profile = summary.profile_of_rules();
    let about = format!(
        "All rules with their severity for {}. Rules with FALSE in the column Evaluated are off.",
        profile.description
    );
    sheet.write_string_with_format(0, 0, cell::fit(&about), &style::note())?;
    for (column, (name, width)) in (0..).zip(COLUMNS) {
        sheet.set_column_width(column, f64::from(width))?.set_column_format(column, &style::prose())?;
        sheet.write_string_with_format(1, column, name, &style::head_of(Kind::Text))?;
    }
    sheet.set_column_format(2, &style::cells(Kind::Int))?;
    let mut at = sheet::FIRST;
    for family in FAMILIES {
        for &code in family.codes {
            let rule = catalogue::rule(code);
            sheet.write_string(at, 0, rule.code)?;
            sheet.write_string(at, 1, profile.severity(code).name())?;
            if profile.selects(code) {
                let findings = summary.of_code(code).all();
                sheet.write_number(at, 2, findings as f64)?;
            }
            let mut lines = 1;
            let (engines, advice) = (rule.engines_text(), catalogue::advice_of(code, profile));
            for (column, words) in (3..).zip([rule.title, advice, rule.why, &engines, rule.source]) {
                sheet.write_string(at, column, cell::fit(words))?;
                lines = lines.max(sheet::lines_of(words, COLUMNS[usize::from(column)].1.into()));
            }
            sheet.write_string(at, 8, family.title)?;
            sheet.write_boolean(at, 9, profile.selects(code))?;
            sheet::set_lines(sheet, at, lines)?;
            at += 1;
        }
    }
    sheet::mark_severities(sheet, sheet::FIRST, at - 1, 1)?;
    sheet.autofilter(1, 0, at - 1, COLUMNS.len() as u16 - 1)?;
    sheet.set_freeze_panes(sheet::FIRST, 1)?;
    sheet.set_repeat_rows(1, 1)?;
    sheet::print_one_page(sheet, sheet::FIRST + PRINTED.1 - 1, PRINTED.0 - 1)
}
