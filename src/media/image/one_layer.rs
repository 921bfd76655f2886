//! Writes code-blocks as a codestream of one layer and one tile-part (ITU-T T.800, annexes A and B).
//!
//! The decoder can neither choose channels nor stop within a packet. So the blocks that it should decode become a stream
//! of their own, with new packets around the same data.

use super::{
    codestream::{Channel, EOC, MainHeader, Packet, QCD, SOC},
    jpeg2000::{COD, SIZ, SOD, SOT},
};
use std::collections::HashMap;

/// The data of code-blocks by channel, resolution, sub-band and index.
#[derive(Default)]
pub(super) struct Blocks<'a>(HashMap<[usize; 4], Block<'a>>);

#[derive(Default)]
struct Block<'a> {
    passes: u32,
    pieces: Vec<&'a [u8]>,
}

impl<'a> Blocks<'a> {
    /// Adds the data of a packet, up to the first block whose data is cut.
    pub(super) fn add(&mut self, packet: &Packet<'_, 'a>) {
        let mut rest = packet.bytes.get(packet.header..).unwrap_or_default();
        for piece in packet.pieces {
            let Some(data) = rest.split_off(..piece.length) else { return };
            let place = [packet.channel, packet.resolution, piece.band, piece.block];
            let block = self.0.entry(place).or_default();
            block.passes += piece.passes;
            block.pieces.push(data);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Writes the blocks of these channels; `None` if they are too large for a tile-part.
    pub(super) fn write(&self, main: &MainHeader<'_>, channels: &[Channel]) -> Option<Vec<u8>> {
        let mut packets = Vec::new();
        for [_, resolution, channel] in main.order([1, usize::from(main.levels) + 1, channels.len()])? {
            self.write_packet(channels, channel, resolution, &mut packets);
        }
        stream(main, u16::try_from(channels.len()).ok()?, &packets)
    }

    fn write_packet(&self, channels: &[Channel], channel: usize, resolution: usize, bytes: &mut Vec<u8>) {
        let (mut bits, mut data) = (BitWriter::default(), Vec::new());
        // The packet is not empty, even if all its blocks are.
        bits.push(1, 1);
        for (index, band) in channels[channel][resolution].iter().enumerate() {
            let columns = band.columns();
            let blocks: Vec<Option<&Block<'_>>> =
                (0..band.blocks()).map(|block| self.0.get(&[channel, resolution, index, block])).collect();
            // The layer of a block: the first, or none.
            let layers = blocks.iter().map(|block| u32::from(block.is_none())).collect();
            let missing = (0..band.blocks()).map(|block| band.missing_bit_planes(block)).collect();
            let [mut layers, mut missing] =
                [layers, missing].map(|numbers| TreeWriter::new(columns, numbers));
            for (block, at) in blocks.iter().zip((0..).map(|block| [block % columns, block / columns])) {
                layers.write(&mut bits, at, 1);
                if let Some(block) = block {
                    missing.write(&mut bits, at, band.bit_planes());
                    block.write(&mut bits);
                    data.extend(block.pieces.iter().copied());
                }
            }
        }
        bytes.extend(bits.finish());
        bytes.extend(data.into_iter().flatten());
    }
}

impl Block<'_> {
    fn write(&self, bits: &mut BitWriter) {
        // Table B.4.
        match self.passes {
            1 => bits.push(0, 1),
            2 => bits.push(0b10, 2),
            passes @ 3..=5 => bits.push(0b1100 | (passes - 3), 4),
            passes @ 6..=36 => bits.push(0b1111 << 5 | (passes - 6), 9),
            passes => bits.push(0x1ff << 7 | (passes - 37), 16),
        }
        let length = self.pieces.iter().map(|piece| piece.len() as u32).sum::<u32>();
        let (least, needed) = (3 + self.passes.ilog2(), u32::BITS - length.leading_zeros());
        let more = needed.saturating_sub(least);
        (0..more).for_each(|_| bits.push(1, 1));
        bits.push(0, 1);
        bits.push(length, least + more);
    }
}

fn stream(main: &MainHeader<'_>, channels: u16, packets: &[u8]) -> Option<Vec<u8>> {
    let depths = main.siz.get(36..36 + 3 * usize::from(channels))?;
    let siz = [main.siz.get(..34)?, &channels.to_be_bytes(), depths].concat();
    let mut cod = main.cod.to_vec();
    // No markers around packet headers, and one layer.
    cod[0] &= 1;
    cod[2..4].copy_from_slice(&[0, 1]);
    let mut bytes = SOC.to_be_bytes().to_vec();
    for (marker, data) in [(SIZ, &*siz), (COD, &*cod), (QCD, main.qcd)] {
        bytes.extend(marker.to_be_bytes());
        bytes.extend(u16::try_from(data.len() + 2).ok()?.to_be_bytes());
        bytes.extend(data);
    }
    let length = u32::try_from(14 + packets.len()).ok()?;
    bytes.extend(SOT.to_be_bytes());
    bytes.extend([0, 10, 0, 0]);
    bytes.extend(length.to_be_bytes());
    bytes.extend([0, 1]);
    bytes.extend(SOD.to_be_bytes());
    bytes.extend(packets);
    bytes.extend(EOC.to_be_bytes());
    Some(bytes)
}

/// Bits of a packet header. After 0xff, a 0 is stuffed, so that no marker occurs.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that the last byte still takes.
    free: u32,
}

impl BitWriter {
    fn push(&mut self, number: u32, width: u32) {
        for bit in (0..width).rev().map(|at| (number >> at & 1) as u8) {
            if self.free == 0 {
                self.free = if self.bytes.last() == Some(&0xff) { 7 } else { 8 };
                self.bytes.push(0);
            }
            self.free -= 1;
            if let Some(last) = self.bytes.last_mut() {
                *last |= bit << self.free;
            }
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.bytes.last() == Some(&0xff) {
            self.bytes.push(0);
        }
        self.bytes
    }
}

/// A tree over a grid of numbers. Each node is the minimum of the four below it.
struct TreeWriter {
    /// The columns and nodes of each level. The first is the grid.
    levels: Vec<(usize, Vec<Node>)>,
}

#[derive(Clone, Copy)]
struct Node {
    number: u32,
    /// What a reader knows: a lower bound of the number, and whether it is the number.
    bound: u32,
    known: bool,
}

impl TreeWriter {
    fn new(mut columns: usize, mut numbers: Vec<u32>) -> Self {
        let mut levels = Vec::new();
        loop {
            let nodes = numbers.iter().map(|&number| Node { number, bound: 0, known: false }).collect();
            levels.push((columns, nodes));
            if numbers.len() <= 1 {
                return Self { levels };
            }
            let rows = numbers.len() / columns;
            let [below, half_rows] = [columns, rows].map(|side| side.div_ceil(2));
            let mut minima = vec![u32::MAX; below * half_rows];
            for (index, number) in numbers.into_iter().enumerate() {
                let least = &mut minima[index / columns / 2 * below + index % columns / 2];
                *least = number.min(*least);
            }
            (columns, numbers) = (below, minima);
        }
    }

    /// Writes a number, or that it is at least `enough`.
    fn write(&mut self, bits: &mut BitWriter, [x, y]: [usize; 2], enough: u32) {
        let mut bound = 0;
        for (halvings, (columns, nodes)) in self.levels.iter_mut().enumerate().rev() {
            let node = &mut nodes[(y >> halvings) * *columns + (x >> halvings)];
            node.bound = node.bound.max(bound);
            while !node.known && node.bound < enough {
                node.known = node.bound == node.number;
                bits.push(node.known.into(), 1);
                node.bound += u32::from(!node.known);
            }
            bound = node.bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::packets::Bits, *};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_are_read_as_they_are_written(numbers in prop::collection::vec((any::<u32>(), 1..32_u32), 0..40)) {
            let mut writer = BitWriter::default();
            let numbers: Vec<(u32, u32)> = numbers.into_iter().map(|(n, width)| (n & ((1 << width) - 1), width)).collect();
            numbers.iter().for_each(|&(number, width)| writer.push(number, width));
            let bytes = writer.finish();
            let mut bits = Bits::new(&bytes);
            for (number, width) in numbers {
                let read = (0..width).try_fold(0, |read, _| Some(read << 1 | bits.next()?));
                prop_assert_eq!(read, Some(number));
            }
            prop_assert_eq!(bits.bytes_read(), bytes.len());
        }
    }
}
