//! Secrets in settings: webhooks and passwords, as they are, or as a reference to a variable or a file.
//!
//! A secret never appears in a text. Printed settings show references, and `***` for all else.

use super::passwords::Password;
use serde::{Deserialize, Serialize, Serializer};
use std::{env, fmt, fs, io};
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

    /// Whether the setting is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads the secret from its variable or its file, without blanks at both ends.
    ///
    /// # Errors
    /// The variable or the file cannot be read, or is empty.
    pub fn read(&self) -> Result<Password, SecretError> {
        let text = match self.0.split_once(':') {
            Some(("env", name)) => env::var(name).map_err(|_| SecretError::Variable(name.into()))?,
            Some(("file", path)) => {
                fs::read_to_string(path).map_err(|source| SecretError::File { path: path.into(), source })?
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

#[cfg(test)]
mod tests {
    use super::*;

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
