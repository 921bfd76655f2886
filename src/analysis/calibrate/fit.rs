//! Robust least squares for the constants of a model that is only known by its predictions.
//!
//! The model may have minimum and maximum values, so it is only piecewise linear in its constants. Each round computes
//! the slopes at the current constants and solves the linear problem. If no bound is crossed, the first round is the
//! closed form. Residuals are relative. The linear problem starts from least absolute residuals and ends with Tukey's
//! weights, so parts edited after the export have no effect.

use serde::Serialize;
use std::collections::BTreeMap;

/// Minimum number of observations that determine a constant.
pub(super) const LEAST_OBSERVATIONS: usize = 8;
/// Minimum number of different bodies in these observations.
pub(super) const LEAST_BODIES: usize = 3;
/// Maximum error of a determined constant, relative to the constant.
pub(super) const GREATEST_ERROR: f64 = 0.25;
/// Relative noise of a cost that a script prints with six decimals.
const NOISE: f64 = 1e-5;
/// Costs below this are compared as if they had this value.
const SMALL: f64 = 0.01;
/// Minimum independent share of a column of slopes. Below it, the column depends linearly on the columns before it.
const OWN_SHARE: f64 = 1e-3;
/// Tukey's constant for an efficiency of 95%.
const TUKEY: f64 = 4.685;
/// Standard deviation of a normal residual, in median absolute residuals.
const DEVIATION: f64 = 1.4826;
/// Step for the computation of a slope, relative to the constant.
const STEP: f64 = 1e-4;
/// Maximum number of rounds, and of changes of weights in each round.
const ROUNDS: usize = 12;
const REWEIGHTED: usize = 60;
/// The rounds end if no constant changes by a greater share.
const SETTLED: f64 = 1e-9;

pub(super) struct Problem<'a> {
    pub(super) measured: &'a [f64],
    /// Body of each observation. Observations with equal numbers have equal bodies.
    pub(super) bodies: &'a [usize],
    pub(super) predict: &'a (dyn Fn(&[f64]) -> Vec<f64> + Sync),
    /// Current values of the constants.
    pub(super) start: &'a [f64],
}

/// Fitted value of one constant, or the reason why the observations do not determine it.
pub(super) type Outcome = Result<Estimate, Undecided>;

/// A fitted constant with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) value: f64,
    /// Half the width of its 95% interval.
    pub(super) error: f64,
    pub(super) observations: usize,
    /// Number of outliers among the observations that depend on the constant. They were left out.
    pub(super) outliers: usize,
}

/// The reason why a constant is undetermined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Undecided {
    /// No observation depends on the constant.
    Independent,
    /// Only this number of observations depends on it.
    TooFew(usize),
    /// Its observations have only this number of different bodies.
    Alike(usize),
    /// It cannot be distinguished from the constant with this index.
    Inseparable(usize),
    /// Its error relative to its value is this, which is too large.
    Uncertain(f64),
    /// The fitted value, which is not above 0.
    NotPositive(f64),
    /// The last round still changed the constant.
    Unsettled,
}

/// Fits the constants. An undetermined constant keeps its current value.
pub(super) fn fit(problem: &Problem<'_>) -> Vec<Outcome> {
    let mut undecided: Vec<Option<Undecided>> = vec![None; problem.start.len()];
    loop {
        let free: Vec<usize> = (0..undecided.len()).filter(|&at| undecided[at].is_none()).collect();
        match solve(problem, &free) {
            Err((constant, why)) => undecided[constant] = Some(why),
            Ok(estimates) => {
                // The remaining free constants, in their order.
                let mut fitted = estimates.into_iter();
                let outcome = |why: &Option<Undecided>| {
                    why.map_or_else(|| fitted.next().ok_or(Undecided::Independent), Err)
                };
                return undecided.iter().map(outcome).collect();
            }
        }
    }
}

/// Returns the free constants with their errors, or one constant that is undetermined.
fn solve(problem: &Problem<'_>, free: &[usize]) -> Result<Vec<Estimate>, (usize, Undecided)> {
    let mut values = problem.start.to_vec();
    let mut last = None;
    let mut unsettled = None;
    for _ in 0..ROUNDS {
        let linear = Linear::at(problem, &values, free);
        let solution = linear.solve(problem, free)?;
        let mut change = (0.0_f64, 0);
        for (&constant, step) in free.iter().zip(&solution.step) {
            let share = step.abs() / values[constant].abs().max(STEP);
            if share > change.0 {
                change = (share, constant);
            }
            values[constant] += step;
        }
        last = Some(solution);
        unsettled = (change.0 >= SETTLED).then_some(change.1);
        if unsettled.is_none() {
            break;
        }
    }
    if let Some(constant) = unsettled {
        return Err((constant, Undecided::Unsettled));
    }
    let Some(solution) = last else { return Ok(Vec::new()) };
    let estimates: Vec<Estimate> = free
        .iter()
        .enumerate()
        .map(|(column, &constant)| Estimate { value: values[constant], ..solution.estimates[column] })
        .collect();
    match worst(free, &estimates) {
        None => Ok(estimates),
        Some(given_up) => Err(given_up),
    }
}

/// Returns the undetermined constant with the largest error; `None` if all are determined.
fn worst(free: &[usize], estimates: &[Estimate]) -> Option<(usize, Undecided)> {
    let found = free.iter().zip(estimates).filter_map(|(&constant, estimate)| {
        let share = estimate.error / estimate.value.abs();
        if estimate.observations < LEAST_OBSERVATIONS {
            Some((f64::INFINITY, constant, Undecided::TooFew(estimate.observations)))
        } else if estimate.value <= 0.0 {
            Some((f64::MAX, constant, Undecided::NotPositive(estimate.value)))
        } else if share.is_nan() || share > GREATEST_ERROR {
            Some((share.min(f64::MAX), constant, Undecided::Uncertain(share)))
        } else {
            None
        }
    });
    let worst = found.max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    Some((worst.1, worst.2))
}

/// The linear problem at given values of the constants.
struct Linear {
    /// Slopes of the predictions, relative to the measured values: a column for each free constant.
    columns: Vec<Vec<f64>>,
    /// Measured minus predicted value, relative to the measured value.
    residuals: Vec<f64>,
    /// Pattern of each observation: the set of constants on which it depends. Observations with one pattern share their
    /// scale.
    patterns: Vec<u64>,
}

/// A change of the constants, and the inverse of the triangular matrix from which it was computed.
type Step = (Vec<f64>, Vec<Vec<f64>>);

struct Solution {
    step: Vec<f64>,
    /// Errors without values.
    estimates: Vec<Estimate>,
}

impl Linear {
    fn at(problem: &Problem<'_>, values: &[f64], free: &[usize]) -> Self {
        let relative = |differences: Vec<f64>| -> Vec<f64> {
            differences.iter().zip(problem.measured).map(|(it, measured)| it / measured.max(SMALL)).collect()
        };
        let slope = |&constant: &usize| {
            let step = STEP * values[constant].abs().max(STEP);
            let moved = |by: f64| {
                let mut values = values.to_vec();
                values[constant] += by;
                (problem.predict)(&values)
            };
            let (above, below) = (moved(step), moved(-step));
            relative(above.iter().zip(&below).map(|(above, below)| (above - below) / (2.0 * step)).collect())
        };
        let columns: Vec<Vec<f64>> = free.iter().map(slope).collect();
        let predicted = (problem.predict)(values);
        let residuals = problem.measured.iter().zip(&predicted).map(|(measured, it)| measured - it).collect();
        let pattern = |row: usize| {
            let marks = columns.iter().enumerate().filter(|(_, column)| depends(column[row]));
            marks.fold(0, |pattern, (number, _)| pattern | 1 << number)
        };
        let patterns = (0..problem.measured.len()).map(pattern).collect();
        Self { columns, residuals: relative(residuals), patterns }
    }

    fn solve(&self, problem: &Problem<'_>, free: &[usize]) -> Result<Solution, (usize, Undecided)> {
        for (column, &constant) in self.columns.iter().zip(free) {
            self.has_enough(column, problem.bodies).map_err(|why| (constant, why))?;
        }
        let ones = vec![1.0; self.residuals.len()];
        self.step(&ones).map_err(|(column, on)| (free[column], Undecided::Inseparable(free[on])))?;
        // The weights may leave no observation that distinguishes two constants.
        let inseparable = |(column, on): (usize, usize)| (free[column], Undecided::Inseparable(free[on]));
        let least_absolute = |left: &[f64]| left.iter().map(|left| 1.0 / left.abs().max(NOISE)).collect();
        let step = self.reweighted(vec![0.0; free.len()], &least_absolute).map_err(inseparable)?;
        let scales = self.scales(&self.left(&step));
        let tukey = |left: &[f64]| self.tukey(left, &scales);
        let step = self.reweighted(step, &tukey).map_err(inseparable)?;
        let estimates = self.estimates(&self.left(&step), &scales);
        Ok(Solution { step, estimates })
    }

    /// Returns the fixed point of the weighted step: `weights` of its residuals give the step again.
    fn reweighted(
        &self,
        mut step: Vec<f64>,
        weights: &dyn Fn(&[f64]) -> Vec<f64>,
    ) -> Result<Vec<f64>, (usize, usize)> {
        for _ in 0..REWEIGHTED {
            let (next, _) = self.step(&weights(&self.left(&step)))?;
            let change = step.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            step = next;
            if change < SETTLED {
                break;
            }
        }
        Ok(step)
    }

    /// Checks that enough observations of different bodies depend on a constant.
    fn has_enough(&self, column: &[f64], bodies: &[usize]) -> Result<(), Undecided> {
        let rows: Vec<usize> = (0..column.len()).filter(|&row| depends(column[row])).collect();
        let mut different: Vec<usize> = rows.iter().map(|&row| bodies[row]).collect();
        different.sort_unstable();
        different.dedup();
        match (rows.len(), different.len()) {
            (0, _) => Err(Undecided::Independent),
            (rows, _) if rows < LEAST_OBSERVATIONS => Err(Undecided::TooFew(rows)),
            (_, bodies) if bodies < LEAST_BODIES => Err(Undecided::Alike(bodies)),
            _ => Ok(()),
        }
    }

    fn left(&self, step: &[f64]) -> Vec<f64> {
        let taken =
            |row: usize| self.columns.iter().zip(step).map(|(column, step)| column[row] * step).sum::<f64>();
        self.residuals.iter().enumerate().map(|(row, residual)| residual - taken(row)).collect()
    }

    /// Returns the scale of each observation's residual, which is that of its pattern.
    fn scales(&self, left: &[f64]) -> Vec<f64> {
        let scale = |&pattern: &u64| {
            let own = self.patterns.iter().zip(left).filter(|(it, _)| **it == pattern);
            let own: Vec<f64> = own.map(|(_, left)| left.abs()).collect();
            let freedom = own.len().saturating_sub(pattern.count_ones() as usize).max(1);
            // The fit itself makes the residuals of a small sample too small (Rousseeuw and Leroy).
            (DEVIATION * (1.0 + 5.0 / freedom as f64) * median(own)).max(NOISE)
        };
        let mut patterns = self.patterns.clone();
        patterns.sort_unstable();
        patterns.dedup();
        let scales: Vec<f64> = patterns.iter().map(scale).collect();
        let of = |pattern| patterns.binary_search(pattern).map_or(NOISE, |at| scales[at]);
        self.patterns.iter().map(of).collect()
    }

    fn tukey(&self, left: &[f64], scales: &[f64]) -> Vec<f64> {
        left.iter().zip(scales).map(|(left, scale)| tukey(left / scale) / (scale * scale)).collect()
    }

    /// Returns the step that minimizes the weighted squares of the residuals, and the inverse of its triangular matrix.
    ///
    /// If a column depends linearly on the columns before it, the error is that column and the most similar one.
    fn step(&self, weights: &[f64]) -> Result<Step, (usize, usize)> {
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let weighted = |column: &Vec<f64>| -> Vec<f64> {
            column.iter().zip(&roots).map(|(value, root)| value * root).collect()
        };
        let columns: Vec<Vec<f64>> = self.columns.iter().map(weighted).collect();
        let (orthogonal, triangle) = orthogonalised(columns)?;
        let residuals = weighted(&self.residuals);
        let inverse = inverted(&triangle);
        let along: Vec<f64> = orthogonal.iter().map(|column| dot(column, &residuals)).collect();
        let step = inverse.iter().map(|row| dot(row, &along)).collect();
        Ok((step, inverse))
    }

    /// Computes the errors of the constants from the covariance of an M-estimate. The noise may differ between
    /// observations, so the residual of each observation estimates its own noise (Huber, Robust Statistics; White).
    fn estimates(&self, left: &[f64], scales: &[f64]) -> Vec<Estimate> {
        let shares: Vec<f64> = left.iter().zip(scales).map(|(left, scale)| left / scale).collect();
        let slopes = self.mean_slopes(&shares);
        let rows = || (0..left.len()).filter(|&row| self.patterns[row] != 0);
        let curvature: Vec<f64> =
            slopes.iter().zip(scales).map(|(slope, scale)| slope / (scale * scale)).collect();
        let inverse = self.step(&curvature).map_or_else(|_| Vec::new(), |(_, inverse)| inverse);
        let count = rows().count() as f64;
        let freedom = (count - self.columns.len() as f64).max(1.0);
        let error = |number: usize| {
            let own = inverse.get(number)?;
            // The change of the constant for a change of each observation.
            let lever: Vec<f64> = inverse.iter().map(|other| dot(own, other)).collect();
            let moved = |row: usize| {
                let along: f64 = self.columns.iter().zip(&lever).map(|(column, by)| column[row] * by).sum();
                along * shares[row] * tukey(shares[row]) / scales[row]
            };
            let variance: f64 = rows().map(|row| moved(row).powi(2)).sum::<f64>() * count / freedom;
            Some(student(freedom) * variance.sqrt())
        };
        let estimate = |(number, column): (usize, &Vec<f64>)| {
            let decides = |row: &usize| depends(column[*row]);
            let observations = rows().filter(decides).filter(|&row| tukey(shares[row]) > 0.0).count();
            Estimate {
                value: 0.0,
                error: error(number).unwrap_or(f64::NAN),
                observations,
                outliers: rows().filter(decides).count() - observations,
            }
        };
        self.columns.iter().enumerate().map(estimate).collect()
    }

    /// Returns the mean slope of Tukey's function over the pattern of each observation.
    fn mean_slopes(&self, shares: &[f64]) -> Vec<f64> {
        let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
        for (pattern, share) in self.patterns.iter().zip(shares) {
            let (sum, count) = sums.entry(*pattern).or_default();
            *sum += tukey_slope(*share);
            *count += 1.0;
        }
        self.patterns
            .iter()
            .map(|pattern| sums[pattern])
            .map(|(sum, count)| (sum / count).max(0.05))
            .collect()
    }
}

/// Whether a slope means that an observation depends on a constant.
fn depends(slope: f64) -> bool {
    slope.abs() > 1e-9
}

fn tukey(share: f64) -> f64 {
    let inside = 1.0 - (share / TUKEY).powi(2);
    if share.abs() < TUKEY { inside * inside } else { 0.0 }
}

fn tukey_slope(share: f64) -> f64 {
    let square = (share / TUKEY).powi(2);
    if square < 1.0 { (1.0 - square) * (1.0 - 5.0 * square) } else { 0.0 }
}

/// Returns the 97.5% quantile of Student's distribution, from the first terms of its expansion.
fn student(freedom: f64) -> f64 {
    1.96 + 2.372 / freedom + 2.82 / (freedom * freedom)
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match (values.len() / 2, values.len() % 2) {
        (0, 0) => 0.0,
        (half, 0) => f64::midpoint(values[half - 1], values[half]),
        (half, _) => values[half],
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Orthonormal columns, and the triangular matrix that maps them to the columns (modified Gram–Schmidt).
type Orthogonal = (Vec<Vec<f64>>, Vec<Vec<f64>>);

fn orthogonalised(mut columns: Vec<Vec<f64>>) -> Result<Orthogonal, (usize, usize)> {
    let count = columns.len();
    let mut triangle = vec![vec![0.0; count]; count];
    for at in 0..count {
        let whole = dot(&columns[at], &columns[at]).sqrt();
        for before in 0..at {
            let along = dot(&columns[before], &columns[at]);
            triangle[before][at] = along;
            let (first, second) = columns.split_at_mut(at);
            second[0].iter_mut().zip(&first[before]).for_each(|(value, unit)| *value -= along * unit);
        }
        let own = dot(&columns[at], &columns[at]).sqrt();
        if own <= OWN_SHARE * whole {
            let most = (0..at).max_by(|&a, &b| triangle[a][at].abs().total_cmp(&triangle[b][at].abs()));
            return Err((at, most.unwrap_or(at)));
        }
        triangle[at][at] = own;
        columns[at].iter_mut().for_each(|value| *value /= own);
    }
    Ok((columns, triangle))
}

fn inverted(triangle: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let count = triangle.len();
    let mut inverse = vec![vec![0.0; count]; count];
    for column in 0..count {
        inverse[column][column] = 1.0 / triangle[column][column];
        for row in (0..column).rev() {
            let sum: f64 = (row + 1..=column).map(|at| triangle[row][at] * inverse[at][column]).sum();
            inverse[row][column] = -sum / triangle[row][row];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniform(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut bits = state;
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// Returns an approximately normal random number: the sum of twelve uniform ones.
    fn normal(next: &mut impl FnMut() -> f64) -> f64 {
        (0..12).map(|_| next()).sum::<f64>() - 6.0
    }

    /// Alternates hulls with `V` vertices, `a (V + b)`, and meshes with `n` triangles and a minimum cost,
    /// `max(c n, 0.5)`.
    fn model(count: usize) -> impl Fn(&[f64]) -> Vec<f64> + Sync {
        move |constants: &[f64]| {
            let one = |row: usize| match row % 2 {
                0 => constants[0] * ((4 + row % 60) as f64 + constants[1]),
                _ => (constants[2] * (row % 40) as f64 * 0.05).max(0.5),
            };
            (0..count).map(one).collect()
        }
    }

    fn fitted(
        measured: &[f64],
        start: &[f64],
        predict: &(dyn Fn(&[f64]) -> Vec<f64> + Sync),
    ) -> Vec<Outcome> {
        let bodies: Vec<usize> = (0..measured.len()).collect();
        fit(&Problem { measured, bodies: &bodies, predict, start })
    }

    #[test]
    fn constants_are_found_within_their_errors() {
        let truth = [0.05, 1.7, 1.3];
        let (mut inside, mut all) = (0, 0);
        for seed in 0..60 {
            let mut next = uniform(seed);
            let mut measured = model(200)(&truth);
            for (row, value) in measured.iter_mut().enumerate() {
                *value *= 1.0 + 0.01 * normal(&mut next);
                // Parts that were edited after the export.
                if row % 10 == 3 || row % 10 == 6 {
                    *value *= 1.5 + 4.0 * next();
                }
            }
            for (outcome, truth) in fitted(&measured, &[0.04, 1.0, 1.0], &model(200)).into_iter().zip(truth) {
                let estimate = outcome.unwrap();
                assert!((estimate.value - truth).abs() < 4.0 * estimate.error, "{estimate:?} is not {truth}");
                assert!(estimate.error < 0.15 * truth && estimate.outliers > 0, "{estimate:?}");
                inside += usize::from((estimate.value - truth).abs() <= estimate.error);
                all += 1;
            }
        }
        let share = inside as f64 / all as f64;
        assert!((0.88..=0.99).contains(&share), "{inside} of {all} lie in intervals of 95 %");
    }

    #[test]
    fn exact_data_give_the_constants_at_once() {
        let truth = [0.05, 1.7, 1.3];
        for (outcome, truth) in
            fitted(&model(100)(&truth), &[0.04, 1.0, 1.0], &model(100)).into_iter().zip(truth)
        {
            assert!((outcome.unwrap().value - truth).abs() < 1e-9 * truth);
        }
    }

    #[test]
    fn groups_of_another_noise_do_not_disturb_each_other() {
        let mut next = uniform(7);
        let predict = |constants: &[f64]| -> Vec<f64> {
            (0..400).map(|row| constants[usize::from(row >= 300)] * (1 + row % 7) as f64).collect()
        };
        let mut measured = predict(&[1.0, 1.2]);
        measured[300..].iter_mut().for_each(|value| *value *= 1.0 + 0.05 * normal(&mut next));
        let found = fitted(&measured, &[1.0, 1.0], &predict);
        let [exact, noisy] = [found[0].unwrap(), found[1].unwrap()];
        assert!(exact.error < 1e-4 && (exact.value - 1.0).abs() < 1e-6, "{exact:?}");
        assert!(noisy.observations > 90 && (noisy.value - 1.2).abs() < 2.0 * noisy.error, "{noisy:?}");
    }

    #[test]
    fn constants_that_the_data_cannot_decide_are_left_alone() {
        let hulls = |vertices: fn(usize) -> usize, count: usize| {
            move |constants: &[f64]| -> Vec<f64> {
                (0..count).map(|row| constants[0] * (vertices(row) as f64 + constants[1])).collect()
            }
        };
        let start = [0.04, 1.0, 3.0];
        let alike = hulls(|_| 8, 50);
        let found = fitted(&alike(&[0.05, 1.0, 3.0]), &start, &alike);
        assert!((found[0].unwrap().value - 0.05).abs() < 1e-9, "{found:?}");
        assert_eq!(found[1], Err(Undecided::Inseparable(0)));
        assert_eq!(found[2], Err(Undecided::Independent));
        let few = hulls(|row| row + 4, 7);
        let found = fitted(&few(&[0.05, 1.0, 3.0]), &start, &few);
        assert_eq!(found[0], Err(Undecided::TooFew(7)));
        let measured = alike(&start);
        let copies = Problem { measured: &measured, bodies: &[0; 50], predict: &alike, start: &start };
        assert_eq!(fit(&copies)[0], Err(Undecided::Alike(1)));
    }

    #[test]
    fn rounds_that_do_not_settle_decide_nothing() {
        // Newton's step on a square root alternates between both sides of it forever.
        let predict = |constants: &[f64]| -> Vec<f64> {
            let off = constants[0] - 1.0;
            (1..40).map(|row| f64::from(row) * (2.0 + off.signum() * off.abs().sqrt())).collect()
        };
        let measured: Vec<f64> = (1..40).map(|row| 2.0 * f64::from(row)).collect();
        let found = fitted(&measured, &[1.5], &predict);
        assert_eq!(found[0], Err(Undecided::Unsettled));
    }

    #[test]
    fn noise_that_hides_a_constant_leaves_it_undecided() {
        let mut next = uniform(3);
        let predict =
            |constants: &[f64]| -> Vec<f64> { (0..9).map(|row| constants[0] * (1 + row) as f64).collect() };
        let mut measured = predict(&[1.0]);
        measured.iter_mut().for_each(|value| *value *= (1.5 * normal(&mut next)).exp());
        assert!(matches!(fitted(&measured, &[1.0], &predict)[0], Err(Undecided::Uncertain(_))));
    }

    #[test]
    fn the_least_cost_decides_nothing() {
        let predict = |constants: &[f64]| -> Vec<f64> {
            (1..40).map(|n| (constants[0] * n as f64 * 0.01).max(0.5)).collect()
        };
        let found = fitted(&predict(&[1.0]), &[1.0], &predict);
        assert_eq!(found[0], Err(Undecided::Independent));
    }
}
