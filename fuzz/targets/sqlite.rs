#![no_main]

use hullmark_fuzz::target;

target!(sqlite, |dice, bytes| {
    // A number in a header or in a pointer to a cell.
    if !bytes.is_empty() {
        let page = dice.below(bytes.len() / 512 + 1) * 512;
        let at = (page + dice.below(32)).min(bytes.len() - 1);
        bytes[at] = dice.below(256) as u8;
    }
});
