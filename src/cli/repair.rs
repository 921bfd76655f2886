//! `repair`: a copy of an archive that a loader takes.

use super::{
    Outcome, Run, Settings,
    copies::{CopyArgs, ensure_apart, ensure_room, evaluate, first_lines, or_stopped, read_again, read_with},
    flags::{Flags, INPUT, OUTPUT, RULES, TARGET, TargetArgs},
    input_args::RunArgs,
    terminal::print_view,
};
use anyhow::{Context, bail, ensure};
use clap::Args;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_repair::{
    ArchiveWriter, CopyError, Repair, Repaired, Repairer, beside, folder_of, is_archive, knows_all_uses,
    persist, repair_object, write_file,
};
use hullmark_report::csv::defuse;
use hullmark_rules::catalogue::rule;
use hullmark_settings::{profile::Simulator, rule_selection::Selector};
use hullmark_source::ReadRequest;
use hullmark_storage as storage;
use hullmark_util::{
    number_text::{bytes, thousands},
    terminal_text::{clean, counted},
};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    fs, io,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
};
use tempfile::NamedTempFile;
use uuid::Uuid;

const EXAMPLES: &str = "\
Examples:
  hullmark repair region.oar --dry-run
  hullmark repair region.oar --out mended.oar --target opensim-ubode";

/// Maximum number of changes in the JSON and in memory. The CSV has all.
const KEPT: usize = 10_000;

/// Columns of the table of changes.
const COLUMNS: [&str; 8] = ["code", "member", "object", "part", "field", "old", "new", "why"];

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
    }
}

/// What was changed, for people and programs.
#[derive(Debug, Serialize)]
struct View {
    archive: String,
    /// The mended file. Absent if none was written.
    out: Option<String>,
    /// The table of all changes. Absent if none was written.
    table: Option<String>,
    /// The folder of members that are not in the mended file. Absent if all are.
    left_out_folder: Option<String>,
    /// Blockers of the archive, by rule.
    blockers_before: BTreeMap<Code, u64>,
    /// Blockers of the mended file, by rule. Absent if none was written.
    blockers_after: Option<BTreeMap<Code, u64>>,
    members: u64,
    /// Members whose bytes and paths are as they were.
    unchanged: u64,
    /// Members that are not in the mended file.
    left_out: u64,
    /// Assets that nothing uses, and that are not in it either.
    dropped: u64,
    /// Bytes of the mended file.
    bytes: u64,
    changes: u64,
    /// The first changes, in the order of the archive.
    first_changes: Vec<Repair>,
    /// Whether the archive was read to its end.
    complete: bool,
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
        let people = self.owners.as_deref().map(people).transpose()?.unwrap_or_default();
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
                move_inside: self.move_inside.then(|| &settings.profile_of_rules().placement),
                sources: &sources,
                people: &people,
                drop_unused: self.drop_unused,
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
            complete: ledger.status == Status::Complete,
            ..changes.into_view(&repaired)
        };
        print_view(self.copy.json, &view, || text(&view))?;
        Ok(match &view.blockers_after {
            _ if !view.complete => Outcome::Incomplete,
            Some(after) if !after.is_empty() => Outcome::Findings,
            _ => Outcome::Done,
        })
    }
}

impl RepairArgs {
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

/// Reads pairs of UUIDs. A first row of other words is a head.
fn people(path: &Path) -> anyhow::Result<HashMap<Uuid, Uuid>> {
    let shown = path.display();
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).trim(csv::Trim::All).from_path(path);
    let mut people = HashMap::new();
    for (number, row) in reader.with_context(|| format!("{shown} cannot be read"))?.into_records().enumerate()
    {
        let row = row.with_context(|| format!("{shown} cannot be read"))?;
        let pair: Option<Vec<Uuid>> = row.iter().take(2).map(|cell| Uuid::try_parse(cell).ok()).collect();
        match pair.as_deref() {
            Some([person, instead]) => {
                let earlier = people.insert(*person, *instead);
                ensure!(
                    earlier.is_none_or(|earlier| earlier == *instead),
                    "{shown} names {person} twice, with other people in their place"
                );
            }
            _ if number == 0 => {}
            _ => bail!("Row {} of {shown} is not two UUIDs: a person, and who takes their place", number + 1),
        }
    }
    Ok(people)
}

/// Counts the blockers of an archive, by rule.
fn blockers(ledger: &Ledger, settings: &Settings) -> anyhow::Result<BTreeMap<Code, u64>> {
    evaluate(ledger, settings, BTreeMap::new(), |row, found| {
        if row.severity == Severity::Blocker {
            *found.entry(row.finding.code).or_default() += 1;
        }
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

/// The first changes, and the number of all.
#[derive(Debug, Default)]
struct Changes {
    count: u64,
    first: Vec<Repair>,
}

impl Changes {
    fn add(&mut self, repair: Repair) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(repair);
        }
    }

    fn into_view(self, repaired: &Repaired) -> View {
        View {
            archive: String::new(),
            out: None,
            table: None,
            left_out_folder: None,
            blockers_before: BTreeMap::new(),
            blockers_after: None,
            members: repaired.members,
            unchanged: repaired.unchanged,
            left_out: repaired.left_out,
            dropped: repaired.dropped,
            bytes: repaired.bytes,
            changes: self.count,
            first_changes: self.first,
            complete: false,
        }
    }
}

/// The table of all changes, a CSV file. It gets its name at the end.
struct Table {
    path: PathBuf,
    rows: csv::Writer<NamedTempFile>,
}

/// Returns the file with all changes of a copy.
fn table_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".repairs.csv");
    out.with_file_name(name)
}

impl Table {
    fn create(out: &Path) -> anyhow::Result<Self> {
        let path = table_of(out);
        let file = beside(&path).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut rows = csv::Writer::from_writer(file);
        rows.write_record(COLUMNS)?;
        Ok(Self { path, rows })
    }

    fn add(&mut self, Repair { member, object, change }: &Repair) -> io::Result<()> {
        let uuid = |uuid: Option<Uuid>| uuid.map(|uuid| uuid.to_string()).unwrap_or_default();
        let cells = [
            change.code.name(),
            member,
            &uuid(*object),
            &uuid(change.part),
            &change.field,
            &change.old,
            &change.new,
            &change.why,
        ];
        self.rows.write_record(cells.map(|cell| defuse(cell).into_owned())).map_err(io::Error::other)
    }

    /// Gives the table its name. Without changes there is no table, also not that of an earlier run.
    fn finish(self, changes: u64) -> anyhow::Result<Option<PathBuf>> {
        let written = format!("{} cannot be written", self.path.display());
        if changes == 0 {
            storage::remove(&self.path).context(written)?;
            return Ok(None);
        }
        let file =
            self.rows.into_inner().map_err(csv::IntoInnerError::into_error).context(written.clone())?;
        persist(file, &self.path, true).context(written)?;
        Ok(Some(self.path))
    }
}

fn text(view: &View) -> String {
    let before = view.blockers_before.values().sum::<u64>();
    let mut lines = vec![match (&view.out, &view.blockers_after) {
        (Some(out), Some(after)) => {
            let after = after.values().sum::<u64>();
            format!(
                "Wrote {} ({}): {} before, {} after.",
                clean(out),
                bytes(view.bytes),
                counted(before, "blocker"),
                thousands(after)
            )
        }
        _ => format!("The archive has {}. Nothing was written.", counted(before, "blocker")),
    }];
    let changes = counted(view.changes, "change");
    lines.push(format!(
        "{} of {} unchanged; {changes}.",
        thousands(view.unchanged),
        counted(view.members, "member")
    ));
    if view.left_out > 0 {
        let folder =
            view.left_out_folder.as_ref().map_or(String::new(), |folder| format!(" ({})", clean(folder)));
        lines.push(format!("{} left out{folder}.", counted(view.left_out, "member")));
    }
    if view.dropped > 0 {
        lines.push(format!("{} left out that nothing uses.", counted(view.dropped, "asset")));
    }
    if let Some(table) = &view.table {
        lines.push(format!("All changes are in {}.", clean(table)));
    }
    if view.changes > 0 {
        lines.push(String::new());
    }
    lines.extend(first_lines(&view.first_changes, view.changes, line));
    if let Some(after) = view.blockers_after.as_ref().filter(|after| !after.is_empty()) {
        lines.push(String::new());
        lines.push("Blockers that repair does not mend:".into());
        lines.extend(
            after
                .iter()
                .map(|(code, count)| format!("  {code} {} ×  {}", thousands(*count), rule(*code).title)),
        );
    }
    if !view.complete {
        lines.push(String::new());
        lines.push(
            "The archive was not read to its end. The copy has what was whole. `hullmark audit` says why."
                .into(),
        );
    }
    lines.join("\n") + "\n"
}

/// Says one change.
fn line(Repair { member, change, .. }: &Repair) -> String {
    let field = if change.field.is_empty() { String::new() } else { format!(" {}", clean(&change.field)) };
    let from_to = match (change.old.is_empty(), change.new.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(" + {}", clean(&change.new)),
        (false, true) => format!(" {} → removed", clean(&change.old)),
        (false, false) => format!(" {} → {}", clean(&change.old), clean(&change.new)),
    };
    format!("  {}{field}: {}\n      {}\n     {from_to}", change.code, change.why, clean(member))
        .trim_end()
        .to_owned()
}
