//! `explain`: the page of a rule, as text or JSON.

use super::{
    Outcome, Run, Settings,
    flags::{Flags, OUTPUT, RuleArgs, TargetArgs},
    rules::Line,
    terminal::print_view,
};
use clap::Args;
use hullmark_finding::Code;
use hullmark_rules::catalogue;
use hullmark_settings::{profile::Profile, rule_selection::Selector};
use hullmark_util::terminal_text::wrap;
use std::fmt::Write;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Codes of rules or families, as HUL003 or LNK; case does not matter
    #[arg(required_unless_present = "dump_config", value_name = "CODE")]
    codes: Vec<Selector>,
    /// Print JSON, with every field
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    #[command(flatten)]
    target: TargetArgs,
    #[command(flatten)]
    rules: RuleArgs,
}

impl Run for ExplainArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.target, &self.rules]
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let codes = self.codes.iter().flat_map(|named| Code::all().filter(|&code| named.covers(code)));
        let (codes, profile): (Vec<Code>, _) = (codes.collect(), settings.profile_of_rules());
        let lines: Vec<Line> = codes.iter().map(|&code| Line::new(code, profile)).collect();
        let pages = || codes.iter().map(|&code| page(code, profile)).collect::<Vec<String>>().join("\n");
        print_view(self.json, &lines, pages)?;
        Ok(Outcome::Done)
    }
}

fn page(code: Code, profile: &Profile) -> String {
    let rule = catalogue::rule(code);
    let mut page = format!("{code}  {}\n\n", rule.title);
    let severity = match profile.severity(code) {
        severity if severity == rule.severity => format!("{severity} for {}", profile.target_of(code)),
        severity => format!("{severity} for {} (default: {})", profile.target_of(code), rule.severity),
    };
    let off = "off ([rules], --only or --ignore)";
    let lines = [
        ("Severity", severity.as_str()),
        ("State", if profile.selects(code) { "" } else { off }),
        ("In a move", rule.effect.name()),
        ("Message", rule.message),
        ("Unit", rule.unit),
        ("Why", rule.why),
        ("What to do", catalogue::advice_of(code, profile)),
        ("For owners", rule.fix_owner),
    ];
    let engines = rule.engines.iter().map(|engine| (engine.engine, engine.does));
    let lines = lines.into_iter().chain(engines).chain([("Source", rule.source)]);
    for (head, words) in lines.filter(|(_, words)| !words.is_empty()) {
        let _ = write!(
            page,
            "{}",
            wrap(words, &format!("  {head:<13}  "), &" ".repeat(17), super::terminal::width())
        );
    }
    page
}
