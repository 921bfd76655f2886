//! The tables of the page, with their initial columns and filters.

use super::rule_pages::key as rule;
use hullmark_report::tables::{
    findings::key as finding, meshes::key as mesh, objects::key as object, parcels::key as parcel,
    regions::key as region,
};

/// A table on the page.
#[derive(Debug)]
pub(super) struct Shown {
    /// Its name, as its head has it.
    pub(super) table: &'static str,
    /// Its heading.
    pub(super) title: &'static str,
    /// Columns to sort by, the worst or heaviest rows first. If there are too many rows, the first are kept. Without
    /// columns, rows keep their order.
    pub(super) worst_first: &'static [usize],
    /// A column that moves rows with a value to the end. It is visible at first if any row has a value.
    pub(super) last: Option<usize>,
    /// Columns that are visible at first, separated by blanks. The details of each row have all.
    pub(super) columns: &'static str,
    /// Columns with a filter.
    pub(super) filters: &'static str,
}

/// The tables, in the order of the page. The table of rules comes from the summary: see [`super::rule_pages`].
pub(super) const TABLES: &[Shown] = &[
    Shown {
        table: "changes",
        title: "Changes",
        worst_first: &[],
        last: None,
        columns: "change severity name measure before after difference message code region",
        filters: "change kind severity code measure region archive",
    },
    Shown {
        table: "arrivals",
        title: "Objects, regions and parcels",
        worst_first: &[],
        last: None,
        columns: "status kind name changes detail announcement region region_after owner_uuid position_x_m position_y_m position_z_m equal_before equal_after",
        filters: "status kind announcement region owner_uuid",
    },
    Shown {
        table: "asset_arrivals",
        title: "Assets in use",
        worst_first: &[],
        last: None,
        columns: "status found kind asset_uuid uses announcement object_name owner_uuid region bytes bytes_after",
        filters: "status found kind announcement region owner_uuid",
    },
    Shown {
        table: "actions",
        title: "Actions",
        worst_first: &[],
        last: None,
        columns: "name count action edits land_impact_before land_impact_after land_impact_sum_after percent_of_capacity_after region",
        filters: "kind region parcel owner_uuid archive",
    },
    Shown {
        table: "findings",
        title: "Findings",
        worst_first: &[finding::BASELINE_STATUS.place(), finding::SEVERITY.place(), finding::WEIGHT.place()],
        last: Some(finding::WAIVED_UNTIL.place()),
        columns: "severity code baseline_status message count region object_name archive entry",
        filters: "severity code baseline_status region owner_uuid archive",
    },
    Shown {
        table: "missing",
        title: "Missing assets",
        worst_first: &[],
        last: None,
        columns: "kind asset_uuid state elsewhere objects uses used_by object_name container_name within region owner_uuid item archive",
        filters: "kind state elsewhere used_by region owner_uuid archive",
    },
    Shown {
        table: "owners",
        title: "Owners",
        worst_first: &[],
        last: None,
        columns: "owner_uuid name worst_severity worst_finding lost_assets objects parts land_impact percent_of_land blockers errors warnings",
        filters: "worst_severity",
    },
    Shown {
        table: "creators",
        title: "Creators",
        worst_first: &[],
        last: None,
        columns: "creator_uuid name grid objects parts dropped_by_perm_c dropped_by_perm_t dropped_by_perm_ct dropped_linksets",
        filters: "grid",
    },
    Shown {
        table: "objects",
        title: "Objects",
        worst_first: &[object::ROLE.place(), object::LAND_IMPACT.place()],
        last: None,
        columns: "name region owner_uuid land_impact governing_weight lost_assets lost_kinds parts scripts physics_cost streaming_cost linkable worst_severity findings",
        filters: "worst_severity region owner_uuid linkable archive",
    },
    Shown {
        table: "regions",
        title: "Regions",
        worst_first: &[region::PERCENT_USED.place()],
        last: None,
        columns: "region verdict blockers errors warnings lost new_findings worst_finding counted load capacity percent_used objects parts scripts land_impact archive",
        filters: "verdict worst_severity archive",
    },
    Shown {
        table: "parcels",
        title: "Parcels",
        worst_first: &[parcel::PERCENT_USED.place()],
        last: None,
        columns: "parcel region owner_uuid area_m2 objects parts land_impact land_impact_basis capacity percent_used over_capacity",
        filters: "over_capacity region owner_uuid archive",
    },
    Shown {
        table: "meshes",
        title: "Meshes",
        worst_first: &[mesh::WORST_SEVERITY.place(), mesh::BYTES.place()],
        last: None,
        columns: "mesh_uuid archive bytes high_triangles lowest_triangles hulls base_hull_vertices physics_triangles streaming_cost_1m parts_using worst_severity findings",
        filters: "worst_severity archive",
    },
    Shown {
        table: "archives",
        title: "Inputs",
        worst_first: &[],
        last: None,
        columns: "archive kind status bytes regions objects parts meshes blockers errors warnings info",
        filters: "status kind",
    },
    Shown {
        table: "rules",
        title: "Rules",
        worst_first: &[rule::FINDINGS.place(), rule::SEVERITY.place()],
        last: None,
        columns: "code severity title evaluated findings passed failed not_evaluated reason",
        filters: "severity family evaluated",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::rule_pages::Rules;
    use hullmark_report::{
        table::head,
        tables::{heads, heads_of_arrivals},
    };

    #[test]
    fn every_column_that_the_page_names_exists() {
        let mut heads: Vec<_> = heads(&[]).into_iter().chain(heads_of_arrivals()).collect();
        heads.push(head::<Rules>(&[]));
        for shown in TABLES {
            let head = heads.iter().find(|head| head.name == shown.table).unwrap();
            for name in shown.columns.split(' ').chain(shown.filters.split(' ')) {
                assert!(head.columns.iter().any(|column| column.name == name), "{}: {name}", shown.table);
            }
        }
    }
}
