//! What commands that write a copy of an export share.

use super::{
    Settings,
    input_args::{Inputs, expanded, read_each},
};
use anyhow::{Context, bail, ensure};
use hullmark_ledger::Ledger;
use hullmark_report::{Evaluator, ReportedFinding, ReportedFindings};
use hullmark_rules::{cross_input::CrossInput, waivers::Waivers};
use hullmark_source::Input;
use hullmark_util::{
    lock::{into_inner, lock},
    number_text::thousands,
    terminal_text::counted,
};
use std::{path::Path, sync::Mutex};

/// Maximum number of names in a list on the screen.
const NAMED: usize = 10;

/// Refuses a copy over the export, inside of it, or over another file.
pub(super) fn ensure_apart(path: &Path, out: &Path, overwrite: bool) -> anyhow::Result<()> {
    let shown = out.display();
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().with_context(|| format!("The folder of {shown} cannot be found"))?;
    let place = folder.join(out.file_name().with_context(|| format!("{shown} is no name of a file"))?);
    if let Ok(path) = path.canonicalize() {
        let place = place.canonicalize().unwrap_or_else(|_| place.clone());
        ensure!(!place.starts_with(&path), "{shown} is in the archive that is read. Choose another --out");
    }
    ensure!(!place.is_dir(), "{shown} is a folder. Name a file with --out");
    ensure!(overwrite || !place.exists(), "{shown} exists. Choose another --out, or add --overwrite");
    Ok(())
}

/// Reads an archive. Another number of inputs is refused.
pub(super) fn read_one(path: &Path, settings: &Settings) -> anyhow::Result<(Input, Ledger)> {
    let inputs = Inputs { paths: expanded(&[path.to_owned()])?, ..Inputs::default() };
    let read = Mutex::new(Vec::new());
    read_each(&inputs, settings, &|input, ledger| lock(&read).push((input.clone(), ledger)))?;
    let mut read = into_inner(read);
    let count = read.len();
    match read.pop() {
        Some(only) if count == 1 => Ok(only),
        _ => bail!("{} has {}. Name one archive", path.display(), counted(count as u64, "export")),
    }
}

/// Evaluates a ledger for the target, and passes each finding on.
pub(super) fn evaluate<S: Send>(
    ledger: &Ledger,
    settings: &Settings,
    mut found: S,
    take: impl Fn(&ReportedFinding<'_>, &mut S) + Sync,
) -> anyhow::Result<S> {
    let evaluator = Evaluator {
        profile: &settings.profile,
        opensim_load: settings.opensim_load.as_ref(),
        further: &[],
        users: None,
        regions: &[],
        config: &settings.config.report,
    };
    let (mut across, waivers) = (CrossInput::default(), Waivers::default());
    let read = |ledger: &Ledger| Ok(ledger.clone());
    let shared = (&mut across, &mut found);
    evaluator.each(vec![(ledger, 0)], read, &[], None, shared, |measured, evaluated, turn| {
        let reported = ReportedFindings::new(measured, evaluated, &waivers, None);
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
