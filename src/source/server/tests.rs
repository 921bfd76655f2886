//! Tests of the order of queries and of failures, with a server that answers from memory.

use super::*;
use crate::{Item, Kind};
use hullmark_database::{Columns, Value};
use hullmark_settings::limits::Limits;
use std::{cell::RefCell, rc::Rc};
use uuid::Uuid;

/// The tables of a server, the questions that it was asked, and the failures that are left.
#[derive(Default)]
struct Fake {
    tables: Vec<(Table, Vec<Vec<String>>)>,
    asked: RefCell<Vec<String>>,
    /// Each fails the next query that contains its text.
    failures: RefCell<Vec<(&'static str, Failure)>>,
}

/// A connection to it.
struct Line(Rc<Fake>);

impl Server for Line {
    fn tables(&mut self) -> Result<Vec<Table>, Failure> {
        Ok(self.0.tables.iter().map(|(table, _)| table.clone()).collect())
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.0.asked.borrow_mut().push("begin".into());
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.0.asked.borrow_mut().push("end".into());
        Ok(())
    }

    fn select(&mut self, query: &str, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<(), Failure> {
        self.0.asked.borrow_mut().push(query.to_owned());
        let mut failures = self.0.failures.borrow_mut();
        let failure =
            failures.iter().position(|(text, _)| query.contains(text)).map(|at| failures.remove(at).1);
        let named = |(table, _): &&(Table, _)| query.contains(&format!("FROM `{}`", table.name));
        let Some((table, rows)) = self.0.tables.iter().find(named) else { return Ok(()) };
        let columns = Columns::new(&table.columns);
        let least = query.split("X'").nth(1).and_then(|rest| rest.split('\'').next());
        let key = |row: &Vec<String>| row[0].bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
        let most = query.split("LIMIT ").nth(1).and_then(|rest| rest.split(')').next());
        let most: usize = most.map_or(usize::MAX, |most| most.parse().unwrap());
        let asked = |row: &&Vec<String>| !query.contains(" IN (") || query.contains(&format!("'{}'", row[0]));
        let rows =
            rows.iter().filter(asked).filter(|row| least.is_none_or(|least| &*key(row) > least)).take(most);
        for (number, row) in rows.enumerate() {
            if let (1, Some(failure)) = (number, &failure) {
                return Err(failure.clone());
            }
            let values: Vec<Value<'_>> = row.iter().map(|text| Value::bytes(text.as_bytes())).collect();
            if !take(&Row::new(&columns, &values)) {
                return Ok(());
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

/// Keeps the names of assets and the number of objects.
#[derive(Default)]
struct Seen {
    assets: Vec<Uuid>,
    objects: usize,
}

impl Visitor for Seen {
    fn item(&mut self, item: Item) {
        self.assets.extend(hullmark_format::member::uuid_in(&item.name));
    }
    fn decoded(&mut self, decoded: crate::content::Decoded) {
        if let crate::content::MemberContent::Assets(_, objects) = decoded.content {
            self.objects += objects.len();
        }
    }
    fn passed(&mut self, name: &str, _: Kind, _: u64) {
        self.assets.extend(hullmark_format::member::uuid_in(name));
    }
}

fn id(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

/// A table of InnoDB with these columns and those that it needs. Rows have values of the first columns.
fn table(name: &str, columns: &[&str], rows: &[&[String]]) -> (Table, Vec<Vec<String>>) {
    let mut columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
    let mut table =
        Table { name: name.into(), key: Some(columns[0].clone()), engine: "InnoDB".into(), columns: vec![] };
    loop {
        table.columns.clone_from(&columns);
        let Some(missing) = table.missing_column() else { break };
        columns.push(missing.into());
    }
    let full = |row: &&[String]| {
        let mut row = row.to_vec();
        row.resize(columns.len(), "0".into());
        row
    };
    (table.clone(), rows.iter().map(full).collect())
}

/// A region of two prims. The first contains a script that names asset 20, and asset 99 is used by nothing.
fn region() -> Fake {
    let prim = |own: u128| [id(own), id(own), id(1)];
    let (first, second) = (prim(11), prim(12));
    let script = format!("key sound = \"{}\";", id(20));
    let asset = |own: u128, kind: &str, data: &str| [id(own), kind.to_owned(), data.to_owned()];
    let assets = [asset(10, "10", &script), asset(20, "1", "OggS"), asset(99, "1", "OggS")];
    let assets: Vec<&[String]> = assets.iter().map(|row| &row[..]).collect();
    let item = [id(30), id(11), id(10), "10".to_owned()];
    Fake {
        tables: vec![
            table("primitems", &["itemID", "primID", "assetID", "assetType"], &[&item]),
            table("primshapes", &["UUID", "PCode"], &[&[id(11), "9".into()], &[id(12), "9".into()]]),
            table("prims", &["UUID", "SceneGroupID", "RegionUUID"], &[&first, &second]),
            table("assets", &["id", "assetType", "data"], &assets),
            table("land", &["UUID", "RegionUUID"], &[]),
            table("regionsettings", &["regionUUID"], &[]),
            table("terrain", &["RegionUUID"], &[]),
        ],
        ..Fake::default()
    }
}

/// What a reading made of a server.
struct Read {
    seen: Seen,
    reading: Reading,
    asked: Vec<String>,
    defects: Vec<String>,
}

fn read(fake: Fake, limits: &Limits, access: &Access) -> Read {
    let fake = Rc::new(fake);
    let connect = || -> Result<Box<dyn Server>, Failure> { Ok(Box::new(Line(Rc::clone(&fake)))) };
    let mut seen = Seen::default();
    let mut reading = read_with(&connect, Dialect::MySql, access, &ReadRequest::new(limits), &mut seen);
    seen.assets.sort();
    let defects = std::mem::replace(&mut reading.defects, hullmark_finding::Capped::new(9)).finish();
    let defects = defects.iter().map(|defect| format!("{}: {:?}", defect.place.entry, defect.kind)).collect();
    let asked = fake.asked.take();
    Read { seen, reading, asked, defects }
}

fn ids(numbers: &[u128]) -> Vec<Uuid> {
    numbers.iter().map(|&number| Uuid::from_u128(number)).collect()
}

fn lost() -> Failure {
    Failure { why: "the line is dead".into(), is_lost: true }
}

#[test]
fn only_assets_in_use_are_read() {
    let Read { seen, reading, asked, defects } = read(region(), &Limits::default(), &Access::default());
    assert_eq!((seen.objects, seen.assets), (2, ids(&[10, 20])), "{defects:?}");
    assert!(!reading.incomplete && defects.is_empty(), "{defects:?}");
    assert_eq!(reading.kind, Some(InputKind::Mysql));
    let begin = asked.iter().position(|asked| asked == "begin").unwrap();
    let end = asked.iter().position(|asked| asked == "end").unwrap();
    let within =
        |table: &str| asked[begin..end].iter().any(|asked| asked.ends_with(&format!("FROM `{table}`")));
    assert!(within("prims") && within("primshapes") && within("primitems"), "{asked:?}");
    assert!(asked[end..].iter().any(|asked| asked.contains("assets")), "assets need no snapshot");
}

#[test]
fn all_assets_are_read_if_that_is_wanted() {
    let limits = Limits { all_assets: true, ..Limits::default() };
    let read = read(region(), &limits, &Access::default());
    assert_eq!(read.seen.assets, ids(&[10, 20, 99]));
    assert!(!read.reading.incomplete);
}

#[test]
fn a_store_has_the_assets_that_inputs_lack() {
    let lacked = Some(std::sync::Arc::new([Uuid::from_u128(10)].into()));
    let access = Access { lacked, ..Access::default() };
    let read = read(region(), &Limits::default(), &access);
    assert_eq!((read.seen.objects, read.seen.assets), (0, ids(&[10, 20])));
}

#[test]
fn rows_that_are_read_again_count_once() {
    let mut fake = region();
    fake.tables.push(table("fsassets", &["id", "type", "hash"], &[&[id(40), "49".into(), "AB".repeat(32)]]));
    fake.tables.push(table("inventoryitems", &["inventoryID", "avatarID"], &[&[id(50), id(60)]]));
    fake.failures.borrow_mut().push(("`prims`", lost()));
    let read = read(fake, &Limits::default(), &Access::default());
    assert_eq!(read.asked.iter().filter(|asked| asked.contains("`fsassets`")).count(), 2);
    assert_eq!((read.reading.store_rows.len(), read.reading.container.inventory_items), (1, 1));
}

#[test]
fn a_lost_connection_is_made_again_once_for_regions() {
    let fake = region();
    fake.failures.borrow_mut().push(("`prims`", lost()));
    let once = read(fake, &Limits::default(), &Access::default());
    assert_eq!((once.seen.objects, once.reading.incomplete), (2, false), "{:?}", once.defects);
    assert_eq!(once.asked.iter().filter(|asked| *asked == "begin").count(), 2, "a new snapshot");

    let fake = region();
    fake.failures.borrow_mut().extend([("`prims`", lost()), ("`prims`", lost())]);
    let twice = read(fake, &Limits::default(), &Access::default());
    // The prim that was read is there, and no prim is called an orphan.
    assert_eq!((twice.seen.objects, twice.reading.incomplete), (1, true));
    assert_eq!(twice.defects.len(), 1, "{:?}", twice.defects);
    assert!(twice.defects[0].contains("the line is dead"));
}

#[test]
fn assets_are_read_on_after_a_lost_connection() {
    let fake = region();
    fake.failures.borrow_mut().push(("`assets`", lost()));
    let read = read(fake, &Limits { all_assets: true, ..Limits::default() }, &Access::default());
    assert_eq!((read.seen.assets, read.reading.incomplete), (ids(&[10, 20, 99]), false));
}

#[test]
fn a_table_that_cannot_be_read_costs_itself() {
    let mut fake = region();
    fake.failures.borrow_mut().push(("`primitems`", Failure::lasting("somebody locked it")));
    fake.tables[3].0.columns[2] = "bytes_of_it".into();
    let read = read(fake, &Limits::default(), &Access::default());
    assert_eq!((read.seen.objects, read.reading.incomplete), (2, true));
    assert!(read.defects[0].starts_with("primitems: ") && read.defects[0].contains("somebody locked it"));
    assert!(
        read.defects[1].starts_with("assets: ") && read.defects[1].contains("no column data"),
        "{:?}",
        read.defects
    );
}

#[test]
fn prims_without_known_shapes_are_not_read() {
    let mut fake = region();
    fake.tables[1].0.columns.retain(|column| column != "ScaleX");
    let read = read(fake, &Limits::default(), &Access::default());
    assert_eq!((read.seen.objects, read.reading.incomplete), (0, true), "not boxes");
    assert!(read.defects[0].contains("no column ScaleX") && read.defects[1].starts_with("prims: "));
}

#[test]
fn tables_outside_the_snapshot_are_read_in_pieces() {
    let mut fake = region();
    for (table, rows) in &mut fake.tables {
        table.engine = "MyISAM".into();
        if table.is("prims") {
            *rows = (100..400)
                .map(|own| {
                    let mut row = rows[0].clone();
                    (row[0], row[1]) = (id(own), id(own));
                    row
                })
                .collect();
        }
    }
    let read = read(fake, &Limits::default(), &Access::default());
    assert_eq!((read.seen.objects, read.reading.incomplete), (300, false), "{:?}", read.defects);
    let pieces: Vec<&String> = read.asked.iter().filter(|asked| asked.contains("`prims`")).collect();
    assert!(pieces.len() > 2, "{pieces:?}");
    assert!(pieces.iter().all(|asked| {
        asked.starts_with("SELECT SQL_BUFFER_RESULT") && asked.contains("ORDER BY `UUID` LIMIT ")
    }));
    assert!(read.defects.iter().any(|defect| defect.contains("OutsideSnapshot")), "{:?}", read.defects);
}

#[test]
fn an_asset_above_the_limit_is_not_sent() {
    let mut fake = region();
    let (table, rows) = &mut fake.tables[3];
    table.columns.push("bytes".into());
    rows.iter_mut().for_each(|row| row.push("10".into()));
    rows[0][3] = "999999999999".into();
    let read = read(fake, &Limits::default(), &Access::default());
    assert!(read.seen.assets.is_empty() && read.reading.incomplete);
    assert!(
        read.defects[0].contains(&id(10)) && read.defects[0].contains("OverBudget"),
        "{:?}",
        read.defects
    );
    assert!(read.asked.iter().any(|asked| asked.contains("<= 100000000 THEN")), "{:?}", read.asked);
}

#[test]
fn a_database_of_nothing_is_no_success() {
    for keep in ["assets", "none"] {
        let mut fake = region();
        fake.tables.retain(|(table, _)| table.is(keep));
        let read = read(fake, &Limits::default(), &Access::default());
        assert!(read.reading.incomplete && read.defects.len() == 1, "{keep}: {:?}", read.defects);
    }
}
