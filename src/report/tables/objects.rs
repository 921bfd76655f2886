//! `objects`: one row for each linkset.

use super::{column, columns};
use crate::{
    analysis::{
        Measured,
        linkability::{
            Judgement,
            havok4::{Piece, order::Order},
        },
        measure::ObjectMeasures,
    },
    finding::Severity,
    format::object::Part,
    ledger::{facts::ObjectFacts, identity},
    report::{
        counts::About,
        table::{Cell, Column, Table},
    },
};
use glam::DVec3;

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
}

impl<'a> Row<'a> {
    fn root(&self) -> Option<&'a Part> {
        self.object.linkset.parts.first()
    }

    fn region(&self) -> Option<&'a str> {
        let number = self.object.region? as usize;
        self.measured.ledger.regions.get(number).map(|region| region.name.as_str())
    }

    fn home(&self) -> String {
        let ledger = self.measured.ledger;
        let region = self.object.region.and_then(|number| ledger.regions.get(number as usize));
        region.map_or_else(|| identity::of_input(ledger), |region| identity::of_region(ledger, region))
    }

    fn position(&self) -> Option<DVec3> {
        self.root().map(|root| root.group_position)
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
    const ABOUT: &'static str = "One row for each linkset, rezzed or lying in an inventory.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
    const BESIDE: &'static [Column<Self>] = &[
        column!("land_impact", row => row.measures.land_impact.value(), "Land impact by this profile."),
        column!("land_impact_basis", row => Cell::show(row.measures.land_impact.basis()), "What that rests on."),
        column!("physics_cost", row => row.measures.physics_cost.value(), "Physics cost at rest by this profile."),
        column!("physics_cost_basis", row => Cell::show(row.measures.physics_cost.basis()), "What that rests on."),
        column!("physics_cost_if_new", row => row.measures.physics_cost_if_new.value(), "The same, as if the linkset were charged by its weights."),
        column!("physics_cost_if_new_basis", row => Cell::show(row.measures.physics_cost_if_new.basis()), "What that rests on."),
        column!("streaming_cost", row => row.measures.streaming_cost.value(), "Streaming cost by this profile."),
        column!("streaming_cost_basis", row => Cell::show(row.measures.streaming_cost.basis()), "What that rests on."),
        column!("server_weight", row => row.measures.server_weight.value(), "Server weight by this profile."),
        column!("server_weight_basis", row => Cell::show(row.measures.server_weight.basis()), "What that rests on."),
        column!("linkable", row => row.link().current.verdict.linkable(), "Whether this profile lets it be linked; empty where it has no such rule."),
    ];

    fn beside<'r>(row: &Self::Row<'r>) -> Vec<Self::Row<'r>> {
        let others = row.measured.others.iter();
        others.filter_map(|other| Some(Row { measures: other.objects.get(row.number)?, ..*row })).collect()
    }
}

columns! {
    Objects:
    #[compared] ARCHIVE = "archive", row => &row.measured.ledger.input, "Path of the input.";
    #[compared] HOME = "home", row => Cell::show(row.home()), "What tells its place again in another night: the home of its region, else of its input.";
    #[compared] ENTRY = "entry", row => &row.object.entry, "Entry of the archive, or file.";
    #[compared] REGION = "region", row => row.region(), "Name of the region it stands in.";
    #[compared] ROLE = "role", row => row.object.role.name(), "`rezzed` (stands in a region), `nested` (lies in an inventory) or `loose` (a file of its own).";
    "layout", row => row.object.layout.name(), "How its document holds it: `xml2`, `xml1`, `coalesced` or `scene`.";
    #[compared] OBJECT_UUID = "object_uuid", row => row.root().map(|root| root.uuid), "UUID of its root.";
    #[compared] ASSET_UUID = "asset_uuid", row => row.object.asset, "For a nested object: the asset that holds it.";
    #[compared] NAME = "name", row => row.root().map(|root| root.name.as_str()), "Name of its root.";
    #[compared] OWNER_UUID = "owner_uuid", row => row.root().map(|root| root.owner), "Who owns it.";
    "creator_uuid", row => row.root().map(|root| root.creator), "Who made its root.";
    POSITION_X_M = "position_x_m", row => row.position().map(|at| at.x), "Where its root stands, from the region's west border.";
    POSITION_Y_M = "position_y_m", row => row.position().map(|at| at.y), "From the south border.";
    POSITION_Z_M = "position_z_m", row => row.position().map(|at| at.z), "Height.";
    #[compared] PARTS = "parts", row => row.object.linkset.parts.len(), "Prims.";
    #[compared] SCRIPTS = "scripts", row => row.measures.scripts, "Scripts in the contents of all its prims.";
    "physical", row => row.measures.physical, "Moved by the physics engine.";
    "phantom", row => row.measures.phantom, "Does not collide.";
    "temporary", row => row.measures.temporary, "Vanishes after a while.";
    "volume_detect", row => row.measures.volume_detect, "Only notices what passes through it.";
    "moving", row => row.measures.moving, "Moves although it is not physical: keyframed motion or a velocity in the export.";
    "animated", row => row.measures.animated, "An animated mesh object.";
    "accounting", row => row.measures.accounting.name(), "`legacy` (one for each prim), or `new` (by its weights). Second Life: it has a mesh, a prim whose physics shape type is not Prim, or a material; OpenSim: a mesh without mirror or inversion, or a child of shape None.";
    "diameter_m", row => row.link().current.diameter_m(), "Diameter of the smallest sphere around its prim centres.";
    "linkable", row => row.link().current.verdict.linkable(), "Whether the rule of 2010 lets it be linked. Empty where the target has no such rule, or it cannot be judged.";
    "linkable_basis", row => row.link().current.verdict.name(), "`linkable`, `not_linkable`, `no_rule`, `not_evaluated` (a position is no number), or `at_the_limit` (not even exact numbers tell in bounded time).";
    "margin_m", row => row.link().current.margin_m(), "By how much that diameter is below its limit; negative where it is above.";
    "margin_prims", row => row.link().current.margin_prims(), "How many more prims may join; negative where there are too many.";
    "greatest_distance_m", row => row.link().current.greatest_distance_m(), "Greatest distance between two prim centres. Empty for one prim, and where too many pairs would have to be measured.";
    "linkable_havok4", row => row.link().havok4.verdict.linkable(), "Whether the rule of before December 2010 (Havok4) linked it, its children tried in link order.";
    "havok4_pieces", row => row.link().havok4.pieces().map(<[Piece]>::len), "Pieces that remained by that rule; 1 where all was linked.";
    "havok4_margin_m", row => row.link().havok4.least_margin_m, "How near the nearest of its decisions was to its limit.";
    "havok4_order_matters", row => row.link().havok4_order.as_ref().and_then(Order::matters), "Whether another order of the children ends otherwise. Empty where none of those tried does and it is not proven.";
    "havok1", row => row.link().havok1.verdict.name(), "Its box in the region's axes against one of about 32 m (Havok1): `fits`, `grey` (too near to tell), `exceeds` or `not_evaluated`. Turning the object changes it.";
    "havok1_turn_to_fit_deg", row => row.link().havok1.turn_to_fit().map(|turn| turn.degrees), "The turn about the vertical that makes it fit, where it does not as it stands and one exists.";
    "size_x_m", row => row.size().map(|size| size.x), "Overall box in the axes of the root.";
    "size_y_m", row => row.size().map(|size| size.y), "Overall box in the axes of the root.";
    "size_z_m", row => row.size().map(|size| size.z), "Overall box in the axes of the root.";
    "mean_face_area_m2", row => row.measures.mean_face_area, "A of the physical penalty: mean area of the faces of the overall box.";
    #[compared] PHYSICS_COST = "physics_cost", row => row.measures.physics_cost, "Pure physics cost at rest. Empty under legacy accounting. Where its basis is a lower bound, so is this.", #[compared] PHYSICS_COST_BASIS: "What that rests on: `spec`, `simulator`, `measured`, `approximation` or `estimated`; or why it is a lower bound, not evaluated or not applicable.";
    "physics_cost_if_new", row => row.measures.physics_cost_if_new, "The same, as if the linkset were under new accounting.", "What that rests on.";
    "physics_cost_if_physical", row => row.measures.physics_cost_if_physical, "Cost of what collides in motion, with the penalty for size: what counts while it is physical.", "What that rests on.";
    "physics_cost_in_force", row => row.measures.physics_cost_in_force, "Which of these holds now: physical linksets have their penalised cost, moving ones that of the shapes in motion, others that at rest.", "What that rests on.";
    "unevaluated_parts", row => row.measures.unevaluated_parts, "Prims whose physics cost is not known.";
    "physical_cap", row => row.measures.physical_cap.name(), "Whether its physics cost lets it be physical: `allowed`, `exceeded`, `not_evaluated` or `not_applicable`.";
    "streaming_cost", row => row.measures.streaming_cost, "Download cost.", "What that rests on.";
    "streaming_cost_discounted", row => row.measures.streaming_cost_range[0], "Download cost with the 15 % that Second Life announced to take off static meshes in 2024.", "What that rests on.";
    "simulator_resource_cost", row => row.measures.simulator_resource_cost, "SRC of the specification, with the profile's tuning values.", "What that rests on.";
    "region_resource_cost", row => row.measures.region_resource_cost, "RRC of the specification: the greater of SRC and streaming cost.", "What that rests on.";
    "server_weight", row => row.measures.server_weight, "Server weight as announced.", "What that rests on.";
    "server_weight_low", row => row.measures.server_weight_range[0].value(), "The least that a published formula gives: the first script is free.";
    "server_weight_high", row => row.measures.server_weight_range[1].exact(), "The most that a published formula gives: every script counts.";
    #[compared] LAND_IMPACT = "land_impact", row => row.measures.land_impact, "What it takes of a parcel's capacity.", #[compared] LAND_IMPACT_BASIS: "What that rests on.";
    "land_impact_low", row => row.measures.land_impact_range[0].value(), "The least where sources differ: discounted static meshes, and the first script free.";
    "land_impact_high", row => row.measures.land_impact_range[1].exact(), "The most where sources differ: prims and sculpts without their caps, and every script counts.";
    "land_impact_if_new", row => row.measures.land_impact_if_new, "What it would take under new accounting: after an edit that opts in.", "What that rests on.";
    "land_impact_if_physical", row => row.measures.land_impact_if_physical, "What it would take if it were physical.", "What that rests on.";
    WORST_SEVERITY = "worst_severity", row => row.about.worst.map(Severity::name), "Severity of the worst finding about it.";
    "findings", row => row.about.findings, "Findings about it.";
    "oddities", row => Cell::words(&row.object.oddities), "Departures of its document from the format that do no harm.";
}
