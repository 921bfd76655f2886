//! The columns of tables are a contract: those that were published stay where they are (docs/outputs.md).

use crate::support::desk::{DONE, Desk};
use std::{collections::BTreeMap, env, fs, path::Path};

/// Returns the columns of each table that `audit` and `verify` write.
fn columns() -> BTreeMap<String, String> {
    let region = fs::read("sample_data/regions/clean-region.oar").unwrap();
    let desk = Desk::with(&[("clean.oar", &region), ("after.oar", &region)]);
    desk.run_to(DONE, "audit clean.oar --out report --format csv --list-assets");
    desk.run_to(DONE, "audit clean.oar --out report --format csv --list-assets --baseline report");
    desk.run_to(DONE, "verify clean.oar after.oar --out moved --format csv");
    let files = ["report", "moved"].map(|folder| desk.files(folder)).into_iter().flatten();
    let tables = files.filter_map(|(name, bytes)| Some((name.strip_suffix(".csv")?.to_owned(), bytes)));
    let head = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().lines().next().unwrap().replace(',', " ");
    tables.map(|(name, bytes)| (name, head(bytes))).collect()
}

#[test]
fn published_columns_stay_where_they_are() {
    let path = Path::new("tests/library/columns.txt");
    let columns = columns();
    if env::var_os("UPDATE_COLUMNS").is_some() {
        let lines = columns.iter().map(|(table, columns)| format!("{table}: {columns}\n"));
        fs::write(path, lines.collect::<String>()).unwrap();
    }
    let published = fs::read_to_string(path).unwrap();
    assert!(published.lines().count() > 15, "it lists tables");
    for line in published.lines() {
        let (table, published) = line.split_once(": ").unwrap();
        let now = columns.get(table).unwrap_or_else(|| panic!("the table {table} is gone"));
        let rest = now.strip_prefix(published);
        assert!(
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            "{table} begins with other columns. New ones come behind:\n{published}\n{now}"
        );
    }
}
