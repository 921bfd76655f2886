//! Texts about databases, and scripts, are no dumps.

use crate::support::{
    desk::{DONE, Desk},
    repository, shared,
};
use hullmark_settings::limits::Limits;
use hullmark_source::{What, walk_knowing};
use std::{fs, path::PathBuf};

/// Returns the paths of texts that were taken for archives or dumps.
fn taken_for_dumps(folders: &[PathBuf]) -> Vec<PathBuf> {
    let inputs = walk_knowing(folders, &[], &Limits::default(), &|_, _| false).unwrap();
    let archives = inputs.into_iter().filter(|input| matches!(input.what, What::Archive));
    let is_text = |path: &PathBuf| {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let text = [
            ".md", ".txt", ".rs", ".toml", ".py", ".sh", ".lsl", ".ini", ".html", ".js", ".json", ".csv",
            ".yml",
        ];
        text.iter().any(|ending| name.ends_with(ending)) || !name.contains('.')
    };
    archives.map(|input| input.path).filter(is_text).collect()
}

#[test]
fn texts_of_this_repository_are_no_dumps() {
    let folders = ["benches", "config", "deploy", "docs", "fuzz", "src", "tests", "web"];
    let folders: Vec<PathBuf> = folders.iter().map(|folder| repository().join(folder)).collect();
    assert_eq!(taken_for_dumps(&folders), [] as [PathBuf; 0]);
}

#[test]
fn texts_beside_real_exports_are_no_dumps() {
    let Some(shared) = shared() else { return };
    assert_eq!(taken_for_dumps(&[shared.join("data"), shared.join("spec")]), [] as [PathBuf; 0]);
}

/// Comments of many languages before code that has the words of SQL.
#[test]
fn licences_before_code_are_no_dumps() {
    let licence = [
        "Copyright 2026. You may copy this, and insert into your own work.",
        "CREATE TABLE or not: without any warranty. DROP TABLE if you must.",
        "Use it; set it free.",
    ];
    let comments: [(&str, &str, &str); 10] = [
        ("", "-- ", ""),
        ("", "# ", ""),
        ("", "// ", ""),
        ("/*\n", " * ", " */\n"),
        ("/*\n", "", "*/\n"),
        ("", "; ", ""),
        ("<!--\n", "", "-->\n"),
        ("\"\"\"\n", "", "\"\"\"\n"),
        ("", "REM ", ""),
        ("#!/bin/sh\n", "# ", ""),
    ];
    let code = [
        "default { state_entry() { llSay(0, \"insert into t values (1);\"); } }",
        "set -e\nmysqldump opensim > dump.sql # create table\n",
        "use strict;\nuse warnings;\nmy $sql = 'create table t (a int);';\n",
        "use std::fs;\nfn main() {}\n",
        "using System;\nnamespace Copy { }\n",
        "import sqlite3\nsqlite3.connect('a').execute('create table t (a int)')\n",
        "local t = {}\nreturn t\n",
        "begin\n  insert(into);\nend.\n",
        "select * from the menu, then leave.\n",
        "create or replace the file, and start again;\n",
        "drop the table (gently).\n",
        "lock the tables, and write it down.\n",
        "replace into with onto (everywhere).\n",
        "copy con: from stdin to the disk\n",
        "alter table manners\n",
        "set PATH=%PATH%;C:\\opensim\ncopy region.oar d:\n",
        "[Startup]\nset = 1\n",
        "{\"insert\": \"into t values (1);\"}\n",
        "Keep a copy of each file. Don't create table lamps from it.\n",
        "",
    ];
    let desk = Desk::with(&[(
        "texts/sample.oar",
        &fs::read(repository().join("sample_data/regions/clean-region.oar")).unwrap(),
    )]);
    for (style, (begin, line, end)) in comments.iter().enumerate() {
        let head: String = licence.map(|text| format!("{line}{text}\n")).concat();
        for (number, code) in code.iter().enumerate() {
            desk.write(&format!("texts/{style}-{number}"), format!("{begin}{head}{end}{code}"));
        }
    }
    desk.run_to(DONE, "audit texts --out report --format csv --ignore RUN003");
    let archives = desk.table("report", "archives");
    let kinds: Vec<&str> = archives.iter().map(|row| row["kind"].as_str()).collect();
    assert!(!kinds.contains(&"dump") && kinds.contains(&"oar"), "{kinds:?}");
}

#[test]
fn a_dump_behind_long_comments_is_read() {
    let dump = fs::read(repository().join("sample_data/databases/opensim.sql")).unwrap();
    let text = String::from_utf8(dump).unwrap();
    let statements = &text[text.find("CREATE").unwrap()..];
    let comments = "-- a line of the log of a backup program\n".repeat(1_700);
    assert!(comments.len() > 64 * 1024);
    let desk = Desk::with(&[]);
    desk.write("plain.sql", statements);
    desk.write("long.sql", format!("{comments}{statements}"));
    let objects = |path: &str| {
        desk.run(&format!("audit {path} --out report --format csv -q"));
        desk.table("report", "archives")[0]["objects"].clone()
    };
    assert_ne!(objects("plain.sql"), "0");
    assert_eq!(objects("plain.sql"), objects("long.sql"));
}
