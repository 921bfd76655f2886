//! Which physics shape a part gets.
//!
//! [`classify`] is the decision of the viewer (`llphysicsshapebuilderutil.cpp`, `determinePhysicsShape`), which
//! the simulator shares: what *kind* of shape the form and size of a part make. [`representation`] goes on to
//! what collides: for meshes that depends on the blocks that the asset has and on whether the linkset moves.

use crate::{
    facts::MeshFacts,
    format::object::{Part, Shape},
    profile::{PhysicsModel, Profile},
};
use glam::DVec3;
use std::fmt;

/// The collision margin, metres.
const MARGIN_M: f64 = 0.1;
/// A side below this is small, metres.
const SMALL_SIDE_M: f64 = 2.0 * MARGIN_M;
/// Above this mean of its sides a part with one small side is a thin panel, metres.
const PANEL_MEAN_M: f64 = 3.0;
/// How much of path or profile may be cut for the part to count as whole. This and the next four are divided
/// by the mean of the sides in metres.
const CUT: f64 = 0.05;
const HOLLOW: f64 = 0.10;
const SHEAR: f64 = 0.05;
const TAPER: f64 = 0.05;
const TWIST: f64 = 0.09;
/// ubODE gives no mesh to parts whose sides are all at most this (`mesh_min_size`), metres.
const UBODE_MIN_MESH_M: f64 = 0.1;

/// Steps of path, profile and hollow for the whole.
const WHOLE: i32 = 50_000;
/// A profile up to 1/8 is a convex wedge even where it is hollow; of a half circle up to 1/4.
const WEDGE: i32 = WHOLE / 8;

/// `PathCurve` and `ProfileCurve`.
mod curve {
    pub const LINE: u8 = 16;
    pub const CIRCLE_PATH: u8 = 32;
    pub const FLEXIBLE: u8 = 128;
    pub const CIRCLE: u8 = 0;
    pub const SQUARE: u8 = 1;
    pub const HALF_CIRCLE: u8 = 5;
    pub const PROFILE_MASK: u8 = 0x0f;
    pub const HOLE_MASK: u8 = 0xf0;
}

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
/// several frames (`mesh-physics.md`).
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

/// Whether a part is a tree or grass: `PCode` 95, 111 or 255.
pub fn is_plant(part: &Part) -> bool {
    matches!(part.shape.pcode, 95 | 111 | 255)
}

/// Whether a part bends. Both engines look at the path and not at the flexible entry of the extra parameters,
/// and the two differ on thousands of real parts.
pub fn is_flexible(part: &Part) -> bool {
    part.shape.path_curve == curve::FLEXIBLE
}

/// Whether a mesh has a decomposition that is used: hulls with points. The viewer's overlay only asks whether a
/// decomposition record is loaded, which is wrong; the server asks for hulls.
pub fn has_decomposition(mesh: &MeshFacts) -> bool {
    mesh.convex.as_ref().is_some_and(|convex| !convex.hulls.is_empty())
}

/// Whether a mesh has triangles for physics.
pub fn has_physics_triangles(mesh: &MeshFacts) -> bool {
    let triangles =
        |mesh: &crate::facts::TriangleMesh| mesh.submeshes.iter().any(|face| !face.triangles.is_empty());
    mesh.physics_mesh.as_ref().is_some_and(triangles)
}

/// Whether the header of a mesh lists one of these blocks. A size of 0 means that it is not there.
fn lists(mesh: &MeshFacts, names: [&str; 2]) -> bool {
    mesh.blocks.iter().any(|block| block.size > 0 && names.contains(&block.name.as_str()))
}

/// Whether the header lists a convex block, under either of its names.
pub(crate) fn lists_convex(mesh: &MeshFacts) -> bool {
    lists(mesh, ["physics_convex", "decomposition"])
}

/// Whether the header lists a physics mesh, under either of its names.
pub(crate) fn lists_physics_mesh(mesh: &MeshFacts) -> bool {
    lists(mesh, ["physics_mesh", "physics_shape"])
}

/// The kind of physics shape that form, size and shape type make, with its reason.
///
/// The class is that of the form: a part whose shape type is None has one too. Trees, grass and flexible prims
/// come first, because neither has a volume that collides; a glTF sculpt (type 6) is a sculpt, as in the viewer.
pub fn classify(part: &Part, mesh: Option<&MeshFacts>, profile: &Profile) -> Class {
    let class = |kind, reason| Class { kind, reason };
    if is_plant(part) {
        return class(Kind::Tree, "a tree or grass has no physics shape");
    }
    if is_flexible(part) {
        return class(Kind::Flexi, "its path is flexible, and flexible prims do not collide");
    }
    let form = Form::of(part);
    if let Some(class) = form.implicit() {
        return class;
    }
    if form.small == 3 {
        return class(Kind::Box, "all sides are under 0.2 m");
    }
    if form.small == 2 && form.path_whole && form.profile_whole && form.shape.path_curve == curve::LINE {
        return class(Kind::Box, "two sides are under 0.2 m and its straight path and its profile are whole");
    }
    if ShapeType::of(part) == ShapeType::Convex {
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
    if part.shape.sculpt.is_some() {
        return class(Kind::Sculpt, "a sculpt collides as the hull of its surface");
    }
    class(Kind::PrimMesh, "its form is hollow, cut, twisted or curved, so its triangles collide")
}

/// The last clause for meshes. The viewer's own code makes every small mesh convex; the server spares those
/// with a decomposition (secondlife/jira-archive 2079). A mesh that is missing may have one, so it stays what
/// it would be with it, and its representation is unknown.
fn classify_mesh(part: &Part, mesh: Option<&MeshFacts>, convex_below_m: f64) -> Class {
    let thin = part.scale.min_element() < convex_below_m;
    if thin && mesh.is_some_and(|mesh| !has_decomposition(mesh) && !convex_unreadable(mesh)) {
        let reason = "it is a mesh without decomposition and with a side under the limit (0.5 m)";
        return Class { kind: Kind::PrimConvex, reason };
    }
    Class { kind: Kind::UserMesh, reason: "it is a mesh" }
}

/// Whether a mesh has a convex block that could not be read, so that it may or may not have a decomposition.
fn convex_unreadable(mesh: &MeshFacts) -> bool {
    mesh.convex.is_none() && lists_convex(mesh)
}

/// What collides for this part, on the target grid, at rest or dynamic.
///
/// BulletSim charges all parts alike; what it collides with is given as Second Life would have it.
pub fn representation(
    part: &Part,
    mesh: Option<&MeshFacts>,
    motion: Motion,
    profile: &Profile,
) -> Representation {
    if is_plant(part) {
        return Representation::NotApplicable;
    }
    if is_flexible(part) || ShapeType::of(part) == ShapeType::None {
        return Representation::None;
    }
    if profile.physics.model == PhysicsModel::OpensimUbode {
        return ubode(part, mesh);
    }
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

/// A mesh of shape type Prim: its decomposition, else its triangles while it is at rest, else its base hull
/// (`mesh-physics.md`: "if there is no decomposition and the prim is in motion of any kind").
fn user_mesh(mesh: Option<&MeshFacts>, motion: Motion) -> Representation {
    let Some(mesh) = mesh else { return Representation::Unknown };
    if has_decomposition(mesh) {
        Representation::Decomposition
    } else if convex_unreadable(mesh) {
        Representation::Unknown
    } else if motion == Motion::Dynamic {
        Representation::BaseHull
    } else {
        triangles_or(mesh, Representation::BaseHull)
    }
}

/// The physics mesh, or what stands in where the asset has none. A physics mesh that cannot be read or has no
/// triangle is neither: no source says what a server does with it, so it is unknown.
fn triangles_or(mesh: &MeshFacts, otherwise: Representation) -> Representation {
    if has_physics_triangles(mesh) {
        Representation::TriangleMesh
    } else if mesh.physics_mesh.is_some() || lists_physics_mesh(mesh) {
        Representation::Unknown
    } else {
        otherwise
    }
}

/// The size at which a prim's triangles collide: the small side of a large thin panel is raised to the margin
/// (`determinePhysicsShape`). It decides no kind, and no other cost depends on it: hulls cost the same at any size, and
/// a mesh so thin collides as hulls.
pub fn collision_scale(part: &Part) -> DVec3 {
    let form = Form::of(part);
    if form.small == 1 && form.mean > PANEL_MEAN_M {
        part.scale.max(DVec3::splat(MARGIN_M))
    } else {
        part.scale
    }
}

/// ubODE's choice (`ODEMeshWorker.cs` `needsMeshing`, `ODEPrim.cs` `CreateGeom`): tiny parts and plain boxes and
/// spheres stay what they are, a mesh prefers its triangles to its decomposition, motion plays no part.
fn ubode(part: &Part, mesh: Option<&MeshFacts>) -> Representation {
    let convex = ShapeType::of(part) == ShapeType::Convex;
    let ball = is_ball(part);
    if part.scale.max_element() <= UBODE_MIN_MESH_M || (part.shape.sculpt.is_none() && is_plain(part, convex))
    {
        return if ball { Representation::Sphere } else { Representation::Box };
    }
    if part.mesh().is_none() {
        return if convex { Representation::SurfaceHull } else { Representation::SurfaceMesh };
    }
    let Some(mesh) = mesh else {
        return if convex { Representation::BaseHull } else { Representation::Unknown };
    };
    if convex {
        return Representation::BaseHull;
    }
    let hulls =
        if has_decomposition(mesh) { Representation::Decomposition } else { Representation::BaseHull };
    let hulls = if convex_unreadable(mesh) { Representation::Unknown } else { hulls };
    triangles_or(mesh, hulls)
}

/// Whether two representations of a part are one solid in two descriptions: a convex prim is as large as box,
/// sphere or cylinder, as the hull of its surface, and as the triangles of it.
pub fn same_solid(part: &Part, one: Representation, other: Representation) -> bool {
    use Representation::{Box, Cylinder, Sphere, SurfaceHull, SurfaceMesh};
    let own_form =
        |representation| matches!(representation, Box | Sphere | Cylinder | SurfaceHull | SurfaceMesh);
    one == other || (is_convex(part.shape) && own_form(one) && own_form(other))
}

/// Whether ubODE sees a sphere: a half circle led around a circle, with equal sides.
fn is_ball(part: &Part) -> bool {
    let Shape { profile_curve, path_curve, .. } = part.shape;
    profile_curve & curve::PROFILE_MASK == curve::HALF_CIRCLE
        && path_curve == curve::CIRCLE_PATH
        && part.scale.x == part.scale.y
        && part.scale.y == part.scale.z
}

/// Whether ubODE sees an unmodified box or sphere. A hole does not matter to a hull.
fn is_plain(part: &Part, convex: bool) -> bool {
    let shape = part.shape;
    let square_bar =
        shape.profile_curve & curve::PROFILE_MASK == curve::SQUARE && shape.path_curve == curve::LINE;
    (square_bar || is_ball(part))
        && (convex || shape.profile_hollow == 0)
        && [shape.path_begin, shape.path_end, shape.profile_begin, shape.profile_end] == [0; 4]
        && [shape.path_twist, shape.path_twist_begin, shape.path_taper_x, shape.path_taper_y] == [0; 4]
        && [shape.path_scale_x, shape.path_scale_y] == [100; 2]
        && [shape.path_shear_x, shape.path_shear_y] == [0; 2]
}

/// A part's form against the thresholds of its size.
struct Form {
    shape: Shape,
    sides: [f64; 3],
    /// Mean of the sides, metres.
    mean: f64,
    /// How many sides are small.
    small: usize,
    path_whole: bool,
    profile_whole: bool,
}

impl Form {
    fn of(part: &Part) -> Self {
        let shape = part.shape;
        let sides = part.scale.to_array();
        let mean = (sides[0] + sides[1] + sides[2]) / 3.0;
        let whole =
            |begin: u16, end: u16| fraction(begin) <= CUT / mean && 1.0 - fraction(end) >= 1.0 - CUT / mean;
        Self {
            shape,
            sides,
            mean,
            small: sides.iter().filter(|&&side| side < SMALL_SIDE_M).count(),
            path_whole: whole(shape.path_begin, shape.path_end),
            profile_whole: whole(shape.profile_begin, shape.profile_end),
        }
    }

    /// Whether a number is 0 as far as a part of this size goes.
    fn negligible(&self, number: f64, threshold: f64) -> bool {
        number.abs() <= threshold / self.mean
    }

    fn simple(&self) -> bool {
        self.shape.sculpt.is_none()
            && self.negligible(fraction(self.shape.profile_hollow), HOLLOW)
            && self.negligible(shear(self.shape.path_shear_x), SHEAR)
            && self.negligible(shear(self.shape.path_shear_y), SHEAR)
    }

    /// Box, sphere or cylinder of a simple form with a whole profile. The curve bytes are compared whole: the
    /// bits of a hole keep a form from being implicit even where its hollow is 0.
    fn implicit(&self) -> Option<Class> {
        if !(self.simple() && self.profile_whole) {
            return None;
        }
        match (self.shape.profile_curve, self.shape.path_curve) {
            (curve::SQUARE, curve::LINE) => self.as_box(),
            (curve::HALF_CIRCLE, curve::CIRCLE_PATH) => self.as_sphere(),
            (curve::CIRCLE, curve::LINE) => self.as_cylinder(),
            _ => None,
        }
    }

    /// A path cut only shortens a box.
    fn as_box(&self) -> Option<Class> {
        (self.untapered() && self.untwisted())
            .then_some(Class { kind: Kind::Box, reason: "it is a plain box" })
    }

    fn as_sphere(&self) -> Option<Class> {
        let [x, y, z] = self.sides;
        // The volume's taper, not the scale of its end: that one shapes the hole of a curve.
        let taper = f64::from(self.shape.path_taper_x) * 0.01;
        if !(self.path_whole && self.negligible(taper, TAPER) && self.untwisted()) {
            None
        } else if x == z && y == z {
            Some(Class { kind: Kind::Sphere, reason: "it is a plain sphere with equal sides" })
        } else if self.small > 1 {
            Some(Class { kind: Kind::Box, reason: "it is a narrow sphere: two sides are under 0.2 m" })
        } else {
            None
        }
    }

    /// A path cut only shortens a cylinder, and a twist does not show.
    fn as_cylinder(&self) -> Option<Class> {
        if !(self.sides[0] == self.sides[1] && self.untapered()) {
            None
        } else if self.small > 1 {
            Some(Class { kind: Kind::Box, reason: "it is a narrow cylinder: two sides are under 0.2 m" })
        } else {
            Some(Class { kind: Kind::Cylinder, reason: "it is a plain round cylinder" })
        }
    }

    fn untapered(&self) -> bool {
        // 100 is a scale of 1: the raw number is 200 − 100 × scale.
        let off = |raw: u8| (100.0 - f64::from(raw)) * 0.01;
        self.negligible(off(self.shape.path_scale_x), TAPER)
            && self.negligible(off(self.shape.path_scale_y), TAPER)
    }

    fn untwisted(&self) -> bool {
        self.negligible(f64::from(self.shape.path_twist) * 0.01, TWIST)
            && self.negligible(f64::from(self.shape.path_twist_begin) * 0.01, TWIST)
    }
}

/// A raw begin, end or hollow as a part of the whole.
fn fraction(raw: u16) -> f64 {
    f64::from(raw) / f64::from(WHOLE)
}

/// A raw shear: a signed byte stored as unsigned.
fn shear(raw: u8) -> f64 {
    f64::from(raw.cast_signed()) * 0.01
}

/// Whether a volume is convex by its parameters (`llvolume.cpp`, `LLVolumeParams::isConvex`); false for
/// everything with a sculpt or mesh asset. Lengths are compared as the file's own integers, hence exactly.
fn is_convex(shape: Shape) -> bool {
    if shape.sculpt.is_some() {
        return false;
    }
    let length = |begin: u16, end: u16| WHOLE - i32::from(begin) - i32::from(end);
    let path = length(shape.path_begin, shape.path_end);
    let profile = length(shape.profile_begin, shape.profile_end);
    let line = shape.path_curve == curve::LINE;
    let half_circle = shape.profile_curve & curve::PROFILE_MASK == curve::HALF_CIRCLE;
    let solid = shape.profile_hollow == 0;
    let short_path = 9 * path <= WHOLE;

    let twisted = shape.path_twist != shape.path_twist_begin;
    if !short_path && (twisted || (!solid && !line)) {
        return false;
    }
    let wedge = if half_circle { 2 * WEDGE } else { WEDGE };
    let same_hole = solid || shape.profile_curve & curve::HOLE_MASK == 0;
    let convex_profile =
        (solid && (profile == WHOLE || 2 * profile <= WHOLE)) || (profile <= wedge && same_hole);
    if !convex_profile {
        return false;
    }
    if line {
        return true;
    }
    if 2 * path > WHOLE && path < WHOLE {
        return false;
    }
    half_circle || short_path
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        facts::{ConvexFacts, HullFacts, TriangleMesh, TriangleSubmesh},
        format::{mesh::Block, object::Sculpt},
        geometry::quantized::Domain,
    };
    use uuid::Uuid;

    /// A box of half a metre, as the viewer makes it.
    pub fn prim() -> Part {
        Part { physics_shape_type: Some(0), ..Part::default() }
    }

    /// A prim with these curves, a metre in size.
    pub fn curved(profile: u8, path: u8) -> Part {
        let mut part = prim();
        (part.shape.profile_curve, part.shape.path_curve) = (profile, path);
        part.scale = DVec3::ONE;
        part
    }

    /// A mesh part of a metre, with the profile begin that importers write.
    pub fn mesh_part() -> Part {
        let mut part = curved(1, 16);
        part.shape.profile_begin = 12_500;
        part.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(7), kind: 5 });
        part
    }

    /// Facts of a mesh with these numbers of hull points and of triangles of a unit square.
    pub fn mesh(base: Option<u32>, hulls: &[u32], triangles: Option<usize>) -> MeshFacts {
        let hull = |points| HullFacts {
            points,
            unique_points: points,
            rank: 3,
            vertices: Some(points),
            volume: None,
            outside_base: None,
        };
        let square = |triangles| TriangleSubmesh {
            domain: Domain::UNIT,
            points: vec![[0, 0, 0], [65_535, 0, 0], [0, 65_535, 0]],
            triangles: vec![[0, 1, 2]; triangles],
        };
        MeshFacts {
            entry: String::new(),
            uuid: None,
            bytes: 0,
            content_hash: String::new(),
            version: None,
            blocks: Vec::new(),
            lods: [None; 4],
            convex: Some(ConvexFacts {
                base_size: base.map(|_| DVec3::ONE),
                hulls_size: (!hulls.is_empty()).then_some(DVec3::ONE),
                base: base.map(hull),
                hulls: hulls.iter().copied().map(hull).collect(),
                positions: None,
            }),
            physics_mesh: triangles.map(|count| TriangleMesh { submeshes: vec![square(count)] }),
            source_hull: None,
            cost_data: None,
            joints: None,
            oddities: Vec::new(),
        }
    }

    fn kind(part: &Part) -> Kind {
        classify(part, None, &Profile::default()).kind
    }

    fn at_rest(part: &Part, mesh: Option<&MeshFacts>) -> Representation {
        representation(part, mesh, Motion::Static, &Profile::default())
    }

    #[test]
    fn plain_forms_are_implicit() {
        assert_eq!(kind(&prim()), Kind::Box);
        assert_eq!(kind(&curved(5, 32)), Kind::Sphere);
        assert_eq!(kind(&curved(0, 16)), Kind::Cylinder);
        assert_eq!(kind(&curved(3, 16)), Kind::PrimConvex);
        for (profile, path) in [(0, 32), (1, 32), (3, 32)] {
            assert_eq!(kind(&curved(profile, path)), Kind::PrimMesh, "{profile}/{path}");
        }
    }

    #[test]
    fn unequal_sides_make_hulls() {
        let mut egg = curved(5, 32);
        egg.scale.z = 1.1;
        assert_eq!(kind(&egg), Kind::PrimConvex);
        let mut oval = curved(0, 16);
        oval.scale.x = 1.1;
        assert_eq!(kind(&oval), Kind::PrimConvex);
    }

    #[test]
    fn bits_of_a_hole_count_even_without_a_hole() {
        let holed = curved(1 | 16, 16);
        assert_eq!(kind(&holed), Kind::PrimConvex);
        assert_eq!(kind(&curved(5 | 32, 32)), Kind::PrimConvex);
    }

    #[test]
    fn thresholds_shrink_with_size() {
        let mut part = prim();
        part.shape.profile_hollow = 5_000;
        part.scale = DVec3::ONE;
        assert_eq!(kind(&part), Kind::Box, "a hollow of 0.1 is exactly the threshold at 1 m");
        part.scale = DVec3::splat(1.01);
        assert_eq!(kind(&part), Kind::PrimMesh);
    }

    #[test]
    fn a_path_cut_shortens_boxes_and_cylinders_but_not_spheres() {
        for (profile, path, expected) in
            [(1, 16, Kind::Box), (0, 16, Kind::Cylinder), (5, 32, Kind::PrimMesh)]
        {
            let mut part = curved(profile, path);
            part.shape.path_begin = 10_000;
            assert_eq!(kind(&part), expected);
        }
    }

    #[test]
    fn twist_keeps_boxes_from_being_boxes_and_does_not_show_on_cylinders() {
        let mut part = curved(1, 16);
        part.shape.path_twist = 10;
        assert_eq!(kind(&part), Kind::PrimMesh);
        part.shape.path_twist_begin = 10;
        assert_eq!(kind(&part), Kind::PrimConvex, "the same twist at both ends turns it and is convex");
        part.shape.profile_curve = 0;
        part.shape.path_twist_begin = 0;
        assert_eq!(kind(&part), Kind::Cylinder);
    }

    #[test]
    fn shear_is_a_signed_byte() {
        let mut part = curved(1, 16);
        part.shape.path_shear_x = 251;
        assert_eq!(kind(&part), Kind::Box, "−0.05 is the threshold at 1 m");
        part.shape.path_shear_x = 250;
        assert_eq!(kind(&part), Kind::PrimConvex);
    }

    #[test]
    fn small_parts_are_boxes() {
        let mut part = curved(0, 32);
        part.scale = DVec3::splat(0.19);
        assert_eq!(kind(&part), Kind::Box);
        part.scale = DVec3::new(0.19, 0.19, 1.0);
        assert_eq!(kind(&part), Kind::PrimConvex, "a circle path is not straight");
        let mut rod = curved(0, 16);
        rod.scale = DVec3::new(0.1, 0.1, 5.0);
        assert_eq!(kind(&rod), Kind::Box);
        let mut egg = curved(5, 32);
        egg.scale = DVec3::new(0.1, 0.1, 0.5);
        assert_eq!(kind(&egg), Kind::Box);
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
        assert_eq!(kind(&torus), Kind::UserConvex);
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
    fn convexity_of_parameters() {
        let convex = |change: fn(&mut Shape)| {
            let mut shape = curved(1, 16).shape;
            change(&mut shape);
            is_convex(shape)
        };
        assert!(convex(|_| ()));
        assert!(!convex(|s| s.profile_hollow = 1));
        assert!(convex(|s| s.profile_end = 25_000));
        assert!(!convex(|s| s.profile_end = 24_999));
        assert!(convex(|s| (s.profile_end, s.profile_hollow) = (43_750, 25_000)), "a wedge, same hole");
        assert!(!convex(|s| (s.profile_end, s.profile_hollow, s.profile_curve) = (43_750, 25_000, 17)));
        assert!(convex(|s| (s.profile_end, s.profile_hollow, s.profile_curve) = (37_500, 25_000, 5)));
        assert!(!convex(|s| s.path_twist = 1));
        assert!(convex(|s| (s.path_twist, s.path_begin) = (1, 44_445)), "shorter than a ninth");
        assert!(!convex(|s| (s.path_twist, s.path_begin) = (1, 44_444)));
        assert!(!convex(|s| s.path_curve = 32), "a tube");
        assert!(convex(|s| (s.path_curve, s.path_begin) = (32, 44_445)), "a slice of a tube");
        assert!(convex(|s| (s.path_curve, s.profile_curve) = (32, 5)), "a sphere");
        assert!(!convex(|s| (s.path_curve, s.profile_curve, s.path_begin) = (32, 5, 1)));
        assert!(convex(|s| (s.path_curve, s.profile_curve, s.path_begin) = (32, 5, 25_000)));
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
    fn the_thin_side_of_a_large_panel_is_raised() {
        let raised = |sides| {
            let mut part = prim();
            part.scale = DVec3::from_array(sides);
            collision_scale(&part).to_array()
        };
        assert_eq!(raised([10.0, 10.0, 0.01]), [10.0, 10.0, 0.1]);
        assert_eq!(raised([10.0, 10.0, 0.15]), [10.0, 10.0, 0.15]);
        assert_eq!(raised([4.0, 4.0, 0.01]), [4.0, 4.0, 0.01], "not large");
        assert_eq!(raised([40.0, 0.01, 0.01]), [40.0, 0.01, 0.01], "two thin sides are none");
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
    fn what_is_missing_or_damaged_is_unknown_only_where_it_matters() {
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
        part.physics_shape_type = Some(2);
        assert_eq!(at_rest(&part, None), Representation::BaseHull);
        part.scale = DVec3::splat(0.1);
        assert_eq!(at_rest(&part, None), Representation::Box);
    }

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
    fn ubode_prefers_triangles_and_keeps_tiny_parts_simple() {
        let profile = Profile::load("opensim-ubode").unwrap();
        let of =
            |part: &Part, mesh: Option<&MeshFacts>| representation(part, mesh, Motion::Dynamic, &profile);
        let both = mesh(Some(8), &[8], Some(12));
        let mut part = mesh_part();
        assert_eq!(of(&part, Some(&both)), Representation::TriangleMesh);
        assert_eq!(of(&part, Some(&mesh(Some(8), &[8], None))), Representation::Decomposition);
        part.physics_shape_type = Some(2);
        assert_eq!(of(&part, Some(&both)), Representation::BaseHull);
        part.scale = DVec3::splat(0.1);
        assert_eq!(of(&part, Some(&both)), Representation::Box);
        assert_eq!(of(&prim(), None), Representation::Box);
        assert_eq!(of(&curved(5, 32), None), Representation::Sphere);
        assert_eq!(of(&curved(0, 16), None), Representation::SurfaceMesh);
        let mut hollow = prim();
        hollow.shape.profile_hollow = 20_000;
        assert_eq!(of(&hollow, None), Representation::SurfaceMesh);
        hollow.physics_shape_type = Some(2);
        assert_eq!(of(&hollow, None), Representation::Box);
    }

    #[test]
    fn a_convex_prim_is_one_solid_however_it_is_described() {
        use Representation::{Box, Cylinder, Decomposition, SurfaceHull, SurfaceMesh, TriangleMesh};
        let (cylinder, mut hollow) = (curved(0, 16), prim());
        hollow.shape.profile_hollow = 20_000;
        assert!(same_solid(&cylinder, Cylinder, SurfaceMesh));
        assert!(!same_solid(&hollow, SurfaceHull, SurfaceMesh));
        assert!(same_solid(&mesh_part(), TriangleMesh, TriangleMesh));
        assert!(!same_solid(&mesh_part(), Decomposition, TriangleMesh));
        assert!(!same_solid(&mesh_part(), Box, TriangleMesh));
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
