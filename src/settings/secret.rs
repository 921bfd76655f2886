//! Secrets in settings: webhooks and passwords, as they are, or as a reference to a variable or a file.
//!
//! A secret never appears in a text. Printed settings show references, and `***` for all else.

use super::passwords::Password;
use hullmark_util::named_file;
use serde::{Deserialize, Serialize, Serializer};
use std::{env, fmt, io, path::Path};
use thiserror::Error;

/// The text that replaces a secret.
const HIDDEN: &str = "***";

/// A secret in settings: its text, `env:NAME` or `file:PATH`. Empty for none.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

/// Why a secret cannot be read.
#[derive(Debug, Error)]
pub enum SecretError {
    /// The variable is not set.
    #[error("the environment variable {0} is not set, or is not UTF-8")]
    Variable(String),
    /// The file cannot be read.
    #[error("the file {path} cannot be read ({source})")]
    File {
        /// The file.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// There is no text.
    #[error("it is empty")]
    Empty,
    /// The text is what `--dump-config` prints instead.
    #[error("--dump-config has replaced it with {HIDDEN}. Write the secret in its place")]
    Hidden,
}

impl Secret {
    /// Creates a secret from its text in settings.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the secret from its variable or its file, without blanks at both ends.
    pub fn read(&self) -> Result<Password, SecretError> {
        let text = match self.0.split_once(':') {
            Some(("env", name)) => env::var(name).map_err(|_| SecretError::Variable(name.into()))?,
            Some(("file", path)) => {
                let text = named_file::read_text(Path::new(path), named_file::SETTINGS);
                text.map_err(|source| SecretError::File { path: path.into(), source })?
            }
            _ if self.0 == HIDDEN => return Err(SecretError::Hidden),
            _ => self.0.clone(),
        };
        match text.trim() {
            "" => Err(SecretError::Empty),
            text => Ok(Password::new(text)),
        }
    }

    /// Returns the text for people: a reference, or `***`.
    fn shown(&self) -> &str {
        let is_reference = ["env:", "file:"].iter().any(|kind| self.0.starts_with(kind));
        if self.is_empty() || is_reference { &self.0 } else { HIDDEN }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.shown())
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

/// The URL of a server in settings. It should have no user, password or token, but somebody may write one.
///
/// So printed settings show the scheme, the host and the path alone.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct ServerUrl(String);

impl ServerUrl {
    /// Creates a URL from its text in settings.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text, for a connection only.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `--dump-config` has replaced a part of it.
    pub fn is_hidden(&self) -> bool {
        self.0.contains(HIDDEN)
    }

    /// Returns the text for people. A password may have any character, so `@` and `?` together hide all.
    fn shown(&self) -> String {
        let (scheme, rest) = match self.0.split_once("://") {
            Some((scheme, rest))
                if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') =>
            {
                (format!("{scheme}://"), rest)
            }
            _ => (String::new(), self.0.as_str()),
        };
        let at = rest.rfind('@');
        match (at, rest.find(['?', '#'])) {
            (None, None) => scheme + rest,
            (Some(at), None) => format!("{scheme}{HIDDEN}{}", &rest[at..]),
            (None, Some(query)) => format!("{scheme}{}{HIDDEN}", &rest[..=query]),
            (Some(_), Some(_)) => scheme + HIDDEN,
        }
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown())
    }
}

impl Serialize for ServerUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(text: &str) -> Result<String, String> {
        let read = Secret::new(text).read();
        read.map(|secret| secret.reveal().into()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_secret_is_read_from_settings_a_variable_or_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hook");
        fs::write(&file, "https://host/token\r\n").unwrap();
        assert_eq!(read("https://host/a:b"), Ok("https://host/a:b".into()));
        assert_eq!(read(&format!("file:{}", file.display())), Ok("https://host/token".into()));
        assert_eq!(read("env:CARGO_PKG_NAME"), Ok("hullmark-settings".into()));
        let none = read("env:HULLMARK_NO_SUCH_VARIABLE").unwrap_err();
        assert!(none.contains("HULLMARK_NO_SUCH_VARIABLE is not set"), "{none}");
        fs::write(&file, "\n").unwrap();
        assert_eq!(read(&format!("file:{}", file.display())), Err("it is empty".into()));
        assert!(read("file:/no/such/file").unwrap_err().contains("/no/such/file cannot be read"));
        assert!(read("***").unwrap_err().contains("--dump-config"));
    }

    #[test]
    fn urls_are_printed_without_what_may_be_a_secret() {
        let shown = |text: &str| {
            let url = ServerUrl::new(text);
            let printed = format!("{url:?}");
            assert_eq!(serde_json::to_string(&url).unwrap(), format!("\"{printed}\""));
            printed
        };
        for plain in
            ["", "smtps://mail.example.org:465", "https://matrix.example.org/base", "mail.example.org"]
        {
            assert_eq!(shown(plain), plain);
        }
        assert_eq!(shown("smtp://me:hunter2@host:587"), "smtp://***@host:587");
        assert_eq!(shown("smtp://me:hun/t@er2@host"), "smtp://***@host");
        assert_eq!(shown("me:hunter2@host"), "***@host");
        assert_eq!(shown("me://hunter2@host"), "me://***@host");
        assert_eq!(shown("me:hunter://2@host"), "***@host");
        assert_eq!(shown("https://host/a?access_token=hunter2"), "https://host/a?***");
        assert_eq!(shown("https://host#hunter2"), "https://host#***");
        for doubtful in
            ["https://me:hunt?er2@host", "https://host/?token=hun@ter2", "https://me:hunt#er2@host"]
        {
            assert_eq!(shown(doubtful), "https://***");
        }
        assert!(ServerUrl::new("smtp://***@host").is_hidden());
    }

    #[test]
    fn only_references_are_printed() {
        let shown = |text: &str| {
            let secret = Secret::new(text);
            (format!("{secret:?}"), serde_json::to_string(&secret).unwrap())
        };
        assert_eq!(shown("hunter2"), ("***".into(), "\"***\"".into()));
        assert_eq!(shown("env:HOOK"), ("env:HOOK".into(), "\"env:HOOK\"".into()));
        assert_eq!(shown(""), (String::new(), "\"\"".into()));
    }
}
