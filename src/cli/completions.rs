//! `completions`: completion scripts for shells.

use super::{Cli, Outcome};
use crate::cli::terminal::print;
use clap::{Args, CommandFactory};
use clap_complete::Shell;

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, required_unless_present = "dump_config", value_name = "SHELL")]
    shell: Option<Shell>,
}

/// Prints the completions for a shell.
pub(super) fn completions(args: &CompletionsArgs) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    if let Some(shell) = args.shell {
        clap_complete::generate(shell, &mut Cli::command(), "hullmark", &mut script);
    }
    print(&String::from_utf8(script)?)?;
    Ok(Outcome::Done)
}
