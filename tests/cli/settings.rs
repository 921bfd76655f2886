//! Settings from files and flags, and what of them a report says.

use crate::support::desk::{DONE, Desk, assert_same, sound};
use serde_json::Value;

#[test]
fn settings_that_were_printed_can_be_read_again() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    let changed =
        "audit --profile opensim-ubode --threads 3 --fail-on warning --byte-order-mark --dump-config";
    let printed = desk.run_to(DONE, changed).stdout;
    for line in
        ["profile = \"opensim-ubode\"", "threads = 3", "fail_on = \"warning\"", "byte_order_mark = true"]
    {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    desk.write("settings.toml", &printed);
    assert_eq!(desk.run_to(DONE, "audit --config settings.toml --dump-config").stdout, printed);
    // The command's own arguments may stand there and do nothing.
    let full = "audit sound.oar --out report --config settings.toml --dump-config";
    assert_eq!(desk.run_to(DONE, full).stdout, printed);
    assert!(!desk.at("report").exists());
    assert_ne!(desk.run_to(DONE, "scan --dump-config").stdout, printed);
}

#[test]
fn time_stands_in_the_manifest_only_where_asked_for() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    desk.run_to(DONE, "audit sound.oar --out timeless");
    assert_eq!(desk.audit_json("timeless")["manifest"]["now"], Value::Null);
    desk.run_to(DONE, "audit sound.oar --out dated --now 2026-11-21T04:00:00Z");
    assert_eq!(desk.audit_json("dated")["manifest"]["now"], "2026-11-21T04:00:00Z");
    let tables = |folder, has_time: bool| {
        let mut files = desk.files(folder);
        let page = files.remove("audit.html").unwrap();
        assert_eq!(String::from_utf8(page).unwrap().contains("2026-11-21T04:00:00Z"), has_time);
        // The workbook has the manifest in it, as audit.json has.
        files.retain(|name, _| name.ends_with(".csv"));
        files
    };
    assert_same(&tables("timeless", false), &tables("dated", true));
}
