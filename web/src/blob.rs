//! Files of the browser, read piece by piece, so that none is in memory as a whole.

use hullmark::VirtualFile;
use js_sys::{JsString, Uint8Array};
use std::{
    cell::{Cell, RefCell},
    io,
};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FileReaderSync};

/// Bytes that are read at a time where one reading follows another. Each takes about a millisecond.
const PIECE: u64 = 1 << 20;

/// Bytes that are read elsewhere: pages of databases are in any order.
const START: u64 = 16 << 10;

thread_local! {
    /// The files. Readers name them by number, because they are bound to this thread and the library asks for `Send`.
    static BLOBS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    /// The last piece that was read.
    static LAST: RefCell<Piece> = const { RefCell::new(Piece { blob: 0, start: 0, bytes: Vec::new() }) };
    /// Bytes of all files that were read. Bytes that are read again do not count.
    static DONE: Cell<u64> = const { Cell::new(0) };
}

struct Kept {
    blob: Blob,
    bytes: u64,
    /// Bytes that were read, at most all of them.
    read: u64,
}

/// A part of a file.
struct Piece {
    blob: usize,
    start: u64,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
extern "C" {
    /// Reports the progress to the worker, in bytes.
    #[wasm_bindgen(js_name = reportProgress)]
    fn report_progress(bytes: f64);

    /// Tells the worker that a buffer of this many bytes is no longer in use.
    #[wasm_bindgen(js_name = leaveBuffer)]
    fn leave_buffer(bytes: u32);
}

/// Returns files of the browser for the library.
pub fn files(paths: Vec<String>, blobs: Vec<Blob>) -> Vec<VirtualFile> {
    let keep = |(path, blob): (String, Blob)| {
        let bytes = blob.size() as u64;
        let number = BLOBS.with_borrow_mut(|blobs| {
            blobs.push(Kept { blob, bytes, read: 0 });
            blobs.len() - 1
        });
        VirtualFile::new(path, bytes, move |position, buffer| read_at(number, position, buffer))
    };
    paths.into_iter().zip(blobs).map(keep).collect()
}

/// Reads bytes of a file into a buffer.
fn read_at(blob: usize, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
    LAST.with_borrow_mut(|last| {
        let end = last.start + last.bytes.len() as u64;
        if last.blob != blob || position < last.start || position >= end || last.bytes.is_empty() {
            let follows = last.blob == blob && position == end && position > 0;
            last.bytes.clear();
            last.bytes = slice(blob, position, if follows { PIECE } else { START }).map_err(told)?;
            (last.blob, last.start) = (blob, position);
        }
        let bytes = &last.bytes[(position - last.start) as usize..];
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        Ok(read)
    })
}

/// Returns bytes of a file, and adds them to the progress. A file that shrank since it was chosen ends early: the library
/// reports that.
fn slice(number: usize, start: u64, bytes: u64) -> Result<Vec<u8>, JsValue> {
    let (blob, new) = BLOBS.with_borrow_mut(|blobs| {
        let kept = &mut blobs[number];
        let new = bytes.min(kept.bytes - kept.read);
        kept.read += new;
        (kept.blob.clone(), new)
    });
    let part = blob.slice_with_f64_and_f64(start as f64, (start + bytes) as f64)?;
    let buffer = FileReaderSync::new()?.read_as_array_buffer(&part)?;
    let bytes = Uint8Array::new(&buffer).to_vec();
    leave_buffer(bytes.len() as u32);
    DONE.set(DONE.get() + new);
    report_progress(DONE.get() as f64);
    Ok(bytes)
}

/// Returns the browser's reason why a file cannot be read.
fn told(error: JsValue) -> io::Error {
    let words = js_sys::Reflect::get(&error, &"message".into())
        .ok()
        .and_then(|words| words.dyn_into::<JsString>().ok());
    io::Error::other(words.map_or_else(|| "the browser cannot read it".into(), String::from))
}
