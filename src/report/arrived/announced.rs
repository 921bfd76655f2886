//! What `preflight` announces about the inputs before a move.

use crate::{Evaluator, ReportError, ReportedFinding, ReportedFindings, preflight::Lacking};
use hullmark_finding::Code;
use hullmark_ledger::Ledger;
use hullmark_rules::{
    catalogue::{self, Effect},
    cross_input::CrossInput,
    waivers::Waivers,
};
use hullmark_verify::{Arrival, Change, Status, Thing};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use uuid::Uuid;

/// The announcements about all inputs, by their paths.
#[derive(Debug, Default)]
pub struct Announced(HashMap<String, OfInput>);

/// The announcements about one input.
#[derive(Debug, Default)]
struct OfInput {
    /// Rules whose findings may stop the load.
    stops: BTreeSet<Code>,
    /// Rules about the whole input that change or lose something.
    whole: BTreeSet<Code>,
    /// Rules about an object, by its number.
    objects: HashMap<usize, BTreeSet<Code>>,
    /// Assets that the target will not have.
    assets: BTreeSet<Uuid>,
}

/// How an announcement compares with what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A loss was announced.
    AsAnnounced,
    /// A loss was not announced.
    Unannounced,
    /// It arrived, although its loss was announced.
    ArrivedAnyway,
}

impl Outcome {
    /// Returns its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsAnnounced => "as_announced",
            Self::Unannounced => "unannounced",
            Self::ArrivedAnyway => "arrived_anyway",
        }
    }
}

/// Rules whose objects a loader drops.
const DROPS: [Code; 2] = [Code::POS002, Code::POS003];
/// Rules that announce another owner or creator.
const OWNERS: [Code; 3] = [Code::OWN001, Code::OWN003, Code::AST010];

impl Announced {
    /// Evaluates the inputs before the move for the target.
    ///
    /// # Errors
    /// Rules across inputs cannot be evaluated.
    pub fn new(
        before: &[Ledger],
        stores: &[Ledger],
        evaluator: Evaluator<'_>,
        waivers: &Waivers,
    ) -> Result<Self, ReportError> {
        let mut announced = Self::default();
        let mut across = CrossInput::default();
        let inputs = before.iter().map(|ledger| (ledger, 0)).collect();
        let read = |ledger: &Ledger| Ok(ledger.clone());
        evaluator.each(
            inputs,
            read,
            stores,
            None,
            (&mut across, &mut announced),
            |measured, evaluated, turn| {
                let reported = ReportedFindings::new(measured, evaluated, waivers);
                let mut of_input = OfInput::default();
                reported.findings.iter().for_each(|row| of_input.add(row));
                let lacking = Lacking::of(measured, &reported);
                let lost = lacking.assets.into_iter().filter(|(_, (_, is_lost))| *is_lost);
                of_input.assets.extend(lost.map(|(asset, _)| asset));
                if let Some(mut announced) = turn.take() {
                    announced.0.insert(measured.ledger.input.clone(), of_input);
                }
                Ok(())
            },
        )?;
        Ok(announced)
    }

    /// Returns the rules that announced what became of an object, and whether the announcement was right. `None` if
    /// there was nothing to announce.
    pub fn of_object(&self, arrival: &Arrival<'_>) -> (BTreeSet<Code>, Option<Outcome>) {
        let Some((of_input, thing)) =
            arrival.before.as_ref().and_then(|thing| Some((self.of(thing)?, thing)))
        else {
            return (BTreeSet::new(), None);
        };
        let own = of_input.objects.get(&thing.number);
        let own = own.into_iter().flatten().copied();
        let dropped: BTreeSet<Code> = own.clone().filter(|code| DROPS.contains(code)).collect();
        let outcome = match arrival.status {
            Status::Lost if !dropped.is_empty() => return (dropped, Some(Outcome::AsAnnounced)),
            Status::Lost if !of_input.stops.is_empty() => {
                return (of_input.stops.clone(), Some(Outcome::AsAnnounced));
            }
            Status::Lost => Some(Outcome::Unannounced),
            Status::Changed | Status::Arrived if !dropped.is_empty() => {
                return (dropped, Some(Outcome::ArrivedAnyway));
            }
            _ => None,
        };
        let mut codes: BTreeSet<Code> = own.filter(|code| !DROPS.contains(code)).collect();
        if [Change::Owner, Change::Creator].iter().any(|change| arrival.changes.contains_key(change)) {
            codes.extend(of_input.whole.iter().filter(|code| OWNERS.contains(code)));
        }
        let loses = |code: &Code| catalogue::rule(*code).effect == Effect::Loses;
        let outcome = outcome.or_else(|| {
            let is_announced = codes.iter().any(loses);
            arrival.has_loss().then_some(if is_announced {
                Outcome::AsAnnounced
            } else {
                Outcome::Unannounced
            })
        });
        (codes, outcome)
    }

    /// Whether the loss of an asset of this input was announced.
    pub fn loses_asset(&self, input: &str, asset: Uuid) -> bool {
        self.0.get(input).is_some_and(|of_input| of_input.assets.contains(&asset))
    }

    fn of(&self, thing: &Thing<'_>) -> Option<&OfInput> {
        self.0.get(&thing.ledger.input)
    }
}

impl OfInput {
    fn add(&mut self, row: &ReportedFinding<'_>) {
        let effect = catalogue::rule(row.finding.code).effect;
        let code = row.finding.code;
        if effect == Effect::Stops {
            self.stops.insert(code);
        }
        if !matches!(effect, Effect::Stops | Effect::Loses | Effect::Changes) {
            return;
        }
        match row.object_number {
            Some(number) => _ = self.objects.entry(number).or_default().insert(code),
            None => _ = self.whole.insert(code),
        }
    }
}
