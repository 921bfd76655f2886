//! OBJ012: objects nested in the inventories of objects, down to a risky depth.

use super::{place::at_object, reference::unproved};
use crate::{RuleOutcomes, SHOWN};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_ledger::facts::{ObjectFacts, Role};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Greatest depth that is measured. Deeper nesting counts as endless, like a forged object that contains itself.
const MOST: u32 = 64;

/// An object in contents: its asset, and the name of its item.
type Held<'a> = (Uuid, &'a str);

pub(super) fn objects_in_objects(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limit = measured.profile.assets.deep_nesting;
    let nests = Nests::new(&measured.ledger.objects);
    for object in measured.ledger.objects.iter().filter(|object| nests.is_outermost(object)) {
        let held: Vec<Held<'_>> = held(object).collect();
        let depth = nests.depth(&held);
        if depth >= limit {
            let finding = at_object(object, Code::OBJ012).measured(depth).limit(limit);
            outcomes.push(finding.detail(nests.way_down(&held)));
        } else if let Some(reason) = unproved(measured)
            && held.iter().any(|(asset, _)| !measured.assets.has(*asset))
        {
            outcomes.not_evaluated(Code::OBJ012, reason, 1);
        }
    }
}

fn held(object: &ObjectFacts) -> impl Iterator<Item = Held<'_>> {
    let items = object.linkset.parts.iter().flat_map(|part| &part.inventory);
    items.filter(|item| item.asset_type == 6).map(|item| (item.asset, item.name.as_str()))
}

/// The contents of the object assets of an input.
struct Nests<'a> {
    /// The objects in each asset that contains any.
    held: BTreeMap<Uuid, Vec<Held<'a>>>,
    /// The depth of nesting below each asset.
    depths: BTreeMap<Uuid, u32>,
    /// The assets that are in another object.
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
        // After n rounds every depth up to n is correct. There is no recursion, because its depth would depend on the
        // file.
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

    fn is_outermost(&self, object: &ObjectFacts) -> bool {
        object.role != Role::Nested || object.asset.is_none_or(|asset| !self.inner.contains(&asset))
    }

    /// Returns the depth of nesting below an object with these contents.
    fn depth(&self, held: &[Held<'_>]) -> u32 {
        held.iter().map(|(asset, _)| self.depth_in(*asset) + 1).max().unwrap_or(0)
    }

    fn depth_in(&self, asset: Uuid) -> u32 {
        self.depths.get(&asset).copied().unwrap_or(0)
    }

    /// Describes the items that lead to the deepest object.
    fn way_down<'h>(&'h self, mut held: &'h [Held<'h>]) -> String {
        let mut names = Vec::new();
        // `max_by_key` returns the last of equal elements, so the reversed order selects the first.
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
