//! The columns of a sheet: those that people read, then the others.

use super::layout::Layout;
use crate::column_words::heading;
use hullmark_report::table::{Cell, ColumnHead, Head, Kind};
use hullmark_settings::users::Users;
use std::borrow::Cow;
use uuid::Uuid;

/// The column of a table from which owners' names come.
const OWNER: &str = "owner_uuid";

/// A column of a sheet.
pub(super) struct Column<'h> {
    /// Its index in the table.
    pub(super) place: usize,
    /// Its heading.
    pub(super) heading: Cow<'static, str>,
    pub(super) head: &'h ColumnHead,
    /// Kind of its cells.
    pub(super) kind: Kind,
    /// Whether it has names in place of UUIDs.
    is_name: bool,
}

/// Returns the columns of a sheet, and the number of those that people read.
pub(super) fn columns<'h>(head: &'h Head, layout: Option<&Layout>) -> (Vec<Column<'h>>, usize) {
    let find = |name: &str| head.columns.iter().position(|column| column.name == name);
    let of = |place: usize| {
        let head = &head.columns[place];
        Column { place, heading: heading(&head.name), head, kind: head.kind, is_name: false }
    };
    let shown = layout.into_iter().flat_map(|layout| layout.columns.split(' '));
    let mut columns: Vec<Column<'h>> = shown
        .filter_map(|name| match name {
            "owner" => {
                Some(Column { heading: "Owner".into(), kind: Kind::Text, is_name: true, ..of(find(OWNER)?) })
            }
            name => find(name).map(of),
        })
        .collect();
    let read = columns.len();
    let is_left = |place: &usize| !columns.iter().any(|column| column.place == *place && !column.is_name);
    let folded: Vec<usize> = (0..head.columns.len()).filter(is_left).collect();
    columns.extend(folded.into_iter().map(of));
    (columns, if layout.is_some() { read } else { head.columns.len() })
}

impl Column<'_> {
    /// Returns its cell of a row: the name of an owner if the users have it, else the UUID.
    pub(super) fn cell<'c>(&self, row: &'c [Cell<'_>], users: Option<&'c Users>) -> Cell<'c> {
        let cell = row.get(self.place).unwrap_or(&Cell::Empty);
        let name = match (cell, users) {
            (Cell::Text(uuid), Some(users)) if self.is_name => {
                Uuid::try_parse(uuid).ok().and_then(|uuid| users.name(uuid))
            }
            _ => None,
        };
        name.map_or_else(|| cell.clone(), Cell::from)
    }
}
