//! Databases on servers: what a build without clients says, and passwords in arguments. tests/servers.sh has the rest.

use crate::support::desk::{DONE, Desk, USAGE, sound};
use std::fs;

#[test]
#[cfg_attr(feature = "database", ignore = "for a program without the feature database")]
fn a_build_without_clients_says_how_to_get_one_with_them() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    for arguments in ["audit mysql://auditor@host/opensim", "audit sound.oar postgres://auditor@host/robust"]
    {
        desk.run_to(3, &format!("{arguments} --out report"));
        let findings = fs::read_to_string(desk.at("report/findings.csv")).unwrap();
        assert!(findings.contains("cargo build --release --features database"), "{findings}");
    }
}

#[test]
fn a_password_in_an_argument_is_refused_and_not_shown() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    for arguments in [
        "audit mysql://auditor:hidden@host/opensim",
        "audit sound.oar --assets postgres://auditor:hidden@host/robust",
        "plan mysql://auditor:hidden@host/opensim --out plan.json",
        "inspect mysql://auditor:hidden@host/opensim",
        "audit mysql://auditor@host/opensim?password=hidden",
    ] {
        let run = desk.run_to(USAGE, arguments);
        assert!(!run.stderr.contains("hidden") && !run.stdout.contains("hidden"), "{}", run.stderr);
        assert!(run.stderr.contains("cannot be audited: it has a"), "{}", run.stderr);
    }
    // It would be in the plan as well.
    assert!(!desk.at("plan.json").exists());
}

#[test]
fn a_plan_has_no_password() {
    let desk = Desk::with(&[("secret", b"hidden")]);
    desk.run_to(DONE, "plan mysql://auditor@host/opensim --password-file secret --out plan.json");
    let plan = fs::read_to_string(desk.at("plan.json")).unwrap();
    assert!(plan.contains("mysql://auditor@host/opensim") && !plan.contains("hidden"), "{plan}");
    desk.run_to(USAGE, "audit mysql://auditor@host/opensim --password-file nowhere");
}
