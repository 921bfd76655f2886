//! Objects and findings of two runs in pairs: by their keys, else by their content.
//!
//! A load gives each object a new UUID, so the keys of its objects and of the findings about them change. Their content
//! stays.

use super::{Finding, Findings, Linkset, Linksets};
use hullmark_finding::Code;
use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
};

/// A thing in the earlier run and in this one. One of the two is always there.
#[derive(Debug)]
pub(super) struct Pair<'a, K, T> {
    /// Its key in this run, else in the earlier run.
    pub(super) key: K,
    pub(super) before: Option<&'a T>,
    pub(super) after: Option<&'a T>,
}

/// Pairs the objects of an archive. Of several equal ones with new UUIDs, first those at one place are pairs.
pub(super) fn of_linksets<'a>(before: &'a Linksets, after: &'a Linksets) -> Vec<Pair<'a, u128, Linkset>> {
    let mut pairs = Pairs::by_key(before, after);
    let order = |key: &u128, linkset: &Linkset| (linkset.place, linkset.uuid, *key);
    pairs.join(|_, linkset| Some((group(linkset)?, linkset.place)), order);
    pairs.join(|_, linkset| group(linkset), order);
    pairs.finish()
}

/// What equal objects with new UUIDs have in common.
fn group(linkset: &Linkset) -> Option<(Option<&str>, u64)> {
    Some((linkset.region.as_deref(), linkset.content?))
}

/// Pairs the findings of an archive.
pub(super) fn of_findings<'a>(
    before: &'a Findings,
    after: &'a Findings,
) -> Vec<Pair<'a, (Code, u64), Finding>> {
    let mut pairs = Pairs::by_key(before, after);
    let order = |(_, fingerprint): &(Code, u64), finding: &Finding| {
        (finding.severity, finding.count, finding.object, *fingerprint)
    };
    pairs.join(|(code, _), finding| Some((*code, finding.content_fingerprint?)), order);
    pairs.finish()
}

struct Pairs<'a, K, T> {
    before: &'a HashMap<K, T>,
    after: &'a HashMap<K, T>,
    /// The keys before of the keys in this run.
    joined: HashMap<K, K>,
    /// Keys without a pair.
    left: [HashSet<K>; 2],
}

impl<'a, K: Copy + Eq + Hash + Ord, T> Pairs<'a, K, T> {
    fn by_key(before: &'a HashMap<K, T>, after: &'a HashMap<K, T>) -> Self {
        let only = |own: &HashMap<K, T>, other: &HashMap<K, T>| {
            own.keys().filter(|key| !other.contains_key(key)).copied().collect()
        };
        let left = [only(before, after), only(after, before)];
        Self { before, after, joined: HashMap::new(), left }
    }

    /// Joins things without a pair that are in one group. The order decides between several.
    fn join<G: Eq + Hash, O: Ord>(
        &mut self,
        group: impl Fn(&K, &'a T) -> Option<G>,
        order: impl Fn(&K, &T) -> O,
    ) {
        if self.left.iter().any(HashSet::is_empty) {
            return;
        }
        let mut groups: HashMap<G, [Vec<K>; 2]> = HashMap::new();
        for (side, all) in [self.before, self.after].into_iter().enumerate() {
            for key in &self.left[side] {
                if let Some(group) = group(key, &all[key]) {
                    groups.entry(group).or_default()[side].push(*key);
                }
            }
        }
        for [mut before, mut after] in groups.into_values() {
            before.sort_by_cached_key(|key| order(key, &self.before[key]));
            after.sort_by_cached_key(|key| order(key, &self.after[key]));
            for (before, after) in before.into_iter().zip(after) {
                self.joined.insert(after, before);
                self.left[0].remove(&before);
                self.left[1].remove(&after);
            }
        }
    }

    fn finish(self) -> Vec<Pair<'a, K, T>> {
        let Self { before, after, joined, left: [gone, _] } = self;
        let pair = |(key, thing)| {
            let earlier = before.get(joined.get(key).unwrap_or(key));
            Pair { key: *key, before: earlier, after: Some(thing) }
        };
        let gone = gone.into_iter().map(|key| Pair { key, before: before.get(&key), after: None });
        after.iter().map(pair).chain(gone).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use uuid::Uuid;

    /// Objects with these keys: content and place.
    fn linksets(of: &BTreeMap<u128, (u64, i32)>) -> Linksets {
        let linkset = |(key, (content, place)): (&u128, &(u64, i32))| {
            let linkset = Linkset {
                uuid: Uuid::from_u128(*key),
                owner: Uuid::nil(),
                name: "Hut".into(),
                region: None,
                place: Some([*place, 0, 0]),
                content: Some(*content).filter(|content| *content > 0),
                count: 1,
                parts: 1,
                scripts: None,
                land_impact: None,
                physics_cost: None,
            };
            (*key, linkset)
        };
        of.iter().map(linkset).collect()
    }

    fn some() -> impl Strategy<Value = BTreeMap<u128, (u64, i32)>> {
        prop::collection::btree_map(0..40_u128, (0..4_u64, 0..3_i32), 0..20)
    }

    proptest! {
        #[test]
        fn each_object_has_one_pair_and_no_equal_ones_are_left(before in some(), after in some()) {
            let (earlier, this) = (linksets(&before), linksets(&after));
            let pairs = of_linksets(&earlier, &this);
            for (side, all) in [(0, &before), (1, &after)] {
                let of = |pair: &Pair<'_, u128, Linkset>| [pair.before, pair.after][side].map(|found| found.uuid.as_u128());
                let mut keys: Vec<u128> = pairs.iter().filter_map(of).collect();
                keys.sort_unstable();
                prop_assert_eq!(keys, all.keys().copied().collect::<Vec<_>>());
            }
            let (mut gone, mut new) = (HashSet::new(), HashSet::new());
            let (mut gone_there, mut new_there) = (HashSet::new(), HashSet::new());
            for pair in &pairs {
                match (pair.before, pair.after) {
                    // An equal object at the same place would have been nearer.
                    (Some(known), Some(found)) if known.uuid != found.uuid => {
                        prop_assert_eq!(known.content, found.content);
                        prop_assert!(!before.contains_key(&found.uuid.as_u128()) && !after.contains_key(&known.uuid.as_u128()));
                        if known.place != found.place {
                            gone_there.insert((known.content, known.place));
                            new_there.insert((found.content, found.place));
                        }
                    }
                    (Some(known), None) => _ = gone.insert(known.content),
                    (None, Some(found)) => _ = new.insert(found.content),
                    _ => {}
                }
            }
            prop_assert!(gone.intersection(&new).all(Option::is_none), "{gone:?} and {new:?}");
            prop_assert!(gone_there.is_disjoint(&new_there));
        }
    }
}
