//! `init`: settings and a profile to edit. They change nothing until they are edited.

use super::{
    Outcome, Run, Settings,
    flags::{Flags, TargetArgs},
    settings::FILE_NAME,
    terminal::print,
    wrap::rewrite,
};
use anyhow::{Context, bail};
use clap::Args;
use hullmark_settings::{config::DEFAULTS, profile::Profile};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};
use toml::Value;

const PROFILE: &str = "grid.toml";
const PROFILE_TEMPLATE: &str = hullmark_config::PROFILE_TEMPLATE;

const HEAD: &str = "\
# Settings of hullmark, each with its default and the reason. hullmark reads this file from the working folder, from
# your settings folder (~/.config/hullmark/, on Windows %APPDATA%\\hullmark\\), or by --config. Flags win over it.
#
# A line that begins with # and a name holds a default: remove the # and change the value.
# `hullmark audit --dump-config` prints the settings in force.
";

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Folder for the files; it is created if needed
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    #[command(flatten)]
    pub(super) target: TargetArgs,
}

impl Run for InitArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        vec![&self.target]
    }

    /// Writes a settings file, and a profile that is based on the current one.
    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let [config, profile] = [FILE_NAME, PROFILE].map(|name| self.folder.join(name));
        for path in [&config, &profile] {
            // A dangling link exists, too.
            if fs::symlink_metadata(path).is_ok() {
                bail!(
                    "{} exists, and init does not overwrite files: move it, or name another folder",
                    path.display()
                );
            }
        }
        let base = &settings.config.profile;
        let profile_text = profile_file(base)?;
        fs::create_dir_all(&self.folder)
            .with_context(|| format!("The folder {} cannot be created", self.folder.display()))?;
        write_new(&config, &settings_file())?;
        write_new(&profile, &profile_text)?;
        let (config, profile) = (config.display(), profile.display());
        print(&format!(
            "Wrote {config}: all settings with their defaults.\n\
         Wrote {profile}: a profile like {base}.\n\n\
         Edit them, then run\n  \
         hullmark audit EXPORTS --out report --config \"{config}\" --profile \"{profile}\"\n"
        ))?;
        Ok(Outcome::Done)
    }
}

/// Returns the built-in settings with each value commented out.
fn settings_file() -> String {
    let (_, body) = DEFAULTS.split_once("\n\n").unwrap_or_default();
    format!("{HEAD}\n{}", rewrite(body, |_, _, line| format!("#{line}")))
}

/// Returns the template of a profile with this base. The values of the base are commented out.
fn profile_file(base: &str) -> anyhow::Result<String> {
    let values = Profile::load(base)?.to_table();
    Ok(rewrite(PROFILE_TEMPLATE, |section, key, line| {
        let value = match section {
            "" => values.get(key),
            section => values.get(section).and_then(|section| section.get(key)),
        };
        match value {
            Some(value) => format!("#{key} = {value}"),
            None if key == "base" => format!("base = {}", Value::from(base)),
            None => line.into(),
        }
    }))
}

/// Writes a file that must not exist yet.
fn write_new(path: &Path, text: &str) -> anyhow::Result<()> {
    let failed = || format!("{} cannot be written: name another folder", path.display());
    let mut file = fs::File::create_new(path).with_context(failed)?;
    file.write_all(text.as_bytes()).with_context(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::{config::Config, profile::BUILT_IN};

    /// Removes the `#` from lines that contain a value.
    fn uncommented(text: &str) -> String {
        let line = |line: &str| match line.strip_prefix('#') {
            Some(value) if !value.starts_with(' ') => format!("{value}\n"),
            _ => format!("{line}\n"),
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn settings_change_nothing_and_hold_every_default() {
        let text = settings_file();
        assert_eq!(Config::from_text(FILE_NAME, &text).unwrap(), Config::default());
        let values: toml::Table = uncommented(&text).parse().unwrap();
        assert_eq!(values, DEFAULTS.parse().unwrap());
        let kept: Vec<_> = DEFAULTS.lines().filter(|line| line.starts_with("# ")).skip(3).collect();
        assert!(kept.iter().all(|why| text.contains(why)), "every reason is kept");
    }

    #[test]
    fn a_profile_changes_nothing_and_holds_values_of_its_base() {
        let folder = tempfile::tempdir().unwrap();
        for (base, _) in BUILT_IN {
            let text = profile_file(base).unwrap();
            assert_ne!(uncommented(&text), text);
            for (name, text) in [("as-written.toml", text.clone()), ("uncommented.toml", uncommented(&text))]
            {
                let path = folder.path().join(name);
                fs::write(&path, text).unwrap();
                let profile = Profile::load(path.to_str().unwrap()).unwrap();
                assert_eq!(profile, Profile::load(base).unwrap(), "{name} of {base}");
            }
        }
    }
}
