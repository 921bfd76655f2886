//! Sends messages about a run: by a command, e-mail, or webhooks.
//!
//! A message never changes the report or the exit code. Its errors name the channel, and never a secret.

#[cfg(feature = "notify")]
mod certificates;
mod command;
#[cfg(feature = "notify")]
mod http;
mod mail;
#[cfg(feature = "notify")]
mod retry;
#[cfg(feature = "notify")]
mod smtp;
mod test_message;
mod webhook;

use hullmark_finding::Severity;
use hullmark_pages::message::Message;
use hullmark_settings::{notify::Notify, secret::SecretError};
use std::{io, path::Path, time::Duration};
pub(super) use test_message::NotifyArgs;
use thiserror::Error;
use webhook::Service;

#[derive(Debug, Clone, Copy)]
pub struct RunEnd<'a> {
    /// The folder of the report; `None` if there was nothing to audit.
    pub report: Option<&'a Path>,
    pub worst: Option<Severity>,
    /// Severity of the worst finding that is new or worse; `None` without an earlier run.
    pub worst_new: Option<Option<Severity>>,
    /// Whether all covered inputs were read to their end.
    pub complete: bool,
    pub exit: u8,
}

/// Why a message was not sent. The report is not affected.
#[derive(Debug, Error)]
pub enum NotifyError {
    /// The command could not be started.
    #[error("could not be started ({0})")]
    Start(io::Error),
    /// The command ended with another code than 0.
    #[error("ended with code {0}")]
    Code(i32),
    /// A signal ended the command.
    #[error("was killed by {0}")]
    Killed(String),
    /// The command took too long.
    #[error("did not end within {0} s and was killed. Raise `timeout_seconds` of [notify] in the settings")]
    Timeout(u64),
    /// A setting cannot be used.
    #[error("cannot be sent, because `{key}` of [notify] is wrong: {why}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// The reason.
        why: String,
    },
    /// This build has no client.
    #[error(
        "cannot be sent, because this hullmark was built without HTTP and SMTP. Build one with `cargo build --release \
         --features notify`, or use `command` or `sendmail`"
    )]
    #[cfg_attr(feature = "notify", allow(dead_code, reason = "such a build has both clients"))]
    Feature,
    /// The service did not take the message.
    #[error("was not sent: {0}")]
    NotSent(String),
}

impl NotifyError {
    fn setting(key: &'static str, why: impl Into<String>) -> Self {
        Self::Setting { key, why: why.into() }
    }

    fn secret(key: &'static str) -> impl Fn(SecretError) -> Self {
        move |error| Self::setting(key, error.to_string())
    }
}

/// A way to tell people about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Channel {
    Command,
    Email,
    Webhook(Service),
}

impl Channel {
    const ALL: [Self; 6] = [
        Self::Command,
        Self::Email,
        Self::Webhook(Service::Discord),
        Self::Webhook(Service::Slack),
        Self::Webhook(Service::Matrix),
        Self::Webhook(Service::Json),
    ];

    /// Returns the subject of sentences about the channel.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Command => "The notify command",
            Self::Email => "The e-mail",
            Self::Webhook(service) => service.name(),
        }
    }

    fn is_set(self, notify: &Notify) -> bool {
        match self {
            Self::Command => !notify.command.is_empty(),
            Self::Email => !notify.email.to.is_empty(),
            Self::Webhook(service) => service.is_set(notify),
        }
    }

    /// Returns the channels of the settings.
    pub(super) fn of(notify: &Notify) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|channel| channel.is_set(notify))
    }

    /// Checks the settings of the channel, without sending anything.
    pub(super) fn check(self, notify: &Notify) -> Result<(), NotifyError> {
        match self {
            Self::Command => Ok(()),
            Self::Email => mail::check(notify),
            Self::Webhook(service) => webhook::check(service, notify),
        }
    }

    fn send(self, notify: &Notify, end: &RunEnd<'_>, message: &Message) -> Result<(), NotifyError> {
        let limit = Duration::from_secs(notify.timeout_seconds);
        match self {
            Self::Command => command::run(&notify.command, end, message, limit),
            Self::Email => mail::send(notify, message, limit),
            Self::Webhook(service) => webhook::send(service, notify, end, message, limit),
        }
    }
}

fn is_news(notify: &Notify, end: &RunEnd<'_>) -> bool {
    let worst = match end.worst_new {
        Some(new) if notify.only_new => new,
        _ => end.worst,
    };
    !end.complete || worst.is_some_and(|worst| worst >= notify.at)
}

/// Returns an error for each channel whose settings cannot be used.
pub(super) fn errors(notify: &Notify) -> impl Iterator<Item = String> {
    Channel::of(notify).filter_map(|channel| Some(sentence(channel, &channel.check(notify).err()?)))
}

fn sentence(channel: Channel, error: &NotifyError) -> String {
    format!("{} {error}", channel.name())
}

/// Sends the message of a run through each channel, after a finding of the configured severity or an incomplete audit.
/// Returns a sentence for each channel that failed.
pub(super) fn notify_about(notify: &Notify, end: &RunEnd<'_>, message: impl Fn() -> Message) -> Vec<String> {
    if notify.is_silent() || !is_news(notify, end) {
        return Vec::new();
    }
    send(notify, end, &message())
}

/// Sends a message through each channel. Returns a sentence for each channel that failed.
fn send(notify: &Notify, end: &RunEnd<'_>, message: &Message) -> Vec<String> {
    Channel::of(notify)
        .filter_map(|channel| Some(sentence(channel, &channel.send(notify, end, message).err()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::config::Config;

    #[test]
    fn news_are_findings_new_findings_or_inputs_that_were_not_read() {
        let mut notify = Config::default().notify;
        let end =
            RunEnd { report: None, worst: Some(Severity::Error), worst_new: None, complete: true, exit: 0 };
        let minor = RunEnd { worst_new: Some(Some(Severity::Warning)), ..end };
        assert!(is_news(&notify, &end) && is_news(&notify, &minor));
        notify.only_new = true;
        assert!(is_news(&notify, &end), "nothing to compare with");
        assert!(!is_news(&notify, &minor));
        assert!(!is_news(&notify, &RunEnd { worst_new: Some(None), ..end }));
        assert!(is_news(&notify, &RunEnd { worst_new: Some(Some(Severity::Error)), ..end }));
        assert!(is_news(&notify, &RunEnd { complete: false, ..minor }));
        assert!(!is_news(&notify, &RunEnd { worst: Some(Severity::Warning), ..end }));
    }
}
