//! Evaluates ledgers. Reports and the preflight page are written from the outcomes.

use super::{ReportError, findings::with_severities};
use hullmark_analysis::{Measured, assets::Assets};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_format::defect::{Defect, InputDefect};
use hullmark_ledger::{
    self as ledger, InputKind, Ledger, LedgerError, LedgerHeader, facts::Status, in_memory::InMemory,
};
use hullmark_rules::{
    self as rules, RuleContext, RuleCount, RuleOutcomes,
    cross_input::{Compared, CrossInput},
    history::{Known, Rank},
};
use hullmark_settings::{
    config::ReportConfig,
    profile::{Named, Profile},
    simulator::regions::RegionFile,
    users::Users,
};
use hullmark_util::{
    catch_panic::caught,
    ordered_parallel::{InWork, Turn, in_turns},
    timings::{Stage, within},
};
use std::{
    collections::BTreeMap,
    io,
    mem::take,
    path::{Path, PathBuf},
};

/// Findings and rule outcomes of one input.
pub struct Evaluated {
    /// Findings with their severities, the worst first.
    pub findings: Vec<(Severity, Finding)>,
    /// The outcome of each rule.
    pub checks: Vec<RuleCount>,
}

impl Evaluated {
    /// Evaluates an input alone.
    pub fn without_context(measured: &Measured<'_>) -> Self {
        Self::by(measured, &RuleContext::default(), rules::evaluate(measured, &RuleContext::default()))
    }

    /// Evaluates an input with these outcomes.
    pub fn by(measured: &Measured<'_>, context: &RuleContext<'_>, mut outcomes: RuleOutcomes) -> Self {
        let checks = rules::tally(measured, context.past.is_some(), &outcomes);
        outcomes.findings.extend(rules::run003_not_evaluated(&checks));
        Self { findings: with_severities(measured, outcomes), checks }
    }

    /// Returns a missing input with these findings. `None` if their rules are off.
    pub fn absent(findings: Vec<Finding>, profile: &Profile) -> Option<Self> {
        let findings: Vec<_> = findings.into_iter().filter(|finding| profile.selects(finding.code)).collect();
        let mut failed: BTreeMap<Code, u64> = BTreeMap::new();
        findings.iter().for_each(|finding| *failed.entry(finding.code).or_default() += 1);
        let check = |(code, failed)| RuleCount {
            code,
            subjects: failed,
            failed,
            waived: 0,
            not_evaluated: BTreeMap::new(),
        };
        let checks = failed.into_iter().map(check).collect();
        let findings = findings.into_iter().map(|finding| (profile.severity_of(&finding), finding));
        let findings: Vec<_> = findings.collect();
        (!findings.is_empty()).then_some(Self { findings, checks })
    }

    /// Returns a dated copy that is not evaluated. It has only findings about reading it.
    pub fn aside(measured: &Measured<'_>, rank: &Rank) -> Self {
        let outcomes = rules::of_copy(measured, rank);
        let found = outcomes.findings.iter().map(|finding| (finding.code, finding.count));
        let mut subjects: BTreeMap<Code, u64> = BTreeMap::new();
        found.for_each(|(code, count)| *subjects.entry(code).or_default() += count);
        let subjects: Vec<_> = subjects.into_iter().collect();
        Self::of_run(measured, &subjects, outcomes)
    }

    /// Returns the findings about the run, with the number of subjects of each rule.
    pub fn of_run(measured: &Measured<'_>, subjects: &[(Code, u64)], outcomes: RuleOutcomes) -> Self {
        let checks = rules::tally_run(measured, subjects, &outcomes);
        Self { findings: with_severities(measured, outcomes), checks }
    }
}

/// Target and settings of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator<'a> {
    /// The target grid.
    pub profile: &'a Profile,
    /// The profile of what only OpenSimulator loads. `None` if a target was chosen, which then holds for everything.
    pub opensim_load: Option<&'a Profile>,
    /// Further profiles to compare with.
    pub further: &'a [Named],
    /// Users of the target, if known.
    pub users: Option<&'a Users>,
    /// Files of regions, which name the regions of databases.
    pub regions: &'a [RegionFile],
    /// Settings of reports.
    pub config: &'a ReportConfig,
}

impl<'a> Evaluator<'a> {
    /// Returns the profile for an input.
    pub fn profile_of(&self, ledger: &Ledger) -> &'a Profile {
        self.opensim_load.filter(|_| ledger.kind.is_of_opensim()).unwrap_or(self.profile)
    }

    /// Evaluates inputs of these sizes in memory, with the assets of stores and their earlier runs. Inputs are read and
    /// evaluated in parallel. Cross-input rules, then `report`, run in input order.
    pub fn each<I: Send, S: Send>(
        &self,
        inputs: Vec<(I, u64)>,
        read: impl Fn(I) -> Result<Ledger, ReportError> + Sync,
        stores: &[Ledger],
        known: Option<&Known<'_>>,
        shared: (&mut CrossInput, S),
        report: impl Fn(&Measured<'_>, &Evaluated, &mut Turn<'_, S>) -> Result<(), ReportError> + Sync,
    ) -> Result<(), ReportError> {
        let in_stores = Assets::from_ledgers(stores);
        in_turns(inputs, in_work(), shared, |input, mut across, mut turn| {
            let mut ledger = read(input)?;
            ledger.apply_region_files(self.regions);
            let past = known.and_then(|known| known.past(&ledger.input));
            let context = RuleContext { users: self.users, past };
            let instead;
            let (measured, mut outcomes) = match caught(|| self.evaluate(&ledger, &in_stores, &context)) {
                Ok(evaluated) => evaluated,
                Err(words) => {
                    instead = failed_ledger(&ledger, words);
                    self.evaluate(&instead, &in_stores, &context)
                }
            };
            let Some(mut across) = across.take() else { return Ok(()) };
            let looked = within(Stage::Rules, || across.evaluate(&measured, &context, &mut outcomes));
            drop(across);
            looked.map_err(ReportError::CrossInput)?;
            let by =
                |measured, outcomes| within(Stage::Rules, || Evaluated::by(measured, &context, outcomes));
            match caught(|| report(&measured, &by(&measured, outcomes), &mut turn)) {
                Ok(reported) => reported,
                // Nothing of this input is written yet.
                Err(words) if !turn.is_taken() => {
                    let instead = failed_ledger(&ledger, words);
                    let (measured, outcomes) = self.evaluate(&instead, &in_stores, &context);
                    report(&measured, &by(&measured, outcomes), &mut turn)
                }
                Err(words) => panic!("{words}"),
            }
        })
    }

    /// Compares inputs of these sizes in memory with each other, in their order. `then` takes the outcomes. Nothing is
    /// measured.
    pub fn compare(
        &self,
        inputs: Vec<(Source, u64)>,
        known: Option<&Known<'_>>,
        across: &mut CrossInput,
        then: &mut (dyn FnMut(&Compared<'_>, RuleOutcomes) -> io::Result<()> + Send),
    ) -> Result<(), ReportError> {
        in_turns(inputs, in_work(), ((across, then), ()), |source, mut turn, mut last| {
            let mut ledger = source.read();
            ledger.apply_region_files(self.regions);
            let input = within(Stage::Rules, || Compared::of_ledger(&ledger));
            let past = known.and_then(|known| known.past(&ledger.input));
            let context = RuleContext { users: self.users, past };
            let Some(mut shared) = turn.take() else { return Ok(()) };
            let (across, then) = &mut *shared;
            let mut outcomes = RuleOutcomes::default();
            let compared = within(Stage::Rules, || across.compare(&input, &context, &mut outcomes));
            compared.and_then(|()| then(&input, outcomes)).map_err(ReportError::CrossInput)?;
            drop(shared);
            last.take();
            Ok(())
        })
    }

    /// Returns the measures of an input, and the outcomes of the rules about it alone.
    fn evaluate<'c>(
        &'c self,
        ledger: &'c Ledger,
        in_stores: &'c Assets<'c>,
        context: &RuleContext<'_>,
    ) -> (Measured<'c>, RuleOutcomes) {
        #[cfg(test)]
        assert!(ledger.status != Status::Complete || ledger.input != tests::PANICS, "injected");
        let measured = within(Stage::Cost, || self.measured(ledger, in_stores));
        let outcomes = within(Stage::Rules, || rules::evaluate(&measured, context));
        (measured, outcomes)
    }

    fn measured<'c>(&'c self, ledger: &'c Ledger, in_stores: &'c Assets<'c>) -> Measured<'c> {
        let measured =
            Measured::backed_by(ledger, self.profile_of(ledger), in_stores, self.config.scaled_triangles);
        let difference = f64::from(self.config.cost_difference_percent) / 100.0;
        let measured = self
            .further
            .iter()
            .fold(measured, |measured, further| measured.with_profile(further, difference));
        Measured { findings_per_code: self.config.findings_per_code, ..measured }
    }
}

/// Inputs that may wait for their turn, and the estimated memory up to which more than one does. With two more, 300 mixed
/// archives take 0.78 of the time; further ones only take memory.
const WAITING: usize = 2;
const WAITING_BYTES: u64 = 64 << 20;

/// Returns how many inputs are evaluated at once. While a large one is evaluated, later ones wait for their turn.
fn in_work() -> InWork {
    match rayon::current_num_threads() {
        1 => InWork { threads: 1, items: 1, bytes: 0 },
        threads => InWork { threads, items: threads + WAITING, bytes: WAITING_BYTES },
    }
}

/// Returns the ledger of an input whose evaluation failed: facts about reading it, and the failure.
fn failed_ledger(ledger: &Ledger, words: String) -> Ledger {
    let failed = Defect::new(InputDefect::Panicked { words });
    Ledger {
        bytes: ledger.bytes,
        content_hash: ledger.content_hash.clone(),
        container: ledger.container.clone(),
        defects: ledger.defects.iter().cloned().chain([failed]).collect(),
        ..Ledger::empty(&ledger.input, ledger.kind, Status::Incomplete)
    }
}

/// Location of a ledger.
pub enum Source {
    File(PathBuf),
    Memory(InMemory),
}

/// Bytes in memory of an input and its rows, for each byte of its ledger.
const UNPACKED: u64 = 32;

impl Source {
    /// Estimates the memory of the input and its rows.
    fn memory(&self) -> u64 {
        let bytes = match self {
            Self::File(path) => path.metadata().map_or(0, |file| file.len()),
            // It takes no more memory than before.
            Self::Memory(_) => 0,
        };
        bytes.saturating_mul(UNPACKED)
    }

    /// Returns each input with its memory.
    pub fn with_memory(inputs: Vec<(String, Self)>) -> Vec<(Self, u64)> {
        inputs
            .into_iter()
            .map(|(_, input)| (input.memory(), input))
            .map(|(memory, input)| (input, memory))
            .collect()
    }

    /// Reads the ledger. One that cannot be read is an input that says why.
    pub fn read(self) -> Ledger {
        match self {
            Self::File(path) => Ledger::read(&path).unwrap_or_else(|error| Ledger::instead_of(&path, &error)),
            Self::Memory(ledger) => ledger.read(),
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The ledgers of stores and inputs.
pub struct LedgerSet {
    /// Ledgers of stores, in memory.
    pub stores: Vec<Ledger>,
    /// Names of inputs and locations of their ledgers, in input order.
    pub inputs: Vec<(String, Source)>,
    /// The headers of these and of those set aside.
    pub headers: Vec<LedgerHeader>,
    /// The checksums of all ledgers; empty for those that have no file.
    pub checksums: Vec<String>,
    /// Dated copies that are not evaluated, in input order. `headers` has theirs, too.
    pub aside: Vec<(LedgerHeader, Source)>,
    /// Why ledgers cannot be read, in the order of their files. Each is among `stores` or `inputs`.
    pub unreadable: Vec<String>,
    /// The names of their files.
    pub damaged: Vec<String>,
}

/// Whether the ledgers of a report may be damaged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// They come from anywhere. Each is read to its end before copies are compared.
    #[default]
    None,
    /// This run wrote or verified them.
    Verified,
    /// Another step verified them, and these files were damaged.
    AllBut(Vec<String>),
}

impl Trust {
    /// Reads a header, and verifies the ledger if it may be damaged.
    fn read(&self, path: &Path) -> Result<LedgerHeader, LedgerError> {
        match self {
            Self::None => ledger::verify(path),
            Self::AllBut(damaged) if damaged.contains(&name_of(path)) => ledger::verify(path),
            Self::Verified | Self::AllBut(_) => ledger::read_header(path),
        }
    }
}

impl LedgerSet {
    /// Reads all headers, and the ledgers of stores. An input whose ledger cannot be read is unreadable.
    pub fn open(files: &[PathBuf], trust: &Trust, held: Vec<(LedgerHeader, InMemory)>) -> Self {
        let (mut unreadable, mut damaged) = (Vec::new(), Vec::new());
        let mut file = |(header, path): (Result<LedgerHeader, LedgerError>, &PathBuf)| match header {
            Ok(header) => (header, Source::File(path.clone())),
            Err(error) => {
                unreadable.push(error.in_words());
                damaged.push(name_of(path));
                let instead = Ledger::instead_of(path, &error);
                let header = instead.header();
                let source = Source::Memory(InMemory::Whole(Box::new(instead)));
                (header, source)
            }
        };
        let headers = ledger::read_headers(files, |path| trust.read(path), LedgerHeader::in_short);
        let mut all: Vec<(LedgerHeader, Source)> = headers.into_iter().zip(files).map(&mut file).collect();
        all.extend(held.into_iter().map(|(header, ledger)| {
            let source = Source::Memory(ledger);
            (header, source)
        }));
        // The sort is stable, because files are already sorted by more keys.
        all.sort_by(|(a, _), (b, _)| a.input.cmp(&b.input));
        let checksums = all.iter_mut().map(|(header, _)| take(&mut header.checksum)).collect();
        let (stores, inputs): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(header, _)| header.kind == InputKind::Store);
        let stores = stores.into_iter().map(|(_, source)| source.read()).collect();
        let named = |(header, source): (LedgerHeader, Source)| {
            let name = header.input.clone();
            (header, (name, source))
        };
        let (headers, inputs) = inputs.into_iter().map(named).unzip();
        Self { stores, inputs, headers, checksums, aside: Vec::new(), unreadable, damaged }
    }

    /// Sets aside the inputs that are not evaluated.
    pub fn evaluating_only(mut self, is_evaluated: impl Fn(&str) -> bool) -> Self {
        let headers = self.headers.iter().zip(take(&mut self.inputs));
        for (header, input) in headers {
            match is_evaluated(&header.input) {
                true => self.inputs.push(input),
                false => self.aside.push((header.clone(), input.1)),
            }
        }
        self
    }

    /// Keeps only the evaluated inputs of a shard.
    pub fn of_shard(mut self, is_own: impl Fn(&str) -> bool) -> Self {
        self.inputs.retain(|(name, _)| is_own(name));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::config::Config;

    /// The evaluation of an input with this name panics, for tests.
    pub const PANICS: &str = "panics";

    #[test]
    fn an_input_that_cannot_be_evaluated_is_reported_and_the_others_are_evaluated() {
        let inputs = ["a", PANICS, "panics late", "z"]
            .map(|name| (Ledger { bytes: 7, ..Ledger::empty(name, InputKind::Oar, Status::Complete) }, 0));
        let profile = Profile::default();
        let evaluate = Evaluator {
            profile: &profile,
            opensim_load: None,
            further: &[],
            users: None,
            regions: &[],
            config: &Config::default().report,
        };
        let mut rows = Vec::new();
        let mut across = CrossInput::default();
        let shared = (&mut across, &mut rows);
        let tell = |measured: &Measured<'_>, evaluated: &Evaluated, turn: &mut Turn<'_, &mut Vec<_>>| {
            let (name, status) = (&measured.ledger.input, measured.ledger.status);
            assert!(status != Status::Complete || name != "panics late", "injected later");
            let found = evaluated.findings.iter().find(|(_, finding)| finding.code == Code::RUN005);
            let detail = found.map(|(_, finding)| finding.detail.clone());
            let row = (measured.ledger.input.clone(), measured.ledger.bytes, measured.ledger.status, detail);
            turn.take().expect("none fails").push(row);
            Ok(())
        };
        evaluate.each(inputs.to_vec(), Ok, &[], None, shared, tell).unwrap();
        let row =
            |name: &str, status, detail: Option<&str>| (name.to_owned(), 7, status, detail.map(Into::into));
        assert_eq!(
            rows,
            [
                row("a", Status::Complete, None),
                row(PANICS, Status::Incomplete, Some("injected")),
                row("panics late", Status::Incomplete, Some("injected later")),
                row("z", Status::Complete, None)
            ]
        );
    }
}
