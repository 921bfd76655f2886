//! The JSON of a glTF file, and its buffers.

use crate::{Reading, over_limit};
use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use gltf::{
    binary::Glb,
    json::{Root, buffer},
};
use hullmark_format::defect::ModelDefect;
use std::{borrow::Cow, fmt::Display};

/// Maximum bytes of the JSON. Buffers in it are in memory three times: as text, as a value and decoded.
const MOST_BYTES: usize = 32_000_000;
/// Maximum number of objects in the JSON. Each takes some hundred bytes of memory, and as few as three in the file.
const MOST_OBJECTS: usize = 200_000;
/// Maximum number of other values.
const MOST_VALUES: usize = 4_000_000;

/// Exporters differ in whether they pad.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A glTF document with the bytes of its buffers.
pub(super) struct Document<'a> {
    pub(super) root: Root,
    /// `None` for a buffer that is missing.
    buffers: Vec<Option<Cow<'a, [u8]>>>,
}

impl<'a> Document<'a> {
    /// Opens a file, binary or not. A missing buffer is noted.
    pub(super) fn open(bytes: &'a [u8], reading: &mut Reading<'a>) -> Result<Self, ModelDefect> {
        let (json, chunk) = split(bytes)?;
        ensure_small(&json)?;
        let root: Root = serde_json::from_slice(&json).map_err(|error| unreadable(&error))?;
        let mut document = Self { root, buffers: Vec::new() };
        for buffer in &document.root.buffers {
            let found = match &buffer.uri {
                Some(uri) => of_uri(uri, reading),
                // The chunk is the first buffer.
                None => chunk.clone().filter(|_| document.buffers.is_empty()),
            };
            let is_whole = found.as_ref().is_some_and(|found| found.len() as u64 >= buffer.byte_length.0);
            if !is_whole {
                let uri = buffer.uri.as_deref().filter(|uri| !uri.starts_with(DATA));
                let name = uri.unwrap_or("the buffer in the file").chars().take(256).collect();
                reading.note(ModelDefect::FileMissing { name });
            }
            document.buffers.push(found.filter(|_| is_whole));
        }
        Ok(document)
    }

    /// Returns the bytes of a view from this offset on, and its stride if it states one.
    pub(super) fn view(
        &self,
        view: gltf::json::Index<buffer::View>,
        offset: u64,
    ) -> Option<(&[u8], Option<usize>)> {
        let view = self.root.get(view)?;
        let bytes = self.buffers.get(view.buffer.value())?.as_deref()?;
        let start = usize::try_from(view.byte_offset.map_or(0, |offset| offset.0)).ok()?;
        let length = usize::try_from(view.byte_length.0).ok()?;
        let bytes = bytes.get(start..start.checked_add(length)?)?;
        Some((bytes.get(usize::try_from(offset).ok()?..)?, view.byte_stride.map(|stride| stride.0)))
    }
}

type Parts<'a> = (Cow<'a, [u8]>, Option<Cow<'a, [u8]>>);

/// Splits a file into its JSON and the chunk of a binary file.
fn split(bytes: &[u8]) -> Result<Parts<'_>, ModelDefect> {
    if !super::is_binary(bytes) {
        return Ok((Cow::Borrowed(super::text(bytes)), None));
    }
    let glb = Glb::from_slice(bytes).map_err(|error| unreadable(&error))?;
    Ok((glb.json, glb.bin))
}

fn unreadable(error: &dyn Display) -> ModelDefect {
    ModelDefect::Unreadable { why: error.to_string() }
}

/// Limits the memory of the document before it is read: an object may take a hundred times its text.
fn ensure_small(json: &[u8]) -> Result<(), ModelDefect> {
    let count = |wanted: u8| json.iter().filter(|&&byte| byte == wanted).count();
    if json.len() > MOST_BYTES {
        return Err(over_limit("bytes of JSON"));
    }
    match (count(b'{') > MOST_OBJECTS, count(b',') > MOST_VALUES) {
        (true, _) => Err(over_limit("objects in the JSON")),
        (_, true) => Err(over_limit("values in the JSON")),
        _ => Ok(()),
    }
}

/// How a buffer in the text itself begins.
pub(super) const DATA: &str = "data:";

/// Returns the content that a URI names: text in base64, or another file of the model.
fn of_uri<'a>(uri: &str, reading: &mut Reading<'a>) -> Option<Cow<'a, [u8]>> {
    if let Some(data) = uri.strip_prefix(DATA) {
        let (_, text) = data.split_once(";base64,")?;
        reading.work.charge(text.len() as u64).ok()?;
        return BASE64.decode(text).ok().map(Cow::Owned);
    }
    let name = file_name(uri);
    let found = reading.beside.iter().find(|file| file.name == name || file.name == uri);
    found.map(|file| Cow::Borrowed(file.bytes))
}

/// Returns the name of the file of a relative URI, without folders and escapes.
pub(super) fn file_name(uri: &str) -> String {
    let last = uri.rsplit(['/', '\\']).next().unwrap_or(uri);
    let mut bytes = Vec::with_capacity(last.len());
    let mut rest = last.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let hex = after.first_chunk::<2>().and_then(|hex| str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| byte == b'%') {
            Some(escaped) => {
                bytes.push(escaped);
                rest = &after[2..];
            }
            None => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
