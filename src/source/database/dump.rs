//! Reads an SQL dump of databases from its first byte to its last.

use super::{
    DatabaseRows, Rows, is_known,
    sql::{self, End, LinesOf, Schema, SqlReader},
    tables::{Tables, explain_absence},
    watched::Watched,
};
use crate::{
    Deadline, ReadRequest, Reading, Visitor,
    archive::{BUFFER, over_budget},
    not_read,
    unpack::{Unpack, is_packed},
};
use hullmark_database::{Columns, Dialect, Row};
use hullmark_format::defect::{Budget, Defect, InputDefect};
use hullmark_ledger::{InputKind, facts::UnknownFile};
use hullmark_settings::limits::Limits;
use std::{
    cell::Cell,
    io::{BufRead, BufReader},
};

/// Reads a dump to its end. Returns the number of bytes and the source.
pub(crate) fn read<R: BufRead>(
    bytes: R,
    dialect: Dialect,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
    reading: &mut Reading,
    unreported: &Cell<u64>,
) -> (u64, R) {
    reading.kind = Some(InputKind::Dump);
    let mut dump = DatabaseRows::new(dialect, request, visitor, reading, unreported);
    let mut schema = Schema::new(dialect);
    let (end, position, source) = content(bytes, None, &mut schema, &mut dump, "");
    if let Some(file) = foreign_dump(end, &schema, &dump) {
        dump.reading.unknown.push(UnknownFile { bytes: position, ..file });
    } else {
        // sqlite3 writes no such line.
        if end == Some(End::Whole) && dialect != Dialect::Sqlite {
            dump.reading.defects.push(Defect::new(InputDefect::DumpNotEnded));
        }
        report_tables(&schema, request.limits, &mut dump);
    }
    dump.finish();
    reading.unpacked = position;
    (position, source)
}

/// Reads the statements of one file, or its lines. The name is empty if it is the whole dump. Returns how it ends, the
/// number of bytes, and the source. Without an end it was not read completely.
pub(super) fn content<R: BufRead>(
    bytes: R,
    lines: Option<&LinesOf>,
    schema: &mut Schema,
    dump: &mut DatabaseRows<'_>,
    file: &str,
) -> (Option<End>, u64, R) {
    let ReadRequest { limits, ref deadline, .. } = *dump.request;
    // One byte above the limit shows whether more follow.
    let bytes = Watched::new(bytes, deadline.clone(), limits.archive_bytes.saturating_add(1));
    let mut reader = SqlReader::new(bytes, schema, limits);
    let end = match lines {
        Some(lines) => reader.read_lines(lines, dump),
        None => reader.read(dump),
    };
    let position = reader.position();
    let (source, tail) = reader.into_inner().into_inner();
    if matches!(end, Ok(End::Cut)) {
        schema.messages.note_end(&tail);
    }
    let mut give_up = |defect: Defect| dump.reading.give_up(defect.entry(file));
    let end = match end {
        Ok(_) if position > limits.archive_bytes => {
            give_up(over_budget(Budget::BytesInAll, position, limits.archive_bytes));
            None
        }
        Ok(End::Cut) => {
            give_up(Defect::new(InputDefect::Damaged { why: None, position }));
            None
        }
        Ok(end) => Some(end),
        Err(error) => {
            give_up(not_read(&error));
            None
        }
    };
    (end, position, source)
}

/// Returns a dump as a file of an unknown kind if it was read to its end and has no table of a simulator.
pub(super) fn foreign_dump(
    end: Option<End>,
    schema: &Schema,
    dump: &DatabaseRows<'_>,
) -> Option<UnknownFile> {
    let looks_like = foreign(end, schema, &dump.tables)?;
    Some(UnknownFile { entry: String::new(), bytes: 0, looks_like, further: 0 })
}

/// Describes a dump that was read to its end and has no table of a simulator. `None` for any other dump.
fn foreign(end: Option<End>, schema: &Schema, tables: &Tables) -> Option<String> {
    let is_whole = matches!(end, Some(End::Complete | End::Whole));
    let first = tables.first_other.as_deref().filter(|_| is_whole && !tables.is_of_simulator)?;
    let product = match schema.dialect {
        Dialect::MySql => "MySQL",
        Dialect::PostgreSql => "PostgreSQL",
        Dialect::Sqlite => "SQLite",
    };
    Some(format!("dump of another program ({product}; its first table is {first})"))
}

/// Reads a dump up to its first table of a simulator. Describes a dump without any.
pub(crate) fn described_as_foreign(mut bytes: impl BufRead, limits: &Limits) -> Option<String> {
    let start = bytes.fill_buf().ok()?;
    if !is_packed(start) {
        return described(bytes, limits);
    }
    let start = start[..start.len().min(4)].to_vec();
    described(BufReader::with_capacity(BUFFER, Unpack::new(&start, bytes)), limits)
}

fn described(mut bytes: impl BufRead, limits: &Limits) -> Option<String> {
    let dialect = sql::Start::of(bytes.fill_buf().ok()?).dialect()?;
    let (mut scout, mut schema) = (Scout::default(), Schema::new(dialect));
    let bytes = Watched::new(bytes, Deadline::default(), limits.archive_bytes);
    let end = SqlReader::new(bytes, &mut schema, limits).read(&mut scout).ok();
    foreign(end, &schema, &scout.tables)
}

/// Looks for a table of a simulator.
#[derive(Default)]
struct Scout {
    tables: Tables,
}

impl Rows for Scout {
    fn knows(&self, table: &str) -> bool {
        is_known(table)
    }

    fn wants(&mut self, database: &str, table: &str) -> bool {
        self.tables.insert_into(database, table);
        false
    }

    fn define(&mut self, database: &str, table: &str, columns: &Columns) {
        self.tables.note(table, columns);
        if is_known(table) {
            self.tables.define(database, table);
        }
    }

    fn row(&mut self, _: &str, _: &str, _: &Row<'_>) -> Option<&'static str> {
        None
    }

    fn enough(&self) -> bool {
        self.tables.is_of_simulator
    }
}

/// Reports what the tables of a dump show at its end.
pub(super) fn report_tables(schema: &Schema, limits: &Limits, dump: &mut DatabaseRows<'_>) {
    dump.tables.failed.clone_from(&schema.messages.tables);
    let reading = &mut *dump.reading;
    let is_cut = explain_absence(&reading.defects);
    if schema.defined == 0 && !schema.has_rows && !is_cut {
        let said = schema.messages.first.clone();
        reading.give_up(Defect::new(InputDefect::NoTables { said }));
    }
    match schema.messages.defect() {
        Some(defect) if schema.messages.errors > 0 => reading.give_up(defect),
        Some(defect) => reading.defects.push(defect),
        None => {}
    }
    schema.over.defects(schema.defined, limits).into_iter().for_each(|defect| reading.give_up(defect));
    for table in &schema.unknown_columns {
        reading.give_up(Defect::new(InputDefect::TableWithoutColumns { table: table.clone() }));
    }
    if schema.odd_rows > 0 {
        let rows = schema.odd_rows;
        reading.give_up(Defect::new(InputDefect::OddRows { rows }).measured(rows as f64));
    }
    if !schema.my_isam.is_empty() {
        let tables = schema.my_isam.iter().cloned().collect::<Vec<_>>().join(", ");
        reading.defects.push(Defect::new(InputDefect::MyIsamTables { tables }));
    }
    if schema.odd_texts > 0 {
        let (texts, charset) = (schema.odd_texts, schema.charset.name().to_owned());
        reading
            .defects
            .push(Defect::new(InputDefect::OtherCharset { texts, charset }).measured(texts as f64));
    }
}
