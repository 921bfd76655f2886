//! User settings: configuration, target profiles, limits, the selection of rules, users. Plain serde types.

pub mod config;
pub(crate) mod history;
pub mod letters;
pub mod limits;
pub mod notify;
pub mod ossl;
#[cfg_attr(not(test), allow(dead_code, reason = "the readers of servers take passwords"))]
pub mod passwords;
pub mod profile;
pub mod rule_selection;
pub mod simulator;
pub mod users;
