//! Earlier archives of an archive, and losses since then that were not restored.

use super::{
    Archive, HistoryConfig,
    losses::{self, Fallen},
};
use hullmark_ledger::summary::LedgerSummary;
use std::ptr;

/// The archives to compare an archive with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Earlier {
    /// The complete archives before it, the oldest first: others of its series, and earlier states of its own file.
    pub before: Vec<Archive>,
    /// The newest archive of its series in the baseline run.
    pub baseline: Option<Archive>,
}

/// The losses since an earlier archive.
#[derive(Debug, Clone, PartialEq)]
pub struct Fall<'a> {
    pub since: &'a Archive,
    /// The losses above the limits.
    pub fallen: Vec<Fallen>,
}

impl<'a> Fall<'a> {
    /// Returns the losses above the limits. HIS005 reports the loss of all assets since the last archive with assets.
    fn since(
        since: &'a Archive,
        now: &LedgerSummary,
        with_assets: Option<&Archive>,
        config: &HistoryConfig,
    ) -> Option<Self> {
        let is_reported = with_assets.is_some_and(|reported| ptr::eq(reported, since));
        let fallen = losses::fallen(since.kind, &since.brief, now, is_reported, config);
        (!fallen.is_empty()).then_some(Self { since, fallen })
    }
}

impl Earlier {
    /// Whether there is nothing to compare with.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.baseline.is_none()
    }

    /// Returns the losses since each archive that is not superseded, the latest first. Each has its own finding, so
    /// none hides another. The baseline run adds a loss only if these do not show it.
    pub fn falls(&self, now: &LedgerSummary, config: &HistoryConfig) -> Vec<Fall<'_>> {
        let with_assets = self.with_assets(now, config);
        let fall = |since| Fall::since(since, now, with_assets, config);
        let mut falls: Vec<Fall<'_>> =
            self.not_superseded(config).into_iter().rev().filter_map(fall).collect();
        if let Some(baseline) = &self.baseline {
            let reported = falls.iter().map(|fall| fall.since).chain(with_assets);
            let mut others = reported.filter(|reported| !ptr::eq(*reported, baseline));
            if others.all(|reported| has_fallen(baseline, reported, config)) {
                falls.extend(fall(baseline));
            }
        }
        falls
    }

    /// Returns the last archive with assets, if all assets were lost while objects remained.
    pub fn with_assets(&self, now: &LedgerSummary, config: &HistoryConfig) -> Option<&Archive> {
        // A database may have its assets elsewhere.
        let last = self.before.iter().rposition(|old| old.brief.assets > 0 && !old.kind.is_database());
        let kept = last.filter(|last| {
            let later: Vec<&LedgerSummary> =
                self.before[last + 1..].iter().map(|old| &old.brief).chain([now]).collect();
            losses::is_without_assets(&self.before[*last].brief, &later, config)
        });
        let baseline = self.baseline.as_ref();
        let baseline = baseline
            .filter(|old| !old.kind.is_database() && losses::is_without_assets(&old.brief, &[now], config));
        kept.map(|last| &self.before[last]).or(baseline)
    }

    /// Returns the earlier archives that no later one supersedes, the oldest first. Only an archive without a loss
    /// supersedes. So a loss is reported until it is restored, and slow decline is not reported.
    fn not_superseded(&self, config: &HistoryConfig) -> Vec<&Archive> {
        let mut standing: Vec<&Archive> = Vec::new();
        for later in &self.before {
            standing.retain(|old| has_fallen(old, later, config));
            standing.push(later);
        }
        standing
    }
}

fn has_fallen(old: &Archive, new: &Archive, config: &HistoryConfig) -> bool {
    !losses::fallen(new.kind, &old.brief, &new.brief, false, config).is_empty()
}
