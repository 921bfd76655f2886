//! Letters to owners: problems of their objects, in plain words.
//!
//! `sink` stores the rows that owners need on disk; `text` and `html` write a `Letter`. The file name of a letter is the
//! UUID of its owner, so no name of an export becomes a path.

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

/// Maximum number of objects in a letter.
const LISTED: usize = 200;

/// Maximum number of problems of an object.
const TROUBLES: usize = 20;

/// The lowest severity in letters. Lower ones need no action.
const LOWEST: Severity = Severity::Warning;

/// Characters of a name, and of a sentence.
const NAME: usize = 80;
const SENTENCE: usize = 400;

/// A letter.
struct Letter<'a> {
    owner: Uuid,
    name: Option<&'a str>,
    /// Description of the target.
    target: &'a str,
    now: Option<&'a str>,
    /// Whether every export was read to its end.
    complete: bool,
    totals: &'a Totals,
    /// The objects and parcels, the worst first.
    things: Vec<Thing>,
    /// The rules of these problems, in order of first occurrence.
    rules: Vec<Advice<'a>>,
}

/// Sums over the objects of an owner.
#[derive(Debug, Default)]
struct Totals {
    /// Objects in regions.
    rezzed: u64,
    /// Their prims.
    prims: u64,
    land_impact: f64,
    /// Whether the sum is a lower bound.
    at_least: bool,
    /// Objects in inventories, or in files of their own.
    elsewhere: u64,
    /// Objects and parcels with findings.
    listed: u64,
    findings: SeverityCounts,
}

/// An object or a parcel with its problems.
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
    /// The problems, the worst first.
    troubles: Vec<Trouble>,
    /// Number of further problems that are not listed.
    more: usize,
}

/// A problem.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Trouble {
    severity: Severity,
    code: String,
    message: String,
    count: u64,
}

/// Advice on a rule.
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

    /// Returns the sums and the number of objects with problems.
    fn opening(&self) -> Vec<String> {
        let Totals { rezzed, prims, land_impact, at_least, elsewhere, listed, findings } = self.totals;
        let bound = if *at_least { "at least " } else { "" };
        let owned = match (rezzed, elsewhere) {
            (0, 0) => "You own no objects in these exports".into(),
            (0, elsewhere) => format!("You own {} in inventories and files", counted(*elsewhere, "object")),
            (rezzed, elsewhere) => {
                let more = match elsewhere {
                    0 => String::new(),
                    more => format!(", and {} more in inventories and files", thousands(*more)),
                };
                format!(
                    "You own {} with {} in regions, with a total land impact of {bound}{}{more}",
                    counted(*rezzed, "object"),
                    counted(*prims, "prim"),
                    thousands(land_impact.round() as u64)
                )
            }
        };
        let counts = Severity::WORST_FIRST.into_iter().filter(|&severity| severity >= LOWEST);
        let counts: Vec<String> = counts
            .filter(|&severity| findings.get(severity) > 0)
            .map(|severity| counted(findings.get(severity), severity.name()))
            .collect();
        let (what, needs) = match *listed {
            1 => ("object or parcel", "needs"),
            _ => ("objects and parcels", "need"),
        };
        let mut sentences = vec![
            format!("{owned}."),
            format!("{} {what} {needs} your attention: {}.", thousands(*listed), counts.join(", ")),
            "A blocker stops a move or loses objects. An error is wrong now or after a move. A warning may cause a \
             problem. Less severe findings are left out of this letter."
                .into(),
        ];
        let more = listed.saturating_sub(self.things.len() as u64);
        if more > 0 {
            sentences.push(format!(
                "This letter lists the {} worst; {} more need your attention.",
                self.things.len(),
                thousands(more)
            ));
        }
        if !self.complete {
            sentences.push("Not all exports were fully read, so there may be more findings.".into());
        }
        sentences
    }

    fn closing() -> &'static str {
        "Nothing was changed. If you have questions, show this letter to the operators of your grid. The code after \
         each problem, such as LNK001, names its rule."
    }
}

impl Thing {
    fn title(&self) -> String {
        match (self.land, self.name.as_str()) {
            (true, "") => "Your unnamed parcel".into(),
            (false, "") => "An unnamed object".into(),
            (true, name) => format!("Your parcel \"{}\"", shown(name)),
            (false, name) => format!("\"{}\"", shown(name)),
        }
    }

    fn place(&self) -> String {
        let region = match (self.role.as_str(), self.region.as_str()) {
            ("nested", _) => "In an inventory".into(),
            ("loose", _) => "In a file".into(),
            (_, "") => "In an unnamed region".into(),
            (_, name) => format!("In region \"{}\"", shown(name)),
        };
        let position = match self.position_m {
            Some(at) if self.role == "rezzed" => {
                let [x, y, z] = at.map(|number| plain(number.round()));
                format!(" at {x}, {y}, {z}")
            }
            _ => String::new(),
        };
        // The folder is private to the operator.
        let file = self.archive.rsplit(['/', '\\']).next().unwrap_or_default();
        format!("{region}{position} ({})", shown(file))
    }

    fn size(&self) -> String {
        let bound = if self.at_least { "at least " } else { "" };
        let impact = match self.land_impact {
            Some(impact) => format!("land impact {bound}{}", thousands(impact.round() as u64)),
            None => "land impact unknown".into(),
        };
        format!("{}, {impact}", counted(self.prims, "prim"))
    }

    fn more(&self) -> Option<String> {
        (self.more > 0)
            .then(|| format!("{} of the same or lower severity.", counted(self.more as u64, "more problem")))
    }
}

impl Trouble {
    fn sentence(&self) -> String {
        let message = cut(&clean(&self.message), SENTENCE);
        let stop = if message.ends_with(['.', '!', '?', '…']) { "" } else { "." };
        let times = match self.count {
            1 => String::new(),
            count => format!(" Found {} times.", thousands(count)),
        };
        format!("{message}{stop}{times} ({})", self.code)
    }
}

/// Returns text of an export, cleaned and cut.
fn shown(words: &str) -> String {
    cut(&clean(words), NAME)
}
