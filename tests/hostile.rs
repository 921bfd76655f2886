//! Every sample cut and changed: findings, never a panic.
//!
//! At least half of the changes are made inside what is compressed, and packed again with right checksums: a
//! change of a compressed byte ends at the checksum and never reaches a decoder.

use crate::support::{archive::gzip, llsd::Llsd, mesh::MeshFile, samples};
use flate2::read::{GzDecoder, ZlibDecoder};
use hullmark::{
    facts::{MeshFacts, Status},
    finding::{Code, Finding},
    format::mesh,
    join::Case,
    ledger::Ledger,
    limits::Limits,
    profile::Profile,
    rules,
    scan::{Unwatched, scan},
    source::{Input, What},
};
use std::{fs, io::Read, path::Path, sync::Mutex};

const CUTS: usize = 200;
const CHANGES: usize = 1_000;

/// Numbers that look random and are the same in every run (xorshift64*).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    /// Changes one byte, always to another value.
    fn change(&mut self, bytes: &mut [u8]) {
        let at = self.below(bytes.len());
        bytes[at] = bytes[at].wrapping_add(1 + self.below(255) as u8);
    }
}

/// Decodes and judges a mesh, or the meshes of a scene, as a scan would, without the net that catches panics.
fn judge_mesh(bytes: &[u8], profile: &Profile) -> Vec<Finding> {
    let limits = Limits::default();
    let mut ledger = empty_ledger();
    let mut add = |bytes: &[u8]| {
        let (decoded, findings) = mesh::decode(bytes, &limits);
        ledger.findings.extend(findings);
        ledger.meshes.push(MeshFacts::new("changed.llmesh".into(), None, bytes, &decoded));
    };
    match mesh::open(bytes, &limits) {
        (mesh::MeshFile::Mesh, _) => add(bytes),
        (mesh::MeshFile::Scene(scene), findings) => {
            scene.meshes.iter().for_each(|bytes| add(bytes));
            ledger.findings.extend(findings);
        }
    }
    rules::judge(&Case::new(&remembered(&ledger), profile)).findings
}

/// The ledger as a report reads it: whatever was decoded must go through the file and back.
fn remembered(ledger: &Ledger) -> Ledger {
    serde_json::from_slice(&serde_json::to_vec(ledger).unwrap()).unwrap()
}

fn empty_ledger() -> Ledger {
    Ledger {
        input: "changed".into(),
        kind: "folder".into(),
        bytes: 0,
        content_hash: None,
        status: Status::Complete,
        container: Default::default(),
        regions: Vec::new(),
        assets: Vec::new(),
        meshes: Vec::new(),
        sculpts: Vec::new(),
        objects: Vec::new(),
        items: Vec::new(),
        unknown: Vec::new(),
        findings: Vec::new(),
    }
}

/// Scans and judges an archive; a panic anywhere in it fails the test.
fn judge_archive(folder: &Path, bytes: &[u8], profile: &Profile) -> (Status, Vec<Finding>) {
    let path = folder.join("changed.oar");
    fs::write(&path, bytes).unwrap();
    let input = Input {
        name: "changed.oar".into(),
        path,
        what: What::Archive,
        bytes: bytes.len() as u64,
        stamp: None,
        modified: None,
    };
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    scan(&[input], &Limits::default(), 1, &Unwatched, &keep).unwrap();
    let ledger = ledgers.into_inner().unwrap().pop().unwrap();
    let findings = rules::judge(&Case::new(&remembered(&ledger), profile)).findings;
    let panics: Vec<_> = findings.iter().filter(|finding| finding.code == Code::RUN005).collect();
    assert!(panics.is_empty(), "{panics:?}");
    (ledger.status, findings)
}

/// Takes a mesh, or the first of a scene, apart into blocks that can be changed and packed again.
fn unpack_mesh(bytes: &[u8]) -> MeshFile {
    if let (mesh::MeshFile::Scene(scene), _) = mesh::open(bytes, &Limits::default()) {
        return unpack_mesh(&scene.meshes[0]);
    }
    let (decoded, _) = mesh::decode(bytes, &Limits::default());
    let mut file = MeshFile::default();
    for block in &decoded.blocks {
        let start = decoded.header_bytes as usize + block.offset as usize;
        let packed = bytes.get(start..).unwrap_or_default();
        let mut content = Vec::new();
        // A sample may be damaged itself; what can be inflated of it is enough here.
        let _ = ZlibDecoder::new(packed).read_to_end(&mut content);
        file.blocks.push((block.name.clone(), content));
    }
    file
}

#[test]
fn meshes_cut_anywhere() {
    let profile = Profile::default();
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| is_mesh(name)) {
        let whole = judge_mesh(&bytes, &profile);
        for i in 0..CUTS {
            let cut = bytes.len() * i / CUTS;
            let findings = judge_mesh(&bytes[..cut], &profile);
            assert!(!findings.is_empty() && findings != whole, "{name} cut at {cut} passed");
        }
    }
}

#[test]
fn meshes_with_changed_bytes() {
    let profile = Profile::default();
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| is_mesh(name)) {
        let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ bytes.len() as u64);
        for _ in 0..CHANGES / 2 {
            let mut changed = bytes.clone();
            dice.change(&mut changed);
            judge_mesh(&changed, &profile);
        }
        let file = unpack_mesh(&bytes);
        assert!(!file.blocks.is_empty(), "{name}");
        let mut differing = 0;
        let whole = judge_mesh(&file.encode(), &profile);
        for _ in 0..CHANGES / 2 {
            let mut changed = file.clone();
            let block = dice.below(changed.blocks.len());
            if !changed.blocks[block].1.is_empty() {
                dice.change(&mut changed.blocks[block].1);
            }
            differing += usize::from(judge_mesh(&changed.encode(), &profile) != whole);
        }
        assert!(differing > 0, "{name}: no change was noticed");
    }
}

/// Names of blocks and of their inner keys, with values of the wrong type: what a changed byte seldom makes.
#[test]
fn meshes_with_values_of_the_wrong_type() {
    let profile = Profile::default();
    let wrong = [
        Llsd::Bool(true),
        Llsd::Int(-1),
        Llsd::Real(f64::NAN),
        Llsd::Bytes(vec![1; 7]),
        Llsd::Array(vec![Llsd::Int(1)]),
        Llsd::Map(Vec::new()),
    ];
    for value in &wrong {
        for name in ["high_lod", "physics_convex", "physics_mesh", "skin"] {
            let file = MeshFile::cube().block(name, value);
            assert!(!judge_mesh(&file.encode(), &profile).is_empty(), "{name} = {value:?} passed");
            let file = MeshFile::cube().without(name).entry(name, value.clone());
            judge_mesh(&file.encode(), &profile);
        }
        for key in ["Min", "Max", "HullList", "Positions", "BoundingVerts"] {
            let Llsd::Map(mut entries) = crate::support::mesh::convex(&[[0, 1, 2]; 4], &[vec![[1, 2, 3]; 4]])
            else {
                unreachable!()
            };
            entries.iter_mut().filter(|(name, _)| name == key).for_each(|(_, old)| *old = value.clone());
            let file = MeshFile::cube().block("physics_convex", &Llsd::Map(entries));
            assert!(!judge_mesh(&file.encode(), &profile).is_empty(), "{key} = {value:?} passed");
        }
    }
}

#[test]
fn archives_cut_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let profile = Profile::default();
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| is_archive(name)) {
        let whole = judge_archive(folder.path(), &bytes, &profile);
        for i in 0..CUTS {
            let cut = bytes.len() * i / CUTS;
            let (status, findings) = judge_archive(folder.path(), &bytes[..cut], &profile);
            // Only the padding at the end of a plain tar is no loss.
            let tail_of_zeros = bytes[cut..].iter().all(|&byte| byte == 0);
            assert!(
                status != Status::Complete || findings != whole.1 || tail_of_zeros,
                "{name} cut at {cut} passed"
            );
        }
    }
}

#[test]
fn archives_with_changed_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let profile = Profile::default();
    for (_, bytes) in samples::all().into_iter().filter(|(name, _)| is_archive(name)) {
        let mut dice = Dice(0xD1B5_4A32_D192_ED03 ^ bytes.len() as u64);
        for _ in 0..CHANGES / 2 {
            let mut changed = bytes.clone();
            dice.change(&mut changed);
            judge_archive(folder.path(), &changed, &profile);
        }
        let tar = match bytes.starts_with(&[0x1f, 0x8b]) {
            true => {
                let mut tar = Vec::new();
                GzDecoder::new(bytes.as_slice()).read_to_end(&mut tar).unwrap();
                tar
            }
            false => bytes,
        };
        // Terrain is most of the bytes and nobody reads it: changes go where something is.
        let occupied: Vec<usize> = (0..tar.len()).filter(|&at| tar[at] != 0).collect();
        for _ in 0..CHANGES / 2 {
            let mut changed = tar.clone();
            let at = occupied[dice.below(occupied.len())];
            changed[at] = changed[at].wrapping_add(1 + dice.below(255) as u8);
            mend_checksum(&mut changed, at);
            judge_archive(folder.path(), &gzip(&changed), &profile);
        }
    }
}

/// Makes the checksum of the header right again, if the changed byte lies in one.
fn mend_checksum(tar: &mut [u8], at: usize) {
    let block = at / 512 * 512;
    let header = &mut tar[block..block + 512];
    if !header[148..154].iter().all(u8::is_ascii_digit) || header[155] != b' ' {
        return;
    }
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

fn is_mesh(name: &str) -> bool {
    name.starts_with("meshes/")
}

/// Archives that are whole: what is wrong with a container hides what a cut does to it.
fn is_archive(name: &str) -> bool {
    name.starts_with("regions/") && name.ends_with("ar")
}
