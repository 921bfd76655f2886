//! Parquet: one file for each table, compressed with zstd. Needs the feature `parquet`.
//!
//! Counts are INT64, measures DOUBLE, times timestamps in UTC, text and UUIDs strings. An empty cell is null. Text is
//! unchanged.
//!
//! A row group is written column by column, so its rows are buffered: at most [`ROWS`] rows or [`BYTES`] bytes. Engines
//! skip groups by their least and greatest values, and by Bloom filters of UUIDs and regions. So a group ends with an
//! input, if it is large enough.
//!
//! The metadata of a file has the version of the columns, and the description of each.

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    packed_rows::{PackedRows, unpack},
    page::{Page, Writer},
    reported::Piece,
    table::{Cell, ColumnHead, Head, Kind},
};
use ::parquet::{
    basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel},
    data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type},
    errors::{ParquetError, Result as Written},
    file::{
        metadata::KeyValue,
        properties::WriterProperties,
        writer::{SerializedColumnWriter, SerializedFileWriter},
    },
    schema::types::Type,
};
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
    sync::Arc,
    time::UNIX_EPOCH,
};

/// Maximum number of rows of a row group.
const ROWS: usize = 64 * 1024;

/// Rows with which a group ends at the end of an input.
const ENOUGH: usize = ROWS / 4;

/// Approximate maximum size of a row group in memory, bytes.
const BYTES: usize = 32 * 1024 * 1024;

/// Opens a file for each table.
pub fn open(output: &mut Output, tables: &[Head]) -> Result<Writer, OutputError> {
    let open = |table: &Head| {
        let name = format!("{}.parquet", table.name);
        let file = output.open(&name)?;
        let opened = Table::open(file, table);
        let opened = opened.map_err(|error| OutputError { path: name.into(), source: failed(error) })?;
        Ok((table.name, opened))
    };
    let tables = tables.iter().map(open).collect::<Result<_, _>>()?;
    let row = |rows: &mut PackedRows, table, cells: &[Cell<'_>]| {
        rows.push(table, cells, ());
        Ok(())
    };
    Ok(Writer::of_rows(|_| PackedRows::default(), row, Parquet(tables)))
}

/// The files of the tables.
struct Parquet(BTreeMap<&'static str, Table>);

impl Page for Parquet {
    type Part = PackedRows;

    fn append(&mut self, piece: &Piece<'_>, rows: PackedRows) -> io::Result<()> {
        if matches!(piece, Piece::Head(_)) {
            let mut large = self.0.values_mut().filter(|table| table.rows >= ENOUGH);
            large.try_for_each(Table::write).map_err(failed)?;
        }
        rows.into_rows(|table, row, ()| match self.0.get_mut(table) {
            Some(table) => table.row(&unpack(row)?).map_err(failed),
            None => Ok(()),
        })
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        let tables = std::mem::take(&mut self.0);
        tables.into_values().try_for_each(|table| table.finish().map_err(failed)?.flush())
    }
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

/// A file with its buffered rows.
struct Table {
    writer: SerializedFileWriter<BufWriter<OutputFile>>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

impl Table {
    fn open(file: BufWriter<OutputFile>, head: &Head) -> Written<Self> {
        let fields = head.columns.iter().map(field).collect::<Written<_>>()?;
        let schema = Type::group_type_builder(head.name).with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_key_value_metadata(Some(metadata(head)));
        let filtered =
            head.columns.iter().filter(|column| column.kind == Kind::Uuid || column.name == "region");
        let properties = filtered.fold(properties, |properties, column| {
            properties.set_column_bloom_filter_max_ndv(column.name.as_ref().into(), ROWS as u64)
        });
        Ok(Self {
            writer: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?,
            columns: head.columns.iter().map(|column| Column::new(column.kind)).collect(),
            rows: 0,
            bytes: 0,
        })
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> Written<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            self.bytes += column.push(cell);
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES { self.write() } else { Ok(()) }
    }

    /// Writes the buffered rows as a row group.
    fn write(&mut self) -> Written<()> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            let Some(mut writer) = group.next_column()? else { break };
            column.write(&mut writer)?;
            writer.close()?;
        }
        group.close()?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }

    fn finish(mut self) -> Written<BufWriter<OutputFile>> {
        if self.rows > 0 {
            self.write()?;
        }
        self.writer.into_inner()
    }
}

/// Returns what the footer says about a table: its version, its description, and that of each column.
fn metadata(head: &Head) -> Vec<KeyValue> {
    let entry = |key: String, value: &str| KeyValue { key, value: Some(value.to_owned()) };
    let of_table = [("hullmark", env!("CARGO_PKG_VERSION")), ("table", head.name), ("about", head.about)];
    let of_table = of_table.map(|(key, value)| entry(key.to_owned(), value));
    let of_columns = head.columns.iter().map(|column| entry(format!("column {}", column.name), column.about));
    of_table.into_iter().chain(of_columns).collect()
}

/// The Parquet type of a column.
fn field(column: &ColumnHead) -> Written<Arc<Type>> {
    let moment = LogicalType::timestamp(true, TimeUnit::MILLIS);
    let logical = match column.kind {
        Kind::Bool | Kind::Int | Kind::Real | Kind::Percent => None,
        Kind::Time => Some(moment),
        Kind::Uuid | Kind::Text => Some(LogicalType::String),
    };
    let field = Type::primitive_type_builder(&column.name, physical(column.kind)).with_logical_type(logical);
    Ok(Arc::new(field.with_repetition(Repetition::OPTIONAL).build()?))
}

/// The type of the values in a column.
pub(crate) fn physical(kind: Kind) -> Physical {
    match kind {
        Kind::Bool => Physical::BOOLEAN,
        Kind::Int | Kind::Time => Physical::INT64,
        Kind::Real | Kind::Percent => Physical::DOUBLE,
        Kind::Uuid | Kind::Text => Physical::BYTE_ARRAY,
    }
}

/// The buffered cells of a column.
struct Column {
    /// For each row, 1 if it has a value, else 0.
    levels: Vec<i16>,
    values: Values,
}

/// The values of some rows in a column.
pub(crate) enum Values {
    Bool(Vec<bool>),
    Int(Vec<i64>),
    Real(Vec<f64>),
    /// Milliseconds since 1970.
    Time(Vec<i64>),
    Text(Vec<ByteArray>),
}

impl Column {
    fn new(kind: Kind) -> Self {
        let values = match kind {
            Kind::Bool => Values::Bool(Vec::new()),
            Kind::Int => Values::Int(Vec::new()),
            Kind::Real | Kind::Percent => Values::Real(Vec::new()),
            Kind::Time => Values::Time(Vec::new()),
            Kind::Uuid | Kind::Text => Values::Text(Vec::new()),
        };
        Self { levels: Vec::new(), values }
    }

    /// Adds a cell and returns its approximate size.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        let taken = match (&mut self.values, cell) {
            (Values::Bool(values), Cell::Bool(value)) => push(values, *value),
            (Values::Int(values), Cell::Int(value)) => push(values, *value),
            // A count beyond 63 bits is clamped.
            (Values::Int(values), Cell::Real(value)) => push(values, *value as i64),
            // Adding 0 turns -0 into 0.
            (Values::Real(values), Cell::Real(value)) => push(values, value + 0.0),
            (Values::Time(values), Cell::Text(text)) => {
                milliseconds(text).map_or(0, |time| push(values, time))
            }
            (Values::Text(values), Cell::Text(text)) => match values.last() {
                // Consecutive equal texts share one copy.
                Some(last) if last.data() == text.as_bytes() => push(values, last.clone()),
                _ => text.len() + push(values, ByteArray::from(text.as_bytes().to_vec())),
            },
            _ => 0,
        };
        self.levels.push((taken > 0).into());
        size_of::<i16>() + taken
    }

    fn write(&mut self, writer: &mut SerializedColumnWriter<'_>) -> Written<()> {
        let levels = std::mem::take(&mut self.levels);
        match &mut self.values {
            Values::Bool(values) => write::<BoolType>(writer, values, &levels),
            Values::Int(values) | Values::Time(values) => write::<Int64Type>(writer, values, &levels),
            Values::Real(values) => write::<DoubleType>(writer, values, &levels),
            Values::Text(values) => write::<ByteArrayType>(writer, values, &levels),
        }
    }
}

/// Adds a value and returns its size.
fn push<T>(values: &mut Vec<T>, value: T) -> usize {
    values.push(value);
    size_of::<T>()
}

fn write<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    values: &mut Vec<T::T>,
    levels: &[i16],
) -> Written<()> {
    writer.typed::<T>().write_batch(values, Some(levels), None)?;
    values.clear();
    Ok(())
}

fn milliseconds(text: &str) -> Option<i64> {
    let since = humantime::parse_rfc3339(text).ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_millis()).ok()
}
