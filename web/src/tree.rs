//! A folder of the browser as the packed tar of its files, so that an unpacked archive is read as the archive.

use crate::blob::BlobReader;
use flate2::{Compression, read::GzEncoder};
use std::io::{self, Cursor, Read};

/// Bytes of a block of tar.
const BLOCK: u64 = 512;

/// The longest name in a header.
const NAME: usize = 100;

/// The files of a folder: name, size, and number of the blob.
#[derive(Clone)]
pub struct Tree(Vec<(String, u64, usize)>);

impl Tree {
    /// Creates a tree of these files, in the order of their names. The control file comes first, as in an archive.
    pub fn new(files: impl Iterator<Item = (String, u64, usize)>) -> Self {
        let mut files: Vec<_> = files.collect();
        files.sort_by(|a, b| (a.0 != "archive.xml", &a.0).cmp(&(b.0 != "archive.xml", &b.0)));
        Self(files)
    }

    /// Returns the bytes of the files.
    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, bytes, _)| bytes).sum()
    }

    /// Opens the tar. It is stored without compression: a tar that is not packed would be a finding.
    pub fn open(&self) -> GzEncoder<TreeReader> {
        let tar =
            TreeReader { files: self.0.clone().into_iter(), now: Box::new(io::empty()), has_ended: false };
        GzEncoder::new(tar, Compression::none())
    }
}

/// Reads the tar of a tree.
pub struct TreeReader {
    files: std::vec::IntoIter<(String, u64, usize)>,
    now: Box<dyn Read + Send>,
    has_ended: bool,
}

impl Read for TreeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.now.read(buffer)?;
            if read > 0 || buffer.is_empty() || self.has_ended {
                return Ok(read);
            }
            self.now = match self.files.next() {
                Some((name, bytes, number)) => {
                    let end = io::repeat(0).take(padding(bytes));
                    Box::new(Cursor::new(header(&name, bytes)).chain(BlobReader::new(number)).chain(end))
                }
                None => {
                    self.has_ended = true;
                    Box::new(io::repeat(0).take(2 * BLOCK))
                }
            };
        }
    }
}

/// Bytes between the end of a file and the next block.
fn padding(bytes: u64) -> u64 {
    bytes.next_multiple_of(BLOCK) - bytes
}

/// Returns the header of a file. A long name is a member of its own before it, as GNU tar writes it.
fn header(name: &str, bytes: u64) -> Vec<u8> {
    if name.len() <= NAME {
        return block(name, bytes, b'0');
    }
    let length = name.len() as u64 + 1;
    let mut blocks = block("././@LongLink", length, b'L');
    blocks.extend(name.as_bytes());
    blocks.resize(blocks.len() + 1 + padding(length) as usize, 0);
    let mut end = NAME;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    blocks.extend(block(&name[..end], bytes, b'0'));
    blocks
}

fn block(name: &str, bytes: u64, kind: u8) -> Vec<u8> {
    let mut block = vec![0; BLOCK as usize];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{bytes:011o}\0"));
    put(136, "00000000000\0");
    put(148, "        ");
    put(257, "ustar  \0");
    block[156] = kind;
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}
