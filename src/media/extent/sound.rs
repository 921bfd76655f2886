//! Ogg (RFC 3533, section 6) and RIFF WAVE.

use super::{Known, Record, Step, field, has};

/// Lengths from here on are not real: streaming programs write 0x7ffff000 or 0xffffffff.
const STREAMED: u32 = 0x7fff_0000;
/// Bytes of the head of a chunk. A shorter rest contains no chunk: some programs count the head of the file in its
/// length.
const CHUNK_HEAD: u64 = 8;

pub(super) fn page(head: &[u8]) -> Known {
    if !has(head, 0, b"OggS")? {
        return Ok(Step::End);
    }
    let [segments] = field(head, 26)?;
    let segments = usize::from(segments);
    let table = head.get(27..27 + segments).ok_or(27 + segments)?;
    let body: u64 = table.iter().copied().map(u64::from).sum();
    let is_last = head[5] & 4 != 0;
    Ok(Step::next((27 + segments) as u64 + body, if is_last { Record::End } else { Record::Page }))
}

pub(super) fn wave(head: &[u8]) -> Known {
    if !has(head, 0, b"RIFF")? || !has(head, 8, b"WAVE")? {
        return Ok(Step::End);
    }
    let left = match u32::from_le_bytes(field(head, 4)?) {
        0 | STREAMED.. => None,
        length => Some(u64::from(length).saturating_sub(4)),
    };
    Ok(chunks(12, 12, left))
}

/// Returns a step over `bytes` to the remaining chunks.
fn chunks(bytes: u64, next: u64, left: Option<u64>) -> Step {
    let may_follow = left.is_none_or(|left| left > CHUNK_HEAD);
    Step::Next { bytes, next, record: if may_follow { Record::Chunk { left } } else { Record::End } }
}

/// Chunks begin at even positions. A streaming program does not know the length of its data in advance.
pub(super) fn chunk(head: &[u8], left: Option<u64>) -> Known {
    let is_data = field::<4>(head, 0)? == *b"data";
    let length = u32::from_le_bytes(field(head, 4)?);
    let bytes = CHUNK_HEAD + u64::from(length);
    let next = bytes + bytes % 2;
    match (length, left) {
        (0, _) if is_data => Ok(Step::End),
        (STREAMED.., _) => Ok(Step::End),
        (_, None) if is_data => Ok(Step::last(bytes)),
        // If an odd chunk has no padding, the bytes after it are not read as a head.
        (_, Some(left)) if bytes > left && !is_data => Ok(Step::End),
        _ => Ok(chunks(bytes, next, left.map(|left| left.saturating_sub(next)))),
    }
}
