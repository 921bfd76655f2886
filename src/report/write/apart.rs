//! Writes subjects that are not evaluated inputs: copies, missing archives, uncovered inputs, stores and the run.

use super::{Formats, ReportWriter, added::RunSums};
use crate::{
    Evaluated, ReportError, actions,
    counts::{Counts, SeverityCounts},
    diff::Baseline,
    evaluate::Source,
    findings::ReportedFindings,
    output::OutputError,
    preflight::Verdict,
    region_status,
    reported::{Piece, Reported},
    row_filter::{Met, Selection},
    run_tables::People,
    tables::archives,
};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_ledger::{Ledger, LedgerHeader, coverage::Uncovered, facts::Status};
use hullmark_rules::{self as rules, RuleOutcomes, SkipReason, cross_input::CrossInput, history::Rank};
use std::{io, mem::take};

/// Writes subjects that are not evaluated inputs.
pub(super) struct Apart<'a> {
    pub(super) writer: &'a ReportWriter<'a>,
    pub(super) selection: &'a Selection,
    pub(super) baseline: Option<&'a Baseline<'a>>,
}

/// Their destination.
pub(super) struct To<'t, 's, 'w> {
    pub(super) formats: Vec<Formats<'t>>,
    pub(super) sums: RunSums<'s, 'w>,
}

impl To<'_, '_, '_> {
    fn write(&mut self, input: &Reported<'_>) -> io::Result<()> {
        let pieces = input.pieces();
        self.formats.iter_mut().try_for_each(|format| format.makers.write(&pieces, format.pages))
    }
}

impl Apart<'_> {
    /// Writes all rows that follow those of the inputs, and ends the summary.
    pub(super) fn write(
        &self,
        aside: Vec<(LedgerHeader, Source)>,
        stores: &[Ledger],
        across: &mut CrossInput,
        mut to: To<'_, '_, '_>,
        failed: impl Fn(io::Error) -> OutputError,
    ) -> Result<(), ReportError> {
        let ReportWriter { evaluator, uncovered, .. } = self.writer;
        self.copies(aside, &mut to).map_err(&failed)?;
        self.missing(&mut to).map_err(&failed)?;
        let left_out: Vec<Ledger> = uncovered.iter().map(Uncovered::ledger).collect();
        to.sums.summary.leave_out(uncovered);
        for source in left_out.iter().chain(stores) {
            self.source(source, &mut to).map_err(&failed)?;
        }
        let in_stores = across.finish(uncovered.is_empty()).map_err(ReportError::CrossInput)?;
        let of_regions = across.finish_regions(uncovered.is_empty());
        self.run(&mut to, in_stores, of_regions).map_err(&failed)?;
        let To { mut formats, sums: RunSums { summary, people, met, .. } } = to;
        for Formats { makers, pages, tables } in &mut formats {
            let written = take(tables).finish(across, |pieces| makers.write(pieces, pages));
            written.map_err(&failed)?;
        }
        let then = |pieces: &[Piece<'_>]| {
            formats.iter_mut().try_for_each(|format| format.makers.write(pieces, format.pages))
        };
        people.finish(evaluator.users, then).map_err(&failed)?;
        summary.finish(self.selection.applied(&met));
        Ok(())
    }

    /// Writes dated copies that are not evaluated.
    fn copies(&self, aside: Vec<(LedgerHeader, Source)>, to: &mut To<'_, '_, '_>) -> io::Result<()> {
        let none = SeverityCounts::default();
        for (header, source) in aside {
            // The header of a complete ledger has all facts that are reported.
            let ledger = match header.brief.status {
                Status::Complete => header.outline(),
                _ => source.read(),
            };
            let measured = Measured::new(&ledger, self.writer.evaluator.profile_of(&ledger));
            let rank = self.writer.copies.rank_of(&ledger.input);
            let evaluated = Evaluated::aside(&measured, rank);
            let row = archives::Row { copy: Some(&header.brief), ..self.writer.row(&measured, &none) };
            self.findings(&measured, &evaluated, Some(row), to)?;
            let is_older = matches!(rank, Rank::Superseded { .. });
            to.sums.summary.sums().add_copy(&ledger, is_older);
            // The newest copy is not complete.
            if !is_older && self.selection.is_empty() {
                to.sums.summary.sums().add_verdict(Verdict::NoGo);
            }
        }
        Ok(())
    }

    /// Writes missing archives. They are no inputs: they are not counted, and the run stays complete.
    fn missing(&self, to: &mut To<'_, '_, '_>) -> io::Result<()> {
        let (profile, none) = (self.writer.evaluator.profile, SeverityCounts::default());
        for (name, findings) in self.writer.absent() {
            let Some(evaluated) = Evaluated::absent(findings, profile) else { continue };
            let absent = Ledger::absent(name);
            let measured = Measured::new(&absent, profile);
            to.sums.uses.look(&measured);
            let row = archives::Row::alone(&measured, &none);
            self.findings(&measured, &evaluated, Some(row), to)?;
        }
        Ok(())
    }

    /// Writes the row of an input that is not covered, or of a store. The row shows that, and nothing is evaluated.
    fn source(&self, source: &Ledger, to: &mut To<'_, '_, '_>) -> io::Result<()> {
        let none = SeverityCounts::default();
        let measured = Measured::new(source, self.writer.evaluator.profile_of(source));
        let row = match source.is_store() {
            true => archives::Row::alone(&measured, &none),
            false => self.writer.row(&measured, &none),
        };
        self.row(row, to)?;
        to.sums.summary.sums().add_source(source, source.status);
        Ok(())
    }

    /// Writes the row of an input without findings.
    fn row(&self, row: archives::Row<'_>, to: &mut To<'_, '_, '_>) -> io::Result<()> {
        let findings = ReportedFindings { findings: Vec::new(), checks: Vec::new() };
        let counts = Counts::default();
        let input = Reported::findings_alone(row.measured, Some(row), &findings, &counts, &[]);
        to.write(&input)
    }

    /// Writes findings, and the row of their input, if they have one.
    fn findings(
        &self,
        measured: &Measured<'_>,
        evaluated: &Evaluated,
        row: Option<archives::Row<'_>>,
        to: &mut To<'_, '_, '_>,
    ) -> io::Result<()> {
        let findings = ReportedFindings::new(measured, evaluated, self.writer.waivers);
        let findings = findings.against(self.baseline, measured)?;
        findings.note_uses(&mut to.sums.uses);
        let counts = findings.counts();
        let row = row.map(|row| archives::Row { counts: &counts.all, ..row });
        let repairs = actions::repairs(measured, &findings, self.writer.address);
        let input = Reported::findings_alone(measured, row, &findings, &counts, &repairs);
        let shown = self.selection.of(&input);
        let input = input.showing(shown);
        to.write(&input)?;
        if input.row.is_some() {
            let whole = region_status::of_input(&input, None, &[]);
            to.sums.summary.sums().add_statuses(&input, &whole);
        }
        to.formats.iter_mut().try_for_each(|format| format.tables.add(&input))?;
        to.sums.people.join(People::of(&input));
        to.sums.met.join(Met::of(input.shown()));
        to.sums.summary.sums().add_findings(&input);
        Ok(())
    }

    /// Writes findings about the run: problems of waivers, the number of expected names that could not be checked, assets
    /// of stores, and listed regions. Only a complete run shows that a waiver is unused.
    fn run(
        &self,
        to: &mut To<'_, '_, '_>,
        in_stores: (RuleOutcomes, u64),
        (of_regions, listed): (RuleOutcomes, u64),
    ) -> io::Result<()> {
        let ReportWriter { known, waivers, evaluator, uncovered, baseline_gone, .. } = self.writer;
        let unknown = known.map_or(0, |known| known.unknown);
        let may_be_gone = known.map_or(0, |known| known.may_be_gone);
        let (of_stores, assets) = in_stores;
        let waivers = waivers.count() as u64;
        let without_earlier = u64::from(baseline_gone.is_some());
        let subjects = [
            (Code::HIS010, without_earlier),
            (Code::HIS002, unknown),
            (Code::HIS009, may_be_gone),
            (Code::RUN002, waivers),
            (Code::STO006, assets),
            (Code::DBS015, listed),
        ];
        let subjects: Vec<_> = subjects.into_iter().filter(|(_, count)| *count > 0).collect();
        if subjects.is_empty() {
            return Ok(());
        }
        let whole = to.sums.summary.sums().is_complete() && self.selection.is_empty() && uncovered.is_empty();
        let run = Ledger::of_run();
        let measured = Measured::new(&run, evaluator.profile);
        let mut outcomes = to.sums.uses.evaluate(evaluator.profile, whole);
        for (code, count) in [(Code::HIS002, unknown), (Code::HIS009, may_be_gone)] {
            if count > 0 {
                outcomes.not_evaluated.insert((code, SkipReason::PartialRun), count);
            }
        }
        if let Some(path) = baseline_gone {
            to.sums.summary.sums().add_gone(path);
            if evaluator.profile.selects(Code::HIS010) {
                outcomes.findings.extend([rules::his010_baseline(path)]);
            }
        }
        for (code, of_rule) in [(Code::STO006, of_stores), (Code::DBS015, of_regions)] {
            if evaluator.profile.selects(code) {
                outcomes.add(of_rule);
            }
        }
        self.findings(&measured, &Evaluated::of_run(&measured, &subjects, outcomes), None, to)
    }
}
