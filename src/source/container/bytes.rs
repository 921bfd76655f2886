//! Bytes that can be read from any place and any number of times: a file, a part of it, or a temporary copy.

use crate::VirtualFile;
use hullmark_util::{lock::lock, named_file::open_regular, number_text::thousands};
use std::{
    io::{self, Read, Seek, SeekFrom, Write},
    path::Path,
    sync::{Arc, Mutex},
};
use tempfile::SpooledTempFile;

/// Bytes of a copy that pass at a time.
const PIECE: usize = 256 * 1024;

#[derive(Debug, Clone)]
pub struct Bytes {
    from: BytesSource,
    start: u64,
    length: u64,
}

#[derive(Debug, Clone)]
enum BytesSource {
    /// A file, which is opened for each reading.
    Path(Arc<Path>),
    Virtual(VirtualFile),
    /// A temporary file without a name, which the system removes with its last user.
    Copy(Arc<Mutex<SpooledTempFile>>),
}

/// Bytes of a copy that stay in memory. A browser has no files.
const IN_MEMORY: usize = if cfg!(target_family = "wasm") { usize::MAX } else { 0 };

trait Seekable: Read + Seek + Send {}

impl<T: Read + Seek + Send> Seekable for T {}

impl Bytes {
    pub fn of_file(path: &Path, length: u64) -> Self {
        Self { from: BytesSource::Path(path.into()), start: 0, length }
    }

    pub fn of_virtual(file: &VirtualFile) -> Self {
        Self { from: BytesSource::Virtual(file.clone()), start: 0, length: file.length() }
    }

    /// Copies a stream into a temporary file, and stops after `most` bytes. Returns the copy, and the error that ended
    /// the stream early.
    pub fn copy(mut stream: impl Read, most: u64) -> io::Result<(Self, Option<io::Error>)> {
        let mut file = SpooledTempFile::new(IN_MEMORY);
        let mut buffer = vec![0; PIECE];
        let (mut length, mut failed) = (0, None);
        loop {
            let read = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            };
            length += read as u64;
            if length > most {
                failed = Some(io::Error::other(format!(
                    "it has more than {} bytes, the limit of temporary files (`temporary_bytes`)",
                    thousands(most)
                )));
                break;
            }
            file.write_all(&buffer[..read]).map_err(|error| no_copy(&error))?;
        }
        let copy =
            Self { from: BytesSource::Copy(Arc::new(Mutex::new(file))), start: 0, length: length.min(most) };
        Ok((copy, failed))
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    /// A part of these bytes, as far as they reach.
    pub fn part(&self, start: u64, length: u64) -> Self {
        let start = start.min(self.length);
        Self { from: self.from.clone(), start: self.start + start, length: length.min(self.length - start) }
    }

    /// Opens the bytes.
    pub fn open(&self) -> io::Result<BytesReader> {
        let file: Arc<Mutex<dyn Seekable>> = match &self.from {
            BytesSource::Path(path) => Arc::new(Mutex::new(open_regular(path)?)),
            BytesSource::Virtual(file) => Arc::new(Mutex::new(file.open())),
            BytesSource::Copy(file) => file.clone(),
        };
        Ok(BytesReader { file, start: self.start, position: 0, length: self.length })
    }

    /// Reads a part at once, as far as the bytes reach.
    pub fn at(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        self.part(start, length as u64).open()?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Returns the error of a temporary file that cannot be written.
pub fn no_copy(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("no temporary copy can be made of it ({error})"))
}

pub struct BytesReader {
    file: Arc<Mutex<dyn Seekable>>,
    start: u64,
    position: u64,
    length: u64,
}

impl BytesReader {
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Continues at this place of the range.
    pub fn move_to(&mut self, position: u64) {
        self.position = position.min(self.length);
    }
}

impl Read for BytesReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.length - self.position).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        // Several readers share the place in a temporary file.
        let mut file = lock(&self.file);
        file.seek(SeekFrom::Start(self.start + self.position))?;
        let read = file.read(&mut buffer[..most])?;
        self.position += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_copy_are_read_side_by_side() {
        let (bytes, failed) = Bytes::copy(&b"0123456789"[..], 100).unwrap();
        assert!(failed.is_none());
        let part = bytes.part(2, 5);
        let (mut one, mut other) = (part.open().unwrap(), part.part(3, 9).open().unwrap());
        let mut two = [0; 2];
        one.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"23");
        other.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"56");
        assert_eq!(other.read(&mut two).unwrap(), 0, "the part of a part ends with it");
        one.read_exact(&mut two).unwrap();
        assert_eq!(&two, b"45");
        one.move_to(1);
        assert_eq!(io::read_to_string(one).unwrap(), "3456");
        assert_eq!(bytes.at(8, 5).unwrap(), b"89");
    }

    #[test]
    fn a_copy_ends_at_its_limit() {
        let (bytes, failed) = Bytes::copy(io::repeat(7), 1_000_000).unwrap();
        assert_eq!(bytes.length(), 1_000_000);
        assert!(failed.unwrap().to_string().contains("more than 1,000,000 bytes"));
    }
}
