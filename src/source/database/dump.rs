//! Reads an SQL dump of databases from its first byte to its last.

use super::{
    DatabaseRows,
    sql::{End, Schema, SqlReader},
    watched::Watched,
};
use crate::{ReadRequest, Reading, Visitor, archive::over_budget, not_read};
use hullmark_format::{
    database::Dialect,
    defect::{Budget, Defect, InputDefect},
};
use hullmark_ledger::InputKind;
use hullmark_settings::limits::Limits;
use std::{cell::Cell, io::BufRead};

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
    let (end, position, source) = statements(bytes, &mut schema, &mut dump, "");
    match end {
        // sqlite3 writes no such line.
        Some(End::Whole) if dialect != Dialect::Sqlite => {
            dump.reading.defects.push(Defect::new(InputDefect::DumpNotEnded));
        }
        _ => {}
    }
    report_tables(&schema, request.limits, dump.reading);
    dump.finish();
    reading.unpacked = position;
    (position, source)
}

/// Reads the statements of one file, whose name is empty if it is the whole dump. Returns how it ends, the number of
/// bytes, and the source. Without an end it was not read completely.
pub(super) fn statements<R: BufRead>(
    bytes: R,
    schema: &mut Schema,
    dump: &mut DatabaseRows<'_>,
    file: &str,
) -> (Option<End>, u64, R) {
    let ReadRequest { limits, ref deadline, .. } = *dump.request;
    // One byte above the limit shows whether more follow.
    let bytes = Watched::new(bytes, deadline.clone(), limits.archive_bytes.saturating_add(1));
    let mut reader = SqlReader::new(bytes, schema, limits);
    let end = reader.read(dump);
    let position = reader.position();
    let source = reader.into_inner().into_inner();
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

/// Reports what the tables of a dump show at its end.
pub(super) fn report_tables(schema: &Schema, limits: &Limits, reading: &mut Reading) {
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
