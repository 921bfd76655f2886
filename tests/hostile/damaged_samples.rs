//! Every sample cut, and given values of the wrong type: findings, never a panic. `mutants` changes compressed content.

use crate::{
    properties,
    support::{llsd::Llsd, mesh::MeshFile, mutate::Dice, samples, scan_one},
};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::Status;
use hullmark_rules as rules;
use hullmark_settings::{limits::Limits, profile::Profile};
use std::{fs, path::Path};

const CUTS: usize = 200;

/// Changed databases of SQLite.
const SQLITE_MUTANTS: usize = 300;

/// Changed dumps.
const MUTANTS: usize = 2_000;

/// Scans and evaluates an archive. A panic in either step fails the test.
fn evaluate_archive(folder: &Path, bytes: &[u8], profile: &Profile) -> (Status, Vec<Finding>) {
    let path = folder.join("cut.oar");
    fs::write(&path, bytes).unwrap();
    let ledger = scan_one(&path, &Limits::default());
    let findings =
        rules::evaluate(&Measured::new(&ledger, profile), &rules::RuleContext::default()).findings.finish();
    assert!(findings.iter().all(|finding| finding.code != Code::RUN005), "{findings:?}");
    (ledger.status, findings)
}

#[test]
fn meshes_cut_anywhere() {
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| is_mesh(name)) {
        let whole = properties::mesh(&bytes);
        for i in 0..CUTS {
            let cut = bytes.len() * i / CUTS;
            let findings = properties::mesh(&bytes[..cut]);
            assert!(!findings.is_empty() && findings != whole, "{name} cut at {cut} passed");
        }
    }
}

/// Names of blocks and of their inner keys, with values of the wrong type. A changed byte seldom makes these.
#[test]
fn meshes_with_values_of_the_wrong_type() {
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
            assert!(!properties::mesh(&file.encode()).is_empty(), "{name} = {value:?} passed");
            let file = MeshFile::cube().without(name).entry(name, value.clone());
            properties::mesh(&file.encode());
        }
        for key in ["Min", "Max", "HullList", "Positions", "BoundingVerts"] {
            let Llsd::Map(mut entries) = crate::support::mesh::convex(&[[0, 1, 2]; 4], &[vec![[1, 2, 3]; 4]])
            else {
                unreachable!()
            };
            entries.iter_mut().filter(|(name, _)| name == key).for_each(|(_, old)| *old = value.clone());
            let file = MeshFile::cube().block("physics_convex", &Llsd::Map(entries));
            assert!(!properties::mesh(&file.encode()).is_empty(), "{key} = {value:?} passed");
        }
    }
}

#[test]
fn archives_cut_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let profile = Profile::default();
    for (name, bytes) in samples::all().into_iter().filter(|(name, _)| is_archive(name)) {
        let whole = evaluate_archive(folder.path(), &bytes, &profile);
        for i in 0..CUTS {
            let cut = bytes.len() * i / CUTS;
            let (status, findings) = evaluate_archive(folder.path(), &bytes[..cut], &profile);
            // Only the padding at the end of a plain tar can be lost without a change.
            let tail_of_zeros = bytes[cut..].iter().all(|&byte| byte == 0);
            assert!(
                status != Status::Complete || findings != whole.1 || tail_of_zeros,
                "{name} cut at {cut} passed"
            );
        }
    }
}

#[test]
fn dumps_cut_or_changed_anywhere() {
    for name in ["databases/opensim.sql", "databases/inventories.sql"] {
        cut_and_change(name);
    }
}

fn cut_and_change(name: &str) {
    let folder = tempfile::tempdir().unwrap();
    let profile = Profile::default();
    let (_, dump) = samples::all().into_iter().find(|(other, _)| other == name).unwrap();
    let whole = evaluate_archive(folder.path(), &dump, &profile);
    // Before that, nothing shows that it is a dump.
    let begins = dump.windows(6).position(|bytes| bytes == b"INSERT").unwrap();
    let ends = dump.windows(7).rposition(|bytes| bytes == b"-- Dump").unwrap();
    for cut in (begins..ends).step_by(7) {
        let (status, findings) = evaluate_archive(folder.path(), &dump[..cut], &profile);
        assert!(status != Status::Complete || findings != whole.1, "{name} cut at {cut} passed");
    }
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..MUTANTS {
        let mut mutant = dump.clone();
        for _ in 0..=random(3) {
            let (place, other) = (random(mutant.len()), random(dump.len()));
            match random(3) {
                0 => mutant[place] = random(256) as u8,
                1 => _ = mutant.remove(place),
                _ => mutant.insert(place, dump[other]),
            }
        }
        evaluate_archive(folder.path(), &mutant, &profile);
    }
}

/// Changes a database of SQLite where it has its numbers: in the header, at the beginning of a page, or anywhere.
fn change_pages(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let length = bytes.len();
    let page = 1024 * dice.below(length / 1024);
    let at = match dice.below(4) {
        0 => dice.below(100),
        1 => page + dice.below(40),
        _ => dice.below(length),
    };
    match dice.below(6) {
        0 => bytes.truncate(at.max(100)),
        1 => bytes.truncate(page.max(1024)),
        2 => {
            let other = 1024 * dice.below(length / 1024);
            bytes.copy_within(other..(other + 1024).min(length), page.min(length.saturating_sub(1024)));
        }
        _ => {
            let any = dice.below(256) as u8;
            bytes[at.min(length - 1)] = *dice.pick(&[0, 1, 5, 13, 0x7f, 0x80, 0xff, any]);
        }
    }
}

/// Returns databases: those of the samples, and real ones if they are there.
fn databases() -> Vec<Vec<u8>> {
    let samples =
        samples::all().into_iter().filter(|(name, _)| name.ends_with(".db")).map(|(_, bytes)| bytes);
    let real = ["futebol.db", "pakkio.db", "caprica-old.db", "opensim-0.9.2.2/faraway/OpenSim.db"];
    let real = real.iter().filter_map(|name| fs::read(Path::new("../shared/data/databases").join(name)).ok());
    samples.chain(real).collect()
}

fn change_databases(mutants: usize) {
    let databases = databases();
    for seed in 0..mutants {
        let mut dice = Dice::new(seed as u64);
        // The large one takes as long as ten others.
        let most = if seed % 20 == 0 { databases.len() } else { databases.len() - 1 };
        let mut mutant = databases[dice.below(most)].clone();
        for _ in 0..=dice.below(4) {
            change_pages(&mut mutant, &mut dice);
        }
        let outcome = properties::sqlite(&mutant);
        assert!(outcome.took.as_secs() < 60, "{seed} took {:?}", outcome.took);
    }
}

#[test]
fn databases_of_sqlite_changed_anywhere() {
    change_databases(SQLITE_MUTANTS);
}

#[test]
#[ignore = "takes minutes"]
fn ten_thousand_databases_of_sqlite() {
    change_databases(10_000);
}

fn is_mesh(name: &str) -> bool {
    name.starts_with("meshes/")
}

/// Returns `true` for whole archives only: a damaged container would hide the effect of a cut.
fn is_archive(name: &str) -> bool {
    name.starts_with("regions/") && name.ends_with("ar")
}
