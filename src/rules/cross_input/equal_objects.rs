//! XAR005: an input that has mostly the objects of an earlier one, under other UUIDs.

use super::{Compared, Input, first_seen::First};
use hullmark_ledger::{
    facts::{ObjectFacts, Role},
    object_content::is_rich,
};
use std::{collections::BTreeMap, io, path::Path};
use xxhash_rust::xxh3::xxh3_128;

/// Minimum number of different objects that two inputs share. Furniture of one shop is no copy.
const KINDS: usize = 5;

/// The contents of the objects of all inputs so far.
#[derive(Debug, Default)]
pub(super) struct EqualObjects {
    /// The first input with each content, and the number of its objects.
    first: First<8>,
    /// Number of objects of each input that are more than plain prims.
    totals: Vec<usize>,
}

impl EqualObjects {
    pub(super) fn within(bytes: usize, folder: &Path) -> Self {
        Self { first: First::within(bytes, folder), ..Self::default() }
    }

    /// Returns the objects that an earlier input has, too, if they are at least half of the objects of one of the two. An
    /// object that this input has more often counts as often as in the earlier one.
    ///
    /// # Errors
    /// The disk cannot store the keys beyond the memory limit.
    pub(super) fn earlier<'a>(
        &mut self,
        input: &Compared<'a>,
        here: Input,
    ) -> io::Result<Vec<(Input, Vec<&'a ObjectFacts>)>> {
        let objects = input.ledger.objects.iter().zip(&input.contents);
        let objects = objects.filter(|(object, _)| object.role == Role::Rezzed && is_rich(&object.linkset));
        let mut contents: BTreeMap<u64, Vec<&ObjectFacts>> = BTreeMap::new();
        for (object, content) in objects {
            contents.entry(*content).or_default().push(object);
        }
        let total = contents.values().map(Vec::len).sum();
        self.totals.push(total);
        let mut shared: BTreeMap<Input, (usize, Vec<&ObjectFacts>)> = BTreeMap::new();
        for (content, objects) in contents {
            let count = u32::try_from(objects.len()).unwrap_or(u32::MAX);
            let key = xxh3_128(&content.to_le_bytes()).to_le_bytes();
            if let Some(first) = self.first.meet(key, packed(here, count))? {
                let (input, count) = unpacked(first);
                let (kinds, equal) = shared.entry(input).or_default();
                *kinds += 1;
                equal.extend(objects.into_iter().take(count as usize));
            }
        }
        let is_copy = |input: Input, equal: usize| 2 * equal >= total.min(self.totals[input as usize]);
        let copies = shared
            .into_iter()
            .filter(|(input, (kinds, equal))| *kinds >= KINDS && is_copy(*input, equal.len()));
        Ok(copies.map(|(input, (_, equal))| (input, equal)).collect())
    }
}

fn packed(input: Input, count: u32) -> [u8; 8] {
    (u64::from(input) << 32 | u64::from(count)).to_le_bytes()
}

fn unpacked(bytes: [u8; 8]) -> (Input, u32) {
    let number = u64::from_le_bytes(bytes);
    ((number >> 32) as Input, number as u32)
}
