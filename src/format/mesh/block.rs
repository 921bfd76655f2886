//! From the header's list to the values in the blocks.

use super::{Block, diagnostics::Notes, header::doubled_keys};
use crate::{
    finding::{Code, Finding},
    format::{
        inflate::{self, End, Flaw, Inflated},
        llsd::{self, Problem, Value},
    },
    settings::limits::Limits,
    util::advice,
};
use std::ops::Range;

/// The blocks of one asset may inflate to this many times the limit of one of them: nine blocks, all of them
/// bombs, would otherwise be held at one time.
const BLOCKS_AT_LIMIT: u64 = 2;

/// Reads blocks by name.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    /// The file behind its header.
    body: &'a [u8],
    blocks: Vec<Block>,
    limits: &'a Limits,
    /// Bytes that may still be inflated.
    budget: u64,
    /// Bytes that came out of the blocks, of those that cannot be used too.
    inflated: u64,
}

impl<'a> Reader<'a> {
    /// Takes the blocks in file order, and notes which lie outside the file or over each other.
    pub(super) fn new(body: &'a [u8], blocks: Vec<Block>, limits: &'a Limits, notes: &mut Notes) -> Self {
        check_bounds(body.len(), &blocks, notes);
        let budget = limits.block_bytes.saturating_mul(BLOCKS_AT_LIMIT);
        Self { body, blocks, limits, budget, inflated: 0 }
    }

    /// Whether the header lists a block of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// The blocks, with the sizes of those that were inflated, and how many bytes came out in all.
    pub(super) fn finish(self) -> (Vec<Block>, u64) {
        (self.blocks, self.inflated)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.blocks.iter().position(|block| block.name == name)
    }

    /// Reads the first block there is of two names; the other one is only inflated. `read` is told which.
    pub(super) fn read_first<T>(
        &mut self,
        names: [&'static str; 2],
        notes: &mut Notes,
        read: impl FnOnce(&Value<'_>, &'static str, &mut Notes) -> Option<T>,
    ) -> Option<T> {
        let [first, second] = names;
        if !self.has(first) {
            return self.read(second, notes, |value, notes| read(value, second, notes));
        }
        let result = self.read(first, notes, |value, notes| read(value, first, notes));
        self.read(second, notes, |_, _| Some(()));
        result
    }

    /// Reads the block `name` with `read`; absent where there is none, or it cannot be read.
    pub(super) fn read<T>(
        &mut self,
        name: &'static str,
        notes: &mut Notes,
        read: impl FnOnce(&Value<'_>, &mut Notes) -> Option<T>,
    ) -> Option<T> {
        let index = self.find(name)?;
        // Those that lie outside are told already.
        let input = &self.body[range(&self.blocks[index], self.body.len())?];
        inflate::with(|inflater| {
            let limit = self.limits.block_bytes.min(self.budget);
            let inflated = inflater.inflate(input, limit);
            self.inflated += match inflated.end {
                End::Complete | End::Flawed(_) => inflated.bytes.len() as u64,
                End::Truncated { produced } | End::Corrupt { produced, .. } => produced as u64,
                End::OverLimit => limit,
                End::NoMemory => 0,
            };
            self.check_end(name, input, &inflated, limit, notes)?;
            let bytes = inflated.bytes;
            self.budget -= bytes.len() as u64;
            self.blocks[index].inflated = Some(bytes.len() as u64);
            self.parse(bytes, name, notes).and_then(|value| read(&value, notes))
        })
    }

    /// Notes how the stream ended. Absent where nothing of it can be used.
    fn check_end(
        &self,
        name: &'static str,
        input: &[u8],
        inflated: &Inflated<'_>,
        limit: u64,
        notes: &mut Notes,
    ) -> Option<()> {
        let finding = |code| Finding::new(code).within(name);
        match inflated.end {
            End::Complete => {}
            End::Flawed(flaw) => {
                let (oddity, what) = describe(flaw);
                notes.odd(oddity);
                notes.find(finding(Code::MSH016).aspect("stream").detail(format!(
                    "{what} of block {name}: OpenSim does not look and reads it, viewers refuse the block"
                )));
            }
            End::OverLimit => {
                let what = if limit < self.limits.block_bytes {
                    "what all blocks of a mesh may inflate to together is spent at this block"
                } else {
                    "the block inflates to more than one block may"
                };
                let detail = format!("{what}, {name}");
                notes.find(
                    finding(Code::ARC012).detail(detail).measured(limit as f64 + 1.0).limit(limit as f64),
                );
                return None;
            }
            End::NoMemory => {
                let detail = format!("there is not enough memory for block {name}: {}", advice::MORE_MEMORY);
                notes.find(finding(Code::RUN001).detail(detail));
                return None;
            }
            End::Truncated { produced } => {
                let size = input.len();
                notes.find(finding(Code::MSH003).measured(size as f64).detail(format!(
                    "the stream does not end within its {size} bytes; {produced} bytes had come out"
                )));
                return None;
            }
            End::Corrupt { at, produced } => {
                let gzip =
                    if input.starts_with(&[0x1f, 0x8b]) { ", because it is gzip and not zlib" } else { "" };
                notes.find(finding(Code::MSH003).offset(at).detail(format!(
                    "the stream is damaged at its byte {at} of {}{gzip}; {produced} bytes had come out",
                    input.len()
                )));
                return None;
            }
        }
        if inflated.trailing > 0 {
            notes.odd("trailing-block-bytes");
        }
        Some(())
    }

    fn parse<'b>(&self, bytes: &'b [u8], name: &'static str, notes: &mut Notes) -> Option<Value<'b>> {
        let document = match llsd::parse_at_most(bytes, self.limits.llsd_depth, self.limits.llsd_values) {
            Ok(document) => document,
            Err(error) => {
                let finding = match error.problem {
                    Problem::TooDeep(limit) | Problem::TooMany(limit) => {
                        Finding::new(Code::ARC012).measured(limit as f64 + 1.0).limit(limit as f64)
                    }
                    _ => Finding::new(Code::MSH015),
                };
                notes.find(finding.within(name).offset(error.offset).detail(error.to_string()));
                return None;
            }
        };
        if document.prefixed {
            notes.odd("block-prefix");
        }
        if document.consumed < bytes.len() {
            notes.odd("trailing-value-bytes");
        }
        if let Some(doubles) = &document.doubles {
            notes.find(doubled_keys(name, doubles).within(name));
        }
        Some(document.value)
    }
}

fn describe(flaw: Flaw) -> (&'static str, &'static str) {
    match flaw {
        Flaw::WrongChecksum => ("wrong-adler32", "the checksum (Adler-32) is not that of the data"),
        Flaw::MissingChecksum => ("missing-adler32", "the checksum (Adler-32) is cut off at the end"),
        Flaw::WrongHeader => ("wrong-zlib-header", "the first two bytes are not those of zlib at the start"),
    }
}

/// Where the block lies in `available` bytes; absent where it does not.
fn range(block: &Block, available: usize) -> Option<Range<usize>> {
    let start = usize::try_from(block.offset).ok()?;
    let end = start.checked_add(usize::try_from(block.size).ok()?)?;
    (end <= available).then_some(start..end)
}

fn check_bounds(available: usize, blocks: &[Block], notes: &mut Notes) {
    // End of what is taken so far, and whose it is.
    let mut taken = (0, None::<&Block>);
    for block in blocks {
        let Some(range) = range(block, available) else {
            notes.find(outside(block, available));
            continue;
        };
        match taken {
            (end, Some(other)) if range.start < end => {
                notes.find(overlap(block, other, (end - range.start) as i64));
            }
            (end, _) if range.start > end => notes.odd("gaps"),
            _ => {}
        }
        if range.end > taken.0 {
            taken = (range.end, Some(block));
        }
    }
    if taken.1.is_some() && taken.0 < available {
        notes.odd("trailing-file-bytes");
    }
}

fn outside(block: &Block, available: usize) -> Finding {
    let finding = Finding::new(Code::MSH002).within(block.name.clone());
    let Block { offset, size, .. } = *block;
    if offset < 0 || size < 0 {
        return finding.detail(format!("its offset is {offset} and its size {size}"));
    }
    let end = offset.saturating_add(size);
    finding.measured(end as f64).limit(available as f64).detail(format!(
        "it reaches from byte {offset} to {end} behind the header, and the file has {available} there"
    ))
}

fn overlap(block: &Block, other: &Block, bytes: i64) -> Finding {
    let shared = bytes.min(block.size);
    Finding::new(Code::MSH002)
        .within(block.name.clone())
        .measured(shared as f64)
        .limit(0.0)
        .detail(format!("{shared} of its {} bytes lie over block {}", block.size, other.name))
}
