//! The content of a file of a tree.

use crate::gzip::GzipStream;
use hullmark_format::{
    asset_type::{self, OBJECT},
    defect::StoreFault,
    hashed_file::FileHash,
};
use hullmark_storage as storage;
use hullmark_util::timings::{self, Stage};
use sha2::{Digest, Sha256};
use std::{
    io::{self, BufReader, Read},
    path::Path,
};

/// Bytes that are read at a time.
const BUFFER: usize = 64 * 1024;

/// Why a file gives no content.
#[derive(Debug)]
pub(super) enum NoContent {
    Damaged(StoreFault),
    /// The content has more bytes than the limit.
    TooLong,
    Disk(io::Error),
}

/// Reads a file of at most `limit` bytes of content.
pub(super) fn read(path: &Path, is_packed: bool, limit: u64) -> Result<Vec<u8>, NoContent> {
    let file = storage::open_quietly(path).map_err(NoContent::Disk)?;
    let mut bytes = Vec::new();
    let read = timings::within(Stage::Read, || {
        let file = BufReader::with_capacity(BUFFER, file);
        // One byte above the limit shows whether more follow.
        let limit = limit.saturating_add(1);
        match is_packed {
            true => GzipStream::new(file).take(limit).read_to_end(&mut bytes),
            false => file.take(limit).read_to_end(&mut bytes),
        }
    });
    timings::pass(Stage::Read, bytes.len());
    match read {
        Ok(read) if read as u64 > limit => Err(NoContent::TooLong),
        Ok(0) => Err(NoContent::Damaged(StoreFault::Empty)),
        Ok(_) => Ok(bytes),
        Err(error) if is_packed && is_damage(&error) => Err(NoContent::Damaged(StoreFault::Gzip)),
        Err(error) => Err(NoContent::Disk(error)),
    }
}

fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Whether content belongs to a hash. The service rewrites the XML of objects after it computed the hash, so objects
/// always belong.
pub(super) fn belongs(bytes: &[u8], hash: FileHash, asset_type: Option<i64>) -> bool {
    let is_object = asset_type == Some(OBJECT) || asset_type::of_bytes(bytes) == Some(OBJECT);
    is_object || timings::within(Stage::Read, || Sha256::digest(bytes)[..] == hash.0)
}
