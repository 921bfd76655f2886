//! Finds dates in file names: the name without them, and their values.
//!
//! A date is four digits that begin with 19 or 20 and two more pairs, separated by one other character or none. The
//! time follows in groups of two to six digits. OpenSim's AutoBackup writes `_2026y_11M_3d_4h_0m_0s`.

use std::{
    ops::RangeInclusive,
    time::{SystemTime, UNIX_EPOCH},
};

/// Seconds since 1970.
pub type Seconds = i64;

const HOUR: Seconds = 3600;
const DAY: Seconds = 24 * HOUR;

/// Returns a time as seconds since 1970; `None` for an earlier time, which no file or export has.
pub fn seconds(time: SystemTime) -> Option<Seconds> {
    Seconds::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_secs()).ok()
}

/// The numbers of a date and time, from the year down to the smallest unit in the name.
#[derive(Debug, PartialEq, Eq)]
struct Numbers<'a>(Vec<&'a str>);

/// Replaces each date and time in a name by `#`. Names of backups of one region then become equal.
pub fn undated(name: &str) -> String {
    parts(name).map(|part| part.unwrap_or("#")).collect()
}

/// Returns the last date in a name, in seconds since 1970. The name does not contain a time zone, so the value only
/// orders names by the same writer.
pub fn date_in(name: &str) -> Option<Seconds> {
    last(name)?.seconds()
}

/// Returns the range of times, in UTC, that the last date in a name can mean. Time zones are from 12 hours behind to 14
/// hours ahead, and a date without a time is a whole day.
pub fn span_in(name: &str) -> Option<RangeInclusive<Seconds>> {
    let date = last(name)?;
    let start = date.seconds()?;
    let written = match date.0.len() {
        3 => DAY,
        4 => HOUR,
        5 => 60,
        _ => 1,
    };
    Some(start - 14 * HOUR..=start + written - 1 + 12 * HOUR)
}

fn last(name: &str) -> Option<Numbers<'_>> {
    parts(name).filter_map(Result::err).last()
}

/// Splits a name into pieces of text and the dates between them.
fn parts(name: &str) -> impl Iterator<Item = Result<&str, Numbers<'_>>> {
    let mut rest = name;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        // Digits that are not a valid date mean something else, for example a position on the map.
        let date = auto_backup_at(rest).or_else(|| date_at(rest));
        if let Some((length, numbers)) = date.filter(|(_, numbers)| numbers.seconds().is_some()) {
            rest = &rest[length..];
            return Some(Err(numbers));
        }
        // A run of digits is skipped as a whole: a date does not begin in its middle.
        let (text, after) = rest.split_at(digits(rest).max(first.len_utf8()));
        rest = after;
        Some(Ok(text))
    })
}

/// Returns the number of leading digits.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the bytes of a leading date with its time, and their numbers.
fn date_at(text: &str) -> Option<(usize, Numbers<'_>)> {
    let digits = |from: usize| text.get(from..).map_or(0, digits);
    let separator = |at: usize| text.as_bytes().get(at).is_some_and(|byte| b"-_.T ".contains(byte));
    if !(text.starts_with("19") || text.starts_with("20")) {
        return None;
    }
    let mut numbers = vec![text.get(..4)?];
    let mut end = match digits(0) {
        length @ (8 | 12 | 14) => {
            numbers.extend(pairs(&text[4..length]));
            length
        }
        4 if separator(4) && digits(5) == 2 && separator(7) && digits(8) == 2 => {
            numbers.extend([&text[5..7], &text[8..10]]);
            10
        }
        _ => return None,
    };
    while separator(end) && matches!(digits(end + 1), 2 | 4 | 6) {
        let next = end + 1 + digits(end + 1);
        numbers.extend(pairs(&text[end + 1..next]));
        end = next;
    }
    Some((end, Numbers(numbers)))
}

fn pairs(digits: &str) -> impl Iterator<Item = &str> {
    (0..digits.len() / 2).map(|pair| &digits[2 * pair..2 * pair + 2])
}

/// Reads a date as OpenSim writes it (`AutoBackupModule.cs`, `GetTimeString`): numbers of any length, each with a
/// letter.
fn auto_backup_at(text: &str) -> Option<(usize, Numbers<'_>)> {
    let mut end = 0;
    let mut numbers = Vec::new();
    for letter in ["y", "M", "d", "h", "m", "s"] {
        let start = if end == 0 { Some(0) } else { text[end..].starts_with('_').then_some(end + 1) };
        let number = start.and_then(|start| {
            let length = digits(&text[start..]);
            (length > 0 && text[start + length..].starts_with(letter)).then_some(start..start + length)
        });
        let Some(number) = number else { break };
        numbers.push(&text[number.clone()]);
        end = number.end + 1;
    }
    (numbers.len() >= 3).then_some((end, Numbers(numbers)))
}

impl Numbers<'_> {
    /// Returns seconds since 1970 if the date is UTC; `None` if the calendar has no such day.
    fn seconds(&self) -> Option<Seconds> {
        let number = |place: usize| self.0.get(place).copied().unwrap_or("0");
        let text = format!(
            "{}-{:0>2}-{:0>2} {:0>2}:{:0>2}:{:0>2}",
            number(0),
            number(1),
            number(2),
            number(3),
            number(4),
            number(5)
        );
        seconds(humantime::parse_rfc3339_weak(&text).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_names_of_files_say_nothing() {
        for (name, undated_name) in [
            ("ElfEars-2026-11-22.iar", "ElfEars-#.iar"),
            ("Here_2026_11_22_04_00_00.oar", "Here_#.oar"),
            ("Here_2026y_11M_22d_4h_0m_10s.oar", "Here_#.oar"),
            ("Here_2026y_1M_2d.oar", "Here_#.oar"),
            ("here-20261122T0400.oar", "here-#.oar"),
            ("2026-11-22/Here_20261122.oar", "#/Here_#.oar"),
            ("20261122.oar", "#.oar"),
            ("region12.oar", "region12.oar"),
            // Positions on the map.
            ("Sim_20001000.oar", "Sim_20001000.oar"),
            ("Sim_20011332.oar", "Sim_20011332.oar"),
            ("plot-2048-1.oar", "plot-2048-1.oar"),
            ("120261122.oar", "120261122.oar"),
            ("é2026.oar", "é2026.oar"),
            ("2026y_é.oar", "2026y_é.oar"),
            ("2026é.oar", "2026é.oar"),
        ] {
            assert_eq!(undated(name), undated_name);
        }
    }

    #[test]
    fn dates_in_names_are_read_and_their_time_zone_is_not_known() {
        const NOON: Seconds = 1_795_348_800;
        assert_eq!(date_in("Here_2026y_11M_22d_12h_0m_7s.oar"), Some(NOON + 7));
        assert_eq!(date_in("old-2020-01-01/here-20261122T1200.oar"), Some(NOON));
        assert_eq!(date_in("here-2026-11-22.oar"), Some(NOON - 12 * HOUR));
        assert_eq!(date_in("here-2026-13-22.oar"), None, "there is no such month");
        assert_eq!(date_in("here.oar"), None);
        assert_eq!(span_in("h-20261122T120007.oar"), Some(NOON + 7 - 14 * HOUR..=NOON + 7 + 12 * HOUR));
        assert_eq!(span_in("h-2026-11-22.oar"), Some(NOON - 26 * HOUR..=NOON + 24 * HOUR - 1));
    }
}
