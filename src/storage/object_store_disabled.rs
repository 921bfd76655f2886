//! Replaces `object_store.rs` in a build without object stores: every function returns one error.

use super::{Object, stamp::Stamp};
use hullmark_util::deadline::Deadline;
use std::{
    io::{self, Read},
    path::Path,
};

macro_rules! missing {
    ($($function:ident($($argument:ty),*) -> $given:ty;)*) => {
        $(pub(super) fn $function($(_: $argument),*) -> io::Result<$given> {
            let words = "this hullmark was built without object stores; build one with them by `cargo build --release \
                         --features object-store`, or copy the objects to a disk";
            Err(io::Error::new(io::ErrorKind::Unsupported, words))
        })*
    };
}
missing! {
    open(&Path, u64, Option<Stamp>, Deadline) -> Box<dyn Read + Send>;
    start(&Path, usize) -> Vec<u8>;
    read(&Path) -> Vec<u8>;
    list(&Path) -> Vec<Object>;
    exists(&Path) -> bool;
    put(&Path, Vec<u8>) -> ();
    put_new(&Path, Vec<u8>) -> ();
    put_file(&Path, &Path) -> ();
    rename(&Path, &Path) -> ();
    remove(&Path) -> ();
}
