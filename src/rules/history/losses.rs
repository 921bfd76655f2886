//! How much is lost between two archives of one series.

use super::HistoryConfig;
use crate::{
    ledger::summary::{LedgerSummary, REGIONS, Region},
    util::number_text::{counted, thousands},
};

/// Regions that are named.
const NAMED: usize = 3;

/// A loss above the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fallen {
    /// By how many percent it fell.
    pub percent: f64,
    /// What fell, from which to which number.
    pub words: String,
}

/// What is counted of an archive, and how many may always be lost.
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

/// Objects, assets and bytes that fell by more than a share. Assets and bytes are left out if HIS005 reports the loss of
/// all assets.
pub fn fallen(
    old: &LedgerSummary,
    new: &LedgerSummary,
    no_asset_is_reported: bool,
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
    if !no_asset_is_reported {
        fallen.extend(CONTENT.iter().filter_map(fell));
    }
    fallen
}

/// Regions whose objects fell, in an archive of several: the sum may hide it.
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

/// How many objects a region has in a later archive. A region without UUID may have a new name; else an absent region
/// has 0.
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

/// By how many percent a number fell, if above the limit.
fn percent(before: u64, now: u64, few: u64, config: &HistoryConfig) -> Option<f64> {
    let gone = before.checked_sub(now)?;
    // To one decimal.
    let percent = (1000.0 * gone as f64 / before as f64).round() / 10.0;
    (gone >= few && percent > f64::from(config.fell_percent)).then_some(percent)
}

/// Whether all assets were lost while objects remained, for an archive and all later ones, the oldest first. Only assets
/// end this: fewer objects in a later run do not. A few assets may go with the objects that used them, so these count
/// only if a later run had as many objects or more, and objects are left.
pub fn is_without_assets(old: &LedgerSummary, later: &[&LedgerSummary], config: &HistoryConfig) -> bool {
    let objects = |brief: &LedgerSummary| brief.objects + brief.loose_objects;
    let are_many = old.assets >= config.few_assets;
    let objects_stayed = || {
        let all_went = later.iter().any(|brief| objects(brief) == 0);
        !all_went && later.iter().any(|brief| objects(brief) >= objects(old))
    };
    old.assets > 0 && later.iter().all(|brief| brief.assets == 0) && (are_many || objects_stayed())
}
