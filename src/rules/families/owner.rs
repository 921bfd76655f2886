//! OWN: owners and permissions.

use super::object::rezzed;
use crate::{RuleContext, RuleOutcomes, SkipReason, abridged};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::object::Part;
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

/// The permission bit to copy.
const COPY: u32 = 0x8000;

/// The permission bit to transfer.
const TRANSFER: u32 = 0x2000;

/// Numbers of objects, parcels and prims that a person or group owns or created.
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
pub(crate) fn own001_unknown_to_the_target(
    measured: &Measured<'_>,
    context: &RuleContext<'_>,
    verdicts: &mut RuleOutcomes,
) {
    if matches!(measured.ledger.kind, InputKind::Iar | InputKind::IarTree) {
        return;
    }
    let Some(users) = context.users else {
        return verdicts.not_evaluated(Code::OWN001, SkipReason::NoUsers, 1);
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
        verdicts.push(finding.detail(abridged(&words)));
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
pub(crate) fn own002_not_free_content_of_others(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let of_others = |part: &&Part| part.owner != part.creator;
    let bound =
        |part: &Part| part.permissions.is_some_and(|masks| masks.base & (COPY | TRANSFER) != COPY | TRANSFER);
    let any = |object: &ObjectFacts, holds: &dyn Fn(&Part) -> bool| {
        object.linkset.parts.iter().filter(of_others).any(holds)
    };
    let objects: Vec<_> = measured.ledger.objects.iter().filter(|object| any(object, &bound)).collect();
    let unknown =
        measured.ledger.objects.iter().any(|object| any(object, &|part| part.permissions.is_none()));
    if objects.is_empty() && unknown && measured.ledger.status == Status::Complete {
        verdicts.not_evaluated(Code::OWN002, SkipReason::NotStated, 1);
    }
    report(Code::OWN002, &objects, verdicts);
}

/// Objects in a region without an owner.
pub(crate) fn own003_without_owner(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let ownerless = rezzed(measured).filter(|(_, root)| root.owner.is_nil()).map(|(object, _)| object);
    report(Code::OWN003, &ownerless.collect::<Vec<_>>(), verdicts);
}

/// Adds one finding that names the first of these objects. It has the place of the object if there is only one.
fn report(code: Code, objects: &[&ObjectFacts], verdicts: &mut RuleOutcomes) {
    let name = |object: &&ObjectFacts| {
        let root = object.linkset.parts.first()?;
        Some(format!("\"{}\" ({})", root.name, root.uuid))
    };
    let names: Vec<String> = objects.iter().filter_map(name).collect();
    let finding = match objects {
        [] => return,
        [only] => super::link::at(only, code),
        _ => Finding::new(code),
    };
    let detail = format!("{}: {}", counted(objects.len() as u64, "object"), abridged(&names));
    verdicts.push(finding.measured(objects.len() as f64).detail(detail));
}
