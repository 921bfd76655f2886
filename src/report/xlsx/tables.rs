//! The sheets with tables of the report.

use super::{
    Rows, layout,
    row_order::{self, ObjectOrder, large_first},
    rules,
    sheet::{self, Sheet},
};
use crate::{
    finding::Code,
    report::{
        table::{Cell, Head},
        tables::findings::key,
    },
    settings::users::Users,
    util::number_text::thousands,
};
use rust_xlsxwriter::{Worksheet, XlsxError};

/// Returns the note above a table: the number of rows that are left out, the order of the sheet, and the description.
pub(super) fn about(head: &Head, shown: u64, all: u64, order: &str) -> String {
    let left_out = match shown == all {
        true => String::new(),
        false => format!(
            "Only {} of {} rows fit on a sheet. CSV and Parquet have all. ",
            thousands(shown),
            thousands(all)
        ),
    };
    format!("{left_out}{order}{}", head.about)
}

/// Writes a table in the order of its layout.
pub(super) fn plain(
    sheet: &mut Worksheet,
    Rows { spool, head }: &mut Rows,
    users: Option<&Users>,
    room: u64,
) -> Result<(), XlsxError> {
    let (all, shown) = (spool.rows(), spool.rows().min(room));
    let column = layout::of(head.name).and_then(|layout| layout.large_first);
    let order = row_order::first(spool, room, |row| {
        column.map(|column| {
            large_first(match row.get(column) {
                Some(&Cell::Int(count)) => Some(count as f64),
                Some(&Cell::Real(number)) => Some(number),
                _ => None,
            })
        })
    })?;
    let mut sheet = Sheet::new(sheet, head, &about(head, shown, all, ""), users, shown)?;
    for (_, offset) in order {
        sheet.row(&spool.at(offset)?, &[])?;
    }
    sheet.finish()
}

/// Writes the objects.
pub(super) fn objects(
    sheet: &mut Worksheet,
    Rows { spool, head }: &mut Rows,
    order: &ObjectOrder,
    users: Option<&Users>,
) -> Result<(), XlsxError> {
    let (all, shown) = (spool.rows(), order.offsets.len() as u64);
    let mut words =
        about(head, shown, all, "The heaviest objects are first, and those in inventories last. ");
    if shown < all {
        words.push_str(" Objects with an error or blocker were kept first.");
    }
    let mut sheet = Sheet::new(sheet, head, &words, users, shown)?;
    for &offset in &order.offsets {
        sheet.row(&spool.at(offset)?, &[])?;
    }
    sheet.finish()
}

/// Writes the findings, the worst first over all inputs, with links to their objects and rules.
pub(super) fn findings(
    sheet: &mut Worksheet,
    Rows { spool, head }: &mut Rows,
    objects: &ObjectOrder,
    users: Option<&Users>,
    room: u64,
) -> Result<(), XlsxError> {
    let (all, shown) = (spool.rows(), spool.rows().min(room));
    let links = match 2 * shown > sheet::LINKS {
        true => "; only the first rows have links, because a sheet holds 65,530. ",
        false => ". ",
    };
    let order = format!(
        "New findings are first, then the most severe; waived ones are last, in gray. Links point to rows before sorting{links}"
    );
    let words = about(head, shown, all, &order);
    let order = row_order::first(spool, room, row_order::of_finding)?;
    let mut sheet = Sheet::new(sheet, head, &words, users, shown)?;
    sheet.grey_where(key::WAIVED_UNTIL.place());
    let mut linked = 0;
    for (_, offset) in order {
        let row = spool.at(offset)?;
        let mut links = Vec::new();
        if linked + 2 <= sheet::LINKS {
            let rule = Code::parse(key::CODE.text(&row)).and_then(rules::row);
            links.extend(rule.map(|row| (key::CODE.place(), format!("Rules!A{}", row + 1))));
            // After the columns: the place of its object.
            let object = match row.get(head.columns.len()) {
                Some(&Cell::Int(place)) => objects.row(place as u64),
                _ => None,
            };
            let is_nameless = key::OBJECT_NAME.text(&row).is_empty();
            let called = if is_nameless { key::OBJECT_UUID } else { key::OBJECT_NAME };
            links.extend(object.map(|row| (called.place(), format!("Objects!A{}", row + sheet::FIRST + 1))));
        }
        linked += links.len() as u64;
        sheet.row(&row, &links)?;
    }
    sheet.finish()
}
