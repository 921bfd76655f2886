//! Dumps that failed, dumps with messages between their statements, and dumps of other programs.

use crate::support::{
    archive::gzip,
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, sound},
    repository,
};
use std::fs;

const DENIED: &str =
    "mysqldump: Got error: 1045: Access denied for user 'opensim'@'localhost' (using password: YES)\n";
const WARNING: &str =
    "mysqldump: [Warning] Using a password on the command line interface can be insecure.\n";

/// Returns the dump of the samples.
pub(super) fn dump() -> String {
    fs::read_to_string(repository().join("sample_data/databases/opensim.sql")).unwrap()
}

/// Returns severity, entry and message of the findings of one rule.
pub(super) fn found(desk: &Desk, report: &str, code: &str) -> Vec<[String; 3]> {
    let rows = desk.table(report, "findings").into_iter().filter(|row| row["code"] == code);
    rows.map(|row| ["severity", "entry", "message"].map(|column| row[column].clone())).collect()
}

#[test]
fn a_failed_dump_in_a_folder_is_a_failed_backup() {
    for (name, bytes, why) in [
        ("opensim.sql", Vec::new(), "it is empty"),
        ("opensim-2026-11-24.sql.gz", gzip(b""), "it is an empty gzip stream"),
        ("opensim_bkup_host_2026-11-24.mysql_bkup.gz", gzip(b""), "it is an empty gzip stream"),
        (
            "opensim.sql",
            DENIED.into(),
            "its only content is a message: mysqldump: Got error: 1045: Access denied",
        ),
        (
            "opensim.sql.gz",
            gzip(DENIED.as_bytes()),
            "its only content is a message: mysqldump: Got error: 1045",
        ),
        (
            "robust.sql",
            b"bash: mysqldump: command not found\n".to_vec(),
            "bash: mysqldump: command not found",
        ),
        ("grid.sql", vec![0; 4096], "it holds nothing but zeros"),
    ] {
        let desk = Desk::with(&[("night/base.oar", &sound()), (&format!("night/{name}"), &bytes)]);
        let run = desk.run_to(FINDINGS, "audit night --fail-on error --out report --format csv");
        let failed = found(&desk, "report", "DBS014");
        assert!(failed.len() == 1 && failed[0][2].contains(why), "{failed:?} {}", run.stdout);
        assert_eq!((&*failed[0][0], &*failed[0][1]), ("blocker", name));
        assert!(found(&desk, "report", "RUN007").is_empty(), "it is reported once");
        // Where it is named, it is no export, too.
        desk.run_to(INCOMPLETE, &format!("audit night/{name} --out named --format csv"));
        assert_eq!(found(&desk, "named", "DBS014").len(), 1);
    }
}

#[test]
fn other_empty_files_are_no_failed_backups() {
    let files = ["notes.txt", "backup.log", "syslog.2.gz", "errors.log.gz", "README.md"];
    let desk = Desk::with(&[("night/base.oar", &sound())]);
    for name in files {
        let bytes = if name.ends_with(".gz") { gzip(b"") } else { Vec::new() };
        desk.write(&format!("night/{name}"), bytes);
    }
    desk.write("night/cron.log", format!("{WARNING}{DENIED}"));
    desk.run_to(DONE, "audit night --fail-on error --out report --format csv");
    assert_eq!(found(&desk, "report", "DBS014"), [[""; 3]; 0]);
    assert_eq!(found(&desk, "report", "RUN007").len(), files.len() + 1);
}

#[test]
fn a_dump_that_begins_with_messages_is_read() {
    let desk = Desk::with(&[("plain.sql", dump().as_bytes())]);
    desk.run_to(DONE, "audit plain.sql --out plain --format csv");
    let usual = format!("{WARNING}{}", dump());
    let windows = format!("\u{feff}{}\r\n{}", WARNING.trim_end(), dump().replace('\n', "\r\n"));
    let several = format!(
        "Warning: Using a password on the command line interface can be insecure.\n{WARNING}{}",
        dump()
    );
    // A message may stand anywhere between two statements.
    let inside =
        dump().replacen("DROP TABLE IF EXISTS `prims`", &format!("{WARNING}DROP TABLE IF EXISTS `prims`"), 1);
    for (name, text, messages) in
        [("usual", usual, 1), ("windows", windows, 1), ("several", several, 2), ("inside", inside, 1)]
    {
        for bytes in [text.clone().into_bytes(), gzip(text.as_bytes())] {
            desk.write("night/dump.sql", bytes);
            desk.run_to(DONE, "audit night/dump.sql --out report --format csv");
            for column in ["name", "parts", "land_impact", "scripts"] {
                let expected = desk.column("plain", "objects", column);
                assert_eq!(desk.column("report", "objects", column), expected, "{name}");
            }
            let told = found(&desk, "report", "DBS013");
            assert!(told.len() == 1 && told[0][0] == "info", "{name}: {told:?}");
            assert!(told[0][2].contains(&format!("{messages} message")), "{name}: {told:?}");
            assert!(told[0][2].contains("Using a password"), "{name}: {told:?}");
        }
    }
}

#[test]
fn a_lost_connection_is_named() {
    let dump = dump();
    let cut = &dump[..dump.find("CREATE TABLE `regions`").unwrap() + 60];
    let said = "mysqldump: Error 2013: Lost connection to MySQL server during query when dumping table `regions` at row: 0";
    let desk = Desk::with(&[("opensim.sql", format!("{cut}\n{said}\n").as_bytes())]);
    desk.run_to(INCOMPLETE, "audit opensim.sql --out report --format csv");
    let told = found(&desk, "report", "DBS013");
    assert!(
        told.len() == 1 && told[0][0] == "error" && told[0][2].contains("Error 2013: Lost connection"),
        "{told:?}"
    );
    assert_eq!(found(&desk, "report", "ARC001").len(), 1);
    assert_eq!(found(&desk, "report", "DBS012"), [[""; 3]; 0], "the cut explains what is missing");
    // Objects and shapes are before the cut, so costs are known.
    assert_eq!(desk.column("report", "objects", "land_impact"), ["2", "1"]);
}

#[test]
fn a_dump_without_a_table_is_a_failed_backup() {
    let head =
        "-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\n";
    let desk =
        Desk::with(&[("opensim.sql", format!("{head}mysqldump: Got error: 2002: no socket\n").as_bytes())]);
    desk.run_to(INCOMPLETE, "audit opensim.sql --out report --format csv");
    let failed = found(&desk, "report", "DBS014");
    assert!(failed.len() == 1 && failed[0][2].contains("Got error: 2002"), "{failed:?}");
}

#[test]
fn a_dump_of_another_program_is_no_export() {
    let head = "-- phpMyAdmin SQL Dump\n-- version 4.0.4\nSET NAMES utf8;\n";
    let table = |name: &str| {
        format!("CREATE TABLE `{name}` (`id` int(11), `name` text);\nINSERT INTO `{name}` VALUES (1,'a');\n")
    };
    let foreign = format!("{head}{}{}{}", table("wp_posts"), table("assets"), table("migrations"));
    for bytes in [foreign.clone().into_bytes(), gzip(foreign.as_bytes())] {
        let desk = Desk::with(&[("web/shop.sql", &bytes), ("web/base.oar", &sound())]);
        let run = desk.run_to(INCOMPLETE, "audit web/shop.sql --out report");
        assert!(
            run.stderr.contains("looks like dump of another program (MySQL; its first table is wp_posts)")
        );
        let run = desk.run_to(DONE, "audit web --fail-on warning --ledgers kept --out report --format csv");
        let unknown = found(&desk, "report", "RUN007");
        assert!(unknown.len() == 1 && unknown[0][2].contains("another program (MySQL"), "{}", run.stdout);
        for code in ["DBS004", "DBS012", "DBS014"] {
            assert_eq!(found(&desk, "report", code), [[""; 3]; 0], "{code}");
        }
        // A ledger of the folder does not make it an export.
        desk.run_to(INCOMPLETE, "audit web/shop.sql --ledgers kept --out report");
    }
}

#[test]
fn tables_of_a_simulator_behind_those_of_others_are_read() {
    let table = |name: &str| {
        format!("CREATE TABLE `{name}` (`id` int(11), `name` text);\nINSERT INTO `{name}` VALUES (1,'a');\n")
    };
    let dump = dump();
    let (head, tables) = dump.split_at(dump.find("DROP TABLE").unwrap());
    let all = format!("{head}{}{}{tables}", table("wp_posts"), table("users"));
    // Tables of a service that are not read belong to a simulator.
    let estates = format!("{head}{}{}-- Dump completed\n", table("estate_map"), table("estate_settings"));
    let desk = Desk::with(&[("all.sql", all.as_bytes()), ("estates.sql", estates.as_bytes())]);
    desk.run_to(DONE, "audit all.sql --out report --format csv");
    assert_eq!(desk.column("report", "regions", "region"), ["Harbour"]);
    desk.run_to(DONE, "audit estates.sql --out report --format csv");
    assert_eq!(found(&desk, "report", "RUN007"), [[""; 3]; 0]);
}
