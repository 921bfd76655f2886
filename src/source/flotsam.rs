//! The Flotsam cache: assets that a simulator used lately, each serialized by .NET in a file that is named by its ID.
//!
//! The simulator removes files that nobody read for some days. So files are opened without changing their access time.
//! An asset that is absent here may exist anywhere, so its absence means nothing.

use super::{
    Input, Place, ReadRequest, Reading, Stamp, Visitor, What,
    archive::over_budget,
    database,
    fsassets::{FoundFile, files, size_and_stamp},
    not_read, shown,
};
use hullmark_format::{
    defect::{Budget, Defect, StoreDefect},
    member, nrbf,
};
use hullmark_ledger::{InputKind, facts::UnknownFile};
use hullmark_storage as storage;
use hullmark_util::timings::{self, Stage};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// Longest name of a folder (`CacheDirectoryTierLength`), and most folders in folders (`CacheDirectoryTiers`).
const TIER_LENGTH: usize = 4;
const TIERS: usize = 3;

/// Entries of each folder in which a cache is searched for its first file.
const PROBED: usize = 8;

/// Bytes that show the class of a serialized object.
const START: u64 = 512;

/// Names of files that are parts of the program and no assets: which regions use which assets.
const STATUS: &str = "RegionStatus_";

/// Decoded layers of a texture have this before its UUID.
const LAYERS: &str = "j2k";

pub(super) fn inputs(name: String, path: PathBuf) -> io::Result<Vec<Input>> {
    fs::read_dir(&path)?;
    let (bytes, stamp) = now(&path);
    let what = What::Place(Place::Flotsam);
    Ok(vec![Input { bytes, stamp, ..Input::new(name, path, what) }])
}

pub(super) fn stamp_now(path: &Path) -> Option<Stamp> {
    now(path).1
}

fn now(path: &Path) -> (u64, Option<Stamp>) {
    size_and_stamp(&[path.to_owned()], [].iter())
}

/// Whether a folder is the root of a cache: a file in its folders has a serialized asset, and begins with their names.
pub(super) fn is_cache(root: &Path) -> bool {
    probe(root, "", 0)
}

fn probe(folder: &Path, digits: &str, depth: usize) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    if depth > 0 {
        let is_named = |path: &&PathBuf| {
            let name = name(path).to_ascii_lowercase();
            name.starts_with(digits) && (member::begins_with_uuid(&name) || name.starts_with(LAYERS))
        };
        let mut files = paths.iter().filter(is_named).filter(|path| path.is_file()).take(PROBED);
        if files.any(|path| starts_an_asset(path)) {
            return true;
        }
    }
    let is_tier = |path: &&PathBuf| {
        let name = name(path);
        (1..=TIER_LENGTH).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let mut tiers = paths.iter().filter(|path| is_tier(path) && path.is_dir()).take(PROBED);
    let below = |path: &PathBuf| format!("{digits}{}", name(path).to_ascii_lowercase());
    depth < TIERS && tiers.any(|path| probe(path, &below(path), depth + 1))
}

fn starts_an_asset(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = storage::open_quietly(path).and_then(|file| file.take(START).read_to_end(&mut start));
    read.is_ok() && nrbf::is_asset(&start)
}

pub(super) fn read(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
    let limits = request.limits;
    let mut reading = Reading::new(limits);
    reading.kind = Some(InputKind::Flotsam);
    reading.container.is_partial = true;
    for file in files(std::slice::from_ref(&input.path)) {
        let (entries, bytes) = (reading.container.entries, reading.container.expanded_bytes);
        let over = match request.deadline.check() {
            Err(error) => Some(not_read(&error)),
            Ok(()) if entries >= limits.entries => {
                Some(over_budget(Budget::Files, entries + 1, limits.entries))
            }
            Ok(()) if bytes > limits.archive_bytes => {
                Some(over_budget(Budget::BytesInAll, bytes, limits.archive_bytes))
            }
            Ok(()) => None,
        };
        if let Some(over) = over {
            reading.give_up(over);
            break;
        }
        if visitor.enough() {
            break;
        }
        match file {
            Ok(file) => take(input, &file, request, visitor, &mut reading),
            Err((path, error)) => reading.give_up(not_read(&error).entry(entry_of(input, &path))),
        }
    }
    reading
}

/// Reads one file, and passes its asset on.
fn take(
    input: &Input,
    FoundFile { path, meta }: &FoundFile,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
    reading: &mut Reading,
) {
    let limits = request.limits;
    let (entry, size) = (entry_of(input, path), meta.len());
    let name = entry.rsplit('/').next().unwrap_or(&entry);
    if name.starts_with(STATUS) && name.ends_with(".fac") {
        return visitor.progress(size);
    }
    let bytes = match read_file(path, limits.entry_bytes) {
        Ok(bytes) => bytes,
        // The simulator removed it since the folder was listed.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return reading.give_up(not_read(&error).entry(entry)),
    };
    visitor.progress(size);
    if bytes.len() as u64 > limits.entry_bytes {
        let over = over_budget(Budget::BytesInFile, size, limits.entry_bytes);
        return reading.give_up(over.entry(entry));
    }
    let asset = match nrbf::decode(&bytes) {
        Ok(asset) => asset,
        Err(_) if !is_named_as_asset(name) => {
            // A simulator writes a file under another name before it is complete.
            let looks_like = "a file of no asset in a cache".into();
            return reading.unknown.push(UnknownFile { entry, bytes: size, looks_like, further: 0 });
        }
        Err(why) if request.is_whole => {
            return reading.defects.push(Defect::new(StoreDefect::CacheFile { why }).entry(entry));
        }
        Err(_) => return,
    };
    reading.unpacked += size;
    reading.container.entries += 1;
    let Some(uuid) = uuid_of(asset.id) else { return };
    let name = member::asset_path(uuid, asset.asset_type);
    reading.container.expanded_bytes += asset.bytes.len() as u64;
    reading.count_asset(&name);
    database::pass(&name, member::classify(&name).kind, asset.bytes.into(), visitor);
}

/// Whether a file has the name of an asset. Until they are complete, files have random names with a dot.
fn is_named_as_asset(name: &str) -> bool {
    name.starts_with(LAYERS) || member::uuid_in(name).is_some()
}

/// Returns the UUID of an asset. The ID of an asset of another grid begins with an address.
fn uuid_of(id: &str) -> Option<Uuid> {
    let last = id.rsplit('/').next().unwrap_or(id);
    Uuid::try_parse(last).ok().filter(|uuid| !uuid.is_nil())
}

fn entry_of(input: &Input, path: &Path) -> String {
    shown(path.strip_prefix(&input.path).unwrap_or(path)).replace('\\', "/")
}

fn read_file(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    timings::within(Stage::Read, || {
        let mut bytes = Vec::new();
        let file = storage::open_quietly(path)?;
        file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
        timings::pass(Stage::Read, bytes.len());
        Ok(bytes)
    })
}
