//! The mended copy, member by member.

use crate::{
    ArchiveWriter, container,
    control::new_control,
    first::FirstMember,
    left_out::LeftOut,
    mend::{self, Change, Mended, Move},
    names::{self, Renamed, Suffixes},
    needed::all_used,
    regrouped::Regrouped,
    repair::{ObjectEdit, Repair, Repaired, Repairer},
};
use hullmark_analysis::land::terrain_stops_the_load;
use hullmark_finding::Code;
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, Role},
};
use hullmark_settings::limits::Limits;
use hullmark_source::{Item, Visitor, Wants};
use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    io::{self, Write},
    mem::take,
    path::Path,
};
use uuid::Uuid;

/// Bytes of members that are held in memory, unless they are mended. Terrain and textures may be much larger.
const IN_MEMORY: u64 = 8 << 20;

/// The new value of a member that is not in the copy.
const LEFT_OUT: &str = "left out";

/// Height of ground that a terrain file lacks, in metres: that of a new region.
const NEW_GROUND_M: f32 = 21.0;

/// A copy that is being written.
pub(crate) struct Copy<'c> {
    repairer: &'c Repairer<'c>,
    /// The folder that all members are in, with its slash. Empty if they are where a loader looks.
    folder: String,
    archive: Option<ArchiveWriter>,
    left_out: Option<LeftOut>,
    note: &'c mut dyn FnMut(Repair) -> io::Result<()>,
    /// Terrain that stops the load: the least number of bytes, and why.
    stops: HashMap<&'c str, (Option<u64>, String)>,
    /// The land of parcels that share some with others.
    shares: HashMap<&'c str, Vec<u8>>,
    /// Objects that are moved into their region.
    moves: HashMap<&'c str, Move>,
    /// Objects that are edited.
    edits: HashMap<&'c str, &'c [ObjectEdit]>,
    /// The suffixes of assets by their uses.
    suffixes: Suffixes,
    /// Objects that are linked or split.
    regrouped: Regrouped,
    /// The assets in use, if others are left out.
    needed: Option<BTreeSet<Uuid>>,
    repaired: Repaired,
    /// The bytes of a large member so far, and their number.
    pieces: Option<File>,
    large: u64,
    pub(crate) failed: Option<io::Error>,
}

impl<'c> Copy<'c> {
    /// Begins a copy. Without `out`, nothing is written.
    pub(crate) fn new(
        repairer: &'c Repairer<'c>,
        folder: String,
        out: Option<(ArchiveWriter, &Path)>,
        note: &'c mut dyn FnMut(Repair) -> io::Result<()>,
    ) -> Self {
        let ledger = repairer.ledger;
        let (archive, left_out) = out.map(|(archive, path)| (archive, LeftOut::beside(path))).unzip();
        let terrains = ledger.regions.iter().filter_map(|region| region.terrain.as_ref());
        let stops =
            terrains.filter_map(|terrain| Some((terrain.entry.as_str(), terrain_stops_the_load(terrain)?)));
        let choices = &repairer.choices;
        let moves = choices.move_inside.map(|placement| mend::moves(ledger, placement));
        Self {
            repairer,
            folder,
            archive,
            left_out,
            note,
            stops: stops.collect(),
            shares: mend::shares(ledger),
            moves: moves.unwrap_or_default(),
            edits: edited(ledger, &choices.edits),
            suffixes: names::suffixes(ledger),
            regrouped: Regrouped::default(),
            needed: choices.drop_unused.then(|| all_used(ledger)),
            repaired: Repaired::default(),
            pieces: None,
            large: 0,
            failed: None,
        }
    }

    /// Has these objects linked or split.
    pub(crate) fn regroup(&mut self, regrouped: Regrouped) {
        self.repaired.edited += regrouped.objects;
        self.regrouped = regrouped;
    }

    /// Completes the copy and what belongs to it.
    pub(crate) fn finish(self) -> io::Result<Repaired> {
        let mut repaired = self.repaired;
        if let Some(archive) = self.archive {
            repaired.bytes = archive.finish()?;
        }
        self.left_out.map_or(Ok(()), LeftOut::finish)?;
        Ok(repaired)
    }

    /// Says what a new tar mends.
    pub(crate) fn container(&mut self) -> io::Result<()> {
        container::changes(self.repairer.ledger)
            .into_iter()
            .try_for_each(|(member, change)| self.say(&member, change))
    }

    /// Writes the control file, which comes first.
    pub(crate) fn control(&mut self, control: Option<FirstMember>) -> io::Result<()> {
        let Some(FirstMember { name, bytes, is_first }) = control else {
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
        if let Some(change) = self.regrouped.absorbed.remove(&name) {
            return self.say(&name, change);
        }
        let regrouped = self.regrouped.replaced.remove(&name);
        let is_regrouped = regrouped.is_some();
        let bytes = match regrouped {
            Some((bytes, change)) => {
                self.say(&name, change)?;
                bytes
            }
            None => bytes,
        };
        if self.is_removed(&name) {
            self.repaired.edited += 1;
            let why = "the table of --apply deletes this copy of an object";
            return self.leave_out(&name, &bytes, Change::new(Code::OBJ005, "", why));
        }
        if self.is_broken(path) {
            return self.leave_out(&name, &bytes, Change::new(Code::AST004, "", "nobody can use the asset"));
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
        let renamed = names::of_asset(path, member, &bytes, &self.suffixes)
            .filter(|_| (self.repairer.wants)(Code::ARC010));
        let (written, is_same) = match mended {
            Mended::Hopeless(change) if (self.repairer.wants)(change.code) => {
                return self.leave_out(&name, &bytes, change);
            }
            Mended::Changed { bytes, changes } if self.is_wanted(&changes) => {
                changes.into_iter().try_for_each(|change| self.say(&name, change))?;
                (bytes, false)
            }
            _ => (bytes, path == name && renamed.is_none() && !is_regrouped),
        };
        let (written, is_same) = match self.chosen(&name, member.kind, written)? {
            (written, true) => (written, false),
            (written, false) => (written, is_same),
        };
        let path = match &renamed {
            Some(Renamed { path: new, why }) => {
                self.say(&name, Change::new(Code::ARC010, "path", *why).replacing(path, new))?;
                new.as_str()
            }
            None => path,
        };
        self.repaired.unchanged += u64::from(is_same);
        self.write(path, &written)?;
        match self.regrouped.added.remove(&name) {
            Some((path, bytes)) => {
                let (bytes, _) = self.chosen(&path, Kind::Object, bytes)?;
                let path = names::inside(&path, &self.folder).to_owned();
                self.write(&path, &bytes)
            }
            None => Ok(()),
        }
    }

    /// Makes the changes that somebody chose. Returns whether there are any.
    fn chosen(&mut self, name: &str, kind: Kind, mut bytes: Vec<u8>) -> io::Result<(Vec<u8>, bool)> {
        let mut is_changed = false;
        if let Some((moved, change)) = self.moves.get(name).and_then(|step| mend::moved(&bytes, *step)) {
            self.say(name, change)?;
            (bytes, is_changed) = (moved, true);
        }
        if let Some((shaped, changes)) = self.shaped(name, &bytes) {
            changes.into_iter().try_for_each(|change| self.say(name, change))?;
            (bytes, is_changed) = (shaped, true);
            self.repaired.edited += 1;
        }
        let names_people =
            matches!(kind, Kind::Object | Kind::NestedObject | Kind::Parcel | Kind::InventoryItem);
        let people = &self.repairer.choices.people;
        if names_people
            && !people.is_empty()
            && let Some((replaced, changes)) = mend::replaced(&bytes, people)
        {
            changes.into_iter().try_for_each(|change| self.say(name, change))?;
            (bytes, is_changed) = (replaced, true);
        }
        Ok((bytes, is_changed))
    }

    /// Sets the physics shape types that somebody chose for an object. `None` if nothing changes.
    fn shaped(&self, name: &str, bytes: &[u8]) -> Option<(Vec<u8>, Vec<Change>)> {
        let mut shaped: Option<(Vec<u8>, Vec<Change>)> = None;
        for edit in *self.edits.get(name)? {
            let ObjectEdit::Shape { links, number } = edit else { continue };
            let so_far = shaped.as_ref().map_or(bytes, |(bytes, _)| bytes);
            if let Some((bytes, changes)) = mend::shaped(so_far, links, *number) {
                let (kept, all) = shaped.get_or_insert_default();
                *kept = bytes;
                all.extend(changes);
            }
        }
        shaped
    }

    /// Completes numbers of heights that are too few. Other terrain that stops the load is left out.
    fn terrain(&self, name: &str, bytes: &[u8]) -> Mended {
        let Some((least, why)) = self.stops.get(name) else { return Mended::Sound };
        let is_numbers = name.ends_with(".r32") || name.ends_with(".f32");
        let Some(least) = least.filter(|_| is_numbers && bytes.len() >= size_of::<f32>()) else {
            return Mended::Hopeless(Change::new(Code::POS008, "", why.as_str()));
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

    pub(crate) fn say(&mut self, member: &str, change: Change) -> io::Result<()> {
        let is_object = matches!(member::classify(member).kind, Kind::Object | Kind::NestedObject);
        let object = member::uuid_in(member).filter(|_| is_object);
        (self.note)(Repair { member: member.to_owned(), object, change })
    }

    fn leave_out(&mut self, member: &str, bytes: &[u8], change: Change) -> io::Result<()> {
        self.repaired.left_out += 1;
        if let Some(left_out) = &mut self.left_out {
            left_out.add(member, bytes)?;
        }
        self.say(member, Change { new: LEFT_OUT.into(), ..change })
    }

    /// Keeps the first failure, which ends the reading.
    pub(crate) fn note_failure(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether a member is an asset that nothing uses, and those are left out.
    fn is_dropped(&self, name: &str) -> bool {
        let Some(needed) = &self.needed else { return false };
        let path = names::inside(name, &self.folder);
        let is_unused = |uuid: Uuid| !needed.contains(&uuid);
        member::classify(path).kind.is_asset() && member::uuid_in(path).is_some_and(is_unused)
    }

    /// Whether somebody deletes an object.
    fn is_removed(&self, name: &str) -> bool {
        self.edits.get(name).is_some_and(|edits| edits.contains(&ObjectEdit::Remove))
    }

    /// Whether a member is an asset that nobody can use, and those are left out.
    fn is_broken(&self, path: &str) -> bool {
        let broken = &self.repairer.choices.broken;
        let is_asset = || member::classify(path).kind.is_asset();
        !broken.is_empty() && is_asset() && member::uuid_in(path).is_some_and(|uuid| broken.contains(&uuid))
    }

    fn drop(&mut self, name: &str) -> io::Result<()> {
        self.repaired.members += 1;
        self.repaired.dropped += 1;
        self.say(name, Change::new(Code::AST005, "", "nothing uses the asset").replacing("", LEFT_OUT))
    }

    /// Keeps the next bytes of a large member on the disk.
    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.large += bytes.len() as u64;
        if self.archive.is_none() {
            return Ok(());
        }
        let file = match &mut self.pieces {
            Some(file) => file,
            pieces => pieces.insert(tempfile::tempfile()?),
        };
        file.write_all(bytes)
    }

    /// Writes a member whose bytes came in pieces. One that is over a limit has none.
    fn large_member(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        self.repaired.members += 1;
        let (read, pieces) = (take(&mut self.large), self.pieces.take());
        let path = names::inside(name, &self.folder);
        if read < bytes || !names::is_safe(path) {
            self.repaired.left_out += 1;
            let why = "it is cut, over a limit of this program, or its path leads out of the archive";
            return self.say(
                name,
                Change::new(Code::ARC012, "", why).replacing(&format!("{bytes} bytes"), LEFT_OUT),
            );
        }
        self.repaired.unchanged += u64::from(path == name);
        match (&mut self.archive, pieces) {
            (Some(archive), Some(mut pieces)) => archive.add_file(path, &mut pieces),
            _ => Ok(()),
        }
    }

    pub(crate) fn limits(&self) -> &'c Limits {
        self.repairer.limits
    }

    pub(crate) fn is_stopped(&self) -> bool {
        (self.repairer.is_stopped)()
    }

    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.archive.as_mut().map_or(Ok(()), |archive| archive.add(path, bytes))
    }
}

/// Returns the edits of rezzed objects, by their members. An object whose UUID another one has is not deleted.
fn edited<'c>(
    ledger: &'c Ledger,
    edits: &'c HashMap<Uuid, Vec<ObjectEdit>>,
) -> HashMap<&'c str, &'c [ObjectEdit]> {
    let rezzed = || ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
    let root = |object: &ObjectFacts| object.linkset.parts.first().map(|root| root.uuid);
    let mut counts: HashMap<Uuid, u32> = HashMap::new();
    rezzed().filter_map(root).for_each(|uuid| *counts.entry(uuid).or_default() += 1);
    let edited = rezzed().filter_map(|object| {
        let uuid = root(object)?;
        let edits = edits.get(&uuid)?;
        let is_one = counts[&uuid] == 1 || !edits.contains(&ObjectEdit::Remove);
        is_one.then_some((object.entry.as_str(), edits.as_slice()))
    });
    edited.collect()
}

impl Visitor for Copy<'_> {
    fn wants(&mut self, name: &str, _kind: Kind, bytes: u64) -> Wants {
        if names::is_control(name, &self.folder) || self.is_dropped(name) {
            return Wants::Nothing;
        }
        let is_mended = matches!(
            member::classify(names::inside(name, &self.folder)).kind,
            Kind::Object | Kind::NestedObject | Kind::Settings | Kind::Parcel | Kind::InventoryItem
        );
        if is_mended
            || self.is_broken(names::inside(name, &self.folder))
            || self.stops.contains_key(name)
            || bytes <= IN_MEMORY
        {
            Wants::Whole
        } else {
            Wants::Pieces
        }
    }

    fn enough(&self) -> bool {
        self.failed.is_some() || (self.repairer.is_stopped)()
    }

    fn item(&mut self, item: Item) {
        let written = self.member(item);
        self.note_failure(written);
    }

    fn piece(&mut self, bytes: &[u8]) {
        let kept = self.keep(bytes);
        self.note_failure(kept);
    }

    fn folder(&mut self, name: &str) {
        let path = names::inside(name, &self.folder);
        if path.ends_with('/') && names::is_safe(path) && path != "./" {
            let written = self.write(path, &[]);
            self.note_failure(written);
        }
    }

    fn passed(&mut self, name: &str, _kind: Kind, bytes: u64) {
        if names::is_control(name, &self.folder) {
            return;
        }
        let written = match self.is_dropped(name) {
            true => self.drop(name),
            false => self.large_member(name, bytes),
        };
        self.note_failure(written);
    }
}
