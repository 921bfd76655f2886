//! Databases of simulators: regions, assets and inventories from the rows of their tables.
//!
//! ```text
//! dump.rs, sql/ ─┐
//! SQLite file ───┼─▶ Rows ─▶ DatabaseRows ─▶ members (assets), decoded regions and objects ─▶ Visitor
//! server ────────┘
//! ```

pub(super) mod dump;
pub(super) mod sql;
pub(super) mod sqlite;

use super::{Deadline, Item, Kind, Reading, Visitor, Wants};
use crate::{
    format::{
        database::{Dialect, Region, RegionTables, Row, is_of_regions, is_region_table},
        defect::{Defect, DefectKind, InputDefect, ObjectDefect},
        member,
        object::Linkset,
    },
    ledger::facts::{ObjectFacts, ParcelFacts, RegionFacts, TerrainFacts},
    scan::decode::{Decoded, Learnt},
    settings::limits::Limits,
};
use std::{
    cell::Cell,
    collections::{BTreeMap, HashSet},
    rc::Rc,
};
use uuid::Uuid;

/// Receives the rows of databases.
pub trait Rows {
    /// Whether the rows of a table are wanted. Names of tables are in lower case.
    fn wants(&mut self, database: &str, table: &str) -> bool;
    /// Takes a row of a wanted table.
    fn row(&mut self, database: &str, table: &str, row: &Row<'_>);
    /// Whether to stop.
    fn enough(&self) -> bool {
        false
    }
    /// Forgets the rows of a database that are not assets. It changed and is read again.
    fn forget(&mut self, _database: &str) {}
}

/// Takes the rows of a database: assets become members of an archive at once, and rows of regions wait for each other.
///
/// Dumps, SQLite files and servers give their rows to it.
pub(super) struct DatabaseRows<'a> {
    dialect: Dialect,
    limits: &'a Limits,
    visitor: &'a mut dyn Visitor,
    pub(super) reading: &'a mut Reading,
    /// Bytes from the disk that were not reported to the visitor yet.
    unreported: &'a Rc<Cell<u64>>,
    /// The tables of regions, by the names of their databases.
    databases: BTreeMap<String, RegionTables>,
    /// Whether rows are left out, because those before take all the memory of an input.
    is_full: bool,
    /// Assets so far. A dump may hold a table twice.
    seen: HashSet<Uuid>,
}

impl Rows for DatabaseRows<'_> {
    fn wants(&mut self, _database: &str, table: &str) -> bool {
        self.visitor.progress(self.unreported.take());
        table == "assets" || is_region_table(table)
    }

    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) {
        if table == "assets" {
            return self.asset(row);
        }
        if !is_of_regions(table, row) {
            return;
        }
        if !self.databases.contains_key(database) {
            self.databases.insert(database.to_owned(), RegionTables::new(self.dialect));
        }
        let bytes: usize = self.databases.values().map(RegionTables::bytes).sum();
        if bytes as u64 > self.limits.facts_bytes {
            self.is_full = true;
        } else if let Some(tables) = self.databases.get_mut(database) {
            tables.take(table, row);
        }
    }

    fn enough(&self) -> bool {
        self.visitor.enough() || self.deadline().over().is_some()
    }

    fn forget(&mut self, database: &str) {
        self.databases.remove(database);
        self.is_full = false;
    }
}

impl<'a> DatabaseRows<'a> {
    /// Creates the receiver of the rows of one input. Bytes from the disk are counted in `unreported` until the visitor
    /// gets them.
    pub(super) fn new(
        dialect: Dialect,
        limits: &'a Limits,
        visitor: &'a mut dyn Visitor,
        reading: &'a mut Reading,
        unreported: &'a Rc<Cell<u64>>,
    ) -> Self {
        Self {
            dialect,
            limits,
            visitor,
            reading,
            unreported,
            databases: BTreeMap::new(),
            is_full: false,
            seen: HashSet::new(),
        }
    }

    /// When the reading stops and is incomplete.
    pub(super) fn deadline(&self) -> Deadline {
        self.visitor.deadline()
    }

    /// Passes an asset on as a member of an archive.
    fn asset(&mut self, row: &Row<'_>) {
        let column =
            |names: [&'static str; 2]| names.into_iter().find(|name| row.has(name)).unwrap_or(names[0]);
        let uuid = row.uuid(column(["id", "uuid"]));
        if uuid.is_nil() || !self.seen.insert(uuid) {
            return;
        }
        let name = member::asset_path(uuid, row.int(column(["assettype", "type"])).unwrap_or(-1));
        let bytes = row.blob("data");
        let kind = member::classify(&name).kind;
        let size = bytes.len() as u64;
        let container = &mut self.reading.container;
        container.entries += 1;
        container.expanded_bytes += size;
        if let Some(suffix) = member::suffix(&name) {
            *container.assets.entry(suffix.into()).or_default() += 1;
        }
        pass(&name, kind, bytes, self.visitor);
        self.visitor.progress(self.unreported.take());
    }

    /// Passes the regions on, after the last row.
    pub(super) fn finish(mut self) {
        if self.visitor.deadline().over().is_some() {
            self.reading.incomplete = true;
        }
        if self.is_full {
            let defect = Defect::new(InputDefect::TooManyFacts).limit(self.limits.facts_bytes as f64);
            self.reading.give_up_once(defect);
        }
        let several = self.databases.len() > 1;
        for (database, tables) in std::mem::take(&mut self.databases) {
            let prefix = if several { format!("{database}/") } else { String::new() };
            let (regions, defects) = tables.finish();
            for defect in defects {
                // Without all rows, a prim may only not have been read.
                if !self.reading.incomplete || !is_without_prim(&defect) {
                    self.reading.defects.push(defect);
                }
            }
            for region in regions {
                for defect in lost_prims(&region) {
                    self.reading.defects.push(defect);
                }
                self.reading.container.entries += region.objects.len() as u64;
                region_facts(region, &prefix, self.limits)
                    .into_iter()
                    .for_each(|facts| self.visitor.decoded(facts));
            }
        }
    }
}

/// Whether a defect is that of rows without a prim.
fn is_without_prim(defect: &Defect) -> bool {
    matches!(defect.kind, DefectKind::Input(InputDefect::RowsWithoutPrim { .. }))
}

/// Passes the bytes of a member in the way that the visitor wants.
fn pass(name: &str, kind: Kind, bytes: &[u8], visitor: &mut dyn Visitor) {
    let size = bytes.len() as u64;
    match visitor.wants(name, kind, size) {
        Wants::Whole => {
            visitor.make_room(size);
            visitor.item(Item { name: name.to_owned(), kind, bytes: bytes.to_vec(), size });
        }
        Wants::Pieces => {
            visitor.piece(bytes);
            visitor.passed(name, kind, size);
        }
        Wants::Nothing => visitor.passed(name, kind, size),
    }
}

/// Returns the defects of prims that no loader reads, or not as they were.
fn lost_prims(region: &Region) -> Vec<Defect> {
    let (region, orphans, shapeless) = (region.uuid, &region.orphans, &region.shapeless);
    let mut defects = Vec::new();
    let mut lost = |prims: &[Uuid], kind: fn(Uuid, u64, Uuid) -> InputDefect| {
        let Some(&first) = prims.iter().min() else { return };
        let count = prims.len() as u64;
        defects.push(Defect::new(kind(region, count, first)).measured(count as f64));
    };
    lost(orphans, |region, prims, first| InputDefect::OrphanPrims { region, prims, first });
    lost(shapeless, |region, prims, first| InputDefect::PrimsWithoutShape { region, prims, first });
    defects
}

/// Cuts a linkset to the limits of documents. Returns the defects.
fn too_large(linkset: &mut Linkset, limits: &Limits) -> Vec<Defect> {
    let items: usize = linkset.parts.iter().map(|part| part.inventory.len()).sum();
    let found = [
        (ObjectDefect::TooManyParts, "parts", linkset.parts.len(), limits.parts),
        (ObjectDefect::TooManyItems, "items", items, limits.items),
    ];
    linkset.parts.truncate(limits.parts);
    if items > limits.items {
        let each = limits.items / linkset.parts.len().max(1);
        linkset.parts.iter_mut().for_each(|part| part.inventory.truncate(each));
    }
    let over = found.into_iter().filter(|(_, _, count, limit)| count > limit);
    over.map(|(kind, within, count, limit)| {
        Defect::new(kind).within(within).measured(count as f64).limit(limit as f64)
    })
    .collect()
}

/// Returns the facts of a region: itself, then its objects.
fn region_facts(region: Region, prefix: &str, limits: &Limits) -> Vec<Decoded> {
    let folder = format!("{prefix}{}", region.uuid);
    let mut facts = RegionFacts {
        name: region.name.unwrap_or_else(|| region.uuid.to_string()),
        uuid: Some(region.uuid),
        settings: region.settings,
        ..RegionFacts::of_folder(&folder)
    };
    if let Some(size) = region.size {
        (facts.size, facts.size_stated) = (size, true);
    }
    facts.parcels = region
        .parcels
        .into_iter()
        .map(|parcel| {
            let uuid = parcel.uuid.unwrap_or_default();
            ParcelFacts { entry: format!("{prefix}land/{uuid}"), parcel }
        })
        .collect();
    facts.parcels.sort_by(|a, b| a.entry.cmp(&b.entry));
    facts.terrain = region.terrain.map(|(bytes, terrain)| {
        let (heights, grid) = terrain.map_or((None, None), |terrain| (Some(terrain.heights), terrain.grid));
        TerrainFacts {
            entry: format!("{prefix}terrain/{}.r32", region.uuid),
            // Rows may be compressed. An archive has four bytes for each height.
            bytes: heights.as_ref().map_or(bytes, |heights| 4 * heights.samples),
            heights,
            broken_image: false,
            grid,
        }
    });
    let itself = Learnt::WholeRegion(Box::new(facts));
    let mut all = vec![Decoded { folder: folder.clone(), learnt: itself, defects: Vec::new() }];
    for (mut linkset, mut defects) in region.objects {
        defects.extend(too_large(&mut linkset, limits));
        let root = linkset.parts.first().map(|root| root.uuid).unwrap_or_default();
        let entry = format!("{prefix}prims/{root}");
        for defect in &mut defects {
            defect.place.entry.clone_from(&entry);
        }
        defects.truncate(limits.findings_per_code);
        let object = ObjectFacts { entry, ..ObjectFacts::rezzed(linkset) };
        let learnt = Learnt::Assets(Vec::new(), vec![object]);
        all.push(Decoded { folder: folder.clone(), learnt, defects });
    }
    all
}
