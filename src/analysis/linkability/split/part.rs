//! Sets of prims that pass together, and their growth.

use super::{place::Group, rule::Rule};

#[derive(Debug, Clone)]
pub(super) struct Part<F> {
    pub(super) taken: Vec<(usize, usize)>,
    pub(super) count: usize,
    fit: F,
    prims: Vec<usize>,
}

/// Maximum number of refused places before a part stops growing.
const REFUSALS: usize = 16;

impl<F: Clone> Part<F> {
    /// Creates a part from the remaining prims of one place; `None` if not even one of them passes.
    pub(super) fn new<R: Rule<Fit = F>>(
        group: &Group<'_, R>,
        place: usize,
        left: &mut [usize],
    ) -> Option<Self> {
        let prims = vec![group.places[place].prim()];
        let mut part = Self { taken: Vec::new(), count: 0, fit: group.rule.fit(&prims)?, prims };
        part.take(group, &[place], left);
        (part.count > 0).then_some(part)
    }

    /// Creates a part from these prims; `None` if they do not pass.
    pub(super) fn again<R: Rule<Fit = F>>(group: &Group<'_, R>, taken: &[(usize, usize)]) -> Option<Self> {
        let prims: Vec<usize> = taken.iter().map(|&(place, _)| group.places[place].prim()).collect();
        let count = taken.iter().map(|&(_, count)| count).sum();
        Some(Self { taken: taken.to_vec(), count, fit: group.rule.fit(&prims)?, prims })
    }

    /// Returns the maximum size of the part with a prim of this place, in metres.
    pub(super) fn size_with_m<R: Rule<Fit = F>>(&self, group: &Group<'_, R>, place: usize) -> f64 {
        group.rule.size_with_m(&self.fit, group.places[place].prim()).1
    }

    /// Adds as many of the candidates as possible, earlier ones first.
    ///
    /// Every subset of a passing set passes. So the longest passing run of candidates is found by bisection; the next
    /// candidate is refused, and the search continues after it.
    pub(super) fn absorb<R: Rule<Fit = F>>(
        &mut self,
        group: &Group<'_, R>,
        mut candidates: Vec<usize>,
        left: &mut [usize],
    ) {
        for _ in 0..REFUSALS {
            let rule = group.rule;
            candidates.retain(|&place| {
                left[place] > 0 && !rule.exceeds(rule.size_with_m(&self.fit, group.places[place].prim()).0)
            });
            let room = rule.max_prims() - self.count;
            let mut sum = 0;
            let run = candidates.iter().take_while(|place| {
                let fits = sum < room;
                sum += left[**place];
                fits
            });
            let run = run.count();
            let passing = self.extend(group, &candidates[..run]);
            self.take(group, &candidates[..passing], left);
            if passing == run {
                return;
            }
            candidates.drain(..=passing);
        }
    }

    /// Adds the longest passing run of candidates. Returns its length.
    fn extend<R: Rule<Fit = F>>(&mut self, group: &Group<'_, R>, candidates: &[usize]) -> usize {
        let own = self.prims.len();
        let all = candidates.iter().map(|&place| group.places[place].prim());
        self.prims.extend(all);
        let (mut passing, mut failing, mut step) = (0, candidates.len() + 1, 1);
        while passing + 1 < failing {
            let middle = if failing > candidates.len() {
                (passing + step).min(candidates.len())
            } else {
                passing.midpoint(failing)
            };
            match group.rule.fit(&self.prims[..own + middle]) {
                Some(fit) => (self.fit, passing, step) = (fit, middle, step * 2),
                None => failing = middle,
            }
        }
        self.prims.truncate(own + passing);
        passing
    }

    /// Records the prims that are taken from these places, as far as there is room.
    fn take<R: Rule<Fit = F>>(&mut self, group: &Group<'_, R>, places: &[usize], left: &mut [usize]) {
        for &place in places {
            let count = left[place].min(group.rule.max_prims() - self.count);
            left[place] -= count;
            self.count += count;
            self.taken.push((place, count));
        }
    }
}
