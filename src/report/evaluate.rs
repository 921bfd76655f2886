//! Ledgers to what the rules say of them: what reports and the page before a move are made from.

use super::{ReportError, findings::weigh};
use crate::{
    analysis::{Measured, assets::Assets},
    finding::{Code, Finding, Severity},
    format::defect::{Defect, InputDefect},
    ledger::{self, Ledger, LedgerError, LedgerHeader, facts::Status, in_memory::InMemory},
    rules::{
        self, RuleContext, RuleCount, RuleOutcomes,
        cross_input::CrossInput,
        history::{Known, Rank},
    },
    settings::{
        config::ReportConfig,
        profile::{Named, Profile},
        users::Users,
    },
    util::{
        catch_panic::caught,
        ordered_parallel::{Turn, in_turns},
        timings::{Stage, within},
    },
};
use std::{collections::BTreeMap, mem::take, path::PathBuf};

/// What the rules say of one input.
pub(crate) struct Evaluated {
    /// Findings with their severities, the worst first.
    pub(crate) findings: Vec<(Severity, Finding)>,
    /// What became of each rule.
    pub(crate) checks: Vec<RuleCount>,
}

impl Evaluated {
    /// Of an input by itself.
    pub(crate) fn of(measured: &Measured<'_>) -> Self {
        Self::by(measured, &RuleContext::default(), rules::judge(measured, &RuleContext::default()))
    }

    /// Of an input with these verdicts.
    pub(super) fn by(measured: &Measured<'_>, context: &RuleContext<'_>, mut verdicts: RuleOutcomes) -> Self {
        let checks = rules::tally(measured, context.past.is_some(), &verdicts);
        verdicts.findings.extend(rules::run003_not_evaluated(&checks));
        Self { findings: weigh(measured, verdicts), checks }
    }

    /// Of what is not there, by this finding; nothing where its rule is not judged.
    pub(crate) fn absent(finding: Finding, profile: &Profile) -> Option<Self> {
        let code = finding.code;
        profile.selects(code).then(|| Self {
            findings: vec![(profile.severity_of(&finding), finding)],
            checks: vec![RuleCount {
                code,
                subjects: 1,
                failed: 1,
                waived: 0,
                not_evaluated: BTreeMap::new(),
            }],
        })
    }

    /// Of an input that is not judged, because a copy of it is: that it was not read to its end, and of the newest what
    /// reading found, too.
    pub(crate) fn aside(measured: &Measured<'_>, rank: &Rank) -> Self {
        let verdicts = rules::of_copy(measured, rank);
        let found = verdicts.findings.iter().map(|finding| (finding.code, finding.count));
        let mut subjects: BTreeMap<Code, u64> = BTreeMap::new();
        found.for_each(|(code, count)| *subjects.entry(code).or_default() += count);
        let subjects: Vec<_> = subjects.into_iter().collect();
        Self::of_run(measured, &subjects, verdicts)
    }

    /// Of a run as a whole: what is found, and how many subjects there are of each rule that looked.
    pub(crate) fn of_run(measured: &Measured<'_>, subjects: &[(Code, u64)], verdicts: RuleOutcomes) -> Self {
        let checks = rules::tally_run(measured, subjects, &verdicts);
        Self { findings: weigh(measured, verdicts), checks }
    }
}

/// What inputs are judged for.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator<'a> {
    /// The target grid.
    pub profile: &'a Profile,
    /// Profiles that stand beside.
    pub further: &'a [Named],
    /// Whom the target knows, where that is known.
    pub users: Option<&'a Users>,
    /// How much is measured and told.
    pub config: &'a ReportConfig,
}

impl Evaluator<'_> {
    /// Judges inputs, with stores behind them, and what came before them where that is looked at. Each is read, judged
    /// and told by itself, several at once. What is shared is used in their order: first what it shows across those before
    /// it, then the rest, for which `tell` takes the turn.
    pub(crate) fn each<I: Send, S: Send>(
        &self,
        inputs: Vec<I>,
        read: impl Fn(I) -> Result<Ledger, ReportError> + Sync,
        stores: &[Ledger],
        known: Option<&Known<'_>>,
        shared: (CrossInput, S),
        tell: impl Fn(&Measured<'_>, &Evaluated, &mut Turn<'_, S>) -> Result<(), ReportError> + Sync,
    ) -> Result<(), ReportError> {
        let in_stores = Assets::of(stores);
        in_turns(inputs, lanes(), shared, |input, mut across, mut turn| {
            let ledger = read(input)?;
            let past = known.and_then(|known| known.past(&ledger.input));
            let context = RuleContext { users: self.users, past };
            let instead;
            let (measured, mut verdicts) = match caught(|| self.judge(&ledger, &in_stores, &context)) {
                Ok(judged) => judged,
                Err(words) => {
                    instead = unjudgeable(&ledger, words);
                    self.judge(&instead, &in_stores, &context)
                }
            };
            let Some(mut across) = across.take() else { return Ok(()) };
            let looked = within(Stage::Rules, || across.judge(&measured, &context, &mut verdicts));
            drop(across);
            looked.map_err(ReportError::CrossInput)?;
            let by =
                |measured, verdicts| within(Stage::Rules, || Evaluated::by(measured, &context, verdicts));
            match caught(|| tell(&measured, &by(&measured, verdicts), &mut turn)) {
                Ok(told) => told,
                // Nothing of it is told yet.
                Err(words) if !turn.is_taken() => {
                    let instead = unjudgeable(&ledger, words);
                    let (measured, verdicts) = self.judge(&instead, &in_stores, &context);
                    tell(&measured, &by(&measured, verdicts), &mut turn)
                }
                Err(words) => panic!("{words}"),
            }
        })
    }

    /// An input as the rules look at it, and what they say of it by itself.
    fn judge<'c>(
        &'c self,
        ledger: &'c Ledger,
        in_stores: &'c Assets<'c>,
        context: &RuleContext<'_>,
    ) -> (Measured<'c>, RuleOutcomes) {
        #[cfg(test)]
        assert!(ledger.status != Status::Complete || ledger.input != tests::PANICS, "injected");
        let measured = within(Stage::Cost, || self.measured(ledger, in_stores));
        let verdicts = within(Stage::Rules, || rules::judge(&measured, context));
        (measured, verdicts)
    }

    fn measured<'c>(&'c self, ledger: &'c Ledger, in_stores: &'c Assets<'c>) -> Measured<'c> {
        let measured = Measured::backed_by(ledger, self.profile, in_stores, self.config.scaled_triangles);
        let difference = f64::from(self.config.cost_difference_percent) / 100.0;
        let measured =
            self.further.iter().fold(measured, |measured, further| measured.beside(further, difference));
        Measured { findings_per_code: self.config.findings_per_code, ..measured }
    }
}

/// How many inputs are held at once: where there are several threads one more, because one that waits for its turn keeps
/// none of them busy.
fn lanes() -> usize {
    match rayon::current_num_threads() {
        1 => 1,
        threads => threads + 1,
    }
}

/// What is left to tell of an input that could not be judged: how it was read, and that it was not judged.
fn unjudgeable(ledger: &Ledger, words: String) -> Ledger {
    let failed = Defect::new(InputDefect::Panicked { words });
    Ledger {
        bytes: ledger.bytes,
        content_hash: ledger.content_hash.clone(),
        container: ledger.container.clone(),
        defects: ledger.defects.iter().cloned().chain([failed]).collect(),
        ..Ledger::empty(&ledger.input, &ledger.kind, Status::Incomplete)
    }
}

/// Where the ledger of an input is.
pub(super) enum Source {
    File(PathBuf),
    Memory(InMemory),
}

impl Source {
    pub(super) fn read(self) -> Result<Ledger, LedgerError> {
        match self {
            Self::File(path) => Ledger::read(&path),
            Self::Memory(ledger) => ledger.read(),
        }
    }
}

/// Ledgers by what they are of.
pub(super) struct LedgerSet {
    /// Those of stores, whole.
    pub(super) stores: Vec<Ledger>,
    /// Where those of inputs are, in the order of the inputs.
    pub(super) inputs: Vec<Source>,
    /// What the labels of these say.
    pub(super) labels: Vec<LedgerHeader>,
    /// The checksums of all; empty for what is in no file.
    pub(super) checksums: Vec<String>,
    /// Inputs that are not judged, because a copy of each is; in their order. Their labels are above, too.
    pub(super) aside: Vec<(LedgerHeader, Source)>,
}

impl LedgerSet {
    /// Reads the labels, and of stores all.
    pub(super) fn of(files: &[PathBuf], held: Vec<(LedgerHeader, InMemory)>) -> Result<Self, LedgerError> {
        let labels = ledger::read_labels(files, LedgerHeader::in_short);
        let labels = labels.into_iter().collect::<Result<Vec<_>, LedgerError>>()?;
        let files = labels.into_iter().zip(files.iter().cloned().map(Source::File));
        let held = held.into_iter().map(|(label, ledger)| (label, Source::Memory(ledger)));
        let mut all: Vec<(LedgerHeader, Source)> = files.into_iter().chain(held).collect();
        // Stable: files are sorted by more than this.
        all.sort_by(|(a, _), (b, _)| a.input.cmp(&b.input));
        let checksums = all.iter_mut().map(|(label, _)| take(&mut label.checksum)).collect();
        let (stores, inputs): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(label, _)| label.kind == ledger::STORE);
        let stores = stores.into_iter().map(|(_, source)| source.read()).collect::<Result<_, _>>()?;
        let (labels, inputs) = inputs.into_iter().unzip();
        Ok(Self { stores, inputs, labels, checksums, aside: Vec::new() })
    }

    /// The same with the inputs set aside that are not judged.
    pub(super) fn judging_only(mut self, is_judged: impl Fn(&str) -> bool) -> Self {
        for (label, source) in self.labels.iter().zip(take(&mut self.inputs)) {
            match is_judged(&label.input) {
                true => self.inputs.push(source),
                false => self.aside.push((label.clone(), source)),
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::config::Config;

    /// An input of this name ends in a panic when it is judged, to see what that costs.
    pub(super) const PANICS: &str = "panics";

    #[test]
    fn an_input_that_cannot_be_judged_is_told_and_the_others_are_judged() {
        let inputs = ["a", PANICS, "panics late", "z"]
            .map(|name| Ledger { bytes: 7, ..Ledger::empty(name, "oar", Status::Complete) });
        let profile = Profile::default();
        let judge =
            Evaluator { profile: &profile, further: &[], users: None, config: &Config::default().report };
        let mut told = Vec::new();
        let shared = (CrossInput::default(), &mut told);
        let tell = |measured: &Measured<'_>, judged: &Evaluated, turn: &mut Turn<'_, &mut Vec<_>>| {
            let (name, status) = (&measured.ledger.input, measured.ledger.status);
            assert!(status != Status::Complete || name != "panics late", "injected later");
            let found = judged.findings.iter().find(|(_, finding)| finding.code == Code::RUN005);
            let detail = found.map(|(_, finding)| finding.detail.clone());
            let row = (measured.ledger.input.clone(), measured.ledger.bytes, measured.ledger.status, detail);
            turn.take().expect("none fails").push(row);
            Ok(())
        };
        judge.each(inputs.to_vec(), Ok, &[], None, shared, tell).unwrap();
        let row =
            |name: &str, status, detail: Option<&str>| (name.to_owned(), 7, status, detail.map(Into::into));
        assert_eq!(
            told,
            [
                row("a", Status::Complete, None),
                row(PANICS, Status::Incomplete, Some("injected")),
                row("panics late", Status::Incomplete, Some("injected later")),
                row("z", Status::Complete, None)
            ]
        );
    }
}
