//! Estates from rows of `estate_settings`, `estate_map`, and the tables of their people.

use super::{Room, Row};
use hullmark_format::region::Estate;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The tables of estates.
pub const ESTATE_TABLES: [&str; 6] =
    ["estate_settings", "estate_map", "estate_managers", "estate_users", "estate_groups", "estateban"];

/// Whether a table belongs to estates. Names are in lower case.
pub fn is_estate_table(table: &str) -> bool {
    ESTATE_TABLES.contains(&table)
}

/// Bytes of memory for an entry of a set or map, in addition to its content.
const ENTRY: usize = 48;

/// The estates of a database by their numbers, from rows in any order.
#[derive(Debug, Default)]
pub struct EstateTables {
    estates: BTreeMap<i64, Estate>,
    /// The bytes of memory that all rows were charged.
    bytes: usize,
}

impl EstateTables {
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a row of a table. A row without the number of an estate, or without a UUID, says nothing.
    pub fn take(&mut self, table: &str, row: &Row<'_>, room: &mut Room) {
        let Some(number) = row.int("estateid") else { return };
        let name = if table == "estate_settings" { row.name("estatename") } else { String::new() };
        let estate = if self.estates.contains_key(&number) { 0 } else { ENTRY + size_of::<Estate>() };
        let bytes = estate + ENTRY + size_of::<Uuid>() + name.len();
        if !room.takes(bytes) {
            return;
        }
        self.bytes += bytes;
        let estate = self.estates.entry(number).or_default();
        let (set, uuid) = match table {
            "estate_settings" => {
                estate.name = name;
                estate.owner = row.uuid("estateowner");
                estate.public = row.flag("publicaccess");
                return;
            }
            "estate_map" => (&mut estate.regions, row.uuid("regionid")),
            "estate_managers" => (&mut estate.managers, row.uuid("uuid")),
            "estate_users" => (&mut estate.users, row.uuid("uuid")),
            "estate_groups" => (&mut estate.groups, row.uuid("uuid")),
            "estateban" => (&mut estate.bans, row.uuid("banneduuid")),
            _ => return,
        };
        if !uuid.is_nil() {
            set.insert(uuid);
        }
    }

    /// Returns the estates in the order of their numbers.
    pub fn finish(self) -> impl Iterator<Item = Estate> {
        self.estates.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Columns, RoomLimits, Value};
    use proptest::prelude::*;

    /// A row: table, number of the estate, number in the UUID.
    type Made = (&'static str, i64, u128);

    fn estates(rows: &[Made], bytes: u64) -> (Vec<Estate>, bool) {
        let mut room = Room::new(RoomLimits { bytes, names: 1 << 20, regions: 100 });
        let mut tables = EstateTables::default();
        for &(table, number, id) in rows {
            let uuid = Uuid::from_u128(id).to_string();
            let names = match table {
                "estate_settings" => ["EstateID", "EstateName", "EstateOwner"],
                "estate_map" => ["EstateID", "Other", "RegionID"],
                "estateban" => ["EstateID", "Other", "bannedUUID"],
                _ => ["EstateID", "Other", "uuid"],
            };
            let text = |text: &'static [u8]| Value::Bytes(text.into());
            let values = [Value::Int(number), text(b"Isle"), Value::Bytes(uuid.as_bytes().into())];
            tables.take(table, &Row::new(&Columns::new(names), &values), &mut room);
        }
        (tables.finish().collect(), room.is_full)
    }

    fn made() -> impl Strategy<Value = Made> {
        (prop::sample::select(ESTATE_TABLES.to_vec()), 1..4_i64, 0..5_u128)
    }

    proptest! {
        #[test]
        fn the_order_of_rows_does_not_matter(rows in prop::collection::vec(made(), 0..30)) {
            // Two rows of settings of one estate are not one database.
            let mut seen = std::collections::HashSet::new();
            let rows: Vec<Made> =
                rows.into_iter().filter(|(table, number, _)| *table != "estate_settings" || seen.insert(*number)).collect();
            let reversed: Vec<Made> = rows.iter().rev().copied().collect();
            let (found, is_full) = estates(&rows, 1 << 20);
            prop_assert_eq!(&found, &estates(&reversed, 1 << 20).0);
            prop_assert!(!is_full);
            let of = |table: &str, number: i64| {
                rows.iter().filter(|row| (row.0, row.1) == (table, number) && row.2 > 0).map(|row| Uuid::from_u128(row.2)).collect()
            };
            let numbers: std::collections::BTreeSet<i64> = rows.iter().map(|row| row.1).collect();
            prop_assert_eq!(numbers.len(), found.len());
            for (number, estate) in numbers.into_iter().zip(&found) {
                prop_assert_eq!(&estate.regions, &of("estate_map", number));
                prop_assert_eq!(&estate.bans, &of("estateban", number));
                prop_assert_eq!(&estate.managers, &of("estate_managers", number));
                prop_assert_eq!(estate.name == "Isle", seen.contains(&number));
            }
        }
    }

    #[test]
    fn rows_beyond_the_memory_are_left_out() {
        let rows: Vec<Made> = (1..99).map(|id| ("estateban", 1, id)).collect();
        let (found, is_full) = estates(&rows, 2000);
        assert!(is_full && found[0].bans.len() < 40, "{}", found[0].bans.len());
    }
}
