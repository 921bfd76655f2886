//! A model file as its loader in the viewer sees it, in any format.
//!
//! Lengths are metres, and up is Z. Readers convert units and axes. Numbers are `f32`, as in the viewer, because the
//! rounding of positions decides the bytes of the asset.

use glam::{DMat4, Mat4, Vec2, Vec3};

/// The parts of a model file, in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scene {
    pub(crate) nodes: Vec<Node>,
}

/// A node with geometry. One of several that share it has a copy.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Node {
    /// The name in the file. It may end in the suffix of a level. Readers name a node without a name by its number.
    pub(crate) name: String,
    /// The purpose that `inspect --glb` noted; `None` in files of other programs.
    pub(crate) purpose: Option<Purpose>,
    /// Whether an uploader from before 2023 made the mesh that was written to this file.
    pub(crate) is_older: bool,
    /// Faces in the order of the file. Each has one material.
    pub(crate) faces: Vec<Face>,
    /// Place of the geometry in the scene. A loader that moves the vertices themselves leaves the identity.
    pub(crate) placement: DMat4,
    /// The joints to which the weights of the vertices refer.
    pub(crate) skin: Option<Skin>,
    /// Whether a mirror keeps the loader from placing it. The one of glTF turns the triangles of mirrored nodes over.
    pub(crate) is_mirrored: bool,
}

/// A purpose that cannot be seen from names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Physics: a hull for each face, with all its points.
    Hulls,
    /// Physics: a triangle mesh, even if its pieces are convex.
    Triangles,
    /// The base hull. The uploader computes it anew.
    BaseHull,
    /// A level of detail that keeps its place in the box of the highest one.
    Level,
}

/// Triangles with one material.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Face {
    /// Name of the material.
    pub(crate) material: String,
    pub(crate) vertices: Vec<Vertex>,
    /// Influences of joints on each vertex, at most four; empty without a skin.
    pub(crate) influences: Vec<Influences>,
    /// The domain of its positions that `inspect --glb` noted.
    pub(crate) domain: Option<[Vec3; 2]>,
    /// Indices of vertices, counter-clockwise from outside. All are within the vertices.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// Pairs of the index of a joint in [`Skin::joints`] and its weight.
pub(crate) type Influences = Vec<(u16, f32)>;

/// A vertex with its attributes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Vertex {
    pub(crate) position: Vec3,
    /// Of length 1, or zero where the file has no direction.
    pub(crate) normal: Vec3,
    /// Texture coordinates. v grows upwards.
    pub(crate) uv: Vec2,
}

/// The joints of a rigged node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Skin {
    /// Names in the file.
    pub(crate) joints: Vec<String>,
    /// Inverse bind matrices, one for each joint.
    pub(crate) inverse_bind: Vec<Mat4>,
    /// The matrix that moves the geometry to the joints; the identity in glTF.
    pub(crate) bind_shape: Mat4,
}

impl Node {
    /// Returns the number of its triangles.
    pub(crate) fn triangles(&self) -> usize {
        self.faces.iter().map(|face| face.triangles.len()).sum()
    }
}
