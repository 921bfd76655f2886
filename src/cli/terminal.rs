//! What commands print: the one door to standard output, and columns.

use crate::util::escape::clean_lines;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Prints on standard output: the one door, so that no name of a stranger reaches the terminal as it is.
pub(crate) fn print(text: &str) -> io::Result<()> {
    match io::stdout().lock().write_all(clean_lines(text).as_bytes()) {
        // `hullmark … | head`: nobody reads on, and that is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A name of the program in words: `base_hull` as `base hull`.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// The runs of numbers that follow each other, in their order: first and last of each.
pub(crate) fn runs(mut numbers: Vec<i32>) -> Vec<(i32, i32)> {
    numbers.sort_unstable();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

/// The line below a list of which so many were left out, if any were.
pub(crate) fn folded(left_out: usize, indent: &str) -> String {
    if left_out == 0 { String::new() } else { format!("{indent}and {left_out} more (-v lists them)\n") }
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
    fn columns_are_aligned() {
        let rows = [["a", "1"], ["bcd", "10"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&[Align::Left, Align::Right], &rows), "  a     1\n  bcd  10\n");
    }
}
