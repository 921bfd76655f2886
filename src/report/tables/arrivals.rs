//! `arrivals`: one row for each object, parcel and region on both sides of a move.

use super::columns;
use crate::{
    arrived::{Outcome, Verified},
    table::{Cell, Column, Table},
};
use glam::DVec3;
use hullmark_finding::Code;
use hullmark_format::{object::Part, region::Parcel};
use hullmark_ledger::{
    Ledger,
    facts::{RegionFacts, Role},
};
use hullmark_verify::{
    Arrival, Change, ItemArrival, LandArrival, ParcelArrival, Status, Stored, Terrain, Thing,
};
use std::collections::BTreeSet;
use uuid::Uuid;

/// The table.
#[derive(Debug)]
pub struct Arrivals;

/// Something that moved.
#[derive(Debug, Clone, Copy)]
pub enum Row<'a> {
    /// An object.
    Object(&'a Verified<'a>, &'a Arrival<'a>),
    /// A parcel that is not as it was.
    Parcel(&'a LandArrival<'a>, &'a ParcelArrival<'a>),
    /// A region.
    Region(&'a LandArrival<'a>),
    /// An inventory item.
    Item(&'a ItemArrival<'a>),
}

/// Which side of a row.
type Side = usize;
const BEFORE: Side = 0;
const AFTER: Side = 1;

impl<'a> Row<'a> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Object(..) => "object",
            Self::Parcel(..) => "parcel",
            Self::Region(_) => "region",
            Self::Item(_) => "item",
        }
    }

    fn stored(&self, side: Side) -> Option<&'a Stored<'a>> {
        let Self::Item(item) = self else { return None };
        if side == BEFORE { item.before.as_ref() } else { item.after.as_ref() }
    }

    /// Returns the entry of an object or an item.
    fn entry(&self, side: Side) -> Option<&'a str> {
        let of_item = || self.stored(side).map(|stored| stored.facts.entry.as_str());
        self.thing(side).map(|thing| thing.object.entry.as_str()).or_else(of_item)
    }

    fn status(&self) -> Status {
        match self {
            Self::Object(_, arrival) => arrival.status,
            Self::Parcel(_, parcel) => parcel.status,
            Self::Region(land) => land.status,
            Self::Item(item) => item.status,
        }
    }

    fn thing(&self, side: Side) -> Option<&'a Thing<'a>> {
        let Self::Object(_, arrival) = self else { return None };
        if side == BEFORE { arrival.before.as_ref() } else { arrival.after.as_ref() }
    }

    fn root(&self, side: Side) -> Option<&'a Part> {
        self.thing(side)?.root()
    }

    fn parcel(&self, side: Side) -> Option<&'a Parcel> {
        let Self::Parcel(_, parcel) = self else { return None };
        if side == BEFORE { parcel.before } else { parcel.after }
    }

    fn region(&self, side: Side) -> Option<&'a RegionFacts> {
        match self {
            Self::Object(..) => self.thing(side)?.region(),
            Self::Parcel(land, _) | Self::Region(land) => {
                let land = if side == BEFORE { land.before } else { land.after };
                land.map(|land| land.facts)
            }
            Self::Item(_) => None,
        }
    }

    fn ledger(&self, side: Side) -> Option<&'a Ledger> {
        match self {
            Self::Object(..) => self.thing(side).map(|thing| thing.ledger),
            Self::Parcel(land, _) | Self::Region(land) => {
                let land = if side == BEFORE { land.before } else { land.after };
                land.map(|land| land.ledger)
            }
            Self::Item(_) => self.stored(side).map(|stored| stored.ledger),
        }
    }

    fn name(&self, side: Side) -> Option<&'a str> {
        match self {
            Self::Object(..) => self.root(side).map(|root| root.name.as_str()),
            Self::Parcel(..) => self.parcel(side).map(|parcel| parcel.name.as_str()),
            Self::Region(_) => self.region(side).map(|region| region.name.as_str()),
            Self::Item(_) => self.stored(side).map(|stored| stored.facts.item.name.as_str()),
        }
    }

    fn owner(&self, side: Side) -> Option<Uuid> {
        let of_object = self.root(side).map(|root| root.owner);
        let of_item = || self.stored(side)?.facts.item.owner;
        let of_parcel = || self.parcel(side).map(|parcel| parcel.owner);
        of_object.or_else(of_parcel).or_else(of_item).filter(|owner| !owner.is_nil())
    }

    /// Returns the place of an object in its region. `None` if which of equal objects is lost is not known.
    fn position(&self, side: Side) -> Option<DVec3> {
        let Self::Object(_, arrival) = self else { return None };
        let thing =
            self.thing(side).filter(|thing| arrival.is_placed && thing.object.role == Role::Rezzed)?;
        thing.root().map(|root| root.group_position)
    }

    fn uuid(&self, side: Side) -> Option<Uuid> {
        match self {
            Self::Object(_, arrival) => self.root(side).filter(|_| arrival.is_placed).map(|root| root.uuid),
            Self::Parcel(..) => self.parcel(side)?.uuid,
            Self::Region(_) => self.region(side)?.uuid,
            Self::Item(_) => self.stored(side).map(|stored| stored.facts.item.uuid),
        }
    }

    /// Names what changed, separated by blanks.
    fn changes(&self) -> String {
        match self {
            Self::Object(_, arrival) => {
                arrival.changes.keys().map(|change| change.name()).collect::<Vec<_>>().join(" ")
            }
            Self::Parcel(_, parcel) => parcel.changes.join(" "),
            Self::Item(item) => item.changes.join(" "),
            Self::Region(land) => {
                let terrain = (!matches!(land.terrain, Terrain::Equal | Terrain::None)).then_some("terrain");
                let settings = land.settings.iter().map(|setting| setting.name);
                let parcels = (!land.parcels.is_empty()).then_some("parcels");
                terrain.into_iter().chain(settings).chain(parcels).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// Says how it changed, in words.
    fn detail(&self) -> String {
        match self {
            Self::Object(_, arrival) => {
                let words = arrival.changes.iter().map(|(change, detail)| {
                    let count =
                        if detail.count > 1 { format!("{} × ", detail.count) } else { String::new() };
                    format!("{} {count}{}", words(*change), detail.first)
                });
                words.collect::<Vec<_>>().join("; ")
            }
            Self::Parcel(..) | Self::Item(_) => String::new(),
            Self::Region(land) => {
                let terrain = match land.terrain {
                    Terrain::Differs { greatest_m, mean_m } => Some(format!(
                        "terrain differs by {greatest_m:.2} m at most, {mean_m:.2} m on average"
                    )),
                    Terrain::Lost => Some("terrain is missing".into()),
                    Terrain::NotCompared => Some("terrain was not compared".into()),
                    Terrain::None | Terrain::Equal => None,
                };
                let settings = land.settings.iter();
                let settings = settings.map(|it| format!("{} {} → {}", it.name, it.before, it.after));
                terrain.into_iter().chain(settings).collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn announced(&self) -> (BTreeSet<Code>, Option<Outcome>) {
        match self {
            Self::Object(verified, arrival) => verified.of_object(arrival),
            Self::Parcel(..) | Self::Region(_) | Self::Item(_) => (BTreeSet::new(), None),
        }
    }

    fn equal(&self, place: usize) -> Option<u64> {
        let Self::Object(_, arrival) = self else { return None };
        arrival.equal.map(|equal| equal[place])
    }
}

/// Returns a change as people read it.
pub fn words(change: Change) -> String {
    match change {
        Change::PartMissing => "part missing:".into(),
        Change::ItemMissing => "item missing:".into(),
        Change::ScriptState => "script states missing:".into(),
        Change::PartMoved => "part moved:".into(),
        Change::PartAdded => "part added:".into(),
        Change::Linked => "is now part of".into(),
        Change::Unlinked => "parts are now".into(),
        Change::Moved => "moved by".into(),
        Change::Turned => "turned by".into(),
        Change::PhysicsShape => "physics shape".into(),
        other => other.name().into(),
    }
}

impl Table for Arrivals {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "arrivals";
    const ABOUT: &'static str = "One row for each region, inventory item and object before and after a move, and for each parcel that changed. Regions come first, then items, then lost objects. Written by `verify`.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Arrivals:
    "status", row => row.status().name(), "`lost`, `changed`, `arrived` or `new`; `not_evaluated` if a side was not read to its end and it may be there.";
    "kind", row => row.kind(), "`object`, `parcel`, `region` or `item` (of an inventory).";
    "name", row => row.name(BEFORE).or(row.name(AFTER)), "Name before the move. Of something new, its name after it.";
    "name_after", row => row.name(AFTER), "Name after the move.";
    "changes", row => Cell::show(row.changes()), "What changed, separated by blanks. Content is lost if it has `part_missing`, `item_missing` or `script_state`. The page *After the move* lists the others.";
    "detail", row => Cell::show(row.detail()), "The same in words: before and after, or the first of several.";
    "announcement", row => row.announced().1.map(Outcome::name), "With `--target`: `as_announced` (a loss that `preflight` announces), `unannounced`, or `arrived_anyway`. Empty if nothing is lost and nothing was announced.";
    "announced_by", row => Cell::show(row.announced().0.iter().map(|code| code.name()).collect::<Vec<_>>().join(" ")), "Codes of the rules that announced it.";
    "region", row => row.region(BEFORE).map(|region| region.name.as_str()), "Region before the move.";
    "region_after", row => row.region(AFTER).map(|region| region.name.as_str()), "Region after the move.";
    "owner_uuid", row => row.owner(BEFORE), "Owner before the move.";
    "owner_uuid_after", row => row.owner(AFTER), "Owner after the move.";
    "position_x_m", row => row.position(BEFORE).map(|at| at.x), "Position before the move from the west border, metres. Empty if equal objects lost their places: which of them is lost is not known.";
    "position_y_m", row => row.position(BEFORE).map(|at| at.y), "Position from the south border, metres.";
    "position_z_m", row => row.position(BEFORE).map(|at| at.z), "Height, metres.";
    "position_x_m_after", row => row.position(AFTER).map(|at| at.x), "Position after the move from the west border, metres.";
    "position_y_m_after", row => row.position(AFTER).map(|at| at.y), "Position from the south border, metres.";
    "position_z_m_after", row => row.position(AFTER).map(|at| at.z), "Height, metres.";
    "equal_before", row => row.equal(0), "Number of objects with equal content before the move, with this one. Empty if there is only one.";
    "equal_after", row => row.equal(1), "Number of these that arrived.";
    "parts", row => row.thing(BEFORE).map(|thing| thing.object.linkset.parts.len()), "Number of prims before the move.";
    "parts_after", row => row.thing(AFTER).map(|thing| thing.object.linkset.parts.len()), "Number of prims after the move.";
    "uuid", row => row.uuid(BEFORE), "UUID before the move: of the root prim, the parcel or the region.";
    "uuid_after", row => row.uuid(AFTER), "UUID after the move.";
    "archive", row => row.ledger(BEFORE).map(|ledger| ledger.input.as_str()), "Path of the input before the move.";
    "entry", row => row.entry(BEFORE), "Entry of the object or item in it.";
    "archive_after", row => row.ledger(AFTER).map(|ledger| ledger.input.as_str()), "Path of the input after the move.";
    "entry_after", row => row.entry(AFTER), "Entry of the object or item in it.";
}
