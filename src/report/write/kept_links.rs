//! Keeps the links and splits of inputs for later runs. Their search takes longer than the rest of an evaluation.

use crate::Evaluator;
use hullmark_analysis::{Measured, regroup::Advice};
use hullmark_ledger::Ledger;
use hullmark_storage::{contents::ContentCache, stamp::Stamp};

/// The links of earlier runs, by ledger.
pub(super) struct KeptLinks<'a> {
    cache: &'a ContentCache,
    /// Everything that links follow from, except the ledger of their input.
    origin: String,
}

impl<'a> KeptLinks<'a> {
    /// Prepares to keep links of this evaluation, at most `top` of each kind in a region. `None` if a store has no
    /// file, or the program is unknown: another build may find other links.
    pub(super) fn new(
        cache: &'a ContentCache,
        evaluator: &Evaluator<'_>,
        stores: &[Ledger],
        top: usize,
    ) -> Option<Self> {
        // No `..`: a new field needs a decision here. Neither further profiles nor users change a link.
        let Evaluator { profile, opensim_load, further: _, users: _, regions, config } = evaluator;
        if stores.iter().any(|store| store.checksum.is_empty()) {
            return None;
        }
        let stores: Vec<_> = stores.iter().map(|store| &store.checksum).collect();
        let origin = (Stamp::of_this_program()?, profile, opensim_load, regions, config.scaled_triangles);
        Some(Self { cache, origin: format!("{origin:?} {stores:?} {top}") })
    }

    /// Returns the links of an input in each region, from an earlier run or from `search`.
    pub(super) fn of(
        &self,
        measured: &Measured<'_>,
        search: impl FnOnce() -> Vec<Vec<Advice>>,
    ) -> Vec<Vec<Advice>> {
        let ledger = measured.ledger;
        if ledger.checksum.is_empty() {
            return search();
        }
        let key = self.cache.key(&self.origin, ledger.checksum.as_bytes());
        let is_of_ledger = |kept: &Vec<Vec<Advice>>| {
            kept.len() == ledger.regions.len() && kept.iter().flatten().all(|advice| advice.is_of(ledger))
        };
        self.cache.get(key).filter(is_of_ledger).unwrap_or_else(|| {
            let found = search();
            self.cache.put(key, &found);
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use hullmark_analysis::regroup;
    use hullmark_format::object::{Linkset, Part};
    use hullmark_ledger::{
        InputKind,
        facts::{ObjectFacts, RegionFacts, Status},
    };
    use hullmark_settings::{
        config::{Config, ReportConfig},
        profile::Profile,
    };
    use std::path::Path;
    use tempfile::TempDir;
    use uuid::Uuid;

    /// What links follow from.
    struct Run {
        checksum: &'static str,
        boxes: u8,
        profile: Profile,
        store: Option<&'static str>,
        top: usize,
    }

    /// A region of three boxes, which one link joins.
    fn run() -> Run {
        Run { checksum: "a", boxes: 3, profile: Profile::default(), store: None, top: 3 }
    }

    fn open(folder: &Path) -> ContentCache {
        ContentCache::open(folder, "reports", 1 << 20).unwrap()
    }

    fn evaluator<'a>(profile: &'a Profile, config: &'a ReportConfig) -> Evaluator<'a> {
        Evaluator { profile, opensim_load: None, further: &[], users: None, regions: &[], config }
    }

    fn with_checksum(checksum: &str, kind: InputKind) -> Ledger {
        Ledger { checksum: checksum.into(), ..Ledger::empty("boxes.oar", kind, Status::Complete) }
    }

    fn linkset(number: u8) -> ObjectFacts {
        let root = Part {
            uuid: Uuid::from_u128(number.into()),
            owner: Uuid::from_u128(7),
            group_position: DVec3::splat(number.into()),
            ..Part::default()
        };
        let linkset = Linkset { parts: vec![root], ..Linkset::default() };
        ObjectFacts { region: Some(0), ..ObjectFacts::rezzed(linkset) }
    }

    /// Returns whether a run searches its links. They are right in each case.
    fn searches(folder: &TempDir, Run { checksum, boxes, profile, store, top }: Run) -> bool {
        let ledger = Ledger {
            regions: vec![RegionFacts::of_folder("")],
            objects: (1..=boxes).map(linkset).collect(),
            ..with_checksum(checksum, InputKind::Oar)
        };
        let stores: Vec<Ledger> = store.iter().map(|store| with_checksum(store, InputKind::Store)).collect();
        let config = Config::default().report;
        let evaluator = evaluator(&profile, &config);
        let cache = open(folder.path());
        let measured = Measured::new(&ledger, &profile);
        let right = vec![regroup::advise(&measured, 0, top)];
        assert_eq!(right[0].len(), if top > 0 && boxes > 1 { 1 } else { 0 });
        let mut searches = false;
        let search = || {
            searches = true;
            right.clone()
        };
        let links = KeptLinks::new(&cache, &evaluator, &stores, top).unwrap().of(&measured, search);
        assert_eq!(links, right);
        cache.finish(true).unwrap();
        searches
    }

    #[test]
    fn links_are_searched_once_for_all_that_they_follow_from() {
        let folder = tempfile::tempdir().unwrap();
        let ubode = || Profile::load("opensim-ubode").unwrap();
        let runs: [fn() -> Run; 4] = [
            run,
            || Run { checksum: "b", ..run() },
            || Run { store: Some("s"), ..run() },
            || Run { top: 0, ..run() },
        ];
        for round in 0..3 {
            for run in runs {
                assert_eq!(searches(&folder, run()), round == 0);
            }
            assert_eq!(searches(&folder, Run { profile: ubode(), ..run() }), round == 0);
            assert!(searches(&folder, Run { checksum: "", ..run() }), "these facts have no file");
        }
    }

    #[test]
    fn links_of_another_region_are_searched_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(searches(&folder, run()));
        // As if two ledgers had one checksum.
        assert!(searches(&folder, Run { boxes: 2, ..run() }), "box 3 is not there");
    }

    #[test]
    fn links_are_not_kept_with_a_store_without_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let profile = Profile::default();
        let config = Config::default().report;
        let evaluator = evaluator(&profile, &config);
        let store = with_checksum("", InputKind::Store);
        assert!(KeptLinks::new(&open(folder.path()), &evaluator, &[store], 3).is_none());
    }
}
