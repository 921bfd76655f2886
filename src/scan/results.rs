//! The results of an input's members, within a memory budget.
//!
//! Members are decoded in any order, and the size of a result is known only then. Results are retained in input order
//! until the budget is exceeded, so the cut-off does not depend on threads. Results certainly after the cut-off are
//! dropped at once. Memory therefore never exceeds the budget plus the members that are being decoded.

use hullmark_format::defect::{Defect, InputDefect};
use hullmark_ledger::facts::{AssetFacts, asset_size};
use hullmark_source::content::Decoded;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Most bytes of a decoded sculpt map: viewers use no more of its pixels.
pub(super) const MAP: u64 = 65_536;

/// The results of the members of an input, each with the number of its member.
pub(super) struct DecodedResults {
    decoded: Vec<(u64, Decoded)>,
    /// Separate from `decoded`, because most assets have facts only, and there are many.
    assets: Vec<(u64, AssetFacts)>,
    /// Bytes that may be kept (`most`), that are kept, and of all results.
    most: u64,
    kept: u64,
    all: u64,
    /// Results from this member on are dropped.
    end: u64,
}

impl DecodedResults {
    pub(super) fn new(most: u64) -> Self {
        Self { decoded: Vec::new(), assets: Vec::new(), most, kept: 0, all: 0, end: u64::MAX }
    }

    pub(super) fn add(&mut self, number: u64, decoded: Option<Decoded>, asset: Option<AssetFacts>) {
        let weight = decoded.as_ref().map_or(0, Decoded::size) + asset.as_ref().map_or(0, asset_size);
        let weight = weight as u64;
        self.all += weight;
        if number >= self.end {
            return;
        }
        self.kept += weight;
        self.decoded.extend(decoded.map(|decoded| (number, decoded)));
        self.assets.extend(asset.map(|asset| (number, asset)));
        if self.kept > self.most {
            self.cut();
        }
    }

    /// Drops the results beyond the budget. Later results can only move the end forward in the input order.
    fn cut(&mut self) {
        let mut members: BTreeMap<u64, u64> = BTreeMap::new();
        let decoded = self.decoded.iter().map(|(number, decoded)| (number, decoded.size()));
        let assets = self.assets.iter().map(|(number, asset)| (number, asset_size(asset)));
        for (&number, size) in decoded.chain(assets) {
            *members.entry(number).or_default() += size as u64;
        }
        self.kept = 0;
        for (number, weight) in members {
            if self.kept + weight > self.most {
                self.end = number;
                break;
            }
            self.kept += weight;
        }
        self.decoded.retain(|(number, _)| *number < self.end);
        self.assets.retain(|(number, _)| *number < self.end);
    }

    /// Returns the sculpt maps for which there is room after all other results.
    pub(super) fn room_for(&mut self, mut maps: BTreeSet<Uuid>) -> BTreeSet<Uuid> {
        self.all += maps.len() as u64 * MAP;
        let room = (self.most - self.kept) / MAP;
        while maps.len() as u64 > room {
            maps.pop_last();
        }
        maps
    }

    /// Returns a defect if results were dropped. `None` if all were kept.
    pub(super) fn too_many(&self) -> Option<Defect> {
        (self.all > self.most).then(|| {
            let defect = Defect::new(InputDefect::TooManyFacts).within("facts_bytes");
            defect.measured(self.all as f64).limit(self.most as f64)
        })
    }

    /// The decoded results, in any order.
    pub(super) fn decoded(&self) -> impl Iterator<Item = &Decoded> {
        self.decoded.iter().map(|(_, decoded)| decoded)
    }

    /// The assets, each with the number of its member, in any order.
    pub(super) fn assets(&self) -> impl Iterator<Item = &(u64, AssetFacts)> {
        self.assets.iter()
    }

    /// Returns all results, in the order of the members.
    pub(super) fn finish(mut self) -> (Vec<Decoded>, Vec<AssetFacts>) {
        self.decoded.sort_unstable_by_key(|(number, _)| *number);
        self.assets.sort_unstable_by_key(|(number, _)| *number);
        // A mesh that is read a second time has its facts from both times.
        self.assets.dedup_by_key(|(number, _)| *number);
        let decoded = self.decoded.into_iter().map(|(_, decoded)| decoded).collect();
        (decoded, self.assets.into_iter().map(|(_, asset)| asset).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_ledger::facts::Content;
    use proptest::prelude::*;

    fn asset(bytes: usize) -> AssetFacts {
        AssetFacts {
            entry: (&*"x".repeat(bytes)).into(),
            bytes: 0,
            content_hash: None,
            content: Content::Opaque,
        }
    }

    proptest! {
        #[test]
        fn kept_results_do_not_depend_on_order(
            sizes in prop::collection::vec(0..500_usize, 1..40),
            order in prop::collection::vec(any::<prop::sample::Index>(), 40),
            most in 0..20_000_u64,
        ) {
            let mut left: Vec<(usize, usize)> = sizes.iter().copied().enumerate().collect();
            let mut results = DecodedResults::new(most);
            for at in &order[..sizes.len()] {
                let (number, size) = left.remove(at.index(left.len()));
                results.add(number as u64, None, Some(asset(size)));
                prop_assert!(results.kept <= most);
            }
            let mut sum = 0;
            let fits = sizes.iter().take_while(|&&size| {
                sum += asset_size(&asset(size)) as u64;
                sum <= most
            });
            let expected: Vec<usize> = fits.copied().collect();
            prop_assert_eq!(results.too_many().is_some(), expected.len() < sizes.len());
            let kept: Vec<usize> = results.finish().1.iter().map(|asset| asset.entry.to_string().len()).collect();
            prop_assert_eq!(kept, expected);
        }
    }
}
