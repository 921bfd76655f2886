//! A tree of FSAssets, and a Flotsam cache.

use super::File;
use crate::support::{
    archive::gzip,
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
    stores::{cached, hash, packed, path},
};

pub(super) fn all() -> Vec<File> {
    let under = |folder: &'static str, files: Vec<File>| {
        files.into_iter().map(move |(name, bytes)| (format!("{folder}/{name}"), bytes))
    };
    under("fsassets", tree()).chain(under("assetcache", cache())).collect()
}

/// Returns a tree with each kind of file that a service leaves.
fn tree() -> Vec<File> {
    let note = |words: &str| format!("Linden text version 2\n{{\nText length {}\n{words}}}\n", words.len());
    let (damaged, hidden) = (note("damaged"), note("hidden"));
    let (misplaced, spooled) = (note("misplaced"), note("spooled"));
    // The service adds an attribute after it computed the hash.
    let object = xml2(&[Prim::new("Chair", 2101)]);
    let (_, rewritten) = packed(object.replace("<SceneObjectGroup>", "<SceneObjectGroup >").as_bytes());
    let cut = gzip(hidden.as_bytes());
    vec![
        packed(&MeshFile::cube().encode()),
        (path(&hash(object.as_bytes())) + ".gz", rewritten),
        (path(&hash(damaged.as_bytes())), damaged.replace("damaged", "DAMAGED").into_bytes()),
        (path(&hash(hidden.as_bytes())), hidden.clone().into_bytes()),
        (path(&hash(hidden.as_bytes())) + ".gz", cut[..cut.len() - 9].to_vec()),
        (
            format!("{}/{}", &hash(misplaced.as_bytes())[..2], hash(misplaced.as_bytes())),
            misplaced.into_bytes(),
        ),
        (format!("spool/{}.asset", hash(spooled.as_bytes())), spooled.into_bytes()),
        ("junkyard/chicken bones".into(), b"of an older service".to_vec()),
    ]
}

/// Returns a cache with a mesh and a file that was cut short.
fn cache() -> Vec<File> {
    let [mesh, note] = [1, 2].map(|number| uuid(0xcacc_cacc, number));
    let file = |id: &str| format!("{}/{id}", &id[..3]);
    let mut cut = cached(&note, 7, b"Linden text version 2\n{\n");
    cut.truncate(cut.len() - 40);
    vec![
        (file(&mesh), cached(&mesh, 49, &MeshFile::cube().encode())),
        (file(&note), cut),
        ("RegionStatus_4e4e4e4e-0000-4000-8000-000000000001.fac".into(), Vec::new()),
    ]
}
