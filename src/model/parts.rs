//! The parts of an upload: each node of the highest level, with its levels and its physics model.
//!
//! The uploader reads each level from a file of its own. It finds parts by their names, or else by their order
//! (`llmodelpreview.cpp` `rebuildUploadData`, `loadModelCallback`). Suffixes within one file are read, too: they
//! show what the maker wants, although the uploader takes such nodes for parts.

use crate::{
    Reading,
    names::{Slot, split},
    scene::{Node, Purpose, Scene},
};
use hullmark_format::defect::{Defect, ModelDefect};
use std::collections::{BTreeSet, HashMap};

/// One part.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Its name without suffix. Equal names are numbered, as the loader does.
    pub(crate) name: String,
    pub(crate) high: Node,
    /// Levels that the model has: lowest, low, medium.
    pub(crate) levels: [Option<Level>; 3],
    pub(crate) physics: Option<Node>,
}

/// A level below the highest.
#[derive(Debug)]
pub(crate) enum Level {
    /// A node of its own.
    Node(Box<Node>),
    /// Its file has no node for this part. The uploader takes the next better level.
    Above,
}

/// Joins the nodes of a model, and of the files of its levels, to parts.
pub(crate) fn join(model: Scene, files: Vec<(Slot, Scene)>, reading: &mut Reading<'_>) -> Vec<Part> {
    let (mut parts, mut others) = (Vec::<Part>::new(), Vec::new());
    let mut names: HashMap<String, usize> = HashMap::new();
    for node in model.nodes.into_iter().filter(|node| node.purpose != Some(Purpose::BaseHull)) {
        let (base, slot) = split(&node.name);
        if let Some(slot) = slot {
            others.push((base.to_owned(), slot, node));
            continue;
        }
        let used = names.entry(base.into()).or_default();
        let name = if *used == 0 { base.to_owned() } else { format!("{base}_copy_{used}") };
        *used += 1;
        parts.push(Part { name, high: node, ..Part::default() });
    }
    add_of_one_file(&mut parts, others, reading);
    for (slot, scene) in files {
        add_file(&mut parts, slot, scene, reading);
    }
    parts
}

/// Adds the levels that are in the file of the highest one.
fn add_of_one_file(parts: &mut [Part], nodes: Vec<(String, Slot, Node)>, reading: &mut Reading<'_>) {
    let by_name = by_name(parts);
    let mut taken = 0u32;
    for (base, slot, node) in nodes {
        let is_marked = node.purpose.is_some();
        match by_name.get(&base) {
            Some(&index) if parts[index].add(slot, node) => taken += u32::from(!is_marked),
            _ => note_without_part(&base, slot, reading),
        }
    }
    if taken > 0 {
        reading.defects.push(Defect::new(ModelDefect::LevelsInOneFile).measured(taken));
    }
}

/// Adds the nodes of the file of a level.
fn add_file(parts: &mut [Part], slot: Slot, scene: Scene, reading: &mut Reading<'_>) {
    let by_name = by_name(parts);
    let is_by_name = scene.nodes.iter().any(|node| by_name.contains_key(split(&node.name).0));
    let mut given = BTreeSet::new();
    for (order, node) in scene.nodes.into_iter().enumerate() {
        let base = split(&node.name).0.to_owned();
        let index = if is_by_name { by_name.get(&base).copied() } else { Some(order) };
        match index.filter(|&index| index < parts.len()) {
            Some(index) if parts[index].add(slot, node) => {
                given.insert(index);
            }
            _ => note_without_part(&base, slot, reading),
        }
    }
    for (index, part) in parts.iter_mut().enumerate() {
        if let Slot::Level(level) = slot
            && !given.contains(&index)
        {
            part.levels[level].get_or_insert(Level::Above);
        }
    }
}

/// Returns the index of each part by its name. Of equal names the first counts.
fn by_name(parts: &[Part]) -> HashMap<String, usize> {
    parts.iter().enumerate().rev().map(|(index, part)| (part.name.clone(), index)).collect()
}

fn note_without_part(base: &str, slot: Slot, reading: &mut Reading<'_>) {
    reading.note_within(&format!("{base}{}", slot.suffix()), Defect::new(ModelDefect::WithoutPart));
}

impl Part {
    /// Adds a level or a physics model. Of several physics nodes, the faces are joined. Returns `false` if the level is
    /// already there.
    fn add(&mut self, slot: Slot, node: Node) -> bool {
        match slot {
            Slot::Level(level) if self.levels[level].is_none() => {
                self.levels[level] = Some(Level::Node(Box::new(node)));
                true
            }
            Slot::Level(_) => false,
            Slot::Physics => {
                match &mut self.physics {
                    // An asset with hulls has no physics mesh.
                    Some(physics) if physics.purpose != node.purpose => {}
                    Some(physics) => physics.faces.extend(node.faces),
                    none => *none = Some(node),
                }
                true
            }
        }
    }
}
