//! The rows of a table in the order of their numbers.

use super::snapshot::{Failed, Snapshot};
use hullmark_database::sqlite::{Page, PageKind};
use hullmark_format::defect::SqliteFault;

/// Most levels of a tree. SQLite has the same limit.
const DEEPEST: usize = 20;

/// Bytes of a buffer that waits for the next record. A larger one is given back.
const KEPT: usize = 16 << 20;

/// A page on the way from the root to the next row.
#[derive(Debug)]
struct Step {
    bytes: Vec<u8>,
    number: u32,
    /// The place of the next cell.
    at: usize,
    /// Bytes of the page that its rows have had so far. No two rows share bytes, or a page would have thousands of
    /// times its size.
    used: usize,
}

/// A place between two rows of a table.
#[derive(Debug)]
pub(super) struct Cursor {
    /// The pages from the root to the next row.
    path: Vec<Step>,
    /// Only rows after this one are wanted.
    after: Option<i64>,
    /// The page to begin with.
    root: Option<u32>,
    /// Number of rows that are longer than the limit, and the bytes of the longest. They are left out.
    pub(super) too_long: (u64, u64),
}

impl Cursor {
    /// Creates a cursor before the first row with a number above `after`.
    pub(super) fn new(root: u32, after: Option<i64>) -> Self {
        Self { path: Vec::new(), after, root: Some(root), too_long: (0, 0) }
    }

    /// Reads the record of the next row, of at most this many bytes, and returns its number. `None` after the last row.
    /// After a fault the next call continues behind it.
    pub(super) fn next(
        &mut self,
        snapshot: &mut Snapshot,
        longest: u64,
        record: &mut Vec<u8>,
    ) -> Option<Result<i64, Failed>> {
        if let Some(root) = self.root.take()
            && let Err(failed) = self.enter(root, snapshot)
        {
            return Some(Err(failed));
        }
        loop {
            let Step { bytes, number, at, used } = self.path.last_mut()?;
            let (number, index) = (*number, *at);
            *at += 1;
            let page = Page::new(bytes, number, snapshot.header.usable)?;
            if page.kind() == PageKind::Interior {
                if index > page.cells() {
                    self.path.pop();
                    continue;
                }
                let entered = match page.child(index) {
                    Some((_, Some(last))) if self.after.is_some_and(|after| last <= after) => continue,
                    Some((child, _)) => self.enter(child, snapshot),
                    None => Err(SqliteFault::NoTablePage { page: number }.into()),
                };
                match entered {
                    Ok(()) => continue,
                    Err(failed) => return Some(Err(failed)),
                }
            }
            if index >= page.cells() {
                self.path.pop();
                continue;
            }
            let Some(cell) = page.row(index) else {
                return Some(Err(SqliteFault::Row { page: number }.into()));
            };
            *used += cell.local.len();
            if *used > snapshot.header.usable {
                self.path.pop();
                return Some(Err(SqliteFault::Row { page: number }.into()));
            }
            if self.after.is_some_and(|after| cell.rowid <= after) {
                continue;
            }
            if cell.size > snapshot.bytes() {
                return Some(Err(SqliteFault::Row { page: number }.into()));
            }
            if cell.size > longest {
                self.too_long = (self.too_long.0 + 1, self.too_long.1.max(cell.size));
                continue;
            }
            if record.capacity() > KEPT {
                *record = Vec::new();
            }
            record.clear();
            record.extend(cell.local);
            let rest = cell.overflow.map_or(Ok(()), |first| snapshot.overflow(first, cell.size, record));
            return Some(rest.map(|()| cell.rowid));
        }
    }

    fn enter(&mut self, number: u32, snapshot: &mut Snapshot) -> Result<(), Failed> {
        if self.path.len() >= DEEPEST {
            return Err(SqliteFault::TooDeep { page: number }.into());
        }
        let page = snapshot.table_page(number)?;
        self.path.push(Step { bytes: page, number, at: 0, used: 0 });
        Ok(())
    }
}
