//! One object of an archive is shown as after a complete reading, whatever the order of members.

use crate::support::{
    archive::{Archive, control, gzip, settings},
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
    repository, scan_one,
};
use hullmark_ledger::{Ledger, facts::ObjectFacts};
use hullmark_scan::{
    ReadOptions, Unwatched,
    object_selection::{Choose, Needs, ObjectSelection},
    read_inputs,
};
use hullmark_settings::limits::Limits;
use hullmark_source as source;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::Mutex,
};
use uuid::Uuid;

/// Names and contents.
type Members = Vec<(String, Vec<u8>)>;

/// Numbers of the meshes of the table, of the boxed lamp, and of nothing in use.
const TABLE: u32 = 1;
const LAMP: u32 = 2;
const UNUSED: u32 = 3;

fn run(command: &str, path: &Path, name: &str) -> Output {
    let args = [command, path.to_str().unwrap(), "--object", name, "--json", "--quiet"];
    Command::new(env!("CARGO_BIN_EXE_hullmark")).args(args).output().unwrap()
}

fn asset(number: u32) -> String {
    uuid(0x3e3e_3e3e, number)
}

fn mesh(number: u32) -> (String, Vec<u8>) {
    (format!("assets/{}_mesh.llmesh", asset(number)), MeshFile::cube().encode())
}

fn object(name: &str, number: u32, mesh: u32) -> String {
    xml2(&[Prim { mesh: Some(asset(mesh)), ..Prim::new(name, number) }])
}

/// Returns the objects and the assets of a region. A lamp is in an inventory.
fn members() -> (Members, Members) {
    let objects = [("Chair", 1, UNUSED), ("Table", 2, TABLE), ("Shelf", 3, 99)];
    let objects = objects
        .map(|(name, number, mesh)| (format!("objects/{name}.xml"), object(name, number, mesh).into_bytes()));
    let lamp = (format!("assets/{}_object.xml", asset(9)), object("Lamp", 4, LAMP).into_bytes());
    (objects.into(), vec![mesh(TABLE), lamp, mesh(LAMP), mesh(UNUSED)])
}

/// Returns the archive with these members between the control file and the settings.
fn region(members: impl IntoIterator<Item = (String, Vec<u8>)>) -> Archive {
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let archive = members.into_iter().fold(archive, |archive, (name, bytes)| archive.add(&name, bytes));
    archive.add("settings/Harbour.xml", settings("1"))
}

fn write(folder: &tempfile::TempDir, bytes: Vec<u8>) -> PathBuf {
    let path = folder.path().join("region.oar");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn the_order_of_members_makes_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let (objects, assets) = members();
    let (first, last) = objects.split_at(1);
    let orders = [
        [&objects[..], &assets].concat(),
        [&assets[..], &objects].concat(),
        [first, &assets, last].concat(),
        [&assets[..2], &objects, &assets[2..]].concat(),
    ];
    let part = uuid(0x0b0b_0b0b, 2);
    for name in ["Table", "table", "objects/Table.xml", &part, "Lamp", &asset(9), "Shelf", &asset(TABLE)] {
        for command in ["inspect", "link", "fix"] {
            let outputs = orders.each_ref().map(|members| {
                let path = write(&folder, region(members.iter().cloned()).gzip());
                run(command, &path, name)
            });
            for other in &outputs[1..] {
                assert!(*other == outputs[0], "{command} {name}");
            }
        }
    }
}

#[test]
fn a_missing_mesh_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (objects, assets) = members();
    let path = write(&folder, region(objects.into_iter().chain(assets)).gzip());
    let shown = String::from_utf8(run("inspect", &path, "Shelf").stdout).unwrap();
    assert!(shown.contains("AST001") && shown.contains(&asset(99)));
}

#[test]
fn damage_behind_the_object_counts_only_if_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let (objects, assets) = members();
    let settings = ("settings/Harbour.xml".to_owned(), settings("1").into_bytes());
    // Larger than what is read from the disk at once, and not compressible.
    let mut state = 1_u64;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    let ballast = (format!("assets/{}_texture.jp2", asset(50)), noise.take(2_000_000).collect());
    let whole = region(objects.into_iter().chain([settings]).chain(assets).chain([ballast]));
    let mut tar = gzip(&whole.tar());
    tar.truncate(tar.len() - 100_000);
    let path = write(&folder, tar);
    for (command, name, code) in [
        ("inspect", uuid(0x0b0b_0b0b, 2), 0),
        ("link", uuid(0x0b0b_0b0b, 2), 0),
        ("inspect", "objects/Table.xml".into(), 0),
        ("inspect", asset(TABLE), 0),
        // Further objects may have the name, and the end may have the missing mesh.
        ("inspect", "Table".into(), 3),
        ("inspect", uuid(0x0b0b_0b0b, 3), 3),
    ] {
        assert_eq!(run(command, &path, &name).status.code(), Some(code), "{command} {name}");
    }
}

#[test]
fn the_first_object_of_a_uuid_counts() {
    let folder = tempfile::tempdir().unwrap();
    let twice = [("A", TABLE), ("B", UNUSED)];
    let twice = twice.map(|(name, mesh)| (format!("objects/{name}.xml"), object(name, 2, mesh).into_bytes()));
    let path = write(&folder, region(twice.into_iter().chain(members().1)).gzip());
    let shown = String::from_utf8(run("inspect", &path, &uuid(0x0b0b_0b0b, 2)).stdout).unwrap();
    assert!(shown.contains("objects/A.xml") && !shown.contains("objects/B.xml"));
}

/// Chooses the objects of one member.
struct Entry<'a>(&'a str, Mutex<bool>);

impl Choose for Entry<'_> {
    fn may_hold(&self, entry: &str, _: &[u8]) -> bool {
        entry == self.0
    }

    fn takes(&self, entry: &str, objects: &[ObjectFacts]) -> bool {
        let taken = entry == self.0 && !objects.is_empty();
        *self.1.lock().unwrap() |= taken;
        taken
    }

    fn uses(&self, object: &ObjectFacts) -> Vec<Uuid> {
        let parts = object.linkset.parts.iter();
        parts.flat_map(|part| [part.mesh(), part.possible_sculpt_map()]).flatten().collect()
    }

    fn is_done(&self) -> bool {
        *self.1.lock().unwrap()
    }
}

fn read_only(path: &Path, entry: &str) -> Ledger {
    let inputs = source::walk(&[path.to_owned()], &[]).unwrap();
    let (limits, kept) = (Limits::default(), Mutex::new(None));
    let choice = Entry(entry, Mutex::new(false));
    let objects = Some(ObjectSelection { choice: &choice, needs: Needs::Assets });
    let keep = |ledger| {
        *kept.lock().unwrap() = Some(ledger);
        Ok(())
    };
    read_inputs(&inputs, &ReadOptions { objects, ..ReadOptions::new(&limits, 2) }, &Unwatched, &keep)
        .unwrap();
    kept.into_inner().unwrap().unwrap()
}

#[test]
fn facts_are_those_of_a_complete_reading() {
    let samples = ["regions", "archives", "contents", "figures"];
    let folders = samples.map(|folder| repository().join("sample_data").join(folder));
    let files =
        folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|file| file.unwrap().path());
    let mut compared = 0;
    for path in files.filter(|path| path.extension().is_some_and(|end| end == "oar" || end == "iar")) {
        let whole = scan_one(&path, &Limits::default());
        let mut entries: Vec<_> = whole.objects.iter().map(|object| &object.entry).collect();
        entries.dedup();
        for entry in entries {
            let part = read_only(&path, entry);
            let here = |ledger: &Ledger| {
                let objects = ledger.objects.iter().filter(|object| object.entry == *entry);
                let region = |object: &ObjectFacts| {
                    let region = &ledger.regions[object.region? as usize];
                    Some((region.name.clone(), region.size, region.uuid))
                };
                objects.map(|it| (region(it), ObjectFacts { region: None, ..it.clone() })).collect::<Vec<_>>()
            };
            // Printed, because a position may be no number.
            let [read, expected] = [&part, &whole].map(|ledger| format!("{:?}", here(ledger)));
            assert!(read == expected, "{} {entry}", path.display());
            for used in here(&whole).iter().flat_map(|(_, object)| &object.linkset.parts) {
                let meshes = |ledger: &Ledger| {
                    ledger.meshes.iter().find(|mesh| mesh.uuid.is_some() && mesh.uuid == used.mesh()).cloned()
                };
                let maps = |ledger: &Ledger| {
                    let map = used.possible_sculpt_map();
                    ledger.sculpts.iter().find(|sculpt| Some(sculpt.uuid) == map).cloned()
                };
                assert!(meshes(&part) == meshes(&whole), "{} {entry}", path.display());
                assert!(maps(&part) == maps(&whole), "{} {entry}", path.display());
            }
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
