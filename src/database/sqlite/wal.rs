//! Write-ahead logs: new pages of transactions that are not in the database yet.

use super::number;

/// Bytes of the header of a log.
pub const WAL_HEADER: usize = 32;

/// Bytes of the header of a frame, before its page.
pub const FRAME_HEADER: usize = 24;

const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalHeader {
    /// Whether checksums take numbers with the high byte first.
    pub is_big_endian: bool,
    pub page_size: u32,
    /// Random bytes that all frames of this log have. Frames of an earlier log have others.
    pub salts: [u8; 8],
    /// Where the checksums of frames begin.
    pub sums: [u32; 2],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub page: u32,
    /// Number of pages of the database after the transaction, in its last frame. 0 in other frames.
    pub pages: u32,
    pub salts: [u8; 8],
    /// Checksums of all frames up to this one.
    pub sums: [u32; 2],
}

impl WalHeader {
    /// Reads a header. `None` if SQLite would ignore the log.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..WAL_HEADER)?;
        let magic = number(bytes, 0)?;
        let is_big_endian = magic & 1 == 1;
        let sums = [number(bytes, 24)?, number(bytes, 28)?];
        let page_size = number(bytes, 8)?;
        let is_valid = magic & !1 == MAGIC
            && number(bytes, 4)? == VERSION
            && page_size.is_power_of_two()
            && (512..=65_536).contains(&page_size)
            && checksum(is_big_endian, [0; 2], &bytes[..24]) == sums;
        let salts = *bytes[16..].first_chunk()?;
        is_valid.then_some(Self { is_big_endian, page_size, salts, sums })
    }
}

impl Frame {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            page: number(bytes, 0)?,
            pages: number(bytes, 4)?,
            salts: *bytes.get(8..)?.first_chunk()?,
            sums: [number(bytes, 16)?, number(bytes, 20)?],
        })
    }
}

/// Returns the checksums after these bytes, whose number is a multiple of 8.
pub fn checksum(is_big_endian: bool, [mut one, mut two]: [u32; 2], bytes: &[u8]) -> [u32; 2] {
    let read = if is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
    for &[a, b, c, d, e, f, g, h] in bytes.as_chunks().0 {
        one = one.wrapping_add(read([a, b, c, d])).wrapping_add(two);
        two = two.wrapping_add(read([e, f, g, h])).wrapping_add(one);
    }
    [one, two]
}
