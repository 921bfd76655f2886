//! Ledgers to rows: all that a run tells, in the order in which it is written.

use super::{
    Evaluated, Evaluator, ReportError, Summary,
    counts::{Counts, SeverityCounts},
    evaluate::{LedgerSet, Source},
    findings::ReportedFindings,
    output::OutputError,
    row_buffer::{Page, Shared},
    row_filter::FilteredSinks,
    table::{Rows, write as write_row},
    tables::{
        archives::{self, Archives},
        checks::Checks,
        findings::{self, Findings},
        hulls::Hulls,
        meshes::{self, Meshes},
        objects::{self, Objects},
        parcels::Parcels,
        parts::Parts,
        regions::Regions,
        savings::Savings,
    },
};
use crate::{
    analysis::{Measured, regroup},
    finding::Code,
    ledger::{Ledger, coverage::Uncovered, facts::Status},
    report::diff::{Baseline, Snapshot},
    rules::{
        self, SkipReason,
        cross_input::CrossInput,
        history::{Copies, Emptied, Known, Rank},
        waivers::{Uses, Waivers},
    },
    util::timings::{Stage, within},
};
use std::{io, ops::Range};
use uuid::Uuid;

/// Rows of objects and parts that one thread makes at a time.
const SHARE: usize = 512;

/// What ledgers are told with.
pub(super) struct ReportWriter<'a> {
    /// The target.
    pub(super) judge: Evaluator<'a>,
    /// What came before the inputs, and what is not there.
    pub(super) known: Option<&'a Known<'a>>,
    /// Which inputs are copies of one thing.
    pub(super) copies: &'a Copies,
    /// The earlier night beside which findings are new or known.
    pub(super) baseline: Option<&'a Snapshot>,
    /// Inputs that are not covered.
    pub(super) uncovered: &'a [Uncovered],
    /// Folders that had inputs in an earlier run and have none now.
    pub(super) emptied: &'a [Emptied],
    /// Which findings count nowhere.
    pub(super) waivers: &'a Waivers,
    /// How many savings of each kind; none are searched where that is none.
    pub(super) top: usize,
}

impl ReportWriter<'_> {
    /// Judges ledgers and gives their rows to sinks.
    pub(super) fn tell(
        &self,
        LedgerSet { stores, inputs, labels, aside, .. }: LedgerSet,
        sink: &mut FilteredSinks,
        summary: &mut Summary,
        across: CrossInput,
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), ReportError> {
        // Labels are many, and what they say is known by now.
        let mut names: Vec<String> = labels.into_iter().map(|label| label.input).collect();
        names.shrink_to_fit();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let beside = self.baseline.map(|night| Baseline::of(night, self.copies, &names));
        let mut uses = Uses::of(self.waivers);
        let read = |source: Source| Ok(source.read()?);
        let (texts, alone) = (sink.texts(), inputs.len() == 1);
        let shared = (across, Shared { sink: &mut *sink, summary: &mut *summary, uses: &mut uses });
        self.judge.each(inputs, read, &stores, self.known, shared, |measured, judged, turn| {
            let told = ReportedFindings::of(measured, judged, self.waivers, beside.as_ref());
            let savings = within(Stage::Rules, || savings(measured, self.top));
            let counts = told.counts();
            let mut page = Page::of(texts.as_deref(), alone, turn);
            let write = || {
                write_row::<Archives>(&mut page, &self.row(measured, &counts.all))?;
                write_case(measured, &told, &savings, &counts, &mut page)?;
                page.end()
            };
            let Some(mut shared) = within(Stage::Write, write).map_err(&failed)? else { return Ok(()) };
            let Shared { sink, summary, uses } = &mut *shared;
            uses.look(measured);
            told.note_uses(uses);
            sum_up(measured, &told, &counts, sink, summary);
            summary.add(measured, sink);
            Ok(())
        })?;
        let mut to = Shared { sink, summary, uses: &mut uses };
        let none = SeverityCounts::default();
        for (label, source) in aside {
            // Of what was read to its end the label says all that is told.
            let ledger = match label.brief.status {
                Status::Complete => label.outline(),
                _ => source.read()?,
            };
            let measured = Measured::new(&ledger, self.judge.profile);
            let rank = self.copies.rank_of(&ledger.input);
            let judged = Evaluated::aside(&measured, rank);
            let row = archives::Row { copy: Some(&label.brief), ..self.row(&measured, &none) };
            self.write_apart(&measured, &judged, beside.as_ref(), Some(row), &mut to).map_err(&failed)?;
            to.summary.add_copy(&ledger, matches!(rank, Rank::Superseded { .. }));
        }
        // What is not there is no input, so nothing of it is counted, and the run is not incomplete for it.
        let expected = self.known.into_iter().flat_map(|known| &known.absent);
        let absent = expected.map(|name| (*name, rules::his002_absent(name)));
        let emptied = self.emptied.iter().map(|emptied| (&*emptied.folder, rules::his007_emptied(emptied)));
        for (name, finding) in absent.chain(emptied) {
            let Some(judged) = Evaluated::absent(finding, self.judge.profile) else { continue };
            let absent = Ledger::absent(name);
            let measured = Measured::new(&absent, self.judge.profile);
            to.uses.look(&measured);
            let row = archives::Row::alone(&measured, &none);
            self.write_apart(&measured, &judged, beside.as_ref(), Some(row), &mut to).map_err(&failed)?;
        }
        let uncovered: Vec<Ledger> = self.uncovered.iter().map(Uncovered::ledger).collect();
        to.summary.leave_out(self.uncovered);
        for source in uncovered.iter().chain(&stores) {
            // Neither is judged: they are named, so that a report says what it rests on, and what it says nothing of.
            let measured = Measured::new(source, self.judge.profile);
            let row = match source.is_store() {
                true => archives::Row::alone(&measured, &none),
                false => self.row(&measured, &none),
            };
            write_row::<Archives>(to.sink, &row).map_err(&failed)?;
            to.summary.add_source(source, source.status);
        }
        self.write_run(&mut to).map_err(&failed)?;
        to.summary.finish(to.sink.told());
        Ok(())
    }

    /// The row of an input.
    fn row<'r>(&'r self, measured: &'r Measured<'_>, counts: &'r SeverityCounts) -> archives::Row<'r> {
        let (rank, series) =
            (self.copies.rank_of(&measured.ledger.input), self.copies.matched_by(&measured.ledger.input));
        archives::Row { measured, counts, rank, series, copy: None }
    }

    /// Writes what is told of something that is no input or is not judged, with its row, where it has one.
    fn write_apart(
        &self,
        measured: &Measured<'_>,
        judged: &Evaluated,
        beside: Option<&Baseline<'_>>,
        row: Option<archives::Row<'_>>,
        Shared { sink, summary, uses }: &mut Shared<'_, '_>,
    ) -> io::Result<()> {
        let told = ReportedFindings::of(measured, judged, self.waivers, beside);
        told.note_uses(uses);
        if let Some(row) = row {
            write_row::<Archives>(*sink, &archives::Row { counts: &told.counts().all, ..row })?;
        }
        write_told(measured, &told, *sink)?;
        sum_up_told(measured, &told, sink, summary);
        Ok(())
    }

    /// Writes what is of the run and of no input: what is wrong with waivers, and how many expected names nobody knows
    /// to be there or not. Only a whole run shows that a waiver is not needed.
    fn write_run(&self, to: &mut Shared<'_, '_>) -> io::Result<()> {
        let unknown = self.known.map_or(0, |known| known.unknown);
        let subjects = [(Code::HIS002, unknown), (Code::RUN002, self.waivers.count() as u64)];
        let subjects: Vec<_> = subjects.into_iter().filter(|(_, count)| *count > 0).collect();
        if subjects.is_empty() {
            return Ok(());
        }
        let whole = to.summary.complete && to.sink.told().is_none() && self.uncovered.is_empty();
        let run = Ledger::of_run();
        let measured = Measured::new(&run, self.judge.profile);
        let mut verdicts = to.uses.judge(self.judge.profile, whole);
        if unknown > 0 {
            verdicts.not_evaluated.insert((Code::HIS002, SkipReason::PartialNight), unknown);
        }
        to.sink.end_inputs();
        self.write_apart(&measured, &Evaluated::of_run(&measured, &subjects, verdicts), None, None, to)
    }
}

/// What lowers the simulator's cost of each region: so much of each kind, and nothing is searched where that is none.
fn savings<'a>(measured: &'a Measured<'a>, top: usize) -> Vec<Vec<regroup::Advice<'a>>> {
    if top == 0 {
        return Vec::new();
    }
    (0..measured.ledger.regions.len()).map(|region| regroup::advise(measured, region, top)).collect()
}

/// Writes all rows of one input, but for its own.
fn write_case(
    measured: &Measured<'_>,
    told: &ReportedFindings<'_>,
    savings: &[Vec<regroup::Advice<'_>>],
    counts: &Counts<'_>,
    page: &mut Page<'_, '_, '_, '_>,
) -> io::Result<()> {
    for (region, sums) in measured.ledger.regions.iter().zip(&measured.regions) {
        write_row::<Regions>(page, &(measured, region, sums))?;
        for (parcel, sums) in region.parcels.iter().zip(&sums.parcels) {
            write_row::<Parcels>(page, &(measured, region, parcel, sums))?;
        }
    }
    for (region, savings) in measured.ledger.regions.iter().zip(savings) {
        for advice in savings {
            write_row::<Savings>(page, &(measured, region, advice))?;
        }
    }
    page.share_out(&shares(measured), |share, rows| write_objects(measured, counts, share.clone(), rows))?;
    for row in mesh_rows(measured, counts) {
        write_row::<Meshes>(page, &row)?;
        if let Some(convex) = &row.mesh.convex {
            if let Some(hull) = &convex.base {
                write_row::<Hulls>(page, &(measured, row.mesh, None, hull))?;
            }
            for (index, hull) in convex.hulls.iter().enumerate() {
                write_row::<Hulls>(page, &(measured, row.mesh, Some(index), hull))?;
            }
        }
    }
    write_told(measured, told, page)
}

/// Objects in shares of about as many rows.
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
    share: Range<usize>,
    rows: &mut dyn Rows,
) -> io::Result<()> {
    for row in object_rows(measured, counts, share) {
        write_row::<Objects>(rows, &row)?;
        for (part, measures) in row.object.linkset.parts.iter().zip(&row.measures.parts) {
            write_row::<Parts>(rows, &(measured, row.object, part, measures))?;
        }
    }
    Ok(())
}

/// Writes what was found, and what became of each rule.
fn write_told(measured: &Measured<'_>, told: &ReportedFindings<'_>, rows: &mut dyn Rows) -> io::Result<()> {
    for told in &told.findings {
        write_row::<Findings>(rows, &findings::Row { measured, told })?;
    }
    told.checks.iter().try_for_each(|check| write_row::<Checks>(rows, &(measured, check)))
}

/// Takes what is shown of an input into the summary.
fn sum_up(
    measured: &Measured<'_>,
    told: &ReportedFindings<'_>,
    counts: &Counts<'_>,
    shown: &FilteredSinks,
    summary: &mut Summary,
) {
    let all = 0..measured.ledger.objects.len();
    for row in object_rows(measured, counts, all).filter(|row| shown.shows::<Objects>(row.number)) {
        summary.add_object(&row);
    }
    sum_up_told(measured, told, shown, summary);
}

/// Takes what is shown of its findings and checks into it.
fn sum_up_told(
    measured: &Measured<'_>,
    told: &ReportedFindings<'_>,
    shown: &FilteredSinks,
    summary: &mut Summary,
) {
    for (_, told) in told.findings.iter().enumerate().filter(|&(number, _)| shown.shows::<Findings>(number)) {
        summary.add_finding(&findings::Row { measured, told });
    }
    for (_, check) in told.checks.iter().enumerate().filter(|&(number, _)| shown.shows::<Checks>(number)) {
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
        objects::Row { measured, object, number, measures, about }
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
