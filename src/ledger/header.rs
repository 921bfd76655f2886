//! The header of a ledger's file: input, summaries, provenance and checksum.

use super::{
    InputKind, Ledger, VERSION,
    facts::{ContainerFacts, RegionFacts},
    index::IndexHeader,
    summary::{self, LedgerSummary},
};
use hullmark_format::archive_xml::ArchiveManifest;
use hullmark_storage::stamp::Stamp;
use hullmark_util::dates_in_names::Seconds;
use serde::{Deserialize, Serialize};
use std::{io, mem::take};
use xxhash_rust::xxh3::xxh3_64;

/// The header of a ledger, which is its first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerHeader {
    pub hullmark_ledger: u32,
    /// Version of the program that wrote the ledger, for people. Nothing depends on it.
    pub program: String,
    /// Path of the input, as reports show it.
    pub input: String,
    pub kind: InputKind,
    #[serde(default)]
    pub bytes: u64,
    /// xxh3-128 of those bytes; `None` if not all were read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    pub brief: LedgerSummary,
    /// Summaries of earlier states, the latest first. Only complete and distinct states are stored, up to a maximum
    /// number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<LedgerSummary>,
    /// Provenance of the ledger; `None` if the ledger is not stored for later runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Provenance>,
    /// The index, which follows the header.
    #[serde(default)]
    pub index: IndexHeader,
    /// xxh3-128 of the data after the header.
    pub checksum: String,
    /// xxh3-64 of the header without this value. Only the file has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub seal: String,
}

impl LedgerHeader {
    /// Returns the first line of the ledger's file.
    pub fn line(&self) -> io::Result<Vec<u8>> {
        let mut line = serde_json::to_vec(&Self { seal: self.own_seal()?, ..self.clone() })?;
        line.push(b'\n');
        Ok(line)
    }

    fn own_seal(&self) -> io::Result<String> {
        let header = serde_json::to_vec(&Self { seal: String::new(), ..self.clone() })?;
        Ok(format!("{:016x}", xxh3_64(&header)))
    }

    /// Removes the seal. Returns whether the header is as it was written.
    pub(super) fn unseal(&mut self) -> bool {
        let seal = take(&mut self.seal);
        self.own_seal().is_ok_and(|own| own == seal)
    }

    /// Drops all values that a report does not use, because the headers of all inputs are in memory together.
    pub fn in_short(mut self) -> Self {
        self.program = String::new();
        let modified = self.made.and_then(|made| made.modified);
        self.made = modified.map(|_| Provenance { modified, ..Provenance::default() });
        self
    }
}

impl Ledger {
    /// Returns the header of the ledger without the checksum, because the ledger may never be written.
    pub fn header(&self) -> LedgerHeader {
        LedgerHeader {
            hullmark_ledger: VERSION,
            program: env!("CARGO_PKG_VERSION").into(),
            input: self.input.clone(),
            kind: self.kind,
            bytes: self.bytes,
            content_hash: self.content_hash.clone(),
            brief: LedgerSummary::new(self),
            earlier: Vec::new(),
            made: None,
            index: IndexHeader::default(),
            checksum: String::new(),
            seal: String::new(),
        }
    }
}

/// The provenance of a ledger: if it is equal, a scan would produce the same ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Absolute path of the input.
    pub path: String,
    /// Name, size and time of the input's files; `None` if the ledger is valid for one run only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
    /// Time of the last change of the archive's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<Seconds>,
    /// Content hashes of the input's files; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Stamp>,
    /// Version of ledgers, features and limits.
    pub settings: String,
    /// Identifier of the plan for which the ledger was written. For a store it also covers the plan's inputs for whose
    /// missing assets the store was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Time at which the input was read, in RFC 3339 with whole seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<String>,
    /// Only for a store: the assets that the inputs lacked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bodies: Option<String>,
    /// Only for a database or a store: which databases were read, and the owners whose inventories were evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
}

impl LedgerHeader {
    /// Creates a ledger from the header alone, for the row of an input whose ledger need not be read.
    pub fn outline(&self) -> Ledger {
        let LedgerSummary { status, created, bytes, ref regions, .. } = self.brief;
        let region = |region: &summary::Region| RegionFacts {
            name: region.name.clone(),
            uuid: region.uuid,
            ..RegionFacts::of_folder("")
        };
        let control =
            created.map(|created| ArchiveManifest { created: Some(created), ..ArchiveManifest::default() });
        Ledger {
            bytes: self.bytes,
            content_hash: self.content_hash.clone(),
            container: ContainerFacts { control, expanded_bytes: bytes, ..ContainerFacts::default() },
            regions: regions.iter().map(region).collect(),
            ..Ledger::empty(&self.input, self.kind, status)
        }
    }
}
