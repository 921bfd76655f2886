//! The objects and regions of one side of a move.

use crate::content::{Content, Numbers};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, RegionFacts, Role},
};
use std::cmp::Ordering;
use uuid::Uuid;

/// A region of a side.
#[derive(Debug, Clone, Copy)]
pub struct Land<'a> {
    /// The input that has it.
    pub ledger: &'a Ledger,
    pub facts: &'a RegionFacts,
}

/// An object that is in a region, or in a file of its own.
#[derive(Debug, Clone, Copy)]
pub struct Thing<'a> {
    /// The input that has it.
    pub ledger: &'a Ledger,
    pub object: &'a ObjectFacts,
    /// Its number in the input.
    pub number: usize,
    /// The number of its region in [`Side::lands`].
    pub land: Option<usize>,
}

impl<'a> Thing<'a> {
    /// Returns its root.
    pub fn root(&self) -> Option<&'a Part> {
        self.object.linkset.parts.first()
    }

    /// Returns its region. `None` if it is in a file of its own.
    pub fn region(&self) -> Option<&'a RegionFacts> {
        self.ledger.regions.get(self.object.region? as usize)
    }

    pub(crate) fn uuid(&self) -> Uuid {
        self.root().map_or(Uuid::nil(), |root| root.uuid)
    }

    /// Orders objects by their content, so that their order in the input does not matter.
    fn order(&self, other: &Self) -> Ordering {
        let key = |thing: &Self| {
            let root = thing.root();
            (root.map(|root| root.name.as_str()), thing.object.linkset.parts.len())
        };
        let place = |thing: &Self| thing.root().map_or([f64::NAN; 3], |root| root.group_position.to_array());
        let places = place(self).into_iter().zip(place(other));
        let places = places.fold(Ordering::Equal, |order, (one, other)| order.then(one.total_cmp(&other)));
        let rest = |thing: &Self| (thing.uuid(), thing.object.entry.as_str(), thing.object.index);
        let land = |thing: &Self| thing.land;
        let order = key(self).cmp(&key(other)).then_with(|| land(self).cmp(&land(other))).then(places);
        order
            .then_with(|| rest(self).cmp(&rest(other)))
            .then_with(|| self.ledger.input.cmp(&other.ledger.input))
    }
}

/// One side of a move.
#[derive(Debug)]
pub struct Side<'a> {
    pub ledgers: Vec<&'a Ledger>,
    /// Its regions, in the order of the inputs.
    pub lands: Vec<Land<'a>>,
    /// Its objects outside of inventories, in an order that does not depend on the inputs.
    pub things: Vec<Thing<'a>>,
    /// The content of each object.
    pub(crate) contents: Vec<Content>,
}

impl<'a> Side<'a> {
    /// Collects the objects of both sides. Their numbers are rounded alike.
    pub(crate) fn both(before: Vec<&'a Ledger>, after: Vec<&'a Ledger>) -> [Self; 2] {
        let sides = [before, after].map(|ledgers| {
            let lands = lands(&ledgers);
            let things = things(&ledgers, &lands);
            Self { ledgers, lands, things, contents: Vec::new() }
        });
        let numbers = Numbers::of(sides.iter().flat_map(|side| &side.things).map(|thing| thing.object));
        sides.map(|side| {
            let contents = side.things.iter().map(|thing| Content::new(thing.object, &numbers)).collect();
            Self { contents, ..side }
        })
    }
}

fn lands<'a>(ledgers: &[&'a Ledger]) -> Vec<Land<'a>> {
    let of = |ledger: &&'a Ledger| {
        let ledger = *ledger;
        ledger.regions.iter().map(move |facts| Land { ledger, facts })
    };
    ledgers.iter().flat_map(of).collect()
}

fn things<'a>(ledgers: &[&'a Ledger], lands: &[Land<'a>]) -> Vec<Thing<'a>> {
    let mut things = Vec::new();
    let mut first_land = 0;
    for ledger in ledgers {
        let objects = ledger.objects.iter().enumerate().filter(|(_, object)| object.role != Role::Nested);
        things.extend(objects.map(|(number, object)| {
            let land = object.region.map(|region| first_land + region as usize);
            Thing { ledger, object, number, land: land.filter(|land| *land < lands.len()) }
        }));
        first_land += ledger.regions.len();
    }
    things.retain(|thing: &Thing<'_>| thing.root().is_some());
    things.sort_by(Thing::order);
    things
}
