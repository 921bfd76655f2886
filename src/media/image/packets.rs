//! The headers of packets: they give the length of each packet (ITU-T T.800, B.10).

/// A sub-band of a channel, with the state that packet headers continue.
#[derive(Clone)]
pub(super) struct Band {
    columns: usize,
    bit_planes: u32,
    inclusion: TagTree,
    missing: TagTree,
    blocks: Vec<Block>,
}

#[derive(Clone)]
struct Block {
    /// Coding passes so far; 0 if no layer included the block.
    passes: u32,
    /// Passes that its bit-planes need.
    most_passes: u32,
    /// `Lblock`: bits of a length, for one pass.
    length_bits: u32,
}

impl Band {
    /// Creates a sub-band with this many columns and rows of blocks.
    pub(super) fn new([columns, rows]: [usize; 2], bit_planes: u32) -> Self {
        let blocks = vec![Block { passes: 0, most_passes: 0, length_bits: 3 }; columns * rows];
        let tree = TagTree::new([columns, rows]);
        Self { columns, bit_planes, inclusion: tree.clone(), missing: tree, blocks }
    }

    /// Returns the bit-planes that each block lacks at least in part; `None` for a block that no layer included.
    pub(super) fn lacking(&self) -> impl ExactSizeIterator<Item = Option<u32>> {
        self.blocks.iter().map(|block| {
            let left = block.most_passes - block.passes;
            (block.passes > 0).then_some(left.div_ceil(3))
        })
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Returns the maximum number of bit-planes of a block.
    pub(super) fn bit_planes(&self) -> u32 {
        self.bit_planes
    }

    /// Returns the bit-planes of a block that contain nothing.
    pub(super) fn missing_bit_planes(&self, block: usize) -> u32 {
        self.bit_planes - self.blocks[block].most_passes.div_ceil(3).min(self.bit_planes)
    }

    /// Reads the part of a packet header for this sub-band. `take_block` gets the index, the coding passes and the bytes
    /// of each block.
    pub(super) fn read(
        &mut self,
        bits: &mut Bits<'_>,
        layer: u32,
        mut take_block: impl FnMut(usize, u32, usize),
    ) -> Option<()> {
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let at = [index % self.columns, index / self.columns];
            let first = block.passes == 0;
            let included =
                if first { self.inclusion.read(bits, at, layer + 1)? <= layer } else { bits.next()? == 1 };
            if !included {
                continue;
            }
            if first {
                let missing = self.missing.read(bits, at, self.bit_planes)?;
                // The decoder refuses passes without a bit-plane. So a block without bit-planes is not cut.
                let planes = self.bit_planes.checked_sub(missing).filter(|&planes| planes > 0)?;
                block.most_passes = 3 * planes - 2;
            }
            let before = block.passes;
            let bytes = block.read(bits)?;
            take_block(index, block.passes - before, bytes);
        }
        Some(())
    }
}

impl Block {
    /// Reads the passes that a packet adds. Returns their bytes.
    fn read(&mut self, bits: &mut Bits<'_>) -> Option<usize> {
        let passes = bits.passes()?;
        self.passes += passes;
        while bits.next()? == 1 {
            self.length_bits += 1;
        }
        if self.passes > self.most_passes {
            return None;
        }
        let width = self.length_bits + passes.ilog2();
        if width < 32 { Some(bits.number(width)? as usize) } else { None }
    }
}

/// A tree over a grid of numbers. Each node is the minimum of the four below it.
#[derive(Clone)]
struct TagTree {
    /// The columns and nodes of each level. The first is the grid.
    levels: Vec<(usize, Vec<Node>)>,
}

/// A lower bound of a number, and whether it is the number.
#[derive(Clone, Default)]
struct Node {
    bound: u32,
    known: bool,
}

impl TagTree {
    fn new([mut columns, mut rows]: [usize; 2]) -> Self {
        let mut levels = vec![(columns, vec![Node::default(); columns * rows])];
        while columns * rows > 1 {
            (columns, rows) = (columns.div_ceil(2), rows.div_ceil(2));
            levels.push((columns, vec![Node::default(); columns * rows]));
        }
        Self { levels }
    }

    /// Returns a number of the grid, or a lower bound of at least `enough`.
    fn read(&mut self, bits: &mut Bits<'_>, [x, y]: [usize; 2], enough: u32) -> Option<u32> {
        let mut bound = 0;
        for (halvings, (columns, nodes)) in self.levels.iter_mut().enumerate().rev() {
            let node = &mut nodes[(y >> halvings) * *columns + (x >> halvings)];
            node.bound = node.bound.max(bound);
            while !node.known && node.bound < enough {
                node.known = bits.next()? == 1;
                node.bound += u32::from(!node.known);
            }
            bound = node.bound;
        }
        Some(bound)
    }
}

pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the number of bytes that were read at least in part.
    pub(super) fn bytes_read(&self) -> usize {
        self.at.div_ceil(8)
    }

    pub(super) fn next(&mut self) -> Option<u32> {
        let byte = *self.bytes.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        // After 0xff, a 0 is stuffed, so that no marker occurs.
        if self.at.is_multiple_of(8) && byte == 0xff {
            (self.bytes.get(self.at / 8)? < &0x80).then_some(())?;
            self.at += 1;
        }
        Some(bit.into())
    }

    fn number(&mut self, width: u32) -> Option<u32> {
        (0..width).try_fold(0, |number, _| Some(number << 1 | self.next()?))
    }

    /// Reads a number of coding passes. A shorter code has no continuation unless its bits are all 1 (table B.4).
    fn passes(&mut self) -> Option<u32> {
        for (width, base) in [(1, 1), (1, 2), (2, 3), (5, 6)] {
            let number = self.number(width)?;
            if number != (1 << width) - 1 {
                return Some(base + number);
            }
        }
        Some(37 + self.number(7)?)
    }
}
