//! Outcomes of rules across inputs that an earlier step found, for the shards of a report.

use crate::{RuleOutcomes, SkipReason};
use hullmark_finding::{Code, Finding};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use uuid::Uuid;

/// What the rules found in one input.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct OutcomesOfInput {
    /// Its findings.
    pub findings: Vec<Finding>,
    /// Number of subjects that could not be evaluated.
    pub not_evaluated: Vec<(Code, SkipReason, u64)>,
}

/// The outcome of a rule about the run, with the number of its subjects.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct OutcomesOfRun {
    outcomes: OutcomesOfInput,
    subjects: u64,
}

/// What the rules found in some inputs, and in the run.
#[derive(Debug, Default)]
pub struct KnownOutcomes {
    /// Outcomes by the names of inputs.
    pub inputs: HashMap<String, OutcomesOfInput>,
    /// The first input with each asset that some of these inputs lack.
    pub elsewhere: HashMap<Uuid, String>,
    /// What STO006 found.
    pub of_stores: OutcomesOfRun,
    /// What DBS015 found.
    pub of_regions: OutcomesOfRun,
}

impl KnownOutcomes {
    /// Adds the outcomes of an input to those of the other rules.
    pub(super) fn take(&mut self, input: &str, outcomes: &mut RuleOutcomes) {
        self.inputs.remove(input).unwrap_or_default().add_to(outcomes);
    }
}

impl OutcomesOfInput {
    fn add_to(self, outcomes: &mut RuleOutcomes) {
        outcomes.extend(self.findings);
        for (code, reason, count) in self.not_evaluated {
            *outcomes.not_evaluated.entry((code, reason)).or_default() += count;
        }
    }
}

impl From<OutcomesOfRun> for (RuleOutcomes, u64) {
    fn from(of_run: OutcomesOfRun) -> Self {
        let mut outcomes = RuleOutcomes::default();
        of_run.outcomes.add_to(&mut outcomes);
        (outcomes, of_run.subjects)
    }
}

impl From<RuleOutcomes> for OutcomesOfInput {
    fn from(outcomes: RuleOutcomes) -> Self {
        let not_evaluated = outcomes.not_evaluated.into_iter();
        Self {
            findings: outcomes.findings.finish(),
            not_evaluated: not_evaluated.map(|((code, reason), count)| (code, reason, count)).collect(),
        }
    }
}

impl From<(RuleOutcomes, u64)> for OutcomesOfRun {
    fn from((outcomes, subjects): (RuleOutcomes, u64)) -> Self {
        Self { outcomes: outcomes.into(), subjects }
    }
}
