//! The long run: millions of mutants of real exports, and their results.
//!
//! `cargo test --release --test all long_run -- --ignored --nocapture --test-threads 1`; `MUTANTS` is the number of
//! mutants of meshes or archives, `FIRST_SEED` the first seed.

use super::{Archive, Dice, Mesh, Where, is_archive, is_mesh, real_exports, samples_of};
use crate::{properties, support};
use hullmark_finding::Finding;
use hullmark_format::member::{self, Kind};
use hullmark_settings::limits::Limits;
use hullmark_source::{gzip::GzipStream, tar::TarReader};
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::BufReader,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Unpacked bytes of an archive that is cut out of a larger one.
const SLICE: usize = 150_000;

/// Members above this size are not put into slices: the meshes have their own mutants.
const LARGE: u64 = 60_000;

/// Slices of one archive.
const SLICES: usize = 60;

/// Number of the slowest mutants that are printed.
const SLOWEST: usize = 5;

/// Returns the number in an environment variable, or `otherwise` if it is not set.
fn number(variable: &str, otherwise: u64) -> u64 {
    env::var(variable).map_or(otherwise, |value| value.parse().unwrap())
}

/// Source files of mutants. They are on disk, because a thousand meshes would fill the memory whose peak is measured.
struct Sources {
    folder: TempDir,
    paths: Vec<(PathBuf, u64)>,
}

impl Sources {
    fn new(files: impl FnOnce(&mut dyn FnMut(String, &[u8]))) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        files(&mut |name, bytes| {
            let path = folder.path().join(format!("{:05}-{}", paths.len(), name.replace('/', "_")));
            fs::write(&path, bytes).unwrap();
            paths.push((path, bytes.len() as u64));
        });
        paths.sort_by_key(|(_, bytes)| *bytes);
        Self { folder, paths }
    }

    /// Returns the number of mutants of each source: `in_all` in total, with more for smaller sources. `fixed` is the
    /// fixed cost of a mutant, in bytes.
    fn shares(&self, in_all: u64, fixed: u64) -> Vec<u64> {
        let weight = |&(_, bytes): &(PathBuf, u64)| 1.0 / (bytes + fixed) as f64;
        let sum: f64 = self.paths.iter().map(weight).sum();
        self.paths.iter().map(|path| (in_all as f64 * weight(path) / sum).ceil() as u64).collect()
    }
}

/// The result of one mutant.
struct Seen {
    complete: bool,
    findings: Vec<Finding>,
    took: Duration,
}

/// The results of all mutants.
#[derive(Default)]
struct Tally {
    mutants: u64,
    inside: u64,
    silent: u64,
    incomplete: u64,
    codes: BTreeMap<String, u64>,
    slowest: Vec<(Duration, String)>,
    peaks: Vec<(u64, String)>,
    panics: Vec<String>,
}

impl Tally {
    /// Evaluates one mutant and records its result.
    fn show(&mut self, name: &str, bytes: &[u8], place: Where, evaluate: impl FnOnce(&[u8]) -> Seen) {
        let result = catch_unwind(AssertUnwindSafe(|| evaluate(bytes)));
        self.mutants += 1;
        self.inside += u64::from(place == Where::Inside);
        let Ok(seen) = result else {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), bytes).unwrap();
            return self.panics.push(name.to_owned());
        };
        self.note_cost(name, seen.took);
        self.incomplete += u64::from(!seen.complete);
        self.silent += u64::from(seen.findings.is_empty());
        for code in seen.findings.iter().map(|finding| finding.code.name()).collect::<BTreeSet<_>>() {
            *self.codes.entry(code.to_string()).or_default() += 1;
        }
    }

    fn note_cost(&mut self, name: &str, took: Duration) {
        if self.slowest.len() < SLOWEST || self.slowest.last().is_some_and(|(least, _)| took > *least) {
            self.slowest.push((took, name.to_owned()));
            self.slowest.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
            self.slowest.truncate(SLOWEST);
        }
        let peak = peak_kb();
        if self.peaks.last().is_none_or(|(highest, _)| peak > highest + 4096) {
            self.peaks.push((peak, name.to_owned()));
        }
    }

    /// Prints the results. Panics if any mutant caused a panic.
    fn finish(self, what: &str) {
        println!("{} mutants of {what}, {} changed inside and packed again", self.mutants, self.inside);
        println!("{} not read to their end, {} without any finding", self.incomplete, self.silent);
        let codes: Vec<_> = self.codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        println!("mutants with each code: {}", codes.join(", "));
        self.slowest.iter().for_each(|(took, name)| println!("slowest: {took:?} {name}"));
        self.peaks.iter().for_each(|(peak, name)| println!("peak memory: {} MB {name}", peak / 1024));
        println!("peak memory at the end: {} MB", peak_kb() / 1024);
        assert!(self.panics.is_empty(), "{} panicked: {:?}", self.panics.len(), self.panics);
    }
}

/// Returns the peak memory of this process in kB, or 0 if the system does not report it.
fn peak_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Calls `take` with each member of a compressed archive.
fn members(path: &Path, mut take: impl FnMut(&str, u64, &mut dyn FnMut() -> Vec<u8>)) {
    let file = BufReader::new(fs::File::open(path).unwrap());
    let mut tar = TarReader::new(BufReader::new(GzipStream::new(file)), &Limits::default());
    while let Ok(Some(header)) = tar.next_header() {
        take(&header.name, header.size, &mut || {
            let mut data = Vec::new();
            tar.read_data(&mut data).unwrap();
            data
        });
    }
}

fn is_gzip_archive(path: &Path) -> bool {
    is_archive(&path.to_string_lossy())
}

/// Returns the meshes of all real exports and of the samples.
fn meshes() -> Sources {
    Sources::new(|add| {
        for path in real_exports(u64::MAX).iter().filter(|path| is_gzip_archive(path)) {
            members(path, |name, _, read| {
                if member::classify(name).kind == Kind::Mesh {
                    add(name.rsplit('/').next().unwrap_or(name).to_owned(), &read());
                }
            });
        }
        samples_of(is_mesh).iter().for_each(|(name, bytes)| add(name.clone(), bytes));
    })
}

/// Returns real archives below 1 MB, and pieces of larger ones. Samples are left out: they are small and would get most
/// of the mutants.
fn archives() -> Sources {
    Sources::new(|add| {
        for path in real_exports(u64::MAX).iter().filter(|path| is_gzip_archive(path)) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if fs::metadata(path).unwrap().len() < 1_000_000 {
                add(name.clone(), &fs::read(path).unwrap());
            }
            for (number, slice) in slices(path).iter().enumerate() {
                add(format!("{name}-slice-{number}"), slice);
            }
        }
    })
}

/// Returns small archives of neighbouring members in a larger one.
fn slices(path: &Path) -> Vec<Vec<u8>> {
    let control = support::archive::control("4e4e4e4e-0000-4000-8000-000000000001", "256,256");
    let begin = || support::archive::Archive::new(&control);
    let (mut slices, mut slice, mut held) = (Vec::new(), begin(), 0);
    members(path, |name, size, read| {
        if slices.len() >= SLICES || size > LARGE || name == "archive.xml" {
            return;
        }
        slice.members.push((name.to_owned(), read()));
        held += size as usize;
        if held > SLICE {
            slices.push(std::mem::replace(&mut slice, begin()).gzip());
            held = 0;
        }
    });
    slices
}

#[test]
#[ignore = "a million mutants take minutes: MUTANTS and FIRST_SEED say how many, and from where"]
fn long_run_of_meshes() {
    let sources = meshes();
    let shares = sources.shares(number("MUTANTS", 1_000_000), 10_000);
    let (mut seed, mut tally) = (number("FIRST_SEED", 0), Tally::default());
    let mut other = Mesh::open(&[]);
    for ((path, _), share) in sources.paths.iter().zip(shares) {
        let mesh = Mesh::open(&fs::read(path).unwrap());
        let name = path.file_name().unwrap().to_string_lossy();
        for _ in 0..share {
            let (bytes, place) = mesh.mutant(&mut Dice::new(seed), &other);
            tally.show(&format!("{name}-{seed}"), &bytes, place, |bytes| {
                let start = Instant::now();
                let findings = properties::mesh(bytes);
                Seen { complete: true, findings, took: start.elapsed() }
            });
            seed += 1;
        }
        other = mesh;
    }
    drop(sources.folder);
    tally.finish("meshes");
}

#[test]
#[ignore = "twenty thousand mutants take minutes: MUTANTS and FIRST_SEED say how many, and from where"]
fn long_run_of_archives() {
    let sources = archives();
    let shares = sources.shares(number("MUTANTS", 20_000), 4_000);
    let (mut seed, mut tally) = (number("FIRST_SEED", 0), Tally::default());
    let mut other = Archive::default();
    for ((path, _), share) in sources.paths.iter().zip(shares) {
        let archive = Archive::open(&fs::read(path).unwrap());
        let name = path.file_name().unwrap().to_string_lossy();
        for _ in 0..share {
            let (bytes, place) = archive.mutant(&mut Dice::new(seed), &other);
            tally.show(&format!("{name}-{seed}"), &bytes, place, |bytes| {
                let outcome = properties::archive(bytes);
                Seen { complete: outcome.is_complete(), findings: outcome.findings, took: outcome.took }
            });
            seed += 1;
        }
        other = archive;
    }
    drop(sources.folder);
    tally.finish("archives");
}
