//! Matches measured rows with parts of an export: by UUID, else by name, position and link number.

use super::measured::Row;
use glam::DVec3;
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap},
};
use uuid::Uuid;

/// Maximum number of candidates for a row: stacks of equal prims would create too many pairs.
const NEAREST: usize = 64;

/// A part that may match a row.
pub(super) struct Candidate<'a> {
    pub(super) uuid: Uuid,
    pub(super) name: &'a str,
    pub(super) link: i32,
    pub(super) position: DVec3,
    pub(super) scale: DVec3,
}

/// Pairs of rows and parts, by their indices.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Matches {
    /// Index of a row and of its part, in the order of the rows.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Number of pairs matched by UUID; the others are matched by name, position and link number.
    pub(super) by_uuid: usize,
}

/// Matches each row with at most one part, and each part with at most one row. Positions may differ by `tolerance` in
/// metres. The nearest pairs are matched first.
pub(super) fn matches(rows: &[Row], parts: &[Candidate<'_>], tolerance: f64) -> Matches {
    let mut by_uuid: HashMap<Uuid, usize> = HashMap::new();
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.uuid.is_nil()) {
        by_uuid.entry(part.uuid).or_insert(number);
    }
    let mut pairs: BTreeMap<usize, usize> =
        rows.iter().enumerate().filter_map(|(row, it)| Some((row, *by_uuid.get(&it.uuid)?))).collect();
    let found = pairs.len();
    let mut taken: BTreeSet<usize> = pairs.values().copied().collect();
    for (_, row, part) in near(rows, parts, &pairs, &taken, tolerance) {
        if !pairs.contains_key(&row) && taken.insert(part) {
            pairs.insert(row, part);
        }
    }
    Matches { pairs: pairs.into_iter().collect(), by_uuid: found }
}

/// Returns pairs of rows and parts with the same name and link number within the tolerance, nearest first.
fn near(
    rows: &[Row],
    parts: &[Candidate<'_>],
    matched: &BTreeMap<usize, usize>,
    taken: &BTreeSet<usize>,
    tolerance: f64,
) -> Vec<Pair> {
    let mut named: HashMap<(&str, i32), Vec<usize>> = HashMap::new();
    for (number, part) in parts.iter().enumerate().filter(|(number, _)| !taken.contains(number)) {
        named.entry(key(part.name, part.link)).or_default().push(number);
    }
    for numbers in named.values_mut() {
        numbers.sort_by(|&a, &b| parts[a].position.x.total_cmp(&parts[b].position.x));
    }
    let mut near = Vec::new();
    for (number, row) in rows.iter().enumerate().filter(|(number, _)| !matched.contains_key(number)) {
        let Some(named) = named.get(&key(&row.name, row.link)) else { continue };
        let first = named.partition_point(|&part| parts[part].position.x < row.position.x - tolerance);
        let reached = |part: &&usize| parts[**part].position.x <= row.position.x + tolerance;
        let pair = |&part: &usize| {
            let distance = parts[part].position.distance(row.position);
            // Prims at the same position are distinguished by their sides.
            let sides = row.scale.map_or(0.0, |scale| scale.distance(parts[part].scale));
            (distance <= tolerance).then_some((distance + sides, number, part))
        };
        let mut pairs: Vec<Pair> = named[first..].iter().take_while(reached).filter_map(pair).collect();
        pairs.sort_by(nearer);
        pairs.truncate(NEAREST);
        near.append(&mut pairs);
    }
    near.sort_by(nearer);
    near
}

/// Distance between a row and a part, and their indices.
type Pair = (f64, usize, usize);

fn nearer(a: &Pair, b: &Pair) -> Ordering {
    a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2)))
}

/// Grids give the prim of an object without children the number 0 or 1.
fn key(name: &str, link: i32) -> (&str, i32) {
    (name.trim(), link.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(uuid: u128, name: &str, link: i32, x: f64, side: f64) -> Row {
        Row {
            uuid: Uuid::from_u128(uuid),
            name: name.into(),
            position: DVec3::new(x, 1.0, 1.0),
            link,
            scale: Some(DVec3::splat(side)),
            ..Row::default()
        }
    }

    fn part(uuid: u128, name: &str, link: i32, x: f64, side: f64) -> Candidate<'_> {
        let (position, scale) = (DVec3::new(x, 1.0, 1.0), DVec3::splat(side));
        Candidate { uuid: Uuid::from_u128(uuid), name, link, position, scale }
    }

    #[test]
    fn the_uuid_goes_before_the_place() {
        let rows = [row(1, "A", 0, 5.0, 1.0), row(9, "A", 0, 5.0, 1.0)];
        let parts = [part(2, "A", 1, 5.01, 1.0), part(1, "B", 2, 90.0, 1.0)];
        assert_eq!(matches(&rows, &parts, 0.1), Matches { pairs: vec![(0, 1), (1, 0)], by_uuid: 1 });
    }

    #[test]
    fn name_link_and_place_must_agree() {
        let rows = [row(9, "A", 2, 5.0, 1.0)];
        for other in [part(1, "B", 2, 5.0, 1.0), part(1, "A", 3, 5.0, 1.0), part(1, "A", 2, 5.11, 1.0)] {
            assert_eq!(matches(&rows, &[other], 0.1).pairs, []);
        }
        assert_eq!(matches(&rows, &[part(1, " A", 2, 5.09, 1.0)], 0.1).pairs, [(0, 0)]);
    }

    #[test]
    fn the_nearest_pair_goes_first_and_sizes_distinguish_twins() {
        let rows = [row(8, "A", 0, 5.0, 1.0), row(9, "A", 0, 5.04, 1.0)];
        let parts = [part(1, "A", 0, 5.05, 1.0), part(2, "A", 0, 5.09, 1.0)];
        assert_eq!(matches(&rows, &parts, 0.1).pairs, [(0, 1), (1, 0)]);
        let rows = [row(8, "A", 0, 5.0, 2.0), row(9, "A", 0, 5.0, 1.0)];
        let parts = [part(1, "A", 0, 5.0, 1.0), part(2, "A", 0, 5.0, 2.0)];
        assert_eq!(matches(&rows, &parts, 0.1).pairs, [(0, 1), (1, 0)]);
    }
}
