//! Did it all arrive? The ledgers before and after a move, and what became of each object, asset and parcel.
//!
//! ```text
//! ledgers before ─▶ Side ─┐                 ┌─▶ arrivals   objects: arrived, changed, lost, new
//!                         ├─▶ regions ─▶ matching
//! ledgers after  ─▶ Side ─┘                 ├─▶ assets     in use before: same, other, missing
//!                                           └─▶ land       terrain, settings, parcels
//! ```
//!
//! A load gives each object a new UUID. So objects are matched by their content: parts with forms, sizes, names, textures
//! and items. Their places decide between equal ones.

mod arrivals;
mod assets;
mod change;
mod clusters;
mod content;
mod gaps;
#[cfg(test)]
mod generated;
mod grid;
mod inventory;
mod land;
mod matching;
mod parts;
mod regions;
mod side;

pub use arrivals::{Arrival, Status};
pub use assets::{AssetArrival, Found};
pub use change::{Change, Changes, Detail};
pub use gaps::Gap;
use hullmark_ledger::Ledger;
pub use inventory::{ItemArrival, Stored};
pub use land::{LandArrival, ParcelArrival, Setting, Terrain};
pub use side::{Land, Side, Thing};
use std::collections::HashMap;
use uuid::Uuid;

/// What became of the content of a move.
#[derive(Debug)]
pub struct Verification<'a> {
    pub before: Side<'a>,
    pub after: Side<'a>,
    /// All objects: those before the move, then new ones.
    pub objects: Vec<Arrival<'a>>,
    /// The assets in use before the move, missing ones first.
    pub assets: Vec<AssetArrival<'a>>,
    /// All regions: those before the move, then new ones.
    pub lands: Vec<LandArrival<'a>>,
    /// Inventory items: those before the move, then new ones in their folders.
    pub items: Vec<ItemArrival<'a>>,
    /// What was not read, so that nothing is proven about it.
    pub gaps: Vec<Gap>,
}

/// Compares the inputs before a move with those after it. Stores are those of `--assets`: a side may lack their assets.
pub fn verify<'a>(before: Vec<&'a Ledger>, after: Vec<&'a Ledger>) -> Verification<'a> {
    let [(before, before_stores), (after, after_stores)] = [before, after].map(|ledgers| {
        let (stores, inputs): (Vec<_>, Vec<_>) = ledgers.into_iter().partition(|ledger| ledger.is_store());
        (inputs, stores)
    });
    let with_stores: Vec<&Ledger> = after.iter().chain(&after_stores).copied().collect();
    let mut assets = assets::assets(&before, &before_stores, &with_stores);
    let gaps = gaps::gaps(&before, &after, &with_stores, &assets);
    let [before, after] = Side::both(before, after);
    let regions = regions::Regions::new(&before, &after);
    let pairing = matching::pair(&before, &after, &regions);
    let mut objects = arrivals::arrivals(&before, &after, &regions, &pairing);
    let unread = Unread::new(&gaps);
    let items = inventory::items(&before.ledgers, &after.ledgers, unread);
    objects.iter_mut().for_each(|object| object.status = unread.instead_of(object.status));
    for asset in assets.iter_mut().filter(|asset| unread.after && asset.found == Found::Missing) {
        asset.found = Found::NotFound;
    }
    let uuid = |thing: &Thing<'_>| thing.uuid();
    let telehubs: HashMap<Uuid, Uuid> = objects
        .iter()
        .filter_map(|arrival| Some((uuid(arrival.before.as_ref()?), uuid(arrival.after.as_ref()?))))
        .collect();
    let lands = land::lands(&before, &after, &regions, &telehubs, unread);
    Verification { before, after, objects, assets, lands, items, gaps }
}

/// Which sides were not read to their ends. What was not found there may be in the rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unread {
    before: bool,
    after: bool,
}

impl Unread {
    fn new(gaps: &[Gap]) -> Self {
        let of = |after: bool| gaps.iter().any(|gap| gap.after == after);
        Self { before: of(false), after: of(true) }
    }

    /// Returns the status, unless the thing is on one side only and may be in the rest of the other.
    fn instead_of(self, status: Status) -> Status {
        match status {
            Status::New if self.before => Status::NotEvaluated,
            Status::Lost if self.after => Status::NotEvaluated,
            known => known,
        }
    }
}
