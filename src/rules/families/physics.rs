//! PHY: physics.

use super::{cost::rise, land, place::at_object};
use crate::{RuleOutcomes, SkipReason, at_links, catalogue::Reader, links, source_of_limit};
use hullmark_analysis::{
    Measured,
    actions::{PhysicsPlan, TO_NONE_WITH, Terms, physical_cap},
    assets::Triangles,
    cost::{Cost, physics::CapVerdict},
    measure::{Accounting, ObjectMeasures, collision},
    physics_shape::{self, Kind, Representation, ShapeType},
};
use hullmark_finding::{Code, Finding};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::{profile::PhysicsModel, simulator::limits::LimitKey};
use hullmark_util::number_text::{counted, plain};
use std::collections::BTreeMap;

rules! {
    PHY001 "" "Physical object is over the cap" {
        about: Object,
        effect: Changes,
        check: physical_over_the_cap,
        cure: by_substitutes,
        message: "The physical object's physics weight (physics cost) is {measured}; the cap is {limit}{detail}",
        why: "No linkset with a physics weight (physics cost) above 32.0 may be set physical. One that is already \
              physical, from another grid or an older time, stops moving once switched off. It cannot be switched on \
              again. The cost at rest counts, without the penalty for size.",
        engines: [
            "Second Life" => "Enforces the cap.",
            "OpenSimulator" => "Has no cap.",
        ],
        fix: "Set prims to Convex Hull or simplify their physics shapes; `hullmark fix --to-physics` lists which prims.",
        fix_owner: "Set prims of the object to Convex Hull. In the viewer: Edit > Edit linked > Features > Physics \
              Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics: \"No linkset or prim with a pure physics resource cost \
                 exceeding 32.0 may be set physical\"",
    }

    PHY002 "" "Object cannot become physical" {
        about: Object,
        effect: Note,
        check: too_costly_to_become_physical,
        message: "The physics weight (physics cost) is {measured}, above the cap of {limit} for physical \
              objects{detail}",
        why: "The cap of PHY001, for an object that is not physical. It matters only if you want the object to move, \
              for example as a vehicle. Phantom objects and attachments are not reported.",
        engines: [
            "Second Life" => "Enforces the cap.",
            "OpenSimulator" => "Has no cap.",
        ],
        fix: "Do nothing, unless the object is meant to move. In that case `hullmark fix --to-physics` lists the prims to \
              change.",
        fix_owner: "Do nothing, unless the object is meant to move. In that case set prims to Convex Hull. In the \
              viewer: Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics",
    }

    PHY003 "prims" "Physical linkset has too many prims" {
        about: Object,
        effect: Changes,
        check: too_many_legacy_prims,
        message: "The physical linkset has {measured} prims under legacy accounting; the limit is {limit}",
        why: "Before physics costs existed, a physical object had at most 32 prims. A linkset that never opted in to \
              new accounting still has this limit. The simulator answers \"Can't enable physics for objects with \
              more than 32 primitives\".",
        engines: [
            "Second Life" => "Enforces the limit.",
            "OpenSimulator" => "Counts prims only if the operator sets LinksetPhysPrims (PHY005).",
        ],
        fix: "Unlink prims until few enough remain. Or set a child prim to Convex Hull or None: the physics cost \
              then counts, and `hullmark fix --to-physics` shows how to lower it.",
        fix_owner: "Unlink prims until few enough remain, or set a child prim to Convex Hull. In the viewer: Edit > \
              Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Limits",
    }

    PHY004 "m" "Physical linkset has an oversized prim" {
        about: Object,
        effect: Changes,
        check: part_too_large,
        message: "The longest colliding side of the physical linkset is {measured} m; the limit is {limit} m \
              ({detail})",
        why: "A physical linkset may have no colliding prim with a side above PhysicalPrimMax. Loading does not \
              check this, so the object arrives physical. The next change of its flags, by hand or by script, stops \
              it.",
        engines: [
            "OpenSimulator" => "Clears the physical flag silently when flags change, and refuses llSetStatus. \
                PhysicalPrimMax is 64 m in the settings that OpenSim ships, and 10 m without them.",
            "Second Life" => "Has no such rule.",
        ],
        fix: "Make the prim smaller, set it to None unless it is the root prim, or raise PhysicalPrimMax on the \
              target.",
        fix_owner: "Make the prim smaller. In the viewer: Edit > Edit linked > Object > Size. Or set it to None \
              unless it is the root prim: Features > Physics Shape Type > None.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags; LSL_Api.cs, llSetStatus; OpenSimDefaults.ini",
    }

    PHY005 "prims" "Physical linkset has many colliding prims" {
        about: Object,
        effect: Changes,
        check: too_many_physical_parts,
        message: "The physical linkset has {measured} colliding prims; the limit is {limit}{detail}",
        why: "The operator's setting LinksetPhysPrims limits the colliding prims of a physical linkset. Loading does \
              not check it, so the object arrives physical. The next change of its flags, or linking one more prim, \
              stops it.",
        engines: [
            "OpenSimulator" => "Clears the physical flag silently. Has no limit unless LinksetPhysPrims is set.",
        ],
        fix: "Set prims that need not collide to None, or raise LinksetPhysPrims on the target.",
        fix_owner: "Set child prims that need not collide to None. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > None.",
        source: "OpenSim, SceneObjectGroup.cs, UpdateFlags and LinkToGroup",
    }

    PHY006 "" "Root prim has shape None" {
        about: Object,
        effect: Changes,
        check: root_without_shape,
        message: "The root prim has the physics shape None, which no root prim may have: {detail}",
        why: "Only a child prim may have the physics shape None. A root prim has it from an edited export or from \
              another program. Once OpenSim loads it, it collides: what people walked through is in their way.",
        engines: [
            "OpenSimulator" => "Gives it a default when it builds the physics: Convex Hull for a mesh that is \
                neither mirrored nor inverted, Prim for all others.",
            "Second Life" => "Lets nobody set it.",
        ],
        fix: "Relink the prims with a root prim that may collide, or make the object phantom.",
        fix_owner: "Make the object phantom. In the viewer: Edit > Object > Phantom. Or unlink it, and link it again \
              with the new root prim selected last.",
        source: "OpenSim, SceneObjectPart.cs, ApplyPhysics; Second Life wiki, PRIM_PHYSICS_SHAPE_TYPE",
    }

    PHY007 "" "Mesh set to Prim has no physics" {
        about: Object,
        effect: Note,
        check: prim_without_physics_shape,
        message: "A mesh is set to Prim but has neither decomposition nor physics mesh: {detail}",
        why: "A mesh uploaded without physics shape or decomposition always collides as its base hull. It cannot \
              have the shape type Prim, but an export may state Prim, and a missing type is read as Prim. Doorways \
              through such a mesh are closed. Phantom objects do not collide and are not reported.",
        engines: [
            "Second Life" => "Uses the base hull.",
            "ubODE" => "Uses the base hull.",
            "OpenSimulator" => "Meshmerizer uses the medium or the high level of detail, so a doorway may be open.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again with a physics shape, unless it should collide as its base hull.",
        fix_owner: "If its doorways are closed, upload the mesh again with a physics shape, or ask its creator to. \
              In the viewer: Build > Upload > Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics, Notes; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; OpenSimDefaults.ini, meshing",
    }

    PHY008 "prims" "Collision shape changes between grids" {
        about: Object,
        effect: Changes,
        check: shape_changes,
        message: "Prims that collide differently than with profile {within}: {measured} ({detail})",
        why: "Grids choose differently among the physics blocks of a mesh. A bridge that people can walk on in one \
              grid may be closed in another. A change of engine has the same effect.",
        engines: [
            "Second Life" => "Prefers the decomposition to the physics mesh. Takes the base hull of a mesh without \
                decomposition whose smallest side is below 0.5 m.",
            "ubODE" => "Prefers the physics mesh to the decomposition. Takes the base hull for Convex Hull, and if \
                the mesh has nothing else.",
        ],
        fix: "Try the object on the target, the first profile: doorways may close or open. If they do, upload its \
              meshes again with a physics shape that both engines read alike.",
        source: "Viewer, llphysicsshapebuilderutil.cpp; OpenSim, ODEMeshWorker.cs; WhiteCore, issue 137",
    }

    PHY009 "" "Becoming physical would overfill land" {
        about: Land,
        effect: Overfills,
        check: physical_would_overfill,
        message: "If made physical, the scripted linkset needs {measured} more land impact, with {limit} left on \
              {detail}",
        why: "A physical linkset costs more, and a large one most. The specification warns that \"something on your \
              parcel may be returned to you if you are over your resource quota\". Only scripted linksets under the \
              cap are checked, because scripts make parked vehicles physical. One finding covers a region, or all \
              parcels of one owner.",
        engines: [
            "Second Life" => "Returns objects.",
            "OpenSimulator" => "Counts prims; being physical changes nothing.",
        ],
        fix: "Leave room on the land, or make the linkset smaller or cheaper: `hullmark fix --to-physics` lists the \
              prims. The column land_impact_if_physical shows every linkset.",
        fix_owner: "Leave room on your land, make the linkset smaller, or set prims to Convex Hull. In the viewer: \
              Edit > Edit linked > Features > Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Formula",
    }

    PHY010 "prims" "Mesh states no physics shape type" {
        about: Object,
        effect: Note,
        check: shape_type_not_stated,
        message: "The export states no physics shape type for {detail}",
        why: "By the specification, meshes rez as Convex Hull. A missing type is read as Prim, also by this audit. \
              Collision and cost may differ from the original.",
        engines: [
            "OpenSimulator" => "Reads Prim.",
            "Second Life" => "Sets Prim at upload if there is a physics shape, otherwise Convex Hull.",
        ],
        fix: "Set the physics shape type in-world and export again, or compare both costs.",
        fix_owner: "Set the type that you want. In the viewer: Edit > Edit linked > Features > Physics Shape Type.",
        source: "Second Life wiki, Mesh/Mesh physics: \"Meshes should initially rez with shape type Convex Hull\"; \
                 OpenSim, SceneObjectSerializer.cs",
    }

    PHY011 "triangles" "Physics mesh has slivers" {
        about: Object,
        effect: Note,
        check: slivers,
        message: "Colliding triangles narrower than 1 mm: {measured} of {limit} ({detail})",
        why: "The physics weight (physics cost) of a physics mesh is its triangles divided by their harmonic mean \
              width. The narrowest triangles decide that mean. It is never below 1 mm, so narrower triangles already \
              cost the maximum.",
        engines: [
            "Second Life" => "Charges by width.",
            "OpenSimulator" => "Ignores widths.",
        ],
        fix: "Set the prim to Convex Hull, make it larger, or remove the slivers from its physics model.",
        fix_owner: "Set the prim to Convex Hull or make it larger. In the viewer: Edit > Edit linked > Features > \
              Physics Shape Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Triangle Mesh Overview",
    }
}

/// Whether an object collides. A phantom object does so only in motion, or as a volume that notifies its scripts.
fn is_solid(measures: &ObjectMeasures) -> bool {
    !measures.phantom || measures.physical || measures.volume_detect
}

fn over_the_cap(
    measured: &Measured<'_>,
    code: Code,
    is_of_kind: impl Fn(&ObjectFacts, &ObjectMeasures) -> bool,
    outcomes: &mut RuleOutcomes,
) {
    for (object, measures) in measured.objects().filter(|(object, measures)| is_of_kind(object, measures)) {
        if let CapVerdict::NotEvaluated(_) = measures.physical_cap {
            outcomes.not_evaluated(code, SkipReason::CostUnknown, 1);
        }
        if measures.physical_cap != CapVerdict::Exceeded {
            continue;
        }
        let cost = measures.physics_cost.value().unwrap_or(f64::NAN);
        let finding = at_object(object, code).measured(cost).limit(measured.profile.physics.physical_cap);
        let plan = physical_cap(measured.profile).and_then(|cap| {
            PhysicsPlan::find(object, measures, &measured.assets, cap, Terms::default(), measured.profile)
        });
        outcomes.push(finding.detail(plan.map_or_else(String::new, |plan| format!("; {}", plan.in_short()))));
    }
}

/// "No linkset or prim with a pure physics resource cost exceeding 32.0 may be set physical."
fn physical_over_the_cap(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    over_the_cap(measured, Code::PHY001, |_, measures| measures.physical, outcomes);
}

/// Returns the advice on an object that needs prims in place of others.
fn by_substitutes(finding: &Finding, reader: Reader) -> Option<&'static str> {
    finding.detail.contains(TO_NONE_WITH).then_some(match reader {
        Reader::Operator => {
            "Set the prims that `hullmark fix --to-physics` lists to None, and link an invisible box or cylinder of \
             their size in the place of each."
        }
        Reader::Owner => {
            "Set the heaviest prims to None, and link an invisible box or cylinder of their size in the place of \
             each. In the viewer: Edit > Edit linked > Features > Physics Shape Type > None."
        }
    })
}

/// The same limit for an object that does not move, as information for builders. Nobody sets a phantom object or an
/// attachment physical.
fn too_costly_to_become_physical(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let may_become_physical = |object: &ObjectFacts, measures: &ObjectMeasures| {
        let is_worn = object.linkset.parts.first().is_some_and(Part::is_attachment);
        !measures.physical && !measures.phantom && !is_worn
    };
    over_the_cap(measured, Code::PHY002, may_become_physical, outcomes);
}

/// "Maximum # of prims in a physical object - 32" (the wiki's page of limits). This limit applies under legacy
/// accounting, which has no physics cost.
fn too_many_legacy_prims(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limit = measured.profile.physics.max_legacy_prims;
    let legacy = |measures: &ObjectMeasures| measures.physical && measures.accounting == Accounting::Legacy;
    for (object, _) in measured.objects().filter(|(_, measures)| legacy(measures)) {
        let prims = object.linkset.parts.len();
        if prims > limit as usize {
            outcomes.push(at_object(object, Code::PHY003).measured(prims as f64).limit(limit));
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

fn part_too_large(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, mut parts) in colliding(measured) {
        let limit = measured.profile_of(object).physics.max_physical_side_m;
        let unknown = limit.is_finite() && parts.iter().any(|part| part.scale.is_nan());
        parts.retain(|part| part.scale.max_element() > limit);
        let longest = parts.iter().map(|part| part.scale.max_element()).reduce(f64::max);
        if let Some(longest) = longest {
            let source = source_of_limit(measured, object.region, LimitKey::PhysicalPrimMax);
            let detail = format!("{}{source}", at_links(&links(parts)));
            outcomes.push(at_object(object, Code::PHY004).measured(longest).limit(limit).detail(detail));
        } else if unknown {
            outcomes.not_evaluated(Code::PHY004, SkipReason::NotFinite, 1);
        }
    }
}

fn too_many_physical_parts(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, parts) in colliding(measured) {
        let limit = measured.profile_of(object).physics.max_physical_parts;
        if parts.len() > limit as usize {
            let source = source_of_limit(measured, object.region, LimitKey::LinksetPhysPrims);
            let finding = at_object(object, Code::PHY005).measured(parts.len() as f64).limit(limit);
            outcomes.push(finding.detail(source));
        }
    }
}

/// A root of shape type None that will collide. Phantom objects never collide, and neither do flexible prims and
/// plants.
fn root_without_shape(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(at_object(object, Code::PHY006).detail(detail));
        }
    }
}

/// "A mesh object uploaded without an explicit physics shape or decomposition cannot be changed to shape type
/// prim and will always be represented as a single convex hull." A phantom object does not collide.
fn prim_without_physics_shape(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
            outcomes.push(at_object(object, Code::PHY007).measured(links.len() as f64).detail(detail));
        } else if unknown {
            outcomes.not_evaluated(Code::PHY007, SkipReason::BodyUnknown, 1);
        }
    }
}

/// "Meshes should initially rez with shape type Convex Hull", but an export without a type is read as Prim. OpenSim
/// does rez it as Prim, so the rule covers Second Life only.
fn shape_type_not_stated(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
        let mut finding = at_object(object, Code::PHY010).measured(links.len() as f64).detail(detail);
        if silent.len() == 1 {
            (finding.place.part, finding.place.link_number) = (Some(first.uuid), Some(first.link_number));
        }
        outcomes.push(finding);
    }
}

fn as_convex_hull(part: &Part, measured: &Measured<'_>) -> Cost {
    let part = Part { physics_shape_type: Some(2), ..part.clone() };
    collision(&part, &measured.assets.body(&part), measured.profile).physics_cost
}

fn slivers(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
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
        let finding = at_object(object, Code::PHY011).detail(at_links(&links));
        outcomes.push(
            finding.measured(sum(|triangles| triangles.slivers)).limit(sum(|triangles| triangles.count)),
        );
    }
}

/// Collision shapes at rest by further profiles compared with the target's, part by part. Unknown shapes are not compared.
/// Phantom objects do not collide on any grid.
fn shape_changes(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.others.is_empty() {
        outcomes.not_evaluated(Code::PHY008, SkipReason::OneProfile, measured.objects.len());
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
                let finding = at_object(object, Code::PHY008).within(other.named.name.clone());
                outcomes.push(finding.measured(count as f64).detail(detail.join("; ")));
            } else if solid && is_unknown(here, there) {
                outcomes.not_evaluated(Code::PHY008, SkipReason::BodyUnknown, 1);
            }
        }
    }
}

fn is_unknown(here: &ObjectMeasures, there: &ObjectMeasures) -> bool {
    here.parts.iter().chain(&there.parts).any(|part| part.collision.representation == Representation::Unknown)
}

/// Returns the link numbers of the parts whose representation changes, by representation there and here.
fn changes(
    object: &ObjectFacts,
    here: &ObjectMeasures,
    there: &ObjectMeasures,
) -> BTreeMap<(String, String), Vec<String>> {
    let mut changes: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for ((part, here), there) in object.linkset.parts.iter().zip(&here.parts).zip(&there.parts) {
        let (from, to) = (there.collision.representation, here.collision.representation);
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
fn physical_would_overfill(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if !land::holds_land_impact(measured, Code::PHY009, outcomes) {
        return;
    }
    let more = |measures: &ObjectMeasures| {
        let likely = !measures.physical && measures.scripted && measures.physical_cap == CapVerdict::Allowed;
        rise(measures.land_impact, measures.land_impact_if_physical).filter(|_| likely)
    };
    land::overfilled(measured, Code::PHY009, more, outcomes);
}
