//! Regions from the tables of a region database: linksets, parcels, settings and terrain.
//!
//! Rows of one prim are in three tables, in any order. So prims wait in memory until all rows have passed.

use super::{
    Dialect, Row, Value,
    checks::{Checks, MIGRATIONS},
    settings::{parcel, region_of, settings},
    terrain::{self, Terrain},
};
use crate::{
    defect::{Defect, InputDefect},
    object::{
        Item, Linkset, links,
        rows::{PrimRow, ShapeRow, item},
    },
    region::{Parcel, Settings},
};
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

/// A region of a database.
#[derive(Debug, Default)]
pub struct Region {
    /// UUID of the region.
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
    /// Linksets, each with the defects of its rows.
    pub objects: Vec<(Linkset, Vec<Defect>)>,
    /// Prims that the loader of OpenSimulator drops, because the root of their linkset is not in the region.
    pub orphans: Vec<Uuid>,
    /// Prims that become boxes, because they have no row in `primshapes`.
    pub shapeless: Vec<Uuid>,
    /// Number of rows in each table.
    pub rows: BTreeMap<String, u64>,
}

/// The regions that the table `regions` of a grid lists.
#[derive(Debug, Default)]
pub struct GridRegions(BTreeMap<Uuid, (String, Option<[u32; 2]>)>);

impl GridRegions {
    /// Adds the list of another database.
    pub fn add(&mut self, other: Self) {
        other.0.into_iter().for_each(|(uuid, region)| _ = self.0.entry(uuid).or_insert(region));
    }

    /// Whether the list has a region. `None` for an empty list, which says nothing.
    pub fn has(&self, region: Uuid) -> Option<bool> {
        (!self.0.is_empty()).then(|| self.0.contains_key(&region))
    }

    /// Gives a region its name, and its size if that is unknown.
    pub fn name(&self, region: &mut Region) {
        if let Some((name, size)) = self.0.get(&region.uuid) {
            region.name = Some(name.clone());
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

/// The rows of a region database.
#[derive(Debug)]
pub struct RegionTables {
    dialect: Dialect,
    prims: Vec<PrimRow>,
    /// UUIDs of all prims. A dump may have a row twice, and a table has it once.
    known: HashSet<Uuid>,
    shapes: HashMap<Uuid, ShapeRow>,
    items: HashMap<Uuid, Vec<Item>>,
    regions: BTreeMap<Uuid, RegionRows>,
    listed: GridRegions,
    checks: Checks,
    bytes: usize,
}

/// The rows of one region, except those of objects.
#[derive(Debug, Default)]
struct RegionRows {
    region: Region,
    environment: bool,
    spawn_points: u32,
    /// Revision of the terrain.
    revision: Option<i64>,
}

impl RegionRows {
    /// Counts rows of a table.
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
            prims: Vec::new(),
            known: HashSet::new(),
            shapes: HashMap::new(),
            items: HashMap::new(),
            regions: BTreeMap::new(),
            listed: GridRegions::default(),
            checks: Checks::new(dialect),
            bytes: 0,
        }
    }

    /// Returns about the memory of all rows, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a row of a table. Names of tables are in lower case.
    pub fn take(&mut self, table: &str, row: &Row<'_>) {
        self.bytes += size_of_row(table, row);
        self.checks.take(table, row);
        match table {
            "prims" if self.known.insert(row.uuid("uuid")) => {
                self.prims.push(PrimRow::new(row, self.dialect));
            }
            "primshapes" => {
                let shape = ShapeRow::new(row);
                self.shapes.insert(shape.prim, shape);
            }
            "primitems" => {
                let (prim, item) = item(row);
                self.items.entry(prim).or_default().push(item);
            }
            "land" => self.at(table, row).region.parcels.push(parcel(row)),
            "regionsettings" => self.at(table, row).region.settings = Some(settings(row)),
            "regionenvironment" => self.at(table, row).environment = true,
            "spawn_points" => self.at(table, row).spawn_points += 1,
            "terrain" => self.terrain(table, row),
            "regions" => self.listed(row),
            _ => {}
        }
    }

    /// Counts a row of a region, and returns the region.
    fn at(&mut self, table: &str, row: &Row<'_>) -> &mut RegionRows {
        let region = self.regions.entry(region_of(row)).or_default();
        region.count(table, 1);
        region
    }

    /// Takes a terrain. The highest revision counts.
    fn terrain(&mut self, table: &str, row: &Row<'_>) {
        let revision = row.int("revision").unwrap_or_default();
        let region = self.at(table, row);
        if region.revision.is_some_and(|known| known > revision) {
            return;
        }
        let blob = row.blob("heightfield");
        let terrain = terrain::read(revision, blob);
        region.revision = Some(revision);
        region.region.size = terrain.as_ref().map(|terrain| terrain.size).or(region.region.size);
        // As in an archive, whose heights are not packed.
        let heights =
            terrain.as_ref().map(|terrain| 4 * u64::from(terrain.size[0]) * u64::from(terrain.size[1]));
        region.region.terrain = Some((heights.unwrap_or(blob.len() as u64), terrain));
    }

    /// Takes a row of the regions of a grid, which has names and sizes.
    fn listed(&mut self, row: &Row<'_>) {
        let uuid = row.uuid("uuid");
        if uuid.is_nil() || *row.get("regionname") == Value::Null {
            return;
        }
        let side =
            |column| row.int(column).and_then(|side| u32::try_from(side).ok()).filter(|&side| side > 0);
        let size = side("sizex").zip(side("sizey")).map(|(width, depth)| [width, depth]);
        self.listed.0.insert(uuid, (row.text("regionname"), size));
    }

    /// Takes the list of a grid out of the tables.
    pub fn take_listed(&mut self) -> GridRegions {
        std::mem::take(&mut self.listed)
    }

    /// Returns the regions with rows, in the order of their UUIDs, and the defects of the database.
    pub fn finish(mut self) -> (Vec<Region>, Vec<Defect>) {
        let mut of_regions: BTreeMap<Uuid, Vec<PrimRow>> = BTreeMap::new();
        for mut prim in std::mem::take(&mut self.prims) {
            let uuid = prim.part.uuid;
            let shape = self.shapes.remove(&uuid);
            if shape.is_none() {
                self.regions.entry(prim.region).or_default().region.shapeless.push(uuid);
            }
            prim.part.inventory = self.items.remove(&uuid).unwrap_or_default();
            let region = self.regions.entry(prim.region).or_default();
            region.count("prims", 1);
            region.count("primshapes", shape.is_some().into());
            region.count("primitems", prim.part.inventory.len() as u64);
            prim.shaped(shape);
            of_regions.entry(prim.region).or_default().push(prim);
        }
        for (uuid, prims) in of_regions {
            let region = self.regions.entry(uuid).or_default();
            let (objects, orphans) = self.dialect.linksets(prims);
            (region.region.objects, region.region.orphans) = (objects, orphans);
        }
        let defects = self.without_prim().into_iter().chain(self.checks.finish()).collect();
        let regions = self.regions.into_iter().map(
            |(uuid, RegionRows { mut region, environment, spawn_points, .. })| {
                region.uuid = uuid;
                if let Some(settings) = &mut region.settings {
                    (settings.environment, settings.spawn_points) = (environment, spawn_points);
                }
                region
            },
        );
        (regions.collect(), defects)
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

/// Returns about the memory of a row, in bytes. Names are as long as in the row, and blobs become less.
fn size_of_row(table: &str, row: &Row<'_>) -> usize {
    match table {
        "prims" => size_of::<PrimRow>() + size_of::<(Uuid, u64)>() + row.blob("name").len(),
        "primshapes" => size_of::<(Uuid, ShapeRow)>() + row.blob("texture").len(),
        "primitems" => size_of::<(Uuid, Item)>() + row.blob("name").len(),
        "land" => size_of::<Parcel>() + row.blob("bitmap").len() + row.blob("name").len(),
        _ => size_of::<RegionRows>(),
    }
}

impl Dialect {
    /// Makes linksets of the prims of one region, as the loader for this product does. Also returns the prims without a
    /// root.
    fn linksets(self, prims: Vec<PrimRow>) -> (Vec<(Linkset, Vec<Defect>)>, Vec<Uuid>) {
        let mut groups: Vec<Vec<PrimRow>> = Vec::new();
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
    fn linkset(self, mut prims: Vec<PrimRow>) -> (Linkset, Vec<Defect>) {
        if self == Self::PostgreSql {
            prims[1..].sort_by_key(|prim| prim.part.link_number);
        }
        let is_alone = prims.len() == 1;
        let mut linkset = Linkset {
            keyframe_motion: prims[0].keyframe_motion,
            linkset_data: prims[0].linkset_data,
            ..Linkset::default()
        };
        let mut defects = Vec::new();
        for (mut prim, place) in prims.into_iter().zip(1..) {
            // SQLite stores no number, and the loader for PostgreSQL counts as well.
            if self != Self::MySql || prim.part.link_number == 0 {
                prim.part.link_number = if is_alone { 0 } else { place };
            }
            for mut defect in prim.defects {
                defect.place.part = Some(prim.part.uuid);
                defect.place.link_number = Some(prim.part.link_number);
                defects.push(defect);
            }
            linkset.parts.push(prim.part);
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
    use crate::database::Columns;

    const REGION: u128 = 1;

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    /// Returns the regions of these prims, each with its own number, that of its root and its link number.
    fn regions(dialect: Dialect, prims: &[(u128, u128, i64)]) -> Vec<Region> {
        let mut tables = RegionTables::new(dialect);
        let columns = Columns::new(["UUID", "SceneGroupID", "RegionUUID", "LinkNumber"]);
        let shape_columns = Columns::new(["UUID", "PCode", "ScaleX", "ScaleY", "ScaleZ"]);
        for &(own, root, number) in prims {
            let ids = [own, root, REGION].map(|number| id(number).to_string());
            let [own, root, region] = ids.each_ref().map(|id| Value::bytes(id.as_bytes()));
            let shape = [own.clone(), Value::Int(9), Value::Real(1.0), Value::Real(2.0), Value::Real(3.0)];
            tables.take("primshapes", &Row::new(&shape_columns, &shape));
            tables.take("prims", &Row::new(&columns, &[own, root, region, Value::Int(number)]));
        }
        tables.finish().0
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
