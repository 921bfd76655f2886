//! The ledgers that `report` is given, and messages about other things in their place.

use anyhow::ensure;
use hullmark_ledger::{self as ledger, InputKind, Ledger, LedgerError, coverage::Uncovered};
use hullmark_report::output::LAST;
use hullmark_scan::plan::Plan;
use hullmark_source::{self as source, Input};
use hullmark_storage as storage;
use hullmark_util::terminal_text::counted;
use std::{
    mem::take,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// None of the given paths has a ledger. The run fails: it writes and removes nothing.
#[derive(Debug, Error)]
#[error("{0}. The previous report is unchanged")]
pub(super) struct NoLedgers(String);

pub(super) struct GivenLedgers {
    pub(super) files: Vec<PathBuf>,
    /// Inputs in place of folders without a ledger.
    pub(super) absent: Vec<Ledger>,
    /// Inputs of a plan without a ledger.
    pub(super) uncovered: Vec<Uncovered>,
}

impl GivenLedgers {
    /// Finds the ledgers.
    pub(super) fn find(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut absent = Vec::new();
        for path in paths {
            ensure!(
                storage::is_url(path) || !storage::is_gone(path),
                "{} does not exist. Name ledgers, or folders of ledgers",
                path.display()
            );
            if ledger::ledgers_in(path)?.is_some_and(|ledgers| ledgers.is_empty()) {
                absent.push(path);
            }
        }
        let files = ledger::find(paths)?;
        if files.iter().all(|file| paths.contains(file) && is_no_ledger(file)) {
            let words: Vec<String> = paths.iter().map(|path| in_place_of_ledgers(path)).collect();
            return Err(NoLedgers(words.join(". ")).into());
        }
        let absent = absent.into_iter().map(|path| {
            Ledger::unreadable(&path.display().to_string(), InputKind::Unreadable, in_place_of_ledgers(path))
        });
        Ok(Self { files, absent: absent.collect(), uncovered: Vec::new() })
    }

    /// Finds the ledgers of a plan.
    ///
    /// # Errors
    /// An input has two ledgers, or it has none and `partial` is false.
    pub(super) fn of_plan(plan: &Plan, paths: &[PathBuf], partial: bool) -> anyhow::Result<Self> {
        let mut gathered = plan.gather(ledger::find_with_headers(paths)?)?;
        let (mut absent, mut again) = (Vec::new(), Vec::new());
        for (input, path) in take(&mut gathered.unreadable) {
            match ledger::verify(&path) {
                Err(error) => {
                    absent.push(Ledger::unreadable(&input, InputKind::Unreadable, error.in_words()));
                }
                // Another shard has just written it.
                Ok(_) => again.push(path),
            }
        }
        let (mut files, uncovered) = gathered.into_report(partial)?;
        files.extend(again);
        files.sort();
        Ok(Self { files, absent, uncovered })
    }
}

/// Whether a file is certainly no ledger, not even a damaged one.
fn is_no_ledger(path: &Path) -> bool {
    matches!(ledger::read_header(path), Err(LedgerError::NoLedger { .. }))
}

/// Names the content of a path without ledgers, and the command that reads it.
fn in_place_of_ledgers(path: &Path) -> String {
    let shown = path.display();
    if path.join(LAST).is_file() {
        return format!("{shown} has a report and no ledger. Name the folder of --ledgers");
    }
    let inputs = source::walk(&[path.to_owned()], &[]).unwrap_or_default();
    let exports = inputs.iter().filter(|input| Input::is_export(input)).count() as u64;
    let is_file = !storage::is_url(path) && path.is_file();
    match exports {
        0 if is_file => format!("{shown} is not a ledger"),
        0 => format!("{shown} has no ledger. Write ledgers with `hullmark scan EXPORTS --ledgers {shown}`"),
        _ if is_file => format!("{shown} is an export and not a ledger. `hullmark audit {shown}` reads it"),
        exports => {
            format!(
                "{shown} has no ledger, but {}. `hullmark audit {shown}` reads exports",
                counted(exports, "export")
            )
        }
    }
}
