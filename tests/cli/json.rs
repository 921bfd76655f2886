//! `--json`: each command that prints data, for programs.

use crate::support::{
    desk::{DONE, Desk},
    repository,
};
use serde_json::Value;
use std::fs;

/// Commands that print no data: they write files, do something, or print text for a shell.
const WITHOUT: [&str; 6] = ["completions", "init", "man", "notify", "scan", "waive"];

#[test]
fn each_command_that_prints_data_has_it() {
    let desk = Desk::with(&[]);
    let help = desk.run_to(DONE, "--help").stdout;
    let list = help.split_once("Commands:\n").and_then(|(_, rest)| rest.split_once("\n\n")).unwrap().0;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 20, "{names:?}");
    for name in names.into_iter().filter(|name| *name != "help") {
        let help = desk.run_to(DONE, &format!("{name} --help")).stdout;
        assert_eq!(help.contains("--json"), !WITHOUT.contains(&name), "{name}");
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn runs_print_what_their_files_have() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data/regions");
    let samples = samples.display();
    let file = |path: &str| json(&fs::read_to_string(desk.at(path)).unwrap());
    let run = desk.run_to(DONE, &format!("audit {samples} --out a --format csv --ledgers l --json"));
    assert_eq!(json(&run.stdout), file("a/audit.json"));
    let run = desk.run_to(DONE, "report l --out b --format csv --json -q");
    assert_eq!(json(&run.stdout), file("b/audit.json"));
    // Without a folder nothing is written, and the same is printed.
    let alone = desk.run_to(DONE, "report l --json");
    assert_eq!(alone.stdout, run.stdout);
    let run = desk.run_to(DONE, "diff a b --out c --format csv --json");
    assert_eq!(json(&run.stdout), file("c/changes.json"));
    let run = desk.run_to(DONE, &format!("plan {samples} --out plan.json --json"));
    let (plan, inputs) = (json(&run.stdout), file("a/audit.json")["totals"]["inputs"].clone());
    assert_eq!((&plan["plan"], &plan["inputs"]), (&"plan.json".into(), &inputs));
    assert!(
        plan["largest"]["bytes"].as_u64() <= plan["bytes"].as_u64()
            && plan["useful_shards"].as_u64() > Some(0)
    );
    let pruned = json(&desk.run_to(DONE, "prune l --bytes 0 --json").stdout);
    assert!(pruned["removed_bytes"].as_u64() > Some(0), "{pruned}");
    assert_eq!(pruned["kept_bytes"], 0);
}

#[test]
fn a_rule_is_explained_with_its_fields() {
    let run = Desk::with(&[]).run_to(DONE, "explain lnk002 HUL --json --profile second-life");
    let rules = json(&run.stdout);
    assert_eq!((&rules[0]["code"], &rules[0]["severity"]), (&"LNK002".into(), &"error".into()));
    assert!(
        rules.as_array().unwrap()[1..].iter().all(|rule| rule["code"].as_str().unwrap().starts_with("HUL"))
    );
    assert!(rules[0]["why"].as_str().is_some_and(|why| !why.is_empty()), "{}", rules[0]);
}
