//! Selects the prims to link, and their order.

use crate::cli::{
    Settings,
    object_name::{FirstMember, ObjectName},
    select_entry::{self, Picked},
};
use anyhow::{Context, bail};
use glam::DVec3;
use hullmark_analysis::{
    Measured,
    linkability::Prim,
    measure::{ObjectMeasures, centres, prims},
    physics_shape::is_plant,
};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{ObjectFacts, Role, Status};
use hullmark_rules::{catalogue, families::decoding};
use hullmark_util::terminal_text::{clean, counted};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use uuid::Uuid;

/// Findings that leave the position of a prim unknown.
const OF_OBJECTS: [Code; 7] =
    [Code::OBJ001, Code::OBJ002, Code::OBJ006, Code::OBJ014, Code::ARC012, Code::RUN001, Code::RUN005];

/// The prims to link, in link order: the root first.
#[derive(Debug)]
pub(super) struct Selection {
    /// The objects: first the object of the root, then the others in file order.
    pub(super) objects: Vec<Object>,
    /// The prims of the objects, in the same order.
    pub(super) prims: Vec<Prim>,
    /// The centres of the prims. The centres of a single object are in its own axes, because positions in a region are
    /// rounded.
    pub(super) centres: Vec<DVec3>,
    pub(super) labels: Vec<Label>,
    /// The worst status of the files.
    pub(super) status: Status,
    /// Findings about reading these objects, and about unreadable ones, whose positions are unknown.
    pub(super) faults: Vec<Finding>,
    /// Objects that were left out, as sentences.
    pub(super) left_out: Vec<String>,
}

/// One of the objects, as JSON shows it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Object {
    pub(super) file: String,
    pub(super) entry: String,
    pub(super) object_uuid: Uuid,
    pub(super) name: String,
    pub(super) owner_uuid: Uuid,
    /// Name of its region. `None` if it is in no region.
    pub(super) region: Option<String>,
    pub(super) prims: usize,
    #[serde(skip)]
    pub(super) role: Role,
    #[serde(skip)]
    pub(super) plant: bool,
    #[serde(skip)]
    pub(super) attachment: bool,
    /// Whether it belongs to its group.
    #[serde(skip)]
    pub(super) group_owned: bool,
}

/// A prim with its names and UUIDs.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Label {
    pub(super) object_uuid: Uuid,
    #[serde(skip)]
    pub(super) object: String,
    /// Link number in its object: 0 for a single prim, 1 for a root, 2 and more for children.
    pub(super) link_number: i32,
    pub(super) part_uuid: Uuid,
    pub(super) name: String,
}

/// An object with its prims, before it has its place in the order.
struct Candidate {
    object: Object,
    prims: Vec<Prim>,
    centres: Vec<DVec3>,
    labels: Vec<Label>,
}

impl Candidate {
    fn is(&self, wanted: &ObjectName<'_>) -> bool {
        wanted.object(
            &self.object.entry,
            self.labels.iter().map(|label| (label.part_uuid, label.name.as_str())),
        )
    }
}

/// Reads the files and moves the root to the front.
pub(super) fn select(
    files: &[PathBuf],
    wanted: &[String],
    root: Option<Uuid>,
    settings: &Settings,
) -> anyhow::Result<Selection> {
    let (mut candidates, mut faults, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    let mut status = Status::Complete;
    for file in files {
        let picked = select_entry::pick_places(file, wanted, settings)?;
        if picked.ledger.status != Status::Complete {
            status = picked.ledger.status;
        }
        faults
            .extend(decoding::findings(&picked.ledger).filter(|finding| OF_OBJECTS.contains(&finding.code)));
        candidates.extend(read(&picked, settings));
    }
    keep_wanted(&mut candidates, wanted, &faults)?;
    if !wanted.is_empty() {
        faults.retain(|fault| candidates.iter().any(|it| it.object.entry == fault.place.entry));
    }
    // Viewers do not link trees and grass, which are objects of their own. An object in two exports counts once.
    left_out.extend(leave_out(&mut candidates, |it| !it.plant, "plant", "trees and grass cannot be linked"));
    let mut seen = BTreeSet::new();
    let first = |it: &Object| it.object_uuid.is_nil() || seen.insert(it.object_uuid);
    let twice = "their UUID occurs more than once, and the first object counts";
    left_out.extend(leave_out(&mut candidates, first, "object", twice));
    if candidates.is_empty() {
        bail!("the files hold no object that can be linked. {}", left_out.join(" "));
    }
    if let Some(root) = root {
        put_first(&mut candidates, root)?;
    }
    let alone = candidates.len() == 1;
    let mut selection = Selection {
        objects: Vec::new(),
        prims: Vec::new(),
        centres: Vec::new(),
        labels: Vec::new(),
        status,
        faults,
        left_out,
    };
    for mut candidate in candidates {
        let in_region = || candidate.prims.iter().map(|prim| prim.centre).collect();
        selection.centres.append(&mut if alone { candidate.centres } else { in_region() });
        selection.objects.push(candidate.object);
        selection.prims.append(&mut candidate.prims);
        selection.labels.append(&mut candidate.labels);
    }
    Ok(selection)
}

/// Returns all objects of a file.
fn read(picked: &Picked, settings: &Settings) -> Vec<Candidate> {
    let measured = Measured::new(&picked.ledger, settings.profile_of(&picked.ledger));
    measured.objects().filter_map(|(object, measures)| candidate(picked, object, measures)).collect()
}

fn candidate(picked: &Picked, object: &ObjectFacts, measures: &ObjectMeasures) -> Option<Candidate> {
    let parts = &object.linkset.parts;
    let root = parts.first()?;
    let regions = &picked.ledger.regions;
    Some(Candidate {
        object: Object {
            file: picked.file.clone(),
            entry: object.entry.clone(),
            object_uuid: root.uuid,
            name: root.name.clone(),
            owner_uuid: root.owner,
            region: object.region.and_then(|number| regions.get(number as usize)).map(|it| it.name.clone()),
            prims: parts.len(),
            role: object.role,
            plant: is_plant(root),
            attachment: root.state != 0 && object.role == Role::Rezzed,
            group_owned: root.owner == root.group && !root.group.is_nil(),
        },
        prims: prims(&measures.parts, &object.linkset),
        centres: centres(&measures.parts, &object.linkset),
        labels: parts
            .iter()
            .map(|part| Label {
                object_uuid: root.uuid,
                object: root.name.clone(),
                link_number: part.link_number,
                part_uuid: part.uuid,
                name: part.name.clone(),
            })
            .collect(),
    })
}

/// Keeps the named objects. Without names, keeps all except those in inventories, which have no relative position.
fn keep_wanted(candidates: &mut Vec<Candidate>, wanted: &[String], faults: &[Finding]) -> anyhow::Result<()> {
    let mut chosen = Vec::new();
    for name in wanted {
        let found =
            ObjectName::strictest(name, |wanted| candidates.iter().any(|candidate| candidate.is(wanted)));
        chosen.push(found.with_context(|| {
            format!("The files have no object or member with the name or UUID \"{}\"", clean(name))
        })?);
    }
    if wanted.is_empty() {
        if candidates.iter().any(|candidate| candidate.object.role != Role::Nested) {
            candidates.retain(|candidate| candidate.object.role != Role::Nested);
        }
    } else {
        let mut first: BTreeMap<(usize, String), FirstMember> = BTreeMap::new();
        candidates.retain(|candidate| {
            let counts = |(number, wanted): &(usize, &ObjectName<'_>)| {
                let first = first.entry((*number, candidate.object.file.clone())).or_default();
                candidate.is(wanted) && first.counts(wanted, &candidate.object.entry)
            };
            // Each name notes its first match, so all are asked.
            chosen.iter().enumerate().filter(counts).count() > 0
        });
    }
    match (candidates.is_empty(), faults.first()) {
        (false, _) => Ok(()),
        (true, None) => bail!("the files hold no object: there is nothing to link"),
        (true, Some(fault)) => bail!("no object could be read: {}", clean(&catalogue::message(fault))),
    }
}

/// Removes the objects for which the condition is false. Returns a sentence with their number and the reason.
fn leave_out(
    candidates: &mut Vec<Candidate>,
    mut stays: impl FnMut(&Object) -> bool,
    what: &str,
    why: &str,
) -> Option<String> {
    let before = candidates.len();
    candidates.retain(|candidate| stays(&candidate.object));
    let count = (before - candidates.len()) as u64;
    (count > 0).then(|| format!("{} left out: {why}.", counted(count, what)))
}

/// Moves the object of the root to the front, and the root to the front of the object.
fn put_first(candidates: &mut [Candidate], root: Uuid) -> anyhow::Result<()> {
    let holds = |candidate: &Candidate| candidate.labels.iter().position(|label| label.part_uuid == root);
    let found = candidates.iter().enumerate().find_map(|(number, it)| Some((number, holds(it)?)));
    let (number, prim) = found.with_context(|| format!("no prim of these objects has the UUID {root}"))?;
    candidates[..=number].rotate_right(1);
    candidates[0].prims[..=prim].rotate_right(1);
    candidates[0].centres[..=prim].rotate_right(1);
    candidates[0].labels[..=prim].rotate_right(1);
    Ok(())
}
