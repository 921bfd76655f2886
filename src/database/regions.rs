//! Regions from the tables of a region database: linksets, parcels, settings and terrain.
//!
//! Rows of one prim are in three tables, in any order. So prims wait in memory until all rows have passed.

#![allow(clippy::vec_box, reason = "a prim gives its memory back as soon as its linkset has it")]

use super::{
    Dialect, Room, Row, Value,
    checks::{Checks, MIGRATIONS},
    prims::{PrimRow, ShapeRow, item},
    settings::{parcel, region_of, settings},
    terrain::{self, Terrain},
};
use hullmark_format::{
    defect::{Defect, InputDefect},
    object::{Item, Linkset, links},
    region::{Parcel, Settings},
};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

#[derive(Debug, Default)]
pub struct Region {
    pub uuid: Uuid,
    /// Name, from the table `regions` of a grid. Region databases have no names.
    pub name: Option<String>,
    /// Width and depth in metres, from the terrain or the table `regions`.
    pub size: Option<[u32; 2]>,
    /// Settings; `None` without a row.
    pub settings: Option<Settings>,
    /// Parcels in the order of rows.
    pub parcels: Vec<Parcel>,
    /// The terrain, and its bytes in an archive. The terrain is `None` if it cannot be read, with the bytes of the row.
    pub terrain: Option<(u64, Option<Terrain>)>,
    pub objects: Vec<(Linkset, Vec<Defect>)>,
    /// Prims that the loader of OpenSimulator drops, because the root of their linkset is not in the region.
    pub orphans: Vec<Uuid>,
    /// Prims that become boxes, because they have no row in `primshapes`.
    pub shapeless: Vec<Uuid>,
    /// Number of rows in each table.
    pub rows: BTreeMap<String, u64>,
    /// Whether it may have more prims, in rows that were not read.
    pub objects_unread: bool,
}

/// The tables whose rows were not read, or not all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UnreadTables {
    pub prims: bool,
    pub shapes: bool,
    pub items: bool,
}

/// The regions that the table `regions` of a grid lists.
#[derive(Debug, Default)]
pub struct GridRegions(BTreeMap<Uuid, (Box<str>, Option<[u32; 2]>)>);

impl GridRegions {
    /// Adds the list of another database.
    pub fn add(&mut self, other: Self) {
        other.0.into_iter().for_each(|(uuid, region)| _ = self.0.entry(uuid).or_insert(region));
    }

    /// Whether the list has a region. `None` for an empty list, which says nothing.
    pub fn has(&self, region: Uuid) -> Option<bool> {
        (!self.0.is_empty()).then(|| self.0.contains_key(&region))
    }

    pub fn name(&self, region: &mut Region) {
        if let Some((name, size)) = self.0.get(&region.uuid) {
            region.name = Some(name.to_string());
            region.size = region.size.or(*size);
        }
    }
}

/// Whether a table belongs to a region database. Names are in lower case.
pub fn is_region_table(table: &str) -> bool {
    matches!(
        table,
        "prims"
            | "primshapes"
            | "primitems"
            | "land"
            | "regionsettings"
            | "regionenvironment"
            | "spawn_points"
            | "terrain"
            | "regions"
            | MIGRATIONS
    )
}

/// Bytes of memory for the UUID of a prim in a set, for its places in lists, and for the object that it may become.
const KNOWN: usize = 432;

/// Bytes of memory for an entry of a map of prims, in addition to its content.
const ENTRY: usize = 64;

/// Bytes of memory for a listed region, in addition to its name.
const LISTED: usize = 96;

/// Bytes of memory for the counts of a region.
const COUNTS: usize = 512;

#[derive(Debug)]
pub struct RegionTables {
    dialect: Dialect,
    /// UUIDs of all prims. A dump may have a row twice, and a table has it once.
    known: HashSet<Uuid>,
    shapes: HashMap<Uuid, Box<ShapeRow>>,
    items: HashMap<Uuid, Vec<Item>>,
    regions: BTreeMap<Uuid, Box<RegionRows>>,
    listed: GridRegions,
    checks: Checks,
    bytes: usize,
}

#[derive(Debug, Default)]
struct RegionRows {
    region: Region,
    prims: Vec<Box<PrimRow>>,
    environment: bool,
    spawn_points: u32,
    revision: Option<i64>,
    /// The most bytes of memory that a terrain took.
    terrain: usize,
}

impl RegionRows {
    fn count(&mut self, table: &str, rows: u64) {
        if rows == 0 {
            return;
        }
        let counts = &mut self.region.rows;
        match counts.get_mut(table) {
            Some(count) => *count += rows,
            None => _ = counts.insert(table.to_owned(), rows),
        }
    }
}

impl RegionTables {
    /// Creates tables without rows.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            known: HashSet::new(),
            shapes: HashMap::new(),
            items: HashMap::new(),
            regions: BTreeMap::new(),
            listed: GridRegions::default(),
            checks: Checks::new(dialect),
            bytes: 0,
        }
    }

    /// Returns the bytes of memory that all rows were charged.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the number of regions with rows.
    pub fn regions(&self) -> usize {
        self.regions.len()
    }

    /// Takes a row of a table. Names of tables are in lower case.
    pub fn take(&mut self, table: &str, row: &Row<'_>, room: &mut Room) {
        let is_kept = match table {
            "prims" => self.prim(row, room),
            "primshapes" => self.shape(row, room),
            "primitems" => self.item(row, room),
            "land" => self.parcel(table, row, room),
            "regionsettings" => {
                self.at(table, row, room).map(|region| region.region.settings = Some(settings(row)))
            }
            "regionenvironment" => self.at(table, row, room).map(|region| region.environment = true),
            "spawn_points" => self.at(table, row, room).map(|region| region.spawn_points += 1),
            "terrain" => self.terrain(table, row, room),
            "regions" => self.listed(row, room),
            _ => Some(()),
        };
        if is_kept.is_some() {
            self.checks.take(table, row);
        }
    }

    /// Charges bytes of memory. `None` if there is no room for them.
    fn charge(&mut self, bytes: usize, room: &mut Room) -> Option<()> {
        let fits = room.takes(bytes);
        self.bytes += if fits { bytes } else { 0 };
        fits.then_some(())
    }

    /// Makes a place for the rows of a region. `None` if there is no room for it.
    fn admit(&mut self, region: Uuid, room: &mut Room) -> Option<()> {
        if self.regions.contains_key(&region) {
            return Some(());
        }
        let bytes = size_of::<RegionRows>() + COUNTS;
        if !room.takes_region(region, bytes) {
            return None;
        }
        self.bytes += bytes;
        self.regions.insert(region, Box::default());
        Some(())
    }

    /// Counts a row of a region, and returns the region. `None` if there is no room for it.
    fn at(&mut self, table: &str, row: &Row<'_>, room: &mut Room) -> Option<&mut RegionRows> {
        let uuid = region_of(row);
        self.admit(uuid, room)?;
        let region = self.regions.get_mut(&uuid)?;
        region.count(table, 1);
        Some(region)
    }

    fn prim(&mut self, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let uuid = row.uuid("uuid");
        if self.known.contains(&uuid) {
            return Some(());
        }
        let region = row.uuid("regionuuid");
        self.admit(region, room)?;
        let prim = Box::new(PrimRow::new(row, self.dialect));
        self.charge(prim.size() + KNOWN, room)?;
        self.known.insert(uuid);
        self.regions.get_mut(&region)?.prims.push(prim);
        Some(())
    }

    fn shape(&mut self, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let shape = Box::new(ShapeRow::new(row));
        let earlier = self.shapes.get(&shape.prim).map_or(0, |earlier| earlier.size() + ENTRY);
        self.charge((shape.size() + ENTRY).saturating_sub(earlier), room)?;
        self.shapes.insert(shape.prim, shape);
        Some(())
    }

    fn item(&mut self, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let (prim, item) = item(row);
        let items = self.items.get(&prim);
        let entry = if items.is_some() { 0 } else { ENTRY };
        // A list that is full grows to twice its size.
        let places =
            items.map_or(1, |items| if items.len() == items.capacity() { items.len().max(3) } else { 0 });
        self.charge(entry + places * size_of::<Item>() + item.name.len(), room)?;
        self.items.entry(prim).or_insert_with(|| Vec::with_capacity(1)).push(item);
        Some(())
    }

    fn parcel(&mut self, table: &str, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let parcel = parcel(row);
        let heap = parcel.name.len() + parcel.bitmap.len() + size_of_val(&*parcel.references);
        self.admit(region_of(row), room)?;
        self.charge(2 * size_of_val(&parcel) + heap, room)?;
        self.at(table, row, room)?.region.parcels.push(parcel);
        Some(())
    }

    /// Takes a terrain. The highest revision counts.
    fn terrain(&mut self, table: &str, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let revision = row.int("revision").unwrap_or_default();
        let region = self.at(table, row, room)?;
        if region.revision.is_some_and(|known| known > revision) {
            return Some(());
        }
        let blob = row.blob("heightfield");
        let terrain = terrain::read(revision, blob);
        let grid =
            terrain.as_ref().and_then(|terrain| terrain.grid.as_ref()).map_or(0, |grid| 2 * grid.cells.len());
        let more = grid.saturating_sub(region.terrain);
        self.charge(more, room)?;
        let region = self.regions.get_mut(&region_of(row))?;
        region.terrain += more;
        region.revision = Some(revision);
        region.region.size = terrain.as_ref().map(|terrain| terrain.size).or(region.region.size);
        // As in an archive, whose heights are not packed.
        let heights =
            terrain.as_ref().map(|terrain| 4 * u64::from(terrain.size[0]) * u64::from(terrain.size[1]));
        region.region.terrain = Some((heights.unwrap_or(blob.len() as u64), terrain));
        Some(())
    }

    /// Takes a row of the regions of a grid, which has names and sizes.
    fn listed(&mut self, row: &Row<'_>, room: &mut Room) -> Option<()> {
        let uuid = row.uuid("uuid");
        if uuid.is_nil() || *row.get("regionname") == Value::Null {
            return Some(());
        }
        let side =
            |column| row.int(column).and_then(|side| u32::try_from(side).ok()).filter(|&side| side > 0);
        let size = side("sizex").zip(side("sizey")).map(|(width, depth)| [width, depth]);
        let name = row.name("regionname").into_boxed_str();
        let is_new = !self.listed.0.contains_key(&uuid);
        if is_new && !room.takes_name(LISTED + name.len()) {
            room.unlisted += 1;
            return None;
        }
        self.listed.0.insert(uuid, (name, size));
        Some(())
    }

    pub fn take_listed(&mut self) -> GridRegions {
        std::mem::take(&mut self.listed)
    }

    /// Passes the regions with rows to `pass`, in the order of their UUIDs, as long as it returns `true`. Returns the
    /// defects of the database.
    pub fn finish(mut self, unread: UnreadTables, pass: &mut dyn FnMut(Region) -> bool) -> Vec<Defect> {
        for (uuid, rows) in std::mem::take(&mut self.regions) {
            if !pass(self.region(uuid, *rows, unread)) {
                // Rows of prims that were not passed are left.
                return self.checks.finish();
            }
        }
        self.without_prim().into_iter().chain(self.checks.finish()).collect()
    }

    /// Makes a region of its rows. A shape that may only be unread is unknown; otherwise the prim becomes a box.
    fn region(&mut self, uuid: Uuid, mut rows: RegionRows, unread: UnreadTables) -> Region {
        rows.region.objects_unread = unread.prims;
        for prim in &mut rows.prims {
            let shape = self.shapes.remove(&prim.part.uuid);
            (prim.part.shape_unread, prim.part.contents_unread) =
                (shape.is_none() && unread.shapes, unread.items);
            if shape.is_none() && !unread.shapes {
                rows.region.shapeless.push(prim.part.uuid);
            }
            prim.part.inventory = self.items.remove(&prim.part.uuid).unwrap_or_default();
            prim.shaped(shape.map(|shape| *shape));
        }
        let prims = std::mem::take(&mut rows.prims);
        let items = prims.iter().map(|prim| prim.part.inventory.len() as u64).sum();
        rows.count("prims", prims.len() as u64);
        let shapeless =
            prims.iter().filter(|prim| prim.part.shape_unread).count() + rows.region.shapeless.len();
        rows.count("primshapes", (prims.len() - shapeless) as u64);
        rows.count("primitems", items);
        let RegionRows { mut region, environment, spawn_points, .. } = rows;
        (region.objects, region.orphans) = self.dialect.linksets(prims);
        region.uuid = uuid;
        if let Some(settings) = &mut region.settings {
            (settings.environment, settings.spawn_points) = (environment, spawn_points);
        }
        region
    }

    /// Returns the defects of rows that no prim took. A database without any prim says nothing about them.
    fn without_prim(&self) -> Vec<Defect> {
        let items = self.items.iter().map(|(&prim, items)| (prim, items.len() as u64));
        let items =
            items.fold((0, Uuid::max()), |(rows, first), (prim, more)| (rows + more, prim.min(first)));
        let shapes = (self.shapes.len() as u64, self.shapes.keys().min().copied().unwrap_or_default());
        let tables = [("primitems", items), ("primshapes", shapes)];
        let surplus = tables.into_iter().filter(|(_, (rows, _))| *rows > 0 && !self.known.is_empty());
        surplus
            .map(|(table, (rows, first))| {
                let kind = InputDefect::RowsWithoutPrim { table: table.into(), rows, first };
                Defect::new(kind).measured(rows as f64)
            })
            .collect()
    }
}

impl Dialect {
    /// Makes linksets of the prims of one region, as the loader for this product does. Also returns the prims without a
    /// root.
    fn linksets(self, prims: Vec<Box<PrimRow>>) -> (Vec<(Linkset, Vec<Defect>)>, Vec<Uuid>) {
        let mut groups: Vec<Vec<Box<PrimRow>>> = Vec::new();
        let mut numbers: HashMap<Uuid, usize> = HashMap::new();
        for prim in prims {
            let group = *numbers.entry(prim.group).or_insert_with(|| {
                // Most linksets have one prim, and a vector that grows begins with room for four.
                groups.push(Vec::with_capacity(1));
                groups.len() - 1
            });
            groups[group].push(prim);
        }
        let (mut objects, mut orphans) = (Vec::new(), Vec::new());
        for mut group in groups {
            match group.iter().position(|prim| prim.part.uuid == prim.group) {
                Some(root) => group[..=root].rotate_right(1),
                // The loader makes the first prim the root and gives it the UUID of the group.
                None if self == Self::PostgreSql => {
                    group.sort_by_key(|prim| prim.part.link_number);
                    group[0].part.uuid = group[0].group;
                }
                None => {
                    orphans.extend(group.iter().map(|prim| prim.part.uuid));
                    continue;
                }
            }
            objects.push(self.linkset(group));
        }
        (objects, orphans)
    }

    /// Makes a linkset of its prims in the order of rows, with the root first.
    fn linkset(self, mut prims: Vec<Box<PrimRow>>) -> (Linkset, Vec<Defect>) {
        if self == Self::PostgreSql {
            prims[1..].sort_by_key(|prim| prim.part.link_number);
        }
        let is_alone = prims.len() == 1;
        let mut linkset = Linkset {
            keyframe_motion: prims[0].keyframe_motion,
            linkset_data: prims[0].linkset_data,
            parts: Vec::with_capacity(prims.len()),
            ..Linkset::default()
        };
        let mut defects = Vec::new();
        for (mut prim, place) in prims.into_iter().zip(1..) {
            // SQLite stores no number, and the loader for PostgreSQL counts as well.
            if self != Self::MySql || prim.part.link_number == 0 {
                prim.part.link_number = if is_alone { 0 } else { place };
            }
            let PrimRow { part, defects: found, .. } = *prim;
            for mut defect in found {
                defect.place.part = Some(part.uuid);
                defect.place.link_number = Some(part.link_number);
                defects.push(defect);
            }
            linkset.parts.push(part);
        }
        linkset.document_in_link_order = links::sort(&mut linkset.parts);
        let root = linkset.parts.first().map(|root| root.uuid);
        for defect in &mut defects {
            defect.place.object = root;
        }
        (linkset, defects)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, RoomLimits};

    const REGION: u128 = 1;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    /// Returns the regions of these prims, each with its own number, that of its root and its link number.
    fn regions(dialect: Dialect, prims: &[(u128, u128, i64)]) -> Vec<Region> {
        let mut tables = RegionTables::new(dialect);
        let mut room = Room::new(RoomLimits { bytes: u64::MAX, names: u64::MAX, regions: usize::MAX });
        let columns = Columns::new(["UUID", "SceneGroupID", "RegionUUID", "LinkNumber"]);
        let shape_columns = Columns::new(["UUID", "PCode", "ScaleX", "ScaleY", "ScaleZ"]);
        for &(own, root, number) in prims {
            let ids = [own, root, REGION].map(|number| id(number).to_string());
            let [own, root, region] = ids.each_ref().map(|id| Value::bytes(id.as_bytes()));
            let shape = [own.clone(), Value::Int(9), Value::Real(1.0), Value::Real(2.0), Value::Real(3.0)];
            tables.take("primshapes", &Row::new(&shape_columns, &shape), &mut room);
            let values = [own, root, region, Value::Int(number)];
            tables.take("prims", &Row::new(&columns, &values), &mut room);
        }
        let mut regions = Vec::new();
        tables.finish(UnreadTables::default(), &mut |region| {
            regions.push(region);
            true
        });
        regions
    }

    /// Returns the parts of each object as numbers with their link numbers.
    fn links(regions: &[Region]) -> Vec<Vec<(u128, i32)>> {
        let parts = |linkset: &Linkset| {
            linkset.parts.iter().map(|part| (part.uuid.as_u128(), part.link_number)).collect()
        };
        regions.iter().flat_map(|region| region.objects.iter().map(|(linkset, _)| parts(linkset))).collect()
    }

    #[test]
    fn linksets_are_those_of_the_loader_for_each_product() {
        // The root is not the first row, and two children have other numbers than the order of rows.
        let rows = [(12, 10, 3), (11, 10, 2), (10, 10, 1), (20, 20, 0)];
        let mysql = regions(Dialect::MySql, &rows);
        assert_eq!(links(&mysql), [vec![(10, 1), (11, 2), (12, 3)], vec![(20, 0)]]);
        assert_eq!(mysql[0].objects[0].0.parts[0].scale.to_array(), [1.0, 2.0, 3.0]);
        assert_eq!(links(&regions(Dialect::PostgreSql, &rows)), links(&mysql));
        // SQLite has no numbers: rows are in order.
        let rows = [(10, 10, 0), (12, 10, 0), (11, 10, 0), (20, 20, 0)];
        let expected = [vec![(10, 1), (12, 2), (11, 3)], vec![(20, 0)]];
        assert_eq!(links(&regions(Dialect::Sqlite, &rows)), expected);
    }

    #[test]
    fn prims_without_a_root_are_orphans_except_with_postgresql() {
        let rows = [(11, 10, 2), (12, 10, 3)];
        for dialect in [Dialect::MySql, Dialect::Sqlite] {
            let found = regions(dialect, &rows);
            assert_eq!((links(&found), &found[0].orphans), (vec![], &vec![id(11), id(12)]));
        }
        let found = regions(Dialect::PostgreSql, &rows);
        assert_eq!((links(&found), found[0].orphans.len()), (vec![vec![(10, 1), (12, 2)]], 0));
    }

    #[test]
    fn a_row_that_comes_twice_counts_once() {
        assert_eq!(links(&regions(Dialect::MySql, &[(10, 10, 0), (10, 10, 0)])), [vec![(10, 0)]]);
    }
}
