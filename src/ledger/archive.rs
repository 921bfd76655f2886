//! The values of an archive that are compared between runs without reading ledgers.

use crate::{
    InputKind, LedgerHeader, coverage::Uncovered, facts::Status, identity, summary::LedgerSummary,
    unreadable::input_of,
};
use hullmark_util::dates_in_names::{self, Seconds};
use std::borrow::Cow;

/// The summary of an archive of this run or of an earlier run.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
    pub name: String,
    pub kind: InputKind,
    /// Summary of its ledger.
    pub brief: LedgerSummary,
    /// Time of the last change of the file.
    pub modified: Option<Seconds>,
    /// Hash of the bytes; `None` if unknown.
    pub content: Option<String>,
    /// Known costs of its regions.
    pub costs: Vec<RegionCosts>,
    /// Summaries of earlier states of the same file, the latest first, as far as its stored ledger has them.
    pub earlier: Vec<LedgerSummary>,
}

/// Costs of a region under the profile that evaluated it. A cost is `None` if it is unknown or only a lower bound.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RegionCosts {
    /// Key that identifies the region in other runs.
    pub identity: String,
    pub land_impact: Option<f64>,
    pub physics_cost: Option<f64>,
    pub server_weight: Option<f64>,
}

impl Archive {
    pub fn from_header(header: &LedgerHeader) -> Self {
        Self {
            name: header.input.clone(),
            kind: header.kind,
            brief: header.brief.clone(),
            modified: header.made.as_ref().and_then(|made| made.modified),
            content: header.content_hash.clone(),
            costs: Vec::new(),
            earlier: header.earlier.clone(),
        }
    }

    /// Creates an archive from an input that is not covered: its name, its time, and its regions if it was read before.
    fn uncovered(input: &Uncovered) -> Self {
        let regions = input.last.as_ref().map_or_else(Vec::new, |last| last.regions.clone());
        Self {
            name: input.archive.clone(),
            kind: input.kind,
            brief: LedgerSummary { regions, ..LedgerSummary::new(&input.ledger()) },
            modified: input.modified,
            content: None,
            costs: Vec::new(),
            earlier: Vec::new(),
        }
    }

    /// Returns all archives of a run: the inputs with these headers, and the inputs that are not covered.
    pub fn all(headers: &[LedgerHeader], uncovered: &[Uncovered]) -> Vec<Self> {
        headers.iter().map(Self::from_header).chain(uncovered.iter().map(Self::uncovered)).collect()
    }

    pub fn is_covered(&self) -> bool {
        self.brief.status != Status::NotCovered
    }

    /// Whether the archive is a backup, or may be a backup that is unreadable or not covered. A folder of loose files
    /// is no backup, regardless of its name.
    pub fn may_be_backup(&self) -> bool {
        self.kind != InputKind::Folder
    }

    /// Returns the complete archives before this one, the oldest first: those of its series, then earlier states of its
    /// file. A file under a rotating name holds another backup each time. So the states of such files are among them, and
    /// dates decide.
    pub fn all_before(&self, series: &[&Self]) -> Vec<Self> {
        let whole = series.iter().filter(|before| before.brief.status == Status::Complete);
        let path = self.series();
        let rotating = series.iter().filter(|before| before.series() != path);
        let states = rotating.clone().flat_map(|before| before.states());
        let mut all: Vec<Self> =
            states.chain(whole.map(|before| Self::clone(before))).chain(self.states()).collect();
        if rotating.count() > 0 && all.iter().all(|before| before.brief.created.is_some()) {
            all.sort_by_key(|before| before.brief.created);
        }
        all
    }

    /// Returns the earlier states of the same file, the oldest first.
    pub fn states(&self) -> impl Iterator<Item = Self> {
        let state = |brief: &LedgerSummary| Self {
            name: self.name.clone(),
            kind: self.kind,
            brief: brief.clone(),
            modified: None,
            content: None,
            costs: Vec::new(),
            earlier: Vec::new(),
        };
        self.earlier.iter().rev().map(state)
    }

    pub fn file_name(&self) -> &str {
        identity::file_name(&self.name)
    }

    /// Returns the key of its series: its path without dates.
    pub fn series(&self) -> String {
        dates_in_names::undated(&self.name)
    }

    /// Returns the key by which a moved archive is matched.
    pub fn identity(&self) -> String {
        let regions = self.brief.regions.iter().map(|region| (region.uuid, region.name.as_str()));
        identity::of_archive(&self.name, regions)
    }

    /// Returns all names under which the archive may be expected: the name of its file, that name without date and
    /// extension, and the names and UUIDs of its regions. If only the name of its ledger is known, that has the first.
    pub fn called(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let file = Some(self.file_name()).filter(|_| self.kind == InputKind::Unreadable).and_then(input_of);
        let file = file.unwrap_or_else(|| self.file_name());
        let undated = dates_in_names::undated(file);
        let title = undated.rsplit_once('.').map_or(&*undated, |(title, _)| title);
        let title = title.trim_matches(|c: char| "#-_. ".contains(c)).to_owned();
        let regions = self.brief.regions.iter().flat_map(|region| {
            [Some(Cow::Borrowed(region.name.as_str())), region.uuid.map(|uuid| uuid.to_string().into())]
                .into_iter()
                .flatten()
        });
        [file.into(), title.into()].into_iter().chain(regions).filter(|name| !name.is_empty())
    }
}
