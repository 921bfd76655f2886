//! `profiles`: lists the built-in profiles, or shows one with all values.

use super::{Outcome, Run, Settings, flags::OUTPUT, terminal::print, wrap::rewrite};
use clap::Args;
use hullmark_settings::profile::{self, BUILT_IN, Profile};
use hullmark_util::escape;
use serde::Serialize;
use std::{collections::BTreeMap, fmt::Write};
use toml::{Table, Value};

#[derive(Debug, Args)]
pub(super) struct ProfilesArgs {
    /// Profile to show in full: a built-in name or a file; without it, the built-in profiles are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Print JSON; without it one profile is shown as TOML, with the values of its base where they differ
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Line {
    name: &'static str,
    base: Option<String>,
    description: String,
}

/// A profile with all its values. An infinite limit is null in JSON, as in audit.json.
#[derive(Debug, Serialize)]
struct Whole {
    name: String,
    base: Option<String>,
    profile: Profile,
    /// Differences from its base, by `section.key`.
    differs: BTreeMap<String, Difference>,
}

/// A value that differs from the base. Absent if only one of the two has it.
#[derive(Debug, Serialize)]
struct Difference {
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
}

impl Run for ProfilesArgs {
    /// Lists the built-in profiles, or shows one.
    fn run(&self, _settings: &Settings) -> anyhow::Result<Outcome> {
        let text = match (&self.name, self.json) {
            (None, false) => list(&lines()?),
            (None, true) => escape::json(&lines()?)?,
            (Some(name), false) => Whole::new(name)?.toml(),
            (Some(name), true) => escape::json(&Whole::new(name)?)?,
        };
        print(&text)?;
        Ok(Outcome::Done)
    }
}

fn lines() -> anyhow::Result<Vec<Line>> {
    let line = |&(name, _): &(&'static str, _)| {
        Ok(Line { name, base: profile::base(name)?, description: Profile::load(name)?.description })
    };
    BUILT_IN.iter().map(line).collect()
}

fn list(lines: &[Line]) -> String {
    let mut text = String::new();
    for Line { name, base, description } in lines {
        let base = base.as_ref().map_or(String::new(), |base| format!(" (over {base})"));
        let _ = writeln!(text, "  {name:<17}  {description}{base}");
    }
    text + "\nUse `hullmark profiles NAME` to show all values of a profile, and `hullmark init` to start your own.\n"
}

impl Whole {
    fn new(name: &str) -> anyhow::Result<Self> {
        let profile = Profile::load(name)?;
        let base = profile::base(name)?;
        let differs = match &base {
            Some(base) => differences(&values(&Profile::load(base)?), &values(&profile)),
            None => BTreeMap::new(),
        };
        Ok(Self { name: name.into(), base, profile, differs })
    }

    /// Returns a profile file with the same values.
    fn toml(&self) -> String {
        // The first profile has no base, but a file must name one. Any base works, because the file states all values.
        let base = self.base.as_deref().unwrap_or(&self.name);
        let values = rewrite(&self.profile.to_toml(), |section, key, line| {
            match self.differs.get(&path(section, key)) {
                Some(Difference { base: Some(value), .. }) => format!("{line}  # {base}: {value}"),
                Some(_) => format!("{line}  # {base}: not set"),
                None => line.into(),
            }
        });
        let head = match &self.base {
            Some(base) => format!("# Comments show the value of {base} where it differs.\n"),
            None => String::new(),
        };
        format!("{head}base = {}\n{values}", Value::from(base))
    }
}

fn path(section: &str, key: &str) -> String {
    if section.is_empty() { key.into() } else { format!("{section}.{key}") }
}

/// Returns every value of a profile, by `section.key`.
fn values(profile: &Profile) -> BTreeMap<String, Value> {
    fn gather(table: Table, section: &str, into: &mut BTreeMap<String, Value>) {
        for (key, value) in table {
            let path = path(section, &key);
            match value {
                Value::Table(inner) => gather(inner, &path, into),
                value => drop(into.insert(path, value)),
            }
        }
    }
    let mut values = BTreeMap::new();
    gather(profile.to_table(), "", &mut values);
    values
}

fn differences(
    base: &BTreeMap<String, Value>,
    own: &BTreeMap<String, Value>,
) -> BTreeMap<String, Difference> {
    let paths = base.keys().chain(own.keys()).filter(|&path| base.get(path) != own.get(path));
    let difference =
        |path: &String| Difference { base: base.get(path).cloned(), value: own.get(path).cloned() };
    paths.map(|path| (path.clone(), difference(path))).collect()
}
