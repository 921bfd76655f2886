//! The selection of input files: no archive may be missed, regardless of its folder.

use crate::support::{
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound},
    mesh::MeshFile,
    object::uuid,
};
use hullmark_source::{self as source, Input, Loose, What};
use proptest::prelude::*;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

const CONTROL: &str =
    "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"8\"/>";

/// A file or folder below a folder.
#[derive(Debug, Clone)]
enum Thing {
    Folder(Vec<(u8, Thing)>),
    Archive,
    Mesh,
    Notes,
    Control,
    Member,
    Link(u8),
}

/// Names that OpenSim writes, names that it uses for other things, and names without a meaning.
const FOLDERS: [&str; 8] =
    ["assets", "inventory", "objects", "regions", "bin", "backups", "terrains", "x.oar"];

fn thing() -> impl Strategy<Value = Thing> {
    let leaf = prop_oneof![
        3 => Just(Thing::Archive),
        2 => Just(Thing::Mesh),
        2 => Just(Thing::Notes),
        2 => Just(Thing::Control),
        4 => Just(Thing::Member),
        1 => any::<u8>().prop_map(Thing::Link),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        proptest::collection::vec((any::<u8>(), inner), 0..8).prop_map(Thing::Folder)
    })
}

/// Writes a thing into a folder. Its name depends on its number and place.
fn write(folder: &Path, number: u8, thing: &Thing, made: &mut Vec<PathBuf>) {
    let number_of = |name: &str| folder.join(format!("{number}-{name}"));
    match thing {
        Thing::Folder(things) => {
            let inner = folder.join(FOLDERS[usize::from(number) % FOLDERS.len()]);
            fs::create_dir_all(&inner).unwrap();
            made.push(inner.clone());
            things.iter().for_each(|(number, thing)| write(&inner, *number, thing, made));
        }
        Thing::Archive => fs::write(number_of("backup.oar"), sound()).unwrap(),
        Thing::Mesh => fs::write(number_of("cube.slm"), MeshFile::cube().encode()).unwrap(),
        Thing::Notes => fs::write(number_of("notes.txt"), "notes").unwrap(),
        Thing::Control => fs::write(folder.join("archive.xml"), CONTROL).unwrap(),
        Thing::Member => {
            let id = uuid(0x5151_5151, u32::from(number));
            let name = match folder.file_name().and_then(|name| name.to_str()) {
                Some("assets") => format!("{id}_notecard.txt"),
                _ => format!("Thing_1-2-3__{id}.xml"),
            };
            fs::write(folder.join(name), "<SceneObjectGroup>").unwrap();
        }
        #[cfg(unix)]
        Thing::Link(to) if !made.is_empty() => {
            let target = &made[usize::from(*to) % made.len()];
            let _ = std::os::unix::fs::symlink(target, number_of("link"));
        }
        Thing::Link(_) => {}
    }
}

/// Returns the roles that the inputs give to each file, by its canonical path. A file with several roles has several
/// entries.
fn taken(inputs: &[Input]) -> BTreeMap<PathBuf, Vec<&'static str>> {
    let mut taken: BTreeMap<PathBuf, Vec<&'static str>> = BTreeMap::new();
    let mut take = |path: &Path, what| {
        if let Ok(path) = fs::canonicalize(path) {
            taken.entry(path).or_default().push(what);
        }
    };
    for input in inputs {
        match &input.what {
            What::Archive => take(&input.path, "archive"),
            What::DumpFolder(files) => files.iter().for_each(|file| take(&file.path, "dump")),
            What::Tree(members) => members.iter().for_each(|member| take(&member.path, "member")),
            What::Folder(files) => files.iter().for_each(|file| match file.what {
                Loose::Known(_) => take(&file.path, "loose"),
                _ => take(&file.path, "named"),
            }),
            What::Place(_) => take(&input.path, "place"),
            What::Unreadable(_) => take(&input.path, "unreadable"),
        }
    }
    taken
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every file below a path is exactly one of these: audited, member of an audited tree, or counted and named.
    #[test]
    fn every_file_ends_in_exactly_one_place(things in proptest::collection::vec((any::<u8>(), thing()), 1..10)) {
        let root = tempfile::tempdir().unwrap();
        let mut made = Vec::new();
        things.iter().for_each(|(number, thing)| write(root.path(), *number, thing, &mut made));
        let inputs = source::walk(&[root.path().to_owned()], &[]).unwrap();
        let taken = taken(&inputs);
        for file in WalkDir::new(root.path()).into_iter().flatten().filter(|entry| entry.file_type().is_file()) {
            let path = fs::canonicalize(file.path()).unwrap();
            let what = taken.get(&path).map_or(&[] as &[_], Vec::as_slice);
            // A link may add a file to a second unpacked archive that otherwise lacks it.
            let others = what.iter().filter(|what| **what != "member").count();
            prop_assert!(others <= 1 && !what.is_empty(), "{path:?}: {what:?}\n{inputs:#?}");
            let is_archive = path.extension().is_some_and(|ending| ending == "oar");
            prop_assert_eq!(is_archive, what.contains(&"archive"), "{:?}: {:?}", path, what);
        }
        let mut names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        names.dedup();
        prop_assert_eq!(names.len(), inputs.len(), "each input has a name of its own: {:?}", names);
    }
}

#[test]
fn archives_in_folders_of_unpacked_archives_are_audited() {
    let object = format!("objects/Chair_1-2-3__{}.xml", uuid(0x1515_1515, 1));
    for layout in [["archive.xml", &object], ["settings/here.xml", &object]] {
        let desk = Desk::with(&[("in/deep/b.oar", &faulty()), ("in/objects/c.oar", &sound())]);
        desk.write("in/a.oar", sound());
        desk.write(&format!("in/assets/{}_notecard.txt", uuid(0x1515_1515, 2)), "a note");
        desk.write("in/notes.txt", "kept");
        for name in layout {
            desk.write(
                &format!("in/{name}"),
                if name == "archive.xml" { CONTROL } else { "<SceneObjectGroup/>" },
            );
        }
        desk.run_to(DONE, "audit in --out report --format csv");
        let names = desk.column("report", "archives", "archive");
        assert_eq!(names, ["in", "in/.", "in/a.oar", "in/deep/b.oar", "in/objects/c.oar"], "{layout:?}");
        let kinds = desk.column("report", "archives", "kind");
        assert_eq!(kinds, ["oar-tree", "folder", "oar", "oar", "oar"]);
        assert_eq!(desk.column("report", "archives", "unknown_files"), ["0", "1", "0", "0", "0"]);
    }
}

/// OpenSim keeps its own assets and inventory in folders with the names of an archive's folders, and writes backups
/// next to them.
#[test]
fn the_library_of_opensim_is_no_unpacked_archive() {
    let nini = |section: &str| {
        format!("<Nini>\n  <Section Name=\"{section}\">\n    <Key Name=\"file\" Value=\"x.xml\"/>")
    };
    let desk =
        Desk::with(&[("bin/Hill_2026y_11M_2d_4h_0m_0s.oar", &sound()), ("bin/autobackup/b.oar", &faulty())]);
    desk.write("bin/assets/AssetSets.xml", nini("Textures AssetSet"));
    desk.write("bin/assets/TexturesAssetSet/TexturesAssetSet.xml", nini("Bark"));
    desk.write("bin/assets/TexturesAssetSet/bark.jp2", b"\0\0\0\x0cjP  \r\n\x87\n");
    desk.write("bin/assets/ScriptsAssetSet/rot.lsl", "default {}");
    desk.write("bin/inventory/Libraries.xml", nini("OpenSim Standard Library"));
    desk.write("bin/inventory/TexturesLibrary/TexturesLibraryItems.xml", nini("Bark"));
    desk.write("bin/OpenSim.ini", "[Startup]");
    desk.run_to(DONE, "audit bin --out report --format csv");
    let archives = desk.table("report", "archives");
    let regions: Vec<&str> =
        archives.iter().filter(|row| row["kind"] == "oar").map(|row| row["archive"].as_str()).collect();
    assert_eq!(regions, ["bin/Hill_2026y_11M_2d_4h_0m_0s.oar", "bin/autobackup/b.oar"]);
    assert!(archives.iter().all(|row| ["oar", "folder"].contains(&row["kind"].as_str())), "{archives:?}");
    let unknown: u32 = archives.iter().map(|row| row["unknown_files"].parse::<u32>().unwrap()).sum();
    assert_eq!(unknown, 7, "each is counted");
    let findings = desk.table("report", "findings");
    let of_library = findings.iter().filter(|row| {
        row["archive"].starts_with("bin/assets") || row["archive"].starts_with("bin/inventory")
    });
    let codes: Vec<&str> = of_library.clone().map(|row| row["code"].as_str()).collect();
    assert!(codes.len() == 6 && codes.iter().all(|code| *code == "RUN007"), "{codes:?}");
    let named = of_library.filter(|row| row["message"].contains("opensim-library")).count();
    assert_eq!(named, 4);
}

/// Names of members identify an unpacked archive without a control file. Names of folders do not.
#[test]
fn an_unpacked_archive_that_lost_its_control_file_is_known_by_its_members() {
    let desk = Desk::with(&[]);
    desk.write(&format!("in/assets/{}_notecard.txt", uuid(0x1515_1515, 2)), "a note");
    desk.write(
        &format!("in/inventory/Things__{}/Note__{}.xml", uuid(0x1515_1515, 3), uuid(0x1515_1515, 4)),
        "<x/>",
    );
    desk.run_to(DONE, "audit in --out report --format csv");
    assert_eq!(desk.column("report", "archives", "kind"), ["iar-tree"]);
    assert!(desk.column("report", "findings", "code").contains(&"ARC003".into()));
}

#[cfg(unix)]
#[test]
fn members_that_links_lead_to_are_read() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let desk = Desk::with(&[(&format!("store/{mesh}_mesh.llmesh"), &MeshFile::cube().encode())]);
    desk.write("in/archive.xml", CONTROL);
    std::os::unix::fs::symlink("../store", desk.at("in/assets")).unwrap();
    for paths in ["in", "store in"] {
        desk.run_to(DONE, &format!("audit {paths} --out report --format csv"));
        let meshes = desk.table("report", "meshes");
        assert!(meshes.iter().any(|row| row["archive"] == "in" && row["mesh_uuid"] == mesh), "{paths}");
    }
}

/// Returns the files of a folder with their bytes. The map is empty if the folder is missing.
fn kept(desk: &Desk, folder: &str) -> BTreeMap<String, Vec<u8>> {
    if desk.at(folder).is_dir() { desk.ledgers(folder) } else { BTreeMap::new() }
}

#[test]
fn a_run_with_nothing_to_audit_changes_nothing() {
    let desk = Desk::with(&[("in/a.oar", &sound()), ("in/b/c.oar", &faulty())]);
    desk.run_to(DONE, "audit in --out report --ledgers kept");
    let (report, ledgers) = (kept(&desk, "report"), kept(&desk, "kept"));
    fs::remove_dir_all(desk.at("in")).unwrap();
    fs::create_dir(desk.at("in")).unwrap();
    let nights = [("", "the folder is empty"), ("in/notes.txt", "its only file is not an export")];
    for (file, why) in nights {
        if !file.is_empty() {
            desk.write(file, "no export");
        }
        for command in [
            "audit in --out report --ledgers kept",
            "scan in --ledgers kept",
            "plan in --out plan.json",
            "preflight in --target opensim-ubode",
        ] {
            let run = desk.run_to(INCOMPLETE, command);
            let sentence = format!("No export found in in: {why}");
            assert!(run.stderr.contains(&sentence), "{command}: {}", run.stderr);
            assert!(report == kept(&desk, "report") && ledgers == kept(&desk, "kept"), "{command}");
            assert!(!desk.at("plan.json").exists(), "{command}");
        }
    }
}

/// One of two disks is not mounted. The other one is audited, and the ledgers of both stay.
#[test]
fn a_disk_that_is_not_mounted_is_reported_and_its_ledgers_stay() {
    let desk = Desk::with(&[("one/a.oar", &sound()), ("two/b.oar", &sound()), ("two/c.oar", &faulty())]);
    let audit = "audit one two --out report --ledgers kept --format csv";
    desk.run_to(DONE, audit);
    let ledgers = kept(&desk, "kept");
    fs::remove_dir_all(desk.at("two")).unwrap();
    fs::create_dir(desk.at("two")).unwrap();
    for _ in 0..2 {
        desk.run_to(INCOMPLETE, audit);
        assert_eq!(ledgers.keys().collect::<Vec<_>>().len(), 3);
        assert!(ledgers.keys().all(|name| kept(&desk, "kept").contains_key(name)), "no ledger is removed");
        let findings = desk.table("report", "findings");
        let of = |code: &str| findings.iter().filter(|row| row["code"] == code).collect::<Vec<_>>();
        assert_eq!(of("RUN009").len(), 1);
        assert!(
            of("RUN009")[0]["archive"] == "two" && of("RUN009")[0]["message"].contains("the folder is empty")
        );
        assert_eq!(of("HIS007").len(), 1);
        assert!(of("HIS007")[0]["message"].contains("an earlier run found 2 inputs"), "{:?}", of("HIS007"));
    }
}

/// A folder directly below the given path may also be a disk.
#[test]
fn a_folder_that_lost_all_its_exports_is_reported() {
    let desk = Desk::with(&[("in/a.oar", &sound()), ("in/disk/b.oar", &sound()), ("in/old/c.oar", &sound())]);
    for day in ["2026-11-21", "2026-11-22"] {
        desk.write(&format!("in/{day}/d.oar"), sound());
    }
    let audit = "audit in --out report --ledgers kept --format csv";
    desk.run_to(DONE, audit);
    fs::remove_file(desk.at("in/disk/b.oar")).unwrap();
    for gone in ["in/old", "in/2026-11-21"] {
        fs::remove_dir_all(desk.at(gone)).unwrap();
    }
    let reported = || {
        let findings = desk.table("report", "findings");
        let reported = findings.iter().filter(|row| row["code"] == "HIS007");
        reported.map(|row| row["archive"].rsplit('/').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    desk.run_to(DONE, audit);
    assert_eq!(reported(), ["disk", "old"]);
    // A removed folder is reported once. An empty folder is reported as long as it is empty.
    desk.run_to(FINDINGS, &format!("{audit} --fail-on error"));
    assert_eq!(reported(), ["disk"]);
    assert!(kept(&desk, "kept").keys().any(|name| name.starts_with("b.oar") && name.ends_with(".ledger")));
}

/// A run does not know why the export of another job or folder is gone.
#[test]
fn ledgers_of_other_inputs_stay() {
    let desk = Desk::with(&[("one/a.oar", &sound()), ("two/b.oar", &sound())]);
    desk.run_to(DONE, "scan one two --ledgers kept");
    fs::remove_dir_all(desk.at("two")).unwrap();
    desk.run_to(DONE, "scan one --ledgers kept");
    let names: Vec<String> = kept(&desk, "kept").into_keys().collect();
    assert!(names.len() == 2 && names.iter().all(|name| name.ends_with(".ledger")), "{names:?}");
}

#[cfg(unix)]
#[test]
fn a_special_file_named_like_an_archive_cannot_be_read() {
    let desk = Desk::with(&[("in/a.oar", &sound())]);
    let made =
        std::process::Command::new("mkfifo").arg(desk.at("in/pipe.oar")).arg(desk.at("in/pipe")).status();
    assert!(made.unwrap().success());
    for flags in ["", " --ledgers kept", " --ledgers kept --checksum"] {
        desk.run_to(INCOMPLETE, &format!("audit in --out report --format csv{flags}"));
        assert_eq!(desk.column("report", "archives", "status"), ["complete", "complete", "unreadable"]);
        let findings = desk.table("report", "findings");
        let reported = findings.iter().find(|row| row["code"] == "RUN001").unwrap();
        assert!(reported["message"].contains("a named pipe"), "{reported:?}");
    }
}

#[test]
fn a_given_file_that_is_no_export_is_reported() {
    let desk = Desk::with(&[("README.md", b"# Read me"), ("a.oar", &sound()), ("in/notes.txt", b"notes")]);
    desk.write("in/b.oar", sound());
    let run = desk.run_to(INCOMPLETE, "audit README.md a.oar --out report --format csv --fail-on none");
    assert!(run.stdout.contains("RUN009"), "{}", run.stdout);
    let findings = desk.table("report", "findings");
    let reported = findings.iter().find(|row| row["code"] == "RUN009").unwrap();
    assert!(reported["entry"] == "README.md" && reported["message"].contains("text"), "{reported:?}");
    // There is nothing else to audit: the run prints one sentence and writes no report.
    let run = desk.run_to(INCOMPLETE, "audit README.md --out none");
    assert!(run.stderr.contains("README.md is not an export: it looks like text"), "{}", run.stderr);
    assert!(!desk.at("none/audit.json").exists());
    // A file of unknown kind below a folder is counted.
    desk.run_to(DONE, "audit in --out report --format csv");
}

#[test]
fn outputs_below_an_input_are_left_out_and_hide_no_export() {
    let desk = Desk::with(&[("in/archive.xml", CONTROL.as_bytes()), ("in/deep/a.oar", &sound())]);
    let audit = "audit in --out in/report --ledgers in/kept --letters in/letters";
    for _ in 0..2 {
        desk.run_to(DONE, audit);
        assert_eq!(desk.column("in/report", "archives", "archive"), ["in", "in/deep/a.oar"]);
        assert_eq!(desk.column("in/report", "archives", "unknown_files"), ["0", "0"]);
    }
    for flags in ["--out in/deep", "--out report --ledgers in/deep", "--out report --letters in/deep"] {
        let run = desk.run_to(USAGE, &format!("audit in {flags}"));
        assert!(
            run.stderr.contains("in/deep/a.oar lies in in/deep, which this run writes to"),
            "{}",
            run.stderr
        );
    }
    assert!(desk.run_to(USAGE, "scan in --ledgers in/deep").stderr.contains("in/deep/a.oar lies in"));
}

#[test]
fn reports_and_ledgers_are_recognised() {
    let desk = Desk::with(&[("in/a.oar", &sound())]);
    desk.run_to(DONE, "audit in --out in/old --ledgers kept");
    desk.run_to(DONE, "audit in --out report --format csv");
    let findings = desk.table("report", "findings");
    let reported: Vec<&str> =
        findings.iter().filter(|row| row["archive"] == "in/old").map(|row| row["message"].as_str()).collect();
    assert!(
        !reported.is_empty() && reported.iter().all(|message| message.contains("a report of hullmark")),
        "{reported:?}"
    );
    let run = desk.run_to(INCOMPLETE, "audit in/old --out none");
    assert!(
        run.stderr.contains("No export found in in/old: it holds a report of hullmark"),
        "{}",
        run.stderr
    );
    let run = desk.run_to(INCOMPLETE, "audit kept --out none");
    assert!(run.stderr.contains("ledgers of hullmark"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn the_operator_is_notified_of_a_run_with_nothing_to_audit() {
    let desk = Desk::with(&[("empty/notes.txt", b"")]);
    let mut audit = std::process::Command::new(env!("CARGO_BIN_EXE_hullmark"));
    audit.args(["audit", "empty", "--out", "report", "--notify-command"]);
    audit.arg("(echo exit $HULLMARK_EXIT report $HULLMARK_REPORT; cat) > told").current_dir(desk.at(""));
    assert_eq!(audit.status().unwrap().code(), Some(INCOMPLETE));
    assert_eq!(fs::read_to_string(desk.at("told")).unwrap(), "exit 3 report\n");
}
