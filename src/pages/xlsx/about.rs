//! Sheet About: version, settings, values of the target, and the inputs with their hashes.

use super::{
    Rows,
    body::Body,
    cell,
    sheet::{Sheet, print_one_page},
    style,
};
use hullmark_report::{
    Summary,
    table::{Cell, Kind},
};
use hullmark_util::number_text::{counted, thousands};
use rust_xlsxwriter::{Worksheet, XlsxError};
use serde_json::Value;
use std::io;

/// Number of printed rows.
const PRINTED: u32 = 44;

/// Writes the sheet, with as many inputs as fit.
pub(super) fn write(
    sheet: &mut Worksheet,
    summary: &Summary,
    mut archives: Rows,
    room: u64,
) -> Result<Body, XlsxError> {
    let mut settings = Vec::new();
    let manifest = serde_json::to_value(&summary.manifest).map_err(io::Error::from)?;
    for (key, value) in manifest.as_object().into_iter().flatten() {
        // The table below has the inputs.
        if key != "inputs" {
            flatten(key, value, &mut settings);
        }
    }
    let bold = style::heading();
    sheet.write_string_with_format(0, 0, "Version and settings", &bold)?;
    let mut at = 1;
    for (key, value) in &settings {
        sheet.write_string_with_format(at, 0, cell::fit(key), &style::setting())?;
        match value {
            Cell::Text(text) if key == "now" => cell::write_moment(sheet, at, 1, text),
            _ => cell::write(sheet, at, 1, Kind::Text, value)
                .and_then(|sheet| sheet.set_cell_format(at, 1, &style::setting())),
        }?;
        at += 1;
    }
    let shown = archives.spool.rows().min(room.saturating_sub(u64::from(at)));
    let mut words = "Inputs".to_owned();
    if shown < archives.spool.rows() {
        words = format!(
            "The first {} of {}; CSV has all",
            thousands(shown),
            counted(archives.spool.rows(), "input")
        );
    }
    sheet.write_string_with_format(at + 1, 0, words, &bold)?;
    let mut order = Vec::new();
    archives.spool.each(|offset, _| {
        order.extend(((order.len() as u64) < shown).then_some(offset));
        Ok(())
    })?;
    Sheet::below(sheet, at + 2, &archives.head, shown)?.finish(&mut archives.spool, &order)?;
    print_one_page(sheet, PRINTED, 1)?;
    // Wide enough for the settings above.
    sheet.set_column_width(0, 44).and_then(|sheet| sheet.set_column_width(1, 22))?;
    Ok(Body { rows: archives, order, top: at + 2, has_links: false, has_names: false })
}

/// Flattens the values of a setting, with their sections as prefix.
fn flatten(key: &str, value: &Value, into: &mut Vec<(String, Cell<'static>)>) {
    let cell = match value {
        Value::Object(section) => {
            for (name, value) in section {
                flatten(&format!("{key}.{name}"), value, into);
            }
            return;
        }
        Value::Null => return,
        Value::Bool(value) => Cell::Bool(*value),
        Value::Number(number) => number.as_i64().map_or_else(|| Cell::from(number.as_f64()), Cell::Int),
        Value::String(text) => Cell::show(text),
        Value::Array(_) => Cell::show(value),
    };
    into.push((key.to_owned(), cell));
}
