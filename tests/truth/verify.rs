//! Moves into a true simulator: archives beside the databases of the regions that loaded them.

use crate::support::{desk::Desk, shared};
use glam::DVec3;
use hullmark_ledger::{Ledger, facts::Role};
use hullmark_verify::{Change, Found, Status, Terrain, Verification, verify};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};
use uuid::Uuid;

/// Reads exports into ledgers.
fn ledgers(desk: &Desk, paths: &[PathBuf]) -> Vec<Ledger> {
    paths
        .iter()
        .enumerate()
        .map(|(number, path)| {
            desk.run(&format!("scan {} --ledgers {number}", path.display()));
            let files = desk.files(&number.to_string());
            let name = files.keys().find(|name| name.ends_with(".ledger")).unwrap();
            Ledger::read(&desk.at(&format!("{number}/{name}"))).unwrap()
        })
        .collect()
}

/// Returns both sides of the moves that the simulator made.
fn moves() -> Option<Vec<[Ledger; 2]>> {
    let data = shared()?.join("data");
    let pair = |name: &str| {
        let desk = Desk::with(&[]);
        let after = data.join("databases/opensim-0.9.2.2").join(name);
        let sides = ledgers(&desk, &[data.join(format!("{name}.oar")), after]);
        sides.try_into().unwrap()
    };
    Some(["faraway", "pathfindplayground"].map(pair).into())
}

fn counts(verified: &Verification<'_>) -> BTreeMap<Status, usize> {
    let mut counts = BTreeMap::new();
    verified.objects.iter().for_each(|object| *counts.entry(object.status).or_default() += 1);
    counts
}

/// The simulator gave everything to another owner, and changed nothing else.
#[test]
fn all_that_the_simulator_loaded_is_found() {
    let Some(moves) = moves() else { return };
    for ([before, after], objects) in moves.iter().zip([1198, 4154]) {
        let verified = verify(vec![before], vec![after]);
        assert_eq!(counts(&verified), [(Status::Changed, objects)].into(), "{}", before.input);
        let changes: BTreeSet<Change> =
            verified.objects.iter().flat_map(|object| object.changes.keys().copied()).collect();
        assert_eq!(changes, [Change::Owner, Change::Creator].into());
        assert!(verified.lands.iter().all(|land| land.terrain == Terrain::Equal));
        let settings: Vec<&str> = verified.lands[0].settings.iter().map(|setting| setting.name).collect();
        assert_eq!(settings, ["maturity"]);
        // The grid had some textures of its own library with these UUIDs.
        let others = verified.assets.iter().filter(|asset| asset.found == Found::OtherContent);
        assert!(others.count() <= 2);
        assert!(verified.assets.iter().all(|asset| asset.found != Found::Missing));
        assert_eq!(verified.gaps, []);
    }
}

/// One object of a hundred is changed after the load. Each is found, and no other one.
#[test]
fn each_mutant_of_a_real_move_is_found() {
    let Some(moves) = moves() else { return };
    for [before, after] in &moves {
        let mut mutated = after.clone();
        let rezzed: Vec<usize> =
            (0..after.objects.len()).filter(|&number| after.objects[number].role == Role::Rezzed).collect();
        let mut expected: BTreeMap<Option<Change>, usize> = BTreeMap::new();
        let mut dropped = Vec::new();
        for (number, kind) in rezzed.iter().step_by(100).zip(0..) {
            let root = &mut mutated.objects[*number].linkset.parts[0];
            let change = match kind % 5 {
                0 => {
                    dropped.push(*number);
                    None
                }
                1 => {
                    root.name += " II";
                    Some(Change::Name)
                }
                2 => {
                    root.group_position += DVec3::new(0.0, 0.0, 100.0 + f64::from(kind));
                    Some(Change::Moved)
                }
                3 => {
                    root.references.clear();
                    Some(Change::Textures)
                }
                _ => {
                    root.scale.z *= 1.5;
                    Some(Change::Size)
                }
            };
            *expected.entry(change).or_default() += 1;
        }
        dropped.iter().rev().for_each(|number| _ = mutated.objects.remove(*number));
        let verified = verify(vec![before], vec![&mutated]);
        let mut found: BTreeMap<Option<Change>, usize> = BTreeMap::new();
        for object in &verified.objects {
            let usual = [Change::Owner, Change::Creator];
            let own: Vec<Change> =
                object.changes.keys().copied().filter(|change| !usual.contains(change)).collect();
            assert!(own.len() <= 1, "{own:?}");
            if object.status != Status::Changed || !own.is_empty() {
                *found.entry(own.first().copied()).or_default() += 1;
            }
        }
        assert_eq!(found, expected, "{}", before.input);
    }
}

/// The archive beside itself, with new UUIDs and in another order.
#[test]
fn a_copy_with_other_uuids_is_equal() {
    let Some(moves) = moves() else { return };
    for [before, _] in &moves {
        let mut copy = before.clone();
        copy.objects.reverse();
        for (object, number) in copy.objects.iter_mut().zip(1_u128..) {
            for (part, link) in object.linkset.parts.iter_mut().zip(0_u128..) {
                part.uuid = Uuid::from_u128(number << 32 | link);
            }
        }
        let verified = verify(vec![before], vec![&copy]);
        let objects = verified.objects.len();
        assert_eq!(counts(&verified), [(Status::Arrived, objects)].into(), "{}", before.input);
    }
}
