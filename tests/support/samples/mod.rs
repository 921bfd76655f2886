//! The files of `sample_data`, with a folder for each kind. `expected.toml` describes the purpose of each file.

mod across;
mod archives;
mod contents;
mod databases;
mod figures;
mod inventories;
mod meshes;
mod models;
mod nights;
mod objects;
mod regions;
mod stores;
mod viewers;

use super::object::{Prim, uuid, xml2};
pub(crate) use databases::dump_of;
pub use regions::{inventory_control, inventory_item, sculpts};

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";
const SECOND_REGION: &str = "4e4e4e4e-0000-4000-8000-000000000002";
const PARCEL: &str = "9a9a9a9a-0000-4000-8000-000000000001";
const SECOND_PARCEL: &str = "9a9a9a9a-0000-4000-8000-000000000002";

/// A file: its path and its bytes.
pub type File = (String, Vec<u8>);

/// Returns every sample below `sample_data`. All can be read to their end, so that the audit of the folder is complete.
pub fn all() -> Vec<File> {
    let folders = [
        ("regions", regions::all()),
        ("archives", archives::all()),
        ("across", across::all()),
        ("meshes", meshes::all()),
        ("models", models::all()),
        ("nights", nights::all()),
        ("objects", objects::all()),
        ("contents", contents::all()),
        ("figures", figures::all()),
        ("databases", [databases::all(), inventories::all()].concat()),
        ("viewers", viewers::all()),
        ("viewer-cache", viewers::cache()),
        ("stores", stores::all()),
    ];
    let below = |(folder, files): (&str, Vec<File>)| -> Vec<File> {
        files.into_iter().map(|(name, bytes)| (format!("{folder}/{name}"), bytes)).collect()
    };
    let first = ("first-region.oar".to_owned(), regions::first_region());
    [first].into_iter().chain(folders.into_iter().flat_map(below)).collect()
}

/// Returns the samples below `tests/incomplete`, which cannot be read to their end.
pub fn incomplete() -> Vec<File> {
    [archives::incomplete(), databases::incomplete()].concat()
}

fn mesh_uuid(number: u32) -> String {
    uuid(0x3e3e_3e3e, number)
}

fn asset(number: u32, suffix: &str) -> String {
    format!("assets/{}_{suffix}", mesh_uuid(number))
}

fn object_path(prim: &Prim) -> String {
    let [x, y, z] = prim.position.map(f64::round);
    format!("objects/{}_{x:03}-{y:03}-{z:03}__{}.xml", prim.name, prim.uuid)
}

/// Returns an object of one part as a member of an archive.
fn object(prim: &Prim) -> (String, String) {
    (object_path(prim), xml2(std::slice::from_ref(prim)))
}
