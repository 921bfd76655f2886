//! Decoded contents kept from run to run: only what is new in a changed archive is decoded.

use crate::support::{
    archive::Archive,
    desk::{DONE, Desk, assert_same},
    mutate, repository,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

const AUDIT: &str = "audit exports --format csv --format jsonl";

/// Samples with meshes, sculpt maps, texts, nested objects and damage.
const SAMPLES: [&str; 5] = [
    "regions/over-the-cap.oar",
    "regions/sculpts.oar",
    "contents/boxes-in-boxes.oar",
    "archives/no-end-marker.oar",
    "regions/clean-region.oar",
];

fn samples() -> Desk {
    let desk = Desk::with(&[]);
    fs::create_dir(desk.at("exports")).unwrap();
    for sample in SAMPLES {
        let name = sample.rsplit('/').next().unwrap();
        fs::copy(repository().join("sample_data").join(sample), desk.at("exports").join(name)).unwrap();
    }
    desk
}

/// Returns the segments of the cache and their sizes.
fn segments(kept: &Path) -> BTreeMap<PathBuf, u64> {
    let entries = fs::read_dir(kept.join("contents")).unwrap().map(|entry| entry.unwrap().path());
    let segments = entries.filter(|path| path.extension().is_some_and(|ending| ending == "segment"));
    segments.map(|path| (path.clone(), fs::metadata(path).unwrap().len())).collect()
}

fn remove_ledgers(kept: &Path) {
    for entry in fs::read_dir(kept).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|ending| ending == "ledger") {
            fs::remove_file(entry).unwrap();
        }
    }
}

#[test]
fn what_was_decoded_once_is_not_decoded_again() {
    let desk = samples();
    desk.run_to(DONE, &format!("{AUDIT} --out cold"));
    desk.run_to(DONE, &format!("{AUDIT} --out first --ledgers kept"));
    assert_same(&desk.files("first"), &desk.files("cold"));
    let kept = desk.at("kept");
    let first = segments(&kept);
    assert!(!first.is_empty());
    for threads in [1, 3] {
        remove_ledgers(&kept);
        desk.run_to(DONE, &format!("{AUDIT} --out warm{threads} --ledgers kept --threads {threads}"));
        assert_same(&desk.files(&format!("warm{threads}")), &desk.files("cold"));
        // All contents were found, so none was added.
        assert_eq!(segments(&kept), first);
    }
    // Other limits decode anew.
    remove_ledgers(&kept);
    fs::write(desk.at("hulls.toml"), "limits.hulls = 1\n").unwrap();
    desk.run_to(DONE, &format!("{AUDIT} --out other --ledgers kept --config hulls.toml"));
    desk.run_to(DONE, &format!("{AUDIT} --out other-cold --config hulls.toml"));
    assert_same(&desk.files("other"), &desk.files("other-cold"));
    // More of them, or fewer after a merge.
    assert_ne!(segments(&kept), first);
}

#[test]
fn a_changed_archive_adds_only_what_is_new() {
    let desk = samples();
    desk.run_to(DONE, &format!("{AUDIT} --out first --ledgers kept"));
    let first = segments(&desk.at("kept"));
    let path = desk.at("exports/over-the-cap.oar");
    let members = mutate::Archive::open(&fs::read(&path).unwrap()).members;
    let mut members: Vec<_> = members.iter().map(|member| (member.name(), member.data().to_vec())).collect();
    let (_, object) = members.iter_mut().find(|(name, _)| name.starts_with("objects/")).unwrap();
    let text = String::from_utf8(object.clone()).unwrap();
    let name = &text[text.find("<Name>").unwrap()..text.find("</Name>").unwrap()];
    *object = text.replacen(name, "<Name>Renamed tonight", 1).into_bytes();
    fs::write(&path, Archive { members }.gzip()).unwrap();
    desk.run_to(DONE, &format!("{AUDIT} --out second --ledgers kept"));
    desk.run_to(DONE, &format!("{AUDIT} --out cold"));
    // The second night also knows the first one, which other tables show.
    for table in ["objects.csv", "parts.csv", "meshes.csv", "hulls.csv", "actions.csv"] {
        assert!(desk.files("second")[table] == desk.files("cold")[table], "{table} differs");
    }
    let new: Vec<u64> = segments(&desk.at("kept"))
        .into_iter()
        .filter(|(path, _)| !first.contains_key(path))
        .map(|(_, size)| size)
        .collect();
    // The object, and the links of its region.
    assert_eq!(new.len(), 2);
    assert!(new.iter().all(|size| *size < 4_000), "{new:?} bytes");
}

#[test]
fn no_links_are_kept_where_none_are_searched() {
    let desk = samples();
    desk.write("top.toml", "report.top = 0\n");
    let audit = |out: &str| {
        desk.run_to(DONE, &format!("{AUDIT} --out {out} --ledgers kept --config top.toml"));
        segments(&desk.at("kept"))
    };
    let first = audit("first");
    assert!(!first.is_empty());
    assert_eq!(audit("second"), first);
    // With links, the same night keeps some.
    desk.run_to(DONE, &format!("{AUDIT} --out third --ledgers kept"));
    assert_ne!(segments(&desk.at("kept")), first);
}

#[test]
fn a_damaged_cache_changes_no_result() {
    let desk = samples();
    desk.run_to(DONE, &format!("{AUDIT} --out cold --ledgers kept"));
    desk.run_to(DONE, &format!("{AUDIT} --out whole --ledgers kept"));
    assert_same(&desk.files("whole"), &desk.files("cold"));
    for path in segments(&desk.at("kept")).into_keys() {
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 3;
        bytes[middle..middle + 50].fill(0x55);
        fs::write(path, bytes).unwrap();
    }
    remove_ledgers(&desk.at("kept"));
    desk.run_to(DONE, &format!("{AUDIT} --out warm --ledgers kept"));
    assert_same(&desk.files("warm"), &desk.files("cold"));
    fs::remove_dir_all(desk.at("kept/contents")).unwrap();
    fs::write(desk.at("kept/contents"), "a file in its place").unwrap();
    remove_ledgers(&desk.at("kept"));
    desk.run_to(DONE, &format!("{AUDIT} --out without --ledgers kept"));
    assert_same(&desk.files("without"), &desk.files("cold"));
}

#[test]
fn prune_removes_contents_and_leaves_ledgers() {
    let desk = samples();
    desk.run_to(DONE, &format!("{AUDIT} --out cold --ledgers kept"));
    let ledgers = desk.ledgers("kept");
    let run = desk.run_to(DONE, "prune kept");
    assert!(run.stdout.starts_with("Removed 0 B of decoded contents from kept. "), "{}", run.stdout);
    assert!(!segments(&desk.at("kept")).is_empty());
    let run = desk.run_to(DONE, "prune kept --bytes 0");
    assert!(run.stdout.ends_with(" of decoded contents from kept. 0 B are left.\n"), "{}", run.stdout);
    assert!(segments(&desk.at("kept")).is_empty());
    assert_same(&desk.ledgers("kept"), &ledgers);
    for (arguments, words) in [("prune", "Name the folder"), ("prune nowhere", "is not a folder")] {
        let run = desk.run_to(2, arguments);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
}

#[test]
fn no_contents_are_kept_without_room_or_without_ledgers() {
    let desk = samples();
    fs::write(desk.at("none.toml"), "cache.bytes = 0\n").unwrap();
    desk.run_to(DONE, &format!("{AUDIT} --out cold --ledgers kept --config none.toml"));
    assert!(!desk.at("kept/contents").exists());
}
