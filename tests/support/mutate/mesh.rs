use super::{
    Dice, Where,
    bytes::bytes as change_bytes,
    llsd::{Token, llsd, tokens},
};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use std::io::{Read, Write};

/// Maximum number of changes in one mutant.
const CHANGES: usize = 4;

/// A mesh asset, split into its header and blocks.
#[derive(Debug, Clone)]
pub struct Mesh {
    header: Vec<u8>,
    blocks: Vec<Block>,
    whole: Vec<u8>,
}

/// One block, and the positions of its size and offset in the header.
#[derive(Debug, Clone)]
struct Block {
    offset_at: usize,
    size_at: usize,
    packed: Vec<u8>,
    content: Vec<u8>,
}

impl Mesh {
    /// Splits a mesh asset. If its header or blocks cannot be found, it has no blocks and is changed as plain bytes.
    pub fn open(bytes: &[u8]) -> Self {
        let (header, places) = header(bytes);
        let mut blocks: Vec<_> =
            places.iter().filter_map(|&place| Block::open(bytes, header, place)).collect();
        blocks.sort_by_key(|&(offset, _)| offset);
        let blocks = blocks.into_iter().map(|(_, block)| block).collect();
        Self { header: bytes[..header].to_vec(), blocks, whole: bytes.to_vec() }
    }

    /// Returns the original bytes of the asset.
    pub fn bytes(&self) -> &[u8] {
        &self.whole
    }

    /// Returns its documents in binary LLSD: the header, and the content of the blocks.
    pub fn documents(&self) -> Vec<Vec<u8>> {
        let blocks = self.blocks.iter().map(|block| block.content.clone());
        std::iter::once(self.header.clone()).chain(blocks).collect()
    }

    /// Returns the asset with another one of its [`documents`](Self::documents), which has the same length if it is the
    /// header.
    pub fn with_document(&self, number: usize, document: &[u8]) -> Vec<u8> {
        let packed = self.clone_packed();
        match number.checked_sub(1) {
            None => self.encode(document, &packed.packed),
            Some(block) => self.encode(&self.header, &packed.with(block, &deflate(document))),
        }
    }

    /// Returns a mutant. `other` is another mesh, whose blocks may be used for pieces.
    pub fn mutant(&self, dice: &mut Dice, other: &Self) -> (Vec<u8>, Where) {
        if self.blocks.is_empty() || dice.below(10) < 2 {
            let mut changed = self.whole.clone();
            for _ in 0..=dice.below(CHANGES) {
                change_bytes(dice, &mut changed, &other.whole);
            }
            return (changed, Where::Outside);
        }
        let mut changed = self.clone_packed();
        match dice.below(12) {
            0 => llsd(dice, &mut changed.header, &other.header),
            1 => {
                let (a, b) = (dice.below(changed.len()), dice.below(changed.len()));
                changed.packed.swap(a, b);
            }
            2 if !other.blocks.is_empty() => {
                let block = dice.below(changed.len());
                changed.packed[block] = &dice.pick(&other.blocks).packed;
            }
            _ => {
                let block = dice.below(changed.len());
                let mut content = self.blocks[block].content.clone();
                let foreign = other.blocks.get(dice.below(other.blocks.len()));
                let foreign = foreign.map_or(&other.whole, |block| &block.content);
                for _ in 0..=dice.below(CHANGES) {
                    llsd(dice, &mut content, foreign);
                }
                return (
                    self.encode(&changed.header, &changed.with(block, &deflate(&content))),
                    Where::Inside,
                );
            }
        }
        (self.encode(&changed.header, &changed.packed), Where::Outside)
    }

    fn clone_packed(&self) -> Packed<'_> {
        let packed = self.blocks.iter().map(|block| block.packed.as_slice()).collect();
        Packed { header: self.header.clone(), packed }
    }

    /// Returns the asset of these blocks. Sizes and offsets are correct if the header still has a place for them.
    fn encode(&self, header: &[u8], packed: &[&[u8]]) -> Vec<u8> {
        let mut bytes = header.to_vec();
        let mut offset = 0_u32;
        for (block, packed) in self.blocks.iter().zip(packed) {
            let size = packed.len() as u32;
            for (at, value) in [(block.offset_at, offset), (block.size_at, size)] {
                // A changed header keeps its wrong values.
                if header == self.header {
                    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
                }
            }
            offset += size;
        }
        packed.iter().for_each(|packed| bytes.extend(*packed));
        bytes
    }
}

/// A mesh under change: its header and its packed blocks.
struct Packed<'a> {
    header: Vec<u8>,
    packed: Vec<&'a [u8]>,
}

impl<'a> Packed<'a> {
    fn len(&self) -> usize {
        self.packed.len()
    }

    fn with<'b>(&self, block: usize, new: &'b [u8]) -> Vec<&'b [u8]>
    where
        'a: 'b,
    {
        let mut packed: Vec<&'b [u8]> = self.packed.clone();
        packed[block] = new;
        packed
    }
}

impl Block {
    /// Reads the block at the place in the header. Returns `None` if it is not in the file, or is no zlib stream.
    fn open(bytes: &[u8], header: usize, (offset_at, size_at): (usize, usize)) -> Option<(u32, Self)> {
        let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().unwrap()));
        let (offset, size) = (number(offset_at)?, number(size_at)?);
        let start = header.checked_add(offset as usize)?;
        let packed = bytes.get(start..start.checked_add(size as usize)?)?.to_vec();
        let mut content = Vec::new();
        ZlibDecoder::new(packed.as_slice()).take(1 << 26).read_to_end(&mut content).ok()?;
        Some((offset, Self { offset_at, size_at, packed, content }))
    }
}

/// Returns the end of the header, and the positions of the offset and the size of each block in it.
fn header(bytes: &[u8]) -> (usize, Vec<(usize, usize)>) {
    let tokens = tokens(bytes);
    let (mut depth, mut places) = (0_usize, Vec::new());
    let mut place = (None, None);
    for pair in tokens.windows(2) {
        let [token, next] = pair else { unreachable!() };
        let number = |token: &Token| (token.tag == b'i').then_some(token.range.start + 1);
        match token.tag {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'k' if depth == 2 && token.text(bytes) == b"offset" => place.0 = number(next),
            b'k' if depth == 2 && token.text(bytes) == b"size" => place.1 = number(next),
            _ => {}
        }
        if depth <= 1
            && let (Some(offset), Some(size)) = std::mem::take(&mut place)
        {
            places.push((offset, size));
        }
        // Bytes after the header may look like LLSD by chance.
        if depth == 1 && matches!(next.tag, b'}' | b']') {
            return (next.range.end, places);
        }
    }
    // A header without an end has no blocks after it.
    (0, Vec::new())
}

/// Compresses with zlib, as fast as possible.
fn deflate(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}
