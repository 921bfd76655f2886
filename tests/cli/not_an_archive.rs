//! Files that somebody took for an archive, and archives with a member that no loader finds.

use crate::support::{
    archive::{Archive, gzip},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, region, sound},
    object::{Prim, xml2},
};
use serde_json::Value;
use std::fs;

const UBODE: &str = "--target opensim-ubode";

const WEB_PAGE: &[u8] =
    b"\xEF\xBB\xBF\n<!doctype HTML><html><head><title>Virus scan<meta charset=utf-8></head></html>";
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\noid sha256:9b72\nsize 123\n";
const MODEL: &[u8] = b"glTF\x02\0\0\0\x10\0\0\0";

#[test]
fn a_file_that_is_no_archive_is_called_what_it_is() {
    for (bytes, words) in [
        (WEB_PAGE, "a web page (download the file itself)"),
        (LFS_POINTER, "a pointer of Git LFS (fetch the file itself with git lfs pull)"),
        (MODEL, "a model (upload it with a viewer)"),
        (b"HTTP/1.1 200 OK\r\n\r\n\x1f\x8b", "a reply of a web server (download the file itself)"),
        (
            b"\x1f\xef\xbf\xbd\x08\0\0",
            "a gzip stream that was changed as text (transfer it again in binary mode)",
        ),
        (&gzip(&gzip(b"archive.xml")), "gzip of another packed stream (unpack it once)"),
        (b"", "empty file"),
    ] {
        let desk = Desk::with(&[("Castle.oar", bytes)]);
        let run = desk.run_to(INCOMPLETE, "audit Castle.oar --out report -q");
        assert!(run.stderr.contains("Castle.oar is unreadable"), "{}", run.stderr);
        let row = &desk.table("report", "findings")[0];
        assert_eq!((&*row["archive"], &*row["code"]), ("Castle.oar", "ARC008"));
        assert!(row["message"].ends_with(words), "{row:?}");
        let page = desk.run_to(INCOMPLETE, &format!("preflight Castle.oar {UBODE} -q")).stdout;
        assert!(page.starts_with("NO-GO") && page.contains("\nCastle.oar"), "{page}");
    }
}

#[test]
fn an_audit_of_a_folder_with_one_is_no_go() {
    let desk = Desk::with(&[("in/Castle.oar", WEB_PAGE), ("in/Garden.oar", &sound())]);
    let run = desk.run_to(DONE, "audit in");
    assert!(run.stdout.contains("Loading it (OpenSimulator): NO-GO"), "{}", run.stdout);
    fs::rename(desk.at("in/Castle.oar"), desk.at("in/Castle.html")).unwrap();
    let run = desk.run_to(DONE, "audit in");
    assert!(run.stdout.contains("Loading it (OpenSimulator): GO."), "{}", run.stdout);
}

/// Aurora-Sim's backups are tars of other members.
#[test]
fn a_backup_of_another_simulator_is_named() {
    let backup = Archive::default().add("regioninfo/a", "x").add("parcels/b", "y").gzip();
    let desk = Desk::with(&[("Region.abackup", &backup)]);
    desk.run_to(DONE, "audit Region.abackup --out report -q");
    let row = desk.table("report", "findings").remove(0);
    assert_eq!(row["code"], "ARC003");
    assert!(row["message"].contains("it is a backup of Aurora-Sim"), "{row:?}");
}

#[test]
fn one_stray_member_blocks_no_move() {
    let archive = region(&[Prim::new("Box", 1)]);
    let stray = archive.clone().add("./objects/stray.xml", xml2(&[Prim::new("Stray", 2)]));
    let mut all = archive;
    all.members.iter_mut().for_each(|(name, _)| *name = format!("./{name}"));
    let desk = Desk::with(&[("stray.oar", &stray.gzip()), ("all.oar", &all.gzip())]);
    let page = |code, archive: &str| -> Value {
        let run = desk.run_to(code, &format!("preflight {archive} {UBODE} --json -q"));
        serde_json::from_str(&run.stdout).unwrap()
    };
    let stray = page(DONE, "stray.oar");
    assert_eq!((&stray["verdict"], &stray["losses"][0]["kind"]), (&"go-with-losses".into(), &"file".into()));
    assert_eq!(page(FINDINGS, "all.oar")["verdict"], "no-go");
}

/// Other simulators store objects in a binary form. A repair of their XML would be no help.
#[test]
fn a_binary_object_needs_another_export() {
    let binary = b"\x0a\x12\x09\xff\x00object\x01\x02".repeat(40);
    let name = "objects/Chair_128-128-025__3e3e3e3e-0000-4000-8000-000000000001.xml";
    let desk = Desk::with(&[("a.oar", &region(&[Prim::new("Box", 1)]).add(name, binary).gzip())]);
    desk.run_to(DONE, "audit a.oar --out report --format csv");
    let rows = desk.table("report", "findings");
    let about: Vec<_> = rows.iter().filter(|row| row["entry"] == name).collect();
    assert_eq!(about.len(), 1, "{about:?}");
    assert_eq!(about[0]["message"], "The object's XML cannot be read: it is binary, not XML");
    assert!(about[0]["advice"].starts_with("Ask the old grid for an export with its objects as XML"));
}
