//! Losses between two archives of one series.

use super::HistoryConfig;
use hullmark_ledger::{
    InputKind,
    summary::{LedgerSummary, REGIONS, Region},
};
use hullmark_util::number_text::{counted, thousands};

const NAMED: usize = 3;

/// A loss above the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fallen {
    /// The loss in percent.
    pub percent: f64,
    /// Describes the loss, with the numbers before and after.
    pub words: String,
}

/// A counted number: its name, its value, and the loss that is always allowed.
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

/// Returns the losses of objects, assets and bytes above the limit. Assets and bytes are left out if HIS005 reports the
/// loss of all assets.
///
/// Of databases, only objects in regions are compared. Their bytes change when they are compacted, their assets may move to
/// another service, and only some inventories are read.
pub fn fallen(
    kind: InputKind,
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
    let objects = if kind.is_database() { &OBJECTS[..1] } else { &OBJECTS[..] };
    let mut fallen: Vec<Fallen> = objects.iter().filter_map(fell).collect();
    if fallen.is_empty() {
        fallen.extend(regions(old, new, config));
    }
    if !no_asset_is_reported && !kind.is_database() {
        fallen.extend(CONTENT.iter().filter_map(fell));
    }
    fallen
}

/// Returns the losses of regions in an archive of several, because the sum may hide them. `None` without a loss.
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

/// Returns the number of objects that a region has in a later archive; 0 if the region is absent. `None` if it may
/// still be there: with a new name, because a UUID is missing, or beyond the capped list of regions.
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

/// Returns the loss of a number in percent. `None` if it is not above the limit.
fn percent(before: u64, now: u64, few: u64, config: &HistoryConfig) -> Option<f64> {
    let gone = before.checked_sub(now)?;
    // Rounded to one decimal.
    let percent = (1000.0 * gone as f64 / before as f64).round() / 10.0;
    (gone >= few && percent > f64::from(config.fell_percent)).then_some(percent)
}

/// Whether all assets were lost while objects remained, in an archive and all later ones, the oldest first. Only assets
/// end this state: fewer objects in a later run do not. A few assets may go with the objects that used them. So these
/// count only if objects are left and a later run had as many objects or more.
pub fn is_without_assets(old: &LedgerSummary, later: &[&LedgerSummary], config: &HistoryConfig) -> bool {
    let objects = |brief: &LedgerSummary| brief.objects + brief.loose_objects;
    let are_many = old.assets >= config.few_assets;
    let objects_stayed = || {
        let all_went = later.iter().any(|brief| objects(brief) == 0);
        !all_went && later.iter().any(|brief| objects(brief) >= objects(old))
    };
    old.assets > 0 && later.iter().all(|brief| brief.assets == 0) && (are_many || objects_stayed())
}
