//! Members of a tar that holds archives.
//!
//! Only headers are read; the reader jumps over the data.

use super::{
    bytes::Bytes,
    members::{Listed, ListingEnd, MemberPlace, Packing},
};
use crate::tar::{EntryType, TarError, TarReader};
use hullmark_settings::limits::Limits;
use std::io;

/// Extensions of archives and dumps, and of what holds them.
const ARCHIVES: [&str; 13] =
    ["oar", "iar", "tgz", "tar", "gz", "zip", "sql", "zst", "db", "sqlite", "oxp", "hpa", "dump"];

/// Folders and files of an archive of OpenSimulator.
const LAYOUT: [&str; 8] =
    ["archive.xml", "assets", "inventory", "landdata", "objects", "regions", "settings", "terrains"];

/// Whether a tar holds archives and is no archive itself, from its first bytes. The first member that shows it decides.
pub fn holds_archives(start: &[u8]) -> bool {
    let mut tar = TarReader::new(start, &Limits::default());
    while let Ok(Some(header)) = tar.next_header() {
        let name = header.name.to_ascii_lowercase();
        if name.split('/').any(|step| LAYOUT.contains(&step)) {
            return false;
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        if header.what == EntryType::File && ending.is_some_and(|ending| ARCHIVES.contains(&ending)) {
            return true;
        }
    }
    false
}

/// Passes the members of a tar to `take`, at most `most` of them, until it returns `false`.
pub fn list(
    tar: &Bytes,
    most: u64,
    limits: &Limits,
    take: &mut dyn FnMut(Listed) -> bool,
) -> io::Result<ListingEnd> {
    let mut ended = ListingEnd::default();
    let mut bytes = tar.open()?;
    let (mut start, mut members) = (0, 0);
    loop {
        bytes.move_to(start);
        let mut reader = TarReader::new(bytes, limits);
        let header = match reader.next_header() {
            Ok(Some(header)) => header,
            Ok(None) => break,
            Err(error) => {
                ended.broken = Some(match error {
                    TarError::Io(error) => error.to_string(),
                    TarError::Broken(why) => format!("after byte {start}: {why}"),
                    TarError::TooMuch(bytes) => format!("a header states {bytes} bytes of data"),
                });
                break;
            }
        };
        let data = start.saturating_add(reader.position());
        let end = data.saturating_add(header.size);
        start = end.checked_next_multiple_of(512).unwrap_or(u64::MAX);
        bytes = reader.into_inner();
        if header.what != EntryType::File {
            continue;
        }
        if members == most {
            ended.over = Some(most + 1);
            break;
        }
        members += 1;
        let (size, packing) = (header.size, Ok(Packing::Stored));
        let place = MemberPlace { start: data, packed: size, size, crc: None, packing, has_header: false };
        if !take(Listed { name: header.name.trim_start_matches("./").to_owned(), place }) {
            break;
        }
        if end > tar.length() {
            let missing = end - tar.length();
            ended.broken = Some(format!("the tar is cut, {missing} bytes before the end of a member"));
            break;
        }
    }
    Ok(ended)
}
