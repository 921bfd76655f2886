use super::ledgers::{evaluated, evaluated_once, report, same_when_remembered};
use hullmark_finding::Finding;
use hullmark_format::{
    archive_xml,
    defect::{DefectKind, InputDefect},
    inventory, region,
};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
use hullmark_settings::limits::Limits;
use hullmark_source::{self as source, Input, Kind, Loose, LooseFile, Place, What};
use std::{
    fs::{self, File},
    path::Path,
    sync::Mutex,
    time::{Duration, Instant, SystemTime},
};
use xxhash_rust::xxh3::xxh3_64;

/// The result of an archive.
#[derive(Debug)]
pub struct Outcome {
    pub ledger: Ledger,
    pub findings: Vec<Finding>,
    /// Duration of one scan and one evaluation, as in a run of the program.
    pub took: Duration,
}

impl Outcome {
    /// Returns `true` if the archive was read to its end.
    pub fn is_complete(&self) -> bool {
        self.ledger.status == Status::Complete
    }
}

/// One archive in this many is also written as a report, because that takes as long as all other steps.
const REPORTED: u64 = 8;

/// Scans and evaluates an archive. One thread and several must give the same ledger, with small and with large inputs.
pub fn archive(bytes: &[u8]) -> Outcome {
    scanned_alike(bytes, What::Archive)
}

/// Scans and evaluates a database of SQLite, as [`archive`] does.
pub fn sqlite(bytes: &[u8]) -> Outcome {
    scanned_alike(bytes, What::Place(Place::Sqlite))
}

fn scanned_alike(bytes: &[u8], what: What) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutant.oar");
    fs::write(&path, bytes).unwrap();
    // The reader of a database waits until the last change is old.
    let file = File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    let input = input(&path, bytes, what);
    let start = Instant::now();
    let ledger = scanned(&input, &Limits::default(), 1);
    let findings = evaluated_once(&ledger);
    let took = start.elapsed();

    // Workers decode a large input. Maps without room in memory are read a second time.
    let large = Input { bytes: u64::MAX, ..input };
    let limits = Limits { kept_textures_bytes: 0, ..Limits::default() };
    let by_workers = Ledger { bytes: ledger.bytes, ..scanned(&large, &limits, 2) };
    let (one, other) = (format!("{ledger:?}"), format!("{by_workers:?}"));
    assert!(one == other, "{}", parting(&one, &other));

    same_when_remembered(&ledger, folder.path());
    evaluated(&ledger);
    if xxh3_64(bytes).is_multiple_of(REPORTED) {
        report(&ledger);
    }
    Outcome { ledger, findings, took }
}

/// Returns the ledger of an archive.
pub(super) fn scanned_of(archive: &[u8]) -> Ledger {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutant.oar");
    fs::write(&path, archive).unwrap();
    scanned(&input(&path, archive, What::Archive), &Limits::default(), 1)
}

/// Scans and evaluates a document of objects.
pub fn object_xml(bytes: &[u8]) -> Vec<Finding> {
    small_documents(bytes);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutant.xml");
    fs::write(&path, bytes).unwrap();
    let file = LooseFile {
        path: path.clone(),
        name: "mutant.xml".into(),
        bytes: bytes.len() as u64,
        stamp: None,
        what: Loose::Known(Kind::Object),
    };
    let ledger =
        scanned(&input(folder.path(), bytes, What::Folder(vec![file].into())), &Limits::default(), 1);
    same_when_remembered(&ledger, folder.path());
    evaluated(&ledger)
}

/// Decodes bytes as each other document of an archive. A defect is inside of them.
fn small_documents(bytes: &[u8]) {
    let defects = [
        archive_xml::decode(bytes).1,
        inventory::decode(bytes).1,
        region::decode_parcel(bytes).1,
        region::decode_settings(bytes).1,
    ];
    // Bytes that are not UTF-8 are replaced by a character of three bytes.
    let end = bytes.len() as u64 * 3;
    let offsets = defects.iter().flatten().filter_map(|defect| defect.place.offset);
    offsets.for_each(|offset| assert!(offset <= end, "{offset} of {end}"));
}

/// Lists a container and reads what is in it. The list is the same each time, and from a stream. Members and limits are
/// small, so that no change takes long.
pub fn container(bytes: &[u8]) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutant.zip");
    fs::write(&path, bytes).unwrap();
    let limits = Limits {
        archive_bytes: 1 << 24,
        temporary_bytes: 1 << 24,
        entries: 1000,
        containers: 10,
        nesting: 3,
        ..Limits::default()
    };
    let list = || source::walk_knowing(std::slice::from_ref(&path), &[], &limits, &|_, _| false).unwrap();
    let inputs = list();
    assert_eq!(inputs.len(), list().len());
    for input in &inputs {
        let (one, other) = (scanned(input, &limits, 1), scanned(input, &limits, 2));
        assert_eq!(format!("{one:?}"), format!("{other:?}"));
        evaluated(&one);
    }
    inputs.len()
}

/// Reads a dump with the rows of a table in a file of their own. The bytes up to the first zero describe the table, and the
/// others are its rows. The same bytes are also rows as `mysqldump --tab` writes them.
pub fn dump_folder(bytes: &[u8]) -> usize {
    let (described, rows) = match bytes.iter().position(|byte| *byte == 0) {
        Some(zero) => (&bytes[..zero], &bytes[zero + 1..]),
        None => (bytes, &[][..]),
    };
    let folder = tempfile::tempdir().unwrap();
    let (shell, tab) = (folder.path().join("shell"), folder.path().join("tab"));
    for (folder, name, bytes) in [
        (&shell, "@.json", &b"{}"[..]),
        (&shell, "@.done.json", b"{}"),
        (&shell, "opensim@prims.json", described),
        (&shell, "opensim@prims@@0.tsv", rows),
        (&tab, "prims.sql", described),
        (&tab, "prims.txt", rows),
    ] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(name), bytes).unwrap();
    }
    let limits = Limits::default();
    let inputs = source::walk_knowing(&[shell, tab], &[], &limits, &|_, _| false).unwrap();
    let found = |input| evaluated(&scanned(input, &limits, 1)).len();
    inputs.iter().map(found).sum()
}

/// Returns the texts around the first difference between two texts.
fn parting(one: &str, other: &str) -> String {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let from = same.saturating_sub(200);
    let near =
        |reported: &str| reported.as_bytes()[from..reported.len().min(from + 400)].escape_ascii().to_string();
    format!("the lane learns\n{}\nand the workers\n{}", near(one), near(other))
}

fn input(path: &Path, bytes: &[u8], what: What) -> Input {
    let bytes = bytes.len() as u64;
    Input {
        name: "mutant".into(),
        path: path.into(),
        what,
        bytes,
        stamp: None,
        modified: None,
        stream: None,
        access: Default::default(),
    }
}

/// Returns the ledger of an input. A caught panic fails.
fn scanned(input: &Input, limits: &Limits, threads: usize) -> Ledger {
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    read_inputs(std::slice::from_ref(input), &ReadOptions::new(limits, threads), &Unwatched, &keep).unwrap();
    let ledger: Ledger = ledgers.into_inner().unwrap().pop().unwrap();
    let panics: Vec<_> = ledger
        .defects
        .iter()
        .filter(|defect| matches!(defect.kind, DefectKind::Input(InputDefect::Panicked { .. })))
        .collect();
    assert!(panics.is_empty(), "a panic was caught: {panics:?}");
    ledger
}
