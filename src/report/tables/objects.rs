//! `objects`: one row for each linkset.

use super::{column, columns, hex};
use crate::{
    actions::ListedAction,
    counts::About,
    table::{Cell, Column, Table},
};
use glam::DVec3;
use hullmark_analysis::{
    Measured,
    linkability::{Judgement, havok4::Piece, link_order::Order},
    measure::{Governing, ObjectMeasures},
};
use hullmark_finding::Severity;
use hullmark_format::object::Part;
use hullmark_ledger::{
    facts::{ItemFacts, ObjectFacts},
    identity,
};
use hullmark_rules::catalogue;
use std::{cmp::Reverse, collections::BTreeMap};

/// The table.
#[derive(Debug)]
pub struct Objects;

/// A linkset with its measures and its findings.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Its input.
    pub measured: &'a Measured<'a>,
    /// Its facts.
    pub object: &'a ObjectFacts,
    /// Its number in the input.
    pub number: usize,
    /// Its measures.
    pub measures: &'a ObjectMeasures,
    /// The findings about it.
    pub about: About,
    /// The first action on it.
    pub action: Option<&'a ListedAction<'a>>,
    /// Numbers of lost assets that it uses, by kind. `None` without any.
    pub lost: Option<&'a BTreeMap<&'static str, u64>>,
}

impl<'a> Row<'a> {
    fn root(&self) -> Option<&'a Part> {
        self.object.linkset.parts.first()
    }

    pub fn item(&self) -> Option<&'a ItemFacts> {
        self.measured.item_of(self.object.asset?)
    }

    pub fn region(&self) -> Option<&'a str> {
        let number = self.object.region? as usize;
        self.measured.ledger.regions.get(number).map(|region| region.name.as_str())
    }

    fn identity(&self) -> String {
        let ledger = self.measured.ledger;
        let region = self.object.region.and_then(|number| ledger.regions.get(number as usize));
        region.map_or_else(|| identity::of_input(ledger), |region| identity::of_region(ledger, region))
    }

    fn position(&self) -> Option<DVec3> {
        self.root().map(|root| root.group_position)
    }

    fn cure(&self) -> Cell<'a> {
        let worst = self.about.worst.filter(|&(severity, _)| severity > Severity::Info);
        let advice = worst.map(|(_, code)| catalogue::advice_of(code, self.measured.profile));
        self.action.map_or_else(|| advice.into(), |action| action.words.as_str().into())
    }

    /// Lists the lost assets by kind, the most numerous first: `animation 12, texture 3`.
    fn lost_kinds(&self) -> Option<String> {
        let mut kinds: Vec<(&str, u64)> = self.lost?.iter().map(|(kind, count)| (*kind, *count)).collect();
        kinds.sort_by_key(|&(kind, count)| (Reverse(count), kind));
        Some(kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", "))
    }

    fn link(&self) -> &'a Judgement {
        &self.measures.link
    }

    fn size(&self) -> Option<DVec3> {
        self.measures.root_box.map(|bounds| bounds.size())
    }
}

impl Table for Objects {
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "objects";
    const ABOUT: &'static str = "One row for each linkset: rezzed, in an inventory, or in a file of its own.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
    const PER_PROFILE: &'static [Column<Self>] = &[
        column!("land_impact", row => row.measures.land_impact.value(), "Land impact under this profile."),
        column!("land_impact_basis", row => Cell::show(row.measures.land_impact.basis()), "Basis of `land_impact` under this profile."),
        column!("physics_cost", row => row.measures.physics_cost.value(), "Physics cost at rest under this profile."),
        column!("physics_cost_basis", row => Cell::show(row.measures.physics_cost.basis()), "Basis of `physics_cost` under this profile."),
        column!("physics_cost_if_new", row => row.measures.physics_cost_if_new.value(), "Physics cost at rest under this profile and new accounting."),
        column!("physics_cost_if_new_basis", row => Cell::show(row.measures.physics_cost_if_new.basis()), "Basis of `physics_cost_if_new` under this profile."),
        column!("streaming_cost", row => row.measures.streaming_cost.value(), "Download weight (streaming cost) under this profile."),
        column!("streaming_cost_basis", row => Cell::show(row.measures.streaming_cost.basis()), "Basis of `streaming_cost` under this profile."),
        column!("server_weight", row => row.measures.server_weight.value(), "Server weight under this profile."),
        column!("server_weight_basis", row => Cell::show(row.measures.server_weight.basis()), "Basis of `server_weight` under this profile."),
        column!("linkable", row => row.link().current.verdict.linkable(), "Whether this profile permits linking. Empty if it has no such rule."),
    ];

    fn per_profile<'r>(row: &Self::Row<'r>) -> Vec<Self::Row<'r>> {
        let others = row.measured.others.iter();
        others.filter_map(|other| Some(Row { measures: other.objects.get(row.number)?, ..*row })).collect()
    }
}

columns! {
    Objects:
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input.";
    #[compared] IDENTITY = "identity", row => Cell::show(row.identity()), "Key that matches the place of the object across runs: the identity of its region, else of its input.";
    #[compared] ENTRY = "entry", row => &row.object.entry, "Entry of the archive, or file.";
    #[compared] REGION = "region", row => row.region(), "Name of the region where it is rezzed.";
    #[compared] ROLE = "role", row => row.object.role.name(), "`rezzed` (in a region), `nested` (in an inventory) or `loose` (in a file of its own).";
    "worn", row => row.root().map(Part::is_attachment), "Whether it is or was worn: the state of its root is an attachment point.";
    "layout", row => row.object.layout.name(), "Layout of its document: `xml2`, `xml1`, `coalesced` or `scene`; of a viewer's export `oxp`, `hpa` or `llsd-xml`.";
    #[compared] OBJECT_UUID = "object_uuid", row => row.root().map(|root| root.uuid), "UUID of the root prim.";
    #[compared] ASSET_UUID = "asset_uuid", row => row.object.asset, "UUID of the asset that contains a nested object. Empty for others.";
    #[compared] NAME = "name", row => row.root().map(|root| root.name.as_str()), "Name of the root prim.";
    #[compared] OWNER_UUID = "owner_uuid", row => row.root().map(|root| root.owner), "Owner.";
    "item", row => row.item().map(|facts| facts.entry.as_str()), "Path of the first inventory item that has a nested object, in an IAR or in a evaluated inventory.";
    "item_owner_uuid", row => row.item().and_then(|facts| facts.item.owner), "Owner of that item.";
    "creator_uuid", row => row.root().map(|root| root.creator), "Creator of the root prim.";
    #[compared] POSITION_X_M = "position_x_m", row => row.position().map(|at| at.x), "Position of the root prim from the west border of the region, metres.";
    #[compared] POSITION_Y_M = "position_y_m", row => row.position().map(|at| at.y), "Position from the south border, metres.";
    #[compared] POSITION_Z_M = "position_z_m", row => row.position().map(|at| at.z), "Height, metres.";
    #[compared] PARTS = "parts", row => row.object.linkset.parts.len(), "Number of prims.";
    #[compared] SCRIPTS = "scripts", row => row.measures.scripts, "Number of scripts in all prims.";
    "physical", row => row.measures.physical, "Whether it is physical: the physics engine moves it.";
    "phantom", row => row.measures.phantom, "Whether it is phantom: it does not collide.";
    "temporary", row => row.measures.temporary, "Whether it is temporary: it vanishes after a while.";
    "volume_detect", row => row.measures.volume_detect, "Whether it is a volume detector: it only reports what passes through it.";
    "moving", row => row.measures.moving, "Whether it moves without being physical: keyframed motion or a velocity in the export.";
    "animated", row => row.measures.animated, "Whether it is an animated mesh object.";
    "accounting", row => row.measures.accounting.name(), "`legacy` (1 for each prim) or `new` (by weights). New in Second Life: a mesh, a prim whose physics shape type is not Prim, or a material. New in OpenSim: a mesh that is neither mirrored nor inverted, or a child prim of shape None.";
    "diameter_m", row => row.link().current.diameter_m(), "Diameter of the smallest sphere around the prim centers, metres.";
    "linkable", row => row.link().current.verdict.linkable(), "Whether the rule of 2010 permits linking. Empty if the target has no such rule or the result is unknown.";
    "linkable_basis", row => row.link().current.verdict.name(), "`linkable`, `not_linkable`, `no_rule`, `not_evaluated` (a position is not a number) or `at_the_limit` (undecided even with exact numbers in bounded time).";
    "link_margin_m", row => row.link().current.margin_m(), "Distance by which the diameter is below its limit, metres; negative above it.";
    "link_margin_prims", row => row.link().current.margin_prims(), "Number of prims that may be added; negative if there are too many.";
    "greatest_distance_m", row => row.link().current.greatest_distance_m(), "Greatest distance between two prim centers, metres. Empty for one prim, and if there are too many pairs to measure.";
    "linkable_havok4", row => row.link().havok4.verdict.linkable(), "Whether the rule before December 2010 (Havok4) linked it, with its child prims in link order.";
    "havok4_pieces", row => row.link().havok4.pieces().map(<[Piece]>::len), "Number of pieces that remain under that rule; 1 if all prims were linked.";
    "havok4_margin_m", row => row.link().havok4.least_margin_m, "Distance of the closest decision from its limit, metres.";
    "havok4_order_matters", row => row.link().havok4_order.as_ref().and_then(Order::matters), "Whether another order of the child prims gives another result. Empty if no tried order does and it is not proven.";
    "havok1", row => row.link().havok1.verdict.name(), "Box in region axes against a limit of about 32 m (Havok1): `fits`, `grey` (too close to decide), `exceeds` or `not_evaluated`. Rotating the object changes it.";
    "havok1_turn_to_fit_deg", row => row.link().havok1.turn_to_fit.map(|turn| turn.degrees), "Rotation about the vertical axis that makes it fit, degrees. Empty if it fits already or no such rotation exists.";
    "size_x_m", row => row.size().map(|size| size.x), "Size of the overall box in the axes of the root prim, metres.";
    "size_y_m", row => row.size().map(|size| size.y), "Size of the overall box in the axes of the root prim, metres.";
    "size_z_m", row => row.size().map(|size| size.z), "Size of the overall box in the axes of the root prim, metres.";
    "mean_face_area_m2", row => row.measures.mean_face_area, "Mean face area of the overall box, m²: A of the penalty for physical objects.";
    #[compared] PHYSICS_COST = "physics_cost", row => row.measures.physics_cost, "Physics cost at rest, without penalty. Empty under legacy accounting. A lower bound if its basis is one.", #[compared] PHYSICS_COST_BASIS: "Basis of `physics_cost`: `spec`, `simulator`, `measured`, `approximation` or `estimated`; or why it is a lower bound, not evaluated or not applicable.";
    "physics_cost_if_new", row => row.measures.physics_cost_if_new, "Physics cost at rest under new accounting.", "Basis of `physics_cost_if_new`.";
    "physics_cost_if_physical", row => row.measures.physics_cost_if_physical, "Physics cost if physical: of the shapes in motion, with the penalty for size.", "Basis of `physics_cost_if_physical`.";
    "physics_cost_effective", row => row.measures.physics_cost_in_force, "Physics cost in the current state: with penalty if physical, of the shapes in motion if moving, else at rest.", "Basis of `physics_cost_effective`.";
    "unevaluated_parts", row => row.measures.unevaluated_parts, "Number of prims with unknown physics cost.";
    "physical_cap", row => row.measures.physical_cap.name(), "Whether its physics cost permits it to be physical: `allowed`, `exceeded`, `not_evaluated` or `not_applicable`.";
    "streaming_cost", row => row.measures.streaming_cost, "Download weight (streaming cost).", "Basis of `streaming_cost`.";
    "simulator_resource_cost", row => row.measures.simulator_resource_cost, "Simulator resource cost (SRC of the specification), with the profile's tuning values.", "Basis of `simulator_resource_cost`.";
    "region_resource_cost", row => row.measures.region_resource_cost, "Region resource cost (RRC of the specification): the greater of SRC and streaming cost.", "Basis of `region_resource_cost`.";
    "server_weight", row => row.measures.server_weight, "Server weight as announced.", "Basis of `server_weight`.";
    "server_weight_low", row => row.measures.server_weight_range[0].value(), "Lowest server weight of the published formulas: the first script is free.";
    "server_weight_high", row => row.measures.server_weight_range[1].exact(), "Highest server weight of the published formulas: every script counts.";
    "governing_weight", row => row.measures.governing.map(Governing::name), "Figure that determines `land_impact`: `physics`, `download` or `server` weight, or `prims`. Empty if a weight is not completely known.";
    #[compared] LAND_IMPACT = "land_impact", row => row.measures.land_impact, "Land impact: its share of the capacity of a parcel.", #[compared] LAND_IMPACT_BASIS: "Basis of `land_impact`.";
    "land_impact_low", row => row.measures.land_impact_range[0].value(), "Lowest land impact where sources differ: the first script is free. The lesser of both accountings if PBR materials make it uncertain.";
    "land_impact_high", row => row.measures.land_impact_range[1].exact(), "Highest land impact where sources differ: no discount on static meshes, no caps for prims and sculpts, every script counts. The greater of both accountings if PBR materials make it uncertain.";
    "land_impact_if_new", row => row.measures.land_impact_if_new, "Land impact under new accounting, after an edit that opts in.", "Basis of `land_impact_if_new`.";
    "land_impact_if_physical", row => row.measures.land_impact_if_physical, "Land impact if physical.", "Basis of `land_impact_if_physical`.";
    LOST_ASSETS = "lost_assets", row => row.lost.map(|kinds| kinds.values().sum::<u64>()), "Number of assets that the object uses and the target will not have. Empty without any.";
    "lost_kinds", row => row.lost_kinds().map(Cell::show), "Kinds of these assets, the most numerous first: `animation 12, texture 3`.";
    WORST_SEVERITY = "worst_severity", row => row.about.severity().map(Severity::name), "Severity of the worst finding about the object.";
    "findings", row => row.about.findings, "Number of findings about the object.";
    "cure", row => row.cure(), "What to do first: the steps of the first action that lowers its land impact, else the advice for its worst finding. Empty if that is `info`.";
    #[compared] CONTENT = "content", row => hex(row.measures.content), "Key that matches the object across runs if its UUID changed: a hash of the names, shapes, textures and items of its prims.";
    "oddities", row => Cell::words(&row.object.oddities), "Harmless deviations of its document from the format.";
}
