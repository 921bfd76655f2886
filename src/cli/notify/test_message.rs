//! `notify`: sends a test message through each channel of the settings.

use super::{Channel, RunEnd, send};
use crate::cli::{Outcome, Run, Settings, terminal};
use anyhow::{bail, ensure};
use clap::Args;
use hullmark_pages::message::Message;

const EXAMPLES: &str = "\
Examples:
  hullmark notify --config /etc/hullmark/hullmark.toml";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NotifyArgs {}

impl Run for NotifyArgs {
    /// Sends a test message through each channel.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let notify = &settings.config.notify;
        ensure!(
            !notify.is_silent(),
            "The settings have no channel for messages. Set `command`, `discord` or another one in [notify]"
        );
        let end = RunEnd { report: None, worst: None, worst_new: None, complete: true, exit: 0 };
        let failed = send(notify, &end, &Message::test());
        if !failed.is_empty() {
            bail!("{}", failed.join(".\n"));
        }
        for channel in Channel::of(notify) {
            terminal::print(&format!("{}: sent\n", channel.name()))?;
        }
        Ok(Outcome::Done)
    }
}
