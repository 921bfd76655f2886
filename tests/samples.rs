//! `sample_data` is what the generator makes, and gives what `expected.toml` says.

use crate::support::{audit, repository, samples};
use serde::Deserialize;
use std::{collections::BTreeMap, fs, path::Path};
use toml::Value;

/// What a sample must give.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    sample: Vec<Sample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    /// Path below `sample_data`.
    file: String,
    /// What it shows, for people.
    #[serde(rename = "shows")]
    _shows: String,
    /// Every code that is found, with its number. Codes of severity info are listed like others.
    findings: BTreeMap<String, usize>,
    /// Rows that must be there: the table, what tells the row, and cells of it.
    #[serde(default)]
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    table: String,
    #[serde(default)]
    r#where: BTreeMap<String, Value>,
    is: BTreeMap<String, Value>,
}

type Record = BTreeMap<String, String>;

/// Writes the samples: `cargo test -- --ignored write_the_samples`.
#[test]
#[ignore = "writes into sample_data; run it after a change of the generator"]
fn write_the_samples() {
    let root = repository().join("sample_data");
    for folder in ["regions", "meshes", "objects"] {
        let _ = fs::remove_dir_all(root.join(folder));
    }
    for (name, bytes) in samples::all() {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn the_samples_are_what_the_generator_makes() {
    for (name, bytes) in samples::all() {
        let kept = fs::read(repository().join("sample_data").join(&name)).unwrap_or_default();
        assert!(kept == bytes, "{name} differs: run cargo test -- --ignored write_the_samples");
    }
}

#[test]
fn every_sample_gives_what_is_expected() {
    let text = fs::read_to_string(repository().join("sample_data/expected.toml")).unwrap();
    let expected: Expected = toml::from_str(&text).unwrap();
    let out = tempfile::tempdir().unwrap();
    let root = repository().join("sample_data");
    audit(std::slice::from_ref(&root), out.path(), 2);

    let mut mistakes = Vec::new();
    for sample in &expected.sample {
        let path = root.join(&sample.file);
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        for finding in rows_of(out.path(), "findings", &path) {
            *found.entry(finding["code"].clone()).or_default() += 1;
        }
        if found != sample.findings {
            mistakes.push(format!("{}: found {found:?}, expected {:?}", sample.file, sample.findings));
        }
        for row in &sample.row {
            let rows = rows_of(out.path(), &row.table, &path);
            let matching: Vec<_> = rows.iter().filter(|record| agrees(record, &row.r#where)).collect();
            match matching.as_slice() {
                [] => {
                    mistakes.push(format!("{}: no row of {} with {:?}", sample.file, row.table, row.r#where));
                }
                several => mistakes.extend(
                    several.iter().flat_map(|record| differences(record, &row.is)).map(|difference| {
                        format!("{}: {} {:?}: {difference}", sample.file, row.table, row.r#where)
                    }),
                ),
            }
        }
    }
    assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));

    // A sample that nobody expects anything of shows nothing.
    for (name, _) in samples::all() {
        let named = expected.sample.iter().any(|sample| name.starts_with(&sample.file));
        assert!(named, "{name} does not stand in expected.toml");
    }
}

/// Rows of a table that come from one sample: an input of its own, or an entry of a folder.
fn rows_of(out: &Path, table: &str, sample: &Path) -> Vec<Record> {
    let input = sample.to_string_lossy();
    let folder = sample.parent().unwrap().to_string_lossy();
    let file = sample.file_name().unwrap().to_string_lossy();
    crate::support::read_csv(&out.join(format!("{table}.csv")))
        .into_iter()
        .filter(|record| {
            let entry = record.get("entry").map_or("", String::as_str);
            let entry = entry.split('#').next().unwrap_or(entry);
            record["archive"] == input || record["archive"] == folder && entry == file
        })
        .collect()
}

fn agrees(record: &Record, cells: &BTreeMap<String, Value>) -> bool {
    differences(record, cells).is_empty()
}

/// Where a row differs from what is expected; numbers within 1e-6.
fn differences(record: &Record, cells: &BTreeMap<String, Value>) -> Vec<String> {
    let differs = |(name, expected): (&String, &Value)| {
        let Some(cell) = record.get(name) else { return Some(format!("there is no column {name}")) };
        let same = match expected {
            Value::String(text) => cell == text,
            Value::Boolean(value) => *cell == value.to_string(),
            Value::Integer(value) => cell.parse::<i64>() == Ok(*value),
            Value::Float(value) => cell.parse::<f64>().is_ok_and(|cell| (cell - value).abs() <= 1e-6),
            _ => false,
        };
        (!same).then(|| format!("{name} is {cell:?}, expected {expected}"))
    };
    cells.iter().filter_map(differs).collect()
}
