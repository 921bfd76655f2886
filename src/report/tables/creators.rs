//! `creators`: one row for each creator over all inputs.

use super::columns;
use crate::{
    run_tables::creators::Row,
    table::{Cell, Column, Table},
};

/// The table.
#[derive(Debug)]
pub struct Creators;

impl Table for Creators {
    /// What a creator made.
    type Row<'a> = Row<'a>;
    const NAME: &'static str = "creators";
    const ABOUT: &'static str = "One row for each creator of prims over all inputs. Those of most restricted linksets \
        come first. `save oar --perm` drops a linkset if one of its prims lacks a right by its base mask.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Creators:
    "creator_uuid", (uuid, _) => *uuid, "Creator.";
    "name", (_, creator) => creator.name.as_str(), "Name in CreatorData. Only creators of other grids have it.";
    "grid", (_, creator) => creator.grid.as_str(), "Address of the creator's grid, from CreatorData.";
    "objects", (_, creator) => creator.objects, "Number of linksets with prims of this creator, also in inventories.";
    "parts", (_, creator) => creator.parts, "Number of these prims.";
    "dropped_by_perm_c", (_, creator) => creator.without_copy, "Number of linksets that `save oar --perm=C` drops because of these prims: the base mask forbids a copy.";
    "dropped_by_perm_t", (_, creator) => creator.without_transfer, "Number of linksets that `--perm=T` drops: the base mask forbids a transfer.";
    "dropped_by_perm_ct", (_, creator) => creator.restricted, "Number of linksets that `--perm=CT` drops: one or the other.";
    "without_permissions", (_, creator) => creator.unknown, "Number of linksets with prims of this creator that state no permissions. They do not count as dropped.";
    "dropped_linksets", (_, creator) => Cell::show(creator.named.join("; ")), "Names and root prims of the first linksets that `--perm=CT` drops, at most 8.";
}
