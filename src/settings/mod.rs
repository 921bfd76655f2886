//! User settings: configuration, target profiles, limits, the selection of rules, users. Plain serde types.

pub mod config;
pub mod database_selection;
pub mod environment;
pub mod history;
pub mod inventories;
pub mod letters;
pub mod limits;
pub mod notify;
pub mod origins;
pub mod ossl;
pub mod passwords;
pub mod profile;
pub mod rule_selection;
pub mod secret;
pub mod simulator;
pub mod users;
