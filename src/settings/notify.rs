//! Settings for messages about a run.

use crate::secret::{Secret, ServerUrl};
use hullmark_finding::Severity;
use serde::{Deserialize, Serialize};

/// Messages about a run: when, and by which channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Notify {
    /// The command; empty for none.
    pub command: String,
    /// The mildest severity that triggers a message.
    pub at: Severity,
    /// Whether only new and worse findings trigger a message, if there is an earlier run to compare with.
    pub only_new: bool,
    /// Seconds after which the command is killed, or a message is given up.
    pub timeout_seconds: u64,
    /// URL of a webhook of Discord.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub discord: Secret,
    /// URL of a webhook of Slack.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub slack: Secret,
    /// URL that takes JSON.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub json: Secret,
    /// File with certificates of the authorities of own servers; empty for the built-in ones.
    pub certificates: String,
    /// A room of Matrix.
    pub matrix: Matrix,
    /// E-mail.
    pub email: Email,
}

/// A room of Matrix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// URL of the homeserver.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub server: ServerUrl,
    /// ID of the room; empty for no message.
    pub room: String,
    /// Access token.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub token: Secret,
}

/// E-mail, by a program or by SMTP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Email {
    /// Addresses of the receivers; empty for no e-mail.
    pub to: Vec<String>,
    /// Address of the sender.
    pub from: String,
    /// Program that takes a message, as `sendmail` does.
    pub sendmail: String,
    /// URL of the SMTP server; empty for the program.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub smtp: ServerUrl,
    /// User of the SMTP server; empty for none.
    pub user: String,
    /// Password of the user.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub password: Secret,
}

impl Notify {
    /// Whether no message is sent at all.
    pub fn is_silent(&self) -> bool {
        let hooks = [&self.discord, &self.slack, &self.json];
        self.command.is_empty()
            && hooks.iter().all(|hook| hook.is_empty())
            && self.matrix.room.is_empty()
            && self.email.to.is_empty()
    }
}
