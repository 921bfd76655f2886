//! The rows of a table in the order of their numbers.

use super::snapshot::{Failed, Snapshot};
use hullmark_format::{
    defect::SqliteFault,
    sqlite::{Kind, Page},
};

/// Most levels of a tree. SQLite has the same limit.
const DEEPEST: usize = 20;

/// A place between two rows of a table.
#[derive(Debug)]
pub(super) struct Cursor {
    /// The pages from the root to the next row, with their numbers and the place of the next cell.
    path: Vec<(Vec<u8>, u32, usize)>,
    /// Only rows after this one are wanted.
    after: Option<i64>,
    /// The page to begin with.
    root: Option<u32>,
    /// Number of rows that are longer than the limit. They are left out.
    pub(super) too_long: u64,
}

impl Cursor {
    /// Creates a cursor before the first row with a number above `after`.
    pub(super) fn new(root: u32, after: Option<i64>) -> Self {
        Self { path: Vec::new(), after, root: Some(root), too_long: 0 }
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
            let (bytes, number, at) = self.path.last_mut()?;
            let (number, index) = (*number, *at);
            *at += 1;
            let page = Page::new(bytes, number, snapshot.header.usable)?;
            if page.kind() == Kind::Interior {
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
            if self.after.is_some_and(|after| cell.rowid <= after) {
                continue;
            }
            if cell.size > snapshot.bytes() {
                return Some(Err(SqliteFault::Row { page: number }.into()));
            }
            if cell.size > longest {
                self.too_long += 1;
                continue;
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
        self.path.push((page, number, 0));
        Ok(())
    }
}
