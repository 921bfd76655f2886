//! Which objects of a region are wanted.

use super::Rights;
use hullmark_analysis::land::{Bitmap, cell};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, ParcelFacts, RegionFacts, Role},
};
use std::{collections::BTreeSet, str::FromStr};
use thiserror::Error;
use uuid::Uuid;

/// Which objects are wanted: those that every list accepts. An empty list accepts all.
///
/// Names are compared in any case.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// UUIDs of a prim, or names of the root prim.
    pub objects: Vec<String>,
    pub owners: Vec<Uuid>,
    /// Creators of the root prim.
    pub creators: Vec<Uuid>,
    /// UUIDs or names of regions.
    pub regions: Vec<String>,
    /// UUIDs or names of parcels under the root prim.
    pub parcels: Vec<String>,
    pub within: Option<Within>,
    /// Numbers of objects in the ledger.
    pub numbers: Option<BTreeSet<usize>>,
    /// Takes all the other objects.
    pub inverted: bool,
    /// What the owner of each must be allowed.
    pub rights: Option<Rights>,
}

/// A rectangle of a region, in metres from its corner. The western and southern borders belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Within {
    x: [f64; 2],
    y: [f64; 2],
}

/// Why a text is no rectangle.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("give four numbers in metres: west, south, east and north border, as 0,0,128,256")]
pub struct WithinError;

impl FromStr for Within {
    type Err = WithinError;

    fn from_str(text: &str) -> Result<Self, WithinError> {
        let numbers: Vec<f64> = text
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|number: &f64| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or(WithinError)?;
        match numbers[..] {
            [west, south, east, north] if west < east && south < north => {
                Ok(Self { x: [west, east], y: [south, north] })
            }
            _ => Err(WithinError),
        }
    }
}

impl Within {
    fn has(&self, root: &Part) -> bool {
        let is_in = |value: f64, [low, high]: [f64; 2]| low <= value && value < high;
        is_in(root.group_position.x, self.x) && is_in(root.group_position.y, self.y)
    }
}

impl Selection {
    /// Whether it accepts every object.
    pub fn is_empty(&self) -> bool {
        let Self { objects, owners, creators, regions, parcels, within, numbers, rights, .. } = self;
        objects.is_empty()
            && owners.is_empty()
            && creators.is_empty()
            && regions.is_empty()
            && parcels.is_empty()
            && within.is_none()
            && numbers.is_none()
            && rights.is_none()
    }

    /// Returns the wanted objects among those that are rezzed, in the order of the archive.
    pub fn of<'a>(&self, ledger: &'a Ledger) -> Vec<&'a ObjectFacts> {
        let objects = ledger.objects.iter().enumerate();
        let rezzed = objects.filter(|(_, object)| object.role == Role::Rezzed);
        let wanted = rezzed.filter(|(number, object)| self.accepts(ledger, *number, object) != self.inverted);
        wanted.map(|(_, object)| object).collect()
    }

    fn accepts(&self, ledger: &Ledger, number: usize, object: &ObjectFacts) -> bool {
        let Some(root) = object.linkset.parts.first() else { return self.is_empty() };
        let region = object.region.and_then(|number| ledger.regions.get(number as usize));
        is_any(&self.objects, |name| is_object(name, object, root))
            && is_any(&self.owners, |owner| *owner == root.owner)
            && is_any(&self.creators, |creator| *creator == root.creator)
            && is_any(&self.regions, |name| region.is_some_and(|region| is_region(name, region)))
            && is_any(&self.parcels, |name| region.is_some_and(|region| stands_on(name, region, root)))
            && self.within.is_none_or(|within| within.has(root))
            && self.numbers.as_ref().is_none_or(|numbers| numbers.contains(&number))
    }
}

fn is_any<T>(wanted: &[T], is_it: impl FnMut(&T) -> bool) -> bool {
    wanted.is_empty() || wanted.iter().any(is_it)
}

fn is_named(wanted: &str, name: &str) -> bool {
    wanted.to_lowercase() == name.to_lowercase()
}

fn is_object(wanted: &str, object: &ObjectFacts, root: &Part) -> bool {
    match Uuid::try_parse(wanted) {
        Ok(uuid) => object.linkset.parts.iter().any(|part| part.uuid == uuid),
        Err(_) => is_named(wanted, &root.name),
    }
}

fn is_region(wanted: &str, region: &RegionFacts) -> bool {
    match Uuid::try_parse(wanted) {
        Ok(uuid) => region.uuid == Some(uuid),
        Err(_) => is_named(wanted, &region.name),
    }
}

/// Whether the root prim is on the land of such a parcel.
fn stands_on(wanted: &str, region: &RegionFacts, root: &Part) -> bool {
    let Some(cell) = cell(root.group_position) else { return false };
    let is_wanted = |facts: &ParcelFacts| match Uuid::try_parse(wanted) {
        Ok(uuid) => facts.parcel.uuid == Some(uuid),
        Err(_) => is_named(wanted, &facts.parcel.name),
    };
    // Of parcels that overlap, the one that is loaded last has the land.
    let on_top = region.parcels.iter().rev().find(|facts| Bitmap(&facts.parcel.bitmap).has(cell));
    on_top.is_some_and(is_wanted)
}
