//! One archive, from the file on disk to its ledger on disk.

use super::material;
use divan::{Bencher, counter::BytesCount};
use hullmark_ledger::Ledger;
use hullmark_scan as scan;
use hullmark_settings::limits::Limits;
use hullmark_source as source;
use std::path::PathBuf;

/// Returns the paths of archives.
fn archives() -> Vec<String> {
    let sample = material::sample_path("regions/over-the-cap.oar");
    let paths = [Some(sample), material::real_path("pathfindplayground.oar")].into_iter().flatten();
    paths.map(|path| path.display().to_string()).collect()
}

#[divan::bench(args = archives())]
fn scan_of_archive(bencher: Bencher<'_, '_>, path: &str) {
    let (limits, folder) = (Limits::default(), tempfile::tempdir().unwrap());
    let inputs = source::walk(&[PathBuf::from(path)], &[]).unwrap();
    let keep = |ledger: Ledger| ledger.write(folder.path()).map(drop);
    bencher.counter(BytesCount::new(inputs[0].bytes)).bench(|| {
        scan::read_inputs(&inputs, &scan::ReadOptions::new(&limits, 1), &scan::Unwatched, &keep).unwrap()
    });
}
