//! The first 100 bytes of a database.

use super::number;

/// The first bytes of a database.
pub const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Size of the header in bytes. The rest of the first page is the root of the list of tables.
pub const HEADER: usize = 100;

/// Fewest bytes of a page that tables can use.
const FEWEST_USABLE: usize = 480;

/// Latest version of the schema format that SQLite knows.
const LATEST_SCHEMA: u32 = 4;

/// How a database stores texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 with the low byte first.
    Utf16Le,
    /// UTF-16 with the high byte first.
    Utf16Be,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    pub page_size: usize,
    /// Bytes of a page before those that extensions reserve.
    pub usable: usize,
    /// How texts are stored.
    pub encoding: Encoding,
    /// Number of pages. `None` if an old version of SQLite wrote the file last and did not count them.
    pub pages: Option<u32>,
}

impl Header {
    /// Reads a header. `None` if SQLite would refuse it.
    pub fn read(start: &[u8]) -> Option<Self> {
        if start.len() < HEADER || !start.starts_with(MAGIC) {
            return None;
        }
        let page_size = match u16::from_be_bytes([start[16], start[17]]) {
            1 => 65_536,
            size => usize::from(size),
        };
        let usable = page_size.checked_sub(usize::from(start[20]))?;
        let is_known = start[19] <= 2 && start[21..24] == [64, 32, 32] && number(start, 44)? <= LATEST_SCHEMA;
        if !page_size.is_power_of_two() || page_size < 512 || usable < FEWEST_USABLE || !is_known {
            return None;
        }
        let encoding = match number(start, 56)? {
            0 | 1 => Encoding::Utf8,
            2 => Encoding::Utf16Le,
            3 => Encoding::Utf16Be,
            _ => return None,
        };
        // The number of pages is valid for one state of the change counter.
        let is_counted = number(start, 24)? == number(start, 92)?;
        let pages = number(start, 28).filter(|&pages| is_counted && pages > 0);
        Some(Self { page_size, usable, encoding, pages })
    }
}
