#![no_main]

use hullmark_fuzz::{mutate, target};

target!(dump_folder, |dice, bytes| {
    let other = bytes.clone();
    mutate::bytes(dice, bytes, &other);
});
