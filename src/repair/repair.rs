//! Copies an archive, and mends what a loader does not take.

use crate::{
    ArchiveWriter, container,
    first::{ControlFile, new_control},
    left_out::LeftOut,
    mend::{self, Change, Mended},
    names::{self, Renamed},
};
use hullmark_analysis::land::terrain_stops_the_load;
use hullmark_finding::Code;
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{InputKind, Ledger, facts::TerrainFacts};
use hullmark_settings::limits::Limits;
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants, read};
use serde::Serialize;
use std::{collections::HashMap, io, path::Path};
use thiserror::Error;
use uuid::Uuid;

/// Height of ground that a terrain file lacks, in metres: that of a new region.
const NEW_GROUND_M: f32 = 21.0;

/// Why an archive cannot be repaired.
#[derive(Debug, Error)]
pub enum RepairError {
    #[error("{0} is no archive. repair reads an OAR or IAR, packed or unpacked, or an object as XML")]
    NoArchive(String),
    #[error("{0} changed while it was read, so no file was written. Run the command again")]
    Changed(String),
    #[error("No change lets a loader take {0}, so no file was written")]
    Hopeless(String),
    #[error("A signal ended the command, so no file was written")]
    Stopped,
    #[error("The copy cannot be written; make room, or choose another --out")]
    Write(#[source] io::Error),
}

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
    /// Whether members with faults of this rule are changed.
    pub wants: &'a dyn Fn(Code) -> bool,
    /// Whether a signal came.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// What a repaired archive has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repaired {
    pub members: u64,
    /// Members whose bytes and paths are as they were.
    pub unchanged: u64,
    pub left_out: u64,
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
    ) -> Result<Repaired, RepairError> {
        let ledger = self.ledger;
        if !is_archive(ledger) {
            return Err(RepairError::NoArchive(ledger.input.clone()));
        }
        let folder = names::top_folder(ledger);
        let control = ControlFile::find(input, request, &folder, self.is_stopped);
        if (self.is_stopped)() {
            return Err(RepairError::Stopped);
        }
        let terrains = ledger.regions.iter().filter_map(|region| region.terrain.as_ref());
        let (archive, left_out) = match out {
            Some((archive, path)) => (Some(archive), Some(LeftOut::beside(path))),
            None => (None, None),
        };
        let mut copy = Copy {
            repairer: self,
            folder,
            archive,
            left_out,
            note,
            terrains: terrains.map(|terrain| (terrain.entry.as_str(), terrain)).collect(),
            shares: mend::shares(ledger),
            repaired: Repaired::default(),
            failed: None,
        };
        copy.container().and_then(|()| copy.control(control)).map_err(RepairError::Write)?;
        let reading = read(input, request, &mut copy);
        let Copy { archive, left_out, mut repaired, failed, .. } = copy;
        match failed {
            Some(error) => return Err(RepairError::Write(error)),
            None if (self.is_stopped)() => return Err(RepairError::Stopped),
            None => {}
        }
        let hash = reading.content_hash.map(|hash| format!("{hash:032x}"));
        if hash != ledger.content_hash {
            return Err(RepairError::Changed(ledger.input.clone()));
        }
        if let Some(archive) = archive {
            repaired.bytes = archive.finish().map_err(RepairError::Write)?;
        }
        if let Some(left_out) = left_out {
            left_out.finish().map_err(RepairError::Write)?;
        }
        Ok(repaired)
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

struct Copy<'c> {
    repairer: &'c Repairer<'c>,
    /// The folder that all members are in, with its slash. Empty if they are where a loader looks.
    folder: String,
    archive: Option<ArchiveWriter>,
    left_out: Option<LeftOut>,
    note: &'c mut dyn FnMut(Repair) -> io::Result<()>,
    terrains: HashMap<&'c str, &'c TerrainFacts>,
    /// The land of parcels that share some with others.
    shares: HashMap<&'c str, Vec<u8>>,
    repaired: Repaired,
    failed: Option<io::Error>,
}

impl Copy<'_> {
    /// Says what a new tar mends.
    fn container(&mut self) -> io::Result<()> {
        container::changes(self.repairer.ledger)
            .into_iter()
            .try_for_each(|(member, change)| self.say(&member, change))
    }

    /// Writes the control file, which comes first.
    fn control(&mut self, control: Option<ControlFile>) -> io::Result<()> {
        let Some(ControlFile { name, bytes, is_first }) = control else {
            let (bytes, change) = new_control(self.repairer.ledger);
            self.say("archive.xml", change)?;
            return self.write("archive.xml", &bytes);
        };
        self.repaired.members += 1;
        if !is_first {
            self.say(&name, Change::new(Code::ARC005, "path", "a loader needs archive.xml first"))?;
        }
        let is_moved = name != "archive.xml";
        if is_moved {
            let change = Change::new(Code::ARC004, "path", "OpenSim looks for archive.xml at the top");
            self.say(&name, change.replacing(&name, "archive.xml"))?;
        }
        match mend::control(&bytes) {
            Mended::Changed { bytes, changes } if self.is_wanted(&changes) => {
                changes.into_iter().try_for_each(|change| self.say(&name, change))?;
                self.write("archive.xml", &bytes)
            }
            Mended::Hopeless(change) => {
                self.leave_out(&name, &bytes, change)?;
                let (bytes, change) = new_control(self.repairer.ledger);
                self.say("archive.xml", change)?;
                self.write("archive.xml", &bytes)
            }
            _ => {
                self.repaired.unchanged += u64::from(is_first && !is_moved);
                self.write("archive.xml", &bytes)
            }
        }
    }

    /// Mends a member, and writes it.
    fn member(&mut self, item: Item) -> io::Result<()> {
        let Item { name, bytes, size, .. } = item;
        self.repaired.members += 1;
        let path = names::inside(&name, &self.folder);
        if !names::is_safe(path) {
            return self.leave_out(
                &name,
                &bytes,
                Change::new(Code::ARC011, "path", "its path leads out of the archive"),
            );
        }
        let member = member::classify(path);
        let is_cut = (bytes.len() as u64) < size;
        if is_cut && member.kind != Kind::Object {
            return self.leave_out(
                &name,
                &bytes,
                Change::new(Code::ARC001, "", "the archive ends inside of it"),
            );
        }
        let limits = self.repairer.limits;
        let mended = match member.kind {
            Kind::Object => mend::object(&bytes, false, limits),
            Kind::NestedObject => mend::object(&bytes, true, limits),
            Kind::Settings => mend::settings(&bytes, self.repairer.materials),
            Kind::Parcel => mend::parcel(&bytes, self.shares.get(name.as_str()).map(Vec::as_slice)),
            Kind::InventoryItem => mend::item(&bytes),
            Kind::Terrain => self.terrain(&name, &bytes),
            _ => Mended::Sound,
        };
        let renamed = names::of_asset(path, member, &bytes);
        let (written, is_same) = match mended {
            Mended::Hopeless(change) if (self.repairer.wants)(change.code) => {
                return self.leave_out(&name, &bytes, change);
            }
            Mended::Changed { bytes, changes } if self.is_wanted(&changes) => {
                changes.into_iter().try_for_each(|change| self.say(&name, change))?;
                (bytes, false)
            }
            _ => (bytes, path == name && renamed.is_none()),
        };
        let path = match &renamed {
            Some(Renamed { path: new, why }) if (self.repairer.wants)(Code::ARC010) => {
                self.say(&name, Change::new(Code::ARC010, "path", *why).replacing(path, new))?;
                new.as_str()
            }
            _ => path,
        };
        self.repaired.unchanged += u64::from(is_same);
        self.write(path, &written)
    }

    /// Completes numbers of heights that are too few. Other terrain that stops the load is left out.
    fn terrain(&self, name: &str, bytes: &[u8]) -> Mended {
        let stop = self.terrains.get(name).and_then(|terrain| terrain_stops_the_load(terrain));
        let Some((least, why)) = stop else { return Mended::Sound };
        let is_numbers = name.ends_with(".r32") || name.ends_with(".f32");
        let Some(least) = least.filter(|_| is_numbers && bytes.len() >= size_of::<f32>()) else {
            return Mended::Hopeless(Change::new(Code::POS008, "", why));
        };
        let mut whole = bytes[..bytes.len() - bytes.len() % size_of::<f32>()].to_vec();
        while (whole.len() as u64) < least {
            whole.extend(NEW_GROUND_M.to_le_bytes());
        }
        let why = format!("{why}; the heights that are lost become {NEW_GROUND_M} m");
        let change = Change::new(Code::POS008, "", why);
        let change = change.replacing(&format!("{} bytes", bytes.len()), &format!("{} bytes", whole.len()));
        Mended::Changed { bytes: whole, changes: vec![change] }
    }

    fn is_wanted(&self, changes: &[Change]) -> bool {
        changes.iter().any(|change| (self.repairer.wants)(change.code))
    }

    fn say(&mut self, member: &str, change: Change) -> io::Result<()> {
        let is_object = matches!(member::classify(member).kind, Kind::Object | Kind::NestedObject);
        let object = member::uuid_in(member).filter(|_| is_object);
        (self.note)(Repair { member: member.to_owned(), object, change })
    }

    fn leave_out(&mut self, member: &str, bytes: &[u8], change: Change) -> io::Result<()> {
        self.repaired.left_out += 1;
        if let Some(left_out) = &mut self.left_out {
            left_out.add(member, bytes)?;
        }
        self.say(member, Change { new: "left out".into(), ..change })
    }

    fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.archive.as_mut().map_or(Ok(()), |archive| archive.add(path, bytes))
    }
}

impl Visitor for Copy<'_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        if names::is_control(name, &self.folder) { Wants::Nothing } else { Wants::Whole }
    }

    fn enough(&self) -> bool {
        self.failed.is_some() || (self.repairer.is_stopped)()
    }

    fn item(&mut self, item: Item) {
        self.failed = self.member(item).err();
    }

    fn folder(&mut self, name: &str) {
        let path = names::inside(name, &self.folder);
        if path.ends_with('/') && names::is_safe(path) && path != "./" {
            self.failed = self.write(path, &[]).err();
        }
    }

    fn passed(&mut self, name: &str, _kind: Kind, bytes: u64) {
        // A wanted member that is only passed is over a limit.
        if !names::is_control(name, &self.folder) {
            self.repaired.members += 1;
            self.repaired.left_out += 1;
            let change =
                Change::new(Code::ARC012, "", "it is larger than a limit of this program, or cannot be read");
            let change =
                Change { new: "left out".into(), ..change }.replacing(&format!("{bytes} bytes"), "left out");
            self.failed = self.say(name, change).err();
        }
    }
}
