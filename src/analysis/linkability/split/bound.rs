//! Lower and upper bounds that no plan can beat.

use super::{
    place::{Grid, Group, Place},
    rule::Rule,
    sweep::directions,
};

/// Maximum number of comparisons for each bound. The first two directions are always used.
const COMPARISONS: usize = 1 << 18;

/// Returns a lower bound on the number of linksets in any plan. Each linkset has a maximum number of prims, and places
/// that are never together need separate linksets.
pub(super) fn at_least<R: Rule>(group: &Group<'_, R>) -> usize {
    let prims: Vec<usize> = group.places.iter().map(Place::prim).collect();
    let by_count = group.count().div_ceil(group.rule.max_prims());
    if group.rule.fit(&prims).is_some() {
        return by_count;
    }
    let farthest = group.farthest_first(COMPARISONS / group.places.len());
    let rows = directions(group, COMPARISONS);
    let by_place = rows.chain([farthest]).map(|order| strangers(group, &order)).max();
    by_count.max(by_place.unwrap_or(2)).max(2)
}

/// Counts places that are pairwise never together, chosen greedily in this order.
fn strangers<R: Rule>(group: &Group<'_, R>, order: &[usize]) -> usize {
    let mut grid = Grid::empty(group.rule.limit_m());
    let mut count = 0;
    for &place in order {
        let position = group.places[place].position;
        if grid.near(position).all(|other| group.never_together(place, other)) {
            grid.insert(place, position);
            count += 1;
        }
    }
    count
}

/// Returns an upper bound on the prims in the root's piece, for any number of pieces.
///
/// The piece has no prim that is never together with the root. Of two prims that are never together it has at most one.
/// It has at most the maximum number of prims.
pub(super) fn root_at_most<R: Rule>(group: &Group<'_, R>) -> usize {
    let within = |place: usize| !group.never_together(0, place);
    let rows = directions(group, COMPARISONS);
    let most = rows.map(|order| {
        let order: Vec<usize> = order.into_iter().filter(|&place| within(place)).collect();
        let count = |place: usize| group.places[place].prims.len();
        order.iter().map(|&place| count(place)).sum::<usize>() - pairs(group, &order)
    });
    most.min().unwrap_or(0).min(group.rule.max_prims())
}

/// Counts disjoint pairs of prims that are never together, with one prim from each half of a row.
fn pairs<R: Rule>(group: &Group<'_, R>, row: &[usize]) -> usize {
    let (low, high) = row.split_at(row.len() / 2);
    let mut left: Vec<usize> = low.iter().map(|&place| group.places[place].prims.len()).collect();
    let mut pairs = 0;
    let mut next = 0;
    for &far in high {
        let mut free = group.places[far].prims.len();
        while free > 0 && next < low.len() && group.never_together(low[next], far) {
            let both = free.min(left[next]);
            free -= both;
            left[next] -= both;
            pairs += both;
            next += usize::from(left[next] == 0);
        }
    }
    pairs
}
