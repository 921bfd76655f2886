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
use hullmark_util::frames;
use serde_json::{Map, Value, json};
use std::{fs, path::Path, sync::LazyLock};
use xxhash_rust::xxh3::xxh3_128;

static PROFILES: LazyLock<Vec<Profile>> =
    LazyLock::new(|| BUILT_IN.iter().map(|(name, _)| Profile::load(name).unwrap()).collect());

/// Reads bytes as a ledger file, also with a correct checksum, and as facts. Each is refused, or read and evaluated.
/// Returns whether one was read.
pub fn ledger(bytes: &[u8]) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.ledger");
    let mut is_read = false;
    for file in [Some(bytes.to_vec()), sealed(bytes), Some(forged(bytes))].into_iter().flatten() {
        fs::write(&path, &file).unwrap();
        if let Ok(ledger) = Ledger::read(&path) {
            assert_eq!(ledger::verify(&path).unwrap(), ledger::read_header(&path).unwrap());
            same_when_remembered(&ledger, folder.path());
            evaluated(&ledger);
            is_read = true;
        }
    }
    is_read
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

/// Returns a ledger file with the checksum of its data. `None` if it has no header.
fn sealed(file: &[u8]) -> Option<Vec<u8>> {
    let end = file.iter().position(|&byte| byte == b'\n')? + 1;
    let (line, body) = file.split_at(end);
    let header: LedgerHeader = serde_json::from_slice(line).ok()?;
    Some(with_checksum(header, body))
}

fn with_checksum(header: LedgerHeader, body: &[u8]) -> Vec<u8> {
    let header = LedgerHeader { checksum: format!("{:032x}", xxh3_128(body)), ..header };
    [&header.line().unwrap(), body].concat()
}

/// Returns a ledger file of these facts, each list in a part of its own.
fn forged(facts: &[u8]) -> Vec<u8> {
    let part = |json: &[u8]| {
        let frame = frames::pack(json);
        [&(frame.len() as u32).to_le_bytes()[..], &frame].concat()
    };
    let Ok(Value::Object(facts)) = serde_json::from_slice(facts) else {
        return with_checksum(empty().header(), &part(facts));
    };
    let (lists, mut head): (Map<_, _>, Map<_, _>) =
        facts.into_iter().partition(|(_, facts)| facts.is_array());
    head.insert("parts".into(), lists.len().into());
    let lists = lists.into_iter().map(|(name, list)| json!({ name: list }));
    let parts = [json!({ "head": head })].into_iter().chain(lists);
    let parts: Vec<Vec<u8>> = parts.map(|facts| part(facts.to_string().as_bytes())).collect();
    with_checksum(empty().header(), &parts.concat())
}

/// Returns an empty ledger.
pub(super) fn empty() -> Ledger {
    Ledger { kind: hullmark_ledger::InputKind::Folder, status: Status::Complete, ..Ledger::absent("mutant") }
}
