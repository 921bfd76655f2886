//! The settings of a run: defaults, settings file, environment, flags. Each overrides those before it.

use super::{
    Outcome,
    options::{Common, Overrides},
};
use crate::cli::progress::Verbosity;
use anyhow::{Context, ensure};
use etcetera::BaseStrategy;
use hullmark_finding::{Code, Severity};
use hullmark_report::Manifest;
use hullmark_scan::plan::Plan;
use hullmark_settings::{
    config::{Config, ConfigError},
    profile::{Named, Profile},
    rule_selection::{RuleSelection, Selector},
};
use hullmark_util::named_file;
use std::{
    env,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};
use toml::Table;

/// Name of the settings file that is read without `--config`.
pub(super) const FILE_NAME: &str = "hullmark.toml";

/// The variable that names the target.
const PROFILE_VARIABLE: &str = "HULLMARK_PROFILE";

/// The origin of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProfileSource {
    Default,
    SettingsFile,
    Environment,
    Flag,
}

impl ProfileSource {
    /// Says what chose the profile. Empty for the default, which the manifest names.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Default => "",
            Self::SettingsFile => "settings",
            Self::Environment => PROFILE_VARIABLE,
            Self::Flag => "--profile",
        }
    }
}

/// The settings of a run. Flags override environment, settings file and defaults.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    pub(crate) profile: Profile,
    /// The origin of the profile.
    pub(crate) profile_source: ProfileSource,
    /// The settings file that was read. `None` without one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) further: Vec<Named>,
    /// The time given with `--now`. `None` without the flag.
    pub(crate) now: Option<SystemTime>,
    /// When the run began.
    pub(crate) began: Instant,
    pub(crate) verbosity: Verbosity,
    /// The folder of the parent of this process. `None` without one.
    pub(crate) supervised: Option<PathBuf>,
    /// Whether this process continues one that crashed.
    pub(crate) continues: bool,
}

impl Settings {
    pub(super) fn new(common: &Common, overrides: Overrides<'_>) -> anyhow::Result<Self> {
        let before = Duration::from_millis(common.continues.unwrap_or_default());
        let began = Instant::now().checked_sub(before).unwrap_or_else(Instant::now);
        let found = read_config(common.config.as_deref())?;
        let (mut config, names_profile, file) = match found {
            Some(found) => (found.config, found.names_profile, Some(found.path)),
            None => (Config::default(), false, None),
        };
        let profile_source = choose_profile(&mut config, names_profile, overrides)?;
        config.threads = common.threads.unwrap_or(config.threads);
        config.fail_on = overrides.fail_on.unwrap_or(config.fail_on);
        if let Some(compare) = overrides.compare {
            config.fail_on_new = compare.fail_on_new.unwrap_or(config.fail_on_new);
            config.report.byte_order_mark |= compare.byte_order_mark;
        }
        config.report.all_copies |= overrides.all_copies;
        config.limits.all_assets |= overrides.all_assets;
        if !overrides.inventory.is_empty() {
            config.inventory = overrides.inventory.to_vec();
        }
        if !overrides.database.is_empty() {
            config.database = overrides.database.to_vec();
        }
        if let Some(rules) = overrides.rules {
            let flags = RuleSelection {
                select: rules.only.clone(),
                ignore: rules.ignore.clone(),
                ..RuleSelection::default()
            };
            config.rules = flags.over(&config.rules);
        }
        let profile = profile(&config, overrides)?;
        let further = Named::load_beside(&config.profile, &config.also)
            .context("These profiles cannot be used together")?;
        let verbosity = match (common.quiet, common.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, 0) => Verbosity::Normal,
            _ => Verbosity::Verbose,
        };
        Ok(Self {
            config,
            profile,
            profile_source,
            file,
            further,
            now: overrides.now,
            began,
            verbosity,
            supervised: common.supervised.clone(),
            continues: common.continues.is_some(),
        })
    }

    /// Returns the settings of a run for a plan. The plan decides what its inputs are read for.
    pub(super) fn of_plan(&self, plan: &Plan) -> Self {
        let mut settings = self.clone();
        plan.apply(&mut settings.config);
        settings
    }

    /// Returns the manifest of the reports of this run.
    pub(super) fn manifest(&self) -> Manifest {
        let manifest = Manifest::new(&self.config, &self.profile, self.now);
        Manifest { profile_is_default: self.profile_source == ProfileSource::Default, ..manifest }
    }

    /// Returns the time of the run: the given one, else that of the system.
    pub(super) fn now(&self) -> SystemTime {
        self.now.unwrap_or_else(SystemTime::now)
    }

    /// Returns the severity of a code. `None` if the rule is off.
    pub(super) fn severity(&self, code: Code) -> Option<Severity> {
        self.profile.selects(code).then(|| self.profile.severity(code))
    }

    /// Returns the exit code of a command that read its inputs. Incomplete inputs take precedence over findings.
    pub(super) fn outcome(&self, complete: bool, worst: Option<Severity>) -> Outcome {
        if !complete {
            Outcome::Incomplete
        } else if worst.is_some_and(|worst| self.config.fail_on.fails(worst)) {
            Outcome::Findings
        } else {
            Outcome::Done
        }
    }
}

/// A settings file.
struct ConfigFile {
    config: Config,
    names_profile: bool,
    path: PathBuf,
}

/// Reads the named settings file, or the one in the default places.
fn read_config(named: Option<&Path>) -> anyhow::Result<Option<ConfigFile>> {
    let in_folder = Path::new(FILE_NAME);
    let Some(path) = named.map(Path::to_owned).or_else(|| find_config(in_folder)) else { return Ok(None) };
    let text = named_file::read_text(&path, named_file::SETTINGS)
        .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    let config = Config::from_text(&path.to_string_lossy(), &text)?;
    // A downloaded folder must not be able to run a command, or to send anything anywhere.
    ensure!(
        named.is_some() || path != in_folder || config.notify.is_silent(),
        "The {FILE_NAME} in the working folder sets a command or another channel of [notify]. If you trust that file, \
         use `--config {FILE_NAME}`"
    );
    let names_profile = text.parse::<Table>().is_ok_and(|settings| settings.contains_key("profile"));
    Ok(Some(ConfigFile { config, names_profile, path }))
}

/// Returns the settings file of the working folder, else that of the user.
fn find_config(in_folder: &Path) -> Option<PathBuf> {
    if in_folder.is_file() {
        return Some(in_folder.to_owned());
    }
    let settings = etcetera::choose_base_strategy().ok()?.config_dir();
    Some(settings.join("hullmark").join(FILE_NAME)).filter(|path| path.is_file())
}

/// Sets the names of the profiles, and returns the origin of the first.
fn choose_profile(
    config: &mut Config,
    file_names_one: bool,
    overrides: Overrides<'_>,
) -> anyhow::Result<ProfileSource> {
    if let Some((first, also)) = overrides.target.and_then(|target| target.profile.split_first()) {
        config.profile.clone_from(first);
        config.also = also.to_vec();
        return Ok(ProfileSource::Flag);
    }
    if let Some(profile) = overrides.profile {
        profile.clone_into(&mut config.profile);
        return Ok(ProfileSource::Flag);
    }
    if let Some(name) = env::var_os(PROFILE_VARIABLE).filter(|name| !name.is_empty()) {
        config.profile = name
            .into_string()
            .map_err(|name| anyhow::anyhow!("{PROFILE_VARIABLE} is not UTF-8: {}", name.display()))?;
        return Ok(ProfileSource::Environment);
    }
    Ok(if file_names_one { ProfileSource::SettingsFile } else { ProfileSource::Default })
}

/// Returns the profile of the target, with the overrides by flags.
fn profile(config: &Config, overrides: Overrides<'_>) -> anyhow::Result<Profile> {
    let mut profile = Profile::load(&config.profile).context("The profile of the target cannot be used")?;
    profile.rules = config.rules.over(&profile.rules);
    if let Some(target) = overrides.target {
        let linkability = &mut profile.linkability;
        linkability.max_diameter_m = target.max_distance.unwrap_or(linkability.max_diameter_m);
        linkability.max_prims = target.max_prims.unwrap_or(linkability.max_prims);
        let placement = &mut profile.placement;
        placement.region_size_m = target.region_size.unwrap_or(placement.region_size_m);
    }
    if overrides.rules.is_some_and(|rules| rules.require_assets) {
        // Otherwise an unchecked backup would pass.
        ensure!(
            profile.selects(Code::ARC009),
            "--require-assets needs the rule ARC009, but [rules], --only or --ignore turns it off. Turn it on, or leave \
             out --require-assets"
        );
        profile.rules.severity.insert(Selector::Code(Code::ARC009), Severity::Blocker);
    }
    Ok(profile)
}
