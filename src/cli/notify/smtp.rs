//! Sends e-mail by SMTP.

use super::{
    NotifyError, certificates,
    retry::{Attempt, is_of_handshake, until_sent},
};
use hullmark_settings::notify::{Email, Notify};
use lettre::{
    Address, SmtpTransport, Transport,
    address::Envelope,
    transport::smtp::{
        Error, SmtpTransportBuilder,
        authentication::Credentials,
        client::{Certificate, CertificateStore, Tls, TlsParameters},
    },
};
use std::{error::Error as _, io, time::Duration};

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encryption {
    Whole,
    /// After the first lines, by STARTTLS.
    Started,
    None,
}

pub(super) fn check(notify: &Notify) -> Result<(), NotifyError> {
    server(notify).map(drop)
}

/// Sends a message, again if the server asks for that or does not answer.
pub(super) fn send(notify: &Notify, message: &str, limit: Duration) -> Result<(), NotifyError> {
    let server = server(notify)?;
    let envelope = envelope(&notify.email)?;
    let attempt = |most| {
        let transport = server.clone().timeout(Some(most)).build();
        match transport.send_raw(&envelope, message.as_bytes()) {
            Ok(_) => Attempt::Sent,
            Err(error) => of_error(&error),
        }
    };
    until_sent(limit, attempt).map_err(NotifyError::NotSent)
}

fn envelope(email: &Email) -> Result<Envelope, NotifyError> {
    let address = |key: &'static str, text: &String| {
        text.parse::<Address>().map_err(|_| NotifyError::setting(key, "an address is not valid"))
    };
    let to = email.to.iter().map(|to| address("email.to", to)).collect::<Result<Vec<_>, _>>()?;
    let from = address("email.from", &email.from)?;
    Envelope::new(Some(from), to).map_err(|_| NotifyError::setting("email.to", "there is no receiver"))
}

/// Returns the server with encryption and account.
fn server(notify: &Notify) -> Result<SmtpTransportBuilder, NotifyError> {
    let email = &notify.email;
    let Some((encryption, host, port)) = parsed(email.smtp.reveal()) else {
        let why = "write it as smtp://host:587, smtps://host:465 or smtp-plain://host:25, and the account as \
                   `email.user` and `email.password`";
        return Err(NotifyError::setting("email.smtp", why));
    };
    let tls = match encryption {
        Encryption::Whole => Tls::Wrapper(parameters(host, notify)?),
        Encryption::Started => Tls::Required(parameters(host, notify)?),
        Encryption::None => Tls::None,
    };
    let server = SmtpTransport::builder_dangerous(host).port(port).tls(tls);
    if email.user.is_empty() {
        return Ok(server);
    }
    let password = email.password.read().map_err(NotifyError::secret("email.password"))?;
    Ok(server.credentials(Credentials::new(email.user.clone(), password.reveal().into())))
}

/// Returns the host that a certificate must name, and who may have signed it.
fn parameters(host: &str, notify: &Notify) -> Result<TlsParameters, NotifyError> {
    let damaged = |_| NotifyError::setting(certificates::KEY, "a certificate is damaged");
    let mut parameters = TlsParameters::builder(host.into());
    if let Some(authorities) = certificates::authorities(notify)? {
        parameters = parameters.certificate_store(CertificateStore::None);
        for authority in authorities {
            let authority = Certificate::from_der(authority.der().to_vec()).map_err(damaged)?;
            parameters = parameters.add_root_certificate(authority);
        }
    }
    parameters.build().map_err(damaged)
}

/// Returns encryption, host and port of a URL.
fn parsed(url: &str) -> Option<(Encryption, &str, u16)> {
    let (scheme, rest) = url.split_once("://")?;
    let (encryption, usual) = match scheme {
        "smtps" => (Encryption::Whole, 465),
        "smtp" => (Encryption::Started, 587),
        "smtp-plain" => (Encryption::None, 25),
        _ => return None,
    };
    let rest = rest.trim_end_matches('/');
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (rest, usual),
    };
    // A password in the address would be shown with the settings.
    let is_host = !host.is_empty() && !host.contains(['/', '@', '?', ' ']);
    is_host.then_some((encryption, host, port))
}

/// Answers of a server may repeat a request: only their codes are passed on.
fn of_error(error: &Error) -> Attempt {
    if let Some(code) = error.status() {
        let words = format!("the server answered with code {code}");
        return match error.is_transient() {
            true => Attempt::Later(words, None),
            false => Attempt::Never(format!("{words}. Check addresses, user and password in the settings")),
        };
    }
    if error.is_timeout() {
        return Attempt::Later("the server did not answer in time".into(), None);
    }
    let cause = error.source().and_then(|cause| cause.downcast_ref::<io::Error>());
    if error.is_tls() || cause.is_some_and(is_of_handshake) {
        return Attempt::not_encrypted();
    }
    if error.is_client() {
        let words =
            "the server lacks what the message needs: STARTTLS, or a way to log in that is known here";
        return Attempt::Never(words.into());
    }
    Attempt::Later("there is no connection".into(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_say_how_they_encrypt() {
        assert_eq!(parsed("smtps://mail.example.org"), Some((Encryption::Whole, "mail.example.org", 465)));
        assert_eq!(
            parsed("smtp://mail.example.org:25/"),
            Some((Encryption::Started, "mail.example.org", 25))
        );
        assert_eq!(parsed("smtp-plain://127.0.0.1"), Some((Encryption::None, "127.0.0.1", 25)));
        for url in ["mail.example.org", "smtp://", "smtp://me:secret@host", "smtp://host:x", "http://host"] {
            assert_eq!(parsed(url), None, "{url}");
        }
    }
}
