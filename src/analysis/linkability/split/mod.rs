//! Plans linksets for prims that cannot be linked: the fewest linksets that pass, with the root's as large as possible.
//!
//! [`split`] works under any hereditary [`Rule`]: [`Spheres`] is the rule since 2010, [`Boxes`] one like Havok1's.
//! Groups of prims that can never be together are planned separately, because no linkset has prims of two groups. In
//! each group, sweeps across the prims in several directions create quick plans. Then searches try all plans with fewer
//! pieces, or with a larger piece for the root. They are limited by comparisons, not seconds, so equal prims give equal
//! plans.
//!
//! Every plan is compared with two bounds: the minimum number of linksets, and the maximum number of prims in the
//! root's. [`Plan::fewest`] and [`Plan::root_largest`] show whether the plan meets them, which makes it optimal.

mod bound;
mod part;
mod place;
mod rule;
mod search;
mod sweep;
#[cfg(test)]
mod tests;

pub use rule::{Boxes, Rule, Spheres};

use hullmark_util::number_text::counted;
use place::Group;
use search::{Found, Goal, search};
use std::cmp::Reverse;
use sweep::{Cover, root_count, settled, sweep};

/// Maximum number of comparisons in all searches for a plan.
const WORK: u64 = 1 << 22;

/// Maximum number of pieces that are listed in text.
const NAMED: usize = 6;

/// A plan of linksets that pass.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The linksets: the root's first, then from the largest to the smallest.
    pub pieces: Vec<Piece>,
    /// Lower bound on the number of pieces in any plan.
    pub at_least: usize,
    /// Upper bound on the prims in the root's piece of any plan with as many pieces.
    pub root_at_most: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Indices of its prims, ascending.
    pub prims: Vec<usize>,
    /// Size under the rule in metres: the diameter of the smallest sphere, or the longest side of the box.
    pub size_m: f64,
}

impl Plan {
    pub fn fewest(&self) -> bool {
        self.pieces.len() == self.at_least
    }

    /// Whether no plan with as many pieces has more prims in the root's piece.
    pub fn root_largest(&self) -> bool {
        self.pieces.first().is_some_and(|piece| piece.prims.len() == self.root_at_most)
    }

    /// Returns a short text of the plan, to follow a sentence about the prims.
    pub fn in_short(&self) -> String {
        let count = self.pieces.len();
        let linksets = counted(count as u64, "linkset");
        let proof = if self.fewest() { "" } else { &format!(" (at least {})", self.at_least) };
        let mut sizes: Vec<String> =
            self.pieces.iter().take(NAMED).map(|piece| piece.prims.len().to_string()).collect();
        if count > NAMED {
            return format!("can be linked as {linksets}{proof} of {} prims and so on", sizes.join(", "));
        }
        let prims = match (sizes.pop(), self.pieces.last()) {
            (Some(last), Some(piece)) if piece.prims.len() == 1 => format!("{last} prim"),
            (last, _) => format!("{} prims", last.unwrap_or_default()),
        };
        let and = if sizes.is_empty() { "" } else { " and " };
        format!("can be linked as {linksets}{proof} of {}{and}{prims}", sizes.join(", "))
    }
}

/// Returns a plan with as few linksets as possible, and then with the largest linkset for the root, which is prim 0.
///
/// `None` if there is no prim, if a position or size is not finite, or if a prim does not pass even alone. Then there
/// is no plan.
pub fn split<R: Rule>(rule: &R) -> Option<Plan> {
    let finite = rule.boxes().iter().all(|one| one.min.is_finite() && one.max.is_finite());
    if rule.boxes().is_empty() || !finite || rule.max_prims() == 0 {
        return None;
    }
    let groups = Group::whole(rule).apart();
    let mut work = WORK;
    let mut plans = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        plans.push(planned(group, number == 0, &mut work)?);
    }
    let pieces = pieces(&groups, &plans)?;
    // If another group may need fewer pieces, the root's group may have more of them.
    let given = plans[1..].iter().all(|plan| plan.cover.len() == plan.at_least);
    let root_at_most = if given { plans[0].root_at_most } else { bound::root_at_most(&groups[0]) };
    Some(Plan {
        root_at_most: root_at_most.min(rule.boxes().len() + 1 - pieces.len()),
        at_least: plans.iter().map(|plan| plan.at_least).sum(),
        pieces,
    })
}

struct Planned {
    cover: Cover,
    at_least: usize,
    /// Upper bound on the prims in the root's piece with as many pieces.
    root_at_most: usize,
}

/// Plans a group; `None` if one of its prims does not pass alone.
fn planned<R: Rule>(group: &Group<'_, R>, with_root: bool, work: &mut u64) -> Option<Planned> {
    let at_least = bound::at_least(group);
    let root_at_most = if with_root { bound::root_at_most(group) } else { 0 };
    let cover = sweep(group, (at_least, Reverse(root_at_most)))?;
    let mut plan = Planned { cover, at_least, root_at_most };
    while plan.at_least < plan.cover.len() {
        let Some(found) = with_pieces(group, plan.at_least, work) else { break };
        if let Some(cover) = found.cover {
            plan.cover = cover;
        } else if found.complete {
            plan.at_least += 1;
        } else {
            break;
        }
    }
    while plan.at_least + 1 < plan.cover.len() {
        let found = with_pieces(group, plan.cover.len() - 1, work);
        let Some(cover) = found.and_then(|found| found.cover) else { break };
        plan.cover = cover;
    }
    if with_root {
        enlarge_root(group, &mut plan, work);
    }
    Some(plan)
}

fn with_pieces<R: Rule>(group: &Group<'_, R>, pieces: usize, work: &mut u64) -> Option<Found> {
    let Found { cover, complete } = search(group, Goal { pieces, root: 0, enough: 0 }, work)?;
    Some(Found { cover: cover.map(|cover| settled(group, cover)), complete })
}

/// Searches for a plan with the same number of pieces and more prims in the root's piece.
fn enlarge_root<R: Rule>(group: &Group<'_, R>, plan: &mut Planned, work: &mut u64) {
    let root = root_count(&plan.cover);
    if root >= plan.root_at_most {
        return;
    }
    let goal = Goal { pieces: plan.cover.len(), root: root + 1, enough: plan.root_at_most };
    let Some(Found { cover, complete }) = search(group, goal, work) else { return };
    if let Some(cover) = cover {
        plan.cover = settled(group, cover);
    }
    if complete {
        plan.root_at_most = root_count(&plan.cover);
    }
}

/// Assigns prims to each piece. Of equal prims the first ones go into the root's piece.
fn pieces<R: Rule>(groups: &[Group<'_, R>], plans: &[Planned]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    for (group, plan) in groups.iter().zip(plans) {
        let mut prims: Vec<_> = group.places.iter().map(|place| place.prims.iter().copied()).collect();
        for taken in &plan.cover {
            let mut piece: Vec<usize> = taken
                .iter()
                .flat_map(|&(place, count)| prims[place].by_ref().take(count).collect::<Vec<_>>())
                .collect();
            piece.sort_unstable();
            let size_m = group.rule.size_m(&group.rule.fit(&piece)?);
            pieces.push(Piece { prims: piece, size_m });
        }
    }
    pieces[1..].sort_by_key(|piece: &Piece| (Reverse(piece.prims.len()), piece.prims[0]));
    Some(pieces)
}
