//! The directory of a zip file, and the bytes of its members.
//!
//! Only the directory at the end is believed. It is read with limits, and members that share bytes are refused: a bomb
//! is made of them.

use super::{
    bytes::Bytes,
    members::{Listed, ListingEnd, MemberPlace, Packing, Refused},
};
use hullmark_settings::limits::Limits;
use std::{
    cmp::Reverse,
    io::{self, BufReader, Read},
};

/// The first bytes of a zip with members, and of one without.
pub const MAGICS: [[u8; 4]; 2] = [*b"PK\x03\x04", *b"PK\x05\x06"];

/// Bytes of the end record, of its longest comment, and of the records of large files before it.
const END: usize = 22;
const LONGEST_END: usize = END + 0xffff;
const LOCATOR: usize = 20;
const LARGE_END: usize = 56;

/// Bytes of an entry of the directory, and of the header before the data of a member, without their names.
const ENTRY: usize = 46;
const HEADER: usize = 30;

/// A zip whose directory was found.
#[derive(Debug)]
pub struct Zip {
    bytes: Bytes,
    directory: Directory,
}

#[derive(Debug)]
struct Directory {
    entries: u64,
    bytes: u64,
    start: u64,
    /// Bytes before the zip, which its offsets do not count.
    shift: u64,
}

impl Zip {
    /// Finds the directory of a zip.
    pub fn open(bytes: &Bytes) -> io::Result<Self> {
        Ok(Self { bytes: bytes.clone(), directory: find_directory(bytes)? })
    }

    pub fn data(&self) -> Bytes {
        self.bytes.part(0, self.directory.start)
    }

    /// Passes the members to `take` in the order of the directory, at most `most` of them, until it returns `false`.
    pub fn list(
        &self,
        most: u64,
        limits: &Limits,
        take: &mut dyn FnMut(Listed) -> bool,
    ) -> io::Result<ListingEnd> {
        let shared = self.shared(most)?;
        self.entries(most, |number, Entry { mut name, mut place, .. }| {
            if shared.contains(number) {
                place.packing = Err(Refused::Shared);
            }
            if name.len() > limits.name_bytes {
                place.packing = Err(Refused::LongName(u16::try_from(name.len()).unwrap_or(u16::MAX)));
                name.truncate(name.floor_char_boundary(limits.name_bytes));
            }
            take(Listed { name, place })
        })
    }

    /// Returns the numbers of the members that share bytes with another. Their places are sorted, so that this takes
    /// one pass.
    fn shared(&self, most: u64) -> io::Result<Numbers> {
        let mut places: Vec<(u64, Reverse<u64>, u64)> = Vec::new();
        self.entries(most, |number, Entry { place, end, .. }| {
            places.push((place.start, Reverse(end), number));
            true
        })?;
        places.sort_unstable();
        let (mut end, mut last) = (0, None);
        let mut shared = Numbers::default();
        for (start, Reverse(own_end), number) in places {
            if start < end {
                [Some(number), last].into_iter().flatten().for_each(|number| shared.add(number));
            }
            if own_end > end {
                (end, last) = (own_end, Some(number));
            }
        }
        Ok(shared)
    }

    /// Passes the entries of the directory to `take`, with their numbers.
    fn entries(&self, most: u64, mut take: impl FnMut(u64, Entry) -> bool) -> io::Result<ListingEnd> {
        let Directory { entries, bytes, start, .. } = self.directory;
        let mut ended = ListingEnd::default();
        let mut bytes = BufReader::new(self.bytes.part(start, bytes).open()?);
        for number in 0..entries {
            if number == most {
                ended.over = Some(entries);
                break;
            }
            let goes_on = match self.read_entry(&mut bytes) {
                Ok(entry) => entry.is_none_or(|entry| take(number, entry)),
                Err(error) => {
                    ended.broken = Some(format!("its directory is damaged at entry {number} ({error})"));
                    false
                }
            };
            if !goes_on {
                break;
            }
        }
        Ok(ended)
    }

    /// Reads one entry of the directory. `None` for a folder.
    fn read_entry(&self, bytes: &mut impl Read) -> io::Result<Option<Entry>> {
        let directory = &self.directory;
        let mut entry = [0; ENTRY];
        bytes.read_exact(&mut entry)?;
        if !entry.starts_with(b"PK\x01\x02") {
            return Err(damaged("no entry"));
        }
        let mut read = |length: u16| {
            let mut field = vec![0; usize::from(length)];
            bytes.read_exact(&mut field).map(|()| field)
        };
        let name = read(u16_at(&entry, 28))?;
        let extra = read(u16_at(&entry, 30))?;
        read(u16_at(&entry, 32))?;
        let (flags, method, crc) = (u16_at(&entry, 8), u16_at(&entry, 10), u32_at(&entry, 16));
        let [mut packed, mut size, mut offset] = [20, 24, 42].map(|at| u64::from(u32_at(&entry, at)));
        let mut large = large_numbers(&extra).chunks_exact(8).map(|eight| u64_at(eight, 0));
        for number in [&mut size, &mut packed, &mut offset] {
            if *number == u64::from(u32::MAX) {
                *number = large.next().unwrap_or(*number);
            }
        }
        let name = String::from_utf8_lossy(&name).replace('\\', "/");
        // Files of macOS about the other files.
        if name.ends_with('/') || name.starts_with("__MACOSX/") {
            return Ok(None);
        }
        let packing = match method {
            _ if flags & 0x2041 != 0 => Err(Refused::Encrypted),
            0 => Ok(Packing::Stored),
            8 => Ok(Packing::Deflated),
            93 => Ok(Packing::Zstd),
            other => Err(Refused::Method(other)),
        };
        let start = directory.shift.saturating_add(offset);
        let end = start.saturating_add((HEADER + name.len()) as u64).saturating_add(packed);
        let packing = if end > directory.start { Err(Refused::Beyond) } else { packing };
        let place = MemberPlace { start, packed, size, crc: Some(crc), packing, has_header: true };
        Ok(Some(Entry { name, place, end }))
    }
}

#[derive(Debug)]
struct Entry {
    name: String,
    place: MemberPlace,
    /// Where its bytes end, for all that the directory says.
    end: u64,
}

/// A set of numbers of entries, a bit for each.
#[derive(Debug, Default)]
struct Numbers(Vec<u64>);

impl Numbers {
    fn add(&mut self, number: u64) {
        let word = (number / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }

    fn contains(&self, number: u64) -> bool {
        self.0.get((number / 64) as usize).is_some_and(|word| word & 1 << (number % 64) != 0)
    }
}

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..at + 2).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |four| u32::from_le_bytes(*four))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |eight| u64::from_le_bytes(*eight))
}

fn find_directory(zip: &Bytes) -> io::Result<Directory> {
    let tail_start = zip.length().saturating_sub((LONGEST_END + LOCATOR + LARGE_END) as u64);
    let tail = zip.at(tail_start, LONGEST_END + LOCATOR + LARGE_END)?;
    let is_end = |at: &usize| {
        tail[*at..].starts_with(b"PK\x05\x06")
            && *at + END + usize::from(u16_at(&tail, *at + 20)) <= tail.len()
    };
    let end = (0..=tail.len().saturating_sub(END)).rev().filter(|at| tail.len() >= at + END).find(is_end);
    let Some(end) = end else {
        return Err(damaged("the zip is cut: the directory at its end is missing"));
    };
    let record = &tail[end..];
    let disks = [u16_at(record, 4), u16_at(record, 6)];
    if disks.iter().any(|disk| !matches!(disk, 0 | 0xffff)) {
        return Err(damaged("it is one part of a split zip: join the parts to one file"));
    }
    let (mut entries, mut bytes, mut offset) =
        (u64::from(u16_at(record, 10)), u64::from(u32_at(record, 12)), u64::from(u32_at(record, 16)));
    let mut after = tail_start + end as u64;
    let large = end.checked_sub(LOCATOR).map(|at| &tail[at..]).filter(|at| at.starts_with(b"PK\x06\x07"));
    if let Some(locator) = large {
        let at = u64_at(locator, 8);
        let record = zip.at(at, LARGE_END)?;
        if !record.starts_with(b"PK\x06\x06") {
            return Err(damaged("the record of a large zip is missing"));
        }
        (entries, bytes, offset) = (u64_at(&record, 32), u64_at(&record, 40), u64_at(&record, 48));
        after = at;
    }
    let start = after.checked_sub(bytes).ok_or_else(|| damaged("its directory is larger than the file"))?;
    let shift =
        start.checked_sub(offset).ok_or_else(|| damaged("its directory is not where it should be"))?;
    Ok(Directory { entries, bytes, start, shift })
}

/// Returns the numbers of a large member among the extra fields.
fn large_numbers(mut extra: &[u8]) -> &[u8] {
    while let [_, _, _, _, rest @ ..] = extra {
        let length = usize::from(u16_at(extra, 2)).min(rest.len());
        if u16_at(extra, 0) == 1 {
            return &rest[..length];
        }
        extra = &rest[length..];
    }
    &[]
}

/// Returns where the data of a member begins, after its header.
pub(super) fn data_start(bytes: &Bytes) -> io::Result<u64> {
    let header = bytes.at(0, HEADER)?;
    if header.len() < HEADER || !header.starts_with(&MAGICS[0]) {
        return Err(damaged("its header in the zip is missing"));
    }
    Ok(HEADER as u64 + u64::from(u16_at(&header, 26)) + u64::from(u16_at(&header, 28)))
}
