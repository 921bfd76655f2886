//! Turns facts and measures into findings: files by subject, a function for each code.
//!
//! A rule receives a [`Measured`], the facts of one input joined with their measures, and decides only whether it
//! passes. The profile sets the severity later. Rules about several inputs are in [`cross_input`].

pub mod catalogue;
mod checks;
pub mod cross_input;
pub mod decode;
pub mod families;
pub mod history;
mod verdicts;
pub mod waivers;
pub mod well_known_assets;

use crate::history::Past;
pub use checks::{RuleCount, run003_not_evaluated, tally, tally_run};
pub use families::history::{his002_absent, his007_emptied, of_copy};
use hullmark_analysis::Measured;
use hullmark_finding::{Capped, Code};
use hullmark_format::object::Part;
use hullmark_settings::{simulator::limits::LimitKey, users::Users};
pub use verdicts::{RuleOutcomes, SkipReason};

/// A rule: adds its outcome for one input.
type Rule = fn(&Measured<'_>, &mut RuleOutcomes);

/// All rules about the facts of one input, by family. Other codes come from defects ([`families::decoding`]), or are
/// about several inputs, waivers or the run.
const RULES: &[(Code, Rule)] = &[
    (Code::ARC003, families::archive::arc003_control_missing),
    (Code::ARC005, families::archive::arc005_control_not_first),
    (Code::ARC008, families::archive::arc008_no_archive),
    (Code::ARC009, families::archive::arc009_no_assets),
    (Code::ARC010, families::archive::arc010_two_assets_of_one_uuid),
    (Code::ARC012, families::archive::arc012_too_many_triangles),
    (Code::ARC015, families::archive::arc015_not_compressed),
    (Code::ARC016, families::archive::arc016_several_regions),
    (Code::OBJ003, families::object::obj003_no_uuid),
    (Code::OBJ004, families::object::obj004_uuid_twice),
    (Code::OBJ005, families::object::obj005_ghosts),
    (Code::OBJ008, families::object::obj008_name_differs),
    (Code::OBJ009, families::reference::obj009_nested_object_missing),
    (Code::OBJ011, families::object::obj011_attachment),
    (Code::OBJ012, families::nesting::obj012_objects_in_objects),
    (Code::OBJ015, families::object::obj015_uuid_twice_in_one_object),
    (Code::POS001, families::placement::pos001_no_number),
    (Code::POS002, families::placement::pos002_outside_the_region),
    (Code::POS003, families::placement::pos003_too_low_or_high),
    (Code::POS004, families::placement::pos004_lost_child),
    (Code::POS005, families::placement::pos005_no_rotation_or_size),
    (Code::POS006, families::placement::pos006_across_a_border),
    (Code::POS007, families::placement::pos007_terrain),
    (Code::POS008, families::placement::pos008_terrain_stops_the_load),
    (Code::LNK001, families::link::lnk001_too_far_apart),
    (Code::LNK002, families::link::lnk002_too_many_prims),
    (Code::LNK003, families::link::lnk003_old_rule),
    (Code::LNK005, families::link::lnk005_order_matters),
    (Code::HUL001, families::hull::hul001_too_many_vertices),
    (Code::HUL002, families::hull::hul002_too_many_hulls),
    (Code::HUL005, families::hull::hul005_degenerate),
    (Code::HUL006, families::hull::hul006_written_as_zero),
    (Code::HUL009, families::hull::hul009_base_does_not_wrap),
    (Code::MSH005, families::mesh::msh005_level_not_simpler),
    (Code::MSH007, families::mesh::msh007_too_large),
    (Code::MSH008, families::mesh::msh008_physics_mesh_too_large),
    (Code::MSH010, families::mesh::msh010_degenerate_triangles),
    (Code::MSH012, families::mesh::msh012_simulator_differs),
    (Code::PHY001, families::physics::phy001_physical_over_the_cap),
    (Code::PHY002, families::physics::phy002_too_costly_to_become_physical),
    (Code::PHY003, families::physics::phy003_too_many_legacy_prims),
    (Code::PHY004, families::physics::phy004_part_too_large),
    (Code::PHY005, families::physics::phy005_too_many_physical_parts),
    (Code::PHY006, families::physics::phy006_root_without_shape),
    (Code::PHY007, families::physics::phy007_prim_without_physics_shape),
    (Code::PHY008, families::physics::phy008_shape_changes),
    (Code::PHY009, families::physics::phy009_physical_would_overfill),
    (Code::PHY010, families::physics::phy010_shape_type_not_stated),
    (Code::PHY011, families::physics::phy011_slivers),
    (Code::CST001, families::cost::cst001_over_capacity),
    (Code::CST002, families::cost::cst002_opt_in_would_overfill),
    (Code::CST003, families::cost::cst003_cost_differs),
    (Code::CST004, families::cost::cst004_penalty_counts),
    (Code::CST005, families::cost::cst005_not_evaluated),
    (Code::AST001, families::reference::ast001_missing),
    (Code::AST002, families::reference::ast002_mentioned_and_missing),
    (Code::AST003, families::reference::ast003_nothing_where_an_asset_belongs),
    (Code::AST004, families::asset::ast004_cannot_be_used),
    (Code::AST005, families::asset::ast005_unused),
    (Code::AST006, families::texture::ast006_texture_too_large),
    (Code::AST007, families::creator::ast007_creators_of_other_grids),
    (Code::AST008, families::asset::ast008_newer_than_the_target),
    (Code::AST009, families::texture::ast009_no_viewer_shows_it),
    (Code::AST010, families::creator::ast010_creators_without_address),
    (Code::SCR001, families::script::scr001_many_scripts),
    (Code::SCR002, families::script::scr002_other_language),
    (Code::SCR003, families::script::scr003_refused_functions),
    (Code::SCR004, families::script::scr004_fixed_addresses),
    (Code::SCR005, families::script::scr005_state_without_script),
    (Code::SCR006, families::script::scr006_many_scripts_in_an_object),
    (Code::OWN002, families::owner::own002_not_free_content_of_others),
    (Code::OWN003, families::owner::own003_without_owner),
    (Code::DBS009, families::region::dbs009_unknown_region),
    (Code::REG001, families::region::reg001_too_many_prims),
    (Code::REG003, families::region::reg003_telehub_missing),
    (Code::REG004, families::region::reg004_bitmap_does_not_fit),
    (Code::INV007, families::inventory::inv007_item_without_asset),
    (Code::VWR001, families::viewer::vwr001_placeholders),
    (Code::VWR002, families::viewer::vwr002_holes),
    (Code::RUN007, families::archive::run007_unknown_file),
];

/// A rule that needs more than the input.
type ContextRule = fn(&Measured<'_>, &RuleContext<'_>, &mut RuleOutcomes);

/// All rules that compare an input with earlier archives, or with the users of the target.
const CONTEXT_RULES: &[(Code, ContextRule)] = &[
    (Code::HIS001, families::history::his001_fell),
    (Code::HIS002, families::history::his002_overdue),
    (Code::HIS004, families::history::his004_region_grew),
    (Code::HIS005, families::history::his005_without_assets),
    (Code::HIS006, families::history::his006_newest_not_whole),
    (Code::OWN001, families::owner::own001_unknown_to_the_target),
];

/// Facts about an input from outside its ledger. If a fact is missing, the rules that need it are not evaluated.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleContext<'a> {
    /// The users of the target grid. `None` if no list was given.
    pub users: Option<&'a Users>,
    /// The earlier archives. `None` if the report does not look back.
    pub past: Option<&'a Past<'a>>,
}

/// Evaluates an input: the selected findings of the decoders, then those of the selected rules.
pub fn evaluate(measured: &Measured<'_>, context: &RuleContext<'_>) -> RuleOutcomes {
    let mut verdicts =
        RuleOutcomes { findings: Capped::new(measured.findings_per_code), ..RuleOutcomes::default() };
    verdicts.extend(families::decoding::findings(measured.ledger));
    for (_, rule) in RULES.iter().filter(|(code, _)| measured.profile.selects(*code)) {
        rule(measured, &mut verdicts);
    }
    for (_, rule) in CONTEXT_RULES.iter().filter(|(code, _)| measured.profile.selects(*code)) {
        rule(measured, context, &mut verdicts);
    }
    verdicts
}

/// Names the setting of a simulator that has the limit of a region. Empty if the limit is that of the profile.
fn source_of_limit(measured: &Measured<'_>, region: Option<u32>, key: LimitKey) -> String {
    let source = measured.source_of_limit(region.map(|region| region as usize), key);
    source.map_or_else(String::new, |source| format!("; the limit is that of {source}"))
}

/// Returns the link numbers of parts.
fn links<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Vec<String> {
    parts.into_iter().map(|part| part.link_number.to_string()).collect()
}

/// Formats link numbers: `link 2`, or `links 2, 3`.
fn at_links(links: &[String]) -> String {
    format!("link{} {}", if links.len() == 1 { "" } else { "s" }, abridged(links))
}

/// Most elements of a list that a message names.
const SHOWN: usize = 8;

/// Joins the first elements of a list and adds the number of the others.
fn abridged(words: &[String]) -> String {
    first_of(words.len(), words.iter().cloned())
}

/// Like [`abridged`], for a list that may be too long to be formatted completely.
fn first_of(count: usize, words: impl Iterator<Item = String>) -> String {
    let shown = words.take(SHOWN).collect::<Vec<_>>().join(", ");
    match count.saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
