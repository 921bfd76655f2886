//! The physics shape in Second Life. Viewer and simulator share the decision (`llphysicsshapebuilderutil.cpp`,
//! `determinePhysicsShape`). The simulator decides what collides for a mesh (*Mesh/Mesh physics*).

use super::{
    Class, Kind, Motion, Representation, ShapeType,
    blocks::{decomposition_hulls, triangles_or},
    convex::is_convex,
    is_flexible, is_plant,
    size::Form,
};
use hullmark_format::object::Part;
use hullmark_geometry::curve;
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::Profile;

/// Returns the kind of physics shape for a form, size and shape type, with its reason.
///
/// The class is that of the form: a part whose shape type is None has one too. Trees, grass and flexible prims come
/// first, because they have no volume that collides. A glTF sculpt (type 6) is a sculpt, as in the viewer.
pub fn classify(part: &Part, mesh: Option<&MeshFacts>, profile: &Profile) -> Class {
    let class = |kind, reason| Class { kind, reason };
    if part.is_unread() {
        return class(Kind::UserMesh, "rows of the database were not read that may have its form");
    }
    if part.placeholder {
        // Mostly it is one for a mesh, and a missing mesh has this class.
        return class(Kind::UserMesh, "it is a placeholder of a mesh, or of a part that may not be exported");
    }
    if is_plant(part) {
        return class(Kind::Tree, "a tree or grass has no physics shape");
    }
    if is_flexible(part) {
        return class(Kind::Flexi, "its path is flexible, and flexible prims do not collide");
    }
    let form = Form::new(part);
    if let Some(class) = form.implicit() {
        return class;
    }
    if form.small == 3 {
        return class(Kind::Box, "all sides are under 0.2 m");
    }
    if form.small == 2 && form.path_whole && form.profile_whole && form.shape.path_curve == curve::LINE {
        return class(Kind::Box, "two sides are under 0.2 m and its straight path and its profile are whole");
    }
    if ShapeType::from_part(part) == ShapeType::Convex {
        return class(Kind::UserConvex, "its shape type is Convex Hull");
    }
    if is_convex(form.shape) {
        return class(Kind::PrimConvex, "its form is convex");
    }
    if form.small > 1 {
        return class(Kind::PrimConvex, "two sides are under 0.2 m");
    }
    if part.mesh().is_some() {
        return classify_mesh(part, mesh, profile.physics.convex_below_m);
    }
    if part.shape.sculpted().is_some() {
        return class(Kind::Sculpt, "a sculpt collides as the hull of its surface");
    }
    class(Kind::PrimMesh, "its form is hollow, cut, twisted or curved, so its triangles collide")
}

/// Classifies meshes, which is the last clause.
///
/// The viewer's code makes every small mesh convex. The server excludes meshes with a decomposition
/// (secondlife/jira-archive 2079). A missing mesh may have one, so it has the class of a mesh with one, and its
/// representation is unknown.
fn classify_mesh(part: &Part, mesh: Option<&MeshFacts>, convex_below_m: f64) -> Class {
    let thin = part.scale.min_element() < convex_below_m;
    if thin && mesh.is_some_and(|mesh| decomposition_hulls(mesh) == Some(0)) {
        let reason = "it is a mesh without decomposition and with a side under the limit (0.5 m)";
        return Class { kind: Kind::PrimConvex, reason };
    }
    Class { kind: Kind::UserMesh, reason: "it is a mesh" }
}

/// Returns the shape that collides for a part that has a volume and may collide.
pub(super) fn representation(
    part: &Part,
    mesh: Option<&MeshFacts>,
    motion: Motion,
    profile: &Profile,
) -> Representation {
    let is_mesh = part.mesh().is_some();
    match classify(part, mesh, profile).kind {
        Kind::Box => Representation::Box,
        Kind::Sphere => Representation::Sphere,
        Kind::Cylinder => Representation::Cylinder,
        Kind::PrimConvex | Kind::UserConvex if is_mesh => Representation::BaseHull,
        Kind::PrimConvex | Kind::UserConvex | Kind::Sculpt => Representation::SurfaceHull,
        Kind::UserMesh => user_mesh(mesh, motion),
        Kind::PrimMesh => Representation::SurfaceMesh,
        Kind::Flexi => Representation::None,
        Kind::Tree => Representation::NotApplicable,
    }
}

/// Returns the shape of a mesh with the shape type Prim: its decomposition, else its triangles at rest, else its base
/// hull (*Mesh/Mesh physics*: "if there is no decomposition and the prim is in motion of any kind").
fn user_mesh(mesh: Option<&MeshFacts>, motion: Motion) -> Representation {
    let Some(mesh) = mesh else { return Representation::Unknown };
    match (decomposition_hulls(mesh), motion) {
        (None, _) => Representation::Unknown,
        (Some(0), Motion::Dynamic) => Representation::BaseHull,
        (Some(0), Motion::Static) => triangles_or(mesh, Representation::BaseHull),
        (Some(_), _) => Representation::Decomposition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::{
        representation,
        tests::{curved, kind, mesh, mesh_part, prim},
    };
    use glam::DVec3;
    use hullmark_format::{mesh::Block, object::Sculpt};
    use uuid::Uuid;

    fn at_rest(part: &Part, mesh: Option<&MeshFacts>) -> Representation {
        representation(part, mesh, Motion::Static, &Profile::default())
    }

    #[test]
    fn small_meshes_are_boxes_too() {
        let mut part = mesh_part();
        part.scale = DVec3::splat(0.1);
        assert_eq!(kind(&part), Kind::Box);
        part.scale.z = 2.0;
        assert_eq!(kind(&part), Kind::PrimConvex, "its profile begins at a quarter, so it is not whole");
        part.shape.profile_begin = 0;
        assert_eq!(kind(&part), Kind::Box);
    }

    #[test]
    fn implicit_forms_come_before_the_shape_type() {
        let mut part = prim();
        part.physics_shape_type = Some(2);
        assert_eq!(kind(&part), Kind::Box, "the specification's ten boxes cost 0.1 each");
        let mut torus = curved(0, 32);
        torus.physics_shape_type = Some(2);
        assert_eq!(at_rest(&torus, None), Representation::SurfaceHull);
    }

    #[test]
    fn sculpts_flexis_and_trees() {
        let mut part = curved(5, 32);
        part.shape.sculpt = Some(Sculpt { asset: Uuid::nil(), kind: 1 | 64 });
        assert_eq!((kind(&part), at_rest(&part, None)), (Kind::Sculpt, Representation::SurfaceHull));
        let mut flexi = prim();
        flexi.shape.flexi_entry = true;
        assert_eq!(kind(&flexi), Kind::Box, "the entry alone does not bend a prim");
        flexi.shape.path_curve = 128;
        assert_eq!((kind(&flexi), at_rest(&flexi, None)), (Kind::Flexi, Representation::None));
        for pcode in [95, 111, 255] {
            let mut tree = prim();
            tree.shape.pcode = pcode;
            assert_eq!((kind(&tree), at_rest(&tree, None)), (Kind::Tree, Representation::NotApplicable));
        }
    }

    #[test]
    fn the_table_of_meshes() {
        use Representation::{BaseHull, Decomposition, None as Nothing, TriangleMesh};
        let (convex, hulls, triangles, both) = (
            mesh(Some(8), &[], None),
            mesh(Some(8), &[8, 8], None),
            mesh(Some(8), &[], Some(12)),
            mesh(Some(8), &[8], Some(12)),
        );
        let table = [
            (0, &hulls, Decomposition, Decomposition),
            (0, &triangles, TriangleMesh, BaseHull),
            (0, &both, Decomposition, Decomposition),
            (0, &convex, BaseHull, BaseHull),
            (2, &both, BaseHull, BaseHull),
            (1, &both, Nothing, Nothing),
        ];
        for (shape_type, mesh, still, moving) in table {
            let mut part = mesh_part();
            part.physics_shape_type = Some(shape_type);
            assert_eq!(at_rest(&part, Some(mesh)), still);
            assert_eq!(representation(&part, Some(mesh), Motion::Dynamic, &Profile::default()), moving);
        }
    }

    #[test]
    fn a_thin_mesh_without_decomposition_is_its_base_hull() {
        let (triangles, hulls) = (mesh(Some(8), &[], Some(12)), mesh(Some(8), &[8], None));
        let mut part = mesh_part();
        part.scale.y = 0.499;
        let profile = Profile::default();
        assert_eq!(classify(&part, Some(&triangles), &profile).kind, Kind::PrimConvex);
        assert_eq!(at_rest(&part, Some(&triangles)), Representation::BaseHull);
        assert_eq!(at_rest(&part, Some(&hulls)), Representation::Decomposition);
        part.scale.y = 0.5;
        assert_eq!(at_rest(&part, Some(&triangles)), Representation::TriangleMesh);
        part.scale = DVec3::new(0.1, 0.1, 2.0);
        assert_eq!(at_rest(&part, Some(&hulls)), Representation::BaseHull, "two small sides");
    }

    #[test]
    fn missing_or_damaged_blocks_are_unknown_only_if_they_matter() {
        let mut part = mesh_part();
        assert_eq!(at_rest(&part, None), Representation::Unknown);
        assert_eq!(at_rest(&part, Some(&mesh(Some(8), &[], Some(0)))), Representation::Unknown);
        let block = |name: &str| Block { name: name.into(), offset: 0, size: 9, inflated: None };
        let mut damaged = mesh(None, &[], Some(4));
        damaged.convex = None;
        damaged.blocks = vec![block("physics_convex")];
        assert_eq!(at_rest(&part, Some(&damaged)), Representation::Unknown);
        let mut damaged = mesh(Some(8), &[], None);
        damaged.blocks = vec![block("physics_shape")];
        assert_eq!(at_rest(&part, Some(&damaged)), Representation::Unknown);
        assert_eq!(
            representation(&part, Some(&damaged), Motion::Dynamic, &Profile::default()),
            Representation::BaseHull
        );
        let mut unread = mesh(None, &[], None);
        (unread.convex, unread.blocks) = (None, Vec::new());
        assert_eq!(at_rest(&part, Some(&unread)), Representation::Unknown, "its header was not read");
        // A placeholder is unknown, although its form is a box.
        assert_eq!(at_rest(&Part { placeholder: true, ..prim() }, None), Representation::Unknown);
        part.physics_shape_type = Some(2);
        assert_eq!(at_rest(&part, None), Representation::BaseHull);
        part.scale = DVec3::splat(0.1);
        assert_eq!(at_rest(&part, None), Representation::Box);
    }
}
