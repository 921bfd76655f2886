//! Passwords of database servers: from a file, the environment or the settings of a simulator.
//!
//! A password is never an argument, because every user of a machine sees arguments. It is in no log, ledger, plan or
//! report either: [`Password`] cannot be printed or serialized.

use hullmark_util::named_file;
use std::{
    collections::BTreeMap,
    env, fmt, io,
    path::{Path, PathBuf},
};

/// The variable that has the password of all servers without one of their own.
pub const VARIABLE: &str = "HULLMARK_DB_PASSWORD";

/// A password. It never appears in a text.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Creates a password from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text, for a connection only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

#[derive(Debug, Clone, Default)]
pub struct Passwords {
    /// Passwords of single servers, by their URLs without passwords.
    of_servers: BTreeMap<PathBuf, Password>,
    of_others: Option<Password>,
}

impl Passwords {
    /// Reads the password of all servers from a file, else from the environment.
    pub fn read(file: Option<&Path>) -> io::Result<Self> {
        let of_others = match file {
            Some(file) => Some(first_line(&named_file::read_text(file, named_file::SETTINGS)?)),
            None => env::var(VARIABLE).ok().map(Password::new),
        };
        Ok(Self { of_others, ..Self::default() })
    }

    pub fn add(&mut self, url: impl Into<PathBuf>, password: Password) {
        self.of_servers.insert(url.into(), password);
    }

    /// Returns the password of a server. `None` for a server that asks for none.
    pub fn of(&self, url: &Path) -> Option<&Password> {
        self.of_servers.get(url).or(self.of_others.as_ref())
    }
}

/// Returns the password in the first line of a file. Blanks belong to it.
fn first_line(text: &str) -> Password {
    Password::new(text.lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_password_is_never_printed() {
        let mut passwords = Passwords { of_others: Some(first_line("s e\r\nother")), ..Passwords::default() };
        passwords.add("mysql://a@b/c", Password::new("hidden"));
        let of = |url: &str| passwords.of(Path::new(url)).map(Password::reveal);
        assert_eq!((of("mysql://a@b/c"), of("postgres://a@b/c")), (Some("hidden"), Some("s e")));
        let printed = format!("{passwords:?} {passwords:#?}");
        assert!(
            printed.contains("***") && !printed.contains("hidden") && !printed.contains("s e"),
            "{printed}"
        );
    }

    #[test]
    fn a_file_of_a_password_must_be_readable() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        fs::write(&file, "from a file\n").unwrap();
        let read = Passwords::read(Some(&file)).unwrap();
        assert_eq!(read.of(Path::new("mysql://host/db")), Some(&Password::new("from a file")));
        assert!(Passwords::read(Some(&folder.path().join("none"))).is_err());
    }
}
