//! COLLADA 1.4 and 1.5, as the viewer's `LLDAELoader` (`lldaeloader.cpp`) reads it.
//!
//! Each geometry becomes a model with the name of the geometry, not that of its node. A node that places it becomes a
//! part. Each skin becomes a part, too, even if no node has its controller. The transform of the node stays apart
//! from the vertices, which keep the units and axes of the document.
//!
//! `document` reads the elements, `text` and `source` their numbers. `geometry` makes faces with `corners`, `controller`
//! skins, and `scene_graph` places.

mod controller;
mod corners;
mod document;
mod geometry;
mod scene_graph;
mod source;
#[cfg(test)]
mod tests;
mod text;

use crate::{
    Reading, charge, over_limit,
    scene::{Face, Scene, Vertex},
};
use document::{Document, Element};
use geometry::Mesh;
use hullmark_format::defect::{Defect, ModelDefect};
use source::Sources;
use std::collections::{BTreeSet, HashMap};

/// Bytes of a part without its name and faces.
const PART: u64 = 512;

/// Reads a document. What cannot be read is left out with a defect.
pub(crate) fn read(bytes: &[u8], reading: &mut Reading<'_>) -> Scene {
    let mut scene = Scene::default();
    if let Err(kind) = fill(&mut scene, bytes, reading) {
        reading.note(kind);
    }
    scene
}

/// Adds the parts of a document to a scene, in the order of the loader: skins, then nodes.
///
/// # Errors [`ModelDefect::Unreadable`] of the whole document, [`ModelDefect::OverLimit`] with the parts before.
fn fill(scene: &mut Scene, bytes: &[u8], reading: &mut Reading<'_>) -> Result<(), ModelDefect> {
    charge(reading.work, bytes.len() as u64)?;
    let source = document::source(bytes);
    let document = Document::read(&source, reading)?;
    note_left_out(&document, reading);
    let Some(root) = document.first("visual_scene") else {
        return Err(ModelDefect::Unreadable { why: "the document has no visual_scene".into() });
    };
    let transform = scene_graph::units_and_axes(&document);
    if !transform.is_finite() {
        return Err(ModelDefect::Unreadable { why: "the unit of the document is not a number".into() });
    }
    let mut sources = Sources::default();
    let mut meshes = HashMap::new();
    for geometry in document.all("geometry") {
        if let Some(mesh) = geometry::mesh(geometry, &mut sources, reading)? {
            meshes.insert(geometry.number, mesh);
        }
    }
    let mut placed = BTreeSet::new();
    for controller in document.all("controller") {
        let Some(skin) = controller.child("skin") else { continue };
        let name = controller.attribute("name").or(controller.attribute("id")).unwrap_or("controller");
        let node = match controller::geometry_of(skin) {
            Ok(Some(geometry)) => {
                placed.insert(geometry.number);
                let Some(mesh) = meshes.get(&geometry.number) else { continue };
                controller::rigged(skin, mesh, transform.as_dmat4(), &mut sources, reading.work)
            }
            Ok(None) => Err(ModelDefect::Unsupported { feature: "a skin on another controller".into() }),
            Err(kind) => Err(kind),
        };
        match node {
            Ok(_) if scene.nodes.len() >= reading.limits.parts => {
                return Err(over_limit("parts"));
            }
            Ok(node) => scene.nodes.push(node),
            Err(over @ ModelDefect::OverLimit { .. }) => return Err(over),
            Err(kind) => note(reading, name, kind),
        }
    }
    placed.extend(scene_graph::nodes(root, transform, &meshes, scene, reading)?);
    note_unplaced(&document, &meshes, &placed, reading);
    Ok(())
}

/// Notes what the uploader never reads, once each.
fn note_left_out(document: &Document<'_>, reading: &mut Reading<'_>) {
    for (name, what) in [("animation", "animations"), ("morph", "morph targets")] {
        if document.all(name).next().is_some() {
            reading.note(ModelDefect::LeftOut { what: what.into() });
        }
    }
}

fn note_unplaced(
    document: &Document<'_>,
    meshes: &HashMap<usize, Mesh>,
    placed: &BTreeSet<usize>,
    reading: &mut Reading<'_>,
) {
    let of_mesh = |geometry: Element<'_>| meshes.get(&geometry.number);
    for mesh in
        document.all("geometry").filter(|geometry| !placed.contains(&geometry.number)).filter_map(of_mesh)
    {
        note(reading, &mesh.name, ModelDefect::LeftOut { what: "a geometry that no node places".into() });
    }
}

/// Notes a defect in the geometry, node or controller of this name.
fn note(reading: &mut Reading<'_>, within: &str, kind: ModelDefect) {
    reading.note_within(within, Defect::new(kind));
}

/// Returns the bytes of a part that places this geometry.
fn size(mesh: &Mesh) -> u64 {
    let of_face = |face: &Face| {
        size_of::<Face>()
            + face.material.len()
            + face.vertices.len() * size_of::<Vertex>()
            + face.triangles.len() * size_of::<[u32; 3]>()
    };
    PART + (mesh.name.len() + mesh.faces.iter().map(of_face).sum::<usize>()) as u64
}
