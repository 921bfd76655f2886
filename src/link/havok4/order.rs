//! Whether the order in which prims are tried decides what is linked.
//!
//! "If a linkable set is tested by the linkability algorithm then the final subset of linkable parts is NOT affected
//! by the order", says `linkability-rules.txt`, and leaves the proof to the reader. There is none: a piece that grows
//! moves its centre, by more than its reach grows, so that what could have been linked before cannot be any more, and
//! near 54 m the last prim finds no room. So orders are tried, and where none could matter, that is proven.

use super::{LARGEST_MAX_M, LINK_BONUS_M, Outcome, ball, judge};
use crate::{geometry::ball as sphere, link::Prim};
use glam::DVec3;
use std::cmp::Ordering;

/// With so few children all their orders are tried.
const FEW: usize = 4;

/// Whether another order of the children links otherwise; the root stays the root.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// It does: this one, as indices of prims.
    Matters(Vec<usize>),
    /// It is proven that none does.
    CannotMatter,
    /// None of so many that were tried does.
    NoneFound(usize),
}

impl Order {
    /// Yes or no, where that is proven.
    pub fn matters(&self) -> Option<bool> {
        match self {
            Self::Matters(_) => Some(true),
            Self::CannotMatter => Some(false),
            Self::NoneFound(_) => None,
        }
    }
}

/// Looks for an order that links otherwise than link order did, which came to `outcome`. `None` where that was not
/// evaluated.
pub fn order(prims: &[Prim], outcome: &Outcome) -> Option<Order> {
    outcome.verdict.linkable()?;
    if prims.len() <= 2 || always_link(prims) {
        return Some(Order::CannotMatter);
    }
    let children = prims.len() - 1;
    let orders = if children <= FEW { all_orders(children) } else { some_orders(prims) };
    let tried = orders.len();
    let witness = orders.into_iter().find(|order| partition(prims, order) != owned(outcome));
    Some(match witness {
        Some(order) => Order::Matters(order),
        None if children <= FEW => Order::CannotMatter,
        None => Order::NoneFound(tried),
    })
}

/// Whether any two pieces that these prims could ever form can be linked, so that every order links all.
///
/// Let R be the radius of the smallest ball around all of them and c its centre. The smallest ball of a piece, with
/// radius r and centre a, touches it on all sides, so the piece has a point at least √(r² + |a − c|²) from c; that is
/// in the ball around all, so |a − c| ≤ √(R² − r²). Of two pieces, then, the centres are at most
/// √(R² − r₁²) + √(R² − r₂²) apart, and their span is at most √2·R + √2·R, as √(R² − r²) + r is never more than √2·R.
/// So 54 m never bind where 2·√2·R ≤ 54; and the other limit, that the centres are at most 2·(r₁ + r₂) + 2 apart,
/// holds for all pieces where it holds for the smallest prim: √(R² − r²) ≤ 2·r + 1.
fn always_link(prims: &[Prim]) -> bool {
    let balls: Vec<_> = prims.iter().map(ball).collect();
    let Some(whole) = sphere::smallest_enclosing(&balls) else { return false };
    let least = balls.iter().map(|ball| ball.radius).fold(f64::INFINITY, f64::min);
    let all = whole.ball.radius;
    let reach = (all * all - least * least).max(0.0).sqrt();
    8.0f64.sqrt() * all <= LARGEST_MAX_M && reach <= 2.0 * least + LINK_BONUS_M / 2.0
}

/// What an order of the prims links, as indices in link order.
fn partition(prims: &[Prim], order: &[usize]) -> Vec<Vec<usize>> {
    let turned: Vec<Prim> = order.iter().map(|&prim| prims[prim]).collect();
    let mut pieces: Vec<Vec<usize>> = judge(&turned)
        .pieces
        .iter()
        .map(|piece| piece.prims.iter().map(|&place| order[place]).collect())
        .collect();
    for piece in &mut pieces {
        piece.sort_unstable();
    }
    pieces.sort_by_key(|piece| piece[0]);
    pieces
}

fn owned(outcome: &Outcome) -> Vec<Vec<usize>> {
    outcome.pieces.iter().map(|piece| piece.prims.clone()).collect()
}

/// All orders of the children but the one they have, behind the root.
fn all_orders(children: usize) -> Vec<Vec<usize>> {
    let mut orders = vec![vec![0]];
    for child in 1..=children {
        let insert = |order: &Vec<usize>| {
            (1..=order.len())
                .rev()
                .map(|place| {
                    let mut order = order.clone();
                    order.insert(place, child);
                    order
                })
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(insert).collect();
    }
    orders.retain(|order| !order.is_sorted());
    orders
}

/// Orders that are far from each other: backwards, from the root outwards and inwards, and along the greatest extent.
fn some_orders(prims: &[Prim]) -> Vec<Vec<usize>> {
    let root = prims[0].centre;
    let (low, high) =
        prims.iter().fold((root, root), |(low, high), prim| (low.min(prim.centre), high.max(prim.centre)));
    let size = high - low;
    let axis = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().find(|axis| size.dot(*axis) >= size.max_element());
    let along = axis.unwrap_or(DVec3::X);
    let by = |key: &dyn Fn(usize) -> f64| {
        let mut order: Vec<usize> = (0..prims.len()).collect();
        order[1..].sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(Ordering::Equal));
        order
    };
    let distance = |prim: usize| prims[prim].centre.distance_squared(root);
    let place = |prim: usize| prims[prim].centre.dot(along);
    let radius = |prim: usize| ball(&prims[prim]).radius;
    vec![
        by(&|prim| -(prim as f64)),
        by(&distance),
        by(&|prim| -distance(prim)),
        by(&place),
        by(&|prim| -place(prim)),
        by(&radius),
        by(&|prim| -radius(prim)),
    ]
}
