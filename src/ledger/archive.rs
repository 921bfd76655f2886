//! The values of an archive that are compared between runs without reading ledgers.

use crate::{
    ledger::{LedgerHeader, coverage::Uncovered, facts::Status, identity, summary::LedgerSummary},
    util::dates_in_names::{self, Seconds},
};
use std::borrow::Cow;

/// An archive, tonight's or an earlier night's, by what it comes to.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
    /// Its path.
    pub name: String,
    /// What it is, as its ledger has it; empty where nobody knows.
    pub kind: String,
    /// What it comes to.
    pub brief: LedgerSummary,
    /// When its file was changed last.
    pub modified: Option<Seconds>,
    /// What its regions cost, where that is known.
    pub costs: Vec<RegionCosts>,
    /// What the same file came to before, the latest first, as far as its kept ledger tells.
    pub earlier: Vec<LedgerSummary>,
}

/// What a region costs, by the profile that judged it. What is not known, or only a lower bound, is absent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionCosts {
    /// What tells the region again in another night.
    pub home: String,
    /// Its land impact.
    pub land_impact: Option<f64>,
    /// Its physics cost.
    pub physics_cost: Option<f64>,
    /// What it costs the simulator.
    pub server_weight: Option<f64>,
}

impl Archive {
    /// What a label says.
    pub fn from_header(label: &LedgerHeader) -> Self {
        Self {
            name: label.input.clone(),
            kind: label.kind.clone(),
            brief: label.brief.clone(),
            modified: label.made.as_ref().and_then(|made| made.modified),
            costs: Vec::new(),
            earlier: label.earlier.clone(),
        }
    }

    /// What is known of an input that is not covered: its name and its time, and its regions where it was read before.
    fn uncovered(input: &Uncovered) -> Self {
        let regions = input.last.as_ref().map_or_else(Vec::new, |last| last.regions.clone());
        Self {
            name: input.archive.clone(),
            kind: input.kind.clone(),
            brief: LedgerSummary { regions, ..LedgerSummary::new(&input.ledger()) },
            modified: input.modified,
            costs: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Those of a run: the inputs that these labels are of, and those that it does not cover.
    pub fn all(labels: &[LedgerHeader], uncovered: &[Uncovered]) -> Vec<Self> {
        labels.iter().map(Self::from_header).chain(uncovered.iter().map(Self::uncovered)).collect()
    }

    /// Whether this run covers it.
    pub(crate) fn is_covered(&self) -> bool {
        self.brief.status != Status::NotCovered
    }

    /// Whether it is a backup, or may be one that could not be read or is not covered: loose files are none, whatever
    /// their folder is called.
    pub(crate) fn may_be_backup(&self) -> bool {
        self.kind != "folder"
    }

    /// What was whole before it: those of its series, then what its own file was, the oldest first.
    pub(crate) fn all_before(&self, series: &[&Self]) -> Vec<Self> {
        let whole = series.iter().filter(|before| before.brief.status == Status::Complete);
        whole.map(|before| Self::clone(before)).chain(self.states()).collect()
    }

    /// What the same file was before, the oldest first.
    fn states(&self) -> impl Iterator<Item = Self> {
        let state = |brief: &LedgerSummary| Self {
            name: self.name.clone(),
            kind: self.kind.clone(),
            brief: brief.clone(),
            modified: None,
            costs: Vec::new(),
            earlier: Vec::new(),
        };
        self.earlier.iter().rev().map(state)
    }

    /// The last name of its path.
    pub fn file_name(&self) -> &str {
        identity::file_name(&self.name)
    }

    /// What it is an archive of: its path without dates.
    pub(crate) fn series(&self) -> String {
        dates_in_names::undated(&self.name)
    }

    /// What it is matched by where it was moved.
    pub(crate) fn home(&self) -> String {
        let regions = self.brief.regions.iter().map(|region| (region.uuid, region.name.as_str()));
        identity::of_archive(&self.name, regions)
    }

    /// All by which it may be expected: the file's name, that without date and ending, and its regions' names and
    /// UUIDs.
    pub(crate) fn called(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let undated = dates_in_names::undated(self.file_name());
        let title = undated.rsplit_once('.').map_or(&*undated, |(title, _)| title);
        let title = title.trim_matches(|c: char| "#-_. ".contains(c)).to_owned();
        let regions = self.brief.regions.iter().flat_map(|region| {
            [Some(Cow::Borrowed(region.name.as_str())), region.uuid.map(|uuid| uuid.to_string().into())]
                .into_iter()
                .flatten()
        });
        [self.file_name().into(), title.into()].into_iter().chain(regions).filter(|name| !name.is_empty())
    }
}
