//! Reads from one input only what a few objects need.
//!
//! A choice looks at every object until it is done. Of the meshes, only those that the chosen objects use are decoded.
//! The reading stops when nothing is missing, and otherwise at the end. Meshes may come before their objects. A second
//! reading takes those. The facts of the chosen objects are the same as after a complete reading.

use super::{
    byte_gate::{Gate, Ticket},
    decoding::{Decoding, Member},
    workers::spawn,
};
use hullmark_format::member;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::limits::Limits;
use hullmark_source::{Item, Kind, Visitor, Wants};
use hullmark_util::timings::{self, Stage};
use rayon::Scope;
use std::collections::{BTreeSet, HashSet};
use uuid::Uuid;

/// Chooses objects, or meshes by their names.
pub trait Choose: Sync {
    /// Whether this document may have an object to choose. `false` saves its decoding.
    fn may_hold(&self, entry: &str, document: &[u8]) -> bool;
    /// Whether to take this member, a document with these objects or a mesh.
    fn takes(&self, entry: &str, objects: &[ObjectFacts]) -> bool;
    fn uses(&self, object: &ObjectFacts) -> Vec<Uuid>;
    /// Whether no further member can be taken.
    fn is_done(&self) -> bool;
}

/// What the chosen objects need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Their region, but no assets.
    Place,
    /// Their region and the assets that they use.
    Assets,
    /// The same, and all parcels. Parcels come anywhere, so this reads to the end.
    Land,
}

/// What to read of an input.
#[derive(Clone, Copy)]
pub struct ObjectSelection<'a> {
    pub choice: &'a dyn Choose,
    pub needs: Needs,
}

/// The state of such a reading.
pub(super) struct SelectionProgress<'a> {
    objects: ObjectSelection<'a>,
    limits: &'a Limits,
    /// Assets that the taken objects use, and those of them that did not pass yet.
    used: HashSet<Uuid>,
    missing: HashSet<Uuid>,
    passed: HashSet<Uuid>,
    /// Meshes that passed undecoded, with the numbers of their members.
    left_out: Vec<(u64, Uuid)>,
    /// Folders of the regions of the taken objects.
    regions: BTreeSet<String>,
    /// Folders of the regions whose settings passed.
    described: BTreeSet<String>,
    /// Whether the control file passed.
    control: bool,
    /// Whether an inventory item passed. Such an archive has no regions.
    items: bool,
}

impl<'a> SelectionProgress<'a> {
    pub(super) fn new(objects: ObjectSelection<'a>, limits: &'a Limits) -> Self {
        Self {
            objects,
            limits,
            used: HashSet::new(),
            missing: HashSet::new(),
            passed: HashSet::new(),
            left_out: Vec::new(),
            regions: BTreeSet::new(),
            described: BTreeSet::new(),
            control: false,
            items: false,
        }
    }

    /// Notes a member that passes. Returns whether to decode it; an object is looked at first.
    pub(super) fn decodes(&mut self, number: u64, name: &str, kind: Kind, bytes: u64) -> bool {
        let member = member::classify(name);
        let asset = member::uuid_in(name).filter(|_| kind.is_asset() && member::suffix(name).is_some());
        if let Some(uuid) = asset {
            self.passed.insert(uuid);
            self.missing.remove(&uuid);
        }
        match kind {
            Kind::ArchiveManifest => self.control = true,
            Kind::InventoryItem => self.items = true,
            Kind::Settings => _ = self.described.insert(member.region.into()),
            Kind::Object | Kind::NestedObject => return !self.objects.choice.is_done(),
            Kind::Mesh => return self.decodes_mesh(number, name, asset, bytes),
            _ => {}
        }
        true
    }

    fn decodes_mesh(&mut self, number: u64, name: &str, asset: Option<Uuid>, bytes: u64) -> bool {
        let choice = self.objects.choice;
        let taken = !choice.is_done() && choice.takes(name, &[]);
        // The reader reports a mesh over the limit, used or not.
        let decodes =
            taken || bytes > self.limits.entry_bytes || asset.is_some_and(|uuid| self.used.contains(&uuid));
        if !decodes {
            self.left_out.extend(asset.map(|uuid| (number, uuid)));
        }
        decodes
    }

    /// Whether to decode this object. Notes its region and its assets.
    pub(super) fn takes(&mut self, item: &Item) -> bool {
        let choice = self.objects.choice;
        let objects = match choice.may_hold(&item.name, &item.bytes) {
            true => hullmark_source::content::objects_of(item, self.limits),
            false => Vec::new(),
        };
        if !choice.takes(&item.name, &objects) {
            return false;
        }
        if item.kind == Kind::Object {
            self.regions.insert(member::classify(&item.name).region.into());
        }
        if self.objects.needs != Needs::Place {
            for uuid in objects.iter().flat_map(|object| choice.uses(object)) {
                self.used.insert(uuid);
                if !self.passed.contains(&uuid) {
                    self.missing.insert(uuid);
                }
            }
        }
        true
    }

    /// Whether nothing that may follow is needed.
    pub(super) fn is_complete(&self) -> bool {
        self.control
            && self.missing.is_empty()
            && self.objects.needs != Needs::Land
            && self.regions.is_subset(&self.described)
            && (self.items || !self.described.is_empty())
            && self.objects.choice.is_done()
    }

    /// Returns the numbers of the meshes that passed before an object named them.
    pub(super) fn missed(&self) -> BTreeSet<u64> {
        let used = self.left_out.iter().filter(|(_, uuid)| self.used.contains(uuid));
        used.map(|(number, _)| *number).collect()
    }
}

/// The visitor of the second reading. It takes the meshes that were missed. The first reading counted the bytes.
pub(super) struct MissedMeshes<'lane, 'scope> {
    pub(super) scope: &'lane Scope<'scope>,
    pub(super) decoding: &'scope Decoding<'scope>,
    pub(super) gate: &'scope Gate,
    pub(super) ticket: Option<Ticket<'scope>>,
    /// Numbers of the members that are still wanted.
    pub(super) wanted: BTreeSet<u64>,
    /// Number of members, and of decoded meshes in both readings.
    pub(super) number: u64,
    pub(super) meshes: u64,
}

impl Visitor for MissedMeshes<'_, '_> {
    fn wants(&mut self, _name: &str, _kind: Kind, _bytes: u64) -> Wants {
        self.number += 1;
        if self.wanted.remove(&self.number) { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.wanted.is_empty()
    }

    fn make_room(&mut self, bytes: u64) {
        self.gate.replace(&mut self.ticket, bytes);
    }

    fn item(&mut self, item: Item) {
        let member =
            Member { number: self.number, mesh: Some(self.meshes), item, _ticket: self.ticket.take() };
        self.meshes += 1;
        let decoding = self.decoding;
        spawn(self.scope, move || timings::within(Stage::Other, || decoding.decode(&member)));
    }
}
