//! Plans with a given number of pieces: all there are, if need be.
//!
//! Depth first. The prim that can go into the fewest pieces is put into each of them in turn, and into a new one
//! while there may be one more; after each step every other prim learns into which pieces it can no longer go. As
//! the rule is hereditary, that never comes back further down. Three things are only tried once, as the rest is the
//! same again: which number a new piece has, which of equal prims goes where, and, while pieces cannot become full,
//! a prim that passes wherever a piece passes.

use super::{
    place::Group,
    rule::Rule,
    sweep::{Cover, FEW},
};

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// At most so many pieces.
    pub(super) pieces: usize,
    /// At least so many prims in the root's piece.
    pub(super) root: usize,
    /// So many of them are enough: the search ends.
    pub(super) enough: usize,
}

/// This part of the work that is left goes into one search, so that one hard group leaves enough for others.
const SHARE: u64 = 8;

/// What was found.
#[derive(Debug)]
pub(super) struct Found {
    /// The plan with the largest root's piece.
    pub(super) cover: Option<Cover>,
    /// Whether there is none with a larger one, or none at all.
    pub(super) complete: bool,
}

/// Looks for a plan with some of the work that is left; `None` where the group has too many prims for that.
pub(super) fn search<R: Rule>(group: &Group<'_, R>, goal: Goal, work: &mut u64) -> Option<Found> {
    let share = *work / SHARE;
    let mut search = Search::new(group, goal, share)?;
    let complete = search.run();
    *work -= share - search.work;
    Some(Found { cover: search.best, complete })
}

/// Prims of one place that are put into a piece together.
#[derive(Debug, Clone, Copy)]
struct Item {
    place: usize,
    prim: usize,
    count: usize,
    /// Whether the item before it is of the same place.
    twin: bool,
}

struct Piece<F> {
    fit: F,
    prims: Vec<usize>,
    count: usize,
}

/// Where an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not yet anywhere.
    Free,
    /// Not yet anywhere, and may go into this piece without any loss.
    Held(usize),
    In(usize),
}

/// What a step has changed.
enum Change {
    Closed(usize, usize),
    Was(usize, State),
}

struct Search<'a, R: Rule> {
    rule: &'a R,
    goal: Goal,
    /// Whether no piece can become full.
    roomy: bool,
    /// From the outside to the inside, the root first.
    items: Vec<Item>,
    states: Vec<State>,
    pieces: Vec<Piece<R::Fit>>,
    /// Whether an item cannot go into a piece any more: a row for each item.
    closed: Vec<bool>,
    /// How many pieces an item cannot go into.
    shut: Vec<usize>,
    /// How many prims are in the root's piece or can get there.
    reach: usize,
    changes: Vec<Change>,
    best: Option<Cover>,
    work: u64,
}

impl<'a, R: Rule> Search<'a, R> {
    fn new(group: &Group<'a, R>, goal: Goal, work: u64) -> Option<Self> {
        let roomy = group.count() <= group.rule.max_prims();
        let count = if roomy { group.places.len() } else { group.count() };
        if count > FEW {
            return None;
        }
        let mut items = Vec::new();
        for index in group.farthest_first(group.places.len()) {
            let place = &group.places[index];
            let times = if roomy { 1 } else { place.prims.len() };
            let count = place.prims.len() / times;
            let item = |number| Item { place: index, prim: place.prim(), count, twin: number > 0 };
            items.extend((0..times).map(item));
        }
        Some(Self {
            rule: group.rule,
            goal,
            roomy,
            states: vec![State::Free; count],
            pieces: Vec::new(),
            closed: vec![false; count * goal.pieces],
            shut: vec![0; count],
            reach: group.count(),
            changes: Vec::new(),
            best: None,
            work,
            items,
        })
    }

    /// Whether all was seen that could be better.
    fn run(&mut self) -> bool {
        let root = self.rule.fit(&[self.items[0].prim]);
        root.is_some_and(|fit| {
            self.put(0, 0, fit);
            self.descend()
        })
    }

    /// All plans below the present one. `false` at the end of the work.
    fn descend(&mut self) -> bool {
        if self.reach.min(self.rule.max_prims()) < self.goal.root {
            return true;
        }
        let Some((item, ways)) = self.hardest() else {
            self.record();
            return true;
        };
        if ways == 0 {
            return true;
        }
        for piece in self.ways(item) {
            let Some(fit) = self.fit_with(item, piece) else { continue };
            let mark = self.changes.len();
            let before = self.put(item, piece, fit);
            let go_on = self.descend();
            self.take_back(item, piece, before, mark);
            if !go_on || self.work == 0 {
                return false;
            }
            if self.goal.root > self.goal.enough {
                return true;
            }
        }
        true
    }

    /// The item with the fewest ways, and how many these are; the outermost of equal ones.
    fn hardest(&self) -> Option<(usize, usize)> {
        let new = usize::from(self.pieces.len() < self.goal.pieces);
        let mut best: Option<(usize, usize)> = None;
        for (index, item) in self.items.iter().enumerate() {
            let ways = match self.states[index] {
                State::In(_) => continue,
                State::Held(_) => return Some((index, 1)),
                State::Free => self.pieces.len() - self.shut[index] + new,
            };
            let waits = item.twin && !matches!(self.states[index - 1], State::In(_));
            if !waits && best.is_none_or(|(_, least)| ways < least) {
                best = Some((index, ways));
            }
        }
        best
    }

    /// The pieces to try: the root's first where it is to be large, else the one that grows least.
    fn ways(&self, item: usize) -> Vec<usize> {
        if let State::Held(piece) = self.states[item] {
            return vec![piece];
        }
        let Item { prim, count, twin, .. } = self.items[item];
        let first = match self.states[item.saturating_sub(1)] {
            State::In(piece) if twin => piece,
            _ => 0,
        };
        let open = |&piece: &usize| {
            !self.closed[item * self.goal.pieces + piece]
                && self.pieces[piece].count + count <= self.rule.max_prims()
        };
        let mut ways: Vec<usize> = (first..self.pieces.len()).filter(open).collect();
        let growth = |piece: usize| {
            let fit = &self.pieces[piece].fit;
            let favoured = self.goal.enough > 0 && piece == 0;
            if favoured { f64::NEG_INFINITY } else { self.rule.size_with_m(fit, prim).1 }
        };
        ways.sort_by(|&a, &b| growth(a).total_cmp(&growth(b)));
        if self.pieces.len() < self.goal.pieces {
            ways.push(self.pieces.len());
        }
        ways
    }

    /// What a piece is with one more item; the piece may be new.
    fn fit_with(&mut self, item: usize, piece: usize) -> Option<R::Fit> {
        let prim = self.items[item].prim;
        let Some(Piece { fit, prims, .. }) = self.pieces.get_mut(piece) else {
            return self.rule.fit(&[prim]);
        };
        if self.rule.holds(fit, prim) {
            return Some(fit.clone());
        }
        prims.push(prim);
        self.work = self.work.saturating_sub(prims.len() as u64);
        let fit = self.rule.fit(prims);
        prims.pop();
        fit
    }

    /// Puts an item into a piece, and notes what that means for the others. What the piece was before.
    fn put(&mut self, item: usize, piece: usize, fit: R::Fit) -> Option<R::Fit> {
        let Item { prim, count, .. } = self.items[item];
        self.changes.push(Change::Was(item, self.states[item]));
        self.states[item] = State::In(piece);
        if piece > 0 && !self.closed[item * self.goal.pieces] {
            self.reach -= count;
        }
        let before = match self.pieces.get_mut(piece) {
            Some(present) => {
                present.prims.push(prim);
                present.count += count;
                Some(std::mem::replace(&mut present.fit, fit))
            }
            None => {
                self.pieces.push(Piece { fit, prims: vec![prim], count });
                None
            }
        };
        self.tell(piece);
        before
    }

    /// Closes a piece for the items that it has become too large for, and marks those that it holds.
    fn tell(&mut self, piece: usize) {
        self.work = self.work.saturating_sub(self.items.len() as u64);
        let fit = &self.pieces[piece].fit;
        // While the root's piece is to be large, nothing is lost only in it.
        let holding = self.roomy && (piece == 0 || self.goal.enough == 0);
        for (index, item) in self.items.iter().enumerate() {
            let closed = index * self.goal.pieces + piece;
            if self.states[index] != State::Free || self.closed[closed] {
                continue;
            }
            if self.rule.exceeds(self.rule.size_with_m(fit, item.prim).0) {
                self.closed[closed] = true;
                self.shut[index] += 1;
                self.reach -= if piece == 0 { item.count } else { 0 };
                self.changes.push(Change::Closed(index, piece));
            } else if holding && self.rule.holds(fit, item.prim) {
                self.states[index] = State::Held(piece);
                self.changes.push(Change::Was(index, State::Free));
            }
        }
    }

    /// Undoes a step.
    fn take_back(&mut self, item: usize, piece: usize, before: Option<R::Fit>, mark: usize) {
        let Item { count, .. } = self.items[item];
        match before {
            Some(fit) => {
                let present = &mut self.pieces[piece];
                present.prims.pop();
                present.count -= count;
                present.fit = fit;
            }
            None => {
                self.pieces.pop();
            }
        }
        for change in self.changes.drain(mark..).rev() {
            match change {
                Change::Closed(index, piece) => {
                    self.closed[index * self.goal.pieces + piece] = false;
                    self.shut[index] -= 1;
                    self.reach += if piece == 0 { self.items[index].count } else { 0 };
                }
                Change::Was(index, state) => self.states[index] = state,
            }
        }
        if piece > 0 && !self.closed[item * self.goal.pieces] {
            self.reach += count;
        }
    }

    /// Keeps a plan, and asks for better ones from here on.
    fn record(&mut self) {
        let mut cover: Cover = vec![Vec::new(); self.pieces.len()];
        for (item, state) in self.items.iter().zip(&self.states) {
            let State::In(piece) = *state else { continue };
            match cover[piece].last_mut() {
                Some((place, count)) if *place == item.place => *count += item.count,
                _ => cover[piece].push((item.place, item.count)),
            }
        }
        self.goal.root = self.pieces[0].count + 1;
        self.best = Some(cover);
    }
}
