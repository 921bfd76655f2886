//! `completions`: completion scripts for shells.

use super::{Cli, Outcome, Run, Settings, terminal::print};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

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
            clap_complete::generate(shell, &mut Cli::command(), "hullmark", &mut script);
        }
        print(&String::from_utf8(script)?)?;
        Ok(Outcome::Done)
    }
}
