//! The sheets with tables of the report.

use super::{
    Rows,
    body::Body,
    layout,
    row_order::{self, ObjectOrder, large_first},
    sheet::{self, Sheet},
};
use hullmark_report::spool::Offset;
use hullmark_report::{
    table::{Cell, Head},
    tables::findings::key,
};
use hullmark_settings::users::Users;
use hullmark_util::number_text::thousands;
use rust_xlsxwriter::{Worksheet, XlsxError};
use std::mem;

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

/// Writes the frame of a table in the order of its layout.
pub(super) fn plain(
    sheet: &mut Worksheet,
    mut rows: Rows,
    users: Option<&Users>,
    room: u64,
) -> Result<Body, XlsxError> {
    let Rows { spool, head } = &mut rows;
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
    let order = offsets(order);
    Sheet::new(sheet, head, &about(head, shown, all, ""), users, shown)?.finish(spool, &order)?;
    Ok(Body { rows, order, top: sheet::FIRST - 1, has_links: false, has_names: true })
}

/// Writes the frame of the objects.
pub(super) fn objects(
    sheet: &mut Worksheet,
    mut rows: Rows,
    order: &mut ObjectOrder,
    users: Option<&Users>,
) -> Result<Body, XlsxError> {
    let Rows { spool, head } = &mut rows;
    let (all, shown) = (spool.rows(), order.offsets.len() as u64);
    let mut words =
        about(head, shown, all, "The heaviest objects are first, and those in inventories last. ");
    if shown < all {
        words.push_str(" Objects with an error or blocker were kept first.");
    }
    Sheet::new(sheet, head, &words, users, shown)?.finish(spool, &order.offsets)?;
    // Links need only the rows of offsets.
    let order = mem::take(&mut order.offsets);
    Ok(Body { rows, order, top: sheet::FIRST - 1, has_links: false, has_names: true })
}

/// Writes the frame of the findings, the worst first over all inputs, with links to their objects and rules.
pub(super) fn findings(
    sheet: &mut Worksheet,
    mut rows: Rows,
    users: Option<&Users>,
    room: u64,
) -> Result<Body, XlsxError> {
    let Rows { spool, head } = &mut rows;
    let (all, shown) = (spool.rows(), spool.rows().min(room));
    let links = match 2 * shown > sheet::LINKS {
        true => "; only the first rows have links, because a sheet holds 65,530. ",
        false => ". ",
    };
    let order = format!(
        "New findings are first, then the most severe; waived ones are last, in gray. Links point to rows before sorting{links}"
    );
    let words = about(head, shown, all, &order);
    let order = offsets(row_order::first(spool, room, row_order::of_finding)?);
    let mut frame = Sheet::new(sheet, head, &words, users, shown)?;
    frame.grey_where(key::WAIVED_UNTIL.place());
    frame.finish(spool, &order)?;
    Ok(Body { rows, order, top: sheet::FIRST - 1, has_links: true, has_names: true })
}

/// Returns the places of rows without their keys.
fn offsets<K>(order: Vec<(K, Offset)>) -> Vec<Offset> {
    order.into_iter().map(|(_, offset)| offset).collect()
}
