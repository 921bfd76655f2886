//! The size of rooms.

use crate::support::{repository, sources};
use std::fs;

/// Maximum number of lines of a room, with its tests.
const MOST_LINES: usize = 20_500;

#[test]
fn no_room_is_too_large() {
    for room in
        fs::read_dir(repository().join("src")).unwrap().flatten().filter(|entry| entry.path().is_dir())
    {
        let room = room.file_name().into_string().unwrap();
        let lines: usize = sources(&room).map(|path| fs::read_to_string(path).unwrap().lines().count()).sum();
        assert!(lines <= MOST_LINES, "{room} has {lines} lines; divide it");
    }
}
