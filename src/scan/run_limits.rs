//! The limits of a run: which inputs it reads, and when it ends.

use super::{
    Watch,
    attempts::{Attempts, Mode},
    faults,
    plan::share::Share,
};
use hullmark_ledger::{self as ledger, Ledger};
use hullmark_source::{Deadline, Input};
use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Which inputs a run reads, and when it ends. Valid ledgers are always reported. Stores are always read, because
/// otherwise present assets would be reported as missing.
#[derive(Debug, Clone, Default)]
pub struct RunLimits {
    /// Read only this share of the inputs.
    pub share: Option<Share>,
    /// Names of inputs that another run reads.
    pub except: BTreeSet<String>,
    /// Start no further input after this moment. The first input always starts.
    pub until: Option<Instant>,
    /// Stop reading an input after this time.
    pub timeout_per_input: Option<Duration>,
    /// Set to `true` to end the run. Inputs in progress are cut short.
    pub stop: Arc<AtomicBool>,
    /// Set to `true` when `stop` has cut an input short.
    pub cut: Arc<AtomicBool>,
    /// Start every input, even after `stop`. An input that does not start has no ledger to report that it was not read.
    pub every: bool,
    /// What happens to inputs whose reading ended an earlier run.
    pub mode: Mode,
}

impl RunLimits {
    /// Whether inputs may be left out.
    pub(super) fn is_partial(&self) -> bool {
        self.until.is_some() || self.share.is_some()
    }

    /// Whether a signal cut an input short.
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }
}

/// Ends a scan at its limits and forwards its progress to another observer.
pub(super) struct Limited<'w> {
    pub(super) run: &'w RunLimits,
    pub(super) watch: &'w dyn Watch,
    /// Notes which inputs are being read.
    pub(super) attempts: Option<&'w Attempts>,
    /// Whether the inputs are searched as stores.
    pub(super) as_stores: bool,
    /// Number of inputs that the run started before.
    pub(super) before: usize,
}

impl Limited<'_> {
    fn is_stopped(&self) -> bool {
        let is_stopped = self.run.stop.load(Ordering::Relaxed);
        if let Some(attempts) = self.attempts.filter(|_| is_stopped) {
            attempts.forgive();
        }
        is_stopped
    }
}

impl Watch for Limited<'_> {
    /// The first input always starts, even after the deadline, so every run makes progress.
    fn enough(&self, begun: usize) -> bool {
        let watcher_has_enough = self.watch.enough(self.before + begun);
        let is_over = self.run.until.is_some_and(|until| Instant::now() >= until);
        let is_first = self.before + begun == 0;
        self.is_stopped() && !self.run.every || !is_first && is_over || watcher_has_enough
    }

    fn deadline(&self) -> Deadline {
        Deadline::after(self.run.timeout_per_input).or_signal(Arc::clone(&self.run.stop))
    }

    fn begin(&self, input: &Input) {
        if let Some(attempts) = self.attempts {
            attempts.begin(&ledger::file_name(&input.name, self.as_stores), &input.name, input.stamp);
        }
        self.watch.begin(input);
        faults::at(&input.name);
    }

    fn bytes(&self, bytes: u64) {
        self.is_stopped();
        self.watch.bytes(bytes);
    }

    fn end(&self, ledger: &Ledger) {
        self.watch.end(ledger);
    }
}
