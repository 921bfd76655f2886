//! Lines on standard error, for a person at a terminal, for a log, or for the journal of systemd.
//!
//! A line for a log gets a time. The journal has its own times and gets a severity instead.

use crate::util::escape::{clean, clean_lines};
use std::{
    io::{IsTerminal, Write, stderr, stdout},
    sync::OnceLock,
    time::SystemTime,
};

/// How bad a line is, by the priority that syslog and the journal give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Something did not work.
    Error = 3,
    /// Something needs a look.
    Warning = 4,
    /// How it goes.
    Info = 6,
}

/// Who reads standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reader {
    Terminal,
    Log,
    Journal,
}

/// Whether a person reads along, who sees bars and the summary.
pub fn is_terminal() -> bool {
    reader() == Reader::Terminal
}

/// Whether standard output goes to the journal, too, where a page of text would be cut into lines.
pub fn stdout_is_journal() -> bool {
    is_journal(&stdout())
}

/// Writes a line. What was named by strangers is cleaned.
pub fn say(level: Level, words: &str) {
    let now = SystemTime::now();
    // Nothing can be said about a standard error that takes no words.
    let _ = writeln!(stderr(), "{}", line(reader(), level, &clean(words), now));
}

/// Writes lines as they are, but that they are cleaned.
pub fn page(text: &str) {
    let _ = stderr().write_all(clean_lines(text).as_bytes());
}

/// Writes why a run is broken. On a terminal it may have several lines; in a log what follows the first is indented, so
/// that no name in it can pass for a line of the log; in the journal it is one.
pub fn broken(error: &str) {
    match reader() {
        Reader::Journal => {
            say(Level::Error, &error.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        reader => {
            let words = clean_lines(&format!("hullmark: {error}"));
            let between = if reader == Reader::Log { "\n  " } else { "\n" };
            let _ = writeln!(stderr(), "{}", words.lines().collect::<Vec<_>>().join(between));
        }
    }
}

fn line(reader: Reader, level: Level, words: &str, now: SystemTime) -> String {
    match reader {
        Reader::Terminal => words.into(),
        Reader::Log => format!("{} {words}", humantime::format_rfc3339_seconds(now)),
        Reader::Journal => format!("<{}>{words}", level as u8),
    }
}

fn reader() -> Reader {
    static READER: OnceLock<Reader> = OnceLock::new();
    *READER.get_or_init(|| match stderr().is_terminal() {
        true => Reader::Terminal,
        false if is_journal(&stderr()) => Reader::Journal,
        false => Reader::Log,
    })
}

/// Whether a stream is the one that systemd connected to the journal. `JOURNAL_STREAM` names it by device and inode,
/// because children that write elsewhere inherit the variable.
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
        assert_eq!(of(Reader::Terminal), "cut.oar: incomplete");
        assert_eq!(of(Reader::Log), "1970-01-01T00:00:00Z cut.oar: incomplete");
        assert_eq!(of(Reader::Journal), "<4>cut.oar: incomplete");
        // A name that would be a line of its own, with a priority of its own.
        let hostile = clean("a\n<0>all is well\r\u{1b}[2J.oar");
        let line = line(Reader::Journal, Level::Warning, &hostile, SystemTime::UNIX_EPOCH);
        assert_eq!(line, "<4>a·<0>all is well··[2J.oar");
    }
}
