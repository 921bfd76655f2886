//! `prune`: removes decoded contents that were not used longest.

use super::{Outcome, Run, Settings, flags::OUTPUT, terminal::print_view};
use anyhow::{Context, bail};
use clap::Args;
use hullmark_ledger as ledger;
use hullmark_storage::{
    self as storage, contents,
    folder_lock::{Lock, lock, waiting},
};
use hullmark_util::{log, number_text};
use serde::Serialize;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark prune ledgers
  hullmark prune ledgers --bytes 0";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PruneArgs {
    /// Folder of ledgers; without it the folder of the settings
    #[arg(value_name = "DIR")]
    ledgers: Option<PathBuf>,
    /// Bytes of contents to keep; without it the limit of the settings
    ///
    /// Contents that were used last stay. 0 removes all of them. Ledgers stay, and no result changes: later runs
    /// decode again what was removed. What cannot be read stays and is named; the exit code is then 3.
    #[arg(long, value_name = "N")]
    bytes: Option<u64>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

/// What was removed.
#[derive(Debug, Serialize)]
struct Pruned {
    /// Folder of ledgers.
    ledgers: String,
    /// Size of the contents that were removed, and of those that are left, bytes.
    removed_bytes: u64,
    kept_bytes: u64,
}

impl Run for PruneArgs {
    /// Removes contents from a folder of ledgers.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let folder = self.ledgers.as_deref().unwrap_or(&settings.config.ledgers);
        if folder.as_os_str().is_empty() {
            bail!("Name the folder of ledgers: hullmark prune DIR");
        }
        if storage::is_url(folder) || !folder.is_dir() {
            bail!("{} is not a folder on this machine: name the folder of ledgers", folder.display());
        }
        let failed = |folder: &Path| format!("Contents in {} cannot be removed", folder.display());
        let wait = || log::say(log::Level::Info, &waiting(folder));
        let _lock = lock(folder, Lock::Exclusive, wait).with_context(|| failed(folder))?;
        let most = self.bytes.unwrap_or(settings.config.cache.bytes);
        let contents::PrunedContents { before, after, left } =
            contents::prune(folder, most).with_context(|| failed(folder))?;
        let pruned = Pruned {
            ledgers: folder.display().to_string(),
            removed_bytes: before - after,
            kept_bytes: after,
        };
        print_view(self.json, &pruned, || {
            let [removed, kept] = [pruned.removed_bytes, pruned.kept_bytes].map(number_text::bytes);
            format!("Removed {removed} of decoded contents from {}. {kept} are left.\n", pruned.ledgers)
        })?;
        let stay = unreadable(folder, &left)?;
        stay.iter().for_each(|words| log::say(log::Level::Warning, &format!("{words}. It stays.")));
        Ok(if stay.is_empty() { Outcome::Done } else { Outcome::Incomplete })
    }
}

/// Says what in the folder cannot be read or removed, contents and ledgers.
fn unreadable(folder: &Path, left: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let contents = left.iter().map(|path| format!("The contents {} cannot be removed", path.display()));
    let ledgers = ledger::find(&[folder.to_owned()])?;
    let headers = ledger::read_headers(&ledgers, ledger::verify, drop);
    let ledgers = headers.into_iter().filter_map(|header| Some(header.err()?.in_words()));
    Ok(contents.chain(ledgers).collect())
}
