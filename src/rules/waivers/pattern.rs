//! Patterns of names, as in shells.

use globset::{GlobBuilder, GlobMatcher};
use std::fmt;

/// A pattern: `*` is any text, `?` any character, `[ab]` one of these, `{a,b}` one of these words. Case is ignored.
#[derive(Debug, Clone)]
pub(super) struct Pattern(GlobMatcher);

impl Pattern {
    /// Parses a pattern. The error describes the problem.
    pub(super) fn parse(words: &str) -> Result<Self, String> {
        // An asterisk matches slashes too, because people mean any text.
        let glob = GlobBuilder::new(words).case_insensitive(true).literal_separator(false).build();
        glob.map(|glob| Self(glob.compile_matcher())).map_err(|error| error.kind().to_string())
    }

    pub(super) fn is_match(&self, name: &str) -> bool {
        self.0.is_match(name)
    }

    /// Whether the pattern matches a path: the whole path, or the file name if the pattern has no slash.
    pub(super) fn is_path(&self, path: &str) -> bool {
        let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
        self.is_match(path) || !self.0.glob().glob().contains('/') && self.is_match(file)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.glob().glob().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_follow_the_shell_and_ignore_case() {
        for (pattern, name, is) in [
            ("Hill", "hill", true),
            ("Hill", "Hillside", false),
            ("Hill*", "Hillside", true),
            ("*/thing.xml", "objects/deep/thing.xml", true),
            ("Chair [1-3]", "Chair 2", true),
            ("{Chair,Table}", "table", true),
            (r"Chair \[old\]", "Chair [old]", true),
            ("?", "", false),
            ("*", "", true),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap().is_match(name), is, "{pattern} {name}");
        }
        assert!(Pattern::parse("[a").is_err());
    }

    #[test]
    fn a_pattern_without_slash_is_of_the_file_and_one_with_it_of_the_path() {
        for (pattern, path, is) in [
            ("Hill*.oar", "/srv/oars/Hill_2026.oar", true),
            ("oars/Hill*.oar", "/srv/oars/Hill_2026.oar", false),
            ("*/oars/Hill*.oar", "/srv/oars/Hill_2026.oar", true),
            ("/srv/*", "/srv/oars/Hill_2026.oar", true),
            ("Hill*", "Hills/other.oar", true),
            ("other.oar", "Hills/other.oar", true),
        ] {
            assert_eq!(Pattern::parse(pattern).unwrap().is_path(path), is, "{pattern} {path}");
        }
    }
}
