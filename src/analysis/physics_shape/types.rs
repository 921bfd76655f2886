//! The words of this room: kinds, representations, shape types.

use crate::format::object::Part;
use std::fmt;

/// What kind of physics shape the form and size of a part make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A box, or small enough to be taken as one.
    Box,
    /// A perfect sphere.
    Sphere,
    /// A round cylinder.
    Cylinder,
    /// The convex hull of the part, because it is convex, small or thin.
    PrimConvex,
    /// The convex hull of the part, because its shape type asks for it.
    UserConvex,
    /// What the mesh asset has for physics.
    UserMesh,
    /// The convex hull of a sculpt.
    Sculpt,
    /// The triangles of the prim.
    PrimMesh,
    /// A flexible prim: nothing collides.
    Flexi,
    /// A tree or grass.
    Tree,
}

impl Kind {
    /// All kinds, in the order of the enum.
    #[cfg(test)]
    pub const ALL: [Self; 10] = [
        Self::Box,
        Self::Sphere,
        Self::Cylinder,
        Self::PrimConvex,
        Self::UserConvex,
        Self::UserMesh,
        Self::Sculpt,
        Self::PrimMesh,
        Self::Flexi,
        Self::Tree,
    ];

    /// The name used in reports; it does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::Box => "box",
            Self::Sphere => "sphere",
            Self::Cylinder => "cylinder",
            Self::PrimConvex => "prim_convex",
            Self::UserConvex => "user_convex",
            Self::UserMesh => "user_mesh",
            Self::Sculpt => "sculpt",
            Self::PrimMesh => "prim_mesh",
            Self::Flexi => "flexi",
            Self::Tree => "tree",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A kind with the clause that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// The kind.
    pub kind: Kind,
    /// Why, in words for a person.
    pub reason: &'static str,
}

/// What collides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Representation {
    /// Nothing.
    None,
    /// A box.
    Box,
    /// A sphere.
    Sphere,
    /// A cylinder.
    Cylinder,
    /// The base hull of the mesh asset (`BoundingVerts`).
    BaseHull,
    /// The hulls of the mesh asset's decomposition.
    Decomposition,
    /// The physics mesh of the mesh asset.
    TriangleMesh,
    /// The convex hull of a prim's or sculpt's surface.
    SurfaceHull,
    /// The triangles of a prim's surface.
    SurfaceMesh,
    /// It depends on a mesh asset that is missing, or on a block of it that is unreadable or empty.
    Unknown,
    /// Trees and grass.
    NotApplicable,
}

impl Representation {
    /// The name used in reports; it does not change.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Box => "box",
            Self::Sphere => "sphere",
            Self::Cylinder => "cylinder",
            Self::BaseHull => "base_hull",
            Self::Decomposition => "decomposition",
            Self::TriangleMesh => "triangle_mesh",
            Self::SurfaceHull => "surface_hull",
            Self::SurfaceMesh => "surface_mesh",
            Self::Unknown => "unknown",
            Self::NotApplicable => "not_applicable",
        }
    }
}

impl fmt::Display for Representation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Whether the linkset is at rest or dynamic: physical, or non-physical and moving until it has been still for
/// several frames (*Mesh/Mesh physics*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Motion {
    /// At rest.
    Static,
    /// Physical or moving.
    Dynamic,
}

/// The physics shape type that a simulator reads back from a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShapeType {
    /// 0: the part's own form.
    Prim,
    /// 1: nothing collides.
    None,
    /// 2: one convex hull.
    Convex,
}

impl ShapeType {
    /// The shape type of a part. A part without the element is Prim, meshes too, as OpenSimulator's field
    /// initialiser has it; a number above 2 is the default of the form: Convex for a mesh, else Prim. None on
    /// a root is kept, although no simulator lets a person set it.
    pub fn of(part: &Part) -> Self {
        match part.physics_shape_type {
            None | Some(0) => Self::Prim,
            Some(1) => Self::None,
            Some(2) => Self::Convex,
            Some(_) if part.mesh().is_some() => Self::Convex,
            Some(_) => Self::Prim,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::physics_shape::tests::{mesh_part, prim};

    #[test]
    fn shape_types_that_are_absent_or_unheard_of() {
        let (mut part, mut mesh) = (prim(), mesh_part());
        assert_eq!(ShapeType::of(&part), ShapeType::Prim);
        (part.physics_shape_type, mesh.physics_shape_type) = (None, None);
        assert_eq!((ShapeType::of(&part), ShapeType::of(&mesh)), (ShapeType::Prim, ShapeType::Prim));
        (part.physics_shape_type, mesh.physics_shape_type) = (Some(9), Some(9));
        assert_eq!((ShapeType::of(&part), ShapeType::of(&mesh)), (ShapeType::Prim, ShapeType::Convex));
    }

    #[test]
    fn names_are_those_of_the_reports() {
        let names = Kind::ALL.map(Kind::name).join(" ");
        assert_eq!(
            names,
            "box sphere cylinder prim_convex user_convex user_mesh sculpt prim_mesh flexi tree"
        );
    }
}
