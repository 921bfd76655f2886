use flate2::{Compression, write::GzEncoder};
use hullmark_analysis::Measured;
use hullmark_finding::Finding;
use hullmark_ledger::{self as ledger, Ledger, LedgerHeader, facts::Status};
use hullmark_pages::{self as pages, Ledgers, ReportContext, Reports};
use hullmark_report::Manifest;
use hullmark_rules as rules;
use hullmark_settings::{
    config::Config,
    profile::{BUILT_IN, Profile},
};
use std::{fs, io::Write, path::Path, sync::LazyLock};
use xxhash_rust::xxh3::xxh3_128;

static PROFILES: LazyLock<Vec<Profile>> =
    LazyLock::new(|| BUILT_IN.iter().map(|(name, _)| Profile::load(name).unwrap()).collect());

/// Reads bytes as a ledger file, and as facts behind a correct checksum. Both are refused, or read and evaluated.
pub fn ledger(bytes: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.ledger");
    for file in [bytes.to_vec(), forged(bytes)] {
        fs::write(&path, &file).unwrap();
        if let Ok(ledger) = Ledger::read(&path) {
            assert_eq!(ledger::verify(&path).unwrap(), ledger::read_header(&path).unwrap());
            same_when_remembered(&ledger, folder.path());
            evaluated(&ledger);
        }
    }
}

/// Asserts that a ledger is the same after writing and reading.
pub(super) fn same_when_remembered(ledger: &Ledger, folder: &Path) {
    let path = ledger.write(folder).unwrap();
    // The checksum is that of the file, and no fact.
    let checksum = ledger.checksum.clone();
    assert_same(ledger, &Ledger { checksum, ..Ledger::read(&path).unwrap() });
    fs::remove_file(path).unwrap();
}

/// Asserts that a ledger returns from the bytes of its file as it was. Returns it.
pub fn returns(ledger: &Ledger) -> Ledger {
    let (_, file) = ledger.to_file().unwrap();
    let read = Ledger::from_file(file).unwrap();
    assert_same(ledger, &read);
    read
}

/// The text of a number tells NaN, infinities and −0 apart, and equality of vectors does not.
fn assert_same(ledger: &Ledger, read: &Ledger) {
    assert!(
        format!("{ledger:?}") == format!("{read:?}"),
        "the file of {} does not keep a fact",
        ledger.input
    );
}

/// Evaluates a ledger for every built-in profile. Returns the findings for the first one.
pub(super) fn evaluated(ledger: &Ledger) -> Vec<Finding> {
    for profile in &PROFILES[1..] {
        evaluated_by(ledger, profile);
    }
    evaluated_once(ledger)
}

/// Returns the findings in a ledger for the first profile.
pub(super) fn evaluated_once(ledger: &Ledger) -> Vec<Finding> {
    evaluated_by(ledger, &PROFILES[0])
}

/// Returns the findings in a ledger for this profile.
pub(super) fn evaluated_by(ledger: &Ledger, profile: &Profile) -> Vec<Finding> {
    rules::evaluate(&Measured::new(ledger, profile), &rules::RuleContext::default()).findings.finish()
}

/// Asserts that a run can write all reports of a ledger.
pub(super) fn report(ledger: &Ledger) {
    let folder = tempfile::tempdir().unwrap();
    write_report(ledger, folder.path(), r#""csv", "jsonl", "html", "sarif", "junit""#);
}

/// Writes the report of a ledger into `report`, in these formats.
pub(super) fn write_report(ledger: &Ledger, folder: &Path, formats: &str) {
    let config = Config::from_text("formats", &format!("[report]\nformats = [{formats}]")).unwrap();
    let path = ledger.write(folder).unwrap();
    let reports = Reports::open(folder.join("report"), ReportContext::new(config.report.clone())).unwrap();
    let manifest = Manifest::new(&config, &PROFILES[0], None);
    let ledgers = Ledgers { files: vec![path], ..Ledgers::default() };
    pages::write(ledgers, &PROFILES[0], manifest, config.report.top, reports).unwrap();
}

/// Returns a ledger of these facts, with a correct label.
fn forged(facts: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(facts).unwrap();
    let body = encoder.finish().unwrap();
    let label = LedgerHeader { checksum: format!("{:032x}", xxh3_128(&body)), ..empty().header() };
    [label.line().unwrap(), body].concat()
}

/// Returns an empty ledger.
pub(super) fn empty() -> Ledger {
    Ledger { kind: hullmark_ledger::InputKind::Folder, status: Status::Complete, ..Ledger::absent("mutant") }
}
