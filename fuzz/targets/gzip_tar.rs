#![no_main]

use hullmark_fuzz::{mutate::Archive, target};

target!(gzip_tar, |dice, bytes| {
    let archive = Archive::open(bytes);
    *bytes = archive.mutant(dice, &archive).0;
});
