//! Determines the type of a file from its first bytes.

use super::{
    Kind, Loose, Place, container,
    database::sql,
    tar,
    unpack::{Unpack, is_packed},
};
use hullmark_database::sqlite;
use hullmark_format::{
    member::APPLE_DOUBLE,
    mesh::{self, Sniffed},
    viewer::{self, cached_mesh::CachedMesh},
    xml,
};
use hullmark_ledger::facts::FAILED_DUMP;
use hullmark_storage::contents;
use hullmark_util::zstd;
use std::io::{self, Read};

/// Number of bytes that [`sniff`] needs.
pub const WINDOW: usize = 16 * 1024;

/// Number of bytes that it needs of zstd, whose first block may be this long, and of a dump behind long comments.
const LONG_WINDOW: usize = sql::LONG_START;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sniff {
    /// A tar or a dump of databases, which may be compressed.
    Archive,
    /// A zip, or a tar of archives.
    Container,
    /// One asset, or an unknown file.
    Loose(Loose),
    /// A place in one file. Its content must still show whether it belongs to a simulator.
    Place(Place),
    /// A file that cannot be read, and why.
    Unreadable(String),
}

/// Description of the files of a report of this program.
pub const REPORT: &str = "a report of hullmark";

pub const LEDGER: &str = "a ledger of hullmark";

/// Description of decoded contents, which are in a folder of ledgers.
pub const CONTENTS: &str = "decoded contents of hullmark";

/// Description of a history, which is in a folder of ledgers.
pub const HISTORY: &str = "a history of hullmark";

/// Description of the control file of an unpacked archive.
pub const CONTROL: &str = "XML document <archive>";

/// Description of a dump that was written in the wrong encoding.
const UTF_16: &str = "UTF-16 text, perhaps a dump that PowerShell wrote (write it with --result-file)";

/// Description of a dump in a format of PostgreSQL.
const POSTGRESQL: &str = "dump of PostgreSQL in its own format (write it as SQL with pg_restore -f -)";

/// Description of what a browser saved in place of a file.
const WEB_PAGE: &str = "a web page (download the file itself)";

/// Description of the small file that Git keeps in place of a large one.
const LFS_POINTER: &str = "a pointer of Git LFS (fetch the file itself with git lfs pull)";

/// Description of a stream that cannot be unpacked, because a program replaced bytes of it.
const CHANGED_GZIP: &str = "a gzip stream that was changed as text (transfer it again in binary mode)";

/// Descriptions that say nothing about a kind.
const OF_NO_KIND: [&str; 2] = ["text", "unknown bytes"];

/// Description of a file without a byte.
const EMPTY: &str = "empty file";

const ZEROS: &str = "nothing but zeros";

/// How the description of a file begins whose only content is a message of a program.
const MESSAGE: &str = "text with a message of a program: ";

/// Describes a file of an unknown kind that has the name of a dump. A file without content is a failed dump.
pub fn named_as_dump(looks_like: String) -> String {
    let why = match looks_like.strip_prefix(MESSAGE) {
        Some(message) => format!("its only content is a message: {message}"),
        None if looks_like == EMPTY => "it is empty".into(),
        None if looks_like.starts_with("empty ") => format!("it is an {looks_like}"),
        None if looks_like == ZEROS => "it holds nothing but zeros".into(),
        None => return looks_like,
    };
    format!("{FAILED_DUMP}{why}")
}

/// The first bytes of `audit.json`.
const REPORT_STARTS: &[u8] = b"{\n  \"format\": 1,\n  \"complete\": ";

/// The first bytes of `history.csv`.
const HISTORY_STARTS: &[u8] = b"time,target,archive,region,identity,";

/// Determines the type of a file. The function returns as many of its first bytes as are asked for.
pub fn by(start: impl Fn(usize) -> io::Result<Vec<u8>>) -> io::Result<Sniff> {
    let bytes = start(WINDOW)?;
    let sniffed = sniff(&bytes);
    // An archive and a file of a known kind need no further bytes.
    let may_be_dump = || matches!(sniffed, Sniff::Loose(Loose::Unknown(_))) && is_undecided(&bytes);
    if bytes.len() == WINDOW && (bytes.starts_with(&zstd::MAGIC) || may_be_dump()) {
        return start(LONG_WINDOW).map(|bytes| sniff(&bytes));
    }
    Ok(sniffed)
}

/// Whether a text, perhaps packed, begins with comments like those of a dump.
fn is_undecided(start: &[u8]) -> bool {
    let mut head = Vec::new();
    if is_packed(start) {
        // The window cuts the stream, so an error behind some bytes means nothing.
        let _ = Unpack::new(start, start).take(sql::START as u64).read_to_end(&mut head);
    }
    sql::Start::of(if head.is_empty() { start } else { &head }) == sql::Start::Undecided
}

/// Determines the type of a file from its first [`WINDOW`] bytes.
pub fn sniff(start: &[u8]) -> Sniff {
    if is_packed(start) {
        return inside_packed(start);
    }
    if start.first_chunk().is_some_and(|first| container::ZIP.contains(first)) {
        return Sniff::Container;
    }
    if tar::is_tar(start) {
        return of_tar(start);
    }
    if let sql::Start::Dump(_) = sql::Start::of(start) {
        return Sniff::Archive;
    }
    if start.starts_with(sqlite::MAGIC) {
        return Sniff::Place(Place::Sqlite);
    }
    Sniff::Loose(sniff_loose(start))
}

fn of_tar(start: &[u8]) -> Sniff {
    // pg_dump --format=tar begins with its table of contents.
    if start.starts_with(b"toc.dat\0") {
        return Sniff::Loose(unknown(POSTGRESQL));
    }
    if container::holds_archives(start) { Sniff::Container } else { Sniff::Archive }
}

/// A gzip file is an archive unless its content is clearly something else: a damaged archive must be reported as one.
fn inside_packed(start: &[u8]) -> Sniff {
    let mut head = Vec::new();
    let mut unpack = Unpack::new(start, start);
    let name = unpack.name();
    let decoded = unpack.by_ref().take(sql::START as u64).read_to_end(&mut head);
    let mut text = sql::Start::of(&head);
    if text == sql::Start::Undecided {
        let _ = unpack.take(sql::LONG_START as u64).read_to_end(&mut head);
        text = sql::Start::of(&head);
    }
    if let sql::Start::Dump(_) = text {
        return Sniff::Archive;
    }
    if tar::is_tar(&head) {
        return of_tar(&head);
    }
    if head.is_empty() && decoded.is_ok() {
        return Sniff::Loose(Loose::Unknown(format!("empty {name} stream")));
    }
    if let Some(message) = sql::message_of(&head) {
        return Sniff::Loose(Loose::Unknown(format!("{MESSAGE}{message}")));
    }
    match (decoded, head.get(..512)) {
        (_, Some(head)) if head.iter().all(|&byte| byte == 0) => Sniff::Archive,
        (Err(_), None) => Sniff::Archive,
        _ if is_utf_16(&head) => Sniff::Loose(unknown(UTF_16)),
        // The window cuts the stream, so an error after the first block means nothing.
        _ => Sniff::Loose(Loose::Unknown(match sniff_loose(&head) {
            Loose::Unknown(kind) if !OF_NO_KIND.contains(&&*kind) => format!("{name} of {kind}"),
            _ => format!("{name} of something other than tar"),
        })),
    }
}

/// Whether a text begins with the byte-order mark of UTF-16 and a beginning of statements.
fn is_utf_16(start: &[u8]) -> bool {
    matches!(start, [0xff, 0xfe, b'-' | b'/' | b'S' | b'C' | b'I', 0, ..])
}

fn sniff_loose(start: &[u8]) -> Loose {
    match mesh::sniff(start) {
        Sniffed::Mesh => return Loose::Known(Kind::Mesh),
        Sniffed::Scene => return Loose::Known(Kind::Scene),
        Sniffed::OtherLlsd => return unknown("binary LLSD of another kind"),
        Sniffed::NotLlsd => {}
    }
    if CachedMesh::with_preamble(start).is_some() {
        return Loose::Known(Kind::Mesh);
    }
    if viewer::sniff(start).is_some() {
        return Loose::Known(Kind::ViewerExport);
    }
    if is_web_page(start) {
        return unknown(WEB_PAGE);
    }
    if let Some(root) = xml::root_element(start) {
        return match root.as_str() {
            "SceneObjectGroup" | "SceneObjectPart" | "CoalescedObject" | "scene" => {
                Loose::Known(Kind::Object)
            }
            // `assets/AssetSets.xml`, `inventory/Libraries.xml` and the files that they name, next to OpenSim's
            // programs.
            "mysqldump" | "pma_xml_export" => {
                unknown("dump of MySQL as XML (write it as SQL: mysqldump without --xml)")
            }
            "COLLADA" => Loose::Known(Kind::Model),
            "Nini" => unknown("opensim-library (assets and inventory that OpenSim brings along)"),
            _ => Loose::Unknown(format!("XML document <{root}>")),
        };
    }
    match start {
        [] => unknown(EMPTY),
        start if start.starts_with(REPORT_STARTS) => unknown(REPORT),
        start if start.starts_with(b"{\"hullmark_ledger\":") => unknown(LEDGER),
        start if start.starts_with(contents::START) => unknown(CONTENTS),
        start if start.starts_with(b"{\"hullmark_reading\":") => unknown(LEDGER),
        start if start.starts_with(HISTORY_STARTS) => unknown(HISTORY),
        start if start.starts_with(b"{\"hullmark_plan\":") => unknown("a plan of hullmark"),
        start if start.starts_with(b"PGDMP") => unknown(POSTGRESQL),
        start if start.starts_with(b"TAPE\0") => {
            unknown("backup of Microsoft SQL Server (restore it, and write an archive with the simulator)")
        }
        start if is_utf_16(start) => unknown(UTF_16),
        [b'P', b'K', 7, 8, ..] => unknown("the first part of a split zip (join its parts to one file)"),
        start if start.starts_with(&sqlite::JOURNAL_MAGIC) => unknown("journal of a SQLite database"),
        [0x37, 0x7f, 0x06, 0x82 | 0x83, ..] => unknown("write-ahead log of a SQLite database"),
        [0x18, 0xe2, 0x2d, 0, ..] => unknown("index of a write-ahead log of SQLite"),
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => {
            unknown("zlib stream of something other than a viewer's object export (.oxp)")
        }
        [0xfd, b'7', b'z', b'X', b'Z', ..] => unknown("xz stream"),
        [b'7', b'z', 0xbc, 0xaf, ..] => unknown("7z archive (unpack it and name its files)"),
        [b'R', b'a', b'r', b'!', 0x1a, ..] => unknown("rar archive (unpack it and name its files)"),
        [b'B', b'Z', b'h', ..] => unknown("bzip2 stream"),
        [0xff, 0x4f, 0xff, 0x51, ..] | [0, 0, 0, 12, b'j', b'P', ..] => Loose::Known(Kind::Texture),
        start if start.starts_with(&APPLE_DOUBLE) => unknown("metadata of macOS"),
        start if start.starts_with(b"HTTP/") => unknown("a reply of a web server (download the file itself)"),
        start if is_changed_gzip(start) => unknown(CHANGED_GZIP),
        start if is_packed(start) => unknown("another packed stream (unpack it once)"),
        start if start.starts_with(b"version https://git-lfs") => unknown(LFS_POINTER),
        start if is_gltf(start) => Loose::Known(Kind::Model),
        [0xff, 0xd8, 0xff, ..] => unknown("JPEG image"),
        [0x89, b'P', b'N', b'G', ..] => unknown("PNG image"),
        _ if start.iter().all(|&byte| byte == 0) => unknown(ZEROS),
        start if let Some(message) = sql::message_of(start) => Loose::Unknown(format!("{MESSAGE}{message}")),
        _ if std::str::from_utf8(start).is_ok_and(|text| !text.contains('\0')) => unknown("text"),
        _ => unknown("unknown bytes"),
    }
}

/// Whether a file begins as glTF, binary or not. A material of glTF has no geometry.
fn is_gltf(start: &[u8]) -> bool {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    let has = |key: &str| memchr::memmem::find(text, key.as_bytes()).is_some();
    start.starts_with(b"glTF")
        || text.starts_with(b"{")
            && has("\"asset\"")
            && ["\"nodes\"", "\"meshes\"", "\"accessors\"", "\"bufferViews\""].into_iter().any(has)
}

/// Whether bytes are the start of a gzip stream after a program that took it for text: as UTF-8, or with seven bits.
fn is_changed_gzip(start: &[u8]) -> bool {
    [&b"\x1f\xef\xbf\xbd\x08"[..], b"\x1f\xc2\x8b\x08", b"\x1f?\x08", b"\x1f\x0b\x08"]
        .iter()
        .any(|changed| start.starts_with(changed))
}

/// Whether a text begins as HTML. Few pages are well-formed XML.
fn is_web_page(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    let begins = |with: &[u8]| start.get(..with.len()).is_some_and(|first| first.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html")
}

fn unknown(looks_like: &str) -> Loose {
    Loose::Unknown(looks_like.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bytes_decide() {
        let mut tar = ::tar::Header::new_gnu();
        tar.set_path("archive.xml").unwrap();
        tar.set_size(0);
        tar.set_cksum();
        let tar = tar.as_bytes();
        assert_eq!(sniff(tar), Sniff::Archive);
        assert_eq!(sniff(&gzip(tar)), Sniff::Archive);
        assert_eq!(sniff(&gzip(tar)[..20]), Sniff::Archive, "cut, and still named as an archive");
        assert_eq!(sniff(b"\x1f\x8b\xff\xff damaged"), Sniff::Archive);
        let text = gzip(b"a log that somebody compressed, long enough to be seen").repeat(1);
        assert!(matches!(sniff(&text), Sniff::Loose(Loose::Unknown(_))));
        assert_eq!(sniff(b"PK\x03\x04..."), Sniff::Container);
        let powershell = gzip(
            &"\u{feff}-- MySQL dump 10.13".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        );
        assert_eq!(sniff(&powershell), Sniff::Loose(unknown(UTF_16)));
        assert_eq!(sniff(b""), Sniff::Loose(unknown("empty file")));
        let named = |bytes: &[u8]| match sniff(bytes) {
            Sniff::Loose(Loose::Unknown(looks_like)) => named_as_dump(looks_like),
            other => format!("{other:?}"),
        };
        let denied = b"mysqldump: Got error: 1045: Access denied for user 'opensim'@'localhost'\n";
        let message = "a failed dump: its only content is a message: mysqldump: Got error: 1045: Access denied for \
                       user 'opensim'@'localhost'";
        assert_eq!((&*named(denied), &*named(&gzip(denied))), (message, message));
        assert_eq!(named(b""), "a failed dump: it is empty");
        assert_eq!(named(&gzip(b"")), "a failed dump: it is an empty gzip stream");
        assert_eq!(named(&[0; 600]), "a failed dump: it holds nothing but zeros");
        assert_eq!(named(b"notes about a dump"), "text");
        assert_eq!(named(&gzip(b"notes about a dump")), "gzip of something other than tar");
        assert_eq!(named(&gzip(b"PGDMP\x01\x0e")), format!("gzip of {POSTGRESQL}"));
        assert!(named(b"<?xml version=\"1.0\"?><mysqldump><database name=\"a\">").contains("as XML"));
        let mut pg_dump = ::tar::Header::new_gnu();
        pg_dump.set_path("toc.dat").unwrap();
        pg_dump.set_size(0);
        pg_dump.set_cksum();
        assert_eq!(named(pg_dump.as_bytes()), POSTGRESQL);
        let warned = b"mysqldump: [Warning] Using a password can be insecure.\n-- MySQL dump 10.13\n";
        assert_eq!((sniff(warned), sniff(&gzip(warned))), (Sniff::Archive, Sniff::Archive));
        assert_eq!(sniff(b"{ \"json\": true }"), Sniff::Loose(unknown("text")));
        assert_eq!(sniff(b"<SceneObjectGroup><Scene"), Sniff::Loose(Loose::Known(Kind::Object)));
        assert_eq!(
            sniff(b"<?xml version=\"1.0\"?><RegionSettings>"),
            Sniff::Loose(Loose::Unknown("XML document <RegionSettings>".into()))
        );
    }
}
