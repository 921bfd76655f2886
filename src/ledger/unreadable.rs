//! The replacement for a ledger that cannot be read, so that it costs its own row and not the report.

use super::{
    EXTENSION, InputKind, Ledger, LedgerError,
    facts::Status,
    file::{is_named_so, read_any_header},
};
use hullmark_format::{Defect, defect::InputDefect};
use std::path::Path;

/// The start of the file name of a store's ledger.
pub(super) const OF_STORE: &str = "store-";

impl Ledger {
    /// Creates the ledger of an input whose ledger cannot be read. It has only the reason.
    ///
    /// It is named like its input if the header of the file still says the name, else like the file.
    pub fn instead_of(path: &Path, error: &LedgerError) -> Self {
        let (input, kind) = match read_any_header(path) {
            Ok(header) => (header.input, header.kind),
            Err(_) => (path.display().to_string(), kind_of(path)),
        };
        Self::unreadable(&input, kind, error.in_words())
    }

    /// Creates the ledger of an input of this name and kind whose ledger cannot be read, and says why.
    pub fn unreadable(input: &str, kind: InputKind, why: String) -> Self {
        let defects = vec![Defect::new(InputDefect::Unreadable { why })];
        Self { defects, ..Self::empty(input, kind, Status::Unreadable) }
    }
}

/// Returns the last component of the path of an input, as the file name of its ledger has it. `None` for other names.
pub(super) fn input_of(ledger: &str) -> Option<&str> {
    let (input, _) = ledger.rsplit_once('-').filter(|_| is_named_so(Path::new(ledger)))?;
    Some(input)
}

/// Returns the kind that the file name suggests. Assets that a store may have are not missing.
fn kind_of(path: &Path) -> InputKind {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_ledger = path.extension().is_some_and(|ending| ending == EXTENSION);
    if is_ledger && name.starts_with(OF_STORE) { InputKind::Store } else { InputKind::Unreadable }
}

impl LedgerError {
    /// Returns the whole text of the error.
    pub fn in_words(&self) -> String {
        match self {
            Self::Io { source, .. } => format!("{self}: {source}"),
            error => error.to_string(),
        }
    }
}
