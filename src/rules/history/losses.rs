//! How much an archive lost compared with an earlier one of its series.

use super::HistoryConfig;
use crate::{
    ledger::summary::{LedgerSummary, REGIONS, Region},
    util::number_text::{counted, thousands},
};

/// Regions that are named.
const NAMED: usize = 3;

/// Something of which too much is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Fallen {
    /// By how many percent it fell.
    pub percent: f64,
    /// What it is, and how much there was and is.
    pub words: String,
}

/// What is counted of an archive, and how few of it may always be gone.
type Counted = (&'static str, fn(&LedgerSummary) -> u64, fn(&HistoryConfig) -> u64);

const OBJECTS: [Counted; 3] = [
    ("objects", |brief| brief.objects, |config| config.few_objects),
    ("objects in inventories", |brief| brief.nested_objects, |config| config.few_objects),
    ("loose objects", |brief| brief.loose_objects, |config| config.few_objects),
];
const CONTENT: [Counted; 2] = [
    ("assets", |brief| brief.assets, |config| config.few_assets),
    ("unpacked bytes", |brief| brief.bytes, |config| config.few_bytes),
];

/// Objects, assets and bytes that fell by more than a share. What follows from assets that are gone altogether is left
/// out where that is told.
pub fn fallen(
    old: &LedgerSummary,
    new: &LedgerSummary,
    no_asset_is_told: bool,
    config: &HistoryConfig,
) -> Vec<Fallen> {
    let fell = |(name, count, few): &Counted| {
        let (before, now) = (count(old), count(new));
        let percent = percent(before, now, few(config), config)?;
        Some(Fallen { percent, words: format!("{name} from {} to {}", thousands(before), thousands(now)) })
    };
    let mut fallen: Vec<Fallen> = OBJECTS.iter().filter_map(fell).collect();
    if fallen.is_empty() {
        fallen.extend(regions(old, new, config));
    }
    if !no_asset_is_told {
        fallen.extend(CONTENT.iter().filter_map(fell));
    }
    fallen
}

/// Regions of an archive of several whose objects fell: in the sum of all it may not show.
fn regions(old: &LedgerSummary, new: &LedgerSummary, config: &HistoryConfig) -> Option<Fallen> {
    if old.regions.len().max(new.regions.len()) < 2 {
        return None;
    }
    let fallen = old.regions.iter().filter_map(|before| {
        let now = objects_now(before, new)?;
        let percent = percent(before.objects, now, config.few_objects, config)?;
        Some((percent, before, now))
    });
    let fallen: Vec<_> = fallen.collect();
    let most = fallen.iter().map(|(percent, ..)| *percent).reduce(f64::max)?;
    let words = fallen.iter().take(NAMED).map(|(_, before, now)| {
        format!("objects in {} from {} to {}", before.called(), thousands(before.objects), thousands(*now))
    });
    let more = fallen.len().saturating_sub(NAMED) as u64;
    let more = (more > 0).then(|| format!("and in {}", counted(more, "more region")));
    let words: Vec<String> = words.chain(more).collect();
    Some(Fallen { percent: most, words: words.join(", ") })
}

/// How many objects a region has in a later archive. One that is not in it has none, where that is known: a region
/// without UUID may have got another name.
fn objects_now(before: &Region, new: &LedgerSummary) -> Option<u64> {
    let is_same = |now: &&Region| match (before.uuid, now.uuid) {
        (Some(before), Some(now)) => before == now,
        _ => !before.name.is_empty() && before.name == now.name,
    };
    let all_are_known = new.regions.len() < REGIONS && new.regions.iter().all(|region| region.uuid.is_some());
    match new.regions.iter().find(is_same) {
        Some(now) => Some(now.objects),
        None => (before.uuid.is_some() && all_are_known).then_some(0),
    }
}

/// By how many percent something fell, where that is too much.
fn percent(before: u64, now: u64, few: u64, config: &HistoryConfig) -> Option<f64> {
    let gone = before.checked_sub(now)?;
    // One decimal is what a person reads.
    let percent = (1000.0 * gone as f64 / before as f64).round() / 10.0;
    (gone >= few && percent > f64::from(config.fell_percent)).then_some(percent)
}

/// Whether assets became none while objects stayed, of an archive and all that came after it, the oldest first. Only
/// assets make that good: that objects are fewer on a later night brings none back. A few assets may go with the few
/// objects that used them, so of these it takes a night on which there were as many objects as before, or more; and
/// where nothing is left that could use them, they are not missed.
pub fn is_without_assets(old: &LedgerSummary, later: &[&LedgerSummary], config: &HistoryConfig) -> bool {
    let objects = |brief: &LedgerSummary| brief.objects + brief.loose_objects;
    let are_many = old.assets >= config.few_assets;
    let objects_stayed = || {
        let all_went = later.iter().any(|brief| objects(brief) == 0);
        !all_went && later.iter().any(|brief| objects(brief) >= objects(old))
    };
    old.assets > 0 && later.iter().all(|brief| brief.assets == 0) && (are_many || objects_stayed())
}
