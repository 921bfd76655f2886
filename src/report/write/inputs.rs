//! Evaluates inputs and hands their pieces to the formats, in order.

use super::{Added, ReportWriter, kept_links::KeptLinks};
use crate::{
    ReportError, actions,
    diff::Baseline,
    evaluate::Source,
    findings::ReportedFindings,
    missing::{self, MissingAsset},
    output::OutputError,
    page::{Makers, Pages},
    preflight::{Lacking, Verdict},
    region_status,
    reported::Reported,
    row_filter::{Met, Selection},
    run_tables::{People, RunTables},
    summary::{FirstUse, Sums},
    trend::HistoryRow,
};
use hullmark_analysis::{Measured, regroup};
use hullmark_ledger::Ledger;
use hullmark_rules::{cross_input::CrossInput, waivers::Uses};
use hullmark_settings::users::Users;
use hullmark_util::timings::{Stage, within};
use std::{collections::BTreeMap, io};

/// What the rows of inputs depend on, apart from the writer.
pub(super) struct Inputs<'a, F> {
    pub(super) writer: &'a ReportWriter<'a>,
    pub(super) selection: &'a Selection,
    pub(super) makers: &'a Makers,
    pub(super) baseline: Option<&'a Baseline<'a>>,
    pub(super) stores: &'a [Ledger],
    /// Sums without an input.
    pub(super) empty: Sums,
    /// Turns an error of a file into one that names the report.
    pub(super) failed: F,
}

/// The destination of all inputs, which write in turns.
pub(super) struct Destination<'s> {
    pub(super) pages: &'s mut Pages,
    pub(super) tables: &'s mut RunTables,
    /// Takes what an input with this name adds to the sums.
    pub(super) then: &'s mut (dyn FnMut(&str, Added) -> io::Result<()> + Send),
}

fn pages<'s>(to: &'s mut Destination<'_>) -> &'s mut Pages {
    to.pages
}

impl<F: Fn(io::Error) -> OutputError + Sync> Inputs<'_, F> {
    /// Evaluates these inputs and writes the selected things.
    pub(super) fn write(
        &self,
        sources: Vec<(String, Source)>,
        across: &mut CrossInput,
        mut to: Destination<'_>,
    ) -> Result<(), ReportError> {
        let Self { writer, selection, makers, baseline, stores, empty, failed } = self;
        let ReportWriter { evaluator, waivers, copies, .. } = writer;
        let kept = writer.kept.and_then(|cache| KeptLinks::new(cache, evaluator, stores, writer.top));
        let read = |source: Source| Ok(source.read());
        let is_alone = sources.len() == 1;
        let sources = Source::with_memory(sources);
        evaluator.each(sources, read, stores, writer.known, (across, &mut to), |measured, evaluated, turn| {
            let findings = ReportedFindings::new(measured, evaluated, waivers);
            let findings = findings.against(*baseline, measured).map_err(failed)?;
            let links = within(Stage::Rules, || links(measured, writer.top, kept.as_ref()));
            let actions = within(Stage::Cost, || actions::list(measured, &findings, &links, writer.address));
            let lacking = within(Stage::Rules, || Lacking::of(measured, &findings));
            let losses = within(Stage::Rules, || lacking.losses(measured, false));
            let missing = within(Stage::Rules, || missing::list(measured, &lacking));
            // Losses have no owner and no region, so a filter cannot select them.
            let verdict = match selection.is_empty() {
                true => Verdict::of_input(measured, &findings, &losses, !stores.is_empty()),
                false => None,
            };
            let firsts = first_uses(measured, &missing, evaluator.users);
            let counts = findings.counts();
            let row = writer.row(measured, &counts.all);
            let input = Reported::new(measured, row, &findings, &counts, &actions, (&missing, &lacking));
            let shown = selection.of(&input);
            let input = input.showing(shown);
            let whole = region_status::of_input(&input, verdict, &losses);
            let statuses = region_status::of_regions(&input, &whole);
            let input = input.with_statuses(&statuses).listing_assets(evaluator.config.list_assets);
            let mut sums = empty.clone();
            sums.add(&input);
            sums.add_statuses(&input, &whole);
            if selection.is_empty() {
                sums.add_losses(losses, &firsts);
                verdict.into_iter().for_each(|verdict| sums.add_verdict(verdict));
            }
            let mut uses = Uses::new(waivers);
            uses.look(measured);
            findings.note_uses(&mut uses);
            // With --all-copies, older copies are evaluated too.
            let days = match copies.is_evaluated(&measured.ledger.input) {
                true => HistoryRow::of_regions(measured, &statuses),
                false => Vec::new(),
            };
            let people = People::of(&input);
            let added = Added { sums, people, waivers: uses.seen(), met: Met::of(input.shown()), days };
            let written = makers.write_in_turn(&input.pieces(), is_alone, turn, |to| pages(to));
            let Some(mut to) = written.map_err(failed)? else { return Ok(()) };
            to.tables.add(&input).map_err(failed)?;
            (to.then)(&measured.ledger.input, added).map_err(failed)?;
            Ok(())
        })
    }
}

/// Returns the first user of the missing asset of most objects with the number of these objects, by kind.
fn first_uses(
    measured: &Measured<'_>,
    missing: &[MissingAsset<'_>],
    users: Option<&Users>,
) -> BTreeMap<&'static str, (FirstUse, u64)> {
    let mut firsts = BTreeMap::new();
    // Those of most objects come first.
    for asset in missing.iter().filter(|asset| asset.is_lost) {
        if !firsts.contains_key(asset.kind)
            && let Some(first) = FirstUse::new(measured, asset, users)
        {
            firsts.insert(asset.kind, (first, asset.objects));
        }
    }
    firsts
}

/// Returns the links and splits of each region, `top` of each kind; 0 skips the search.
fn links(measured: &Measured<'_>, top: usize, kept: Option<&KeptLinks<'_>>) -> Vec<Vec<regroup::Advice>> {
    let regions = measured.ledger.regions.len();
    if top == 0 || regions == 0 {
        return Vec::new();
    }
    let search = || (0..regions).map(|region| regroup::advise(measured, region, top)).collect();
    match kept {
        Some(kept) => kept.of(measured, search),
        None => search(),
    }
}
