//! Defects of containers and files, and the errors that prevented reading them.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use uuid::Uuid;

/// A budget that an input is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Budget {
    /// Bytes that come out of an input.
    BytesInAll,
    /// Members of an archive.
    Members,
    /// Files of an unpacked archive.
    Files,
    /// Bytes of one member.
    BytesInMember,
    /// Bytes of one file.
    BytesInFile,
    /// Bytes of a name.
    BytesInName,
}

/// Why the name of a member is not safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnsafeName {
    /// It is an absolute path.
    Absolute,
    /// It leads out of the archive.
    LeadsOut,
    /// It holds control characters.
    ControlCharacters,
}

/// How the structure of a tar is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Error)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum TarFault {
    /// It ends inside a header.
    #[error("the tar ends inside a header, {filled} bytes into it, at byte {position}")]
    CutHeader { filled: u64, position: u64 },
    /// It ends inside a member.
    #[error("the tar ends at byte {position}, {missing} bytes before the end of a member")]
    CutMember { position: u64, missing: u64 },
    /// Something stands where a header is expected.
    #[error("no header at byte {offset}")]
    NoHeader { offset: u64 },
    /// A header states no size.
    #[error("the header at byte {offset} has no size")]
    NoSize { offset: u64 },
}

/// What is wrong with an input, or with one of its members as such. The place has the member.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum InputDefect {
    /// Something could not be read.
    Unreadable { why: String },
    /// The time for it was over, or somebody asked the run to end.
    TimeOver { why: String },
    /// A decoder of this program failed.
    Panicked { words: String },
    /// What was named is no export.
    NoExport { looks_like: String },
    /// A file shrank while it was read.
    Shrank { from: u64, to: u64 },
    /// A compressed stream is damaged behind so many bytes of content; it is cut short where `why` is absent.
    Damaged { why: Option<String>, position: u64 },
    /// The structure of a tar is broken.
    BrokenTar { why: TarFault },
    /// A member is larger than readers of 32 bits take.
    MemberTooLarge,
    /// Headers have wrong checksums.
    WrongChecksums { headers: u64 },
    /// The tar has no end marker.
    NoEndMarker,
    /// A member is neither a file nor a folder: its header states this type.
    SpecialMember { what: char },
    /// There are pax records, which OpenSim takes for files.
    PaxRecords { records: u64 },
    /// Records of tar, this one first, have names that OpenSim reads as objects or parcels.
    RecordsReadAsObjects { first: String },
    /// A name is not safe.
    UnsafeName { why: UnsafeName },
    /// Names are not UTF-8.
    NamesNotUtf8 { names: u64 },
    /// A name stands more than once.
    NameTwice,
    /// The name of an asset tells no UUID and type.
    AssetName,
    /// Entries begin with `./`.
    DottedEntries,
    /// The control file is below a folder.
    ControlBelowFolder,
    /// Files lie in the folder of a region that the control file does not list.
    RegionNotListed { folder: String },
    /// The control file lists a region of which there are no files.
    RegionWithoutFiles { folder: String },
    /// It is over a budget.
    OverBudget { budget: Budget },
    /// What is remembered of an input is over the budget, so that the members behind are left out.
    TooManyFacts,
    /// The work on one asset is spent, so that some of its hulls or distances are not evaluated.
    AssetWork,
    /// The work on a scene is spent, so that some meshes are left out.
    SceneWork { left_out: u64 },
    /// The work on the meshes of an input is spent, so that this one is not evaluated.
    MeshWork,
    /// A sculpt map is over a budget of decoding: it has too much of this.
    SculptOverBudget { what: super::Name },
    /// A sculpt map cannot be decoded.
    SculptBroken { why: String },
    /// A sculpt map was not decoded when the time was over.
    SculptUndecoded { uuid: Uuid, over: String },
    /// A sculpt map was gone when the input was read a second time.
    SculptGone { uuid: Uuid },
    /// The input was not read a second time for a sculpt map.
    SculptUnread { uuid: Uuid, over: String },
}
