//! Virtual files give the ledgers of the same files on a disk.

use hullmark::{
    Ledger, MemoryFiles, Profile, ReportOptions, ScanOptions, Source, VirtualFile, scan, write_report,
};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// Returns the ledgers as JSON text, by the names of their inputs.
fn ledgers(source: Source, options: &ScanOptions) -> BTreeMap<String, String> {
    let ledgers = Mutex::new(BTreeMap::new());
    let keep = |ledger: Ledger| {
        let text = serde_json::to_string(&ledger).unwrap();
        ledgers.lock().unwrap().insert(ledger.name().to_owned(), text);
    };
    scan([source], options, keep).unwrap();
    ledgers.into_inner().unwrap()
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { files_below(&entry, files) } else { files.push(entry) }
    }
}

/// Returns the files below a folder as virtual ones. Each reading gives a few bytes, as a slow source may.
fn virtual_files(folder: &Path) -> Vec<VirtualFile> {
    let mut files = Vec::new();
    files_below(folder, &mut files);
    let of_disk = |path: PathBuf| {
        let own = path.clone();
        VirtualFile::new(path.clone(), path.metadata().unwrap().len(), move |position, buffer| {
            let mut file = File::open(&own)?;
            file.seek(SeekFrom::Start(position))?;
            let most = buffer.len().min(40_000);
            file.read(&mut buffer[..most])
        })
    };
    files.into_iter().map(of_disk).collect()
}

#[test]
fn virtual_files_are_sorted_and_read_as_files_on_a_disk() {
    let real = "../shared/data/databases";
    for folder in [
        "archives",
        "across",
        "contents",
        "databases",
        "figures",
        "meshes",
        "objects",
        "regions",
        "viewers",
        real,
    ] {
        let folder = if folder == real { PathBuf::from(real) } else { Path::new("sample_data").join(folder) };
        if !folder.exists() {
            continue;
        }
        let expected = ledgers(Source::path(&folder), &ScanOptions::default());
        let found = ledgers(Source::files(virtual_files(&folder)), &ScanOptions::default());
        let names = |ledgers: &BTreeMap<String, String>| ledgers.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected));
        for (name, ledger) in &expected {
            assert!(found[name] == *ledger, "{name}: {}\n{ledger}", found[name]);
        }
    }
}

/// Another scan may read the archives, and its ledgers may be handed over as bytes.
#[test]
fn large_archives_are_scanned_apart() {
    let files = virtual_files(Path::new("sample_data/regions"));
    let least = 2_000;
    let archives = VirtualFile::archives(&files, least).unwrap();
    let is_large = |number: &usize| files[*number].path().metadata().unwrap().len() >= least;
    assert!(archives.len() > 2 && archives.iter().all(is_large), "{archives:?}");
    let whole = ledgers(Source::files(files.clone()), &ScanOptions::default());
    let except = archives.iter().map(|number| files[*number].path().to_str().unwrap().to_owned()).collect();
    let options = ScanOptions { except, ..ScanOptions::default() };
    let mut parts = ledgers(Source::files(files.clone()), &options);
    assert!(parts.len() + archives.len() == whole.len() && !parts.is_empty());
    for number in archives {
        parts.extend(ledgers(Source::files([files[number].clone()]), &ScanOptions::default()));
    }
    assert_eq!(parts, whole);
}

#[test]
fn two_files_of_one_path_are_refused() {
    let file = || VirtualFile::new("a/b.xml", 0, |_, _| Ok(0));
    let error = scan([Source::files([file(), file()])], &ScanOptions::default(), |_| ()).unwrap_err();
    assert!(error.to_string().contains("\"a/b.xml\""), "{error}");
    assert_eq!(VirtualFile::archives(&[file(), file()], 0).unwrap_err(), Path::new("a/b.xml"));
}

#[test]
fn files_that_are_no_exports_are_named() {
    let text = |path| VirtualFile::new(path, 5, |at, buffer| (&b"hello"[at as usize..]).read(buffer));
    let error = |files: Vec<VirtualFile>| {
        scan([Source::files(files)], &ScanOptions::default(), |_| ()).unwrap_err().to_string()
    };
    let one = error(vec![text("words.txt")]);
    assert!(one.starts_with("words.txt is not an export: it looks like text"), "{one}");
    let folder = error(vec![text("notes/words.txt"), text("notes/more.txt")]);
    assert!(folder.starts_with("No export found in notes: none of its 2 files is an export"), "{folder}");
}

#[test]
fn a_report_is_made_from_ledgers_that_were_handed_over_as_bytes() {
    let report = |ledgers: &[Arc<Ledger>]| {
        let files = MemoryFiles::default();
        let options = ReportOptions::new(files.clone(), Profile::load("second-life").unwrap());
        write_report(ledgers.iter().cloned(), &options).unwrap();
        files.take()
    };
    let ledgers = Mutex::new(Vec::new());
    scan([Source::path("sample_data/regions")], &ScanOptions::default(), |ledger| {
        ledgers.lock().unwrap().push(Arc::new(ledger));
    })
    .unwrap();
    let ledgers = ledgers.into_inner().unwrap();
    let over = |ledger: &Arc<Ledger>| Arc::new(Ledger::from_file(ledger.to_file().unwrap().1).unwrap());
    let handed_over: Vec<_> = ledgers.iter().map(over).collect();
    let (expected, found) = (report(&ledgers), report(&handed_over));
    assert!(expected["objects.csv"].len() > 1000);
    assert_eq!(found["objects.csv"], expected["objects.csv"]);
    assert_eq!(found["findings.csv"], expected["findings.csv"]);
    assert_eq!(report(&ledgers), expected, "a shared ledger serves any number of reports");
    let error = Ledger::from_file(b"no ledger".to_vec()).unwrap_err();
    assert!(error.to_string().contains("is not a ledger"), "{error}");
}
