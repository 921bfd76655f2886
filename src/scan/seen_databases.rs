//! The databases that a run has seen, to refuse names of `--database` that none has.

use super::session::{ScanError, SessionResult};
use hullmark_ledger::{Ledger, facts::Status};
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub(super) struct SeenDatabases {
    names: BTreeSet<String>,
    /// Whether an input was not read to its end, which may have further databases.
    is_partial: bool,
}

impl SeenDatabases {
    pub(super) fn note(&mut self, ledger: &Ledger) {
        self.names.extend(ledger.container.databases.iter().cloned());
        self.is_partial |= ledger.status != Status::Complete;
    }

    /// Refuses names that no input has.
    pub(super) fn ensure(self, wanted: &[String], found: &SessionResult) -> Result<(), ScanError> {
        if self.is_partial || !found.uncovered.is_empty() {
            return Ok(());
        }
        match wanted.iter().find(|&name| !self.names.contains(name)) {
            Some(name) => Err(ScanError::NoDatabase { name: name.clone(), seen: self.names }),
            None => Ok(()),
        }
    }
}

pub(super) fn in_words(names: &BTreeSet<String>) -> String {
    match names.is_empty() {
        true => "No input is a dump that names its databases, so leave out --database".into(),
        false => format!("The names are: {}", names.iter().cloned().collect::<Vec<_>>().join(", ")),
    }
}
