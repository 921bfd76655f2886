//! What stands for object stores where hullmark was built without them: one sentence.

use super::Object;
use super::stamp::Stamp;
use crate::util::deadline::Deadline;
use std::{
    io::{self, Read},
    path::Path,
};

fn missing<T>() -> io::Result<T> {
    let words = "this hullmark was built without object stores; build one with them by `cargo build --release \
                 --features object-store`, or copy the objects to a disk";
    Err(io::Error::new(io::ErrorKind::Unsupported, words))
}

pub(super) fn open(
    _url: &Path,
    _bytes: u64,
    _stamp: Option<Stamp>,
    _deadline: Deadline,
) -> io::Result<Box<dyn Read + Send>> {
    missing()
}

pub(super) fn start(_url: &Path, _bytes: usize) -> io::Result<Vec<u8>> {
    missing()
}

pub(super) fn read(_url: &Path) -> io::Result<Vec<u8>> {
    missing()
}

pub(super) fn list(_url: &Path) -> io::Result<Vec<Object>> {
    missing()
}

pub(super) fn exists(_url: &Path) -> io::Result<bool> {
    missing()
}

pub(super) fn put(_url: &Path, _bytes: Vec<u8>) -> io::Result<()> {
    missing()
}

pub(super) fn put_file(_url: &Path, _file: &Path) -> io::Result<()> {
    missing()
}

pub(super) fn rename(_from: &Path, _to: &Path) -> io::Result<()> {
    missing()
}

pub(super) fn remove(_url: &Path) -> io::Result<()> {
    missing()
}
