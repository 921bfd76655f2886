//! The fewest changes that bring a sum under a budget: mathematics that knows no object.

use super::{
    search::{self, Found},
    units::{cost_units, volume_units},
};

/// Attempts of the search after which the best plan so far is taken, and said to be not proven. A count and not
/// a clock: the same input gives the same plan everywhere.
pub const WORK: u64 = 1 << 18;

/// What may be done to one part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Its cost afterwards.
    pub cost: f64,
    /// By how much that changes the volume that collides, m³; never negative. The caller knows how well.
    pub volume_change_m3: f64,
}

/// One part of the sum, with what may be done to it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Candidate {
    /// Its present cost.
    pub cost: f64,
    /// At most one of these is chosen. Those that save nothing are passed over.
    pub choices: Vec<Choice>,
}

/// A choice that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pick {
    /// Number of the candidate.
    pub candidate: usize,
    /// Number of its choice.
    pub choice: usize,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The choices, in the order of the candidates. Where the budget cannot be reached, those that come nearest.
    pub picks: Vec<Pick>,
    /// Whether the sum is within the budget afterwards.
    pub reaches: bool,
    /// Whether no better plan exists. That there is none with fewer changes is certain in any case.
    pub proven: bool,
}

/// A choice in whole units, which add up to the same in any order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) choice: usize,
    pub(super) saving: i128,
    pub(super) volume: i128,
}

/// A candidate that can save something, with the choices that may be part of a best plan.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) candidate: usize,
    pub(super) ways: Vec<Way>,
}

impl Item {
    /// The choice that saves most; of equal ones the one that changes less.
    pub(super) fn best_saving(&self) -> Option<Way> {
        self.ways.iter().copied().max_by_key(|way| (way.saving, -way.volume))
    }
}

/// The best plan for this budget: the fewest changes; among those the least change of volume; among those the
/// largest saving. `work` bounds the search, see [`WORK`].
///
/// The number of changes is exact at once: `k` changes suffice if and only if the `k` largest savings do. Which
/// `k` is a knapsack, solved by branch and bound; its bound is proven in `search.rs`.
pub fn plan(candidates: &[Candidate], budget: f64, work: u64) -> Plan {
    let total: i128 = candidates.iter().map(|candidate| cost_units(candidate.cost)).sum();
    let need = total - cost_units(budget);
    if need <= 0 {
        return Plan { picks: Vec::new(), reaches: true, proven: true };
    }
    let items: Vec<Item> = candidates.iter().enumerate().filter_map(item).collect();
    let (picks, reaches, proven) = match fewest(&items, need) {
        None => (all(&items), false, true),
        Some(count) => {
            let Found { picks, proven } = search::least_volume(items, count, need, work);
            (picks, true, proven)
        }
    };
    Plan { picks: sorted(picks), reaches, proven }
}

/// A candidate's choices without those that save nothing, and without those that another choice beats.
fn item((number, candidate): (usize, &Candidate)) -> Option<Item> {
    let way = |(choice, option): (usize, &Choice)| Way {
        choice,
        saving: cost_units(candidate.cost) - cost_units(option.cost),
        volume: volume_units(option.volume_change_m3),
    };
    let all: Vec<Way> = candidate.choices.iter().enumerate().map(way).filter(|way| way.saving > 0).collect();
    let beats = |one: &Way, other: &Way| {
        let (a, b) = ((one.saving, -one.volume), (other.saving, -other.volume));
        a.0 >= b.0 && a.1 >= b.1 && (a != b || one.choice < other.choice)
    };
    let ways: Vec<Way> =
        all.iter().filter(|way| !all.iter().any(|other| beats(other, way))).copied().collect();
    (!ways.is_empty()).then_some(Item { candidate: number, ways })
}

/// How many changes it takes; `None` where all together do not suffice.
fn fewest(items: &[Item], need: i128) -> Option<usize> {
    let mut savings: Vec<i128> = items.iter().filter_map(Item::best_saving).map(|way| way.saving).collect();
    savings.sort_unstable_by(|a, b| b.cmp(a));
    let mut saved = 0;
    let enough = savings.iter().position(|saving| {
        saved += saving;
        saved >= need
    });
    enough.map(|last| last + 1)
}

/// Every part as cheap as it gets.
fn all(items: &[Item]) -> Vec<Pick> {
    let pick = |item: &Item| Some(Pick { candidate: item.candidate, choice: item.best_saving()?.choice });
    items.iter().filter_map(pick).collect()
}

fn sorted(mut picks: Vec<Pick>) -> Vec<Pick> {
    picks.sort_unstable();
    picks
}
