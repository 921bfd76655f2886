//! Repeated runs: kept ledgers, comparison, history, shares and waivers.

mod compared_formats;
mod content_cache;
mod coverage;
mod dated_copies;
mod diff;
mod failed_runs;
mod forms;
mod history;
mod lakes;
mod ledger_cache;
mod lost_content;
#[cfg(feature = "notify")]
mod message_servers;
mod messages;
mod metrics;
#[cfg(unix)]
mod notify;
mod plans;
mod reloaded;
mod shipped_files;
mod trend;
mod unreadable_ledgers;
#[cfg(unix)]
mod up_to_date;
mod waivers;
