//! Quick plans: sweeps across the prims from one end to the other, in which each part takes as many prims as possible.

use super::{
    part::Part,
    place::{Grid, Group},
    rule::Rule,
};
use std::cmp::Reverse;

/// The places in each piece with the number of prims from each, the root's piece first.
pub(super) type Cover = Vec<Vec<(usize, usize)>>;

/// Maximum number of places in a group that is searched, and that gets more than one anchor.
pub(super) const FEW: usize = 1024;
/// Maximum number of places around which a root's part is grown.
const ANCHORS: usize = 12;
/// Maximum number of places in all rows. The first two rows are always used.
const ROWS: usize = 1 << 15;
/// Factor on the maximum number of prims that gives the number of nearest places to try.
const SPARE: usize = 4;
/// Maximum number of neighbours in a sweep.
const LOOKS: usize = 1 << 24;
/// Number of places in the row that are tried after that.
const NEXT: usize = 64;

/// Sort key of plans: fewer pieces are better, then a larger root's piece. Lower is better.
pub(super) fn worth(cover: &Cover) -> (usize, Reverse<usize>) {
    (cover.len(), Reverse(root_count(cover)))
}

pub(super) fn root_count(cover: &Cover) -> usize {
    cover.first().map_or(0, |piece| size(piece))
}

fn size(piece: &[(usize, usize)]) -> usize {
    piece.iter().map(|&(_, count)| count).sum()
}

/// Returns the best of several sweeps; `None` if a prim does not pass alone. Ends at a sweep that reaches `enough`.
pub(super) fn sweep<R: Rule>(group: &Group<'_, R>, enough: (usize, Reverse<usize>)) -> Option<Cover> {
    let mut best: Option<Cover> = None;
    let starts = anchored(group).chain(directions(group, ROWS).map(|row| (None, row)));
    for (anchor, row) in starts {
        let cover = settled(group, across(group, anchor, &row)?);
        if best.as_ref().is_none_or(|best| worth(&cover) < worth(best)) {
            best = Some(cover);
        }
        if best.as_ref().is_some_and(|best| worth(best) <= enough) {
            break;
        }
    }
    best
}

/// Returns all places in rows by direction: along the axes first, then along diagonals. There are at least two rows,
/// and otherwise at most `most` places in all rows.
pub(super) fn directions<R: Rule>(group: &Group<'_, R>, most: usize) -> impl Iterator<Item = Vec<usize>> {
    const AXES: [[f64; 3]; 13] = [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 0.0, 1.0],
        [1.0, 0.0, -1.0],
        [0.0, 1.0, 1.0],
        [0.0, 1.0, -1.0],
        [1.0, 1.0, 1.0],
        [1.0, 1.0, -1.0],
        [1.0, -1.0, 1.0],
        [1.0, -1.0, -1.0],
    ];
    let signed = AXES.into_iter().flat_map(|axis| [axis, axis.map(|number| -number)]);
    signed.take((most / group.places.len()).max(2)).map(|axis| {
        let along = |place: usize| group.places[place].position.dot(axis.into());
        ordered(0..group.places.len(), usize::MAX, along)
    })
}

/// Returns anchors for the root's part, each with all places in a row from the farthest to the nearest.
fn anchored<R: Rule>(group: &Group<'_, R>) -> impl Iterator<Item = (Option<usize>, Vec<usize>)> {
    let several = if group.places.len() <= FEW { 4 * ANCHORS } else { 1 };
    let spread = group.farthest_first(several).into_iter();
    spread.filter(|&place| !group.never_together(0, place)).take(ANCHORS).map(|anchor| {
        let row = ordered(0..group.places.len(), usize::MAX, |place| -group.apart_m(anchor, place));
        (Some(anchor), row)
    })
}

/// Returns at most `most` places with the lowest numbers, in ascending order.
fn ordered(places: impl Iterator<Item = usize>, most: usize, number: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut numbered: Vec<(f64, usize)> = places.map(|place| (number(place), place)).collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    if numbered.len() > most {
        numbered.select_nth_unstable_by(most, order);
        numbered.truncate(most);
    }
    numbered.sort_unstable_by(order);
    numbered.into_iter().map(|(_, place)| place).collect()
}

/// Creates parts from the first place of a row to the last, and before them the root's part if it has an anchor. Each
/// part takes nearby places. After too many comparisons it takes the next places of the row.
fn across<R: Rule>(group: &Group<'_, R>, anchor: Option<usize>, row: &[usize]) -> Option<Cover> {
    let mut left: Vec<usize> = group.places.iter().map(|place| place.prims.len()).collect();
    let mut grid = Grid::new(&group.places, group.rule.limit_m());
    let most = group.rule.max_prims().saturating_mul(SPARE);
    let mut parts = Vec::new();
    let mut looks = LOOKS;
    let of_root = anchor.map(|anchor| (0, 0, anchor));
    let seeds = row.iter().enumerate().map(|(number, &seed)| (number, seed, seed));
    for (number, seed, anchor) in of_root.into_iter().chain(seeds) {
        while left[seed] > 0 {
            let mut part = Part::new(group, seed, &mut left)?;
            let position = group.places[seed].position;
            let near: Vec<usize> = if looks > 0 {
                grid.take(position, |&place| left[place] == 0);
                grid.near(position).collect()
            } else {
                row[number..].iter().copied().filter(|&place| left[place] > 0).take(NEXT).collect()
            };
            looks = looks.saturating_sub(near.len());
            let near = ordered(near.into_iter(), most, |place| group.apart_m(anchor, place));
            part.absorb(group, near, &mut left);
            parts.push(part.taken);
        }
    }
    Some(parts)
}

/// Moves the root's piece to the front, and moves as many prims as possible from other pieces into it.
pub(super) fn settled<R: Rule>(group: &Group<'_, R>, mut cover: Cover) -> Cover {
    let with_root = |piece: &[(usize, usize)]| piece.iter().any(|&(place, _)| place == 0);
    cover.sort_by_key(|piece| Reverse((with_root(piece), size(piece))));
    if let Some((root, others)) = cover.split_first_mut() {
        gather(group, root, others);
    }
    cover.retain(|piece| !piece.is_empty());
    cover
}

/// Takes passing prims from other pieces, the last pieces first.
fn gather<R: Rule>(group: &Group<'_, R>, own: &mut Vec<(usize, usize)>, others: &mut [Vec<(usize, usize)>]) {
    let Some(mut part) = Part::again(group, own) else { return };
    let mut left = vec![0; group.places.len()];
    for &(place, count) in others.iter().flatten() {
        left[place] += count;
    }
    let before = left.clone();
    let candidates = (0..left.len()).filter(|&place| left[place] > 0);
    let candidates = ordered(candidates, usize::MAX, |place| part.size_with_m(group, place));
    part.absorb(group, candidates, &mut left);
    let mut taken: Vec<usize> = before.iter().zip(&left).map(|(before, left)| before - left).collect();
    for piece in others.iter_mut().rev() {
        for (place, count) in piece.iter_mut() {
            let moved = taken[*place].min(*count);
            taken[*place] -= moved;
            *count -= moved;
        }
        piece.retain(|&(_, count)| count > 0);
    }
    *own = part.taken;
}
