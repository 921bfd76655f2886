//! `scan`: exports, or a share of a plan, to ledgers.

use super::{
    Outcome, Settings,
    audit::{or_stopped, say_end},
    held::Holding,
    input_args::{InputArgs, RunArgs, session_error, watcher},
};
use crate::{
    ledger::coverage::Emptied,
    ledger::{
        self, Label, Ledger,
        coverage::{NotCovered, Uncovered},
        facts::Status,
    },
    report::Held,
    scan::{
        cache::Shelf,
        plan::{self, Plan, Shard, share::Share},
        session::{Found, RunLimits, Session, SessionError},
        source::Input,
    },
    storage,
    util::{
        log::{self, Level},
        terminal_text::counted,
    },
};
use anyhow::{Context, ensure};
use clap::{ArgGroup, Args};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("without_paths").args(["dump_config", "plan"]).multiple(true))]
pub(super) struct ScanArgs {
    #[command(flatten)]
    given: InputArgs,
    #[command(flatten)]
    planned: Planned,
    /// The folder for the ledgers
    #[arg(long, value_name = "DIR", required_unless_present = "dump_config")]
    ledgers: Option<PathBuf>,
    /// Take a kept ledger for true where the content of its input is the same, not where names, sizes and times are
    #[arg(long)]
    checksum: bool,
    #[command(flatten)]
    run: RunArgs,
}

/// What is read of a plan.
#[derive(Debug, Args)]
struct Planned {
    /// Read what this plan has (hullmark plan), in place of PATH and --assets. Others may work other shares of it at the
    /// same time, and keep their ledgers in the same folder
    #[arg(long, value_name = "FILE", conflicts_with_all = ["paths", "assets", "sample"])]
    plan: Option<PathBuf>,
    /// Read only this share of the plan, as 3/17 for the third of seventeen; auto/17 takes the index that Kubernetes,
    /// Slurm, AWS Batch or Bazel gives a task
    #[arg(long, value_name = "K/N", requires = "plan")]
    shard: Option<Shard>,
    /// Read the stores of the plan, for what the inputs lack whose ledgers are in the folder; when these are all scanned.
    /// Without --shard and --stores inputs and stores are read
    #[arg(long, requires = "plan")]
    stores: bool,
}

/// Reads exports and keeps ledgers.
pub(super) fn scan(args: &ScanArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let folder = args.ledgers.as_deref().context("--ledgers is missing")?;
    let run = args.run.until_signalled(settings).context("Signals cannot be waited for")?;
    let keeping = Keeping { folder, room: 0, checksum: args.checksum, run: &run, settings };
    let planned = &args.planned;
    let Some(path) = &planned.plan else {
        let scanned =
            keeping.read(None, |session| session.read(&args.given.paths, &args.given.assets, &[folder]))?;
        return Ok(end(&scanned, run.is_cut(), folder, settings));
    };
    let plan = Plan::read(path, &settings.config.limits)?;
    let share = planned.shard.map_or(Ok(Share::WHOLE), Shard::share)?;
    if planned.stores {
        let stores = keeping.read_stores(&plan, share)?;
        return Ok(end(&stores, run.is_cut(), folder, settings));
    }
    let mut scanned = keeping.read_inputs(&plan, share)?;
    if planned.shard.is_none() && scanned.uncovered.is_empty() {
        let stores = keeping.read_stores(&plan, share)?;
        scanned.ledgers.extend(stores.ledgers);
        scanned.incomplete += stores.incomplete;
        scanned.uncovered.extend(stores.uncovered);
    }
    Ok(end(&scanned, run.is_cut(), folder, settings))
}

/// Says how a scan ended.
fn end(scanned: &Scanned, cut: bool, folder: &Path, settings: &Settings) -> Outcome {
    let outcome = if scanned.incomplete == 0 { Outcome::Done } else { Outcome::Incomplete };
    let left_out = NotCovered::of(&scanned.uncovered);
    let outcome = or_stopped(outcome, cut, left_out.as_ref());
    let kept = counted(scanned.ledgers.len() as u64, "input");
    let left_out = left_out.map_or(String::new(), |left_out| format!(", {}", left_out.in_words()));
    let incomplete = match scanned.incomplete {
        0 => String::new(),
        count => format!(", {} not read to the end", counted(count, "input")),
    };
    say_end(outcome, &format!("ledgers of {kept} in {}{incomplete}{left_out}", folder.display()), settings);
    outcome
}

/// Where and how ledgers are kept.
pub(super) struct Keeping<'a> {
    /// The folder.
    pub(super) folder: &'a Path,
    /// So many bytes of ledgers are only held in memory.
    pub(super) room: usize,
    /// Whether contents tell that a kept ledger is true.
    pub(super) checksum: bool,
    /// Which part is read.
    pub(super) run: &'a RunLimits,
    /// How it is read.
    pub(super) settings: &'a Settings,
}

/// What a scan left in a folder of ledgers.
pub(super) struct Scanned {
    /// The ledgers of this run that are files.
    pub(super) ledgers: Vec<PathBuf>,
    /// Those that are not.
    pub(super) held: Vec<(Label, Held)>,
    /// Inputs that were not read to their end.
    incomplete: u64,
    /// Inputs that are left to another night.
    pub(super) uncovered: Vec<Uncovered>,
    /// Folders that had inputs in an earlier run and have none now.
    pub(super) emptied: Vec<Emptied>,
    /// Until it goes, no other run takes a ledger away.
    _shelf: Shelf,
}

impl Keeping<'_> {
    /// Reads what is not known yet, alone or for a plan that others work on.
    pub(super) fn read(
        &self,
        plan: Option<String>,
        read: impl FnOnce(&Session<'_>) -> Result<Found, SessionError>,
    ) -> anyhow::Result<Scanned> {
        let waiting = || {
            let words =
                format!("hullmark: another run uses {}; waiting for it to end", self.folder.display());
            log::say(Level::Info, &words);
        };
        let (limits, now) = (&self.settings.config.limits, self.settings.now());
        let planned = plan.is_some();
        let shelf = Shelf::open(self.folder, limits, self.checksum, plan, now, waiting)?;
        let (incomplete, used) = (AtomicU64::new(0), Mutex::new(Vec::new()));
        let holding = (self.room > 0).then(|| Holding::new(self.room, self.folder));
        let found = read(&Session {
            cache: Some(&shelf),
            keep: &|input, bodies, ledger| {
                if ledger.status != Status::Complete {
                    incomplete.fetch_add(1, Ordering::Relaxed);
                }
                if let Some(holding) = &holding {
                    return holding.hold(shelf.label(input, bodies, &ledger), ledger);
                }
                let path = shelf.put(input, bodies, &ledger)?;
                used.lock().unwrap_or_else(PoisonError::into_inner).push(path);
                Ok(())
            },
            watch: &watcher(self.run, self.settings),
            run: self.run,
            planned,
            limits,
            threads: self.settings.config.threads,
        })
        .map_err(session_error)?;
        let Found { known, uncovered } = found;
        let mut ledgers = used.into_inner().unwrap_or_else(PoisonError::into_inner);
        ledgers.extend(known);
        let (held, written) = holding.map_or_else(Default::default, Holding::finish);
        ledgers.extend(written);
        let emptied = shelf.prune(&ledgers)?;
        Ok(Scanned { ledgers, held, incomplete: incomplete.into_inner(), uncovered, emptied, _shelf: shelf })
    }

    /// Reads a share of the inputs of a plan.
    fn read_inputs(&self, plan: &Plan, share: Share) -> anyhow::Result<Scanned> {
        let inputs = plan::share_of(plan.inputs(), share);
        warn_of_changed(&inputs);
        self.read(Some(plan.id()), |session| {
            session.expect(&[], plan.inputs());
            session.scan(&inputs, None)
        })
    }

    /// Reads a share of the stores of a plan, for what the inputs lack whose ledgers are there.
    fn read_stores(&self, plan: &Plan, share: Share) -> anyhow::Result<Scanned> {
        let stores = plan::share_of(plan.stores(), share);
        if stores.is_empty() {
            // Nobody has to know what the inputs lack.
            return self.read(Some(plan.id()), |_| Ok(Found::default()));
        }
        ensure!(
            storage::is_url(self.folder) || self.folder.is_dir(),
            "There is no folder {}: scan the inputs of the plan into it first",
            self.folder.display()
        );
        let gathered = plan.gather(ledger::find_readable(&[self.folder.into()])?)?;
        if let Some(missing) = gathered.told() {
            log::say(Level::Warning, &format!("{missing}. The stores are not searched for what these lack."));
        }
        let mut bodies = BTreeSet::new();
        for path in &gathered.inputs {
            bodies.extend(Ledger::read(path)?.missing_bodies());
        }
        self.read(Some(gathered.stores_for), |session| session.scan(&stores, Some(&bodies)))
    }
}

/// Names what is not as it was planned: an export may have been written since.
fn warn_of_changed(inputs: &[Input]) {
    let changed: Vec<&Input> = inputs.iter().filter(|input| plan::has_changed(input)).collect();
    if !changed.is_empty() {
        let words = format!(
            "{} changed since the plan was made, and {} read as now: {}.",
            counted(changed.len() as u64, "input"),
            if changed.len() == 1 { "is" } else { "are" },
            plan::some_of(changed.iter().map(|input| input.name.as_str()))
        );
        log::say(Level::Warning, &words);
    }
}
