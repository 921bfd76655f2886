//! Text for a person: what every command that prints needs.

use crate::util::escape::clean_lines;
pub(crate) use crate::{
    util::escape::clean,
    util::number_text::{counted, thousands},
};
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// The widest line.
pub(crate) const WIDTH: usize = 100;

/// Prints on standard output: the one door, so that no name of a stranger reaches the terminal as it is.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().lock().write_all(clean_lines(text).as_bytes()) {
        // `hullmark … | head`: nobody reads on, and that is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The first characters of words that are too long.
pub(crate) fn cut(words: &str, width: usize) -> String {
    match words.char_indices().nth(width) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words.into(),
    }
}

/// A name of the program in words: `base_hull` as `base hull`.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Breaks words into lines of at most this width, where they can be broken. Every line begins with `indent`, the
/// first with `first` in its place.
pub(crate) fn wrap(words: &str, first: &str, indent: &str, width: usize) -> String {
    let mut text = String::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in words.split_whitespace() {
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

/// Where the words of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Columns side by side, each as wide as it must be.
pub(crate) fn columns(align: &[Align], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, align), &width) in row.iter().zip(align).zip(&widths) {
            let _ = match align {
                Align::Left => write!(line, "  {cell:<width$}"),
                Align::Right => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
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
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1"], ["bcd", "10"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&[Align::Left, Align::Right], &rows), "  a     1\n  bcd  10\n");
    }
}
