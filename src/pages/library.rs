//! Public functions on reports: one for numbers and findings, one for complete reports.

use super::reports::{Ledgers, ReportContext, Reports, write};
use hullmark_analysis::{
    Measured, RegionMeasures,
    assets::Assets,
    cost::Cost,
    measure::{MeshMeasures, ObjectMeasures},
};
use hullmark_finding::{Finding, Severity};
use hullmark_ledger::{
    coverage::Uncovered,
    facts::{MeshFacts, ObjectFacts, RegionFacts},
    in_memory::InMemory,
    library::Ledger,
};
use hullmark_report::{Evaluated, Manifest, ReportError, RowFilter, Summary, output::Destination};
use hullmark_rules::{self as rules, RuleContext, RuleCount, history::History, waivers::Waivers};
use hullmark_settings::{
    config::{Config, SCALED_TRIANGLES},
    profile::{Named, Profile},
    users::Users,
};
use std::{path::PathBuf, sync::Arc, time::SystemTime};
use uuid::Uuid;

/// Context of an input in addition to its ledger.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// Users of the target. Without them, owners and creators are not evaluated.
    pub users: Option<&'a Users>,
    /// Ledgers of asset stores. Their assets count as present in the input.
    pub stores: &'a [Ledger],
}

/// Numbers and findings of one input for one target.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Its linksets, in the order of the input.
    pub objects: Vec<ObjectNumbers>,
    /// Its mesh assets, in the order of the input.
    pub meshes: Vec<MeshNumbers>,
    /// Its regions, in the order of the input.
    pub regions: Vec<RegionNumbers>,
    /// Findings, the worst first.
    pub findings: Vec<(Severity, Finding)>,
    /// For each rule, the numbers of subjects that passed, failed or could not be evaluated.
    pub rules: Vec<RuleCount>,
}

/// Numbers of a linkset.
#[derive(Debug, Clone)]
pub struct ObjectNumbers {
    /// Entry of the archive, or file.
    pub entry: String,
    /// UUID of its root prim.
    pub uuid: Option<Uuid>,
    /// Name of its root prim.
    pub name: String,
    /// Number of prims.
    pub parts: usize,
    /// Index of its region in [`Analysis::regions`]; `None` if it is in no region.
    pub region: Option<usize>,
    /// Size of its overall box in the axes of the root prim, metres.
    pub size_m: Option<[f64; 3]>,
    /// Whether it can be linked; `None` if the target has no such rule or the result is unknown.
    pub linkable: Option<bool>,
    /// Whether it is physical, so that the physics engine moves it.
    pub physical: bool,
    /// Whether it may be made physical; `None` if the target has no cap or the result is unknown.
    pub may_be_physical: Option<bool>,
    /// Physics cost in its current state.
    pub physics_cost: Cost,
    /// Physics cost if it were physical.
    pub physics_cost_if_physical: Cost,
    /// Download weight (streaming cost).
    pub streaming_cost: Cost,
    /// Server weight: prims and scripts.
    pub server_weight: Cost,
    /// Land impact.
    pub land_impact: Cost,
}

impl ObjectNumbers {
    fn new(object: &ObjectFacts, measures: &ObjectMeasures) -> Self {
        let root = object.linkset.parts.first();
        Self {
            entry: object.entry.clone(),
            uuid: root.map(|root| root.uuid),
            name: root.map(|root| root.name.clone()).unwrap_or_default(),
            parts: object.linkset.parts.len(),
            region: object.region.map(|region| region as usize),
            size_m: measures.root_box.map(|bounds| bounds.size().into()),
            linkable: measures.link.current.verdict.linkable(),
            physical: measures.physical,
            may_be_physical: measures.physical_cap.allowed(),
            physics_cost: measures.physics_cost_in_force,
            physics_cost_if_physical: measures.physics_cost_if_physical,
            streaming_cost: measures.streaming_cost,
            server_weight: measures.server_weight,
            land_impact: measures.land_impact,
        }
    }
}

/// Numbers of a mesh asset.
#[derive(Debug, Clone)]
pub struct MeshNumbers {
    /// Entry of the archive, or file.
    pub entry: String,
    /// Its UUID. `None` if its name has none.
    pub uuid: Option<Uuid>,
    /// Number of prims that use it.
    pub users: u64,
    /// Number of hulls of its decomposition; `None` if it cannot be read.
    pub hulls: Option<u32>,
    /// Number of points of its base hull. `None` if it has none or cannot be read.
    pub base_hull_points: Option<u32>,
    /// Number of triangles of its physics mesh. `None` if it has none or cannot be read.
    pub physics_triangles: Option<u64>,
    /// Physics cost as base hull, at any scale.
    pub base_hull_cost: Cost,
    /// Physics cost as hull decomposition, at any scale.
    pub decomposition_cost: Cost,
    /// Physics cost as physics mesh, at 1 m × 1 m × 1 m.
    pub triangle_cost_1m: Cost,
    /// Download weight (streaming cost) as a cube of 1 m.
    pub streaming_cost_1m: Cost,
}

impl MeshNumbers {
    fn new((mesh, measures): (&MeshFacts, &MeshMeasures), users: u64) -> Self {
        Self {
            entry: mesh.entry.clone(),
            uuid: mesh.uuid,
            users,
            hulls: measures.hulls,
            base_hull_points: measures.base_hull_points,
            physics_triangles: measures.physics_triangles,
            base_hull_cost: measures.base_hull_cost,
            decomposition_cost: measures.decomposition_cost,
            triangle_cost_1m: measures.triangle_cost,
            streaming_cost_1m: measures.streaming_cost_1m,
        }
    }
}

/// Sums over the objects that are rezzed in a region.
#[derive(Debug, Clone)]
pub struct RegionNumbers {
    /// Its name.
    pub name: String,
    /// Its UUID, if the archive states one.
    pub uuid: Option<Uuid>,
    /// Number of linksets.
    pub objects: u64,
    /// Number of prims.
    pub parts: u64,
    /// Capacity of the region.
    pub capacity: f64,
    /// Sum of physics costs.
    pub physics_cost: Cost,
    /// Sum of download weights (streaming costs).
    pub streaming_cost: Cost,
    /// Sum of server weights.
    pub server_weight: Cost,
    /// Sum of land impacts.
    pub land_impact: Cost,
}

impl RegionNumbers {
    fn new(region: &RegionFacts, measures: &RegionMeasures) -> Self {
        let total = &measures.total;
        Self {
            name: region.name.clone(),
            uuid: region.uuid,
            objects: total.objects,
            parts: total.parts,
            capacity: measures.capacity,
            physics_cost: total.physics_cost,
            streaming_cost: total.streaming_cost,
            server_weight: total.server_weight,
            land_impact: total.land_impact,
        }
    }
}

/// Computes the costs of an input on a target, and its findings. Rules that compare inputs or runs need a complete report:
/// [`write_report`].
///
/// # Example
/// ```
/// use hullmark::{Context, Profile, ScanOptions, Source, analyze, scan};
///
/// let over = Source::path("sample_data/regions/over-the-cap.oar");
/// let profile = Profile::load("second-life")?;
/// scan([over], &ScanOptions::default(), |ledger| {
///     let analysis = analyze(&ledger, &profile, &Context::default());
///     // One linkset is above the physical cap of 32.0.
///     let (_, finding) = analysis.findings.iter().find(|(_, found)| found.code.name() == "PHY001").unwrap();
///     assert!(finding.measured > Some(32.0) && finding.limit == Some(32.0));
///     assert!(analysis.objects.iter().any(|object| object.may_be_physical == Some(false)));
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn analyze(ledger: &Ledger, profile: &Profile, context: &Context<'_>) -> Analysis {
    let stores: Vec<_> = context.stores.iter().map(|store| &store.0).collect();
    let stores = Assets::from_ledgers(stores);
    let rules_context = RuleContext { users: context.users, past: None };
    let ledger = &ledger.0;
    let measured = Measured::backed_by(ledger, profile, &stores, SCALED_TRIANGLES);
    let outcomes = rules::evaluate(&measured, &rules_context);
    let Evaluated { findings, checks } = Evaluated::by(&measured, &rules_context, outcomes);
    let meshes = ledger.meshes.iter().zip(&measured.meshes).zip(&measured.mesh_users);
    let regions = ledger.regions.iter().zip(&measured.regions);
    Analysis {
        objects: measured.objects().map(|(object, measures)| ObjectNumbers::new(object, measures)).collect(),
        meshes: meshes.map(|(mesh, &users)| MeshNumbers::new(mesh, users)).collect(),
        regions: regions.map(|(region, measures)| RegionNumbers::new(region, measures)).collect(),
        findings,
        rules: checks,
    }
}

/// A ledger in a file or in memory.
#[derive(Debug)]
pub enum LedgerSource {
    /// A file that a scan wrote.
    File(PathBuf),
    /// A ledger from a scan.
    Memory(Box<Ledger>),
    /// A ledger that further reports need. It is copied when its input is evaluated.
    Shared(Arc<Ledger>),
}

impl From<Ledger> for LedgerSource {
    fn from(ledger: Ledger) -> Self {
        Self::Memory(Box::new(ledger))
    }
}

impl From<Arc<Ledger>> for LedgerSource {
    fn from(ledger: Arc<Ledger>) -> Self {
        Self::Shared(ledger)
    }
}

impl From<PathBuf> for LedgerSource {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

/// Options of a report.
#[derive(Debug, Clone)]
pub struct ReportOptions {
    /// Destination of its files.
    pub destination: Destination,
    /// Profile of the target.
    pub profile: Profile,
    /// Profile of what only OpenSimulator loads, if no target was chosen: `opensim-load`. `None` if one holds for everything.
    pub opensim_load: Option<Profile>,
    /// Further profiles. Their costs are in further columns.
    pub also: Vec<Named>,
    /// Settings: formats, length of lists, selected rules.
    pub config: Config,
    /// Users of the target.
    pub users: Option<Users>,
    /// Waivers.
    pub waivers: Waivers,
    /// Filter of rows.
    pub filter: RowFilter,
    /// Inputs that the scan left to another run.
    pub uncovered: Vec<Uncovered>,
    /// Time of the report. With it, dated copies of an archive are compared, and missing ones are reported. Without it,
    /// equal inputs give equal bytes.
    pub now: Option<SystemTime>,
}

impl ReportOptions {
    /// Creates options for a report for a target, with default settings.
    pub fn new(destination: impl Into<Destination>, profile: Profile) -> Self {
        Self {
            destination: destination.into(),
            profile,
            opensim_load: None,
            also: Vec::new(),
            config: Config::default(),
            users: None,
            waivers: Waivers::default(),
            filter: RowFilter::default(),
            uncovered: Vec::new(),
            now: None,
        }
    }
}

/// Evaluates ledgers and writes their report: all tables in each format, then `audit.json`. The order of ledgers does not
/// matter. A ledger that is damaged or of another version is an input with the status `unreadable`.
///
/// # Errors
/// A file cannot be written. Then an earlier report is unchanged.
///
/// # Example
/// ```
/// use hullmark::{MemoryFiles, Profile, ReportOptions, ScanOptions, Source, scan, write_report};
/// use std::sync::Mutex;
///
/// let ledgers = Mutex::new(Vec::new());
/// scan([Source::path("sample_data/regions")], &ScanOptions::default(), |ledger| ledgers.lock().unwrap().push(ledger))?;
///
/// let files = MemoryFiles::default();
/// let options = ReportOptions::new(files.clone(), Profile::load("second-life")?);
/// let summary = write_report(ledgers.into_inner()?, &options)?;
/// assert!(summary.complete);
/// assert!(files.take().contains_key("objects.csv"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_report<L: Into<LedgerSource>>(
    ledgers: impl IntoIterator<Item = L>,
    options: &ReportOptions,
) -> Result<Summary, ReportError> {
    let (mut files, mut held) = (Vec::new(), Vec::new());
    for ledger in ledgers {
        match ledger.into() {
            LedgerSource::File(path) => files.push(path),
            LedgerSource::Shared(ledger) => {
                held.push((ledger.0.header().in_short(), InMemory::Shared(ledger)));
            }
            LedgerSource::Memory(ledger) => {
                held.push((ledger.0.header().in_short(), InMemory::Whole(Box::new(ledger.0))));
            }
        }
    }
    files.sort();
    let ReportOptions {
        destination,
        profile,
        opensim_load,
        also,
        config,
        users,
        waivers,
        filter,
        uncovered,
        now,
    } = options;
    if let Some(missing) = config.report.formats.iter().find_map(|format| format.missing()) {
        return Err(ReportError::Format(missing));
    }
    let context = ReportContext {
        further: also.clone(),
        users: users.clone(),
        filter: filter.clone(),
        history: now.map(|now| History::new(config, now)).transpose()?,
        waivers: waivers.clone(),
        address: config.grid.address.clone(),
        ..ReportContext::new(config.report.clone())
    };
    let reports = Reports::open(destination.clone(), context)?;
    let ledgers = Ledgers { files, held, uncovered: uncovered.clone(), ..Ledgers::default() };
    let manifest = Manifest { opensim_load: opensim_load.clone(), ..Manifest::new(config, profile, *now) };
    write(ledgers, profile, manifest, config.report.top, reports)
}
