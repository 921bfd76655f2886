//! Rollback journals: the original pages of a transaction that has not ended.

use super::number;

/// The first bytes of a journal that is in force.
pub const JOURNAL_MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Bytes of a header. It fills a whole sector.
pub const JOURNAL_HEADER: usize = 28;

/// The header before a group of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalHeader {
    /// Number of pages in the group. `None` if the group extends to the end of the journal.
    pub records: Option<u32>,
    /// Where checksums begin.
    pub nonce: u32,
    /// Number of pages of the database before the transaction.
    pub pages: u32,
    pub sector: u32,
    pub page_size: u32,
}

impl JournalHeader {
    /// Reads a header. `None` if SQLite would refuse these bytes.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if !bytes.starts_with(&JOURNAL_MAGIC) {
            return None;
        }
        let (sector, page_size) = (number(bytes, 20)?, number(bytes, 24)?);
        let is_size = |size: u32, least: u32| size.is_power_of_two() && (least..=65_536).contains(&size);
        if !is_size(sector, 32) || !is_size(page_size, 512) {
            return None;
        }
        let records = Some(number(bytes, 8)?).filter(|&records| records != u32::MAX);
        Some(Self { records, nonce: number(bytes, 12)?, pages: number(bytes, 16)?, sector, page_size })
    }
}

/// Returns the checksum of a page: the sum of each two hundredth byte, from the end.
pub fn checksum(nonce: u32, page: &[u8]) -> u32 {
    let places = (1..page.len()).rev().skip(199).step_by(200);
    places.fold(nonce, |sum, place| sum.wrapping_add(u32::from(page[place])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_takes_every_two_hundredth_byte() {
        let mut page = [0; 512];
        (page[512 - 200], page[512 - 400], page[0], page[511]) = (1, 2, 100, 100);
        assert_eq!(checksum(7, &page), 10);
    }
}
