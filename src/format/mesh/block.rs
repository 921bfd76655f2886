//! Decodes the blocks that the header lists.

use super::{Block, Lacks, diagnostics::Notes, header::doubled_keys, names};
use crate::{
    defect::{Defect, LlsdDocument, MeshDefect},
    inflate::{self, End, Flaw, Inflated},
    llsd::{self, Problem, Value},
};
use hullmark_settings::limits::Limits;
use std::ops::Range;

/// The blocks of one asset together may inflate to this many times the limit of one block. Otherwise nine bombs could
/// be in memory at the same time.
const BLOCKS_AT_LIMIT: u64 = 2;

/// Reads blocks by name.
#[derive(Debug)]
pub(super) struct BlockReader<'a> {
    /// The file after its header.
    body: &'a [u8],
    blocks: Vec<Block>,
    /// Names of blocks that a viewer did not fetch.
    absent: Vec<&'static str>,
    limits: &'a Limits,
    /// Bytes that may still be inflated.
    budget: u64,
    /// Bytes inflated from all blocks, including blocks that cannot be used.
    inflated: u64,
}

impl<'a> BlockReader<'a> {
    /// Creates a reader of the blocks in file order. Notes blocks that lie outside the file or overlap.
    /// Blocks that `lacks` names are not looked at.
    pub(super) fn new(
        body: &'a [u8],
        blocks: Vec<Block>,
        lacks: Lacks<'_>,
        limits: &'a Limits,
        notes: &mut Notes,
    ) -> Self {
        let is_absent = |name: &&str| {
            let block = blocks.iter().find(|block| block.name == *name);
            block.is_some_and(|block| lacks(name, range(block, body.len()).map(|range| &body[range])))
        };
        let absent: Vec<_> = names().filter(is_absent).collect();
        check_bounds(body.len(), blocks.iter().filter(|block| !absent.contains(&&*block.name)), notes);
        let budget = limits.block_bytes.saturating_mul(BLOCKS_AT_LIMIT);
        Self { body, blocks, absent, limits, budget, inflated: 0 }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the blocks with their inflated sizes, the names of those that were not fetched, and the number of bytes
    /// inflated in total.
    pub(super) fn finish(self) -> (Vec<Block>, Vec<&'static str>, u64) {
        (self.blocks, self.absent, self.inflated)
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.blocks.iter().position(|block| block.name == name)
    }

    /// Reads the block with the first of two names that exists; the other one is only inflated. `read` gets the name.
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

    /// Reads the block `name` with `read`; `None` if the block is missing or cannot be read.
    pub(super) fn read<T>(
        &mut self,
        name: &'static str,
        notes: &mut Notes,
        read: impl FnOnce(&Value<'_>, &mut Notes) -> Option<T>,
    ) -> Option<T> {
        let index = self.find(name).filter(|_| !self.absent.contains(&name))?;
        // `check_bounds` has noted blocks outside the file.
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

    /// Notes the end of the stream; `None` if its data cannot be used.
    fn check_end(
        &self,
        name: &'static str,
        input: &[u8],
        inflated: &Inflated<'_>,
        limit: u64,
        notes: &mut Notes,
    ) -> Option<()> {
        let defect = |kind: MeshDefect| Defect::new(kind).within(name);
        match inflated.end {
            End::Complete => {}
            End::Flawed(flaw) => {
                notes.odd(oddity(flaw));
                notes.find(defect(MeshDefect::FlawedStream { flaw }));
            }
            End::OverLimit => {
                let together = limit < self.limits.block_bytes;
                let defect = defect(MeshDefect::InflatesTooFar { together });
                notes.find(defect.measured(limit as f64 + 1.0).limit(limit as f64));
                return None;
            }
            End::NoMemory => {
                notes.find(defect(MeshDefect::BlockWithoutMemory));
                return None;
            }
            End::Truncated { produced } => {
                let produced = produced as u64;
                let defect = defect(MeshDefect::TruncatedStream { produced });
                notes.find(defect.measured(input.len() as f64));
                return None;
            }
            End::Corrupt { at, produced } => {
                let (size, produced) = (input.len() as u64, produced as u64);
                let gzip = input.starts_with(&[0x1f, 0x8b]);
                notes.find(defect(MeshDefect::CorruptStream { size, gzip, produced }).offset(at));
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
                let defect = MeshDefect::Llsd { of: LlsdDocument::Block, problem: error.problem };
                let defect = Defect::new(defect).within(name).offset(error.offset);
                notes.find(match error.problem {
                    Problem::TooDeep(limit) | Problem::TooMany(limit) => {
                        defect.measured(limit as f64 + 1.0).limit(limit as f64)
                    }
                    _ => defect,
                });
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
            notes.find(doubled_keys(LlsdDocument::Block, doubles).within(name));
        }
        Some(document.value)
    }
}

fn oddity(flaw: Flaw) -> &'static str {
    match flaw {
        Flaw::WrongChecksum => "wrong-adler32",
        Flaw::MissingChecksum => "missing-adler32",
        Flaw::WrongHeader => "wrong-zlib-header",
    }
}

/// Returns the range of the block in `available` bytes; `None` if it does not fit.
fn range(block: &Block, available: usize) -> Option<Range<usize>> {
    let start = usize::try_from(block.offset).ok()?;
    let end = start.checked_add(usize::try_from(block.size).ok()?)?;
    (end <= available).then_some(start..end)
}

fn check_bounds<'b>(available: usize, blocks: impl Iterator<Item = &'b Block>, notes: &mut Notes) {
    // The end of the bytes seen so far, and the block that ends there.
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

fn outside(block: &Block, available: usize) -> Defect {
    let Block { offset, size, .. } = *block;
    let defect = |kind: MeshDefect| Defect::new(kind).within(block.name.clone());
    if offset < 0 || size < 0 {
        return defect(MeshDefect::NegativeRange { offset, size });
    }
    let end = offset.saturating_add(size);
    defect(MeshDefect::BlockOutside { offset, size }).measured(end as f64).limit(available as f64)
}

fn overlap(block: &Block, other: &Block, bytes: i64) -> Defect {
    let shared = bytes.min(block.size);
    let kind = MeshDefect::BlocksOverlap { size: block.size, other: other.name.clone() };
    Defect::new(kind).within(block.name.clone()).measured(shared as f64).limit(0.0)
}
