//! JPEG 2000 (ISO/IEC 15444-1, annexes A and I), JPEG (ITU-T T.81, annex B) and Targa.

use super::{Known, Record, Step, field, has};
use crate::image::{jpeg2000, tga};

/// The maximum number of pixels in a packet.
const PACKET: u64 = 128;

pub(super) fn jp2_box(head: &[u8]) -> Known {
    let is_codestream = field::<4>(head, 4)? == *b"jp2c";
    let (length, start) = match u32::from_be_bytes(field(head, 0)?) {
        // The box extends to the end of the file.
        0 => (0, 8),
        1 => (u64::from_be_bytes(field(head, 8)?), 16),
        length => (length.into(), 8),
    };
    match (length, is_codestream) {
        (0, true) => Ok(Step::next(start, Record::Codestream)),
        (0, false) => Ok(Step::End),
        (length, _) if length < start => Ok(Step::End),
        (bytes, true) => Ok(Step::Next { bytes, next: start, record: Record::Codestream }),
        (bytes, false) => Ok(Step::next(bytes, Record::Box)),
    }
}

/// The start of a codestream and its SIZ segment, which gives the number of tiles.
pub(super) fn codestream(head: &[u8]) -> Known {
    if !has(head, 0, &[0xff, 0x4f, 0xff, 0x51])? {
        return Ok(Step::End);
    }
    let end = 4 + usize::from(u16::from_be_bytes(field(head, 4)?));
    let size = head.get(..end).ok_or(end)?;
    Ok(jpeg2000::header(size)
        .map_or(Step::End, |header| Step::next(end as u64, Record::Marker { tiles: header.tiles, parts: 0 })))
}

/// A marker segment. At SOT it is the whole tile-part.
pub(super) fn marker(head: &[u8], tiles: u64, parts: u64) -> Known {
    let all_came = tiles == 0 && parts == 0;
    match field(head, 0) {
        Ok([0xff, 0x90]) => tile_part(head, tiles, parts),
        // Only the end marker follows the last tile-part, and it may be missing. So a single byte may be padding.
        _ if all_came && head.len() < 2 => Err(0),
        _ if all_came => Ok(Step::End),
        Ok([0xff, 0x50..=0x8f | 0x91..=0xd8 | 0xda..]) => {
            Ok(Step::next(segment_bytes(head)?, Record::Marker { tiles, parts }))
        }
        Ok(_) => Ok(Step::End),
        Err(bytes) => Err(bytes),
    }
}

/// A tile-part may state the number of parts of its tile. A part of length 0 is the last of all and ends at the end
/// marker.
fn tile_part(head: &[u8], tiles: u64, parts: u64) -> Known {
    let length = u32::from_be_bytes(field(head, 6)?);
    let record = match field(head, 10)? {
        [0, of_tile] => Record::Marker {
            tiles: tiles.saturating_sub(1),
            parts: parts + u64::from(of_tile).saturating_sub(1),
        },
        _ => Record::Marker { tiles, parts: parts.saturating_sub(1) },
    };
    match length {
        0 => Ok(Step::next(12, Record::Segment)),
        1..14 => Ok(Step::End),
        bytes => Ok(Step::next(bytes.into(), record)),
    }
}

/// A segment before the data. The data begins after SOS of a JPEG, and at SOD of a tile-part. Thumbnails and comments
/// may contain end markers that do not end the image.
pub(super) fn segment(head: &[u8]) -> Known {
    let data = Record::Data { last: 0 };
    match field(head, 0)? {
        [0xff, 0xff] => Ok(Step::next(1, Record::Segment)),
        [0xff, 0xd9] => Ok(Step::last(2)),
        [0xff, 0x93] => Ok(Step::next(2, data)),
        [0xff, 0xda] => Ok(Step::next(segment_bytes(head)?, data)),
        [0xff, 0x50..=0xfe] => Ok(Step::next(segment_bytes(head)?, Record::Segment)),
        _ => Ok(Step::End),
    }
}

/// Returns the bytes of a segment, including its marker.
fn segment_bytes(head: &[u8]) -> Result<u64, usize> {
    Ok(2 + u64::from(u16::from_be_bytes(field(head, 2)?).max(2)))
}

pub(super) fn targa(head: &[u8]) -> Known {
    let header: [u8; 18] = field(head, 0)?;
    if tga::header(&header).is_none() {
        return Ok(Step::End);
    }
    let number = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
    let palette = u64::from(header[1]) * number(5) * u64::from(header[7]).div_ceil(8);
    let start = 18 + u64::from(header[0]) + palette;
    let (pixels, pixel) = (number(12) * number(14), u64::from(header[16]).div_ceil(8));
    let is_compressed = header[2] > 3;
    Ok(if is_compressed { packets(start, pixels, pixel) } else { Step::last(start + pixels * pixel) })
}

/// Returns a step over `bytes` to the packets for `left` pixels. Full packets give the smallest number of bytes.
fn packets(bytes: u64, left: u64, pixel: u64) -> Step {
    let fewest = left.div_ceil(PACKET) * (1 + pixel);
    let record = if left == 0 { Record::End } else { Record::Packet { left, pixel } };
    Step::Next { bytes: bytes + fewest, next: bytes, record }
}

pub(super) fn packet(head: &[u8], left: u64, pixel: u64) -> Known {
    let [kind] = field(head, 0)?;
    let count = u64::from(kind % 128) + 1;
    let stored = if kind < 128 { count } else { 1 };
    Ok(packets(1 + stored * pixel, left.saturating_sub(count), pixel))
}
