//! The weight of a finding: its cost, or the number of uses that it breaks. It orders findings of one severity.
//!
//! The unit is land impact, or prims on grids that count prims. A use of an asset counts as one.

use hullmark_analysis::{self as analysis, Measured};
use hullmark_finding::Finding;
use hullmark_ledger::facts::Role;
use hullmark_rules::catalogue::{self, Effect, Subject};
use std::collections::HashMap;
use uuid::Uuid;

/// Weighs the findings of one input.
pub(super) struct Weights<'m, 'a> {
    measured: &'m Measured<'a>,
    /// Load of objects by their entry and root.
    objects: HashMap<(&'a str, Uuid), f64>,
    /// Load of all objects that are not in inventories.
    all: f64,
}

impl<'m, 'a> Weights<'m, 'a> {
    pub(super) fn new(measured: &'m Measured<'a>) -> Self {
        let mut objects = HashMap::with_capacity(measured.ledger.objects.len());
        let mut all = 0.0;
        for (object, measures) in measured.objects().filter(|(object, _)| object.role != Role::Nested) {
            let load = analysis::load([(object, measures)], measured.profile).value().unwrap_or_default();
            all += load;
            if let Some(root) = object.linkset.parts.first() {
                objects.entry((object.entry.as_str(), root.uuid)).or_insert(load);
            }
        }
        Self { measured, objects, all }
    }

    /// Returns the weight of a finding, 0 or above: the load over a capacity, the uses of an asset, or the load of the
    /// object. Objects in inventories have no load. A finding that stops the load of an archive concerns all its objects.
    pub(super) fn weight(&self, finding: &Finding) -> f64 {
        let rule = catalogue::rule(finding.code);
        let place = &finding.place;
        let weight = match (rule.effect, rule.about, place.asset) {
            (Effect::Stops, ..) => self.all,
            (_, Subject::Land, _) => {
                finding.measured.zip(finding.limit).map_or(0.0, |(load, most)| load - most)
            }
            _ if rule.unit == "uses" => finding.measured.unwrap_or_default(),
            (.., Some(asset)) => self.measured.uses.get(&asset).map_or(0.0, |used| used.count.into()),
            (.., None) => self.of_object(&place.entry, place.object),
        };
        if weight.is_finite() { weight.max(0.0) } else { 0.0 }
    }

    fn of_object(&self, entry: &str, root: Option<Uuid>) -> f64 {
        root.and_then(|root| self.objects.get(&(entry, root))).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_finding::Code;
    use hullmark_format::{
        object::{Linkset, Part},
        reference::Use,
    };
    use hullmark_ledger::{
        Ledger,
        facts::{ObjectFacts, Status},
    };
    use hullmark_settings::profile::Profile;

    #[test]
    fn a_finding_weighs_what_it_costs_or_breaks() {
        let (texture, root) = (Uuid::from_u128(7), Uuid::from_u128(1));
        let mut part = Part { physics_shape_type: Some(0), ..Part::default() };
        part.uuid = root;
        part.references = vec![Use::Texture.reference(texture)];
        let object = |role, entry: &str| ObjectFacts {
            entry: entry.into(),
            role,
            ..ObjectFacts::rezzed(Linkset { parts: vec![part.clone(); 3], ..Linkset::default() })
        };
        let mut ledger = Ledger::empty("a.oar", hullmark_ledger::InputKind::Oar, Status::Complete);
        ledger.objects = [object(Role::Rezzed, "rezzed"), object(Role::Nested, "nested")].into();
        let profile = Profile::default();
        let measured = Measured::new(&ledger, &profile);
        let weights = Weights::new(&measured);
        let at = |entry: &str| {
            let mut finding = Finding::new(Code::POS006).entry(entry);
            finding.place.object = Some(root);
            finding
        };
        assert_eq!(weights.weight(&at("rezzed")), 3.0, "three prims");
        assert_eq!(weights.weight(&at("nested")), 0.0);
        assert_eq!(weights.weight(&at("unknown")), 0.0);
        let mut damaged = at("rezzed");
        (damaged.code, damaged.place.asset) = (Code::AST004, Some(texture));
        assert_eq!(weights.weight(&damaged), 6.0, "six parts show it");
        assert_eq!(weights.weight(&Finding::new(Code::AST001).measured(40)), 40.0);
        assert_eq!(weights.weight(&Finding::new(Code::CST001).measured(95_241).limit(22_500)), 72_741.0);
        assert_eq!(weights.weight(&Finding::new(Code::CST001).measured(f64::NAN).limit(1)), 0.0);
        assert_eq!(weights.weight(&Finding::new(Code::ARC002)), 3.0, "no object arrives");
        assert_eq!(weights.weight(&Finding::new(Code::ARC005)), 0.0);
    }
}
