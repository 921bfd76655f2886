//! Which changes: of a given number that suffices, those with the least change of volume, then the largest
//! saving.
//!
//! Choose `k` items, for each one way, such that the savings reach a need. For any price `p ≥ 0` on a unit of
//! saving, give a way the reduced volume `r = v − p·s`. Then for every choice that reaches the need
//!
//! ```text
//! Σv  ≥  Σv − p·(Σs − need)  =  Σr + p·need  ≥  (the k least r of different items) + p·need
//! ```
//!
//! (Lagrange). The same holds of the pairs (Σv, −Σs) in lexicographic order, because they add up like numbers. Below
//! a node of the search, with some ways taken and all items up to one passed, the same line bounds what is left;
//! as items are sorted by `r`, the least that remain stand next to each other and their sum is a difference of
//! two prefix sums. All is whole numbers: a bound that is not better than the best found is no matter of rounding.

use super::{
    plan::{Item, Pick, Way},
    units::COST_BITS,
};
use std::ops::{Add, Sub};

/// Bits below the point of a price.
const PRICE_BITS: i32 = 30;
/// The highest price, in those bits: with it no sum of a million items overflows.
const HIGHEST_PRICE: i128 = 1 << 45;
/// Bits of a saving that reduced volumes leave out, rounded such that the bound stays a bound.
const COARSE_BITS: i32 = COST_BITS - 30;

/// The best picks that were found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) picks: Vec<Pick>,
    /// Whether none are better.
    pub(super) proven: bool,
}

/// Volume, and saving with its sign turned: less is better, in this order. The volume is a reduced one, or one
/// in the units of these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Value {
    volume: i128,
    unsaved: i128,
}

impl Add for Value {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { volume: self.volume + other.volume, unsaved: self.unsaved + other.unsaved }
    }
}

impl Sub for Value {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { volume: self.volume - other.volume, unsaved: self.unsaved - other.unsaved }
    }
}

impl Value {
    fn of(way: Way) -> Self {
        Self { volume: way.volume << PRICE_BITS, unsaved: -way.saving }
    }

    fn reduced(way: Way, price: i128) -> Self {
        let coarse = -((-way.saving) >> COARSE_BITS);
        Self { volume: (way.volume << PRICE_BITS) - price * coarse, unsaved: -way.saving }
    }
}

/// The best `count` changes that save `need`. So many must suffice.
pub(super) fn least_volume(items: Vec<Item>, count: usize, need: i128, work: u64) -> Found {
    let (price, start) = best_price(&items, count, need);
    let mut search = Search::new(items, price, count, need, start, work);
    let proven = search.run();
    Found { picks: search.best_picks, proven }
}

/// Some picks with their value.
type Start = (Value, Vec<Pick>);

/// The price with the best bound, found by halving: the higher it is, the more do the best by reduced volume save.
/// The best that suffices on the way is what the search starts from.
fn best_price(items: &[Item], count: usize, need: i128) -> (i128, Start) {
    let mut start = by_saving(items, count);
    let (mut low, mut high) = (0, HIGHEST_PRICE);
    while low < high {
        let middle = (low + high) / 2;
        let (value, picks) = by_price(items, count, middle);
        if -value.unsaved >= need {
            start = start.min((value, picks));
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    (high, start)
}

/// The largest savings: they suffice, whatever they change. The key has saving and volume in each other's place.
fn by_saving(items: &[Item], count: usize) -> Start {
    take(items, count, Item::best_saving, |way| Value { volume: -way.saving, unsaved: way.volume })
}

/// The least reduced volumes.
fn by_price(items: &[Item], count: usize, price: i128) -> Start {
    let least = |item: &Item| item.ways.iter().copied().min_by_key(|&way| Value::reduced(way, price));
    take(items, count, least, |way| Value::reduced(way, price))
}

/// The first so many items in an order of their ways, with what they are worth.
fn take(
    items: &[Item],
    count: usize,
    way: impl Fn(&Item) -> Option<Way>,
    key: impl Fn(Way) -> Value,
) -> Start {
    let mut ways: Vec<(Value, usize, Way)> =
        items.iter().filter_map(|item| way(item).map(|way| (key(way), item.candidate, way))).collect();
    ways.sort_unstable_by_key(|&(key, candidate, _)| (key, candidate));
    ways.truncate(count);
    let value = ways.iter().fold(Value::default(), |sum, &(_, _, way)| sum + Value::of(way));
    (value, ways.iter().map(|&(_, candidate, way)| Pick { candidate, choice: way.choice }).collect())
}

/// A way that is taken: which item and which of its ways.
#[derive(Debug, Clone, Copy)]
struct Step {
    item: usize,
    way: usize,
}

/// Sums of the ways that are taken.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    value: Value,
    reduced: Value,
}

/// Depth first, in the order of reduced volumes: first what the price would choose, then what differs little.
struct Search {
    /// Sorted by the least reduced volume, ways likewise.
    items: Vec<Item>,
    price: i128,
    count: usize,
    need: i128,
    /// Sums of the least reduced volumes of all items before this one.
    before: Vec<Value>,
    /// The largest saving of this item and all behind it.
    largest: Vec<i128>,
    /// Where the run of items with the same ways as this one ends.
    run_ends: Vec<usize>,
    path: Vec<(Step, Sums)>,
    best: Value,
    best_picks: Vec<Pick>,
    work: u64,
}

impl Search {
    fn new(mut items: Vec<Item>, price: i128, count: usize, need: i128, start: Start, work: u64) -> Self {
        let reduced = |way: &Way| Value::reduced(*way, price);
        for item in &mut items {
            item.ways.sort_by_key(reduced);
        }
        // Items with the same ways come to stand together, and in their first order.
        let key = |item: &Item| -> Vec<(Value, i128)> {
            item.ways.iter().map(|way| (reduced(way), way.volume)).collect()
        };
        items.sort_by_cached_key(|item| (key(item), item.candidate));
        let mut before = vec![Value::default()];
        for item in &items {
            let least = item.ways.first().map_or(Value::default(), reduced);
            before.push(before[before.len() - 1] + least);
        }
        let (largest, run_ends) = (suffix_savings(&items), run_ends(&items));
        let (best, best_picks) = start;
        let path = Vec::new();
        Self { items, price, count, need, before, largest, run_ends, path, best, best_picks, work }
    }

    /// Searches to the end, or to the end of the work. Whether it was the former.
    fn run(&mut self) -> bool {
        let mut next = self.enter(0);
        loop {
            let Some(step) = next else {
                match self.path.pop() {
                    None => return true,
                    Some((left, _)) => next = self.following(left),
                }
                continue;
            };
            if self.work == 0 {
                return false;
            }
            self.work -= 1;
            next = self.attempt(step);
        }
    }

    /// Takes a way; what to try next. Nothing, where what is left to take cannot lead to anything better.
    fn attempt(&mut self, step: Step) -> Option<Step> {
        let way = self.items[step.item].ways[step.way];
        let sums = self.sums();
        let taken = Sums {
            value: sums.value + Value::of(way),
            reduced: sums.reduced + Value::reduced(way, self.price),
        };
        if self.path.len() + 1 == self.count {
            self.record(step, taken.value);
            return self.following(step);
        }
        self.path.push((step, taken));
        self.enter(step.item + 1)
    }

    fn sums(&self) -> Sums {
        self.path.last().map_or(Sums::default(), |&(_, sums)| sums)
    }

    /// Keeps what suffices and is better than the best.
    fn record(&mut self, last: Step, value: Value) {
        if -value.unsaved >= self.need && value < self.best {
            self.best = value;
            let steps = self.path.iter().map(|&(step, _)| step).chain([last]);
            let pick = |step: Step| {
                let item = &self.items[step.item];
                Pick { candidate: item.candidate, choice: item.ways[step.way].choice }
            };
            self.best_picks = steps.map(pick).collect();
        }
    }

    /// The first way of the first item that may be taken below the present path, where any may.
    fn enter(&self, item: usize) -> Option<Step> {
        let left = self.count - self.path.len();
        if self.hopeless(self.sums(), item, left) {
            return None;
        }
        // Of items with the same ways the first are taken, with their ways in order: the rest is the same again.
        let same = self.path.last().filter(|(step, _)| self.run_ends[step.item] > item);
        Some(Step { item, way: same.map_or(0, |(step, _)| step.way) })
    }

    /// What comes after a way that has been tried: the next way of its item, else the next item that differs.
    fn following(&self, step: Step) -> Option<Step> {
        if step.way + 1 < self.items[step.item].ways.len() {
            return Some(Step { way: step.way + 1, ..step });
        }
        self.enter(self.run_ends[step.item])
    }

    /// Whether nothing better can come of these sums with `left` more of the items from here on.
    fn hopeless(&self, sums: Sums, item: usize, left: usize) -> bool {
        if self.items.len() - item < left {
            return true;
        }
        let most = -sums.value.unsaved + self.largest.get(item).map_or(0, |largest| largest * left as i128);
        if most < self.need {
            return true;
        }
        let rest = self.before[item + left] - self.before[item];
        let need = Value { volume: self.price * (self.need >> COARSE_BITS), unsaved: 0 };
        sums.reduced + rest + need >= self.best
    }
}

fn suffix_savings(items: &[Item]) -> Vec<i128> {
    let mut largest = vec![0; items.len()];
    let mut so_far = 0;
    for (place, item) in largest.iter_mut().zip(items).rev() {
        so_far = so_far.max(item.best_saving().map_or(0, |way| way.saving));
        *place = so_far;
    }
    largest
}

fn run_ends(items: &[Item]) -> Vec<usize> {
    let same = |a: &Item, b: &Item| {
        let numbers = |item: &Item| item.ways.iter().map(|way| (way.saving, way.volume)).collect::<Vec<_>>();
        numbers(a) == numbers(b)
    };
    let mut ends = vec![items.len(); items.len()];
    for item in (0..items.len().saturating_sub(1)).rev() {
        ends[item] = if same(&items[item], &items[item + 1]) { ends[item + 1] } else { item + 1 };
    }
    ends
}
