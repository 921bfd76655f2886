//! The limits and costs of a target grid.
//!
//! A profile is data: changing it never reads an export again. `config/profiles/second-life.toml` holds every key with
//! the reason for its value; the other profiles state only differences.

use crate::{
    finding::{Code, Finding, Severity},
    settings::{
        config::{ConfigError, from_table, nearest, overlay, parse},
        ossl::Threat,
        rule_selection::RuleSelection,
    },
};
use serde::{Deserialize, Serialize};
use std::{fs, path::Path};
use toml::{Table, Value};

/// Profiles that are compiled in, the base first.
pub const BUILT_IN: [(&str, &str); 3] = [
    ("second-life", include_str!("../../config/profiles/second-life.toml")),
    ("opensim-ubode", include_str!("../../config/profiles/opensim-ubode.toml")),
    ("opensim-bulletsim", include_str!("../../config/profiles/opensim-bulletsim.toml")),
];

/// How many profiles may lie over each other.
const DEPTH: usize = 8;

/// The section of a profile that says which rules are judged.
const RULES: &str = "rules";

/// The limits and cost constants of a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// One line for people.
    pub description: String,
    /// Where objects may stand.
    pub placement: Placement,
    /// What may be linked.
    pub linkability: Linkability,
    /// Limits on hulls.
    pub hulls: Hulls,
    /// Limits on mesh assets.
    pub meshes: Meshes,
    /// Physics costs.
    pub physics: Physics,
    /// Streaming costs.
    pub streaming: Streaming,
    /// Server costs.
    pub simulation: Simulation,
    /// Land.
    pub land: Land,
    /// Assets.
    pub assets: AssetLimits,
    /// Scripts.
    pub scripts: Scripts,
    /// Which rules are judged for it, and how bad they are.
    pub rules: RuleSelection,
}

/// A profile with the name it was asked for by.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Named {
    /// The name, or the path of its file.
    pub name: String,
    /// The profile.
    pub profile: Profile,
}

impl Named {
    /// The profiles whose costs stand beside those of the first. Each must make columns of its own.
    pub fn load_beside(first: &str, further: &[String]) -> Result<Vec<Self>, ConfigError> {
        let mut words = vec![in_columns(first)];
        let mut loaded = Vec::new();
        for name in further {
            if words.contains(&in_columns(name)) {
                return Err(ConfigError::SameProfile { name: name.clone(), words: in_columns(name) });
            }
            words.push(in_columns(name));
            loaded.push(Self { name: name.clone(), profile: Profile::load(name)? });
        }
        Ok(loaded)
    }

    /// Its name as it stands in the names of columns: `opensim-ubode` is `opensim_ubode`, and a file is called
    /// like itself, without folder and ending.
    pub fn in_columns(&self) -> String {
        in_columns(&self.name)
    }
}

fn in_columns(name: &str) -> String {
    let stem = Path::new(name.strip_suffix(".toml").unwrap_or(name)).file_name().unwrap_or_default();
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    stem.to_string_lossy().chars().map(word).collect()
}

/// Where objects may stand, and how exactly they must be placed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// The least height of a root, metres.
    pub lowest_m: f64,
    /// The greatest height of a root, metres.
    pub highest_m: f64,
    /// A child farther than this from its root is lost, metres.
    pub max_child_offset_m: f64,
    /// Sides of the region that the objects will stand in, east and north, metres; 0 for those of the export.
    pub region_size_m: [u32; 2],
    /// By how much the length of a rotation's quaternion may differ from 1.
    pub rotation_tolerance: f64,
}

/// What may be linked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Linkability {
    /// The sphere around the prim centres must be smaller than this, metres.
    pub max_diameter_m: f64,
    /// The most prims.
    pub max_prims: u32,
    /// Report what the rule of before 2010 would not link, too (LNK003, LNK005).
    pub old_rules: bool,
}

/// Limits on hulls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hulls {
    /// Vertices in one hull.
    pub max_vertices: u32,
    /// Hulls in one decomposition.
    pub max_hulls: u32,
}

/// Limits on mesh assets; infinite where there is no such rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Meshes {
    /// Bytes of one asset.
    pub max_bytes: f64,
    /// Bytes of the different assets that a region shows.
    pub max_region_bytes: f64,
}

/// Which engine's physics costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PhysicsModel {
    /// The specification.
    SecondLife,
    /// OpenSimulator's ubODE.
    OpensimUbode,
    /// OpenSimulator's BulletSim: every part costs the same.
    OpensimBulletsim,
}

/// Which axes the overall box of a linkset has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BoxAxes {
    /// The root prim's, as a viewer shows it.
    Root,
    /// The region's.
    Region,
}

/// Physics costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Physics {
    /// Which engine's.
    pub model: PhysicsModel,
    /// Above this an object may not be made physical; infinite where there is no such rule.
    pub physical_cap: f64,
    /// Under legacy accounting, the most prims of a physical linkset.
    pub max_legacy_prims: u32,
    /// The most parts of a physical linkset that collide.
    pub max_physical_parts: u32,
    /// The longest side that a part keeps when it collides, metres; infinite where none is shortened.
    pub max_side_m: f64,
    /// The longest side of a part that collides in a physical linkset, metres; infinite where there is no such
    /// rule.
    pub max_physical_side_m: f64,
    /// Box, sphere, cylinder.
    pub primitive_cost: f64,
    /// Factor on the cost of a cylinder.
    pub cylinder_factor: f64,
    /// For each vertex of a hull.
    pub hull_vertex_cost: f64,
    /// Vertices that each hull is charged beyond its own.
    pub hull_offset: f64,
    /// Factor on the hull of a prim's surface.
    pub prim_hull_factor: f64,
    /// Factor on the triangles of a prim's surface.
    pub prim_mesh_factor: f64,
    /// Factor on the hull or the triangles of a sculpt's surface.
    pub sculpt_factor: f64,
    /// For each triangle, divided by the average width in metres.
    pub triangle_cost: f64,
    /// The least that a triangle mesh costs.
    pub minimum_mesh_cost: f64,
    /// Least average width, metres.
    pub min_width_m: f64,
    /// Greatest average width, metres.
    pub max_width_m: f64,
    /// A side below this makes a mesh without decomposition its base hull, metres.
    pub convex_below_m: f64,
    /// Penalty of physical linksets for each m² of mean face area.
    pub penalty_per_m2: f64,
    /// Axes of the overall box.
    pub overall_box: BoxAxes,
    /// Take `physics_cost_data` where an asset carries it.
    pub trust_simulator: bool,
    /// By how many percent of the greater our figures may differ from the simulator's before it is told.
    pub self_check_percent: f64,
}

/// Which streaming costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StreamingModel {
    /// The viewer's formula.
    SecondLife,
    /// 1 for each part.
    Opensim,
}

/// Streaming costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Streaming {
    /// Which.
    pub model: StreamingModel,
    /// Bytes of each level that are not triangles.
    pub metadata_bytes: f64,
    /// The least that remains.
    pub minimum_bytes: f64,
    /// Bytes for one triangle.
    pub bytes_per_triangle: f64,
    /// Triangles that a region is meant to hold.
    pub triangle_budget: f64,
    /// What they cost together.
    pub cost_per_region: f64,
    /// Factor on static meshes.
    pub static_factor: f64,
    /// The factor that was announced in 2024, for the figures with the discount.
    pub discounted_static_factor: f64,
    /// Factor on prims.
    pub prim_factor: f64,
    /// Factor on sculpts.
    pub sculpt_factor: f64,
    /// The most for one prim.
    pub prim_cap: f64,
    /// The most for one sculpt.
    pub sculpt_cap: f64,
    /// For 1,000 triangles of an animated mesh.
    pub animated_per_1000_triangles: f64,
    /// Once for each animated object.
    pub animated_root: f64,
}

/// Which formula gives the server weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServerWeight {
    /// min(n/2 + scripts/4, n).
    Announced,
    /// The same, the first script free.
    FirstScriptFree,
    /// Always 0.
    Opensim,
}

/// Server costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Simulation {
    /// `simulation_factor` of the specification.
    pub factor: f64,
    /// `linkset_factor` of the specification.
    pub linkset_factor: f64,
    /// `active_cost_low` of the specification.
    pub active_cost_low: f64,
    /// `active_cost_high` of the specification.
    pub active_cost_high: f64,
    /// Which server weight.
    pub server_weight: ServerWeight,
}

/// How land impact follows from the weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LandModel {
    /// Greatest of the three sums, rounded, at least 1.
    SecondLife,
    /// 1 for each part.
    Opensim,
}

/// Land.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Land {
    /// How land impact follows.
    pub model: LandModel,
    /// Objects that a whole region holds.
    pub object_capacity: u32,
    /// Land impact that one object may have; infinite where there is no such rule.
    pub max_object_impact: f64,
}

/// Limits on assets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AssetLimits {
    /// The longest side of a texture, pixels.
    pub max_texture_px: u32,
    /// The pixels of a whole texture.
    pub max_texture_pixels: u32,
    /// Whether PBR (glTF) materials are understood.
    pub pbr_materials: bool,
    /// Whether skies, water and days are understood as assets.
    pub environments: bool,
    /// From how many levels of objects in contents of objects on they are at risk.
    pub deep_nesting: u32,
}

/// What runs scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScriptEngine {
    /// Second Life's: LSL, and none of OpenSim's functions.
    SecondLife,
    /// OpenSim's: LSL only.
    Yengine,
    /// OpenSim's until version 0.9.2: C# and Visual Basic too.
    Xengine,
}

/// The software of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// Second Life.
    SecondLife,
    /// OpenSimulator.
    OpenSim,
}

/// Scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scripts {
    /// What runs them.
    pub engine: ScriptEngine,
    /// The highest threat level of OpenSim's functions that anybody may call.
    pub ossl_threat: Threat,
    /// Scripts in one region.
    pub max_per_region: u32,
    /// Scripts in one object.
    pub max_per_object: u32,
}

impl Default for Profile {
    fn default() -> Self {
        Self::load(BUILT_IN[0].0).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Profile {
    /// The profile with this name, or in this file where the name ends in `.toml`.
    pub fn load(name: &str) -> Result<Self, ConfigError> {
        let settings = resolve(name, 0)?;
        from_table(name, settings)
    }

    /// Which software runs it.
    pub fn grid(&self) -> Grid {
        match self.scripts.engine {
            ScriptEngine::SecondLife => Grid::SecondLife,
            ScriptEngine::Yengine | ScriptEngine::Xengine => Grid::OpenSim,
        }
    }

    /// How bad a code is for this grid.
    pub fn severity(&self, code: Code) -> Severity {
        self.rules.severity(code)
    }

    /// How bad this finding is for the target grid.
    pub fn severity_of(&self, finding: &Finding) -> Severity {
        let severity = self.severity(finding.code);
        finding.at_most.map_or(severity, |most| severity.min(most))
    }

    /// Whether a code is judged for this grid.
    pub fn selects(&self, code: Code) -> bool {
        self.rules.selects(code)
    }
}

/// The profile that this one lies over; the first of all lies over none.
pub fn base(name: &str) -> Result<Option<String>, ConfigError> {
    Ok(read(name)?.0)
}

/// Reads a profile and lays it over its base.
fn resolve(name: &str, depth: usize) -> Result<Table, ConfigError> {
    let (base, table) = read(name)?;
    let Some(base) = base else { return Ok(table) };
    if depth >= DEPTH {
        return Err(no_base(name));
    }
    let mut whole = resolve(&base, depth + 1)?;
    // What is said of rules is not replaced key by key, but laid over by rules of its own.
    let below = take_rules(&base, &mut whole)?;
    overlay(name, &mut whole, table, "")?;
    let rules = take_rules(name, &mut whole)?.over(&below);
    whole.insert(RULES.into(), as_value(&rules));
    Ok(whole)
}

/// Reads what a profile itself states, and the name of its base.
fn read(name: &str) -> Result<(Option<String>, Table), ConfigError> {
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    let text = match built_in {
        Some(text) => text,
        None if name.ends_with(".toml") => fs::read_to_string(name)
            .map_err(|source| ConfigError::Unreadable { path: name.into(), source })?,
        None => {
            let names = BUILT_IN.map(|(known, _)| known);
            let near = nearest(name, names.into_iter());
            let suggestion = near.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
            let known = names.join(", ");
            return Err(ConfigError::UnknownProfile { name: name.into(), suggestion, known });
        }
    };
    let mut table = parse(name, &text)?;
    if name == BUILT_IN[0].0 {
        return Ok((None, table));
    }
    match table.remove("base") {
        Some(Value::String(base)) => Ok((Some(base), table)),
        _ => Err(no_base(name)),
    }
}

/// Takes out what a profile says of rules, and leaves that nothing is said.
fn take_rules(name: &str, profile: &mut Table) -> Result<RuleSelection, ConfigError> {
    match profile.insert(RULES.into(), as_value(&RuleSelection::default())) {
        Some(Value::Table(rules)) => from_table(name, rules),
        _ => Ok(RuleSelection::default()),
    }
}

fn as_value(rules: &RuleSelection) -> Value {
    Value::try_from(rules).unwrap_or_else(|error| unreachable!("lists and a table of words: {error}"))
}

fn no_base(name: &str) -> ConfigError {
    let message =
        format!("a profile starts with `base = \"…\"`, the profile that it changes, at most {DEPTH} deep");
    ConfigError::Value { file: name.into(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_profile_loads() {
        for (name, _) in BUILT_IN {
            Profile::load(name).unwrap();
        }
        let opensim = Profile::load("opensim-ubode").unwrap();
        assert_eq!(opensim.linkability.max_diameter_m, f64::INFINITY);
        assert_eq!(opensim.physics.hull_vertex_cost, Profile::default().physics.hull_vertex_cost);
    }

    #[test]
    fn a_profile_of_ones_own_changes_its_base() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        fs::write(
            &path,
            "base = \"second-life\"\n[physics]\nphysical_cap = 64\n[rules.severity]\nLNK001 = \"info\"",
        )
        .unwrap();
        let profile = Profile::load(path.to_str().unwrap()).unwrap();
        assert_eq!(profile.physics.physical_cap, 64.0);
        assert_eq!(profile.severity(Code::LNK001), Severity::Info);
        assert_eq!(profile.severity(Code::LNK002), Severity::Error);
    }

    #[test]
    fn rules_of_a_profile_lie_over_those_of_its_base() {
        let folder = tempfile::tempdir().unwrap();
        let [lower, upper] = ["lower.toml", "upper.toml"].map(|name| folder.path().join(name));
        fs::write(&lower, "base = \"opensim-ubode\"\n[rules]\nignore = [\"HUL\"]").unwrap();
        let load = |rules: &str| {
            fs::write(&upper, format!("base = '{}'\n{rules}", lower.display())).unwrap();
            Profile::load(upper.to_str().unwrap()).unwrap()
        };
        let selects =
            |profile: &Profile| [Code::HUL001, Code::LNK001, Code::LNK002].map(|code| profile.selects(code));
        let adding = load("[rules]\nignore = [\"LNK001\"]");
        assert_eq!(selects(&adding), [false, false, true]);
        assert_eq!(adding.severity(Code::LNK002), Severity::Warning, "as opensim-ubode has it");
        let anew = load("[rules]\nselect = [\"HUL\"]\n[rules.severity]\nLNK = \"blocker\"");
        assert_eq!(selects(&anew), [true, false, false]);
        assert_eq!(anew.severity(Code::LNK002), Severity::Blocker, "a family holds for its codes below");
    }

    #[test]
    fn further_profiles_have_columns_of_their_own() {
        let further = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|&name| name.into()).collect();
            Named::load_beside("second-life", &names)
        };
        let both = further(&["opensim-ubode", "opensim-bulletsim"]).unwrap();
        assert_eq!(both[0].in_columns(), "opensim_ubode");
        assert_eq!(both[1].profile.physics.model, PhysicsModel::OpensimBulletsim);
        assert_eq!(in_columns("grids/My grid.toml"), "my_grid");
        for twice in [&["second-life"][..], &["opensim-ubode", "opensim-ubode"], &["grids/second-life.toml"]]
        {
            let error = further(twice).unwrap_err().to_string();
            assert!(error.contains(twice[0]), "{error}");
        }
        assert!(further(&["opensim"]).is_err());
    }

    #[test]
    fn mistakes_are_sentences() {
        assert!(Profile::load("secondlife").unwrap_err().to_string().contains("second-life, opensim-ubode"));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        fs::write(&path, "base = \"second-life\"\n[phisics]\n").unwrap();
        let error = Profile::load(path.to_str().unwrap()).unwrap_err().to_string();
        assert!(error.ends_with("unknown setting `phisics`: did you mean `physics`?"), "{error}");
        for (rules, words) in [
            ("[rules.severity]\nLNK999 = \"info\"", "`LNK999`. Did you mean LNK001?"),
            ("[rules]\nignore = [\"LNX\"]", "`LNX`. Did you mean LNK?"),
            ("[rules]\nselekt = []", "`rules.selekt`: did you mean `select`?"),
            ("[severity]\nLNK001 = \"info\"", "unknown setting `severity`"),
        ] {
            fs::write(&path, format!("base = \"second-life\"\n{rules}")).unwrap();
            let error = Profile::load(path.to_str().unwrap()).unwrap_err().to_string();
            assert!(error.contains("mine.toml") && error.contains(words), "{error}");
        }
    }
}
