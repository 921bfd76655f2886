//! Reads files of the browser piece by piece, so that none is in memory as a whole.

use js_sys::{JsString, Uint8Array};
use std::{
    cell::{Cell, RefCell},
    io::{self, Read},
};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, FileReaderSync};

/// Bytes that the browser reads at a time. Each call takes about a millisecond.
const PIECE: u64 = 1 << 20;

thread_local! {
    /// The files. Readers name them by number, because they are bound to this thread and the library asks for `Send`.
    static BLOBS: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
    /// Bytes of all files that were read. Bytes that are read again do not count.
    static DONE: Cell<u64> = const { Cell::new(0) };
}

struct Kept {
    blob: Blob,
    /// How far the file was read.
    read: u64,
}

#[wasm_bindgen]
extern "C" {
    /// Reports the progress to the worker, in bytes.
    #[wasm_bindgen(js_name = reportProgress)]
    fn report_progress(bytes: f64);
}

/// Keeps a file for readers. Returns its number.
pub fn keep(blob: Blob) -> usize {
    BLOBS.with_borrow_mut(|blobs| {
        blobs.push(Kept { blob, read: 0 });
        blobs.len() - 1
    })
}

/// Returns bytes of a file, and adds them to the progress.
fn slice(number: usize, start: u64, end: u64) -> Result<Vec<u8>, JsValue> {
    let (blob, new) = BLOBS.with_borrow_mut(|blobs| {
        let kept = &mut blobs[number];
        let new = end.saturating_sub(kept.read);
        kept.read += new;
        (kept.blob.clone(), new)
    });
    let part = blob.slice_with_f64_and_f64(start as f64, end as f64)?;
    let bytes = Uint8Array::new(&FileReaderSync::new()?.read_as_array_buffer(&part)?.into());
    DONE.set(DONE.get() + new);
    report_progress(DONE.get() as f64);
    Ok(bytes.to_vec())
}

/// Reads a file from its first byte.
pub struct BlobReader {
    number: usize,
    position: u64,
    size: u64,
    piece: io::Cursor<Vec<u8>>,
}

impl BlobReader {
    /// Creates a reader of the file with this number.
    pub fn new(number: usize) -> Self {
        let size = BLOBS.with_borrow(|blobs| blobs[number].blob.size() as u64);
        Self { number, position: 0, size, piece: io::Cursor::default() }
    }
}

impl Read for BlobReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.piece.position() == self.piece.get_ref().len() as u64 && self.position < self.size {
            let end = self.size.min(self.position + PIECE);
            let bytes = slice(self.number, self.position, end).map_err(told)?;
            // A file that shrank since it was chosen ends early: the library reports that.
            if bytes.is_empty() {
                return Ok(0);
            }
            self.position += bytes.len() as u64;
            self.piece = io::Cursor::new(bytes);
        }
        self.piece.read(buffer)
    }
}

/// Returns the browser's reason why a file cannot be read.
fn told(error: JsValue) -> io::Error {
    let words = js_sys::Reflect::get(&error, &"message".into())
        .ok()
        .and_then(|words| words.dyn_into::<JsString>().ok());
    io::Error::other(words.map_or_else(|| "the browser cannot read it".into(), String::from))
}
