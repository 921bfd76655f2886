//! Linksets that are better linked.
//!
//! Beyond its prims each linkset costs linkset_factor / n, so linking saves nearly that much for each of them, and most
//! for small ones. From each of some seeds two groups are grown: the nearest first, as builders would, and the
//! smallest first, as the formula would. The one that saves most is taken, its members are free no more, and so on.
//! Which groups would save most in all is not searched for: that is a packing problem, and the best few are asked for.

use super::{
    Advice, Charges, Kind, Note, Standing,
    crowd::Crowd,
    diameter_within,
    group::{Group, Member},
    relink::relink,
};
use crate::{join::Case, measure::measure_object, profile::Linkability};
use std::{cmp::Reverse, iter};

/// The groups that save most, at most `top`, none with a member of another.
pub(super) fn best<'a>(
    here: &[Standing<'a>],
    bounds: &Linkability,
    case: &Case<'_>,
    top: usize,
) -> Vec<Advice<'a>> {
    let members: Vec<Member<'a>> = here.iter().filter_map(|linkset| Member::of(linkset, bounds)).collect();
    let crowd = Crowd::new(&members, bounds.max_diameter_m);
    let mut taken = vec![false; members.len()];
    let grow = |seed: usize, taken: &[bool]| {
        let mut near = crowd.near(seed, taken);
        let nearest = Group::grow(seed, &near, &members, bounds, case.profile);
        // Stable: the nearest among equals.
        near.sort_by_key(|&number| members[number].charge.parts);
        let smallest = Group::grow(seed, &near, &members, bounds, case.profile);
        [nearest, smallest].into_iter().flatten().reduce(|a, b| if b.saving > a.saving { b } else { a })
    };
    let mut groups: Vec<(usize, Group)> =
        crowd.seeds().into_iter().filter_map(|seed| Some((seed, grow(seed, &taken)?))).collect();
    let mut advice = Vec::new();
    while advice.len() < top {
        let better = |a: &Group, b: &Group| {
            a.saving.total_cmp(&b.saving).then_with(|| {
                let root = |group: &Group| members[kept(group, &members)].linkset.root.uuid;
                root(b).cmp(&root(a))
            })
        };
        let Some((_, best)) = groups.iter().max_by(|(_, a), (_, b)| better(a, b)) else { break };
        advice.extend(told(best, &members, bounds, case, advice.len() + 1));
        for &member in &best.members {
            taken[member] = true;
        }
        // A group that loses no member stays the same.
        groups = groups
            .into_iter()
            .filter_map(|(seed, group)| {
                let untouched = group.members.iter().all(|&member| !taken[member]);
                let group = if untouched { Some(group) } else { None };
                let again = || if taken[seed] { None } else { grow(seed, &taken) };
                Some((seed, group.or_else(again)?))
            })
            .collect();
    }
    advice
}

/// The member whose root stays one: that with the most prims, of which the others become part.
fn kept(group: &Group, members: &[Member<'_>]) -> usize {
    let worth =
        |&number: &usize| (Reverse(members[number].charge.parts), members[number].linkset.root.uuid, number);
    group.members.iter().copied().min_by_key(worth).unwrap_or(0)
}

/// A group as advice; `None` where it turns out otherwise than while it grew, by rounding at the very limit.
fn told<'a>(
    group: &Group,
    members: &[Member<'a>],
    bounds: &Linkability,
    case: &Case<'_>,
    rank: usize,
) -> Option<Advice<'a>> {
    let kept = kept(group, members);
    let others = group.members.iter().copied().filter(|&number| number != kept);
    let linksets: Vec<Standing<'a>> =
        iter::once(kept).chain(others).map(|number| members[number].linkset).collect();
    let linked = relink(linksets.iter().flat_map(Standing::parts));
    let linked = measure_object(&linked, &case.assets, case.profile);
    let (before, after) = Charges::falling(linksets.iter().map(|linkset| linkset.measures), [&linked])?;
    let opts_in = |linkset: &Standing<'_>| linkset.measures.accounting != linked.accounting;
    Some(Advice {
        kind: Kind::Link,
        rank,
        object: linksets[0].object,
        parts: linksets.iter().map(|linkset| linkset.root).collect(),
        linksets: linksets.len(),
        prims: linked.parts.len(),
        diameter_m: diameter_within(&linked, bounds)?,
        before,
        after,
        notes: if linksets.iter().any(opts_in) { vec![Note::NewAccounting] } else { Vec::new() },
    })
}
