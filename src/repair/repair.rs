//! Copies an archive, and mends what a loader does not take.

use crate::{
    ArchiveWriter, CopyError,
    copy::Copy,
    error::read_unchanged,
    fetch,
    first::first_member,
    mend::{self, Change, Mended},
    names,
    regrouped::Regrouped,
};
use hullmark_finding::Code;
use hullmark_ledger::{InputKind, Ledger};
use hullmark_settings::{limits::Limits, profile::Placement};
use hullmark_source::{Input, ReadRequest};
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashMap},
    io,
    ops::RangeInclusive,
    path::Path,
};
use uuid::Uuid;

/// A change of a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// The path of the member in the archive that was read.
    pub member: String,
    /// The UUID of the object, by the name of its member.
    pub object: Option<Uuid>,
    #[serde(flatten)]
    pub change: Change,
}

/// An archive to repair, and the target.
pub struct Repairer<'a> {
    pub ledger: &'a Ledger,
    pub limits: &'a Limits,
    /// Whether the target is 0.9.3 or later, which has materials of the ground.
    pub materials: bool,
    pub choices: Choices<'a>,
    /// Whether members with faults of this rule are changed.
    pub wants: &'a dyn Fn(Code) -> bool,
    /// Whether a signal came.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// Changes that somebody chose: no loader needs them.
#[derive(Default)]
pub struct Choices<'a> {
    /// Where the target keeps objects, if those elsewhere are moved there.
    pub move_inside: Option<&'a Placement>,
    /// Exports and stores with assets that the archive may lack.
    pub sources: &'a [(Input, Ledger)],
    /// People whom the target lacks, and those who take their place.
    pub people: HashMap<Uuid, Uuid>,
    /// Whether assets are left out that nothing uses.
    pub drop_unused: bool,
    /// Assets that nobody can use, if they are left out.
    pub broken: BTreeSet<Uuid>,
    /// Edits of objects, by the UUIDs of their root prims.
    pub edits: HashMap<Uuid, Vec<ObjectEdit>>,
}

/// An edit of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ObjectEdit {
    /// Sets the physics shape type of the prims with these link numbers, and of all without numbers.
    Shape { links: Vec<RangeInclusive<i32>>, number: u8 },
    /// Leaves out the object.
    Remove,
    /// Links objects with these root prims to it.
    Link { others: Vec<Uuid> },
    /// Splits these prims off, the first of them as the root of a new object.
    SplitOff { prims: Vec<Uuid> },
}

/// What a repaired archive has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    pub members: u64,
    /// Members whose bytes and paths are as they were.
    pub unchanged: u64,
    pub left_out: u64,
    /// Objects that an edit changed or left out.
    pub edited: u64,
    /// Assets that nothing uses, and that are not in it either.
    pub dropped: u64,
    /// Bytes on the disk.
    pub bytes: u64,
}

impl Repairer<'_> {
    /// Writes the mended copy, and passes each change on. Without `out`, nothing is written.
    ///
    /// # Errors
    /// The input is no archive, it changed since its ledger was made, or the copy cannot be written.
    pub fn run(
        &self,
        input: &Input,
        request: &ReadRequest<'_>,
        out: Option<(ArchiveWriter, &Path)>,
        note: &mut dyn FnMut(Repair) -> io::Result<()>,
    ) -> Result<Repaired, CopyError> {
        let ledger = self.ledger;
        if !is_archive(ledger) {
            return Err(CopyError::NoArchive(ledger.input.clone()));
        }
        let folder = names::top_folder(ledger);
        let control = first_member(input, request, self.is_stopped, &|name| names::is_control(name, &folder));
        if (self.is_stopped)() {
            return Err(CopyError::Stopped);
        }
        let mut copy = Copy::new(self, folder, out, note);
        copy.regroup(Regrouped::new(self, input, request));
        copy.container().and_then(|()| copy.control(control))?;
        read_unchanged(ledger, input, request, self.is_stopped, &mut copy, |copy| {
            copy.failed.take().map_or(Ok(()), Err)
        })?;
        fetch::missing_assets(&mut copy, ledger, &self.choices, request)?;
        if (self.is_stopped)() {
            return Err(CopyError::Stopped);
        }
        Ok(copy.finish()?)
    }
}

/// Whether a ledger is of an archive.
pub fn is_archive(ledger: &Ledger) -> bool {
    let kinds = [InputKind::Oar, InputKind::OarTree, InputKind::Iar, InputKind::IarTree];
    kinds.contains(&ledger.kind)
}

/// Mends a file with objects as XML. `None` if no change lets a loader take it; the change then says why.
///
/// # Errors
/// A change cannot be noted.
pub fn repair_object(
    name: &str,
    bytes: &[u8],
    limits: &Limits,
    note: &mut dyn FnMut(Repair) -> io::Result<()>,
) -> io::Result<Option<Vec<u8>>> {
    let mut say = |change| note(Repair { member: name.to_owned(), object: None, change });
    match mend::object(bytes, true, limits) {
        Mended::Sound => Ok(Some(bytes.to_vec())),
        Mended::Changed { bytes, changes } => {
            changes.into_iter().try_for_each(say)?;
            Ok(Some(bytes))
        }
        Mended::Hopeless(change) => {
            say(change)?;
            Ok(None)
        }
    }
}
