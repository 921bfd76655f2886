//! Searches for plans with a given number of pieces, exhaustively if necessary.
//!
//! The search is depth first. The prim that fits into the fewest pieces goes into each of them in turn, and into a new
//! piece if one more is allowed. Equivalent choices are tried once: the number of a new piece and the order of equal
//! prims. While no piece can become full, a prim that every extension of a piece can contain is only tried there.

use super::{
    place::Group,
    rule::Rule,
    sweep::{Cover, FEW},
};

#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) pieces: usize,
    /// Minimum number of prims in the root's piece.
    pub(super) root: usize,
    /// Number of prims in the root's piece at which the search ends; 0 if the size of that piece does not matter.
    pub(super) enough: usize,
}

/// Divisor of the remaining work for one search, so that one hard group leaves enough for others.
const SHARE: u64 = 8;

#[derive(Debug)]
pub(super) struct Found {
    /// The plan with the most prims in the root's piece.
    pub(super) cover: Option<Cover>,
    /// Whether no plan has more prims in the root's piece, or there is no plan at all.
    pub(super) complete: bool,
}

/// Searches for a plan with a share of the remaining work; `None` if the group has too many prims.
pub(super) fn search<R: Rule>(group: &Group<'_, R>, goal: Goal, work: &mut u64) -> Option<Found> {
    let share = *work / SHARE;
    let mut search = Search::new(group, goal, share)?;
    let complete = search.put(0, vec![0]);
    *work -= share - search.work;
    Some(Found { cover: search.best, complete })
}

/// Prims of one place that are put into a piece together.
#[derive(Debug, Clone, Copy)]
struct Item {
    place: usize,
    prim: usize,
    count: usize,
    /// Whether the previous item has the same place.
    twin: bool,
}

#[derive(Clone)]
struct Piece<F> {
    fit: F,
    prims: Vec<usize>,
    count: usize,
    room: Vec<Room>,
}

/// The state of a piece for an item. States other than `Open` stay while the piece grows.
#[derive(Clone, Copy, PartialEq)]
enum Room {
    Open,
    /// The piece cannot contain the item.
    Closed,
    /// The piece and all its extensions pass with the item if they pass without it.
    Held,
}

struct Search<'a, R: Rule> {
    rule: &'a R,
    goal: Goal,
    /// Whether no piece can become full.
    roomy: bool,
    /// Items from the outside to the inside, the root first.
    items: Vec<Item>,
    /// Index of the piece that contains each item; `None` if there is none yet.
    piece_of: Vec<Option<usize>>,
    pieces: Vec<Piece<R::Fit>>,
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
        let (piece_of, pieces) = (vec![None; count], Vec::new());
        Some(Self { rule: group.rule, goal, roomy, items, piece_of, pieces, best: None, work })
    }

    /// Tries all extensions of the present plan with the item in each of these pieces. Returns `false` if the work is
    /// used up.
    fn put(&mut self, item: usize, ways: Vec<usize>) -> bool {
        for piece in ways {
            let Some(before) = self.step(item, piece) else { continue };
            let go_on = self.next().is_none_or(|(item, ways)| self.put(item, ways));
            self.take_back(item, piece, before);
            if !go_on || self.work == 0 {
                return false;
            }
            if self.goal.root > self.goal.enough {
                break;
            }
        }
        true
    }

    /// Puts an item into a piece; `None` if the piece cannot contain it. Returns the previous piece, or `None` for a
    /// new one.
    fn step(&mut self, item: usize, piece: usize) -> Option<Option<Piece<R::Fit>>> {
        let with = self.with(item, piece)?;
        self.piece_of[item] = Some(piece);
        if let Some(present) = self.pieces.get_mut(piece) {
            return Some(Some(std::mem::replace(present, with)));
        }
        self.pieces.push(with);
        Some(None)
    }

    fn take_back(&mut self, item: usize, piece: usize, before: Option<Piece<R::Fit>>) {
        self.piece_of[item] = None;
        match before {
            Some(before) => self.pieces[piece] = before,
            None => drop(self.pieces.pop()),
        }
    }

    /// Returns the item with the fewest possible pieces, and these pieces. Of equal items it is the outermost.
    ///
    /// `None` if the present plan cannot become a valid one. `None` also if the plan is complete, and then it is
    /// recorded.
    fn next(&mut self) -> Option<(usize, Vec<usize>)> {
        let mut reach = self.pieces[0].count;
        let mut hardest: Option<(usize, usize)> = None;
        for (index, item) in
            self.items.iter().enumerate().filter(|&(index, _)| self.piece_of[index].is_none())
        {
            let ways = self.ways(index).count();
            reach += if self.ways(index).next() == Some(0) { item.count } else { 0 };
            let waits = item.twin && self.piece_of[index - 1].is_none();
            if !waits && hardest.is_none_or(|(_, least)| ways < least) {
                hardest = Some((index, ways));
            }
        }
        if reach.min(self.rule.max_prims()) < self.goal.root {
            return None;
        }
        let Some((item, _)) = hardest else {
            self.record();
            return None;
        };
        let mut ways: Vec<usize> = self.ways(item).collect();
        // The root's piece first if it is to be large, else the piece that grows least; a new piece last.
        let growth = |piece: usize| match self.pieces.get(piece) {
            Some(_) if self.goal.enough > 0 && piece == 0 => f64::NEG_INFINITY,
            Some(present) => self.rule.size_with_m(&present.fit, self.items[item].prim).1,
            None => f64::INFINITY,
        };
        ways.sort_by(|&a, &b| growth(a).total_cmp(&growth(b)));
        Some((item, ways))
    }

    /// Returns the pieces that may contain an item. It is only the piece that holds the item if that loses no plan.
    fn ways(&self, index: usize) -> impl Iterator<Item = usize> {
        let Item { count, twin, .. } = self.items[index];
        // If the root's piece is to be large, only an item in the root's piece loses no plan.
        let holding = if self.goal.enough == 0 { self.pieces.len() } else { 1 };
        let held =
            self.pieces[..holding].iter().position(|piece| self.roomy && piece.room[index] == Room::Held);
        let first = self.piece_of[index.saturating_sub(1)].filter(|_| twin).unwrap_or(0);
        let among = held.map_or(first..self.pieces.len() + 1, |held| held..held + 1);
        among.filter(move |&piece| match self.pieces.get(piece) {
            Some(piece) => piece.room[index] != Room::Closed && piece.count + count <= self.rule.max_prims(),
            None => piece < self.goal.pieces,
        })
    }

    /// Returns a piece, which may be new, with one more item.
    fn with(&mut self, item: usize, piece: usize) -> Option<Piece<R::Fit>> {
        let Item { prim, count, .. } = self.items[item];
        let mut with = match self.pieces.get(piece) {
            Some(present) => present.clone(),
            None => {
                let room = vec![Room::Open; self.items.len()];
                Piece { fit: self.rule.fit(&[prim])?, prims: Vec::new(), count: 0, room }
            }
        };
        with.prims.push(prim);
        with.count += count;
        if !self.rule.holds(&with.fit, prim) {
            self.work = self.work.saturating_sub(with.prims.len() as u64);
            with.fit = self.rule.fit(&with.prims)?;
        }
        self.work = self.work.saturating_sub(self.items.len() as u64);
        for (room, item) in with.room.iter_mut().zip(&self.items).filter(|(room, _)| **room == Room::Open) {
            if self.rule.exceeds(self.rule.size_with_m(&with.fit, item.prim).0) {
                *room = Room::Closed;
            } else if self.rule.holds(&with.fit, item.prim) {
                *room = Room::Held;
            }
        }
        Some(with)
    }

    /// Records a plan, and raises the goal to better plans.
    fn record(&mut self) {
        let mut cover: Cover = vec![Vec::new(); self.pieces.len()];
        for (item, piece) in self.items.iter().zip(&self.piece_of) {
            let Some(piece) = *piece else { continue };
            match cover[piece].last_mut() {
                Some((place, count)) if *place == item.place => *count += item.count,
                _ => cover[piece].push((item.place, item.count)),
            }
        }
        self.goal.root = self.pieces[0].count + 1;
        self.best = Some(cover);
    }
}
