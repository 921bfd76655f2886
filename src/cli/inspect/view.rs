//! The view as plain data. Text and JSON are written from it.

use super::object::ObjectView;
use crate::cli::{
    Settings,
    select_entry::{Head, Picked},
};
use glam::DVec3;
use hullmark_analysis::Measured;
use hullmark_finding::{Finding, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{MeshFacts, ObjectFacts};
use hullmark_pages::inspect::{finding::FindingView, mesh::MeshView};
use hullmark_settings::profile::Profile;
use serde::Serialize;

/// Everything that is shown. The field names here and below are stable.
#[derive(Debug, Serialize)]
pub(super) struct InspectView {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Meshes, in the order of the file.
    pub(super) meshes: Vec<MeshView>,
    /// Objects, in the order of the file.
    pub(super) objects: Vec<ObjectView>,
    /// Findings about the file that belong to no mesh and no object.
    pub(super) findings: Vec<FindingView>,
}

impl InspectView {
    /// Joins facts, measures and findings.
    pub(super) fn new(
        measured: &Measured<'_>,
        picked: &Picked,
        findings: &[(Severity, Finding)],
        scale: Option<DVec3>,
        settings: &Settings,
    ) -> Self {
        let ledger = measured.ledger;
        let mut shared = Shared::new(picked, findings, measured.profile);
        let meshes = ledger.meshes.iter().filter(|mesh| picked.meshes.contains(&mesh.entry));
        let meshes: Vec<_> = meshes
            .map(|mesh| {
                // A part of a model has a size of its own.
                let own = mesh.model.as_ref().map(|part| part.size);
                let scale = scale.or(own).unwrap_or(DVec3::ONE);
                MeshView::new(
                    mesh,
                    scale,
                    measured.profile,
                    shared.take(|at| mesh.is_at(&at.entry, &at.within)),
                )
            })
            .collect();
        let objects = measured.objects().map(|(object, measures)| {
            let findings = shared.of_object(measured, object);
            ObjectView::new(measured, object, measures, findings)
        });
        let objects: Vec<_> = objects.collect();
        Self { head: picked.head(findings, settings), meshes, objects, findings: shared.rest() }
    }
}

/// Findings that are assigned to their subjects.
struct Shared<'a> {
    profile: &'a Profile,
    findings: Vec<(&'a (Severity, Finding), bool)>,
}

impl<'a> Shared<'a> {
    /// Selects the findings about the shown members.
    fn new(picked: &Picked, findings: &'a [(Severity, Finding)], profile: &'a Profile) -> Self {
        let findings = findings.iter().filter(|(_, finding)| picked.concerns(&finding.place.entry));
        Self { profile, findings: findings.map(|finding| (finding, false)).collect() }
    }

    /// Takes the findings for which `about` is true.
    fn take(&mut self, about: impl Fn(&hullmark_finding::Place) -> bool) -> Vec<FindingView> {
        let mut taken = Vec::new();
        for (finding, reported) in &mut self.findings {
            let (severity, finding) = *finding;
            if about(&finding.place) {
                *reported = true;
                taken.push(FindingView::new(*severity, finding, self.profile));
            }
        }
        taken
    }

    /// Takes the findings about an object and the meshes that it uses. A finding about a document with a single object
    /// is about this object.
    fn of_object(&mut self, measured: &Measured<'_>, object: &ObjectFacts) -> Vec<FindingView> {
        let root = object.linkset.parts.first().map(|root| root.uuid);
        let alone = measured.ledger.objects.iter().filter(|other| other.entry == object.entry).count() == 1;
        let meshes = object.linkset.parts.iter().filter_map(Part::mesh);
        let meshes: Vec<&MeshFacts> = meshes.filter_map(|uuid| measured.assets.mesh(uuid)).collect();
        self.take(|at| {
            at.entry == object.entry && (alone || at.object.is_some() && at.object == root)
                || meshes.iter().any(|mesh| mesh.entry == at.entry)
        })
    }

    /// Returns the findings that no subject took.
    fn rest(self) -> Vec<FindingView> {
        let rest = self.findings.into_iter().filter(|(_, reported)| !reported);
        rest.map(|((severity, finding), _)| FindingView::new(*severity, finding, self.profile)).collect()
    }
}
