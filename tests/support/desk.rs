//! A separate folder for each test with a few small exports, in which the built program runs.

use crate::support::{
    archive::{Archive, control, settings},
    files,
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::PathBuf,
    process::Command,
};
use tempfile::TempDir;
use walkdir::WalkDir;

pub(crate) const DONE: i32 = 0;
pub(crate) const FINDINGS: i32 = 1;
pub(crate) const USAGE: i32 = 2;
pub(crate) const INCOMPLETE: i32 = 3;
pub(crate) const STOPPED: i32 = 4;

/// A folder in which the program runs.
pub(crate) struct Desk(TempDir);

/// The exit code and the output of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The files of a folder: their names and bytes.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A row of a table: its values by column.
pub(crate) type Row = BTreeMap<String, String>;

impl Desk {
    /// Creates a folder with these files.
    pub(crate) fn with(files: &[(&str, &[u8])]) -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        for (name, bytes) in files {
            desk.write(name, bytes);
        }
        desk
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Runs the program with arguments that contain no blanks. Asserts that no partial file is left, regardless of the
    /// exit code.
    pub(crate) fn run(&self, arguments: &str) -> Run {
        self.run_where(&[], arguments)
    }

    /// Runs the program with additional environment variables.
    pub(crate) fn run_where(&self, environment: &[(&str, &str)], arguments: &str) -> Run {
        let partial = || -> BTreeSet<PathBuf> {
            let names = WalkDir::new(self.0.path()).into_iter().flatten().map(walkdir::DirEntry::into_path);
            names.filter(|path| path.to_string_lossy().contains(".partial")).collect()
        };
        let before = partial();
        // The built program, or one with other features.
        let program = env::var("HULLMARK_PROGRAM");
        let mut command = Command::new(program.as_deref().unwrap_or(env!("CARGO_BIN_EXE_hullmark")));
        // The settings of the user who runs the tests have no effect.
        command.env_remove("HULLMARK_PROFILE").env("XDG_CONFIG_HOME", self.0.path().join("no-settings"));
        command.args(arguments.split(' ')).current_dir(self.0.path()).envs(environment.iter().copied());
        let output = command.output().unwrap();
        let run = Run {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        };
        let left: Vec<_> = partial().difference(&before).cloned().collect();
        assert!(left.is_empty(), "{arguments}: left behind {left:?}");
        run
    }

    /// Runs the program and asserts its exit code.
    pub(crate) fn run_to(&self, code: i32, arguments: &str) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, code, "{arguments}\n{}{}", run.stdout, run.stderr);
        run
    }

    pub(crate) fn files(&self, folder: &str) -> Files {
        files(&self.at(folder))
    }

    /// Returns the ledgers in a folder, without its history.
    pub(crate) fn ledgers(&self, folder: &str) -> Files {
        let mut files = self.files(folder);
        files.retain(|name, _| name != "history.csv");
        files
    }

    /// Returns the rows of a table of the report in this folder.
    pub(crate) fn table(&self, folder: &str, table: &str) -> Vec<Row> {
        let mut reader = csv::Reader::from_path(self.at(folder).join(format!("{table}.csv"))).unwrap();
        reader.deserialize().map(Result::unwrap).collect()
    }

    /// Returns one column of a table.
    pub(crate) fn column(&self, folder: &str, table: &str, column: &str) -> Vec<String> {
        self.table(folder, table).into_iter().map(|mut row| row.remove(column).unwrap()).collect()
    }

    pub(crate) fn audit_json(&self, folder: &str) -> Value {
        serde_json::from_slice(&fs::read(self.at(folder).join("audit.json")).unwrap()).unwrap()
    }
}

/// Returns a region with one linkset and an asset. Without the asset it would count as an archive without assets.
pub(crate) fn region(parts: &[Prim]) -> Archive {
    without_ground(parts).flat_ground("terrains/Somewhere.r32", 256)
}

fn without_ground(parts: &[Prim]) -> Archive {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/thing.xml", xml2(parts))
        .add("settings/Somewhere.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note")
}

/// Returns a region without faults.
pub(crate) fn sound() -> Vec<u8> {
    region(&[Prim::new("Chair", 1)]).gzip()
}

/// Returns a region with an error: a linkset of two prims that are 60 m apart.
pub(crate) fn faulty() -> Vec<u8> {
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 3) };
    region(&[Prim::new("Bridge", 2), far]).gzip()
}

/// Returns the first part of an archive.
pub(crate) fn truncated() -> Vec<u8> {
    let whole = without_ground(&[Prim::new("Chair", 1)]).gzip();
    whole[..whole.len() * 2 / 3].to_vec()
}

/// Creates a region with a mesh, a folder with an archive's name, loose files, and a damaged archive.
pub(crate) fn mixed() -> Desk {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let crate_ = Prim { mesh: Some(mesh.clone()), ..Prim::new("Crate", 4) };
    let with_mesh =
        region(&[crate_]).add(&format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().encode()).gzip();
    Desk::with(&[
        ("a.oar", &sound()),
        ("b.oar", &faulty()),
        ("India.oar/India.oar", &with_mesh),
        ("cut.oar", &truncated()),
        ("loose/box.xml", xml2(&[Prim::new("Box", 5)]).as_bytes()),
        ("loose/cube.llmesh", &MeshFile::cube().encode()),
        ("loose/notes.txt", b"nothing to audit"),
    ])
}

/// Compares two reports. The bytes are too many to print.
pub(crate) fn assert_same(one: &Files, other: &Files) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in one {
        assert!(*bytes == other[name], "{name} differs");
    }
}
