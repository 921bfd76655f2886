//! Facts about sculpt maps depend neither on their position in the input nor on the way they are read.

use crate::support::{samples, scan_one};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_format::defect::{Defect, DefectKind, InputDefect};
use hullmark_ledger::Ledger;
use hullmark_rules as rules;
use hullmark_settings::{limits::Limits, profile::Profile};
use std::fs;

/// No map is kept: every map is read a second time.
fn twice() -> Limits {
    Limits { kept_textures_bytes: 0, ..Limits::default() }
}

/// Only some of the maps fit in memory.
fn in_part() -> Limits {
    Limits { kept_textures_bytes: 2_000, ..Limits::default() }
}

fn kinds(defects: &[Defect]) -> Vec<DefectKind> {
    defects.iter().map(|defect| defect.kind.clone()).collect()
}

#[test]
fn archives_give_the_same_maps_in_every_way_of_reading() {
    let folder = tempfile::tempdir().unwrap();
    let mut learnt = Vec::new();
    for objects_first in [true, false] {
        let path = folder.path().join("sculpts.oar");
        fs::write(&path, samples::sculpts(objects_first).gzip()).unwrap();
        let once = scan_one(&path, &Limits::default());
        assert_eq!(scan_one(&path, &twice()), once);
        assert_eq!(scan_one(&path, &in_part()), once);
        learnt.push((once.sculpts.clone(), kinds(&once.defects)));
    }
    assert_eq!(learnt[0], learnt[1]);
    let sizes: Vec<_> =
        learnt[0].0.iter().map(|map| map.pixels().map(|pixels| (pixels.width, pixels.height))).collect();
    assert_eq!(sizes, [Some((64, 64)), None, Some((80, 80))], "only what is used, and what is broken named");
}

#[test]
fn trees_and_loose_files_give_the_same_maps() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("sculpts.oar");
    fs::write(&archive, samples::sculpts(true).gzip()).unwrap();
    let expected = scan_one(&archive, &Limits::default());
    let (tree, loose) = (folder.path().join("tree"), folder.path().join("loose"));
    for (name, content) in samples::sculpts(true).members {
        let path = tree.join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &content).unwrap();
        if name != "archive.xml" {
            fs::create_dir_all(&loose).unwrap();
            let file = name.rsplit('/').next().unwrap().replace("_texture.jp2", ".j2c");
            fs::write(loose.join(file), &content).unwrap();
        }
    }
    for (path, kind) in [(tree, "oar-tree"), (loose, "folder")] {
        let once = scan_one(&path, &Limits::default());
        assert_eq!(once.kind.name(), kind);
        assert_eq!(scan_one(&path, &twice()), once);
        let states = |ledger: &Ledger| ledger.sculpts.iter().map(|map| map.state.clone()).collect::<Vec<_>>();
        assert_eq!(states(&once), states(&expected));
        assert_eq!(kinds(&once.defects), kinds(&expected.defects));
    }
}

#[test]
fn a_map_over_a_limit_is_named_and_not_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sculpts.oar");
    fs::write(&path, samples::sculpts(true).gzip()).unwrap();
    for limits in
        [Limits { sculpt_bytes: 10, ..Limits::default() }, Limits { sculpt_side: 10, ..Limits::default() }]
    {
        let ledger = scan_one(&path, &limits);
        let over =
            |defect: &&Defect| matches!(defect.kind, DefectKind::Input(InputDefect::SculptOverBudget { .. }));
        assert_eq!(ledger.defects.iter().filter(over).count(), 3);
        let profile = Profile::default();
        let measured = Measured::new(&ledger, &profile);
        let missing = rules::evaluate(&measured, &rules::RuleContext::default())
            .findings
            .finish()
            .into_iter()
            .filter(|finding| finding.code == Code::AST001);
        assert_eq!(missing.count(), 1, "only the one that is not there");
    }
}
