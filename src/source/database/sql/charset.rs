//! The charset of the texts of a dump.

/// A charset, as far as texts in it are read differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Charset {
    /// The dump does not say it, or texts are in the charsets of their columns.
    #[default]
    Unknown,
    /// UTF-8, with three or four bytes for a character.
    Utf8,
    /// Latin-1, which is Windows-1252 in MySQL.
    Latin1,
    /// Another one, of this name.
    Other(String),
}

impl Charset {
    /// Returns a charset by its name in MySQL or PostgreSQL.
    pub fn named(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "utf8" | "utf8mb3" | "utf8mb4" => Self::Utf8,
            "latin1" | "win1252" => Self::Latin1,
            "binary" | "default" | "sql_ascii" | "" => Self::Unknown,
            _ => Self::Other(name.to_owned()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::Unknown => "unknown",
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "Latin-1",
            Self::Other(name) => name,
        }
    }

    /// Whether a text is in another charset, or in one that is not read.
    pub fn is_wrong_for(&self, text: &[u8]) -> bool {
        match self {
            _ if text.is_ascii() => false,
            Self::Unknown => false,
            Self::Utf8 => std::str::from_utf8(text).is_err(),
            // Letters of Latin-1 are hardly ever valid UTF-8.
            Self::Latin1 => std::str::from_utf8(text).is_ok(),
            Self::Other(_) => true,
        }
    }
}
