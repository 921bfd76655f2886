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
mod land;
mod link;
mod mesh;
mod object;
mod owner;
mod physics;
mod placement;
mod reference;
mod region;
mod script;

use crate::{finding::Finding, format::object::Part, join::Case};

/// A rule: adds what it finds in a case.
type Rule = fn(&Case<'_>, &mut Vec<Finding>);

/// Every rule that judges facts, in the order of the codes. Codes that are missing here are reported by the
/// decoders, which alone see the bytes.
const RULES: &[Rule] = &[
    archive::arc003_control_missing,
    archive::arc005_control_not_first,
    archive::arc008_no_archive,
    archive::arc009_no_assets,
    archive::arc010_two_assets_of_one_uuid,
    object::obj003_no_uuid,
    object::obj004_uuid_twice,
    object::obj005_ghosts,
    object::obj008_name_differs,
    reference::obj009_nested_object_missing,
    object::obj011_attachment,
    placement::pos001_no_number,
    placement::pos002_outside_the_region,
    placement::pos003_too_low_or_high,
    placement::pos004_lost_child,
    placement::pos005_no_rotation_or_size,
    placement::pos006_across_a_border,
    placement::pos007_terrain,
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
    mesh::msh007_too_large,
    mesh::msh008_physics_mesh_too_large,
    mesh::msh010_triangles_without_width,
    mesh::msh012_simulator_differs,
    physics::phy001_physical_over_the_cap,
    physics::phy002_too_costly_to_become_physical,
    physics::phy003_too_many_legacy_prims,
    physics::phy004_part_too_large,
    physics::phy005_too_many_physical_parts,
    physics::phy006_root_without_shape,
    physics::phy007_prim_without_physics_shape,
    physics::phy008_shape_changes,
    physics::phy009_physical_would_overfill,
    cost::cst001_over_capacity,
    cost::cst002_opt_in_would_overfill,
    cost::cst003_cost_differs,
    cost::cst004_penalty_counts,
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
    region::reg001_too_many_prims,
    region::reg003_telehub_missing,
    region::reg004_bitmap_does_not_fit,
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

/// Link numbers of parts.
fn links<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<String> {
    parts.into_iter().map(|part| part.link_number.to_string()).collect()
}

/// The first of a list, and how many more there are.
fn abridged(words: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = words[..words.len().min(SHOWN)].join(", ");
    match words.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
