//! Rows of a table in Parquet.

use super::{
    ReadReportError,
    files::{Compared, TableFile, Then},
};
use crate::{
    parquet::{Values, physical},
    table::{Cell, Kind, Time},
};
use ::parquet::{
    column::reader::{ColumnReader, ColumnReaderImpl},
    data_type::DataType,
    errors::{ParquetError, Result as Read},
    file::{
        metadata::ParquetMetaData,
        reader::{FileReader, RowGroupReader},
        serialized_reader::SerializedFileReader,
    },
};
use hullmark_util::{catch_panic::caught, number_text::thousands};
use std::time::Duration;

/// Rows that are decoded together.
const TOGETHER: usize = 1024;

/// Maximum size of a column in a row group, bytes. This program writes at most 32 MiB of all columns.
const COLUMN: i64 = 256 << 20;

/// Reads the compared columns row by row.
pub(super) fn rows(file: &TableFile<'_>, then: &mut Then<'_>) -> Result<(), ReadReportError> {
    let damaged = |error: ParquetError| file.damaged(error);
    let opened = file.file.try_clone().map_err(|error| file.damaged(error))?;
    let reader = decoded(file, || SerializedFileReader::new(opened))?;
    let columns = file.columns(|name| index_of(reader.metadata(), name))?;
    for group in 0..reader.num_row_groups() {
        let group = decoded(file, || reader.get_row_group(group))?;
        let mut rest = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        let open = |&(column, index): &(&Compared, usize)| Column::open(&*group, column, index);
        let mut values = columns.iter().map(open).collect::<Read<Vec<_>>>().map_err(damaged)?;
        while rest > 0 {
            let rows = rest.min(TOGETHER);
            let batch = || values.iter_mut().map(|column| column.read(rows)).collect::<Read<Vec<_>>>();
            let batch = decoded(file, batch)?;
            rest -= rows;
            let mut batch: Vec<_> = batch.iter().map(Batch::cells).collect();
            for _ in 0..rows {
                let mut row = vec![Cell::Empty; file.width];
                for ((column, _), cells) in columns.iter().zip(&mut batch) {
                    row[column.place] = cells.next().transpose().map_err(damaged)?.unwrap_or(Cell::Empty);
                }
                then(&row)?;
            }
        }
    }
    Ok(())
}

/// Decodes something. The decoder may panic on damaged files.
fn decoded<T>(file: &TableFile<'_>, decode: impl FnOnce() -> Read<T>) -> Result<T, ReadReportError> {
    caught(decode).map_err(|panic| file.damaged(panic))?.map_err(|error| file.damaged(error))
}

/// Returns the index of a column. Columns within others are no columns of a table.
fn index_of(file: &ParquetMetaData, name: &str) -> Option<usize> {
    let columns = file.file_metadata().schema_descr();
    columns.columns().iter().position(|column| {
        let is_flat = column.max_rep_level() == 0 && column.max_def_level() <= 1;
        is_flat && column.path().parts() == [name]
    })
}

/// A column of a row group.
struct Column {
    reader: ColumnReader,
    kind: Kind,
}

impl Column {
    fn open(group: &dyn RowGroupReader, column: &Compared, index: usize) -> Read<Self> {
        let bytes = group.metadata().column(index).uncompressed_size();
        if bytes > COLUMN {
            return Err(ParquetError::General(format!(
                "column {} has {} bytes in a row group, more than {}",
                column.name,
                thousands(bytes.unsigned_abs()),
                thousands(COLUMN.unsigned_abs())
            )));
        }
        let expected = physical(column.kind);
        let found = group.metadata().column(index).column_type();
        if found != expected {
            let words = format!("column {} has the type {found} instead of {expected}", column.name);
            return Err(ParquetError::General(words));
        }
        Ok(Self { reader: group.get_column_reader(index)?, kind: column.kind })
    }

    /// Decodes the next rows.
    fn read(&mut self, rows: usize) -> Read<Batch> {
        match &mut self.reader {
            ColumnReader::BoolColumnReader(reader) => Batch::of(reader, rows, Values::Bool),
            ColumnReader::Int64ColumnReader(reader) => Batch::of(
                reader,
                rows,
                match self.kind {
                    Kind::Time => Values::Time,
                    _ => Values::Int,
                },
            ),
            ColumnReader::DoubleColumnReader(reader) => Batch::of(reader, rows, Values::Real),
            ColumnReader::ByteArrayColumnReader(reader) => Batch::of(reader, rows, Values::Text),
            _ => Err(ParquetError::General("a column has another type".to_owned())),
        }
    }
}

/// Some rows of a column.
struct Batch {
    rows: usize,
    /// For each row, 0 if it has no value. Empty if all rows have one.
    levels: Vec<i16>,
    values: Values,
}

impl Batch {
    fn of<T: DataType>(
        reader: &mut ColumnReaderImpl<T>,
        rows: usize,
        values: fn(Vec<T::T>) -> Values,
    ) -> Read<Self> {
        let (mut levels, mut found) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let (read, ..) = reader.read_records(rows, Some(&mut levels), None, &mut found)?;
        if read < rows {
            return Err(ParquetError::EOF("a column has fewer rows than its row group".to_owned()));
        }
        Ok(Self { rows, levels, values: values(found) })
    }

    /// Returns the cells of the rows. Text may be damaged.
    fn cells(&self) -> impl Iterator<Item = Read<Cell<'_>>> {
        let mut values = cells(&self.values);
        (0..self.rows).map(move |row| match self.levels.get(row) {
            Some(0) => Ok(Cell::Empty),
            _ => values.next().unwrap_or(Ok(Cell::Empty)),
        })
    }
}

fn cells(values: &Values) -> Box<dyn Iterator<Item = Read<Cell<'_>>> + '_> {
    match values {
        Values::Bool(values) => Box::new(values.iter().map(|value| Ok(Cell::Bool(*value)))),
        Values::Int(values) => Box::new(values.iter().map(|value| Ok(Cell::Int(*value)))),
        Values::Real(values) => Box::new(values.iter().map(|value| Ok(Cell::Real(*value)))),
        Values::Time(values) => Box::new(values.iter().map(|value| Ok(time(*value).into()))),
        Values::Text(values) => Box::new(values.iter().map(|text| Ok(text.as_utf8()?.into()))),
    }
}

fn time(milliseconds: i64) -> Option<Time> {
    Time::since_1970(Duration::from_millis(u64::try_from(milliseconds).ok()?))
}
