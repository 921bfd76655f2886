//! Objects and their parts: decoded values, shapes, costs and linkability.

use super::{
    Golden, GoldenObject, GoldenPart, Study,
    differences::{COST, Differences, EXACT, MARGIN},
    study,
};
use glam::DQuat;
use hullmark_analysis::{
    linkability::{current::Verdict, link_order::Order},
    measure::{Accounting, ObjectMeasures, PartMeasures},
    physics_shape::{Representation, ShapeType},
};
use hullmark_format::{object::Part, reference::Use};
use hullmark_ledger::facts::{ObjectFacts, Role};
use std::collections::{BTreeMap, HashMap};

/// Compares every object with that of the other program. Entry and number within the entry identify it.
fn each_object(
    study: &'static Study,
    differences: &mut Differences,
    compare: fn(&GoldenObject, &ObjectFacts, &ObjectMeasures, &str, &mut Differences),
) {
    for (Golden { path, objects, nested, .. }, case) in study.pairs() {
        let ours: HashMap<_, _> =
            case.objects().map(|pair| ((pair.0.entry.as_str(), pair.0.index), pair)).collect();
        let roles = [(objects, Role::Rezzed), (nested, Role::Nested)];
        for (golden, role) in
            roles.into_iter().flat_map(|(list, role)| list.iter().map(move |one| (one, role)))
        {
            let place = format!("{path} {}#{}", golden.entry, golden.group_index);
            let ours = ours.get(&(golden.entry.as_str(), golden.group_index));
            differences.same(&place, "role", ours.map(|(object, _)| object.role), Some(role));
            if let Some((object, measures)) = ours {
                compare(golden, object, measures, &place, differences);
            }
        }
    }
}

#[test]
fn objects_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    each_object(study, &mut differences, compare_object);
    differences.fail_if_any(90_000);
}

fn compare_object(
    golden: &GoldenObject,
    object: &ObjectFacts,
    measures: &ObjectMeasures,
    place: &str,
    differences: &mut Differences,
) {
    let place = &place;
    differences.same(place, "format", object.layout.name(), golden.format.as_str());
    let in_order = object.linkset.document_in_link_order;
    differences.same(place, "document in link order", in_order, golden.link_order_is_document_order);
    let uuids = object.linkset.parts.iter().map(|part| part.uuid).collect::<Vec<_>>();
    differences.same(
        place,
        "parts",
        uuids,
        in_link_order(&golden.parts).iter().map(|part| part.uuid).collect(),
    );

    differences.near(place, "diameter", EXACT, measures.link.current.diameter_m(), Some(golden.diameter));
    let (havok4, theirs) = (&measures.link.havok4, &golden.havok4);
    differences.same(place, "linkable by Havok4", havok4.verdict == Verdict::Linkable, theirs.linkable);
    differences.same(place, "pieces by Havok4", havok4.pieces.len(), theirs.pieces);
    differences.same(place, "linked with the root", havok4.linked_with_root(), Some(theirs.linked_with_root));
    let radius = havok4.pieces.first().map(|piece| piece.ball.radius);
    differences.near(place, "radius of the root's piece", EXACT, radius, Some(theirs.root_sphere_radius));
    differences.near(place, "least margin", MARGIN, havok4.least_margin_m, theirs.least_margin);
    differences.same(
        place,
        "linkable",
        measures.link.current.verdict == Verdict::Linkable,
        golden.linkable_2010,
    );
    let region_box = measures.region_box.map(|bounds| bounds.size());
    differences.near_points(place, "box in the region's axes", EXACT, region_box, Some(golden.aabb_size));
    let root_box = measures.root_box.map(|bounds| bounds.size());
    differences.near_points(
        place,
        "box in the root's axes",
        EXACT,
        root_box,
        Some(golden.root_frame_aabb_size),
    );
    let area = Some(golden.root_frame_mean_face_area);
    differences.near(place, "mean face area", EXACT, measures.mean_face_area, area);

    let flags = &golden.flags;
    differences.same(place, "physical", measures.physical, flags.physical);
    differences.same(place, "phantom", measures.phantom, flags.phantom);
    differences.same(place, "temporary", measures.temporary, flags.temporary);
    differences.same(place, "volume detect", measures.volume_detect, flags.volume_detect);
    differences.same(place, "scripted", measures.scripted, flags.scripted);
    differences.same(place, "scripts", measures.scripts, Some(golden.script_count));
    let new = measures.accounting == Accounting::New;
    // The other implementation does not know that materials opt in (wiki, Material Data).
    let parts = object.linkset.parts.iter();
    let uses: Vec<Use> = parts.flat_map(|part| &part.references).map(|reference| reference.what).collect();
    if !uses.iter().any(|what| matches!(what, Use::Material | Use::NormalMap | Use::SpecularMap)) {
        differences.same(place, "under new accounting", new, golden.land_impact_opt_in);
    }
    if golden.physics_cost.is_some() {
        differences.near(
            place,
            "physics cost",
            COST,
            measures.physics_cost_if_new.exact(),
            golden.physics_cost,
        );
    }
}

/// Nine clusters of trees and a cottage depend on their order, although all of them link in link order.
#[test]
fn some_real_sets_depend_on_their_order() {
    let Some(study) = study() else { return };
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for (object, measures) in study.pairs().flat_map(|(_, case)| case.objects()) {
        let order = match measures.link.havok4_order {
            Some(Order::Matters(_)) => "matters",
            Some(Order::CannotMatter) if object.linkset.parts.len() > 1 => "cannot matter",
            Some(Order::CannotMatter) => "alone",
            Some(Order::NoneFound(_)) => "none found",
            None => "not evaluated",
        };
        *found.entry(order).or_default() += 1;
    }
    let expected = [("alone", 5565), ("cannot matter", 540), ("matters", 10), ("none found", 1)];
    assert_eq!(found, expected.into());
}

/// Returns the root, then the children by link number, in document order among equals. A child without a number gets
/// its position as the number.
fn in_link_order(document: &[GoldenPart]) -> Vec<&GoldenPart> {
    let mut parts: Vec<(i32, &GoldenPart)> = (1..).zip(document).collect();
    for (number, part) in &mut parts {
        if part.link_num != 0 {
            *number = part.link_num;
        }
    }
    parts[1..].sort_by_key(|(number, _)| *number);
    parts.into_iter().map(|(_, part)| part).collect()
}

#[test]
fn parts_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    each_object(study, &mut differences, |golden, object, measures, place, differences| {
        let ours = object.linkset.parts.iter().zip(&measures.parts);
        for (number, ((part, measures), golden)) in ours.zip(in_link_order(&golden.parts)).enumerate() {
            compare_part(golden, part, measures, &format!("{place} part {number}"), differences);
        }
    });
    differences.fail_if_any(250_000);
}

fn compare_part(
    golden: &GoldenPart,
    part: &Part,
    measures: &PartMeasures,
    place: &str,
    differences: &mut Differences,
) {
    let place = &place;
    differences.same(place, "uuid", part.uuid, golden.uuid);
    differences.same(place, "name", &part.name, &golden.name);
    differences.same(place, "link number", part.link_number, golden.link_num);
    differences.near_points(place, "scale", EXACT, Some(part.scale), Some(golden.scale));
    differences.near_points(place, "position", EXACT, Some(measures.position), Some(golden.position));
    // A rotation and its negative are the same turn.
    let turn = DQuat::from_array(golden.rotation).dot(measures.rotation).abs();
    differences.near(place, "cosine between the rotations", EXACT, Some(turn), Some(1.0));
    differences.same(place, "pcode", part.shape.pcode, golden.pcode);
    let sculpt = part.shape.sculpt.map(|sculpt| sculpt.kind);
    differences.same(place, "sculpt type", sculpt, golden.sculpt_type);
    differences.same(place, "mesh", part.mesh(), golden.mesh_uuid);
    differences.same(place, "scripts", measures.scripts, Some(golden.scripts));
    let shape_type = match ShapeType::from_part(part) {
        ShapeType::Prim => 0,
        ShapeType::None => 1,
        ShapeType::Convex => 2,
    };
    differences.same(place, "physics shape type", shape_type, golden.physics_shape_type);
    differences.same(place, "shape", measures.collision.class.kind.name(), golden.shape.as_str());
    let representation = golden_name(measures.collision.representation);
    differences.same(place, "representation", representation, golden.representation.as_str());
    if golden.physics_cost.is_some() {
        differences.near(
            place,
            "physics cost",
            COST,
            measures.collision.physics_cost.exact(),
            golden.physics_cost,
        );
    }
    if golden.streaming_cost.is_some() {
        differences.near(
            place,
            "streaming cost",
            COST,
            measures.streaming_cost.exact(),
            golden.streaming_cost,
        );
    }
}

/// Returns the other program's name of a physics shape. That program does not build surfaces.
fn golden_name(representation: Representation) -> &'static str {
    match representation {
        Representation::Box => "box",
        Representation::Sphere => "sphere",
        Representation::Cylinder => "cylinder",
        Representation::None => "none",
        Representation::BaseHull | Representation::Decomposition => "hull",
        Representation::TriangleMesh => "triangle-mesh",
        Representation::SurfaceHull
        | Representation::SurfaceMesh
        | Representation::Unknown
        | Representation::NotApplicable => "other",
    }
}
