//! What a move changed about an object that arrived.

use crate::{
    matching::{PLACE_M, TURN_RAD, angle},
    parts::{OFFSET_M, Pair, Parts},
    side::Thing,
};
use hullmark_format::object::{Item, Part, part::flag};
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

named! {
    /// What changed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum Change {
        /// A part is missing.
        PartMissing = "part_missing",
        /// An item is missing from the inventory of a part.
        ItemMissing = "item_missing",
        /// The saved state of a script is missing.
        ScriptState = "script_state",
        /// The region is another one.
        Region = "region",
        /// The place differs.
        Moved = "moved",
        /// The rotation differs.
        Turned = "turned",
        /// A part moved or turned within the object.
        PartMoved = "part_moved",
        /// A part is new.
        PartAdded = "part_added",
        /// It is a part of another object now.
        Linked = "linked",
        /// Parts of it are another object now.
        Unlinked = "unlinked",
        /// An item is new, or has another asset.
        Items = "items",
        /// A form, or its cut, twist or taper, differs.
        Shape = "shape",
        /// The size of a part differs.
        Size = "size",
        /// A texture, sculpt map, mesh or other asset of a part differs.
        Textures = "textures",
        /// The physics shape type differs.
        PhysicsShape = "physics_shape",
        /// It is physical, phantom or temporary now, or no longer.
        Physics = "physics",
        /// The name of a part differs.
        Name = "name",
        /// The owner differs.
        Owner = "owner",
        /// The group differs.
        Group = "group",
        /// The creator of a part differs.
        Creator = "creator",
        /// The permissions of a part differ.
        Permissions = "permissions",
    }
}

impl Change {
    /// Whether content is lost.
    pub fn is_loss(self) -> bool {
        matches!(self, Self::PartMissing | Self::ItemMissing | Self::ScriptState)
    }
}

/// The changes of an object, each with words for people: how often, and the first before and after.
pub type Changes = BTreeMap<Change, Detail>;

/// A change in numbers and words.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Detail {
    /// Number of parts or items that it is about.
    pub count: u64,
    /// The first of them.
    pub first: String,
}

/// Permissions that people can set: transfer, modify, copy, export, move.
const SETTABLE: u32 = 0x0009_e000;
/// The part of the flags that a move keeps.
const KEPT: u32 = flag::PHYSICS | flag::PHANTOM | flag::TEMPORARY_ON_REZ;
/// Two roundings of a size differ by less than this share.
const SIZE: f64 = 1e-4;

/// What the later side can show.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// Whether its region is the one that the region became.
    pub(crate) is_same_land: bool,
    /// Whether the later side keeps the states of scripts. A database does not.
    pub(crate) has_script_states: bool,
}

/// Collects changes.
#[derive(Debug, Default)]
struct Found(Changes);

impl Found {
    fn add(&mut self, change: Change, first: impl FnOnce() -> String) {
        let detail = self.0.entry(change).or_insert_with(|| Detail { count: 0, first: first() });
        detail.count += 1;
    }

    fn compare<T: PartialEq>(&mut self, change: Change, one: &T, other: &T, words: impl Fn(&T) -> String) {
        if one != other {
            self.add(change, || format!("{} → {}", words(one), words(other)));
        }
    }
}

/// Compares an object on both sides, whose parts are paired. `elsewhere` has the numbers of those missing parts that are
/// in other objects now.
pub(crate) fn changes(
    before: &Thing<'_>,
    after: &Thing<'_>,
    parts: &Parts,
    elsewhere: &BTreeSet<usize>,
    scope: Scope,
) -> Changes {
    let (one, other) = (&before.object.linkset, &after.object.linkset);
    let mut found = Found::default();
    for number in &parts.missing {
        let change = if elsewhere.contains(number) { Change::Unlinked } else { Change::PartMissing };
        found.add(change, || quoted(&one.parts[*number].name));
    }
    for &number in &parts.added {
        found.add(Change::PartAdded, || quoted(&other.parts[number].name));
    }
    if !scope.is_same_land {
        found.add(Change::Region, || format!("{} → {}", region_of(before), region_of(after)));
    }
    for pair in &parts.pairs {
        compare_parts(&mut found, *pair, &one.parts[pair.before], &other.parts[pair.after]);
    }
    compare_roots(&mut found, parts, before, after, scope);
    if scope.has_script_states && one.script_states.len() > other.script_states.len() {
        let lost = one.script_states.len() - other.script_states.len();
        found.add(Change::ScriptState, || format!("{lost} of {}", one.script_states.len()));
    }
    found.0
}

/// Says that the parts of an object are in these.
pub(crate) fn relinked_to(after: &[&Thing<'_>]) -> Changes {
    let change = if after.len() == 1 { Change::Linked } else { Change::Unlinked };
    let first = after.first().and_then(|thing| thing.root()).map_or("", |root| &root.name);
    Changes::from([(change, Detail { count: after.len() as u64, first: quoted(first) })])
}

/// Compares what the whole object has. Another root does not move the object.
fn compare_roots(found: &mut Found, parts: &Parts, before: &Thing<'_>, after: &Thing<'_>, scope: Scope) {
    let (Some(one), Some(other)) = (before.root(), after.root()) else { return };
    found.compare(Change::Owner, &one.owner, &other.owner, Uuid::to_string);
    found.compare(Change::Group, &one.group, &other.group, Uuid::to_string);
    if (one.flags ^ other.flags) & KEPT != 0 {
        found.add(Change::Physics, || format!("{} → {}", behavior(one.flags), behavior(other.flags)));
    }
    let Some(root) = parts.pairs.iter().find(|pair| pair.before == 0) else { return };
    let places = crate::content::places(&after.object.linkset.parts);
    let (place, rotation) = places[root.after];
    let distance = one.group_position.distance(place);
    if scope.is_same_land && distance > PLACE_M {
        found.add(Change::Moved, || format!("{distance:.2} m"));
    }
    let turn = angle(one.rotation, rotation);
    if turn > TURN_RAD {
        found.add(Change::Turned, || format!("{:.1}°", turn.to_degrees()));
    }
}

fn compare_parts(found: &mut Found, pair: Pair, one: &Part, other: &Part) {
    found.compare(Change::Name, &one.name, &other.name, |name| quoted(name));
    let (mut form, mut form_after) = (one.shape, other.shape);
    let (body, body_after) = (form.sculpt.take(), form_after.sculpt.take());
    if form != form_after || body.map(|body| body.kind) != body_after.map(|body| body.kind) {
        found.add(Change::Shape, || quoted(&one.name));
    }
    if body.map(|body| body.asset) != body_after.map(|body| body.asset) || one.references != other.references
    {
        found.add(Change::Textures, || quoted(&one.name));
    }
    let sizes = one.scale.to_array().into_iter().zip(other.scale.to_array());
    let differs =
        |(one, other): (f64, f64)| (one - other).abs() > SIZE * one.abs().max(other.abs()).max(0.01);
    if sizes.clone().any(differs) {
        let size = |size: glam::DVec3| format!("{:.3} × {:.3} × {:.3} m", size.x, size.y, size.z);
        found.add(Change::Size, || format!("{} → {}", size(one.scale), size(other.scale)));
    }
    let is_child = pair.before != 0;
    if is_child && (pair.moved_m > OFFSET_M || pair.turned_rad > TURN_RAD) {
        found.add(Change::PartMoved, || format!("{} by {:.2} m", quoted(&one.name), pair.moved_m));
    }
    found.compare(Change::Creator, &one.creator, &other.creator, Uuid::to_string);
    // A loader writes the default for a missing type.
    if let (Some(shape), Some(shape_after)) = (one.physics_shape_type, other.physics_shape_type) {
        found.compare(Change::PhysicsShape, &shape, &shape_after, |shape| physics_shape(*shape).to_owned());
    }
    if let (Some(masks), Some(masks_after)) = (one.permissions, other.permissions) {
        let settable = |masks| <[u32; 4]>::from(masks).map(|mask| mask & SETTABLE);
        found.compare(Change::Permissions, &settable(masks), &settable(masks_after), |masks| {
            masks.map(|mask| format!("{mask:x}")).join(" ")
        });
    }
    compare_items(found, &one.inventory, &other.inventory);
}

/// Compares items by name and type, then by asset. Two of one name are two.
fn compare_items(found: &mut Found, one: &[Item], other: &[Item]) {
    let mut names: BTreeMap<(&str, i32), [Vec<Uuid>; 2]> = BTreeMap::new();
    for (items, side) in [(one, 0), (other, 1)] {
        for item in items {
            names.entry((&item.name, item.asset_type)).or_default()[side].push(item.asset);
        }
    }
    for ((name, _), [mut before, mut after]) in names {
        before.sort_unstable();
        after.sort_unstable();
        for _ in after.len()..before.len() {
            found.add(Change::ItemMissing, || quoted(name));
        }
        let is_other = before.len() == after.len() && before != after;
        if after.len() > before.len() || is_other {
            found.add(Change::Items, || quoted(name));
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

fn region_of(thing: &Thing<'_>) -> String {
    thing.region().map_or_else(|| "no region".into(), |region| quoted(&region.name))
}

fn behavior(flags: u32) -> String {
    let names =
        [(flag::PHYSICS, "physical"), (flag::PHANTOM, "phantom"), (flag::TEMPORARY_ON_REZ, "temporary")];
    let set: Vec<&str> = names.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, name)| *name).collect();
    if set.is_empty() { "solid".into() } else { set.join(" and ") }
}

fn physics_shape(shape: u8) -> &'static str {
    match shape {
        0 => "prim",
        1 => "none",
        2 => "convex hull",
        _ => "unknown",
    }
}
