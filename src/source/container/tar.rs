//! Members of a tar that holds archives.
//!
//! Only headers are read; the reader jumps over the data.

use super::{
    bytes::Bytes,
    list::{Members, Packed, Packing},
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

/// Returns the members of a tar, at most `most` of them.
///
/// # Errors
/// It cannot be opened.
pub fn members(tar: &Bytes, most: u64, limits: &Limits) -> io::Result<Members> {
    let mut all = Members::default();
    let mut bytes = tar.open()?;
    let mut start = 0;
    loop {
        bytes.move_to(start);
        let mut reader = TarReader::new(bytes, limits);
        let header = match reader.next_header() {
            Ok(Some(header)) => header,
            Ok(None) => break,
            Err(error) => {
                all.broken = Some(match error {
                    TarError::Io(error) => error.to_string(),
                    TarError::Broken(why) => format!("after byte {start}: {why}"),
                    TarError::TooMuch(bytes) => format!("a header states {bytes} bytes of data"),
                });
                break;
            }
        };
        let data = start.saturating_add(reader.position());
        let end = data.saturating_add(header.size);
        start = end.next_multiple_of(512);
        bytes = reader.into_inner();
        if header.what != EntryType::File {
            continue;
        }
        if all.list.len() as u64 == most {
            all.over = Some(most + 1);
            break;
        }
        all.list.push(Packed {
            name: header.name.trim_start_matches("./").to_owned(),
            size: header.size,
            packed: header.size,
            crc: None,
            bytes: tar.part(data, header.size),
            packing: Ok(Packing::Stored),
            has_header: false,
            place: data..end,
        });
        if end > tar.length() {
            all.broken =
                Some(format!("the tar is cut, {} bytes before the end of a member", end - tar.length()));
            break;
        }
    }
    Ok(all)
}
