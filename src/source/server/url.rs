//! URLs of databases: `mysql://user@host:port/database?socket=/path`.

use hullmark_database::Dialect;
use std::path::PathBuf;

/// Where a database is. The password is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "database"), allow(dead_code, reason = "only clients connect"))]
pub(super) struct ServerUrl {
    pub dialect: Dialect,
    pub user: String,
    pub host: String,
    pub port: u16,
    /// The socket of a server on this machine. Host and port do not matter then.
    pub socket: Option<PathBuf>,
    pub database: String,
}

/// The form of a URL, for messages.
const FORM: &str = "mysql://USER@HOST:PORT/DATABASE or postgres://USER@HOST:PORT/DATABASE";

impl ServerUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// The URL has another form or a password. The message completes a sentence, and shows nothing of the URL.
    pub fn parse(url: &str) -> Result<Self, String> {
        let wrong = || format!("its form is not {FORM}");
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let (dialect, port) = match scheme {
            "mysql" => (Dialect::MySql, 3306),
            _ => (Dialect::PostgreSql, 5432),
        };
        // A password may have any character, so the last @ counts.
        let (user, rest) = rest.rsplit_once('@').ok_or_else(|| "it names no user before an @".to_owned())?;
        if user.contains(':') {
            return Err(
                "it has a password, which every user of this machine can see. Write the password to a file \
                        and give it to --password-file, or set HULLMARK_DB_PASSWORD"
                    .into(),
            );
        }
        let (place, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (server, database) = place.split_once('/').ok_or_else(wrong)?;
        let (host, port) = match server.rsplit_once(':') {
            Some((host, number)) if !number.contains(']') => {
                (host, number.parse().map_err(|_| "its port is no number below 65,536".to_owned())?)
            }
            _ => (server, port),
        };
        let mut socket = None;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("socket", path)) if !path.is_empty() => socket = Some(decoded(path).into()),
                _ => return Err("it has an option other than socket=PATH".into()),
            }
        }
        let (user, database) = (decoded(user), decoded(database));
        if user.is_empty() || database.is_empty() || host.is_empty() && socket.is_none() {
            return Err(wrong());
        }
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { dialect, user, host, port, socket, database })
    }
}

/// Returns a URL without its password and options, for messages. Other texts stay as they are.
pub(super) fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (user, place) = rest.rsplit_once('@').unwrap_or(("", rest));
    let place = place.split('?').next().unwrap_or_default();
    match user.split_once(':') {
        Some((user, _)) => format!("{scheme}://{user}:***@{place}"),
        None if user.is_empty() => format!("{scheme}://{place}"),
        None => format!("{scheme}://{user}@{place}"),
    }
}

/// Decodes `%40` and similar escapes in a text.
fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_databases() {
        let url = |text| ServerUrl::parse(text).unwrap();
        let plain = ServerUrl {
            dialect: Dialect::MySql,
            user: "opensim".into(),
            host: "grid.example".into(),
            port: 3306,
            socket: None,
            database: "robust".into(),
        };
        assert_eq!(url("mysql://opensim@grid.example/robust"), plain);
        assert_eq!(
            url("mysql://opensim@grid.example:3309/robust"),
            ServerUrl { port: 3309, ..plain.clone() }
        );
        let six = ServerUrl { dialect: Dialect::PostgreSql, host: "::1".into(), port: 5432, ..plain.clone() };
        assert_eq!(url("postgresql://opensim@[::1]/robust"), six);
        let socket = Some("/run/a b.sock".into());
        let local = ServerUrl { user: "a@b".into(), host: String::new(), socket, ..plain };
        assert_eq!(url("mysql://a%40b@/robust?socket=/run/a%20b.sock"), local);
    }

    #[test]
    fn a_password_is_refused_and_never_shown() {
        for text in
            ["mysql://a:se/c?r@et@host/db", "postgres://a:secret@host/db", "mysql://a:secret@host/db?x=1"]
        {
            let why = ServerUrl::parse(text).unwrap_err();
            assert!(why.contains("--password-file") && !why.contains("secret"), "{why}");
            let shown = without_password(text);
            assert!(shown.contains("://a:***@host/db") || shown.contains("://a:***@et"), "{shown}");
            assert!(!shown.contains("se") || shown.contains("postgres"), "{shown}");
        }
        assert_eq!(without_password("exports/a.oar"), "exports/a.oar");
        assert_eq!(without_password("mysql://a@host/db?password=secret"), "mysql://a@host/db");
    }

    #[test]
    fn other_forms_are_refused() {
        for text in [
            "mysql://host/db",
            "mysql://a@host",
            "mysql://a@/db",
            "mysql://a@host:x/db",
            "mysql://a@host/db?ssl=1",
        ] {
            assert!(ServerUrl::parse(text).is_err(), "{text}");
        }
    }
}
