//! `actions`: one row for each action that lowers land impact.

use super::columns;
use crate::{
    analysis::Measured,
    report::{
        actions::ListedAction,
        table::{Cell, Column, Percent, Table},
    },
};

/// The table.
#[derive(Debug)]
pub struct Actions;

impl Table for Actions {
    /// An action of an input.
    type Row<'a> = (&'a Measured<'a>, &'a ListedAction<'a>);
    const NAME: &'static str = "actions";
    const ABOUT: &'static str = "One row for each action that lowers the land impact of a region, the largest saving \
        for each edit first. Actions on one object are steps of one plan, so savings add up. Equal actions on objects \
        of one owner and name share a row. Each land impact is measured on the object with the change. Modify \
        permissions are not checked.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Actions:
    "archive", (measured, _) => &measured.ledger.input, "Path of the input.";
    REGION = "region", (_, listed) => listed.region.map(|region| region.name.as_str()), "Name of the region. Empty for an object in its own file.";
    "parcel", (_, listed) => listed.parcel, "Name of the parcel.";
    "rank", (_, listed) => listed.rank, "1 for the largest saving for each edit in the region.";
    KIND = "kind", (_, listed) => listed.action.kind.name(), "`convex_hull`: set prims to Convex Hull. `coarser_levels`: upload meshes with coarser levels of detail. `remove_copy`: delete copies of an object at one position. `link`: link objects into one. `shape_none`: set child prims to None.";
    NAME = "name", (_, listed) => listed.root().map(|root| root.name.as_str()), "Name of the object.";
    "count", (_, listed) => listed.count(), "Number of objects in the row.";
    OWNER_UUID = "owner_uuid", (_, listed) => listed.root().map(|root| root.owner), "Owner.";
    "object_uuid", (_, listed) => listed.root().map(|root| root.uuid), "UUID of the root prim of the first object.";
    "entry", (_, listed) => &listed.object().entry, "Entry of the first object.";
    "position_x_m", (_, listed) => listed.root().map(|root| root.group_position.x), "Position of the first object from the west border of the region, metres.";
    "position_y_m", (_, listed) => listed.root().map(|root| root.group_position.y), "Position from the south border, metres.";
    "position_z_m", (_, listed) => listed.root().map(|root| root.group_position.z), "Height, metres.";
    "url", (_, listed) => Cell::show(listed.url()), "Address of the first object for viewers.";
    "link_numbers", (_, listed) => Cell::show(listed.link_numbers()), "Link numbers of the prims to edit. Empty for an object of one prim.";
    EDITS = "edits", (_, listed) => listed.action.edits, "Number of edits in all objects of the row: prims to set, meshes to upload, or objects to link.";
    BEFORE = "land_impact_before", (_, listed) => listed.action.before.value(), "Land impact of the objects after the earlier steps of their plans.";
    AFTER = "land_impact_after", (_, listed) => listed.action.after.value(), "Land impact of the objects after this action.";
    "land_impact_saved", (_, listed) => listed.action.saving(), "Land impact that the row saves.";
    "land_impact_sum_after", (_, listed) => listed.sum_after, "Land impact of the region after this row and all rows above it.";
    "percent_of_capacity_after", (_, listed) => listed.percent_after().map(Percent), "The same in percent of the capacity of the region.";
    "basis", (_, listed) => Cell::show(listed.basis()), "Basis of both land impacts.";
    "action", (_, listed) => Cell::show(listed.words()), "Steps in a viewer.";
    "effect", (_, listed) => listed.effect(), "Change that people notice.";
}
