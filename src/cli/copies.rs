//! What commands that write a copy of an export share.

use super::{
    Settings,
    flags::OUTPUT,
    input_args::{Inputs, expanded, read_each},
    progress::Verbosity,
};
use anyhow::{Context, bail, ensure};
use clap::Args;
use fs4::available_space;
use hullmark_ledger::Ledger;
use hullmark_repair::{CopyError, parent_of};
use hullmark_report::{ReportedFinding, ReportedFindings};
use hullmark_rules::{cross_input::CrossInput, waivers::Waivers};
use hullmark_source::Input;
use hullmark_util::{
    lock::{into_inner, lock},
    log,
    number_text::{bytes, thousands},
    terminal_text::counted,
};
use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

/// Maximum number of names in a list on the screen.
const NAMED: usize = 10;

/// Flags of commands that write a copy.
#[derive(Debug, Args)]
#[command(next_help_heading = OUTPUT)]
pub(super) struct CopyArgs {
    /// Replace the file if it exists
    #[arg(long)]
    pub(super) overwrite: bool,
    /// Say what the copy would be, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Returns the result of a copy. `None` if a signal ended it.
pub(super) fn or_stopped<T>(result: Result<T, CopyError>) -> anyhow::Result<Option<T>> {
    match result {
        Err(stopped @ CopyError::Stopped) => {
            log::broken(&stopped.to_string());
            Ok(None)
        }
        result => Ok(result.map(Some)?),
    }
}

/// Returns the place of a copy. One that is the export, or inside of it, is refused.
pub(super) fn place_of(path: &Path, out: &Path) -> anyhow::Result<PathBuf> {
    let shown = out.display();
    let folder = parent_of(out);
    let folder = folder.canonicalize().with_context(|| format!("The folder of {shown} cannot be found"))?;
    let place = folder.join(out.file_name().with_context(|| format!("{shown} is no name of a file"))?);
    if let Ok(path) = path.canonicalize() {
        let place = place.canonicalize().unwrap_or_else(|_| place.clone());
        ensure!(!place.starts_with(&path), "{shown} is in the archive that is read. Choose another --out");
    }
    Ok(place)
}

/// Refuses a copy over the export, inside of it, or over another file.
pub(super) fn ensure_apart(path: &Path, out: &Path, overwrite: bool) -> anyhow::Result<()> {
    let place = place_of(path, out)?;
    let shown = out.display();
    ensure!(!place.is_dir(), "{shown} is a folder. Name a file with --out");
    ensure!(overwrite || !place.exists(), "{shown} exists. Choose another --out, or add --overwrite");
    Ok(())
}

/// Refuses a copy of this many bytes for which the disk has no room. A file system that does not say is tried.
pub(super) fn ensure_room(out: &Path, needed: u64) -> anyhow::Result<()> {
    if let Ok(free) = available_space(parent_of(out)) {
        ensure!(
            free >= needed,
            "The disk of {} has {} free, and the copy needs about {}. Make room, or choose another --out",
            out.display(),
            bytes(free),
            bytes(needed)
        );
    }
    Ok(())
}

/// Reads an archive. Another number of inputs is refused.
pub(super) fn read_one(path: &Path, settings: &Settings) -> anyhow::Result<(Input, Ledger)> {
    Ok(read_with(path, &[], settings)?.0)
}

/// Reads a copy that was just written. Progress is not shown twice.
pub(super) fn read_again(out: &Path, settings: &Settings) -> anyhow::Result<Ledger> {
    let settings = Settings { verbosity: Verbosity::Quiet, ..settings.clone() };
    Ok(read_one(out, &settings)?.1)
}

/// An input that was read.
type Read = (Input, Ledger);

/// Reads an archive, and exports and stores for their assets, in the order of their names.
pub(super) fn read_with(
    path: &Path,
    assets: &[PathBuf],
    settings: &Settings,
) -> anyhow::Result<(Read, Vec<Read>)> {
    let (paths, assets) = (expanded(&[path.to_owned()])?, expanded(assets)?);
    let inputs = Inputs { paths, assets, ..Inputs::default() };
    let read = Mutex::new(Vec::new());
    read_each(&inputs, settings, &|input, ledger| lock(&read).push((input.clone(), ledger)))?;
    let (mut stores, mut read): (Vec<Read>, Vec<Read>) =
        into_inner(read).into_iter().partition(|(_, ledger)| ledger.is_store());
    stores.sort_by(|(_, one), (_, other)| one.input.cmp(&other.input));
    let count = read.len();
    match read.pop() {
        Some(only) if count == 1 => Ok((only, stores)),
        _ => bail!("{} has {}. Name one archive", path.display(), counted(count as u64, "export")),
    }
}

/// Maximum number of findings of a rule by which members are chosen.
const FINDINGS: usize = 1_000_000;

/// Keeps each finding, and not only the first ones of a rule.
pub(super) fn keep_all_findings(settings: &mut Settings) {
    settings.config.limits.findings_per_code = FINDINGS;
    settings.config.report.findings_per_code = FINDINGS;
}

/// Evaluates a ledger for the target, and passes each finding on.
pub(super) fn evaluate<S: Send>(
    ledger: &Ledger,
    settings: &Settings,
    mut found: S,
    take: impl Fn(&ReportedFinding<'_>, &mut S) + Sync,
) -> anyhow::Result<S> {
    let evaluator = settings.evaluator();
    let (mut across, waivers) = (CrossInput::default(), Waivers::default());
    let read = |ledger: &Ledger| Ok(ledger.clone());
    let shared = (&mut across, &mut found);
    evaluator.each(vec![(ledger, 0)], read, &[], None, shared, |measured, evaluated, turn| {
        let reported = ReportedFindings::new(measured, evaluated, &waivers);
        if let Some(mut found) = turn.take() {
            reported.findings.iter().for_each(|row| take(row, &mut found));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns the first lines of a list, and how many more there are.
pub(super) fn first_lines<T>(all: &[T], count: u64, line: impl Fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(NAMED).map(line).collect();
    let more = count.saturating_sub(lines.len() as u64);
    lines.extend((more > 0).then(|| format!("  and {} more", thousands(more))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_needs_room() {
        ensure_room(Path::new("copy.oar"), 1).unwrap();
        let refused = ensure_room(Path::new("copy.oar"), u64::MAX).unwrap_err().to_string();
        assert!(refused.starts_with("The disk of copy.oar has "), "{refused}");
    }
}
