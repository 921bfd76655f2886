//! Writes what the fuzz targets begin with: `cargo run --release --bin seed`, in the folder `fuzz`.
//!
//! Everything comes from `sample_data` and, where it is, from `../shared/data`; nothing of it is committed.

use hullmark_fuzz::{
    mutate::{Archive, Mesh, WAIVERS},
    properties,
};
use std::{
    error::Error,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// A larger seed only makes a target slow.
const MOST: usize = 200_000;

/// Seeds of one target, taken evenly from all there are.
const SEEDS: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut corpora = Corpora::default();
    for folder in ["sample_data", "tests/incomplete", "tests/support/sculpt_maps", "../shared/data"] {
        for path in files(&root.join(folder)) {
            corpora.take(&path.to_string_lossy(), &fs::read(&path)?);
        }
    }
    for path in files(&root.join("config")) {
        corpora.add("settings", fs::read(path)?);
    }
    corpora.add("waivers", WAIVERS.into());
    corpora.write(&root.join("fuzz/corpus"))
}

/// The files below a folder, in an order that is always the same.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect();
    paths.sort();
    paths
}

/// Seeds by target.
#[derive(Default)]
struct Corpora(Vec<(&'static str, Vec<u8>)>);

impl Corpora {
    fn add(&mut self, target: &'static str, bytes: Vec<u8>) {
        if bytes.len() <= MOST {
            self.0.push((target, bytes));
        }
    }

    /// Gives a file, and what is in it, to the targets that read such.
    fn take(&mut self, name: &str, bytes: &[u8]) {
        let ending = Path::new(name).extension().and_then(OsStr::to_str).unwrap_or_default();
        match ending {
            "oar" | "iar" => {
                let archive = Archive::open(bytes);
                for member in &archive.members {
                    self.take(&member.name(), member.data());
                }
                // What is large in an archive is terrain and textures.
                let small = archive.small();
                self.add("ledger", serde_json::to_vec(&properties::archive(small.bytes()).ledger).unwrap_or_default());
                self.add("gzip_tar", small.bytes().to_vec());
                self.add("archive", small.bytes().to_vec());
                self.add("archive", bytes.to_vec());
                self.add("tar", small.tar());
            }
            "llmesh" | "mesh" | "slm" => {
                self.add("mesh", bytes.to_vec());
                Mesh::open(bytes).documents().into_iter().for_each(|document| self.add("llsd", document));
            }
            "xml" => self.add("object_xml", bytes.to_vec()),
            "j2c" | "jp2" => self.add("sculpt_map", bytes.to_vec()),
            _ => {}
        }
    }

    fn write(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let mut targets: Vec<_> = self.0.iter().map(|(target, _)| *target).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let seeds: Vec<_> = self.0.iter().filter(|(of, _)| *of == target).collect();
            let folder = folder.join(target);
            fs::create_dir_all(&folder)?;
            for (number, (_, bytes)) in seeds.iter().step_by(seeds.len().div_ceil(SEEDS)).enumerate() {
                fs::write(folder.join(format!("seed-{number:03}")), bytes)?;
            }
        }
        Ok(())
    }
}
