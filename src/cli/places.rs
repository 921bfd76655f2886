//! `places`: lists the databases and folders that the settings of simulators name.

use super::{
    Outcome, Run, Settings,
    flags::{INPUT, OUTPUT},
    input_args::found,
    terminal::{Align, columns, print_view},
};
use clap::Args;
use hullmark_report::places::PlacesPage;
use hullmark_settings::simulator::{
    Look, Role,
    limits::{Limit, LimitKey},
    regions::RegionFile,
};
use hullmark_util::{
    number_text::{bytes, counted, thousands},
    terminal_text::clean,
};
use std::{fmt::Write as _, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  hullmark places --from-ini bin/OpenSim.ini
  hullmark places --from-ini bin/OpenSim.ini --from-ini bin/Robust.ini --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct PlacesArgs {
    /// Settings of a simulator or of Robust, as bin/OpenSim.ini. May be repeated
    ///
    /// Files that they include are read, too. No database is opened, and no server is contacted.
    #[arg(long, value_name = "FILE", required_unless_present = "dump_config", help_heading = INPUT)]
    from_ini: Vec<PathBuf>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

impl Run for PlacesArgs {
    fn run(&self, _settings: &Settings) -> anyhow::Result<Outcome> {
        let page = PlacesPage::new(&found(&self.from_ini)?);
        print_view(self.json, &page, || text(&page))?;
        Ok(Outcome::Done)
    }
}

fn text(page: &PlacesPage) -> String {
    let mut text = format!("{}, read in this order:\n", counted(page.files.len() as u64, "file"));
    for file in &page.files {
        let _ = writeln!(text, "  {}", clean(file));
    }
    text += "\nPlaces:\n";
    let left = [Align::Left; 4];
    let rows = page.places.iter().map(|row| {
        let password = if row.has_password { ", password ***" } else { "" };
        let state = format!("{}{password}", state(&row.look));
        vec![role(row.role).into(), row.service.name().into(), clean(&row.place), state]
    });
    text += &columns(&left, &rows.collect::<Vec<_>>());
    text += "\nFrom:\n";
    let rows = page.places.iter().map(|row| vec![row.service.name().into(), clean(&row.from)]);
    text += &columns(&left[..2], &rows.collect::<Vec<_>>());
    if !page.regions.is_empty() {
        text += "\nRegions:\n";
        text += &columns(&left, &page.regions.iter().map(region).collect::<Vec<_>>());
    }
    if !page.notes.is_empty() {
        text += "\nNotes:\n";
    }
    for note in &page.notes {
        let _ = writeln!(text, "  {}", clean(note));
    }
    text
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Store => "store",
        Role::Listed => "not used",
    }
}

fn state(look: &Look) -> String {
    match look {
        Look::Server => "a server, not contacted".into(),
        Look::Missing => "MISSING".into(),
        Look::OtherSystem => "MISSING: a path of Windows".into(),
        Look::Unreadable { why } => format!("UNREADABLE: {}", clean(why)),
        Look::Sqlite { bytes: size } => format!("SQLite, {}", bytes(*size)),
        Look::Empty => "an empty file".into(),
        Look::File { bytes: size } => format!("no SQLite file, {}", bytes(*size)),
        Look::Folder { entries, more } => {
            let more = if *more { "more than " } else { "" };
            format!("a folder with {more}{} entries", thousands(*entries))
        }
    }
}

fn region(region: &RegionFile) -> Vec<String> {
    let [width, depth] = region.size_m;
    let limit = |limit: &Limit| match limit.key {
        LimitKey::ClampPrimSize => limit.key.name().to_owned(),
        key => format!("{} {}", key.name(), limit.value),
    };
    let limits: Vec<String> = region.limits.iter().map(limit).collect();
    let uuid = region.uuid.map_or_else(|| "no UUID".to_owned(), |uuid| uuid.to_string());
    vec![clean(&region.name), uuid, format!("{width} × {depth} m"), limits.join(", ")]
}
