//! Which tables the page has, and how they are first seen.

use super::rule_pages::key as rule;
use crate::report::tables::{
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
    /// Places of columns that say which rows are the worst or heaviest: those stand on top, and are kept where there are too
    /// many. Without any, rows stay as they come.
    pub(super) worst_first: &'static [usize],
    /// The column that puts a row behind all others where there is something in it. It is seen at first where it has
    /// words at all.
    pub(super) last: Option<usize>,
    /// Columns that are seen at first, with blanks between. The others can be chosen, and stand in the details of each row.
    pub(super) columns: &'static str,
    /// Columns by whose values one can filter.
    pub(super) filters: &'static str,
}

/// The tables, in the order of the page. That of rules is made from the summary: see [`super::rule_pages`].
pub(super) const TABLES: &[Shown] = &[
    Shown {
        table: "changes",
        title: "Changes",
        worst_first: &[],
        last: None,
        columns: "change what severity code message name region measure before after difference percent archive",
        filters: "change what severity code measure region archive",
    },
    Shown {
        table: "findings",
        title: "Findings",
        worst_first: &[finding::NEWS.place(), finding::SEVERITY.place()],
        last: Some(finding::WAIVED_UNTIL.place()),
        columns: "severity code news message count region object_name archive entry",
        filters: "severity code news region owner_uuid archive",
    },
    Shown {
        table: "objects",
        title: "Objects",
        worst_first: &[object::LAND_IMPACT.place()],
        last: None,
        columns: "name region role parts scripts land_impact land_impact_basis physics_cost streaming_cost linkable worst_severity findings",
        filters: "worst_severity region owner_uuid role linkable archive",
    },
    Shown {
        table: "regions",
        title: "Regions",
        worst_first: &[region::PERCENT_USED.place()],
        last: None,
        columns: "region archive objects parts scripts land_impact land_impact_basis capacity percent_used physics_cost streaming_cost server_weight",
        filters: "archive",
    },
    Shown {
        table: "parcels",
        title: "Parcels",
        worst_first: &[parcel::PERCENT_USED.place()],
        last: None,
        columns: "parcel region owner_uuid area_m2 objects parts land_impact land_impact_basis capacity percent_used over",
        filters: "over region owner_uuid archive",
    },
    Shown {
        table: "meshes",
        title: "Meshes",
        worst_first: &[mesh::WORST_SEVERITY.place(), mesh::BYTES.place()],
        last: None,
        columns: "mesh_uuid archive bytes high_triangles lowest_triangles hulls base_hull_vertices physics_triangles streaming_cost_1m parts_using_it worst_severity findings",
        filters: "worst_severity archive",
    },
    Shown {
        table: "archives",
        title: "Inputs",
        worst_first: &[],
        last: None,
        columns: "archive kind status bytes regions objects parts meshes blockers errors warnings infos",
        filters: "status kind",
    },
    Shown {
        table: "rules",
        title: "Rules",
        worst_first: &[rule::FINDINGS.place(), rule::SEVERITY.place()],
        last: None,
        columns: "code severity title judged findings passed failed not_evaluated because",
        filters: "severity family judged",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{html::rule_pages::Rules, table::head, tables::heads};

    #[test]
    fn every_column_that_the_page_names_exists() {
        let mut heads = heads(&[]);
        heads.push(head::<Rules>(&[]));
        for shown in TABLES {
            let head = heads.iter().find(|head| head.name == shown.table).unwrap();
            for name in shown.columns.split(' ').chain(shown.filters.split(' ')) {
                assert!(head.columns.iter().any(|column| column.name == name), "{}: {name}", shown.table);
            }
        }
    }
}
