//! `waive`: adds a waiver to the waivers file. Other commands read that file with [`Waiving`].

use super::{
    Outcome, Run, Settings,
    flags::{Flags, NowArgs, RULES},
    settings::set,
    terminal::print,
};
use anyhow::{Context, bail};
use clap::Args;
use hullmark_report::csv::restore;
use hullmark_rules::waivers::{WaiverTerms, Waivers, fingerprint};
use hullmark_storage as storage;
use hullmark_util::{
    dates_in_names::undated,
    named_file,
    terminal_text::{clean, cut},
};
use std::{
    collections::HashMap,
    env, fs, io,
    path::{Path, PathBuf},
};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

/// Maximum length of a message in the comment above a waiver.
const FOUND: usize = 200;

/// The waivers in force.
#[derive(Debug, Args)]
pub(super) struct Waiving {
    /// File of waivers: waived findings are reported, but do not count
    #[arg(long, value_name = "FILE", help_heading = RULES)]
    waivers: Option<PathBuf>,
}

impl Waiving {
    pub(super) fn read(&self, settings: &Settings) -> anyhow::Result<Waivers> {
        match file(self.waivers.as_deref(), settings) {
            Some(path) => Ok(Waivers::read(path, terms(settings))?),
            None => Ok(Waivers::default()),
        }
    }
}

fn file<'a>(named: Option<&'a Path>, settings: &'a Settings) -> Option<&'a Path> {
    named.or(set(&settings.config.waivers.file))
}

fn terms(settings: &Settings) -> WaiverTerms {
    WaiverTerms { now: settings.now(), longest_days: settings.config.waivers.longest_days }
}

const EXAMPLES: &str = "\
Examples:
  hullmark waive 1f0c4d7a9b2e6538 --reason \"Sculpture, never moved\" --until 2027-01-31 --file waivers.toml";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct WaiveArgs {
    /// Fingerprint of the finding, from findings.csv
    #[arg(required_unless_present = "dump_config", value_name = "FINGERPRINT")]
    fingerprint: Option<String>,
    /// Why the finding is accepted
    #[arg(long, value_name = "WORDS", required_unless_present = "dump_config")]
    reason: Option<String>,
    /// Last day of the waiver, as 2027-01-31 (UTC)
    #[arg(long, value_name = "DAY", required_unless_present = "dump_config")]
    until: Option<String>,
    /// Who is responsible [default: your login name]
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// File of waivers; it is created if needed [default: that of the settings]
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Folder of a report with the finding: code, place and message are copied into the waiver
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Change reason and last day of the existing waiver
    #[arg(long)]
    renew: bool,
    #[command(flatten)]
    pub(super) now: NowArgs,
}

impl Run for WaiveArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.now]
    }

    /// Adds a waiver to the file, or renews it.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let path = file(self.file.as_deref(), settings).context(
            "No file for the waiver is named: use --file FILE, or `file` of [waivers] in the settings",
        )?;
        let number =
            fingerprint(self.fingerprint.as_deref().unwrap_or_default()).map_err(anyhow::Error::msg)?;
        let fingerprint = format!("{number:016x}");
        let who = self
            .who
            .clone()
            .or_else(user)
            .context("Your login name is unknown: use --who NAME to name who is responsible")?;
        let found =
            self.report.as_deref().map(|report| FoundFinding::look_up(report, &fingerprint)).transpose()?;
        let old = match named_file::read_regular_text(path, named_file::SETTINGS) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        let shown = path.display();
        if !old.is_empty() {
            // Reports errors that the file already has.
            Waivers::parse(&path.to_string_lossy(), &old, terms(settings))?;
        }
        let mut document: DocumentMut = old.parse().with_context(|| format!("{shown} is not valid TOML"))?;
        // If the file has comments only, the first waiver goes below them.
        let mut head = String::new();
        if document.is_empty() {
            document.trailing().as_str().unwrap_or_default().clone_into(&mut head);
            if !head.is_empty() && !head.ends_with('\n') {
                head.push('\n');
            }
            document.set_trailing("");
        }
        let waivers = document.entry("waiver").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let Some(waivers) = waivers.as_array_of_tables_mut() else {
            bail!("{shown} has its waivers in one line. Write each as a table [[waiver]], then try again");
        };
        let same = |table: &&mut Table| {
            let words = table.get("fingerprint").and_then(Item::as_str);
            words.is_some_and(|words| words.trim().eq_ignore_ascii_case(&fingerprint))
        };
        let known = waivers.iter_mut().find(same);
        let done = match (known, self.renew) {
            (Some(table), true) => {
                fill(table, self, &who, settings);
                "Renewed"
            }
            (None, true) => {
                bail!("{shown} has no waiver of {fingerprint} to renew. Leave out --renew to add one")
            }
            (Some(table), false) => {
                let value =
                    |key: &str| table.get(key).map(|item| clean(item.to_string().trim())).unwrap_or_default();
                bail!(
                    "{shown} already has a waiver of {fingerprint} (until {}, {}: {}). Use --renew to change its reason and \
                 last day",
                    value("until"),
                    value("who"),
                    value("reason"),
                );
            }
            (None, false) => {
                let mut table = Table::new();
                let gap = if waivers.is_empty() && old.is_empty() { "" } else { "\n" };
                let comment =
                    found.as_ref().map(|found| format!("# {}\n", found.words())).unwrap_or_default();
                table.decor_mut().set_prefix(format!("{head}{gap}{comment}"));
                if let Some(found) = &found {
                    table["code"] = value(&found.code);
                }
                table["fingerprint"] = value(&fingerprint);
                if let Some((key, pattern)) = found.as_ref().and_then(FoundFinding::place) {
                    table[key] = value(pattern);
                }
                fill(&mut table, self, &who, settings);
                waivers.push(table);
                "Added"
            }
        };
        let text = document.to_string();
        // Checks the result.
        Waivers::parse(&path.to_string_lossy(), &text, terms(settings))
            .context("The file was not changed")?;
        replace(path, &text).with_context(|| format!("{shown} cannot be written"))?;
        let until = self.until.as_deref().unwrap_or_default();
        let what = found.map_or(String::new(), |found| format!(" ({})", found.words()));
        print(&format!("{done} in {shown}, until {}: {fingerprint}{what}\n", clean(until)))?;
        Ok(Outcome::Done)
    }
}

/// Sets reason, person and dates of a waiver.
fn fill(table: &mut Table, args: &WaiveArgs, who: &str, settings: &Settings) {
    let today = humantime::format_rfc3339_seconds(settings.now()).to_string();
    let today = today.split('T').next().unwrap_or_default().to_owned();
    let pairs = [
        ("reason", args.reason.clone().unwrap_or_default()),
        ("who", who.to_owned()),
        ("added", today),
        ("until", args.until.clone().unwrap_or_default()),
    ];
    for (key, words) in pairs {
        match table.get_mut(key).and_then(Item::as_value_mut) {
            // Keeps comments after the old value.
            Some(old) => {
                let decor = old.decor().clone();
                *old = words.into();
                *old.decor_mut() = decor;
            }
            None => table[key] = value(words),
        }
    }
}

/// Returns the login name. `None` if it is unknown.
fn user() -> Option<String> {
    let names = ["USER", "LOGNAME", "USERNAME"].into_iter();
    names.filter_map(|name| env::var(name).ok()).find(|name| !name.trim().is_empty())
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    // Replaces the target of a link, not the link.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = fs::write(&partial, text).and_then(|()| {
        if let Ok(old) = fs::metadata(&path) {
            fs::set_permissions(&partial, old.permissions())?;
        }
        fs::File::open(&partial)?.sync_all()?;
        storage::rename(&partial, &path)
    });
    if written.is_err() {
        // Nothing more can be done if that fails.
        let _ = fs::remove_file(&partial);
    }
    written
}

struct FoundFinding {
    code: String,
    message: String,
    archive: String,
    region: String,
    object: String,
}

impl FoundFinding {
    fn look_up(report: &Path, fingerprint: &str) -> anyhow::Result<Self> {
        let path = report.join("findings.csv");
        let shown = path.display();
        let wrong =
            || format!("{shown} cannot be read. Name the folder of a report with CSV tables (--format csv)");
        let mut reader = ::csv::Reader::from_path(&path).with_context(wrong)?;
        for row in reader.deserialize() {
            let row: HashMap<String, String> = row.with_context(wrong)?;
            let cell = |name: &str| row.get(name).map(|cell| restore(cell).into_owned()).unwrap_or_default();
            if cell("fingerprint") == fingerprint {
                return Ok(Self {
                    code: cell("code"),
                    message: cell("message"),
                    archive: cell("archive"),
                    region: cell("region"),
                    object: cell("object_name"),
                });
            }
        }
        bail!(
            "{shown} has no finding {fingerprint}. Copy it from the column fingerprint, or leave out --report for a \
             finding of another run"
        )
    }

    /// Formats the finding as one line for a comment.
    fn words(&self) -> String {
        let Self { message, archive, object, .. } = self;
        let place = if object.is_empty() { archive.clone() } else { format!("{object} ({archive})") };
        cut(&clean(&format!("{}: {place}: {message}", self.code)), FOUND)
    }

    /// Returns its region, else a pattern of its archive without dates.
    fn place(&self) -> Option<(&'static str, String)> {
        let file = self.archive.rsplit(['/', '\\']).next().unwrap_or_default();
        match (self.region.as_str(), file) {
            ("", "") => None,
            ("", file) => Some(("archive", globset::escape(&undated(file)).replace('#', "*"))),
            (region, _) => Some(("region", globset::escape(region))),
        }
    }
}
