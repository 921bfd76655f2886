//! DEFLATE streams in pieces that threads compress: each piece ends on a whole byte, and refers to nothing before it.

use flate2::{Compress, FlushCompress, Status};

/// Compresses a piece. Only the last one ends the stream.
pub fn compressed(encoder: &mut Compress, piece: &[u8], is_last: bool) -> Vec<u8> {
    encoder.reset();
    let flush = if is_last { FlushCompress::Finish } else { FlushCompress::Sync };
    let mut packed = Vec::with_capacity(piece.len() / 4 + 1024);
    loop {
        let rest = &piece[encoder.total_in() as usize..];
        let status = encoder.compress_vec(rest, &mut packed, flush);
        let status = status.unwrap_or_else(|error| unreachable!("memory takes every byte: {error}"));
        // A full buffer may hide the rest of a flush.
        let is_flushed = packed.len() < packed.capacity() && !is_last;
        if status == Status::StreamEnd || is_flushed {
            return packed;
        }
        packed.reserve(piece.len() / 4 + 1024);
    }
}
