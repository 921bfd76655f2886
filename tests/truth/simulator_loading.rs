//! Measured results of OpenSimulator with objects and archives, compared with hullmark's findings.
//!
//! The measurements in `../shared/simulator` may not be published, so these tests are skipped if they are absent. The
//! README there describes how they were made. Documents that only mono refuses are left out.

use crate::support::{
    archive::{Archive, control},
    desk::Desk,
    read_csv, repository, scan_one,
};
use flate2::read::GzDecoder;
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding, Severity};
use hullmark_ledger::{Ledger, facts::Role};
use hullmark_rules as rules;
use hullmark_settings::{config::Config, profile::Profile};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// Documents in one archive: few enough that no finding is folded into another.
const DOCUMENTS: usize = 40;

fn measured(name: &str) -> Option<PathBuf> {
    let path = repository().join("../shared/simulator").join(name);
    if !path.is_file() {
        let _ = writeln!(io::stderr(), "skipped: there are no measurements at {}", path.display());
    }
    path.is_file().then_some(path)
}

/// Returns the ledger and all findings of a file, for the simulator that was measured.
fn findings(file: &Path) -> (Ledger, Vec<Finding>) {
    let profile = Profile::load("opensim-ubode").unwrap();
    let ledger = scan_one(file, &Config::default().limits);
    let findings =
        rules::evaluate(&Measured::new(&ledger, &profile), &rules::RuleContext::default()).findings.finish();
    (ledger, findings)
}

type CsvRow = BTreeMap<String, String>;

fn is_blocker(finding: &Finding) -> bool {
    finding.code.severity() == Severity::Blocker
}

/// Returns the loader's behaviour according to the findings on an object.
fn verdict(findings: &[&Finding]) -> &'static str {
    let has = |is: &dyn Fn(&Finding) -> bool| findings.iter().any(|finding| is(finding));
    match () {
        () if has(&|finding| finding.code == Code::OBJ016) => "hangs",
        () if has(&|finding| is_blocker(finding) && finding.code.name().starts_with("OBJ")) => "stops",
        () if has(&|finding| [Code::POS002, Code::POS003].contains(&finding.code)) => "skipped",
        () => "loads",
    }
}

/// Returns the files of a measured archive in a folder of it; the empty name is its top. They are sorted by name.
fn documents(archive: &Path, folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut documents: Vec<(String, Vec<u8>)> =
        tar::Archive::new(GzDecoder::new(File::open(archive).unwrap()))
            .entries()
            .unwrap()
            .map(Result::unwrap)
            .filter(|entry| entry.header().entry_type().is_file())
            .filter(|entry| {
                entry
                    .path()
                    .unwrap()
                    .parent()
                    .is_some_and(|parent| folder.is_empty() || parent.ends_with(folder))
            })
            .map(|mut entry| {
                let name = entry.path().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
                let mut content = Vec::new();
                entry.read_to_end(&mut content).unwrap();
                (name, content)
            })
            .collect();
    documents.sort();
    documents
}

/// Returns the verdict on each document in an archive. `path` is its member; `verdict` gets the findings there.
fn in_archives(
    documents: &[(String, Vec<u8>)],
    path: impl Fn(&str) -> String,
    verdict: impl Fn(&[&Finding]) -> &'static str,
) -> BTreeMap<String, &'static str> {
    let folder = tempfile::tempdir().unwrap();
    let mut said = BTreeMap::new();
    for documents in documents.chunks(DOCUMENTS) {
        let region = control("0c0c0c0c-0000-4000-8000-000000000001", "256,256");
        let archive = documents
            .iter()
            .fold(Archive::new(&region), |archive, (name, content)| archive.add(&path(name), content));
        let file = folder.path().join("documents.oar");
        fs::write(&file, archive.gzip()).unwrap();
        let (_, findings) = findings(&file);
        for (name, _) in documents {
            let entry = path(name);
            let of: Vec<&Finding> = findings.iter().filter(|finding| finding.place.entry == entry).collect();
            said.insert(name.clone(), verdict(&of));
        }
    }
    said
}

/// Returns the rows on which hullmark differs.
fn differing(rows: &[CsvRow], said: &BTreeMap<String, &'static str>) -> Vec<String> {
    let wrong = rows.iter().filter(|row| said.get(&row["file"]).is_none_or(|said| *said != row["verdict"]));
    wrong
        .map(|row| format!("{}: {}, hullmark says {:?}", row["file"], row["verdict"], said.get(&row["file"])))
        .collect()
}

/// Asserts that this part of the rows is right.
fn assert_right(rows: &[CsvRow], said: &BTreeMap<String, &'static str>, most: f64) {
    let wrong = differing(rows, said);
    let right = 1.0 - wrong.len() as f64 / rows.len() as f64;
    assert!(right >= most, "{right:.4} of {}: {wrong:#?}", rows.len());
}

#[test]
fn verdicts_on_further_objects_match_the_simulator() {
    let (Some(archive), Some(table)) =
        (measured("second/objects-3.tar.gz"), measured("second/objects-3.csv"))
    else {
        return;
    };
    // In this set, a prim that is given up after a minute hangs.
    let verdict = |findings: &[&Finding]| match verdict(findings) {
        "stops" if findings.iter().any(|finding| finding.detail.contains("gives up after 60 s")) => "hangs",
        verdict => verdict,
    };
    let said = in_archives(&documents(&archive, ""), |name| format!("objects/{name}"), verdict);
    let rows: Vec<_> = read_csv(&table).into_iter().filter(|row| row["only_mono"].is_empty()).collect();
    assert_right(&rows, &said, 0.999);
}

#[test]
fn verdicts_on_objects_in_inventories_match_the_simulator() {
    let (Some(archive), Some(table)) = (measured("second/nested.tar.gz"), measured("second/nested.csv"))
    else {
        return;
    };
    let documents = documents(&archive, "");
    let numbers: BTreeMap<&str, usize> =
        documents.iter().enumerate().map(|(number, (name, _))| (name.as_str(), number)).collect();
    let path = |name: &str| format!("assets/3e3e3e3e-0000-4000-8000-{:012}_object.xml", numbers[name]);
    let said = in_archives(&documents, path, |findings| match () {
        () if findings.iter().any(|finding| is_blocker(finding) && finding.code != Code::OBJ016) => "stops",
        () if findings.iter().any(|finding| finding.code == Code::OBJ016) => "hangs",
        () if findings.iter().any(|finding| finding.detail.contains("gives up after 60 s")) => "hangs",
        () if findings.iter().any(|finding| finding.code == Code::AST004) => "failed",
        () => "stored",
    });
    assert_right(&read_csv(&table), &said, 0.995);
}

#[test]
fn verdicts_on_objects_match_the_simulator() {
    let (Some(archive), Some(verdicts)) = (measured("objects.tar.gz"), measured("objects.csv")) else {
        return;
    };
    let documents = documents(&archive, "");
    let said = in_archives(&documents, |name| format!("objects/{name}"), verdict);
    let rows: Vec<_> = read_csv(&verdicts).into_iter().filter(|row| row["only_mono"].is_empty()).collect();
    let wrong = differing(&rows, &said);
    assert_eq!(rows.len(), 2621);
    assert_eq!(wrong, [] as [String; 0]);
}

/// Asserts that a verdict on each measured document of a folder is the simulator's, in at least `most` of them.
fn assert_verdicts(table: &str, folder: &str, most: f64, verdict: impl Fn(&[u8]) -> &'static str) {
    let names = [format!("second/{table}"), "second/texts.tar.gz".into()];
    let [Some(table), Some(archive)] = names.map(|name| measured(&name)) else { return };
    let said =
        documents(&archive, folder).into_iter().map(|(name, content)| (name, verdict(&content))).collect();
    let mut rows = read_csv(&table);
    // A blocker either way.
    rows.iter_mut()
        .filter(|row| row["verdict"] == "hangs")
        .for_each(|row| _ = row.insert("verdict".into(), "stops".into()));
    assert_right(&rows, &said, most);
}

/// Returns the codes of the findings of an archive with one document.
fn codes_of(path: &str, document: &[u8]) -> Vec<Code> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("one.oar");
    let region = control("0c0c0c0c-0000-4000-8000-000000000001", "256,256");
    fs::write(&file, Archive::new(&region).add(path, document).gzip()).unwrap();
    findings(&file).1.iter().map(|finding| finding.code).collect()
}

#[test]
fn verdicts_on_control_files_match_the_simulator() {
    assert_verdicts("control.csv", "control", 1.0, |document| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.oar");
        fs::write(&file, Archive::default().add("archive.xml", document).gzip()).unwrap();
        if findings(&file).1.iter().any(is_blocker) { "stops" } else { "loads" }
    });
}

#[test]
fn verdicts_on_parcels_match_the_simulator() {
    assert_verdicts("land.csv", "land", 0.995, |document| {
        let codes = codes_of("landdata/11111111-0000-4000-8000-000000000001.xml", document);
        match () {
            () if codes.contains(&Code::REG006) => "stops",
            () => "loads",
        }
    });
}

#[test]
fn verdicts_on_region_settings_match_the_simulator() {
    assert_verdicts("settings.csv", "settings", 0.99, |document| {
        let codes = codes_of("settings/Region.xml", document);
        let ignored = codes.iter().any(|code| [Code::REG005, Code::REG007].contains(code));
        if ignored { "ignored" } else { "loads" }
    });
}

/// Incomplete archives from which all objects load, because the damage is after them.
const STOPS_WITHOUT_A_WORD: [&str; 1] = ["tests/incomplete/cut-gzip.oar"];

/// Returns the current path of a sample. The table has the path from the day of the measurement.
fn sample(measured: &str) -> PathBuf {
    let moved: BTreeMap<String, PathBuf> = toml::from_str(include_str!("sample_paths.toml")).unwrap();
    let measured = Path::new(measured);
    let found = measured.ancestors().find_map(|folder| Some((folder, moved.get(folder.to_str()?)?)));
    let (folder, today) = found.unwrap_or_else(|| panic!("sample_paths.toml lacks {}", measured.display()));
    let below = measured.strip_prefix(folder).unwrap();
    let today = repository().join(today);
    // `join` with an empty path would end a file's path with a slash.
    if below.as_os_str().is_empty() { today } else { today.join(below) }
}

/// Objects that were in the region before the load.
const BEFORE: usize = 32;

#[test]
fn verdicts_on_archives_match_the_simulator() {
    let Some(table) = measured("archives.csv") else { return };
    let mut wrong = Vec::new();
    for row in read_csv(&table) {
        let name = row["archive"].as_str();
        let sample = sample(name);
        let (ledger, findings) = findings(&sample);
        let has = |codes: &[Code]| findings.iter().any(|finding| codes.contains(&finding.code));
        let after: usize = row["objects_after"].parse().unwrap();
        let blocked = findings.iter().any(is_blocker);
        let stands = ledger.objects.iter().filter(|object| object.role == Role::Rezzed).count();
        let lost = findings.iter().filter(|f| [Code::POS002, Code::POS003].contains(&f.code)).count();
        let right = match row["message"].as_str() {
            // A load that ended with an exception, or that stopped in the middle without one.
            message if message.contains("Exception") || message.contains("did not report") => blocked,
            message if message.contains("Failed to load") => has(&[Code::ARC010]),
            // Archives of several regions whose places do not exist.
            _ if after == BEFORE => has(&[Code::ARC013, Code::ARC016]),
            _ if blocked => after < stands || STOPS_WITHOUT_A_WORD.contains(&name),
            _ => after == stands - lost,
        };
        if !right {
            let codes: Vec<&str> = findings.iter().map(|finding| finding.code.name()).collect();
            wrong.push(format!("{name}: {after} objects, {:?}; hullmark says {codes:?}", row["message"]));
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
}

#[test]
fn damaged_objects_load_when_they_are_repaired() {
    let sets = [("objects.tar.gz", "objects"), ("second/objects-4.tar.gz", ""), ("second/nested.tar.gz", "")];
    let desk = Desk::with(&[]);
    for (set, folder) in sets {
        let Some(archive) = measured(set) else { return };
        let documents = documents(&archive, folder);
        let is_nested = set.contains("nested");
        let path = |name: &str| match is_nested {
            true => format!(
                "assets/{}_object.xml",
                uuid::Uuid::from_u128(xxhash_rust::xxh3::xxh3_128(name.as_bytes()))
            ),
            false => format!("objects/{name}"),
        };
        let region = control("0c0c0c0c-0000-4000-8000-000000000001", "256,256");
        let all = documents
            .iter()
            .fold(Archive::new(&region), |all, (name, content)| all.add(&path(name), content));
        fs::write(desk.at("damaged.oar"), all.gzip()).unwrap();
        let run =
            desk.run_to(0, "repair damaged.oar --out mended.oar --overwrite --json --target opensim-ubode");
        let view: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(view["blockers_after"].as_object().unwrap().is_empty(), "{set}: {}", view["blockers_after"]);
        // Of damaged objects, nearly all are kept.
        let left_out = view["left_out"].as_u64().unwrap() as f64;
        let sound = view["unchanged"].as_u64().unwrap() as f64 - 1.0;
        let damaged = documents.len() as f64 - sound;
        assert!(damaged > 500.0 && left_out < 0.02 * damaged, "{set}: {left_out} of {damaged}");
        // Those that load already stay as they are.
        if set == "objects.tar.gz" {
            let rows = read_csv(&measured("objects.csv").unwrap());
            let is_read = |row: &&CsvRow| ["loads", "skipped"].contains(&&*row["verdict"]);
            let read = rows.iter().filter(is_read).count() as f64;
            assert!((sound - read).abs() < 0.01 * read, "{sound} of {read}");
        }
        let again = desk.run_to(0, "repair mended.oar --out again.oar --overwrite");
        assert!(again.stdout.contains("; 0 changes."), "{set}: {}", again.stdout);
    }
}
