//! How the costs of a linkset are computed, and how much parcel capacity it uses.

use crate::{
    cost::{Basis, Cost, NotEvaluated, land, simulation},
    physics_shape::{self, ShapeType},
};
use hullmark_format::{object::Part, reference::Use};
use hullmark_settings::profile::{LandModel, Profile};
use hullmark_util::named;

named! {
    /// How a linkset is charged.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Accounting {
        Legacy = "legacy",
        New = "new",
    }
}

named! {
    /// The figure that determines the land impact of a linkset.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Governing {
        Physics = "physics",
        Download = "download",
        Server = "server",
        Prims = "prims",
    }
}

/// Returns the accounting of a linkset on a grid.
///
/// Second Life uses weights if the linkset has a mesh, or a prim whose physics shape type is not Prim (*Mesh/Mesh
/// physics*, Opt-In). It also uses them for a material with a normal or specular map (wiki, *Material Data*).
/// OpenSimulator uses weights if a part is complex, which is not the same. The shape type of a tree has no effect. A
/// placeholder is mostly one of a mesh, so it opts in. So does a part that was not read, because its costs are unknown.
pub fn accounting(parts: &[Part], profile: &Profile) -> Accounting {
    let opts_in = |(index, part): (usize, &Part)| match profile.land.model {
        _ if part.is_unknown() => true,
        LandModel::SecondLife => {
            part.mesh().is_some() || ShapeType::from_part(part) != ShapeType::Prim || has_material(part)
        }
        LandModel::Opensim => land::opensim_complex(part, index == 0),
    };
    if parts.iter().enumerate().any(|(index, part)| !physics_shape::is_plant(part) && opts_in((index, part)))
    {
        Accounting::New
    } else {
        Accounting::Legacy
    }
}

/// Whether a face has a material with a normal or specular map.
fn has_material(part: &Part) -> bool {
    let is_material = |what| matches!(what, Use::Material | Use::NormalMap | Use::SpecularMap);
    part.references.iter().any(|reference| is_material(reference.what))
}

/// Whether PBR materials may give a linkset new accounting, although it is legacy by the specification's page.
///
/// The page does not know them. Viewers mark the cost of an object as stale when its PBR material changes, because land
/// impact may have changed (`llviewerobject.cpp`, `setRenderMaterialID`). Residents report new accounting. The server was
/// not measured.
pub(super) fn pbr_may_opt_in(parts: &[Part], profile: &Profile) -> bool {
    profile.land.model == LandModel::SecondLife
        && accounting(parts, profile) == Accounting::Legacy
        && parts.iter().any(|part| !physics_shape::is_plant(part) && has_pbr_material(part))
}

/// Whether a face has a PBR (glTF) material.
pub fn has_pbr_material(part: &Part) -> bool {
    part.references.iter().any(|reference| reference.what == Use::RenderMaterial)
}

/// Returns the pure cost under this accounting; not applicable under legacy accounting. Plants never have this cost.
pub(super) fn charged_physics(accounting: Accounting, if_new: Cost) -> Cost {
    let plants = if_new.is_complete() && if_new.value().is_none();
    match accounting {
        Accounting::Legacy if !plants => Cost::not_applicable(NotEvaluated::LegacyAccounting),
        _ => if_new,
    }
}

/// The values from which land impact is computed.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub(super) accounting: Accounting,
    /// Whether the accounting is uncertain: see [`pbr_may_opt_in`].
    pub(super) uncertain: bool,
    pub(super) prims: u32,
    pub(super) physical: bool,
    /// Number of scripts; `None` if rows of a part were not read, so that nothing it costs is known.
    pub(super) scripts: Option<u32>,
    pub(super) physics: Cost,
    pub(super) physics_if_physical: Cost,
    pub(super) streaming: Cost,
}

impl Weights {
    pub(super) fn server_weight(&self, profile: &Profile) -> Cost {
        let weight = |scripts| simulation::server_weight(self.prims, scripts, &profile.simulation);
        self.scripts.map_or(Cost::not_evaluated(NotEvaluated::RowsUnread), weight)
    }

    /// Returns the minimum and maximum server weight of the published formulas.
    pub(super) fn server_weight_range(&self, profile: &Profile) -> [Cost; 2] {
        let range = |scripts| simulation::server_weight_range(self.prims, scripts, &profile.simulation);
        self.scripts.map_or([Cost::not_evaluated(NotEvaluated::RowsUnread); 2], range)
    }

    /// Returns the minimum and maximum land impact, with this maximum of the streaming cost. If the accounting is
    /// uncertain, they are the figures of both.
    pub(super) fn land_impact_range(&self, streaming_high: Cost, profile: &Profile) -> [Cost; 2] {
        if self.uncertain {
            let (legacy, new) = (self.land_impact(profile), self.if_new().land_impact(profile));
            return [legacy.lesser(new), Cost::greatest([legacy, new])];
        }
        if self.accounting == Accounting::Legacy || profile.land.model == LandModel::Opensim {
            return [self.land_impact(profile); 2];
        }
        let [first_free, announced] = self.server_weight_range(profile);
        let impact = |streaming, server| land::second_life(streaming, self.physics_in_force(), server);
        [impact(self.streaming, first_free), impact(streaming_high, announced)]
    }

    /// Returns the same values under new accounting.
    pub(super) fn if_new(&self) -> Self {
        Self { accounting: Accounting::New, uncertain: false, ..*self }
    }

    fn physics_in_force(&self) -> Cost {
        if self.physical { self.physics_if_physical } else { self.physics }
    }

    /// Returns the figure that determines land impact; of equal weights physics, then download. `None` if a weight is
    /// not completely known.
    pub(super) fn governing(&self, profile: &Profile) -> Option<Governing> {
        if profile.land.model == LandModel::Opensim || self.accounting == Accounting::Legacy {
            return Some(Governing::Prims);
        }
        let weights = [
            (Governing::Server, self.server_weight(profile)),
            (Governing::Download, self.streaming),
            (Governing::Physics, self.physics_in_force()),
        ];
        let is_known = weights.iter().all(|(_, weight)| weight.is_complete());
        let greatest = weights
            .into_iter()
            .filter_map(|(governing, weight)| Some((governing, weight.value()?)))
            .max_by(|(_, a), (_, b)| a.total_cmp(b));
        greatest.filter(|_| is_known).map(|(governing, _)| governing)
    }

    pub(super) fn land_impact(&self, profile: &Profile) -> Cost {
        match (profile.land.model, self.accounting) {
            (_, Accounting::Legacy) if self.uncertain => {
                land::per_prim(self.prims).at_best(Basis::Approximation)
            }
            (LandModel::Opensim, _) | (_, Accounting::Legacy) => land::per_prim(self.prims),
            (LandModel::SecondLife, Accounting::New) => {
                land::second_life(self.streaming, self.physics_in_force(), self.server_weight(profile))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        cost::physics::CapVerdict,
        linkability::current,
        measure::{
            ObjectMeasures,
            tests::{close, measured, on},
        },
        physics_shape::tests::{curved, mesh_part, prim},
    };
    use glam::DVec3;
    use hullmark_format::object::part::flag;

    #[test]
    fn legacy_linksets_cost_one_for_each_prim() {
        let measures = measured(vec![prim(), curved(0, 16), prim()]);
        assert_eq!(measures.accounting, Accounting::Legacy);
        assert_eq!(measures.physics_cost, Cost::not_applicable(NotEvaluated::LegacyAccounting));
        assert_eq!(measures.physical_cap, CapVerdict::NotApplicable(NotEvaluated::LegacyAccounting));
        close(measures.physics_cost_if_new, 0.3);
        assert_eq!(measures.land_impact_if_physical, Cost::spec(3.0), "none of the weights is charged");
        close(measures.land_impact_if_new, 2.0);
        assert_eq!(measures.physics_cost_if_new.basis(), Basis::Estimated, "a cylinder's cost is inferred");
        assert_eq!(measures.land_impact, Cost::spec(3.0));
    }

    #[test]
    fn materials_opt_in() {
        for (what, expected) in [
            (Use::Material, Accounting::New),
            (Use::NormalMap, Accounting::New),
            (Use::Texture, Accounting::Legacy),
            (Use::RenderMaterial, Accounting::Legacy),
        ] {
            let mut part = prim();
            part.references = vec![what.reference(uuid::Uuid::max())];
            assert_eq!(accounting(&[part.clone()], &Profile::default()), expected);
            let opensim = Profile::load("opensim-ubode").unwrap();
            assert_eq!(accounting(&[part], &opensim), Accounting::Legacy);
        }
    }

    #[test]
    fn pbr_materials_leave_two_figures() {
        let with = |count: usize, mut part: Part| {
            part.references = vec![Use::RenderMaterial.reference(uuid::Uuid::max())];
            [vec![part], vec![prim(); count - 1]].concat()
        };
        let range = |measures: &ObjectMeasures| measures.land_impact_range.map(|cost| cost.value().unwrap());
        // Ten boxes cost 10, or half of that by their server weight.
        let boxes = measured(with(10, prim()));
        assert_eq!((boxes.accounting, boxes.pbr_may_opt_in), (Accounting::Legacy, true));
        assert_eq!(boxes.land_impact, Cost::approximation(10.0));
        assert_eq!(range(&boxes), [5.0, 10.0]);
        assert_eq!(boxes.governing, Some(Governing::Prims));
        let ring = measured(with(1, curved(0, 32)));
        assert_eq!((ring.land_impact.value(), ring.land_impact_if_new.value()), (Some(1.0), Some(439.0)));
        assert_eq!(range(&ring), [1.0, 439.0]);
        // Under new accounting nothing is uncertain, and neither is it in OpenSimulator or of plants.
        let mut convex = prim();
        convex.physics_shape_type = Some(2);
        assert!(!measured(with(2, convex)).pbr_may_opt_in);
        let plant = Part { shape: hullmark_format::object::Shape { pcode: 255, ..prim().shape }, ..prim() };
        assert!(!measured(with(1, plant)).pbr_may_opt_in);
        let opensim = on("opensim-ubode", with(10, prim()), None);
        assert_eq!((opensim.pbr_may_opt_in, opensim.land_impact), (false, Cost::spec(10.0)));
        // A sculpt without its map has no physics cost, so the greater figure is a bound.
        let mut sculpt = prim();
        sculpt.shape.sculpt = Some(hullmark_format::object::Sculpt { asset: uuid::Uuid::max(), kind: 1 });
        let [low, high] = measured(with(10, sculpt)).land_impact_range;
        assert_eq!((low.value(), high.value(), high.exact()), (Some(5.0), Some(10.0), None));
    }

    #[test]
    fn plants_have_no_physics_and_one_land_impact() {
        let mut tree = prim();
        (tree.shape.pcode, tree.physics_shape_type) = (255, Some(2));
        let measures = measured(vec![tree]);
        let plant = Cost::not_applicable(NotEvaluated::Plant);
        assert_eq!(measures.physics_cost, plant);
        assert_eq!(measures.physics_cost_if_new, plant);
        assert_eq!(measures.physics_cost_if_physical, plant);
        assert_eq!(measures.streaming_cost, plant);
        assert_eq!(measures.land_impact, Cost::spec(1.0));
        assert_eq!((measures.evaluated_parts, measures.unevaluated_parts), (0, 0));
    }

    #[test]
    fn opensim_counts_prims_on_land_regardless_of_their_cost() {
        let of = |parts| on("opensim-bulletsim", parts, None);
        assert_eq!(of(vec![prim(); 4]).land_impact, Cost::spec(4.0));
        let mut parts = vec![prim(); 4];
        parts[0].flags = flag::PHYSICS;
        parts[3].physics_shape_type = Some(1);
        parts[2].scale = DVec3::new(3.0, 4.0, 5.0);
        let measures = of(parts);
        assert_eq!(measures.land_impact_if_physical, measures.land_impact);
        close(measures.physics_cost, 0.3);
        close(measures.physics_cost_if_physical, 0.1 * (2.0 * (1.0 + 0.01333 * 0.75) + 1.6665));
        assert_eq!(measures.accounting, Accounting::New, "shape None of a child");
        assert_eq!((measures.server_weight, measures.land_impact), (Cost::spec(0.0), Cost::spec(4.0)));
        assert_eq!(measures.physical_cap, CapVerdict::NotApplicable(NotEvaluated::NoSuchRule));
        assert_eq!(measures.link.current.verdict, current::Verdict::NoRule);
    }

    #[test]
    fn opensim_has_its_own_rules_to_opt_in() {
        let (mut convex, mut mirrored) = (prim(), mesh_part());
        convex.physics_shape_type = Some(2);
        mirrored.shape.sculpt.as_mut().unwrap().kind = 5 | 128;
        for part in [convex, mirrored] {
            let parts = vec![part, prim()];
            assert_eq!(accounting(&parts, &Profile::default()), Accounting::New);
            let measures = on("opensim-ubode", parts, None);
            assert_eq!(measures.accounting, Accounting::Legacy);
            assert_eq!(measures.land_impact, Cost::spec(2.0));
        }
    }
}
