//! The size of rooms.

use crate::support::repository;
use std::fs;
use walkdir::WalkDir;

/// Maximum number of lines of a room, with its tests.
const MOST_LINES: usize = 20_500;

#[test]
fn no_room_is_too_large() {
    for room in
        fs::read_dir(repository().join("src")).unwrap().flatten().filter(|entry| entry.path().is_dir())
    {
        let files = WalkDir::new(room.path()).into_iter().flatten();
        let sources = files.filter(|file| file.path().extension().is_some_and(|ending| ending == "rs"));
        let lines: usize = sources.map(|file| fs::read_to_string(file.path()).unwrap().lines().count()).sum();
        assert!(lines <= MOST_LINES, "{} has {lines} lines; divide it", room.path().display());
    }
}
