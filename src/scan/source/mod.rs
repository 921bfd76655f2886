//! The sources of bytes: the only I/O for inputs.
//!
//! [`walk()`] turns paths into [`Input`]s, and [`read()`] returns the members of one input in a fixed order. The kind
//! of a member comes from [`member`](crate::format::member) (its path inside an archive) or [`sniff`] (its bytes).

pub mod archive;
pub mod files;
pub mod gzip;
mod list;
mod nothing;
mod path_serde;
pub mod sniff;
mod stream;
pub mod tar;
mod tree;
pub mod walk;

use crate::{
    finding::{Capped, Counted},
    format::{
        defect::{Defect, InputDefect},
        member::Member,
    },
    ledger::{
        LedgerHeader,
        coverage::{Because, Uncovered},
        facts::{ContainerFacts, is_archive_name},
    },
    settings::limits::Limits,
    storage,
    util::{advice, dates_in_names::Seconds, deadline},
};
pub use crate::{format::member::Kind, storage::stamp::Stamp, util::deadline::Deadline};
pub use nothing::{NothingToAudit, ensure_exports};
use serde::{Deserialize, Serialize};
use std::{io, path::PathBuf};
pub use stream::Stream;
pub(crate) use stream::input as of_stream;
pub use walk::{shown, walk, walk_knowing};

/// One thing to audit: it gets one ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// The path as it is shown: what was typed, with what was found below it.
    pub name: String,
    /// Where it is.
    #[serde(with = "path_serde")]
    pub path: PathBuf,
    /// What it is.
    pub what: What,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Changes whenever its files do, as far as their names, sizes and times of change tell. Absent where they could
    /// not be learnt.
    pub stamp: Option<Stamp>,
    /// When an archive's file was changed last. What lies in folders has no one time.
    pub modified: Option<Seconds>,
    /// Its bytes, where they come from no path. A plan holds no such input.
    #[serde(skip)]
    pub stream: Option<Stream>,
}

/// What an input is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A tar archive, perhaps compressed with gzip.
    Archive,
    /// An archive that somebody unpacked: its members by their names in it, in the order in which they are read.
    Tree(Vec<LooseFile>),
    /// The loose files of one folder, by name, with what their first bytes say.
    Folder(Vec<LooseFile>),
    /// Something that could not even be looked at, and why.
    Unreadable(String),
}

/// A file that lies open on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LooseFile {
    /// Where it is. Not to be made from the name, which cannot hold every name that a disk can.
    #[serde(with = "path_serde")]
    pub path: PathBuf,
    /// Its name in the folder, or its path in the unpacked archive, as it is shown.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// As that of an input.
    pub stamp: Option<Stamp>,
    /// What it is.
    pub what: Loose,
}

impl Input {
    /// It, as an input that a run does not cover, with the label of its last ledger.
    pub(crate) fn uncovered(&self, because: Because, last: Option<LedgerHeader>) -> Uncovered {
        Uncovered::new(&self.name, self.bytes, self.modified, because, last)
    }

    /// The stamp of its files as they are now.
    pub(crate) fn stamp_now(&self) -> Option<Stamp> {
        // An object that is another one is not read: there is nothing to ask beforehand.
        if storage::is_url(&self.path) || self.stream.is_some() {
            return self.stamp;
        }
        match &self.what {
            What::Archive => Stamp::of_file_now(&self.path),
            What::Folder(files) | What::Tree(files) => {
                Stamp::of_all(files.iter().map(|file| Stamp::of_file_now(&file.path)))
            }
            What::Unreadable(_) => None,
        }
    }

    /// The stamp of what is in its files: every byte is read. Nothing where they cannot be.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn content_stamp(&self) -> io::Result<Option<Stamp>> {
        if self.stream.is_some() {
            return Ok(None);
        }
        let stamp = match &self.what {
            What::Archive => Stamp::of_bytes(&self.path, self.bytes, self.stamp)?,
            What::Folder(files) | What::Tree(files) => {
                Stamp::of_bytes_of_all(files.iter().map(|file| (&*file.path, file.bytes, file.stamp)))?
            }
            What::Unreadable(_) => return Ok(None),
        };
        Ok(Some(stamp))
    }

    /// The loose files that it is made of.
    pub fn loose(&self) -> &[LooseFile] {
        if let What::Folder(files) = &self.what { files } else { &[] }
    }
}

impl Input {
    /// Whether there is something to audit in it, or something that should be there and cannot be read.
    pub fn is_export(&self) -> bool {
        !matches!(self.what, What::Folder(_)) || self.loose().iter().any(LooseFile::is_export)
    }
}

impl LooseFile {
    /// Whether it can be audited, or could not be read. What is called an archive and is none is an export that failed.
    fn is_export(&self) -> bool {
        let is_unknown = matches!(self.what, Loose::Unknown(_) | Loose::NoExport(_));
        !is_unknown || is_archive_name(&self.name)
    }

    /// What it would be called if it were an input of its own; nothing where it could be one that cannot be opened.
    pub fn as_input(&self) -> Option<String> {
        (!matches!(self.what, Loose::Unreadable(_))).then(|| shown(&self.path))
    }
}

/// What a loose file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Loose {
    /// Something to decode.
    Known(Kind),
    /// Something else, and what it looks like.
    Unknown(String),
    /// The same of a file that was named, or of a folder that was named and holds no export.
    NoExport(String),
    /// A file that could not be opened, and why.
    Unreadable(String),
}

/// A member whose bytes are wanted.
#[derive(Debug)]
pub struct Item {
    /// Path inside the input.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its content: less than its size where the input is cut.
    pub bytes: Vec<u8>,
    /// Bytes that it should have.
    pub size: u64,
}

/// How a visitor wants a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Whole, as an [`Item`].
    Whole,
    /// Piece by piece while it goes by: nobody holds it.
    Pieces,
    /// Not at all.
    Nothing,
}

/// What reading an input told of the container itself.
#[derive(Debug)]
pub struct Reading {
    /// Its facts, without the control file, which is an item like others.
    pub container: ContainerFacts,
    /// What is wrong.
    pub defects: Capped<Defect>,
    /// Files that were not audited.
    pub unknown: Vec<crate::ledger::facts::UnknownFile>,
    /// Whether something was not read to its end.
    pub incomplete: bool,
    /// xxh3-128 of the bytes on the disk, where all were read.
    pub content_hash: Option<u128>,
    /// Bytes that came out of it, whatever it says that it holds.
    pub unpacked: u64,
}

impl Reading {
    /// Of an input of which nothing was read yet.
    pub fn new(limits: &Limits) -> Self {
        Self {
            container: ContainerFacts::default(),
            defects: Capped::new(limits.findings_per_code),
            unknown: Vec::new(),
            incomplete: false,
            content_hash: None,
            unpacked: 0,
        }
    }

    /// Notes the same, unless a defect of this kind tells it already.
    pub(crate) fn give_up_once(&mut self, defect: Defect) {
        self.incomplete = true;
        if !self.defects.holds(&defect.sort()) {
            self.defects.push(defect);
        }
    }

    /// Notes why something was not read to its end.
    fn give_up(&mut self, defect: Defect) {
        self.incomplete = true;
        self.defects.push(defect);
    }

    /// Counts an asset by its suffix, or says that it would not be restored.
    fn note_asset(&mut self, name: &str, member: Member<'_>) {
        if !member.kind.is_asset() {
            return;
        }
        match crate::format::member::asset_suffix(member.file) {
            Some(suffix) => *self.container.assets.entry(suffix.into()).or_default() += 1,
            None => {
                self.defects.push(Defect::new(InputDefect::AssetName).entry(name));
            }
        }
    }
}

/// Who receives the members of an input.
pub trait Visitor {
    /// How this member is wanted. Asked once for each member, before anything else of it.
    fn wants(&mut self, _name: &str, kind: Kind, _bytes: u64) -> Wants {
        if kind.is_decoded() { Wants::Whole } else { Wants::Nothing }
    }
    /// Whether the rest need not be read: the reading ends here, and what it tells of the container is not whole.
    fn enough(&self) -> bool {
        false
    }
    /// When the reading is given up, and is incomplete.
    fn deadline(&self) -> Deadline {
        Deadline::default()
    }
    /// Called before a member is read that is wanted whole: may wait until there is room for so many bytes.
    fn make_room(&mut self, bytes: u64);
    /// Takes a member that was wanted whole.
    fn item(&mut self, item: Item);
    /// Takes the next bytes of a member that was wanted in pieces.
    fn piece(&mut self, _bytes: &[u8]) {}
    /// Takes note that a member went by, after all of its pieces. Fewer than its bytes came where the input is
    /// cut, and none where it is over a limit.
    fn passed(&mut self, name: &str, kind: Kind, bytes: u64);
    /// Counts bytes that were read from the disk.
    fn progress(&self, bytes: u64);
}

/// Reads an input to its end and hands its members to `visitor`, always in the same order.
pub fn read(input: &Input, limits: &Limits, visitor: &mut dyn Visitor) -> Reading {
    read_input(input, limits, true, visitor)
}

/// Reads an input once more for a few of its members, in the same order. Of what lies open on the disk only
/// those files are opened; an archive must be passed through again.
pub fn reread(input: &Input, limits: &Limits, visitor: &mut dyn Visitor) {
    // What it tells of the container was told by the first reading.
    let _ = read_input(input, limits, false, visitor);
}

fn read_input(input: &Input, limits: &Limits, whole: bool, visitor: &mut dyn Visitor) -> Reading {
    match &input.what {
        What::Archive => archive::read(input, limits, visitor),
        What::Tree(members) => files::read_tree(members, limits, whole, visitor),
        What::Folder(files) => files::read_folder(files, input.stream.as_ref(), limits, whole, visitor),
        What::Unreadable(why) => {
            let mut reading = Reading::new(limits);
            reading.give_up(Defect::new(InputDefect::Unreadable { why: why.clone() }));
            reading
        }
    }
}

/// That the disk failed, or that the time was over.
pub(crate) fn not_read(error: &io::Error) -> Defect {
    let why = advice::to_read(error);
    Defect::new(match deadline::is_over(error) {
        true => InputDefect::TimeOver { why },
        false => InputDefect::Unreadable { why },
    })
}
