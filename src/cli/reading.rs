//! From what was typed to ledgers: which inputs are read, in which order, and who watches.

use super::Settings;
use crate::{
    ledger::{Ledger, LedgerError},
    progress::Progress,
    scan,
    source::{self, Input},
};
use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use std::{
    collections::{BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};
use uuid::Uuid;

/// What is read.
#[derive(Debug, Args)]
pub(super) struct Given {
    /// Archives, unpacked archives, assets, or folders with any of them
    #[arg(required_unless_present = "dump_config", value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Archives, or folders of files named by UUID, whose assets count as present where an input lacks them. May be
    /// given more than once
    #[arg(long, value_name = "PATH")]
    pub(super) assets: Vec<PathBuf>,
}

/// What the inputs lack and stores are searched for.
type Bodies<'a> = Option<&'a BTreeSet<Uuid>>;

/// How inputs are read. Ledgers come in any order.
pub(super) struct Reading<'a> {
    /// The ledger of an input that need not be read again.
    pub(super) known: &'a (dyn Fn(&Input, Bodies<'_>) -> Option<PathBuf> + Sync),
    /// Takes the ledger of one that was.
    pub(super) keep: &'a (dyn Fn(&Input, Bodies<'_>, Ledger) -> Result<(), LedgerError> + Sync),
}

impl Reading<'_> {
    /// Reads inputs, and behind them the stores for what the inputs lack. Gives the ledgers that were known.
    pub(super) fn run(
        &self,
        given: &Given,
        leave_out: &[&Path],
        settings: &Settings,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let written = |path: &&PathBuf| {
            let whole = fs::canonicalize(path).ok();
            whole.is_some() && leave_out.iter().any(|folder| fs::canonicalize(folder).ok() == whole)
        };
        if let Some(path) = given.paths.iter().find(written) {
            bail!(
                "{} is a folder that this run writes to, so nothing in it would be read: choose another",
                path.display()
            );
        }
        let inputs = source::walk(&given.paths, leave_out)?;
        let stores = source::walk(&given.assets, leave_out)?;
        let lacked = Mutex::new(BTreeSet::new());
        let note = |ledger: &Ledger| {
            if !stores.is_empty() {
                lacked.lock().unwrap_or_else(PoisonError::into_inner).extend(ledger.missing_bodies());
            }
        };
        let mut known = self.scan(&inputs, None, settings, &note)?;
        if !stores.is_empty() {
            for path in &known {
                note(&Ledger::read(path)?);
            }
            let bodies = lacked.into_inner().unwrap_or_else(PoisonError::into_inner);
            known.extend(self.scan(&stores, Some(&bodies), settings, &|_| {})?);
        }
        Ok(known)
    }

    /// Reads those inputs that are not known, and gives the ledgers of those that are.
    fn scan(
        &self,
        inputs: &[Input],
        bodies: Bodies<'_>,
        settings: &Settings,
        note: &(dyn Fn(&Ledger) + Sync),
    ) -> anyhow::Result<Vec<PathBuf>> {
        let looked: Vec<_> = inputs.par_iter().map(|input| (input, (self.known)(input, bodies))).collect();
        let unknown: Vec<Input> =
            looked.iter().filter(|(_, known)| known.is_none()).map(|(input, _)| (*input).clone()).collect();
        let by_name: HashMap<&str, &Input> =
            unknown.iter().map(|input| (input.name.as_str(), input)).collect();
        let keep = |ledger: Ledger| {
            note(&ledger);
            (self.keep)(by_name[ledger.input.as_str()], bodies, ledger)
        };
        let progress = Progress::new(&unknown, settings.verbosity);
        let (limits, threads) = (&settings.config.limits, settings.config.threads);
        let scanned = match bodies {
            None => scan::scan(&unknown, limits, threads, &progress, &keep),
            Some(bodies) => scan::scan_stores(&unknown, bodies, limits, threads, &progress, &keep),
        };
        progress.finish();
        scanned?;
        Ok(looked.into_iter().filter_map(|(_, known)| known).collect())
    }
}
