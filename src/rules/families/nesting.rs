//! OBJ012: objects nested in the inventories of objects, down to a risky depth.

use super::{link::at, reference::unproved};
use crate::{
    analysis::Measured,
    finding::Code,
    ledger::facts::{ObjectFacts, Role},
    rules::RuleOutcomes,
};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Deeper than this is as good as endless, as an object that a forged export puts into itself.
const MOST: u32 = 64;

/// An object in contents: its asset, and the name of its item.
type Held<'a> = (Uuid, &'a str);

/// An object that holds objects which hold objects, as deep as the target's profile finds risky.
pub(crate) fn obj012_objects_in_objects(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limit = measured.profile.assets.deep_nesting;
    let nests = Nests::new(&measured.ledger.objects);
    for object in measured.ledger.objects.iter().filter(|object| nests.is_outermost(object)) {
        let held: Vec<Held<'_>> = held(object).collect();
        let depth = nests.depth(&held);
        if depth >= limit {
            let finding = at(object, Code::OBJ012).measured(depth).limit(limit);
            verdicts.push(finding.detail(nests.way_down(&held)));
        } else if let Some(reason) = unproved(measured)
            && held.iter().any(|(asset, _)| !measured.assets.has(*asset))
        {
            verdicts.not_evaluated(Code::OBJ012, reason, 1);
        }
    }
}

/// The objects in an object's contents.
fn held(object: &ObjectFacts) -> impl Iterator<Item = Held<'_>> {
    let items = object.linkset.parts.iter().flat_map(|part| &part.inventory);
    items.filter(|item| item.asset_type == 6).map(|item| (item.asset, item.name.as_str()))
}

/// What lies in the object assets of an input.
struct Nests<'a> {
    /// The objects in each, where there are any.
    held: BTreeMap<Uuid, Vec<Held<'a>>>,
    /// How deep they lie.
    depths: BTreeMap<Uuid, u32>,
    /// The assets that lie in something.
    inner: BTreeSet<Uuid>,
}

impl<'a> Nests<'a> {
    fn new(objects: &'a [ObjectFacts]) -> Self {
        let mut nests = Self { held: BTreeMap::new(), depths: BTreeMap::new(), inner: BTreeSet::new() };
        for object in objects {
            nests.inner.extend(held(object).map(|(asset, _)| asset));
            if let (Role::Nested, Some(asset)) = (object.role, object.asset) {
                nests.held.entry(asset).or_default().extend(held(object));
            }
        }
        // After n rounds every depth up to n is right. Rounds, since a recursion would be as deep as a file wants it.
        for _ in 0..MOST {
            let deeper = |(asset, held): (&Uuid, &Vec<Held<'_>>)| (*asset, nests.depth(held));
            let depths: BTreeMap<Uuid, u32> = nests.held.iter().map(deeper).collect();
            if depths == nests.depths {
                break;
            }
            nests.depths = depths;
        }
        nests
    }

    /// Whether an object lies in no other.
    fn is_outermost(&self, object: &ObjectFacts) -> bool {
        object.role != Role::Nested || object.asset.is_none_or(|asset| !self.inner.contains(&asset))
    }

    /// How deep objects lie below something that holds these.
    fn depth(&self, held: &[Held<'_>]) -> u32 {
        held.iter().map(|(asset, _)| self.depth_in(*asset) + 1).max().unwrap_or(0)
    }

    fn depth_in(&self, asset: Uuid) -> u32 {
        self.depths.get(&asset).copied().unwrap_or(0)
    }

    /// The items through which the deepest object is reached, in words.
    fn way_down<'h>(&'h self, mut held: &'h [Held<'h>]) -> String {
        const SHOWN: usize = 8;
        let mut names = Vec::new();
        // Of several that are as deep the first, so the last of them from behind.
        while let Some((asset, name)) = held.iter().rev().max_by_key(|(asset, _)| self.depth_in(*asset)) {
            if names.len() == SHOWN {
                names.push("and more".to_owned());
                break;
            }
            names.push(format!("\"{name}\""));
            held = self.held.get(asset).map_or(&[], Vec::as_slice);
        }
        names.join(", in it ")
    }
}
