//! A compressed file as one stream: gzip or zstd, by its first bytes.

use super::gzip::GzipStream;
use hullmark_util::zstd::{self, ZstdStream};
use std::io::{self, BufRead, Read};

/// The unpacked bytes of a file.
pub enum Unpack<R> {
    Gzip(GzipStream<R>),
    Zstd(Box<ZstdStream<R>>),
}

/// Whether these are the first bytes of a compressed file.
pub fn is_packed(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b]) || start.starts_with(&zstd::MAGIC)
}

impl<R: BufRead> Unpack<R> {
    /// Unpacks a file that begins with these bytes.
    pub fn new(start: &[u8], reader: R) -> Self {
        match start.starts_with(&zstd::MAGIC) {
            true => Self::Zstd(Box::new(ZstdStream::new(reader))),
            false => Self::Gzip(GzipStream::new(reader)),
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Gzip(_) => "gzip",
            Self::Zstd(_) => "zstd",
        }
    }

    /// Whether several streams of gzip follow each other, and whether other bytes follow the last one.
    pub fn oddities(&self) -> (bool, bool) {
        match self {
            Self::Gzip(gzip) => (gzip.members > 1, gzip.trailing),
            Self::Zstd(_) => (false, false),
        }
    }
}

impl<R: BufRead> Read for Unpack<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Gzip(gzip) => gzip.read(buffer),
            Self::Zstd(zstd) => zstd.read(buffer),
        }
    }
}
