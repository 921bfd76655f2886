//! Written files conform to the schemas in `docs/schema`.
//!
//! The validator is Python's `jsonschema`, an independent implementation. A crate for it would take longer to build
//! than all other test dependencies. If it is not installed, these tests say so and are skipped.

use crate::support::{desk::Desk, repository};
use hullmark_report::tables::heads;
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

/// Returns `true` if the validator is installed.
fn there_is_a_validator() -> bool {
    let found = Command::new("python3").args(["-c", "import jsonschema"]).output();
    let there = found.is_ok_and(|output| output.status.success());
    if !there {
        // Not `eprintln!`, which the test harness would swallow.
        let _ = writeln!(io::stderr(), "skipped: no schema is validated; pip install jsonschema");
    }
    there
}

fn schema(name: &str) -> PathBuf {
    repository().join(format!("docs/schema/{name}.json"))
}

/// Returns the validator's output for pairs of a schema and a file. The output is empty if all files are valid.
fn faults(files: &[(PathBuf, PathBuf)]) -> String {
    let mut command = Command::new("python3");
    command.arg(repository().join("tests/scripts/schemas.py"));
    command.args(files.iter().flat_map(|(schema, file)| [schema, file]));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    if output.status.success() { String::new() } else { said.into_owned() }
}

/// Audits the sample data for two grids, in a folder of the desk.
fn audit(desk: &Desk, out: &str, formats: &str) -> PathBuf {
    let samples = repository().join("sample_data");
    desk.run(&format!(
        "audit {} --out {out} --format {formats} --profile second-life --profile opensim-ubode -q",
        samples.display()
    ));
    desk.at(out)
}

#[test]
fn reports_conform_to_their_schemas() {
    if !there_is_a_validator() {
        return;
    }
    let desk = Desk::with(&[]);
    let report = audit(&desk, "report", "csv,jsonl --list-assets");
    let mut files = vec![(schema("audit"), report.join("audit.json"))];
    for table in heads(&[]).into_iter().filter(|table| table.name != "changes") {
        files.push((schema(table.name), report.join(format!("{}.jsonl", table.name))));
    }
    let samples = repository().join("sample_data");
    desk.run(&format!("preflight {} --target opensim-ubode --json --out page.json -q", samples.display()));
    files.push((schema("preflight"), desk.at("page.json")));
    desk.run(&format!("audit {}/regions --out early --format csv -q", samples.display()));
    desk.run("diff early report --out changes --format jsonl -q");
    files.push((schema("changes"), desk.at("changes/changes.jsonl")));
    files.push((schema("diff"), desk.at("changes/changes.json")));
    assert_eq!(faults(&files), "");
}

#[test]
fn violations_of_a_schema_are_found() {
    if !there_is_a_validator() {
        return;
    }
    let desk = Desk::with(&[]);
    let report = audit(&desk, "report", "jsonl");
    let right = fs::read_to_string(report.join("objects.jsonl")).unwrap();
    let line = right.lines().next().unwrap();
    let check = |file: &Path, text: &str| {
        fs::write(file, text).unwrap();
        faults(&[(schema("objects"), file.into())])
    };
    let file = desk.at("objects.jsonl");
    assert_eq!(check(&file, line), "");
    for (from, to) in [
        ("\"parts\":", "\"prims\":"),
        ("\"land_impact_opensim_ubode\":", "\"land_impacts_opensim_ubode\":"),
        ("\"archive\":\"", "\"archive\":7,\"object_name\":\""),
    ] {
        assert!(line.contains(from), "{from}: {line}");
        assert_ne!(check(&file, &line.replacen(from, to, 1)), "", "{to}");
    }
}
