//! Messages as requests to Discord, Slack, Matrix, or any URL that takes JSON.
//!
//! A name from an export must not call people: each service has its way to show a text as it is.

use super::{NotifyError, RunEnd};
use hullmark_finding::Severity;
use hullmark_pages::message::{Message, cut_at_line};
use hullmark_settings::{
    notify::Notify,
    passwords::Password,
    secret::{Secret, SecretError},
};
use hullmark_storage::stamp;
use hullmark_util::named;
use serde_json::{Value, json};
use std::time::Duration;
#[cfg(feature = "notify")]
use ureq::tls::Certificate;

/// Maximum UTF-16 units of a message for Discord.
const DISCORD: usize = 2000;
/// Maximum characters of a message for Slack, which cuts longer ones anywhere.
const SLACK: usize = 40_000;
/// Maximum bytes of a message for Matrix. An event has at most 65,536, with a JSON escape of up to six bytes for one.
const MATRIX: usize = 10_000;

named! {
    /// A service, with the subject of sentences about its message.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Service {
        Discord = "The message to Discord",
        Slack = "The message to Slack",
        Matrix = "The message to Matrix",
        Json = "The message as JSON",
    }
}

/// A request that sends a message. Its URL may be a secret.
#[derive(Debug)]
#[cfg_attr(not(feature = "notify"), allow(dead_code, reason = "there is no client"))]
pub(super) struct Request {
    pub(super) is_put: bool,
    pub(super) url: Password,
    /// The access token in the header `Authorization`.
    pub(super) token: Option<Password>,
    pub(super) body: Value,
}

impl Service {
    /// Returns the setting with the address.
    fn key(self) -> &'static str {
        match self {
            Self::Discord => "discord",
            Self::Slack => "slack",
            Self::Matrix => "matrix.server",
            Self::Json => "json",
        }
    }

    pub(super) fn is_set(self, notify: &Notify) -> bool {
        match self {
            Self::Discord => !notify.discord.is_empty(),
            Self::Slack => !notify.slack.is_empty(),
            Self::Matrix => !notify.matrix.room.is_empty(),
            Self::Json => !notify.json.is_empty(),
        }
    }

    fn request(self, notify: &Notify, end: &RunEnd<'_>, message: &Message) -> Result<Request, NotifyError> {
        let hook = |secret: &Secret| secret.read().map_err(NotifyError::secret(self.key()));
        let (url, token, body) = match self {
            Self::Discord => (hook(&notify.discord)?, None, discord(message)),
            Self::Slack => (hook(&notify.slack)?, None, slack(message)),
            Self::Json => (hook(&notify.json)?, None, plain(end, message)),
            Self::Matrix => {
                if notify.matrix.server.is_hidden() {
                    return Err(NotifyError::secret(self.key())(SecretError::Hidden));
                }
                let token = notify.matrix.token.read().map_err(NotifyError::secret("matrix.token"))?;
                (matrix_url(notify, message), Some(token), matrix(message))
            }
        };
        self.check_url(url.reveal())?;
        Ok(Request { is_put: self == Self::Matrix, url, token, body })
    }

    /// Returns the authorities of the operator's own servers. Discord and Slack have public ones.
    #[cfg(feature = "notify")]
    fn authorities(self, notify: &Notify) -> Result<Option<Vec<Certificate<'static>>>, NotifyError> {
        match self {
            Self::Discord | Self::Slack => Ok(None),
            Self::Matrix | Self::Json => super::certificates::authorities(notify),
        }
    }

    /// Refuses addresses that would send a token without encryption. A receiver of JSON may be in the same network.
    fn check_url(self, url: &str) -> Result<(), NotifyError> {
        let host = url.strip_prefix("http://").map(host);
        let is_here = host.is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"));
        if url.starts_with("https://") || is_here || host.is_some() && self == Self::Json {
            return Ok(());
        }
        Err(NotifyError::setting(self.key(), "an address begins with https://"))
    }
}

/// Returns the host of the rest of a URL after `//`, without user and port.
fn host(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

pub(super) fn check(service: Service, notify: &Notify) -> Result<(), NotifyError> {
    let end = RunEnd { report: None, worst: None, worst_new: None, complete: true, exit: 0 };
    service.request(notify, &end, &Message::test())?;
    #[cfg(feature = "notify")]
    return service.authorities(notify).map(drop);
    #[cfg(not(feature = "notify"))]
    Err(NotifyError::Feature)
}

pub(super) fn send(
    service: Service,
    notify: &Notify,
    end: &RunEnd<'_>,
    message: &Message,
    limit: Duration,
) -> Result<(), NotifyError> {
    let request = service.request(notify, end, message)?;
    #[cfg(feature = "notify")]
    return super::http::send(&request, service.authorities(notify)?, limit);
    #[cfg(not(feature = "notify"))]
    {
        let _ = (request, limit);
        Err(NotifyError::Feature)
    }
}

/// A block of code shows names as they are: no mention, link or markup has an effect.
fn discord(message: &Message) -> Value {
    const FRAME: usize = "```\n```".len();
    let text = message.whole().replace('`', "'");
    let text = cut_at_line(&text, DISCORD - FRAME, |text| text.encode_utf16().count());
    json!({ "content": format!("```\n{text}```"), "allowed_mentions": { "parse": [] } })
}

/// Slack's references, as `<!channel>`, need angle brackets.
fn slack(message: &Message) -> Value {
    let text = message.whole().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let text = cut_at_line(&text, SLACK, |text| text.chars().count());
    json!({ "text": text, "mrkdwn": false, "unfurl_links": false, "unfurl_media": false })
}

/// With `m.mentions`, clients search the text for no names.
fn matrix(message: &Message) -> Value {
    let text = cut_at_line(&message.whole(), MATRIX, str::len);
    json!({ "msgtype": "m.text", "body": text, "m.mentions": {} })
}

fn plain(end: &RunEnd<'_>, message: &Message) -> Value {
    json!({
        "title": message.title,
        "text": message.text,
        "worst": end.worst.map_or("none", Severity::name),
        "complete": end.complete,
        "exit": end.exit,
        "report": end.report.map(|report| stamp::whole(report).display().to_string()),
    })
}

/// Returns the address of a message. A repeated request with the same last part sends no second message.
fn matrix_url(notify: &Notify, message: &Message) -> Password {
    let matrix = &notify.matrix;
    let server = matrix.server.reveal().trim_end_matches('/');
    let transaction = super::mail::unique(message);
    Password::new(format!(
        "{server}/_matrix/client/v3/rooms/{}/send/m.room.message/hullmark-{transaction}",
        percent_encoded(&matrix.room)
    ))
}

fn percent_encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::{config::Config, secret::ServerUrl};

    fn message(text: &str) -> Message {
        Message { title: "hullmark: 1 error in 1 input".into(), text: text.into() }
    }

    #[test]
    fn names_call_nobody() {
        let hostile = message("- @everyone <@123> <!channel> ``` [a](http://x) & @room\n");
        let body = discord(&hostile);
        assert_eq!(body["allowed_mentions"]["parse"], json!([]));
        let content = body["content"].as_str().unwrap();
        assert_eq!(content.matches("```").count(), 2, "{content}");
        assert!(content.starts_with("```\nhullmark") && content.ends_with("\n```"), "{content}");
        let text = slack(&hostile)["text"].as_str().unwrap().to_owned();
        assert!(text.contains("&lt;!channel&gt;") && text.contains("&amp;") && !text.contains('<'), "{text}");
        assert_eq!(matrix(&hostile)["m.mentions"], json!({}));
    }

    #[test]
    fn messages_are_cut_at_the_limits_of_each_service() {
        let long = message(&"- 🪑 & <b>\n".repeat(9000));
        let length = |body: &Value, key: &str, of: fn(&str) -> usize| of(body[key].as_str().unwrap());
        let units = |text: &str| text.encode_utf16().count();
        assert!((1900..=DISCORD).contains(&length(&discord(&long), "content", units)));
        assert!((39_900..=SLACK).contains(&length(&slack(&long), "text", |text| text.chars().count())));
        assert!((9900..=MATRIX).contains(&length(&matrix(&long), "body", str::len)));
        for (body, key) in [(discord(&long), "content"), (slack(&long), "text"), (matrix(&long), "body")] {
            assert!(body[key].as_str().unwrap().contains("The message is cut here"), "{key}");
        }
    }

    #[test]
    fn a_token_is_never_sent_without_encryption() {
        let refused = |service: Service, url: &str| service.check_url(url).is_err();
        assert!(refused(Service::Discord, "http://discord.example/api/webhooks/1/x"));
        assert!(refused(Service::Slack, "http://localhost.example/x") && refused(Service::Json, "ftp://a/"));
        assert!(refused(Service::Slack, "http://localhost@example.org/x"));
        assert!(
            !refused(Service::Slack, "http://127.0.0.1:80/x") && !refused(Service::Json, "http://10.0.0.1/")
        );
        assert!(
            !refused(Service::Matrix, "https://matrix.example.org")
                && !refused(Service::Slack, "http://[::1]/")
        );
    }

    #[test]
    fn a_room_is_one_part_of_the_path() {
        let mut notify = Config::default().notify;
        notify.matrix.server = ServerUrl::new("https://matrix.example.org/");
        notify.matrix.room = "!a/b:example.org".into();
        let url = matrix_url(&notify, &message(""));
        let begin = "https://matrix.example.org/_matrix/client/v3/rooms/%21a%2Fb%3Aexample.org/send/m.room.message/hullmark-";
        assert!(url.reveal().starts_with(begin), "{}", url.reveal());
    }
}
