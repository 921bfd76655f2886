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
        let (structure, rows) = rest.split_once("INSERT").unwrap();
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
        let (head, values) = rows.split_once("VALUES\n").unwrap();
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

#[test]
fn files_of_a_server_are_no_dump() {
    let desk = Desk::with(&[("backup/ibdata1", &[1; 600]), ("backup/xtrabackup_info", b"uuid = x")]);
    let run = desk.run_to(INCOMPLETE, "audit backup");
    assert!(run.stderr.contains("restore the backup, start the server, and write a dump"), "{}", run.stderr);
}
