//! Messages as e-mail: the message, and the program that sends it.

use super::{NotifyError, command};
use base64::{Engine, engine::general_purpose::STANDARD};
use hullmark_pages::message::Message;
use hullmark_settings::notify::{Email, Notify};
use std::{
    fmt::Write as _,
    process::{self, Command, Stdio},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes of text in an encoded word of the subject. An encoded word has at most 75 characters.
const WORD: usize = 42;
const LINE: usize = 76;

pub(super) fn check(notify: &Notify) -> Result<(), NotifyError> {
    let email = &notify.email;
    for address in &email.to {
        check_address("email.to", address)?;
    }
    if !email.from.is_empty() {
        check_address("email.from", &email.from)?;
    }
    if email.smtp.is_empty() {
        return match email.sendmail.is_empty() {
            true => Err(NotifyError::setting("email.sendmail", "name a program, or set `email.smtp`")),
            false => Ok(()),
        };
    }
    if email.from.is_empty() {
        return Err(NotifyError::setting("email.from", "SMTP needs the address of a sender"));
    }
    #[cfg(feature = "notify")]
    return super::smtp::check(notify);
    #[cfg(not(feature = "notify"))]
    Err(NotifyError::Feature)
}

/// Refuses all but plain ASCII addresses, so that none can add a header.
fn check_address(key: &'static str, address: &str) -> Result<(), NotifyError> {
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>()[],;:\\\"".contains(c);
    let parts = address.split_once('@');
    if address.chars().all(is_plain) && parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
    {
        return Ok(());
    }
    Err(NotifyError::setting(key, "an address is written as ops@example.org, without a name"))
}

/// Sends a message by SMTP, or by a program.
pub(super) fn send(notify: &Notify, message: &Message, limit: Duration) -> Result<(), NotifyError> {
    check(notify)?;
    let email = &notify.email;
    let bytes = written(email, message, SystemTime::now());
    if email.smtp.is_empty() {
        // Such programs read lines as the system has them.
        return by_program(&email.sendmail, &bytes.replace("\r\n", "\n"), limit);
    }
    #[cfg(feature = "notify")]
    return super::smtp::send(notify, &bytes, limit);
    #[cfg(not(feature = "notify"))]
    Err(NotifyError::Feature)
}

fn by_program(program: &str, message: &str, limit: Duration) -> Result<(), NotifyError> {
    let input = command::as_input(message.as_bytes());
    let input =
        input.map_err(|error| NotifyError::NotSent(format!("no temporary file can be written ({error})")))?;
    let mut command = Command::new(program);
    command.args(["-i", "-t"]).stdin(Stdio::from(input)).stdout(Stdio::from(std::io::stderr()));
    command::in_own_group(&mut command);
    command::finish(&mut command, limit).map_err(|error| NotifyError::NotSent(format!("{program} {error}")))
}

/// Returns the message with its headers, and lines that end with CRLF.
fn written(email: &Email, message: &Message, now: SystemTime) -> String {
    let mut text = String::new();
    let mut header = |name: &str, value: &str| {
        let _ = write!(text, "{name}: {value}\r\n");
    };
    if !email.from.is_empty() {
        header("From", &email.from);
    }
    header("To", &email.to.join(", "));
    header("Subject", &encoded(&message.title));
    header("Date", &date(now));
    let host = email.from.split_once('@').map_or("localhost", |(_, host)| host);
    header("Message-ID", &format!("<hullmark-{}@{host}>", unique(message)));
    header("MIME-Version", "1.0");
    header("Content-Type", "text/plain; charset=utf-8");
    header("Content-Transfer-Encoding", "base64");
    // Programs that answer while somebody is away leave it alone (RFC 3834).
    header("Auto-Submitted", "auto-generated");
    text += "\r\n";
    let body = STANDARD.encode(message.text.replace('\n', "\r\n"));
    for line in body.as_bytes().chunks(LINE) {
        text += &String::from_utf8_lossy(line);
        text += "\r\n";
    }
    text
}

/// Encodes a subject that is not ASCII (RFC 2047).
fn encoded(subject: &str) -> String {
    if subject.chars().all(|c| matches!(c, ' '..='~')) && !subject.contains("=?") {
        return subject.into();
    }
    let mut words = vec![String::new()];
    for c in subject.chars() {
        match words.last_mut() {
            Some(last) if last.len() + c.len_utf8() <= WORD => last.push(c),
            _ => words.push(c.into()),
        }
    }
    let words = words.iter().map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word)));
    words.collect::<Vec<_>>().join("\r\n ")
}

/// Formats a time as `Tue, 24 Nov 2026 04:00:00 +0000`.
fn date(now: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let days = now.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    let text = humantime::format_rfc3339_seconds(now).to_string();
    let (year, month, day, time) = (&text[..4], &text[5..7], &text[8..10], &text[11..19]);
    let month = month.parse().ok().and_then(|month: usize| MONTHS.get(month.checked_sub(1)?));
    format!("{}, {day} {} {year} {time} +0000", DAYS[(days % 7) as usize], month.unwrap_or(&"Jan"))
}

/// Returns digits that no other message has.
pub(super) fn unique(message: &Message) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    format!("{:032x}", xxh3_128(format!("{now} {} {}", process::id(), message.text).as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::{config::Config, secret::ServerUrl};

    fn email() -> Email {
        Email {
            to: vec!["ops@example.org".into(), "me@example.org".into()],
            from: "grid@example.org".into(),
            sendmail: "/usr/sbin/sendmail".into(),
            ..Email::default()
        }
    }

    #[test]
    fn a_message_has_headers_and_a_body_that_any_server_takes() {
        let message = Message { title: "hullmark: 1 error".into(), text: "12 × Bench\n".repeat(9) };
        let now = UNIX_EPOCH + Duration::from_secs(1_795_492_800);
        let text = written(&email(), &message, now);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let begin = "From: grid@example.org\r\nTo: ops@example.org, me@example.org\r\nSubject: hullmark: 1 \
                     error\r\nDate: Tue, 24 Nov 2026 04:00:00 +0000\r\nMessage-ID: <hullmark-";
        assert!(head.starts_with(begin) && head.contains("@example.org>\r\n"), "{head}");
        assert!(body.lines().all(|line| line.len() <= LINE) && text.is_ascii());
        let body: String = body.lines().collect();
        assert_eq!(STANDARD.decode(body).unwrap(), message.text.replace('\n', "\r\n").as_bytes());
    }

    #[test]
    fn subjects_are_ascii_and_folded() {
        assert_eq!(encoded("hullmark: 1 error"), "hullmark: 1 error");
        let title = "é".repeat(50);
        let words = encoded(&title);
        let mut back = Vec::new();
        for word in words.split("\r\n ") {
            let inner = word.strip_prefix("=?utf-8?B?").and_then(|word| word.strip_suffix("?=")).unwrap();
            assert!(word.len() <= 75, "{word}");
            back.extend(STANDARD.decode(inner).unwrap());
        }
        assert_eq!(String::from_utf8(back).unwrap(), title);
        assert!(!encoded("a\r\nBcc: x@example.org").contains("\nBcc"));
    }

    #[test]
    fn addresses_add_no_header() {
        let check = |email: &Email| check(&Notify { email: email.clone(), ..Config::default().notify });
        for address in ["ops", "@example.org", "a@b\r\nBcc: c@d", "Ops <ops@example.org>", "a@b, c@d", "é@b"]
        {
            assert!(check(&Email { to: vec![address.into()], ..email() }).is_err(), "{address:?}");
        }
        assert!(check(&email()).is_ok());
        assert!(check(&Email { sendmail: String::new(), ..email() }).is_err());
        let no_sender = Email { from: String::new(), ..email() };
        assert!(check(&no_sender).is_ok(), "the program adds a sender");
        let smtp = Email { smtp: ServerUrl::new("smtps://mail.example.org"), ..no_sender };
        assert!(check(&smtp).unwrap_err().to_string().contains("email.from"));
    }
}
