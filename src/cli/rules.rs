//! `rules`: lists all rules, as text or JSON.

use super::{
    Outcome, Run, Settings,
    flags::{Flags, OUTPUT, RuleArgs, TargetArgs},
    terminal::print_view,
};
use clap::Args;
use hullmark_finding::{Code, FAMILIES, Severity};
use hullmark_rules::catalogue::{self, Rule};
use hullmark_settings::profile::Profile;
use hullmark_util::number_text::counted;
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// Print JSON, with every field
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

impl Run for RulesArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.target, &self.rules]
    }

    /// Prints every code with its severity for the target grid.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let profile = &settings.profile;
        let lines: Vec<Line> = Code::all().map(|code| Line::new(code, profile)).collect();
        print_view(self.json, &lines, || text(profile))?;
        Ok(Outcome::Done)
    }
}

fn text(profile: &Profile) -> String {
    let mut text = format!("Severities for {}.\n", profile.description);
    for family in FAMILIES {
        let _ = writeln!(text, "\n{}", family.title);
        for &code in family.codes {
            let severity = if profile.selects(code) { profile.severity(code).name() } else { "off" };
            let _ = writeln!(text, "  {code}  {severity:<7}  {}", catalogue::rule(code).title);
        }
    }
    let off = Code::all().filter(|&code| !profile.selects(code)).count();
    if off > 0 {
        let _ = writeln!(text, "\nOff by [rules], --only or --ignore: {}.", counted(off as u64, "rule"));
    }
    text + "\nUse `hullmark explain CODE` to show a rule.\n"
}

/// A rule for the target.
#[derive(Debug, Serialize)]
pub(super) struct Line {
    severity: Severity,
    selected: bool,
    #[serde(flatten)]
    rule: &'static Rule,
}

impl Line {
    pub(super) fn new(code: Code, profile: &Profile) -> Self {
        Self {
            severity: profile.severity(code),
            selected: profile.selects(code),
            rule: catalogue::rule(code),
        }
    }
}
