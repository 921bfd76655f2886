//! Builds LLSD, meshes, objects and archives, and the sample data from them; runs audits and reads reports.

// Not every test uses every builder.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

pub mod archive;
pub mod backups;
pub mod conformance;
pub mod desk;
pub mod glb;
pub mod llsd;
pub mod mesh;
pub mod mutate;
pub mod object;
pub mod oxp;
#[cfg(feature = "object-store")]
pub mod s3;
pub mod samples;
pub mod sqlite;
pub mod stores;

use hullmark_ledger::{self as ledger, Ledger};
use hullmark_pages::{self as pages, Ledgers, ReportContext, Reports};
use hullmark_report::{Manifest, Summary};
use hullmark_rules::history::History;
use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
use hullmark_settings::{
    config::Config,
    database_selection::DatabaseSelection,
    inventories::InventoryOwner,
    limits::Limits,
    profile::{Named, Profile},
};
use hullmark_source as source;
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};
use walkdir::WalkDir;

/// Returns the folder of real exports, which may not be published. If it is absent, prints a note and returns `None`;
/// in CI, panics.
pub fn shared() -> Option<PathBuf> {
    let shared = repository().join("../shared");
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(env::var("CI").as_deref() != Ok("true"), "the real exports are not at {}", shared.display());
    // Not `eprintln!`, which the test harness would swallow.
    let _ = writeln!(io::stderr(), "skipped: there are no real exports at {}", shared.display());
    None
}

/// Returns text without line breaks.
pub fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the path of the checkout.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the paths of the source files of a room, in order. An empty name gives those of all rooms.
pub fn sources(room: &str) -> impl Iterator<Item = PathBuf> {
    let files = WalkDir::new(repository().join("src").join(room)).sort_by_file_name().into_iter();
    let paths = files.map(|file| file.unwrap().into_path());
    paths.filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
}

/// Audits paths for Second Life and writes the reports.
pub fn audit(paths: &[PathBuf], out: &Path, threads: usize) -> Summary {
    audit_for(&Profile::default(), paths, out, threads)
}

/// Audits paths for a target grid and writes the reports.
pub fn audit_for(profile: &Profile, paths: &[PathBuf], out: &Path, threads: usize) -> Summary {
    audit_with(profile, paths, out, threads, &[])
}

/// Audits paths for Second Life and further profiles.
pub fn audit_beside(paths: &[PathBuf], out: &Path, threads: usize, also: &[String]) -> Summary {
    audit_with(&Profile::default(), paths, out, threads, also)
}

/// All databases, with all inventories.
const ALL: DatabaseSelection<'_> = DatabaseSelection { owners: &[InventoryOwner::All], databases: &[] };

fn audit_with(profile: &Profile, paths: &[PathBuf], out: &Path, threads: usize, also: &[String]) -> Summary {
    let config = Config::default();
    let ledgers = tempfile::tempdir().unwrap();
    let inputs = source::walk(paths, &[out]).unwrap();
    let keep = |ledger: Ledger| ledger.write(ledgers.path()).map(drop);
    let mut options = ReadOptions::new(&config.limits, threads);
    options.request.selection = ALL;
    read_inputs(&inputs, &options, &Unwatched, &keep).unwrap();
    let further = Named::load_beside(&config.profile, also).unwrap();
    let history = Some(History::new(&config, SystemTime::UNIX_EPOCH).unwrap());
    let context = ReportContext { further, history, ..ReportContext::new(config.report.clone()) };
    let reports = Reports::open(out, context).unwrap();
    let manifest = Manifest::new(&config, profile, None);
    let found = Ledgers { files: ledger::find(&[ledgers.path().into()]).unwrap(), ..Ledgers::default() };
    pages::write(found, profile, manifest, config.report.top, reports).unwrap()
}

/// Returns the ledger of a path that is one input.
pub fn scan_one(path: &Path, limits: &Limits) -> Ledger {
    let inputs = source::walk(&[path.to_owned()], &[]).unwrap();
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    let mut options = ReadOptions::new(limits, 2);
    options.request.selection = ALL;
    read_inputs(&inputs, &options, &Unwatched, &keep).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    assert_eq!(ledgers.len(), 1);
    ledgers.remove(0)
}

/// Returns the files of a folder by name, except stamps, because they contain the time and the place of a report.
/// Folders in it are left out.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| !path.is_dir());
    let named = paths.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    named
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, fs::read(path).unwrap()))
        .collect()
}

/// Returns the rows of a CSV file, by column.
pub fn read_csv(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}
