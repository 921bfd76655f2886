//! Paths given to the program: its own outputs, folders named like archives, links, and folders that may not be read.

use crate::support::{
    archive::control,
    desk::{DONE, Desk, INCOMPLETE, assert_same, sound},
    object::{Prim, uuid, xml2},
};
use std::{
    fs,
    io::{self, Write},
};

#[test]
fn a_run_does_not_audit_its_own_report() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("notes.txt", b"kept")]);
    desk.run_to(DONE, "audit . --out nightly/report");
    let first = desk.files("nightly/report");
    let names = desk.column("nightly/report", "archives", "archive");
    assert_eq!(names, [".", "./sound.oar"]);
    desk.run_to(DONE, "audit . --out nightly/report");
    assert_same(&first, &desk.files("nightly/report"));

    desk.run_to(DONE, "scan . --ledgers nightly/report/ledgers");
    let first = desk.files("nightly/report/ledgers");
    desk.run_to(DONE, "scan . --ledgers nightly/report/ledgers");
    assert_same(&first, &desk.files("nightly/report/ledgers"));
}

#[test]
fn a_folder_may_be_named_like_an_archive() {
    let desk = Desk::with(&[("India.oar/India.oar", &sound())]);
    desk.run_to(DONE, "audit India.oar --out report");
    let [archive] = &desk.table("report", "archives")[..] else { panic!("one input") };
    assert_eq!((&*archive["archive"], &*archive["kind"]), ("India.oar/India.oar", "oar"));
    assert_eq!(desk.column("report", "objects", "name"), ["Chair"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_read() {
    use std::os::unix::ffi::OsStrExt;
    let desk = Desk::with(&[("tree/archive.xml", control(&uuid(0x4e4e_4e4e, 1), "256,256").as_bytes())]);
    let object = xml2(&[Prim::new("Odd", 1)]);
    for folder in ["", "tree/objects"] {
        fs::create_dir_all(desk.at(folder)).unwrap();
        fs::write(desk.at(folder).join(std::ffi::OsStr::from_bytes(b"odd\xff.xml")), &object).unwrap();
    }
    desk.run_to(DONE, "audit . --out report");
    assert_eq!(desk.column("report", "objects", "name"), ["Odd", "Odd"]);
}

#[cfg(unix)]
#[test]
fn circular_links_end() {
    let desk = Desk::with(&[("exports/deep/sound.oar", &sound())]);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, desk.at(name)).unwrap();
    link("..", "exports/deep/up");
    link("deep", "exports/again");
    link("self", "exports/self");
    let run = desk.run("audit exports --out report");
    // The object is reported once. A link to a parent folder is named, and a link to itself cannot be read.
    assert_eq!(desk.column("report", "objects", "name"), ["Chair"]);
    assert_eq!(run.code, INCOMPLETE);
    let mut codes = desk.column("report", "findings", "code");
    codes.sort();
    assert_eq!(codes, ["RUN001", "RUN003", "RUN007"]);
    fs::remove_file(desk.at("exports/self")).unwrap();
    desk.run_to(DONE, "audit exports --out report");
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_read_makes_the_audit_incomplete() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(&[("exports/sound.oar", &sound()), ("exports/secret/other.oar", &sound())]);
    let permit =
        |mode| fs::set_permissions(desk.at("exports/secret"), PermissionsExt::from_mode(mode)).unwrap();
    permit(0o000);
    let denied = fs::read_dir(desk.at("exports/secret")).is_err();
    let run = desk.run("audit exports --out report");
    permit(0o755);
    if !denied {
        let _ = writeln!(io::stderr(), "skipped: this user may read everything");
        return;
    }
    assert_eq!(run.code, INCOMPLETE);
    let archives: Vec<_> = desk.table("report", "archives");
    let statuses: Vec<_> = archives.iter().map(|row| (&*row["archive"], &*row["status"])).collect();
    assert_eq!(statuses, [("exports/secret", "unreadable"), ("exports/sound.oar", "complete")]);
}
