//! `THIRD_PARTY.tsv`: the packages that are built in, with their licences. `UPDATE_DOCS=1 cargo test third_party` writes it.

use super::docs::hold;
use crate::support::{
    desk::{DONE, Desk},
    repository,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    process::Command,
};

const FILE: &str = "THIRD_PARTY.tsv";

/// Returns the packages that are built in with these features on any system, as lines of name, version and licence.
/// `None` if some are not on this machine.
fn packages(features: &str) -> Option<BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .current_dir(repository())
        .args([
            "tree",
            "--locked",
            "--offline",
            "--package",
            "hullmark",
            "--edges",
            "normal",
            "--target",
            "all",
        ])
        .args(["--no-default-features", "--features", features, "--prefix", "none", "--format", "{p}\t{l}"])
        .output()
        .unwrap();
    let text = output.status.success().then(|| String::from_utf8(output.stdout).unwrap())?;
    // A line is `name v1.2.3 (path or kind)`, the licences, and `(*)` where it stands again.
    let line = |line: &str| {
        let (package, licence) = line.split_once('\t')?;
        let mut words = package.split(' ');
        let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
        let licence = licence.trim_end_matches(" (*)");
        (!name.starts_with("hullmark")).then(|| format!("{name}\t{version}\t{licence}"))
    };
    Some(text.lines().filter_map(line).collect())
}

/// Returns a line for each package: name, version, licence, and the features that bring it, if it does not always come.
fn written() -> Option<String> {
    let manifest: toml::Table = fs::read_to_string(repository().join("Cargo.toml")).unwrap().parse().unwrap();
    let features = manifest["features"].as_table().unwrap();
    let always = packages("")?;
    let mut brought: BTreeMap<String, Vec<&str>> =
        always.iter().map(|package| (package.clone(), Vec::new())).collect();
    for (feature, parts) in features.iter().filter(|(feature, _)| *feature != "default") {
        let parts = parts.as_array().unwrap().iter().filter_map(|part| part.as_str());
        let implied: Vec<&str> = parts.filter(|part| features.contains_key(*part)).collect();
        let others = packages(&implied.join(","))?;
        for package in packages(feature)?.difference(&others).filter(|package| !always.contains(*package)) {
            brought.entry(package.clone()).or_default().push(feature);
        }
    }
    let mut file = String::from("name\tversion\tlicense\tfeatures\n");
    for (package, features) in brought {
        let _ = writeln!(file, "{package}\t{}", features.join(" "));
    }
    Some(file)
}

#[test]
fn the_list_of_packages_is_true() {
    if let Some(text) = written() {
        hold(FILE, &text);
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
    let direct = manifest["dependencies"].as_table().unwrap().keys();
    for name in direct.filter(|name| !name.starts_with("hullmark")) {
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
