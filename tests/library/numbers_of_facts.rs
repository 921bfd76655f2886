//! Types of facts and defects have no bare numbers: the JSON of a ledger has neither NaN nor infinity.

use crate::support::sources;
use std::fs;

/// The rooms whose types are in ledgers.
const ROOMS: [&str; 5] = ["finding", "format", "geometry", "ledger", "media"];

/// Types of these rooms that are in no ledger.
const ELSEWHERE: [&str; 1] = ["Finding"];

/// Types with such numbers.
const BARE: [&str; 14] = [
    "f32", "f64", "Vec2", "Vec3", "Vec3A", "Vec4", "DVec2", "DVec3", "DVec4", "Quat", "DQuat", "Mat3",
    "DMat3", "DMat4",
];

/// A type that is written as JSON: its name, and its fields or variants.
struct Type<'a> {
    name: &'a str,
    body: &'a str,
}

/// Returns the types in this source that are written as JSON.
fn types(source: &str) -> Vec<Type<'_>> {
    let after =
        |at: usize| source[at..].split_once(")]").filter(|(derived, _)| derived.contains("Serialize"));
    let derived = source.match_indices("#[derive(").filter_map(|(at, _)| after(at));
    derived.filter_map(|(_, rest)| type_in(rest)).collect()
}

/// Returns the type that this source begins with, after attributes and comments.
fn type_in(source: &str) -> Option<Type<'_>> {
    let (start, kind) = source.char_indices().find_map(|(at, _)| {
        let is_at = |kind: &&str| source[at..].starts_with(*kind);
        Some((at, ["pub struct ", "pub enum ", "struct ", "enum "].into_iter().find(is_at)?))
    })?;
    let rest = &source[start + kind.len()..];
    let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let body = match rest.find(['{', ';'])? {
        end if rest[end..].starts_with(';') => &rest[name.len()..end],
        open => &rest[open..body_end(rest, open + 1)],
    };
    Some(Type { name, body })
}

/// Returns the fields with bare numbers of all types in this source that are written as JSON.
fn bare(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for Type { name, body } in types(source).into_iter().filter(|of| !ELSEWHERE.contains(&of.name)) {
        let mut attributes = String::new();
        for line in body.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            if line.starts_with("#[") {
                attributes += line;
                continue;
            }
            let rest = line.replace("Number<f32>", "").replace("Number<f64>", "");
            let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|word| BARE.contains(&word)) && !attributes.contains("json_number::") {
                found.push(format!("{name}: {line}"));
            }
            attributes.clear();
        }
    }
    found
}

/// Returns the end of a block whose content begins here.
fn body_end(source: &str, start: usize) -> usize {
    let mut depth = 1_i32;
    let is_end = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    };
    source[start..].find(is_end).map_or(source.len(), |end| start + end)
}

#[test]
fn facts_and_defects_have_no_bare_numbers() {
    let (mut count, mut found) = (0, Vec::new());
    for room in ROOMS {
        for path in sources(room) {
            let source = fs::read_to_string(&path).unwrap();
            count += types(&source).len();
            found.extend(bare(&source).into_iter().map(|field| format!("{}: {field}", path.display())));
        }
    }
    assert!(count > 80, "only {count} types are found");
    assert!(found.is_empty(), "write `Number` or #[serde(with = \"json_number::…\")]:\n{}", found.join("\n"));
}

#[test]
fn a_bare_number_is_found() {
    let source = |field: &str| {
        format!(
            "/// A.\n#[derive(Debug, Serialize)]\n#[serde(default)]\npub struct A {{\n    /// f64.\n    {field}\n}}\n"
        )
    };
    for bad in [
        "pub a: f64,",
        "pub a: Option<f32>,",
        "pub a: Vec<[f64; 3]>,",
        "pub a: DVec3,",
        "#[serde(default)]\n    pub a: Option<DQuat>,",
    ] {
        assert_eq!(bare(&source(bad)).len(), 1, "{bad}");
    }
    for good in [
        "pub a: Number,",
        "pub a: Option<Number<f32>>,",
        "#[serde(with = \"json_number::vector\")]\n    pub a: DVec3,",
        "pub a: u64,",
    ] {
        assert_eq!(bare(&source(good)), [""; 0], "{good}");
    }
    let kinds =
        "#[derive(Serialize)]\npub enum B {\n    /// One.\n    Channel { value: f64 },\n    Two(f32),\n}";
    assert_eq!(bare(kinds), ["B: Channel { value: f64 },", "B: Two(f32),"]);
    assert_eq!(bare("#[derive(Serialize)]\npub struct C(pub f64);"), ["C: (pub f64)"]);
    assert_eq!(bare("#[derive(Debug)]\npub struct D {\n    a: f64,\n}"), [""; 0]);
}
