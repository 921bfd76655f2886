//! Seeds of the fuzz targets in `fuzz/`, and the inputs that the targets kept. None of them is committed, because real
//! exports may not be published.

use super::{
    Archive, COLLADA, Mesh, dumps_in_files, is_archive, is_mesh, members_of, model, mutate::WAIVERS,
    samples_of,
};
use crate::{properties, support::repository};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// Size limit of a seed in bytes. A larger seed only makes a target slow.
const MOST: usize = 200_000;

/// Number of seeds from real exports for each target, taken evenly from all of them. Each target gets all seeds from
/// samples.
const REAL: usize = 400;

/// Seeds by target.
#[derive(Default)]
struct Corpora(BTreeMap<&'static str, Vec<Vec<u8>>>);

impl Corpora {
    fn add(&mut self, target: &'static str, bytes: &[u8]) {
        if bytes.len() <= MOST {
            self.0.entry(target).or_default().push(bytes.to_vec());
        }
    }

    /// Adds all files of a folder to the targets that read them.
    fn take_all(&mut self, folder: &str) {
        for path in files(&repository().join(folder)) {
            self.take(&path.to_string_lossy(), &fs::read(&path).unwrap());
        }
    }

    /// Adds a file and its content to the targets that read them.
    fn take(&mut self, name: &str, bytes: &[u8]) {
        if name.ends_with(".sql") {
            self.add("dump", bytes);
        } else if is_archive(name) {
            let archive = Archive::open(bytes);
            archive.members.iter().for_each(|member| self.take(&member.name(), member.data()));
            self.add("archive", bytes);
            self.add("container", &in_zip(name, bytes));
            // Large members of an archive are terrain and textures.
            let small = archive.small();
            self.add("archive", small.bytes());
            self.add("gzip_tar", small.bytes());
            self.add("tar", &small.tar());
        } else if is_mesh(name) || name.ends_with("mesh") || name.ends_with(".slm") {
            self.add("mesh", bytes);
            Mesh::open(bytes).documents().iter().for_each(|document| self.add("llsd", document));
        } else if name.starts_with("viewers/") || name.contains("/viewers/") || name.ends_with(".oxp") {
            self.add("viewer_export", bytes);
        } else if name.ends_with(".xml") {
            self.add("object_xml", bytes);
            self.add("repair", bytes);
        } else if name.ends_with(".j2c") || name.ends_with(".jp2") {
            self.add("sculpt_map", bytes);
        } else if name.contains("/assetcache/") || name.contains("/flotsam-cache/") {
            self.add("cached_asset", bytes);
        } else if name.ends_with(".toml") {
            self.add("settings", bytes);
        }
    }

    /// Writes at most `most` seeds of each target.
    fn write(&self, folder: &Path, kind: &str, most: usize) {
        for (target, seeds) in &self.0 {
            let folder = folder.join(target);
            fs::create_dir_all(&folder).unwrap();
            for (number, seed) in seeds.iter().step_by(seeds.len().div_ceil(most)).enumerate() {
                fs::write(folder.join(format!("{kind}-{number:03}")), seed).unwrap();
            }
        }
    }
}

/// Returns a zip of one file.
fn in_zip(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, bytes).unwrap();
    zip.finish().unwrap().into_inner()
}

/// Returns the files below a folder. The iterator is empty if the folder is missing.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path)
}

#[test]
#[ignore = "writes into fuzz/corpus"]
fn write_the_fuzz_corpora() {
    let (mut made, mut real) = (Corpora::default(), Corpora::default());
    for folder in ["config", "sample_data", "tests/incomplete", "tests/support/sculpt_maps"] {
        made.take_all(folder);
    }
    real.take_all("../shared/data");
    for (_, bytes) in samples_of(is_archive) {
        made.add("ledger", &serde_json::to_vec(&properties::archive(&bytes).ledger).unwrap());
    }
    made.add("waivers", WAIVERS.as_bytes());
    [model(), COLLADA.to_vec()].iter().for_each(|model| made.add("model", model));
    members_of(".txt").iter().for_each(|text| made.add("text", text));
    dumps_in_files().iter().for_each(|dump| made.add("dump_folder", dump));
    properties::tables().iter().for_each(|table| made.add("report_table", table));
    let folder = repository().join("fuzz/corpus");
    made.write(&folder, "made", usize::MAX);
    real.write(&folder, "real", REAL);
}

/// Each input that a target kept reached lines or paths that no earlier input reached.
#[test]
#[ignore = "takes minutes, and reads what was left in fuzz/corpus"]
fn replay_the_fuzz_corpora() {
    type Property = (&'static str, fn(&[u8]));
    let properties: &[Property] = &[
        ("archive", |bytes| drop(properties::archive(bytes))),
        ("cached_asset", properties::cached_asset),
        ("container", |bytes| _ = properties::container(bytes)),
        ("dump", |bytes| drop(properties::archive(bytes))),
        ("dump_folder", |bytes| _ = properties::dump_folder(bytes)),
        ("gzip_tar", properties::gzip_tar),
        ("ledger", |bytes| _ = properties::ledger(bytes)),
        ("llsd", properties::llsd),
        ("mesh", |bytes| drop(properties::mesh(bytes))),
        ("model", |bytes| _ = properties::model(bytes)),
        ("object_xml", |bytes| drop(properties::object_xml(bytes))),
        ("repair", |bytes| _ = properties::repaired(bytes)),
        ("report_table", |bytes| _ = properties::report_table(bytes)),
        ("sculpt_map", properties::sculpt_map),
        ("settings", |bytes| _ = properties::settings(bytes)),
        ("tar", properties::tar),
        ("text", properties::text),
        ("viewer_export", |bytes| drop(properties::viewer_export(bytes))),
        ("waivers", |bytes| _ = properties::waivers(bytes)),
    ];
    for &(target, property) in properties {
        let folder = repository().join("fuzz/corpus").join(target);
        let kept = files(&folder).inspect(|path| property(&fs::read(path).unwrap())).count();
        println!("{target}: {kept} files");
    }
}
