//! The earlier run that a run is compared with, and the note that it was there.
//!
//! A report that somebody deleted looks like one that was never written. So the folder of ledgers has a list of the
//! earlier runs that were there.

use super::{Settings, audit::ReportArgsShared, diff, settings::set};
use anyhow::{bail, ensure};
use hullmark_ledger as ledger;
use hullmark_report::{
    diff::{Extent, Snapshot},
    output::LAST,
};
use hullmark_rules::waivers::Waivers;
use hullmark_settings::{config::FailOn, users::Users};
use hullmark_storage::{self as storage, stamp};
use hullmark_util::log::{self, Level};
use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

/// Name of the list in a folder of ledgers: one path on each line.
const LIST: &str = "baselines.txt";

/// The earlier run.
pub(super) enum EarlierRun {
    None,
    /// It was there before.
    Gone(PathBuf),
    Found(Box<Snapshot>),
}

/// Returns the path of the earlier run, if there is one to compare with.
pub(super) fn given<'a>(reported: &'a ReportArgsShared, settings: &'a Settings) -> Option<&'a Path> {
    reported.nightly.baseline.as_deref().or(set(&settings.config.baseline))
}

/// Reads the earlier run to compare with, to this extent. None is there without a baseline, and before the first run in the
/// report's own folder or with `--baseline-if-there`.
pub(super) fn read(
    out: &Path,
    extent: Extent,
    reported: &ReportArgsShared,
    ledgers: Option<&Path>,
    users: Option<&Users>,
    waivers: &Waivers,
    settings: &Settings,
) -> anyhow::Result<EarlierRun> {
    let Some(old) = given(reported, settings) else {
        if reported.compare.fail_on_new.is_some_and(|fail_on| fail_on != FailOn::None) {
            bail!("--fail-on-new compares with an earlier run: add --baseline DIR");
        }
        return Ok(EarlierRun::None);
    };
    if !is_there(old) {
        if ledgers.is_some_and(|ledgers| listed(ledgers).contains(&line(old))) {
            return Ok(EarlierRun::Gone(old.to_owned()));
        }
        if is_same(old, out) || reported.nightly.baseline_if_there || settings.config.baseline_if_there {
            let words = format!("hullmark: {} has no report yet: nothing to compare with", old.display());
            log::say(Level::Info, &words);
            return Ok(EarlierRun::None);
        }
    }
    let (filter, scratch) = (reported.output.filter(), diff::scratch(Some(out)));
    let snapshot = diff::read(old, extent, users, &filter, waivers, settings, &scratch)?;
    Ok(EarlierRun::Found(Box::new(snapshot)))
}

/// Makes sure that all steps of a report in shards find the same earlier run.
pub(super) fn ensure_for_shards(old: &Path, lake: &Path) -> anyhow::Result<()> {
    let old_shown = old.display();
    ensure!(
        !is_same(old, lake),
        "--baseline {old_shown} is the lake of this run, which is written anew. Give each run its own lake, and name the \
         one of an earlier run"
    );
    ensure!(
        has_report(old) || !has_ledgers(old),
        "--baseline {old_shown} has ledgers, and each shard would evaluate them all. Write their report or lake first, \
         and name that"
    );
    Ok(())
}

/// Notes that an earlier run is there, for later runs. A list that cannot be written only costs the note.
pub(super) fn note(old: &Path, ledgers: &Path) {
    let (path, line) = (ledgers.join(LIST), line(old));
    let mut lines = listed(ledgers);
    if !is_there(old) || lines.contains(&line) {
        return;
    }
    let written = match storage::is_url(&path) {
        true => {
            lines.push(line);
            storage::put(&path, (lines.join("\n") + "\n").into_bytes())
        }
        false => File::options()
            .append(true)
            .create(true)
            .open(&path)
            .and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())),
    };
    if let Err(error) = written {
        let words =
            format!("{} cannot be written, so a later run may not miss the report: {error}.", path.display());
        log::say(Level::Warning, &words);
    }
}

/// Whether a path has a report or ledgers. In doubt it has, and reading it says more.
fn is_there(old: &Path) -> bool {
    has_report(old) || has_ledgers(old)
}

fn has_report(old: &Path) -> bool {
    !storage::is_gone(&old.join(LAST))
}

fn has_ledgers(old: &Path) -> bool {
    match ledger::ledgers_in(old) {
        Ok(Some(ledgers)) => !ledgers.is_empty(),
        Ok(None) => !storage::is_gone(old),
        Err(_) => !storage::is_url(old),
    }
}

fn listed(ledgers: &Path) -> Vec<String> {
    let bytes = storage::read(&ledgers.join(LIST)).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}

/// Returns the line of an earlier run.
fn line(old: &Path) -> String {
    stamp::whole(old).to_string_lossy().replace(['\n', '\r'], " ")
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || fs::canonicalize(one).is_ok_and(|one| fs::canonicalize(other).is_ok_and(|other| one == other))
}
