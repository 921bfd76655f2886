//! `doctor`: whether a run would work here, and who would hear about it.

mod folders;
mod machine;

use super::{
    Outcome, Run, Settings,
    flags::{Flags, INPUT, NIGHTLY, OUTPUT, TARGET},
    input_args::expanded,
    notify::Channel,
};
use crate::cli::{
    settings::set,
    terminal::{Align, columns, print_view},
};
use clap::Args;
use hullmark_ledger::InputKind;
use hullmark_report::doctor::{Check, DoctorPage, KindLine, State};
use hullmark_source::{self as source, Input, Place, What};
use hullmark_util::{
    number_text::{bytes, counted},
    terminal_text::clean,
};
use std::{
    env,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  hullmark doctor
  hullmark doctor /srv/oars --out report --ledgers ledgers --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct DoctorArgs {
    /// Paths of exports, to see as which kinds they would be read
    #[arg(value_name = "PATH", help_heading = INPUT)]
    paths: Vec<PathBuf>,
    /// Folder of the report
    #[arg(long, short, value_name = "DIR", help_heading = OUTPUT)]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Folder of the ledgers
    #[arg(long, value_name = "DIR", help_heading = NIGHTLY)]
    ledgers: Option<PathBuf>,
    /// Target grid
    #[arg(long, value_name = "NAME", help_heading = TARGET)]
    profile: Option<String>,
}

impl Flags for DoctorArgs {
    fn apply(&self, settings: &mut Settings) {
        if let Some(profile) = &self.profile {
            settings.choose_profile(profile);
        }
    }
}

impl Run for DoctorArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![self]
    }

    /// Prints the checks. The exit code is 1 if one found an error.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let page = page(self, settings);
        print_view(self.json, &page, || text(&page))?;
        Ok(if page.is_well() { Outcome::Done } else { Outcome::Findings })
    }
}

fn text(page: &DoctorPage) -> String {
    let row = |check: &Check| vec![check.state.name().into(), check.name.into(), clean(&check.text)];
    let rows: Vec<_> = page.checks.iter().map(row).collect();
    columns(&[Align::Left; 3], &rows)
}

fn page(args: &DoctorArgs, settings: &Settings) -> DoctorPage {
    let features = features();
    let (out, ledgers) = (args.out.as_deref(), args.ledgers.as_deref().or(set(&settings.config.ledgers)));
    let machine = machine::look(settings);
    let mut checks = vec![version(&features), settings_check(settings), profile(settings)];
    checks.extend(machine::checks(&machine, settings));
    let mut inputs = Vec::new();
    if !args.paths.is_empty() {
        let (kinds, check) = look_at_inputs(&args.paths, &[out, ledgers], settings);
        (inputs, checks) = (kinds, [checks, vec![check]].concat());
    }
    checks.extend(out.map(|out| folders::writable("report", "--out", out)));
    checks.extend(ledgers.map(|ledgers| folders::writable("ledgers", "--ledgers", ledgers)));
    let variable = if cfg!(windows) { "TMP" } else { "TMPDIR" };
    checks.push(folders::writable("temporary files", variable, &env::temp_dir()));
    checks.extend(folders::disks(out, ledgers));
    checks.push(databases());
    checks.extend(messages(settings));
    DoctorPage {
        hullmark: env!("CARGO_PKG_VERSION"),
        features,
        machine,
        settings_file: settings.file.as_ref().map(|file| file.display().to_string()),
        profile: settings.config.profile.clone(),
        inputs,
        checks,
    }
}

/// Returns the optional parts of this build.
pub(super) fn features() -> Vec<&'static str> {
    let all = [
        ("database", cfg!(feature = "database")),
        ("notify", cfg!(feature = "notify")),
        ("object-store", cfg!(feature = "object-store")),
        ("parquet", cfg!(feature = "parquet")),
        ("sculpt", cfg!(feature = "sculpt")),
        ("xlsx", cfg!(feature = "xlsx")),
    ];
    all.into_iter().filter(|(_, is_built)| *is_built).map(|(name, _)| name).collect()
}

fn version(features: &[&str]) -> Check {
    let parts = if features.is_empty() { "no optional parts".into() } else { features.join(", ") };
    Check::new("version", State::Ok, format!("hullmark {} with {parts}.", env!("CARGO_PKG_VERSION")))
}

fn settings_check(settings: &Settings) -> Check {
    let text = match &settings.file {
        Some(file) => format!("{} applies.", file.display()),
        None => "There is no settings file, so the defaults apply. `hullmark init` writes one.".into(),
    };
    Check::new("settings", State::Ok, text)
}

fn profile(settings: &Settings) -> Check {
    let source = settings.profile_source.words();
    let source = if source.is_empty() { "the default" } else { source };
    Check::new("profile", State::Ok, format!("{} ({source}).", settings.profile.description))
}

/// Lists the inputs below these paths by kind.
fn look_at_inputs(
    paths: &[PathBuf],
    outputs: &[Option<&Path>],
    settings: &Settings,
) -> (Vec<KindLine>, Check) {
    let failed = |why: String| (Vec::new(), Check::new("inputs", State::Error, why));
    let outputs: Vec<&Path> = outputs.iter().copied().flatten().collect();
    let paths = match expanded(paths) {
        Ok(paths) => paths,
        Err(error) => return failed(format!("{error:#}.")),
    };
    let inputs = match source::walk_knowing(&paths, &outputs, &settings.config.limits, &|_, _| false) {
        Ok(inputs) => inputs,
        Err(error) => return failed(format!("{error}.")),
    };
    if let Err(nothing) = source::ensure_exports(&paths, &inputs) {
        return failed(format!("{nothing}."));
    }
    let kinds = kinds(&inputs);
    let named = |line: &KindLine| format!("{} × {} ({})", line.inputs, line.kind, bytes(line.bytes));
    let listed = kinds.iter().map(named).collect::<Vec<_>>().join(", ");
    let unreadable = inputs.iter().filter(|input| matches!(input.what, What::Unreadable(_))).count() as u64;
    let check = match unreadable {
        0 => Check::new("inputs", State::Ok, format!("{listed}.")),
        count => {
            let cannot =
                format!("{} cannot be opened. Check the rights of its user", counted(count, "input"));
            Check::new("inputs", State::Warning, format!("{listed}. {cannot}."))
        }
    };
    (kinds, check)
}

/// Counts inputs by kind, in the order of kinds.
fn kinds(inputs: &[Input]) -> Vec<KindLine> {
    let mut lines: Vec<KindLine> = Vec::new();
    for input in inputs {
        let kind = kind(input);
        match lines.iter_mut().find(|line| line.kind == kind) {
            Some(line) => (line.inputs, line.bytes) = (line.inputs + 1, line.bytes + input.bytes),
            None => lines.push(KindLine { kind, inputs: 1, bytes: input.bytes }),
        }
    }
    lines.sort_by_key(|line| line.kind);
    lines
}

/// Names the kind of an input, as far as its name and its first bytes show it.
fn kind(input: &Input) -> &'static str {
    let is_named = |ending: &str| input.name.to_ascii_lowercase().ends_with(ending);
    match &input.what {
        What::Archive if is_named(".oar") => "oar",
        What::Archive if is_named(".iar") => "iar",
        What::Archive => "archive",
        What::Tree(_) => "unpacked archive",
        What::DumpFolder(_) => InputKind::Dump.name(),
        What::Folder(_) => "folder",
        What::Place(Place::Sqlite) => InputKind::Sqlite.name(),
        What::Place(Place::FsAssets(_)) => InputKind::Fsassets.name(),
        What::Place(Place::Flotsam) => InputKind::Flotsam.name(),
        What::Place(Place::Server) => "database server",
        What::Unreadable(_) => "unreadable",
    }
}

fn databases() -> Check {
    let text = if cfg!(feature = "database") {
        "This build has clients of MariaDB, MySQL and PostgreSQL."
    } else {
        "This build reads dumps and SQLite, and no servers. `--features database` adds them."
    };
    Check::new("databases", State::Ok, text)
}

/// Checks each channel of messages. Secrets are read, and never shown.
fn messages(settings: &Settings) -> Vec<Check> {
    let notify = &settings.config.notify;
    if notify.is_silent() {
        let text = "No channel is set, so nobody gets a message. Set one in [notify] of the settings.";
        return vec![Check::new("messages", State::Ok, text)];
    }
    let check = |channel: Channel| match channel.check(notify) {
        Ok(()) => {
            let text = format!("{} is set. `hullmark notify` tests it.", channel.name());
            Check::new("messages", State::Ok, text)
        }
        Err(error) => Check::new("messages", State::Error, format!("{} {error}.", channel.name())),
    };
    Channel::of(notify).map(check).collect()
}
