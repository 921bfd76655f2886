//! Work on many items that all threads share.

use crate::timings::{Stage, within};
use rayon::prelude::*;

/// How items are divided. To wake a thread takes longer than to work on a few.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    /// Most items that one thread works on alone.
    pub alone: usize,
    /// Number of items that one thread takes at a time. Not 0.
    pub size: usize,
}

impl Shares {
    /// Of objects, sculpt maps and other items that take microseconds.
    pub const OF_SMALL: Self = Self { alone: 64, size: 64 };
}

/// Returns what a function makes of each item, in their order.
pub fn map<T: Sync, R: Send>(
    stage: Stage,
    shares: Shares,
    items: &[T],
    make: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let of_share = |items: &[T]| within(stage, || items.iter().map(&make).collect::<Vec<_>>());
    if items.len() <= shares.alone {
        return of_share(items);
    }
    within(Stage::Waiting, || items.par_chunks(shares.size).flat_map_iter(of_share).collect())
}
