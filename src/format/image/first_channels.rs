//! Leaves the channels after the third out of a JPEG 2000 codestream.
//!
//! Half of all sculpt maps have an alpha channel, which has no effect on the shape. The decoder cannot choose channels.
//!
//! A cut stream has the same pixels as the whole, and the decoder refuses neither or both.

#[cfg(all(test, feature = "sculpt"))]
#[path = "first_channels_tests.rs"]
mod tests;

use super::{
    codestream::{self, EOC, MainHeader, QCD, SOC},
    jpeg2000::{self, COD, SIZ, SOD, SOT},
};

/// Returns the codestream with its first three channels; `None` if it has no others or is not of the usual kind.
pub(super) fn first_three(codestream: &[u8]) -> Option<Vec<u8>> {
    if jpeg2000::header(codestream)?.channels <= 3 {
        return None;
    }
    let mut kept = Vec::with_capacity(codestream.len());
    let keep = |channel, packet: &[u8]| {
        if channel < 3 {
            kept.extend_from_slice(packet);
        }
    };
    let (main, _) = codestream::read(codestream, keep)?;
    of_three(&main, &kept)
}

/// Returns a codestream of three channels with one tile-part.
fn of_three(main: &MainHeader<'_>, packets: &[u8]) -> Option<Vec<u8>> {
    let siz = [main.siz.get(..34)?, &[0, 3], main.siz.get(36..45)?].concat();
    let mut bytes = SOC.to_be_bytes().to_vec();
    for (marker, data) in [(SIZ, &*siz), (COD, main.cod), (QCD, main.qcd)] {
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
