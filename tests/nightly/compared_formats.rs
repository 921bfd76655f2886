//! Reports in other formats, and lakes, are compared as reports in CSV are.

use super::diff::{assert_same, of_ledgers, of_report};
use crate::support::{
    desk::{DONE, Desk, INCOMPLETE, USAGE, faulty, sound},
    repository,
};
use hullmark_report::diff;
use hullmark_settings::config::Format;
use std::fs;

/// The formats whose tables are compared, as far as this program has them.
fn formats() -> impl Iterator<Item = &'static str> {
    let formats = [Format::Csv, Format::Jsonl, Format::Parquet];
    formats.into_iter().filter(|format| format.missing().is_none()).map(Format::name)
}

#[test]
fn each_format_and_a_lake_give_the_snapshot_of_the_ledgers() {
    let desk = Desk::with(&[]);
    let [samples, incomplete] = ["sample_data", "tests/incomplete"].map(|path| repository().join(path));
    let inputs = format!("{} {}", samples.display(), incomplete.display());
    desk.run_to(DONE, &format!("plan {inputs} -o plan.json"));
    desk.run_to(INCOMPLETE, "scan --plan plan.json --ledgers kept");
    let expected = of_ledgers(&desk, "kept");
    for format in formats() {
        let report = format!("report kept --plan plan.json --format {format} --fail-on none -q");
        desk.run_to(INCOMPLETE, &format!("{report} --out {format}"));
        assert_same(&of_report(&desk, format), &expected);
        desk.run_to(DONE, &format!("{report} --out lake-{format} --across 3"));
        for shard in [2, 3, 1] {
            desk.run_to(DONE, &format!("{report} --out lake-{format} --shard {shard}/3"));
        }
        desk.run_to(INCOMPLETE, &format!("{report} --out lake-{format} --join"));
        assert_same(&of_report(&desk, &format!("lake-{format}")), &expected);
        let run = desk.run_to(DONE, &format!("diff {format} lake-{format} --fail-on-new info"));
        // Archives that were not read to their end are not compared completely.
        assert!(run.stdout.contains("Nothing got worse.\nArchives: 5 not compared"), "{}", run.stdout);
        desk.run_to(
            INCOMPLETE,
            &format!("report kept --plan plan.json --baseline lake-{format} --out news -q"),
        );
        let known = desk.column("news", "findings", "baseline_status");
        assert!(!known.is_empty() && known.iter().all(|known| known != "new"), "{format}: {known:?}");
    }
}

#[test]
fn parts_of_a_lake_are_compared_in_any_order() {
    let desk = Desk::with(&[("a/1.oar", &sound()), ("a/2.oar", &faulty()), ("b/1.oar", &faulty())]);
    for (folder, shards) in [("a", 2), ("b", 1)] {
        desk.run_to(DONE, &format!("plan {folder} -o {folder}.json"));
        desk.run_to(DONE, &format!("scan --plan {folder}.json --ledgers {folder}-kept"));
        let report = format!("report {folder}-kept --plan {folder}.json --format jsonl --fail-on none -q");
        desk.run_to(DONE, &format!("{report} --out {folder}-whole"));
        desk.run_to(DONE, &format!("{report} --out {folder}-lake --across {shards}"));
        for shard in 1..=shards {
            desk.run_to(DONE, &format!("{report} --out {folder}-lake --shard {shard}/{shards}"));
        }
        desk.run_to(DONE, &format!("{report} --out {folder}-lake --join"));
    }
    let changes = |old: &str, new: &str| {
        desk.run_to(DONE, &format!("diff {old} {new} --out changes --format csv --fail-on-new none"));
        fs::read_to_string(desk.at("changes/changes.csv")).unwrap()
    };
    let expected = changes("a-whole", "b-whole");
    assert!(expected.lines().count() > 2, "{expected}");
    assert_eq!(changes("a-lake", "b-lake"), expected);
    assert_eq!(changes("a-whole", "b-lake"), expected);
}

#[test]
fn damaged_tables_are_named_with_the_line() {
    let desk = Desk::with(&[("x/Here.oar", &sound())]);
    desk.run_to(DONE, "audit x --out report --format jsonl -q");
    let whole = fs::read_to_string(desk.at("report/objects.jsonl")).unwrap();
    let refused = |text: &str, words: &str| {
        desk.write("report/objects.jsonl", text);
        let run = desk.run_to(USAGE, "diff report report");
        assert!(run.stderr.contains("objects.jsonl") && run.stderr.contains(words), "{}", run.stderr);
    };
    refused(&whole[..whole.len() - 20], "line 1: ");
    refused(&format!("{whole}[1, 2]\n"), "line 2: ");
    refused(&format!("{whole}{{}}\n"), "no column");
    refused(&format!("{whole}{}", " ".repeat(16 << 20)), "line 2 has more than 16,777,216 bytes");
    desk.write("report/objects.jsonl", &whole);
    desk.run_to(DONE, "diff report report");
}

#[test]
fn a_report_of_another_format_is_complete_or_not_used() {
    let desk = Desk::with(&[("x/Here.oar", &sound())]);
    desk.run_to(DONE, "audit x --out report --format csv,jsonl -q");
    fs::remove_file(desk.at("report/regions.csv")).unwrap();
    let jsonl = of_report(&desk, "report");
    assert_eq!(jsonl.archives.len(), 1);
    fs::remove_file(desk.at("report/objects.jsonl")).unwrap();
    let error =
        diff::of_report(&desk.at("report"), &desk.at("."), diff::Extent::Objects).unwrap_err().to_string();
    assert!(error.contains("csv") && error.contains("jsonl"), "{error}");
}
