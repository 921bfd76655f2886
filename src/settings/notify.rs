//! Settings for notifications about a run.

use crate::finding::Severity;
use serde::{Deserialize, Serialize};

/// The notification about a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// The command; empty for none.
    pub command: String,
    /// The mildest severity that triggers a notification.
    pub at: Severity,
    /// Seconds after which the command is killed.
    pub timeout_seconds: u64,
}
