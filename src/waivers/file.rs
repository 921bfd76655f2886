//! The file of waivers: TOML, a table `[[waiver]]` for each.

use super::{
    State, Waiver, Waivers,
    moment::{DAY, Moment},
    pattern::Pattern,
};
use crate::{control::Selector, finding::Code};
use serde::Deserialize;
use std::{fs, io, path::Path, path::PathBuf, time::SystemTime};
use thiserror::Error;
use toml::{Spanned, Value};

/// By what a file is read.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// What time it is.
    pub now: SystemTime,
    /// How many days a waiver may live.
    pub longest_days: u32,
}

/// Why a file of waivers was refused.
#[derive(Debug, Error)]
pub enum WaiversError {
    /// It could not be read.
    #[error("The waivers {} cannot be read; name the file with --waivers, or leave it out", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is not TOML, or has something in it that waivers have not.
    #[error("{file} is no list of waivers: {message}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser says, with the line.
        message: String,
    },
    /// A waiver is wrong.
    #[error("{file}, waiver {number} in line {line}: {mistake}")]
    Waiver {
        /// The file.
        file: String,
        /// Which waiver, from 1.
        number: usize,
        /// The line where it begins, from 1.
        line: usize,
        /// What is wrong.
        mistake: Mistake,
    },
}

/// What is wrong with a waiver.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mistake {
    /// It does not say why.
    #[error("it has no reason; write reason = \"why this may stay as it is\"")]
    NoReason,
    /// It does not say who.
    #[error("it does not say who answers for it; write who = \"your name\"")]
    NoName,
    /// It does not say until when.
    #[error("it would never end; write until = \"2027-01-31\", the last day on which it holds")]
    NoEnd,
    /// What stands there is no day.
    #[error("{key} = {given} is no day; write it as \"2027-01-31\", or as \"2027-01-31T12:00:00Z\"")]
    NoDay {
        /// Which.
        key: &'static str,
        /// What stands there.
        given: String,
    },
    /// There is no such code.
    #[error("{0}")]
    NoCode(String),
    /// A waiver cannot waive that another one has ended.
    #[error(
        "RUN002 tells of waivers that have ended or cover nothing, and cannot be waived; mend those instead"
    )]
    OfWaivers,
    /// What stands there is no fingerprint.
    #[error(
        "\"{0}\" is no fingerprint; copy the 16 digits and letters from the column fingerprint of findings.csv, in \
         quotes"
    )]
    NoFingerprint(String),
    /// What stands there is no pattern.
    #[error(
        "the pattern {key} = \"{given}\" cannot be used: {why}; put a backslash before each of * ? [ ] {{ }} that is part of the name"
    )]
    NoPattern {
        /// Which.
        key: &'static str,
        /// What stands there.
        given: String,
        /// What is wrong.
        why: String,
    },
    /// It names no findings.
    #[error(
        "it names no findings; write code = \"LNK001\" (or a family, \"LNK\"), or the fingerprint of one finding"
    )]
    NamesNothing,
    /// It would waive a rule everywhere.
    #[error(
        "it would waive {0} everywhere; say where with archive, region, entry, object or owner, or write place = \"*\" \
         if everywhere is meant"
    )]
    Everywhere(String),
    /// A place that is another one than everywhere.
    #[error(
        "place = \"{0}\" is not understood; it can only be \"*\", for everywhere, and stands alone: to say where, \
         write archive, region, entry, object or owner"
    )]
    Place(String),
    /// It ends before it begins.
    #[error("it ends on {until}, before it was added on {added}; mend one of them")]
    EndsBefore {
        /// The end.
        until: String,
        /// The beginning.
        added: String,
    },
    /// It would live too long.
    #[error(
        "it would hold until {until}, more than {longest_days} days {from}; choose an earlier day and look again then, \
         or raise [waivers] longest_days"
    )]
    TooLong {
        /// The end.
        until: String,
        /// How long it may live.
        longest_days: u32,
        /// Counted from when.
        from: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    #[serde(default)]
    waiver: Vec<Spanned<Raw>>,
}

/// A waiver as it is written. All may be missing, so that this program says what is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
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
    /// It cannot be read, or something is wrong with it.
    pub fn read(path: &Path, terms: Terms) -> Result<Self, WaiversError> {
        let text = fs::read_to_string(path)
            .map_err(|source| WaiversError::Unreadable { path: path.into(), source })?;
        Self::parse(&path.to_string_lossy(), &text, terms)
    }

    /// Reads what stands in a file, which `file` names in errors.
    ///
    /// # Errors
    /// Something is wrong with it.
    pub fn parse(file: &str, text: &str, terms: Terms) -> Result<Self, WaiversError> {
        // What editors of Windows put in front is no part of the text.
        let text = text.trim_start_matches('\u{feff}');
        let whole: Whole = toml::from_str(text).map_err(|error| WaiversError::Syntax {
            file: file.into(),
            message: error.to_string().trim_end().into(),
        })?;
        let list = whole.waiver.into_iter().zip(1..).map(|(raw, number)| {
            let before = text.get(..raw.span().start).unwrap_or_default();
            let line = 1 + before.matches('\n').count();
            let waiver = raw.into_inner().check(number, terms);
            waiver.map_err(|mistake| WaiversError::Waiver { file: file.into(), number, line, mistake })
        });
        Ok(Self { file: file.into(), list: list.collect::<Result<_, _>>()? })
    }
}

impl Raw {
    fn check(self, number: usize, terms: Terms) -> Result<Waiver, Mistake> {
        let code = self.code.as_deref().map(rule).transpose()?;
        let fingerprint = self.fingerprint.as_deref().map(fingerprint).transpose()?;
        let pattern = |key: &'static str, words: &Option<String>| {
            let parse = |words: &String| {
                let wrong = |why| Mistake::NoPattern { key, given: words.clone(), why };
                Pattern::parse(words).map_err(wrong)
            };
            words.as_ref().map(parse).transpose()
        };
        let archive = pattern("archive", &self.archive)?;
        let region = pattern("region", &self.region)?;
        let entry = pattern("entry", &self.entry)?;
        let object = pattern("object", &self.object)?;
        let owner = pattern("owner", &self.owner)?;
        let somewhere = [&archive, &region, &entry, &object, &owner].iter().any(|pattern| pattern.is_some());
        match (self.place.as_deref(), code) {
            _ if code.is_none() && fingerprint.is_none() => return Err(Mistake::NamesNothing),
            (Some(place), _) if place != "*" || somewhere => return Err(Mistake::Place(place.into())),
            (None, Some(code)) if fingerprint.is_none() && !somewhere => {
                return Err(Mistake::Everywhere(code.to_string()));
            }
            _ => {}
        }
        let reason = self.reason.filter(|reason| !reason.trim().is_empty()).ok_or(Mistake::NoReason)?;
        let who = self.who.filter(|who| !who.trim().is_empty()).ok_or(Mistake::NoName)?;
        let until = self.until.map(|until| moment("until", &until)).transpose()?.ok_or(Mistake::NoEnd)?;
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

/// A code or a family that can be waived.
fn rule(name: &str) -> Result<Selector, Mistake> {
    match name.parse().map_err(Mistake::NoCode)? {
        Selector::Code(code) if code == Code::RUN002 => Err(Mistake::OfWaivers),
        rule => Ok(rule),
    }
}

/// A fingerprint, as `findings` has it.
pub(crate) fn fingerprint(words: &str) -> Result<u64, Mistake> {
    let digits = words.trim();
    let whole = digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = whole.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
    number.ok_or_else(|| Mistake::NoFingerprint(words.into()))
}

/// A day or a moment, with or without quotes.
fn moment(key: &'static str, given: &Value) -> Result<Moment, Mistake> {
    let moment = match given {
        Value::String(words) => Moment::parse(words),
        Value::Datetime(date) => Moment::parse(&date.to_string()),
        _ => None,
    };
    moment.ok_or_else(|| Mistake::NoDay { key, given: given.to_string() })
}

/// Whether it lives now, and not for longer than it may.
fn live(until: &Moment, added: Option<&Moment>, terms: Terms) -> Result<State, Mistake> {
    let Terms { now, longest_days } = terms;
    if let Some(added) = added.filter(|added| until.end() < added.start()) {
        let (until, added) = (until.words().into(), added.words().into());
        return Err(Mistake::EndsBefore { until, added });
    }
    let from = added.map_or(now, Moment::start);
    let life = until.start().duration_since(from).unwrap_or_default();
    if life > DAY * longest_days {
        let from =
            added.map_or("from now".into(), |added| format!("from {}, when it was added", added.words()));
        return Err(Mistake::TooLong { until: until.words().into(), longest_days, from });
    }
    Ok(match added {
        _ if now >= until.end() => State::Expired,
        Some(added) if now < added.start() => State::NotYet,
        _ => State::InForce,
    })
}
