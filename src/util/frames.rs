//! Packs bytes into frames of zstd, and reads them back: the form of ledgers and of the content cache.
//!
//! The library in C packs seven times as fast as DEFLATE, into as few bytes. A browser has no C. There, slower code in
//! Rust reads and writes the same form.

pub use codec::{pack, read};

#[cfg(not(target_family = "wasm"))]
mod codec {
    use std::{cell::RefCell, io::Read};
    use zstd::{bulk::Compressor, stream::read::Decoder};

    /// The fastest level that packs as well as DEFLATE.
    const LEVEL: i32 = 1;

    thread_local! {
        /// One encoder for all frames of a thread. A new one for each would fragment the memory of the allocator.
        static ENCODER: RefCell<Compressor<'static>> = RefCell::new(encoder());
    }

    fn encoder() -> Compressor<'static> {
        Compressor::new(LEVEL).unwrap_or_else(|error| unreachable!("an encoder needs memory only: {error}"))
    }

    /// Packs bytes into a frame. Frames that follow each other are one stream.
    pub fn pack(bytes: &[u8]) -> Vec<u8> {
        let packed = ENCODER.with_borrow_mut(|encoder| encoder.compress(bytes));
        packed.unwrap_or_else(|error| unreachable!("memory takes every byte: {error}"))
    }

    /// Returns a reader of all frames.
    pub fn read(packed: &[u8]) -> impl Read {
        Decoder::with_buffer(packed)
            .unwrap_or_else(|error| unreachable!("a decoder needs memory only: {error}"))
    }
}

#[cfg(target_family = "wasm")]
mod codec {
    use crate::zstd::ZstdStream;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Read;

    pub fn pack(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    pub fn read(packed: &[u8]) -> impl Read {
        ZstdStream::new(packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zstd::ZstdStream;
    use proptest::prelude::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Read;

    fn all(mut reader: impl Read) -> Vec<u8> {
        let mut all = Vec::new();
        reader.read_to_end(&mut all).unwrap();
        all
    }

    proptest! {
        #[test]
        fn the_command_and_the_page_read_each_others_frames(
            texts in prop::collection::vec("([a-z]{0,3}){0,2000}", 1..4)
        ) {
            let whole = texts.concat().into_bytes();
            let of_command: Vec<u8> = texts.iter().flat_map(|text| pack(text.as_bytes())).collect();
            let of_page = texts.iter().flat_map(|text| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest));
            let of_page: Vec<u8> = of_page.collect();
            prop_assert_eq!(&all(read(&of_command)), &whole);
            prop_assert_eq!(&all(ZstdStream::new(&*of_command)), &whole);
            prop_assert_eq!(&all(read(&of_page)), &whole);
        }

        #[test]
        fn a_cut_frame_is_no_whole_one(text in "([a-z]{0,3}){1,2000}", cut: prop::sample::Index) {
            let packed = pack(text.as_bytes());
            let cut = &packed[..1 + cut.index(packed.len() - 1)];
            prop_assert!(read(cut).read_to_end(&mut Vec::new()).is_err());
        }
    }
}
