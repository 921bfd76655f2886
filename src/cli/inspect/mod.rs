//! `inspect`: one mesh or object, shown to a person.

use super::{Outcome, Settings};
use anyhow::bail;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// A mesh asset, a scene, or object XML
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub(super) fn inspect(_args: &InspectArgs, _settings: &Settings) -> anyhow::Result<Outcome> {
    bail!("not yet")
}
