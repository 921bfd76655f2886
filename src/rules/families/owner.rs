//! OWN: owners and permissions.

use super::object::rezzed;
use crate::{RuleContext, RuleOutcomes, SkipReason, abridged};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::object::{Part, Permissions};
use hullmark_ledger::{
    InputKind,
    facts::{ObjectFacts, Status},
};
use hullmark_util::number_text::counted;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};
use uuid::Uuid;

rules! {
    OWN001 "people" "Users unknown to the target" {
        about: Archive,
        effect: Changes,
        check_with_context: unknown_to_the_target,
        message: "The list of users lacks {measured} of {limit} owners, creators and groups: {detail}",
        why: "An archive names people and groups by UUID only. Objects and parcels of unknown owners go to another \
              person, who may change and take them, and whose rights their scripts get. The real owners find nothing \
              when they return.",
        engines: [
            "OpenSimulator" => "Looks up each owner, last owner and creator of prims and of their inventories. An \
                owner that is neither a user nor a group becomes the default user: the estate owner, or the user of \
                --default-user. A creator without CreatorData, as in old exports, becomes the default user too; one \
                with CreatorData remains. An unknown group is cleared. A parcel goes to the estate owner, and its \
                access list loses unknown users. Content of an inventory archive belongs to the user who loads it.",
        ],
        fix: "Create the accounts with these UUIDs on the target before you load, or choose the new owner with \
              --default-user. If the target has these groups, add their UUIDs to the list.",
        source: "OpenSim, ArchiveReadRequest.cs:791-845, ModifySceneObject; :945-975, LoadParcels; :1012, \
              ResolveUserUuid",
    }

    OWN002 "objects" "Restricted content of other creators" {
        about: Archive,
        effect: Note,
        check: not_free_content_of_others,
        message: "Prims of other creators are no-copy or no-transfer in {detail}",
        why: "An export is a copy. The owner of no-copy or no-transfer content has no right to take it to another \
              grid.",
        engines: [
            "OpenSimulator" => "Leaves out such objects only if the archive is saved with --perm=CT, by the base \
                mask that this rule checks too. Loads them without a check. Ignores its own export permission, as \
                this rule does.",
        ],
        fix: "Ask the creators, or save the archive again with --perm=CT, which leaves such objects out.",
        fix_owner: "Ask the creators for permission, or remove their prims from the object.",
        source: "OpenSim, ArchiveWriteRequest.cs:363, CanUserArchiveObject",
    }

    OWN003 "objects" "Object without owner" {
        about: Archive,
        effect: Changes,
        check: without_owner,
        message: "No owner is set for {detail}",
        why: "Only estate rights can move, take or delete an object whose owner is the zero UUID. Its scripts run \
              without an owner.",
        engines: [
            "OpenSimulator" => "Gives loaded objects of unknown owners, merged or not, to the estate owner or to the \
                user of --default-user. In a database the object remains without owner.",
        ],
        fix: "Set an owner in the region and export again, or load the archive with --default-user.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }
}

/// The rights that an export keeps only if the base mask has both.
const COPY_AND_TRANSFER: u32 = Permissions::COPY | Permissions::TRANSFER;

#[derive(Debug, Default)]
struct Share {
    objects: usize,
    parcels: usize,
    created: usize,
    group: usize,
}

impl Share {
    fn words(&self) -> String {
        let words = [
            ("owns", self.objects, "object"),
            ("owns", self.parcels, "parcel"),
            ("created", self.created, "prim"),
            ("is the group of", self.group, "object"),
        ];
        let words = words.iter().filter(|(_, count, _)| *count > 0);
        words
            .map(|(verb, count, what)| format!("{verb} {}", counted(*count as u64, what)))
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn total(&self) -> usize {
        self.objects + self.parcels + self.created + self.group
    }
}

/// Owners, creators and groups that the target does not know, in one finding, because an operator needs a list. The
/// zero UUID is no person. Inventory archives are left out: their content belongs to the user who loads it.
fn unknown_to_the_target(measured: &Measured<'_>, context: &RuleContext<'_>, outcomes: &mut RuleOutcomes) {
    if matches!(measured.ledger.kind, InputKind::Iar | InputKind::IarTree) {
        return;
    }
    let Some(users) = context.users else {
        return outcomes.not_evaluated(Code::OWN001, SkipReason::NoUsers, 1);
    };
    let mut shares = shares(measured);
    shares.remove(&Uuid::nil());
    let all = shares.len();
    let mut unknown: Vec<_> = shares.into_iter().filter(|(uuid, _)| !users.is_known(*uuid)).collect();
    unknown.sort_by_key(|(uuid, share)| (Reverse(share.total()), *uuid));
    let words: Vec<String> =
        unknown.iter().map(|(uuid, share)| format!("{uuid} ({})", share.words())).collect();
    if !unknown.is_empty() {
        let finding = Finding::new(Code::OWN001).measured(unknown.len() as f64).limit(all as f64);
        outcomes.push(finding.detail(abridged(&words)));
    }
}

/// Counts all owners, groups and creators. A creator with `CreatorData` is known on any grid and does not count.
fn shares(measured: &Measured<'_>) -> BTreeMap<Uuid, Share> {
    let mut shares: BTreeMap<Uuid, Share> = BTreeMap::new();
    for object in &measured.ledger.objects {
        let parts = &object.linkset.parts;
        let owners: BTreeSet<Uuid> = parts.iter().map(|part| part.owner).collect();
        let groups: BTreeSet<Uuid> = parts.iter().map(|part| part.group).collect();
        owners.into_iter().for_each(|owner| shares.entry(owner).or_default().objects += 1);
        groups.into_iter().for_each(|group| shares.entry(group).or_default().group += 1);
        for part in parts.iter().filter(|part| part.creator_data.is_none()) {
            shares.entry(part.creator).or_default().created += 1;
        }
    }
    for parcel in measured.ledger.regions.iter().flat_map(|region| &region.parcels) {
        shares.entry(parcel.parcel.owner).or_default().parcels += 1;
    }
    shares
}

/// Objects with a prim of another creator who did not allow the owner to copy or transfer it. The base mask counts:
/// nobody can have more rights. Permissions of the next owner do not matter here. OpenSim's export permission is too
/// rare for its absence to mean anything.
fn not_free_content_of_others(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let of_others = |part: &&Part| part.owner != part.creator;
    let bound = |part: &Part| {
        part.permissions.is_some_and(|masks| masks.base & COPY_AND_TRANSFER != COPY_AND_TRANSFER)
    };
    let any = |object: &ObjectFacts, holds: &dyn Fn(&Part) -> bool| {
        object.linkset.parts.iter().filter(of_others).any(holds)
    };
    let objects: Vec<_> = measured.ledger.objects.iter().filter(|object| any(object, &bound)).collect();
    let unknown =
        measured.ledger.objects.iter().any(|object| any(object, &|part| part.permissions.is_none()));
    if objects.is_empty() && unknown && measured.ledger.status == Status::Complete {
        outcomes.not_evaluated(Code::OWN002, SkipReason::NotStated, 1);
    }
    report(Code::OWN002, &objects, outcomes);
}

fn without_owner(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let ownerless = rezzed(measured.ledger).filter(|(_, root)| root.owner.is_nil()).map(|(object, _)| object);
    report(Code::OWN003, &ownerless.collect::<Vec<_>>(), outcomes);
}

/// Adds one finding that names the first of these objects. It has the place of the object if there is only one.
fn report(code: Code, objects: &[&ObjectFacts], outcomes: &mut RuleOutcomes) {
    let name = |object: &&ObjectFacts| {
        let root = object.linkset.parts.first()?;
        Some(format!("\"{}\" ({})", root.name, root.uuid))
    };
    let names: Vec<String> = objects.iter().filter_map(name).collect();
    let finding = match objects {
        [] => return,
        [only] => super::place::at_object(only, code),
        _ => Finding::new(code),
    };
    let detail = format!("{}: {}", counted(objects.len() as u64, "object"), abridged(&names));
    outcomes.push(finding.measured(objects.len() as f64).detail(detail));
}
