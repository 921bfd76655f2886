//! The folders that viewers expect below the root of an inventory.

use super::Folder;
use hullmark_format::defect::{Defect, InventoryDefect};
use std::collections::{BTreeMap, HashSet};
use uuid::Uuid;

/// Types of the root folder: today, and in old databases.
pub(super) const ROOT: [i16; 2] = [8, 9];

/// Types that a viewer cannot create. A second folder is harmless.
const GIVEN: [i16; 11] = [0, 1, 5, 6, 7, 10, 13, 15, 16, 20, 21];

/// Types that a viewer creates when needed. It refuses a second folder.
const SINGLE: [i16; 5] = [14, 23, 46, 48, 50];

/// Types that a viewer creates when needed. A second folder is harmless.
const CREATED: [i16; 2] = [56, 57];

/// Returns the defects of folders directly below a root.
pub(super) fn defects(folders: &[Folder]) -> Vec<Defect> {
    let roots: HashSet<Uuid> =
        folders.iter().filter(|folder| folder.is_root()).map(|folder| folder.uuid).collect();
    let mut counts: BTreeMap<i16, u64> = BTreeMap::new();
    for folder in folders.iter().filter(|folder| roots.contains(&folder.parent)) {
        *counts.entry(folder.kind).or_default() += 1;
    }
    let of = |kinds: &[i16], is_wrong: fn(u64) -> bool| -> Vec<i16> {
        let count = |kind: &i16| counts.get(kind).copied().unwrap_or_default();
        kinds.iter().copied().filter(|kind| is_wrong(count(kind))).collect()
    };
    let missing = of(&GIVEN, |count| count == 0);
    let refused = of(&SINGLE, |count| count > 1);
    let harmless = of(&[&GIVEN[..], &CREATED].concat(), |count| count > 1);
    let found = [
        (missing.len(), InventoryDefect::SystemFoldersMissing { kinds: missing }),
        (refused.len(), InventoryDefect::SystemFoldersTwice { kinds: refused, refused: true }),
        (harmless.len(), InventoryDefect::SystemFoldersTwice { kinds: harmless, refused: false }),
    ];
    let found = found.into_iter().filter(|(count, _)| *count > 0);
    found.map(|(count, kind)| Defect::new(kind).measured(count as f64)).collect()
}
