//! The order of the rooms of `src/`: each room imports only rooms before it.
//!
//! Unit tests inside the rooms are exempt: they may use any room.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Each room, with the other rooms that it may import.
const ROOMS: [(&str, &[&str]); 12] = [
    ("util", &[]),
    ("geometry", &["util"]),
    ("finding", &["util"]),
    ("settings", &["util", "geometry", "finding"]),
    ("storage", &["util", "geometry", "finding"]),
    ("format", &["util", "geometry", "finding", "settings", "storage"]),
    ("ledger", &["util", "geometry", "finding", "settings", "storage", "format"]),
    ("scan", &["util", "geometry", "finding", "settings", "storage", "format", "ledger"]),
    ("analysis", &["util", "geometry", "finding", "settings", "storage", "format", "ledger"]),
    ("rules", &["util", "geometry", "finding", "settings", "storage", "format", "ledger", "analysis"]),
    (
        "report",
        &["util", "geometry", "finding", "settings", "storage", "format", "ledger", "analysis", "rules"],
    ),
    (
        "cli",
        &[
            "util", "geometry", "finding", "settings", "storage", "format", "ledger", "scan", "analysis",
            "rules", "report",
        ],
    ),
];

/// Returns the rooms that a file names after `crate::`, without comments and tests.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = lines.join("\n");
    let mut rooms = BTreeSet::new();
    for (at, word) in code.match_indices("crate::") {
        let rest = &code[at + word.len()..];
        match rest.strip_prefix('{') {
            None => rooms.extend(first_name(rest)),
            Some(tree) => rooms.extend(branches(tree).iter().filter_map(|branch| first_name(branch))),
        }
    }
    rooms
}

/// Returns the branches of an import tree, up to its closing brace.
fn branches(tree: &str) -> Vec<String> {
    let (mut depth, mut all, mut branch) = (0, Vec::new(), String::new());
    for c in tree.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => all.push(std::mem::take(&mut branch)),
            _ => {}
        }
        branch.push(c);
    }
    all.push(branch);
    all
}

fn first_name(path: &str) -> Option<String> {
    let path = path.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Returns all files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, mut all): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    all.extend(folders.iter().flat_map(|folder| files(folder)));
    all
}

/// Returns `true` if a file below `src/` contains only tests.
fn is_test(file: &Path) -> bool {
    file.ends_with("tests.rs") || file.iter().any(|step| step == "tests")
}

/// Returns the rooms that a file of this room names but may not import.
fn wrong(room: &str, text: &str) -> Vec<String> {
    let allowed =
        ROOMS.iter().find(|(name, _)| *name == room).map(|(_, allowed)| *allowed).unwrap_or_default();
    let is_room = |name: &String| ROOMS.iter().any(|(room, _)| room == name);
    let is_wrong = |name: &String| is_room(name) && name != room && !allowed.contains(&name.as_str());
    imports(text).into_iter().filter(is_wrong).collect()
}

#[test]
fn rooms_import_only_rooms_before_them() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (room, _) in ROOMS {
        for file in
            files(&source.join(room)).iter().filter(|file| !is_test(file.strip_prefix(&source).unwrap()))
        {
            let Ok(text) = fs::read_to_string(file) else { continue };
            found
                .extend(wrong(room, &text).iter().map(|other| format!("{} imports {other}", file.display())));
        }
    }
    assert!(found.is_empty(), "rooms import upward:\n{}", found.join("\n"));
}

#[test]
fn the_source_is_rooms_and_two_files() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let names = fs::read_dir(source).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let rooms = ROOMS.iter().map(|(room, _)| (*room).to_owned());
    let expected: BTreeSet<String> = rooms.chain(["lib.rs".into(), "main.rs".into()]).collect();
    assert_eq!(names.collect::<BTreeSet<_>>(), expected);
}

#[test]
fn an_upward_import_is_found() {
    let text =
        "use crate::{\n    ledger::{Label, facts::Status},\n    report::Told,\n};\n// crate::cli::run\n";
    assert_eq!(wrong("rules", text), ["report"]);
    assert_eq!(wrong("scan", "fn a() { hullmark_analysis::b() }"), ["analysis"]);
    assert_eq!(wrong("cli", text), [""; 0]);
}

/// Only `cli` uses the libraries for the command line.
#[test]
fn only_the_command_line_imports_its_libraries() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for (room, _) in ROOMS.iter().filter(|(room, _)| *room != "cli") {
        for file in files(&source.join(room)) {
            let Ok(text) = fs::read_to_string(&file) else { continue };
            for library in ["clap", "clap_complete", "indicatif", "signal_hook", "anyhow"] {
                if text.contains(&format!("{library}::")) {
                    found.push(format!("{} names {library}", file.display()));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
