//! Did it all arrive? Both sides of a move as tables and one page, with the announcements of `preflight`.

mod announced;
mod page;
mod text;

use crate::{
    run_tables::RunRows,
    table::{Cell, Rows, write},
    tables::{
        arrivals::{self, Arrivals},
        asset_arrivals::AssetArrivals,
    },
};
pub use announced::{Announced, Outcome};
use hullmark_finding::Code;
use hullmark_verify::{Arrival, Status, Verification};
pub use page::{
    AnnouncedCounts, AssetCounts, AssetExample, Changed, Counts, Example, ItemCounts, ItemExample,
    LostObject, OwnerChange, Page, ParcelCounts, Region, Verdict,
};
use std::{collections::BTreeSet, io, mem};
pub use text::{Section, sections, text};

/// The comparison, and what was announced. Without a target nothing was.
#[derive(Debug)]
pub struct Verified<'a> {
    pub verification: Verification<'a>,
    pub announced: Option<Announced>,
}

impl<'a> Verified<'a> {
    /// Puts losses that were not announced first, then other losses and changes.
    pub fn new(verification: Verification<'a>, announced: Option<Announced>) -> Self {
        let mut verified = Self { verification, announced };
        let mut objects = mem::take(&mut verified.verification.objects);
        objects.sort_by_cached_key(|arrival| verified.urgency(arrival));
        verified.verification.objects = objects;
        verified
    }

    /// Returns the rules that announced what became of an object, and whether they were right.
    pub fn of_object(&self, arrival: &Arrival<'_>) -> (BTreeSet<Code>, Option<Outcome>) {
        self.announced.as_ref().map_or_else(Default::default, |announced| announced.of_object(arrival))
    }

    /// Packs the rows of both tables.
    pub fn rows(&self) -> io::Result<RunRows> {
        let lands = &self.verification.lands;
        let parcels = lands.iter().flat_map(|land| land.parcels.iter().map(move |parcel| (land, parcel)));
        let rows = lands
            .iter()
            .map(arrivals::Row::Region)
            .chain(parcels.map(|(land, parcel)| arrivals::Row::Parcel(land, parcel)))
            .chain(self.verification.items.iter().map(arrivals::Row::Item))
            .chain(self.verification.objects.iter().map(|arrival| arrivals::Row::Object(self, arrival)));
        let mut packed = RunRows::default();
        let mut add = |table: &'static str, cells: &[Cell<'_>]| {
            packed.push(table, cells);
            Ok(())
        };
        let rows_out: &mut dyn Rows = &mut add;
        for row in rows {
            write::<Arrivals>(rows_out, &row)?;
        }
        for asset in &self.verification.assets {
            write::<AssetArrivals>(rows_out, &(self, asset))?;
        }
        Ok(packed)
    }

    /// Orders objects: losses that were not announced, other losses, changes, the rest.
    fn urgency(&self, arrival: &Arrival<'_>) -> (u8, Status) {
        let outcome = if arrival.has_loss() { self.of_object(arrival).1 } else { None };
        let rank = match (arrival.has_loss(), outcome) {
            (true, Some(Outcome::AsAnnounced)) => 1,
            (true, _) => 0,
            (false, _) => 2,
        };
        (rank, arrival.status)
    }
}
