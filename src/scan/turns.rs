//! When inputs are read: together, or last and alone, or not at all.

use super::{
    End, ReadOptions, Watch,
    attempts::{Attempts, Turn},
    read_inputs,
    run_limits::{Limited, RunLimits},
    session::ScanError,
    unread,
};
use hullmark_format::defect::InputDefect;
use hullmark_ledger::{self as ledger, Ledger, LedgerError};
use hullmark_source::Input;
use std::slice;

/// The inputs of a scan, by when they are read.
pub(super) struct Turns<'a> {
    inputs: &'a [Input],
    together: &'a [Input],
    alone: &'a [Input],
    /// Inputs that are not read, and the number of runs that died while they read them.
    left_out: Vec<(&'a Input, u32)>,
    attempts: Option<&'a Attempts>,
    /// Whether the inputs are searched as stores.
    as_stores: bool,
}

impl<'a> Turns<'a> {
    /// Sorts inputs by what earlier runs know about them, and otherwise keeps their order.
    pub(super) fn of(inputs: &'a mut Vec<Input>, attempts: Option<&'a Attempts>, as_stores: bool) -> Self {
        let turn_of = |input: &Input| {
            let turn =
                |attempts: &Attempts| attempts.turn(&ledger::file_name(&input.name, as_stores), input.stamp);
            attempts.filter(|attempts| attempts.knows_any()).map_or(Turn::Together, turn)
        };
        let mut turned: Vec<(Turn, Input)> = inputs.drain(..).map(|input| (turn_of(&input), input)).collect();
        turned.sort_by_key(|(turn, _)| match turn {
            Turn::Together => 0,
            Turn::Alone => 1,
            Turn::LeftOut(_) => 2,
        });
        let first_alone = turned.partition_point(|(turn, _)| *turn == Turn::Together);
        let first_out = turned.partition_point(|(turn, _)| matches!(turn, Turn::Together | Turn::Alone));
        let (turns, sorted): (Vec<Turn>, Vec<Input>) = turned.into_iter().unzip();
        *inputs = sorted;
        let inputs: &'a [Input] = inputs;
        let left_out = turns.iter().zip(inputs).filter_map(|(turn, input)| match turn {
            Turn::LeftOut(deaths) => Some((input, *deaths)),
            Turn::Together | Turn::Alone => None,
        });
        let (together, alone) = (&inputs[..first_alone], &inputs[first_alone..first_out]);
        Self { inputs, together, alone, left_out: left_out.collect(), attempts, as_stores }
    }

    pub(super) fn inputs(&self) -> &'a [Input] {
        self.inputs
    }

    /// Reads the inputs and passes their ledgers to `keep`. Returns how the scan ended.
    ///
    /// # Errors
    /// The first error of `keep`.
    pub(super) fn read(
        &self,
        options: &ReadOptions<'_>,
        run: &RunLimits,
        watch: &dyn Watch,
        keep: &(dyn Fn(Ledger) -> Result<(), LedgerError> + Sync),
    ) -> Result<End, ScanError> {
        let Self { together, alone, ref left_out, attempts, as_stores, .. } = *self;
        for (input, deaths) in left_out {
            watch.begin(input);
            let ledger = unread(input, as_stores, InputDefect::EndedRuns { runs: *deaths });
            watch.end(&ledger);
            keep(ledger)?;
            if let Some(attempts) = attempts {
                attempts.leave_out(&ledger::file_name(&input.name, as_stores));
            }
        }
        let keep = |ledger: Ledger| {
            let file = ledger::file_name(&ledger.input, as_stores);
            let kept = keep(ledger);
            if let Some(attempts) = attempts {
                attempts.end(&file);
            }
            kept
        };
        let limited = |before| Limited { run, watch, attempts, as_stores, before };
        let mut end = End::All;
        if !together.is_empty() {
            end = read_inputs(together, options, &limited(0), &keep)?;
        }
        for (before, input) in (together.len()..).zip(alone) {
            if end == End::All {
                end = read_inputs(slice::from_ref(input), options, &limited(before), &keep)?;
            }
        }
        Ok(end)
    }
}
