//! Reads an SQL dump of databases from its first byte to its last.

use super::{
    DatabaseRows,
    sql::{End, SqlReader},
};
use crate::{
    format::{
        database::Dialect,
        defect::{Budget, Defect, InputDefect},
    },
    ledger,
    scan::source::{Reading, Visitor, archive::over_budget, not_read},
    settings::limits::Limits,
};
use std::{cell::Cell, io::BufRead, rc::Rc};

/// Reads a dump to its end. Returns the number of bytes and the source.
pub(in crate::scan::source) fn read<R: BufRead>(
    bytes: R,
    dialect: Dialect,
    limits: &Limits,
    visitor: &mut dyn Visitor,
    reading: &mut Reading,
    unreported: &Rc<Cell<u64>>,
) -> (u64, R) {
    reading.kind = Some(ledger::DUMP);
    // One byte above the limit shows whether more follow.
    let bytes = bytes.take(limits.archive_bytes.saturating_add(1));
    let longest = usize::try_from(limits.entry_bytes).unwrap_or(usize::MAX);
    let mut reader = SqlReader::new(bytes, dialect, longest);
    let mut dump = DatabaseRows::new(dialect, limits, visitor, reading, unreported);
    let end = reader.read(&mut dump);
    let position = reader.position();
    match end {
        Ok(_) if position > limits.archive_bytes => {
            dump.reading.give_up(over_budget(Budget::BytesInAll, position, limits.archive_bytes));
        }
        Ok(End::Complete | End::Enough) => {}
        // sqlite3 writes no such line.
        Ok(End::Whole) if dialect == Dialect::Sqlite => {}
        Ok(End::Whole) => dump.reading.defects.push(Defect::new(InputDefect::DumpNotEnded)),
        Ok(End::Cut) => dump.reading.give_up(Defect::new(InputDefect::Damaged { why: None, position })),
        Err(error) => dump.reading.give_up(not_read(&error)),
    }
    if reader.too_long > 0 {
        let defect = over_budget(Budget::BytesInMember, reader.too_long, limits.entry_bytes);
        dump.reading.give_up(defect);
    }
    for table in std::mem::take(&mut reader.unknown_columns) {
        dump.reading.give_up(Defect::new(InputDefect::TableWithoutColumns { table }));
    }
    if reader.odd_rows > 0 {
        let rows = reader.odd_rows;
        dump.reading.give_up(Defect::new(InputDefect::OddRows { rows }).measured(rows as f64));
    }
    dump.finish();
    reading.unpacked = position;
    (position, reader.into_inner().into_inner())
}
