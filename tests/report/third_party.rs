//! `THIRD_PARTY.tsv`: the packages that are built in, with their licences. `UPDATE_DOCS=1 cargo test third_party` writes it.

use super::docs::hold;
use crate::support::{
    desk::{DONE, Desk},
    repository,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    process::Command,
};

const FILE: &str = "THIRD_PARTY.tsv";

/// Returns the packages of the manifest with all features, on all systems. `None` if some are not on this machine.
fn metadata() -> Option<Value> {
    let output = Command::new(env!("CARGO"))
        .current_dir(repository())
        .args(["metadata", "--locked", "--offline", "--all-features", "--format-version", "1"])
        .output()
        .unwrap();
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the features that bring each direct dependency. One that always comes has the feature ``.
fn features(root: &Value) -> BTreeMap<String, BTreeSet<&str>> {
    let mut brought: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for dependency in list(&root["dependencies"]).iter().filter(|dependency| dependency["kind"].is_null()) {
        let all = brought.entry(text(&dependency["name"]).into()).or_default();
        if dependency["optional"] == false {
            all.insert("");
        }
    }
    for (feature, parts) in root["features"].as_object().unwrap() {
        for part in list(parts).iter().filter_map(|part| text(part).strip_prefix("dep:")) {
            brought.get_mut(part).unwrap().insert(feature);
        }
    }
    brought
}

/// Returns a line for each package: name, version, licence, and the features that bring it, if it does not always come.
fn written(metadata: &Value) -> String {
    let packages: BTreeMap<&str, &Value> =
        list(&metadata["packages"]).iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), node)).collect();
    let built_in = |id: &str| {
        let normal =
            |dependency: &&Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        list(&nodes[id]["deps"])
            .iter()
            .filter(normal)
            .map(|dependency| text(&dependency["pkg"]))
            .collect::<Vec<_>>()
    };
    let root = text(&metadata["resolve"]["root"]);
    let brought = features(packages[root]);
    let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for direct in built_in(root) {
        let Some(features) = brought.get(text(&packages[direct]["name"])) else { continue };
        let (mut left, mut seen) = (vec![direct], BTreeSet::new());
        while let Some(id) = left.pop() {
            if seen.insert(id) {
                all.entry(id).or_default().extend(features);
                left.extend(built_in(id));
            }
        }
    }
    let line = |(id, features): (&str, BTreeSet<&str>)| {
        let package = packages[id];
        let features: Vec<&str> =
            if features.contains("") { Vec::new() } else { features.into_iter().collect() };
        let [name, version, license] = ["name", "version", "license"].map(|key| text(&package[key]));
        (name.to_owned(), version.to_owned(), license.to_owned(), features.join(" "))
    };
    let mut file = String::from("name\tversion\tlicense\tfeatures\n");
    for (name, version, license, features) in all.into_iter().map(line).collect::<BTreeSet<_>>() {
        let _ = writeln!(file, "{name}\t{version}\t{license}\t{features}");
    }
    file
}

#[test]
fn the_list_of_packages_is_true() {
    if let Some(metadata) = metadata() {
        hold(FILE, &written(&metadata));
    }
    // The lock file is always here.
    let lock = fs::read_to_string(repository().join("Cargo.lock")).unwrap();
    let file = fs::read_to_string(repository().join(FILE)).unwrap();
    let rows: Vec<Vec<&str>> = file.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    for row in &rows {
        let package = format!("name = \"{}\"\nversion = \"{}\"\n", row[0], row[1]);
        assert!(
            lock.contains(&package),
            "{row:?} is not in Cargo.lock: run UPDATE_DOCS=1 cargo test third_party"
        );
        assert!(!row[2].is_empty(), "{row:?} has no licence");
    }
    let manifest: toml::Table = fs::read_to_string(repository().join("Cargo.toml")).unwrap().parse().unwrap();
    for name in manifest["dependencies"].as_table().unwrap().keys() {
        assert!(
            rows.iter().any(|row| row[0] == name),
            "{name} is missing: run UPDATE_DOCS=1 cargo test third_party"
        );
    }
}

#[test]
fn the_long_version_lists_the_packages_of_this_build() {
    let desk = Desk::with(&[]);
    for arguments in ["--version --verbose", "-vV", "-V -v"] {
        let run = desk.run_to(DONE, arguments);
        let first = run.stdout.lines().next().unwrap();
        assert!(first.starts_with(concat!("hullmark ", env!("CARGO_PKG_VERSION"))), "{first}");
        assert!(
            run.stdout.contains("  serde_json") && run.stdout.contains("MIT OR Apache-2.0"),
            "{arguments}"
        );
        for (name, is_built) in [("lettre", cfg!(feature = "notify")), ("mysql", cfg!(feature = "database"))]
        {
            assert_eq!(run.stdout.contains(&format!("  {name} ")), is_built, "{name}");
        }
    }
    let short = desk.run_to(DONE, "--version").stdout;
    assert_eq!(short, concat!("hullmark ", env!("CARGO_PKG_VERSION"), "\n"));
}
