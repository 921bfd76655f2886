//! A tar reader that knows OpenSim's headers.
//!
//! OpenSim writes v7 headers without a magic, and GNU `L` records for names over 100 bytes. The usual crate honors such
//! records only after a magic, and reads them whole before their size can be checked. This reader returns whole names
//! and caps every record.

use super::lookahead::Lookahead;
use hullmark_format::defect::TarFault;
use hullmark_settings::limits::Limits;
use std::{
    fmt,
    io::{self, BufRead, Read},
};

/// Most names of pax records that are kept between two members. No writer has more than two.
const MOST_PAX_NAMES: usize = 1000;

const BLOCK: usize = 512;

/// Bytes that are reserved for a member before its data is read.
const AT_ONCE: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The complete name. Bytes that are not UTF-8 are replaced.
    pub name: String,
    /// Bytes of its data.
    pub size: u64,
    pub what: EntryType,
    /// Offset of its header, in bytes from the start of the tar.
    pub offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryType {
    File,
    Directory,
    /// A link, a device, or another type without an asset. OpenSim knows none of them.
    Special(u8),
}

/// Why the tar could not be read further.
#[derive(Debug)]
pub enum TarError {
    Io(io::Error),
    Broken(TarFault),
    /// The headers so far state this many bytes, more than an archive may expand to.
    TooMuch(u64),
}

impl From<io::Error> for TarError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Counts of unusual features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Oddities {
    /// Headers without the ustar magic.
    pub v7_headers: u64,
    pub long_names: u64,
    pub pax: u64,
    pub bad_checksums: u64,
    pub not_utf8: u64,
    /// Size, in bytes, of the largest name that was over its limit and left out. `None` if there is no such name.
    pub oversized_name: Option<u64>,
    /// Whether the block of zeros at the end is missing.
    pub no_end_marker: bool,
}

/// Reads members one after another. Data that is not read with [`TarReader::read_data`] or [`TarReader::pass_data`] is
/// skipped.
pub struct TarReader<R> {
    reader: Lookahead<R>,
    position: u64,
    /// Bytes of data and padding of the current member that were not read yet.
    pending: u64,
    padding: u64,
    name_limit: usize,
    /// Bytes that may be read or skipped.
    limit: u64,
    ended: bool,
    /// The names of pax records since the last call of `TarReader::take_pax_names`.
    pax_names: Vec<String>,
    pub oddities: Oddities,
}

impl<R> fmt::Debug for TarReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TarReader").field("position", &self.position).finish_non_exhaustive()
    }
}

/// Names that a GNU or pax record gives to the next member.
#[derive(Default)]
struct Pending {
    name: Option<Vec<u8>>,
    size: Option<u64>,
}

impl<R: Read> TarReader<R> {
    /// Starts at the first header. The limits cap the bytes of a name and of the whole tar.
    pub fn new(reader: R, limits: &Limits) -> Self {
        Self {
            reader: Lookahead::new(reader),
            position: 0,
            pending: 0,
            padding: 0,
            name_limit: limits.name_bytes,
            limit: limits.archive_bytes,
            ended: false,
            pax_names: Vec::new(),
            oddities: Oddities::default(),
        }
    }

    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the names of the pax records since the last call. A reader without support for pax reads each as a file
    /// of this name.
    pub fn take_pax_names(&mut self) -> Vec<String> {
        std::mem::take(&mut self.pax_names)
    }

    /// Returns the underlying stream, for the bytes after the tar.
    pub fn into_inner(self) -> R {
        self.reader.into_inner()
    }

    /// Returns the next member, or `None` at the end.
    pub fn next_header(&mut self) -> Result<Option<Header>, TarError> {
        let mut given = Pending::default();
        loop {
            if self.ended {
                return Ok(None);
            }
            self.skip_pending()?;
            let offset = self.position;
            let Some(block) = self.read_block()? else {
                self.ended = true;
                return Ok(None);
            };
            let size = self.parse_header(&block, offset)?;
            match block[156] {
                b'L' => {
                    self.oddities.long_names += 1;
                    given.name = self.read_record(size, self.name_limit)?;
                }
                // A long link target is not used; its data is skipped.
                b'K' => self.expect_data(size)?,
                b'x' | b'X' => {
                    self.note_pax(&block);
                    // A record contains other attributes besides the name.
                    let record = self.read_record(size, 16 * self.name_limit)?;
                    apply_pax(&record.unwrap_or_default(), &mut given);
                }
                b'g' => {
                    self.note_pax(&block);
                    self.expect_data(size)?;
                }
                kind => return self.member(&block, kind, given, size, offset).map(Some),
            }
        }
    }

    /// Reads the data of the current member into `buffer`, which is cleared first.
    pub fn read_data(&mut self, buffer: &mut Vec<u8>) -> Result<(), TarError> {
        buffer.clear();
        let wanted = self.pending;
        // Reserves enough for most members, and little compared with the size that a damaged header may state.
        let at_once = usize::try_from(wanted).map_or(AT_ONCE, |wanted| wanted.min(AT_ONCE)) + 1;
        buffer.try_reserve_exact(at_once).map_err(io::Error::from)?;
        let result = (&mut self.reader).take(wanted).read_to_end(buffer);
        let read = buffer.len() as u64;
        self.position += read;
        self.pending -= read;
        result?;
        if read < wanted {
            return Err(ends_early(self.position, wanted - read));
        }
        Ok(())
    }

    /// Passes the data of the current member on, in the pieces of the underlying stream.
    pub fn pass_data(&mut self, mut take: impl FnMut(&[u8])) -> Result<(), TarError>
    where
        R: BufRead,
    {
        while self.pending > 0 {
            let piece = match self.reader.fill_buf() {
                Ok([]) => return Err(ends_early(self.position, self.pending)),
                Ok(buffer) => {
                    &buffer[..buffer.len().min(usize::try_from(self.pending).unwrap_or(usize::MAX))]
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            take(piece);
            let read = piece.len();
            self.reader.consume(read);
            self.position += read as u64;
            self.pending -= read as u64;
        }
        Ok(())
    }

    /// Whether the data of the current member begins with these bytes, before any of it is read.
    pub fn data_begins_with(&mut self, bytes: &[u8]) -> io::Result<bool> {
        Ok(self.pending >= bytes.len() as u64 && self.reader.begins_with(bytes)?)
    }

    /// Skips the rest of the current member.
    pub fn skip_pending(&mut self) -> Result<(), TarError> {
        let wanted = self.pending + self.padding;
        let skipped = io::copy(&mut (&mut self.reader).take(wanted), &mut io::sink())?;
        self.position += skipped;
        // Some writers omit the padding of the last member. Only missing data is a loss.
        if skipped < self.pending {
            return Err(ends_early(self.position, self.pending - skipped));
        }
        (self.pending, self.padding) = (0, 0);
        Ok(())
    }

    /// Returns the next block. `None` at the end: at a block that begins with 0, as in OpenSim's reader, or after the
    /// last.
    fn read_block(&mut self) -> Result<Option<[u8; BLOCK]>, TarError> {
        let mut block = [0; BLOCK];
        let mut filled = 0;
        while filled < BLOCK {
            match self.reader.read(&mut block[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.position += filled as u64;
        match filled {
            0 => {
                self.oddities.no_end_marker = true;
                Ok(None)
            }
            _ if block[0] == 0 && block[..filled].iter().all(|&byte| byte == 0) => Ok(None),
            BLOCK => Ok(Some(block)),
            _ => {
                let (filled, position) = (filled as u64, self.position);
                Err(TarError::Broken(TarFault::CutHeader { filled, position }))
            }
        }
    }

    /// Checks a header and returns the size of its data.
    fn parse_header(&mut self, block: &[u8; BLOCK], offset: u64) -> Result<u64, TarError> {
        let checksum_right = parse_number(&block[148..156]) == Some(checksum(block));
        let size = parse_number(&block[124..136]);
        if !checksum_right {
            self.oddities.bad_checksums += 1;
        }
        if &block[257..262] != b"ustar" {
            self.oddities.v7_headers += 1;
        }
        match size {
            // A wrong checksum alone is tolerable. Without a size, the offset of the next header is unknown.
            Some(size) if checksum_right || is_plausible(block) => Ok(size),
            Some(_) => Err(TarError::Broken(TarFault::NoHeader { offset })),
            None => Err(TarError::Broken(TarFault::NoSize { offset })),
        }
    }

    fn note_pax(&mut self, block: &[u8; BLOCK]) {
        self.oddities.pax += 1;
        if self.pax_names.len() == MOST_PAX_NAMES {
            return;
        }
        self.pax_names.push(String::from_utf8_lossy(&until_nul(&block[..100])).into_owned());
    }

    fn member(
        &mut self,
        block: &[u8; BLOCK],
        kind: u8,
        given: Pending,
        size: u64,
        offset: u64,
    ) -> Result<Header, TarError> {
        let name = given.name.unwrap_or_else(|| header_name(block));
        let name = String::from_utf8(name).unwrap_or_else(|error| {
            self.oddities.not_utf8 += 1;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        });
        let what = match kind {
            b'5' => EntryType::Directory,
            b'0' | 0 | b'7' if name.ends_with('/') => EntryType::Directory,
            b'0' | 0 | b'7' => EntryType::File,
            other => EntryType::Special(other),
        };
        // Links state the size of their target and have no data.
        let data = match what {
            EntryType::Special(b'1'..=b'6') => 0,
            _ => given.size.unwrap_or(size),
        };
        self.expect_data(data)?;
        Ok(Header { name, size: data, what, offset })
    }

    /// Adds the size of the data to the total, for every type of record.
    fn expect_data(&mut self, size: u64) -> Result<(), TarError> {
        let all = self.position.saturating_add(size);
        if all > self.limit {
            return Err(TarError::TooMuch(all));
        }
        self.pending = size;
        self.padding = size.next_multiple_of(BLOCK as u64) - size;
        Ok(())
    }

    /// Reads a record that names the next member. A record over its limit is left out and counted.
    fn read_record(&mut self, size: u64, limit: usize) -> Result<Option<Vec<u8>>, TarError> {
        self.expect_data(size)?;
        if size > limit as u64 {
            self.oddities.oversized_name = self.oddities.oversized_name.max(Some(size));
            return Ok(None);
        }
        let mut record = Vec::new();
        self.read_data(&mut record)?;
        // OpenSim pads long names with NULs, GNU tar ends them with one.
        while record.last() == Some(&0) {
            record.pop();
        }
        Ok(Some(record))
    }
}

fn ends_early(position: u64, missing: u64) -> TarError {
    TarError::Broken(TarFault::CutMember { position, missing })
}

/// The sum of the bytes of a header, with spaces in the checksum field.
fn checksum(block: &[u8; BLOCK]) -> u64 {
    let spaces = 8 * u64::from(b' ');
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    sum(&block[..148]) + spaces + sum(&block[156..])
}

/// Whether a header with a wrong checksum is still plausible.
fn is_plausible(block: &[u8; BLOCK]) -> bool {
    let name_is_text = block[..100].iter().take_while(|&&byte| byte != 0).all(|&byte| byte >= b' ');
    name_is_text && matches!(block[156], 0 | b'0'..=b'7' | b'L' | b'K' | b'x' | b'g')
}

/// Parses an octal number with surrounding blanks or NULs, or a GNU base-256 number, whose first bit is set.
fn parse_number(field: &[u8]) -> Option<u64> {
    if field[0] & 0x80 != 0 {
        let negative = field[0] & 0x40 != 0;
        let (high, low) = field.split_at(field.len().saturating_sub(8));
        let fits = high.iter().enumerate().all(|(i, &byte)| byte == if i == 0 { 0x80 } else { 0 });
        return (!negative && fits)
            .then(|| low.iter().fold(0_u64, |value, &byte| value << 8 | u64::from(byte)))
            .filter(|&size| size < 1 << 62);
    }
    let text = std::str::from_utf8(field).ok()?;
    u64::from_str_radix(text.trim_matches([' ', '\0']), 8).ok()
}

fn until_nul(field: &[u8]) -> Vec<u8> {
    field.iter().copied().take_while(|&byte| byte != 0).collect()
}

fn header_name(block: &[u8; BLOCK]) -> Vec<u8> {
    let name = until_nul(&block[..100]);
    // Only POSIX ustar has a prefix there. GNU stores times in these bytes.
    if &block[257..263] != b"ustar\0" || block[345] == 0 {
        return name;
    }
    [until_nul(&block[345..500]), name].join(&b'/')
}

/// Reads the two pax keys that matter. A record is `length key=value\n`.
fn apply_pax(mut record: &[u8], given: &mut Pending) {
    while let Some(space) = record.iter().position(|&byte| byte == b' ') {
        let length = std::str::from_utf8(&record[..space]).ok().and_then(|text| text.parse::<usize>().ok());
        let Some(length) = length.filter(|&length| length > space + 1 && length <= record.len()) else {
            return;
        };
        let (line, rest) = record.split_at(length);
        record = rest;
        let line = line[space + 1..].strip_suffix(b"\n").unwrap_or(&line[space + 1..]);
        if let Some(path) = line.strip_prefix(b"path=") {
            given.name = Some(path.to_vec());
        } else if let Some(size) = line.strip_prefix(b"size=") {
            given.size =
                std::str::from_utf8(size).ok().and_then(|text| text.parse().ok()).filter(|&s| s < 1 << 62);
        }
    }
}

/// Whether these are the first bytes of a tar: a header with a correct checksum.
pub fn is_tar(bytes: &[u8]) -> bool {
    let Some(block) = bytes.first_chunk::<BLOCK>() else { return false };
    block[0] != 0 && parse_number(&block[148..156]) == Some(checksum(block))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header as OpenSim writes it: v7, no magic.
    fn v7(name: &str, size: usize, kind: u8) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        let bytes = name.as_bytes();
        let kept = bytes.len().min(100);
        block[..kept].copy_from_slice(&bytes[..kept]);
        block[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
        block[156] = kind;
        let sum = checksum(block.first_chunk().unwrap());
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }

    fn padded(data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        data.resize(data.len().next_multiple_of(BLOCK), 0);
        data
    }

    fn members(tar: &[u8]) -> Result<Vec<(String, EntryType, Vec<u8>)>, TarError> {
        let mut reader = TarReader::new(tar, &Limits::default());
        let mut found = Vec::new();
        while let Some(header) = reader.next_header()? {
            let mut data = Vec::new();
            reader.read_data(&mut data)?;
            found.push((header.name, header.what, data));
        }
        Ok(found)
    }

    #[test]
    fn long_names_behind_v7_headers_are_whole() {
        let name = format!("objects/{}__47397b0a-7c25-4905-b82d-946cbe329328.xml", "n".repeat(120));
        let mut tar = v7("././@LongLink", name.len(), b'L');
        tar.extend(padded(name.as_bytes()));
        tar.extend(v7(&name, 3, b'0'));
        tar.extend(padded(b"xml"));
        tar.extend(v7("assets/", 0, b'5'));
        tar.extend([0; 1024]);
        let found = members(&tar).unwrap();
        assert_eq!(
            found,
            [(name, EntryType::File, b"xml".to_vec()), ("assets/".into(), EntryType::Directory, Vec::new())]
        );
    }

    #[test]
    fn archives_of_the_tar_crate_are_read_the_same() {
        let mut builder = tar::Builder::new(Vec::new());
        let long = format!("{}/b.xml", "directory/".repeat(20));
        for (name, data) in [("a.xml", "one"), (&long, "two and more")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(data.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, data.as_bytes()).unwrap();
        }
        let mut header = tar::Header::new_ustar();
        header.set_size(5);
        header.set_path(format!("{}/c.xml", "d".repeat(120))).unwrap();
        header.set_cksum();
        builder.append(&header, &b"three"[..]).unwrap();
        builder.append_pax_extensions([("path", "pax/name.xml".as_bytes())]).unwrap();
        let mut header = tar::Header::new_ustar();
        header.set_path("short").unwrap();
        header.set_size(1);
        header.set_cksum();
        builder.append(&header, &b"4"[..]).unwrap();
        let bytes = builder.into_inner().unwrap();
        let names: Vec<_> = members(&bytes).unwrap().into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["a.xml", &long, &format!("{}/c.xml", "d".repeat(120)), "pax/name.xml"]);
    }

    #[test]
    fn pax_records_have_the_names_that_other_readers_take_them_by() {
        let record = b"20 path=objects/a.x\n";
        let mut tar = v7("objects/PaxHeaders/a", record.len(), b'x');
        tar.extend(padded(record));
        tar.extend(v7("objects/a", 0, b'0'));
        tar.extend(v7("pax_global_header", 0, b'g'));
        let mut reader = TarReader::new(tar.as_slice(), &Limits::default());
        assert_eq!(reader.next_header().unwrap().unwrap().name, "objects/a.x");
        assert_eq!(reader.take_pax_names(), ["objects/PaxHeaders/a"]);
        assert_eq!(reader.next_header().unwrap(), None);
        assert_eq!(reader.take_pax_names(), ["pax_global_header"], "behind the last member too");
    }

    #[test]
    fn cuts_are_reported_by_place() {
        let mut tar = v7("a", 1000, b'0');
        tar.extend(padded(&[7; 1000]));
        for (cut, expected) in [
            (700, TarFault::CutMember { position: 700, missing: 812 }),
            (300, TarFault::CutHeader { filled: 300, position: 300 }),
        ] {
            let Err(TarError::Broken(fault)) = members(&tar[..cut]) else { panic!("cut at {cut} passed") };
            assert_eq!(fault, expected);
        }
    }

    #[test]
    fn a_huge_long_name_is_left_out_and_noted() {
        let mut tar = v7("././@LongLink", 5000, b'L');
        tar.extend(padded(&[b'n'; 5000]));
        tar.extend(v7("short", 0, b'0'));
        let mut reader = TarReader::new(tar.as_slice(), &Limits::default());
        assert_eq!(reader.next_header().unwrap().unwrap().name, "short");
        assert_eq!(reader.oddities.oversized_name, Some(5000));
    }

    #[test]
    fn the_announced_size_of_a_record_counts_before_it_is_read() {
        let limits = Limits { archive_bytes: 1 << 20, ..Limits::default() };
        for kind in [b'0', b'5', b'L', b'K', b'x', b'g'] {
            let tar = v7("a", 1 << 20, kind);
            let read = TarReader::new(tar.as_slice(), &limits).next_header();
            assert!(matches!(read, Err(TarError::TooMuch(all)) if all == (1 << 20) + 512), "{kind}");
        }
    }

    #[test]
    fn sizes_in_base_256_and_wrong_checksums() {
        let mut field = [0; 12];
        field[0] = 0x80;
        field[10..].copy_from_slice(&[1, 2]);
        assert_eq!(parse_number(&field), Some(258));
        field[0] = 0xff;
        assert_eq!(parse_number(&field), None, "negative");

        let mut tar = v7("a", 1, b'0');
        tar[150] = b'7';
        tar.extend(padded(b"x"));
        let mut reader = TarReader::new(tar.as_slice(), &Limits::default());
        assert_eq!(reader.next_header().unwrap().unwrap().name, "a");
        assert_eq!(reader.oddities.bad_checksums, 1);
        assert!(!is_tar(&tar) && is_tar(&v7("a", 1, b'0')));
    }
}
