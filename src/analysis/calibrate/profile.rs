//! The result of a fit for each constant, and the fitted profile.

use super::{
    constants::{self, ALL},
    fit::{Estimate, GREATEST_ERROR, LEAST_BODIES, LEAST_OBSERVATIONS, Outcome, Undecided},
};
use hullmark_settings::profile::Profile;
use serde::Serialize;
use std::fmt::Write;
use toml::Value;

/// Relative differences of a constant below this do not count.
const SAME: f64 = 5e-4;

/// The result of a fit for one constant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fitted {
    /// Section and key in the profile, for example `physics.hull_vertex_cost`.
    pub name: String,
    pub value: f64,
    /// Comparison of the fitted value with that of the profile.
    pub verdict: Verdict,
    /// Fitted value; null if the measurements do not determine it.
    pub fitted: Option<f64>,
    /// Half the width of the 95% interval.
    pub error: Option<f64>,
    /// Number of rows that determined the constant.
    pub decided_by: usize,
    /// Number of outliers among the rows that depend on the constant. They were left out.
    pub outliers: usize,
    /// Reason why the constant is undetermined.
    pub reason: Option<String>,
}

/// Comparison of a fitted constant with the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The fitted value differs by more than its error.
    Differs,
    /// The value of the profile is within the error.
    Agrees,
    /// The measurements do not determine the constant.
    Undecided,
}

pub(super) fn of_outcome(number: usize, value: f64, outcome: Outcome) -> Fitted {
    let undecided = Fitted {
        name: ALL[number].name(),
        value,
        verdict: Verdict::Undecided,
        fitted: None,
        error: None,
        decided_by: 0,
        outliers: 0,
        reason: None,
    };
    match outcome {
        Ok(Estimate { value: fitted, error, observations, outliers }) => {
            let differs = (fitted - value).abs() > error.max(SAME * value.abs());
            Fitted {
                verdict: if differs { Verdict::Differs } else { Verdict::Agrees },
                fitted: Some(six_digits(fitted)),
                error: Some(error),
                decided_by: observations,
                outliers,
                ..undecided
            }
        }
        Err(why) => Fitted { reason: Some(why.sentence()), ..undecided },
    }
}

impl Undecided {
    fn sentence(self) -> String {
        match self {
            Self::Independent => "no measured row depends on it".into(),
            Self::TooFew(count) => {
                format!("{} on it, and {LEAST_OBSERVATIONS} are needed", depend(count, "row", "rows"))
            }
            Self::Alike(count) => {
                format!("{} on it, and {LEAST_BODIES} are needed", depend(count, "form", "different forms"))
            }
            Self::Inseparable(other) => {
                format!("the measured rows do not tell it apart from {}", ALL[other].name())
            }
            Self::Uncertain(share) => {
                let [share, most] = [share, GREATEST_ERROR].map(|share| 100.0 * share);
                format!("its error would be {share:.0} % of it, and at most {most:.0} % is accepted")
            }
            Self::Unsettled => "the rounds of the fit do not settle on a value".into(),
            Self::NotPositive(value) => format!("the fit gives {value:.4}, which is not above 0"),
        }
    }
}

fn depend(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("only 1 {one} depends") } else { format!("only {count} {many} depend") }
}

/// Rounds to six significant digits, the maximum precision of a measured constant.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

pub(super) fn fitted(profile: &Profile, constants: &[Fitted]) -> Profile {
    let value = |it: &Fitted| it.fitted.filter(|_| it.verdict == Verdict::Differs).unwrap_or(it.value);
    constants::with(profile, &constants.iter().map(value).collect::<Vec<f64>>())
}

/// Returns a profile file over this base that only contains the constants that differ.
pub fn written(base: &str, constants: &[Fitted]) -> String {
    let mut text = format!(
        "# Written by `hullmark calibrate`. It states what measurements change in its base.\n\n\
         base = {}\ndescription = {}\n",
        Value::from(base),
        Value::from(format!("{base}, calibrated"))
    );
    let mut section = "";
    for (constant, fitted) in ALL.iter().zip(constants) {
        let (Verdict::Differs, Some(value), Some(error)) = (fitted.verdict, fitted.fitted, fitted.error)
        else {
            continue;
        };
        if constant.section != section {
            section = constant.section;
            let _ = writeln!(text, "\n[{section}]");
        }
        let _ = writeln!(
            text,
            "# Was {}. Decided by {} rows, error {} (95 %), {} rows set aside as outliers.\n{} = {}",
            fitted.value,
            fitted.decided_by,
            six_digits(error),
            fitted.outliers,
            constant.key,
            Value::from(value)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(of: impl Fn(usize) -> Outcome) -> Vec<Fitted> {
        let start = constants::values(&Profile::default());
        (0..ALL.len()).map(|number| of_outcome(number, start[number], of(number))).collect()
    }

    #[test]
    fn a_written_profile_states_its_differences_and_loads() {
        let constants = outcomes(|number| match ALL[number].key {
            "hull_vertex_cost" => {
                Ok(Estimate { value: 0.051_234_567, error: 0.001, observations: 40, outliers: 2 })
            }
            "hull_offset" => Ok(Estimate { value: 1.1, error: 0.2, observations: 40, outliers: 2 }),
            "prim_factor" => Ok(Estimate { value: 2.0, error: 0.0, observations: 9, outliers: 0 }),
            _ => Err(Undecided::TooFew(3)),
        });
        let text = written("second-life", &constants);
        let stated: Vec<&str> =
            text.lines().filter(|line| !line.starts_with('#') && line.contains('=')).collect();
        assert_eq!(stated[0], "base = \"second-life\"");
        assert_eq!(&stated[2..], ["hull_vertex_cost = 0.0512346", "prim_factor = 2.0"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, text).unwrap();
        let loaded = Profile::load(path.to_str().unwrap()).unwrap();
        let expected = fitted(&Profile::default(), &constants);
        assert_eq!(expected.physics.hull_offset, 1.0, "it agrees within its error");
        assert_eq!((loaded.physics, loaded.streaming), (expected.physics, expected.streaming));
    }

    #[test]
    fn reasons_are_sentences() {
        assert_eq!(
            outcomes(|_| Err(Undecided::Inseparable(0)))[1].reason.as_deref(),
            Some("the measured rows do not tell it apart from physics.hull_vertex_cost")
        );
    }
}
