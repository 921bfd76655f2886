//! Viewers' exports that are cut, changed or too large: findings, never a panic.

use crate::{
    properties,
    support::{
        mutate::{self, Dice},
        samples, scan_one, shared,
    },
};
use flate2::{Compression, write::ZlibEncoder};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_format::viewer;
use hullmark_ledger::facts::Status;
use hullmark_rules as rules;
use hullmark_settings::{limits::Limits, profile::Profile};
use std::{fs, io::Write};

/// Changed exports of each source.
const MUTANTS: usize = 300;

/// Changed real exports. Each has 151 prims, and half of them are changed inside the stream.
const REAL_MUTANTS: usize = 1_000;

fn exports() -> Vec<(String, Vec<u8>)> {
    samples::all().into_iter().filter(|(name, _)| name.starts_with("viewers/")).collect()
}

#[test]
fn exports_cut_anywhere() {
    for (name, bytes) in exports() {
        // The end of a text is white space.
        let end = bytes.trim_ascii_end().len();
        for cut in 0..end {
            let (_, defects) = viewer::decode(&bytes[..cut], &Limits::default());
            // The last four bytes of a stream are a checksum, without which the data is complete.
            assert!(!defects.is_empty() || name.ends_with(".oxp") && cut + 4 >= end, "{name} cut at {cut}");
        }
        assert_eq!(viewer::decode(&bytes, &Limits::default()).1, [], "{name}");
    }
}

#[test]
fn exports_changed_anywhere() {
    for (number, (name, bytes)) in exports().into_iter().enumerate() {
        for seed in 0..MUTANTS {
            let mut dice = Dice::new((number * MUTANTS + seed) as u64);
            let mut mutant = bytes.clone();
            match name.ends_with(".oxp") {
                true => mutate::oxp(&mut dice, &mut mutant),
                false => mutate::bytes(&mut dice, &mut mutant, &bytes),
            }
            properties::viewer_export(&mutant);
        }
    }
}

#[test]
fn a_real_export_changed_anywhere() {
    let Some(shared) = shared() else { return };
    let bytes = fs::read(shared.join("data/opencollar-remote-8.0.oxp")).unwrap();
    for seed in 0..REAL_MUTANTS {
        let mut mutant = bytes.clone();
        mutate::oxp(&mut Dice::new(seed as u64), &mut mutant);
        let (export, _) = viewer::decode(&mutant, &Limits::default());
        assert!(export.linksets.iter().map(|linkset| linkset.parts.len()).sum::<usize>() <= 151);
    }
}

/// A gigabyte of zeros takes a megabyte as a stream. It is refused before it is all in memory.
#[test]
fn a_bomb_is_refused_by_the_limit_of_a_file() {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(b"{\0\0\0\x01k\0\0\0\x05assetb\x7f\xff\xff\xff").unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..1024 {
        encoder.write_all(&zeros).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bomb.oxp");
    fs::write(&path, encoder.finish().unwrap()).unwrap();
    let ledger = scan_one(&path, &Limits::default());
    let profile = Profile::default();
    let outcomes = rules::evaluate(&Measured::new(&ledger, &profile), &rules::RuleContext::default());
    let findings = outcomes.findings.finish();
    let over: Vec<_> = findings.iter().filter(|finding| finding.code == Code::ARC012).collect();
    assert_eq!(over.len(), 1, "{findings:?}");
    assert_eq!((over[0].limit, &*over[0].place.within), (Some(100_000_000.0), "entry_bytes"));
    assert_eq!(ledger.status, Status::Incomplete);
    assert!(ledger.objects.is_empty() && ledger.assets.is_empty());
}
