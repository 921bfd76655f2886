//! The seam: all that was learnt from one input, in one file.
//!
//! `scan` writes ledgers and `report` reads them; nothing else passes between the two. A ledger is a line of
//! JSON that says what it is of, and behind it the facts as gzipped JSON. The line holds the checksum of what
//! follows, so a ledger that was cut or altered is refused. It is written beside its place and renamed into it:
//! a ledger that is there is whole.

use crate::{
    facts::{
        AssetFacts, ContainerFacts, MeshFacts, ObjectFacts, RegionFacts, SculptFacts, Status, UnknownFile,
    },
    finding::Finding,
};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Version of the format: raised whenever facts change their meaning or their shape.
pub const VERSION: u32 = 3;

/// The ending of a ledger's file name.
pub const EXTENSION: &str = "ledger";

/// The kind of a ledger that is of a store: its assets count as present for inputs that lack them.
pub const STORE: &str = "store";

/// All that was learnt from one input.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The input's path, as it is shown.
    pub input: String,
    /// What it is: `oar`, `iar`, `oar-tree`, `iar-tree`, `folder`, `unreadable`; [`STORE`], whatever it is besides.
    pub kind: String,
    /// Bytes on the disk.
    pub bytes: u64,
    /// xxh3-128 of those bytes, 32 hexadecimal digits; absent where not all were read.
    pub content_hash: Option<String>,
    /// How far it was read.
    pub status: Status,
    /// The container.
    pub container: ContainerFacts,
    /// Its regions.
    pub regions: Vec<RegionFacts>,
    /// Every asset, in the order of the input.
    pub assets: Vec<AssetFacts>,
    /// Its meshes, in the order of the input.
    pub meshes: Vec<MeshFacts>,
    /// The sculpt maps that its objects use and it holds, by UUID.
    pub sculpts: Vec<SculptFacts>,
    /// Its objects, in the order of the input.
    pub objects: Vec<ObjectFacts>,
    /// Files that were not audited.
    pub unknown: Vec<UnknownFile>,
    /// What was found while decoding.
    pub findings: Vec<Finding>,
}

/// The line in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    /// Version of the format.
    pub hullmark_ledger: u32,
    /// Version of the program that wrote it.
    pub program: String,
    /// The input's path, as it is shown.
    pub input: String,
    /// What it is.
    pub kind: String,
    /// xxh3-128 of what follows.
    pub checksum: String,
}

/// Why a ledger was refused.
#[derive(Debug, Error)]
pub enum LedgerError {
    /// It could not be read or written.
    #[error("The ledger {} cannot be read or written", path.display())]
    Io {
        /// The ledger.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is damaged, or no ledger at all.
    #[error("{} is not a whole ledger ({why}); delete it and scan its input again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It was written in another version of the format.
    #[error(
        "The ledger {} has format version {found}, and this program reads {VERSION}; scan its input again",
        path.display()
    )]
    Version {
        /// The ledger.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// The file name of an input's ledger: readable, and different for every path.
pub fn file_name(input: &str) -> String {
    let last = input.rsplit(['/', '\\']).find(|step| !step.is_empty()).unwrap_or("input");
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let readable: String = last.chars().take(60).map(safe).collect();
    format!("{readable}-{:016x}.{EXTENSION}", xxh3_64(input.as_bytes()))
}

impl Ledger {
    /// Writes the ledger into a folder, whole or not at all.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LedgerError> {
        // A path may be audited and be a store too.
        let before = if self.is_store() { "store-" } else { "" };
        let path = folder.join(before.to_owned() + &file_name(&self.input));
        let partial = path.with_extension("partial");
        let written = self.encode().and_then(|bytes| {
            let mut file = File::create(&partial)?;
            file.write_all(&bytes)?;
            fs::rename(&partial, &path)
        });
        match written {
            Ok(()) => Ok(path),
            Err(source) => Err(LedgerError::Io { path, source }),
        }
    }

    /// Whether it is of a store, and not of something to audit.
    pub fn is_store(&self) -> bool {
        self.kind == STORE
    }

    /// Meshes and sculpt maps that its objects take their form from and that it does not hold.
    pub fn missing_bodies(&self) -> impl Iterator<Item = Uuid> {
        let present: HashSet<Uuid> = self.assets.iter().filter_map(|asset| asset.uuid).collect();
        let parts = self.objects.iter().flat_map(|object| &object.linkset.parts);
        let bodies = parts.flat_map(|part| part.mesh().into_iter().chain(part.sculpt_map()));
        bodies.filter(move |uuid| !present.contains(uuid))
    }

    fn encode(&self) -> io::Result<Vec<u8>> {
        // Level 1 of zlib-rs has fixed codes, and hashes and UUIDs take a third more with them.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(2));
        serde_json::to_writer(io::BufWriter::with_capacity(64 * 1024, &mut encoder), self)?;
        let body = encoder.finish()?;
        let label = Label {
            hullmark_ledger: VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            input: self.input.clone(),
            kind: self.kind.clone(),
            checksum: format!("{:032x}", xxh3_128(&body)),
        };
        let mut bytes = serde_json::to_vec(&label)?;
        bytes.push(b'\n');
        bytes.extend(body);
        Ok(bytes)
    }

    /// Reads a ledger.
    pub fn read(path: &Path) -> Result<Self, LedgerError> {
        let (label, mut reader) = open(path)?;
        let damaged = |why: String| LedgerError::Damaged { path: path.into(), why };
        let mut body = Vec::new();
        reader.read_to_end(&mut body).map_err(|source| LedgerError::Io { path: path.into(), source })?;
        if format!("{:032x}", xxh3_128(&body)) != label.checksum {
            return Err(damaged("its checksum is wrong".into()));
        }
        let json = BufReader::with_capacity(64 * 1024, GzDecoder::new(body.as_slice()));
        serde_json::from_reader(json).map_err(|error| damaged(error.to_string()))
    }
}

/// Reads the line in front of a ledger.
pub fn read_label(path: &Path) -> Result<Label, LedgerError> {
    open(path).map(|(label, _)| label)
}

fn open(path: &Path) -> Result<(Label, BufReader<File>), LedgerError> {
    let io_error = |source| LedgerError::Io { path: path.into(), source };
    let mut reader = BufReader::new(File::open(path).map_err(io_error)?);
    let mut line = Vec::new();
    // A label is short: a file that is no ledger is not read to its end in search of a line.
    (&mut reader).take(64 * 1024).read_until(b'\n', &mut line).map_err(io_error)?;
    let label: Label = serde_json::from_slice(&line)
        .map_err(|error| LedgerError::Damaged { path: path.into(), why: error.to_string() })?;
    match label.hullmark_ledger {
        VERSION => Ok((label, reader)),
        found => Err(LedgerError::Version { path: path.into(), found }),
    }
}

/// Finds the ledgers in files and folders and sorts them by their inputs: the order of every report.
pub fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LedgerError> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push((read_label(path)?.input, path.clone()));
            continue;
        }
        let io_error = |source| LedgerError::Io { path: path.clone(), source };
        for entry in fs::read_dir(path).map_err(io_error)? {
            let path = entry.map_err(io_error)?.path();
            if path.extension().is_some_and(|extension| extension == EXTENSION) {
                found.push((read_label(&path)?.input, path));
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Code;

    fn ledger(input: &str) -> Ledger {
        Ledger {
            input: input.into(),
            kind: "oar".into(),
            bytes: 7,
            content_hash: Some("0".repeat(32)),
            status: Status::Incomplete,
            container: ContainerFacts::default(),
            regions: Vec::new(),
            assets: Vec::new(),
            meshes: Vec::new(),
            sculpts: Vec::new(),
            objects: Vec::new(),
            unknown: Vec::new(),
            findings: vec![Finding::new(Code::ARC001).detail("cut").within("x")],
        }
    }

    #[test]
    fn what_is_written_is_read_and_sorted_by_input() {
        let folder = tempfile::tempdir().unwrap();
        let second = ledger("b/=odd name.oar").write(folder.path()).unwrap();
        let first = ledger("a/z.oar").write(folder.path()).unwrap();
        assert_eq!(Ledger::read(&second).unwrap(), ledger("b/=odd name.oar"));
        assert_eq!(find(&[folder.path().into()]).unwrap(), [first, second]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = ledger("a.oar").write(folder.path()).unwrap();
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            fs::write(&path, &bytes).unwrap();
            // The label's own words are not behind the checksum, and do no harm.
            assert!(!matches!(Ledger::read(&path), Ok(read) if read != ledger("a.oar")), "byte {at}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(Ledger::read(&path).unwrap_err().to_string().contains("scan its input again"));
    }
}
