//! Facts and measures to findings: a file for each family, a function for each code.
//!
//! A rule sees a whole [`Case`], the facts of one input joined with their measures, and decides nothing but
//! whether it holds. How bad a finding is comes later, from the profile. Rules that need several inputs are in
//! [`across`].

pub mod across;
mod archive;
mod asset;
mod cost;
mod hull;
mod link;
mod mesh;
mod owner;
mod physics;
mod reference;
mod script;

use crate::{finding::Finding, join::Case};

/// A rule: adds what it finds in a case.
type Rule = fn(&Case<'_>, &mut Vec<Finding>);

/// Every rule that judges facts, in the order of the codes. Codes that are missing here are reported by the
/// decoders, which alone see the bytes.
const RULES: &[Rule] = &[
    archive::arc003_control_missing,
    archive::arc005_control_not_first,
    archive::arc009_no_assets,
    reference::obj009_nested_object_missing,
    link::lnk001_too_far_apart,
    link::lnk002_too_many_prims,
    link::lnk003_old_rule,
    link::lnk005_order_matters,
    hull::hul001_too_many_vertices,
    hull::hul002_too_many_hulls,
    hull::hul005_degenerate,
    hull::hul006_written_as_zero,
    hull::hul009_base_does_not_wrap,
    mesh::msh005_level_not_simpler,
    mesh::msh010_triangles_without_width,
    physics::phy001_physical_over_the_cap,
    physics::phy002_too_costly_to_become_physical,
    physics::phy007_prim_without_physics_shape,
    physics::phy008_shape_changes,
    cost::cst001_over_capacity,
    cost::cst003_cost_differs,
    cost::cst005_not_evaluated,
    reference::ast001_missing,
    reference::ast002_mentioned_and_missing,
    reference::ast003_nothing_where_an_asset_belongs,
    asset::ast004_cannot_be_used,
    asset::ast005_unused,
    asset::ast006_texture_too_large,
    asset::ast007_creators_of_other_grids,
    script::scr001_many_scripts,
    script::scr002_other_language,
    script::scr003_refused_functions,
    script::scr004_fixed_addresses,
    owner::own002_not_free_content_of_others,
    owner::own003_without_owner,
    archive::run007_unknown_file,
];

/// All findings of a case: those of the decoders, then those of the rules.
pub fn judge(case: &Case<'_>) -> Vec<Finding> {
    let mut findings = case.ledger.findings.clone();
    for rule in RULES {
        rule(case, &mut findings);
    }
    findings
}
