//! Evaluates the ledgers of a report and hands them to its formats, in order.

use super::{
    Evaluated, Evaluator, ReportError, Summary, actions,
    counts::{Counts, SeverityCounts},
    evaluate::{LedgerSet, Source},
    findings::ReportedFindings,
    missing::{self, MissingAsset},
    output::OutputError,
    page::{Makers, Pages},
    preflight::{Lacking, Verdict},
    region_status,
    reported::Reported,
    row_filter::{Met, Selection},
    run_tables::{People, RunTables},
    summary::FirstUse,
    tables::archives,
    trend::Past,
};
use crate::diff::{Baseline, Snapshot};
use hullmark_analysis::{Measured, regroup};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::{InputKind, Ledger, coverage::Uncovered, facts::Status};
use hullmark_rules::{
    self as rules, RuleOutcomes, SkipReason,
    cross_input::CrossInput,
    history::{Copies, Emptied, Known, Rank},
    waivers::{Uses, Waivers},
};
use hullmark_settings::users::Users;
use hullmark_util::timings::{Stage, within};
use std::{
    collections::{BTreeMap, HashMap},
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

/// The destination of all inputs, which write in turns.
struct Shared<'s, 'w> {
    pages: &'s mut Pages,
    met: Met,
    summary: &'s mut Summary,
    uses: Uses<'w>,
    tables: RunTables,
}

fn pages<'s>(shared: &'s mut Shared<'_, '_>) -> &'s mut Pages {
    shared.pages
}

impl ReportWriter<'_> {
    /// Evaluates ledgers and writes the selected things.
    pub fn write(
        &self,
        LedgerSet { stores, inputs, headers, aside, .. }: LedgerSet,
        selection: &Selection,
        (makers, pages_of_run): (&Makers, &mut Pages),
        summary: &mut Summary,
        (mut across, tables): (CrossInput, RunTables),
        failed: impl Fn(io::Error) -> OutputError + Sync,
    ) -> Result<(), ReportError> {
        if headers.iter().any(|header| header.kind == InputKind::Fsassets) {
            across.expect_stores().map_err(ReportError::CrossInput)?;
        }
        across.expect_regions(self.evaluator.regions);
        // Frees the headers: there may be many, and only names are needed.
        let mut names: Vec<String> = headers.into_iter().map(|header| header.input).collect();
        names.shrink_to_fit();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let baseline = self.baseline.map(|earlier| Baseline::new(earlier, self.copies, &names));
        let read = |source: Source| Ok(source.read());
        let (is_alone, empty) = (inputs.len() == 1, summary.empty_sums());
        let inputs = Source::with_memory(inputs);
        let mut to = Shared {
            pages: pages_of_run,
            met: Met::default(),
            summary,
            uses: Uses::new(self.waivers),
            tables,
        };
        self.evaluator.each(
            inputs,
            read,
            &stores,
            self.known,
            (&mut across, &mut to),
            |measured, evaluated, turn| {
                let findings = ReportedFindings::new(measured, evaluated, self.waivers, baseline.as_ref());
                let links = within(Stage::Rules, || links(measured, self.top));
                let actions =
                    within(Stage::Cost, || actions::list(measured, &findings, &links, self.address));
                let lacking = within(Stage::Rules, || Lacking::of(measured, &findings));
                let losses = within(Stage::Rules, || lacking.losses(measured, false));
                let missing = within(Stage::Rules, || missing::list(measured, &lacking));
                // Losses have no owner and no region, so a filter cannot select them.
                let is_judged = selection.is_empty() && measured.ledger.kind != InputKind::Folder;
                let verdict =
                    is_judged.then(|| Verdict::of(measured, &findings, &losses, !stores.is_empty()));
                let firsts = first_uses(measured, &missing, self.evaluator.users);
                let counts = findings.counts();
                let row = self.row(measured, &counts.all);
                let input = Reported::new(measured, row, &findings, &counts, &actions, (&missing, &lacking));
                let shown = selection.of(&input);
                let input = input.showing(shown);
                let whole = region_status::of_input(&input, verdict, &losses);
                let statuses = region_status::of_regions(&input, &whole);
                let input = input.with_statuses(&statuses).listing_assets(self.evaluator.config.list_assets);
                let mut sums = empty.clone();
                sums.add(&input);
                sums.add_statuses(&input, &whole);
                if selection.is_empty() {
                    sums.add_losses(losses, &firsts);
                    verdict.into_iter().for_each(|verdict| sums.add_verdict(verdict));
                }
                let people = People::of(&input);
                let written = makers.write_in_turn(&input.pieces(), is_alone, turn, |shared| pages(shared));
                let Some(mut shared) = written.map_err(&failed)? else { return Ok(()) };
                let Shared { summary, uses, met, tables, .. } = &mut **shared;
                tables.add(&input, people).map_err(&failed)?;
                uses.look(measured);
                findings.note_uses(uses);
                met.note(input.shown());
                summary.sums().join(sums);
                // With --all-copies, older copies are evaluated too.
                if let Some(run) =
                    summary.run.as_mut().filter(|_| self.copies.is_evaluated(&measured.ledger.input))
                {
                    run.add(measured, &statuses);
                }
                Ok(())
            },
        )?;
        let write = Apart { writer: self, selection, makers, baseline: baseline.as_ref() };
        let none = SeverityCounts::default();
        for (header, source) in aside {
            // The header of a complete ledger has all facts that are reported.
            let ledger = match header.brief.status {
                Status::Complete => header.outline(),
                _ => source.read(),
            };
            let measured = Measured::new(&ledger, self.evaluator.profile_of(&ledger));
            let rank = self.copies.rank_of(&ledger.input);
            let evaluated = Evaluated::aside(&measured, rank);
            let row = archives::Row { copy: Some(&header.brief), ..self.row(&measured, &none) };
            write.findings(&measured, &evaluated, Some(row), &mut to).map_err(&failed)?;
            let is_older = matches!(rank, Rank::Superseded { .. });
            to.summary.sums().add_copy(&ledger, is_older);
            // The newest copy is not complete.
            if !is_older && selection.is_empty() {
                to.summary.sums().add_verdict(Verdict::NoGo);
            }
        }
        // A missing archive is not an input: it is not counted, and the run stays complete.
        for (name, findings) in self.absent() {
            let Some(evaluated) = Evaluated::absent(findings, self.evaluator.profile) else { continue };
            let absent = Ledger::absent(name);
            let measured = Measured::new(&absent, self.evaluator.profile);
            to.uses.look(&measured);
            let row = archives::Row::alone(&measured, &none);
            write.findings(&measured, &evaluated, Some(row), &mut to).map_err(&failed)?;
        }
        let uncovered: Vec<Ledger> = self.uncovered.iter().map(Uncovered::ledger).collect();
        to.summary.leave_out(self.uncovered);
        for source in uncovered.iter().chain(&stores) {
            // These inputs are not evaluated. Their rows show which copies the report uses and which inputs it does not
            // cover.
            let measured = Measured::new(source, self.evaluator.profile_of(source));
            let row = match source.is_store() {
                true => archives::Row::alone(&measured, &none),
                false => self.row(&measured, &none),
            };
            write.row(row, &mut to).map_err(&failed)?;
            to.summary.sums().add_source(source, source.status);
        }
        let in_stores = across.finish(self.uncovered.is_empty()).map_err(ReportError::CrossInput)?;
        let of_regions = across.finish_regions(self.uncovered.is_empty());
        write.run(&mut to, in_stores, of_regions).map_err(&failed)?;
        let Shared { pages, met, summary, tables, .. } = to;
        let written = tables.finish(&mut across, self.evaluator.users, |pieces| makers.write(pieces, pages));
        written.map_err(&failed)?;
        summary.finish(selection.applied(&met));
        Ok(())
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

/// Writes subjects that are not evaluated inputs.
struct Apart<'a> {
    writer: &'a ReportWriter<'a>,
    selection: &'a Selection,
    makers: &'a Makers,
    baseline: Option<&'a Baseline<'a>>,
}

impl Apart<'_> {
    /// Writes the row of an input without findings.
    fn row(&self, row: archives::Row<'_>, to: &mut Shared<'_, '_>) -> io::Result<()> {
        let findings = ReportedFindings { findings: Vec::new(), checks: Vec::new() };
        let counts = Counts::default();
        let input = Reported::findings_alone(row.measured, Some(row), &findings, &counts, &[]);
        self.makers.write(&input.pieces(), to.pages)
    }

    /// Writes findings, and the row of their input, if they have one.
    fn findings(
        &self,
        measured: &Measured<'_>,
        evaluated: &Evaluated,
        row: Option<archives::Row<'_>>,
        to: &mut Shared<'_, '_>,
    ) -> io::Result<()> {
        let findings = ReportedFindings::new(measured, evaluated, self.writer.waivers, self.baseline);
        findings.note_uses(&mut to.uses);
        let counts = findings.counts();
        let row = row.map(|row| archives::Row { counts: &counts.all, ..row });
        let repairs = actions::repairs(measured, &findings, self.writer.address);
        let input = Reported::findings_alone(measured, row, &findings, &counts, &repairs);
        let shown = self.selection.of(&input);
        let input = input.showing(shown);
        self.makers.write(&input.pieces(), to.pages)?;
        if input.row.is_some() {
            let whole = region_status::of_input(&input, None, &[]);
            to.summary.sums().add_statuses(&input, &whole);
        }
        to.tables.add(&input, People::of(&input))?;
        to.met.note(input.shown());
        to.summary.sums().add_findings(&input);
        Ok(())
    }

    /// Writes findings about the run: problems of waivers, the number of expected names that could not be checked, assets
    /// of stores, and listed regions. Only a complete run shows that a waiver is unused.
    fn run(
        &self,
        to: &mut Shared<'_, '_>,
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
        let whole = to.summary.sums().is_complete() && self.selection.is_empty() && uncovered.is_empty();
        let run = Ledger::of_run();
        let measured = Measured::new(&run, evaluator.profile);
        let mut outcomes = to.uses.evaluate(evaluator.profile, whole);
        for (code, count) in [(Code::HIS002, unknown), (Code::HIS009, may_be_gone)] {
            if count > 0 {
                outcomes.not_evaluated.insert((code, SkipReason::PartialRun), count);
            }
        }
        if let Some(path) = baseline_gone {
            to.summary.sums().add_gone(path);
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

/// Returns the first user of the missing asset of most objects, by kind.
fn first_uses(
    measured: &Measured<'_>,
    missing: &[MissingAsset<'_>],
    users: Option<&Users>,
) -> BTreeMap<&'static str, FirstUse> {
    let mut firsts = BTreeMap::new();
    // Those of most objects come first.
    for asset in missing.iter().filter(|asset| asset.is_lost) {
        if !firsts.contains_key(asset.kind)
            && let Some(first) = FirstUse::new(measured, asset, users)
        {
            firsts.insert(asset.kind, first);
        }
    }
    firsts
}

/// Returns the links and splits of each region, `top` of each kind; 0 skips the search.
fn links<'a>(measured: &'a Measured<'a>, top: usize) -> Vec<Vec<regroup::Advice<'a>>> {
    if top == 0 {
        return Vec::new();
    }
    (0..measured.ledger.regions.len()).map(|region| regroup::advise(measured, region, top)).collect()
}
