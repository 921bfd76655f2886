//! Finds linksets to link.
//!
//! In addition to its prims, each linkset costs linkset_factor / n. Linking saves nearly that much for each of them,
//! and most for small ones. Two groups grow from each seed: the nearest linksets first, as builders would link, and the
//! smallest first, as the formula suggests. The group with the largest saving is used, its members are no longer free,
//! and the search continues. The best combination of groups is a packing problem, which is not solved.

use super::{
    Advice, Candidate, Charges, Kind, Note, diameter_within,
    group::{Group, Member},
    measure_result::relink,
    neighbours::Grid,
};
use crate::{Measured, measure::measure_object};
use hullmark_settings::profile::Linkability;
use std::iter;

/// Number of linksets in a region from which groups grow at the same time. It limits the run time.
const SEEDS: usize = 128;

/// Returns at most `top` groups with the largest savings. No linkset is in two groups.
pub(super) fn best(
    here: &[Candidate<'_>],
    bounds: &Linkability,
    measured: &Measured<'_>,
    top: usize,
) -> Vec<Advice> {
    let mut members: Vec<Member<'_>> =
        here.iter().filter_map(|linkset| Member::new(linkset, bounds)).collect();
    // From here on the lowest index is the lowest UUID, which decides between equal groups.
    members.sort_by_key(|member| member.linkset.root.uuid);
    let crowd = Grid::new(&members, bounds.max_diameter_m);
    let grow = |seed: usize, taken: &[bool]| {
        let mut near = crowd.near(seed, taken);
        let parts = |number: &usize| members[*number].charge.parts;
        let nearest = Group::grow(seed, &near, &members, bounds, measured.profile);
        if near.is_sorted_by_key(parts) {
            return nearest;
        }
        // Stable: the nearest of equal linksets first.
        near.sort_by_key(parts);
        let smallest = Group::grow(seed, &near, &members, bounds, measured.profile);
        [nearest, smallest].into_iter().flatten().reduce(|a, b| if b.saving > a.saving { b } else { a })
    };
    let mut taken = vec![false; members.len()];
    let mut seeds = crowd.seeds().into_iter();
    let (mut groups, mut wanted): (Vec<Group>, _) = (Vec::new(), SEEDS);
    let mut advice = Vec::new();
    while advice.len() < top {
        let next = seeds.by_ref().filter(|&seed| !taken[seed]).take(wanted);
        groups.extend(next.filter_map(|seed| grow(seed, &taken)));
        let better = |a: &&Group, b: &&Group| {
            a.saving.total_cmp(&b.saving).then_with(|| b.kept(&members).cmp(&a.kept(&members)))
        };
        let Some(best) = groups.iter().max_by(better) else { break };
        advice.extend(measured_advice(best, &members, bounds, measured));
        if advice.len() == top {
            break;
        }
        for &member in &best.members {
            taken[member] = true;
        }
        // A used seed makes room for the next one; a group that loses no member stays the same.
        let before = groups.len();
        groups.retain(|group| !taken[group.seed]);
        wanted = before - groups.len();
        let stays = |group: &Group| !group.members.iter().any(|&member| taken[member]);
        let again = |group: Group| if stays(&group) { Some(group) } else { grow(group.seed, &taken) };
        groups = groups.into_iter().filter_map(again).collect();
    }
    advice
}

/// Measures a group as advice; `None` if rounding at the limit makes the result differ from that of its growth.
fn measured_advice(
    group: &Group,
    members: &[Member<'_>],
    bounds: &Linkability,
    measured: &Measured<'_>,
) -> Option<Advice> {
    let kept = group.kept(members);
    let others = group.members.iter().copied().filter(|&number| number != kept);
    let linksets: Vec<Candidate<'_>> =
        iter::once(kept).chain(others).map(|number| members[number].linkset).collect();
    let linked = relink(linksets.iter().flat_map(Candidate::parts));
    let linked = measure_object(&linked, &measured.assets, measured.profile_of(linksets[0].object));
    let (before, after) = Charges::falling(linksets.iter().map(|linkset| linkset.measures), [&linked])?;
    let opts_in = |linkset: &Candidate<'_>| linkset.measures.accounting != linked.accounting;
    Some(Advice {
        kind: Kind::Link,
        objects: linksets.iter().map(|linkset| linkset.number).collect(),
        parts: Vec::new(),
        prims: linked.parts.len(),
        diameter_m: diameter_within(&linked, bounds)?,
        before,
        after,
        notes: if linksets.iter().any(opts_in) { vec![Note::NewAccounting] } else { Vec::new() },
    })
}
