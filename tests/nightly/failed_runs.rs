//! A run that fails or is killed leaves the old report whole and does no harm to the next one.

use crate::support::desk::{DONE, Desk, USAGE, assert_same, faulty, sound};

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
