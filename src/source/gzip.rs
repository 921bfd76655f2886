//! A gzip file as one stream: all members, checked to the last byte.

use crate::timings::{self, Stage};
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// Reads the members of a gzip file one behind the other. Bytes behind the last member that are no further
/// member are counted, not an error: padding is common.
#[derive(Debug)]
pub struct GzipStream<R> {
    decoder: Option<GzDecoder<R>>,
    /// Members that were read to their end.
    pub members: u64,
    /// Whether other bytes follow the last member.
    pub trailing: bool,
}

impl<R: BufRead> GzipStream<R> {
    /// Starts at the first member.
    pub fn new(reader: R) -> Self {
        Self { decoder: Some(GzDecoder::new(reader)), members: 0, trailing: false }
    }

    /// The compressed stream; gone once the last member was read.
    pub fn get_mut(&mut self) -> Option<&mut R> {
        self.decoder.as_mut().map(GzDecoder::get_mut)
    }

    /// Moves to the next member, if there is one.
    fn next_member(&mut self) -> io::Result<bool> {
        self.members += 1;
        let Some(decoder) = self.decoder.take() else { return Ok(false) };
        let mut reader = decoder.into_inner();
        let ahead = reader.fill_buf()?;
        match ahead {
            [] => Ok(false),
            // A magic cut in two by the buffer is taken for a member; a wrong guess is an error like another.
            [0x1f] | [0x1f, 0x8b, ..] => {
                self.decoder = Some(GzDecoder::new(reader));
                Ok(true)
            }
            _ => {
                self.trailing = true;
                io::copy(&mut reader, &mut io::sink())?;
                Ok(false)
            }
        }
    }
}

impl<R: BufRead> Read for GzipStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(decoder) = &mut self.decoder {
            let read = timings::within(Stage::Inflate, || decoder.read(buffer))?;
            timings::pass(Stage::Inflate, read);
            if read > 0 || buffer.is_empty() || !self.next_member()? {
                return Ok(read);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(text: &str) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn members_follow_each_other_and_padding_is_noted() {
        let mut bytes = gzip("one ");
        bytes.extend(gzip("two"));
        bytes.extend([0; 40]);
        let mut stream = GzipStream::new(bytes.as_slice());
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), stream.members, stream.trailing), ("one two", 2, true));
    }

    #[test]
    fn a_cut_or_a_wrong_checksum_is_an_error() {
        let whole = gzip("something that is long enough");
        let mut wrong = whole.clone();
        let crc = wrong.len() - 8;
        wrong[crc] ^= 1;
        for bytes in [&whole[..whole.len() - 3], &wrong] {
            assert!(GzipStream::new(bytes).read_to_end(&mut Vec::new()).is_err());
        }
    }
}
