//! Tables about the whole run: actions and missing assets in the order of all inputs, and sums of owners and creators.
//!
//! Their rows follow those of the last input. Until then, rows of actions and missing assets wait on the disk.

pub mod creators;
pub mod owners;
mod sorted_rows;

use crate::{
    missing::MissingAsset,
    output::Output,
    packed_rows::{pack, unpack},
    reported::{BYTES, Piece, Reported},
    table::{Cell, Rows, Table, write as write_row},
    tables::{
        actions::Actions,
        creators::Creators,
        missing::{Missing, key as missing},
        owners::Owners,
    },
};
use hullmark_rules::cross_input::CrossInput;
use hullmark_settings::users::Users;
use serde::{Deserialize, Serialize};
use sorted_rows::SortedRows;
use std::{borrow::Cow, io, mem::take};
use tempfile::SpooledTempFile;

/// Bytes of rows of a table up to which they stay in memory.
const IN_MEMORY: usize = 1 << 20;

/// Rows of a table about the run, packed.
#[derive(Default)]
pub struct RunRows(Vec<(&'static str, Vec<u8>)>);

impl RunRows {
    /// Adds a row.
    pub fn push(&mut self, table: &'static str, cells: &[Cell<'_>]) {
        let mut row = Vec::new();
        pack(cells, &mut row);
        self.0.push((table, row));
    }

    /// Estimates the bytes of the rows.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|(_, row)| row.len()).sum()
    }

    /// Passes on the rows.
    pub fn rows(&self, rows: &mut dyn Rows) -> io::Result<()> {
        self.0.iter().try_for_each(|(table, row)| rows.row(table, &unpack(row)?))
    }
}

/// The tables under construction.
pub struct RunTables {
    actions: SortedRows,
    missing: SortedRows,
}

/// The sums of owners and creators. Any thread makes those of an input.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct People {
    owners: owners::Sums,
    creators: creators::Sums,
}

impl People {
    /// Sums the shown things of an input.
    pub fn of(input: &Reported<'_>) -> Self {
        let mut people = Self::default();
        people.owners.add(input);
        people.creators.add(input);
        people
    }

    /// Joins the sums of the next inputs to these.
    pub fn join(&mut self, next: Self) {
        self.owners.join(next.owners);
        self.creators.join(next.creators);
    }

    /// Hands over the rows of all inputs, in pieces.
    pub fn finish(
        self,
        users: Option<&Users>,
        mut then: impl FnMut(&[Piece<'_>]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut pieces = Pieces { rows: RunRows(Vec::new()), bytes: 0, then: &mut then };
        self.owners.rows(users, |row| {
            write_row::<Owners>(&mut |name, row: &[Cell<'_>]| pieces.push(name, row), row)
        })?;
        self.creators
            .rows(|row| write_row::<Creators>(&mut |name, row: &[Cell<'_>]| pieces.push(name, row), row))?;
        pieces.end()
    }
}

impl Default for RunTables {
    fn default() -> Self {
        Self::in_memory()
    }
}

impl RunTables {
    /// Creates empty tables on the disk of this output.
    pub fn on_disk_of(output: &Output) -> Self {
        let rows = || SortedRows::new(output.scratch(IN_MEMORY), output.folder());
        Self { actions: rows(), missing: rows() }
    }

    /// Creates empty tables in memory.
    pub fn in_memory() -> Self {
        let rows = || SortedRows::new(SpooledTempFile::new(usize::MAX), None);
        Self { actions: rows(), missing: rows() }
    }

    /// Adds the shown things of an input. Inputs come in the order of the report.
    pub fn add(&mut self, input: &Reported<'_>) -> io::Result<()> {
        for action in input.actions() {
            let row = (input.measured, action);
            push::<Actions>(&mut self.actions, action.order, &row)?;
        }
        for asset in input.missing() {
            push::<Missing>(&mut self.missing, order(asset), &(input.measured, asset, ""))?;
        }
        Ok(())
    }

    /// Hands over the rows after the last input, in pieces. `across` knows the assets of all inputs.
    pub fn finish(
        self,
        across: &mut CrossInput,
        mut then: impl FnMut(&[Piece<'_>]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut pieces = Pieces { rows: RunRows(Vec::new()), bytes: 0, then: &mut then };
        self.actions.each(|row| pieces.push(Actions::NAME, &row))?;
        self.missing.each(|mut row| {
            let elsewhere =
                missing::ASSET_UUID.uuid(&row).map(|asset| across.input_with(asset)).transpose()?;
            let here = missing::ARCHIVE.text(&row);
            let elsewhere = elsewhere.flatten().filter(|input| *input != here).map(str::to_owned);
            row[missing::ELSEWHERE.place()] =
                elsewhere.map_or(Cell::Empty, |input| Cell::Text(Cow::Owned(input)));
            pieces.push(Missing::NAME, &row)
        })?;
        pieces.end()
    }
}

/// Rows that become pieces.
struct Pieces<'t> {
    rows: RunRows,
    bytes: usize,
    then: &'t mut dyn FnMut(&[Piece<'_>]) -> io::Result<()>,
}

impl Pieces<'_> {
    fn push(&mut self, table: &'static str, cells: &[Cell<'_>]) -> io::Result<()> {
        let mut packed = Vec::new();
        pack(cells, &mut packed);
        self.bytes += packed.len();
        self.rows.0.push((table, packed));
        if self.bytes >= BYTES { self.end() } else { Ok(()) }
    }

    fn end(&mut self) -> io::Result<()> {
        self.bytes = 0;
        let rows = RunRows(take(&mut self.rows.0));
        if rows.0.is_empty() { Ok(()) } else { (self.then)(&[Piece::Run(&rows)]) }
    }
}

/// Adds a row to a table.
fn push<T: Table>(to: &mut SortedRows, order: u64, row: &T::Row<'_>) -> io::Result<()> {
    write_row::<T>(&mut |_: &'static str, cells: &[Cell<'_>]| to.push(order, cells), row)
}

/// Returns the place of a missing asset: those of most objects come first, then those of most uses.
fn order(asset: &MissingAsset<'_>) -> u64 {
    let objects = u32::try_from(asset.objects).unwrap_or(u32::MAX);
    !(u64::from(objects) << 32 | u64::from(asset.by.used.count))
}
