//! `where`: finds all places of an asset, or of things with a UUID or a name.

use super::{
    Outcome, Run, Settings,
    flags::{INPUT, OUTPUT},
    input_args::{Inputs, expanded, read_each},
    progress::Verbosity,
    settings::set,
    terminal::{folded, print_view},
};
use anyhow::{Context, bail, ensure};
use clap::Args;
use hullmark_analysis::whereabouts::{Found, Relation, find};
use hullmark_ledger::{self as ledger, Ledger, index::Sought};
use hullmark_report::whereabouts::{Searched, Whereabouts};
use hullmark_storage as storage;
use hullmark_util::{
    lock::{into_inner, lock},
    number_text::{bytes, plain, thousands},
    terminal_text::{clean, counted},
};
use rayon::prelude::*;
use std::{
    collections::HashSet,
    fmt::Write as _,
    path::{Path, PathBuf},
    sync::Mutex,
};
use uuid::Uuid;

const EXAMPLES: &str = "\
Examples:
  hullmark where 89556747-24cb-43ed-920b-47caed15465f ledgers
  hullmark where \"Market stall\" first-region.oar --json";

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
        print_view(self.json, &page, || text(&page, settings.verbosity == Verbosity::Verbose))?;
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
    let (mut folders, mut exports) = (Vec::new(), Vec::new());
    for path in expanded(&args.paths)? {
        if is_of_ledgers(&path) { folders.push(path) } else { exports.push(path) }
    }
    if args.paths.is_empty() || args.ledgers.is_some() {
        folders.extend(args.ledgers.as_deref().or(set(&settings.config.ledgers)).map(Path::to_owned));
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
        Ok((header, None)) => Searched::Input(header.input, header.brief.status, Vec::new()),
        Ok((_, Some(ledger))) => {
            let found = find(&ledger, sought);
            Searched::Input(ledger.input, ledger.status, found)
        }
        Err(error) => Searched::Unreadable(error.in_words()),
    };
    storage::side_by_side(files, || files.par_iter().map(search).collect())
}

/// Maximum number of listed places, unless the view is verbose.
const ROWS: usize = 200;

/// Maximum number of listed inputs that were not fully read.
const INPUTS: usize = 5;

/// Formats the whole page.
fn text(page: &Whereabouts, all: bool) -> String {
    let mut text = String::new();
    let rows = if all { page.found.len() } else { ROWS };
    for found in page.found.iter().take(rows) {
        let _ = writeln!(text, "{}", line(found));
    }
    text += &folded(page.found.len().saturating_sub(rows), "");
    let sought = clean(&page.sought);
    let inputs = counted(page.inputs, "input");
    if page.found.is_empty() {
        let _ = writeln!(text, "{sought} is in none of {inputs}.");
    } else {
        let places: u64 = page.found.iter().map(|found| found.count).sum();
        let with_it = thousands(page.inputs_with_it);
        let _ = writeln!(text, "\n{sought}: {} in {with_it} of {inputs}.", counted(places, "place"));
        text += &without_asset(page);
    }
    text += &listed("Not fully read, so there may be more", &page.not_fully_read);
    text += &listed("Not searched", &page.unreadable);
    text
}

/// Formats a place: input, region, position, object, link, item and how it relates to the thing.
fn line(found: &Found) -> String {
    let mut line = clean(&found.archive);
    if let Some(region) = &found.region {
        let _ = write!(line, "  {}", clean(region));
    }
    if let Some(position) = found.position_m {
        let [x, y, z] = position.map(|metres| plain((metres * 10.0).round() / 10.0));
        let _ = write!(line, " ({x}, {y}, {z})");
    }
    if let Some(object) = &found.object {
        let _ = write!(line, "  \"{}\"", clean(object));
    }
    if let (Some(number), Some(part)) = (found.link_number.filter(|number| *number > 1), &found.part) {
        let _ = write!(line, " link {number} \"{}\"", clean(part));
    }
    if let Some(parcel) = &found.parcel {
        let _ = write!(line, "  parcel \"{}\"", clean(parcel));
    }
    if let Some(item) = &found.item {
        let _ = write!(line, "  item \"{}\"", clean(item));
    }
    if found.region.is_none() && !found.entry.is_empty() {
        let _ = write!(line, "  {}", clean(&found.entry));
    }
    let kind = &found.kind;
    let _ = match (found.relation, found.bytes) {
        (Relation::Holds, Some(size)) => write!(line, ": the asset, a {kind} of {}", bytes(size)),
        (Relation::Holds, None) => write!(line, ": the asset, a {kind}"),
        (Relation::Is, _) => write!(line, ": {kind} {}", found.uuid.unwrap_or_default()),
        (Relation::Uses, _) => write!(line, ": uses it as {kind}"),
        (Relation::Contains, _) => write!(line, ": contains it as {kind}"),
        (Relation::Mentions, _) => write!(line, ": mentions it in a {kind}"),
    };
    if found.count > 1 {
        let _ = write!(line, " × {}", thousands(found.count));
    }
    line
}

/// Names the number of inputs that use an asset and do not hold it.
fn without_asset(page: &Whereabouts) -> String {
    let of = |relations: &[Relation]| -> HashSet<&str> {
        let found = page.found.iter().filter(|found| relations.contains(&found.relation));
        found.map(|found| found.archive.as_str()).collect()
    };
    let holders = of(&[Relation::Holds]);
    let users = of(&[Relation::Uses, Relation::Contains]);
    match users.difference(&holders).count() as u64 {
        0 => String::new(),
        1 => "One of them uses the asset and does not hold it.\n".into(),
        count => format!("{} of them use the asset and do not hold it.\n", thousands(count)),
    }
}

fn listed(title: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let shown: String = names.iter().take(INPUTS).map(|name| format!("  {}\n", clean(name))).collect();
    format!("{title}:\n{shown}{}", folded(names.len().saturating_sub(INPUTS), "  "))
}
