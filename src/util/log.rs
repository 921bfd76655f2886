//! Writes lines to standard error for a terminal, a log, or the systemd journal.
//!
//! A line for a log gets a time. The journal has its own times and gets a severity instead.

use crate::escape::{clean, clean_lines};
use std::{
    io::{IsTerminal, Write, stderr, stdout},
    sync::OnceLock,
    time::SystemTime,
};

/// The level of a line, with the priority that syslog and the journal use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Error = 3,
    Warning = 4,
    Info = 6,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StderrReader {
    Terminal,
    Log,
    Journal,
}

/// Whether standard error is a terminal, where progress bars and the summary are shown.
pub fn is_terminal() -> bool {
    reader() == StderrReader::Terminal
}

/// Whether standard output also goes to the journal, which would split a page of text into lines.
pub fn stdout_is_journal() -> bool {
    is_journal(&stdout())
}

/// Writes a line, with untrusted text cleaned.
pub fn say(level: Level, words: &str) {
    let now = SystemTime::now();
    // If standard error fails, nothing can be reported.
    let _ = writeln!(stderr(), "{}", line(reader(), level, &clean(words), now));
}

/// Writes lines without a prefix, but cleaned.
pub fn page(text: &str) {
    let _ = stderr().write_all(clean_lines(text).as_bytes());
}

/// Writes the error that broke a run. On a terminal it may have several lines. In a log, further lines are indented, so
/// that no name in the error can look like a line of the log. In the journal it is one line.
pub fn broken(error: &str) {
    match reader() {
        StderrReader::Journal => {
            say(Level::Error, &error.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        reader => {
            let words = clean_lines(&format!("hullmark: {error}"));
            let between = if reader == StderrReader::Log { "\n  " } else { "\n" };
            let _ = writeln!(stderr(), "{}", words.lines().collect::<Vec<_>>().join(between));
        }
    }
}

fn line(reader: StderrReader, level: Level, words: &str, now: SystemTime) -> String {
    match reader {
        StderrReader::Terminal => words.into(),
        StderrReader::Log => format!("{} {words}", humantime::format_rfc3339_seconds(now)),
        StderrReader::Journal => format!("<{}>{words}", level as u8),
    }
}

fn reader() -> StderrReader {
    static READER: OnceLock<StderrReader> = OnceLock::new();
    *READER.get_or_init(|| match stderr().is_terminal() {
        true => StderrReader::Terminal,
        false if is_journal(&stderr()) => StderrReader::Journal,
        false => StderrReader::Log,
    })
}

/// Whether systemd connected this stream to the journal. `JOURNAL_STREAM` has its device and inode, because children
/// that write elsewhere also inherit the variable.
#[cfg(unix)]
fn is_journal(stream: &impl std::os::fd::AsFd) -> bool {
    use std::{env, fs::File, os::unix::fs::MetadataExt};
    let Ok(named) = env::var("JOURNAL_STREAM") else { return false };
    let file = stream.as_fd().try_clone_to_owned().map(File::from);
    file.and_then(|file| file.metadata()).is_ok_and(|meta| named == format!("{}:{}", meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn is_journal<T>(_: &T) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_gets_what_it_lacks() {
        let of = |reader| line(reader, Level::Warning, "cut.oar: incomplete", SystemTime::UNIX_EPOCH);
        assert_eq!(of(StderrReader::Terminal), "cut.oar: incomplete");
        assert_eq!(of(StderrReader::Log), "1970-01-01T00:00:00Z cut.oar: incomplete");
        assert_eq!(of(StderrReader::Journal), "<4>cut.oar: incomplete");
        // A name that tries to start a new line with its own priority.
        let hostile = clean("a\n<0>all is well\r\u{1b}[2J.oar");
        let line = line(StderrReader::Journal, Level::Warning, &hostile, SystemTime::UNIX_EPOCH);
        assert_eq!(line, "<4>a·<0>all is well··[2J.oar");
    }
}
