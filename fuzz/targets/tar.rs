#![no_main]

use hullmark_fuzz::{mutate::Archive, target};

target!(tar, |dice, bytes| {
    let archive = Archive::open(bytes);
    *bytes = Archive::open(&archive.mutant(dice, &archive).0).tar();
});
