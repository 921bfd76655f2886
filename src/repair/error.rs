//! Why a copy is not written.

use hullmark_ledger::Ledger;
use hullmark_source::{Input, ReadRequest, Visitor, read};
use std::io;
use thiserror::Error;

/// Why a copy is not written. No file is left.
#[derive(Debug, Error)]
pub enum CopyError {
    #[error("{0} is no archive. repair reads an OAR or IAR, packed or unpacked, or an object as XML")]
    NoArchive(String),
    #[error("{0} is no archive of regions. extract reads an OAR, packed or unpacked")]
    NoRegions(String),
    #[error(
        "No object of {0} matches, so no file was written. `hullmark where NAME {0}` finds objects by name"
    )]
    NothingMatches(String),
    #[error(
        "{0} objects match, and a file of XML has one. Choose one, or name an archive with --out FILE.oar"
    )]
    SeveralObjects(u64),
    #[error("The objects are in {0} regions, and --at is a place in one. Choose one with --region")]
    SeveralRegions(usize),
    #[error("At {0}, {1} of {2} objects would be outside of the region. Choose another --at")]
    Outside(String, usize, usize),
    #[error("{0} has no archive.xml that can be read, so no grid loads a copy of it")]
    WithoutControl(String),
    #[error("{0} changed while it was read, so no file was written. Run the command again")]
    Changed(String),
    #[error("No change lets a loader take {0}, so no file was written")]
    Hopeless(String),
    #[error("A signal ended the command, so no file was written")]
    Stopped,
    #[error("The copy cannot be written; make room, or choose another --out")]
    Write(#[from] io::Error),
}

/// Reads an export again. One that changed since its ledger was made is refused.
pub(crate) fn read_unchanged<V: Visitor>(
    ledger: &Ledger,
    input: &Input,
    request: &ReadRequest<'_>,
    is_stopped: &dyn Fn() -> bool,
    visitor: &mut V,
    failed: impl FnOnce(&mut V) -> io::Result<()>,
) -> Result<(), CopyError> {
    let reading = read(input, request, visitor);
    failed(visitor)?;
    if is_stopped() {
        return Err(CopyError::Stopped);
    }
    match reading.content_hash.map(|hash| format!("{hash:032x}")) == ledger.content_hash {
        true => Ok(()),
        false => Err(CopyError::Changed(ledger.input.clone())),
    }
}
