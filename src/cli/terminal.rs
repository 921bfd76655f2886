//! Output of commands: standard output and columns.

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use hullmark_finding::Severity;
use hullmark_util::{
    escape::{self, clean_lines},
    terminal_text::WIDTH,
};
use serde::Serialize;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// When output has colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Applies to all output from now on.
    pub(crate) fn apply(self) {
        let choice = match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// Widths of a terminal between which lines fill it.
const WIDTHS: [usize; 2] = [40, 120];

/// Returns the width of lines on standard output: that of its terminal, else a fixed one.
pub(crate) fn width() -> usize {
    let [least, most] = WIDTHS;
    let columns = terminal_size::terminal_size_of(io::stdout());
    columns.map_or(WIDTH, |(terminal_size::Width(columns), _)| usize::from(columns).clamp(least, most))
}

/// Prints to standard output. All output goes through here, so control characters in names never reach a terminal.
pub(crate) fn print(text: &str) -> io::Result<()> {
    write_out(&clean_lines(text))
}

/// Prints a view as JSON, or as text.
pub(crate) fn print_view(
    json: bool,
    view: &impl Serialize,
    text: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    Ok(print(&if json { escape::json(view)? } else { text() })?)
}

/// Prints text for people. A severity at the start of an indented line has its color.
pub(crate) fn print_colored(text: &str) -> io::Result<()> {
    write_out(&colored(&clean_lines(text)))
}

fn write_out(text: &str) -> io::Result<()> {
    match anstream::stdout().lock().write_all(text.as_bytes()) {
        // `hullmark … | head` stops reading, which is no error.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Adds colors to cleaned text, so they are the only escape sequences in it.
fn colored(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        // `  error …`, or in changes `  new error …`.
        let mut words = line.strip_prefix("  ").unwrap_or_default().split_whitespace().take(2);
        let found = words.find_map(Severity::named);
        match found.and_then(|severity| Some((severity, line.find(severity.name())?))) {
            Some((severity, start)) => {
                let (before, rest) = line.split_at(start);
                let (name, after) = rest.split_at(severity.name().len());
                let style = style(severity);
                let _ = write!(result, "{before}{style}{name}{style:#}{after}");
            }
            None => result += line,
        }
    }
    result
}

fn style(severity: Severity) -> Style {
    match severity {
        Severity::Blocker => AnsiColor::Red.on_default().bold(),
        Severity::Error => AnsiColor::Red.on_default(),
        Severity::Warning => AnsiColor::Yellow.on_default(),
        Severity::Info => AnsiColor::Cyan.on_default(),
    }
}

/// Returns an identifier as words: `base_hull` as `base hull`.
pub(crate) fn words(name: &str) -> String {
    name.replace('_', " ")
}

/// Returns the line below a shortened list, if rows were left out.
pub(crate) fn folded(left_out: usize, indent: &str) -> String {
    if left_out == 0 { String::new() } else { format!("{indent}and {left_out} more (-v lists them)\n") }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

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
    fn a_severity_that_begins_a_line_has_its_color() {
        let text =
            "Findings: 1 error\n  error    HUL001    1 × a error\n  new   warning  ARC009\n  A name: error\n";
        let expected = "Findings: 1 error\n  \u{1b}[31merror\u{1b}[0m    HUL001    1 × a error\n  \
                        new   \u{1b}[33mwarning\u{1b}[0m  ARC009\n  A name: error\n";
        assert_eq!(colored(text), expected);
    }

    #[test]
    fn columns_are_aligned() {
        let rows = [["a", "1"], ["bcd", "10"]].map(|row| row.map(String::from).to_vec());
        assert_eq!(columns(&[Align::Left, Align::Right], &rows), "  a     1\n  bcd  10\n");
    }
}
