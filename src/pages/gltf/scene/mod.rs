//! Objects as binary glTF 2.0: an object or a region, with a node for each object and each prim.
//!
//! Equal forms are one glTF mesh, and nodes have the sizes and places. Forms of prims and sculpts are known from ledgers.
//! Meshes are read again when the file is written (`write.rs`), because ledgers have their numbers alone.
//!
//! ```text
//! root (turned, because up is Z in regions and Y in glTF)
//!   region, each at its own place along X
//!     ground, objects ─▶ prims
//! ```

mod colours;
mod forms;
pub mod page;
mod write;

use super::builder::Builder;
use colours::Colour;
pub use colours::ColourBy;
use forms::{BOX, Forms, Why, ground};
pub use forms::{Levels, MeshSource, uuid_of};
use glam::{DQuat, DVec3};
use hullmark_analysis::{
    Measured,
    cost::Cost,
    measure::{ObjectMeasures, PartMeasures},
};
use hullmark_finding::Severity;
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, RegionFacts};
use hullmark_util::number_text::counted;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
pub use write::ReadMeshes;

/// Maximum number of prims of a file. Objects that do not fit are left out.
const MOST_PARTS: u64 = 300_000;

/// Maximum number of coloured faces of all forms: a form in other colours has other faces.
const MOST_FACES: usize = 1_000_000;
const TOO_MANY_FACES: Why = "too many coloured faces for one file";

/// Metres between regions.
const GAP_M: f64 = 32.0;

/// The ground, without a texture.
const GROUND: Colour = [128, 122, 92, 255];

/// An object with its figures.
#[derive(Debug, Clone, Copy)]
pub struct SceneObject<'a> {
    /// Its facts.
    pub object: &'a ObjectFacts,
    /// Its measures.
    pub measures: &'a ObjectMeasures,
    /// Number of findings about it.
    pub findings: u64,
    /// Severity of the worst of them.
    pub worst: Option<Severity>,
}

/// The numbers of things in a file, and of those that it leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SceneCounts {
    /// Objects with a node.
    pub objects: u64,
    /// Prims with a node.
    pub parts: u64,
    /// Different forms.
    pub forms: u64,
    /// Prims that are drawn as boxes of their size, by reason.
    pub boxes: BTreeMap<&'static str, u64>,
    /// Prims with a number that is not finite.
    pub not_finite: u64,
    /// Objects beyond the limit of prims.
    pub beyond_limit: u64,
    /// Objects in inventories, which have no place.
    pub nested: u64,
}

impl SceneCounts {
    /// Says what the file has.
    pub fn in_words(&self) -> String {
        let (objects, parts) = (counted(self.objects, "object"), counted(self.parts, "prim"));
        format!("{objects} with {parts}, of {}", counted(self.forms, "form"))
    }

    /// Lists boxes and things that are left out, with their reasons.
    pub fn left_out(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .boxes
            .iter()
            .map(|(why, count)| format!("{} drawn as a box: {why}", counted(*count, "prim")))
            .collect();
        let mut add = |count: u64, noun: &str, words: &str| {
            if count > 0 {
                lines.push(format!("{} left out: {words}", counted(count, noun)));
            }
        };
        add(self.not_finite, "prim", "a size, a place or a rotation is not a number");
        add(self.beyond_limit, "object", "the file has the most prims that it may have");
        add(self.nested, "object", "objects in inventories have no place");
        lines
    }
}

/// A scene under construction.
#[derive(Debug)]
pub struct Scene {
    by: ColourBy,
    levels: Levels,
    forms: Forms,
    /// Colours of faces, each list once.
    paints: Vec<Vec<Colour>>,
    paint_numbers: HashMap<Vec<Colour>, usize>,
    /// The glTF meshes: a form in colours, in the order of their first use.
    meshes: Vec<(usize, usize)>,
    mesh_numbers: HashMap<(usize, usize), usize>,
    /// Number of faces of these meshes.
    faces: usize,
    builder: Builder,
    regions: Vec<RegionNode>,
    /// Number of inputs so far.
    inputs: usize,
    counts: SceneCounts,
}

/// A region, or the objects of an input that are in no region.
#[derive(Debug)]
struct RegionNode {
    name: String,
    extras: Value,
    /// Sides in metres, east and north.
    size: [f64; 2],
    children: Vec<usize>,
}

/// A node of a prim, without its name.
struct PartNode {
    mesh: usize,
    translation: DVec3,
    rotation: DQuat,
    scale: DVec3,
    extras: Map<String, Value>,
}

impl Scene {
    /// Creates an empty scene.
    pub fn new(by: ColourBy, levels: Levels) -> Self {
        Self {
            by,
            levels,
            forms: Forms::new(),
            paints: Vec::new(),
            paint_numbers: HashMap::new(),
            meshes: Vec::new(),
            mesh_numbers: HashMap::new(),
            faces: 0,
            builder: Builder::default(),
            regions: Vec::new(),
            inputs: 0,
            counts: SceneCounts::default(),
        }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.builder.is_empty()
    }

    /// Begins an input. Objects and regions belong to it.
    pub fn next_input(&mut self) {
        self.inputs += 1;
    }

    /// Adds a region, and returns its number in the scene.
    pub fn region(&mut self, facts: &RegionFacts, archive: &str) -> usize {
        let size = facts.size.map(f64::from);
        let extras = json!({
            "archive": archive,
            "region": facts.name,
            "region_uuid": facts.uuid,
            "size_m": facts.size,
        });
        let children = self.add_ground(facts, size).into_iter().collect();
        self.regions.push(RegionNode { name: facts.name.clone(), extras, size, children });
        self.regions.len() - 1
    }

    /// Adds a place for objects in no region, and returns its number.
    pub fn elsewhere(&mut self, archive: &str) -> usize {
        let extras = json!({ "archive": archive });
        let name = archive.to_owned();
        self.regions.push(RegionNode { name, extras, size: [256.0; 2], children: Vec::new() });
        self.regions.len() - 1
    }

    /// Adds the ground of a region. Objects come before it if there is not enough room.
    fn add_ground(&mut self, facts: &RegionFacts, size: [f64; 2]) -> Option<usize> {
        let grid = facts.terrain.as_ref()?.grid.as_ref()?;
        let heights: Vec<_> = grid.heights().collect();
        let geometry = ground(&heights, grid.side(), size)?;
        let form = self.forms.add_once(geometry)?;
        let mesh = self.mesh(form, vec![GROUND]);
        Some(self.builder.add_node(&json!({ "name": "ground", "mesh": mesh })))
    }

    /// Adds an object at its place, relative to `origin`, to a region.
    pub fn object(
        &mut self,
        object: &SceneObject<'_>,
        measured: &Measured<'_>,
        region: usize,
        origin: DVec3,
    ) {
        let parts = &object.object.linkset.parts;
        let Some(root) = parts.first() else { return };
        if self.counts.parts + parts.len() as u64 > MOST_PARTS {
            self.counts.beyond_limit += 1;
            return;
        }
        let place = root.group_position - origin;
        if !is_drawable(place, root.rotation, DVec3::ONE) {
            self.counts.not_finite += parts.len() as u64;
            return;
        }
        let mut nodes: Vec<(&Part, PartNode)> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            match self.part(object, part, object.measures.parts.get(index), index == 0, measured) {
                Some(node) => nodes.push((part, node)),
                None => self.counts.not_finite += 1,
            }
        }
        if nodes.is_empty() {
            return;
        }
        self.counts.objects += 1;
        self.counts.parts += nodes.len() as u64;
        let mut node = json!({
            "name": root.name,
            "extras": extras_of_object(object, root),
            "translation": rounded(place),
        });
        add_rotation(&mut node, root.rotation);
        match nodes.as_mut_slice() {
            // One node has both the object and its only prim.
            [(_, only)] if parts.len() == 1 => {
                node["mesh"] = only.mesh.into();
                add_scale(&mut node, only.scale);
                if let Some(extras) = node["extras"].as_object_mut() {
                    extras.append(&mut only.extras);
                }
            }
            nodes => {
                let add =
                    |(part, node): &mut (&Part, PartNode)| self.builder.add_node(&node.json(&part.name));
                node["children"] = nodes.iter_mut().map(add).collect::<Vec<_>>().into();
            }
        }
        let number = self.builder.add_node(&node);
        self.regions[region].children.push(number);
    }

    /// Counts an object that has no place in a region.
    pub fn nested(&mut self) {
        self.counts.nested += 1;
    }

    /// Returns the node of a prim. `None` if it has no place.
    fn part(
        &mut self,
        object: &SceneObject<'_>,
        part: &Part,
        measures: Option<&PartMeasures>,
        is_root: bool,
        measured: &Measured<'_>,
    ) -> Option<PartNode> {
        let (translation, rotation) = match is_root {
            true => (DVec3::ZERO, DQuat::IDENTITY),
            false => (part.offset_position, part.rotation),
        };
        if !is_drawable(translation, rotation, part.scale) {
            return None;
        }
        let mut extras = Map::new();
        extras.insert("part_uuid".into(), json!(part.uuid));
        extras.insert("link_number".into(), part.link_number.into());
        if let Some(cost) = measures.and_then(|measures| measures.collision.physics_cost.value()) {
            extras.insert("part_physics_cost".into(), number(cost));
        }
        let found = self.forms.of_part(part, self.inputs, measured, self.levels);
        let drawn = found.and_then(|form| {
            let colours = colours::of_part(self.by, object, part, measures, self.forms.faces(form));
            self.fits(form, &colours).then(|| self.mesh(form, colours)).ok_or(TOO_MANY_FACES)
        });
        let mesh = drawn.unwrap_or_else(|why| {
            *self.counts.boxes.entry(why).or_default() += 1;
            extras.insert("drawn_as".into(), "box".into());
            extras.insert("why".into(), why.into());
            let colours = colours::of_part(self.by, object, part, measures, 1);
            self.mesh(BOX, colours)
        });
        Some(PartNode { mesh, translation, rotation, scale: part.scale, extras })
    }

    /// Whether a form in these colours is there or has room.
    fn fits(&self, form: usize, colours: &Vec<Colour>) -> bool {
        let paint = self.paint_numbers.get(colours);
        let is_known = paint.is_some_and(|&paint| self.mesh_numbers.contains_key(&(form, paint)));
        is_known || self.faces + self.forms.faces(form) <= MOST_FACES
    }

    /// Returns the number of the glTF mesh of a form in these colours.
    fn mesh(&mut self, form: usize, colours: Vec<Colour>) -> usize {
        let paint = *self.paint_numbers.entry(colours).or_insert_with_key(|colours| {
            self.paints.push(colours.clone());
            self.paints.len() - 1
        });
        *self.mesh_numbers.entry((form, paint)).or_insert_with(|| {
            self.faces += self.forms.faces(form);
            self.meshes.push((form, paint));
            self.meshes.len() - 1
        })
    }
}

impl PartNode {
    fn json(&mut self, name: &str) -> Value {
        let mut node = json!({ "name": name, "mesh": self.mesh, "extras": std::mem::take(&mut self.extras) });
        if self.translation != DVec3::ZERO {
            node["translation"] = rounded(self.translation);
        }
        add_rotation(&mut node, self.rotation);
        add_scale(&mut node, self.scale);
        node
    }
}

fn extras_of_object(object: &SceneObject<'_>, root: &Part) -> Value {
    let SceneObject { object: facts, measures, findings, worst } = object;
    let position = root.group_position;
    let mut extras = json!({
        "object_uuid": root.uuid,
        "entry": facts.entry,
        "parts": facts.linkset.parts.len(),
        "findings": findings,
        "position_m": rounded(position),
    });
    let costs: [(&str, Cost); 2] =
        [("land_impact", measures.land_impact), ("physics_cost", measures.physics_cost)];
    for (name, cost) in costs {
        extras[name] = cost.value().map_or(Value::Null, number);
        extras[format!("{name}_basis")] = cost.basis().to_string().into();
    }
    if let Some(worst) = worst {
        extras["worst_severity"] = worst.name().into();
    }
    extras
}

/// Whether all numbers fit into those of glTF, which have 32 bits.
fn is_drawable(translation: DVec3, rotation: DQuat, scale: DVec3) -> bool {
    translation.as_vec3().is_finite() && rotation.as_quat().is_finite() && scale.as_vec3().is_finite()
}

fn add_rotation(node: &mut Value, rotation: DQuat) {
    if rotation != DQuat::IDENTITY {
        node["rotation"] = rotation.to_array().map(|part| round(part, 1e7)).to_vec().into();
    }
}

fn add_scale(node: &mut Value, scale: DVec3) {
    if scale != DVec3::ONE {
        node["scale"] = rounded(scale);
    }
}

/// Returns a vector with a tenth of a millimetre.
fn rounded(vector: DVec3) -> Value {
    vector.to_array().map(|part| round(part, 1e5)).to_vec().into()
}

/// Returns a number with few digits.
fn number(number: f64) -> Value {
    round(number, 1e5).into()
}

/// Rounds to a part of one. Numbers beyond it have no such digits.
fn round(number: f64, part: f64) -> f64 {
    // −0 would be a digit more.
    if number.abs() < 1e9 { (number * part).round() / part + 0.0 } else { number }
}
