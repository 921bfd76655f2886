//! Moves that are made up, with the right answer known.

use crate::{Change, Status, Verification, verify};
use glam::{DQuat, DVec3};
use hullmark_format::{
    object::{Item, Linkset, Part, part::flag},
    reference::Use,
};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{self, ObjectFacts, RegionFacts},
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// What happens to an object in a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    Dropped,
    Shifted,
    Turned,
    Renamed,
    Reowned,
    Retextured,
    ItemLost,
    PartLost,
    Stretched,
    Reshaped,
    MadePhantom,
    /// A child becomes the root. Nothing else changes.
    Rerooted,
}

impl Fate {
    const ALL: [Self; 13] = [
        Self::Kept,
        Self::Dropped,
        Self::Shifted,
        Self::Turned,
        Self::Renamed,
        Self::Reowned,
        Self::Retextured,
        Self::ItemLost,
        Self::PartLost,
        Self::Stretched,
        Self::Reshaped,
        Self::MadePhantom,
        Self::Rerooted,
    ];

    /// Returns the status and the change that a comparison must find.
    fn expected(self) -> (Status, Option<Change>) {
        let change = match self {
            Self::Kept | Self::Rerooted => return (Status::Arrived, None),
            Self::Dropped => return (Status::Lost, None),
            Self::Shifted => Change::Moved,
            Self::Turned => Change::Turned,
            Self::Renamed => Change::Name,
            Self::Reowned => Change::Owner,
            Self::Retextured => Change::Textures,
            Self::ItemLost => Change::ItemMissing,
            Self::PartLost => Change::PartMissing,
            Self::Stretched => Change::Size,
            Self::Reshaped => Change::Shape,
            Self::MadePhantom => Change::Physics,
        };
        (Status::Changed, Some(change))
    }

    /// Whether it needs two parts, or an item.
    fn suits(self, object: &Linkset) -> bool {
        match self {
            Self::PartLost | Self::Rerooted => object.parts.len() > 1,
            Self::ItemLost => !object.parts[0].inventory.is_empty(),
            _ => true,
        }
    }

    fn apply(self, object: &mut Linkset) {
        let root = &mut object.parts[0];
        match self {
            Self::Kept | Self::Dropped => {}
            Self::Shifted => root.group_position += DVec3::new(3.0, -1.0, 0.5),
            Self::Turned => root.rotation = (DQuat::from_rotation_z(1.0) * root.rotation).normalize(),
            Self::Renamed => root.name += " (moved)",
            Self::Reowned => root.owner = Uuid::from_u128(0xb0b),
            Self::Retextured => root.references = vec![Use::Texture.reference(Uuid::from_u128(0xdead))],
            Self::ItemLost => _ = root.inventory.pop(),
            Self::PartLost => _ = object.parts.pop(),
            Self::Stretched => root.scale.x *= 1.25,
            Self::Reshaped => root.shape.profile_hollow ^= 12_345,
            Self::MadePhantom => root.flags ^= flag::PHANTOM,
            Self::Rerooted => reroot(object),
        }
    }
}

/// Makes the last part the root.
fn reroot(object: &mut Linkset) {
    let places = crate::content::places(&object.parts);
    let (origin, turn) = places[object.parts.len() - 1];
    for (part, (place, rotation)) in object.parts.iter_mut().zip(&places) {
        part.offset_position = turn.inverse() * (*place - origin);
        part.rotation = (turn.inverse() * *rotation).normalize();
    }
    let mut root = object.parts.pop().expect("it has parts");
    (root.group_position, root.rotation, root.offset_position) = (origin, turn, DVec3::ZERO);
    (root.owner, root.flags) = (object.parts[0].owner, object.parts[0].flags);
    object.parts.insert(0, root);
}

fn places() -> impl Strategy<Value = DVec3> {
    [1.0..255.0f64, 1.0..255.0f64, 1.0..80.0f64].prop_map(DVec3::from_array)
}

fn rotations() -> impl Strategy<Value = DQuat> {
    [-1.0..1.0f64, -1.0..1.0, -1.0..1.0, 0.1..1.0]
        .prop_map(|[x, y, z, w]| DQuat::from_xyzw(x, y, z, w).normalize())
}

fn parts() -> impl Strategy<Value = Part> {
    let looks = (0..4_usize, 0..3_u16, 0..5_u128, 0..3_usize);
    let sizes = prop::array::uniform3(prop_oneof![Just(0.5), 0.01..10.0f64]);
    (looks, sizes, prop::array::uniform3(-4.0..4.0f64), rotations()).prop_map(
        |((name, hollow, texture, items), scale, offset, rotation)| {
            let item = |number: usize| Item {
                name: format!("item {number}"),
                asset: Uuid::from_u128(900 + number as u128),
                asset_type: 10,
                ..Item::default()
            };
            let mut part = Part {
                name: ["Primitive", "Wall", "", "Chair"][name].into(),
                owner: Uuid::from_u128(0xa11ce),
                scale: DVec3::from_array(scale),
                offset_position: DVec3::from_array(offset),
                rotation,
                references: vec![Use::Texture.reference(Uuid::from_u128(texture + 1))],
                inventory: (0..items).map(item).collect(),
                ..Part::default()
            };
            part.shape.profile_hollow = 10_000 * hollow;
            part
        },
    )
}

fn objects() -> impl Strategy<Value = Linkset> {
    (prop::collection::vec(parts(), 1..5), places(), rotations()).prop_map(|(mut parts, place, rotation)| {
        (parts[0].group_position, parts[0].rotation, parts[0].offset_position) =
            (place, rotation, DVec3::ZERO);
        Linkset { parts, ..Linkset::default() }
    })
}

/// Rounds all lengths and rotations to six digits, as a database does.
fn round(object: &mut Linkset) {
    let six = |number: f64| format!("{number:.5e}").parse::<f64>().unwrap();
    let vector = |of: DVec3| DVec3::from_array(of.to_array().map(six));
    for part in &mut object.parts {
        part.scale = vector(part.scale);
        part.group_position = vector(part.group_position);
        part.offset_position = vector(part.offset_position);
        part.rotation = DQuat::from_array(part.rotation.to_array().map(six)).normalize();
    }
}

fn ledger(name: &str, objects: Vec<Linkset>, regions: u32) -> Ledger {
    let region = |number: u32| RegionFacts { name: format!("Region {number}"), ..RegionFacts::of_folder("") };
    let object = |(number, linkset): (usize, Linkset)| ObjectFacts {
        entry: format!("objects/{number}.xml"),
        region: Some(number as u32 % regions),
        ..ObjectFacts::rezzed(linkset)
    };
    Ledger {
        regions: (0..regions).map(region).collect(),
        objects: objects.into_iter().enumerate().map(object).collect(),
        ..Ledger::empty(name, InputKind::Oar, facts::Status::Complete)
    }
}

fn with_uuids(objects: &mut [Linkset], first: u128) {
    for (object, number) in objects.iter_mut().zip(0..) {
        for (part, link) in object.parts.iter_mut().zip(0..) {
            part.uuid = Uuid::from_u128(first + 1_000 * number + link);
        }
    }
}

fn counts(verified: &Verification<'_>) -> BTreeMap<Status, usize> {
    let mut counts = BTreeMap::new();
    verified.objects.iter().for_each(|object| *counts.entry(object.status).or_default() += 1);
    counts
}

/// A server is asked for the assets of its own objects. So the assets of a lost object are unknown.
#[test]
fn a_server_knows_only_the_assets_that_it_was_asked_for() {
    use hullmark_ledger::facts::{AssetFacts, Content};
    let texture = |number: u128| Use::Texture.reference(Uuid::from_u128(number));
    let object = |number: u128| Linkset {
        parts: vec![Part { name: format!("{number}"), references: vec![texture(number)], ..Part::default() }],
        ..Linkset::default()
    };
    let asset = |number: u128| AssetFacts {
        entry: (&*format!("assets/{}_texture.jp2", Uuid::from_u128(number))).into(),
        bytes: 1,
        content_hash: Some(7_u128.into()),
        content: Content::Opaque,
    };
    let before =
        Ledger { assets: vec![asset(1), asset(2)], ..ledger("a.oar", vec![object(1), object(2)], 1) };
    let server = |assets: Vec<AssetFacts>| Ledger {
        kind: InputKind::Mysql,
        assets,
        ..ledger("mysql://grid", vec![object(1)], 1)
    };
    let (asked, whole) = (server(vec![asset(1)]), server(vec![asset(1), asset(3)]));
    let found = |after: &Ledger| {
        let verified = verify(vec![&before], vec![after]);
        (verified.gaps.len(), verified.assets.iter().map(|asset| asset.found).collect::<Vec<_>>())
    };
    assert_eq!(found(&asked), (1, vec![crate::Found::NotFound, crate::Found::Equal]));
    assert_eq!(found(&whole), (0, vec![crate::Found::Missing, crate::Found::Equal]));
}

/// A grid has regions that nothing was moved to. Their objects are not new.
#[test]
fn other_regions_of_a_grid_are_left_alone() {
    let object = |name: &str| Linkset {
        parts: vec![Part { name: name.into(), ..Part::default() }],
        ..Linkset::default()
    };
    let before = ledger("a.oar", vec![object("Chair")], 1);
    // The first object is in the first region, the second in the second, and so on.
    let after = ledger("grid", vec![object("Chair"), object("Tree"), object("Lamp")], 2);
    let verified = verify(vec![&before], vec![&after]);
    assert_eq!(counts(&verified), [(Status::Arrived, 1), (Status::New, 1)].into());
    assert_eq!(verified.lands.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Each change of each object is found, and nothing else.
    #[test]
    fn every_fate_is_found(
        mut before in prop::collection::vec(objects(), 1..24),
        fates in prop::collection::vec(0..Fate::ALL.len(), 24),
        order in any::<prop::sample::Index>(),
        is_rounded in any::<bool>(),
    ) {
        with_uuids(&mut before, 1 << 40);
        let fates: Vec<Fate> = before
            .iter()
            .zip(fates)
            .map(|(object, fate)| Some(Fate::ALL[fate]).filter(|fate| fate.suits(object)).unwrap_or(Fate::Kept))
            .collect();
        let mut after: Vec<(Linkset, usize)> = before
            .iter()
            .cloned()
            .zip(&fates)
            .zip(0..)
            .filter(|((_, fate), _)| **fate != Fate::Dropped)
            .map(|((mut object, fate), number)| {
                fate.apply(&mut object);
                if is_rounded {
                    round(&mut object);
                }
                (object, number)
            })
            .collect();
        let middle = if after.is_empty() { 0 } else { order.index(after.len()) };
        after.rotate_left(middle);
        let (mut moved, origins): (Vec<Linkset>, Vec<usize>) = after.into_iter().unzip();
        with_uuids(&mut moved, 1 << 60);
        let origin_of: BTreeMap<Uuid, usize> =
            moved.iter().zip(origins).map(|(object, origin)| (object.parts[0].uuid, origin)).collect();
        let (before, after) = (ledger("before.oar", before, 1), ledger("after.oar", moved, 1));
        let verified = verify(vec![&before], vec![&after]);
        for object in &verified.objects {
            let thing = object.before.unwrap_or_else(|| panic!("nothing is new: {:?}", object.after.unwrap().object));
            let fate = fates[thing.number];
            let (status, change) = fate.expected();
            prop_assert_eq!(object.status, status, "{:?} {:?}", fate, object.changes);
            let found: BTreeSet<Change> = object.changes.keys().copied().collect();
            prop_assert_eq!(found, change.into_iter().collect::<BTreeSet<_>>(), "{:?} {:?}", fate, object.changes);
            if let Some(after) = object.after {
                prop_assert_eq!(origin_of[&after.uuid()], thing.number, "{:?}", fate);
            }
        }
    }

    /// Of equal objects the number that is lost is known.
    #[test]
    fn equal_objects_are_counted(object in objects(), all in 1..60_usize, lost in 0..60_usize, shift in any::<bool>()) {
        let lost = lost.min(all);
        let copies = |first: usize, count: usize, x: f64| -> Vec<Linkset> {
            (first..first + count)
                .map(|number| {
                    let mut copy = object.clone();
                    copy.parts[0].group_position += DVec3::new(x, 0.0, 2.0 * number as f64);
                    copy
                })
                .collect()
        };
        let (mut before, mut after) = (copies(0, all, 0.0), copies(lost, all - lost, if shift { 7.0 } else { 0.0 }));
        with_uuids(&mut before, 1 << 40);
        with_uuids(&mut after, 1 << 60);
        let (before, after) = (ledger("before.oar", before, 1), ledger("after.oar", after, 1));
        let verified = verify(vec![&before], vec![&after]);
        let expected = if shift && all > lost { Status::Changed } else { Status::Arrived };
        let mut statuses = BTreeMap::from([(Status::Lost, lost)]);
        *statuses.entry(expected).or_default() += all - lost;
        statuses.retain(|_, count| *count > 0);
        prop_assert_eq!(counts(&verified), statuses);
        for object in verified.objects.iter().filter(|object| object.status == Status::Lost && all > 1) {
            prop_assert_eq!(object.equal, Some([all as u64, (all - lost) as u64]));
        }
    }

    /// Among objects that look alike each change is found at its place, and losses are counted.
    #[test]
    fn changes_among_equal_objects_are_found(object in objects(), fates in prop::collection::vec(0..40_usize, 4..120)) {
        let simple = [Fate::Dropped, Fate::Shifted, Fate::Renamed, Fate::Retextured, Fate::Stretched, Fate::Reowned];
        let fates: Vec<Fate> = fates.iter().map(|fate| *simple.get(*fate).unwrap_or(&Fate::Kept)).collect();
        let copy = |number: usize| {
            let mut copy = object.clone();
            copy.parts[0].group_position = DVec3::new(12.0 * (number % 11) as f64, 12.0 * (number / 11) as f64, 30.0);
            copy
        };
        let mut before: Vec<Linkset> = (0..fates.len()).map(copy).collect();
        let fated = fates.iter().enumerate().filter(|(_, fate)| **fate != Fate::Dropped);
        let mut after: Vec<Linkset> = fated
            .map(|(number, fate)| {
                let mut copy = copy(number);
                fate.apply(&mut copy);
                copy
            })
            .collect();
        after.reverse();
        with_uuids(&mut before, 1 << 40);
        with_uuids(&mut after, 1 << 60);
        let (before, after) = (ledger("before.oar", before, 1), ledger("after.oar", after, 1));
        let verified = verify(vec![&before], vec![&after]);
        let mut expected: BTreeMap<(Status, Option<Change>), usize> = BTreeMap::new();
        fates.iter().for_each(|fate| *expected.entry(fate.expected()).or_default() += 1);
        let mut found: BTreeMap<(Status, Option<Change>), usize> = BTreeMap::new();
        for object in &verified.objects {
            prop_assert!(object.changes.len() <= 1, "{:?}", object.changes);
            *found.entry((object.status, object.changes.keys().next().copied())).or_default() += 1;
        }
        prop_assert_eq!(found, expected);
    }

    /// Objects that were linked or unlinked are neither lost nor new.
    #[test]
    fn linked_and_unlinked_objects_are_there(mut one in objects(), mut other in objects(), seed in any::<bool>()) {
        prop_assume!(one.parts[0].group_position.distance(other.parts[0].group_position) > 30.0);
        // Each part has a name of its own.
        for (part, number) in one.parts.iter_mut().chain(&mut other.parts).zip(0..) {
            part.name = format!("part {number}");
        }
        let mut whole = one.clone();
        let (origin, turn) = (one.parts[0].group_position, one.parts[0].rotation);
        let places = crate::content::places(&other.parts);
        whole.parts.extend(other.parts.iter().zip(places).map(|(part, (place, rotation))| Part {
            offset_position: turn.inverse() * (place - origin),
            rotation: (turn.inverse() * rotation).normalize(),
            ..part.clone()
        }));
        let (mut apart, mut linked) = (vec![one, other], vec![whole]);
        with_uuids(&mut apart, 1 << 40);
        with_uuids(&mut linked, 1 << 60);
        let (apart, linked) = (ledger("apart.oar", apart, 1), ledger("linked.oar", linked, 1));
        let (before, after) = if seed { (&apart, &linked) } else { (&linked, &apart) };
        let verified = verify(vec![before], vec![after]);
        let is_there = |object: &crate::Arrival<'_>| object.status == Status::Changed && !object.has_loss();
        prop_assert!(verified.objects.iter().all(is_there), "{:?}", counts(&verified));
        let changes: BTreeSet<Change> = verified.objects.iter().flat_map(|object| object.changes.keys().copied()).collect();
        prop_assert!(changes.contains(if seed { &Change::Linked } else { &Change::Unlinked }), "{changes:?}");
    }

    /// A region that became two, and two that became one, lose nothing.
    #[test]
    fn regions_are_split_and_joined(mut objects in prop::collection::vec(objects(), 4..24)) {
        with_uuids(&mut objects, 1 << 40);
        let one = ledger("one.oar", objects.clone(), 1);
        with_uuids(&mut objects, 1 << 60);
        let two = ledger("two.oar", objects, 2);
        for (before, after) in [(&one, &two), (&two, &one)] {
            let verified = verify(vec![before], vec![after]);
            for object in &verified.objects {
                prop_assert!(object.before.is_some() && object.after.is_some(), "{:?}", object.status);
                prop_assert!(object.changes.keys().all(|change| *change == Change::Region), "{:?}", object.changes);
            }
        }
    }
}
