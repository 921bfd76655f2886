//! `man`: manual pages from the definitions of the commands.

use super::{Cli, Outcome, Run, Settings, terminal::print};
use anyhow::Context;
use clap::{Args, Command, CommandFactory};
use std::{fs, path::PathBuf};

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder for the pages; it is created if needed
    #[arg(value_name = "DIR", required_unless_present = "dump_config")]
    folder: Option<PathBuf>,
}

impl Run for ManArgs {
    /// Writes a page for the program and one for each command.
    fn run(&self, _settings: &Settings) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.folder else { return Ok(Outcome::Done) };
        let failed = || format!("The manual pages cannot be written to {}", folder.display());
        fs::create_dir_all(folder).with_context(failed)?;
        clap_mangen::generate_to(explained(Cli::command()), folder).with_context(failed)?;
        print(&format!("Wrote the manual pages to {}.\n", folder.display()))?;
        Ok(Outcome::Done)
    }
}

/// Gives each flag a long help. The pages leave out the short help of flags that `-h` hides.
fn explained(command: Command) -> Command {
    let command = command.mut_args(|arg| match (arg.get_long_help(), arg.get_help().cloned()) {
        (None, Some(help)) => arg.long_help(help),
        _ => arg,
    });
    command.mut_subcommands(explained)
}
