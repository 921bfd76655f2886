//! The day or time at which a waiver expires.

use std::time::{Duration, SystemTime};
use toml::value::Datetime;

/// A day in UTC.
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A day in UTC, or one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moment {
    /// The text of the day or time in the file.
    pub(super) words: String,
    pub(super) start: SystemTime,
    pub(super) end: SystemTime,
}

impl Moment {
    /// Parses a date such as `2027-01-31`, or a complete RFC 3339 time.
    pub(super) fn parse(words: &str) -> Option<Self> {
        let date: Datetime = words.trim().parse().ok()?;
        let (day, offset) = match (date.date?, date.time, date.offset) {
            (day, None, None) => (day, None),
            (day, Some(time), Some(offset)) => (day, Some((time, offset))),
            // A time without a zone is ambiguous.
            _ => return None,
        };
        let midnight = humantime::parse_rfc3339(&format!("{day}T00:00:00Z")).ok()?;
        let Some((time, offset)) = offset else {
            return Some(Self { words: day.to_string(), start: midnight, end: midnight.checked_add(DAY)? });
        };
        let (hour, minute) = (u64::from(time.hour), u64::from(time.minute));
        let second = u64::from(time.second.unwrap_or_default());
        let local = midnight.checked_add(Duration::from_secs(60 * (60 * hour + minute) + second))?;
        let east = match offset {
            toml::value::Offset::Z => 0,
            toml::value::Offset::Custom { minutes } => minutes,
        };
        let shift = Duration::from_secs(60 * u64::from(east.unsigned_abs()));
        let moment = if east > 0 { local.checked_sub(shift)? } else { local.checked_add(shift)? };
        Some(Self { words: date.to_string(), start: moment, end: moment })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(words: &str) -> SystemTime {
        humantime::parse_rfc3339(words).unwrap()
    }

    #[test]
    fn a_day_ends_with_it_and_a_time_is_one_moment() {
        let day = Moment::parse("2026-12-31").unwrap();
        assert_eq!([day.start, day.end], ["2026-12-31T00:00:00Z", "2027-01-01T00:00:00Z"].map(at));
        for (words, moment) in [
            ("2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z"),
            ("2026-12-31T23:30:05-08:00", "2027-01-01T07:30:05Z"),
            ("2026-12-31 00:30:00+01:00", "2026-12-30T23:30:00Z"),
        ] {
            let time = Moment::parse(words).unwrap();
            assert_eq!([time.start, time.end], [at(moment); 2], "{words}");
        }
    }

    #[test]
    fn invalid_moments_are_refused() {
        for words in ["", "soon", "2026-02-30", "2026-13-01", "2026-12-31T12:00:00", "12:00:00", "31.12.2026"]
        {
            assert_eq!(Moment::parse(words), None, "{words}");
        }
    }
}
