//! Refuses a run that has nothing to audit.

use super::{Input, Loose, shown};
use hullmark_util::terminal_text::counted;
use std::{collections::HashMap, path::PathBuf};
use thiserror::Error;

/// Maximum number of paths that the error describes.
const DESCRIBED: usize = 10;

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
    let files = inputs.iter().flat_map(Input::loose);
    // The first of equal paths counts.
    let files: HashMap<_, _> = files.rev().map(|file| (file.path.as_path(), file)).collect();
    let mut reported: Vec<String> = paths
        .iter()
        .take(DESCRIBED)
        .map(|path| {
            let named = files.get(path.as_path());
            let why =
                named.and_then(|file| if let Loose::NoExport(why) = &file.what { Some(why) } else { None });
            let path = shown(path);
            match (why, named.is_some_and(|file| file.name == ".")) {
                (Some(why), true) => format!("No export found in {path}: {why}"),
                (Some(why), false) => format!("{path} is not an export: it looks like {why}"),
                (None, _) => format!("No export found in {path}"),
            }
        })
        .collect();
    let more = paths.len().saturating_sub(DESCRIBED);
    if more > 0 {
        reported.push(format!("{} have no export either", counted(more as u64, "more path")));
    }
    Err(NothingToAudit(reported.join(". ")))
}
