//! The library for the worker of the page: files of the browser → ledgers in memory → reports.
//!
//! The worker has one [`Session`]. It holds the ledgers, so another target needs no second reading. Ledgers are unpacked
//! only while a report is made.

mod blob;
mod mesh;
mod tree;

use blob::BlobReader;
use hullmark::{
    Config, Ledger, Limits, MemoryFiles, Profile, ReportOptions, ScanOptions, Source, config::Format, scan,
    write_report,
};
use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
    panic,
    sync::Mutex,
};
use tree::Tree;
use wasm_bindgen::prelude::*;
use web_sys::Blob;
use zip::{ZipWriter, write::SimpleFileOptions};

/// Bytes of temporary copies of containers, which are in memory here. WebAssembly ends at 4 GB.
const TEMPORARY_BYTES: u64 = 512 << 20;

#[wasm_bindgen]
extern "C" {
    /// Reports a panic to the worker, before WebAssembly ends.
    #[wasm_bindgen(js_name = reportPanic)]
    fn report_panic(words: &str);
}

/// Prepares the reports of panics.
#[wasm_bindgen(start)]
pub fn start() {
    panic::set_hook(Box::new(|panic| report_panic(&panic.to_string())));
}

/// The inputs of the page, and their ledgers.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    sources: Vec<Source>,
    ledgers: Vec<Ledger>,
    mesh: Option<mesh::Opened>,
}

#[wasm_bindgen]
impl Session {
    /// Creates a session without inputs.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, blob: Blob) {
        let (bytes, number) = (blob.size() as u64, blob::keep(blob));
        self.sources.push(Source::opener(name, bytes, move || Ok(Box::new(BlobReader::new(number)))));
    }

    /// Adds a folder that is an unpacked archive. It is read as the archive with these members.
    pub fn tree(&mut self, name: &str, names: Vec<String>, blobs: Vec<Blob>) {
        let files =
            names.into_iter().zip(blobs).map(|(name, blob)| (name, blob.size() as u64, blob::keep(blob)));
        let tree = Tree::new(files);
        let bytes = tree.bytes();
        self.sources.push(Source::opener(name, bytes, move || Ok(Box::new(tree.open()))));
    }

    /// Reads the inputs. Returns the names of those that were not read to their end.
    ///
    /// # Errors
    /// A sentence: there is nothing to audit.
    pub fn read(&mut self) -> Result<Vec<String>, String> {
        let limits = Limits { temporary_bytes: TEMPORARY_BYTES, ..Limits::default() };
        let options = ScanOptions { limits, threads: 1, ..ScanOptions::default() };
        let ledgers = Mutex::new(Vec::new());
        let keep = |ledger| ledgers.lock().unwrap_or_else(|broken| broken.into_inner()).push(ledger);
        let left = scan(self.sources.clone(), &options, keep).map_err(|error| error.to_string())?;
        self.ledgers = ledgers.into_inner().unwrap_or_else(|broken| broken.into_inner());
        let incomplete = self.ledgers.iter().filter(|ledger| !ledger.is_complete());
        let left = left.iter().map(|input| input.archive.clone());
        Ok(incomplete.map(|ledger| ledger.name().to_owned()).chain(left).collect())
    }

    /// Evaluates the ledgers for a target and returns one file of the report: `audit.html`, `audit.xlsx`, or
    /// `tables.zip` with all tables as CSV. `profile` is the text of a profile file; empty for a built-in target.
    ///
    /// # Errors
    /// A sentence: the profile is no profile, or the report cannot be written.
    pub fn report(&self, target: &str, profile: &str, file: &str) -> Result<Vec<u8>, String> {
        let told = |error: &dyn std::error::Error| error.to_string();
        let format = match file {
            "audit.html" => Format::Html,
            "audit.xlsx" => Format::Xlsx,
            _ => Format::Csv,
        };
        let memory = MemoryFiles::default();
        let mut options = ReportOptions::new(memory.clone(), loaded(target, profile)?);
        options.config = Config { profile: target.into(), ..Config::default() };
        options.config.report.formats = vec![format];
        write_report(self.ledgers.iter().cloned(), &options).map_err(|error| told(&error))?;
        let mut files = memory.take();
        match files.remove(file) {
            Some(bytes) => Ok(bytes),
            None => zipped(&files).map_err(|error| told(&error)),
        }
    }

    /// Returns the name of the file of ledgers.
    #[wasm_bindgen(js_name = ledgersName)]
    pub fn ledgers_name(&self) -> Result<String, String> {
        match &*self.ledgers {
            [ledger] => ledger.to_file().map(|(name, _)| name).map_err(|error| error.to_string()),
            _ => Ok("ledgers.zip".into()),
        }
    }

    /// Returns the ledger as a file, or a zip of all ledgers.
    pub fn ledgers(&self) -> Result<Vec<u8>, String> {
        let files: Result<BTreeMap<_, _>, _> = self.ledgers.iter().map(Ledger::to_file).collect();
        let files = files.map_err(|error| error.to_string())?;
        match files.len() {
            1 => Ok(files.into_values().next().unwrap_or_default()),
            _ => zipped(&files).map_err(|error| error.to_string()),
        }
    }
}

/// Returns the names of the built-in targets, and their descriptions, as JSON.
#[wasm_bindgen]
pub fn targets() -> String {
    let names = ["second-life", "opensim-ubode", "opensim-bulletsim"];
    let described = names.into_iter().filter_map(|name| Some((name, Profile::load(name).ok()?.description)));
    serde_json::json!(described.collect::<Vec<_>>()).to_string()
}

/// Returns a built-in target, or that of a profile file if `text` is not empty.
fn loaded(target: &str, text: &str) -> Result<Profile, String> {
    let profile = if text.is_empty() { Profile::load(target) } else { Profile::parse(target, text) };
    profile.map_err(|error| error.to_string())
}

/// Packs files into a zip.
fn zipped(files: &BTreeMap<String, Vec<u8>>) -> zip::result::ZipResult<Vec<u8>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(&**name, SimpleFileOptions::default())?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
