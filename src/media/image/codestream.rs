//! The usual kind of JPEG 2000 codestream: one tile, and one precinct in each resolution (ITU-T T.800, annexes A and B).
//!
//! The bytes of a channel are scattered: they come in *packets*, for each layer, resolution and channel. Only the
//! headers of packets show where they end, so all headers are read.
//!
//! Everything that the decoder may refuse, and everything rare, is left to it: such a stream is not read here.

use super::{
    jpeg2000::{self, COC, COD, SIZ, SOD, SOT, u16_at, u32_at},
    packets::{Band, Bits},
};

pub(super) const SOC: u16 = 0xff4f;
pub(super) const TLM: u16 = 0xff55;
pub(super) const PLT: u16 = 0xff58;
pub(super) const QCD: u16 = 0xff5c;
const QCC: u16 = 0xff5d;
pub(super) const COM: u16 = 0xff64;
const SOP: u16 = 0xff91;
const EPH: u16 = 0xff92;
pub(super) const EOC: u16 = 0xffd9;

/// Maximum number of layers, levels and bit-planes in the decoder.
const MOST: u8 = 32;

/// Maximum number of code-blocks. Each takes memory. 4096 × 4096 pixels with four channels have 43,690.
const MOST_BLOCKS: u64 = 1 << 18;

/// Styles of code-blocks without effect on packets: reset contexts, vertical causality, predictable termination.
const PLAIN_STYLES: u8 = 0x1a;

/// The sub-bands of a channel by resolution, the smallest first.
pub(super) type Channel = Vec<Vec<Band>>;

/// A packet: its place in the image, and its bytes.
pub(super) struct Packet<'p, 'a> {
    pub(super) channel: usize,
    pub(super) resolution: usize,
    /// Length of its header.
    pub(super) header: usize,
    /// The data after the header, by code-block.
    pub(super) pieces: &'p [Piece],
    /// Its bytes, as far as they are there.
    pub(super) bytes: &'a [u8],
}

/// Bytes that a packet adds to a code-block of one of the sub-bands.
pub(super) struct Piece {
    pub(super) band: usize,
    pub(super) block: usize,
    /// Coding passes.
    pub(super) passes: u32,
    pub(super) length: usize,
}

impl Packet<'_, '_> {
    /// Whether it has all data that its header announces.
    pub(super) fn is_whole(&self) -> bool {
        self.announced() == Some(self.bytes.len())
    }

    fn announced(&self) -> Option<usize> {
        self.pieces.iter().try_fold(self.header, |sum, piece| sum.checked_add(piece.length))
    }
}

/// Reads all packets; `None` if the stream is not of the usual kind, or does not have all of them.
pub(super) fn read<'a>(
    codestream: &'a [u8],
    take_packet: impl FnMut(&Packet<'_, 'a>),
) -> Option<(MainHeader<'a>, Vec<Channel>)> {
    let (main, mut channels, parts) = start(codestream)?;
    let (bodies, is_whole) = tile_parts(&main, parts);
    // The decoder accepts missing packets. They are rare, so it decides alone.
    (is_whole && read_packets(&main, &mut channels, bodies, take_packet)?).then_some((main, channels))
}

/// Reads the packets that are there, and returns whether these are all. `None` if the stream is not of the usual kind.
/// The first packet that is cut is the last, and a damaged one ends the walk.
pub(super) fn read_available<'a>(
    codestream: &'a [u8],
    take_packet: impl FnMut(&Packet<'_, 'a>),
) -> Option<(MainHeader<'a>, Vec<Channel>, bool)> {
    let (main, mut channels, parts) = start(codestream)?;
    let (bodies, _) = tile_parts(&main, parts);
    let are_all = read_packets(&main, &mut channels, bodies, take_packet) == Some(true);
    Some((main, channels, are_all))
}

/// Reads the main header. Returns the channels before their first packet, and the tile-parts, too.
fn start(codestream: &[u8]) -> Option<(MainHeader<'_>, Vec<Channel>, &[u8])> {
    let header = jpeg2000::header(codestream)?;
    // With an offset or several tiles, the positions of precincts have an effect on the order of packets.
    if !header.full || header.tiles != 1 || header.size != header.grid {
        return None;
    }
    let (main, parts) = MainHeader::read(codestream)?;
    (main.blocks(header.size, header.channels) <= MOST_BLOCKS).then_some(())?;
    let channels = vec![main.resolutions(header.size)?; header.channels.into()];
    Some((main, channels, parts))
}

/// Returns whether these are all packets of the image; `None` if one is cut or damaged.
fn read_packets<'a>(
    main: &MainHeader<'_>,
    channels: &mut [Channel],
    bodies: Vec<&'a [u8]>,
    mut take_packet: impl FnMut(&Packet<'_, 'a>),
) -> Option<bool> {
    let mut packets = main.order([main.layers.into(), usize::from(main.levels) + 1, channels.len()])?;
    let mut pieces = Vec::new();
    for mut body in bodies {
        while !body.is_empty() {
            let [layer, resolution, channel] = packets.next()?;
            pieces.clear();
            let header = main.packet_header(body, &mut channels[channel][resolution], layer, &mut pieces)?;
            let mut packet = Packet { channel, resolution, header, pieces: &pieces, bytes: body };
            let length = packet.announced()?.min(body.len());
            packet.bytes = take(&mut body, length)?;
            take_packet(&packet);
            packet.is_whole().then_some(())?;
        }
    }
    Some(packets.next().is_none())
}

/// Removes and returns the first bytes.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    bytes.split_off(..count)
}

/// Removes and returns a marker and the data of its segment.
fn take_segment<'a>(bytes: &mut &'a [u8]) -> Option<(u16, &'a [u8])> {
    let (marker, length) = (u16_at(bytes, 0)?, u16_at(bytes, 2)?);
    let segment = take(bytes, usize::from(length).checked_add(2)?)?;
    Some((marker, segment.get(4..)?))
}

/// Returns the packets of each tile-part, and whether all tile-parts are there. A packet never continues in the next
/// one.
fn tile_parts<'a>(main: &MainHeader<'_>, mut rest: &'a [u8]) -> (Vec<&'a [u8]>, bool) {
    let (mut bodies, mut all_whole) = (Vec::new(), true);
    while let Some((body, is_whole)) = tile_part(main, &mut rest) {
        bodies.push(body);
        all_whole &= is_whole;
    }
    (bodies, all_whole && u16_at(rest, 0) == Some(EOC))
}

/// Removes a tile-part. Returns its packets, and whether it has the length that it states.
fn tile_part<'a>(main: &MainHeader<'_>, rest: &mut &'a [u8]) -> Option<(&'a [u8], bool)> {
    let mut after = *rest;
    let (SOT, sot) = take_segment(&mut after)? else { return None };
    if sot.len() != 8 || u16_at(sot, 0)? != 0 {
        return None;
    }
    let length = u32_at(sot, 2)? as usize;
    let is_whole = length <= rest.len();
    let mut part = take(rest, length.min(rest.len()))?;
    take(&mut part, 12)?;
    while u16_at(part, 0)? != SOD {
        let (marker, data) = take_segment(&mut part)?;
        (marker == PLT || main.is_without_effect(marker, data)).then_some(())?;
    }
    take(&mut part, 2)?;
    Some((part, is_whole))
}

/// The settings in the main header that have an effect on packets.
pub(super) struct MainHeader<'a> {
    pub(super) siz: &'a [u8],
    pub(super) cod: &'a [u8],
    pub(super) qcd: &'a [u8],
    layers: u16,
    pub(super) levels: u8,
}

impl<'a> MainHeader<'a> {
    /// Reads the main header. Returns the tile-parts, too.
    fn read(codestream: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (mut siz, mut cod, mut qcd, mut others) = (None, None, None, Vec::new());
        let mut rest = codestream.strip_prefix(&SOC.to_be_bytes())?;
        while u16_at(rest, 0)? != SOT {
            let (marker, data) = take_segment(&mut rest)?;
            let first = match marker {
                SIZ => siz.replace(data).is_none(),
                COD => cod.replace(data).is_none(),
                QCD => qcd.replace(data).is_none(),
                TLM => true,
                _ => {
                    others.push((marker, data));
                    true
                }
            };
            first.then_some(())?;
        }
        let (siz, cod, qcd) = (siz?, cod?, qcd?);
        let header = Self { siz, cod, qcd, layers: u16_at(cod, 2)?, levels: *cod.get(5)? };
        let is_usual = header.is_usual()?
            && others.into_iter().all(|(marker, data)| header.is_without_effect(marker, data));
        is_usual.then_some((header, rest))
    }

    /// Whether a segment is a comment, or states the common settings once more for a channel. Old encoders write these
    /// in each tile-part (OpenJPEG 1).
    fn is_without_effect(&self, marker: u16, data: &[u8]) -> bool {
        let has_small_numbers = u16_at(self.siz, 34).is_some_and(|channels| channels < 257);
        match (marker, data) {
            (COM, _) => true,
            (COC, [_, style, settings @ ..]) => {
                has_small_numbers && *style == self.cod[0] & 1 && *settings == self.cod[5..]
            }
            (QCC, [_, settings @ ..]) => has_small_numbers && settings == self.qcd,
            _ => false,
        }
    }

    /// Whether the segments have exactly the length that their content needs, and usual settings.
    fn is_usual(&self) -> Option<bool> {
        let own_precincts = if self.cod[0] & 1 == 0 { 0 } else { usize::from(self.levels) + 1 };
        let quantization_fits = match self.qcd.first()? & 0x1f {
            0 => true,
            1 => self.qcd.len() == 3,
            2 => self.qcd.len() % 2 == 1,
            _ => false,
        };
        let depths = self.siz.get(36..)?;
        Some(
            depths.len() == 3 * usize::from(u16_at(self.siz, 34)?)
                && depths.chunks_exact(3).all(|channel| channel == &depths[..3])
                && self.cod.len() == 10 + own_precincts
                && (1..=MOST.into()).contains(&self.layers)
                && self.levels <= MOST
                && self.cod[6..8].iter().all(|&exponent| exponent <= 8)
                && self.cod[8] & !PLAIN_STYLES == 0
                && quantization_fits,
        )
    }

    /// Returns layer, resolution and channel of all packets in the order of the stream.
    pub(super) fn order(&self, counts: [usize; 3]) -> Option<impl Iterator<Item = [usize; 3]> + use<>> {
        // The positions of the last three orders have no effect: each resolution has one precinct, at 0.
        let [outer, middle, inner] = match self.cod[1] {
            0 => [0, 1, 2],
            1 => [1, 0, 2],
            2 => [1, 2, 0],
            3 | 4 => [2, 1, 0],
            _ => return None,
        };
        let packet = move |first, second, third| {
            let mut packet = [0; 3];
            (packet[outer], packet[middle], packet[inner]) = (first, second, third);
            packet
        };
        Some((0..counts[outer]).flat_map(move |first| {
            let seconds = 0..counts[middle];
            seconds.flat_map(move |second| (0..counts[inner]).map(move |third| packet(first, second, third)))
        }))
    }

    /// Returns about the number of code-blocks of all channels, and not less than half of it.
    fn blocks(&self, size: [u32; 2], channels: u16) -> u64 {
        let along = |axis: usize| u64::from(size[axis].div_ceil(4 << self.cod[6 + axis]));
        along(0).saturating_mul(along(1)).saturating_mul(channels.into())
    }

    /// Returns the sub-bands of each resolution of a channel, the smallest first.
    fn resolutions(&self, size: [u32; 2]) -> Option<Vec<Vec<Band>>> {
        (0..=self.levels).map(|resolution| self.bands(size, resolution)).collect()
    }

    fn bands(&self, size: [u32; 2], resolution: u8) -> Option<Vec<Band>> {
        let precinct =
            self.cod.get(10 + usize::from(resolution)).map_or([15, 15], |size| [size & 15, size >> 4]);
        let below = u32::from(self.levels - resolution);
        let one_precinct = |axis: usize| u64::from(size[axis]).div_ceil(1 << below) <= 1 << precinct[axis];
        // The decoder refuses precincts of one pixel above the lowest resolution.
        if !one_precinct(0) || !one_precinct(1) || resolution > 0 && precinct.contains(&0) {
            return None;
        }
        if resolution == 0 {
            return Some(vec![self.band(size, [false, false], below, self.step(0, 0)?.0)?]);
        }
        let kinds = [[true, false], [false, true], [true, true]];
        let band = |(kind, high): (usize, [bool; 2])| {
            self.band(size, high, below + 1, self.step(resolution, kind)?.0)
        };
        kinds.into_iter().enumerate().map(band).collect()
    }

    /// Returns the sub-band with low or high frequencies along each axis, `halvings` below the whole image.
    fn band(&self, size: [u32; 2], high: [bool; 2], halvings: u32, exponent: u8) -> Option<Band> {
        let blocks = [0, 1].map(|axis| {
            let skipped = if high[axis] { 1 << (halvings - 1) } else { 0 };
            let side = u64::from(size[axis]).saturating_sub(skipped).div_ceil(1 << halvings);
            side.div_ceil(4 << self.cod[6 + axis]) as usize
        });
        // Equation E-2.
        let bit_planes = ((self.qcd[0] >> 5) + exponent).checked_sub(1).filter(|&planes| planes <= MOST)?;
        Some(Band::new(blocks, bit_planes.into()))
    }

    /// Whether the wavelet transform is the reversible one, 5-3.
    pub(super) fn is_reversible(&self) -> bool {
        self.cod[9] == 1
    }

    /// Whether the first three channels are a mixture of red, green and blue.
    pub(super) fn mixes_colors(&self) -> bool {
        self.cod[4] == 1
    }

    /// Returns exponent and mantissa of the quantization step of a sub-band. The reversible transform has no mantissa.
    pub(super) fn step(&self, resolution: u8, kind: usize) -> Option<(u8, u16)> {
        let index = if resolution == 0 { 0 } else { 3 * usize::from(resolution) - 2 + kind };
        let both = |at| u16_at(self.qcd, at).map(|step| ((step >> 11) as u8, step & 0x7ff));
        match self.qcd[0] & 0x1f {
            0 => Some((self.qcd.get(1 + index)? >> 3, 0)),
            1 => {
                let (exponent, mantissa) = both(1)?;
                Some((exponent.checked_sub(resolution.saturating_sub(1))?, mantissa))
            }
            _ => both(1 + 2 * index),
        }
    }

    /// Reads the header of the next packet. Returns its length.
    fn packet_header(
        &self,
        bytes: &[u8],
        bands: &mut [Band],
        layer: usize,
        pieces: &mut Vec<Piece>,
    ) -> Option<usize> {
        let may_have_sop = self.cod[0] & 2 != 0;
        let start = if may_have_sop && u16_at(bytes, 0) == Some(SOP) { 6 } else { 0 };
        let mut bits = Bits::new(bytes.get(start..)?);
        if bits.next()? == 1 {
            for (band, blocks) in bands.iter_mut().enumerate() {
                blocks.read(&mut bits, layer as u32, |block, passes, length| {
                    pieces.push(Piece { band, block, passes, length });
                })?;
            }
        }
        let mut end = start + bits.bytes_read();
        if self.cod[0] & 4 != 0 {
            (u16_at(bytes, end)? == EPH).then_some(())?;
            end += 2;
        }
        Some(end)
    }
}
