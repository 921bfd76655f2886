//! Databases of simulators: regions, assets and inventories from the rows of their tables.
//!
//! ```text
//! dump.rs, sql/ ─┐
//! SQLite file ───┼─▶ Rows ─▶ DatabaseRows ─▶ members (assets), decoded regions and objects ─▶ Visitor
//! server ────────┘
//! ```

pub(super) mod dump;
pub(super) mod folder;
mod inventories;
pub(super) mod sql;
pub(super) mod sqlite;
pub(super) mod uses;

use super::{Deadline, Item, Kind, Reading, Visitor, Wants, archive::over_budget};
use crate::content::{Decoded, Learnt};
use hullmark_format::{
    database::{
        Dialect, GridRegions, Region, RegionTables, Row, inventories::is_inventory_table, is_of_regions,
        is_region_table,
    },
    defect::{Budget, Defect, DefectKind, InputDefect, ObjectDefect},
    hashed_file::FileHash,
    member,
    object::Linkset,
};
use hullmark_ledger::facts::{ObjectFacts, ParcelFacts, RegionFacts, StoreRow, TerrainFacts};
use hullmark_settings::limits::Limits;
use inventories::Inventories;
use std::{
    cell::Cell,
    collections::{BTreeMap, HashSet},
    rc::Rc,
};
use uses::Uses;
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
    inventories: Inventories,
    /// Whether rows are left out, because those before take all the memory of an input.
    is_full: bool,
    /// Assets so far. A dump may hold a table twice.
    seen: HashSet<Uuid>,
    /// The assets in use. `None` if all are read.
    pub(super) uses: Option<Uses>,
    /// Whether the rows of regions end too early. A missing prim may only be unread then.
    pub(super) is_cut: bool,
}

impl Rows for DatabaseRows<'_> {
    fn wants(&mut self, database: &str, table: &str) -> bool {
        self.visitor.progress(self.unreported.take());
        let is_known =
            ["assets", "fsassets"].contains(&table) || is_region_table(table) || is_inventory_table(table);
        is_known && self.is_selected(database)
    }

    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) {
        if table == "assets" {
            return self.asset(row);
        }
        if table == "fsassets" {
            return self.store_row(row);
        }
        if is_inventory_table(table) {
            return self.inventory(database, table, row);
        }
        if !is_of_regions(table, row) {
            return;
        }
        if !self.databases.contains_key(database) {
            self.databases.insert(database.to_owned(), RegionTables::new(self.dialect));
        }
        if self.has_room()
            && let Some(tables) = self.databases.get_mut(database)
        {
            tables.take(table, row);
        }
    }

    fn enough(&self) -> bool {
        self.visitor.enough() || self.deadline().over().is_some()
    }

    fn forget(&mut self, database: &str) {
        self.databases.remove(database);
        self.inventories.forget(database);
        self.is_full = false;
    }
}

/// Maximum number of databases whose names are kept.
const MOST_NAMES: usize = 1000;

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
        let inventories = Inventories::new(visitor.selection().owners.to_vec());
        Self {
            dialect,
            limits,
            visitor,
            reading,
            unreported,
            databases: BTreeMap::new(),
            inventories,
            is_full: false,
            seen: HashSet::new(),
            uses: None,
            is_cut: false,
        }
    }

    /// Whether a database is read. Notes its name.
    fn is_selected(&mut self, database: &str) -> bool {
        let names = &mut self.reading.container.databases;
        if !database.is_empty() && !names.contains(database) && names.len() < MOST_NAMES {
            names.insert(database.to_owned());
        }
        self.visitor.selection().has(database)
    }

    /// Forgets all rows but those of assets, which are read again.
    pub(super) fn begin_again(&mut self) {
        self.databases.clear();
        self.inventories = Inventories::new(self.visitor.selection().owners.to_vec());
        self.reading.store_rows.clear();
        (self.is_full, self.is_cut) = (false, false);
    }

    /// Whether inventories of owners are evaluated, so that their items use assets.
    pub(super) fn evaluates_inventories(&self) -> bool {
        !self.visitor.selection().owners.is_empty()
    }

    /// Whether this asset was read.
    pub(super) fn has(&self, asset: Uuid) -> bool {
        self.seen.contains(&asset)
    }

    /// Whether the rows so far fit into the memory of an input.
    fn has_room(&mut self) -> bool {
        let tables: usize = self.databases.values().map(RegionTables::bytes).sum();
        let bytes = tables + size_of_val(self.reading.store_rows.as_slice()) + self.inventories.bytes();
        self.is_full |= bytes as u64 > self.limits.facts_bytes;
        !self.is_full
    }

    /// Keeps the name of the file of an asset. OpenSimulator has no asset with a nil UUID.
    fn store_row(&mut self, row: &Row<'_>) {
        let uuid = row.uuid("id");
        let Some(hash) = FileHash::of_digits(&row.text("hash")).filter(|_| !uuid.is_nil()) else { return };
        let asset_type = row.int("type").and_then(|number| i16::try_from(number).ok()).unwrap_or(-1);
        if self.has_room() {
            self.reading.store_rows.push(StoreRow { hash, uuid, asset_type });
        }
    }

    /// Counts a row of an inventory, and keeps those of evaluated owners.
    fn inventory(&mut self, database: &str, table: &str, row: &Row<'_>) {
        if !self.inventories.counts(database, table, row) {
            return;
        }
        if self.has_room() {
            self.inventories.take(database, table, row);
        }
    }

    /// Passes the evaluated inventories on, after the last row.
    fn finish_inventories(&mut self) {
        let inventories = std::mem::replace(&mut self.inventories, Inventories::new(Vec::new()));
        let container = &mut self.reading.container;
        container.inventory_items += inventories.items();
        container.inventory_owners += inventories.owners().len() as u64;
        container.entries += inventories.items();
        let Self { uses, visitor, .. } = self;
        let defects = inventories.finish(&mut |content| {
            if let (Some(uses), Learnt::Items(items)) = (uses.as_mut(), &content.learnt) {
                items.iter().for_each(|item| uses.add_item(item.item.asset, item.item.asset_type));
            }
            visitor.decoded(content);
        });
        defects.into_iter().for_each(|defect| self.reading.give_up(defect));
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
        // A server says how long an asset is that it does not send.
        let unsent = row.int("bytes").and_then(|bytes| u64::try_from(bytes).ok());
        if let Some(bytes) = unsent.filter(|&bytes| bytes > self.limits.entry_bytes) {
            let defect = over_budget(Budget::BytesInMember, bytes, self.limits.entry_bytes);
            return self.reading.give_up(defect.entry(&name));
        }
        let bytes = row.blob("data");
        let kind = member::classify(&name).kind;
        let size = bytes.len() as u64;
        let container = &mut self.reading.container;
        container.entries += 1;
        container.expanded_bytes += size;
        if let Some(suffix) = member::suffix(&name) {
            *container.assets.entry(suffix.into()).or_default() += 1;
        }
        if let Some(uses) = &mut self.uses {
            uses.add_asset(&name, kind, member::suffix(&name).unwrap_or_default(), bytes, self.limits);
        }
        pass(&name, kind, bytes, self.visitor);
        self.visitor.progress(self.unreported.take());
    }

    /// Ends the reading, after the last row.
    pub(super) fn finish(mut self) {
        self.pass_regions();
        if self.visitor.deadline().over().is_some() {
            self.reading.incomplete = true;
        }
    }

    /// Passes the regions on, after their last row.
    pub(super) fn pass_regions(&mut self) {
        if self.is_full {
            let defect = Defect::new(InputDefect::TooManyFacts).limit(self.limits.facts_bytes as f64);
            self.reading.give_up_once(defect);
        }
        self.finish_inventories();
        let mut databases = std::mem::take(&mut self.databases);
        let several = databases.len() > 1;
        // The list of a grid may be in another database than its regions.
        let mut listed = GridRegions::default();
        databases.values_mut().for_each(|tables| listed.add(tables.take_listed()));
        for (database, tables) in databases {
            let prefix = if several { format!("{database}/") } else { String::new() };
            let (regions, defects) = tables.finish();
            for defect in defects {
                // Without all rows, a prim may only not have been read.
                if !self.is_cut && !self.reading.incomplete || !is_without_prim(&defect) {
                    self.reading.defects.push(defect);
                }
            }
            for mut region in regions {
                listed.name(&mut region);
                if !self.is_cut {
                    lost_prims(&region).into_iter().for_each(|defect| self.reading.defects.push(defect));
                }
                if let Some(uses) = &mut self.uses {
                    uses.add_region(&region);
                }
                self.reading.container.entries += region.objects.len() as u64;
                // Without all rows, a region may only not have been read.
                let is_whole = !self.is_cut && !self.reading.incomplete;
                let listed = listed.has(region.uuid).filter(|&listed| listed || is_whole);
                region_facts(region, listed, &prefix, self.limits)
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
pub(super) fn pass(name: &str, kind: Kind, bytes: &[u8], visitor: &mut dyn Visitor) {
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

/// Returns the facts of a region: itself, then its objects. `listed`: whether the list of a grid has the region.
fn region_facts(region: Region, listed: Option<bool>, prefix: &str, limits: &Limits) -> Vec<Decoded> {
    let folder = format!("{prefix}{}", region.uuid);
    let mut facts = RegionFacts {
        name: region.name.unwrap_or_else(|| region.uuid.to_string()),
        uuid: Some(region.uuid),
        settings: region.settings,
        rows: region.rows,
        listed,
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
