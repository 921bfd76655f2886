//! Samples equal the generator's output, give the findings in their `expected.toml`, and cover every code.

use crate::support::{audit, audit_beside, read_csv, repository, samples};
use hullmark_finding::Code;
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};
use toml::Value;
use walkdir::WalkDir;

/// The expected results of samples.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    sample: Vec<Sample>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    /// Path relative to `expected.toml`.
    file: String,
    /// The purpose of the sample, for people.
    #[serde(rename = "shows")]
    _shows: String,
    /// Every code that is found, with its count. Codes of severity info are listed like others.
    findings: BTreeMap<String, usize>,
    /// The same with one further profile, by its name. The sample is audited alone.
    #[serde(default)]
    beside: BTreeMap<String, BTreeMap<String, usize>>,
    /// Rows that must exist: the table, the cells that identify the row, and its expected cells.
    #[serde(default)]
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    table: String,
    #[serde(default)]
    r#where: BTreeMap<String, Value>,
    is: BTreeMap<String, Value>,
}

type Record = BTreeMap<String, String>;

/// Codes that no sample can show, with the test of this binary that shows them, and the reason.
const WITHOUT_SAMPLE: [(Code, &str, &str); 30] = [
    (
        Code::XAR005,
        "nightly::reloaded::a_copy_of_a_region_is_found",
        "it needs two archives with five objects that are more than prims",
    ),
    (
        Code::REG011,
        "report::target_limits::sizes_are_those_of_the_grid",
        "the samples are judged for Second Life, and the limit is of OpenSim",
    ),
    (
        Code::SCR001,
        "report::target_limits::only_opensim_has_a_limit_of_scripts_in_a_region",
        "the samples are judged for Second Life, which has no such limit",
    ),
    (
        Code::DBS015,
        "cli::settings_of_simulators::a_listed_region_without_rows_will_be_empty",
        "it takes files of regions, and the samples are judged without",
    ),
    (
        Code::DBS005,
        "cli::databases::a_transaction_over_several_databases_makes_a_doubtful_snapshot",
        "it takes a program that changes a database, or what one left in the middle of a change",
    ),
    (
        Code::AST008,
        "report::target_limits::an_old_grid_does_not_understand_newer_formats",
        "the samples are judged for Second Life, which understands all",
    ),
    (
        Code::DBS010,
        "report::rule_outcomes::defects_that_no_file_causes_are_findings",
        "it takes a server of a database, and a sample is a file",
    ),
    (
        Code::HIS002,
        "nightly::history::expected::an_expected_archive_that_is_absent_has_a_row",
        "it takes settings that name what is expected, and the samples are judged by the defaults",
    ),
    (
        Code::HIS004,
        "nightly::history::earlier_runs::costs_that_grew_since_an_earlier_run_are_reported",
        "it takes an earlier night, and the samples are one",
    ),
    (
        Code::HIS007,
        "cli::inputs::a_disk_that_is_not_mounted_is_reported_and_its_ledgers_stay",
        "it takes ledgers of an earlier night",
    ),
    (
        Code::HIS009,
        "nightly::history::removed::a_deleted_archive_is_reported_until_it_is_back_or_accepted",
        "it takes an earlier night",
    ),
    (
        Code::HIS010,
        "nightly::history::removed::an_earlier_run_that_is_gone_makes_the_audit_incomplete",
        "it takes an earlier night",
    ),
    (
        Code::RUN009,
        "cli::inputs::a_given_file_that_is_no_export_is_reported",
        "it takes a path that is named and holds no export",
    ),
    (
        Code::HIS006,
        "nightly::dated_copies::newest::the_newest_whole_copy_replaces_a_broken_newest_one",
        "it takes two archives, of which one is not read to its end",
    ),
    (
        Code::HIS008,
        "nightly::dated_copies::newest::the_newest_whole_copy_replaces_a_broken_newest_one",
        "it takes two archives, of which one is not read to its end",
    ),
    (
        Code::LNK003,
        "cli::link::the_old_rule_is_reported_if_a_profile_asks",
        "no profile that comes along asks for the old rule",
    ),
    (
        Code::LNK005,
        "cli::link::the_old_rule_is_reported_if_a_profile_asks",
        "no profile that comes along asks for the old rule",
    ),
    (Code::MSH007, "report::target_limits::meshes_have_separate_limits", "a sample would need 8 MB"),
    (
        Code::MSH008,
        "report::target_limits::ubode_warns_of_a_physics_mesh_of_64_000_indices",
        "a sample would need 64,000 indices",
    ),
    (
        Code::OWN001,
        "cli::target_profiles::people_unknown_to_the_target_are_listed",
        "it takes a list of users, and the samples are judged without",
    ),
    (
        Code::PHY004,
        "report::target_limits::opensim_refuses_large_objects_and_too_many_parts",
        "only OpenSim has that limit, and the samples are judged for Second Life",
    ),
    (
        Code::PHY005,
        "report::target_limits::opensim_refuses_large_objects_and_too_many_parts",
        "only OpenSim has that limit, and the samples are judged for Second Life",
    ),
    (
        Code::REG001,
        "report::target_limits::opensim_counts_prims_and_second_life_land_impact",
        "only OpenSim counts prims, and the samples are judged for Second Life",
    ),
    (
        Code::RUN001,
        "cli::paths::a_folder_that_may_not_be_read_makes_the_audit_incomplete",
        "a repository does not keep who may read a file",
    ),
    (
        Code::RUN002,
        "nightly::waivers::a_waiver_ends_with_its_last_day_and_is_named_from_then_on",
        "it takes a file of waivers, and the samples are judged without",
    ),
    (
        Code::RUN005,
        "report::rule_outcomes::defects_that_no_file_causes_are_findings",
        "a file that makes the program fail would be mended, not kept",
    ),
    (
        Code::RUN008,
        "hostile::budgets::an_input_whose_time_is_over_is_named_and_the_rest_is_audited",
        "it takes --timeout-per-input, and the samples are judged without",
    ),
    (
        Code::RUN010,
        "hostile::faults::crashes::an_input_that_ends_runs_costs_one_night",
        "a file that ends the program would be mended, not kept",
    ),
    (
        Code::STO001,
        "cli::stores::a_table_names_the_files_of_a_tree",
        "it takes a database that names the files of a tree, and each sample is read alone",
    ),
    (
        Code::STO006,
        "cli::stores::assets_that_nothing_uses_are_counted_once_all_uses_are_read",
        "it takes a tree with a table, a region and an inventory",
    ),
];

/// Returns the folders of samples, each with the generator's output.
fn folders() -> [(PathBuf, Vec<samples::File>); 2] {
    [("sample_data", samples::all()), ("tests/incomplete", samples::incomplete())]
        .map(|(folder, files)| (repository().join(folder), files))
}

fn expected(folder: &Path) -> Vec<Sample> {
    let text = fs::read_to_string(folder.join("expected.toml")).unwrap();
    toml::from_str::<Expected>(&text).unwrap().sample
}

/// Writes the samples: `cargo test -- --ignored write_the_samples`.
#[test]
#[ignore = "writes into sample_data; run it after a change of the generator"]
fn write_the_samples() {
    for (root, files) in folders() {
        for entry in fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                fs::remove_dir_all(entry).unwrap();
            }
        }
        for (name, bytes) in files {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
}

#[test]
fn the_samples_equal_the_generated_ones() {
    for (root, files) in folders() {
        let mut names = BTreeSet::from(["expected.toml".to_owned()]);
        for (name, bytes) in files {
            let kept = fs::read(root.join(&name)).unwrap_or_default();
            assert!(kept == bytes, "{name} differs: run cargo test -- --ignored write_the_samples");
            names.insert(name);
        }
        let there = WalkDir::new(&root).into_iter().flatten().filter(|entry| entry.file_type().is_file());
        let there = there.map(|entry| entry.path().strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
        assert_eq!(there.collect::<BTreeSet<_>>(), names, "nothing else lies there");
    }
}

#[test]
fn every_sample_gives_its_expected_findings() {
    for (root, files) in folders() {
        let expected = expected(&root);
        let out = tempfile::tempdir().unwrap();
        audit(std::slice::from_ref(&root), out.path(), 2);
        let mut mistakes = Vec::new();
        let mut findings = 0;
        for sample in &expected {
            let path = root.join(&sample.file);
            let found = codes(out.path(), &path);
            findings +=
                found.iter().filter(|(code, _)| *code != "RUN003").map(|(_, count)| count).sum::<usize>();
            if found != sample.findings {
                mistakes.push(format!("{}: found {found:?}, expected {:?}", sample.file, sample.findings));
            }
            mistakes.extend(sample.row.iter().flat_map(|row| mistakes_of_row(out.path(), &path, row)));
        }
        assert!(mistakes.is_empty(), "\n{}", mistakes.join("\n"));

        // Every file needs an expectation, and every finding must belong to a sample.
        for (name, _) in files {
            assert!(
                expected.iter().any(|sample| name.starts_with(&sample.file)),
                "{name} does not stand in expected.toml"
            );
        }
        let all = read_csv(&out.path().join("findings.csv"));
        // RUN003 of loose files is reported for their folder.
        let all = all.iter().filter(|row| row["code"] != "RUN003").count();
        assert_eq!(findings, all, "every finding is about a sample of expected.toml");
    }
}

#[test]
fn a_sample_with_a_second_profile_gives_its_expected_findings() {
    for (root, _) in folders() {
        for sample in expected(&root) {
            let path = root.join(&sample.file);
            for (profile, findings) in sample.beside {
                let out = tempfile::tempdir().unwrap();
                audit_beside(std::slice::from_ref(&path), out.path(), 1, &[profile]);
                assert_eq!(codes(out.path(), &path), findings, "{}", sample.file);
            }
        }
    }
}

/// A rule that no sample breaks would have no proof.
#[test]
fn every_code_has_a_sample() {
    let samples: Vec<_> = folders().iter().flat_map(|(root, _)| expected(root)).collect();
    let beside = samples.iter().flat_map(|sample| sample.beside.values());
    let shown: BTreeSet<&str> = samples
        .iter()
        .map(|sample| &sample.findings)
        .chain(beside)
        .flat_map(|findings| findings.keys().map(String::as_str))
        .collect();
    for code in Code::all() {
        let exception = WITHOUT_SAMPLE.iter().any(|(without, ..)| *without == code);
        assert!(
            shown.contains(code.name()) != exception,
            "{code}: it needs a sample in expected.toml, or a place in WITHOUT_SAMPLE, not both"
        );
    }
    let tests = listed_tests();
    for (code, test, _) in WITHOUT_SAMPLE {
        assert!(tests.contains(test), "{code}: no test {test} is run");
    }
}

/// Returns the names of the tests in this binary that a plain `cargo test` runs.
fn listed_tests() -> BTreeSet<String> {
    let list = |flags: &[&str]| {
        let program = env::current_exe().unwrap();
        let output =
            Command::new(program).args(["--list", "--format", "terse"]).args(flags).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let names = text.lines().filter_map(|line| line.strip_suffix(": test"));
        names.map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let (all, ignored) = (list(&[]), list(&["--ignored"]));
    assert!(!all.is_empty() && ignored.contains("truth::samples::write_the_samples"), "{ignored:?}");
    &all - &ignored
}

/// Returns the codes that were found in one sample, with their count.
pub(crate) fn codes(out: &Path, sample: &Path) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for finding in rows_of(out, "findings", sample) {
        *found.entry(finding["code"].clone()).or_default() += 1;
    }
    found
}

pub(crate) fn mistakes_of_row(out: &Path, sample: &Path, row: &Row) -> Vec<String> {
    let rows = rows_of(out, &row.table, sample);
    let what = format!("{}: {} {:?}", sample.display(), row.table, row.r#where);
    let mut matching = rows.iter().filter(|record| agrees(record, &row.r#where)).peekable();
    if matching.peek().is_none() {
        return vec![format!("{what}: there is no such row")];
    }
    let differences = matching.flat_map(|record| differences(record, &row.is));
    differences.map(|difference| format!("{what}: {difference}")).collect()
}

/// Returns rows of a table that come from one sample: its own input, or an entry of a folder.
fn rows_of(out: &Path, table: &str, sample: &Path) -> Vec<Record> {
    let input = sample.to_string_lossy();
    let folder = sample.parent().unwrap().to_string_lossy();
    let file = sample.file_name().unwrap().to_string_lossy();
    read_csv(&out.join(format!("{table}.csv")))
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

/// Returns the differences between a row and its expected cells. Numbers may differ by 1e-6.
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
