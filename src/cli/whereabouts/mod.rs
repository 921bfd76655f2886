//! `where`: finds all places of an asset, or of things with a UUID or a name.

mod text;

use super::{
    Outcome, Run, Settings,
    flags::{INPUT, OUTPUT},
    input_args::{Inputs, expanded, read_each},
    progress::Verbosity,
};
use crate::cli::terminal::print;
use anyhow::{Context, bail, ensure};
use clap::Args;
use hullmark_analysis::whereabouts::find;
use hullmark_ledger::{self as ledger, Ledger, index::Sought};
use hullmark_report::whereabouts::{Searched, Whereabouts};
use hullmark_storage as storage;
use hullmark_util::{
    escape,
    lock::{into_inner, lock},
};
use rayon::prelude::*;
use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::Mutex,
};
use uuid::Uuid;

const EXAMPLES: &str = "\
Examples:
  hullmark where 89556747-24cb-43ed-920b-47caed15465f ledgers
  hullmark where \"Garden chair\" region.oar --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct WhereArgs {
    /// UUID of an asset, object, part, item, parcel or region; or a name, in any case
    ///
    /// If no whole name matches, names that contain it count. Assets have no names.
    #[arg(required_unless_present = "dump_config", value_name = "UUID|NAME", help_heading = INPUT, display_order = 0)]
    what: Option<String>,
    /// Ledgers, folders of ledgers, or exports, which are read [default: the folder of --ledgers]
    #[arg(value_name = "LEDGERS", help_heading = INPUT, display_order = 1)]
    paths: Vec<PathBuf>,
    /// Folder of ledgers from earlier runs [default: the setting `ledgers`]
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    ledgers: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

impl Run for WhereArgs {
    /// Prints all places of a thing.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let what = self.what.as_deref().context("The UUID or the name is missing")?.trim();
        ensure!(!what.is_empty(), "The name is empty. Name a UUID, or a part of a name");
        let sought = Uuid::try_parse(what).map_or_else(|_| Sought::Name(what.to_lowercase()), Sought::Uuid);
        ensure!(
            sought != Sought::Uuid(Uuid::nil()),
            "The UUID of zeros means no asset, and many fields contain it. Name another"
        );
        let (ledgers, exports) = places(self, settings)?;
        let mut searched = search_exports(exports, &sought, settings)?;
        let read: HashSet<&str> = searched.iter().filter_map(archive).collect();
        let kept = search_ledgers(&ledgers, &sought);
        let kept: Vec<Searched> =
            kept.into_iter().filter(|kept| archive(kept).is_none_or(|name| !read.contains(name))).collect();
        searched.extend(kept);
        let page = Whereabouts::new(what, &sought, searched);
        if self.json {
            print(&escape::json(&page)?)?;
        } else {
            print(&text::text(&page, settings.verbosity == Verbosity::Verbose))?;
        }
        Ok(match (page.found.is_empty(), page.is_complete()) {
            _ if !page.unreadable.is_empty() => Outcome::Incomplete,
            (false, _) => Outcome::Done,
            (true, true) => Outcome::Findings,
            (true, false) => Outcome::Incomplete,
        })
    }
}

/// Returns the files of ledgers, and the paths of exports.
fn places(args: &WhereArgs, settings: &Settings) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let setting = Some(&settings.config.ledgers).filter(|folder| !folder.as_os_str().is_empty());
    let (mut folders, mut exports) = (Vec::new(), Vec::new());
    for path in expanded(&args.paths)? {
        if is_of_ledgers(&path) { folders.push(path) } else { exports.push(path) }
    }
    if args.paths.is_empty() || args.ledgers.is_some() {
        folders.extend(args.ledgers.as_ref().or(setting).cloned());
    }
    if folders.is_empty() && exports.is_empty() {
        bail!("Nothing to search. Name ledgers or exports, or set `ledgers` in hullmark.toml");
    }
    let files = ledger::find(&folders)?;
    if files.is_empty() && exports.is_empty() {
        let names: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
        bail!("{} has no ledger. Write ledgers with `hullmark scan EXPORTS --ledgers DIR`", names.join(", "));
    }
    Ok((files, exports))
}

fn is_of_ledgers(path: &Path) -> bool {
    let is_ledger = |path: &Path| path.extension().is_some_and(|extension| extension == ledger::EXTENSION);
    let is_folder = storage::is_url(path) || path.is_dir();
    let has_one = || storage::entries(path).is_ok_and(|paths| paths.iter().any(|path| is_ledger(path)));
    is_ledger(path) || is_folder && has_one()
}

fn archive(searched: &Searched) -> Option<&str> {
    if let Searched::Input(archive, ..) = searched { Some(archive) } else { None }
}

fn search_exports(
    paths: Vec<PathBuf>,
    sought: &Sought,
    settings: &Settings,
) -> anyhow::Result<Vec<Searched>> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let searched = Mutex::new(Vec::new());
    let inputs = Inputs { paths, ..Inputs::default() };
    read_each(&inputs, settings, &|_, ledger| {
        let found = find(&ledger, sought);
        lock(&searched).push(Searched::Input(ledger.input, ledger.status, found));
    })?;
    Ok(into_inner(searched))
}

/// Searches ledgers. The facts of a ledger are read only if the thing may be in it.
fn search_ledgers(files: &[PathBuf], sought: &Sought) -> Vec<Searched> {
    let search = |path: &PathBuf| match Ledger::read_if_it_holds(path, sought) {
        Ok((label, None)) => Searched::Input(label.input, label.brief.status, Vec::new()),
        Ok((_, Some(ledger))) => {
            let found = find(&ledger, sought);
            Searched::Input(ledger.input, ledger.status, found)
        }
        Err(error) => Searched::Unreadable(error.in_words()),
    };
    storage::side_by_side(files, || files.par_iter().map(search).collect())
}
