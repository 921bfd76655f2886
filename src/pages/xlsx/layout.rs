//! The sheets with tables: the columns that people read, and the order of rows.

use hullmark_report::{
    table::Table,
    tables::{
        actions::Actions,
        arrivals::Arrivals,
        asset_arrivals::AssetArrivals,
        changes::Changes,
        creators::Creators,
        findings::Findings,
        meshes::{self, Meshes},
        missing::Missing,
        objects::Objects,
        owners::Owners,
        parcels::{self, Parcels},
        regions::{self, Regions},
    },
};

/// A sheet with one table.
pub(super) struct Layout {
    /// The name of the table.
    pub(super) table: &'static str,
    /// The columns that people read, in order, separated by blanks. `owner` is the name of the owner. All other columns
    /// follow, folded.
    pub(super) columns: &'static str,
    /// A column of numbers that sorts the rows, the largest first. `None` if rows keep their order.
    pub(super) large_first: Option<usize>,
}

/// The layouts of all tables.
pub(super) const LAYOUTS: [Layout; 12] = [
    Layout {
        table: Arrivals::NAME,
        columns: "status kind name changes detail announcement region region_after owner position_x_m position_y_m position_z_m equal_before equal_after",
        large_first: None,
    },
    Layout {
        table: AssetArrivals::NAME,
        columns: "status found kind asset_uuid uses announcement object_name region owner bytes bytes_after",
        large_first: None,
    },
    Layout {
        table: Changes::NAME,
        columns: "change kind severity code message name region measure before after difference percent",
        large_first: None,
    },
    Layout {
        table: Actions::NAME,
        columns: "name count region action edits land_impact_before land_impact_after land_impact_sum_after percent_of_capacity_after effect",
        large_first: None,
    },
    Layout {
        table: Objects::NAME,
        columns: "name region land_impact governing_weight lost_assets lost_kinds cure owner",
        large_first: None,
    },
    Layout {
        table: Findings::NAME,
        columns: "severity code message object_name region entry count advice",
        large_first: None,
    },
    Layout {
        table: Missing::NAME,
        columns: "kind asset_uuid elsewhere objects uses used_by object_name container_name region owner archive",
        large_first: None,
    },
    Layout {
        table: Regions::NAME,
        columns: "region verdict blockers errors warnings lost worst_finding counted load capacity percent_used land_impact objects archive",
        large_first: Some(regions::key::PERCENT_USED.place()),
    },
    Layout {
        table: Parcels::NAME,
        columns: "parcel region land_impact capacity percent_used objects parts scripts area_m2 owner",
        large_first: Some(parcels::key::PERCENT_USED.place()),
    },
    Layout {
        table: Owners::NAME,
        columns: "owner worst_severity worst_finding lost_assets objects parts land_impact percent_of_land blockers errors warnings info",
        large_first: None,
    },
    Layout {
        table: Creators::NAME,
        columns: "creator_uuid name grid objects parts dropped_by_perm_c dropped_by_perm_t dropped_by_perm_ct dropped_linksets",
        large_first: None,
    },
    Layout {
        table: Meshes::NAME,
        columns: "mesh_uuid bytes high_triangles lowest_triangles physics_triangles hulls streaming_cost_1m parts_using worst_severity findings archive",
        large_first: Some(meshes::key::BYTES.place()),
    },
];

/// Returns the layout of a table. Without one, no column is folded.
pub(super) fn of(table: &str) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.table == table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_report::tables::{heads, heads_of_arrivals};

    #[test]
    fn every_column_that_a_layout_names_exists() {
        let heads: Vec<_> = heads(&[]).into_iter().chain(heads_of_arrivals()).collect();
        for layout in &LAYOUTS {
            let head = heads.iter().find(|head| head.name == layout.table).unwrap();
            for name in
                layout.columns.split(' ').map(|name| if name == "owner" { "owner_uuid" } else { name })
            {
                assert!(head.columns.iter().any(|column| column.name == name), "{}: {name}", layout.table);
            }
        }
    }
}
