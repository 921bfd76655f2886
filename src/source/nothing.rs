//! Refuses a run that has nothing to audit.

use super::{Input, Loose, shown};
use std::path::PathBuf;
use thiserror::Error;

/// No given path contains anything to audit. The run fails: it writes and removes nothing.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0}. The previous report and all ledgers are unchanged")]
pub struct NothingToAudit(String);

/// Refuses inputs that contain nothing to audit.
///
/// # Errors
/// There is nothing to audit. The error describes each path.
pub fn ensure_exports(paths: &[PathBuf], inputs: &[Input]) -> Result<(), NothingToAudit> {
    if inputs.iter().any(Input::is_export) {
        return Ok(());
    }
    let files = || inputs.iter().flat_map(Input::loose);
    let reported = paths.iter().map(|path| {
        let named = files().find(|file| file.path == *path);
        let why = named.and_then(|file| if let Loose::NoExport(why) = &file.what { Some(why) } else { None });
        let path = shown(path);
        match (why, named.is_some_and(|file| file.name == ".")) {
            (Some(why), true) => format!("No export found in {path}: {why}"),
            (Some(why), false) => format!("{path} is not an export: it looks like {why}"),
            (None, _) => format!("No export found in {path}"),
        }
    });
    Err(NothingToAudit(reported.collect::<Vec<_>>().join(". ")))
}
