//! PHY: physics.

use super::{cost::rise, land, link::at};
use crate::{RuleOutcomes, SkipReason, at_links, links, source_of_limit};
use hullmark_analysis::{
    Measured,
    actions::{PhysicsPlan, Terms, physical_cap},
    assets::Triangles,
    cost::{Cost, physics::CapVerdict},
    measure::{Accounting, ObjectMeasures, collision},
    physics_shape::{self, Kind, Representation, ShapeType},
};
use hullmark_finding::Code;
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::{
    profile::{LandModel, PhysicsModel},
    simulator::limits::LimitKey,
};
use hullmark_util::number_text::{counted, plain};
use std::collections::BTreeMap;

/// Whether an object collides. A phantom object does so only in motion, or as a volume that notifies its scripts.
fn is_solid(measures: &ObjectMeasures) -> bool {
    !measures.phantom || measures.physical || measures.volume_detect
}

/// Objects over the cap, among those of a kind.
fn over_the_cap(
    measured: &Measured<'_>,
    code: Code,
    is_of_kind: impl Fn(&ObjectFacts, &ObjectMeasures) -> bool,
    verdicts: &mut RuleOutcomes,
) {
    for (object, measures) in measured.objects().filter(|(object, measures)| is_of_kind(object, measures)) {
        if let CapVerdict::NotEvaluated(_) = measures.physical_cap {
            verdicts.not_evaluated(code, SkipReason::CostUnknown, 1);
        }
        if measures.physical_cap != CapVerdict::Exceeded {
            continue;
        }
        let cost = measures.physics_cost.value().unwrap_or(f64::NAN);
        let finding = at(object, code).measured(cost).limit(measured.profile.physics.physical_cap);
        let plan = physical_cap(measured.profile).and_then(|cap| {
            PhysicsPlan::find(object, measures, &measured.assets, cap, Terms::default(), measured.profile)
        });
        verdicts.push(finding.detail(plan.map_or_else(String::new, |plan| format!("; {}", plan.in_short()))));
    }
}

/// "No linkset or prim with a pure physics resource cost exceeding 32.0 may be set physical."
pub(crate) fn phy001_physical_over_the_cap(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    over_the_cap(measured, Code::PHY001, |_, measures| measures.physical, verdicts);
}

/// The same limit for an object that does not move, as information for builders. Nobody sets a phantom object or an
/// attachment physical.
pub(crate) fn phy002_too_costly_to_become_physical(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let may_become_physical = |object: &ObjectFacts, measures: &ObjectMeasures| {
        let is_worn = object.linkset.parts.first().is_some_and(Part::is_attachment);
        !measures.physical && !measures.phantom && !is_worn
    };
    over_the_cap(measured, Code::PHY002, may_become_physical, verdicts);
}

/// "Maximum # of prims in a physical object - 32" (the wiki's page of limits). This limit applies under legacy
/// accounting, which has no physics cost.
pub(crate) fn phy003_too_many_legacy_prims(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let limit = measured.profile.physics.max_legacy_prims;
    let legacy = |measures: &ObjectMeasures| measures.physical && measures.accounting == Accounting::Legacy;
    for (object, _) in measured.objects().filter(|(_, measures)| legacy(measures)) {
        let prims = object.linkset.parts.len();
        if prims > limit as usize {
            verdicts.push(at(object, Code::PHY003).measured(prims as f64).limit(limit));
        }
    }
}

/// Returns the physical linksets with their parts whose shape type is not None. OpenSim checks these parts when an
/// object is to stay physical.
fn colliding<'a>(measured: &'a Measured<'_>) -> impl Iterator<Item = (&'a ObjectFacts, Vec<&'a Part>)> {
    measured.objects().filter(|(_, measures)| measures.physical).map(|(object, _)| {
        // In OpenSim, a root always has a shape.
        let collides = |(number, part): (usize, &'a Part)| {
            (number == 0 || ShapeType::from_part(part) != ShapeType::None).then_some(part)
        };
        (object, object.linkset.parts.iter().enumerate().filter_map(collides).collect())
    })
}

/// A physical linkset with a side above `PhysicalPrimMax`.
pub(crate) fn phy004_part_too_large(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, mut parts) in colliding(measured) {
        let limit = measured.profile_of(object).physics.max_physical_side_m;
        let unknown = limit.is_finite() && parts.iter().any(|part| part.scale.is_nan());
        parts.retain(|part| part.scale.max_element() > limit);
        let longest = parts.iter().map(|part| part.scale.max_element()).reduce(f64::max);
        if let Some(longest) = longest {
            let source = source_of_limit(measured, object.region, LimitKey::PhysicalPrimMax);
            let detail = format!("{}{source}", at_links(&links(parts)));
            verdicts.push(at(object, Code::PHY004).measured(longest).limit(limit).detail(detail));
        } else if unknown {
            verdicts.not_evaluated(Code::PHY004, SkipReason::NotFinite, 1);
        }
    }
}

/// A physical linkset with more colliding parts than `LinksetPhysPrims`.
pub(crate) fn phy005_too_many_physical_parts(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, parts) in colliding(measured) {
        let limit = measured.profile_of(object).physics.max_physical_parts;
        if parts.len() > limit as usize {
            let source = source_of_limit(measured, object.region, LimitKey::LinksetPhysPrims);
            let finding = at(object, Code::PHY005).measured(parts.len() as f64).limit(limit);
            verdicts.push(finding.detail(source));
        }
    }
}

/// A root of shape type None that will collide. Phantom objects never collide, and neither do flexible prims and
/// plants.
pub(crate) fn phy006_root_without_shape(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, measures) in measured.objects() {
        let Some((root, part)) = object.linkset.parts.first().zip(measures.parts.first()) else { continue };
        let rigid = !matches!(part.collision.class.kind, Kind::Tree | Kind::Flexi);
        if ShapeType::from_part(root) == ShapeType::None && is_solid(measures) && rigid {
            let detail = match (measured.profile.physics.model, root.shape.is_opensim_mesh()) {
                (PhysicsModel::SecondLife, _) => {
                    "by the specification it neither collides nor costs, but Second Life lets nobody set it"
                }
                (_, true) => "in OpenSim it collides and costs as Convex Hull",
                (_, false) => "in OpenSim it collides and costs as Prim",
            };
            verdicts.push(at(object, Code::PHY006).detail(detail));
        }
    }
}

/// "A mesh object uploaded without an explicit physics shape or decomposition cannot be changed to shape type
/// prim and will always be represented as a single convex hull." A phantom object does not collide.
pub(crate) fn phy007_prim_without_physics_shape(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, measures) in measured.objects().filter(|(_, measures)| is_solid(measures)) {
        let parts = object.linkset.parts.iter().zip(&measures.parts);
        let concerned: Vec<_> = parts
            .filter(|(part, measures)| {
                measures.collision.class.kind == Kind::UserMesh
                    && ShapeType::from_part(part) == ShapeType::Prim
            })
            .collect();
        let of = |wanted| {
            concerned.iter().filter(move |(_, measures)| measures.collision.representation == wanted)
        };
        // If a block cannot be read, the collision shape is unknown.
        let unknown = of(Representation::Unknown).count() > 0;
        let links = links(of(Representation::BaseHull).map(|(part, _)| *part));
        if !links.is_empty() {
            let detail = at_links(&links);
            verdicts.push(at(object, Code::PHY007).measured(links.len() as f64).detail(detail));
        } else if unknown {
            verdicts.not_evaluated(Code::PHY007, SkipReason::BodyUnknown, 1);
        }
    }
}

/// "Meshes should initially rez with shape type Convex Hull", but an export without a type is read as Prim. OpenSim
/// does rez it as Prim, so the rule covers Second Life only.
pub(crate) fn phy010_shape_type_not_stated(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.physics.model != PhysicsModel::SecondLife {
        return;
    }
    for (object, measures) in measured.objects() {
        let parts = object.linkset.parts.iter().zip(&measures.parts);
        let silent: Vec<_> =
            parts.filter(|(part, _)| part.mesh().is_some() && part.physics_shape_type.is_none()).collect();
        let Some((first, _)) = silent.first() else { continue };
        let links = links(silent.iter().map(|(part, _)| *part));
        let as_prim = Cost::sum(silent.iter().map(|(_, measures)| measures.collision.physics_cost));
        let as_hull = Cost::sum(silent.iter().map(|(part, _)| as_convex_hull(part, measured)));
        let figure = |cost: Cost| cost.exact().map_or_else(|| "unknown".to_owned(), plain);
        let detail = format!(
            "{} ({}): physics weight (physics cost) {} as Prim, {} as Convex Hull",
            counted(links.len() as u64, "mesh"),
            at_links(&links),
            figure(as_prim),
            figure(as_hull),
        );
        let mut finding = at(object, Code::PHY010).measured(links.len() as f64).detail(detail);
        if silent.len() == 1 {
            (finding.place.part, finding.place.link_number) = (Some(first.uuid), Some(first.link_number));
        }
        verdicts.push(finding);
    }
}

/// Returns the cost of a part with the shape type Convex Hull.
fn as_convex_hull(part: &Part, measured: &Measured<'_>) -> Cost {
    let part = Part { physics_shape_type: Some(2), ..part.clone() };
    collision(&part, &measured.assets.body(&part), measured.profile).physics_cost
}

/// Triangles of a physics mesh that are so narrow at the part's scale that they determine its cost.
pub(crate) fn phy011_slivers(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.physics.model != PhysicsModel::SecondLife {
        return;
    }
    for (object, measures) in measured.objects() {
        let parts = object.linkset.parts.iter().zip(&measures.parts);
        let narrow: Vec<_> = parts
            .filter(|(_, measures)| measures.collision.representation == Representation::TriangleMesh)
            .filter_map(|(part, measures)| Some((part, measures.collision.triangles?)))
            .filter(|(_, triangles)| triangles.slivers > 0)
            .collect();
        if narrow.is_empty() {
            continue;
        }
        let sum = |count: fn(&Triangles) -> u64| {
            narrow.iter().map(|(_, triangles)| count(triangles)).sum::<u64>() as f64
        };
        let links = links(narrow.iter().map(|(part, _)| *part));
        let finding = at(object, Code::PHY011).detail(at_links(&links));
        verdicts.push(
            finding.measured(sum(|triangles| triangles.slivers)).limit(sum(|triangles| triangles.count)),
        );
    }
}

/// Collision shapes at rest by this profile compared with further ones, part by part. Unknown shapes are not compared.
/// Phantom objects do not collide on any grid.
pub(crate) fn phy008_shape_changes(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.others.is_empty() {
        verdicts.not_evaluated(Code::PHY008, SkipReason::OneProfile, measured.objects.len());
    }
    for other in &measured.others {
        for ((object, here), there) in measured.objects().zip(&other.objects) {
            let solid = is_solid(here);
            let changes = if solid { changes(object, here, there) } else { BTreeMap::new() };
            let count: usize = changes.values().map(Vec::len).sum();
            if count > 0 {
                let detail: Vec<String> = changes
                    .iter()
                    .map(|((from, to), links)| format!("{}: {from} → {to}", at_links(links)))
                    .collect();
                let finding = at(object, Code::PHY008).within(other.named.name.clone());
                verdicts.push(finding.measured(count as f64).detail(detail.join("; ")));
            } else if solid && is_unknown(here, there) {
                verdicts.not_evaluated(Code::PHY008, SkipReason::BodyUnknown, 1);
            }
        }
    }
}

/// Whether the collision shape of a part is unknown with either profile.
fn is_unknown(here: &ObjectMeasures, there: &ObjectMeasures) -> bool {
    here.parts.iter().chain(&there.parts).any(|part| part.collision.representation == Representation::Unknown)
}

/// Returns the link numbers of the parts whose representation changes, by representation before and after.
fn changes(
    object: &ObjectFacts,
    here: &ObjectMeasures,
    there: &ObjectMeasures,
) -> BTreeMap<(String, String), Vec<String>> {
    let mut changes: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for ((part, here), there) in object.linkset.parts.iter().zip(&here.parts).zip(&there.parts) {
        let (from, to) = (here.collision.representation, there.collision.representation);
        let known = from != Representation::Unknown && to != Representation::Unknown;
        if known && !physics_shape::same_solid(part, from, to) {
            let words = |representation: Representation| representation.name().replace('_', " ");
            changes.entry((words(from), words(to))).or_default().push(part.link_number.to_string());
        }
    }
    changes
}

/// "If doing so results in the cost going up, something on your parcel may be returned to you." A scripted linkset may
/// become physical and would then overfill its land.
pub(crate) fn phy009_physical_would_overfill(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.profile.land.model != LandModel::SecondLife {
        return;
    }
    let more = |measures: &ObjectMeasures| {
        let likely = !measures.physical && measures.scripted && measures.physical_cap == CapVerdict::Allowed;
        rise(measures.land_impact, measures.land_impact_if_physical).filter(|_| likely)
    };
    land::overfilled(measured, Code::PHY009, more, verdicts);
}
