//! `--timings`: the stages add up, and measuring changes nothing else.

use crate::support::desk::{DONE, Desk, mixed};
use std::{collections::BTreeMap, fs};

/// Returns seconds, percent and megabytes by stage.
fn table(desk: &Desk, arguments: &str) -> BTreeMap<String, (f64, f64, Option<f64>)> {
    let run = desk.run_to(DONE, &format!("{arguments} --timings -q"));
    let rows = run.stderr.lines().filter_map(|line| {
        // The name may have two words. Numbers follow it.
        let (name, numbers) = line.split_at(line.find(|c: char| c.is_ascii_digit())?);
        let numbers: Vec<f64> = numbers.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        Some((name.trim().to_owned(), (*numbers.first()?, *numbers.get(1)?, numbers.get(2).copied())))
    });
    rows.collect()
}

#[test]
fn the_stages_add_up_and_their_bytes_are_those_of_the_files() {
    let desk = mixed();
    let mut stages = table(&desk, "audit a.oar India.oar loose --out timed --format csv,html");
    let (all, share, _) = stages.remove("all threads").unwrap();
    let seconds: f64 = stages.values().map(|row| row.0).sum();
    let shares: f64 = stages.values().map(|row| row.1).sum();
    assert!((seconds - all).abs() <= 0.000_5 * 14.0, "{stages:?}");
    assert!((shares - share).abs() <= 0.05 * 14.0 && share == 100.0, "{stages:?}");
    for stage in ["read", "inflate", "tar", "XML", "meshes", "geometry", "ledger", "cost", "rules", "write"] {
        assert!(stages.contains_key(stage), "{stage} of {stages:?}");
    }
    let megabytes = |names: &[&str]| {
        let bytes: u64 = names.iter().map(|name| fs::metadata(desk.at(name)).unwrap().len()).sum();
        bytes as f64 / 1e6
    };
    let close = |stage: &str, expected: f64| (stages[stage].2.unwrap() - expected).abs() < 0.000_6;
    let inputs = ["a.oar", "India.oar/India.oar", "loose/box.xml", "loose/cube.llmesh"];
    assert!(close("read", megabytes(&inputs)), "{stages:?}");
    let reports: Vec<String> = desk.files("timed").into_keys().map(|name| format!("timed/{name}")).collect();
    assert!(close("write", megabytes(&reports.iter().map(String::as_str).collect::<Vec<_>>())), "{stages:?}");

    desk.run_to(DONE, "audit a.oar India.oar loose --out plain --format csv,html");
    assert_eq!(desk.files("timed"), desk.files("plain"));
}
