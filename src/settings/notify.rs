//! Settings for notifications about a run.

use crate::finding::Severity;
use serde::{Deserialize, Serialize};

/// Who is told of a night, and when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// The command; empty for none.
    pub command: String,
    /// The mildest severity that is told.
    pub at: Severity,
    /// Seconds after which the command is killed.
    pub timeout_seconds: u64,
}
