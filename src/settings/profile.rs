//! The limits and costs of a target grid.
//!
//! A profile is data, so a change to it needs no new read of an export. `config/profiles/second-life.toml` has every
//! key, with the reason for its value. The other profiles contain only differences.

use crate::{
    config::{ConfigError, from_table, nearest, overlay, parse},
    ossl::Threat,
    rule_selection::RuleSelection,
};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_util::named_file;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};

/// Built-in profiles, the base first.
pub use hullmark_config::PROFILES as BUILT_IN;

/// Maximum number of profiles that overlay each other.
const DEPTH: usize = 8;

const RULES: &str = "rules";

/// The profile of what only OpenSimulator loads, as long as no target is chosen.
pub const OPENSIM_LOAD: &str = "opensim-load";

/// The two parts of such a profile, as targets of rules.
pub const LOADER: &str = "OpenSimulator";
pub const PUBLISHED: &str = "published rules";

/// The limits and cost constants of a grid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// A description in one line.
    pub description: String,
    /// The version of OpenSimulator whose loader reads archives.
    pub simulator: Simulator,
    /// Limits on the placement of objects.
    pub placement: Placement,
    /// Limits on linksets.
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
    /// Land impact and capacity.
    pub land: Land,
    /// Limits on assets.
    pub assets: AssetLimits,
    /// Limits on scripts.
    pub scripts: Scripts,
    /// Rules to evaluate for this profile, and their severities.
    pub rules: RuleSelection,
}

/// A profile with the name that the user gave.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Named {
    /// The name, or the path of the profile file.
    pub name: String,
    /// The profile.
    pub profile: Profile,
}

impl Named {
    /// Loads the profiles whose costs are shown next to those of the first. Each must have its own column names.
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

    /// Returns the name for use in column names: `opensim_ubode` for `opensim-ubode`. A file has its name without
    /// folder and extension.
    pub fn in_columns(&self) -> String {
        in_columns(&self.name)
    }
}

fn in_columns(name: &str) -> String {
    let stem = Path::new(name.strip_suffix(".toml").unwrap_or(name)).file_name().unwrap_or_default();
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    stem.to_string_lossy().chars().map(word).collect()
}

/// Limits on the placement of objects, and its required precision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Minimum height of a root, in metres.
    pub lowest_m: f64,
    /// Maximum height of a root, in metres.
    pub highest_m: f64,
    /// Maximum distance of a child from its root, in metres. A child beyond it is lost.
    pub max_child_offset_m: f64,
    /// Sides of the target region, east and north, in metres; 0 for those of the export.
    pub region_size_m: [u32; 2],
    /// Maximum difference of the length of a rotation's quaternion from 1.
    pub rotation_tolerance: f64,
    /// Minimum side of a prim, in metres.
    pub smallest_side_m: f64,
    /// Maximum side of a prim, in metres.
    pub largest_side_m: f64,
    /// Whether a load changes sides beyond these limits to them.
    pub clamps_sides: bool,
    /// Maximum hollow of a prim, in percent.
    pub max_hollow_percent: f64,
    /// Maximum side of a region, in metres.
    pub largest_region_m: u32,
}

/// Limits on linksets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Linkability {
    /// The diameter of the sphere around the prim centres must be below this, in metres.
    pub max_diameter_m: f64,
    /// Maximum number of prims.
    pub max_prims: u32,
    /// Whether to also report linksets that the rule of before 2010 would not link (LNK003, LNK005).
    pub old_rules: bool,
}

/// Limits on hulls.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Hulls {
    /// Maximum number of vertices in one hull.
    pub max_vertices: u32,
    /// Maximum number of hulls in one decomposition.
    pub max_hulls: u32,
}

/// Limits on mesh assets; infinite if a grid has no such rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Meshes {
    /// Maximum bytes of one asset.
    pub max_bytes: f64,
    /// Maximum bytes of the different assets in a region.
    pub max_region_bytes: f64,
}

/// The engine whose physics costs apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PhysicsModel {
    /// The specification of Second Life.
    SecondLife,
    /// OpenSimulator's ubODE.
    OpensimUbode,
    /// OpenSimulator's BulletSim: every part costs the same.
    OpensimBulletsim,
}

/// The axes of the overall box of a linkset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BoxAxes {
    /// The axes of the root prim, as in a viewer.
    Root,
    /// The axes of the region.
    Region,
}

/// Physics costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Physics {
    /// The engine.
    pub model: PhysicsModel,
    /// Maximum physics weight of a physical object; infinite if there is no such rule.
    pub physical_cap: f64,
    /// Maximum number of prims of a physical linkset under legacy accounting.
    pub max_legacy_prims: u32,
    /// Maximum number of parts of a physical linkset that collide.
    pub max_physical_parts: u32,
    /// Maximum side of a part that collides, in metres. A longer one is shortened; infinite if none is.
    pub max_side_m: f64,
    /// Maximum side of a part that collides in a physical linkset, in metres; infinite if there is no such rule.
    pub max_physical_side_m: f64,
    /// Cost of a box, a sphere or a cylinder.
    pub primitive_cost: f64,
    /// Factor on the cost of a cylinder.
    pub cylinder_factor: f64,
    /// Cost of each vertex of a hull.
    pub hull_vertex_cost: f64,
    /// Number of vertices charged for each hull in addition to its own.
    pub hull_offset: f64,
    /// Factor on the hull of a prim's surface.
    pub prim_hull_factor: f64,
    /// Factor on the triangles of a prim's surface.
    pub prim_mesh_factor: f64,
    /// Factor on the hull or the triangles of a sculpt's surface.
    pub sculpt_factor: f64,
    /// Cost of each triangle, divided by the average width in metres.
    pub triangle_cost: f64,
    /// Minimum cost of a triangle mesh.
    pub minimum_mesh_cost: f64,
    /// Minimum average width, in metres.
    pub min_width_m: f64,
    /// Maximum average width, in metres.
    pub max_width_m: f64,
    /// If a side is shorter than this, in metres, a mesh without decomposition costs as its base hull.
    pub convex_below_m: f64,
    /// Penalty of physical linksets, for each m² of mean face area.
    pub penalty_per_m2: f64,
    /// Axes of the overall box.
    pub overall_box: BoxAxes,
    /// Whether to use `physics_cost_data` of assets that have it.
    pub trust_simulator: bool,
    /// Difference between our figures and the simulator's that is reported, in percent of the greater one.
    pub self_check_percent: f64,
}

/// The formula for streaming costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StreamingModel {
    /// The viewer's formula.
    SecondLife,
    /// 1 for each part.
    Opensim,
}

/// Streaming costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Streaming {
    /// The formula.
    pub model: StreamingModel,
    /// Bytes of each level of detail that are not triangles.
    pub metadata_bytes: f64,
    /// Minimum number of bytes after subtracting the metadata.
    pub minimum_bytes: f64,
    /// Bytes of one triangle.
    pub bytes_per_triangle: f64,
    /// Triangle budget of a region.
    pub triangle_budget: f64,
    /// Cost of the triangle budget.
    pub cost_per_region: f64,
    /// Factor on static meshes: the discount announced in 2024. The high figures are without it.
    pub static_factor: f64,
    /// Factor on prims.
    pub prim_factor: f64,
    /// Factor on sculpts.
    pub sculpt_factor: f64,
    /// Maximum cost of one prim.
    pub prim_cap: f64,
    /// Maximum cost of one sculpt.
    pub sculpt_cap: f64,
    /// Cost of 1,000 triangles of an animated mesh.
    pub animated_per_1000_triangles: f64,
    /// Additional cost of each animated object.
    pub animated_root: f64,
}

/// The formula for the server weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ServerWeight {
    /// min(n/2 + scripts/4, n).
    Announced,
    /// The same formula, with the first script free.
    FirstScriptFree,
    /// Always 0.
    Opensim,
}

/// Server costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// The formula for the server weight.
    pub server_weight: ServerWeight,
}

/// The formula for land impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LandModel {
    /// The greatest of the three sums, rounded, and at least 1.
    SecondLife,
    /// 1 for each part.
    Opensim,
}

/// What fills land.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// The land impact of linksets.
    LandImpact,
    /// Their prims, without temporary linksets (OpenSim, `PrimCountModule.AddObject`).
    Prims,
}

impl Counted {
    /// Returns the unit of load and capacity.
    pub fn name(self) -> &'static str {
        match self {
            Self::LandImpact => "land impact",
            Self::Prims => "prims",
        }
    }
}

/// Land impact and capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Land {
    /// The formula for land impact.
    pub model: LandModel,
    /// What fills land.
    pub counted: Counted,
    /// Capacity of a whole region, in that unit.
    pub object_capacity: u32,
    /// The kinds of regions that the grid sells; empty if it sells none.
    pub products: Vec<Product>,
    /// Maximum land impact of one object; infinite if there is no such rule.
    pub max_object_impact: f64,
}

/// A kind of region: its capacity, in the unit of the land, and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Product(pub u32, pub String);

impl Land {
    /// Returns the smallest kind of region that holds this load. `None` if none does.
    pub fn smallest_product(&self, load: f64) -> Option<&Product> {
        let holding = self.products.iter().filter(|Product(capacity, _)| f64::from(*capacity) >= load);
        holding.min_by_key(|Product(capacity, _)| *capacity)
    }

    /// Whether the capacity is a land impact. Without a chosen target it is a number of prims.
    pub fn holds_land_impact(&self) -> bool {
        self.counted == Counted::LandImpact || self.model == LandModel::Opensim
    }
}

/// Limits on assets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct AssetLimits {
    /// Maximum side of a texture, in pixels.
    pub max_texture_px: u32,
    /// Maximum number of pixels of a texture.
    pub max_texture_pixels: u32,
    /// Whether the grid supports PBR (glTF) materials.
    pub pbr_materials: bool,
    /// Whether the grid supports skies, water and days as assets.
    pub environments: bool,
    /// Nesting depth, in levels, at which objects in the contents of objects are at risk.
    pub deep_nesting: u32,
}

/// A version of OpenSimulator with its own loader of archives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Simulator {
    /// Up to 0.9.2, whose loader was measured.
    #[serde(rename = "0.9.2")]
    Until092,
    /// From 0.9.3, which has PBR materials on the ground.
    #[serde(rename = "0.9.3")]
    Since093,
}

impl Simulator {
    /// Returns the version as in the profile.
    pub fn name(self) -> &'static str {
        match self {
            Self::Until092 => "0.9.2",
            Self::Since093 => "0.9.3",
        }
    }
}

/// The engine that runs scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ScriptEngine {
    /// The engine of Second Life: LSL without OpenSim's functions.
    SecondLife,
    /// The engine of OpenSim: LSL only.
    Yengine,
    /// The engine of OpenSim up to version 0.9.2: also C# and Visual Basic.
    Xengine,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    SecondLife,
    OpenSim,
}

/// Limits on scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Scripts {
    /// The engine that runs scripts.
    pub engine: ScriptEngine,
    /// The highest threat level of OpenSim's functions that every script may call.
    pub ossl_threat: Threat,
    /// Maximum number of scripts in one region.
    pub max_per_region: u32,
    /// Maximum number of scripts in one object.
    pub max_per_object: u32,
}

impl Default for Profile {
    fn default() -> Self {
        Self::load(BUILT_IN[0].0).unwrap_or_else(|error| unreachable!("{error}"))
    }
}

impl Profile {
    /// Loads the profile with this name, or the one in this file if the name ends in `.toml`.
    pub fn load(name: &str) -> Result<Self, ConfigError> {
        let settings = resolve(name, 0)?;
        from_table(name, settings)
    }

    /// Reads the text of a profile file. Its base is a built-in profile or a file. The name is for errors.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let settings = overlaid(name, split(name, text)?, 0)?;
        from_table(name, settings)
    }

    /// Returns the values of the profile as TOML, with one line for each.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_else(|error| unreachable!("profiles are plain tables: {error}"))
    }

    /// Returns the values of the profile as a table.
    pub fn to_table(&self) -> Table {
        Table::try_from(self).unwrap_or_else(|error| unreachable!("profiles are plain tables: {error}"))
    }

    /// Returns the grid that loads inputs and runs their scripts.
    pub fn loader(&self) -> Grid {
        match self.scripts.engine {
            ScriptEngine::SecondLife => Grid::SecondLife,
            ScriptEngine::Yengine | ScriptEngine::Xengine => Grid::OpenSim,
        }
    }

    /// Returns the grid whose limits and costs are computed.
    pub fn limits(&self) -> Grid {
        match self.physics.model {
            PhysicsModel::SecondLife => Grid::SecondLife,
            PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim => Grid::OpenSim,
        }
    }

    /// Returns the grid that a rule is about: the one that loads, or the one with the limits.
    pub fn grid_of(&self, code: Code) -> Grid {
        if code.is_about_limits() { self.limits() } else { self.loader() }
    }

    /// Whether the profile is no single target: one grid loads, and the limits are those of another.
    pub fn is_in_two_parts(&self) -> bool {
        self.loader() != self.limits()
    }

    /// Names the target that a rule is about.
    pub fn target_of(&self, code: Code) -> &str {
        match (self.is_in_two_parts(), code.is_about_limits()) {
            (false, _) => &self.description,
            (true, false) => LOADER,
            (true, true) => PUBLISHED,
        }
    }

    pub fn severity(&self, code: Code) -> Severity {
        self.rules.severity(code)
    }

    pub fn severity_of(&self, finding: &Finding) -> Severity {
        let severity = self.severity(finding.code);
        finding.at_most.map_or(severity, |most| severity.min(most))
    }

    pub fn selects(&self, code: Code) -> bool {
        self.rules.selects(code)
    }
}

/// Returns the name of the base of a profile; `None` for the first one, which has no base.
pub fn base(name: &str) -> Result<Option<String>, ConfigError> {
    Ok(read(name)?.0)
}

/// Reads a profile and overlays its base with it.
fn resolve(name: &str, depth: usize) -> Result<Table, ConfigError> {
    overlaid(name, read(name)?, depth)
}

fn overlaid(name: &str, (base, table): (Option<String>, Table), depth: usize) -> Result<Table, ConfigError> {
    let Some(base) = base else { return Ok(table) };
    if depth >= DEPTH {
        return Err(no_base(name));
    }
    let mut whole = resolve(&base, depth + 1)?;
    // Rule selections are not replaced key by key; `RuleSelection::over` combines them.
    let below = take_rules(&base, &mut whole)?;
    overlay(name, &mut whole, table, "")?;
    let rules = take_rules(name, &mut whole)?.over(&below);
    whole.insert(RULES.into(), as_value(&rules));
    Ok(whole)
}

/// Reads the keys of a profile file, and the name of its base.
fn read(name: &str) -> Result<(Option<String>, Table), ConfigError> {
    let built_in = BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    let text = match built_in {
        Some(text) => text,
        None if name.ends_with(".toml") => named_file::read_text(Path::new(name), named_file::SETTINGS)
            .map_err(|source| ConfigError::Unreadable { path: name.into(), source })?,
        None => {
            let names = BUILT_IN.map(|(known, _)| known);
            let near = nearest(name, names.into_iter());
            let suggestion = near.map_or(String::new(), |near| format!("Did you mean `{near}`? "));
            let known = names.join(", ");
            return Err(ConfigError::UnknownProfile { name: name.into(), suggestion, known });
        }
    };
    split(name, &text)
}

/// Takes the name of its base out of the text of a profile.
fn split(name: &str, text: &str) -> Result<(Option<String>, Table), ConfigError> {
    let mut table = parse(name, text)?;
    if name == BUILT_IN[0].0 {
        return Ok((None, table));
    }
    match table.remove("base") {
        Some(Value::String(base)) => Ok((Some(base), table)),
        _ => Err(no_base(name)),
    }
}

/// Returns the rule selection of a profile, and replaces it by an empty one.
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
    use std::fs;

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
    fn without_a_target_opensimulator_loads_and_the_published_rules_limit() {
        let [load, life, ubode] =
            [OPENSIM_LOAD, "second-life", "opensim-ubode"].map(|name| Profile::load(name).unwrap());
        assert_eq!((&load.linkability, &load.hulls), (&life.linkability, &life.hulls));
        assert_eq!(
            (&load.meshes, &load.physics, &load.streaming),
            (&life.meshes, &life.physics, &life.streaming)
        );
        assert_eq!((&load.placement, &load.scripts), (&ubode.placement, &ubode.scripts));
        assert_eq!(load.land.object_capacity, ubode.land.object_capacity);
        let targets =
            |profile: &Profile| [Code::POS002, Code::LNK001].map(|code| profile.target_of(code).to_owned());
        assert_eq!(targets(&load), ["OpenSimulator", "published rules"]);
        assert_eq!(targets(&life), ["Second Life"; 2]);
        assert_eq!(
            [Code::POS002, Code::LNK001].map(|code| load.grid_of(code)),
            [Grid::OpenSim, Grid::SecondLife]
        );
        let holds = [&load, &life, &ubode].map(|profile| profile.land.holds_land_impact());
        assert_eq!(holds, [false, true, true]);
    }

    #[test]
    fn the_smallest_product_holds_the_load() {
        let land = Profile::default().land;
        let capacity = |load| land.smallest_product(load).map(|Product(capacity, _)| *capacity);
        let loads = [0.0, 1000.0, 1000.5, 5001.0, 20_001.0, 30_000.0, 30_001.0, f64::NAN];
        let expected = [1000, 1000, 5000, 20_000, 22_500, 30_000].map(Some);
        assert_eq!(loads.map(capacity).to_vec(), [&expected[..], &[None, None]].concat());
        assert!(land.products.iter().any(|Product(capacity, _)| *capacity == land.object_capacity));
        assert!(Profile::load("opensim-ubode").unwrap().land.products.is_empty());
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
        assert!(
            Profile::load("secondlife")
                .unwrap_err()
                .to_string()
                .contains("second-life, opensim-load, opensim-ubode")
        );
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
