//! The goal of a physics weight: the fewest edits that bring one object to it, each with its saving.
//!
//! [`PhysicsPlan::find`] measures each part as it would be after an edit, so the audit would find the cost that is offered.
//! [`Coarser`] describes a simpler physics mesh.
//!
//! The possible edits are:
//!
//! * **Convex Hull** for a part that is set to Prim, if that is cheaper.
//! * **None** for a child prim, if allowed. No simulator lets a root prim be None.
//!
//! An edit is not offered if its cost or the present cost of its part is unknown, because the saving is unknown too.
//! With such parts the cost before and after is a lower bound.
//!
//! The largest savings are used until the budget is reached, so fewer edits cannot reach it. If a part may have both,
//! None is used only if Convex Hull would not be enough.

use super::{
    Kind, Terms,
    coarser_mesh::{self, Coarser},
    substitute::{self, Substitute},
};
use crate::{
    assets::{Assets, Body},
    cost::{Cost, physics},
    measure::{self, Collision, ObjectMeasures, PartMeasures},
    physics_shape::Representation,
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::ObjectFacts;
use hullmark_settings::profile::Profile;
use hullmark_util::number_text::{counted, grouped};
use std::f64::consts::FRAC_PI_6;

/// Assumed difference between the volumes of a part's own form and its hull, as a share of the part's box. It is used if
/// the volume of the hull is unknown. Both are in the box, so the difference is at most the whole box; half of it is a
/// convention.
const HULL_SHARE: f64 = 0.5;

/// The words of [`PhysicsPlan::in_short`] that only a plan with substitutes has.
pub const TO_NONE_WITH: &str = "to None with";

/// What replaces a part, in words.
const SUBSTITUTE: &str = "an invisible box or cylinder";
/// What replaces several parts.
const SUBSTITUTES: &str = "invisible boxes or cylinders";

/// Returns the cap of the target grid for physical objects. `None` if it has none.
pub fn physical_cap(profile: &Profile) -> Option<f64> {
    Some(profile.physics.physical_cap).filter(|cap| cap.is_finite())
}

/// Returns by how much an edit changes the volume that collides, in m³.
///
/// For Convex Hull it is the difference of the hull's volume and that of the hulls of a decomposition (triangles
/// have no volume). For None it is the present volume of a box, sphere or cylinder. For other shapes it is that of
/// the bounding box, which is the maximum.
fn volume_m3(kind: Kind, part: &Part, present: Representation, body: &Body<'_>) -> f64 {
    let share = match (kind, present) {
        (Kind::ConvexHull, Representation::Decomposition) => body
            .hull_volume(part)
            .zip(body.decomposition_volume())
            .map_or(HULL_SHARE, |(hull, hulls)| (hull - hulls).abs()),
        (Kind::ConvexHull, _) => body.hull_volume(part).unwrap_or(HULL_SHARE),
        (_, Representation::Sphere) => FRAC_PI_6,
        (_, Representation::Cylinder) => FRAC_PI_6 * 1.5,
        _ => 1.0,
    };
    let volume = part.scale.abs().element_product() * share;
    if volume.is_finite() { volume } else { 0.0 }
}

/// One edit of a plan: a part with another physics shape type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeChange {
    /// Index of the part, from 0.
    pub part: usize,
    /// Kind of the edit: [`Kind::ConvexHull`] or [`Kind::ShapeNone`].
    pub kind: Kind,
    /// Present physics cost of the part.
    pub before: Cost,
    pub after: Cost,
    /// Shape that collides at rest after the change.
    pub representation: Representation,
    /// Estimated change of the volume that collides, in m³.
    pub volume_change_m3: f64,
}

impl ShapeChange {
    /// Returns by how much the cost falls.
    pub fn saving(&self) -> f64 {
        super::saved(self.before, self.after)
    }
}

/// A plan to reduce an object's physics weight to a budget.
#[derive(Debug, Clone, PartialEq)]
pub struct PhysicsPlan {
    /// Pure cost at rest.
    pub before: Cost,
    /// The fewest changes that reach the budget, in link order; all changes that save if none do.
    pub steps: Vec<ShapeChange>,
    /// Cost after the changes; the lowest possible if the budget is not reached.
    pub after: Cost,
    /// Whether the changes reach the budget, as far as the cost is known.
    pub reaches: bool,
    /// Physics meshes that could be coarser. Each of them alone reaches the budget: instead of the steps if these reach
    /// it, else after them.
    pub coarser: Vec<Coarser>,
    /// Parts to replace after the changes, if these do not reach the budget. Empty if that does not reach it either.
    pub substitutes: Vec<Substitute>,
    /// Cost after the changes and the substitutes.
    pub after_substitutes: Cost,
}

impl PhysicsPlan {
    /// Returns a plan to reduce an object's cost at rest to the budget. `None` if the known cost is not above the budget, or
    /// if the object has no cost.
    pub fn find(
        object: &ObjectFacts,
        measures: &ObjectMeasures,
        assets: &Assets<'_>,
        budget: f64,
        terms: Terms,
        profile: &Profile,
    ) -> Option<Self> {
        let before = measures.physics_cost;
        if !before.value().is_some_and(|cost| physics::exceeds(cost, budget)) {
            return None;
        }
        let parts = object.linkset.parts.iter().zip(&measures.parts).enumerate();
        let offers: Vec<Vec<ShapeChange>> = parts
            .map(|(number, (part, measures))| {
                offers(number, part, measures, &assets.body(part), terms, profile)
            })
            .collect();
        let reaches = |steps: &[ShapeChange]| {
            let cost = Cost::sum(costs_after(measures, steps)).value();
            !cost.is_some_and(|cost| physics::exceeds(cost, budget))
        };
        let steps = fewest(&offers, reaches);
        let (reaches, after) = (reaches(&steps), costs_after(measures, &steps));
        let base = if reaches { costs_after(measures, &[]) } else { after.clone() };
        let coarser = coarser_mesh::coarser(object, measures, &base, budget, profile);
        let substitutes = if reaches {
            Vec::new()
        } else {
            substitute::substitutes(object, &after, assets, budget, profile)
        };
        let after_substitutes = Cost::sum(substitute::costs_with(&after, &substitutes));
        Some(Self {
            before,
            steps,
            after: Cost::sum(after),
            reaches,
            coarser,
            substitutes,
            after_substitutes,
        })
    }

    pub fn count(&self, kind: Kind) -> usize {
        self.steps.iter().filter(|step| step.kind == kind).count()
    }

    /// Returns a short text of the plan, to follow a sentence about the object.
    pub fn in_short(&self) -> String {
        let in_words = |cost: Cost| {
            let least = cost.value().map_or_else(|| "unknown".into(), decimals);
            format!("{least}{}", if cost.is_complete() { "" } else { " or more" })
        };
        let substitutes = match self.substitutes.len() as u64 {
            0 => None,
            1 => Some(("1 prim".to_owned(), SUBSTITUTE, "its place")),
            count => Some((counted(count, "prim"), SUBSTITUTES, "their places")),
        };
        let substitutes = substitutes.map(|(prims, what, places)| {
            format!(
                "setting {prims} {TO_NONE_WITH} {what} in {places} lowers it to {}",
                in_words(self.after_substitutes)
            )
        });
        if self.steps.is_empty() {
            return substitutes.unwrap_or_else(|| "no prim is known to be cheaper as Convex Hull".into());
        }
        let named = |kind: Kind| {
            let count = Some(self.count(kind)).filter(|count| *count > 0)?;
            Some(format!("{} to {}", counted(count as u64, "prim"), kind.shape_type()?.1))
        };
        let what: Vec<String> = [Kind::ConvexHull, Kind::ShapeNone].into_iter().filter_map(named).collect();
        let what = what.join(" and ");
        let least = in_words(self.after);
        match substitutes {
            Some(substitutes) => format!("setting {what} lowers it to {least}; then {substitutes}"),
            None if self.reaches => format!("setting {what} lowers it to {least}"),
            None => format!("setting {what} lowers it to {least}, the lowest possible"),
        }
    }
}

/// Returns a cost as text with at most three decimals.
pub fn decimals(cost: f64) -> String {
    grouped((cost * 1000.0).round() / 1000.0)
}

/// Returns the fewest changes that suffice, at most one for each part; the largest saving of each part if nothing
/// suffices. A number of changes suffices if and only if that number of the largest savings does.
fn fewest(offers: &[Vec<ShapeChange>], suffice: impl Fn(&[ShapeChange]) -> bool) -> Vec<ShapeChange> {
    // The later of equal maxima is used; in reverse order that is Convex Hull.
    let best = |offers: &Vec<ShapeChange>| {
        offers.iter().rev().copied().max_by(|a, b| a.saving().total_cmp(&b.saving()))
    };
    let mut steps: Vec<ShapeChange> = offers.iter().filter_map(best).collect();
    steps.sort_by(|a, b| b.saving().total_cmp(&a.saving()));
    let count = first(0, steps.len(), |count| suffice(&steps[..count]));
    steps.truncate(count);
    if suffice(&steps) {
        milder(&mut steps, offers, suffice);
    }
    steps.sort_by_key(|step| step.part);
    steps
}

/// Replaces the change that saves most by the first offer of its part, in as many parts as possible while the changes
/// suffice. Parts where this costs least come first.
fn milder(steps: &mut [ShapeChange], offers: &[Vec<ShapeChange>], suffice: impl Fn(&[ShapeChange]) -> bool) {
    let given_up = |step: &ShapeChange| step.saving() - offers[step.part][0].saving();
    steps.sort_by(|a, b| given_up(a).total_cmp(&given_up(b)));
    let with = |count: usize| {
        let mut steps = steps.to_vec();
        steps[..count].iter_mut().for_each(|step| *step = offers[step.part][0]);
        steps
    };
    let count = first(1, steps.len() + 1, |count| !suffice(&with(count))) - 1;
    steps.copy_from_slice(&with(count));
}

/// Returns the first number from `low` on for which `holds` is true; it must stay true for all higher numbers. `high`
/// if there is none below it.
pub(super) fn first(mut low: usize, mut high: usize, holds: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

fn costs_after(measures: &ObjectMeasures, steps: &[ShapeChange]) -> Vec<Cost> {
    let mut costs: Vec<Cost> = measures.parts.iter().map(|part| part.collision.physics_cost).collect();
    for step in steps {
        costs[step.part] = step.after;
    }
    costs
}

/// Returns the possible changes of a part. The cost after each is measured as the audit would.
fn offers(
    number: usize,
    part: &Part,
    measures: &PartMeasures,
    body: &Body<'_>,
    terms: Terms,
    profile: &Profile,
) -> Vec<ShapeChange> {
    let before = measures.collision.physics_cost;
    let Some(cost) = before.exact() else { return Vec::new() };
    let offer = |kind: Kind| {
        let (shape_type, _) = kind.shape_type().filter(|_| kind.may_set(number, part))?;
        let changed = Part { physics_shape_type: Some(shape_type), ..part.clone() };
        let Collision { representation, physics_cost: after, .. } =
            measure::collision(&changed, body, profile);
        let volume_change_m3 = volume_m3(kind, part, measures.collision.representation, body);
        let step = ShapeChange { part: number, kind, before, after, representation, volume_change_m3 };
        after.exact().is_some_and(|after| after < cost).then_some(step)
    };
    let kinds = [Kind::ConvexHull, Kind::ShapeNone];
    kinds.into_iter().filter(|kind| *kind != Kind::ShapeNone || terms.allow_none).filter_map(offer).collect()
}

#[cfg(test)]
mod tests {
    //! The plans compared with all possible plans, and with objects.

    use super::*;
    use crate::{
        assets::Assets,
        measure::{measure_object, tests::object},
        physics_shape::tests::{mesh, mesh_part, prim},
    };
    use glam::DVec3;
    use hullmark_format::object::Sculpt;
    use hullmark_ledger::facts::MeshFacts;
    use proptest::{collection::vec, prelude::*};
    use uuid::Uuid;

    fn offers(parts: &[(u16, Vec<u16>)]) -> Vec<Vec<ShapeChange>> {
        let cost = |eighths: u16| Cost::spec(f64::from(eighths) / 8.0);
        let step = |part, kind, before, after| ShapeChange {
            part,
            kind,
            before: cost(before),
            after: cost(after),
            representation: Representation::None,
            volume_change_m3: 0.0,
        };
        let of_part = |(part, (before, after)): (usize, &(u16, Vec<u16>))| {
            let changes = [Kind::ConvexHull, Kind::ShapeNone].into_iter().zip(after);
            let cheaper = changes.filter(|(_, after)| *after < before);
            cheaper.map(|(kind, after)| step(part, kind, *before, *after)).collect()
        };
        parts.iter().enumerate().map(of_part).collect()
    }

    fn saved(steps: &[ShapeChange]) -> f64 {
        steps.iter().map(ShapeChange::saving).sum()
    }

    fn all_choices(offers: &[Vec<ShapeChange>]) -> Vec<Vec<ShapeChange>> {
        let Some((first, rest)) = offers.split_first() else { return vec![Vec::new()] };
        let rest = all_choices(rest);
        let with =
            |step: &ShapeChange| rest.iter().map(|steps| [&[*step], &steps[..]].concat()).collect::<Vec<_>>();
        first.iter().flat_map(with).chain(rest.iter().cloned()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn no_choice_has_fewer_changes(
            // Few distinct numbers, so that ties and equal parts are common.
            parts in vec((prop_oneof![0_u16..6, 0_u16..200], vec(prop_oneof![0_u16..6, 0_u16..200], 0..3)), 0..8),
            need in 1_u16..600,
        ) {
            let offers = offers(&parts);
            let suffice = |steps: &[ShapeChange]| saved(steps) >= f64::from(need) / 8.0;
            let found = fewest(&offers, suffice);
            let choices = all_choices(&offers);
            prop_assert!(choices.contains(&found), "one change of a part, in link order");
            match choices.iter().filter(|steps| suffice(steps)).map(Vec::len).min() {
                Some(least) => prop_assert!(suffice(&found) && found.len() == least, "{found:?}"),
                None => prop_assert!(choices.iter().all(|steps| saved(steps) <= saved(&found)), "{found:?}"),
            }
            for place in 0..found.len() {
                let mut hull = found.clone();
                hull[place] = offers[found[place].part][0];
                prop_assert!(hull == found || !suffice(&hull), "None where Convex Hull does: {found:?}");
            }
        }
    }

    #[test]
    fn the_largest_savings_of_equal_ones_the_first() {
        let offers = offers(&[(50, vec![5]), (100, vec![10]), (100, vec![10]), (100, vec![20])]);
        let parts = |need: f64| -> Vec<usize> {
            fewest(&offers, |steps| saved(steps) >= need).iter().map(|step| step.part).collect()
        };
        assert_eq!((parts(1.0), parts(12.0), parts(20.0)), (vec![1], vec![1, 2], vec![1, 2]));
        assert_eq!(parts(1000.0), [0, 1, 2, 3]);
    }

    #[test]
    fn ten_thousand_parts() {
        let parts: Vec<(u16, Vec<u16>)> = (0..10_000_u16).map(|n| (40 + n % 101, vec![n % 37, 0])).collect();
        let offers = offers(&parts);
        for share in [0.05, 0.5, 0.9] {
            let need = share * saved(&fewest(&offers, |_| false));
            let found = fewest(&offers, |steps| saved(steps) >= need);
            assert!(saved(&found) >= need && found.len() < 10_000, "{share}");
        }
    }

    fn planned(parts: Vec<Part>, mesh: &MeshFacts, budget: f64, allow_none: bool) -> Option<PhysicsPlan> {
        let (object, profile) = (object(parts), Profile::default());
        let mesh = MeshFacts { uuid: mesh_part().mesh(), ..mesh.clone() };
        let assets = Assets::new([&mesh], []);
        let measures = measure_object(&object, &assets, &profile);
        PhysicsPlan::find(
            &object,
            &measures,
            &assets,
            budget,
            Terms { allow_none, ..Terms::default() },
            &profile,
        )
    }

    /// Three parts of 1 m with 200 triangles, which cost 14.14 each and 0.36 as hulls.
    fn heavy() -> (Vec<Part>, MeshFacts) {
        (vec![mesh_part(); 3], mesh(Some(8), &[], Some(200)))
    }

    fn about(cost: Cost, expected: f64) {
        assert!(
            cost.value().is_some_and(|cost| (cost - expected).abs() < 1e-3),
            "{cost:?} is not {expected}"
        );
    }

    #[test]
    fn triangles_become_a_hull_and_no_more_than_must() {
        let (parts, mesh) = heavy();
        let plan = planned(parts.clone(), &mesh, 32.0, false).unwrap();
        about(plan.before, 42.426);
        about(plan.after, 28.644);
        assert!(plan.reaches);
        assert_eq!((plan.steps.len(), plan.steps[0].part), (1, 0), "of equal parts the first");
        assert_eq!(plan.steps[0].representation, Representation::BaseHull);
        assert_eq!(plan.steps[0].volume_change_m3, 0.5);
        assert_eq!(plan.in_short(), "setting 1 prim to Convex Hull lowers it to 28.644");
        assert!(planned(parts, &mesh, 42.5, true).is_none(), "it is not above that");
    }

    #[test]
    fn heavy_hulls_get_substitutes_and_the_root_keeps_its_shape() {
        let tyre = Part { physics_shape_type: Some(2), ..mesh_part() };
        let mesh = mesh(Some(199), &[], None);
        let plan = planned(vec![tyre.clone(); 5], &mesh, 32.0, false).unwrap();
        about(plan.before, 40.0);
        assert!(!plan.reaches && plan.steps.is_empty());
        let substituted: Vec<usize> = plan.substitutes.iter().map(|substitute| substitute.part).collect();
        assert_eq!(substituted, [1, 2], "of equal parts the first children");
        about(plan.after_substitutes, 24.2);
        assert_eq!(
            plan.in_short(),
            "setting 2 prims to None with invisible boxes or cylinders in their places lowers it to 24.2"
        );
        // The object that is built as advised.
        let (none, block) = (Part { physics_shape_type: Some(1), ..tyre.clone() }, prim());
        let built = vec![tyre.clone(), none.clone(), none, tyre.clone(), tyre.clone(), block.clone(), block];
        assert!(planned(built.clone(), &mesh, 32.0, false).is_none());
        about(planned(built, &mesh, 1.0, false).unwrap().before, 24.2);
        let root = planned(vec![tyre], &mesh, 5.0, false).unwrap();
        assert!(root.substitutes.is_empty());
        assert_eq!(root.in_short(), "no prim is known to be cheaper as Convex Hull");
    }

    #[test]
    fn none_is_for_children_and_for_those_who_ask() {
        let (parts, mesh) = heavy();
        let without = planned(parts.clone(), &mesh, 1.0, false).unwrap();
        assert!(!without.reaches);
        about(without.after, 1.08);
        assert_eq!(
            without.in_short(),
            "setting 3 prims to Convex Hull lowers it to 1.08; then setting 1 prim to None with an invisible box or \
             cylinder in its place lowers it to 0.82"
        );
        let with = planned(parts.clone(), &mesh, 1.0, true).unwrap();
        assert!(with.reaches);
        let changes: Vec<Kind> = with.steps.iter().map(|step| step.kind).collect();
        // One None suffices, for any part but the root.
        assert_eq!(changes, [Kind::ConvexHull, Kind::ConvexHull, Kind::ShapeNone]);
        about(with.after, 0.72);
        let most = planned(parts, &mesh, 0.1, true).unwrap();
        assert!(!most.reaches, "the root stays");
        about(most.after, 0.36);
        assert_eq!(
            most.in_short(),
            "setting 1 prim to Convex Hull and 2 prims to None lowers it to 0.36, the lowest possible"
        );
    }

    #[test]
    fn a_lighter_child_is_no_reason_for_none() {
        let (parts, mesh) = heavy();
        let plan = planned(parts, &mesh, 32.0, true).unwrap();
        assert_eq!(plan.count(Kind::ShapeNone), 0, "Convex Hull comes first");
    }

    #[test]
    fn a_decomposition_becomes_a_hull() {
        let mesh = mesh(Some(8), &[256; 4], None);
        let plan = planned(vec![mesh_part()], &mesh, 32.0, false).unwrap();
        about(plan.before, 41.12);
        about(plan.after, 0.36);
        assert!(plan.reaches && plan.coarser.is_empty());
    }

    #[test]
    fn unknown_savings_are_not_offered() {
        let (mut parts, mesh) = heavy();
        let mut lost = mesh_part();
        lost.shape.sculpt = Some(Sculpt { asset: Uuid::from_u128(8), kind: 5 });
        parts.push(lost);
        let plan = planned(parts, &mesh, 1.0, true).unwrap();
        assert!(plan.reaches && plan.steps.iter().all(|step| step.part != 3));
        assert!(!plan.before.is_complete() && !plan.after.is_complete());
        assert_eq!(
            plan.in_short(),
            "setting 2 prims to Convex Hull and 1 prim to None lowers it to 0.72 or more"
        );
    }

    #[test]
    fn a_mesh_without_base_hull_must_be_coarser() {
        let bare = mesh(None, &[], Some(1000));
        let mut parts = vec![mesh_part(), prim(), prim()];
        let plan = planned(parts.clone(), &bare, 32.0, false).unwrap();
        assert!(!plan.reaches && plan.steps.is_empty());
        assert_eq!(plan.in_short(), "no prim is known to be cheaper as Convex Hull");
        let [coarser] = &plan.coarser[..] else { panic!("{plan:?}") };
        // 32 − 0.2 are left; a triangle 0.7071 m wide costs 0.070711.
        assert_eq!((coarser.triangles, coarser.at_most), (1000, Some(449)));
        assert!((coarser.width_m - 0.5_f64.sqrt()).abs() < 1e-9);
        // 1,000 triangles of 1.573 m: 31.786.
        assert_eq!(coarser.wide_m, Some(1.573));
        parts.push(mesh_part());
        let plan = planned(parts, &bare, 32.0, false).unwrap();
        assert_eq!((plan.coarser[0].at_most, &plan.coarser[0].parts), (Some(224), &vec![0, 3]));
    }

    #[test]
    fn a_grid_without_cap_asks_for_nothing() {
        assert_eq!(physical_cap(&Profile::load("opensim-ubode").unwrap()), None);
        assert_eq!(physical_cap(&Profile::default()), Some(32.0));
    }

    #[test]
    fn volumes_as_far_as_they_are_known() {
        let mut part = prim();
        part.scale = DVec3::splat(2.0);
        let assets = Assets::default();
        let body = assets.body(&part);
        assert_eq!(volume_m3(Kind::ShapeNone, &part, Representation::Box, &body), 8.0);
        let ball = volume_m3(Kind::ShapeNone, &part, Representation::Sphere, &body);
        assert!((ball - 4.0 / 3.0 * std::f64::consts::PI).abs() < 1e-12);
        // The hull of a box is the box, except for the rounding of its corners.
        assert!((volume_m3(Kind::ConvexHull, &part, Representation::SurfaceMesh, &body) - 8.0).abs() < 1e-3);
        let lost = Part { scale: part.scale, ..mesh_part() };
        assert_eq!(
            volume_m3(Kind::ConvexHull, &lost, Representation::TriangleMesh, &assets.body(&lost)),
            4.0
        );
        part.scale.x = f64::NAN;
        assert_eq!(volume_m3(Kind::ShapeNone, &part, Representation::Box, &body), 0.0);
    }
}
