//! Link numbers: the order of parts, and its errors.

use super::Part;
use crate::defect::{Defect, ObjectDefect};

/// Sorts parts in document order into link order. Returns whether they were already sorted.
///
/// The first part of a document is the root. A child without a number (0) gets the number of its position, as OpenSim
/// assigns it on loading. Parts with equal numbers keep the document's order.
pub fn sort(parts: &mut Vec<Part>) -> bool {
    let numbers = effective_numbers(parts);
    let in_order = |numbers: &[i64]| numbers.windows(2).all(|pair| pair[0] <= pair[1]);
    if in_order(numbers.get(1..).unwrap_or_default()) {
        return true;
    }
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order[1..].sort_by_key(|&place| numbers[place]);
    let mut taken: Vec<Option<Part>> = std::mem::take(parts).into_iter().map(Some).collect();
    parts.extend(order.into_iter().filter_map(|place| taken[place].take()));
    false
}

fn effective_numbers(parts: &[Part]) -> Vec<i64> {
    let number = |(place, part): (usize, &Part)| match part.link_number {
        0 => place as i64 + 1,
        stated => i64::from(stated),
    };
    parts.iter().enumerate().map(number).collect()
}

/// Returns the defect in the link numbers of parts in document order, if any. A lone part may have 0 or 1, and children
/// may be in any order.
pub(super) fn check(parts: &[Part]) -> Option<Defect> {
    let mut numbers = effective_numbers(parts);
    let root = *numbers.first()?;
    let parts = parts.len() as u64;
    let wrong = if root != 1 {
        Some(ObjectDefect::RootNumber { parts, number: root })
    } else {
        numbers.sort_unstable();
        let misplaced = numbers.iter().zip(1..).find(|&(&number, expected)| number != expected);
        misplaced.map(|(&number, expected)| match number < expected {
            true => ObjectDefect::LinkNumberTwice { parts, number },
            false => ObjectDefect::LinkNumberMissing { parts, number: expected, next: number },
        })
    };
    wrong.map(|wrong| Defect::new(wrong).within("LinkNum"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(numbers: &[i32]) -> Vec<Part> {
        let part = |(place, &link_number): (usize, &i32)| Part {
            link_number,
            name: place.to_string(),
            ..Part::default()
        };
        numbers.iter().enumerate().map(part).collect()
    }

    fn sorted(numbers: &[i32]) -> (bool, String) {
        let mut parts = parts(numbers);
        let in_order = sort(&mut parts);
        (in_order, parts.iter().map(|part| part.name.as_str()).collect())
    }

    #[test]
    fn the_root_stays_first_and_children_go_by_number() {
        assert_eq!(sorted(&[1, 2, 3]), (true, "012".into()));
        assert_eq!(sorted(&[1, 3, 2, 4]), (false, "0213".into()));
        assert_eq!(sorted(&[5, 3, 2]), (false, "021".into()));
        assert_eq!(sorted(&[0, 0, 0]), (true, "012".into()));
        assert_eq!(sorted(&[1, 2, 2, 2]), (true, "0123".into()));
        assert_eq!(sorted(&[0]), (true, "0".into()));
        assert_eq!(sorted(&[]), (true, String::new()));
    }

    #[test]
    fn only_unusual_links_are_found() {
        let wrong = |numbers: &[i32]| check(&parts(numbers));
        let defect = |kind: ObjectDefect| Some(Defect::new(kind).within("LinkNum"));
        for usual in [&[][..], &[0], &[1], &[1, 2, 3], &[1, 3, 2], &[0, 0, 0], &[0, 2, 3]] {
            assert_eq!(wrong(usual), None, "{usual:?}");
        }
        assert_eq!(wrong(&[7]), defect(ObjectDefect::RootNumber { parts: 1, number: 7 }));
        assert_eq!(wrong(&[2, 1]), defect(ObjectDefect::RootNumber { parts: 2, number: 2 }));
        assert_eq!(wrong(&[1, 2, 2, 4]), defect(ObjectDefect::LinkNumberTwice { parts: 4, number: 2 }));
        assert_eq!(
            wrong(&[1, 2, 4]),
            defect(ObjectDefect::LinkNumberMissing { parts: 3, number: 3, next: 4 })
        );
        assert!(wrong(&[1, -5]).is_some());
    }
}
