//! A gzip file as one stream: all members, checked to the last byte.

use flate2::{Decompress, FlushDecompress, Status};
use hullmark_util::timings::{self, Stage};
use std::io::{self, BufRead, Read};

const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The message of the decompressor depends on how the bytes arrive, so this text replaces it.
const DAMAGED: &str = "the gzip stream is damaged, or its checksum is wrong";

/// The largest window of deflate, as a power of two.
const WINDOW: u8 = 15;

/// Reads the members of a gzip file one after another. Other bytes after the last member are counted and are no error,
/// because padding is common.
///
/// All bytes before a fault are returned before the fault is reported, however the bytes arrive. The decoders of flate2
/// drop the bytes of the same call.
#[derive(Debug)]
pub struct GzipStream<R> {
    reader: R,
    /// The current member. `None` after the last one.
    member: Option<Decompress>,
    /// Number of members that were read completely.
    pub members: u64,
    /// Whether other bytes follow the last member.
    pub trailing: bool,
}

impl<R: BufRead> GzipStream<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, member: Some(Decompress::new_gzip(WINDOW)), members: 0, trailing: false }
    }

    /// Moves to the next member. Returns `false` if there is none.
    fn next_member(&mut self) -> io::Result<bool> {
        self.members += 1;
        self.member = None;
        let mut ahead = Vec::new();
        (&mut self.reader).take(MAGIC.len() as u64).read_to_end(&mut ahead)?;
        if ahead == MAGIC {
            let mut member = Decompress::new_gzip(WINDOW);
            // These two calls return no byte of content.
            member.decompress(&MAGIC, &mut [0], FlushDecompress::None)?;
            self.member = Some(member);
            return Ok(true);
        }
        self.trailing = !ahead.is_empty();
        io::copy(&mut self.reader, &mut io::sink())?;
        Ok(false)
    }
}

impl<R: BufRead> Read for GzipStream<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = self.member.as_mut().filter(|_| !buffer.is_empty()) {
            let input = self.reader.fill_buf()?;
            let (total_in, total_out) = (member.total_in(), member.total_out());
            let result =
                timings::within(Stage::Inflate, || member.decompress(input, buffer, FlushDecompress::None));
            let (consumed, read) = (member.total_in() - total_in, member.total_out() - total_out);
            self.reader.consume(consumed as usize);
            timings::pass(Stage::Inflate, read as usize);
            match result {
                // The next call returns the end or the fault again.
                _ if read > 0 => return Ok(read as usize),
                Err(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, DAMAGED)),
                Ok(Status::StreamEnd) if !self.next_member()? => return Ok(0),
                Ok(Status::StreamEnd) => {}
                Ok(_) if consumed == 0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) => {}
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
    fn a_magic_that_is_cut_in_two_is_a_magic_and_half_of_one_is_padding() {
        let one = gzip("one");
        let stream = |after: &[u8]| {
            let bytes = [&one, after].concat();
            let mut stream = GzipStream::new(io::BufReader::with_capacity(one.len() + 1, bytes.as_slice()));
            let mut text = String::new();
            stream.read_to_string(&mut text).unwrap();
            (text, stream.members, stream.trailing)
        };
        assert_eq!(stream(&one), ("oneone".into(), 2, false));
        assert_eq!(stream(&[0x1f, 0]), ("one".into(), 1, true));
        assert_eq!(stream(&[0x1f]), ("one".into(), 1, true));
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
