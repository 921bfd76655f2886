//! Flags with the users and the regions of a grid.

use super::{
    flags::{TARGET, TargetArgs},
    input_args::found,
};
use anyhow::{Context, bail, ensure};
use clap::Args;
use hullmark_settings::{
    config::did_you_mean,
    simulator::{
        limits::LimitKey,
        regions::{self, RegionFile},
    },
    users::Users,
};
use hullmark_util::log::{self, Level};
use std::path::PathBuf;
use uuid::Uuid;

/// Users and regions of the target grid.
#[derive(Debug, Args)]
#[command(next_help_heading = TARGET)]
pub(super) struct GridArgs {
    /// List of the target grid's users, to find owners and creators that it lacks (OWN001)
    ///
    /// Each line begins with a UUID; a name may follow.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    users: Option<PathBuf>,
    /// File or folder with the regions of a simulator, as bin/Regions: names, sizes and limits of regions
    ///
    /// Settings of --from-ini name such a folder, too.
    #[arg(long, value_name = "PATH", hide_short_help = true)]
    regions: Vec<PathBuf>,
}

impl GridArgs {
    /// Reads the list of users. `None` if it was not given.
    pub(super) fn read(&self) -> anyhow::Result<Option<Users>> {
        Ok(self.users.as_deref().map(Users::read).transpose()?)
    }

    /// Reads the files of regions, and those that the settings of simulators name. A flag of the target overrides their
    /// limits.
    pub(super) fn regions(
        &self,
        from_ini: &[PathBuf],
        target: &TargetArgs,
    ) -> anyhow::Result<Vec<RegionFile>> {
        let mut all = self.region_files()?;
        if !from_ini.is_empty() {
            all.extend(found(from_ini)?.regions);
        }
        let flags = [
            (target.max_prims.is_some(), LimitKey::LinksetPrims),
            (target.capacity.is_some(), LimitKey::MaxPrims),
        ];
        for (_, key) in flags.into_iter().filter(|(is_given, _)| *is_given) {
            all.iter_mut().for_each(|region| region.limits.remove(key));
        }
        Ok(all)
    }

    fn region_files(&self) -> anyhow::Result<Vec<RegionFile>> {
        let mut all = Vec::new();
        for path in &self.regions {
            let mut notes = Vec::new();
            let read = regions::read(path, &mut notes);
            let read = read.with_context(|| format!("The regions in {} cannot be read", path.display()))?;
            ensure!(
                !read.is_empty(),
                "{} has no region. Name a file or a folder as bin/Regions",
                path.display()
            );
            notes.iter().for_each(|note| log::say(Level::Warning, note));
            all.extend(read);
        }
        Ok(all)
    }
}

/// Checks that each owner is a UUID or a name in the list of users.
pub(super) fn ensure_owners(owners: &[String], users: Option<&Users>) -> anyhow::Result<()> {
    for name in owners.iter().filter(|owner| Uuid::try_parse(owner).is_err()) {
        let Some(users) = users else {
            bail!("The owner \"{name}\" is no UUID. Name a list of users with --users, or give the UUID");
        };
        if users.named(name).next().is_none() {
            let near = did_you_mean(name, users.names());
            bail!("The list of --users has no \"{name}\".{near} Name an owner as in the list, or by UUID");
        }
    }
    Ok(())
}
