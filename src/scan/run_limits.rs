//! The limits of a run: which inputs it reads, and when it ends.

use super::{Watch, plan::share::Share};
use hullmark_ledger::Ledger;
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
}

impl Watch for Limited<'_> {
    /// The first input always starts, even after the deadline, so every run makes progress.
    fn enough(&self, begun: usize) -> bool {
        let watcher_has_enough = self.watch.enough(begun);
        let is_over = self.run.until.is_some_and(|until| Instant::now() >= until);
        self.run.stop.load(Ordering::Relaxed) && !self.run.every || begun > 0 && is_over || watcher_has_enough
    }

    fn deadline(&self) -> Deadline {
        Deadline::after(self.run.timeout_per_input).or_signal(Arc::clone(&self.run.stop))
    }

    fn begin(&self, input: &Input) {
        self.watch.begin(input);
    }

    fn bytes(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }

    fn end(&self, ledger: &Ledger) {
        self.watch.end(ledger);
    }
}
