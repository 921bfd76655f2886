//! One linkset as plain data.

use hullmark_analysis::{
    Measured,
    cost::physics::CapVerdict,
    measure::{ObjectMeasures, PartMeasures},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_pages::inspect::finding::FindingView;
use hullmark_report::figures::Figures;
use serde::Serialize;
use uuid::Uuid;

#[derive(Debug, Serialize)]
pub(super) struct ObjectView {
    pub(super) entry: String,
    /// Index of the object in it, from 0.
    pub(super) index: u32,
    pub(super) name: Option<String>,
    pub(super) object_uuid: Option<Uuid>,
    pub(super) owner_uuid: Option<Uuid>,
    pub(super) creator_uuid: Option<Uuid>,
    /// `rezzed`, `nested` or `loose`.
    pub(super) role: &'static str,
    pub(super) layout: &'static str,
    /// Name of its region. `None` if it is in no region.
    pub(super) region: Option<String>,
    /// Position of its root prim, metres.
    pub(super) position_m: Option<[f64; 3]>,
    /// Whether the physics engine moves it.
    pub(super) physical: bool,
    /// Whether it is phantom and does not collide.
    pub(super) phantom: bool,
    /// Whether it is temporary and disappears after some time.
    pub(super) temporary: bool,
    /// Whether it only detects objects that pass through it.
    pub(super) volume_detect: bool,
    /// Whether it moves although it is not physical.
    pub(super) moving: bool,
    pub(super) animated: bool,
    /// Number of scripts in all contents. `None` if some were not read.
    pub(super) scripts: Option<u32>,
    /// `legacy` or `new`.
    pub(super) accounting: &'static str,
    /// Diameter of the smallest sphere around the centres of its parts, metres. `None` if a position is not a number.
    pub(super) diameter_m: Option<f64>,
    /// The diameter must be less than this, metres. `None` if the target has no such rule.
    pub(super) max_diameter_m: Option<f64>,
    /// The parts that determine this sphere.
    pub(super) diameter_held_by: Vec<HeldBy>,
    /// Maximum number of parts. `None` if the target has no such rule.
    pub(super) max_parts: Option<u32>,
    /// Whether it may be linked. `None` if this is unknown or the target has no such rule.
    pub(super) linkable: Option<bool>,
    /// The verdict on linkability, or why it is unknown.
    pub(super) linkable_basis: &'static str,
    /// Sides of its overall box in the axes of the root prim, metres.
    pub(super) size_m: Option<[f64; 3]>,
    /// Mean area of the faces of the overall box, m².
    pub(super) mean_face_area_m2: Option<f64>,
    #[serde(flatten)]
    pub(super) costs: Figures,
    /// Whether its physics cost allows it to be physical.
    pub(super) physical_cap: &'static str,
    /// Why this is unknown or does not apply. `None` otherwise.
    pub(super) physical_cap_reason: Option<&'static str>,
    /// The cap. `None` if the target has no cap.
    pub(super) physical_cap_limit: Option<f64>,
    /// Number of parts with an unknown physics cost.
    pub(super) unevaluated_parts: u32,
    /// Harmless departures of its document from the format.
    pub(super) oddities: Vec<String>,
    /// Its parts, in link order.
    pub(super) parts: Vec<PartView>,
    /// Findings about the object and the meshes that it uses.
    pub(super) findings: Vec<FindingView>,
}

/// A part that determines the smallest sphere.
#[derive(Debug, Serialize)]
pub(super) struct HeldBy {
    pub(super) link_number: i32,
    pub(super) name: String,
}

#[derive(Debug, Serialize)]
pub(super) struct PartView {
    /// 0 for a single prim, 1 for a root, 2 and more for children.
    pub(super) link_number: i32,
    pub(super) part_uuid: Uuid,
    pub(super) name: String,
    /// Size in its own axes, metres.
    pub(super) scale_m: [f64; 3],
    /// UUID of the mesh that determines its form. `None` without a mesh.
    pub(super) mesh_uuid: Option<Uuid>,
    /// 0 for Prim, 1 for None, 2 for Convex Hull. `None` if the document states none, which is read as 0.
    pub(super) physics_shape_type: Option<u8>,
    pub(super) shape: &'static str,
    pub(super) shape_reason: &'static str,
    /// Collision shape at rest.
    pub(super) representation: &'static str,
    /// Collision shape in motion.
    pub(super) representation_dynamic: &'static str,
    /// Number of hulls in the decomposition of its mesh.
    pub(super) hulls: Option<u32>,
    /// Number of vertices of the single hull that collides at rest.
    pub(super) hull_vertices: Option<u32>,
    /// Number of triangles that collide at rest.
    pub(super) triangles: Option<u64>,
    /// Harmonic mean of the widths of these triangles, metres.
    pub(super) mean_width_m: Option<f64>,
    #[serde(flatten)]
    pub(super) costs: Figures,
    /// Number of scripts in its contents. `None` if these were not read.
    pub(super) scripts: Option<u32>,
}

impl ObjectView {
    /// Returns the view of an object.
    pub(super) fn new(
        measured: &Measured<'_>,
        object: &ObjectFacts,
        measures: &ObjectMeasures,
        findings: Vec<FindingView>,
    ) -> Self {
        let parts = &object.linkset.parts;
        let root = parts.first();
        let region = object.region.and_then(|number| measured.ledger.regions.get(number as usize));
        let limits = &measured.profile.linkability;
        let cap = measured.profile.physics.physical_cap;
        Self {
            entry: object.entry.clone(),
            index: object.index,
            name: root.map(|root| root.name.clone()),
            object_uuid: root.map(|root| root.uuid),
            owner_uuid: root.and_then(|root| known(root.owner)),
            creator_uuid: root.and_then(|root| known(root.creator)),
            role: object.role.name(),
            layout: object.layout.name(),
            region: region.map(|region| region.name.clone()),
            position_m: root.map(|root| root.group_position.to_array()),
            physical: measures.physical,
            phantom: measures.phantom,
            temporary: measures.temporary,
            volume_detect: measures.volume_detect,
            moving: measures.moving,
            animated: measures.animated,
            scripts: measures.scripts,
            accounting: measures.accounting.name(),
            diameter_m: measures.link.current.diameter_m(),
            max_diameter_m: Some(limits.max_diameter_m).filter(|limit| limit.is_finite()),
            diameter_held_by: held_by(parts, measures),
            max_parts: Some(limits.max_prims).filter(|&limit| limit != u32::MAX),
            linkable: measures.link.current.verdict.linkable(),
            linkable_basis: measures.link.current.verdict.name(),
            size_m: measures.root_box.map(|bounds| bounds.size().to_array()),
            mean_face_area_m2: measures.mean_face_area,
            costs: costs(measures),
            physical_cap: measures.physical_cap.name(),
            physical_cap_reason: cap_reason(measures.physical_cap),
            physical_cap_limit: Some(cap).filter(|cap| cap.is_finite()),
            unevaluated_parts: measures.unevaluated_parts,
            oddities: object.oddities.clone(),
            parts: parts.iter().zip(&measures.parts).map(|(part, got)| PartView::new(part, got)).collect(),
            findings,
        }
    }
}

impl PartView {
    fn new(part: &Part, measures: &PartMeasures) -> Self {
        Self {
            link_number: part.link_number,
            part_uuid: part.uuid,
            name: part.name.clone(),
            scale_m: part.scale.to_array(),
            mesh_uuid: part.mesh(),
            physics_shape_type: part.physics_shape_type,
            shape: measures.collision.class.kind.name(),
            shape_reason: measures.collision.class.reason,
            representation: measures.collision.representation.name(),
            representation_dynamic: measures.collision.representation_dynamic.name(),
            hulls: measures.hulls,
            hull_vertices: measures.collision.hull_vertices,
            triangles: measures.collision.triangle_count,
            mean_width_m: measures.collision.triangles.map(|triangles| triangles.mean_width_m),
            costs: Figures::new([
                ("physics_cost", "physics", measures.collision.physics_cost),
                ("physics_cost_dynamic", "in motion", measures.collision.physics_cost_dynamic),
                ("streaming_cost", "streaming", measures.streaming_cost),
            ]),
            scripts: measures.scripts,
        }
    }
}

fn costs(measures: &ObjectMeasures) -> Figures {
    Figures::new([
        ("physics_cost", "physics weight, at rest", measures.physics_cost),
        ("physics_cost_if_new", "physics weight, new accounting", measures.physics_cost_if_new),
        ("physics_cost_if_physical", "physics weight, if physical", measures.physics_cost_if_physical),
        ("streaming_cost", "download weight (streaming)", measures.streaming_cost),
        ("server_weight", "server weight", measures.server_weight),
        ("simulator_resource_cost", "simulator resource cost", measures.simulator_resource_cost),
        ("region_resource_cost", "region resource cost", measures.region_resource_cost),
        ("land_impact", "land impact", measures.land_impact),
    ])
}

fn held_by(parts: &[Part], measures: &ObjectMeasures) -> Vec<HeldBy> {
    let support = measures.link.current.sphere.iter().flat_map(|sphere| &sphere.support);
    let parts = support.filter_map(|&number| parts.get(number));
    parts.map(|part| HeldBy { link_number: part.link_number, name: part.name.clone() }).collect()
}

fn known(uuid: Uuid) -> Option<Uuid> {
    Some(uuid).filter(|uuid| !uuid.is_nil())
}

fn cap_reason(verdict: CapVerdict) -> Option<&'static str> {
    match verdict {
        CapVerdict::Allowed | CapVerdict::Exceeded => None,
        CapVerdict::NotEvaluated(reason) | CapVerdict::NotApplicable(reason) => Some(reason.name()),
    }
}
