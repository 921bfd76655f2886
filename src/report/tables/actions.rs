//! `actions`: one row for each action that lowers a cost or repairs what findings report.

use super::columns;
use crate::{
    actions::ListedAction,
    table::{Cell, Column, Percent, Table},
};
use hullmark_analysis::{Measured, cost::Cost};
use uuid::Uuid;

/// The table.
#[derive(Debug)]
pub struct Actions;

impl Table for Actions {
    /// An action of an input.
    type Row<'a> = (&'a Measured<'a>, &'a ListedAction<'a>);
    const NAME: &'static str = "actions";
    const ABOUT: &'static str = "One row for each action. Blockers come first. In a region over its capacity the \
        actions that lower land impact follow, the largest saving for each edit first. Then come repairs of errors, \
        and last what lowers only the simulator resource cost: at most `top` links and splits of a region. \
        Actions on one object are steps of one plan, so savings add up. Equal actions on objects of one owner and \
        name share a row. Each land impact is measured on the object with the change. Modify permissions are not \
        checked.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

/// Returns the land impact before (0) or after (1) an action.
fn impact(listed: &ListedAction<'_>, index: usize) -> Option<f64> {
    listed.land_impacts().and_then(|costs: [Cost; 2]| costs[index].value())
}

/// Returns what to link or to split off, and for other edits the objects. Empty for a repair.
fn uuids(measured: &Measured<'_>, listed: &ListedAction<'_>) -> Option<Cell<'static>> {
    let root = |object: &usize| Some(measured.ledger.objects.get(*object)?.linkset.parts.first()?.uuid);
    let uuids: Vec<Uuid> = match &listed.simulator {
        Some(saving) => saving.uuids.clone(),
        None => listed.objects.iter().filter_map(root).collect(),
    };
    (!uuids.is_empty()).then(|| Cell::words(&uuids.iter().map(ToString::to_string).collect::<Vec<_>>()))
}

columns! {
    Actions:
    "archive", (measured, _) => &measured.ledger.input, "Path of the input.";
    "region", (_, listed) => listed.region.map(|region| region.name.as_str()), "Name of the region. Empty for an object in its own file.";
    "parcel", (_, listed) => listed.parcel, "Name of the parcel.";
    "rank", (_, listed) => listed.rank, "1 for the most urgent action in the region.";
    "kind", (_, listed) => listed.kind, "Lowers land impact: `convex_hull`: set prims to Convex Hull. `coarser_levels`: upload meshes with coarser levels of detail. `remove_copy`: delete copies of an object at one position. `link`: link objects into one. `shape_none`: set child prims to None. Lowers the simulator resource cost: `link`, and `split_off`: split prims without scripts off a scripted or physical object, as one object. Repairs: `bring_asset`: find missing assets. `replace_asset`: replace assets that cannot be used. `reduce_hulls`: upload meshes with fewer hulls or vertices. `replace_physics`: upload meshes with another physics model. `split`: split a linkset. `repair`: any other repair of an object or a file.";
    "name", (_, listed) => listed.name.as_str(), "Name of the object, kind of the missing assets, or name of the file.";
    "count", (_, listed) => listed.count, "Number of objects or assets in the row.";
    "owner_uuid", (_, listed) => listed.root().map(|root| root.owner), "Owner of the first object.";
    "object_uuid", (_, listed) => listed.root().map(|root| root.uuid), "UUID of the root prim of the first object.";
    "entry", (_, listed) => listed.object.map(|object| object.entry.as_str()), "Entry of the first object.";
    "position_x_m", (_, listed) => listed.root().map(|root| root.group_position.x), "Position of the first object from the west border of the region, metres.";
    "position_y_m", (_, listed) => listed.root().map(|root| root.group_position.y), "Position from the south border, metres.";
    "position_z_m", (_, listed) => listed.root().map(|root| root.group_position.z), "Height, metres.";
    "url", (_, listed) => listed.urls[0].as_str(), "Address of the first object for viewers in Second Life.";
    "hop_url", (_, listed) => listed.urls[1].as_str(), "Its address on the grid of the settings (`[grid] address`).";
    "link_numbers", (_, listed) => listed.link_numbers.as_str(), "Link numbers of the prims to edit. Empty for an object of one prim.";
    "edits", (_, listed) => listed.edits, "Number of edits in all objects of the row: prims to set, meshes to upload, objects to link, prims to split off, or subjects to repair.";
    "land_impact_before", (_, listed) => impact(listed, 0), "Land impact of the objects after the earlier steps of their plans. Empty for a repair.";
    "land_impact_after", (_, listed) => impact(listed, 1), "Land impact of the objects after this action. Empty for a repair.";
    "land_impact_saved", (_, listed) => listed.land_impact.map(|_| listed.saving()), "Land impact that the row saves. Empty for a repair, and for a row that lowers only the simulator resource cost.";
    "land_impact_sum_after", (_, listed) => listed.sum_after, "Land impact of the region after this row and all rows above it.";
    "percent_of_capacity_after", (_, listed) => listed.percent_after().map(Percent), "The same in percent of the capacity of the region.";
    "basis", (_, listed) => listed.basis().map(Cell::show), "Basis of both land impacts.";
    "simulator_cost_before", (_, listed) => listed.simulator.as_ref().and_then(|saving| saving.cost[0].value()), "Simulator resource cost of the objects to link or split (SRC of the specification), with the profile's tuning values. Always `estimated`, because they were never published.";
    "simulator_cost_after", (_, listed) => listed.simulator.as_ref().and_then(|saving| saving.cost[1].value()), "Simulator resource cost after the link or split.";
    "diameter_m", (_, listed) => listed.simulator.as_ref().map(|saving| saving.diameter_m), "Diameter of the smallest sphere around the prim centers of the new object, metres.";
    "uuids", (measured, listed) => uuids(measured, listed), "Roots of the objects to edit, to delete or to link; of a link, the remaining root first. To split off: the prims, the new root first. At most 255. Empty for a repair.";
    "code", (_, listed) => listed.finding.map(|(code, _)| code.name()), "Rule whose findings the repair mends.";
    "severity", (_, listed) => listed.finding.map(|(_, severity)| severity.name()), "Severity of these findings.";
    "asset_uuid", (_, listed) => listed.asset, "First asset to replace, upload or find.";
    "action", (_, listed) => listed.words.as_str(), "What to do, with the steps in a viewer.";
    "effect", (_, listed) => listed.effect.as_str(), "Change that people notice, or the effect without the repair.";
}
