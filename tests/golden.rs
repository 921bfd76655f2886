//! Real exports against what an independent program found in them.
//!
//! The exports in `../shared/data` may not be published, so these tests are skipped where they are absent;
//! where `CI` is set that is a failure. `../shared/golden/README.md` says how the other program counts; where
//! its way differs from hullmark's, the comparison says so and compares what is meant.
//!
//! Everything is scanned once. A comparison does not stop at the first difference: [`Differences`] collects all.

use crate::support::files;
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::read::GzDecoder;
use glam::{DQuat, DVec3};
use hullmark::{
    analysis::{
        Case,
        cost::{Cost, physics},
        linkability::{current::Verdict, havok4::order::Order},
        measure::{Accounting, MeshMeasures, ObjectMeasures, PartMeasures},
        physics_shape::{Representation, ShapeType},
    },
    format::{
        defect::{DefectKind, MeshDefect, ObjectDefect},
        mesh::{self, LODS},
        object::Part,
        reference::{Reference, Use},
    },
    geometry::quantized::Domain,
    ledger::{
        self, Ledger,
        facts::{LodFacts, MeshFacts, ObjectFacts, Role, Status},
    },
    report::{self, Manifest, Reports},
    scan::{
        Unwatched, scan,
        source::{self, Input, Item, Kind, Visitor},
    },
    settings::{config::Config, limits::Limits, profile::Profile},
};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    env,
    fmt::{Debug, Display},
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
};
use uuid::Uuid;

/// Costs. Both programs compute with f64, so this is far nearer than the 1e-4 that anybody would need.
const COST: Near = Near { relative: 1e-9, absolute: 0.0 };
/// Lengths, areas and directions; a picometre where the value is 0.
const EXACT: Near = Near { relative: 1e-9, absolute: 1e-12 };
/// Margins of linkability: where a sphere's radius is known to 1e-15, its centre is to the root of that.
const MARGIN: Near = Near { relative: 0.0, absolute: 1e-7 };
/// Points of hulls.
const POINT: Near = Near { relative: 0.0, absolute: 1e-6 };

// What the other program wrote.

#[derive(Deserialize)]
struct GoldenFile {
    inputs: Vec<Golden>,
}

#[derive(Deserialize)]
struct Golden {
    /// Below the folder of the exports.
    path: String,
    source: GoldenSource,
    meshes: Vec<GoldenMesh>,
    /// What stands in a region.
    objects: Vec<GoldenObject>,
    /// What lies in an inventory.
    nested: Vec<GoldenObject>,
}

#[derive(Deserialize)]
struct GoldenSource {
    kind: String,
    /// Absent for an unpacked archive.
    bytes: Option<u64>,
    compression: Option<String>,
    entries: u64,
    entry_bytes: u64,
    directories: u64,
    major: Option<i64>,
    minor: Option<i64>,
    #[serde(default)]
    datetime: Option<String>,
    #[serde(default)]
    assets_included: Option<String>,
    asset_types: BTreeMap<String, u64>,
    regions: Vec<GoldenRegion>,
}

#[derive(Deserialize)]
struct GoldenRegion {
    id: Option<Uuid>,
    dir: Option<String>,
    size: Option<String>,
}

#[derive(Deserialize)]
struct GoldenMesh {
    name: String,
    uuid: Option<Uuid>,
    bytes: u64,
    header_bytes: u64,
    version: Option<i64>,
    has_skin: bool,
    blocks: BTreeMap<String, GoldenBlock>,
    lods: BTreeMap<String, GoldenLod>,
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
    bounding_verts: Option<u32>,
    bounding_first: Option<[f64; 3]>,
    bounding_last: Option<[f64; 3]>,
    hull_counts: Option<Vec<u32>>,
    positions_points: Option<u32>,
    physics_mesh: Option<GoldenLod>,
    hull_cost: Option<f64>,
    decomposition_cost: Option<f64>,
    /// By scale: `2,3,4`.
    triangle_cost: BTreeMap<String, Option<f64>>,
    /// By the side of a cube: `10`.
    streaming_cost: BTreeMap<String, Option<f64>>,
}

#[derive(Deserialize)]
struct GoldenBlock {
    offset: i64,
    size: i64,
    inflated: Option<u64>,
}

#[derive(Deserialize)]
struct GoldenLod {
    submeshes: u32,
    no_geometry: u32,
    vertices: u32,
    triangles: u32,
}

#[derive(Deserialize)]
struct GoldenObject {
    entry: String,
    group_index: u32,
    format: String,
    link_order_is_document_order: bool,
    /// In document order.
    parts: Vec<GoldenPart>,
    diameter: f64,
    linkable_2010: bool,
    havok4: GoldenHavok4,
    aabb_size: [f64; 3],
    root_frame_aabb_size: [f64; 3],
    root_frame_mean_face_area: f64,
    flags: GoldenFlags,
    script_count: u32,
    land_impact_opt_in: bool,
    /// Absent where it depends on a surface that the other program does not build.
    physics_cost: Option<f64>,
}

#[derive(Deserialize)]
struct GoldenHavok4 {
    linkable: bool,
    pieces: usize,
    linked_with_root: usize,
    root_sphere_radius: f64,
    least_margin: Option<f64>,
}

#[derive(Deserialize)]
struct GoldenFlags {
    physical: bool,
    phantom: bool,
    temporary: bool,
    volume_detect: bool,
    scripted: bool,
}

#[derive(Deserialize)]
struct GoldenPart {
    uuid: Uuid,
    name: String,
    link_num: i32,
    scale: [f64; 3],
    position: [f64; 3],
    /// x, y, z, w in the axes of the region.
    rotation: [f64; 4],
    pcode: u8,
    shape: String,
    representation: String,
    /// 0 where the document has none.
    physics_shape_type: u8,
    sculpt_type: Option<u8>,
    mesh_uuid: Option<Uuid>,
    scripts: u32,
    physics_cost: Option<f64>,
    /// Of meshes only.
    streaming_cost: Option<f64>,
}

// What hullmark makes of the same exports.

/// All exports, read once for all tests.
struct Study {
    data: PathBuf,
    profile: Profile,
    limits: Limits,
    inputs: Vec<Input>,
    ledgers: Vec<Ledger>,
    golden: BTreeMap<String, Golden>,
}

/// What a ledger does not keep of a mesh.
struct Points {
    header_bytes: u64,
    domain: Option<Domain>,
    /// The base hull's first and last point, in units of the unit cube.
    ends: Option<[DVec3; 2]>,
}

/// The exports, or `None` where they are not there: then the test has nothing to do.
fn study() -> Option<&'static Study> {
    static STUDY: OnceLock<Option<Study>> = OnceLock::new();
    STUDY.get_or_init(|| shared().map(|shared| Study::new(&shared))).as_ref()
}

/// Every export with all its measures, in the order of the ledgers.
fn cases(study: &'static Study) -> &'static [Case<'static>] {
    static CASES: OnceLock<Vec<Case<'static>>> = OnceLock::new();
    CASES.get_or_init(|| study.ledgers.iter().map(|ledger| Case::new(ledger, &study.profile)).collect())
}

fn shared() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    if shared.is_dir() {
        return Some(shared);
    }
    assert!(env::var("CI").as_deref() != Ok("true"), "the real exports are not at {}", shared.display());
    // Not `eprintln!`, which the test harness would swallow.
    let _ = writeln!(io::stderr(), "skipped: there are no real exports at {}", shared.display());
    None
}

impl Study {
    fn new(shared: &Path) -> Self {
        let data = shared.join("data");
        let limits = Limits::default();
        let inputs = source::walk(std::slice::from_ref(&data), &[]).unwrap();
        let ledgers = scan_all(&inputs, &limits, 0);
        let golden = fs::read_dir(shared.join("golden")).unwrap().map(|entry| entry.unwrap().path());
        let golden = golden.filter(|path| path.extension().is_some_and(|extension| extension == "gz"));
        let golden = golden.flat_map(|path| read_json::<GoldenFile>(&path).inputs);
        Self {
            golden: golden.map(|golden| (golden.path.clone(), golden)).collect(),
            profile: Profile::default(),
            data,
            limits,
            inputs,
            ledgers,
        }
    }

    /// The path of an input below the folder of the exports.
    fn path_of<'a>(&self, input: &'a str) -> &'a str {
        input.strip_prefix(&*self.data.to_string_lossy()).unwrap_or(input).trim_start_matches('/')
    }

    /// What was found in this input by hullmark and by the other program. A loose file has no ledger of its own:
    /// that of its folder has it.
    fn pairs(&'static self) -> impl Iterator<Item = (&'static Golden, &'static Case<'static>)> {
        self.golden.values().map(move |golden| {
            let folder = if golden.source.kind == "mesh" { "" } else { golden.path.as_str() };
            let case = cases(self).iter().find(|case| self.path_of(&case.ledger.input) == folder);
            (golden, case.unwrap_or_else(|| panic!("{} was not audited", golden.path)))
        })
    }

    /// The meshes of an input with their points, by entry.
    fn points(&self, input: &str) -> HashMap<String, Points> {
        let input = self.inputs.iter().find(|other| other.name == input).unwrap();
        let mut visitor = MeshVisitor { limits: &self.limits, meshes: HashMap::new() };
        source::read(input, &self.limits, &mut visitor);
        visitor.meshes
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> T {
    let text = io::read_to_string(GzDecoder::new(File::open(path).unwrap())).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The ledgers of these inputs, in their order.
fn scan_all(inputs: &[Input], limits: &Limits, threads: usize) -> Vec<Ledger> {
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    scan(inputs, limits, threads, &Unwatched, &keep).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    ledgers.sort_by(|a: &Ledger, b| a.input.cmp(&b.input));
    ledgers
}

/// Decodes the meshes of an input and keeps what a ledger does not.
struct MeshVisitor<'a> {
    limits: &'a Limits,
    meshes: HashMap<String, Points>,
}

impl Visitor for MeshVisitor<'_> {
    fn make_room(&mut self, _bytes: u64) {}
    fn passed(&mut self, _name: &str, _kind: Kind, _bytes: u64) {}
    fn progress(&self, _bytes: u64) {}

    fn item(&mut self, item: Item) {
        if item.kind != Kind::Mesh {
            return;
        }
        let (mesh, _) = mesh::decode(&item.bytes, self.limits);
        let convex = mesh.convex.as_ref();
        let ends = convex.and_then(|convex| {
            let base = convex.base.as_ref()?;
            Some([*base.first()?, *base.last()?].map(|point| convex.domain.point(point)))
        });
        let points =
            Points { header_bytes: mesh.header_bytes, domain: convex.map(|convex| convex.domain), ends };
        self.meshes.insert(item.name, points);
    }
}

// How the two are compared.

/// How near two numbers must be: one of the two bounds is enough.
#[derive(Clone, Copy)]
struct Near {
    relative: f64,
    absolute: f64,
}

impl Near {
    fn holds(self, ours: f64, golden: f64) -> bool {
        // NaN is near to nothing.
        (ours - golden).abs() <= self.absolute.max(self.relative * golden.abs())
    }
}

/// All differences of a comparison.
#[derive(Default)]
struct Differences {
    compared: usize,
    found: Vec<String>,
}

impl Differences {
    fn note(&mut self, agree: bool, place: &dyn Display, what: &str, ours: &dyn Debug, golden: &dyn Debug) {
        self.compared += 1;
        if !agree {
            self.found.push(format!("{place}: {what}: hullmark {ours:?}, golden {golden:?}"));
        }
    }

    #[allow(clippy::needless_pass_by_value)] // Calls read as they would with assert_eq!
    fn same<T: PartialEq + Debug>(&mut self, place: &dyn Display, what: &str, ours: T, golden: T) {
        self.note(ours == golden, place, what, &ours, &golden);
    }

    fn near(&mut self, place: &dyn Display, what: &str, near: Near, ours: Option<f64>, golden: Option<f64>) {
        let agree = match (ours, golden) {
            (Some(ours), Some(golden)) => near.holds(ours, golden),
            (None, None) => true,
            _ => false,
        };
        self.note(agree, place, what, &ours, &golden);
    }

    fn near_points(
        &mut self,
        place: &dyn Display,
        what: &str,
        near: Near,
        ours: Option<DVec3>,
        golden: Option<[f64; 3]>,
    ) {
        let agree = match (ours, golden) {
            (Some(ours), Some(golden)) => {
                ours.to_array().into_iter().zip(golden).all(|(ours, golden)| near.holds(ours, golden))
            }
            (None, None) => true,
            _ => false,
        };
        self.note(agree, place, what, &ours, &golden);
    }

    /// Fails with the first differences, or where next to nothing was compared.
    fn fail_if_any(self, at_least: usize) {
        let first = self.found.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(self.found.is_empty(), "{} of {} differ:\n{first}", self.found.len(), self.compared);
        assert!(self.compared >= at_least, "only {} values were compared", self.compared);
    }
}

#[test]
fn every_export_was_studied_by_both() {
    let Some(study) = study() else { return };
    // Databases and caches of assets are no exports: nobody studied them.
    let is_studied =
        |path: &&str| !["databases", "flotsam-cache"].iter().any(|folder| path.starts_with(folder));
    let ours = study.ledgers.iter().map(|ledger| study.path_of(&ledger.input));
    let ours: BTreeSet<&str> = ours.filter(is_studied).collect();
    // A loose file stands for its folder; of its other files one is text and one of a kind that nobody reads.
    let golden = study.golden.values();
    let golden: BTreeSet<&str> =
        golden.map(|golden| if golden.source.kind == "mesh" { "" } else { golden.path.as_str() }).collect();
    assert_eq!(ours, golden);
    for ledger in &study.ledgers {
        assert_eq!(ledger.status, Status::Complete, "{}", ledger.input);
    }
    let folder = study.ledgers.iter().find(|ledger| study.path_of(&ledger.input).is_empty()).unwrap();
    let unknown: Vec<&str> = folder.unknown.iter().map(|file| file.entry.as_str()).collect();
    assert_eq!(unknown, ["README.md", "opencollar-remote-8.0.oxp"]);
}

#[test]
fn archives_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    for (golden, case) in study.pairs() {
        compare_archive(golden, case, &mut differences);
    }
    differences.fail_if_any(100);
}

fn compare_archive(golden: &Golden, case: &Case<'_>, differences: &mut Differences) {
    let (ledger, source) = (case.ledger, &golden.source);
    let place = &golden.path;
    let objects = |role| ledger.objects.iter().filter(move |object| object.role == role);
    let parts = |role| objects(role).map(|object| object.linkset.parts.len()).sum();
    let golden_parts = |objects: &[GoldenObject]| objects.iter().map(|object| object.parts.len()).sum();
    let mut same = |what, ours: usize, golden| differences.same(place, what, ours, golden);
    same("objects", objects(Role::Rezzed).count(), golden.objects.len());
    same("parts", parts(Role::Rezzed), golden_parts(&golden.objects));
    same("nested objects", objects(Role::Nested).count(), golden.nested.len());
    same("nested parts", parts(Role::Nested), golden_parts(&golden.nested));
    same("loose objects", objects(Role::Loose).count(), 0);
    same("meshes", ledger.meshes.len(), golden.meshes.len());

    let container = &ledger.container;
    differences.same(place, "entries", container.entries, source.entries);
    differences.same(place, "bytes of the entries", container.expanded_bytes, source.entry_bytes);
    if source.kind == "mesh" {
        return;
    }
    let kind = source.kind.replace("oar-directory", "oar-tree");
    differences.same(place, "kind", ledger.kind.as_str(), &kind);
    if let Some(bytes) = source.bytes {
        differences.same(place, "bytes", ledger.bytes, bytes);
    }
    differences.same(place, "compression", &container.compression, &source.compression);
    differences.same(place, "directories", container.directories, source.directories);
    differences.same(place, "assets", &container.assets, &source.asset_types);
    let control = container.control.clone().unwrap_or_default();
    differences.same(place, "version", (control.major, control.minor), (source.major, source.minor));
    let datetime = source.datetime.as_ref().map(|seconds| seconds.parse().unwrap());
    differences.same(place, "datetime", control.created, datetime);
    let included = source.assets_included.as_ref().map(|word| word == "True");
    differences.same(place, "assets included", control.assets_included, included);
    let ours = control.regions.iter().map(|region| (region.uuid, &*region.folder, region.size));
    let golden = source.regions.iter().map(|region| {
        let sides = |size: &String| {
            let (east, north) = size.split_once(',').unwrap();
            [east, north].map(|side| side.parse::<u32>().unwrap())
        };
        (region.id, region.dir.as_deref().unwrap_or_default(), region.size.as_ref().map(sides))
    });
    differences.same(place, "regions", ours.collect::<Vec<_>>(), golden.collect());
}

#[test]
fn meshes_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    for (golden, case) in study.pairs().filter(|(golden, _)| !golden.meshes.is_empty()) {
        let points = study.points(&case.ledger.input);
        let meshes: HashMap<&str, usize> = case
            .ledger
            .meshes
            .iter()
            .enumerate()
            .map(|(number, mesh)| (mesh.entry.as_str(), number))
            .collect();
        for golden in &golden.meshes {
            let number = meshes.get(golden.name.as_str());
            differences.same(&golden.name, "found", number.is_some(), true);
            if let Some(&number) = number {
                let (mesh, measures) = (&case.ledger.meshes[number], &case.meshes[number]);
                compare_mesh(golden, mesh, measures, &points[&mesh.entry], &study.profile, &mut differences);
            }
        }
    }
    differences.fail_if_any(20_000);
}

fn compare_mesh(
    golden: &GoldenMesh,
    mesh: &MeshFacts,
    measures: &MeshMeasures,
    points: &Points,
    profile: &Profile,
    differences: &mut Differences,
) {
    let place = &golden.name;
    differences.same(place, "uuid", mesh.uuid, golden.uuid);
    differences.same(place, "bytes", mesh.bytes, golden.bytes);
    differences.same(place, "bytes of the header", points.header_bytes, golden.header_bytes);
    differences.same(place, "version", mesh.version, golden.version);
    differences.same(place, "skin", mesh.joints.is_some(), golden.has_skin);
    let ours = mesh.blocks.iter().map(|block| (&*block.name, (block.offset, block.size, block.inflated)));
    let theirs =
        golden.blocks.iter().map(|(name, block)| (&**name, (block.offset, block.size, block.inflated)));
    differences.same(place, "blocks", ours.collect::<BTreeMap<_, _>>(), theirs.collect());
    for (level, name) in LODS.into_iter().enumerate() {
        let golden = golden.lods.get(name).map(lod);
        differences.same(place, name, mesh.lods[level], golden);
    }

    let convex = mesh.convex.as_ref();
    differences.near_points(place, "Min", POINT, points.domain.map(|domain| domain.min), golden.min);
    differences.near_points(place, "Max", POINT, points.domain.map(|domain| domain.max), golden.max);
    let base = convex.and_then(|convex| convex.base);
    differences.same(place, "points of the base hull", base.map(|base| base.points), golden.bounding_verts);
    let [first, last] = points.ends.map_or([None; 2], |ends| ends.map(Some));
    differences.near_points(place, "first point of the base hull", POINT, first, golden.bounding_first);
    differences.near_points(place, "last point of the base hull", POINT, last, golden.bounding_last);
    let hulls = convex.map_or(&[][..], |convex| convex.hulls.as_slice());
    let hulls: Vec<u32> = hulls.iter().map(|hull| hull.points).collect();
    differences.same(place, "hulls", &hulls, golden.hull_counts.as_ref().unwrap_or(&Vec::new()));
    let positions = convex.and_then(|convex| convex.positions);
    differences.same(place, "points of all hulls", positions, golden.positions_points);
    let physics_mesh = mesh.physics_mesh.as_ref().map(|mesh| LodFacts {
        submeshes: mesh.submeshes.len() as u32,
        empty_submeshes: mesh.submeshes.iter().filter(|face| face.points.is_empty()).count() as u32,
        vertices: mesh.submeshes.iter().map(|face| face.points.len() as u32).sum(),
        triangles: mesh.submeshes.iter().map(|face| face.triangles.len() as u32).sum(),
    });
    differences.same(place, "physics mesh", physics_mesh, golden.physics_mesh.as_ref().map(lod));

    let mut near = |what: &str, ours: Cost, golden| differences.near(place, what, COST, ours.exact(), golden);
    // Where none is stored, hullmark charges the hull that an uploader would have made.
    if mesh.convex.as_ref().is_some_and(|convex| convex.base.is_some()) {
        near("cost of the base hull", measures.base_hull_cost, golden.hull_cost);
    }
    near("cost of the decomposition", measures.decomposition_cost, golden.decomposition_cost);
    for (name, scale) in [("1,1,1", DVec3::ONE), ("2,3,4", DVec3::new(2.0, 3.0, 4.0))] {
        let ours = physics::mesh_triangles(mesh, scale, &profile.physics);
        near(&format!("cost of the triangles at {name} m"), ours, golden.triangle_cost[name]);
    }
    near("streaming cost at 1 m", measures.streaming_cost_1m, golden.streaming_cost["1"]);
    near("streaming cost at 10 m", measures.streaming_cost_10m, golden.streaming_cost["10"]);
}

fn lod(golden: &GoldenLod) -> LodFacts {
    LodFacts {
        submeshes: golden.submeshes,
        empty_submeshes: golden.no_geometry,
        vertices: golden.vertices,
        triangles: golden.triangles,
    }
}

/// Compares every object, found by its entry and its number in there, with the object of the other program.
fn each_object(
    study: &'static Study,
    differences: &mut Differences,
    compare: fn(&GoldenObject, &ObjectFacts, &ObjectMeasures, &str, &mut Differences),
) {
    for (Golden { path, objects, nested, .. }, case) in study.pairs() {
        let ours: HashMap<_, _> =
            case.objects().map(|pair| ((pair.0.entry.as_str(), pair.0.index), pair)).collect();
        let roles = [(objects, Role::Rezzed), (nested, Role::Nested)];
        for (golden, role) in
            roles.into_iter().flat_map(|(list, role)| list.iter().map(move |one| (one, role)))
        {
            let place = format!("{path} {}#{}", golden.entry, golden.group_index);
            let ours = ours.get(&(golden.entry.as_str(), golden.group_index));
            differences.same(&place, "role", ours.map(|(object, _)| object.role), Some(role));
            if let Some((object, measures)) = ours {
                compare(golden, object, measures, &place, differences);
            }
        }
    }
}

#[test]
fn objects_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    each_object(study, &mut differences, compare_object);
    differences.fail_if_any(90_000);
}

fn compare_object(
    golden: &GoldenObject,
    object: &ObjectFacts,
    measures: &ObjectMeasures,
    place: &str,
    differences: &mut Differences,
) {
    let place = &place;
    differences.same(place, "format", object.layout.name(), golden.format.as_str());
    let in_order = object.linkset.document_in_link_order;
    differences.same(place, "document in link order", in_order, golden.link_order_is_document_order);
    let uuids = object.linkset.parts.iter().map(|part| part.uuid).collect::<Vec<_>>();
    differences.same(
        place,
        "parts",
        uuids,
        in_link_order(&golden.parts).iter().map(|part| part.uuid).collect(),
    );

    differences.near(place, "diameter", EXACT, measures.link.current.diameter_m(), Some(golden.diameter));
    let (havok4, theirs) = (&measures.link.havok4, &golden.havok4);
    differences.same(place, "linkable by Havok4", havok4.verdict == Verdict::Linkable, theirs.linkable);
    differences.same(place, "pieces by Havok4", havok4.pieces.len(), theirs.pieces);
    differences.same(place, "linked with the root", havok4.linked_with_root(), Some(theirs.linked_with_root));
    let radius = havok4.pieces.first().map(|piece| piece.ball.radius);
    differences.near(place, "radius of the root's piece", EXACT, radius, Some(theirs.root_sphere_radius));
    differences.near(place, "least margin", MARGIN, havok4.least_margin_m, theirs.least_margin);
    differences.same(
        place,
        "linkable",
        measures.link.current.verdict == Verdict::Linkable,
        golden.linkable_2010,
    );
    let region_box = measures.region_box.map(|bounds| bounds.size());
    differences.near_points(place, "box in the region's axes", EXACT, region_box, Some(golden.aabb_size));
    let root_box = measures.root_box.map(|bounds| bounds.size());
    differences.near_points(
        place,
        "box in the root's axes",
        EXACT,
        root_box,
        Some(golden.root_frame_aabb_size),
    );
    let area = Some(golden.root_frame_mean_face_area);
    differences.near(place, "mean face area", EXACT, measures.mean_face_area, area);

    let flags = &golden.flags;
    differences.same(place, "physical", measures.physical, flags.physical);
    differences.same(place, "phantom", measures.phantom, flags.phantom);
    differences.same(place, "temporary", measures.temporary, flags.temporary);
    differences.same(place, "volume detect", measures.volume_detect, flags.volume_detect);
    differences.same(place, "scripted", measures.scripted, flags.scripted);
    differences.same(place, "scripts", measures.scripts, golden.script_count);
    let new = measures.accounting == Accounting::New;
    // The other implementation does not know that materials opt in (wiki, Material Data).
    let parts = object.linkset.parts.iter();
    let uses: Vec<Use> = parts.flat_map(|part| &part.references).map(|reference| reference.what).collect();
    if !uses.iter().any(|what| matches!(what, Use::Material | Use::NormalMap | Use::SpecularMap)) {
        differences.same(place, "under new accounting", new, golden.land_impact_opt_in);
    }
    if golden.physics_cost.is_some() {
        differences.near(
            place,
            "physics cost",
            COST,
            measures.physics_cost_if_new.exact(),
            golden.physics_cost,
        );
    }
}

/// Nine clusters of trees and a cottage, although all of them link in link order.
#[test]
fn some_real_sets_depend_on_their_order() {
    let Some(study) = study() else { return };
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (object, measures) in study.pairs().flat_map(|(_, case)| case.objects()) {
        let order = match measures.link.havok4_order {
            Some(Order::Matters(_)) => "matters",
            Some(Order::CannotMatter) if object.linkset.parts.len() > 1 => "cannot matter",
            Some(Order::CannotMatter) => "alone",
            Some(Order::NoneFound(_)) => "none found",
            None => "not evaluated",
        };
        *found.entry(order).or_default() += 1;
    }
    let expected = [("alone", 5565), ("cannot matter", 540), ("matters", 10), ("none found", 1)];
    assert_eq!(found, expected.into());
}

/// The root, then the children by link number, in document order among equals. A child without a number has
/// that of its place.
fn in_link_order(document: &[GoldenPart]) -> Vec<&GoldenPart> {
    let mut parts: Vec<(i32, &GoldenPart)> = (1..).zip(document).collect();
    for (number, part) in &mut parts {
        if part.link_num != 0 {
            *number = part.link_num;
        }
    }
    parts[1..].sort_by_key(|(number, _)| *number);
    parts.into_iter().map(|(_, part)| part).collect()
}

#[test]
fn parts_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    each_object(study, &mut differences, |golden, object, measures, place, differences| {
        let ours = object.linkset.parts.iter().zip(&measures.parts);
        for (number, ((part, measures), golden)) in ours.zip(in_link_order(&golden.parts)).enumerate() {
            compare_part(golden, part, measures, &format!("{place} part {number}"), differences);
        }
    });
    differences.fail_if_any(250_000);
}

fn compare_part(
    golden: &GoldenPart,
    part: &Part,
    measures: &PartMeasures,
    place: &str,
    differences: &mut Differences,
) {
    let place = &place;
    differences.same(place, "uuid", part.uuid, golden.uuid);
    differences.same(place, "name", &part.name, &golden.name);
    differences.same(place, "link number", part.link_number, golden.link_num);
    differences.near_points(place, "scale", EXACT, Some(part.scale), Some(golden.scale));
    differences.near_points(place, "position", EXACT, Some(measures.position), Some(golden.position));
    // A rotation and its negative turn alike.
    let turn = DQuat::from_array(golden.rotation).dot(measures.rotation).abs();
    differences.near(place, "cosine between the rotations", EXACT, Some(turn), Some(1.0));
    differences.same(place, "pcode", part.shape.pcode, golden.pcode);
    let sculpt = part.shape.sculpt.map(|sculpt| sculpt.kind);
    differences.same(place, "sculpt type", sculpt, golden.sculpt_type);
    differences.same(place, "mesh", part.mesh(), golden.mesh_uuid);
    differences.same(place, "scripts", measures.scripts, golden.scripts);
    let shape_type = match ShapeType::of(part) {
        ShapeType::Prim => 0,
        ShapeType::None => 1,
        ShapeType::Convex => 2,
    };
    differences.same(place, "physics shape type", shape_type, golden.physics_shape_type);
    differences.same(place, "shape", measures.class.kind.name(), golden.shape.as_str());
    let representation = golden_name(measures.representation);
    differences.same(place, "representation", representation, golden.representation.as_str());
    if golden.physics_cost.is_some() {
        differences.near(place, "physics cost", COST, measures.physics_cost.exact(), golden.physics_cost);
    }
    if golden.streaming_cost.is_some() {
        differences.near(
            place,
            "streaming cost",
            COST,
            measures.streaming_cost.exact(),
            golden.streaming_cost,
        );
    }
}

/// The name that the other program has for what collides. It does not build surfaces.
fn golden_name(representation: Representation) -> &'static str {
    match representation {
        Representation::Box => "box",
        Representation::Sphere => "sphere",
        Representation::Cylinder => "cylinder",
        Representation::None => "none",
        Representation::BaseHull | Representation::Decomposition => "hull",
        Representation::TriangleMesh => "triangle-mesh",
        Representation::SurfaceHull
        | Representation::SurfaceMesh
        | Representation::Unknown
        | Representation::NotApplicable => "other",
    }
}

/// The figures that people know this export by.
#[test]
fn the_large_region_has_its_known_figures() {
    let Some(study) = study() else { return };
    let is_it = |ledger: &&Ledger| study.path_of(&ledger.input) == "franzinha-no-textures.oar";
    let ledger = study.ledgers.iter().find(is_it).unwrap();
    let of = |role| ledger.objects.iter().filter(move |object| object.role == role);
    assert_eq!(of(Role::Rezzed).count(), 167);
    assert_eq!(of(Role::Rezzed).map(|object| object.linkset.parts.len()).sum::<usize>(), 1_230);
    assert_eq!(of(Role::Nested).count(), 521);
    assert_eq!(ledger.meshes.len(), 1_024);
    // A base hull that is missing is no error of decoding, one object has
    // two states of scripts without a word of whose they are, and two skins have matrices that are no numbers.
    let of_kind =
        |kind: DefectKind| ledger.defects.iter().filter(|defect| defect.kind.sort() == kind.sort()).count();
    assert_eq!(of_kind(ObjectDefect::StatesWithoutItem { states: 2 }.into()), 1);
    assert_eq!(of_kind(MeshDefect::UnusableBindMatrices.into()), 2);
    let hulls = [MeshDefect::ConvexMissing, MeshDefect::BasePointsMissing, MeshDefect::TooFewBasePoints];
    let without_hull: usize = hulls.map(|kind| of_kind(kind.into())).iter().sum();
    assert_eq!(without_hull + 3, ledger.defects.len());
}

/// Sounds, particles and default textures of all objects, against a plain search for their elements in the text.
#[test]
fn references_agree_with_the_text() {
    let Some(study) = study() else { return };
    let mut total = 0;
    for ledger in &study.ledgers {
        let input = study.inputs.iter().find(|input| input.name == ledger.input).unwrap();
        let mut text = TextVisitor::default();
        source::read(input, &study.limits, &mut text);
        let parts = || ledger.objects.iter().flat_map(|object| &object.linkset.parts);
        let mut ours = BTreeMap::new();
        for reference in parts().flat_map(|part| &part.references) {
            if matches!(reference.what, Use::Sound | Use::CollisionSound | Use::Particle) {
                *ours.entry(*reference).or_default() += 1;
            }
        }
        assert_eq!(ours, text.references, "{}", ledger.input);
        let has_texture =
            |part: &&Part| part.references.iter().any(|reference| reference.what == Use::Texture);
        assert_eq!(parts().filter(has_texture).count(), text.default_textures, "{}", ledger.input);
        total += text.default_textures;
    }
    assert!(total > 20_000, "only {total} parts have textures");
}

/// Looks for elements in the text of objects.
#[derive(Default)]
struct TextVisitor {
    references: BTreeMap<Reference, usize>,
    default_textures: usize,
}

impl Visitor for TextVisitor {
    fn make_room(&mut self, _bytes: u64) {}
    fn passed(&mut self, _name: &str, _kind: Kind, _bytes: u64) {}
    fn progress(&self, _bytes: u64) {}

    fn item(&mut self, item: Item) {
        if !matches!(item.kind, Kind::Object | Kind::NestedObject) {
            return;
        }
        let text = String::from_utf8_lossy(&item.bytes);
        let values = |tag: &str| -> Vec<String> {
            let [start, end] = [format!("<{tag}>"), format!("</{tag}>")];
            text.split(&start).skip(1).map(|piece| piece.split(&end).next().unwrap().into()).collect()
        };
        let mut add = |reference: Reference| *self.references.entry(reference).or_default() += 1;
        for (tag, what) in [("CollisionSound", Use::CollisionSound), ("SoundID", Use::Sound)] {
            for value in values(tag) {
                let sound: Uuid = value.split(['<', '>']).find_map(|piece| piece.parse().ok()).unwrap();
                if !sound.is_nil() && !sound.is_max() {
                    add(what.of(sound));
                }
            }
        }
        for value in values("ParticleSystem") {
            let bytes = BASE64_STANDARD.decode(value.split_whitespace().collect::<String>()).unwrap();
            let texture = if bytes.len() == 86 { bytes.get(36..52) } else { bytes.get(40..56) };
            if let Some(texture) = texture.map(|id| Uuid::from_slice(id).unwrap()).filter(|id| !id.is_nil()) {
                add(Use::Particle.of(texture));
            }
        }
        self.default_textures += values("TextureEntry").len();
    }
}

#[test]
fn reports_do_not_depend_on_threads_or_the_order_of_arguments() {
    let Some(study) = study() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut arguments: Vec<PathBuf> =
        fs::read_dir(&study.data).unwrap().map(|entry| entry.unwrap().path()).collect();
    arguments.sort();
    let one = audit(&arguments, 1, &folder.path().join("one"), study);
    arguments.reverse();
    let four = audit(&arguments, 4, &folder.path().join("four"), study);
    assert_eq!(one.keys().collect::<Vec<_>>(), four.keys().collect::<Vec<_>>());
    assert!(one["parts.csv"].len() > 1_000_000, "the report holds next to nothing");
    for (name, bytes) in &one {
        // Not `assert_eq!`, which would print megabytes.
        assert!(*bytes == four[name], "{name} differs");
    }
}

/// Audits these paths into a folder and gives the files of the report.
fn audit(paths: &[PathBuf], threads: usize, folder: &Path, study: &Study) -> BTreeMap<String, Vec<u8>> {
    let config = Config { threads, ..Config::default() };
    let (ledgers, out) = (folder.join("ledgers"), folder.join("report"));
    fs::create_dir_all(&ledgers).unwrap();
    let inputs = source::walk(paths, &[]).unwrap();
    let keep = |ledger: Ledger| ledger.write(&ledgers).map(drop);
    scan(&inputs, &config.limits, threads, &Unwatched, &keep).unwrap();
    let reports = Reports::open(&out, &config.report, Vec::new()).unwrap();
    let manifest = Manifest::new(&config, &study.profile, None);
    let ledgers = ledger::find(&[ledgers]).unwrap();
    report::write(&ledgers, &study.profile, manifest, config.report.top, reports).unwrap();
    files(&out)
}

/// The comparison itself: what differs is noticed.
#[test]
fn differences_are_noticed() {
    let found = |compare: &dyn Fn(&mut Differences)| {
        let mut differences = Differences::default();
        compare(&mut differences);
        assert_eq!(differences.compared, 1);
        differences.found.pop()
    };
    let cost = |ours, golden| found(&|all| all.near(&"place", "cost", COST, ours, golden));
    assert_eq!(cost(Some(1.0 + 0.9e-9), Some(1.0)), None);
    let difference = cost(Some(1.25), Some(1.0));
    assert_eq!(difference.unwrap(), "place: cost: hullmark Some(1.25), golden Some(1.0)");
    assert!(cost(Some(1.0 + 1.1e-9), Some(1.0)).is_some());
    assert_eq!(cost(None, None), None);
    for (ours, golden) in [(None, Some(0.0)), (Some(0.0), None), (Some(f64::NAN), Some(1.0))] {
        assert!(cost(ours, golden).is_some(), "{ours:?} passed as {golden:?}");
    }
    let point = |ours, golden| found(&|all| all.near_points(&"", "", EXACT, Some(ours), Some(golden)));
    assert_eq!(point(DVec3::ZERO, [0.0, 0.0, 1e-13]), None);
    assert!(point(DVec3::ONE, [1.0, 1.0, 1.0 + 3e-9]).is_some());
    assert!(found(&|all| all.same(&"", "", "a", "b")).is_some());
}
