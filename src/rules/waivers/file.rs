//! The waivers file: TOML, with a table `[[waiver]]` for each waiver.

use super::{
    State, Waiver, Waivers,
    expiry::{DAY, Moment},
    pattern::Pattern,
};
use hullmark_finding::Code;
use hullmark_settings::rule_selection::Selector;
use hullmark_util::named_file;
use serde::Deserialize;
use std::{
    io,
    path::{Path, PathBuf},
    time::SystemTime,
};
use thiserror::Error;
use toml::{Spanned, Value};
use uuid::Uuid;

/// The terms under which a file is read.
#[derive(Debug, Clone, Copy)]
pub struct WaiverTerms {
    /// The current time.
    pub now: SystemTime,
    /// Longest duration of a waiver, days.
    pub longest_days: u32,
}

/// Why a waivers file was refused.
#[derive(Debug, Error)]
pub enum WaiversError {
    /// The file could not be read.
    #[error("The waivers file {} cannot be read; correct the path of --waivers, or omit it", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not valid TOML, or has an unknown key.
    #[error("{file} is not a valid waivers file: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// The message of the parser, with the line.
        message: String,
    },
    /// A waiver is invalid.
    #[error("{file}, waiver {number} in line {line}: {mistake}")]
    Waiver {
        /// The file.
        file: String,
        /// Number of the waiver, from 1.
        number: usize,
        /// First line of the waiver, from 1.
        line: usize,
        /// The mistake and its correction.
        mistake: String,
    },
}

/// The mistake in a waiver and its correction.
type Mistake = String;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(default)]
    waiver: Vec<Spanned<WrittenWaiver>>,
}

/// A waiver as written. All keys are optional here, so that the check below can name a missing one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenWaiver {
    code: Option<String>,
    fingerprint: Option<String>,
    place: Option<String>,
    archive: Option<String>,
    region: Option<String>,
    entry: Option<String>,
    object: Option<String>,
    owner: Option<String>,
    reason: Option<String>,
    who: Option<String>,
    until: Option<Value>,
    added: Option<Value>,
}

impl Waivers {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read or is invalid.
    pub fn read(path: &Path, terms: WaiverTerms) -> Result<Self, WaiversError> {
        let text = named_file::read_text(path, named_file::SETTINGS)
            .map_err(|source| WaiversError::Unreadable { path: path.into(), source })?;
        Self::parse(&path.to_string_lossy(), &text, terms)
    }

    /// Parses the text of a file; `file` is its name in errors.
    ///
    /// # Errors
    /// The text is invalid.
    pub fn parse(file: &str, text: &str, terms: WaiverTerms) -> Result<Self, WaiversError> {
        // Editors on Windows add a byte-order mark, which is not part of the text.
        let text = text.trim_start_matches('\u{feff}');
        let whole: Whole = toml::from_str(text).map_err(|error| WaiversError::Syntax {
            file: file.into(),
            message: error.to_string().trim_end().into(),
        })?;
        let list = whole.waiver.into_iter().zip(1..).map(|(written, number)| {
            let before = text.get(..written.span().start).unwrap_or_default();
            let line = 1 + before.matches('\n').count();
            let waiver = written.into_inner().check(number, terms);
            waiver.map_err(|mistake| WaiversError::Waiver { file: file.into(), number, line, mistake })
        });
        Ok(Self { file: file.into(), list: list.collect::<Result<_, _>>()? })
    }
}

impl WrittenWaiver {
    fn check(self, number: usize, terms: WaiverTerms) -> Result<Waiver, Mistake> {
        let code = self.code.as_deref().map(rule).transpose()?;
        let fingerprint = self.fingerprint.as_deref().map(fingerprint).transpose()?;
        let archive = pattern("archive", self.archive)?;
        let region = pattern("region", self.region)?;
        let entry = pattern("entry", self.entry)?;
        let object = pattern("object", self.object)?;
        let owner = self.owner.as_deref().map(owner).transpose()?;
        let somewhere =
            owner.is_some() || [&archive, &region, &entry, &object].iter().any(|pattern| pattern.is_some());
        match (self.place.as_deref(), code) {
            (_, None) if fingerprint.is_none() => {
                return Err("it names no findings; write code = \"LNK001\" (or a family, \"LNK\"), or the \
                            fingerprint of one finding"
                    .into());
            }
            (Some(place), _) if place != "*" || somewhere => {
                return Err(format!(
                    "place = \"{place}\" is not valid; the only value is \"*\" (everywhere), without other places. To limit \
                     the waiver, write archive, region, entry, object or owner"
                ));
            }
            (None, Some(code)) if fingerprint.is_none() && !somewhere => {
                return Err(format!(
                    "it would waive {code} everywhere; limit it with archive, region, entry, object or owner, or write \
                     place = \"*\" for everywhere"
                ));
            }
            _ => {}
        }
        let words = |words: Option<String>| words.filter(|words| !words.trim().is_empty());
        let reason =
            words(self.reason).ok_or("it has no reason; write reason = \"why this may stay as it is\"")?;
        let who = words(self.who).ok_or("it does not say who answers for it; write who = \"your name\"")?;
        let until = self
            .until
            .map(|until| moment("until", &until))
            .transpose()?
            .ok_or("it would never end; write until = \"2027-01-31\", its last day")?;
        let added = self.added.map(|added| moment("added", &added)).transpose()?;
        let state = live(&until, added.as_ref(), terms)?;
        Ok(Waiver {
            number,
            code,
            fingerprint,
            archive,
            region,
            entry,
            object,
            owner,
            reason,
            who,
            until,
            state,
        })
    }
}

/// Parses a code or a family that can be waived.
fn rule(name: &str) -> Result<Selector, Mistake> {
    match name.parse()? {
        Selector::Code(code) if code == Code::RUN002 => {
            Err("RUN002 reports waivers that have expired or cover nothing, and cannot be waived; fix those waivers"
                .into())
        }
        rule => Ok(rule),
    }
}

/// Parses a pattern. `None` if it is not given.
fn pattern(key: &str, words: Option<String>) -> Result<Option<Pattern>, Mistake> {
    match words {
        None => Ok(None),
        Some(words) if words.trim().is_empty() => Err(format!(
            "{key} is empty; write a name or a pattern, or remove {key}"
        )),
        Some(words) => Pattern::parse(&words).map(Some).map_err(|why| {
            format!(
                "the pattern {key} = \"{words}\" is not valid: {why}; put a backslash before each of * ? [ ] {{ }} that \
                 is part of the name"
            )
        }),
    }
}

/// Parses an owner, as in the table `findings`.
fn owner(words: &str) -> Result<Uuid, Mistake> {
    let wrong =
        |_| format!("owner = \"{words}\" is not a UUID; copy it from the column owner_uuid of findings.csv");
    Uuid::try_parse(words.trim()).map_err(wrong)
}

/// Parses a fingerprint, as in the table `findings`.
///
/// # Errors
/// The text is not a fingerprint.
pub fn fingerprint(words: &str) -> Result<u64, String> {
    let digits = words.trim();
    let whole = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = whole.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    number.ok_or_else(|| {
        format!(
            "\"{words}\" is not a fingerprint; copy the 16 digits and letters from the column fingerprint of \
             findings.csv, in quotes"
        )
    })
}

/// Parses a day or a moment, with or without quotes.
fn moment(key: &str, given: &Value) -> Result<Moment, Mistake> {
    let moment = match given {
        Value::String(words) => Moment::parse(words),
        Value::Datetime(date) => Moment::parse(&date.to_string()),
        _ => None,
    };
    moment.ok_or_else(|| {
        format!("{key} = {given} is not a date; write it as \"2027-01-31\", or as \"2027-01-31T12:00:00Z\"")
    })
}

/// Returns the current state. Returns an error if the waiver lasts too long.
fn live(until: &Moment, added: Option<&Moment>, terms: WaiverTerms) -> Result<State, Mistake> {
    let WaiverTerms { now, longest_days } = terms;
    if let Some(added) = added.filter(|added| until.end < added.start) {
        return Err(format!(
            "it ends on {}, before it was added on {}; correct one of the dates",
            until.words, added.words
        ));
    }
    let life = until.start.duration_since(added.map_or(now, |added| added.start)).unwrap_or_default();
    if life > DAY * longest_days {
        let from =
            added.map_or("from now".into(), |added| format!("from {}, when it was added", added.words));
        return Err(format!(
            "it would last until {}, more than {longest_days} days {from}; choose an earlier date, or raise \
             [waivers] longest_days",
            until.words
        ));
    }
    Ok(match added {
        _ if now >= until.end => State::Expired,
        Some(added) if now < added.start => State::NotYet,
        _ => State::InForce,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WHOLE: [&str; 5] = [
        "code = 'LNK001'",
        "region = 'Hill'",
        "reason = 'an old bridge'",
        "who = 'Ann'",
        "until = '2026-12-31'",
    ];

    /// Parses a waiver of these lines, at noon of the 21st of November 2026.
    fn parse(lines: &[&str]) -> Result<Waivers, WaiversError> {
        let now = humantime::parse_rfc3339("2026-11-21T12:00:00Z").unwrap();
        let text = format!("# ours\n\n[[waiver]]\n{}\n", lines.join("\n"));
        Waivers::parse("ours.toml", &text, WaiverTerms { now, longest_days: 180 })
    }

    /// Parses a valid waiver in which this line replaces the line of the same key, or is added.
    fn with(line: &str) -> Result<Waivers, WaiversError> {
        let key = line.split(' ').next().unwrap();
        let others = WHOLE.iter().copied().filter(|other| !other.starts_with(key));
        parse(&others.chain([line]).collect::<Vec<_>>())
    }

    fn without(keys: &[&str]) -> Result<Waivers, WaiversError> {
        let lines = WHOLE.iter().copied().filter(|line| !keys.iter().any(|key| line.starts_with(key)));
        parse(&lines.collect::<Vec<_>>())
    }

    #[test]
    fn a_waiver_names_its_scope() {
        let waivers = with("fingerprint = '00000000000000AB'").unwrap();
        let reported: Vec<_> = waivers.list.iter().map(ToString::to_string).collect();
        assert_eq!(reported, ["LNK001, finding 00000000000000ab, region Hill"]);
        assert!(waivers.list[0].is_in_force());
        // Days need no quotes, and a byte-order mark may precede the text.
        assert!(with("until = 2026-12-31").is_ok());
        assert!(with("until = 2026-12-31T12:00:00+01:00").is_ok());
        assert!(without(&["region"]).is_err());
        assert!(parse(&["fingerprint = '00000000000000ab'", WHOLE[2], WHOLE[3], WHOLE[4]]).is_ok());
        assert!(parse(&["code = 'lnk'", "place = '*'", WHOLE[2], WHOLE[3], WHOLE[4]]).is_ok());
        let now = SystemTime::UNIX_EPOCH;
        assert_eq!(Waivers::parse("", "\u{feff}", WaiverTerms { now, longest_days: 0 }).unwrap().count(), 0);
    }

    #[test]
    fn each_mistake_names_the_waiver_and_the_remedy() {
        for (result, words) in [
            (without(&["reason"]), "it has no reason; write reason = "),
            (with("reason = ' '"), "it has no reason"),
            (without(&["who"]), "write who = \"your name\""),
            (with("who = ''"), "who answers for it"),
            (without(&["until"]), "it would never end; write until = "),
            (with("until = 'soon'"), "until = \"soon\" is not a date; write it as \"2027-01-31\""),
            (with("until = 7"), "until = 7 is not a date"),
            (with("until = 2026-12-31T12:00:00"), "until = 2026-12-31T12:00:00 is not a date"),
            (with("added = '2026-02-30'"), "added = \"2026-02-30\" is not a date"),
            (
                with("until = '2027-05-22'"),
                "until 2027-05-22, more than 180 days from now; choose an earlier date",
            ),
            (
                parse(&[&WHOLE[..4], &["added = '2026-11-01'", "until = '2027-05-01'"]].concat()),
                "more than 180 days from 2026-11-01, when it was added",
            ),
            (with("added = '2027-01-02'"), "it ends on 2026-12-31, before it was added on 2027-01-02"),
            (with("code = 'LNK999'"), "There is no rule or family `LNK999`. Did you mean LNK001?"),
            (with("code = 'RUN002'"), "RUN002 reports waivers"),
            (with("fingerprint = 'abc'"), "\"abc\" is not a fingerprint; copy the 16 digits"),
            (with("fingerprint = '+00000000000000a'"), "is not a fingerprint"),
            (with("region = '[a'"), "the pattern region = \"[a\" is not valid: "),
            (with("region = ''"), "region is empty; write a name or a pattern"),
            (with("archive = ' '"), "archive is empty"),
            (with("entry = ''"), "entry is empty"),
            (with("object = ''"), "object is empty"),
            (with("owner = ''"), "owner = \"\" is not a UUID"),
            (
                with("owner = 'Ann'"),
                "owner = \"Ann\" is not a UUID; copy it from the column owner_uuid of findings.csv",
            ),
            (without(&["code"]), "it names no findings; write code = "),
            (without(&["region"]), "it would waive LNK001 everywhere; limit it with archive"),
            (with("place = '*'"), "place = \"*\" is not valid"),
            (parse(&["code = 'LNK'", "place = 'Hill'"]), "place = \"Hill\" is not valid"),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(error.starts_with("ours.toml, waiver 1 in line 3: "), "{error}");
            assert!(error.contains(words), "{error}\nlacks\n{words}");
        }
        for (result, words) in [
            (with("becuase = 'x'"), "unknown field `becuase`"),
            (with("until = "), "line 8"),
            (with("who = 7"), "invalid type: integer"),
        ] {
            let error = result.unwrap_err().to_string();
            assert!(
                error.starts_with("ours.toml is not a valid waivers file: ") && error.contains(words),
                "{error}"
            );
        }
    }

    #[test]
    fn it_holds_from_the_day_it_was_added_to_the_end_of_its_last() {
        let state = |now: &str, lines: &[&str]| {
            let now = humantime::parse_rfc3339(now).unwrap();
            let text = format!("[[waiver]]\n{}\n{}", WHOLE[..4].join("\n"), lines.join("\n"));
            Waivers::parse("", &text, WaiverTerms { now, longest_days: 180 }).unwrap().list[0].state
        };
        let day = &["added = '2026-11-21'", "until = '2026-12-31'"];
        assert_eq!(state("2026-11-20T23:59:59Z", day), State::NotYet);
        assert_eq!(state("2026-11-21T00:00:00Z", day), State::InForce);
        assert_eq!(state("2026-12-31T23:59:59Z", day), State::InForce);
        assert_eq!(state("2027-01-01T00:00:00Z", day), State::Expired);
        let time = &["until = '2026-12-31T12:00:00+01:00'"];
        assert_eq!(state("2026-12-31T10:59:59Z", time), State::InForce);
        assert_eq!(state("2026-12-31T11:00:00Z", time), State::Expired);
        // The longest allowed duration, to the day.
        assert_eq!(state("2026-11-21T00:00:00Z", &["until = '2027-05-20'"]), State::InForce);
    }

    proptest! {
        /// Any text is read or refused without a panic.
        #[test]
        fn nothing_makes_it_panic(text in ".*", line in "[a-z]{2,11} = ['\"]?[-0-9TZ:+*a-zA-Z{\\[\\\\]{0,20}['\"]?") {
            let terms = WaiverTerms { now: SystemTime::UNIX_EPOCH, longest_days: u32::MAX };
            let _ = Waivers::parse("", &text, terms);
            let _ = with(&line);
            let _ = Waivers::parse("", &format!("[[waiver]]\n{}\n[[waiver]]\n{line}\n{text}", WHOLE.join("\n")), terms);
        }

        #[test]
        fn no_day_makes_it_panic(year in 0_u32..9999, month in 0_u32..14, day in 0_u32..33, behind in "(T[0-9:]{0,8}(Z|[-+][0-9:]{0,5})?)?") {
            let _ = with(&format!("until = '{year:04}-{month:02}-{day:02}{behind}'"));
        }
    }
}
