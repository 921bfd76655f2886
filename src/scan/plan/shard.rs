//! Which share of a plan this machine works on, as typed or from the engine that started it.

use crate::plan::share::Share;
use std::{env, str::FromStr};
use thiserror::Error;

/// Variables in which engines pass the index of a task, from 0: Kubernetes, Slurm, AWS Batch, Bazel.
pub const INDICES: [&str; 4] =
    ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_INDEX", "TEST_SHARD_INDEX"];

/// The variable in which Bazel passes the number of shares. Other engines pass none, or count only restarted tasks.
const TOTAL: &str = "TEST_TOTAL_SHARDS";

/// A share as typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shard {
    Named(Share),
    /// The share whose index the engine passes, of this many.
    Engine(u32),
}

/// Why the share is unknown.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ShardError {
    #[error("--shard auto/N needs an index from the engine, but none of these variables is set: {}. Name the shard, as 3/17", INDICES.join(", "))]
    NoIndex,
    #[error("{one} is {index}, but {other} is {another}. Name the shard, as 3/17")]
    TwoIndices { one: &'static str, index: String, other: &'static str, another: String },
    #[error("{name} is \"{value}\", but {of} shards have the indices 0 to {}. Let the engine count from 0", of.saturating_sub(1))]
    NoShare { name: &'static str, value: String, of: u32 },
    #[error("--shard names {of} shards, but {TOTAL} is \"{total}\". Use the same number for both")]
    OtherTotal { of: u32, total: String },
}

impl Shard {
    /// Returns the share.
    pub fn share(self) -> Result<Share, ShardError> {
        self.share_by(|name| env::var(name).ok())
    }

    fn share_by(self, variable: impl Fn(&str) -> Option<String>) -> Result<Share, ShardError> {
        let of = match self {
            Self::Named(share) => return Ok(share),
            Self::Engine(of) => of,
        };
        let mut given = INDICES.into_iter().filter_map(|name| Some((name, variable(name)?)));
        let (name, value) = given.next().ok_or(ShardError::NoIndex)?;
        if let Some((other, another)) = given.find(|(_, another)| *another != value) {
            return Err(ShardError::TwoIndices { one: name, index: value, other, another });
        }
        if let Some(total) = variable(TOTAL).filter(|total| total.parse() != Ok(of)) {
            return Err(ShardError::OtherTotal { of, total });
        }
        let index: Option<u32> = value.parse().ok();
        let share = index.and_then(|index| Share::new(index.checked_add(1)?, of).ok());
        share.ok_or(ShardError::NoShare { name, value, of })
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some(of) = text.strip_prefix("auto/") else { return text.parse().map(Self::Named) };
        // There must be at least one share.
        of.parse().ok().filter(|of| *of > 0).map(Self::Engine).ok_or_else(|| {
            "say how many shares there are, as auto/17 for the one of seventeen that the engine names".into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(text: &str, variables: &[(&str, &str)]) -> Result<Share, ShardError> {
        let shard: Shard = text.parse().unwrap();
        let variable =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).into());
        shard.share_by(variable)
    }

    #[test]
    fn every_engine_is_understood() {
        for name in INDICES {
            assert_eq!(by("auto/17", &[(name, "0")]), Share::new(1, 17).map_err(|_| ShardError::NoIndex));
            assert_eq!(by("auto/17", &[(name, "16")]), Share::new(17, 17).map_err(|_| ShardError::NoIndex));
            // A named share overrides the variables.
            assert_eq!(by("3/17", &[(name, "0")]).unwrap().index(), 2);
            for wrong in ["17", "-1", "", "4294967295", "1-3"] {
                let error = by("auto/17", &[(name, wrong)]).unwrap_err().to_string();
                assert!(error.contains(name) && error.contains("0 to 16"), "{error}");
            }
        }
        let bazel = |total| by("auto/17", &[("TEST_SHARD_INDEX", "4"), (TOTAL, total)]);
        assert_eq!(bazel("17").unwrap().index(), 4);
        assert_eq!(bazel("16"), Err(ShardError::OtherTotal { of: 17, total: "16".into() }));
    }

    #[test]
    fn two_engines_must_mean_the_same() {
        let both = |other| by("auto/9", &[("JOB_COMPLETION_INDEX", "3"), ("SLURM_ARRAY_TASK_ID", other)]);
        assert_eq!(both("3").unwrap().index(), 3);
        assert!(both("4").unwrap_err().to_string().contains("Name the shard"));
        assert_eq!(by("auto/9", &[]), Err(ShardError::NoIndex));
    }

    #[test]
    fn a_count_is_always_given() {
        for text in ["auto", "auto/", "auto/0", "auto/x"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
