//! Numbers that differ only by rounding, as one.
//!
//! A database rounds to six digits, and an archive to seven. So two exports of one object have other numbers, which no
//! hash of them matches.

/// The largest relative difference of two roundings of a number to six digits.
const RELATIVE: f64 = 1e-5;

/// Numbers in groups, so that two numbers that differ only by rounding are always in one group.
///
/// A chain of near numbers is one group, too. So different numbers may share a group, and a group alone proves nothing.
#[derive(Debug, Default)]
pub(crate) struct Clusters {
    /// The first number of each group.
    starts: Vec<f64>,
}

impl Clusters {
    /// Groups numbers. Those that differ by at most `absolute` belong together, too.
    pub(crate) fn new(mut numbers: Vec<f64>, absolute: f64) -> Self {
        numbers.retain(|number| number.is_finite());
        numbers.sort_unstable_by(f64::total_cmp);
        let mut starts = Vec::new();
        let mut last: Option<f64> = None;
        for number in numbers {
            let is_near = |last: f64| number - last <= absolute.max(number.abs().max(last.abs()) * RELATIVE);
            if !last.is_some_and(is_near) {
                starts.push(number);
            }
            last = Some(number);
        }
        Self { starts }
    }

    /// Returns the group of a number. All that are not finite have one.
    pub(crate) fn of(&self, number: f64) -> u32 {
        if number.is_finite() {
            self.starts.partition_point(|start| *start <= number) as u32
        } else {
            u32::MAX
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn roundings_of_a_number_share_a_group(numbers in prop::collection::vec(-300.0..300.0f64, 1..40)) {
            let six = |number: &f64| format!("{number:.5e}").parse::<f64>().unwrap();
            let all = numbers.iter().copied().chain(numbers.iter().map(six)).collect();
            let clusters = Clusters::new(all, 0.0);
            for number in &numbers {
                prop_assert_eq!(clusters.of(*number), clusters.of(six(number)));
            }
        }
    }

    #[test]
    fn different_numbers_are_apart() {
        let clusters = Clusters::new(vec![0.5, 0.500_000_1, 0.51, -0.5, f64::NAN], 0.0);
        let of = [-0.5, 0.5, 0.500_000_1, 0.51, f64::INFINITY].map(|number| clusters.of(number));
        assert_eq!(of, [1, 2, 2, 3, u32::MAX]);
    }
}
