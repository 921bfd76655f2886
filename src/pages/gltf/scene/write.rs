//! Writes a scene: reads its meshes again, and adds forms, materials and regions to the nodes.

use super::{
    super::{
        GltfError,
        builder::{Builder, Geometry},
        of_face,
    },
    BOX, Colour, GAP_M, MeshSource, RegionNode, Scene, SceneCounts, colours,
    forms::{Form, Forms, WantedLevel},
};
use hullmark_format::mesh::Mesh;
use hullmark_ledger::facts::LodFacts;
use serde_json::{Value, json};
use std::{collections::BTreeSet, f64::consts::FRAC_1_SQRT_2};

/// Reads meshes with these entries of a source, in the order of the source, and passes each on.
pub type ReadMeshes<'a> = dyn FnMut(&MeshSource, &BTreeSet<String>, &mut dyn FnMut(&str, &Mesh)) + 'a;

/// Why a mesh is a box although its facts have triangles.
const UNREAD: &str = "mesh asset could not be read a second time";

/// The primitives of a form without their materials, each with the number of its face.
type Primitives = Vec<(usize, Value)>;

impl Scene {
    /// Returns the file and its numbers. Meshes that cannot be read any more are drawn as boxes.
    ///
    /// # Errors
    /// Nothing can be drawn, or the file would be too large.
    pub fn write(mut self, read: &mut ReadMeshes<'_>) -> Result<(Vec<u8>, SceneCounts), GltfError> {
        if self.is_empty() {
            return Err(GltfError::NothingInPlace);
        }
        let forms = add_forms(&mut self.builder, &self.forms, read);
        let boxed = self.add_box(&forms);
        for &(form, paint) in &self.meshes {
            let colours = &self.paints[paint];
            let drawn = forms[form].as_ref();
            let painted = drawn.unwrap_or(&boxed).iter().map(|(face, primitive)| {
                // Further faces have the last colour.
                let colour = colours.get(*face).or(colours.last()).copied().unwrap_or_default();
                let mut primitive = primitive.clone();
                primitive["material"] = material(&mut self.builder, colour).into();
                primitive
            });
            let mut mesh = json!({ "primitives": painted.collect::<Vec<_>>() });
            if drawn.is_none() && form != BOX {
                mesh["extras"] = json!({ "drawn_as": "box", "why": UNREAD });
            }
            self.builder.add_mesh_alone(&mesh);
        }
        let unread = forms[BOX + 1..].iter().filter(|form| form.is_none()).count() as u64;
        self.counts.forms = forms.len() as u64 - u64::from(boxed.is_empty());
        let regions = place_regions(&mut self.builder, std::mem::take(&mut self.regions));
        let root = self.builder.add_node(&json!({
            "name": "hullmark",
            "children": regions,
            "rotation": [-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2],
            "extras": {
                "coloured_by": self.by.name(),
                "legend": colours::legend(self.by),
                "objects": self.counts.objects,
                "parts": self.counts.parts,
                "forms": self.counts.forms,
                "forms_not_read_again": unread,
                "boxes": self.counts.boxes,
                "parts_not_finite": self.counts.not_finite,
                "objects_beyond_limit": self.counts.beyond_limit,
                "objects_in_inventories": self.counts.nested,
            },
        }));
        if unread > 0 {
            self.counts.boxes.insert(UNREAD, unread);
        }
        let file = self.builder.finish(root).ok_or(GltfError::TooLarge)?;
        Ok((file, self.counts))
    }

    /// Adds the data of the box, if a part has this form.
    fn add_box(&mut self, forms: &[Option<Primitives>]) -> Primitives {
        let is_used = self.meshes.iter().any(|&(form, _)| forms[form].is_none());
        match self.forms.forms.get(BOX) {
            Some(Form::Surface(geometry)) if is_used => vec![(0, self.builder.add_data(geometry))],
            _ => Vec::new(),
        }
    }
}

/// Adds the data of all forms but the box. `None` for a mesh that is no longer the one that was scanned.
fn add_forms(builder: &mut Builder, forms: &Forms, read: &mut ReadMeshes<'_>) -> Vec<Option<Primitives>> {
    let of_form = |form: &Form| match form {
        Form::Surface(geometry) => Some(vec![(0, builder.add_data(geometry))]),
        Form::Mesh(_) => None,
    };
    let others = forms.forms.iter().skip(BOX + 1).map(of_form);
    let mut added: Vec<Option<Primitives>> = std::iter::once(None).chain(others).collect();
    for (source, entries) in &forms.wanted {
        read(source, &forms.entries(source), &mut |entry, mesh| {
            for &form in entries.get(entry).into_iter().flatten() {
                if let (Form::Mesh(wanted), None) = (&forms.forms[form], &added[form]) {
                    added[form] = of_level(builder, mesh, wanted);
                }
            }
        });
    }
    added
}

/// Adds a level of a mesh. A face without triangles has no primitive.
fn of_level(builder: &mut Builder, mesh: &Mesh, wanted: &WantedLevel) -> Option<Primitives> {
    let faces = mesh.lods[wanted.level].as_deref()?;
    if LodFacts::new(faces) != wanted.facts {
        return None;
    }
    let mut primitives = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        let Some(geometry) = of_face(face) else { continue };
        // Colours are flat, and readers compute normals of flat triangles.
        let geometry = Geometry { normals: Vec::new(), texture_coordinates: Vec::new(), ..geometry };
        primitives.push((number, builder.add_data(&geometry)));
    }
    (!primitives.is_empty()).then_some(primitives)
}

/// Adds a material, or finds it.
fn material(builder: &mut Builder, colour: Colour) -> usize {
    let [red, green, blue] =
        [0, 1, 2].map(|part| super::super::material::linear(f64::from(colour[part]) / 255.0));
    let opacity = (f64::from(colour[3]) / 255.0 * 10_000.0).round() / 10_000.0;
    let mut material = json!({
        "name": colours::name(colour),
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.9,
        },
    });
    if colour[3] < u8::MAX {
        material["alphaMode"] = "BLEND".into();
    }
    builder.add_material(&material)
}

/// Adds the regions, from west to east with a gap between them. A place without objects and ground has no node.
fn place_regions(builder: &mut Builder, regions: Vec<RegionNode>) -> Vec<usize> {
    let mut east = 0.0;
    let mut nodes = Vec::new();
    for RegionNode { name, extras, size, children } in
        regions.into_iter().filter(|region| !region.children.is_empty())
    {
        let mut node = json!({ "name": name, "children": children, "extras": extras });
        if east > 0.0 {
            node["translation"] = json!([east, 0.0, 0.0]);
        }
        east += size[0] + GAP_M;
        nodes.push(builder.add_node(&node));
    }
    nodes
}
