//! Stores supply assets that an input lacks, and no others.

use crate::support::{
    archive::{Archive, control},
    files,
    mesh::{MeshFile, ball, convex, cube_corners},
    object::{Prim, uuid, xml1, xml2},
    read_csv,
};
use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";
const MAP: &[u8] = include_bytes!("../support/sculpt_maps/sphere.j2c");

fn mesh() -> String {
    uuid(0x3e3e_3e3e, 1)
}

fn map() -> String {
    uuid(0x3e3e_3e3e, 2)
}

fn gift() -> String {
    uuid(0x3e3e_3e3e, 3)
}

/// Returns a region with a mesh object, a sculpt and a box in a box, without their assets.
fn region() -> Archive {
    let crate_ = Prim { mesh: Some(mesh()), physics_shape_type: Some(2), ..Prim::new("Crate", 1) };
    let ball = Prim { sculpt: Some(map()), physics_shape_type: Some(2), ..Prim::new("Ball", 2) };
    let parcel = Prim { contains: Some(gift()), ..Prim::new("Parcel", 3) };
    let object = |prim: &Prim| xml2(std::slice::from_ref(prim));
    Archive::new(&control(REGION, "256,256"))
        .add("objects/crate.xml", object(&crate_))
        .add("objects/ball.xml", object(&ball))
        .add("objects/parcel.xml", object(&parcel))
        .add(&format!("assets/{}_sound.ogg", uuid(0x3e3e_3e3e, 9)), "OggS")
}

fn cube() -> Vec<u8> {
    MeshFile::cube().block("physics_convex", &convex(&cube_corners(), &[])).encode()
}

/// Returns an archive with all assets that the region lacks.
fn store() -> Archive {
    Archive::new(&control(REGION, "256,256"))
        .add("objects/other.xml", xml2(&[Prim::new("Other", 9)]))
        .add(&format!("assets/{}_mesh.llmesh", mesh()), cube())
        .add(&format!("assets/{}_texture.jp2", map()), MAP)
        .add(&format!("assets/{}_object.xml", gift()), xml1(&[Prim::new("Gift", 8)]))
        .add(&format!("assets/{}_mesh.llmesh", uuid(0x3e3e_3e3e, 7)), "a mesh that nobody asks for")
}

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        desk.write("region.oar", region().gzip());
        desk.write("store.oar", store().gzip());
        desk
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, arguments: &str) -> i32 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hullmark"));
        let output = command.args(arguments.split(' ')).current_dir(self.0.path()).output().unwrap();
        output.status.code().unwrap()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Returns the number of findings of each code.
    fn codes(&self, report: &str) -> BTreeMap<String, u32> {
        let mut codes = BTreeMap::new();
        for row in read_csv(&self.path(report).join("findings.csv")) {
            *codes.entry(row["code"].clone()).or_default() += 1;
        }
        codes
    }

    fn column(&self, report: &str, table: &str, column: &str) -> Vec<String> {
        let rows = read_csv(&self.path(report).join(format!("{table}.csv")));
        rows.into_iter().map(|mut row| row.remove(column).unwrap()).collect()
    }
}

#[test]
fn a_store_supplies_only_missing_assets() {
    let desk = Desk::new();
    assert_eq!(desk.run("audit region.oar --out without"), 0);
    let without = desk.codes("without");
    assert_eq!((without.get("AST001"), without.get("OBJ009")), (Some(&2), Some(&1)), "{without:?}");
    assert_eq!(desk.run("audit region.oar --assets store.oar --out with"), 0);
    let with = desk.codes("with");
    assert_eq!((with.get("AST001"), with.get("OBJ009"), with.get("CST005")), (None, None, None), "{with:?}");

    assert_eq!(desk.column("with", "archives", "archive"), ["region.oar", "store.oar"]);
    assert_eq!(desk.column("with", "archives", "kind"), ["oar", "store"]);
    assert_eq!(desk.column("with", "objects", "name"), ["Crate", "Ball", "Parcel"], "no object of the store");
    assert!(
        desk.column("with", "meshes", "archive").is_empty()
            && with.keys().all(|code| without.contains_key(code))
    );
    let costs = desk.column("with", "objects", "physics_cost");
    // The base hull of a cube has 8 corners: 0.04 × (8 + 1).
    assert_eq!(costs[0], "0.36");
    assert!(costs[1].parse::<f64>().unwrap() > 0.0);
}

#[test]
fn folders_and_halves_give_the_same_report() {
    let desk = Desk::new();
    for (name, bytes) in store().members {
        let Some(file) = name.strip_prefix("assets/") else { continue };
        // Each file name is a UUID with an ending; the map has no ending.
        let file = match file.split_once('_') {
            Some((uuid, "texture.jp2")) => uuid.to_owned(),
            Some((uuid, "object.xml")) => format!("{uuid}_object.xml"),
            Some((uuid, _)) => format!("{uuid}.llmesh"),
            None => file.to_owned(),
        };
        desk.write(&format!("store/{file}"), bytes);
    }
    assert_eq!(desk.run("audit region.oar --assets store.oar --out with"), 0);
    assert_eq!(desk.run("audit region.oar --assets store --out folder --threads 1"), 0);
    assert_eq!(desk.codes("folder"), desk.codes("with"));
    assert_eq!(
        desk.column("folder", "objects", "physics_cost"),
        desk.column("with", "objects", "physics_cost")
    );

    assert_eq!(desk.run("scan region.oar --assets store.oar --ledgers ledgers"), 0);
    assert_eq!(desk.run("report ledgers --out halves"), 0);
    assert!(files(&desk.path("halves")) == files(&desk.path("with")));
}

#[test]
fn assets_of_the_input_come_first() {
    let desk = Desk::new();
    let heavy = MeshFile::cube().block("physics_convex", &convex(&ball(100, [0.0; 3], 0.4), &[]));
    let own = region().add(&format!("assets/{}_mesh.llmesh", mesh()), heavy.encode());
    desk.write("own.oar", own.gzip());
    let damaged = region().add(&format!("assets/{}_mesh.llmesh", mesh()), [0; 100]);
    desk.write("damaged.oar", damaged.gzip());
    // Assets of another input are not used.
    assert_eq!(desk.run("audit own.oar damaged.oar region.oar --out alone"), 0);
    assert_eq!(desk.run("audit own.oar damaged.oar region.oar --assets store.oar --out with"), 0);
    let crates = |report: &str| {
        let costs = desk.column(report, "objects", "physics_cost");
        let names = desk.column(report, "objects", "name");
        names
            .into_iter()
            .zip(costs)
            .filter(|(name, _)| name == "Crate")
            .map(|(_, cost)| cost)
            .collect::<Vec<_>>()
    };
    assert_eq!(crates("alone"), ["", "4.04", ""]);
    assert_eq!(crates("with"), ["", "4.04", "0.36"]);
}

#[test]
fn a_path_may_be_audited_and_a_store() {
    let desk = Desk::new();
    assert_eq!(desk.run("audit region.oar store.oar --assets store.oar --out both"), 0);
    assert_eq!(desk.column("both", "archives", "kind"), ["oar", "oar", "store"]);
    // A store that was not read to its end makes the audit incomplete. A store that does not exist is a usage error.
    let whole = store().gzip();
    desk.write("cut.oar", &whole[..whole.len() / 2]);
    assert_eq!(desk.run("audit region.oar --assets cut.oar --out cut"), 3);
    assert_eq!(desk.run("audit region.oar --assets nowhere --out report"), 2);
}

#[test]
fn assets_that_an_incomplete_store_may_hold_are_not_missing() {
    let desk = Desk::new();
    let whole = store().gzip();
    desk.write("store.oar", &whole[..whole.len() / 3]);
    assert_eq!(desk.run("audit region.oar --assets store.oar --out cut"), 3);
    let codes = desk.codes("cut");
    assert_eq!((codes.get("AST001"), codes.get("OBJ009")), (None, None), "{codes:?}");
    let because = desk.column("cut", "checks", "reason");
    assert!(
        because.iter().any(|words| words.contains("an asset store was not read to its end")),
        "{because:?}"
    );
}
