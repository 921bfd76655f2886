//! Work on many items that all threads share.

use crate::timings::{Stage, within};
use rayon::prelude::*;

/// Number of items that one thread takes at a time. To wake a thread takes longer than to work on a few.
const SHARE: usize = 64;

/// Returns what a function makes of each item, in their order.
pub fn map<T: Sync, R: Send>(stage: Stage, items: &[T], make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let of_share = |items: &[T]| within(stage, || items.iter().map(&make).collect::<Vec<_>>());
    if items.len() <= SHARE {
        return of_share(items);
    }
    within(Stage::Waiting, || items.par_chunks(SHARE).flat_map_iter(of_share).collect())
}
