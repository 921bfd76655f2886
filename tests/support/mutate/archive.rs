use super::{
    Dice, Mesh, Where,
    bytes::{bytes as change_bytes, lie},
    xml,
};
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use std::{
    io::{Read, Write},
    sync::Arc,
};

const BLOCK: usize = 512;

/// Maximum number of changes in one mutant.
const CHANGES: usize = 3;

/// Members below this number of bytes are small.
const SMALL: usize = 10_000;

/// Types of records: files, links, folders, GNU names, pax, and invalid types.
const TYPES: &[u8] = b"01256LKxgX7\0S\xff";

/// Names with a meaning for a loader, or for a disk.
const NAMES: [&str; 12] = [
    "archive.xml",
    "./archive.xml",
    "objects/a.xml",
    "assets/00000000-0000-0000-0000-000000000000_mesh.llmesh",
    "assets/11111111-1111-1111-1111-111111111111_object.xml",
    "regions/1_1_Here/objects/b.xml",
    "settings/s.xml",
    "landdata/p.xml",
    "../../etc/passwd",
    "/etc/passwd",
    "C:\\a.xml",
    "objects/\u{1b}[31m.xml",
];

/// An archive, split into the records of its tar.
#[derive(Debug, Clone, Default)]
pub struct Archive {
    pub members: Vec<Member>,
    packed: Arc<Vec<u8>>,
}

/// A record: its header and its data, without padding.
#[derive(Debug, Clone)]
pub struct Member {
    header: Box<[u8; BLOCK]>,
    data: Arc<Vec<u8>>,
    /// `true` if the header has a size that differs from the size of the data.
    lies: bool,
}

impl Member {
    /// Returns the name in the header.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&self.header[..100]).trim_end_matches('\0').to_owned()
    }

    /// Returns the size of the data in bytes.
    pub fn size(&self) -> usize {
        self.data.len()
    }

    /// Returns the data.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the record with other data.
    pub fn with_data(&self, data: Vec<u8>) -> Self {
        Self { data: Arc::new(data), ..self.clone() }
    }

    /// Returns `true` if the record only contains the name of the next one.
    pub fn is_long_name(&self) -> bool {
        self.header[156] == b'L'
    }
}

impl Archive {
    /// Splits a tar, which may be in gzip. Incomplete records are left out.
    pub fn open(bytes: &[u8]) -> Self {
        let mut unpacked = Vec::new();
        let tar = match bytes.starts_with(&[0x1f, 0x8b]) {
            true => {
                // The content before a fault is enough for mutants.
                let _ = MultiGzDecoder::new(bytes).take(1 << 28).read_to_end(&mut unpacked);
                &unpacked
            }
            false => bytes,
        };
        Self { members: members(tar), packed: Arc::new(bytes.to_vec()) }
    }

    /// Creates an archive of these members, in gzip.
    pub fn of(members: Vec<Member>) -> Self {
        let packed = Arc::new(gzip(&tar(&members)));
        Self { members, packed }
    }

    /// Returns the bytes from which the archive was opened, or its gzip file if it was made from members.
    pub fn bytes(&self) -> &[u8] {
        &self.packed
    }

    /// Returns the archive without large members.
    pub fn small(mut self) -> Self {
        self.members.retain(|member| member.size() < SMALL);
        Self::of(self.members)
    }

    /// Returns the plain tar.
    pub fn tar(&self) -> Vec<u8> {
        tar(&self.members)
    }

    /// Returns a mutant. `other` is another archive, whose members may be taken.
    pub fn mutant(&self, dice: &mut Dice, other: &Self) -> (Vec<u8>, Where) {
        if self.members.is_empty() || dice.below(10) < 3 {
            return (self.changed_outside(dice, other), Where::Outside);
        }
        let mut members = self.members.clone();
        for _ in 0..=dice.below(CHANGES) {
            change_members(dice, &mut members, other);
        }
        let mut tar = tar(&members);
        if dice.once_in(8) {
            change_bytes(dice, &mut tar, &other.packed);
        }
        (if dice.once_in(10) { tar } else { gzip(&tar) }, Where::Inside)
    }

    fn changed_outside(&self, dice: &mut Dice, other: &Self) -> Vec<u8> {
        let mut bytes = self.packed.to_vec();
        match dice.below(6) {
            0 => bytes.extend(other.packed.iter()),
            1 => {
                // The size and the checksum that gzip states at its end.
                let at = bytes.len().saturating_sub(1 + dice.below(8));
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = byte.wrapping_add(1);
                }
            }
            _ => {
                for _ in 0..=dice.below(CHANGES) {
                    change_bytes(dice, &mut bytes, &other.packed);
                }
            }
        }
        bytes
    }
}

/// Returns the records of a tar.
fn members(tar: &[u8]) -> Vec<Member> {
    let (mut members, mut at) = (Vec::new(), 0);
    while let Some(header) = tar.get(at..at + BLOCK).filter(|block| block.iter().any(|&byte| byte != 0)) {
        let text = std::str::from_utf8(&header[124..136]).unwrap_or_default();
        let size = usize::from_str_radix(text.trim_matches(['\0', ' ']), 8).ok();
        let start = at + BLOCK;
        let end = size.and_then(|size| start.checked_add(size)).filter(|&end| end <= tar.len());
        let Some(end) = end else { break };
        let data = Arc::new(tar[start..end].to_vec());
        members.push(Member { header: Box::new(header.try_into().unwrap()), data, lies: false });
        at = end.next_multiple_of(BLOCK);
    }
    members
}

/// Returns the tar of these records, with correct checksums. Sizes are correct too, except in records that lie.
fn tar(members: &[Member]) -> Vec<u8> {
    let mut out = Vec::with_capacity(members.iter().map(|member| 2 * BLOCK + member.size()).sum());
    for member in members {
        let mut header = *member.header;
        if !member.lies {
            header[124..136].copy_from_slice(format!("{:011o}\0", member.size()).as_bytes());
        }
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(header);
        out.extend(member.data.iter());
        out.resize(out.len().next_multiple_of(BLOCK), 0);
    }
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

/// Changes one record, or adds, removes and moves records.
fn change_members(dice: &mut Dice, members: &mut Vec<Member>, other: &Archive) {
    if members.is_empty() {
        return;
    }
    let at = dice.below(members.len());
    match dice.below(12) {
        0 => drop(members.remove(at)),
        1 => {
            let again = members[at].clone();
            members.insert(dice.below(members.len()), again);
        }
        2 => {
            let other = dice.below(members.len());
            members.swap(at, other);
        }
        3 => {
            let from = dice.below(members.len());
            members[at].data = members[from].data.clone();
        }
        4 if !other.members.is_empty() => members.insert(at, dice.pick(&other.members).clone()),
        5 | 6 => change_header(dice, &mut members[at]),
        _ => change_data(dice, &mut members[at], other),
    }
}

/// Puts a wrong value into a header whose checksum will be correct.
fn change_header(dice: &mut Dice, member: &mut Member) {
    let header = &mut *member.header;
    match dice.below(5) {
        0 => {
            let size = lie(dice, member.data.len() as u32);
            header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
            member.lies = true;
        }
        1 => {
            // Binary sizes of GNU, which can exceed any disk.
            header[124..136].fill(0);
            header[124] = 0x80;
            header[128 + dice.below(8)] = 1 << dice.below(8);
            member.lies = true;
        }
        2 => header[156] = *dice.pick(TYPES),
        3 => {
            let name = dice.pick(&NAMES).as_bytes();
            header[..100].fill(0);
            header[..name.len()].copy_from_slice(name);
        }
        _ => {
            let at = dice.below(BLOCK);
            header[at] = header[at].wrapping_add(1 + dice.below(255) as u8);
            member.lies |= (124..136).contains(&at);
        }
    }
}

/// Changes the data of a record according to the kind in its name.
fn change_data(dice: &mut Dice, member: &mut Member, other: &Archive) {
    let name = member.name();
    let foreign =
        other.members.get(dice.below(other.members.len())).map_or(&other.packed, |member| &member.data);
    let mut data = member.data.to_vec();
    if name.ends_with(".xml") {
        for _ in 0..=dice.below(CHANGES) {
            xml(dice, &mut data, foreign);
        }
    } else if name.ends_with("_mesh.llmesh") {
        data = Mesh::open(&data).mutant(dice, &Mesh::open(foreign)).0;
    } else {
        change_bytes(dice, &mut data, foreign);
    }
    member.data = Arc::new(data);
}

/// Compresses with gzip without a time stamp, as fast as possible.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
