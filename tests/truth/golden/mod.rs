//! Comparison of real exports with the results of an independent program.
//!
//! The exports in `../shared/data` may not be published, so these tests are skipped if they are absent. If `CI` is set,
//! that is a failure. `../shared/golden/README.md` describes how the other program counts. If it differs from hullmark,
//! a comment says so and the comparison adapts.
//!
//! Everything is scanned once. A comparison does not stop at the first difference: [`Differences`] collects all.

mod archives;
mod differences;
mod objects;
mod references;

use crate::support::{files, shared};
use flate2::read::GzDecoder;
use glam::DVec3;
use hullmark_analysis::Measured;
use hullmark_format::{
    defect::{DefectKind, MeshDefect, ObjectDefect},
    mesh,
};
use hullmark_geometry::quantized::Domain;
use hullmark_ledger::{
    self as ledger, Ledger,
    facts::{Role, Status},
};
use hullmark_pages::{self as pages, Ledgers, ReportContext, Reports};
use hullmark_report::Manifest;
use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
use hullmark_settings::{config::Config, limits::Limits, profile::Profile};
use hullmark_source::{self as source, Input, Item, Kind, ReadRequest, Visitor, What};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
};
use uuid::Uuid;

// Output of the other program.

#[derive(Deserialize)]
struct GoldenFile {
    inputs: Vec<Golden>,
}

#[derive(Deserialize)]
struct Golden {
    /// Relative to the folder of the exports.
    path: String,
    source: GoldenSource,
    meshes: Vec<GoldenMesh>,
    /// Objects rezzed in a region.
    objects: Vec<GoldenObject>,
    /// Objects in an inventory.
    nested: Vec<GoldenObject>,
}

#[derive(Deserialize)]
struct GoldenSource {
    kind: String,
    /// `None` for an unpacked archive.
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
    /// `None` if it depends on a surface that the other program does not build.
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
    /// 0 if the document has none.
    physics_shape_type: u8,
    sculpt_type: Option<u8>,
    mesh_uuid: Option<Uuid>,
    scripts: u32,
    physics_cost: Option<f64>,
    /// `None` for parts without a mesh.
    streaming_cost: Option<f64>,
}

// Results of hullmark for the same exports.

/// All exports, read once for all tests.
struct Study {
    data: PathBuf,
    profile: Profile,
    limits: Limits,
    inputs: Vec<Input>,
    ledgers: Vec<Ledger>,
    golden: BTreeMap<String, Golden>,
}

/// Data of a mesh that a ledger does not keep.
struct Points {
    header_bytes: u64,
    domain: Option<Domain>,
    /// The first and last point of the base hull, in units of the unit cube.
    ends: Option<[DVec3; 2]>,
}

/// Returns the exports, or `None` if they are absent. Then the test has nothing to do.
fn study() -> Option<&'static Study> {
    static STUDY: OnceLock<Option<Study>> = OnceLock::new();
    STUDY.get_or_init(|| shared().map(|shared| Study::new(&shared))).as_ref()
}

/// Returns every export with all its measures, in the order of the ledgers.
fn cases(study: &'static Study) -> &'static [Measured<'static>] {
    static CASES: OnceLock<Vec<Measured<'static>>> = OnceLock::new();
    CASES.get_or_init(|| study.ledgers.iter().map(|ledger| Measured::new(ledger, &study.profile)).collect())
}

/// Returns the profile with the formulas of the other program: the viewer's download weight, without the discount of 2024.
pub(super) fn undiscounted() -> Profile {
    let mut profile = Profile::default();
    profile.streaming.static_factor = 1.0;
    profile
}

impl Study {
    fn new(shared: &Path) -> Self {
        let data = shared.join("data");
        let limits = Limits::default();
        let mut inputs = source::walk(std::slice::from_ref(&data), &[]).unwrap();
        // The other program read neither databases and caches nor exports of viewers.
        let unread = ["databases", "flotsam-cache"].map(|folder| data.join(folder));
        inputs.retain(|input| !unread.iter().any(|folder| input.path.starts_with(folder)));
        for input in &mut inputs {
            if let What::Folder(files) = &mut input.what {
                Arc::make_mut(files).retain(|file| !file.name.ends_with(".oxp"));
                input.bytes = files.iter().map(|file| file.bytes).sum();
            }
        }
        let ledgers = scan_all(&inputs, &limits, 0);
        let golden = fs::read_dir(shared.join("golden")).unwrap().map(|entry| entry.unwrap().path());
        let golden = golden.filter(|path| path.extension().is_some_and(|extension| extension == "gz"));
        let golden = golden.flat_map(|path| read_json::<GoldenFile>(&path).inputs);
        Self {
            golden: golden.map(|golden| (golden.path.clone(), golden)).collect(),
            profile: undiscounted(),
            data,
            limits,
            inputs,
            ledgers,
        }
    }

    /// Returns the path of an input relative to the folder of the exports.
    fn path_of<'a>(&self, input: &'a str) -> &'a str {
        input.strip_prefix(&*self.data.to_string_lossy()).unwrap_or(input).trim_start_matches('/')
    }

    /// Returns the results of both programs for each input. A loose file has no ledger of its own: the ledger of its
    /// folder contains it.
    fn pairs(&'static self) -> impl Iterator<Item = (&'static Golden, &'static Measured<'static>)> {
        self.golden.values().map(move |golden| {
            let folder = if golden.source.kind == "mesh" { "" } else { golden.path.as_str() };
            let measured = cases(self).iter().find(|measured| self.path_of(&measured.ledger.input) == folder);
            (golden, measured.unwrap_or_else(|| panic!("{} was not audited", golden.path)))
        })
    }

    /// Returns the meshes of an input with their points, by entry.
    fn points(&self, input: &str) -> HashMap<String, Points> {
        let input = self.inputs.iter().find(|other| other.name == input).unwrap();
        let mut visitor = MeshVisitor { limits: &self.limits, meshes: HashMap::new() };
        source::read(input, &ReadRequest::new(&self.limits), &mut visitor);
        visitor.meshes
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> T {
    let text = io::read_to_string(GzDecoder::new(File::open(path).unwrap())).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the ledgers of these inputs, in their order.
fn scan_all(inputs: &[Input], limits: &Limits, threads: usize) -> Vec<Ledger> {
    let ledgers = Mutex::new(Vec::new());
    let keep = |ledger| {
        ledgers.lock().unwrap().push(ledger);
        Ok(())
    };
    read_inputs(inputs, &ReadOptions::new(limits, threads), &Unwatched, &keep).unwrap();
    let mut ledgers = ledgers.into_inner().unwrap();
    ledgers.sort_by(|a: &Ledger, b| a.input.cmp(&b.input));
    ledgers
}

/// Decodes the meshes of an input and keeps the data that a ledger does not have.
struct MeshVisitor<'a> {
    limits: &'a Limits,
    meshes: HashMap<String, Points>,
}

impl Visitor for MeshVisitor<'_> {
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

#[test]
fn both_programs_read_every_export() {
    let Some(study) = study() else { return };
    let ours: BTreeSet<&str> = study.ledgers.iter().map(|ledger| study.path_of(&ledger.input)).collect();
    // The loose file represents its folder, where the other file is a text.
    let golden = study.golden.values();
    let golden: BTreeSet<&str> =
        golden.map(|golden| if golden.source.kind == "mesh" { "" } else { golden.path.as_str() }).collect();
    assert_eq!(ours, golden);
    for ledger in &study.ledgers {
        assert_eq!(ledger.status, Status::Complete, "{}", ledger.input);
    }
    let folder = study.ledgers.iter().find(|ledger| study.path_of(&ledger.input).is_empty()).unwrap();
    let unknown: Vec<&str> = folder.unknown.iter().map(|file| file.entry.as_str()).collect();
    assert_eq!(unknown, ["README.md"]);
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
    // A missing base hull is not an error of decoding. One object has two script states without an item ID, and two
    // skins have matrices with non-finite numbers.
    let of_kind =
        |kind: DefectKind| ledger.defects.iter().filter(|defect| defect.kind.sort() == kind.sort()).count();
    assert_eq!(of_kind(ObjectDefect::StatesWithoutItem { states: 2 }.into()), 1);
    assert_eq!(of_kind(MeshDefect::UnusableBindMatrices.into()), 2);
    let hulls = [MeshDefect::ConvexMissing, MeshDefect::BasePointsMissing, MeshDefect::TooFewBasePoints];
    let without_hull: usize = hulls.map(|kind| of_kind(kind.into())).iter().sum();
    assert_eq!(without_hull + 3, ledger.defects.len());
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

/// Audits these paths into a folder and returns the files of the report.
fn audit(paths: &[PathBuf], threads: usize, folder: &Path, study: &Study) -> BTreeMap<String, Vec<u8>> {
    let config = Config { threads, ..Config::default() };
    let (ledgers, out) = (folder.join("ledgers"), folder.join("report"));
    fs::create_dir_all(&ledgers).unwrap();
    let inputs = source::walk(paths, &[]).unwrap();
    let keep = |ledger: Ledger| ledger.write(&ledgers).map(drop);
    read_inputs(&inputs, &ReadOptions::new(&config.limits, threads), &Unwatched, &keep).unwrap();
    let reports = Reports::open(out.clone(), ReportContext::new(config.report.clone())).unwrap();
    let manifest = Manifest::new(&config, &study.profile, None);
    let ledgers = Ledgers { files: ledger::find(&[ledgers]).unwrap(), ..Ledgers::default() };
    pages::write(ledgers, &study.profile, manifest, config.report.top, reports).unwrap();
    files(&out)
}
