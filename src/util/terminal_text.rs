//! Text layout for commands that print to a person.

pub use crate::{
    escape::clean,
    number_text::{counted, thousands},
};
use std::fmt::Write as _;

/// Width of a line in characters, if the output is no terminal.
pub const WIDTH: usize = 100;

/// Cuts text that is too long, and adds an ellipsis.
pub fn cut(words: &str, width: usize) -> String {
    match words.char_indices().nth(width) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.into(),
    }
}

/// Cuts text that is too long between two words, and adds an ellipsis.
pub fn cut_between_words(words: &str, width: usize) -> String {
    let Some((end, _)) = words.char_indices().nth(width) else { return words.into() };
    let at = words[..end].rfind(char::is_whitespace).unwrap_or(end);
    format!("{} …", words[..at].trim_end_matches([',', ';', ':', ' ']))
}

/// Breaks text into lines of at most `width` characters, at white space other than no-break spaces. Every line begins with `indent`, except the
/// first, which begins with `first`.
pub fn wrap(words: &str, first: &str, indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    let breaks = |c: char| c.is_whitespace() && c != '\u{a0}';
    for word in words.split(breaks).filter(|word| !word.is_empty()) {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(text, "{line}");
            indent.clone_into(&mut line);
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    text + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_readable() {
        assert_eq!(
            ["0", "999", "1,000", "1,234,567"],
            [0, 999, 1000, 1_234_567].map(thousands).each_ref().map(String::as_str)
        );
        assert_eq!(clean("a\u{1b}[2Jb\u{202e}c"), "a·[2Jb·c");
        assert_eq!(cut(&"é".repeat(11), 10).chars().count(), 11);
        assert_eq!(cut_between_words("one, two three", 12), "one, two …");
        assert_eq!(cut_between_words("one, two", 6), "one …");
        assert_eq!(cut_between_words("one two", 7), "one two");
    }

    #[test]
    fn counts_are_readable() {
        assert_eq!((counted(1, "hull"), counted(1200, "hull")), ("1 hull".into(), "1,200 hulls".into()));
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(wrap("one two three", "- ", "  ", 9), "- one two\n  three\n");
        assert_eq!(wrap("incomprehensible", "- ", "  ", 9), "- incomprehensible\n");
        assert_eq!(wrap("", "-", " ", 9), "-\n");
        assert_eq!(wrap("a  1\u{a0}234 b", "", "", 6), "a\n1\u{a0}234\nb\n");
    }
}
