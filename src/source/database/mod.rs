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
mod region_facts;
mod shell;
pub(super) mod sql;
pub(super) mod sqlite;
mod tables;
mod texts;
pub(super) mod uses;
mod watched;

use super::{Item, Kind, ReadRequest, Reading, Visitor, Wants, archive::over_budget, not_read};
use crate::content::MemberContent;
use hullmark_database::{
    Columns, Dialect, EstateTables, GridRegions, Region, RegionTables, Room, RoomLimits, Row,
    inventories::is_inventory_table, is_estate_table, is_of_regions, is_region_table,
};
use hullmark_format::{
    defect::{Budget, Defect, DefectKind, InputDefect, LeftOut},
    hashed_file::FileHash,
    member,
};
use hullmark_ledger::InputKind;
use hullmark_ledger::facts::StoreRow;
use hullmark_settings::limits::Limits;
use inventories::Inventories;
use region_facts::pass_region;
use std::{
    borrow::Cow,
    cell::Cell,
    collections::{BTreeMap, BTreeSet, HashSet},
};
use tables::{Tables, explain_absence};
use texts::Texts;
use uses::Uses;
use uuid::Uuid;

/// Receives the rows of databases.
pub trait Rows {
    /// Whether a table has rows that may be wanted. Names of tables are in lower case.
    fn knows(&self, _table: &str) -> bool {
        true
    }
    fn wants(&mut self, database: &str, table: &str) -> bool;
    /// Notes that a table is there, with or without rows.
    fn define(&mut self, _database: &str, _table: &str, _columns: &Columns) {}
    /// Takes a row of a wanted table. May return a column: its bytes must follow at once, and the row is gone by then.
    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) -> Option<&'static str>;
    /// Takes the bytes of the column that the last row asked for.
    fn bytes(&mut self, _bytes: Vec<u8>) {}
    /// Charges names of columns. Returns whether they may be kept.
    fn takes_name(&mut self, _bytes: usize) -> bool {
        true
    }
    /// Charges bytes of memory for a row. Returns whether it may be kept.
    fn takes(&mut self, _bytes: usize) -> bool {
        true
    }
    fn enough(&self) -> bool {
        false
    }
    /// Forgets the rows of a database that are not assets. It changed and is read again.
    fn forget(&mut self, _database: &str) {}
}

/// Whether a table has rows that are read. Names are in lower case.
pub(super) fn is_known(table: &str) -> bool {
    ["assets", "fsassets"].contains(&table)
        || is_region_table(table)
        || is_inventory_table(table)
        || is_estate_table(table)
}

/// Maximum bytes of a row of a table. An asset or a terrain may have as many as a member of an archive.
pub(super) fn longest_row(table: &str, limits: &Limits) -> u64 {
    match table {
        "assets" | "terrain" => limits.entry_bytes,
        _ => limits.row_bytes.min(limits.entry_bytes),
    }
}

/// Takes the rows of a database: assets become members of an archive at once, and rows of regions wait for each other.
///
/// Dumps, SQLite files and servers give their rows to it.
pub(super) struct DatabaseRows<'a> {
    dialect: Dialect,
    request: &'a ReadRequest<'a>,
    visitor: &'a mut dyn Visitor,
    pub(super) reading: &'a mut Reading,
    /// Bytes from the disk that were not reported to the visitor yet.
    unreported: &'a Cell<u64>,
    /// All tables that were seen.
    tables: Tables,
    texts: Texts,
    /// The tables of regions, by the names of their databases.
    databases: BTreeMap<String, RegionTables>,
    /// The tables of estates, by the names of their databases.
    estates: BTreeMap<String, EstateTables>,
    inventories: Inventories,
    room: Room,
    /// The databases that are read, and the first one above their limit.
    admitted: BTreeSet<String>,
    further_database: Option<String>,
    /// The asset whose bytes follow, and its kind.
    awaited: Option<(String, Kind)>,
    /// Assets so far. A dump may hold a table twice.
    seen: HashSet<Uuid>,
    /// The assets in use. `None` if all are read.
    pub(super) uses: Option<Uses>,
    /// Whether the rows of regions end too early. A missing prim may only be unread then.
    pub(super) is_cut: bool,
}

impl Rows for DatabaseRows<'_> {
    fn knows(&self, table: &str) -> bool {
        is_known(table)
    }

    fn wants(&mut self, database: &str, table: &str) -> bool {
        self.visitor.progress(self.unreported.take());
        self.tables.insert_into(database, table);
        is_known(table) && self.is_selected(database)
    }

    fn define(&mut self, database: &str, table: &str, columns: &Columns) {
        self.tables.note(table, columns);
        // A database may have objects without an estate, and an estate without objects.
        if is_known(table) && !is_estate_table(table) && self.is_selected(database) {
            self.tables.define(database, table);
        }
    }

    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) -> Option<&'static str> {
        self.texts.take(database, table, row);
        if is_estate_table(table) {
            self.estate(database, table, row);
            return None;
        }
        self.tables.count(database, table, row);
        if table == "assets" {
            return self.asset(row);
        }
        if table == "fsassets" {
            self.store_row(row);
        } else if is_inventory_table(table) {
            self.inventories.row(database, table, row, &mut self.room);
        } else if is_of_regions(table, row) {
            if !self.databases.contains_key(database) {
                self.databases.insert(database.to_owned(), RegionTables::new(self.dialect));
            }
            if let Some(tables) = self.databases.get_mut(database) {
                tables.take(table, row, &mut self.room);
            }
        }
        None
    }

    fn bytes(&mut self, bytes: Vec<u8>) {
        if let Some((name, kind)) = self.awaited.take() {
            self.pass_asset(&name, kind, bytes.into());
        }
    }

    fn takes_name(&mut self, bytes: usize) -> bool {
        self.room.takes_name(bytes)
    }

    fn takes(&mut self, bytes: usize) -> bool {
        self.room.takes(bytes)
    }

    fn enough(&self) -> bool {
        self.visitor.enough() || self.request.deadline.over().is_some()
    }

    fn forget(&mut self, database: &str) {
        let (rows, regions) =
            self.databases.remove(database).map_or((0, 0), |tables| (tables.bytes(), tables.regions()));
        let items = self.inventories.forget(database);
        let estates = self.estates.remove(database).map_or(0, |tables| tables.bytes());
        self.tables.forget(database);
        self.texts.forget(database);
        self.room.gives((rows + items + estates) as u64, regions);
    }
}

/// Bytes of memory for an asset that was passed on, at least: its facts, and its UUID among those that were read.
const ASSET: usize = 192;

impl<'a> DatabaseRows<'a> {
    /// Bytes from the disk are counted in `unreported` until the visitor gets them.
    pub(super) fn new(
        dialect: Dialect,
        request: &'a ReadRequest<'a>,
        visitor: &'a mut dyn Visitor,
        reading: &'a mut Reading,
        unreported: &'a Cell<u64>,
    ) -> Self {
        let inventories = Inventories::new(request.selection.owners.to_vec());
        let room = Room::new(room_limits(request.limits));
        Self {
            dialect,
            request,
            visitor,
            reading,
            unreported,
            tables: Tables::default(),
            texts: Texts::default(),
            databases: BTreeMap::new(),
            estates: BTreeMap::new(),
            inventories,
            room,
            admitted: BTreeSet::new(),
            further_database: None,
            awaited: None,
            seen: HashSet::new(),
            uses: None,
            is_cut: false,
        }
    }

    /// Whether a database is read. Notes its name.
    fn is_selected(&mut self, database: &str) -> bool {
        let is_read = self.request.selection.has(database) && self.admits(database);
        let names = &mut self.reading.container.databases;
        let has_room = is_read || names.len() < self.request.limits.databases;
        if !database.is_empty() && has_room && !names.contains(database) {
            names.insert(database.to_owned());
        }
        is_read
    }

    /// Whether a database is among the first ones.
    fn admits(&mut self, database: &str) -> bool {
        if self.admitted.contains(database) {
            return true;
        }
        if self.admitted.len() >= self.request.limits.databases {
            self.further_database.get_or_insert_with(|| database.to_owned());
            return false;
        }
        self.admitted.insert(database.to_owned())
    }

    /// Forgets all rows but those of assets, which are read again.
    pub(super) fn begin_again(&mut self) {
        self.databases.clear();
        self.estates.clear();
        (self.tables, self.texts) = Default::default();
        self.inventories = Inventories::new(self.request.selection.owners.to_vec());
        self.reading.store_rows.clear();
        self.room = Room::new(room_limits(self.request.limits));
        self.room.takes(self.seen.len().saturating_mul(ASSET));
        self.is_cut = false;
    }

    /// Whether inventories of owners are evaluated, so that their items use assets.
    pub(super) fn evaluates_inventories(&self) -> bool {
        !self.request.selection.owners.is_empty()
    }

    /// Notes tables whose files of rows are missing, by database and table.
    pub(super) fn note_without_file(&mut self, tables: Vec<(String, String)>) {
        self.tables.without_file = tables.into_iter().filter(|(_, table)| is_known(table)).collect();
    }

    pub(super) fn has(&self, asset: Uuid) -> bool {
        self.seen.contains(&asset)
    }

    fn estate(&mut self, database: &str, table: &str, row: &Row<'_>) {
        if !self.estates.contains_key(database) {
            self.estates.insert(database.to_owned(), EstateTables::default());
        }
        if let Some(tables) = self.estates.get_mut(database) {
            tables.take(table, row, &mut self.room);
        }
    }

    /// Keeps the name of the file of an asset. OpenSimulator has no asset with a nil UUID.
    fn store_row(&mut self, row: &Row<'_>) {
        let uuid = row.uuid("id");
        let Some(hash) = FileHash::of_digits(&row.name("hash")).filter(|_| !uuid.is_nil()) else { return };
        let asset_type = row.int("type").and_then(|number| i16::try_from(number).ok()).unwrap_or(-1);
        // A list has room for twice its length at most.
        if self.room.takes(2 * size_of::<StoreRow>()) {
            self.reading.store_rows.push(StoreRow { hash, uuid, asset_type });
        }
    }

    fn finish_inventories(&mut self) {
        let inventories = std::mem::replace(&mut self.inventories, Inventories::new(Vec::new()));
        let container = &mut self.reading.container;
        container.inventory_items += inventories.items();
        container.inventory_owners += inventories.owners().len() as u64;
        container.entries += inventories.items();
        let Self { uses, visitor, request: ReadRequest { deadline, .. }, .. } = self;
        let defects = inventories.finish(&mut |decoded| {
            if deadline.over().is_some() {
                return;
            }
            if let (Some(uses), MemberContent::Items(items)) = (uses.as_mut(), &decoded.content) {
                items.iter().for_each(|item| uses.add_item(item.item.asset, item.item.asset_type));
            }
            visitor.decoded(decoded);
        });
        defects.into_iter().for_each(|defect| self.reading.give_up(defect));
    }

    /// Passes an asset on as a member of an archive. Returns the column of its bytes if they are to follow.
    fn asset(&mut self, row: &Row<'_>) -> Option<&'static str> {
        let column =
            |names: [&'static str; 2]| names.into_iter().find(|name| row.has(name)).unwrap_or(names[0]);
        let uuid = row.uuid(column(["id", "uuid"]));
        if uuid.is_nil() || self.seen.contains(&uuid) || !self.room.takes(ASSET) {
            return None;
        }
        self.seen.insert(uuid);
        let name = member::asset_path(uuid, row.int(column(["assettype", "type"])).unwrap_or(-1));
        // A server says how long an asset is that it does not send.
        let unsent = row.int("bytes").and_then(|bytes| u64::try_from(bytes).ok());
        let unsent = unsent.filter(|&bytes| bytes > self.request.limits.entry_bytes);
        if let Some(bytes) = unsent.or(row.left_out("data")) {
            let defect = over_budget(Budget::BytesInMember, bytes, self.request.limits.entry_bytes);
            self.reading.give_up(defect.entry(&name));
            return None;
        }
        let kind = member::classify(&name).kind;
        let bytes = row.blob("data");
        if bytes.len() < COPIED {
            self.pass_asset(&name, kind, bytes.into());
            return None;
        }
        self.awaited = Some((name, kind));
        Some("data")
    }

    fn pass_asset(&mut self, name: &str, kind: Kind, bytes: Cow<'_, [u8]>) {
        let size = bytes.len() as u64;
        let container = &mut self.reading.container;
        container.entries += 1;
        container.expanded_bytes += size;
        self.reading.count_asset(name);
        if let Some(uses) = &mut self.uses {
            uses.add_asset(name, kind, member::suffix(name).unwrap_or_default(), &bytes, self.request.limits);
        }
        pass(name, kind, bytes, self.visitor);
        self.visitor.progress(self.unreported.take());
    }

    /// Ends the reading, after the last row.
    pub(super) fn finish(mut self) {
        self.pass_regions();
        if let Err(over) = self.request.deadline.check() {
            self.reading.give_up_once(not_read(&over));
        }
    }

    /// Reports the parts that exceed a limit.
    fn report_left_out(&mut self) {
        if self.room.is_full {
            let limit = self.request.limits.facts_bytes as f64;
            let defect = Defect::new(InputDefect::TooManyFacts).within("facts_bytes");
            self.reading.give_up_once(defect.measured(limit + 1.0).limit(limit));
            self.is_cut = true;
        }
        let limits = self.request.limits;
        if let Some(first) = self.further_database.take() {
            let defect = left_out_above(LeftOut::Databases, &first, 1, limits.databases as u64);
            self.reading.give_up(defect);
        }
        if let Some((rows, first)) = self.room.further_regions.take() {
            let first = first.to_string();
            self.reading.give_up(left_out_above(LeftOut::Regions, &first, rows, limits.regions as u64));
        }
        let unlisted = std::mem::take(&mut self.room.unlisted);
        if unlisted > 0 {
            self.reading.give_up(left_out_above(LeftOut::ListedRegions, "", unlisted, limits.names_bytes));
        }
    }

    /// Reports the tables that a database must have and lacks. Returns the tables that it has.
    fn report_missing_tables(&mut self) -> Tables {
        let tables = std::mem::take(&mut self.tables);
        if !self.enough() && !explain_absence(&self.reading.defects) {
            let is_dump = self.reading.kind == Some(InputKind::Dump);
            for defect in tables.defects(is_dump) {
                match defect.kind {
                    DefectKind::Input(InputDefect::OnlyObjects { .. }) => self.reading.defects.push(defect),
                    _ => self.reading.give_up(defect),
                }
            }
        }
        tables
    }

    /// Passes the regions on, after their last row.
    pub(super) fn pass_regions(&mut self) {
        self.report_left_out();
        let texts = std::mem::take(&mut self.texts);
        texts.defects().into_iter().for_each(|defect| self.reading.defects.push(defect));
        let found = self.report_missing_tables();
        self.finish_inventories();
        let estates = std::mem::take(&mut self.estates).into_values();
        self.reading.estates.extend(estates.flat_map(EstateTables::finish));
        let mut databases = std::mem::take(&mut self.databases);
        let several = databases.len() > 1;
        // The list of a grid may be in another database than its regions.
        let mut listed = GridRegions::default();
        databases.values_mut().for_each(|tables| listed.add(tables.take_listed()));
        for (database, tables) in databases {
            let prefix = if several { format!("{database}/") } else { String::new() };
            // Without all rows, a prim or a region may only not have been read.
            let is_whole = !self.is_cut && !self.reading.incomplete;
            let unread = found.unread(&database, &self.reading.defects);
            let mut lost = Vec::new();
            let defects = tables.finish(unread, &mut |mut region| {
                if self.request.deadline.over().is_some() {
                    return false;
                }
                listed.name(&mut region);
                if !self.is_cut {
                    lost.extend(lost_prims(&region));
                }
                if let Some(uses) = &mut self.uses {
                    uses.add_region(&region);
                }
                self.reading.container.entries += region.objects.len() as u64;
                let listed = listed.has(region.uuid).filter(|&listed| listed || is_whole);
                pass_region(region, listed, &prefix, self.request.limits, self.visitor);
                true
            });
            let defects = defects.into_iter().filter(|defect| is_whole || !is_without_prim(defect));
            defects.chain(lost).for_each(|defect| self.reading.defects.push(defect));
        }
    }
}

/// Bytes of an asset that is handed over without a copy.
const COPIED: usize = 1 << 20;

/// Returns the defect of parts that are left out, with a number and its limit.
pub(super) fn left_out(what: LeftOut, of: &str, count: u64, measured: u64, limit: u64) -> Defect {
    let kind = InputDefect::LeftOut { what, of: of.to_owned(), count };
    Defect::new(kind).measured(measured as f64).limit(limit as f64)
}

/// The same for a number that is not known, except that it is above the limit.
fn left_out_above(what: LeftOut, of: &str, count: u64, limit: u64) -> Defect {
    left_out(what, of, count, limit.saturating_add(1), limit)
}

fn room_limits(limits: &Limits) -> RoomLimits {
    RoomLimits { bytes: limits.facts_bytes, names: limits.names_bytes, regions: limits.regions }
}

fn is_without_prim(defect: &Defect) -> bool {
    matches!(defect.kind, DefectKind::Input(InputDefect::RowsWithoutPrim { .. }))
}

/// Passes the bytes of a member in the way that the visitor wants.
pub(super) fn pass(name: &str, kind: Kind, bytes: Cow<'_, [u8]>, visitor: &mut dyn Visitor) {
    let size = bytes.len() as u64;
    match visitor.wants(name, kind, size) {
        Wants::Whole => {
            visitor.make_room(size);
            visitor.item(Item::new(name.to_owned(), kind, bytes.into_owned(), size));
        }
        Wants::Pieces => {
            visitor.piece(&bytes);
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
