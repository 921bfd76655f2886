//! The faces of a geometry, from its triangles, polylists and polygons.

use super::{
    corners::{Corners, Sharing},
    document::Element,
    note,
    source::Sources,
    text::{integers, short},
};
use crate::{
    Reading, charge,
    scene::{Face, Vertex},
};
use glam::{Vec2, Vec3};
use hullmark_format::defect::{Defect, ModelDefect};
use std::{collections::BTreeSet, rc::Rc};

/// Units of work for a corner of a polygon.
const CORNER: u64 = 64;

/// Units of work for an input of an element.
const INPUT: u64 = 32;

/// Vertices of a face of triangles, after which the loader begins another.
const FULL_OF_VERTICES: usize = 65_532;
/// Indices of a face of a polylist, after which the loader begins another.
const FULL_OF_INDICES: usize = 65_532;
/// Vertices of a face of a polylist at which the loader gives up.
const TOO_MANY_VERTICES: usize = 65_535;
/// Vertices of a face of polygons that 16-bit indices can name.
const MOST_VERTICES: usize = 65_536;

/// A geometry that can be placed in the scene.
pub(super) struct Mesh {
    pub(super) name: String,
    pub(super) faces: Vec<Face>,
    /// Positions of its `<vertices>`, to which the weights of skins belong.
    pub(super) positions: Rc<[f32]>,
}

/// Reads a geometry. `None` if it has a defect, which is noted.
///
/// The order of faces is that of `LLDAELoader::addVolumeFacesFromDomMesh`: all triangles, all polylists, all polygons.
/// The box of a face in the viewer also contains the first position of the list, even if no corner has it. This reader
/// leaves that position out.
///
/// # Errors [`ModelDefect::OverLimit`].
pub(super) fn mesh(
    geometry: Element<'_>,
    sources: &mut Sources,
    reading: &mut Reading<'_>,
) -> Result<Option<Mesh>, ModelDefect> {
    let name = name(geometry);
    let Some(mesh) = geometry.child("mesh") else {
        for other in geometry.children().filter(|child| child.name() != "asset") {
            note(reading, &name, ModelDefect::Unsupported { feature: other.name().into() });
        }
        return Ok(None);
    };
    let mut reader = MeshReader { name: &name, sources, reading, lost: BTreeSet::new(), faces: Vec::new() };
    let read = reader.read(mesh);
    let (lost, faces) = (reader.lost, reader.faces);
    for what in lost {
        note(reading, &name, ModelDefect::LeftOut { what: what.into() });
    }
    match read {
        Ok(positions) if !faces.is_empty() => Ok(Some(Mesh { name, faces, positions })),
        Ok(_) => Ok(None),
        Err(over @ ModelDefect::OverLimit { .. }) => Err(over),
        Err(kind) => {
            note(reading, &name, kind);
            Ok(None)
        }
    }
}

/// Returns the name of a geometry: its name, or its `id` (`LLDAELoader::getElementLabel` of its mesh). If the mesh is not
/// the first child, its position among them follows, before the suffix of a level (`LLDAELoader::getSuffixPosition`).
pub(super) fn name(geometry: Element<'_>) -> String {
    let mut name = geometry.attribute("name").or(geometry.attribute("id")).unwrap_or("mesh").to_owned();
    let position = geometry.children().position(|child| child.name() == "mesh").unwrap_or(0);
    if position > 0 {
        let is_level = name.contains("_LOD") || name.contains("_PHYS");
        let end = name.rfind('_').filter(|_| is_level).unwrap_or(name.len());
        name.insert_str(end, &format!("_{position}"));
    }
    name
}

struct MeshReader<'a, 'r> {
    name: &'a str,
    sources: &'a mut Sources,
    reading: &'a mut Reading<'r>,
    /// Parts of corners that are left out.
    lost: BTreeSet<&'static str>,
    faces: Vec<Face>,
}

impl MeshReader<'_, '_> {
    /// Reads all faces, and returns the positions.
    fn read(&mut self, mesh: Element<'_>) -> Result<Rc<[f32]>, ModelDefect> {
        for other in mesh.children() {
            match other.name() {
                "lines" | "linestrips" => self.note(ModelDefect::NotTriangles { mode: other.name().into() }),
                "tristrips" | "trifans" => {
                    self.note(ModelDefect::Unsupported { feature: other.name().into() });
                }
                _ => {}
            }
        }
        let of_name = |name: &'static str| mesh.children().filter(move |child| child.name() == name);
        for triangles in of_name("triangles") {
            self.triangles(triangles)?;
        }
        for polylist in of_name("polylist") {
            self.polylist(polylist)?;
        }
        for polygons in of_name("polygons") {
            self.polygons(polygons)?;
        }
        let vertices = mesh.child("vertices");
        let position = vertices.and_then(|vertices| input(vertices, "POSITION"));
        position.map_or(Ok(Rc::default()), |input| self.sources.of(input, self.reading.work))
    }

    fn note(&mut self, kind: ModelDefect) {
        note(self.reading, self.name, kind);
    }

    /// Reads triangles (`load_face_from_dom_triangles`). A triangle has no vertex twice: a copy is added.
    fn triangles(&mut self, triangles: Element<'_>) -> Result<(), ModelDefect> {
        let Some(p) = triangles.child("p") else { return Ok(()) };
        let inputs = self.inputs(triangles)?;
        let indices = self.indices(p, inputs.stride)?;
        let material = triangles.attribute("material").unwrap_or_default();
        let mut corners = Corners::new(Sharing::Near);
        let mut faces = Vec::new();
        for tuple in indices.chunks(inputs.stride) {
            let corner = inputs.vertex(tuple, &mut self.lost)?;
            let found = corners.find(&corner, self.reading.work)?;
            let begun = corners.indices.len() % 3;
            let triangle = &corners.indices[corners.indices.len() - begun..];
            let shared = found.filter(|number| !triangle.contains(number));
            let number = shared.unwrap_or_else(|| corners.add(corner));
            corners.indices.push(number);
            if corners.indices.len().is_multiple_of(3) && corners.vertices.len() >= FULL_OF_VERTICES {
                faces.push(corners.finish(material)?);
            }
        }
        self.add(faces, corners, material)
    }

    /// Reads polygons of any numbers of corners as fans (`load_face_from_dom_polylist`).
    fn polylist(&mut self, polylist: Element<'_>) -> Result<(), ModelDefect> {
        let Some(p) = polylist.child("p").filter(|p| !p.text().is_empty()) else { return Ok(()) };
        let inputs = self.inputs(polylist)?;
        let indices = self.indices(p, inputs.stride)?;
        let counts = polylist.child("vcount").map_or("", Element::text);
        let counts = integers(counts, self.reading.work)?;
        let material = polylist.attribute("material").unwrap_or_default();
        let mut tuples = indices.chunks_exact(inputs.stride);
        let mut corners = Corners::new(Sharing::Near);
        let mut faces = Vec::new();
        for count in counts {
            let (mut first, mut last) = (0, 0);
            for at in 0..u32::try_from(count).map_err(|_| ModelDefect::IndicesOutside)? {
                let tuple = tuples.next().ok_or(ModelDefect::IndicesOutside)?;
                let number = corners.share(inputs.vertex(tuple, &mut self.lost)?, self.reading.work)?;
                if corners.vertices.len() >= TOO_MANY_VERTICES {
                    return Err(too_many_vertices());
                }
                match at {
                    0 => first = number,
                    1 => last = number,
                    _ => {
                        corners.indices.extend([first, last, number]);
                        last = number;
                    }
                }
                // Inside a polygon, the loader goes on with two numbers of the face before.
                if corners.indices.len() >= FULL_OF_INDICES {
                    faces.push(corners.finish(material)?);
                }
            }
        }
        self.add(faces, corners, material)
    }

    /// Reads polygons with a list each, as fans (`load_face_from_dom_polygons`).
    fn polygons(&mut self, polygons: Element<'_>) -> Result<(), ModelDefect> {
        if polygons.child("ph").is_some() {
            self.note(ModelDefect::Unsupported { feature: "polygons with holes".into() });
        }
        let mut lists = polygons.children().filter(|child| child.name() == "p").peekable();
        if lists.peek().is_none() {
            return Ok(());
        }
        let inputs = self.inputs(polygons)?;
        let material = polygons.attribute("material").unwrap_or_default();
        let mut corners = Corners::new(Sharing::Equal);
        for p in lists {
            let indices = self.indices(p, inputs.stride)?;
            for (at, tuple) in indices.chunks_exact(inputs.stride).enumerate() {
                let number = corners.share(inputs.vertex(tuple, &mut self.lost)?, self.reading.work)?;
                if at > 2 {
                    let [first, _, last] = corners.indices.last_chunk().copied().unwrap_or_default();
                    corners.indices.extend([first, last]);
                }
                corners.indices.push(number);
            }
        }
        if corners.vertices.len() > MOST_VERTICES {
            return Err(too_many_vertices());
        }
        self.add(Vec::new(), corners, material)
    }

    /// Adds the faces of an element. The last one is not finished.
    fn add(&mut self, mut faces: Vec<Face>, mut last: Corners, material: &str) -> Result<(), ModelDefect> {
        if !last.vertices.is_empty() {
            faces.push(last.finish(material)?);
        }
        if faces.len() > 1 {
            let vertices: usize = faces.iter().map(|face| face.vertices.len()).sum();
            let defect = Defect::new(ModelDefect::FaceSplit { faces: faces.len() as u64 });
            self.reading.note_within(self.name, defect.measured(vertices as f64));
        }
        self.faces.append(&mut faces);
        Ok(())
    }

    fn indices(&mut self, p: Element<'_>, stride: usize) -> Result<Vec<i32>, ModelDefect> {
        let indices = integers(p.text(), self.reading.work)?;
        charge(self.reading.work, indices.len().div_ceil(stride) as u64 * CORNER)?;
        Ok(indices)
    }

    /// Finds the lists to which the indices of an element refer (`get_dom_sources`). The last of several counts.
    fn inputs(&mut self, element: Element<'_>) -> Result<Inputs, ModelDefect> {
        let is_polygons = element.name() == "polygons";
        let (mut stride, mut positions, mut normals, mut uvs) = (0, None, None, None);
        for input in element.children().filter(|child| child.name() == "input") {
            charge(self.reading.work, INPUT)?;
            let offset = offset(input)?;
            stride = stride.max(offset + 1);
            match input.attribute("semantic") {
                Some("VERTEX") => {
                    for input in input.named("source", "vertices")?.children() {
                        charge(self.reading.work, INPUT)?;
                        match input.attribute("semantic") {
                            Some("POSITION") => {
                                let values = self.sources.of(input, self.reading.work)?;
                                positions = Some(Channel { offset, values });
                            }
                            Some("NORMAL") if !is_polygons => normals = self.channel(offset, input)?,
                            _ => {}
                        }
                    }
                }
                Some("NORMAL") => normals = self.channel(offset, input)?,
                Some("TEXCOORD") if !is_polygons || is_first_set(input) => {
                    uvs = self.channel(offset, input)?;
                }
                _ => {}
            }
        }
        let positions = positions.filter(|positions| !positions.values.is_empty());
        let Some(positions) = positions else {
            return Err(ModelDefect::Unreadable { why: format!("{} without positions", element.name()) });
        };
        Ok(Inputs { stride, positions, normals, uvs })
    }

    /// Finds an optional list. Without it, corners have no such attribute.
    fn channel(&mut self, offset: usize, input: Element<'_>) -> Result<Option<Channel>, ModelDefect> {
        match self.sources.of(input, self.reading.work) {
            Ok(values) => Ok(Some(Channel { offset, values })),
            Err(over @ ModelDefect::OverLimit { .. }) => Err(over),
            Err(kind) => {
                self.note(kind);
                Ok(None)
            }
        }
    }
}

/// Returns the first input with this semantic.
pub(super) fn input<'d>(element: Element<'d>, semantic: &str) -> Option<Element<'d>> {
    let mut inputs = element.children().filter(|child| child.name() == "input");
    inputs.find(|input| input.attribute("semantic") == Some(semantic))
}

fn offset(input: Element<'_>) -> Result<usize, ModelDefect> {
    let written = input.attribute("offset").unwrap_or("0");
    let why = || format!("the offset {} of an input", short(written));
    let offset: u16 = written.trim().parse().map_err(|_| ModelDefect::Unreadable { why: why() })?;
    Ok(offset.into())
}

/// Polygons have the texture coordinates of set 0. For the others, the loader takes the last ones.
fn is_first_set(input: Element<'_>) -> bool {
    input.attribute("set").is_none_or(|set| set.trim().parse() == Ok(0))
}

fn too_many_vertices() -> ModelDefect {
    ModelDefect::Unsupported { feature: "faces of 65,535 vertices".into() }
}

/// The lists of an element, and the number of indices for a corner.
struct Inputs {
    stride: usize,
    positions: Channel,
    normals: Option<Channel>,
    uvs: Option<Channel>,
}

/// A list, and the place of its index among those of a corner.
struct Channel {
    offset: usize,
    values: Rc<[f32]>,
}

impl Channel {
    /// Returns the `N` numbers of a corner.
    fn at<const N: usize>(&self, tuple: &[i32]) -> Option<[f32; N]> {
        let index = usize::try_from(*tuple.get(self.offset)?).ok()?;
        self.values.as_chunks::<N>().0.get(index).copied()
    }
}

impl Inputs {
    /// Returns the vertex of a corner. Normals and texture coordinates outside their list are zero. The loader checks
    /// some of them, and reads beyond the list for the others.
    ///
    /// # Errors [`ModelDefect::IndicesOutside`], [`ModelDefect::NotFinite`] of positions and normals.
    fn vertex(&self, tuple: &[i32], lost: &mut BTreeSet<&'static str>) -> Result<Vertex, ModelDefect> {
        let position = self.positions.at(tuple).map(Vec3::from_array).ok_or(ModelDefect::IndicesOutside)?;
        let normal = self.normals.as_ref().map(|normals| {
            normals.at(tuple).unwrap_or_else(|| {
                lost.insert("normals outside their list");
                [0.0; 3]
            })
        });
        let uv = self.uvs.as_ref().map(|uvs| match uvs.at(tuple).map(Vec2::from_array) {
            Some(uv) if uv.is_finite() => uv,
            Some(_) => {
                lost.insert("texture coordinates that are not finite");
                Vec2::ZERO
            }
            None => {
                lost.insert("texture coordinates outside their list");
                Vec2::ZERO
            }
        });
        let normal = normal.map(Vec3::from_array).unwrap_or_default();
        if !(position.is_finite() && normal.is_finite()) {
            return Err(ModelDefect::NotFinite);
        }
        Ok(Vertex { position, normal, uv: uv.unwrap_or_default() })
    }
}
