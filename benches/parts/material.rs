//! Material of the benchmarks: samples, and larger real exports if they are available.

use flate2::{Compression, write::GzEncoder};
use hullmark_format::{
    inflate,
    llsd::{self, Value},
};
use hullmark_source::{
    gzip::GzipStream,
    tar::{Header, TarReader},
};
use std::{
    fmt, fs,
    io::{Read, Write},
    path::{Path, PathBuf},
};

/// Bytes with the name of their source file.
#[derive(Clone)]
pub struct Material {
    name: &'static str,
    pub bytes: Vec<u8>,
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Returns mesh assets.
pub fn meshes() -> Vec<Material> {
    let sample = sample("meshes/chair.llmesh");
    [Some(sample), largest("ElfEars.iar", "_mesh.llmesh")].into_iter().flatten().collect()
}

/// Returns object XML.
pub fn objects() -> Vec<Material> {
    let sample = sample("objects/linkset-of-255-prims.xml");
    [Some(sample), largest("faraway.oar", ".xml")].into_iter().flatten().collect()
}

/// Returns the zlib blocks of the meshes' high level of detail.
pub fn blocks() -> Vec<Material> {
    meshes().into_iter().map(|mesh| Material { bytes: high_lod(&mesh.bytes), ..mesh }).collect()
}

/// Returns the same blocks inflated: one LLSD value each.
pub fn values() -> Vec<Material> {
    let inflated = |block: &[u8]| inflate::with(|inflater| inflater.inflate(block, u64::MAX).bytes.to_vec());
    blocks().into_iter().map(|block| Material { bytes: inflated(&block.bytes), ..block }).collect()
}

/// Returns tars in gzip. The objects of the samples are alike, so their archive inflates faster than nearly any real
/// one.
pub fn gzips() -> Vec<Material> {
    let made = Material { name: "samples", bytes: gzip(&tar_of_samples()) };
    let read = |name| Some(Material { name, bytes: fs::read(real_path(name)?).unwrap() });
    [Some(made), read("faraway.oar")].into_iter().flatten().collect()
}

/// Returns the same tars, inflated.
pub fn tars() -> Vec<Material> {
    gzips().into_iter().map(|gzip| Material { bytes: gunzip(&gzip.bytes), ..gzip }).collect()
}

fn tar_of_samples() -> Vec<u8> {
    let samples: Vec<_> = ["meshes", "objects"].iter().flat_map(|folder| files(folder)).collect();
    let mut tar = tar::Builder::new(Vec::new());
    for copy in 0..8 {
        for path in &samples {
            let name = format!("objects/{copy}-{}", path.file_name().unwrap().display());
            tar.append_path_with_name(path, name).unwrap();
        }
    }
    tar.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gunzip(gzip: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzipStream::new(gzip).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Returns the path of a file of `sample_data`.
pub fn sample_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data").join(name)
}

/// Returns the path of a real export, or `None` if it is missing.
pub fn real_path(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(name);
    path.exists().then_some(path)
}

fn sample(name: &'static str) -> Material {
    Material { name, bytes: fs::read(sample_path(name)).unwrap() }
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(sample_path(folder)).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Returns the largest member with this ending of a real export.
fn largest(archive: &'static str, ending: &str) -> Option<Material> {
    let tar = gunzip(&fs::read(real_path(archive)?).unwrap());
    let members = members(&tar).into_iter().filter(|(header, _)| header.name.ends_with(ending));
    members.map(|(_, bytes)| Material { name: archive, bytes }).max_by_key(|member| member.bytes.len())
}

fn members(tar: &[u8]) -> Vec<(Header, Vec<u8>)> {
    let mut reader = TarReader::new(tar, &hullmark_settings::limits::Limits::default());
    let mut members = Vec::new();
    while let Some(header) = reader.next_header().unwrap() {
        let mut bytes = Vec::new();
        reader.read_data(&mut bytes).unwrap();
        members.push((header, bytes));
    }
    members
}

fn high_lod(mesh: &[u8]) -> Vec<u8> {
    let header = llsd::parse(mesh, 64).unwrap();
    let block = header.value.as_map().and_then(|map| map.get("high_lod")).and_then(Value::as_map).unwrap();
    let [offset, size] =
        ["offset", "size"].map(|key| block.get(key).and_then(Value::as_i64).unwrap() as usize);
    mesh[header.consumed + offset..][..size].to_vec()
}
