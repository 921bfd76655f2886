//! Limits the total work on meshes and sculpt maps of an input.
//!
//! The work of a mesh is known once it is decoded, and meshes are decoded in any order. So each result waits here until
//! all earlier meshes are charged. Which meshes are evaluated depends only on their order in the input.

use super::sculpts::{self, MapHeader, Sculpt};
use hullmark_format::{
    defect::{Defect, InputDefect},
    member,
};
use hullmark_ledger::facts::{AssetFacts, Content};
use hullmark_media::image::{media::Image, sculpt_map::SculptError};
use hullmark_settings::limits::Limits;
use hullmark_source::content::Decoded;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use uuid::Uuid;

/// Units of work for a byte of an input: it is unpacked, hashed and, in a document, parsed.
pub(super) const BYTE: u64 = 8;

/// Units of work for a sample of a sculpt map.
const SAMPLE: u64 = 16;

const CHANNELS: u64 = 3;

/// The work budget for the meshes of one input, and then for its sculpt maps.
pub(super) struct WorkBudget {
    /// Units that may be charged (`most`), and that are charged (`done`).
    most: u64,
    done: u64,
    /// Total including the first mesh that is left out. `None` while nothing is left out.
    spent: Option<u64>,
    /// Number of the mesh that is charged next, and the decoded meshes after it.
    next: u64,
    waiting: BTreeMap<u64, (u64, MeshResult)>,
}

/// The result for a mesh, or for all meshes of a scene.
pub(super) struct MeshResult {
    /// Its number among all members.
    pub(super) number: u64,
    pub(super) entry: String,
    /// `None` if it was not decoded.
    pub(super) decoded: Option<Decoded>,
}

impl WorkBudget {
    /// Creates the budget of an input of this many bytes on the disk.
    pub(super) fn new(bytes: u64, limits: &Limits) -> Self {
        let most = limits.asset_work.saturating_add(bytes.saturating_mul(limits.work_per_byte));
        Self { most, done: 0, spent: None, next: 0, waiting: BTreeMap::new() }
    }

    pub(super) fn most(&self) -> u64 {
        self.most
    }

    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Whether something is left out. Everything after it is left out, too.
    pub(super) fn is_spent(&self) -> bool {
        self.spent.is_some()
    }

    /// Charges the n-th mesh of the input. Returns the results whose turn has come, with a defect in place of those
    /// that are left out.
    pub(super) fn charge(&mut self, mesh: u64, units: u64, result: MeshResult) -> Vec<MeshResult> {
        self.waiting.insert(mesh, (units, result));
        let mut known = Vec::new();
        while let Some((units, mut result)) = self.waiting.remove(&self.next) {
            self.next += 1;
            if let Err(spent) = self.take(units) {
                result.decoded = Some(Decoded::defect(self.left_out(&result.entry, spent)));
            }
            known.push(result);
        }
        known
    }

    /// Charges units. The error is the total with the units that are too many.
    fn take(&mut self, units: u64) -> Result<(), u64> {
        let all = self.done.saturating_add(units);
        if self.spent.is_none() && all > self.most {
            self.spent = Some(all);
        }
        match self.spent {
            Some(spent) => Err(spent),
            None => {
                self.done = all;
                Ok(())
            }
        }
    }

    fn left_out(&self, entry: &str, spent: u64) -> Defect {
        let mut defect = Defect::new(InputDefect::MeshWork).entry(entry).within("work_per_byte");
        defect.place.asset = member::uuid_in(entry);
        defect.measured(spent as f64).limit(self.most as f64)
    }

    /// Keeps the sculpt maps for which work is left, in the order of their UUIDs. Returns the facts of the others.
    pub(super) fn maps<'a>(
        &mut self,
        maps: &mut BTreeSet<Uuid>,
        assets: impl Iterator<Item = &'a (u64, AssetFacts)>,
        limits: &Limits,
    ) -> Vec<Sculpt> {
        // Of two textures with one UUID, the first counts.
        let mut first: HashMap<Uuid, (u64, &AssetFacts)> = HashMap::new();
        for (number, asset) in assets {
            let Some(uuid) = asset.uuid().filter(|uuid| maps.contains(uuid)) else { continue };
            let known = first.entry(uuid).or_insert((*number, asset));
            if *number < known.0 {
                *known = (*number, asset);
            }
        }
        let mut left_out = Vec::new();
        maps.retain(|uuid| {
            let asset = first.get(uuid).map(|(_, asset)| *asset);
            let taken =
                self.take(asset.map_or_else(|| largest_map(limits), |asset| units_of_map(asset, limits)));
            if let Err(spent) = taken {
                let what = "units of work on the meshes and sculpt maps of the input";
                let error = SculptError::OverBudget { what, measured: spent, limit: self.most };
                let (name, bytes) =
                    asset.map_or_else(Default::default, |asset| (asset.entry.to_string(), asset.bytes));
                left_out.push(sculpts::unusable(*uuid, &name, bytes, MapHeader::default(), &error));
            }
            taken.is_ok()
        });
        left_out
    }
}

/// Units of work to decode the largest map.
fn largest_map(limits: &Limits) -> u64 {
    SAMPLE * CHANNELS * limits.sculpt_side.saturating_mul(limits.sculpt_side)
}

/// Units of work to decode a map, estimated from its header.
pub(super) fn units_of_map(asset: &AssetFacts, limits: &Limits) -> u64 {
    let largest = largest_map(limits);
    match (asset.content.image(), &asset.content) {
        (Some(Image { width, height, components }), _) => {
            let samples = u64::from(width).saturating_mul(height.into()).saturating_mul(components.into());
            samples.saturating_mul(SAMPLE).min(largest)
        }
        // The decoder refuses larger maps, and maps without a header.
        (None, Content::NotEvaluated(_)) => largest,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mesh(number: u64) -> MeshResult {
        MeshResult { number, entry: number.to_string(), decoded: None }
    }

    proptest! {
        #[test]
        fn which_meshes_are_left_out_depends_on_no_order(
            units in prop::collection::vec(0..100_u64, 1..40),
            order in prop::collection::vec(any::<prop::sample::Index>(), 40),
            most in 0..2_000_u64,
        ) {
            let mut left: Vec<u64> = (0..units.len() as u64).collect();
            let limits = Limits { asset_work: most, ..Limits::default() };
            let mut budget = WorkBudget::new(0, &limits);
            let mut known = Vec::new();
            for at in &order[..units.len()] {
                let mesh = left.remove(at.index(left.len()));
                known.extend(budget.charge(mesh, units[mesh as usize], self::mesh(mesh)));
            }
            let numbers: Vec<u64> = known.iter().map(|mesh| mesh.number).collect();
            prop_assert_eq!(numbers, (0..units.len() as u64).collect::<Vec<_>>());
            let sums = units.iter().scan(0, |sum, units| { *sum += units; Some(*sum) });
            let within: Vec<u64> = sums.take_while(|sum| *sum <= most).collect();
            prop_assert_eq!(known.iter().filter(|mesh| mesh.decoded.is_none()).count(), within.len());
            prop_assert_eq!(budget.done(), within.last().copied().unwrap_or(0));
            prop_assert_eq!(budget.is_spent(), within.len() < units.len());
        }
    }

    #[test]
    fn maps_are_charged_behind_the_meshes_in_the_order_of_their_uuids() {
        let map = |number: u64, uuid: u128, side: u32| {
            let image = Image { width: side, height: side, components: 3 };
            let entry = format!("{number}/{}.jp2", Uuid::from_u128(uuid)).as_str().into();
            (number, AssetFacts { entry, bytes: 0, content_hash: None, content: Content::Image(image) })
        };
        // The second UUID has a later duplicate that would be cheaper.
        let assets = [map(3, 2, 1), map(0, 3, 1), map(1, 2, 10), map(2, 1, 1)];
        let limits = Limits { asset_work: 200, ..Limits::default() };
        let mut budget = WorkBudget::new(0, &limits);
        budget.charge(0, 100, mesh(9));
        let mut maps: BTreeSet<Uuid> = (1..=3).map(Uuid::from_u128).collect();
        let left_out = budget.maps(&mut maps, assets.iter(), &limits);
        assert_eq!(maps.into_iter().collect::<Vec<_>>(), [Uuid::from_u128(1)]);
        let reported =
            left_out.iter().map(|sculpt| (&sculpt.facts.entry[..1], sculpt.defect.as_ref().unwrap()));
        let reported: Vec<_> = reported
            .map(|(entry, defect)| (entry, defect.measured.map(f64::from), defect.limit.map(f64::from)))
            .collect();
        let numbers = (Some(100.0 + 48.0 + 4800.0), Some(200.0));
        assert_eq!(reported, [("1", numbers.0, numbers.1), ("0", numbers.0, numbers.1)]);
    }
}
