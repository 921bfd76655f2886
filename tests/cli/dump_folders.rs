//! Dumps of databases in several files, and compressed ones.

use super::packed_databases::zip_of;
use crate::support::{
    archive::gzip,
    desk::{DONE, Desk, INCOMPLETE, Row},
    repository,
};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::fs;

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

/// Returns the dump of the samples, and its tables: name, structure, rows.
fn sample() -> (String, Vec<(String, String, String)>) {
    let dump = fs::read_to_string(repository().join("sample_data/databases/opensim.sql")).unwrap();
    let tables = dump.split("DROP TABLE IF EXISTS `").skip(1).map(|table| {
        let (name, rest) = table.split_once("`;\n").unwrap();
        let Some((structure, rows)) = rest.split_once("INSERT") else {
            return (name.to_owned(), rest.to_owned(), String::new());
        };
        let rows = rows.split("-- Dump completed").next().unwrap();
        (name.to_owned(), structure.to_owned(), format!("INSERT{rows}"))
    });
    let tables = tables.collect();
    (dump, tables)
}

/// The rows of a table without the place of the input, its bytes, and its compression.
fn figures(desk: &Desk, report: &str, table: &str) -> Vec<Row> {
    let others = [
        "archive",
        "bytes",
        "content_hash",
        "compression",
        "modified",
        "identity",
        "series",
        "fingerprint",
        "expanded_bytes",
    ];
    let mut rows = desk.table(report, table);
    rows.iter_mut().for_each(|row| row.retain(|column, _| !others.contains(&column.as_str())));
    rows.sort();
    rows
}

/// Asserts that an audit gives the figures of the sample.
fn same_figures(desk: &Desk, path: &str) {
    desk.write("opensim.sql", sample().0);
    desk.run_to(DONE, "audit opensim.sql --out plain --format csv");
    desk.run_to(DONE, &format!("audit {path} --out report --format csv"));
    for table in ["archives", "regions", "parcels", "objects", "parts", "findings"] {
        let expected = figures(desk, "plain", table);
        assert!(!expected.is_empty(), "{table}");
        assert_eq!(figures(desk, "report", table), expected, "{table} of {path}");
    }
}

#[test]
fn a_dump_in_zstd_or_gzip_is_the_same_dump() {
    let (dump, _) = sample();
    let desk = Desk::with(&[("a.sql.zst", &zstd(dump.as_bytes())), ("b.sql.gz", &gzip(dump.as_bytes()))]);
    same_figures(&desk, "a.sql.zst");
    assert_eq!(desk.column("report", "archives", "compression"), ["zstd"]);
    same_figures(&desk, "b.sql.gz");
    let cut = zstd(dump.as_bytes());
    desk.write("cut.sql.zst", &cut[..cut.len() - 100]);
    desk.run_to(INCOMPLETE, "audit cut.sql.zst --out cut --format csv");
    assert!(desk.column("cut", "findings", "code").contains(&"ARC001".into()));
}

/// Writes the files of mydumper.
fn mydumper(desk: &Desk, metadata: &str) {
    const HEAD: &str = "/*!40101 SET NAMES binary*/;\n/*!40014 SET FOREIGN_KEY_CHECKS=0*/;\n\n";
    for (name, structure, rows) in sample().1 {
        desk.write(&format!("dump/opensim.{name}-schema.sql"), format!("{HEAD}{structure}"));
        // Chunks of one row, and every compression.
        let Some((head, values)) = rows.split_once("VALUES\n") else { continue };
        for (number, row) in values.trim_end().trim_end_matches(';').split(",\n(").enumerate() {
            let row = if number == 0 { row.to_owned() } else { format!("({row}") };
            let chunk = format!("{HEAD}{head}VALUES\n{row};\n");
            let file = format!("dump/opensim.{name}.{number:05}.sql");
            match number % 3 {
                0 => desk.write(&format!("{file}.zst"), zstd(chunk.as_bytes())),
                1 => desk.write(&format!("{file}.gz"), gzip(chunk.as_bytes())),
                _ => desk.write(&file, chunk),
            }
        }
    }
    desk.write("dump/opensim-schema-create.sql", format!("{HEAD}CREATE DATABASE `opensim`;\n"));
    desk.write(&format!("dump/{metadata}"), "Started dump at: 2026-11-24\nFinished dump at: 2026-11-24\n");
}

#[test]
fn a_folder_of_mydumper_is_one_input() {
    let desk = Desk::with(&[]);
    mydumper(&desk, "metadata");
    same_figures(&desk, "dump");
    desk.run_to(DONE, "scan dump --ledgers kept --now 2026-11-21T00:00:00Z");
    let first = desk.ledgers("kept");
    desk.run_to(DONE, "scan dump --ledgers kept --now 2026-11-22T00:00:00Z");
    assert_eq!(desk.ledgers("kept"), first, "not read again");
    assert_eq!(first.len(), 1);
    let run = desk.run_to(DONE, "inspect dump --object Table --json");
    assert!(run.stdout.contains("\"Table\""), "{}", run.stdout);
    desk.write("backup.zip", zip_of(&desk, "dump"));
    same_figures(&desk, "backup.zip");
    assert_eq!(desk.column("report", "archives", "archive"), ["backup.zip/dump"]);
}

#[test]
fn a_dump_of_mydumper_that_was_stopped_or_cut_is_incomplete() {
    let desk = Desk::with(&[]);
    mydumper(&desk, "metadata.partial");
    desk.run_to(INCOMPLETE, "audit dump --out report --format csv");
    assert!(desk.column("report", "findings", "message").join("").contains("metadata.partial"));
    let desk = Desk::with(&[]);
    mydumper(&desk, "metadata");
    desk.write("dump/metadata", "Started dump at: 2026-11-24\n");
    desk.run_to(DONE, "audit dump --out report --format csv");
    assert!(desk.column("report", "findings", "code").contains(&"DBS004".into()));
    let path = "dump/opensim.prims.00000.sql.zst";
    let chunk = fs::read(desk.at(path)).unwrap();
    desk.write(path, &chunk[..chunk.len() / 2]);
    desk.run_to(INCOMPLETE, "audit dump --out report --format csv");
    let findings = desk.table("report", "findings");
    let cut = findings.iter().find(|row| row["code"] == "ARC001").unwrap();
    assert_eq!(cut["entry"], "opensim.prims.00000.sql.zst");
    assert_eq!(desk.column("report", "regions", "region"), ["Harbour"], "nothing else is lost");
}

#[test]
fn a_folder_of_workbench_is_one_input_and_nightly_dumps_are_not() {
    const HEAD: &str = "-- MySQL dump 10.13  Distrib 8.0.36, for Win64 (x86_64)\n--\n-- Host: localhost    Database: opensim\n";
    let desk = Desk::with(&[]);
    for (name, structure, rows) in sample().1 {
        let file = format!(
            "{HEAD}--\n-- Table structure for table `{name}`\n--\n\n{structure}{rows}-- Dump completed on 2026-11-24\n"
        );
        desk.write(&format!("Dump20261124/opensim_{name}.sql"), file);
    }
    desk.write("Dump20261124/opensim_routines.sql", format!("{HEAD}-- Dump completed on 2026-11-24\n"));
    same_figures(&desk, "Dump20261124");
    desk.write("backup.zip", zip_of(&desk, "Dump20261124"));
    same_figures(&desk, "backup.zip");
    desk.write("Dump20261124/readme.txt", "text");
    desk.run_to(DONE, "audit Dump20261124 --out report --format csv");
    assert_eq!(desk.column("report", "archives", "archive"), ["Dump20261124", "Dump20261124/."]);

    let (dump, _) = sample();
    desk.write("nightly/opensim_2026-11-23.sql", &dump);
    desk.write("nightly/opensim_2026-11-24.sql", &dump);
    desk.run_to(DONE, "audit nightly --all-copies --out report --format csv");
    assert_eq!(desk.table("report", "archives").len(), 2);
}

/// Returns the values of each row of the sample, without quotes. Escapes stay as they are.
fn values(rows: &str) -> Vec<Vec<String>> {
    let Some((_, rows)) = rows.split_once("VALUES\n") else { return Vec::new() };
    let rows = rows.trim_end().trim_end_matches(';').split(",\n(");
    let value = |value: &str| {
        let inner = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\''));
        inner.map_or_else(|| value.to_owned(), |text| text.replace("\\'", "'"))
    };
    let of_row = |row: &str| -> Vec<String> {
        let row = row.trim_start_matches('(').trim_end_matches(')');
        // A comma in a text stands between parentheses in this dump.
        let (mut values, mut depth, mut start) = (Vec::new(), 0_i32, 0);
        for (place, sign) in row.char_indices() {
            match sign {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    values.push(value(&row[start..place]));
                    start = place + 1;
                }
                _ => {}
            }
        }
        values.push(value(&row[start..]));
        values
    };
    rows.map(of_row).collect()
}

/// Returns the lines of rows, as a server writes them. Columns of bytes are written by `bytes`.
fn lines(rows: &str, bytes: &dyn Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut lines = Vec::new();
    for row in values(rows) {
        let cells: Vec<Vec<u8>> = row
            .iter()
            .map(|value| match value.strip_prefix("0x") {
                Some(digits) => {
                    let pairs = digits.as_bytes().chunks(2).map(|pair| str::from_utf8(pair).unwrap());
                    bytes(&pairs.map(|pair| u8::from_str_radix(pair, 16).unwrap()).collect::<Vec<u8>>())
                }
                None => value.clone().into_bytes(),
            })
            .collect();
        lines.extend(cells.join(&b'\t'));
        lines.push(b'\n');
    }
    lines
}

/// Returns bytes as a file of lines has them.
fn escaped(bytes: &[u8]) -> Vec<u8> {
    let escape = |byte: &u8| match byte {
        0 => b"\\0".to_vec(),
        b'\t' | b'\n' | b'\\' => vec![b'\\', *byte],
        byte => vec![*byte],
    };
    bytes.iter().flat_map(escape).collect()
}

/// Writes the files of `mysqldump --tab`.
fn tab(desk: &Desk) {
    const HEAD: &str = "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n--\n-- Host: localhost    Database: opensim\n";
    for (name, structure, rows) in sample().1 {
        let structure = format!(
            "{HEAD}--\n-- Table structure for table `{name}`\n--\n\n{structure}\n-- Dump completed on 2026-11-24\n"
        );
        desk.write(&format!("tab/{name}.sql"), structure);
        desk.write(&format!("tab/{name}.txt"), lines(&rows, &escaped));
    }
}

#[test]
fn a_folder_of_mysqldump_tab_is_one_input() {
    let desk = Desk::with(&[]);
    tab(&desk);
    same_figures(&desk, "tab");
    desk.write("backup.zip", zip_of(&desk, "tab"));
    same_figures(&desk, "backup.zip");
    // Notes beside it are no part of it.
    desk.write("tab/readme.txt", "text");
    desk.run_to(DONE, "audit tab --out report --format csv");
    assert_eq!(desk.column("report", "archives", "archive"), ["tab", "tab/."]);
    // A server that may not write leaves no file of rows.
    fs::remove_file(desk.at("tab/primshapes.txt")).unwrap();
    desk.run_to(INCOMPLETE, "audit tab --out report --format csv");
    let messages = desk.column("report", "findings", "message").join("\n");
    assert!(messages.contains("the table primshapes of opensim has no file with its rows"), "{messages}");
    // A line that is cut.
    tab(&desk);
    let rows = fs::read(desk.at("tab/prims.txt")).unwrap();
    desk.write("tab/prims.txt", &rows[..rows.len() - 9]);
    desk.run_to(INCOMPLETE, "audit tab --out report --format csv");
    let findings = desk.table("report", "findings");
    let cut = findings.iter().find(|row| row["code"] == "ARC001").unwrap();
    assert_eq!(cut["entry"], "prims.txt");
}

/// Writes the files of MySQL Shell: a file of JSON for each table, and rows in chunks of zstd with bytes in base64.
fn shell(desk: &Desk) {
    use base64::{Engine, prelude::BASE64_STANDARD};
    desk.write(
        "shell/@.json",
        r#"{"dumper": "mysqlsh Ver 8.0.36", "version": "2.0.1", "schemas": ["opensim"]}"#,
    );
    desk.write("shell/@.done.json", r#"{"end": "2026-11-24 04:00:00"}"#);
    for name in ["@.sql", "@.post.sql", "opensim.sql"] {
        desk.write(
            &format!("shell/{name}"),
            "-- MySQLShell dump 2.0.1\nCREATE DATABASE IF NOT EXISTS `opensim`;\n",
        );
    }
    desk.write("shell/opensim.json", r#"{"schema": "opensim", "tables": []}"#);
    for (name, structure, rows) in sample().1 {
        desk.write(
            &format!("shell/opensim@{name}.sql"),
            format!("-- MySQLShell dump 2.0.1  Distrib\n{structure}"),
        );
        let columns: Vec<&str> = structure.split('`').skip(1).step_by(2).collect();
        // After the name of the table, and before the key.
        let columns = &columns[1..columns.len() - 1];
        let encoded = if columns.contains(&"Bitmap") { r#"{"Bitmap": "FROM_BASE64"}"# } else { "{}" };
        let json = format!(
            r#"{{"options": {{"schema": "opensim", "table": "{name}", "columns": {columns:?}, "decodeColumns": {encoded},
            "defaultCharacterSet": "utf8mb4", "fieldsTerminatedBy": "\t", "fieldsEnclosedBy": "",
            "fieldsEscapedBy": "\\", "linesTerminatedBy": "\n"}}, "includesData": true, "extension": "tsv.zst"}}"#
        );
        desk.write(&format!("shell/opensim@{name}.json"), json);
        let lines = lines(&rows, &|bytes| BASE64_STANDARD.encode(bytes).into_bytes());
        let (first, last) =
            lines.split_at(lines.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1));
        desk.write(&format!("shell/opensim@{name}@0.tsv.zst"), zstd(first));
        desk.write(&format!("shell/opensim@{name}@@1.tsv.zst"), zstd(last));
        desk.write(&format!("shell/opensim@{name}@@1.tsv.zst.idx"), [0; 8]);
    }
}

#[test]
fn a_folder_of_mysql_shell_is_one_input() {
    let desk = Desk::with(&[]);
    shell(&desk);
    same_figures(&desk, "shell");
    desk.write("backup.zip", zip_of(&desk, "shell"));
    same_figures(&desk, "backup.zip");
    for (removed, words) in [
        ("shell/@.done.json", "MySQL Shell has not finished it"),
        ("shell/opensim@primitems.json", "the table primitems of opensim"),
    ] {
        shell(&desk);
        fs::remove_file(desk.at(removed)).unwrap();
        if removed.ends_with("primitems.json") {
            for chunk in ["@0", "@@1"] {
                fs::remove_file(desk.at(&format!("shell/opensim@primitems{chunk}.tsv.zst"))).unwrap();
            }
            fs::remove_file(desk.at("shell/opensim@primitems.sql")).unwrap();
        }
        desk.run_to(INCOMPLETE, "audit shell --out report --format csv");
        let messages = desk.column("report", "findings", "message").join("\n");
        assert!(messages.contains(words), "{messages}");
    }
}

#[test]
fn files_of_a_server_are_no_dump() {
    let desk = Desk::with(&[("backup/ibdata1", &[1; 600]), ("backup/xtrabackup_info", b"uuid = x")]);
    let run = desk.run_to(INCOMPLETE, "audit backup");
    assert!(run.stderr.contains("restore the backup, start the server, and write a dump"), "{}", run.stderr);
}
