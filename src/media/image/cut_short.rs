//! How much of a JPEG 2000 image shows that is cut short.
//!
//! The format is progressive: its first packets give the whole image with few details. Viewers and OpenSimulator decode
//! the packets that are there (OpenJPEG with strict mode off).

use super::{
    codestream,
    jpeg2000::{self, SOD},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Channels that have an effect on the picture: colors and alpha. Avatar textures have a fifth.
const CHANNELS_SHOWN: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Remains {
    /// The lowest resolution of each channel, at least: the picture is blurred.
    LowestResolution,
    /// Less than that.
    Part,
    /// No packet.
    Nothing,
}

/// Returns how much of an image shows, from its first bytes. `is_all`: no bytes follow.
pub fn remains(start: &[u8], is_all: bool) -> Remains {
    let Some(codestream) = jpeg2000::codestream(start) else { return Remains::Nothing };
    let (mut lowest, mut any) = (BTreeSet::new(), false);
    let usual = codestream::read_available(codestream, |packet| {
        let shows = packet.is_whole() && !packet.pieces.is_empty();
        any |= shows;
        if shows && packet.resolution == 0 {
            lowest.insert(packet.channel);
        }
    });
    let channels = jpeg2000::header(codestream).map_or(0, |header| usize::from(header.channels));
    let shown = channels.min(CHANNELS_SHOWN);
    match usual {
        Some(_) if shown > 0 && (0..shown).all(|channel| lowest.contains(&channel)) => {
            Remains::LowestResolution
        }
        Some(_) if any || !is_all => Remains::Part,
        None if has_data(codestream) => Remains::Part,
        _ => Remains::Nothing,
    }
}

/// Whether packets follow the headers of a codestream.
fn has_data(codestream: &[u8]) -> bool {
    let data = codestream.windows(2).position(|pair| pair == SOD.to_be_bytes());
    data.is_some_and(|at| at + 2 < codestream.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One layer and one resolution after the other.
    const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");
    /// Five channels, the lowest resolution of all of them first.
    const ALPHA: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/alpha_rpcl.j2c");

    #[test]
    fn an_image_shows_more_with_each_packet() {
        for image in [SPHERE, ALPHA] {
            let cuts = (100..image.len()).map(|cut| remains(&image[..cut], true));
            let mut steps: Vec<Remains> = cuts.collect();
            steps.dedup();
            assert_eq!(steps, [Remains::Nothing, Remains::Part, Remains::LowestResolution]);
        }
    }

    #[test]
    fn a_start_without_a_whole_packet_is_no_proof_of_nothing() {
        let data = SPHERE.windows(2).position(|pair| pair == SOD.to_be_bytes()).unwrap() + 2;
        assert_eq!(remains(&SPHERE[..data + 1], true), Remains::Nothing);
        assert_eq!(remains(&SPHERE[..data + 1], false), Remains::Part);
        assert_eq!(remains(b"", true), Remains::Nothing);
    }

    #[test]
    fn an_image_that_announces_many_blocks_takes_no_memory() {
        let mut giant = SPHERE.to_vec();
        // Width and height of the image and of its tile.
        for at in [8, 12, 24, 28] {
            giant[at..at + 4].copy_from_slice(&u32::MAX.to_be_bytes());
        }
        assert_eq!(remains(&giant, true), Remains::Part);
    }

    #[test]
    fn an_unusual_image_shows_a_part() {
        // Two tiles. The first has a byte.
        let mut tiles = SPHERE.to_vec();
        tiles[24..28].copy_from_slice(&32_u32.to_be_bytes());
        let data = SPHERE.windows(2).position(|pair| pair == SOD.to_be_bytes()).unwrap() + 2;
        assert_eq!(remains(&tiles[..data], true), Remains::Nothing);
        assert_eq!(remains(&tiles[..data + 1], true), Remains::Part);
    }
}
