//! The surface of the library: the names that lib.rs exports.

use std::{collections::BTreeSet, env, fs};

const SNAPSHOT: &str = "tests/library/public_api.txt";

/// Returns the names that the library exports, with their modules.
fn names(text: &str) -> BTreeSet<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<String>();
    let (mut names, mut module) = (BTreeSet::new(), String::new());
    for statement in code.split_inclusive([';', '{']).collect::<String>().split(';') {
        if let Some((_, rest)) = statement.split_once("pub mod ") {
            module = rest.split_whitespace().next().map(|name| format!("{name}::")).unwrap_or_default();
            names.insert(module.trim_end_matches("::").to_owned());
        } else if statement.trim_start().starts_with('}') {
            module.clear();
        }
        if let Some((_, tree)) = statement.split_once("pub use ") {
            leaves(tree.trim(), &mut |leaf| {
                names.insert(format!("{module}{leaf}"));
            });
        }
    }
    names
}

/// Calls `add` with the last name of each path in a tree of imports.
fn leaves(tree: &str, add: &mut dyn FnMut(&str)) {
    let Some((_, inner)) = tree.split_once('{') else {
        return add(tree.rsplit("::").next().unwrap_or_default().trim());
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let branch = inner[start..at].trim();
                start = (at + 1).min(inner.len());
                if !branch.is_empty() {
                    leaves(branch, add);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_surface_changes_only_on_purpose() {
    let names = names(&fs::read_to_string("src/lib.rs").unwrap());
    for name in ["decode_mesh", "decode_object", "scan", "analyze", "write_report", "mesh::Submesh"] {
        assert!(names.contains(name), "{name} is not exported");
    }
    assert!(names.len() < 150, "{} names are exported", names.len());
    let text = names.iter().map(|name| format!("{name}\n")).collect::<String>();
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(SNAPSHOT, &text).unwrap();
    }
    assert_eq!(
        fs::read_to_string(SNAPSHOT).unwrap_or_default(),
        text,
        "the surface changed; run with UPDATE_DOCS=1 if that is meant, and tell it in CHANGELOG.md"
    );
}
