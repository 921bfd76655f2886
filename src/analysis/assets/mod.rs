//! The source of a part's body: a mesh asset, a sculpt map, or its own parameters. Also measures surfaces that are
//! built for costs.
//!
//! A region has thousands of prims with few distinct shapes. The figures of each shape are stored for the next part
//! with that shape. Points are never stored, so memory stays small for any export.

mod scaled_meshes;
mod ubode_meshes;

use crate::not_evaluated::NotEvaluated;
use glam::DVec3;
use hullmark_format::object::{Part, Sculpt, Shape};
use hullmark_geometry::{
    bitmap::Bitmap,
    hull::FloatHull,
    level_of_detail::{Detail, physics_detail},
    prim,
    sculpt::{self, Stitch},
    surface::Surface,
    triangle,
};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, MeshFacts, ObjectFacts, SculptFacts, Status, TriangleMesh},
};
use hullmark_media::image::sculpt_map::SculptMap;
use hullmark_settings::profile::PhysicsModel;
use hullmark_util::lock::lock;
use scaled_meshes::Scaled;
use std::{collections::HashMap, sync::Mutex};
use uuid::Uuid;

/// The assets from which a part takes its body, in addition to its own parameters.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// Mesh asset; `None` if the part has none or the input lacks it.
    pub mesh: Option<&'a MeshFacts>,
    /// Sculpt map; `None` if the part has none or the input lacks it.
    pub sculpt: Option<&'a SculptFacts>,
    pub surfaces: &'a Surfaces,
}

/// The assets of one input, or of all stores together, by their UUIDs.
#[derive(Debug, Default)]
pub struct Assets<'a> {
    meshes: HashMap<Uuid, &'a MeshFacts>,
    sculpts: HashMap<Uuid, &'a SculptFacts>,
    /// Every asset of any type that is present, sorted. A hash table would take three times the memory.
    present: Vec<Uuid>,
    surfaces: Surfaces,
    /// The cache of the assets that these replace in part.
    known: Option<&'a Surfaces>,
    stores: Option<&'a Assets<'a>>,
    /// Whether some assets may be unknown, because an input was not read to its end.
    in_part: bool,
    /// Whether there is an asset in something else than a cache or a part of a store.
    is_whole: bool,
}

/// Whether an asset counts as present. In an archive these are the assets that a loader restores. In a store these are
/// the assets with content. An empty asset of an input has its own finding.
fn counts(ledger: &Ledger, asset: &AssetFacts) -> bool {
    let restored = asset.suffix().is_some() || !asset.entry.is_in_assets();
    let empty = matches!(asset.content, Content::Empty | Content::Zeros);
    restored && !(ledger.is_store() && empty)
}

impl<'a> Assets<'a> {
    /// Creates the assets of an input. Of two assets with one UUID the first counts, because OpenSim keeps that one.
    pub fn new(
        meshes: impl IntoIterator<Item = &'a MeshFacts>,
        sculpts: impl IntoIterator<Item = &'a SculptFacts>,
    ) -> Self {
        let mut assets = Self::default();
        for mesh in meshes {
            if let Some(uuid) = mesh.uuid {
                assets.meshes.entry(uuid).or_insert(mesh);
            }
        }
        for map in sculpts {
            assets.sculpts.entry(map.uuid).or_insert(map);
        }
        assets
    }

    /// Creates the assets of these ledgers. Of two assets with one UUID that of the first ledger counts.
    pub fn from_ledgers(ledgers: impl IntoIterator<Item = &'a Ledger> + Clone) -> Self {
        let meshes = ledgers.clone().into_iter().flat_map(|ledger| &ledger.meshes);
        let sculpts = ledgers.clone().into_iter().flat_map(|ledger| &ledger.sculpts);
        let mut assets = Self::new(meshes, sculpts);
        assets.in_part = ledgers.clone().into_iter().any(|ledger| ledger.status != Status::Complete);
        assets.is_whole = ledgers.clone().into_iter().any(|ledger| {
            !ledger.container.is_partial && ledger.assets.iter().any(|asset| counts(ledger, asset))
        });
        let present = ledgers.into_iter().flat_map(|ledger| {
            ledger.assets.iter().filter(|asset| counts(ledger, asset)).filter_map(AssetFacts::uuid)
        });
        assets.present = present.collect();
        assets.present.sort_unstable();
        assets.present.dedup();
        assets
    }

    pub fn backed_by(mut self, stores: &'a Assets<'a>) -> Self {
        self.stores = Some(stores);
        self
    }

    /// Returns these assets with other models of some meshes. The models have no physics mesh, so the cache
    /// of the others is used.
    pub fn replacing(&'a self, models: &'a [MeshFacts]) -> Assets<'a> {
        Assets { known: Some(&self.surfaces), ..Assets::new(models, []) }.backed_by(self)
    }

    /// Limits the number of triangles that are measured at additional scales to `most`. The first scale of each physics
    /// mesh is always measured. The order of the objects alone decides which scales are within the limit.
    pub fn limited(mut self, objects: &[ObjectFacts], most: u64) -> Self {
        let parts = objects.iter().flat_map(|object| &object.linkset.parts);
        let meshes = parts.filter_map(|part| Some((self.mesh(part.mesh()?)?, part.scale)));
        let uses = meshes.flat_map(|(mesh, scale)| {
            mesh.physics_mesh.iter().chain(&mesh.physics_shape).map(move |triangles| (triangles, scale))
        });
        self.surfaces.scaled = Scaled::limited(uses, most);
        self
    }

    /// Returns the number of triangles at additional scales, and its limit; `None` if the limit is not exceeded.
    pub fn too_many_scaled(&self) -> Option<(u64, u64)> {
        self.surfaces.scaled.over_limit()
    }

    /// Whether there are stores with assets, in which absence means something. A cache has what was used lately.
    pub fn has_stores(&self) -> bool {
        self.stores.is_some_and(|stores| stores.is_whole)
    }

    pub fn may_be_in_stores(&self) -> bool {
        self.stores.is_some_and(|stores| stores.in_part)
    }

    /// Whether the input or a store has an asset with this UUID.
    pub fn has(&self, uuid: Uuid) -> bool {
        self.holds(uuid) || self.in_stores(uuid)
    }

    /// Whether these assets contain it, without the stores.
    fn holds(&self, uuid: Uuid) -> bool {
        self.present.binary_search(&uuid).is_ok()
    }

    /// Whether the input lacks the asset with this UUID, and a store has it.
    pub fn in_stores(&self, uuid: Uuid) -> bool {
        self.stores_for(uuid).is_some_and(|stores| stores.holds(uuid))
    }

    /// Whether a store has an asset with this UUID, even if the input has it too.
    pub fn has_copy_in_stores(&self, uuid: Uuid) -> bool {
        self.stores.is_some_and(|stores| stores.holds(uuid))
    }

    pub fn mesh(&self, uuid: Uuid) -> Option<&'a MeshFacts> {
        self.meshes.get(&uuid).copied().or_else(|| self.stores_for(uuid)?.mesh(uuid))
    }

    pub fn sculpt(&self, uuid: Uuid) -> Option<&'a SculptFacts> {
        self.sculpts.get(&uuid).copied().or_else(|| self.stores_for(uuid)?.sculpt(uuid))
    }

    /// Returns the stores if the input lacks the asset. An asset of the input counts even if it is damaged, because a
    /// loader would use it.
    fn stores_for(&self, uuid: Uuid) -> Option<&'a Assets<'a>> {
        self.stores.filter(|_| !self.holds(uuid))
    }

    pub fn body(&self, part: &Part) -> Body<'_> {
        Body {
            mesh: part.mesh().and_then(|uuid| self.mesh(uuid)),
            sculpt: part.possible_sculpt_map().and_then(|uuid| self.sculpt(uuid)),
            surfaces: self.known.unwrap_or(&self.surfaces),
        }
    }
}

/// Cached figures by key; `None` if there is no surface.
type Known<K, V> = Mutex<HashMap<K, Option<V>>>;

/// Cached figures of the surfaces of one input, and of its physics meshes.
#[derive(Debug, Default)]
pub struct Surfaces {
    triangles: Known<(Shape, Detail, [u64; 3]), Triangles>,
    hulls: Known<(Shape, Detail), SurfaceHull>,
    scaled: Scaled,
    engine: ubode_meshes::Engine,
}

/// A triangle narrower than this is a sliver, in metres. It is the least average width for which a cost is computed.
pub const SLIVER_M: f64 = 0.001;

/// The triangles of a surface at a part's scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangles {
    pub count: u64,
    pub without_width: u64,
    /// Number of triangles with a width above 0 and below 1 mm.
    pub slivers: u64,
    /// Harmonic mean of the widths in metres, before it is clamped; 0 if a triangle has no width.
    pub mean_width_m: f64,
    /// Sides of the bounding box, in metres.
    pub size: DVec3,
}

/// The convex hull of a surface, in the unit cube. Its values do not depend on the scale of the part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceHull {
    pub vertices: u32,
    /// Volume as a fraction of the unit cube.
    pub volume: f64,
}

impl Triangles {
    /// Computes the figures of triangles with corners in metres; `None` if there are no triangles, or one is not
    /// finite.
    pub fn new(triangles: impl IntoIterator<Item = [DVec3; 3]>) -> Option<Self> {
        let (mut count, mut without_width, mut slivers, mut inverse) = (0, 0, 0, 0.0);
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corners in triangles {
            let width = triangle::width(corners);
            count += 1;
            without_width += u64::from(width == 0.0);
            slivers += u64::from(width > 0.0 && width < SLIVER_M);
            inverse += 1.0 / width;
            for corner in corners {
                (min, max) = (min.min(corner), max.max(corner));
            }
        }
        let mean_width_m = count as f64 / inverse;
        let known = count > 0 && mean_width_m.is_finite() && (max - min).is_finite();
        known.then_some(Self { count, without_width, slivers, mean_width_m, size: max - min })
    }

    /// Like [`Self::new`], for a physics mesh at this scale in metres.
    ///
    /// Triangles with invalid indices are skipped. Facts do not contain them, but anybody may have edited the ledger
    /// file.
    pub fn of_mesh(mesh: &TriangleMesh, scale: DVec3) -> Option<Self> {
        Self::new(mesh.submeshes.iter().flat_map(move |face| {
            let corner =
                move |index: u16| Some(face.domain.point(*face.points.get(usize::from(index))?) * scale);
            face.triangles.iter().filter_map(move |&[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]))
        }))
    }
}

impl<'a> Body<'a> {
    pub(crate) fn mesh_or_missing(&self) -> Result<&'a MeshFacts, NotEvaluated> {
        self.mesh.ok_or(NotEvaluated::MeshMissing)
    }

    /// Returns the triangles of a prim's or sculpt's surface at this scale.
    pub fn triangles(&self, part: &Part, detail: Detail, scale: DVec3) -> Result<Triangles, NotEvaluated> {
        if !scale.is_finite() {
            return Err(NotEvaluated::NotFinite);
        }
        let key = (form(part), detail, scale.to_array().map(f64::to_bits));
        let build = || {
            let surface = self.surface(part, detail)?;
            let at_scale = |&triangle: &[u32; 3]| surface.corners(triangle).map(|corner| corner * scale);
            Ok(Triangles::new(surface.drawn().iter().map(at_scale)))
        };
        remembered(&self.surfaces.triangles, key, NotEvaluated::SurfaceEmpty, build)
    }

    /// Returns the triangles of the physics mesh, as this engine reads it, at this scale in metres.
    pub fn physics_triangles(&self, scale: DVec3, model: PhysicsModel) -> Result<Triangles, NotEvaluated> {
        let mesh = self.mesh_or_missing()?;
        let triangles = physics_mesh(mesh, model).ok_or(NotEvaluated::PhysicsMeshUnreadable)?;
        if !scale.is_finite() {
            return Err(NotEvaluated::NotFinite);
        }
        self.surfaces.scaled.triangles(triangles, scale)
    }

    /// Returns the convex hull of a prim's or sculpt's surface.
    pub fn hull(&self, part: &Part, detail: Detail) -> Result<SurfaceHull, NotEvaluated> {
        remembered(&self.surfaces.hulls, (form(part), detail), NotEvaluated::SurfaceEmpty, || {
            let surface = self.surface(part, detail)?;
            Ok(FloatHull::of_points(&surface.points, 0.0).map(|found| SurfaceHull {
                vertices: found.hull.vertices.len() as u32,
                volume: found.volume(),
            }))
        })
    }

    /// Returns the volume of the single hull that the part has as Convex Hull, in the unit cube; `None` if it is
    /// unknown.
    pub fn hull_volume(&self, part: &Part) -> Option<f64> {
        if part.is_unknown() {
            return None;
        }
        if part.mesh().is_none() {
            return self.hull(part, physics_level(part)).ok().map(|hull| hull.volume);
        }
        let mesh = self.mesh?;
        let stored = mesh.convex.as_ref().and_then(|convex| convex.base).and_then(|base| base.volume);
        stored.or(mesh.source_hull.map(|hull| hull.volume)).map(f64::from)
    }

    /// Returns the total volume of the hulls in the mesh's decomposition, in the unit cube; `None` if one is unknown.
    pub fn decomposition_volume(&self) -> Option<f64> {
        self.mesh?.convex.as_ref()?.hulls.iter().map(|hull| hull.volume.map(f64::from)).sum()
    }

    /// Returns the area of a sculpt's surface in the unit cube, without scale.
    pub fn sculpt_area(&self, part: &Part) -> Result<f64, NotEvaluated> {
        let kind = part.shape.sculpted().ok_or(NotEvaluated::SculptKindUnknown)?;
        let (map, stitch) = self.sculpt_map(kind)?;
        Ok(sculpt::area(&map, stitch, Detail::High))
    }

    /// Returns the surface of a prim or a sculpt in the unit cube. A mesh has none.
    pub fn surface(&self, part: &Part, detail: Detail) -> Result<Surface, NotEvaluated> {
        let Some(kind) = part.shape.sculpted() else {
            return Ok(prim::surface(&(&part.shape).into(), detail));
        };
        let (map, stitch) = self.sculpt_map(kind)?;
        Ok(sculpt::sculpt(&map, stitch, kind.kind & 64 != 0, kind.kind & 128 != 0, detail))
    }

    /// Returns the sculpt map that gives this shape, and how its borders meet.
    fn sculpt_map(&self, kind: Sculpt) -> Result<(Bitmap<'a>, Stitch), NotEvaluated> {
        let stitch = stitch(kind).ok_or(NotEvaluated::SculptKindUnknown)?;
        let map = self.sculpt.ok_or(NotEvaluated::SculptMissing)?;
        let map = map.pixels().map(SculptMap::bitmap).filter(Bitmap::is_complete);
        Ok((map.ok_or(NotEvaluated::SculptBroken)?, stitch))
    }
}

pub fn physics_mesh(mesh: &MeshFacts, model: PhysicsModel) -> Option<&TriangleMesh> {
    match model {
        PhysicsModel::SecondLife => mesh.physics_mesh.as_ref(),
        PhysicsModel::OpensimUbode | PhysicsModel::OpensimBulletsim => mesh.opensim_physics_mesh(),
    }
}

/// Returns the values that determine the surface of a part. With a sculpt map no parameter of the prim counts.
fn form(part: &Part) -> Shape {
    match part.shape.sculpted() {
        Some(_) => Shape { sculpt: part.shape.sculpt, ..Shape::default() },
        None => part.shape,
    }
}

/// Returns the level of detail at which a part collides.
pub fn physics_level(part: &Part) -> Detail {
    physics_detail(part.scale.element_sum() / 3.0)
}

/// Looks up a figure, or computes and stores it. Returns `empty` if there is no figure. Other errors are not stored,
/// because they are found again quickly.
fn remembered<K: std::hash::Hash + Eq, V: Copy>(
    known: &Known<K, V>,
    key: K,
    empty: NotEvaluated,
    make: impl FnOnce() -> Result<Option<V>, NotEvaluated>,
) -> Result<V, NotEvaluated> {
    let lock = || lock(known);
    let found = lock().get(&key).copied();
    let value = match found {
        Some(value) => value,
        None => {
            let value = make()?;
            lock().insert(key, value);
            value
        }
    };
    value.ok_or(empty)
}

fn stitch(kind: Sculpt) -> Option<Stitch> {
    match kind.base_kind() {
        1 => Some(Stitch::Sphere),
        2 => Some(Stitch::Torus),
        3 => Some(Stitch::Plane),
        4 => Some(Stitch::Cylinder),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics_shape::tests::{curved, prim, sculpt_map};
    use hullmark_format::mesh::Mesh;
    use hullmark_ledger::facts::SculptState;
    use hullmark_util::work::Work;

    fn body<'a>(surfaces: &'a Surfaces, sculpt: Option<&'a SculptFacts>) -> Body<'a> {
        Body { mesh: None, sculpt, surfaces }
    }

    #[test]
    fn a_hollow_box_is_its_triangles_and_a_box_its_eight_corners() {
        let surfaces = Surfaces::default();
        let mut part = prim();
        part.shape.profile_hollow = 25_000;
        let found = body(&surfaces, None).triangles(&part, Detail::Low, part.scale).unwrap();
        assert_eq!((found.count, found.without_width), (32, 0));
        assert!((found.size - part.scale).length() < 1e-12);
        let hull = body(&surfaces, None).hull(&part, Detail::Low).unwrap();
        assert_eq!(hull.vertices, 8);
        assert!((hull.volume - 1.0).abs() < 1e-4);
        // The second call returns the same value.
        assert_eq!(body(&surfaces, None).triangles(&part, Detail::Low, part.scale), Ok(found));
    }

    #[test]
    fn widths_grow_with_the_scale() {
        let surfaces = Surfaces::default();
        let mut torus = curved(0, 32);
        let width = |part: &Part| {
            body(&surfaces, None).triangles(part, Detail::Low, part.scale).unwrap().mean_width_m
        };
        let one = width(&torus);
        torus.scale *= 3.0;
        assert!((width(&torus) - 3.0 * one).abs() < 1e-12);
    }

    #[test]
    fn a_sculpt_needs_its_map() {
        let surfaces = Surfaces::default();
        let mut part = prim();
        part.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(9), kind: 3 });
        let ask = |map| body(&surfaces, map).hull(&part, Detail::Low);
        assert_eq!(ask(None), Err(NotEvaluated::SculptMissing));
        let broken = SculptFacts { state: SculptState::Broken("cut".into()), ..sculpt_map(0, &[]) };
        assert_eq!(ask(Some(&broken)), Err(NotEvaluated::SculptBroken));
        // A ramp in red and green over a constant blue: a square.
        let rgb: Vec<u8> = (0..64_u32).flat_map(|i| [(i % 8 * 36) as u8, (i / 8 * 36) as u8, 128]).collect();
        let ramp = sculpt_map(8, &rgb);
        assert_eq!(ask(Some(&ramp)).unwrap().vertices, 4);
        part.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(9), kind: 6 });
        assert_eq!(
            body(&surfaces, Some(&ramp)).hull(&part, Detail::Low),
            Err(NotEvaluated::SculptKindUnknown)
        );
    }

    #[test]
    fn stores_are_asked_for_missing_assets() {
        let (own, missing, broken) = (Uuid::from_u128(1), Uuid::from_u128(2), Uuid::from_u128(3));
        let mesh = |uuid, entry: &str| {
            MeshFacts::new(entry.into(), Some(uuid), b"", &Mesh::default(), &mut Work::unlimited())
        };
        let (first, second) = (mesh(own, "input"), [own, missing, broken].map(|uuid| mesh(uuid, "store")));
        let mut stores = Assets::new(&second, []);
        stores.present = [own, missing, broken].into();
        let mut input = Assets::new([&first], []);
        input.present = [own, broken].into();
        let input = input.backed_by(&stores);
        let from = |uuid| input.mesh(uuid).map(|mesh| mesh.entry.as_str());
        assert_eq!((from(own), from(missing), from(broken)), (Some("input"), Some("store"), None));
        assert!(input.has(own) && input.has(missing) && !input.has(Uuid::from_u128(4)));
        assert!(input.in_stores(missing) && !input.in_stores(own) && !stores.has_stores());
    }

    #[test]
    fn nothing_wide_is_no_surface() {
        assert_eq!(Triangles::new([]), None);
        let flat = Triangles::new([[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]]).unwrap();
        assert_eq!((flat.count, flat.without_width, flat.mean_width_m), (1, 1, 0.0));
        assert_eq!(Triangles::new([[DVec3::NAN, DVec3::X, DVec3::Y]]), None);
    }
}
