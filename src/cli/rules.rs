//! `rules`: the table of codes, for a person or a program.

use super::{Outcome, Settings, text::print};
use crate::{
    finding::{
        Code, Severity,
        catalogue::{FAMILIES, Rule},
    },
    profile::Profile,
};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// How to write them: a table, or JSON with every field
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Prints every code with its severity for the target grid.
pub(super) fn rules(args: &RulesArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    match args.format {
        Format::Text => print(&text(&settings.profile))?,
        Format::Json => print(&(serde_json::to_string_pretty(&lines(&settings.profile))? + "\n"))?,
    }
    Ok(Outcome::Done)
}

fn text(profile: &Profile) -> String {
    let mut text = format!("Severities for {}.\n", profile.description);
    for family in &FAMILIES {
        let _ = writeln!(text, "\n{}", family.title);
        for &code in family.codes {
            let _ = writeln!(text, "  {code}  {:<7}  {}", profile.severity(code), code.rule().title);
        }
    }
    text + "\n`hullmark explain CODE` shows the page of a rule.\n"
}

/// A row of the table with what the target grid makes of it.
#[derive(Debug, Serialize)]
struct Line {
    /// How bad it is for the target grid.
    severity: Severity,
    #[serde(flatten)]
    rule: &'static Rule,
}

fn lines(profile: &Profile) -> Vec<Line> {
    Code::all().map(|code| Line { severity: profile.severity(code), rule: code.rule() }).collect()
}
