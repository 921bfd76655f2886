//! The settings of a run: defaults, settings file, environment, flags. Each overrides those before it.

use super::{Outcome, flags::Flags, progress::Verbosity};
use anyhow::{Context, ensure};
use etcetera::BaseStrategy;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::Ledger;
use hullmark_report::{Evaluator, Manifest};
use hullmark_scan::plan::Plan;
use hullmark_settings::{
    config::{Config, ConfigError, Layer},
    environment,
    origins::Origins,
    profile::{Named, OPENSIM_LOAD, Profile},
};
use hullmark_util::named_file;
use std::{
    env,
    path::{Path, PathBuf},
    time::{Instant, SystemTime},
};

/// Name of the settings file that is read without `--config`.
pub(super) const FILE_NAME: &str = "hullmark.toml";

const PROFILE_VARIABLE: &str = "HULLMARK_PROFILE";

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
    /// The profile of what only OpenSimulator loads. `None` if a target was chosen.
    pub(crate) opensim_load: Option<Profile>,
    pub(crate) profile_source: ProfileSource,
    /// The settings file that was read. `None` without one.
    pub(crate) file: Option<PathBuf>,
    /// Where each setting comes from.
    pub(crate) origins: Origins,
    pub(crate) further: Vec<Named>,
    /// The time given with `--now`. `None` without the flag.
    pub(crate) now: Option<SystemTime>,
    /// The time of the first step of a run, whose later steps count ages from it. `None` for a run of one step.
    pub(crate) began_at: Option<SystemTime>,
    pub(crate) began: Instant,
    pub(crate) verbosity: Verbosity,
    /// The folder of the parent of this process. `None` without one.
    pub(crate) supervised: Option<PathBuf>,
    pub(crate) continues: bool,
}

impl Settings {
    /// Reads the settings, and applies these flags.
    pub(super) fn new(file: Option<&Path>, flags: &[&dyn Flags]) -> anyhow::Result<Self> {
        let file = read_config(file)?;
        let variables = environment::layers(env::vars_os())?;
        let mut origins = Origins::default();
        let mut profile_source = ProfileSource::Default;
        let layers = file.iter().map(|file| (&file.layer, ProfileSource::SettingsFile));
        for (layer, source) in layers.chain(variables.iter().map(|layer| (layer, ProfileSource::Environment)))
        {
            origins.note(layer);
            if layer.settings.contains_key("profile") {
                profile_source = source;
            }
        }
        let (layer, file) = file.map(|file| (file.layer, file.path)).unzip();
        let config = Config::from_layers(layer.into_iter().chain(variables).collect())?;
        let before = config.to_table();
        let mut settings = Self {
            config,
            profile: Profile::default(),
            opensim_load: None,
            profile_source,
            file,
            origins,
            further: Vec::new(),
            now: None,
            began_at: None,
            began: Instant::now(),
            verbosity: Verbosity::Normal,
            supervised: None,
            continues: false,
        };
        flags.iter().for_each(|group| group.apply(&mut settings));
        settings.origins.note_changes(&before, &settings.config.to_table(), "flags");
        let config = &settings.config;
        let load = |name: &str| {
            let mut profile = Profile::load(name).context("The profile of the target cannot be used")?;
            profile.rules = config.rules.over(&profile.rules);
            flags.iter().try_for_each(|group| group.apply_to_profile(&mut profile))?;
            anyhow::Ok(profile)
        };
        let profile = load(&config.profile)?;
        let is_chosen = settings.profile_source != ProfileSource::Default;
        let opensim_load = (!is_chosen).then(|| load(OPENSIM_LOAD)).transpose()?;
        let further = Named::load_beside(&config.profile, &config.also)
            .context("These profiles cannot be used together")?;
        Ok(Self { profile, opensim_load, further, ..settings })
    }

    /// Sets the profile of the target that a flag names.
    pub(super) fn choose_profile(&mut self, name: &str) {
        name.clone_into(&mut self.config.profile);
        self.profile_source = ProfileSource::Flag;
    }

    /// Returns the settings in force as TOML, with the source of each that is not a default.
    pub(super) fn dump(&self) -> String {
        self.origins.annotate(&self.config.to_toml())
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
        Manifest { opensim_load: self.opensim_load.clone(), ..manifest }
    }

    /// Returns the evaluator for the target, without users, regions and further targets.
    pub(super) fn evaluator(&self) -> Evaluator<'_> {
        Evaluator {
            profile: &self.profile,
            opensim_load: self.opensim_load.as_ref(),
            further: &[],
            users: None,
            regions: &[],
            config: &self.config.report,
        }
    }

    /// Returns the profile for an input.
    pub(super) fn profile_of(&self, ledger: &Ledger) -> &Profile {
        self.target_of(ledger).1
    }

    /// Returns the profile for an input, with its name.
    pub(super) fn target_of(&self, ledger: &Ledger) -> (&str, &Profile) {
        match &self.opensim_load {
            Some(profile) if ledger.kind.is_of_opensim() => (OPENSIM_LOAD, profile),
            _ => (&self.config.profile, &self.profile),
        }
    }

    /// Returns the profile whose advice the pages of rules have.
    pub(super) fn profile_of_rules(&self) -> &Profile {
        self.opensim_load.as_ref().unwrap_or(&self.profile)
    }

    /// Returns the time of the run: the given one, else that of its first step, else that of the system.
    pub(super) fn now(&self) -> SystemTime {
        self.now.or(self.began_at).unwrap_or_else(SystemTime::now)
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

/// Returns the path of a setting. `None` if it is empty.
pub(super) fn set(path: &Path) -> Option<&Path> {
    Some(path).filter(|path| !path.as_os_str().is_empty())
}

struct ConfigFile {
    layer: Layer,
    path: PathBuf,
}

fn read_config(named: Option<&Path>) -> anyhow::Result<Option<ConfigFile>> {
    let in_folder = Path::new(FILE_NAME);
    let Some(path) = named.map(Path::to_owned).or_else(|| find_config(in_folder)) else { return Ok(None) };
    let text = named_file::read_text(&path, named_file::SETTINGS)
        .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?;
    let layer = Layer::from_text(&path.to_string_lossy(), &text)?;
    // A downloaded folder must not be able to run a command, or to send anything anywhere.
    ensure!(
        named.is_some() || path != in_folder || Config::from_layers(vec![layer.clone()])?.notify.is_silent(),
        "The {FILE_NAME} in the working folder sets a command or another channel of [notify]. If you trust that file, \
         use `--config {FILE_NAME}`"
    );
    Ok(Some(ConfigFile { layer, path }))
}

/// Returns the settings file of the working folder, else that of the user.
fn find_config(in_folder: &Path) -> Option<PathBuf> {
    if in_folder.is_file() {
        return Some(in_folder.to_owned());
    }
    let settings = etcetera::choose_base_strategy().ok()?.config_dir();
    Some(settings.join("hullmark").join(FILE_NAME)).filter(|path| path.is_file())
}
