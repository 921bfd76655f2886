//! Finds prims to split off a scripted or physical linkset.
//!
//! The high active cost applies to every prim of such a linkset, although only the scripts need it. The page says: "If
//! an object is physical or scripted, keep its linkset as small as possible". The root and every prim with scripts
//! stay. All others become one linkset, neither scripted nor physical. Several would cost more, because few large
//! linksets are better than many small ones. The page gives the same warning for scripted prims.

use super::{
    Advice, Candidate, Charges, Kind, Note, ROUNDING_NOISE, diameter_within, measure_result::relink,
};
use crate::{
    Measured,
    cost::simulation::simulator_resource_cost,
    measure::{PartMeasures, measure_object},
    physics_shape::ShapeType,
};
use hullmark_format::object::{Part, part::flag};
use hullmark_settings::profile::{Linkability, Simulation};

/// Returns at most `top` splits with the largest savings.
pub(super) fn best(
    here: &[Candidate<'_>],
    bounds: &Linkability,
    measured: &Measured<'_>,
    top: usize,
) -> Vec<Advice> {
    let mut offers: Vec<(f64, &Candidate<'_>)> = here
        .iter()
        // A volume detector needs all of its prims.
        .filter(|linkset| linkset.active() && !linkset.measures.volume_detect)
        .filter_map(|linkset| Some((saving(linkset, &measured.profile.simulation)?, linkset)))
        .filter(|&(saving, _)| saving > ROUNDING_NOISE)
        .collect();
    // Stable: with equal savings and UUIDs the first of the export.
    offers.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.root.uuid.cmp(&y.root.uuid)));
    // Measuring takes time, so only as many are measured as requested.
    let sound = offers.into_iter().filter_map(|(_, linkset)| measured_advice(linkset, bounds, measured));
    sound.take(top).collect()
}

/// Whether a prim stays.
fn stays((number, (_, measures)): (usize, (&Part, &PartMeasures))) -> bool {
    number == 0 || measures.scripts != Some(0)
}

/// Returns the saving by the formula alone; below 0 if the split costs more.
fn saving(linkset: &Candidate<'_>, settings: &Simulation) -> Option<f64> {
    let all = linkset.measures.link.current.count;
    let staying = linkset.parts().enumerate().filter(|&part| stays(part)).count();
    let staying = u32::try_from(staying).unwrap_or(u32::MAX);
    let leaving = all.checked_sub(staying).filter(|&leaving| leaving > 0)?;
    let cost = |parts, active| simulator_resource_cost(parts, active, settings).value();
    Some(cost(all, true)? - (cost(staying, true)? + cost(leaving, false)?))
}

/// Measures a split as advice, as the audit would; `None` if it is not sound.
fn measured_advice(linkset: &Candidate<'_>, bounds: &Linkability, measured: &Measured<'_>) -> Option<Advice> {
    let (stay, mut leave): (Vec<_>, Vec<_>) = linkset.parts().enumerate().partition(|&part| stays(part));
    // No root can have the shape None: a simulator would make it collide.
    let root = leave.iter().position(|(_, (part, _))| ShapeType::from_part(part) != ShapeType::None)?;
    leave[..=root].rotate_right(1);

    let measure = |object| measure_object(&object, &measured.assets, measured.profile_of(linkset.object));
    let mut stays = relink(stay.into_iter().map(|(_, part)| part));
    stays.linkset.keyframe_motion = linkset.object.linkset.keyframe_motion;
    let mut leaves = relink(leave.iter().map(|&(_, part)| part));
    // Only this flag of the old root is copied.
    leaves.linkset.parts[0].flags = linkset.root.flags & flag::PHANTOM;
    let (stays, leaves) = (measure(stays), measure(leaves));
    let (before, after) = Charges::falling_apart(linkset.measures, [&stays, &leaves])?;

    let notes = [
        (linkset.measures.scripted, Note::Scripts),
        (linkset.measures.physical || linkset.measures.moving, Note::Motion),
        (Charges::land_impact_rises(&before, &after), Note::LandImpact),
    ];
    Some(Advice {
        kind: Kind::Split,
        objects: vec![linkset.number],
        parts: leave.into_iter().map(|(place, _)| place).collect(),
        prims: linkset.measures.parts.len(),
        diameter_m: diameter_within(&leaves, bounds)?,
        before,
        after,
        notes: notes.into_iter().filter(|(holds, _)| *holds).map(|(_, note)| note).collect(),
    })
}
