//! A folder for the ledgers of a run that keeps none.

use super::Settings;
use anyhow::Context;
use hullmark_pages::Reports;
use hullmark_storage as storage;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// A folder for the ledgers of one run. It is removed when the run ends.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    /// Creates the folder next to the report, on the disk that has room for one.
    pub(super) fn of(reports: &Reports, out: &Path, settings: &Settings) -> anyhow::Result<Self> {
        // A report in an object store has a temporary folder, which a process that continues would not find.
        let temporary = settings.supervised.as_deref().filter(|_| storage::is_url(out));
        let path = temporary.or(reports.folder()).unwrap_or(out).join("ledgers.partial");
        // A killed run left it. What a crashed process left is used.
        if path.exists() && !settings.continues {
            fs::remove_dir_all(&path).with_context(|| format!("{} cannot be removed", path.display()))?;
        }
        fs::create_dir_all(&path)
            .with_context(|| format!("The folder {} cannot be created", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing more can be done if this fails.
        let _ = fs::remove_dir_all(&self.0);
    }
}
