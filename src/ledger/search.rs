//! Looks for a text in a packed ledger. Most ledgers lack it, and unpacking takes a fraction of the time of parsing.

use crate::util::text_search::PlainPart;
use flate2::read::DeflateDecoder;
use std::io::Read;

/// Bytes that are searched at a time. They fit into the cache of a processor.
const PIECE: usize = 256 * 1024;

/// Whether the facts may contain a text, in any case. Facts that cannot be unpacked may contain anything.
pub(super) fn may_hold(packed: &[u8], text: &PlainPart) -> bool {
    let mut json = DeflateDecoder::new(packed);
    let mut piece = vec![0; PIECE + text.len()];
    let mut kept = 0;
    loop {
        let Ok(read) = read_full(&mut json, &mut piece[kept..]) else { return true };
        let end = kept + read;
        if text.may_be_in(&mut piece[..end]) {
            return true;
        }
        if read == 0 {
            return false;
        }
        // The text may begin in this piece and end in the next. Letters beyond ASCII have at most 3 bytes.
        let start = end.saturating_sub(text.len().max(3));
        piece.copy_within(start..end, 0);
        kept = end - start;
    }
}

/// Reads until the buffer is full or nothing is left.
fn read_full(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Ledger, facts::Status};

    #[test]
    fn a_text_is_found_at_every_place() {
        for before in [0, 1, PIECE - 20, PIECE - 4, PIECE - 1, PIECE, PIECE + 3, 2 * PIECE + 5] {
            let name = format!("{}Garden", "x".repeat(before));
            let packed = Ledger::empty(&name, "oar", Status::Complete).pack();
            let holds = |text: &str| may_hold(packed.bytes(), &PlainPart::of(text).unwrap());
            assert!(holds("gARDEn") && holds("xG") | (before == 0), "{before}");
            assert!(!holds("gardens"), "{before}");
        }
    }
}
