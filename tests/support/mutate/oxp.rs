use super::{Dice, bytes as change_bytes, llsd};
use flate2::{Compression, read::ZlibDecoder, write::ZlibEncoder};
use std::io::{Read, Write};

/// Most inflated bytes that are changed and packed again.
const MOST: u64 = 1 << 22;

/// Changes a viewer's export: mostly its LLSD, which is packed again.
pub fn oxp(dice: &mut Dice, bytes: &mut Vec<u8>) {
    let mut content = Vec::new();
    let whole = ZlibDecoder::new(bytes.as_slice()).take(MOST).read_to_end(&mut content).is_ok();
    if !whole || dice.once_in(4) {
        let other = bytes.clone();
        return change_bytes(dice, bytes, &other);
    }
    let other = content.clone();
    llsd(dice, &mut content, &other);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&content).unwrap();
    *bytes = encoder.finish().unwrap();
}
