//! The types of this module: kinds, representations, shape types.

use hullmark_format::object::Part;
use hullmark_util::named;

named! {
    /// Kind of physics shape, by the form and size of a part.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// A box, or small enough to be taken as one.
        Box = "box",
        /// A perfect sphere.
        Sphere = "sphere",
        /// A round cylinder.
        Cylinder = "cylinder",
        /// The convex hull of the part, because it is convex, small or thin.
        PrimConvex = "prim_convex",
        /// The convex hull of the part, because its shape type asks for it.
        UserConvex = "user_convex",
        /// The physics shape of the mesh asset.
        UserMesh = "user_mesh",
        /// The convex hull of a sculpt.
        Sculpt = "sculpt",
        PrimMesh = "prim_mesh",
        /// A flexible prim: nothing collides.
        Flexi = "flexi",
        /// A tree or grass.
        Tree = "tree",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Class {
    /// Kind of the physics shape.
    pub kind: Kind,
    pub reason: &'static str,
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Representation {
        None = "none",
        Box = "box",
        Sphere = "sphere",
        Cylinder = "cylinder",
        /// The base hull of the mesh asset (`BoundingVerts`).
        BaseHull = "base_hull",
        /// The hulls of the mesh asset's decomposition.
        Decomposition = "decomposition",
        /// The physics mesh of the mesh asset.
        TriangleMesh = "triangle_mesh",
        /// The convex hull of a prim's or sculpt's surface.
        SurfaceHull = "surface_hull",
        /// The triangles of a prim's surface.
        SurfaceMesh = "surface_mesh",
        /// It depends on a mesh asset that is missing, or on a block of it that is unreadable or empty.
        Unknown = "unknown",
        NotApplicable = "not_applicable",
    }
}

/// Whether the linkset is at rest or dynamic. Dynamic means physical, or non-physical and moving until it was still for
/// several frames (*Mesh/Mesh physics*).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Motion {
    Static,
    /// Physical or moving.
    Dynamic,
}

/// The physics shape type of a part after a simulator loaded it.
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
    /// Returns the shape type of a part.
    ///
    /// Without the element a part is Prim, even a mesh: this is the initial value of OpenSimulator's field. A number
    /// above 2 gives the default of the form: Convex for a mesh, else Prim. None on a root is kept, although no
    /// simulator lets a person set it.
    pub fn from_part(part: &Part) -> Self {
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
    use crate::physics_shape::tests::{mesh_part, prim};

    #[test]
    fn shape_types_that_are_absent_or_unheard_of() {
        let (mut part, mut mesh) = (prim(), mesh_part());
        assert_eq!(ShapeType::from_part(&part), ShapeType::Prim);
        (part.physics_shape_type, mesh.physics_shape_type) = (None, None);
        assert_eq!(
            (ShapeType::from_part(&part), ShapeType::from_part(&mesh)),
            (ShapeType::Prim, ShapeType::Prim)
        );
        (part.physics_shape_type, mesh.physics_shape_type) = (Some(9), Some(9));
        assert_eq!(
            (ShapeType::from_part(&part), ShapeType::from_part(&mesh)),
            (ShapeType::Prim, ShapeType::Convex)
        );
    }
}
