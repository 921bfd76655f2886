//! Leaves the channels after the third out of a JPEG 2000 codestream, and the end of a cut one.
//!
//! Half of all sculpt maps have an alpha channel, which has no effect on the shape. The decoder cannot choose channels.

#[cfg(all(test, feature = "sculpt"))]
#[path = "first_channels_tests.rs"]
mod tests;

use super::{codestream, jpeg2000, one_layer::Blocks};

/// Returns the codestream with its first three channels; `None` if it has no others or is not of the usual kind.
pub(super) fn first_three(codestream: &[u8]) -> Option<Vec<u8>> {
    if jpeg2000::header(codestream)?.channels <= 3 {
        return None;
    }
    let mut blocks = Blocks::default();
    let (main, channels) = codestream::read(codestream, |packet| {
        if packet.channel < 3 {
            blocks.add(packet);
        }
    })?;
    blocks.write(&main, channels.get(..3)?)
}

/// What a cut codestream has of its first three channels.
pub(super) struct Available {
    /// A whole codestream.
    pub(super) codestream: Vec<u8>,
    /// Whether it has all packets. Only the end marker is missing.
    pub(super) is_whole: bool,
    /// Number of resolutions that have no packet of one of the channels, from the highest.
    pub(super) missing_resolutions: u32,
}

/// Returns what a cut codestream has; `None` if it is not of the usual kind, or has no data.
///
/// A code-block whose data ends early keeps the data of earlier packets, as in OpenJPEG 1.5 (`t2.c`, `t2_decode_packet`).
pub(super) fn available(codestream: &[u8]) -> Option<Available> {
    let mut blocks = Blocks::default();
    let mut highest = [0; 3];
    let (main, channels, is_whole) = codestream::read_available(codestream, |packet| {
        if let Some(resolution) = highest.get_mut(packet.channel) {
            blocks.add(packet);
            if packet.is_whole() {
                *resolution = packet.resolution.max(*resolution);
            }
        }
    })?;
    if blocks.is_empty() {
        return None;
    }
    let highest = highest.into_iter().min().unwrap_or_default();
    Some(Available {
        codestream: blocks.write(&main, channels.get(..3)?)?,
        is_whole,
        missing_resolutions: u32::from(main.levels) - highest as u32,
    })
}
