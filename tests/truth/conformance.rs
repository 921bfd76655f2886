//! The files of `conformance` equal the generator's output, and hullmark reports the findings in `cases.toml`.

use crate::{
    support::{audit_for, conformance, repository},
    truth::golden::undiscounted,
    truth::samples::{Row, codes, mistakes_of_row},
};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};
use walkdir::WalkDir;

/// Readers in `cases.toml`, with their names in `right`.
const READERS: [&str; 4] = ["viewer", "ubode", "bulletsim", "hullmark"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// A file, its results in each reader, and the readers that are right.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    file: String,
    edge: String,
    specification: String,
    viewer: String,
    ubode: String,
    bulletsim: String,
    hullmark: String,
    right: Vec<String>,
    source: String,
    /// Every code that hullmark finds, with its count.
    findings: BTreeMap<String, usize>,
    #[serde(default)]
    row: Vec<Row>,
}

fn folder() -> PathBuf {
    repository().join("conformance")
}

fn cases() -> Vec<Case> {
    let text = fs::read_to_string(folder().join("cases.toml")).unwrap();
    toml::from_str::<Cases>(&text).unwrap().case
}

/// Writes the files: `cargo test -- --ignored write_the_conformance_files`.
#[test]
#[ignore = "writes into conformance; run it after a change of the generator"]
fn write_the_conformance_files() {
    for entry in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            fs::remove_dir_all(entry).unwrap();
        }
    }
    for (name, bytes) in conformance::all() {
        let path = folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn the_conformance_files_equal_the_generated_ones() {
    let mut names = BTreeSet::from(["README.md".to_owned(), "cases.toml".to_owned()]);
    for (name, bytes) in conformance::all() {
        let kept = fs::read(folder().join(&name)).unwrap_or_default();
        assert!(kept == bytes, "{name} differs: run cargo test -- --ignored write_the_conformance_files");
        names.insert(name);
    }
    let there = WalkDir::new(folder()).into_iter().flatten().filter(|entry| entry.file_type().is_file());
    let there = there.map(|entry| entry.path().strip_prefix(folder()).unwrap().to_str().unwrap().to_owned());
    assert_eq!(there.collect::<BTreeSet<_>>(), names, "nothing else lies there");
}

#[test]
fn each_case_is_reported_in_full() {
    let cases = cases();
    let files: BTreeSet<_> = conformance::all().into_iter().map(|(name, _)| name).collect();
    assert_eq!(cases.iter().map(|case| case.file.clone()).collect::<BTreeSet<_>>(), files);
    for case in &cases {
        let Case { file, edge, specification, viewer, ubode, bulletsim, hullmark, right, source, .. } = case;
        for words in [edge, specification, viewer, ubode, bulletsim, hullmark, source] {
            assert!(words.ends_with('.'), "{file}: {words:?} is no sentence");
        }
        assert!(right.iter().all(|reader| READERS.contains(&reader.as_str())), "{file}: {right:?}");
        let unknown = |reader: &str| match reader {
            "viewer" => viewer == "Not known.",
            "ubode" => ubode == "Not known.",
            "bulletsim" => bulletsim == "Not known.",
            _ => false,
        };
        assert!(!right.iter().any(|reader| unknown(reader)), "{file}: nobody knows whether that is right");
        let is_silent = specification.starts_with("Silent");
        assert_eq!(right.is_empty(), is_silent, "{file}: who is right follows from the specification alone");
    }
}

#[test]
fn hullmark_finds_the_expected_codes_of_each_case() {
    let mut mistakes = Vec::new();
    for case in cases() {
        let out = tempfile::tempdir().unwrap();
        let path = folder().join(&case.file);
        // The cases state the formula of viewers, which have no discount.
        audit_for(&undiscounted(), std::slice::from_ref(&path), out.path(), 1);
        let found = codes(out.path(), &path);
        if found != case.findings {
            mistakes.push(format!("{}: found {found:?}, promised {:?}", case.file, case.findings));
        }
        mistakes.extend(case.row.iter().flat_map(|row| mistakes_of_row(out.path(), &path, row)));
    }
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));
}
