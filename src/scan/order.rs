//! Which inputs a share of a run covers, and the order in which they are read.

use crate::plan::share::Share;
use hullmark_source::Input;
use std::cmp::Reverse;
use xxhash_rust::xxh3::xxh3_64;

/// Whether the input of this name is in the share. A hash of the name decides this, so it does not depend on other
/// inputs.
pub fn is_in_sample(share: Share, name: &str) -> bool {
    xxh3_64(name.as_bytes()) % share.count() as u64 == share.index() as u64
}

/// Sorts inputs, the largest first. If a large input came last, all threads would wait for it.
pub fn largest_first(inputs: &mut [Input]) {
    inputs.sort_by(|a, b| (Reverse(a.bytes), &a.name).cmp(&(Reverse(b.bytes), &b.name)));
}

/// Sorts inputs for a run that may not read all: first those that were never read, then the longest unread.
pub fn longest_unread_first(inputs: &mut [Input], last_read: impl Fn(&Input) -> Option<String>) {
    largest_first(inputs);
    inputs.sort_by_cached_key(last_read);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_source::What;

    #[test]
    fn samples_are_all_inputs_and_each_once() {
        for of in 1..=9 {
            let shares: Vec<Share> = (1..=of).map(|number| Share::new(number, of).unwrap()).collect();
            for name in (0..200).map(|number| format!("exports/region {number}.oar")) {
                assert_eq!(shares.iter().filter(|share| is_in_sample(**share, &name)).count(), 1, "{name}");
            }
        }
    }

    #[test]
    fn the_longest_wait_comes_first() {
        let input =
            |name: &str, bytes| Input { bytes, ..Input::new(name.into(), name.into(), What::Archive) };
        let mut inputs = ["old", "new", "never", "never, larger"].map(|name| input(name, name.len() as u64));
        longest_unread_first(&mut inputs, |input| match input.name.as_str() {
            "old" => Some("2026-11-20T04:00:00Z".into()),
            "new" => Some("2026-11-21T04:00:00Z".into()),
            _ => None,
        });
        assert_eq!(inputs.map(|input| input.name), ["never, larger", "never", "old", "new"]);
    }
}
