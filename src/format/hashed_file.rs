//! Files of OpenSimulator's FSAssets service, which are named by the SHA-256 hash of their content.
//!
//! The path of an asset is `AB/CD/EF/0123/` and its 64 hexadecimal digits, or `ABC/DEF/` in the layout of OSgrid. A
//! file may be packed with gzip, and its name then ends with `.gz`. Current versions write upper case.

use std::fmt;

/// Number of hexadecimal digits of a hash.
const DIGITS: usize = 64;

/// A SHA-256 hash. Shown as in file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileHash(pub [u8; 32]);

impl FileHash {
    /// Reads a hash from 64 hexadecimal digits in any case. Padding of a column is ignored.
    pub fn of_digits(digits: &str) -> Option<Self> {
        let digits = digits.trim_ascii().as_bytes();
        if digits.len() != DIGITS {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = (digit(0)? << 4 | digit(1)?) as u8;
        }
        Some(Self(hash))
    }
}

impl FileHash {
    /// Returns the first and the last hash that begin with these hexadecimal digits.
    pub fn range(digits: &str) -> [Self; 2] {
        ['0', 'f'].map(|pad| {
            let padded: String = digits.chars().chain(std::iter::repeat(pad)).take(DIGITS).collect();
            Self::of_digits(&padded).unwrap_or(Self([0; 32]))
        })
    }
}

impl fmt::Display for FileHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

/// How folders divide the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Four folders, of 2, 2, 2 and 4 digits.
    Usual,
    /// Two folders of 3 digits, with the setting `UseOsgridFormat`.
    OsGrid,
}

impl Layout {
    pub const ALL: [Self; 2] = [Self::Usual, Self::OsGrid];

    /// Returns the layout with first folders of this name.
    pub fn of_first(folder: &str) -> Option<Self> {
        let is_hex = folder.bytes().all(|byte| byte.is_ascii_hexdigit());
        Self::ALL.into_iter().find(|layout| is_hex && layout.steps()[0] == folder.len())
    }

    /// Number of digits in the name of each folder.
    pub fn steps(self) -> &'static [usize] {
        match self {
            Self::Usual => &[2, 2, 2, 4],
            Self::OsGrid => &[3, 3],
        }
    }

    /// Returns the path of a file without `.gz`, for the digits of its hash.
    pub fn path(self, digits: &str) -> String {
        let (mut path, mut at) = (String::new(), 0);
        for &step in self.steps() {
            path += digits.get(at..at + step).unwrap_or_default();
            path.push('/');
            at += step;
        }
        path + digits
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileName {
    pub hash: FileHash,
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Packed,
    /// The content in the spool, from where the service moves it to the tree.
    Spooled,
}

impl FileName {
    /// Reads the name of a file. `None` if the service gives no such name.
    pub fn parse(name: &str) -> Option<Self> {
        let (digits, form) = match name.split_once('.') {
            None => (name, Form::Plain),
            Some((digits, "gz")) => (digits, Form::Packed),
            Some((digits, "asset")) => (digits, Form::Spooled),
            Some(_) => return None,
        };
        // The name has no padding.
        let hash = FileHash::of_digits(digits).filter(|_| digits.len() == DIGITS)?;
        Some(Self { hash, form })
    }
}

/// Whether a file is where the service looks for it. `path` has the folders and the name, separated by `/`.
pub fn is_in_place(path: &str) -> bool {
    let digits = path.rsplit('/').next().unwrap_or(path);
    let digits = digits.strip_suffix(".gz").unwrap_or(digits);
    let place = path.strip_suffix(".gz").unwrap_or(path);
    Layout::ALL.iter().any(|layout| layout.path(digits).eq_ignore_ascii_case(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "0A1b2C3d4E5f60718293A4B5C6D7E8F90A1B2C3D4E5F60718293A4B5C6D7E8F9";

    #[test]
    fn names_have_a_hash_and_a_form() {
        let parse = |name: &str| FileName::parse(name).map(|name| (name.hash.to_string(), name.form));
        let upper = DIGITS.to_uppercase();
        assert_eq!(parse(DIGITS), Some((upper.clone(), Form::Plain)));
        assert_eq!(parse(&format!("{DIGITS}.gz")), Some((upper.clone(), Form::Packed)));
        assert_eq!(parse(&format!("{DIGITS}.asset")), Some((upper, Form::Spooled)));
        for name in ["", "chicken bones", &DIGITS[1..], &format!("{DIGITS}.tmp"), &DIGITS.replace('0', "g")] {
            assert_eq!(parse(name), None, "{name}");
        }
        assert_eq!(FileHash::of_digits(&format!("{DIGITS}                ")), FileHash::of_digits(DIGITS));
        let euros = "€".repeat(22);
        assert_eq!(FileHash::of_digits(&euros[..63]), None);
    }

    #[test]
    fn folders_follow_from_digits() {
        assert_eq!(Layout::Usual.path(DIGITS), format!("0A/1b/2C/3d4E/{DIGITS}"));
        assert_eq!(Layout::OsGrid.path(DIGITS), format!("0A1/b2C/{DIGITS}"));
        assert!(is_in_place(&format!("0A/1B/2C/3D4E/{DIGITS}.gz")));
        assert!(is_in_place(&format!("0a1/b2c/{DIGITS}")));
        assert!(!is_in_place(&format!("0A/1B/2C/{DIGITS}")));
        assert!(!is_in_place(&format!("junkyard/{DIGITS}")));
        assert_eq!(Layout::of_first("AB"), Some(Layout::Usual));
        assert_eq!(Layout::of_first("0cd"), Some(Layout::OsGrid));
        assert_eq!(Layout::of_first("junkyard"), None);
        assert_eq!(Layout::of_first("zz"), None);
    }
}
