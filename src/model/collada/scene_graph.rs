//! The nodes of the scene with their transforms.
//!
//! Transforms are in single precision as in the viewer, because the scale of a part in the grid has their rounding.

use super::{
    controller::by_rows,
    document::{Children, Document, Element},
    geometry::Mesh,
    note, size,
    text::exactly,
};
use crate::{
    Reading, charge, over_limit,
    scene::{Node, Scene},
};
use glam::{Mat4, Vec3, Vec4};
use hullmark_format::defect::{Defect, ModelDefect};
use std::collections::{BTreeSet, HashMap};

/// Units of work for an element of the scene. A library node is read again wherever it is placed.
const STEP: u64 = 128;

/// Radians of a degree (`DEG_TO_RAD`).
const RADIANS: f32 = 0.017_453_292;

/// Axes of a shorter length do not turn anything (`FP_MAG_THRESHOLD`).
const SHORTEST_AXIS: f32 = 0.000_000_1;

/// Returns the transform from the document to metres with Z up (`LLDAELoader::OpenFile`). It is not finite if the unit is
/// not a number, as `0,01`.
pub(super) fn units_and_axes(document: &Document<'_>) -> Mat4 {
    let meter = document.first("unit").and_then(|unit| unit.attribute("meter"));
    let meter = meter.map_or(1.0, |meter| meter.trim().parse().unwrap_or(f64::NAN)) as f32;
    let up = document.first("up_axis").map_or("", Element::text);
    // Columns are the directions of X, Y and Z of the document.
    let [x, y, z] = match up.trim_ascii() {
        // The loader turns X downwards.
        "X_UP" => [Vec3::NEG_Z, Vec3::Y, Vec3::X],
        "Z_UP" => [Vec3::X, Vec3::Y, Vec3::Z],
        _ => [Vec3::X, Vec3::Z, Vec3::NEG_Y],
    };
    let rotation = Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), Vec4::W);
    conditioned(Mat4::from_scale(Vec3::splat(meter)) * rotation)
}

/// Reads the nodes of a scene in the order of the document (`LLDAELoader::processElement`).
///
/// # Errors [`ModelDefect::OverLimit`]. The nodes before are in the scene.
pub(super) fn nodes(
    root: Element<'_>,
    transform: Mat4,
    meshes: &HashMap<usize, Mesh>,
    scene: &mut Scene,
    reading: &mut Reading<'_>,
) -> Result<BTreeSet<usize>, ModelDefect> {
    let placed = BTreeSet::new();
    let mut walk = Walk { meshes, transform, scene, reading, left_out: BTreeSet::new(), placed };
    walk.below(root)?;
    for what in walk.left_out {
        walk.reading.defects.push(Defect::new(ModelDefect::LeftOut { what: what.into() }));
    }
    Ok(walk.placed)
}

/// An element whose children are being read.
struct Open<'d> {
    element: Element<'d>,
    children: Children<'d>,
    /// The transform outside of it.
    outside: Mat4,
}

struct Walk<'a, 'r> {
    meshes: &'a HashMap<usize, Mesh>,
    transform: Mat4,
    scene: &'a mut Scene,
    reading: &'a mut Reading<'r>,
    left_out: BTreeSet<&'static str>,
    /// Geometries that nodes place.
    placed: BTreeSet<usize>,
}

impl Walk<'_, '_> {
    fn below(&mut self, root: Element<'_>) -> Result<(), ModelDefect> {
        let mut open = vec![self.open(root)];
        while let Some(Open { element: parent, children, outside }) = open.last_mut() {
            let Some(element) = children.next() else {
                self.transform = *outside;
                open.pop();
                continue;
            };
            charge(self.reading.work, STEP)?;
            let parent = *parent;
            match element.name() {
                "node" => self.enter(element, parent, &mut open),
                "instance_node" => match element.named("url", "node") {
                    Ok(node) => self.enter(node, parent, &mut open),
                    Err(kind) => self.note(parent, kind),
                },
                "instance_geometry" => self.place(element, parent)?,
                "translate" | "rotate" | "scale" | "matrix" => match self.transform_of(element) {
                    Ok(transform) => self.transform = conditioned(self.transform * transform),
                    Err(over @ ModelDefect::OverLimit { .. }) => return Err(over),
                    Err(kind) => self.note(parent, kind),
                },
                "lookat" | "skew" => {
                    self.left_out.insert(element.name());
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn open<'d>(&self, element: Element<'d>) -> Open<'d> {
        Open { element, children: element.children(), outside: self.transform }
    }

    /// Enters a node, if it is not inside itself.
    fn enter<'d>(&mut self, node: Element<'d>, parent: Element<'d>, open: &mut Vec<Open<'d>>) {
        if open.iter().any(|outer| outer.element.number == node.number) {
            self.note(parent, ModelDefect::Unsupported { feature: "a node inside itself".into() });
        } else if open.len() >= self.reading.limits.xml_depth {
            self.note(parent, over_limit("nested nodes"));
        } else {
            open.push(self.open(node));
        }
    }

    fn note(&mut self, node: Element<'_>, kind: ModelDefect) {
        let name = node.attribute("name").or(node.attribute("id")).unwrap_or(node.name());
        note(self.reading, name, kind);
    }

    /// Places a geometry. One with a defect is already noted.
    fn place(&mut self, instance: Element<'_>, parent: Element<'_>) -> Result<(), ModelDefect> {
        let geometry = match instance.named("url", "geometry") {
            Ok(geometry) => geometry,
            Err(kind) => {
                self.note(parent, kind);
                return Ok(());
            }
        };
        self.placed.insert(geometry.number);
        let Some(mesh) = self.meshes.get(&geometry.number) else { return Ok(()) };
        if !self.transform.is_finite() {
            self.note(parent, ModelDefect::NotFinite);
            return Ok(());
        }
        if self.scene.nodes.len() >= self.reading.limits.parts {
            return Err(over_limit("parts"));
        }
        charge(self.reading.work, size(mesh))?;
        self.scene.nodes.push(Node {
            name: mesh.name.clone(),
            faces: mesh.faces.clone(),
            placement: self.transform.as_dmat4(),
            // The loader refuses such a scene. It has no other order for the triangles.
            is_mirrored: self.transform.determinant() < 0.0,
            ..Node::default()
        });
        Ok(())
    }

    fn transform_of(&mut self, element: Element<'_>) -> Result<Mat4, ModelDefect> {
        let (name, text, work) = (element.name(), element.text(), &mut *self.reading.work);
        Ok(match name {
            "translate" => Mat4::from_translation(Vec3::from_array(exactly(text, work)?)),
            "rotate" => {
                let [x, y, z, degrees] = exactly(text, work)?;
                rotation(Vec3::new(x, y, z), degrees)
            }
            "scale" => {
                let scale = Vec3::from_array(exactly(text, work)?);
                if scale.is_negative_bitmask() != 0 {
                    self.left_out.insert("the sign of a negative scale");
                }
                Mat4::from_scale(scale.abs())
            }
            _ => by_rows(&exactly(text, work)?),
        })
    }
}

/// Returns a rotation about an axis of any length (`LLQuaternion::LLQuaternion(F32, const LLVector3&)` and
/// `LLQuaternion::getMatrix3`).
fn rotation(axis: Vec3, degrees: f32) -> Mat4 {
    let length = axis.length();
    if length.is_nan() || length <= SHORTEST_AXIS {
        return Mat4::IDENTITY;
    }
    // Sine and cosine of single precision differ between systems.
    let (sine, cosine) = f64::from(degrees * RADIANS * 0.5).sin_cos();
    let [x, y, z] = (axis * (sine as f32 / length)).to_array();
    let w = cosine as f32;
    let columns = [
        Vec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)),
        Vec3::new(2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)),
        Vec3::new(2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)),
    ];
    let [x, y, z] = columns.map(|column| column.extend(0.0));
    Mat4::from_cols(x, y, z, Vec4::W)
}

/// Makes tiny coefficients zero, except those of the translation (`LLMatrix4::condition`).
fn conditioned(matrix: Mat4) -> Mat4 {
    let mut numbers = matrix.to_cols_array_2d();
    for column in &mut numbers[..3] {
        for number in &mut column[..3] {
            if number.abs() < f32::EPSILON {
                *number = 0.0;
            }
        }
    }
    Mat4::from_cols_array_2d(&numbers)
}
