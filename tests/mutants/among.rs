//! Good archives among broken ones.

use super::{Archive, Dice};
use crate::support::{
    self,
    archive::{control, settings},
    audit,
    llsd::Llsd,
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
};
use hullmark::{
    ledger::Ledger,
    limits::Limits,
    scan::{Unwatched, scan},
    source,
};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

type Rows = Vec<csv::ByteRecord>;

const GOOD: u32 = 200;
const BROKEN: u32 = 50;

/// A region with an object of two prims, one of them a mesh. No other archive has its UUIDs, nor the bytes of its mesh:
/// what several archives share is told of all of them.
fn region(number: u32) -> Vec<u8> {
    let mesh = uuid(0x3e3e_3e3e, number);
    let seat = Prim { mesh: Some(mesh.clone()), ..Prim::new("Seat", 2 * number) };
    let back = Prim { offset: [0.0, 0.0, 1.0], ..Prim::new("Back", 2 * number + 1) };
    support::archive::Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256"))
        .add("objects/chair.xml", xml2(&[seat, back]))
        .add("settings/Somewhere.xml", settings("1"))
        .add(
            &format!("assets/{mesh}_mesh.llmesh"),
            MeshFile::cube().entry("number", Llsd::Int(number as i32)).encode(),
        )
        .gzip()
}

/// Whether a file, or what is told of it, is that of a good archive.
fn is_good(name: &str) -> bool {
    !name.contains("broken")
}

/// The rows of each table that are about good archives.
fn rows_of_good(report: &Path) -> BTreeMap<String, Rows> {
    let rows = |bytes: &[u8]| -> Rows {
        let mut reader = csv::Reader::from_reader(bytes);
        let archive = reader.headers().unwrap().iter().position(|column| column == "archive").unwrap();
        let good = |row: &csv::ByteRecord| is_good(&String::from_utf8_lossy(&row[archive]));
        reader.byte_records().map(Result::unwrap).filter(good).collect()
    };
    let tables = support::files(report).into_iter().filter(|(name, _)| name.ends_with(".csv"));
    tables.map(|(name, bytes)| (name, rows(&bytes))).collect()
}

/// The ledgers of good archives, as they are written.
fn ledgers_of_good(exports: PathBuf) -> BTreeMap<String, Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let keep = |ledger: Ledger| ledger.write(folder.path()).map(drop);
    scan(&source::walk(&[exports], &[]).unwrap(), &Limits::default(), 2, &Unwatched, &keep).unwrap();
    support::files(folder.path()).into_iter().filter(|(name, _)| is_good(name)).collect()
}

#[test]
fn good_archives_are_told_the_same_among_broken_ones() {
    let folder = tempfile::tempdir().unwrap();
    let exports = folder.path().join("exports");
    fs::create_dir(&exports).unwrap();
    for number in 0..GOOD {
        fs::write(exports.join(format!("region-{number:03}.oar")), region(number)).unwrap();
    }
    let told = |out: &str| {
        let out = folder.path().join(out);
        audit(std::slice::from_ref(&exports), &out, 2);
        (ledgers_of_good(exports.clone()), rows_of_good(&out))
    };
    let (ledgers, tables) = told("alone");
    assert_eq!(ledgers.len(), GOOD as usize);
    assert_eq!(tables["objects.csv"].len(), GOOD as usize);

    for number in 0..BROKEN {
        let (whole, other) =
            (Archive::open(&region(GOOD + number)), Archive::open(&region(2 * GOOD + number)));
        let (bytes, _) = whole.mutant(&mut Dice::new(number.into()), &other);
        fs::write(exports.join(format!("region-{number:03}-broken.oar")), bytes).unwrap();
    }
    let (ledgers_among, tables_among) = told("among");
    assert!(ledgers == ledgers_among);
    for (table, rows) in &tables {
        assert!(*rows == tables_among[table], "{table} tells something else of a good archive");
    }
}
