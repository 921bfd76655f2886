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

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, read::DeflateDecoder};
    use std::io::Read;

    #[test]
    fn pieces_of_any_size_form_one_stream() {
        let mut encoder = Compress::new(Compression::new(2), false);
        let mut state = 1_u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"0123456789abcdef"[(state >> 28) as usize]
        };
        let json: Vec<u8> = (0..400_000).map(|_| byte()).collect();
        for size in [1, 1_000, 65_536, 100_000, 399_999] {
            let pieces: Vec<&[u8]> = json.chunks(size.max(50)).collect();
            let mut packed = Vec::new();
            for (number, piece) in pieces.iter().enumerate() {
                packed.extend(compressed(&mut encoder, piece, number + 1 == pieces.len()));
            }
            let mut unpacked = Vec::new();
            DeflateDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
            assert!(unpacked == json, "{size}");
        }
    }
}
