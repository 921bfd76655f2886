//! A file, a stream and bytes in memory give the same ledger.

use crate::support::samples;
use hullmark::{Ledger, Limits, ScanOptions, Share, Source, decode_mesh, decode_object, scan};
use std::{
    fs::{self, File},
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicBool},
};

/// Returns the ledgers of these sources, sorted by name.
fn ledgers(sources: impl IntoIterator<Item = Source>, options: &ScanOptions) -> Vec<Ledger> {
    let ledgers = Mutex::new(Vec::new());
    scan(sources, options, |ledger| ledgers.lock().unwrap().push(ledger)).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    ledgers.sort_by(|a, b| a.name().cmp(b.name()));
    ledgers
}

/// Returns the ledgers as JSON text, because NaN is not equal to itself.
fn facts(ledgers: &[Ledger]) -> Vec<String> {
    ledgers.iter().map(|ledger| serde_json::to_string(ledger).unwrap()).collect()
}

/// Returns the archives of a folder of samples. A file that only has the name of an archive is left out: it shares one
/// input with other files of its folder.
fn archives(folder: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let is_archive = |path: &PathBuf| {
        path.extension().is_some_and(|end| end == "oar") && path.metadata().unwrap().len() > 100
    };
    let mut archives: Vec<_> = files.filter(is_archive).collect();
    archives.sort();
    assert!(!archives.is_empty(), "{folder} has no archives");
    archives
}

fn name(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

#[test]
fn streams_of_archives_give_the_ledgers_of_their_files() {
    let options = ScanOptions::default();
    for folder in ["sample_data/regions", "sample_data/archives", "sample_data/figures"] {
        let paths = archives(folder);
        let expected = facts(&ledgers(paths.iter().map(Source::path), &options));
        let bytes = |path: &PathBuf| Source::bytes(name(path), fs::read(path).unwrap());
        assert_eq!(facts(&ledgers(paths.iter().map(bytes), &options)), expected, "{folder} as bytes");
        let size = |path: &PathBuf| path.metadata().unwrap().len();
        let reader = |path: &PathBuf| Source::reader(name(path), size(path), File::open(path).unwrap());
        assert_eq!(facts(&ledgers(paths.iter().map(reader), &options)), expected, "{folder} as readers");
        let opener = |path: &PathBuf| {
            let own = path.clone();
            Source::opener(name(path), size(path), move || {
                Ok(Box::new(File::open(&own)?) as Box<dyn Read + Send>)
            })
        };
        assert_eq!(facts(&ledgers(paths.iter().map(opener), &options)), expected, "{folder} as openers");
    }
}

#[test]
fn a_mesh_in_memory_is_found_as_in_its_file() {
    let path = "sample_data/meshes/hull-of-256-points.llmesh";
    let found = ledgers([Source::bytes("hull.llmesh", fs::read(path).unwrap())], &ScanOptions::default());
    let [ledger] = &found[..] else { panic!("one input has one ledger: {found:?}") };
    assert_eq!((ledger.name(), ledger.kind(), ledger.is_complete()), ("hull.llmesh", "folder", true));
    let facts = serde_json::to_value(ledger).unwrap();
    assert_eq!(facts["meshes"].as_array().map(Vec::len), Some(1));
}

/// A reader cannot be read twice. That is no loss if objects come first, or if there is room for the maps.
#[test]
fn a_reader_gives_maps_that_come_late_or_have_room() {
    for (objects_first, room, complete) in [(true, 0, true), (false, 1 << 20, true), (false, 0, false)] {
        let archive = samples::sculpts(objects_first).gzip();
        let options = ScanOptions {
            limits: Limits { kept_textures_bytes: room, ..Limits::default() },
            ..ScanOptions::default()
        };
        let again = ledgers([Source::bytes("sculpts.oar", archive.clone())], &options);
        assert!(again[0].is_complete());
        let size = archive.len() as u64;
        let once = ledgers([Source::reader("once", size, io::Cursor::new(archive))], &options);
        assert_eq!(once[0].is_complete(), complete, "a map that was not read is no whole input");
        let of = |ledger: &Ledger, field: &str| serde_json::to_value(ledger).unwrap()[field].clone();
        assert_eq!(of(&once[0], "sculpts") == of(&again[0], "sculpts"), complete);
        assert_eq!(of(&once[0], "defects").to_string().contains("sculpt-gone"), !complete);
    }
}

#[test]
fn foreign_files_and_unreadable_inputs_have_incomplete_ledgers() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the cable is out"))
        }
    }
    let sources = [Source::bytes("words.txt", *b"hello"), Source::reader("broken.oar", 9, Broken)];
    let found = ledgers(sources, &ScanOptions::default());
    assert!(found.iter().all(|ledger| !ledger.is_complete()));
    let texts: Vec<String> = found.iter().map(|ledger| serde_json::to_string(ledger).unwrap()).collect();
    assert!(texts[0].contains("the cable is out") && texts[1].contains("text"), "{texts:?}");
}

#[test]
fn two_streams_of_one_name_are_refused() {
    let twice = [Source::bytes("a", *b"1"), Source::bytes("a", *b"2")];
    let error = scan(twice, &ScanOptions::default(), |_| ()).unwrap_err();
    assert!(error.to_string().contains("\"a\""), "{error}");

    let path = "sample_data/regions/over-the-cap.oar";
    let twice = [Source::path(path), Source::bytes(path, *b"2")];
    let error = scan(twice, &ScanOptions::default(), |_| ()).unwrap_err();
    assert!(error.to_string().contains(path), "{error}");
}

#[test]
fn kept_ledgers_come_back_without_reading_and_shares_leave_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let options = ScanOptions { ledgers: Some(folder.path().join("ledgers")), ..ScanOptions::default() };
    let first = ledgers([Source::path("sample_data/regions")], &options);
    let second = ledgers([Source::path("sample_data/regions")], &options);
    assert_eq!(facts(&first), facts(&second));
    let ended = ScanOptions { stop: Arc::new(AtomicBool::new(true)), ..options.clone() };
    assert_eq!(ledgers([Source::path("sample_data/regions")], &ended).len(), first.len(), "nothing is read");

    let share: Share = "1/2".parse().unwrap();
    let half = ScanOptions { share: Some(share), ..ScanOptions::default() };
    let read = Mutex::new(0);
    let left = scan([Source::path("sample_data/regions")], &half, |_| *read.lock().unwrap() += 1).unwrap();
    assert_eq!(left.len() + read.into_inner().unwrap(), first.len());
    assert!(!left.is_empty());
}

#[test]
fn the_ledger_of_an_input_that_is_gone_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let [exports, kept] = ["exports", "ledgers"].map(|name| folder.path().join(name));
    fs::create_dir(&exports).unwrap();
    for name in ["over-the-cap.oar", "sculpts.oar"] {
        fs::copy(Path::new("sample_data/regions").join(name), exports.join(name)).unwrap();
    }
    let options = ScanOptions { ledgers: Some(kept.clone()), ..ScanOptions::default() };
    let count = || {
        let files = fs::read_dir(&kept).unwrap().map(|file| file.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == "ledger")).count()
    };
    assert_eq!((ledgers([Source::path(&exports)], &options).len(), count()), (2, 2));
    fs::remove_file(exports.join("sculpts.oar")).unwrap();
    assert_eq!((ledgers([Source::path(&exports)], &options).len(), count()), (1, 1));
}

/// Decoding one asset gives the same findings as a scan of its file.
#[test]
fn single_assets_have_the_findings_of_the_decoder() {
    let damaged = fs::read("sample_data/meshes/damaged-block.llmesh").unwrap();
    let mesh = decode_mesh(&damaged, &Limits::default());
    assert!(
        mesh.findings.iter().any(|finding| finding.code.name().starts_with("MSH")),
        "{:?}",
        mesh.findings
    );
    assert!(mesh.value.lods.iter().any(Option::is_some), "the other blocks are there");
    let object = decode_object(b"<SceneObjectGroup>", &Limits::default());
    assert!(object.value.linksets.is_empty() && !object.findings.is_empty());
}
