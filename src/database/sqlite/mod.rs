//! The file format of SQLite: bytes of pages, journals and write-ahead logs to values.
//!
//! A database is a file of pages. Each table is a tree of pages with one record for each row. Records that are longer
//! than a page continue in a chain of overflow pages. See <https://www.sqlite.org/fileformat2.html>.

mod header;
mod journal;
mod page;
mod record;
mod wal;

pub use header::{Encoding, HEADER, Header, MAGIC};
pub use journal::{JOURNAL_HEADER, JOURNAL_MAGIC, JournalHeader, checksum as journal_checksum};
pub use page::{Page, PageKind};
pub use record::{decode, varint};
pub use wal::{FRAME_HEADER, Frame, WAL_HEADER, WalHeader, checksum as wal_checksum};

/// Returns the big-endian number at this place. `None` if the bytes end before.
fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_be_bytes)
}
