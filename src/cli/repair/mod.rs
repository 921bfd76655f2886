//! `repair`: a copy of an archive that a loader takes.

mod apply;
mod choices;
mod table;
mod view;

use super::{
    Outcome, Run, Settings,
    copies::{
        CopyArgs, ensure_apart, ensure_room, evaluate, keep_all_findings, or_stopped, read_again, read_with,
    },
    flags::{Flags, INPUT, OUTPUT, RULES, TARGET, TargetArgs},
    input_args::RunArgs,
    terminal::print_view,
};
use anyhow::{bail, ensure};
use apply::Applied;
use clap::Args;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_repair::{
    ArchiveWriter, Choices, CopyError, Repair, Repaired, Repairer, folder_of, is_archive, knows_all_uses,
    repair_object, write_file,
};
use hullmark_report::preflight::is_broken_asset;
use hullmark_settings::{profile::Simulator, rule_selection::Selector};
use hullmark_source::{Input, ReadRequest};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};
use table::{Table, table_of};
use uuid::Uuid;
use view::{Changes, View};

const EXAMPLES: &str = "\
Examples:
  hullmark repair region.oar --dry-run
  hullmark repair region.oar --out mended.oar --target opensim-ubode";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RepairArgs {
    /// Archive (OAR or IAR), packed or unpacked, or an object as XML. It is only read
    #[arg(required_unless_present = "dump_config", value_name = "IN", help_heading = INPUT, display_order = 0)]
    input: Option<PathBuf>,
    /// File of the mended copy
    #[arg(
        long, short, required_unless_present_any = ["dump_config", "dry_run"], value_name = "FILE",
        help_heading = OUTPUT
    )]
    out: Option<PathBuf>,
    #[command(flatten)]
    copy: CopyArgs,
    /// Move objects whose root is beyond the border, too low or too high into their region
    #[arg(long, help_heading = OUTPUT)]
    move_inside: bool,
    /// Copy missing assets from this archive or folder of assets; may be repeated
    #[arg(long, value_name = "PATH", help_heading = INPUT, display_order = 1)]
    assets: Vec<PathBuf>,
    /// Replace owners and creators by this CSV file: in each row a UUID, and the one in its place
    #[arg(long, value_name = "MAP.csv", help_heading = INPUT, display_order = 2)]
    owners: Option<PathBuf>,
    /// Leave out assets that nothing in the archive uses
    #[arg(long, help_heading = OUTPUT)]
    drop_unused: bool,
    /// Leave out assets that nobody can use; with --assets, whole ones replace them
    #[arg(long, help_heading = OUTPUT)]
    drop_broken: bool,
    /// Apply the actions of this report that are changes of the archive: shapes, links, splits, copies to delete
    #[arg(long, value_name = "actions.csv", help_heading = INPUT, display_order = 3)]
    apply: Option<PathBuf>,
    /// Change only members with faults of these rules or families, as OBJ016,ARC
    #[arg(long, value_name = "CODES", value_delimiter = ',', help_heading = RULES)]
    only: Vec<Selector>,
    /// Grid that loads the copy: opensim-ubode, opensim-bulletsim, or a profile file [default: OpenSimulator's load]
    #[arg(long, help_heading = TARGET, value_name = "NAME", conflicts_with = "profile")]
    target: Option<String>,
    #[command(flatten)]
    limits: TargetArgs,
}

impl Flags for RepairArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some(target) = &self.target {
            settings.choose_profile(target);
        }
        // Each broken asset is left out, and not only the first ones.
        if self.drop_broken {
            keep_all_findings(settings);
        }
    }
}

impl Run for RepairArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.limits, self]
    }

    /// Reads the archive, writes the mended copy, and audits it.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let Some(path) = &self.input else { bail!("repair needs an archive, or an object as XML") };
        let out = self.out.as_deref().filter(|_| !self.copy.dry_run);
        if let Some(out) = out {
            ensure_apart(path, out, self.copy.overwrite)?;
            for beside in [folder_of(out), table_of(out)] {
                let is_free = self.copy.overwrite || !beside.exists();
                ensure!(is_free, "{} exists. Choose another --out, or add --overwrite", beside.display());
            }
        }
        let run = RunArgs::default().until_signalled(settings)?;
        let ((input, ledger), sources) = read_with(path, &self.assets, settings)?;
        let (choices, applied) = self.choices(&ledger, &sources, settings)?;
        if let Some(out) = out.filter(|_| ledger.kind.is_packed_archive()) {
            ensure_room(out, ledger.bytes)?;
        }
        ensure!(
            !self.drop_unused || knows_all_uses(&ledger),
            "--drop-unused needs an archive whose objects can all be read. Repair it first, then the copy"
        );
        let blockers_before = blockers(&ledger, settings)?;
        let mut table = out.map(Table::create).transpose()?;
        let mut changes = Changes::default();
        let mut note = |repair: Repair| {
            if let Some(table) = &mut table {
                table.add(&repair)?;
            }
            changes.add(repair);
            Ok(())
        };
        let repaired = if is_archive(&ledger) {
            let repairer = Repairer {
                ledger: &ledger,
                limits: &settings.config.limits,
                materials: settings.profile_of_rules().simulator > Simulator::Until092,
                choices,
                wants: &|code| self.only.is_empty() || self.only.iter().any(|codes| codes.covers(code)),
                is_stopped: &|| run.stop.load(Ordering::Relaxed),
            };
            let writer =
                out.map(|out| ArchiveWriter::create(out, self.copy.overwrite).map(|writer| (writer, out)));
            let writer = writer.transpose()?;
            repairer.run(&input, &ReadRequest::new(&settings.config.limits), writer, &mut note)
        } else {
            self.object(&ledger, out, settings, &mut note)
        };
        let Some(repaired) = or_stopped(repaired)? else { return Ok(Outcome::Stopped) };
        let table = table.map(|table| table.finish(changes.count)).transpose()?.flatten();
        let after = out.map(|out| after(out, settings)).transpose()?;
        let view = View {
            archive: ledger.input.clone(),
            out: out.map(|out| out.display().to_string()),
            table: table.map(|table| table.display().to_string()),
            left_out_folder: out
                .filter(|_| repaired.left_out > 0)
                .map(folder_of)
                .filter(|folder| folder.is_dir())
                .map(|folder| folder.display().to_string()),
            blockers_before,
            blockers_after: after,
            applied: applied.map(|applied| applied.done(&repaired)),
            complete: ledger.status == Status::Complete,
            ..changes.into_view(&repaired)
        };
        print_view(self.copy.json, &view, || view.text())?;
        Ok(match &view.blockers_after {
            _ if !view.complete => Outcome::Incomplete,
            Some(after) if !after.is_empty() => Outcome::Findings,
            _ => Outcome::Done,
        })
    }
}

impl RepairArgs {
    /// Returns the changes that somebody chose, and what becomes of the table of --apply.
    fn choices<'c>(
        &self,
        ledger: &Ledger,
        sources: &'c [(Input, Ledger)],
        settings: &'c Settings,
    ) -> anyhow::Result<(Choices<'c>, Option<Applied>)> {
        let (edits, applied) = match &self.apply {
            Some(table) => apply::edits(table, ledger).map(|(edits, applied)| (edits, Some(applied)))?,
            None => Default::default(),
        };
        let choices = Choices {
            move_inside: self.move_inside.then(|| &settings.profile_of_rules().placement),
            sources,
            people: self.owners.as_deref().map(choices::people).transpose()?.unwrap_or_default(),
            drop_unused: self.drop_unused,
            broken: if self.drop_broken { broken(ledger, settings)? } else { BTreeSet::new() },
            edits,
        };
        Ok((choices, applied))
    }

    /// Mends a file with objects as XML.
    fn object(
        &self,
        ledger: &Ledger,
        out: Option<&Path>,
        settings: &Settings,
        note: &mut dyn FnMut(Repair) -> io::Result<()>,
    ) -> Result<Repaired, CopyError> {
        let path =
            self.input.as_deref().filter(|path| path.extension().is_some_and(|extension| extension == "xml"));
        let bytes = path.and_then(|path| fs::read(path).ok());
        let Some(bytes) = bytes else { return Err(CopyError::NoArchive(ledger.input.clone())) };
        let mended = repair_object(&ledger.input, &bytes, &settings.config.limits, note)?;
        let Some(mended) = mended else { return Err(CopyError::Hopeless(ledger.input.clone())) };
        if let Some(out) = out {
            write_file(out, &mended, self.copy.overwrite)?;
        }
        let unchanged = u64::from(mended == bytes);
        Ok(Repaired { members: 1, unchanged, bytes: mended.len() as u64, ..Repaired::default() })
    }
}

/// Counts the blockers of an archive, by rule.
fn blockers(ledger: &Ledger, settings: &Settings) -> anyhow::Result<BTreeMap<Code, u64>> {
    evaluate(ledger, settings, BTreeMap::new(), |row, found| {
        if row.severity == Severity::Blocker {
            *found.entry(row.finding.code).or_default() += 1;
        }
    })
}

/// Returns the assets of an archive that nobody can use.
fn broken(ledger: &Ledger, settings: &Settings) -> anyhow::Result<BTreeSet<Uuid>> {
    evaluate(ledger, settings, BTreeSet::new(), |row, found| {
        let broken = row.findings().filter(|finding| is_broken_asset(row.severity, finding));
        found.extend(broken.filter_map(|finding| finding.place.asset));
    })
}

/// Audits the copy.
fn after(out: &Path, settings: &Settings) -> anyhow::Result<BTreeMap<Code, u64>> {
    let copy = read_again(out, settings)?;
    ensure!(
        copy.status == Status::Complete,
        "internal error: {} was read again and is not whole. Do not use it, and report this bug",
        out.display()
    );
    blockers(&copy, settings)
}
