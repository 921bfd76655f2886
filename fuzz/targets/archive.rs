#![no_main]

use hullmark_fuzz::{mutate::Archive, target};

target!(archive, |dice, bytes| {
    let archive = Archive::open(bytes);
    *bytes = archive.mutant(dice, &archive).0;
});
