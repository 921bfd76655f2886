//! Letters to owners: their objects and costs, the problems and the cures.
//!
//! `input` collects what owners need of an input, and `writer` stores it on disk. `problems` groups rules by symptom and cure. `content`
//! says it in a language with the words of `words`; `text` and `html` fill the placeholders of a `template`. The file
//! name of a letter is the UUID of its owner, so no name of an export becomes a path.

mod actions;
mod arrivals;
mod content;
mod html;
mod input;
mod problems;
mod template;
mod text;
mod words;
mod writer;

pub use arrivals::write_arrivals;
use hullmark_finding::Severity;
use hullmark_report::counts::SeverityCounts;
use hullmark_settings::letters::{GridConfig, LettersConfig};
use serde::{Deserialize, Serialize};
pub use template::Templates;
pub use writer::open;

/// Maximum number of objects of an owner that are kept for each problem.
const LISTED: usize = 50;

/// The lowest severity in letters. Lower ones need no action.
const LOWEST: Severity = Severity::Warning;

/// Settings of letters.
#[derive(Debug, Default)]
pub struct LetterOptions {
    /// The grid that writes them.
    pub grid: GridConfig,
    /// Language, deadline and signature.
    pub letters: LettersConfig,
    /// The templates.
    pub templates: Templates,
    /// Whether the report has the rows of some owners only.
    pub some_owners: bool,
}

/// Sums over the objects and parcels of an owner.
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
    /// Load and capacity of the parcels. `None` if the owner has none, or if a capacity is unknown.
    land: Option<Owned>,
    /// Objects, parcels and regions with findings.
    listed: u64,
    findings: SeverityCounts,
}

/// Load and capacity of land.
#[derive(Debug, Clone, Copy, Default)]
struct Owned {
    land_impact: f64,
    prims: f64,
    capacity: f64,
}

/// Kind of a thing in a letter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    #[default]
    Object,
    Parcel,
    Region,
    Inventory,
}

/// An object, a parcel, a region or an inventory with one problem.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Listed {
    kind: Kind,
    name: String,
    archive: String,
    region: String,
    /// `rezzed`, `nested` or `loose`; empty for land.
    role: String,
    /// Of a nested object, the path of its item in the inventory of the owner, else the name of the object around it.
    /// Of an inventory, the first examples of its faults. Empty if unknown.
    item: String,
    position_m: Option<[f64; 3]>,
    /// Names of missing items, separated by commas.
    names: String,
    /// Measured value and limit of the problem.
    measured: Option<f64>,
    limit: Option<f64>,
}

impl Listed {
    /// Whether both can be one line: all but their positions is equal.
    fn is_like(&self, other: &Self) -> bool {
        let words = |listed: &Self| {
            [&listed.name, &listed.archive, &listed.region, &listed.role, &listed.item, &listed.names]
                .map(String::clone)
        };
        let numbers = |listed: &Self| [listed.measured, listed.limit];
        self.kind == other.kind && words(self) == words(other) && numbers(self) == numbers(other)
    }
}
