//! Packs the facts of a ledger, and unpacks them.
//!
//! The facts are JSON in one DEFLATE stream. Pieces of it are compressed on all threads: each ends on a whole byte, and
//! refers to nothing before it.

use super::Ledger;
use flate2::{Compress, Compression, read::DeflateDecoder};
use hullmark_util::{
    deflate,
    lock::{into_inner, lock},
    timings::{self, Stage},
};
use rayon::Scope;
use std::{
    cell::RefCell,
    collections::BTreeMap,
    io::{self, BufReader, Read, Write},
    mem,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Bytes of JSON in a piece, except the last.
const PIECE: usize = 1 << 20;

/// JSON up to this number of bytes is parsed from memory, which takes half the time. Longer JSON is parsed while it is
/// unpacked.
const AT_ONCE: u64 = 64 * 1024 * 1024;

thread_local! {
    /// One encoder for all ledgers of a thread. A new encoder for each ledger would fragment the memory of the
    /// allocator. Level 1 of zlib-rs uses fixed codes, with which hashes and UUIDs take a third more space.
    static ENCODER: RefCell<Compress> = RefCell::new(Compress::new(Compression::new(2), false));
}

/// Returns the packed facts of a ledger, after other data.
pub(super) fn pack(ledger: &Ledger, before: Vec<u8>) -> Vec<u8> {
    let pieces = Pieces::default();
    let last = rayon::in_place_scope(|scope| {
        let mut packer = Packer { scope, pieces: &pieces, piece: Vec::new(), number: 0 };
        let written = serde_json::to_writer(&mut packer, ledger);
        written.unwrap_or_else(|error| unreachable!("memory takes every byte: {error}"));
        compressed(&packer.piece, true)
    });
    let packed = into_inner(pieces.packed).into_values();
    let packed: Vec<Vec<u8>> = [before].into_iter().chain(packed).chain([last]).collect();
    let packed = packed.concat();
    timings::pass(Stage::Ledger, packed.len());
    packed
}

pub(super) fn unpack(packed: &[u8]) -> io::Result<Ledger> {
    let mut json = DeflateDecoder::new(packed);
    let mut start = Vec::new();
    json.by_ref().take(AT_ONCE).read_to_end(&mut start)?;
    if (start.len() as u64) < AT_ONCE {
        return Ok(serde_json::from_slice(&start)?);
    }
    Ok(serde_json::from_reader(BufReader::new(start.chain(json)))?)
}

/// Compresses a piece. Only the last one ends the stream.
pub(super) fn compressed(piece: &[u8], is_last: bool) -> Vec<u8> {
    ENCODER.with_borrow_mut(|encoder| deflate::compressed(encoder, piece, is_last))
}

/// The compressed pieces by number, without the last.
#[derive(Default)]
struct Pieces {
    packed: Mutex<BTreeMap<usize, Vec<u8>>>,
    /// Number of pieces that wait for a thread.
    waiting: AtomicUsize,
}

impl Pieces {
    fn compress(&self, number: usize, piece: &[u8]) {
        let packed = timings::within(Stage::Ledger, || compressed(piece, false));
        lock(&self.packed).insert(number, packed);
    }
}

/// Cuts JSON into pieces, and hands them to all threads.
struct Packer<'p, 'scope> {
    scope: &'p Scope<'scope>,
    pieces: &'scope Pieces,
    piece: Vec<u8>,
    number: usize,
}

impl Write for Packer<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            let (piece, number, pieces) = (mem::take(&mut self.piece), self.number, self.pieces);
            self.number += 1;
            // If many wait, this thread helps, so memory does not hold all of the JSON.
            if pieces.waiting.load(Ordering::Relaxed) >= 2 * rayon::current_num_threads() {
                pieces.compress(number, &piece);
            } else {
                pieces.waiting.fetch_add(1, Ordering::Relaxed);
                self.scope.spawn(move |_| {
                    pieces.compress(number, &piece);
                    pieces.waiting.fetch_sub(1, Ordering::Relaxed);
                });
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_form_one_stream() {
        let mut state = 1_u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"0123456789abcdef"[(state >> 28) as usize]
        };
        let json: Vec<u8> = (0..400_000).map(|_| byte()).collect();
        for size in [1, 1_000, 65_536, 100_000, 399_999] {
            let pieces: Vec<&[u8]> = json.chunks(size.max(50)).collect();
            let packed = pieces.iter().enumerate().map(|(n, piece)| compressed(piece, n + 1 == pieces.len()));
            let packed = packed.collect::<Vec<_>>().concat();
            let mut unpacked = Vec::new();
            DeflateDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == json, "{size}");
        }
    }
}
