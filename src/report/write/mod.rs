//! Evaluates the ledgers of a report and hands them to its formats, in order.
//!
//! One machine writes all rows ([`ReportWriter::write`]). Or shards write those of their inputs, and a last step joins
//! their sums and writes the others.

mod added;
mod apart;
mod inputs;
mod kept_links;

use super::{
    Evaluator, ReportError, Summary,
    counts::SeverityCounts,
    evaluate::LedgerSet,
    output::OutputError,
    page::{Makers, Pages},
    row_filter::Selection,
    run_tables::RunTables,
    summary::{ShownInputs, Sums},
    tables::archives,
    trend::Past,
};
use crate::diff::{Baseline, Snapshot};
pub use added::Added;
use added::RunSums;
use apart::{Apart, To};
use hullmark_analysis::Measured;
use hullmark_finding::Finding;
use hullmark_ledger::{InputKind, LedgerHeader, coverage::Uncovered};
use hullmark_rules::{
    self as rules,
    cross_input::CrossInput,
    history::{Copies, Emptied, Known},
    waivers::Waivers,
};
use hullmark_storage::contents::ContentCache;
use inputs::{Destination, Inputs};
use std::{
    collections::{BTreeSet, HashMap},
    io,
};

/// Everything that the rows of a report depend on, except the ledgers.
pub struct ReportWriter<'a> {
    /// The target.
    pub evaluator: Evaluator<'a>,
    /// Earlier runs of the inputs, and missing inputs. `None` if the report does not look back.
    pub known: Option<&'a Known<'a>>,
    /// Dated copies among the inputs.
    pub copies: &'a Copies,
    /// The earlier run that findings are compared with. `None` without a baseline.
    pub baseline: Option<&'a Snapshot>,
    /// The earlier run that was there before and is gone.
    pub baseline_gone: Option<&'a str>,
    /// Keeps links for later runs. `None` if no run follows.
    pub kept: Option<&'a ContentCache>,
    /// Inputs that are not covered.
    pub uncovered: &'a [Uncovered],
    /// Folders that had inputs in an earlier run and have none now.
    pub emptied: &'a [Emptied],
    /// The waivers.
    pub waivers: &'a Waivers,
    /// The earlier days of regions, and the day of this run. `None` without a history.
    pub trend: Option<(&'a Past, String)>,
    /// Address of the grid for links to places; empty for Second Life.
    pub address: &'a str,
    /// Number of links and splits of each region; 0 skips the search.
    pub top: usize,
}

/// Where the rows of a run go: the parts and files of its formats, and the tables of the whole run.
pub struct Formats<'f> {
    /// The functions that make parts.
    pub makers: &'f Makers,
    /// The pages that take them.
    pub pages: &'f mut Pages,
    /// Actions and missing assets, in the order of all inputs.
    pub tables: RunTables,
}

impl ReportWriter<'_> {
    /// Evaluates ledgers and writes the selected things.
    pub fn write(
        &self,
        set: LedgerSet,
        selection: &Selection,
        Formats { makers, pages, mut tables }: Formats<'_>,
        summary: &mut Summary,
        mut across: CrossInput,
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), ReportError> {
        let LedgerSet { stores, inputs, headers, aside, .. } = set;
        self.prepare(&mut across, &headers).map_err(ReportError::CrossInput)?;
        let names = names(headers);
        let baseline = self.baseline(&names);
        let (baseline, empty) = (baseline.as_ref(), summary.empty_sums());
        let mut sums = RunSums::new(summary, self.waivers);
        let evaluation =
            Inputs { writer: self, selection, makers, baseline, stores: &stores, empty, failed: &failed };
        let mut then = |_: &str, added| {
            sums.add(added);
            Ok(())
        };
        let to = Destination { pages, tables: &mut tables, then: &mut then };
        evaluation.write(inputs, &mut across, to)?;
        let rest = Apart { writer: self, selection, baseline };
        let to = To { formats: vec![Formats { makers, pages, tables }], sums };
        rest.write(aside, &stores, &mut across, to, failed)
    }

    /// Prepares to compare the inputs of a run with each other.
    ///
    /// # Errors
    /// The disk has no room for a file.
    pub fn prepare(&self, across: &mut CrossInput, headers: &[LedgerHeader]) -> io::Result<()> {
        across.expect_regions(self.evaluator.regions);
        match headers.iter().any(|header| header.kind == InputKind::Fsassets) {
            true => across.expect_stores(),
            false => Ok(()),
        }
    }

    /// Evaluates the inputs of a shard. `then` takes the name of each, with its sums.
    pub fn write_shard(
        &self,
        LedgerSet { stores, inputs, headers, .. }: LedgerSet,
        Formats { makers, pages, mut tables }: Formats<'_>,
        empty: Sums,
        mut across: CrossInput,
        then: &mut (dyn FnMut(&str, Added) -> io::Result<()> + Send),
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), ReportError> {
        let selection = &Selection::default();
        let failed = &failed;
        let names = names(headers);
        let baseline = self.baseline(&names);
        let baseline = baseline.as_ref();
        let evaluation = Inputs { writer: self, selection, makers, baseline, stores: &stores, empty, failed };
        let to = Destination { pages, tables: &mut tables, then };
        evaluation.write(inputs, &mut across, to)?;
        let written = tables.finish(&mut across, |pieces| makers.write(pieces, pages));
        Ok(written.map_err(failed)?)
    }

    /// Adds what the inputs of all shards add, in their order, and writes the rows of all other subjects. `shown` also gets
    /// the rows of inputs that lists of the summary name. `across` has the outcomes of these.
    pub fn write_joined<E: From<ReportError>>(
        &self,
        LedgerSet { stores, mut inputs, headers, aside, .. }: LedgerSet,
        mut added: impl Iterator<Item = Result<Added, E>>,
        [rest, mut shown]: [Formats<'_>; 2],
        summary: &mut Summary,
        across: impl FnOnce(&BTreeSet<String>) -> Result<CrossInput, E>,
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), E> {
        let (empty, all) = (summary.empty_sums(), inputs.len() as u64);
        let mut sums = RunSums::new(summary, self.waivers);
        added.try_for_each(|added| {
            sums.add(added?);
            Ok::<_, E>(())
        })?;
        let mut named = BTreeSet::new();
        if !shown.makers.is_empty() {
            named = sums.summary.sums().named();
            inputs.retain(|(name, _)| named.contains(name));
            sums.summary.shown = Some(ShownInputs { shown: inputs.len() as u64, all });
        }
        let mut across = across(&named)?;
        let names = names(headers);
        let baseline = self.baseline(&names);
        let (selection, baseline) = (&Selection::default(), baseline.as_ref());
        if !shown.makers.is_empty() {
            let Formats { makers, pages, tables } = &mut shown;
            let evaluation =
                Inputs { writer: self, selection, makers, baseline, stores: &stores, empty, failed: &failed };
            let to = Destination { pages, tables, then: &mut |_, _| Ok(()) };
            evaluation.write(inputs, &mut across, to)?;
        }
        let write = Apart { writer: self, selection, baseline };
        Ok(write.write(aside, &stores, &mut across, To { formats: vec![rest, shown], sums }, failed)?)
    }

    /// Returns the earlier run, for all inputs of this run.
    fn baseline<'b>(&'b self, inputs: &'b [String]) -> Option<Baseline<'b>> {
        Some(Baseline::new(self.baseline?, self.copies, inputs))
    }

    /// Returns the findings about missing things, by their name. A name may be expected, and that of a gone region.
    fn absent(&self) -> Vec<(&str, Vec<Finding>)> {
        let known = self.known.into_iter();
        let expected = known.clone().flat_map(|known| &known.absent);
        let expected = expected.map(|name| (*name, rules::his002_absent(name)));
        let emptied = self.emptied.iter().map(|emptied| (&*emptied.folder, rules::his007_emptied(emptied)));
        let gone = known.flat_map(|known| &known.gone);
        let gone = gone.map(|gone| (gone.name.as_str(), rules::his009_gone(gone)));
        let mut absent: Vec<(&str, Vec<Finding>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (name, finding) in expected.chain(emptied).chain(gone) {
            let place = *places.entry(name).or_insert(absent.len());
            match absent.get_mut(place) {
                Some((_, findings)) => findings.push(finding),
                None => absent.push((name, vec![finding])),
            }
        }
        absent
    }

    /// Returns the row of an input.
    fn row<'r>(&'r self, measured: &'r Measured<'_>, counts: &'r SeverityCounts) -> archives::Row<'r> {
        let (rank, series) =
            (self.copies.rank_of(&measured.ledger.input), self.copies.matched_by(&measured.ledger.input));
        archives::Row { measured, counts, rank, series, copy: None }
    }
}

/// Returns the names alone. There may be many headers, whose memory is freed.
fn names(headers: Vec<LedgerHeader>) -> Vec<String> {
    let mut names: Vec<String> = headers.into_iter().map(|header| header.input).collect();
    names.shrink_to_fit();
    names
}
