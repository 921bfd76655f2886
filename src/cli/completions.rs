//! `completions`: completion scripts for shells.

use super::{Cli, Outcome, Run, Settings, terminal::print};
use clap::{Arg, Args, Command, CommandFactory, builder::PossibleValuesParser};
use clap_complete::Shell;
use hullmark_finding::{Code, FAMILIES, Severity};
use hullmark_settings::{letters::Language, profile::BUILT_IN};

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, required_unless_present = "dump_config", value_name = "SHELL")]
    shell: Option<Shell>,
}

impl Run for CompletionsArgs {
    fn run(&self, _settings: &Settings) -> anyhow::Result<Outcome> {
        let mut script = Vec::new();
        if let Some(shell) = self.shell {
            let mut command = Cli::command().mut_subcommands(with_words);
            clap_complete::generate(shell, &mut command, "hullmark", &mut script);
        }
        print(&String::from_utf8(script)?)?;
        Ok(Outcome::Done)
    }
}

/// Adds the words that arguments take: the command itself accepts more, such as the path of a profile.
fn with_words(command: Command) -> Command {
    command.mut_subcommands(with_words).mut_args(|arg| match words(&arg) {
        words if words.is_empty() => arg,
        words => arg.value_parser(PossibleValuesParser::new(words)),
    })
}

fn words(arg: &Arg) -> Vec<&'static str> {
    let severities = Severity::ALL.into_iter().map(Severity::name);
    match arg.get_id().as_str() {
        "profile" | "target" | "from" => BUILT_IN.map(|(name, _)| name).to_vec(),
        "codes" | "only" | "ignore" => {
            let families = FAMILIES.iter().map(|family| family.prefix);
            Code::all().map(Code::name).chain(families).collect()
        }
        "min_severity" => severities.collect(),
        "fail_on" | "fail_on_new" => severities.chain(["none"]).collect(),
        "language" => Language::ALL.into_iter().map(Language::name).collect(),
        _ => Vec::new(),
    }
}
