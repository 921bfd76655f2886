//! A run that fails or is killed leaves the old report whole and does no harm to the next one.

use crate::support::desk::{DONE, Desk, USAGE, assert_same, faulty, sound};
use std::{fs, path::Path};

#[test]
fn a_run_that_fails_leaves_the_old_report_whole() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out report");
    let old = desk.files("report");
    desk.run_to(USAGE, "audit faulty.oar nowhere.oar --out report");
    assert_same(&old, &desk.files("report"));
    desk.run_to(DONE, "audit faulty.oar --out report");
    assert!(old["audit.json"] != desk.files("report")["audit.json"]);
}

#[test]
fn leftovers_of_a_killed_run_do_no_harm() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out clean");
    desk.run_to(DONE, "scan faulty.oar --ledgers ledgers");
    for (name, bytes) in desk.files("ledgers") {
        desk.write(&format!("report/ledgers.partial/{name}"), bytes);
    }
    desk.write("report/objects.csv.partial", "half a table");
    desk.run_to(DONE, "audit sound.oar --out report");
    assert_same(&desk.files("clean"), &desk.files("report"));
}

#[test]
fn a_table_that_no_report_wrote_stays() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("report/findings.csv", b"my own")]);
    let run = desk.run_to(USAGE, "audit sound.oar --out report");
    let file = Path::new("report").join("findings.csv");
    let words = format!("The report {} cannot be written; choose another --out", file.display());
    assert!(run.stderr.contains(&words) && run.stderr.contains("no report wrote it"), "{}", run.stderr);
    assert_eq!(
        desk.files("report").into_iter().collect::<Vec<_>>(),
        [("findings.csv".into(), b"my own".into())]
    );
    // A run that was killed while it published leaves tables without audit.json, perhaps with other settings.
    desk.write("bom.toml", "[report]\nbyte_order_mark = true\n");
    desk.run_to(DONE, "audit sound.oar --out killed --config bom.toml");
    fs::remove_file(desk.at("killed/audit.json")).unwrap();
    desk.write("killed/objects.csv", "");
    desk.run_to(DONE, "audit sound.oar --out clean");
    desk.run_to(DONE, "audit sound.oar --out killed");
    assert_same(&desk.files("clean"), &desk.files("killed"));
}
