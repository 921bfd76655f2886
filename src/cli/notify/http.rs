//! Sends requests by HTTP.

use super::{
    NotifyError,
    retry::{Attempt, is_of_handshake, until_sent},
    webhook::Request,
};
use hullmark_settings::passwords::Password;
use std::time::Duration;
use ureq::{
    Agent, Error,
    http::Response,
    tls::{Certificate, RootCerts, TlsConfig},
};

/// Sends a request, again if the service asks for that or does not answer. Without authorities, the public ones count.
pub(super) fn send(
    request: &Request,
    authorities: Option<Vec<Certificate<'static>>>,
    limit: Duration,
) -> Result<(), NotifyError> {
    let body = request.body.to_string();
    let roots = authorities.map_or(RootCerts::WebPki, RootCerts::from);
    until_sent(limit, |most| attempt(request, &body, &roots, most)).map_err(NotifyError::NotSent)
}

fn attempt(request: &Request, body: &str, roots: &RootCerts, most: Duration) -> Attempt {
    // A redirect would send the secret to another host.
    let agent: Agent = Agent::config_builder()
        .timeout_global(Some(most))
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .tls_config(TlsConfig::builder().root_certs(roots.clone()).build())
        .user_agent(concat!("hullmark/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let url = request.url.reveal();
    let call = if request.is_put { agent.put(url) } else { agent.post(url) };
    let call = call.header("Content-Type", "application/json");
    let call = match request.token.as_ref().map(Password::reveal) {
        Some(token) => call.header("Authorization", format!("Bearer {token}")),
        None => call,
    };
    match call.send(body) {
        Ok(response) => of_answer(response.status().as_u16(), retry_after(&response)),
        Err(error) => of_error(&error),
    }
}

/// Reads `Retry-After` in seconds. A date is left out: the usual wait applies.
fn retry_after<T>(response: &Response<T>) -> Option<Duration> {
    let text = response.headers().get("Retry-After")?.to_str().ok()?;
    let seconds: f64 = text.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn of_answer(status: u16, after: Option<Duration>) -> Attempt {
    let words = |hint: &str| format!("the server answered with status {status}{hint}");
    match status {
        200..=299 => Attempt::Sent,
        300..=399 => Attempt::Never(words(", which names another address. Write that one in the settings")),
        401 | 403 | 404 => Attempt::Never(words(". Check the address and the token in the settings")),
        408 | 429 | 500..=599 => Attempt::Later(words(""), after),
        _ => Attempt::Never(words("")),
    }
}

/// Errors of the client may name the address: only words without one are passed on.
fn of_error(error: &Error) -> Attempt {
    match error {
        Error::Timeout(_) => Attempt::Later("the server did not answer in time".into(), None),
        Error::HostNotFound => Attempt::Later("the host was not found".into(), None),
        Error::ConnectionFailed => Attempt::Later("there is no connection".into(), None),
        Error::Io(error) if is_of_handshake(error) => Attempt::not_encrypted(),
        Error::Io(error) => Attempt::Later(format!("there is no connection ({})", error.kind()), None),
        Error::Tls(_) | Error::Rustls(_) => Attempt::not_encrypted(),
        Error::Protocol(_) => Attempt::Later("the server does not answer as HTTP asks".into(), None),
        _ => Attempt::Never("the address is not valid".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_may_pass_are_repeated() {
        let is_later = |status| matches!(of_answer(status, None), Attempt::Later(..));
        let is_never = |status| matches!(of_answer(status, None), Attempt::Never(_));
        assert!([200, 204].map(|status| of_answer(status, None)).iter().all(|a| matches!(a, Attempt::Sent)));
        assert!([408, 429, 500, 502, 503, 504].into_iter().all(is_later));
        assert!([301, 307, 400, 401, 403, 404, 413].into_iter().all(is_never));
    }

    #[test]
    fn errors_never_name_the_address() {
        let secret = "https://host/token-7";
        let error = Error::BadUri(secret.into());
        let Attempt::Never(words) = of_error(&error) else { panic!() };
        assert!(error.to_string().contains(secret) && !words.contains("token-7"), "{words}");
    }
}
