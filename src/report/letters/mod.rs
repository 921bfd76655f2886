//! Letters: to each owner what is wrong with their objects, in words for a person who is no engineer.
//!
//! `sink` takes the rows of the report and keeps those that an owner must know, on the disk; `text` and `html`
//! write a `Letter`. A letter has the UUID of its owner for a name, so no name of an export becomes a path.

mod html;
mod sink;
mod text;

use crate::{
    finding::Severity,
    report::counts::SeverityCounts,
    util::number_text::plain,
    util::terminal_text::{clean, counted, cut, thousands},
};
use serde::{Deserialize, Serialize};
pub use sink::Letters;
use uuid::Uuid;

/// Objects that a letter lists.
const LISTED: usize = 200;

/// What is listed of each.
const TROUBLES: usize = 20;

/// The mildest severity of which owners are told: what is milder needs nothing done.
const TOLD: Severity = Severity::Warning;

/// Characters of a name, and of a sentence.
const NAME: usize = 80;
const SENTENCE: usize = 400;

/// A letter.
struct Letter<'a> {
    owner: Uuid,
    name: Option<&'a str>,
    /// What the target grid is.
    target: &'a str,
    now: Option<&'a str>,
    /// Whether every export was read to its end.
    complete: bool,
    totals: &'a Totals,
    /// The worst first.
    things: Vec<Thing>,
    /// The rules that these break, in the order in which they come first.
    rules: Vec<Advice<'a>>,
}

/// What an owner has.
#[derive(Debug, Default)]
struct Totals {
    /// Objects that stand in regions.
    standing: u64,
    /// Their prims.
    prims: u64,
    land_impact: f64,
    /// Whether the land impact of some is not known, or not whole.
    at_least: bool,
    /// Objects that lie in inventories, or are files of their own.
    elsewhere: u64,
    /// Objects and parcels with something to tell.
    told: u64,
    findings: SeverityCounts,
}

/// An object or a parcel, and what is wrong with it.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Thing {
    land: bool,
    name: String,
    archive: String,
    region: String,
    /// `rezzed`, `nested` or `loose`.
    role: String,
    position_m: Option<[f64; 3]>,
    prims: u64,
    land_impact: Option<f64>,
    at_least: bool,
    /// The worst first.
    troubles: Vec<Trouble>,
    /// How much more is wrong than is listed.
    more: usize,
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Trouble {
    severity: Severity,
    code: String,
    message: String,
    count: u64,
}

/// What to do about it.
struct Advice<'a> {
    code: &'a str,
    title: &'a str,
    words: &'a str,
}

impl Letter<'_> {
    fn title(&self) -> String {
        format!("Your objects, checked for {}", self.target)
    }

    fn address(&self) -> String {
        match self.name {
            Some(name) => format!("For {} ({})", shown(name), self.owner),
            None => format!("For the owner {}", self.owner),
        }
    }

    /// What they have, and how much of it needs a look.
    fn opening(&self) -> Vec<String> {
        let Totals { standing, prims, land_impact, at_least, elsewhere, told, findings } = self.totals;
        let bound = if *at_least { "at least " } else { "" };
        let owned = match (standing, elsewhere) {
            (0, elsewhere) => format!("You own {} in inventories and files", counted(*elsewhere, "object")),
            (standing, elsewhere) => {
                let more = match elsewhere {
                    0 => String::new(),
                    more => format!(", and {} more in inventories and files", thousands(*more)),
                };
                format!(
                    "You own {} in regions, of {} and with a land impact of {bound}{} together{more}",
                    counted(*standing, "object"),
                    counted(*prims, "prim"),
                    plain(land_impact.round())
                )
            }
        };
        let counts = Severity::WORST_FIRST.into_iter().filter(|&severity| severity >= TOLD);
        let counts: Vec<String> = counts
            .filter(|&severity| findings.of(severity) > 0)
            .map(|severity| counted(findings.of(severity), severity.name()))
            .collect();
        let (need, it) = if *told == 1 { ("needs", "It has") } else { ("need", "They have") };
        let mut sentences = vec![
            format!("{owned}."),
            format!("{} {need} a look. {it} {}.", counted(*told, "thing"), counts.join(", ")),
            "A blocker stops a move or loses things; an error is wrong, or will be after a move; a warning may go \
             wrong. What is milder is left out of this letter."
                .into(),
        ];
        let more = told.saturating_sub(self.things.len() as u64);
        if more > 0 {
            sentences.push(format!(
                "The {} worst are listed; {} more need a look, too.",
                self.things.len(),
                thousands(more)
            ));
        }
        if !self.complete {
            sentences.push(
                "Not all exports were read to their end, so there may be more than this letter knows of."
                    .into(),
            );
        }
        sentences
    }

    fn closing() -> &'static str {
        "Nothing was changed. If something is not clear, show this letter to the people who run your grid: the code \
         behind each sentence, as LNK001, tells them which rule it is about."
    }
}

impl Thing {
    fn title(&self) -> String {
        match (self.land, self.name.as_str()) {
            (true, "") => "Your land without a name".into(),
            (false, "") => "An object without a name".into(),
            (true, name) => format!("Your land \"{}\"", shown(name)),
            (false, name) => format!("\"{}\"", shown(name)),
        }
    }

    fn place(&self) -> String {
        let region = match (self.role.as_str(), self.region.as_str()) {
            ("nested", _) => "In an inventory".into(),
            ("loose", _) => "In a file".into(),
            (_, "") => "In a region without a name".into(),
            (_, name) => format!("In region \"{}\"", shown(name)),
        };
        let position = match self.position_m {
            Some(at) if self.role == "rezzed" => {
                let [x, y, z] = at.map(|number| plain(number.round()));
                format!(" at {x}, {y}, {z}")
            }
            _ => String::new(),
        };
        // Where the operator keeps the archive is not the owner's business.
        let file = self.archive.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{region}{position} ({})", shown(file))
    }

    fn size(&self) -> String {
        let bound = if self.at_least { "at least " } else { "" };
        let impact = match self.land_impact {
            Some(impact) => format!("land impact {bound}{}", plain(impact.round())),
            None => "land impact not known".into(),
        };
        format!("{}, {impact}", counted(self.prims, "prim"))
    }

    fn more(&self) -> Option<String> {
        (self.more > 0)
            .then(|| format!("And {} more of the same severity or milder.", thousands(self.more as u64)))
    }
}

impl Trouble {
    fn sentence(&self) -> String {
        let message = cut(&clean(&self.message), SENTENCE);
        let stop = if message.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        let times = match self.count {
            1 => String::new(),
            count => format!(" This holds {} times.", thousands(count)),
        };
        format!("{message}{stop}{times} ({})", self.code)
    }
}

/// A stranger's words, so that they can be shown.
fn shown(words: &str) -> String {
    cut(&clean(words), NAME)
}
