//! What systems add to folders of exports: metadata as `._Castle.oar`, trash and snapshots.

use crate::support::{
    archive::{Archive, control, parcel, settings},
    desk::{DONE, Desk, FINDINGS, sound},
    object::{OWNER, Prim, uuid, xml2},
};
use serde_json::Value;
use std::fs;

/// Metadata with room for a resource.
fn metadata() -> Vec<u8> {
    [&b"\0\x05\x16\x07\0\x02\0\0Mac OS X        "[..], &[0; 4000]].concat()
}

/// The path of the metadata of a file.
fn beside(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').map_or(("", path), |(folder, file)| (folder, file));
    format!("{folder}{}._{file}", if folder.is_empty() { "" } else { "/" })
}

/// A region with one member of each kind, and an object whose name begins as that of metadata.
fn region() -> Archive {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Chest.xml", xml2(&[Prim::new("Chest", 1)]))
        .add("objects/._Stool.xml", xml2(&[Prim::new("._Stool", 10)]))
        .add(&format!("assets/{}_notecard.txt", uuid(3, 1)), "Linden text version 2")
        .add(&format!("assets/{}_object.xml", uuid(3, 2)), xml2(&[Prim::new("Coin", 20)]))
        .flat_ground("terrains/Harbour.r32", 256)
        .add("landdata/All.xml", parcel(&uuid(7, 1), "All", OWNER, 64, |_, _| true))
        .add("settings/Harbour.xml", settings("1"))
}

/// Returns an archive as the tar of macOS packs it: metadata before each file.
fn packed_on_macos(archive: &Archive) -> Archive {
    let both =
        |(name, content): &(String, Vec<u8>)| [(beside(name), metadata()), (name.clone(), content.clone())];
    let files = archive.members.iter().flat_map(both);
    Archive { members: files.collect() }
        .add("objects/.DS_Store", "\0\0\0\x01Bud1")
        .add("assets/Thumbs.db", b"\xd0\xcf\x11\xe0")
}

/// Audits an input, and returns its findings: code, number, severity and place.
fn findings(desk: &Desk, input: &str) -> Vec<[String; 4]> {
    desk.run_to(DONE, &format!("audit {input} --out report -q --format csv --profile opensim-ubode"));
    let rows = desk.table("report", "findings");
    rows.iter().map(|row| ["code", "count", "severity", "entry"].map(|name| row[name].clone())).collect()
}

#[test]
fn metadata_beside_archives_is_no_archive() {
    let desk = Desk::with(&[
        ("in/Castle.oar", &sound()),
        ("in/._Castle.oar", &metadata()),
        ("in/._Castle.iar", &metadata()),
        ("in/._robust.sql.gz", &metadata()),
    ]);
    let run = desk.run_to(DONE, "audit in --out report --fail-on warning");
    assert!(run.stdout.contains("Loading it (OpenSimulator): GO."), "{}", run.stdout);
    let rows = desk.table("report", "findings");
    let of_metadata: Vec<_> = rows.iter().filter(|row| row["entry"].starts_with("._")).collect();
    assert_eq!(of_metadata.len(), 3, "{rows:?}");
    for row in of_metadata {
        assert!(row["code"] == "RUN007" && row["message"].ends_with("metadata of macOS"), "{row:?}");
    }
}

#[test]
fn an_archive_that_macos_packed_again_stops_the_load_and_is_mended() {
    let mac = packed_on_macos(&region());
    let only_control =
        Archive { members: [vec![(beside("archive.xml"), metadata())], region().members].concat() };
    let desk = Desk::with(&[
        ("clean.oar", &region().gzip()),
        ("mac.oar", &mac.gzip()),
        ("control.oar", &only_control.gzip()),
    ]);
    let clean = findings(&desk, "clean.oar");
    let objects = desk.column("report", "objects", "name");
    assert!(objects.contains(&"._Stool".into()), "{objects:?}");
    let also = |more: &[[&str; 4]]| {
        let more = more.iter().map(|row| row.map(String::from));
        let mut all: Vec<_> = clean.iter().cloned().chain(more).collect();
        all.sort();
        all
    };
    let sorted = |mut rows: Vec<[String; 4]>| {
        rows.sort();
        rows
    };
    let not_first = ["ARC005", "1", "warning", "archive.xml"];
    // Of two objects, one in an inventory, terrain, a parcel, and a folder.
    assert_eq!(sorted(findings(&desk, "mac.oar")), also(&[["ARC014", "1", "blocker", ""], not_first]));
    assert_eq!(desk.column("report", "objects", "name"), objects);
    let message = &desk.table("report", "findings")[0]["message"];
    assert!(
        message.contains("6 files that macOS or Windows added for content (first: objects/._Chest.xml)"),
        "{message}"
    );
    let page = desk.run_to(FINDINGS, "preflight mac.oar --target opensim-ubode --json -q").stdout;
    let page: Value = serde_json::from_str(&page).unwrap();
    assert_eq!((&page["verdict"], page["losses"].as_array().map(Vec::len)), (&"no-go".into(), Some(0)));
    // Nothing reads what is beside the control file.
    assert_eq!(sorted(findings(&desk, "control.oar")), also(&[not_first]));

    desk.run_to(DONE, "repair mac.oar --out mended.oar -q");
    assert_eq!(sorted(findings(&desk, "mended.oar")), sorted(clean.clone()));
    assert_eq!(desk.column("report", "objects", "name"), objects);
    let table = fs::read_to_string(desk.at("mended.oar.repairs.csv")).unwrap();
    assert!(table.contains("ARC014") && !desk.at("mended.oar.left-out").exists(), "{table}");
}

#[test]
fn an_unpacked_archive_has_no_metadata() {
    let desk = Desk::with(&[]);
    for (name, content) in packed_on_macos(&region()).members {
        desk.write(&format!("mac/{name}"), content);
    }
    for (name, content) in region().members {
        desk.write(&format!("clean/{name}"), content);
    }
    let clean = findings(&desk, "clean");
    let objects = desk.column("report", "objects", "name");
    let (noted, others): (Vec<_>, Vec<_>) =
        findings(&desk, "mac").into_iter().partition(|[code, ..]| code == "RUN007");
    assert_eq!((others, noted.len()), (clean, region().members.len() + 2));
    assert_eq!(desk.column("report", "objects", "name"), objects);
}

#[test]
fn trash_snapshots_and_folders_of_the_system_are_audited_only_if_they_are_named() {
    let names =
        ["#recycle", ".Trash-1000/files", "$RECYCLE.BIN/S-1-5", ".snapshot/daily.0", "lost+found", "@eaDir"];
    let desk = Desk::with(&[("in/Castle.oar", &sound()), ("in/backup/snapshots/Castle.oar", &sound())]);
    desk.run_to(DONE, "audit in --out alone -q --format csv");
    for name in names {
        desk.write(&format!("in/{name}/Castle.oar"), sound());
    }
    desk.run_to(DONE, "audit in --out report -q --format csv");
    let archives = |folder: &str| {
        let mut names = desk.column(folder, "archives", "archive");
        names.retain(|name| name.ends_with(".oar"));
        names
    };
    assert_eq!(archives("report"), ["in/Castle.oar", "in/backup/snapshots/Castle.oar"]);
    assert_eq!(archives("report"), archives("alone"));
    let findings = desk.table("report", "findings");
    let noted: Vec<_> = findings.iter().filter(|row| row["code"] == "RUN007").collect();
    assert_eq!(noted.len(), names.len(), "{findings:?}");
    assert!(noted.iter().all(|row| row["message"].ends_with("(name it to audit it)")), "{noted:?}");
    for name in names {
        desk.run_to(DONE, &format!("audit in/{name} --out named -q --format csv"));
        assert_eq!(archives("named"), [format!("in/{name}/Castle.oar")]);
    }
}

#[test]
fn each_file_in_the_folders_of_an_inventory_is_read_as_an_item() {
    let control = "<archive major_version=\"1\" minor_version=\"1\"/>";
    let inventory = Archive::new(control).add("inventory/Objects__1/.DS_Store", "\0\0\0\x01Bud1");
    let desk = Desk::with(&[("in.iar", &inventory.gzip())]);
    let codes: Vec<_> = findings(&desk, "in.iar").into_iter().map(|[code, ..]| code).collect();
    assert!(codes.contains(&"ARC014".into()), "{codes:?}");
}
