//! Outcomes of rules: folded and counted findings, stable fingerprints, and checks that are not evaluated.

use crate::support::{
    archive::{Archive, control, settings},
    audit,
    backups::archive_of_regions,
    llsd::Llsd,
    mesh::{MeshFile, cube_corners, submesh},
    object::{OWNER, Prim, uuid, xml2},
    read_csv, repository, scan_one,
};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_format::defect::{Defect, InputDefect};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_rules::{self as rules, catalogue};
use hullmark_settings::{limits::Limits, profile::Profile};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

type Row = BTreeMap<String, String>;

const REGION: &str = "6c1cb6ba-9f08-4c8c-a3a9-7f1d9b6a0a01";

/// Audits paths and reads two tables: findings and checks.
fn evaluated(paths: &[PathBuf]) -> (Vec<Row>, Vec<Row>) {
    let out = tempfile::tempdir().unwrap();
    audit(paths, out.path(), 2);
    ["findings.csv", "checks.csv"].map(|table| read_csv(&out.path().join(table))).into()
}

/// Writes a file into a folder.
fn file(folder: &TempDir, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Returns a linkset of two prims that are 60 m apart. `x` is the position of its root in metres.
fn too_wide(number: u32, x: f64) -> String {
    let root = Prim { position: [x, 100.0, 25.0], ..Prim::new("Mast", number) };
    let child = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Tip", number + 1) };
    xml2(&[root, child])
}

/// Returns the file name that OpenSim gives such a linkset.
fn name(number: u32, x: f64) -> String {
    format!("objects/Mast_{x:03}-100-025__{}.xml", uuid(0x0b0b_0b0b, number))
}

fn region(objects: &[(u32, f64)]) -> Archive {
    let archive = Archive::new(&control(REGION, "256,256")).add("settings/Here.xml", settings("1"));
    objects.iter().fold(archive, |archive, &(number, x)| archive.add(&name(number, x), too_wide(number, x)))
}

fn column<'a>(rows: &'a [Row], code: &str, column: &str) -> Vec<&'a str> {
    rows.iter().filter(|row| row["code"] == code).map(|row| row[column].as_str()).collect()
}

/// Returns a mesh whose physics mesh has 40 faces with an index out of range.
fn mesh_with_40_bad_faces() -> Vec<u8> {
    let face = submesh(&cube_corners(), &[[0, 1, 2], [0, 1, 200]]);
    MeshFile::cube().block("physics_mesh", &Llsd::Array(vec![face; 40])).encode()
}

#[test]
fn a_mesh_with_many_bad_faces_has_one_finding_that_counts_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(&folder, &format!("{}.llmesh", uuid(0x3e3e_3e3e, 1)), mesh_with_40_bad_faces());
    let (findings, checks) = evaluated(&[path]);
    assert_eq!(column(&findings, "MSH006", "count"), ["40"]);
    assert_eq!(column(&findings, "MSH006", "index"), ["0"], "the row is of the first");
    let others: Vec<String> = (1..40).map(|face| format!("number {face}")).collect();
    assert_eq!(column(&findings, "MSH006", "also_at"), [others.join(", ")]);
    assert_eq!(column(&checks, "MSH006", "failed"), ["1"], "one mesh failed");
}

/// Rows may be folded and lists cut, but the counts include all findings.
#[test]
fn counts_include_all_findings_regardless_of_folding() {
    let folder = tempfile::tempdir().unwrap();
    let bad = file(&folder, &format!("{}.llmesh", uuid(0x3e3e_3e3e, 1)), mesh_with_40_bad_faces());
    let out = tempfile::tempdir().unwrap();
    let summary = audit(&[repository().join("sample_data"), bad], out.path(), 2);
    let summary = serde_json::to_value(&summary).unwrap();
    let findings = read_csv(&out.path().join("findings.csv"));
    let archives = read_csv(&out.path().join("archives.csv"));
    let number = |text: &str| text.parse::<u64>().unwrap();
    let mut every = 0;
    for (severity, counted) in
        [("blocker", "blockers"), ("error", "errors"), ("warning", "warnings"), ("info", "info")]
    {
        let rows = findings.iter().filter(|row| row["severity"] == severity);
        let all: u64 = rows.map(|row| number(&row["count"])).sum();
        assert_eq!(all, archives.iter().map(|row| number(&row[counted])).sum::<u64>(), "{severity}");
        assert_eq!(summary["findings"][severity], all, "{severity}");
        let by_code = summary["findings_by_code"].as_object().unwrap().values();
        assert_eq!(
            by_code.map(|counts| counts[severity].as_u64().unwrap()).sum::<u64>(),
            all,
            "{severity} by rule"
        );
        every += all;
    }
    assert!(every >= findings.len() as u64 + 39, "{every}");
}

/// A cap on the findings of decoding reduces the rows, but not the number of errors.
#[test]
fn a_cap_loses_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let parts = "<SceneObjectPart/>".repeat(30);
    let path = file(&folder, "parts.xml", format!("<scene>{parts}</scene>"));
    let all = |most| {
        let limits = Limits { findings_per_code: most, ..Limits::default() };
        let defects = scan_one(&path, &limits).defects;
        let counts = defects.iter().fold(HashMap::new(), |mut counts: HashMap<_, u64>, defect| {
            *counts.entry(defect.kind.sort()).or_default() += defect.count;
            counts
        });
        (counts, defects.len())
    };
    let (whole, rows) = all(10_000);
    let (capped, capped_rows) = all(4);
    assert_eq!(whole, capped);
    assert!(rows > 60 && capped_rows <= 4 * whole.len(), "{rows} {capped_rows}");
}

#[test]
fn a_finding_is_recognised_in_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let night = |file_name: &str, objects: &[(u32, f64)]| {
        let (findings, _) = evaluated(&[file(&folder, file_name, region(objects).gzip())]);
        let rows = findings.iter().filter(|row| row["code"] == "LNK001");
        rows.map(|row| (row["object_uuid"].clone(), row["fingerprint"].clone())).collect::<BTreeMap<_, _>>()
    };
    let first = night("here-2026-11-20.oar", &[(1, 30.0), (3, 40.0)]);
    // Another date in the name, other places, another order, and one object more.
    let second = night("here-2026-11-21.oar", &[(5, 10.0), (3, 41.0), (1, 90.0)]);
    assert_eq!(first.len(), 2);
    assert_eq!(first.values().collect::<BTreeSet<_>>().len(), 2);
    for (object, fingerprint) in &first {
        assert_eq!(second.get(object), Some(fingerprint));
    }
}

/// Findings of an archive and its assets stay the same when another region is added before the others.
#[test]
fn another_region_changes_no_finding_of_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let fingerprints = |regions: &[(&str, u32)]| {
        let archive =
            archive_of_regions(regions).add("assets/00000000-0000-4000-8000-000000000001_texture.jp2", "");
        let findings = evaluated(&[file(&folder, "grid.oar", archive.tar())]).0.into_iter();
        let of_archive = findings.filter(|row| ["ARC015", "AST004"].contains(&&*row["code"]));
        of_archive.map(|row| (row["code"].clone(), row["fingerprint"].clone())).collect::<BTreeMap<_, _>>()
    };
    let two = fingerprints(&[("Hill", 1), ("Zoo", 1)]);
    assert_eq!(two.len(), 2);
    assert_eq!(fingerprints(&[("Attic", 1), ("Hill", 1), ("Zoo", 1)]), two);
}

/// Two objects with the same UUID are two rows. Each has its owner, and a waiver that names the file of one object
/// covers only that one.
#[test]
fn objects_of_one_uuid_are_reported_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let other = too_wide(1, 90.0).replace(OWNER, &uuid(0x0a0a_0a0a, 7));
    let archive = region(&[(1, 30.0)]).add("objects/copy.xml", other);
    let (findings, _) = evaluated(&[file(&folder, "a.oar", archive.gzip())]);
    let owners = column(&findings, "LNK001", "owner_uuid");
    assert_eq!((owners.len(), owners.iter().collect::<BTreeSet<_>>().len()), (2, 2), "{owners:?}");
    let fingerprints = column(&findings, "LNK001", "fingerprint");
    assert_eq!(fingerprints[0], fingerprints[1]);
}

#[test]
fn fingerprints_of_a_report_are_all_different() {
    let (findings, _) = evaluated(&[repository().join("sample_data")]);
    let mut seen: BTreeMap<(&str, &str), &Row> = BTreeMap::new();
    for row in &findings {
        // A comparison with another run treats two objects with the same UUID as one.
        if let Some(before) = seen.insert((&row["archive"], &row["fingerprint"]), row) {
            assert_ne!(before["entry"], row["entry"], "{row:?}");
        }
    }
}

#[test]
fn every_check_passed_failed_or_was_not_evaluated() {
    let samples = [repository().join("sample_data"), repository().join("tests/incomplete")];
    let (findings, checks) = evaluated(&samples);
    let number = |row: &Row, column: &str| row[column].parse::<u64>().unwrap();
    let mut failed: BTreeSet<(&str, &str)> = BTreeSet::new();
    for row in &checks {
        let sum = ["passed", "failed", "not_evaluated"].map(|column| number(row, column)).iter().sum::<u64>();
        assert_eq!(sum, number(row, "checked"), "{row:?}");
        assert_eq!(number(row, "not_evaluated") == 0, row["reason"].is_empty(), "{row:?}");
        if number(row, "failed") > 0 {
            failed.insert((&row["archive"], &row["code"]));
        }
    }
    // RUN003 summarises checks that were not evaluated, and is no check itself.
    let reported = findings.iter().filter(|row| row["code"] != "RUN003");
    let reported: BTreeSet<(&str, &str)> =
        reported.map(|row| (row["archive"].as_str(), row["code"].as_str())).collect();
    assert_eq!(failed, reported);
}

#[test]
fn an_object_that_cannot_be_read_has_not_passed() {
    let folder = tempfile::tempdir().unwrap();
    let broken = region(&[(1, 30.0)]).add(&name(3, 40.0), "<SceneObjectGroup><RootPart>");
    let (findings, checks) = evaluated(&[file(&folder, "here.oar", broken.gzip())]);
    let row = checks.iter().find(|row| row["code"] == "LNK001").unwrap();
    let cells = ["checked", "passed", "failed", "not_evaluated", "reason"].map(|column| row[column].as_str());
    assert_eq!(cells, ["2", "0", "1", "1", "the archive, object or asset is damaged (1)"]);
    let row = checks.iter().find(|row| row["code"] == "OBJ001").unwrap();
    assert_eq!((row["failed"].as_str(), row["not_evaluated"].as_str()), ("1", "0"));
    let reported = column(&findings, "RUN003", "message");
    assert!(
        reported[0].contains("because the archive, object or asset is damaged")
            && reported[0].contains("LNK001 (1)"),
        "{reported:?}"
    );
}

#[test]
fn an_archive_that_is_cut_leaves_rules_unevaluated() {
    let (findings, checks) = evaluated(&[Path::new("tests/incomplete/cut-gzip.oar").to_owned()]);
    let row = checks.iter().find(|row| row["code"] == "XAR002").unwrap();
    assert_ne!(row["not_evaluated"], "0");
    assert_eq!(row["reason"].split(" (").next(), Some("the input was not read to its end"));
    assert_eq!(column(&findings, "RUN003", "severity"), ["info"]);
}

#[test]
fn a_script_in_another_language_is_not_evaluated() {
    let (_, checks) = evaluated(&[repository().join("sample_data/contents/scripts-in-c-sharp.oar")]);
    for code in ["SCR003", "SCR004"] {
        assert_eq!(column(&checks, code, "not_evaluated"), ["1"], "{code}");
        assert_eq!(
            column(&checks, code, "reason"),
            ["the script is in a language that hullmark does not read (1)"]
        );
    }
}

#[test]
fn an_object_that_stops_a_load_costs_only_the_asset_in_an_inventory() {
    let folder = tempfile::tempdir().unwrap();
    let comma = xml2(&[Prim::new("Comma", 1)]).replace("<Scale><X>0.5", "<Scale><X>0,5");
    let twins = xml2(&[Prim::new("Twins", 2), Prim::new("Twin", 2)]);
    let nested = |number| format!("assets/{}_object.xml", uuid(0x3e3e_3e3e, number));
    let archive = region(&[]).add(&nested(1), format!("\u{feff}{comma}")).add(&nested(2), twins);
    let (findings, _) = evaluated(&[file(&folder, "boxes.oar", archive.gzip())]);
    let mut reported = column(&findings, "AST004", "entry");
    reported.sort_unstable();
    assert_eq!(reported, [nested(1), nested(2)]);
    assert!(findings.iter().all(|row| row["severity"] != "blocker"), "{findings:?}");
}

#[test]
fn content_that_nobody_reads_cannot_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let asset = |number, kind: &str| format!("assets/{}_{kind}", uuid(0x3e3e_3e3e, number));
    let kinds = ["callingcard.txt", "simstate.bin", "sound.ogg"];
    let archive =
        (1..).zip(kinds).fold(region(&[]), |archive, (number, kind)| archive.add(&asset(number, kind), "\0"));
    let (findings, _) = evaluated(&[file(&folder, "cards.oar", archive.gzip())]);
    assert_eq!(column(&findings, "AST004", "entry"), [asset(3, "sound.ogg")]);
}

/// A server may change tables while they are read, and a fault of the program has no file.
#[test]
fn defects_that_no_file_causes_are_findings() {
    let defects = [
        InputDefect::OutsideSnapshot { tables: "prims, primshapes".into() },
        InputDefect::Panicked { words: "index out of bounds".into() },
    ];
    let ledger = Ledger {
        defects: defects.map(|defect| Defect::new(defect).entry("OpenSim")).into(),
        ..Ledger::empty("opensim", hullmark_ledger::InputKind::Unknown, Status::Incomplete)
    };
    let profile = Profile::default();
    let outcomes = rules::evaluate(&Measured::new(&ledger, &profile), &rules::RuleContext::default());
    let found: Vec<_> = outcomes.findings.finish().into_iter().collect();
    let said = |code| found.iter().find(|finding| finding.code == code).map(catalogue::message);
    assert_eq!(
        said(Code::DBS010).as_deref(),
        Some("Tables are not in the snapshot of the database: prims, primshapes")
    );
    assert_eq!(
        said(Code::RUN005).as_deref(),
        Some("hullmark failed with an internal error: index out of bounds")
    );
}
