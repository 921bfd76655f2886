//! The reader against SQLite itself, which Python brings along, and against a program that writes meanwhile.

use super::{files::Patience, *};
use crate::Deadline;
use hullmark_database::{Row, Value};
use hullmark_format::defect::Defect;
use hullmark_settings::limits::Limits;
use serde_json::Value as Json;
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Databases with random tables.
const DATABASES: u64 = 60;

/// Seconds for each kind of journal in which another program writes.
const WRITING: u32 = 4;

/// The rows of all tables, each as the number of values, and its values.
#[derive(Default)]
struct Seen {
    tables: BTreeMap<String, Vec<Vec<Json>>>,
    /// Number of times that a database was read again.
    forgotten: usize,
}

impl Rows for Seen {
    fn wants(&mut self, _: &str, _: &str) -> bool {
        true
    }

    fn row(&mut self, _: &str, table: &str, row: &Row<'_>) -> Option<&'static str> {
        let value = |place: usize| match row.get(&format!("c{place}")) {
            Value::Null | Value::LeftOut(_) => Json::Null,
            Value::Int(number) => serde_json::json!({ "int": number, "number": *number as f64 }),
            Value::Real(number) => serde_json::json!({ "int": null, "number": number.to_string() }),
            Value::Bytes(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                serde_json::json!({ "bytes": digits })
            }
        };
        let width = (0..).take_while(|place| row.has(&format!("c{place}"))).count();
        let values = if width > 0 {
            (0..width).map(value).collect()
        } else {
            // The tables of the writer.
            vec![row.int("number").into(), row.text("filler").parse::<i64>().ok().into()]
        };
        self.tables.entry(table.to_owned()).or_default().push(values);
        None
    }

    fn forget(&mut self, _: &str) {
        self.tables.clear();
        self.forgotten += 1;
    }
}

/// Returns a command that runs the script with these arguments. `None` if there is no Python.
fn script(arguments: &[&str]) -> Option<Command> {
    let is_there =
        Command::new("python3").args(["-c", "import sqlite3"]).status().is_ok_and(|done| done.success());
    let mut command = Command::new("python3");
    command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/scripts/sqlite.py")).args(arguments);
    is_there.then_some(command)
}

fn read(path: &Path) -> (Seen, Vec<Defect>) {
    let mut seen = Seen::default();
    let (limits, unreported) = (Limits::default(), Cell::new(0));
    let request = ReadRequest::new(&limits);
    let (_, defects) = DatabaseReader::new(&FileSystem::Disk, path, &request, &mut seen, &unreported).read();
    (seen, defects)
}

/// Whether a value is the expected one. A whole number in a column of floats is stored as such.
fn is_same(expected: &Json, found: &Json) -> bool {
    let number = |value: &Json| match (&value["int"], &value["number"]) {
        (Json::Number(int), _) => int.as_i64().map(|int| int as f64),
        (_, Json::String(text)) => text.parse().ok().or_else(|| hexadecimal(text)),
        _ => None,
    };
    match (expected["int"].as_i64(), found["int"].as_i64()) {
        (Some(one), Some(other)) => one == other,
        (Some(_), None) => false,
        _ => match (number(expected), number(found)) {
            (Some(one), Some(other)) => one.to_bits() == other.to_bits() || one == other,
            (None, None) => expected["bytes"] == found["bytes"],
            _ => false,
        },
    }
}

/// Reads a float as Python writes it: 0x1.8p+1.
fn hexadecimal(text: &str) -> Option<f64> {
    if text.ends_with("inf") {
        return Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let (mantissa, exponent) = digits.strip_prefix("0x")?.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.')?;
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()? as f64;
    let exponent: i32 = exponent.parse().ok()?;
    // Two steps, because the power alone may be outside of the range.
    let scale = 2_f64.powi(-4 * fraction.len() as i32);
    Some(sign * (bits * scale) * 2_f64.powi(exponent))
}

#[test]
fn every_value_of_random_databases() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let Some(mut make) = script(&["random", at, "1", &DATABASES.to_string()]) else { return };
    assert!(make.status().unwrap().success());
    let mut values = 0;
    for seed in 1..=DATABASES {
        let path = folder.path().join(format!("{seed}.db"));
        let (seen, defects) = read(&path);
        assert_eq!(defects, [], "{seed}");
        let expected = fs::read(path.with_extension("json")).unwrap();
        let expected: BTreeMap<String, Vec<(i64, Vec<Json>)>> = serde_json::from_slice(&expected).unwrap();
        for (table, rows) in expected {
            let found = seen.tables.get(&table).cloned().unwrap_or_default();
            assert_eq!(found.len(), rows.len(), "{seed} {table}");
            for ((rowid, expected), found) in rows.iter().zip(&found) {
                for (place, (expected, found)) in expected.iter().zip(found).enumerate() {
                    assert!(is_same(expected, found), "{seed} {table} {rowid} c{place}: {expected} {found}");
                    values += 1;
                }
                assert_eq!(expected.len(), found.len(), "{seed} {table} {rowid}");
            }
        }
    }
    assert!(values > 5_000, "{values}");
}

/// Starts a program that changes a database all the time, and waits until it does.
fn writer(path: &Path, mode: &str) -> Option<Child> {
    let mut command = script(&["writer", path.to_str().unwrap(), mode, &WRITING.to_string()])?;
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    lines.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    // Its last line needs a reader.
    thread::spawn(move || lines.lines().for_each(drop));
    Some(child)
}

/// Whether the rows are of one committed state: all have one number, and the last one has how many they are.
fn is_one_state(seen: &Seen) -> bool {
    let Some(rows) = seen.tables.get("numbered") else { return true };
    let number = rows[0][0].as_i64().unwrap();
    let (ends, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row[0].as_i64() < Some(0));
    let number = number.abs();
    let end = [Json::from(-number), Json::from(rows.len())];
    others.iter().all(|row| row[0] == number) && ends.len() == 1 && ends[0][..] == end
}

/// The writer has no patience: with any lock of ours it would end with an error.
#[test]
fn a_state_that_is_committed_or_a_doubt_beside_a_writer() {
    for mode in ["delete", "wal", "truncate", "persist"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.db");
        let Some(mut child) = writer(&path, mode) else { return };
        let (mut whole, mut doubtful, mut again) = (0, 0, 0);
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(u64::from(WRITING)) || child.try_wait().unwrap().is_none()
        {
            let (seen, defects) = read(&path);
            again += seen.forgotten;
            if defects.is_empty() {
                assert!(is_one_state(&seen), "{mode}: {:?}", seen.tables);
                whole += 1;
            } else {
                let is_doubt = |defect: &Defect| format!("{:?}", defect.kind).contains("DoubtfulSnapshot");
                assert!(defects.iter().all(is_doubt), "{mode}: {defects:?}");
                doubtful += 1;
            }
        }
        assert!(child.wait().unwrap().success(), "{mode}: the writer had to wait");
        let (last, defects) = read(&path);
        assert!(defects.is_empty() && is_one_state(&last), "{mode}: {defects:?}");
        assert!(whole > 3, "{mode}: {whole} whole, {doubtful} doubtful, {again} again");
        eprintln!("{mode}: {whole} whole, {doubtful} doubtful, {again} again");
    }
}

#[test]
fn a_transaction_that_crashed_is_not_read() {
    for mode in ["delete", "wal"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live.db");
        let at = path.to_str().unwrap();
        let Some(mut before) = script(&["writer", at, mode, "0.5"]) else { return };
        assert!(before.stdout(Stdio::null()).status().unwrap().success());
        let (expected, defects) = read(&path);
        assert!(defects.is_empty() && is_one_state(&expected));
        let raw = fs::read(&path).unwrap();
        assert!(script(&["crash", at]).unwrap().status().unwrap().success());
        let beside = folder.path().join(if mode == "wal" { "live.db-wal" } else { "live.db-journal" });
        assert!(
            fs::metadata(beside).unwrap().len() > 10_000
                && (mode == "wal" || fs::read(&path).unwrap() != raw)
        );
        let (found, defects) = read(&path);
        assert_eq!(defects, [], "{mode}");
        assert!(expected.tables == found.tables, "{mode}");
    }
}

#[test]
fn no_lock_is_held_while_rows_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("1.db");
    let Some(mut make) = script(&["random", folder.path().to_str().unwrap(), "1", "1"]) else { return };
    assert!(make.status().unwrap().success());
    let mut snapshot =
        snapshot::Snapshot::open(&files::DatabaseFiles::of(&FileSystem::Disk, &path), None).unwrap();
    let limits = Limits::default();
    let tables = schema::Tables::read(&mut snapshot, &limits, &|_| true, &mut |_| ()).unwrap();
    assert!(!tables.list.is_empty());
    let exclusive = "import sqlite3, sys\nd = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n\
        d.execute('PRAGMA journal_mode=delete')\nd.execute('BEGIN EXCLUSIVE')\nd.execute('CREATE TABLE x (y)')\nd.execute('COMMIT')";
    let done = Command::new("python3").args(["-c", exclusive]).arg(&path).status().unwrap();
    assert!(done.success(), "a program could not write while the snapshot was open");
    assert!(!snapshot.is_unchanged());
}

#[test]
fn nobody_waits_for_a_writer_that_never_stops_after_the_deadline() {
    let over = Patience::new(&FileSystem::Disk, Deadline::after(Some(Duration::ZERO)));
    assert!(over.is_over() && !over.wait(Duration::from_secs(3600)));
    // The file is newer than any tick, as if it were written all the time.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    fs::write(&path, [0; 200]).unwrap();
    let files = files::DatabaseFiles::of(&FileSystem::Disk, &path);
    assert_eq!(files.settled(&over).unwrap(), files.state().unwrap());
}

#[test]
fn databases_that_many_share_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let make = "import sqlite3, sys\nfor kind, count in (('prims', 3), ('assets', 70)):\n    \
        for number in range(count):\n        d = sqlite3.connect(f'{sys.argv[1]}/{kind}{number}.db')\n        \
        d.execute(f'CREATE TABLE {kind} (UUID, data)')\n        d.commit()";
    let made = Command::new("python3").args(["-c", make]).arg(folder.path()).status();
    if !made.is_ok_and(|made| made.success()) {
        return;
    }
    let parts = |inputs: &[Input]| -> Vec<usize> {
        inputs.iter().map(|input| input.access.parts.as_ref().unwrap().len()).collect()
    };
    // Nobody knows to which of three regions 70 databases belong: each is an input.
    assert_eq!(parts(&inputs(folder.path()).unwrap()), [0; 73]);
    for number in 60..70 {
        fs::remove_file(folder.path().join(format!("assets{number}.db"))).unwrap();
    }
    let shared = inputs(folder.path()).unwrap();
    assert_eq!(parts(&shared), [60; 3]);
    let found_again = parts_beside(&FileSystem::Disk, &shared[0].path);
    assert_eq!(shared[0].access.parts.as_deref(), Some(&*found_again));
    assert_eq!(shared[0].stamp, stamp_now(&shared[0]));
}

#[test]
fn damaged_files_and_files_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    for bytes in [&b"SQLite format 3\0"[..], &[0; 200], b""] {
        fs::write(&path, bytes).unwrap();
        let (seen, defects) = read(&path);
        assert!(seen.tables.is_empty() && !defects.is_empty(), "{bytes:?}");
        assert!(inputs(&path).is_err() || bytes.starts_with(b"SQLite"));
    }
}
