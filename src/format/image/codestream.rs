//! The usual kind of JPEG 2000 codestream: one tile, and one precinct in each resolution (ITU-T T.800, annexes A and B).
//!
//! The bytes of a channel are scattered: they come in *packets*, for each layer, resolution and channel. Only the
//! headers of packets show where they end, so all headers are read.
//!
//! Everything that the decoder may refuse, and everything rare, is left to it: such a stream is not read here.

use super::{
    jpeg2000::{self, COD, SIZ, SOD, SOT, u16_at, u32_at},
    packets::{Band, Bits},
};

pub(super) const SOC: u16 = 0xff4f;
pub(super) const TLM: u16 = 0xff55;
pub(super) const PLT: u16 = 0xff58;
pub(super) const QCD: u16 = 0xff5c;
pub(super) const COM: u16 = 0xff64;
const SOP: u16 = 0xff91;
const EPH: u16 = 0xff92;
pub(super) const EOC: u16 = 0xffd9;

/// Maximum number of layers, levels and bit-planes in the decoder.
const MOST: u8 = 32;

/// Styles of code-blocks without effect on packets: reset contexts, vertical causality, predictable termination.
const PLAIN_STYLES: u8 = 0x1a;

/// The sub-bands of a channel by resolution, the smallest first.
pub(super) type Channel = Vec<Vec<Band>>;

/// Reads all packets; `None` if the stream is not of the usual kind. `take_packet` gets the channel and the bytes of
/// each.
pub(super) fn read<'a>(
    codestream: &'a [u8],
    mut take_packet: impl FnMut(usize, &'a [u8]),
) -> Option<(MainHeader<'a>, Vec<Channel>)> {
    let header = jpeg2000::header(codestream)?;
    // With an offset or several tiles, the positions of precincts have an effect on the order of packets.
    if !header.full || header.tiles != 1 || header.size != header.grid {
        return None;
    }
    let (main, parts) = MainHeader::read(codestream)?;
    let mut channels = vec![main.resolutions(header.size)?; header.channels.into()];
    let mut packets = main.order([main.layers.into(), usize::from(main.levels) + 1, channels.len()])?;
    for mut body in tile_parts(parts)? {
        while !body.is_empty() {
            let [layer, resolution, channel] = packets.next()?;
            let length = main.packet_length(body, &mut channels[channel][resolution], layer)?;
            take_packet(channel, take(&mut body, length)?);
        }
    }
    // The decoder accepts missing packets. They are rare, so it decides alone.
    packets.next().is_none().then_some((main, channels))
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

/// Returns the packets of each tile-part. A packet never continues in the next one.
fn tile_parts(mut rest: &[u8]) -> Option<Vec<&[u8]>> {
    let mut bodies = Vec::new();
    while u16_at(rest, 0)? == SOT {
        let (mut start, (_, sot)) = (rest, take_segment(&mut rest)?);
        if sot.len() != 8 || u16_at(sot, 0)? != 0 {
            return None;
        }
        let mut part = take(&mut start, u32_at(sot, 2)? as usize)?;
        rest = start;
        take(&mut part, 12)?;
        while u16_at(part, 0)? != SOD {
            let (COM | PLT, _) = take_segment(&mut part)? else { return None };
        }
        take(&mut part, 2)?;
        bodies.push(part);
    }
    (u16_at(rest, 0)? == EOC).then_some(bodies)
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
        let (mut siz, mut cod, mut qcd) = (None, None, None);
        let mut rest = codestream.strip_prefix(&SOC.to_be_bytes())?;
        while u16_at(rest, 0)? != SOT {
            let (marker, data) = take_segment(&mut rest)?;
            let first = match marker {
                SIZ => siz.replace(data).is_none(),
                COD => cod.replace(data).is_none(),
                QCD => qcd.replace(data).is_none(),
                COM | TLM => true,
                _ => false,
            };
            first.then_some(())?;
        }
        let (siz, cod, qcd) = (siz?, cod?, qcd?);
        let header = Self { siz, cod, qcd, layers: u16_at(cod, 2)?, levels: *cod.get(5)? };
        header.is_usual()?.then_some((header, rest))
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
    fn order(&self, counts: [usize; 3]) -> Option<impl Iterator<Item = [usize; 3]> + use<>> {
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

    fn packet_length(&self, bytes: &[u8], bands: &mut [Band], layer: usize) -> Option<usize> {
        let may_have_sop = self.cod[0] & 2 != 0;
        let start = if may_have_sop && u16_at(bytes, 0) == Some(SOP) { 6 } else { 0 };
        let mut bits = Bits::new(bytes.get(start..)?);
        let mut content = 0_usize;
        if bits.next()? == 1 {
            for band in bands {
                content = band.read(&mut bits, layer as u32)?.saturating_add(content);
            }
        }
        let mut end = start + bits.bytes_read();
        if self.cod[0] & 4 != 0 {
            (u16_at(bytes, end)? == EPH).then_some(())?;
            end += 2;
        }
        end.checked_add(content)
    }
}
