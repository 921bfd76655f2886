//! A zstd file as one stream: all frames, checked to the last byte.

use crate::timings::{self, Stage};
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};
use std::io::{self, Read};

/// The first bytes of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes that are decoded at a time.
const PIECE: usize = 128 * 1024;

/// A last block without bytes, and a checksum that is not compared.
const LAST_BLOCK: &[u8] = &[1, 0, 0, 0, 0, 0, 0];

/// Messages of the decoder depend on how the bytes arrive, so this text replaces them.
const DAMAGED: &str = "the zstd stream is damaged, or its checksum is wrong";

/// Reads the frames of a zstd file one after another.
pub struct ZstdStream<R> {
    source: Source<R>,
    decoder: FrameDecoder,
    is_in_frame: bool,
    /// The error that ends the stream, once the bytes before it are read.
    failed: Option<io::Error>,
}

/// The compressed bytes, and what happened to them. The decoder hides errors of its source.
struct Source<R> {
    reader: R,
    has_ended: bool,
    failed: Option<io::Error>,
}

impl<R: Read> Read for Source<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.reader.read(buffer) {
            Ok(read) => {
                self.has_ended |= read == 0 && !buffer.is_empty();
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let same_kind = io::Error::from(error.kind());
                self.failed.get_or_insert(error);
                Err(same_kind)
            }
        }
    }
}

impl<R: Read> ZstdStream<R> {
    pub fn new(reader: R) -> Self {
        let source = Source { reader, has_ended: false, failed: None };
        Self { source, decoder: FrameDecoder::new(), is_in_frame: false, failed: None }
    }

    /// Opens the next frame. Returns `false` at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            let mut first = [0];
            if self.source.read(&mut first)? == 0 {
                return Ok(false);
            }
            match self.decoder.reset((&first[..]).chain(&mut self.source)) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = io::copy(&mut (&mut self.source).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(_) => return Err(self.fault()),
            }
        }
    }

    /// Decodes until there are bytes to return. Returns `false` at the end of the file.
    fn decode(&mut self) -> io::Result<bool> {
        while self.decoder.can_collect() == 0 {
            if self.is_in_frame && self.decoder.is_finished() {
                let stated = self.decoder.get_checksum_from_data();
                if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, DAMAGED));
                }
                self.is_in_frame = false;
            }
            if !self.is_in_frame {
                self.is_in_frame = self.next_frame()?;
                if !self.is_in_frame {
                    return Ok(false);
                }
            }
            let piece = BlockDecodingStrategy::UptoBytes(PIECE);
            if self.decoder.decode_blocks(&mut self.source, piece).is_err() {
                return Err(self.fault());
            }
        }
        Ok(true)
    }

    /// Returns the reason of a failure: the disk, the end of the file, or damage.
    fn fault(&mut self) -> io::Error {
        match self.source.failed.take() {
            Some(failed) => failed,
            None if self.source.has_ended => io::ErrorKind::UnexpectedEof.into(),
            None => io::Error::new(io::ErrorKind::InvalidData, DAMAGED),
        }
    }
}

impl<R: Read> Read for ZstdStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.failed.is_none()
            && let Err(error) = timings::within(Stage::Inflate, || self.decode())
        {
            self.failed = Some(error);
            // The decoder holds back the bytes of an open frame, so an empty last block closes it.
            let _ = self.decoder.decode_blocks(LAST_BLOCK, BlockDecodingStrategy::UptoBlocks(1));
        }
        let read = self.decoder.read(buffer)?;
        timings::pass(Stage::Inflate, read);
        match self.failed.take() {
            Some(error) if read == 0 => Err(error),
            failed => {
                self.failed = failed;
                Ok(read)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, io::Result<usize>) {
        let mut all = Vec::new();
        let result = ZstdStream::new(bytes).read_to_end(&mut all);
        (all, result)
    }

    #[test]
    fn frames_follow_each_other_and_others_are_skipped() {
        let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let bytes = [zstd(b"one "), skipped, zstd(b""), zstd(b"two")].concat();
        let (all, result) = read(&bytes);
        assert_eq!((&*all, result.unwrap()), (&b"one two"[..], 7));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_cut_or_changed_stream_is_no_whole_one(
            lines in prop::collection::vec("[a-z]{0,40}", 1..200), cut in any::<prop::sample::Index>()
        ) {
            let text = lines.join("\n");
            let whole = zstd(text.as_bytes());
            let cut = cut.index(whole.len());
            let (all, result) = read(&whole[..cut]);
            prop_assert!(text.as_bytes().starts_with(&all));
            prop_assert_eq!(result.is_ok(), cut == 0);
            let mut changed = whole.clone();
            changed[cut] ^= 1;
            // Other bytes, or an error. Never a panic.
            let _ = read(&changed);
            prop_assert_eq!(read(&whole).0, text.into_bytes());
        }
    }

    #[test]
    fn the_bytes_before_a_cut_come_first() {
        let text: Vec<u8> = (0..400_000_u32).flat_map(u32::to_le_bytes).collect();
        let whole = zstd(&text);
        let (all, result) = read(&whole[..whole.len() / 2]);
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert!(all.len() > 100_000 && text.starts_with(&all));
    }
}
