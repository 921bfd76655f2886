//! Reads a dump of databases: assets as members, and regions from the rows of their tables.

use super::{
    Item, Kind, Reading, Visitor, Wants,
    archive::over_budget,
    not_read,
    sql::{End, Rows, SqlReader},
};
use crate::{
    format::{
        database::{Dialect, Region, RegionTables, Row, is_region_table},
        defect::{Budget, Defect, InputDefect, ObjectDefect},
        member,
        object::Linkset,
    },
    ledger::{
        self,
        facts::{ObjectFacts, ParcelFacts, RegionFacts, TerrainFacts},
    },
    scan::decode::{Decoded, Learnt},
    settings::limits::Limits,
};
use std::{
    cell::Cell,
    collections::{BTreeMap, HashSet},
    io::BufRead,
    rc::Rc,
};
use uuid::Uuid;

/// Reads a dump to its end. Returns the number of bytes and the source.
pub(super) fn read<R: BufRead>(
    bytes: R,
    dialect: Dialect,
    limits: &Limits,
    visitor: &mut dyn Visitor,
    reading: &mut Reading,
    unreported: &Rc<Cell<u64>>,
) -> (u64, R) {
    reading.database = Some(ledger::DUMP);
    // One byte above the limit shows whether more follow.
    let bytes = bytes.take(limits.archive_bytes.saturating_add(1));
    let longest = usize::try_from(limits.entry_bytes).unwrap_or(usize::MAX);
    let mut reader = SqlReader::new(bytes, dialect, longest);
    let mut dump = Dump {
        dialect,
        limits,
        visitor,
        reading,
        unreported,
        databases: BTreeMap::new(),
        is_full: false,
        seen: HashSet::new(),
    };
    let end = reader.read(&mut dump);
    let position = reader.position();
    match end {
        Ok(_) if position > limits.archive_bytes => {
            dump.reading.give_up(over_budget(Budget::BytesInAll, position, limits.archive_bytes));
        }
        Ok(End::Complete | End::Enough) => {}
        // sqlite3 writes no such line.
        Ok(End::Whole) if dialect == Dialect::Sqlite => {}
        Ok(End::Whole) => dump.reading.defects.push(Defect::new(InputDefect::DumpNotEnded)),
        Ok(End::Cut) => dump.reading.give_up(Defect::new(InputDefect::Damaged { why: None, position })),
        Err(error) => dump.reading.give_up(not_read(&error)),
    }
    if reader.too_long > 0 {
        let defect = over_budget(Budget::BytesInMember, reader.too_long, limits.entry_bytes);
        dump.reading.give_up(defect);
    }
    for table in std::mem::take(&mut reader.unknown_columns) {
        dump.reading.give_up(Defect::new(InputDefect::TableWithoutColumns { table }));
    }
    if reader.odd_rows > 0 {
        let rows = reader.odd_rows;
        dump.reading.give_up(Defect::new(InputDefect::OddRows { rows }).measured(rows as f64));
    }
    dump.finish();
    reading.unpacked = position;
    (position, reader.into_inner().into_inner())
}

/// A dump while its rows pass.
struct Dump<'a> {
    dialect: Dialect,
    limits: &'a Limits,
    visitor: &'a mut dyn Visitor,
    reading: &'a mut Reading,
    /// Bytes from the disk that were not reported to the visitor yet.
    unreported: &'a Rc<Cell<u64>>,
    /// The tables of regions, by the names of their databases.
    databases: BTreeMap<String, RegionTables>,
    /// Whether rows are left out, because those before take all the memory of an input.
    is_full: bool,
    /// Assets so far. A dump may hold a table twice.
    seen: HashSet<Uuid>,
}

impl Rows for Dump<'_> {
    fn wants(&mut self, _database: &str, table: &str) -> bool {
        self.visitor.progress(self.unreported.take());
        table == "assets" || is_region_table(table)
    }

    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) {
        if table == "assets" {
            return self.asset(row);
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
        self.visitor.enough() || self.visitor.deadline().over().is_some()
    }
}

impl Dump<'_> {
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

    /// Passes the regions on.
    fn finish(&mut self) {
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
            for region in tables.finish() {
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
            bytes,
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
