//! The users that the target grid knows, from a list by its operator, for example a column of a database.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use thiserror::Error;
use uuid::Uuid;

/// UUIDs and names of people and groups. A name is empty if the list has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users(BTreeMap<Uuid, String>);

/// Why a list of users was refused.
#[derive(Debug, Error)]
pub enum UsersError {
    /// The file could not be read.
    #[error("The list of users {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line does not begin with a UUID.
    #[error(
        "The list of users {} has no UUID in line {line}: \"{word}\". Begin each line with a UUID, and comments \
         with #",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The line number, from 1.
        line: usize,
        /// The word in place of the UUID.
        word: String,
    },
    /// The list is empty, which would make all users unknown.
    #[error(
        "The list of users {} is empty. Begin each line with a UUID, or leave out --users",
        path.display()
    )]
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl Users {
    /// Reads a list: the first two columns of each line. Further columns are ignored.
    pub fn read(path: &Path) -> Result<Self, UsersError> {
        let bytes = fs::read(path).map_err(|source| UsersError::Unreadable { path: path.into(), source })?;
        // Names may be in any encoding. Invalid UTF-8 is replaced.
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.trim_start_matches('\u{feff}').lines().zip(1..);
        let columns = lines.map(|(text, line)| (columns(text), line));
        let mut columns =
            columns.filter(|([word, _], _)| !word.is_empty() && !word.starts_with('#')).peekable();
        let _ = columns.next_if(|([word, _], _)| is_heading(word));
        let user = |([word, name], line): ([&str; 2], usize)| match Uuid::try_parse(word) {
            Ok(uuid) => Ok((uuid, name.to_owned())),
            Err(_) => {
                Err(UsersError::Line { path: path.into(), line, word: word.chars().take(40).collect() })
            }
        };
        let users = columns.map(user).collect::<Result<BTreeMap<_, _>, _>>()?;
        if users.is_empty() {
            return Err(UsersError::Empty { path: path.into() });
        }
        Ok(Self(users))
    }

    /// Returns the number of users in the list.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Whether the list has this person or group.
    pub fn is_known(&self, uuid: Uuid) -> bool {
        self.0.contains_key(&uuid)
    }

    /// Returns the name of this person or group; `None` if the list has none.
    pub fn name(&self, uuid: Uuid) -> Option<&str> {
        self.0.get(&uuid).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Returns the users with this name, in any case.
    pub fn named(&self, name: &str) -> impl Iterator<Item = Uuid> {
        let name = name.to_lowercase();
        let known = self.0.iter().filter(move |(_, known)| !name.is_empty() && known.to_lowercase() == name);
        known.map(|(&uuid, _)| uuid)
    }
}

impl FromIterator<Uuid> for Users {
    fn from_iter<T: IntoIterator<Item = Uuid>>(uuids: T) -> Self {
        Self(uuids.into_iter().map(|uuid| (uuid, String::new())).collect())
    }
}

/// Returns the UUID and the name in a line.
fn columns(line: &str) -> [&str; 2] {
    let mut columns = line.trim().split([',', ';', '\t', '|']);
    [(); 2].map(|()| {
        let column = columns.next().unwrap_or_default();
        column.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'')
    })
}

/// Whether a first line is a header: a mistyped UUID would contain a digit.
fn is_heading(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Users, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("users.csv");
        fs::write(&path, text).unwrap();
        Users::read(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_list_is_a_column_of_uuids() {
        let ann = Uuid::from_u128(0x0a0a_0a0a_0000_4000_8000_0000_0000_0001);
        let ben = Uuid::from_u128(0x0a0a_0a0a_0000_4000_8000_0000_0000_0002);
        for text in [
            &b"\xef\xbb\xbfPrincipalID,Name\r\n0a0a0a0a-0000-4000-8000-000000000001,Ann\r\n\r\n0A0A0A0A000040008000000000000002\r\n"[..],
            b"# grid\n\"0a0a0a0a-0000-4000-8000-000000000001\";\"J\xfcrgen\"\n  0a0a0a0a-0000-4000-8000-000000000002\tBen\n# end",
        ] {
            let users = read(text).unwrap();
            assert_eq!(users.count(), 2);
            assert!(users.is_known(ann) && users.is_known(ben) && !users.is_known(Uuid::nil()));
            assert_eq!(users.named("nobody").count() + users.named("").count(), 0);
        }
        let users = read("0a0a0a0a-0000-4000-8000-000000000001;\"J\u{fc}rgen Ann\"\r\n".as_bytes()).unwrap();
        assert_eq!(users.name(ann), Some("J\u{fc}rgen Ann"));
        assert_eq!((users.name(ben), users.named("J\u{dc}RGEN ann").next()), (None, Some(ann)));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let wrong =
            read(b"0a0a0a0a-0000-4000-8000-000000000001\n# two\n0a0a0a0a-0000-4000-8000-00000000000,Ben")
                .unwrap_err();
        assert!(wrong.contains("no UUID in line 3: \"0a0a0a0a-0000-4000-8000-00000000000\""), "{wrong}");
        assert!(read(b"0a0a,Ann").unwrap_err().contains("line 1"), "a mistyped UUID is no heading");
        assert!(read(b"id\nname\n").unwrap_err().contains("line 2"), "there is one heading at most");
        assert!(read(b"PrincipalID\n").unwrap_err().contains("is empty"));
    }
}
