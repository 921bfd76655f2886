//! The small commands: `init`, `profiles`, `completions`, `rules` and `explain`.

use crate::support::desk::{DONE, Desk, USAGE, faulty};
use hullmark_finding::Code;
use hullmark_rules::catalogue;
use hullmark_settings::profile::{BUILT_IN, Profile};
use serde_json::Value;
use std::{collections::BTreeMap, fs};

#[test]
fn init_writes_defaults_and_the_next_command_runs() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    let run = desk.run_to(DONE, "init mine/settings --profile opensim-ubode");
    for file in ["mine/settings/hullmark.toml", "mine/settings/grid.toml"] {
        assert!(desk.at(file).is_file() && run.stdout.contains(&format!("Wrote {file}")), "{}", run.stdout);
    }
    let next = run.stdout.lines().find_map(|line| line.trim().strip_prefix("hullmark ")).unwrap();
    let next = next.replace("EXPORTS", "faulty.oar").replace('"', "");
    desk.run_to(DONE, &next);
    desk.run_to(DONE, "audit faulty.oar --out plain --profile opensim-ubode");
    let profile = |folder| desk.audit_json(folder)["manifest"]["profile"].clone();
    assert_eq!(profile("report"), profile("plain"));
    assert_eq!(
        desk.run_to(DONE, "audit --dump-config --config mine/settings/hullmark.toml").stdout,
        desk.run_to(DONE, "audit --dump-config").stdout
    );
    // An edited value takes effect.
    let grid = fs::read_to_string(desk.at("mine/settings/grid.toml")).unwrap();
    assert!(grid.contains("\n#max_diameter_m = inf\n"), "{grid}");
    desk.write("mine/settings/grid.toml", grid.replace("#max_diameter_m = inf", "max_diameter_m = 50.0"));
    desk.run_to(DONE, &next);
    assert_eq!(desk.column("report", "objects", "linkable"), ["false"]);
}

#[test]
fn init_overwrites_nothing() {
    for (there, absent) in [("hullmark.toml", "grid.toml"), ("grid.toml", "hullmark.toml")] {
        let desk = Desk::with(&[(there, b"# precious")]);
        let run = desk.run_to(USAGE, "init");
        assert!(run.stderr.contains(&format!("{there} exists")), "{}", run.stderr);
        assert_eq!(fs::read(desk.at(there)).unwrap(), b"# precious");
        assert!(!desk.at(absent).exists() && run.stdout.is_empty());
    }
    let desk = Desk::with(&[("a-file", b"precious")]);
    let run = desk.run_to(USAGE, "init a-file/settings");
    assert!(run.stderr.contains("a-file/settings cannot be created"), "{}", run.stderr);
}

#[test]
fn profiles_are_listed() {
    let desk = Desk::with(&[]);
    let text = desk.run_to(DONE, "profiles").stdout;
    let json: Value = serde_json::from_str(&desk.run_to(DONE, "profiles --json").stdout).unwrap();
    assert_eq!(json.as_array().unwrap().len(), BUILT_IN.len());
    for ((name, _), line) in BUILT_IN.iter().zip(json.as_array().unwrap()) {
        let description = Profile::load(name).unwrap().description;
        assert!(text.contains(name) && text.contains(&description), "{text}");
        assert_eq!((&line["name"], &line["description"]), (&Value::from(*name), &description.into()));
    }
    assert_eq!((&json[0]["base"], &json[1]["base"]), (&Value::Null, &"second-life".into()));
    let run = desk.run_to(USAGE, "profiles opensim");
    assert!(run.stderr.contains("There is no profile `opensim`"), "{}", run.stderr);
}

#[test]
fn a_profile_is_shown_in_full_and_against_its_base() {
    let mine = b"base = \"opensim-ubode\"\n[linkability]\nmax_prims = 300\n[rules]\nignore = [\"HUL\"]\n\
        [rules.severity]\nLNK001 = \"info\"\n";
    let desk = Desk::with(&[("mine.toml", mine)]);
    for (name, _) in BUILT_IN {
        let saved = desk.run_to(DONE, &format!("profiles {name}")).stdout;
        desk.write("saved.toml", &saved);
        let path = desk.at("saved.toml");
        assert_eq!(Profile::load(path.to_str().unwrap()).unwrap(), Profile::load(name).unwrap());
    }
    let text = desk.run_to(DONE, "profiles mine.toml").stdout;
    for line in [
        "base = \"opensim-ubode\"",
        "max_prims = 300  # opensim-ubode: 4294967295",
        "max_diameter_m = inf",
        "ignore = [\"HUL\"]  # opensim-ubode: []",
        "LNK001 = \"info\"  # opensim-ubode: not set",
        "LNK002 = \"warning\"",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} is not in\n{text}");
    }
    let json = desk.run_to(DONE, "profiles mine.toml --json").stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let differs: Vec<_> = json["differs"].as_object().unwrap().keys().collect();
    assert_eq!(differs, ["linkability.max_prims", "rules.ignore", "rules.severity.LNK001"]);
    assert_eq!(json["differs"]["linkability.max_prims"]["base"], 4_294_967_295_u32);
    assert_eq!(
        (&json["profile"]["linkability"]["max_prims"], &json["name"]),
        (&300.into(), &"mine.toml".into())
    );
}

#[test]
fn every_shell_gets_completions() {
    let desk = Desk::with(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = desk.run_to(DONE, &format!("completions {shell}")).stdout;
        for word in ["hullmark", "completions", "require-assets", "only"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert!(desk.run_to(USAGE, "completions tcsh").stderr.contains("bash"));
    desk.run_to(USAGE, "completions");
}

#[test]
fn rules_are_listed_for_the_target_and_explained() {
    let milder = b"base = \"second-life\"\ndescription = \"my grid\"\n[rules.severity]\nLNK001 = \"info\"\n";
    let desk = Desk::with(&[("mine.toml", milder)]);
    let run = desk.run_to(DONE, "rules --profile mine.toml");
    assert!(run.stdout.contains("  LNK001  info     Prims are too far apart to link\n"), "{}", run.stdout);

    let run = desk.run_to(DONE, "rules --profile mine.toml --json");
    let rules: Vec<BTreeMap<String, Value>> = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(rules.len(), Code::all().count());
    let rule = rules.iter().find(|rule| rule["code"] == "LNK001").unwrap();
    assert_eq!(
        ["severity", "default_severity", "unit"].map(|field| rule[field].as_str().unwrap()),
        ["info", "error", "m"]
    );
    assert_eq!(rule["fix"], catalogue::rule(Code::LNK001).fix);

    let run = desk.run_to(DONE, "explain lnk001 HUL003 --profile mine.toml");
    let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words
            .starts_with("LNK001 Prims are too far apart to link Severity info for my grid (default: error)")
    );
    for rule in [Code::LNK001, Code::HUL003].map(catalogue::rule) {
        for part in [rule.why, rule.fix, rule.source] {
            assert!(words.contains(part), "{part}");
        }
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100), "{}", run.stdout);
    let run = desk.run_to(USAGE, "explain HUL1");
    assert!(run.stderr.contains("Did you mean HUL?") && run.stdout.is_empty(), "{}", run.stderr);
    assert!(desk.run_to(USAGE, "explain LNK001 qqqqqq").stdout.is_empty());
}

#[test]
fn each_entry_of_the_manual_pages_has_a_text() {
    let desk = Desk::with(&[]);
    desk.run_to(DONE, "man pages");
    let pages = desk.files("pages");
    assert!(pages.len() > 20, "{}", pages.len());
    for (name, page) in pages {
        let page = String::from_utf8(page).unwrap();
        for entry in page.split("\n.TP\n").skip(1) {
            let text = entry.lines().nth(1).unwrap_or_default();
            assert!(!text.is_empty() && !text.starts_with('.'), "{name}: {entry}");
        }
    }
}

#[test]
fn a_path_in_place_of_a_command_names_the_command() {
    let desk = Desk::with(&[("a.oar", b"")]);
    let said = desk.run_to(USAGE, "a.oar").stderr;
    assert!(
        said.contains("a.oar is a file or a folder, not a command. Use `hullmark audit a.oar`"),
        "{said}"
    );
    let said = desk.run_to(USAGE, "audti").stderr;
    assert!(said.contains("audit") && !said.contains("a file or a folder"), "{said}");
}
