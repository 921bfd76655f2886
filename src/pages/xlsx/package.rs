//! The ZIP archive of the workbook: parts of another one as they are, and parts whose pieces were compressed on threads.
//!
//! Sizes of the second kind are known only at their end, so a data descriptor follows them. The format is
//! “APPNOTE.TXT, .ZIP File Format Specification” of PKWARE.

use flate2::Crc;
use std::io::{self, Write};

/// Signatures.
const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const DESCRIPTOR: u32 = 0x0807_4b50;
const END: u32 = 0x0605_4b50;
const END_64: u32 = 0x0606_4b50;
const LOCATOR_64: u32 = 0x0706_4b50;
/// Lengths of the records without their names.
const CENTRAL_LENGTH: usize = 46;
const END_LENGTH: usize = 22;
/// The version that a reader needs, for a plain part and for a large one.
const VERSIONS: (u16, u16) = (20, 45);
/// The flag of a part with a data descriptor.
const DESCRIBED: u16 = 1 << 3;
const DEFLATED: u16 = 8;
/// The first day of the format, 1980-01-01.
const DATE: u16 = 1 << 5 | 1;
/// Written by a program on Unix, and the permissions of the file there.
const MADE_BY: u16 = 3 << 8 | VERSIONS.1;
const MODE: u32 = 0o100_600 << 16;
/// The value of a number that the record of large files has.
const FULL: u32 = u32::MAX;

/// A part of an archive.
pub(super) struct Part<'p> {
    pub(super) name: &'p str,
    method: u16,
    crc: u32,
    size: u64,
    /// The bytes, as the method packed them.
    pub(super) packed: &'p [u8],
}

/// Returns the parts of an archive below 4 GiB, in the order of its directory. `None` if the bytes are damaged.
pub(super) fn parts(archive: &[u8]) -> Option<Vec<Part<'_>>> {
    // The library writes no comment at the end.
    let end = archive.get(archive.len().checked_sub(END_LENGTH)?..)?;
    if four(end, 0)? != END {
        return None;
    }
    let count = two(end, 10)?;
    let mut directory = archive.get(four(end, 16)? as usize..)?;
    let mut parts = Vec::new();
    for _ in 0..count {
        if four(directory, 0)? != CENTRAL {
            return None;
        }
        let lengths = [two(directory, 28)?, two(directory, 30)?, two(directory, 32)?].map(usize::from);
        let name = directory.get(CENTRAL_LENGTH..CENTRAL_LENGTH + lengths[0])?;
        let local = archive.get(four(directory, 42)? as usize..)?;
        let start = 30 + usize::from(two(local, 26)?) + usize::from(two(local, 28)?);
        parts.push(Part {
            name: std::str::from_utf8(name).ok()?,
            method: two(directory, 10)?,
            crc: four(directory, 16)?,
            size: four(directory, 24)?.into(),
            packed: local.get(start..start + four(directory, 20)? as usize)?,
        });
        directory = directory.get(CENTRAL_LENGTH + lengths.iter().sum::<usize>()..)?;
    }
    Some(parts)
}

fn two(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn four(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A compressed piece of a part.
pub(super) struct Piece {
    pub(super) packed: Vec<u8>,
    /// Checksum and number of the bytes before compression.
    pub(super) crc: Crc,
}

/// A part in the directory.
struct Entry {
    name: String,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    size: u64,
    offset: u64,
    is_large: bool,
}

/// Writes an archive from front to back.
pub(super) struct Package<W> {
    to: W,
    at: u64,
    entries: Vec<Entry>,
    /// The part that has begun, and the checksum of its pieces.
    begun: Option<Entry>,
    crc: Crc,
}

impl<W: Write> Package<W> {
    /// Creates an archive at this offset of its file.
    pub(super) fn new(to: W, at: u64) -> Self {
        Self { to, at, entries: Vec::new(), begun: None, crc: Crc::new() }
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.to.write_all(bytes)
    }

    /// Adds a part as it is.
    pub(super) fn copy(&mut self, part: &Part<'_>) -> io::Result<()> {
        let entry = Entry {
            name: part.name.to_owned(),
            flags: 0,
            method: part.method,
            crc: part.crc,
            packed: part.packed.len() as u64,
            size: part.size,
            offset: self.at,
            is_large: false,
        };
        self.put(&entry.local())?;
        self.put(part.packed)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Begins a part of pieces. `is_large` if it may exceed 4 GiB.
    pub(super) fn begin(&mut self, name: &str, is_large: bool) -> io::Result<()> {
        let entry = Entry {
            name: name.to_owned(),
            flags: DESCRIBED,
            method: DEFLATED,
            crc: 0,
            packed: 0,
            size: 0,
            offset: self.at,
            is_large,
        };
        self.put(&entry.local())?;
        (self.crc, self.begun) = (Crc::new(), Some(entry));
        Ok(())
    }

    /// Adds a piece of the part.
    pub(super) fn piece(&mut self, piece: &Piece) -> io::Result<()> {
        self.crc.combine(&piece.crc);
        if let Some(entry) = &mut self.begun {
            entry.size += u64::from(piece.crc.amount());
            entry.packed += piece.packed.len() as u64;
        }
        self.put(&piece.packed)
    }

    /// Ends the part.
    pub(super) fn end(&mut self) -> io::Result<()> {
        let Some(mut entry) = self.begun.take() else { return Ok(()) };
        entry.crc = self.crc.sum();
        let mut descriptor = [DESCRIPTOR, entry.crc].map(u32::to_le_bytes).concat();
        for size in [entry.packed, entry.size] {
            if entry.is_large {
                descriptor.extend(size.to_le_bytes());
            } else {
                descriptor.extend(u32::try_from(size).map_err(io::Error::other)?.to_le_bytes());
            }
        }
        self.put(&descriptor)?;
        self.entries.push(entry);
        Ok(())
    }

    /// Writes the directory.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let start = self.at;
        let entries = std::mem::take(&mut self.entries);
        for entry in &entries {
            self.put(&entry.central())?;
        }
        let (length, end, count) = (self.at - start, self.at, entries.len() as u64);
        if start >= u64::from(FULL) {
            let mut record = END_64.to_le_bytes().to_vec();
            record.extend(44_u64.to_le_bytes());
            record.extend([MADE_BY, VERSIONS.1].map(u16::to_le_bytes).concat());
            record.extend([0_u32; 2].map(u32::to_le_bytes).concat());
            record.extend([count, count, length, start].map(u64::to_le_bytes).concat());
            record.extend([LOCATOR_64, 0].map(u32::to_le_bytes).concat());
            record.extend(end.to_le_bytes());
            record.extend(1_u32.to_le_bytes());
            self.put(&record)?;
        }
        let count = count as u16;
        let mut record = END.to_le_bytes().to_vec();
        record.extend([0, 0, count, count].map(u16::to_le_bytes).concat());
        record.extend([length as u32, short(start)].map(u32::to_le_bytes).concat());
        record.extend([0; 2]);
        self.put(&record)?;
        Ok(self.to)
    }
}

impl Entry {
    /// Version, flags, method, time and date.
    fn about(&self) -> [u16; 5] {
        let version = if self.is_large || self.is_far() { VERSIONS.1 } else { VERSIONS.0 };
        [version, self.flags, self.method, 0, DATE]
    }

    /// Whether the directory needs more than 32 bits for the offset.
    fn is_far(&self) -> bool {
        self.offset >= u64::from(FULL)
    }

    /// The header before the bytes. Without sizes it is written before they are known.
    fn local(&self) -> Vec<u8> {
        let mut header = LOCAL.to_le_bytes().to_vec();
        header.extend(self.about().map(u16::to_le_bytes).concat());
        let sizes = if self.is_large { [FULL; 2] } else { [self.packed as u32, self.size as u32] };
        header.extend([self.crc, sizes[0], sizes[1]].map(u32::to_le_bytes).concat());
        let extra = large(if self.is_large { &[0, 0] } else { &[] });
        header.extend([self.name.len() as u16, extra.len() as u16].map(u16::to_le_bytes).concat());
        [&header, self.name.as_bytes(), &extra].concat()
    }

    /// The record of the directory.
    fn central(&self) -> Vec<u8> {
        let mut record = CENTRAL.to_le_bytes().to_vec();
        record.extend(MADE_BY.to_le_bytes());
        record.extend(self.about().map(u16::to_le_bytes).concat());
        let numbers = [self.size, self.packed, self.offset];
        let long: Vec<u64> = numbers.into_iter().filter(|&number| number >= u64::from(FULL)).collect();
        let extra = large(&long);
        record.extend([self.crc, short(self.packed), short(self.size)].map(u32::to_le_bytes).concat());
        let lengths = [self.name.len() as u16, extra.len() as u16, 0, 0, 0];
        record.extend(lengths.map(u16::to_le_bytes).concat());
        record.extend([MODE, short(self.offset)].map(u32::to_le_bytes).concat());
        [&record, self.name.as_bytes(), &extra].concat()
    }
}

/// A number of 32 bits, or the sign that the record of large files has it.
fn short(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(FULL)
}

/// The record of large files with these numbers; empty without any.
fn large(numbers: &[u64]) -> Vec<u8> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let mut record = [1, 8 * numbers.len() as u16].map(u16::to_le_bytes).concat();
    record.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xlsx::body::pack;
    use std::{
        fs::File,
        io::{Cursor, Read, Seek, SeekFrom},
    };

    /// Writes an archive at this offset: two parts of pieces, one of them declared as large.
    fn written<W: Write>(to: W, at: u64) -> W {
        let mut package = Package::new(to, at);
        for (name, is_large) in [("small.xml", false), ("large.xml", true)] {
            package.begin(name, is_large).unwrap();
            for number in 0..5 {
                package.piece(&pack(name.repeat(1000).as_bytes(), number == 4)).unwrap();
            }
            package.end().unwrap();
        }
        package.finish().unwrap()
    }

    fn check(file: impl Read + Seek) {
        let mut archive = zip::ZipArchive::new(file).unwrap();
        assert_eq!(archive.len(), 2);
        for name in ["small.xml", "large.xml"] {
            let mut part = archive.by_name(name).unwrap();
            let mut words = String::new();
            // This checks the checksum, too.
            part.read_to_string(&mut words).unwrap();
            assert!(words == name.repeat(5000), "{name}");
        }
    }

    #[test]
    fn other_readers_read_an_archive_of_any_size() {
        check(Cursor::new(written(Vec::new(), 0)));
        // A file with a hole, so that offsets need 64 bits.
        let mut file = tempfile::tempfile().unwrap();
        file.seek(SeekFrom::Start(5 << 30)).unwrap();
        let file: File = written(file, 5 << 30);
        check(file);
    }

    #[test]
    fn parts_are_copied_as_they_are() {
        let archive = written(Vec::new(), 0);
        let mut package = Package::new(Vec::new(), 0);
        for part in parts(&archive).unwrap() {
            package.copy(&part).unwrap();
        }
        let copy = package.finish().unwrap();
        check(Cursor::new(&copy));
        assert!(copy.len() < archive.len());
        for end in 0..archive.len() {
            assert!(parts(&archive[..end]).is_none(), "{end}");
        }
    }
}
