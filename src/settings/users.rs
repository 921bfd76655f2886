//! The users that the target grid knows, from a list by its operator, for example a column of a database.

use crate::letters::Language;
use hullmark_util::named_file;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;
use uuid::Uuid;

/// UUIDs, names and languages of people and groups.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Users(BTreeMap<Uuid, User>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct User {
    /// Empty if the list has none.
    name: String,
    language: Option<Language>,
}

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
    /// Reads a list: UUID and name are the first two columns of each line, also after a blank. A heading may name a
    /// column `language`; without a heading it is the third. Other columns are ignored, and so are languages that letters
    /// do not have.
    pub fn read(path: &Path) -> Result<Self, UsersError> {
        let bytes = named_file::read(path, named_file::LIST);
        let bytes = bytes.map_err(|source| UsersError::Unreadable { path: path.into(), source })?;
        // Names may be in any encoding. Invalid UTF-8 is replaced.
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.trim_start_matches('\u{feff}').lines().map(columns).zip(1..);
        let mut lines =
            lines.filter(|(columns, _)| !columns[0].is_empty() && !columns[0].starts_with('#')).peekable();
        let heading = lines.next_if(|(columns, _)| is_heading(columns[0]));
        let language_at = heading.map_or(Some(THIRD), |(columns, _)| {
            columns.iter().position(|column| column.eq_ignore_ascii_case("language"))
        });
        let user = |(columns, line): (Vec<&str>, usize)| match Uuid::try_parse(columns[0]) {
            Ok(uuid) => {
                let column = |at: usize| columns.get(at).copied().unwrap_or_default();
                let language = language_at.and_then(|at| Language::of_tag(column(at)));
                Ok((uuid, User { name: column(1).to_owned(), language }))
            }
            Err(_) => {
                let word = columns[0].chars().take(40).collect();
                Err(UsersError::Line { path: path.into(), line, word })
            }
        };
        let users = lines.map(user).collect::<Result<BTreeMap<_, _>, _>>()?;
        if users.is_empty() {
            return Err(UsersError::Empty { path: path.into() });
        }
        Ok(Self(users))
    }

    /// Returns the number of users in the list.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn is_known(&self, uuid: Uuid) -> bool {
        self.0.contains_key(&uuid)
    }

    /// Returns the name of this person or group; `None` if the list has none.
    pub fn name(&self, uuid: Uuid) -> Option<&str> {
        self.0.get(&uuid).map(|user| user.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Returns the language of this person or group; `None` if the list has none.
    pub fn language(&self, uuid: Uuid) -> Option<Language> {
        self.0.get(&uuid)?.language
    }

    /// Returns the names of all users that have one.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(|user| user.name.as_str()).filter(|name| !name.is_empty())
    }

    /// Returns the users with this name, in any case.
    pub fn named(&self, name: &str) -> impl Iterator<Item = Uuid> {
        let name = name.to_lowercase();
        let known =
            self.0.iter().filter(move |(_, known)| !name.is_empty() && known.name.to_lowercase() == name);
        known.map(|(&uuid, _)| uuid)
    }
}

impl FromIterator<Uuid> for Users {
    fn from_iter<T: IntoIterator<Item = Uuid>>(uuids: T) -> Self {
        Self(uuids.into_iter().map(|uuid| (uuid, User::default())).collect())
    }
}

/// Index of the column with the language, in a list without a heading.
const THIRD: usize = 2;

/// Returns a column without quotes and blanks around it.
fn bare(column: &str) -> &str {
    column.trim_matches(|c: char| c.is_whitespace() || c == '"' || c == '\'')
}

/// Returns the columns of a line; there is at least one. A name may follow its UUID after a blank.
fn columns(line: &str) -> Vec<&str> {
    let mut columns: Vec<&str> = line.trim().split([',', ';', '\t', '|']).map(bare).collect();
    let words = columns[0].split_once(char::is_whitespace).map(|(uuid, name)| (bare(uuid), bare(name)));
    if let Some((uuid, name)) = words.filter(|(uuid, _)| Uuid::try_parse(uuid).is_ok()) {
        columns[0] = uuid;
        columns.insert(1, name);
    }
    columns
}

/// Whether a first line is a header: a mistyped UUID would contain a digit.
fn is_heading(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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
    fn a_name_may_follow_after_a_blank() {
        let [ann, ben, cid] =
            [1, 2, 3].map(|n| Uuid::from_u128(0x0a0a_0a0a_0000_4000_8000_0000_0000_0000 + n));
        let text = format!("id name\n{ann} Ann Owner\n\"{ben}\"  \"Ben\", de\n{}\t\n", cid.simple());
        let users = read(text.as_bytes()).unwrap();
        assert_eq!(
            (users.name(ann), users.name(ben), users.name(cid)),
            (Some("Ann Owner"), Some("Ben"), None)
        );
        let users = read(format!("{ann} Ann Owner, de\n{ben} Ben\n").as_bytes()).unwrap();
        assert_eq!((users.count(), users.language(ann), users.language(ben)), (2, Some(Language::De), None));
        assert!(
            read(format!("{ann} Ann\n0a0a Ben\n").as_bytes()).unwrap_err().contains("line 2: \"0a0a Ben\"")
        );
    }

    #[test]
    fn a_column_has_the_language() {
        let languages = |text: &str| {
            let users = read(text.as_bytes()).unwrap();
            (1..=3).map(|n| users.language(Uuid::from_u128(n))).collect::<Vec<_>>()
        };
        let [one, two, three] = [1, 2, 3].map(Uuid::from_u128);
        let expected = vec![Some(Language::De), Some(Language::Pt), None];
        assert_eq!(languages(&format!("{one},Ann,de\n{two};Ben;PT-br\n{three},Cid,nl\n")), expected);
        assert_eq!(
            languages(&format!("id,name,mail,Language\n{one},,it,de\n{two},,fr,pt\n{three},,de\n")),
            expected
        );
        assert_eq!(
            languages(&format!("id,name,mail\n{one},Ann,de\n")),
            [None; 3],
            "the heading names no language"
        );
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
