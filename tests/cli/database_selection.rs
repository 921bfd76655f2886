//! `--database`: which databases of a dump are read.

use crate::support::{
    desk::{DONE, Desk, USAGE, sound},
    samples,
};
use std::fs;

const WEST: &str = "11111111-2222-3333-4444-555555555551";
const EAST: &str = "11111111-2222-3333-4444-555555555552";

/// Returns the statements of a database with one region.
fn region(uuid: &str) -> String {
    format!(
        "CREATE TABLE `regionsettings` (\n  `regionUUID` char(36) NOT NULL,\n  `water_height` double NOT NULL\n);\n\
         INSERT INTO `regionsettings` VALUES ('{uuid}',20);\n"
    )
}

/// Returns a desk with a dump of two databases, and with dumps of one of them.
fn desk() -> Desk {
    let end = "-- Dump completed on 2026-11-24\n";
    let both = format!(
        "-- MySQL dump 10.13\nCREATE DATABASE `west`;\nUSE `west`;\n{}CREATE DATABASE `east`;\nUSE `east`;\n{}{end}",
        region(WEST),
        region(EAST)
    );
    let named =
        format!("-- MySQL dump 10.13\n--\n-- Host: localhost    Database: west\n{}{end}", region(WEST));
    let unnamed = format!("-- MySQL dump 10.13\n{}{end}", region(WEST));
    Desk::with(&[
        ("both.sql", both.as_bytes()),
        ("named.sql", named.as_bytes()),
        ("unnamed.sql", unnamed.as_bytes()),
        ("region.oar", &sound()),
    ])
}

/// Returns the UUIDs of the regions in a report.
fn regions(desk: &Desk) -> Vec<String> {
    let mut regions = desk.column("report", "regions", "region");
    regions.sort();
    regions
}

#[test]
fn only_the_named_databases_are_read() {
    let desk = desk();
    for (flags, expected) in [
        ("", vec![WEST, EAST]),
        (" --database west", vec![WEST]),
        (" --database east", vec![EAST]),
        (" --database west --database east", vec![WEST, EAST]),
    ] {
        desk.run_to(DONE, &format!("audit both.sql --out report --format csv{flags}"));
        assert_eq!(regions(&desk), expected, "{flags}");
    }
    fs::write(desk.at("hullmark.toml"), "database = [\"east\"]\n").unwrap();
    desk.run_to(DONE, "audit both.sql --out report --format csv");
    assert_eq!(regions(&desk), [EAST]);
}

#[test]
fn a_kept_ledger_serves_one_selection() {
    let desk = desk();
    let audit = |flags: &str| {
        desk.run_to(DONE, &format!("audit both.sql --ledgers kept --out report --format csv{flags}"));
        regions(&desk)
    };
    assert_eq!(audit(""), [WEST, EAST]);
    assert_eq!(audit(" --database west"), [WEST]);
    let first = desk.ledgers("kept");
    assert_eq!(audit(" --database west"), [WEST]);
    assert!(desk.ledgers("kept") == first, "the ledger is still valid");
    let wrong = "audit both.sql --ledgers kept --out report --database west --database nowhere";
    desk.run_to(USAGE, wrong);
    assert_eq!(audit(""), [WEST, EAST]);
}

#[test]
fn an_unknown_name_is_refused_with_those_that_were_seen() {
    let desk = desk();
    for (arguments, words) in [
        (
            "both.sql --database west --database nowhere",
            "the database \"nowhere\" (--database). The names are: east, west",
        ),
        ("named.sql --database nowhere", "The names are: west"),
        (
            "unnamed.sql --database west",
            "No input is a dump that names its databases, so leave out --database",
        ),
        (
            "region.oar --database west",
            "No input is a dump that names its databases, so leave out --database",
        ),
    ] {
        for command in ["audit --out report", "preflight --target opensim-ubode"] {
            let run = desk.run_to(USAGE, &format!("{command} {arguments}"));
            assert!(run.stderr.contains(words), "{command} {arguments}: {}", run.stderr);
        }
    }
    // The name is in another input.
    desk.run_to(DONE, "audit both.sql unnamed.sql region.oar --out report --database west");
    desk.run_to(DONE, "audit named.sql --out report --format csv --database west");
    assert_eq!(regions(&desk), [WEST]);
}

#[test]
fn a_plan_has_the_selection() {
    let desk = desk();
    desk.run_to(DONE, "plan both.sql --out plan.json --database east");
    desk.run_to(DONE, "scan --plan plan.json --ledgers ledgers");
    desk.run_to(DONE, "report ledgers --plan plan.json --out report --format csv");
    assert_eq!(regions(&desk), [EAST]);
    desk.run_to(USAGE, "scan --plan plan.json --ledgers ledgers --database east");
    // Ledgers of another selection are not those of the plan.
    desk.run_to(DONE, "scan both.sql --ledgers all");
    desk.run_to(USAGE, "report all --plan plan.json --out report");
}

#[test]
fn a_file_of_sqlite_has_the_name_of_its_file() {
    let sample = |path: &str| samples::all().into_iter().find(|(name, _)| name == path).unwrap().1;
    let desk = Desk::with(&[
        ("bin/region.sqlite", &sample("databases/standalone/OpenSim.db")),
        ("bin/store", &sample("databases/standalone/Asset.db")),
    ]);
    desk.run("audit bin --out report --format csv --database region.sqlite");
    assert_eq!(desk.column("report", "archives", "meshes"), ["0"]);
    assert_eq!(desk.column("report", "objects", "name"), ["Vase"]);
    desk.run("audit bin --out report --format csv --database region.sqlite --database store");
    assert_eq!(desk.column("report", "archives", "meshes"), ["1"]);
    let run = desk.run_to(USAGE, "audit bin --out report --database OpenSim.db");
    assert!(run.stderr.contains("The names are: region.sqlite, store"), "{}", run.stderr);
}
