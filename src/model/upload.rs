//! The mesh assets and the linkset of an upload.

use crate::{
    Reading,
    asset::{self, Asset, Physics, Steps},
    faces::{self, MOST_FACES, SPLIT_AT},
    levels,
    names::Slot,
    over_limit,
    parts::{Level, Part},
    physics::{self, MOST_POINTS},
    scene::{Face, Node, Purpose, Skin},
    shape::Extent,
};
use glam::{DMat4, DQuat, DVec3, Mat4};
use hullmark_format::{
    defect::{Defect, ModelDefect},
    mesh::{self, LevelOrigin},
};
use hullmark_util::work::Stopped;
use std::collections::BTreeMap;

/// A level or physics model whose sides differ by more from those of the highest level is reported.
const STRETCH: f32 = 1.01;
/// Units of work for a corner of a triangle: to sort, simplify and pack it.
const CORNER: u64 = 256;

/// A part of the linkset, with its own mesh asset.
#[derive(Debug, Clone, PartialEq)]
pub struct UploadPart {
    /// Name in the file, without the suffix of a level.
    pub name: String,
    /// The mesh asset.
    pub asset: Vec<u8>,
    /// Size in metres.
    pub size: DVec3,
    /// Center in metres, in the axes of the grid.
    pub position: DVec3,
    pub rotation: DQuat,
    /// Physics shape type that the uploader sets: 0 prim, 1 none, 2 convex hull.
    pub shape_type: u8,
    /// Origin of each level, lowest first.
    pub origins: [LevelOrigin; 4],
    /// Smallest and largest number of bytes of the block of a generated level.
    pub generated: [Option<[u64; 2]>; 4],
    /// Names of the materials of its faces.
    pub materials: Vec<String>,
}

/// Builds the parts of the linkset. What departs from the model is noted.
pub(crate) fn build(parts: Vec<Part>, reading: &mut Reading<'_>) -> Vec<UploadPart> {
    let mut built = Vec::new();
    for part in parts {
        let name = part.name.clone();
        match Builder::new(part, reading) {
            Ok(Some(builder)) => built.extend(builder.meshes()),
            Ok(None) => {}
            Err(Stopped) => {
                reading.note_within(&name, Defect::new(over_limit("work")));
                break;
            }
        }
    }
    built
}

/// A part on its way to its meshes.
struct Builder {
    name: String,
    extent: Extent,
    placement: DMat4,
    /// Faces of the four levels, lowest first, in the order of the materials of the highest.
    levels: [Vec<Face>; 4],
    origins: [LevelOrigin; 4],
    physics: Physics,
    skin: Option<Skin>,
    is_older: bool,
    steps: Steps,
}

impl Builder {
    /// Builds the levels and the physics of a part. `None` if it has no triangles.
    fn new(part: Part, reading: &mut Reading<'_>) -> Result<Option<Self>, Stopped> {
        let Part { name, mut high, levels, physics } = part;
        let Some(extent) = Extent::of(&high.faces).filter(|_| high.triangles() > 0) else {
            reading.note_within(&name, Defect::new(ModelDefect::Empty));
            return Ok(None);
        };
        reading.work.charge(4 * 3 * high.triangles() as u64 * CORNER)?;
        if high.is_mirrored {
            reading.note_within(&name, Defect::new(ModelDefect::Mirrored));
        }
        let plain = high.faces.iter().filter(|face| !has_texture_coordinates(face)).count();
        if plain > 0 {
            let defect = Defect::new(ModelDefect::NoTextureCoordinates).measured(plain as f64);
            reading.note_within(&name, defect.limit(high.faces.len() as f64));
        }
        let (placement, is_older) = (high.placement, high.is_older);
        let steps = if high.purpose.is_some() { Steps::Rounded } else { Steps::Cut };
        let skin = skin(&mut high, &name, reading);
        extent.normalize(&mut high.faces);
        let mut highest = split(std::mem::take(&mut high.faces), &name, reading);
        faces::sort(&mut highest);
        let mut built: [Vec<Face>; 4] = Default::default();
        let mut origins = [LevelOrigin::File; 4];
        built[3] = highest;
        for (level, given) in levels.into_iter().enumerate().rev() {
            (built[level], origins[level]) = match given {
                Some(Level::Node(node)) => {
                    let place = format!("{name}{}", Slot::Level(level).suffix());
                    (fitted(*node, &extent, &built[3], &skin, &place, reading)?, LevelOrigin::File)
                }
                Some(Level::Above) => (built[level + 1].clone(), LevelOrigin::Above),
                None => (levels::coarser(&built[3], level), LevelOrigin::Generated),
            };
        }
        let physics = of_physics(physics, &extent, &built, origins[1], &name, reading)?;
        let meshes = built[3].len().div_ceil(MOST_FACES);
        if meshes > 1 {
            let defect = Defect::new(ModelDefect::ManyFaces { meshes: meshes as u64 });
            reading.note_within(&name, defect.measured(built[3].len() as f64).limit(MOST_FACES as f64));
        }
        Ok(Some(Self { name, extent, placement, levels: built, origins, physics, skin, is_older, steps }))
    }

    /// Returns a mesh for each eight faces. The first one has the physics model
    /// (`llgltfloader.cpp` `addModelToScene`).
    fn meshes(&self) -> Vec<UploadPart> {
        let count = self.levels[3].len().div_ceil(MOST_FACES);
        (0..count).map(|number| self.mesh(number)).collect()
    }

    fn mesh(&self, number: usize) -> UploadPart {
        let faces = |level: usize| {
            let faces = &self.levels[level];
            let start = (number * MOST_FACES).min(faces.len());
            &faces[start..(start + MOST_FACES).min(faces.len())]
        };
        let is_first = number == 0;
        let physics = if is_first {
            self.physics.clone()
        } else {
            Physics { base: self.physics.base.clone(), ..Physics::default() }
        };
        let shape_type = match (is_first, physics.has_model()) {
            (false, _) => 1,
            (true, true) => 0,
            (true, false) => 2,
        };
        let (asset, sizes) = asset::write(&Asset {
            levels: std::array::from_fn(faces),
            size: (!self.is_older).then_some(self.extent.size),
            steps: self.steps,
            physics,
            skin: self.skin.as_ref(),
        });
        let place = self.placement * DMat4::from_translation(self.extent.center.as_dvec3());
        let (scale, rotation, position) = place.to_scale_rotation_translation();
        UploadPart {
            name: match char::from_digit(number as u32 + 10, 36).filter(|_| !is_first) {
                Some(letter) => format!("{}{letter}", self.name),
                None if is_first => self.name.clone(),
                None => format!("{}_{number}", self.name),
            },
            size: self.extent.size.as_dvec3() * scale.abs(),
            position,
            rotation,
            shape_type,
            origins: self.origins,
            generated: generated(sizes, self.origins),
            materials: faces(3).iter().map(|face| face.material.clone()).collect(),
            asset,
        }
    }
}

/// Returns the range of bytes of generated levels.
fn generated(sizes: [u64; 4], origins: [LevelOrigin; 4]) -> [Option<[u64; 2]>; 4] {
    std::array::from_fn(|level| {
        let bytes = sizes[level] as f64;
        let above = sizes.get(level + 1).map_or(f64::INFINITY, |&above| above as f64);
        let range = [bytes / levels::BELOW, (bytes * levels::ABOVE).min(above).max(bytes)];
        (origins[level] == LevelOrigin::Generated).then(|| range.map(|bytes| bytes as u64))
    })
}

fn has_texture_coordinates(face: &Face) -> bool {
    let first = face.vertices.first().map(|vertex| vertex.uv);
    face.vertices.iter().any(|vertex| Some(vertex.uv) != first)
}

/// Splits faces with too many vertices.
fn split(given: Vec<Face>, name: &str, reading: &mut Reading<'_>) -> Vec<Face> {
    let mut all = Vec::with_capacity(given.len());
    for face in given {
        let vertices = face.vertices.len();
        let pieces = faces::split(face);
        if pieces.len() > 1 {
            let defect = Defect::new(ModelDefect::FaceSplit { faces: pieces.len() as u64 });
            reading.note_within(name, defect.measured(vertices as f64).limit(SPLIT_AT as f64));
        }
        all.extend(pieces);
    }
    all
}

/// Returns the faces of a level in the box and in the order of the highest level.
fn fitted(
    mut node: Node,
    high: &Extent,
    highest: &[Face],
    skin: &Option<Skin>,
    place: &str,
    reading: &mut Reading<'_>,
) -> Result<Vec<Face>, Stopped> {
    reading.work.charge(3 * node.triangles() as u64 * CORNER)?;
    if skin.is_some() {
        self::skin(&mut node, place, reading);
    }
    stretch(&mut node, high, place, reading);
    let (faces, strange) = faces::match_materials(split(node.faces, place, reading), highest);
    if let Some(first) = strange {
        reading.note_within(place, Defect::new(ModelDefect::OtherMaterials { first }));
    }
    Ok(faces)
}

/// Stretches a node into the box of the highest level, as the uploader does. One that `inspect --glb` wrote keeps its
/// place in that box.
fn stretch(node: &mut Node, high: &Extent, place: &str, reading: &mut Reading<'_>) {
    let Some(extent) = Extent::of(&node.faces) else { return };
    if node.purpose.is_some() {
        high.normalize(&mut node.faces);
        return;
    }
    let ratio = physics::stretch(&extent, high);
    if !(1.0 / STRETCH..=STRETCH).contains(&ratio) {
        let defect = Defect::new(ModelDefect::Stretched).measured(f64::from(ratio));
        reading.note_within(place, defect.limit(1.0));
    }
    extent.normalize(&mut node.faces);
}

/// Returns the physics of a part: of its physics model, or the base hull of its low level, which has this origin.
fn of_physics(
    model: Option<Node>,
    high: &Extent,
    levels: &[Vec<Face>; 4],
    origin: LevelOrigin,
    name: &str,
    reading: &mut Reading<'_>,
) -> Result<Physics, Stopped> {
    let place = format!("{name}{}", Slot::Physics.suffix());
    let Some(mut node) = model.filter(|node| node.purpose == Some(Purpose::Hulls) || node.triangles() > 0)
    else {
        let (mut base, is_solid) = physics::base_hull(&levels[1], reading.work)?;
        // Another generator may well keep a solid where this one makes it flat.
        if !is_solid && origin == LevelOrigin::Generated {
            (base, _) = physics::base_hull(&levels[3], reading.work)?;
        }
        return Ok(Physics { base, ..Physics::default() });
    };
    stretch(&mut node, high, &place, reading);
    let (base, is_solid) = physics::base_hull(&node.faces, reading.work)?;
    if !is_solid {
        reading.note_within(&place, Defect::new(ModelDefect::FlatPhysics));
    }
    let hulls = match node.purpose {
        Some(Purpose::Hulls) => physics::as_hulls(&node.faces),
        Some(_) => Vec::new(),
        None => match physics::hulls(&node.faces, reading.work)? {
            Ok(hulls) => hulls,
            Err(hindrances) => {
                if hindrances.open > 0 {
                    reading
                        .note_within(&place, Defect::new(ModelDefect::OpenPiece).measured(hindrances.open));
                }
                if let Some(most) = hindrances.most_vertices {
                    let defect = Defect::new(ModelDefect::PieceTooFine).measured(most);
                    reading.note_within(&place, defect.limit(MOST_POINTS as f64));
                }
                Vec::new()
            }
        },
    };
    let triangles = if hulls.is_empty() { node.faces } else { Vec::new() };
    Ok(Physics { base, hulls, triangles })
}

/// Keeps the joints that viewers have, and normalizes the weights. `None` if no joint is left.
fn skin(node: &mut Node, name: &str, reading: &mut Reading<'_>) -> Option<Skin> {
    let skin = node.skin.take()?;
    let known: Vec<bool> = skin.joints.iter().map(|joint| mesh::is_joint(joint)).collect();
    let dropped = known.iter().filter(|known| !**known).count();
    if let Some(first) = skin.joints.iter().zip(&known).find_map(|(joint, known)| (!known).then_some(joint)) {
        let kind = ModelDefect::JointsDropped { first: first.chars().take(64).collect() };
        let defect = Defect::new(kind).measured(dropped as f64);
        reading.note_within(name, defect.limit(skin.joints.len() as f64));
    }
    let numbers: BTreeMap<u16, u16> = (0..u16::MAX)
        .zip(&known)
        .filter(|(_, known)| **known)
        .zip(0..u16::MAX)
        .map(|((old, _), new)| (old, new))
        .collect();
    for influences in node.faces.iter_mut().flat_map(|face| &mut face.influences) {
        influences.retain_mut(|(joint, _)| match numbers.get(joint) {
            Some(number) => {
                *joint = *number;
                true
            }
            None => false,
        });
        let total: f32 = influences.iter().map(|(_, weight)| weight).sum();
        if total > 0.0 {
            influences.iter_mut().for_each(|(_, weight)| *weight /= total);
        }
    }
    let kept = |at: &usize| known[*at];
    let joints: Vec<String> = (0..known.len()).filter(kept).map(|at| skin.joints[at].clone()).collect();
    let inverse_bind: Vec<Mat4> = (0..known.len())
        .filter(kept)
        .map(|at| skin.inverse_bind.get(at).copied().unwrap_or(Mat4::IDENTITY))
        .collect();
    (!joints.is_empty()).then_some(Skin { joints, inverse_bind, bind_shape: skin.bind_shape })
}
