//! The library for the workers of the page: files of the browser → ledgers → reports.
//!
//! Each worker has a [`Session`], which reads and holds ledgers. Other workers hand theirs over to the first one, which
//! evaluates. It holds the ledgers, so another target needs no second reading.

mod blob;
mod mesh;

use hullmark::{
    Ledger, Limits, MemoryFiles, Profile, ReportOptions, ScanOptions, Source, VirtualFile, config::Format,
    scan, write_report,
};
use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
    panic,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};
use wasm_bindgen::prelude::*;
use web_sys::Blob;
use zip::{ZipWriter, write::SimpleFileOptions};

/// Bytes of temporary copies of containers, which are in memory here. WebAssembly ends at 4 GB.
const TEMPORARY_BYTES: u64 = 512 << 20;

/// Bytes of an archive that is worth a worker of its own.
const LARGE: u64 = 1 << 20;

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

/// Returns the numbers of those files that are large archives. Each may be read alone.
///
/// # Errors
/// A sentence: two files have the same path.
#[wasm_bindgen]
pub fn archives(paths: Vec<String>, blobs: Vec<Blob>) -> Result<Vec<usize>, String> {
    let same = |path: std::path::PathBuf| {
        format!("There are two files {}. Audit one after the other, or choose a folder.", path.display())
    };
    VirtualFile::archives(&blob::files(paths, blobs), LARGE).map_err(same)
}

/// The ledgers of a worker, and what is made of them.
#[wasm_bindgen]
#[derive(Default)]
pub struct Session {
    ledgers: Vec<Arc<Ledger>>,
    /// All files, once the view of a mesh needs them.
    files: Option<Source>,
    mesh: Option<mesh::Opened>,
}

#[wasm_bindgen]
impl Session {
    /// Creates a session without ledgers.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads files. The archives with the names in `except` are read by another worker. Returns the names of the inputs
    /// that were not read to their end.
    ///
    /// # Errors
    /// A sentence: there is nothing to audit.
    pub fn read(
        &mut self,
        paths: Vec<String>,
        blobs: Vec<Blob>,
        except: Vec<String>,
    ) -> Result<Vec<String>, String> {
        let limits = Limits { temporary_bytes: TEMPORARY_BYTES, ..Limits::default() };
        let except = except.into_iter().collect();
        let options = ScanOptions { limits, threads: 1, except, ..ScanOptions::default() };
        let ledgers = Mutex::new(Vec::new());
        let keep =
            |ledger| ledgers.lock().unwrap_or_else(|broken| broken.into_inner()).push(Arc::new(ledger));
        let source = Source::files(blob::files(paths, blobs));
        let left = scan([source], &options, keep).map_err(|error| error.to_string())?;
        let ledgers: Vec<Arc<Ledger>> = ledgers.into_inner().unwrap_or_else(|broken| broken.into_inner());
        let incomplete = ledgers.iter().filter(|ledger| !ledger.is_complete());
        let incomplete = incomplete.map(|ledger| ledger.name().to_owned());
        let incomplete = incomplete.chain(left.into_iter().map(|input| input.archive)).collect();
        self.ledgers.extend(ledgers);
        Ok(incomplete)
    }

    /// Takes the last ledger, as the bytes of its file. `None` if there is no further one.
    ///
    /// # Errors
    /// A sentence: it cannot be packed.
    pub fn take(&mut self) -> Result<Option<Vec<u8>>, String> {
        let file = self.ledgers.pop().map(|ledger| ledger.to_file().map(|(_, bytes)| bytes));
        file.transpose().map_err(|error| error.to_string())
    }

    /// Adds a ledger of another worker.
    ///
    /// # Errors
    /// A sentence: these are not the bytes of a ledger file.
    pub fn add(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        self.ledgers.push(Arc::new(Ledger::from_file(bytes).map_err(|error| error.to_string())?));
        Ok(())
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
        if is_none(target, profile) {
            options.opensim_load = Some(Profile::load("opensim-load").map_err(|error| told(&error))?);
        } else {
            options.config.profile = target.into();
        }
        options.config.report.formats = vec![format];
        options.now = Some(SystemTime::UNIX_EPOCH + Duration::from_millis(js_sys::Date::now() as u64));
        write_report(self.ledgers.iter().cloned(), &options).map_err(|error| told(&error))?;
        let mut files = memory.take();
        match files.remove(file) {
            Some(bytes) => Ok(bytes),
            None => zipped(&files).map_err(|error| told(&error)),
        }
    }

    /// Returns the name of the file of ledgers.
    ///
    /// # Errors
    /// A sentence: the ledger cannot be packed.
    #[wasm_bindgen(js_name = ledgersName)]
    pub fn ledgers_name(&self) -> Result<String, String> {
        match &*self.ledgers {
            [ledger] => ledger.to_file().map(|(name, _)| name).map_err(|error| error.to_string()),
            _ => Ok("ledgers.zip".into()),
        }
    }

    /// Returns the ledger as a file, or a zip of all ledgers.
    ///
    /// # Errors
    /// A sentence: they cannot be packed.
    pub fn ledgers(&self) -> Result<Vec<u8>, String> {
        let files: Result<BTreeMap<_, _>, _> = self.ledgers.iter().map(|ledger| ledger.to_file()).collect();
        let files = files.map_err(|error| error.to_string())?;
        match files.len() {
            1 => Ok(files.into_values().next().unwrap_or_default()),
            _ => zipped(&files).map_err(|error| error.to_string()),
        }
    }
}

/// The choice of no target: OpenSimulator loads what only it can load, and the published limits hold.
const NONE: &str = "none";

/// Returns the names of the choices of a target, and their descriptions, as JSON. The first is that of no target.
#[wasm_bindgen]
pub fn targets() -> String {
    let names = [NONE, "second-life", "opensim-ubode", "opensim-bulletsim"];
    let described = names.into_iter().filter_map(|name| Some((name, loaded(name, "").ok()?.description)));
    serde_json::json!(described.collect::<Vec<_>>()).to_string()
}

fn is_none(target: &str, text: &str) -> bool {
    target == NONE && text.is_empty()
}

/// Returns a built-in target, or that of a profile file if `text` is not empty.
fn loaded(target: &str, text: &str) -> Result<Profile, String> {
    if is_none(target, text) {
        return Ok(Profile::default());
    }
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
