//! The file of a ledger: its name, and how it is written, read and checked.

use super::{
    InputKind, Ledger, LedgerHeader, Provenance, VERSION,
    index::{self, IndexHeader},
    packing,
    unreadable::OF_STORE,
};
use hullmark_storage as storage;
use hullmark_util::{
    advice,
    named_file::open_regular,
    timings::{self, Stage},
};
use serde::Deserialize;
use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process, thread,
    time::{SystemTime, UNIX_EPOCH},
};
use thiserror::Error;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Maximum length of a header in bytes: a header has eight states of at most 1,000 regions each. The search for the end
/// of the line stops here, if the file is no ledger.
const LONGEST_HEADER: usize = 8 * 1024 * 1024;

/// Most headers are shorter than this number of bytes.
const USUAL_HEADER: usize = 16 * 1024;

pub const EXTENSION: &str = "ledger";

/// The extension of the ledger of a former input. It is not reported and keeps the earlier states.
pub const PAST: &str = "past";

/// The extension of an incomplete ledger file.
pub const PARTIAL: &str = "partial";

/// The reason why a ledger was refused.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// The ledger could not be written, or a folder could not be listed.
    #[error("The ledger {} cannot be read or written; {}", path.display(), advice::to_write(source, "folder"))]
    Io { path: PathBuf, source: io::Error },
    /// The ledger could not be opened or read.
    #[error("The ledger {} cannot be read: {}. {}", path.display(), advice::to_read(error), what_to_do(error))]
    Unreadable { path: PathBuf, error: io::Error },
    /// The file has the name or the start of a ledger, and is damaged.
    #[error("The ledger {} is damaged ({why}). Delete it and scan its input again", path.display())]
    Damaged { path: PathBuf, why: String },
    /// The file has neither the name nor the start of a ledger.
    #[error(
        "{} is not a ledger. Name ledgers, or folders of ledgers, here. `hullmark audit` reads exports",
        path.display()
    )]
    NoLedger { path: PathBuf },
    /// The ledger has another version of the format.
    #[error(
        "The ledger {} has format version {found}; this program reads version {VERSION}. Scan its input again",
        path.display()
    )]
    Version { path: PathBuf, found: u32 },
}

/// The start of each ledger.
const START: &[u8] = b"{\"hullmark_ledger\":";

/// Returns what a person can do about a ledger that cannot be read.
fn what_to_do(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::IsADirectory => "Rename that folder, and scan the input again",
        io::ErrorKind::PermissionDenied => "Give this user the right to read it",
        _ => "Check its disk, or scan its input again",
    }
}

/// Returns the file name of an input's ledger: readable, and different for every path. One path may be an audited input
/// and a store.
pub fn file_name(input: &str, store: bool) -> String {
    let last = input.rsplit(['/', '\\']).find(|step| !step.is_empty()).unwrap_or("input");
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let readable: String = last.chars().take(60).map(safe).collect();
    let before = match store {
        true => OF_STORE,
        false if is_device(last) => "_",
        false => "",
    };
    format!("{before}{readable}-{:016x}.{EXTENSION}", xxh3_64(input.as_bytes()))
}

/// Whether Windows takes a file of this name for a device, with any extension. A member of a container may have it.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_port = |port: &str| port.len() == 1 && port != "0";
    matches!(&*stem, "con" | "prn" | "aux" | "nul" | "conin$" | "conout$")
        || ["com", "lpt"].iter().any(|kind| stem.strip_prefix(kind).is_some_and(is_port))
}

/// Whether a file has the name of a ledger, complete or partial.
pub fn is_file_name(path: &Path) -> bool {
    let half = Path::new(path.file_stem().unwrap_or_default());
    let is_half = path.extension().is_some_and(|ending| ending == PARTIAL);
    let stem = if is_half { half.file_stem() } else { Some(half.as_os_str()) };
    let stem = stem.unwrap_or_default().to_string_lossy();
    let hash = stem.rsplit_once('-').map(|(_, hash)| hash);
    hash.is_some_and(|hash| hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a file has exactly the name that this program gives to a complete ledger.
pub(super) fn is_named_so(path: &Path) -> bool {
    is_file_name(path) && path.extension().is_some_and(|ending| ending == EXTENSION)
}

impl Ledger {
    /// Writes the ledger into a folder atomically.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LedgerError> {
        self.write_with(folder, self.header()).map(|(path, _)| path)
    }

    /// Returns the file of the ledger: its name and its bytes.
    pub fn to_file(&self) -> io::Result<(String, Vec<u8>)> {
        let (header, body) = self.pack(self.header());
        let mut bytes = header.line()?;
        bytes.extend(&body);
        Ok((file_name(&header.input, self.is_store()), bytes))
    }

    /// Writes the ledger with this header, which states its provenance and earlier states. So a later run can check
    /// whether the ledger is still valid. Returns the path, and the header with the checksum.
    pub fn write_with(
        &self,
        folder: &Path,
        header: LedgerHeader,
    ) -> Result<(PathBuf, LedgerHeader), LedgerError> {
        let path = folder.join(file_name(&header.input, header.kind == InputKind::Store));
        let (header, body) = self.pack(header);
        match timings::within(Stage::Ledger, || place(&path, &header, &body)) {
            Ok(()) => Ok((path, header)),
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    /// Returns the data after the header: the index, and the packed facts. Completes the header by what depends on them.
    fn pack(&self, header: LedgerHeader) -> (LedgerHeader, Vec<u8>) {
        timings::within(Stage::Ledger, || {
            let index_bytes = index::of(self);
            let index = IndexHeader::of(&index_bytes);
            let body = packing::pack(self, index_bytes);
            let checksum = format!("{:032x}", xxh3_128(&body));
            (LedgerHeader { index, checksum, ..header }, body)
        })
    }

    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let (header, body) = read_whole(path)?;
        let checksum = header.checksum.clone();
        Ok(Self { checksum, ..unpacked(path, (header, body))? })
    }

    pub fn from_file(bytes: Vec<u8>) -> Result<Self, LedgerError> {
        let path = Path::new("in memory");
        unpacked(path, whole(path, bytes)?)
    }
}

pub fn read_header(path: &Path) -> Result<LedgerHeader, LedgerError> {
    timings::within(Stage::Ledger, || {
        let line = first_line(path).map_err(unreadable(path))?;
        timings::pass(Stage::Ledger, line.len());
        parse(path, &line)
    })
}

/// Reads the header of a ledger that another version of the program may have written. Summaries are valid in all
/// versions of the facts.
pub fn read_any_header(path: &Path) -> Result<LedgerHeader, LedgerError> {
    let line = first_line(path).map_err(unreadable(path))?;
    let header = header_of(path, &line)?;
    if header.hullmark_ledger == VERSION { unsealed(path, header) } else { Ok(header) }
}

/// Makes an error from a failed read.
pub(super) fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> LedgerError {
    move |error| LedgerError::Unreadable { path: path.into(), error }
}

/// Refuses everything on a disk that is no file. Nothing ends a pipe, and a folder has no content.
pub(super) fn ensure_file(path: &Path) -> io::Result<()> {
    if storage::is_url(path) {
        return Ok(());
    }
    let meta = fs::metadata(path)?;
    match (meta.is_file(), meta.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")),
    }
}

/// Reads the first line of a file or an object, and as little as possible of the rest.
pub(super) fn first_line(path: &Path) -> io::Result<Vec<u8>> {
    ensure_file(path)?;
    let mut line = Vec::new();
    if !storage::is_url(path) {
        let reader = BufReader::new(open_regular(path)?);
        reader.take(LONGEST_HEADER as u64).read_until(b'\n', &mut line)?;
        return Ok(line);
    }
    for bytes in [USUAL_HEADER, LONGEST_HEADER] {
        line = storage::start(path, bytes)?;
        if let Some(end) = line.iter().position(|&byte| byte == b'\n') {
            line.truncate(end + 1);
            break;
        }
        if line.len() < bytes {
            break;
        }
    }
    Ok(line)
}

/// Reads the header, and checks that the facts are complete. A file in an object store is always complete, so its facts
/// are only checked when they are read.
///
/// # Errors
/// The same as for reading a ledger, except for facts that this program does not expect.
pub fn verify(path: &Path) -> Result<LedgerHeader, LedgerError> {
    if storage::is_url(path) { read_header(path) } else { read_whole(path).map(|(header, _)| header) }
}

/// Replaces the provenance in the header of a ledger, and keeps its facts.
pub fn replace_provenance(path: &Path, made: Provenance) -> Result<(), LedgerError> {
    let (header, body) = read_whole(path)?;
    let header = LedgerHeader { made: Some(made), ..header };
    place(path, &header, &body).map_err(|source| LedgerError::Io { path: path.into(), source })
}

fn read_whole(path: &Path) -> Result<(LedgerHeader, Vec<u8>), LedgerError> {
    let read = timings::within(Stage::Ledger, || ensure_file(path).and_then(|()| storage::read(path)));
    whole(path, read.map_err(unreadable(path))?)
}

/// Unpacks the data of a ledger file.
fn unpacked(path: &Path, (header, body): (LedgerHeader, Vec<u8>)) -> Result<Ledger, LedgerError> {
    let unpacked = timings::within(Stage::Ledger, || {
        let facts = body.get(header.index.bytes..).ok_or(io::ErrorKind::InvalidData)?;
        packing::unpack(facts)
    });
    unpacked.map_err(|error| LedgerError::Damaged { path: path.into(), why: error.to_string() })
}

/// Returns the parts of a ledger file: the header, and the data after it.
fn whole(path: &Path, mut bytes: Vec<u8>) -> Result<(LedgerHeader, Vec<u8>), LedgerError> {
    timings::pass(Stage::Ledger, bytes.len());
    let line =
        bytes.iter().take(LONGEST_HEADER).position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let header = parse(path, &bytes[..line])?;
    // Without a copy: the buffer may be as large as all other data.
    bytes.drain(..line);
    if format!("{:032x}", xxh3_128(&bytes)) == header.checksum {
        return Ok((header, bytes));
    }
    Err(LedgerError::Damaged { path: path.into(), why: "its checksum is wrong".into() })
}

pub(super) fn parse(path: &Path, line: &[u8]) -> Result<LedgerHeader, LedgerError> {
    // Another version may have other headers, which are not damaged.
    if let Ok(Head { hullmark_ledger: found }) = serde_json::from_slice(line)
        && found != VERSION
    {
        return Err(LedgerError::Version { path: path.into(), found });
    }
    unsealed(path, header_of(path, line)?)
}

/// Refuses a header that is not as it was written.
fn unsealed(path: &Path, mut header: LedgerHeader) -> Result<LedgerHeader, LedgerError> {
    match header.unseal() {
        true => Ok(header),
        false => Err(LedgerError::Damaged { path: path.into(), why: "its header was changed".into() }),
    }
}

/// The version alone, which is the first value of the header in each version.
#[derive(Deserialize)]
struct Head {
    hullmark_ledger: u32,
}

/// Parses a header of any version.
fn header_of(path: &Path, line: &[u8]) -> Result<LedgerHeader, LedgerError> {
    let path = PathBuf::from(path);
    serde_json::from_slice(line).map_err(|error| match () {
        () if !line.starts_with(START) && !is_named_so(&path) => LedgerError::NoLedger { path },
        () if line.is_empty() => LedgerError::Damaged { path, why: "it is empty".into() },
        () => LedgerError::Damaged { path, why: format!("its header cannot be read: {error}") },
    })
}

/// Writes a file atomically. Each writer, on this machine or another, uses its own temporary file.
fn place(path: &Path, header: &LedgerHeader, body: &[u8]) -> io::Result<()> {
    let mut line = header.line()?;
    if storage::is_url(path) {
        line.extend(body);
        return storage::put(path, line);
    }
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let own = xxh3_64(format!("{} {moment} {:?}", process::id(), thread::current().id()).as_bytes());
    let partial = path.with_extension(format!("{own:016x}.{PARTIAL}"));
    let placed = File::create_new(&partial)
        .and_then(|mut file| file.write_all(&line).and_then(|()| file.write_all(body)))
        .and_then(|()| storage::rename(&partial, path));
    if placed.is_err() {
        // On a full disk the partial file would take space that later files need.
        let _ = fs::remove_file(&partial);
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn no_ledger_has_the_name_of_a_device() {
        for name in ["NUL.oar", "backup.zip/aux", "com1.region.oar", "nul", "CON .oar"] {
            assert!(file_name(name, false).starts_with('_'), "{name}");
        }
        for name in ["null.oar", "com.oar", "com10.oar", "console.iar", "a/nul.d/region.oar"] {
            assert!(!file_name(name, false).starts_with('_'), "{name}");
        }
    }
}
