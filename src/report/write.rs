//! Writes all rows of a report from ledgers, in order.

use super::{
    Evaluated, Evaluator, ReportError, Summary,
    actions::{self, ListedAction, Urgency},
    counts::{Counts, SeverityCounts},
    evaluate::{LedgerSet, Source},
    findings::ReportedFindings,
    output::OutputError,
    preflight::losses,
    row_buffer::{RowBuffer, Shared},
    row_filter::FilteredSinks,
    table::{Rows, write as write_row},
    tables::{
        actions::Actions,
        archives::{self, Archives},
        checks::Checks,
        findings::{self, Findings},
        hulls::Hulls,
        meshes::{self, Meshes},
        objects::{self, Objects},
        parcels::Parcels,
        parts::Parts,
        regions::Regions,
    },
    trend::Past,
};
use crate::diff::{Baseline, Snapshot};
use hullmark_analysis::{Measured, assets::physics_mesh, regroup};
use hullmark_finding::Code;
use hullmark_ledger::{InputKind, Ledger, coverage::Uncovered, facts::Status};
use hullmark_rules::{
    self as rules, RuleOutcomes, SkipReason,
    cross_input::CrossInput,
    history::{Copies, Emptied, Known, Rank},
    waivers::{Uses, Waivers},
};
use hullmark_util::timings::{Stage, within};
use std::{collections::HashMap, io, ops::Range};
use uuid::Uuid;

/// Rows of objects and parts that a thread makes at a time.
const SHARE: usize = 512;

/// Everything that the rows of a report depend on, except the ledgers.
pub(super) struct ReportWriter<'a> {
    /// The target.
    pub(super) evaluator: Evaluator<'a>,
    /// Earlier runs of the inputs, and missing inputs. `None` if the report does not look back.
    pub(super) known: Option<&'a Known<'a>>,
    /// Dated copies among the inputs.
    pub(super) copies: &'a Copies,
    /// The earlier run that findings are compared with. `None` without a baseline.
    pub(super) baseline: Option<&'a Snapshot>,
    /// Inputs that are not covered.
    pub(super) uncovered: &'a [Uncovered],
    /// Folders that had inputs in an earlier run and have none now.
    pub(super) emptied: &'a [Emptied],
    /// The waivers.
    pub(super) waivers: &'a Waivers,
    /// The earlier days of regions, and the day of this run. `None` without a history.
    pub(super) trend: Option<(&'a Past, String)>,
    /// Address of the grid for links to places; empty for Second Life.
    pub(super) address: &'a str,
    /// Number of links and splits of each region; 0 skips the search.
    pub(super) top: usize,
}

impl ReportWriter<'_> {
    /// Evaluates ledgers and writes their rows to sinks.
    pub(super) fn write(
        &self,
        LedgerSet { stores, inputs, labels, aside, .. }: LedgerSet,
        sink: &mut FilteredSinks,
        summary: &mut Summary,
        mut across: CrossInput,
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), ReportError> {
        if labels.iter().any(|label| label.kind == InputKind::Fsassets) {
            across.expect_stores().map_err(ReportError::CrossInput)?;
        }
        // Frees the headers: there may be many, and only names are needed.
        let mut names: Vec<String> = labels.into_iter().map(|label| label.input).collect();
        names.shrink_to_fit();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let baseline = self.baseline.map(|earlier| Baseline::new(earlier, self.copies, &names));
        let mut uses = Uses::new(self.waivers);
        let read = |source: Source| Ok(source.read());
        let (formats, alone) = (sink.formats(), inputs.len() == 1);
        let inputs = Source::with_memory(inputs);
        let shared = (&mut across, Shared { sink: &mut *sink, summary: &mut *summary, uses: &mut uses });
        self.evaluator.each(inputs, read, &stores, self.known, shared, |measured, evaluated, turn| {
            let reported = ReportedFindings::new(measured, evaluated, self.waivers, baseline.as_ref());
            let links = within(Stage::Rules, || links(measured, self.top));
            let actions = within(Stage::Cost, || actions::list(measured, &reported, &links, self.address));
            let losses = within(Stage::Rules, || losses(measured, &reported, false));
            let counts = reported.counts();
            let mut buffer = RowBuffer::new(formats.as_ref(), alone, turn);
            let write = || {
                write_row::<Archives>(&mut buffer, &self.row(measured, &counts.all))?;
                write_input(measured, &reported, &actions, &counts, &mut buffer)?;
                buffer.end()
            };
            let Some(mut shared) = within(Stage::Write, write).map_err(&failed)? else { return Ok(()) };
            let Shared { sink, summary, uses } = &mut *shared;
            uses.look(measured);
            reported.note_uses(uses);
            sum_up(measured, &reported, &counts, sink, summary);
            for (number, listed) in actions.iter().enumerate() {
                // People fix the cost of a simulator last, so only the table has it.
                if sink.shows::<Actions>(number) && listed.urgency != Urgency::Simulator {
                    summary.add_action(&measured.ledger.input, listed);
                }
            }
            // Losses have no owner and no region, so a filter cannot select them.
            if sink.applied().is_none() {
                summary.add_losses(losses);
            }
            // With --all-copies, older copies are evaluated too.
            if let Some(run) =
                summary.run.as_mut().filter(|_| self.copies.is_evaluated(&measured.ledger.input))
            {
                run.add(measured, &reported, &counts.all);
            }
            summary.add(measured, sink);
            Ok(())
        })?;
        let mut to = Shared { sink, summary, uses: &mut uses };
        let none = SeverityCounts::default();
        for (label, source) in aside {
            // The header of a complete ledger has all facts that are reported.
            let ledger = match label.brief.status {
                Status::Complete => label.outline(),
                _ => source.read(),
            };
            let measured = Measured::new(&ledger, self.evaluator.profile);
            let rank = self.copies.rank_of(&ledger.input);
            let evaluated = Evaluated::aside(&measured, rank);
            let row = archives::Row { copy: Some(&label.brief), ..self.row(&measured, &none) };
            self.write_apart(&measured, &evaluated, baseline.as_ref(), Some(row), &mut to)
                .map_err(&failed)?;
            to.summary.add_copy(&ledger, matches!(rank, Rank::Superseded { .. }));
        }
        // A missing archive is not an input: it is not counted, and the run stays complete.
        let expected = self.known.into_iter().flat_map(|known| &known.absent);
        let absent = expected.map(|name| (*name, rules::his002_absent(name)));
        let emptied = self.emptied.iter().map(|emptied| (&*emptied.folder, rules::his007_emptied(emptied)));
        for (name, finding) in absent.chain(emptied) {
            let Some(evaluated) = Evaluated::absent(finding, self.evaluator.profile) else { continue };
            let absent = Ledger::absent(name);
            let measured = Measured::new(&absent, self.evaluator.profile);
            to.uses.look(&measured);
            let row = archives::Row::alone(&measured, &none);
            self.write_apart(&measured, &evaluated, baseline.as_ref(), Some(row), &mut to)
                .map_err(&failed)?;
        }
        let uncovered: Vec<Ledger> = self.uncovered.iter().map(Uncovered::ledger).collect();
        to.summary.leave_out(self.uncovered);
        for source in uncovered.iter().chain(&stores) {
            // These inputs are not evaluated. Their rows show which copies the report uses and which inputs it does not
            // cover.
            let measured = Measured::new(source, self.evaluator.profile);
            let row = match source.is_store() {
                true => archives::Row::alone(&measured, &none),
                false => self.row(&measured, &none),
            };
            write_row::<Archives>(to.sink, &row).map_err(&failed)?;
            to.summary.add_source(source, source.status);
        }
        let in_stores = across.finish(self.uncovered.is_empty()).map_err(ReportError::CrossInput)?;
        self.write_run(&mut to, in_stores).map_err(&failed)?;
        to.summary.finish(to.sink.applied());
        Ok(())
    }

    /// Returns the row of an input.
    fn row<'r>(&'r self, measured: &'r Measured<'_>, counts: &'r SeverityCounts) -> archives::Row<'r> {
        let (rank, series) =
            (self.copies.rank_of(&measured.ledger.input), self.copies.matched_by(&measured.ledger.input));
        archives::Row { measured, counts, rank, series, copy: None }
    }

    /// Writes the findings about a subject that is not an evaluated input. Also writes its row, if it has one.
    fn write_apart(
        &self,
        measured: &Measured<'_>,
        evaluated: &Evaluated,
        baseline: Option<&Baseline<'_>>,
        row: Option<archives::Row<'_>>,
        Shared { sink, summary, uses }: &mut Shared<'_, '_>,
    ) -> io::Result<()> {
        let reported = ReportedFindings::new(measured, evaluated, self.waivers, baseline);
        reported.note_uses(uses);
        if let Some(row) = row {
            write_row::<Archives>(*sink, &archives::Row { counts: &reported.counts().all, ..row })?;
        }
        write_findings(measured, &reported, *sink)?;
        sum_up_findings(measured, &reported, sink, summary);
        Ok(())
    }

    /// Writes findings about the run: problems of waivers, the number of expected names that could not be checked, and
    /// assets of stores.
    /// Only a complete run shows that a waiver is unused.
    fn write_run(&self, to: &mut Shared<'_, '_>, in_stores: (RuleOutcomes, u64)) -> io::Result<()> {
        let unknown = self.known.map_or(0, |known| known.unknown);
        let (of_stores, assets) = in_stores;
        let waivers = self.waivers.count() as u64;
        let subjects = [(Code::HIS002, unknown), (Code::RUN002, waivers), (Code::STO006, assets)];
        let subjects: Vec<_> = subjects.into_iter().filter(|(_, count)| *count > 0).collect();
        if subjects.is_empty() {
            return Ok(());
        }
        let whole = to.summary.complete && to.sink.applied().is_none() && self.uncovered.is_empty();
        let run = Ledger::of_run();
        let measured = Measured::new(&run, self.evaluator.profile);
        let mut verdicts = to.uses.evaluate(self.evaluator.profile, whole);
        if unknown > 0 {
            verdicts.not_evaluated.insert((Code::HIS002, SkipReason::PartialRun), unknown);
        }
        if self.evaluator.profile.selects(Code::STO006) {
            verdicts.add(of_stores);
        }
        to.sink.end_inputs();
        self.write_apart(&measured, &Evaluated::of_run(&measured, &subjects, verdicts), None, None, to)
    }
}

/// Returns the links and splits of each region, `top` of each kind; 0 skips the search.
fn links<'a>(measured: &'a Measured<'a>, top: usize) -> Vec<Vec<regroup::Advice<'a>>> {
    if top == 0 {
        return Vec::new();
    }
    (0..measured.ledger.regions.len()).map(|region| regroup::advise(measured, region, top)).collect()
}

/// Writes all rows of one input, except the row of the input itself.
fn write_input<'a>(
    measured: &'a Measured<'_>,
    reported: &ReportedFindings<'_>,
    actions: &[ListedAction<'_>],
    counts: &'a Counts<'_>,
    buffer: &mut RowBuffer<'a, '_, '_, '_>,
) -> io::Result<()> {
    for (region, sums) in measured.ledger.regions.iter().zip(&measured.regions) {
        write_row::<Regions>(buffer, &(measured, region, sums))?;
        buffer.region(region);
        for (parcel, sums) in region.parcels.iter().zip(&sums.parcels) {
            write_row::<Parcels>(buffer, &(measured, region, parcel, sums))?;
        }
    }
    for listed in actions {
        write_row::<Actions>(buffer, &(measured, listed))?;
    }
    let first = actions::first_of_objects(actions);
    buffer.share_out(&shares(measured), |share, rows| {
        write_objects(measured, counts, &first, share.clone(), rows)
    })?;
    for row in mesh_rows(measured, counts) {
        write_row::<Meshes>(buffer, &row)?;
        buffer.mesh(row.mesh, physics_mesh(row.mesh, measured.profile.physics.model));
        if let Some(convex) = &row.mesh.convex {
            if let Some(hull) = &convex.base {
                write_row::<Hulls>(buffer, &(measured, row.mesh, None, hull))?;
            }
            for (index, hull) in convex.hulls.iter().enumerate() {
                write_row::<Hulls>(buffer, &(measured, row.mesh, Some(index), hull))?;
            }
        }
    }
    write_findings(measured, reported, buffer)
}

/// Splits objects into ranges of about [`SHARE`] rows.
fn shares(measured: &Measured<'_>) -> Vec<Range<usize>> {
    let (mut shares, mut start, mut rows) = (Vec::new(), 0, 0);
    for (number, (object, _)) in measured.objects().enumerate() {
        rows += 1 + object.linkset.parts.len();
        if rows >= SHARE {
            shares.push(start..number + 1);
            (start, rows) = (number + 1, 0);
        }
    }
    if rows > 0 {
        shares.push(start..measured.ledger.objects.len());
    }
    shares
}

/// Writes the rows of some objects and their parts.
fn write_objects(
    measured: &Measured<'_>,
    counts: &Counts<'_>,
    first: &HashMap<usize, &ListedAction<'_>>,
    share: Range<usize>,
    rows: &mut dyn Rows,
) -> io::Result<()> {
    for row in object_rows(measured, counts, share) {
        let row = objects::Row { action: first.get(&row.number).copied(), ..row };
        write_row::<Objects>(rows, &row)?;
        for (part, measures) in row.object.linkset.parts.iter().zip(&row.measures.parts) {
            write_row::<Parts>(rows, &(measured, row.object, part, measures))?;
        }
    }
    Ok(())
}

/// Writes findings and rule outcomes.
fn write_findings(
    measured: &Measured<'_>,
    reported: &ReportedFindings<'_>,
    rows: &mut dyn Rows,
) -> io::Result<()> {
    for reported in &reported.findings {
        write_row::<Findings>(rows, &findings::Row { measured, reported })?;
    }
    reported.checks.iter().try_for_each(|check| write_row::<Checks>(rows, &(measured, check)))
}

/// Adds the shown rows of an input to the summary.
fn sum_up(
    measured: &Measured<'_>,
    reported: &ReportedFindings<'_>,
    counts: &Counts<'_>,
    shown: &FilteredSinks,
    summary: &mut Summary,
) {
    let all = 0..measured.ledger.objects.len();
    for row in object_rows(measured, counts, all).filter(|row| shown.shows::<Objects>(row.number)) {
        summary.add_object(&row);
    }
    sum_up_findings(measured, reported, shown, summary);
}

/// Adds its shown findings and checks to the summary.
fn sum_up_findings(
    measured: &Measured<'_>,
    reported: &ReportedFindings<'_>,
    shown: &FilteredSinks,
    summary: &mut Summary,
) {
    for (_, reported) in
        reported.findings.iter().enumerate().filter(|&(number, _)| shown.shows::<Findings>(number))
    {
        summary.add_finding(&findings::Row { measured, reported });
    }
    for (_, check) in reported.checks.iter().enumerate().filter(|&(number, _)| shown.shows::<Checks>(number))
    {
        summary.add_check(check);
    }
}

fn object_rows<'a>(
    measured: &'a Measured<'a>,
    counts: &'a Counts<'_>,
    share: Range<usize>,
) -> impl Iterator<Item = objects::Row<'a>> {
    let objects = measured.objects().enumerate().skip(share.start).take(share.len());
    objects.map(|(number, (object, measures))| {
        let root = object.linkset.parts.first().map_or(Uuid::nil(), |root| root.uuid);
        let about = counts.object(&object.entry, root);
        objects::Row { measured, object, number, measures, about, action: None }
    })
}

fn mesh_rows<'a>(
    measured: &'a Measured<'a>,
    counts: &'a Counts<'_>,
) -> impl Iterator<Item = meshes::Row<'a>> {
    let numbers = measured.ledger.meshes.iter().zip(&measured.meshes).zip(&measured.mesh_users);
    numbers.map(|((mesh, measures), &users)| {
        let about = counts.entry(&mesh.entry);
        meshes::Row { measured, mesh, measures, users, about }
    })
}
