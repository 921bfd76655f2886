#![allow(clippy::unwrap_used, reason = "tests alone")]

use super::{
    super::{
        codestream::{COM, PLT, QCD, TLM},
        jpeg2000::{COC, COD, SIZ, SOD, SOT},
        sculpt_map::{self, Faults},
    },
    *,
};
use hullmark_settings::limits::Limits;
use std::{fs, io::Read, path::Path};

/// 44 × 36 pixels without loss in three layers and four resolutions, with many code-blocks. The name is the order of
/// packets. The second has SOP and EPH. The third has five channels, and a tile-part for each resolution. The fourth has
/// its own precincts. The fifth has the styles without effect on packets.
const MAPS: [&[u8]; 5] = [
    include_bytes!("../../../tests/support/sculpt_maps/alpha_lrcp.j2c"),
    include_bytes!("../../../tests/support/sculpt_maps/alpha_rlcp.j2c"),
    include_bytes!("../../../tests/support/sculpt_maps/alpha_rpcl.j2c"),
    include_bytes!("../../../tests/support/sculpt_maps/alpha_pcrl.j2c"),
    include_bytes!("../../../tests/support/sculpt_maps/alpha_cprl.j2c"),
];
const LARGE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/alpha_large.j2c");
const SPHERE: &[u8] = include_bytes!("../../../tests/support/sculpt_maps/sphere.j2c");

/// Returns the pixels of a stream as it is, or the reason why it is refused.
fn decoded(bytes: &[u8], halvings: u32) -> Result<sculpt_map::Pixels, String> {
    let size = jpeg2000::header(bytes).unwrap().size;
    sculpt_map::decode_codestream(bytes, size, halvings, Faults::Refused).map_err(|error| error.to_string())
}

fn position(bytes: &[u8], marker: u16) -> usize {
    bytes.windows(2).position(|pair| pair == marker.to_be_bytes()).unwrap()
}

/// Returns a map with a byte of a segment changed.
fn changed(map: &[u8], marker: u16, offset: usize, value: u8) -> Vec<u8> {
    let mut bytes = map.to_vec();
    let at = position(map, marker) + 4 + offset;
    assert_ne!(bytes[at], value);
    bytes[at] = value;
    bytes
}

/// Returns a map with a segment before another marker. The lengths of tile-parts stay.
fn inserted(map: &[u8], before: u16, marker: u16) -> Vec<u8> {
    let mut bytes = map.to_vec();
    let at = position(map, before);
    bytes.splice(at..at, [marker.to_be_bytes(), [0, 4], [0, 0]].concat());
    bytes
}

#[test]
fn all_orders_of_packets_are_cut() {
    for (number, whole) in MAPS.into_iter().enumerate() {
        let cut = first_three(whole).unwrap();
        assert_eq!(jpeg2000::header(&cut).unwrap().channels, 3);
        // Pixels without loss can only come from all packets of all layers.
        for (i, pixel) in decoded(&cut, 0).unwrap().rgb.into_iter().enumerate() {
            let (x, y) = (i % 44, i / 44);
            assert_eq!(
                pixel,
                [3 * x + y, 5 * y + 2 * x, x * y / 7].map(|c| c as u8),
                "map {number}: {x}, {y}"
            );
        }
        assert_eq!(decoded(&cut, 1), decoded(whole, 1), "map {number}");
        assert!(cut.len() < whole.len(), "map {number}: {} of {}", cut.len(), whole.len());
    }
}

#[test]
fn both_sizes_of_a_large_map_are_cut() {
    let cut = first_three(LARGE).unwrap();
    assert_eq!(
        [0, 1, 2].map(|halvings| decoded(&cut, halvings)),
        [0, 1, 2].map(|halvings| decoded(LARGE, halvings))
    );
    let map = |bytes| sculpt_map::decode(bytes, &Limits::default()).unwrap();
    assert_eq!(map(LARGE), map(&cut));
    assert_eq!((map(LARGE).width, map(LARGE).height), (80, 72));
}

#[test]
fn segments_without_effect_are_left_out() {
    for map in MAPS {
        let cut = first_three(map);
        for marker in [COM, TLM] {
            assert_eq!(first_three(&inserted(map, SOT, marker)), cut);
        }
        // The decoder never reads what follows the end.
        assert_eq!(first_three(&[map, b"more"].concat()), cut);
    }
    // The length of the tile-part counts the inserted bytes.
    let mut in_part = inserted(MAPS[0], SOD, PLT);
    let length = position(&in_part, SOT) + 9;
    in_part[length] += 6;
    assert_eq!(first_three(&in_part), first_three(MAPS[0]));
}

#[test]
fn unusual_streams_are_left_to_the_decoder() {
    assert_eq!(first_three(SPHERE), None, "it has three channels");
    assert_eq!(first_three(&[b"\xff\x4e", &MAPS[0][2..]].concat()), None, "no start");
    let [lrcp, ..] = MAPS;
    // COC, RGN, QCC, POC, PPM, PLM, CRG, a marker without a segment, and a second COD.
    for marker in [COC, 0xff5e, 0xff5d, 0xff5f, 0xff60, 0xff57, 0xff63, 0xff30, COD] {
        assert_eq!(first_three(&inserted(lrcp, SOT, marker)), None, "{marker:#x}");
    }
    let changes = [
        (SIZ, 7, 1, "an offset of the image"),
        (SIZ, 21, 22, "two tiles"),
        (SIZ, 45, 6, "another depth of alpha"),
        (SIZ, 46, 2, "half of the alpha"),
        (COD, 1, 5, "an unknown order"),
        (COD, 3, 4, "missing packets"),
        (COD, 3, 2, "too many packets"),
        (COD, 3, 0, "no layer"),
        (COD, 5, 4, "another number of levels"),
        (COD, 8, 1, "raw passes"),
        (COD, 8, 4, "all passes terminated"),
        (COD, 8, 32, "symbols whose absence the decoder refuses"),
        (QCD, 0, 3, "an unknown quantization"),
        (QCD, 1, 0, "too few bit-planes"),
        (SOT, 1, 1, "a tile that does not exist"),
    ];
    for (marker, offset, value, what) in changes {
        assert_eq!(first_three(&changed(lrcp, marker, offset, value)), None, "{what}");
    }
    // The first precinct is that of the lowest resolution: 8 × 8 pixels, and then 4 × 4.
    assert_eq!(first_three(&changed(MAPS[3], COD, 10, 0x22)), None, "four precincts");
    for map in MAPS {
        assert!((0..map.len()).all(|end| first_three(&map[..end]).is_none()));
    }
}

/// If a damaged map is cut, the decoder returns the same pixels or the same error for the whole.
#[test]
fn damage_is_reported_as_without_the_cut() {
    let mut state = 1_u64;
    let mut below = |most: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    let mut cuts = 0;
    for mutant in 0..4_000 {
        let mut bytes = MAPS[mutant % MAPS.len()].to_vec();
        for _ in 0..=below(2) {
            // Half of the changes are in the headers.
            let most = if below(2) == 0 { 160 } else { bytes.len() };
            let at = below(most);
            match below(4) {
                0 => bytes[at] = below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes[at] ^= 1 << below(8),
            }
        }
        let Some(cut) = first_three(&bytes) else { continue };
        if sculpt_map::check(&jpeg2000::header(&bytes).unwrap(), &Limits::default()).is_ok() {
            assert!(decoded(&cut, 0) == decoded(&bytes, 0), "mutant {mutant}");
            cuts += 1;
        }
    }
    assert!(cuts > 500, "only {cuts} were compared");
}

/// Calls a function for each texture of a packed archive that has more than three channels.
fn each_texture(archive: &Path, mut found: impl FnMut(&[u8])) {
    let mut tar = Vec::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(archive).unwrap()).read_to_end(&mut tar).unwrap();
    let mut rest = &tar[..];
    while let Some((head, content)) = rest.split_at_checked(512) {
        let digits = str::from_utf8(&head[124..135]).unwrap().trim_matches(['\0', ' ']);
        let length = usize::from_str_radix(digits, 8).unwrap_or(0);
        if let Some(stream) = content.get(..length).and_then(jpeg2000::codestream)
            && jpeg2000::header(stream).is_some_and(|header| header.channels > 3)
        {
            found(stream);
        }
        rest = content.get(length.next_multiple_of(512)..).unwrap_or_default();
    }
}

/// The exports may not be published, so this runs only if they are present.
#[test]
fn real_textures_are_cut() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let (mut all, mut cuts) = (0, 0);
    for name in [
        "clothing-library.iar",
        "ElfEars.iar",
        "pathfindplayground.oar",
        "faraway.oar",
        "India.oar/India.oar",
    ] {
        let archive = folder.join(name);
        if !archive.exists() {
            return;
        }
        each_texture(&archive, |whole| {
            all += 1;
            let Some(cut) = first_three(whole) else { return };
            cuts += 1;
            // Large textures are compared at a quarter of their size, for the sake of time.
            let halvings = if jpeg2000::header(whole).unwrap().size[0] > 256 { 2 } else { 0 };
            assert!(decoded(&cut, halvings) == decoded(whole, halvings), "texture {all} of {name}");
        });
    }
    assert_eq!((all, cuts), (44, 44));
}

/// Returns the mean error of the pixels of `MAPS`, in levels.
fn mean_error(pixels: &sculpt_map::Pixels) -> f64 {
    let errors = pixels.rgb.iter().enumerate().map(|(i, pixel)| {
        let (x, y) = (i % 44, i / 44);
        let meant = [3 * x + y, 5 * y + 2 * x, x * y / 7].map(|c| c as u8);
        pixel.iter().zip(meant).map(|(&is, meant)| f64::from(is.abs_diff(meant))).sum::<f64>()
    });
    errors.sum::<f64>() / (3 * pixels.rgb.len()) as f64
}

#[test]
fn a_cut_map_has_the_packets_that_are_there() {
    for (number, map) in MAPS.into_iter().enumerate() {
        let data = position(map, SOD) + 2;
        let error = |end: usize| match available(&map[..end]) {
            Some(part) => mean_error(&decoded(&part.codestream, 0).unwrap()),
            None => f64::INFINITY,
        };
        assert_eq!(error(data), f64::INFINITY, "map {number}");
        assert_eq!(
            (error(map.len()), error(map.len() - 2)),
            (0.0, 0.0),
            "map {number}: the end marker alone"
        );
        let step = (map.len() - data) / 4;
        let errors = [1, 2, 3, 4].map(|quarter| error(data + quarter * step));
        assert!(
            errors.iter().all(|&error| error < 30.0) && errors[0] > errors[3],
            "map {number}: {errors:?}"
        );
    }
}

#[test]
fn settings_that_are_repeated_for_a_channel_have_no_effect() {
    let map = MAPS[0];
    let whole = first_three(map);
    let cod = position(map, COD);
    let style = [&COC.to_be_bytes()[..], &[0, 9, 1, 0], &map[cod + 9..cod + 14]].concat();
    let mut repeated = map.to_vec();
    repeated.splice(position(map, SOT)..position(map, SOT), style.iter().copied());
    assert_eq!(first_three(&repeated), whole);
    // In a tile-part, whose length counts it.
    let mut in_part = map.to_vec();
    in_part.splice(position(map, SOD)..position(map, SOD), style.iter().copied());
    in_part[position(map, SOT) + 9] += style.len() as u8;
    assert_eq!(first_three(&in_part), whole);
    let levels = position(&in_part, COC) + 6;
    in_part[levels] += 1;
    assert_eq!(first_three(&in_part), None, "settings of its own");
}
